
// Whether entry (i, j) is in a part: all, on and below the diagonal, or on and above it.
__device__ inline bool holds(int part, u64 i, u64 j) {
    return part == 0 || (part == 1 ? i >= j : i <= j);
}

// Goes through the entries (i, j) of an m x n block, some for each thread.
#define FOR_ENTRIES(m, n)                                                                          \
    for (u64 j = (u64)blockIdx.y * blockDim.y + threadIdx.y; j < n;                                \
         j += (u64)gridDim.y * blockDim.y)                                                         \
        for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < m;                            \
             i += (u64)gridDim.x * blockDim.x)

// b = alpha op(a) + beta b on a part of the m x n block b; op transposes if it is 1, and conjugates
// too if it is 2. What has a factor of zero is not read.
extern "C" __global__ void add_part(u64 m, u64 n, int part, int op, real alpha, const real *a,
                                    u64 lda, real beta, real *b, u64 ldb) {
    bool with_a = !(alpha == number(0.0)), with_b = !(beta == number(0.0));
    FOR_ENTRIES(m, n) {
        if (!holds(part, i, j)) continue;
        real sum = number(0.0);
        if (with_a) {
            sum = a[op == 0 ? i + j * lda : j + i * lda];
            sum = alpha * (op == 2 ? conjugate(sum) : sum);
        }
        if (with_b) sum = with_a ? sum + beta * b[i + j * ldb] : beta * b[i + j * ldb];
        b[i + j * ldb] = sum;
    }
}

// Entry (i, j) of the matrix that the tile a of m rows stands for, if there is one: 0 anything, 1 a
// symmetric and 2 a Hermitian matrix of which a triangle is stored, 3 that triangle alone, 4 with
// ones on its diagonal.
__device__ inline bool entry_of(int kind, int lower, const real *a, u64 m, u64 i, u64 j, real &x) {
    bool is_stored = kind == 0 || (lower ? i >= j : i <= j);
    if (kind >= 3 && !is_stored) return false;
    x = is_stored ? a[i + j * m] : a[j + i * m];
    if (kind == 4 && i == j) x = number(1.0);
    if (kind == 2) x = i == j ? number(re(x)) : is_stored ? x : conjugate(x);
    return true;
}
