
// To each of the m numbers of sums the sum of the entries of its row of w .* d, both m x n; of a lower
// triangle only what is on and below the diagonal counts. A block has 32 rows, in any number of
// columns of threads up to 32.
extern "C" __global__ void __launch_bounds__(1024)
weighted_sums(u64 m, u64 n, const real *w, const real *d, int lower, real *sums) {
    __shared__ double parts[32 * 32];
    u64 i = (u64)blockIdx.x * 32 + threadIdx.x;
    double sum = 0.0;
    if (i < m) {
        u64 last = lower && i + 1 < n ? i + 1 : n;
        for (u64 j = threadIdx.y; j < last; j += blockDim.y) {
            sum += (double)w[i + j * m] * (double)d[i + j * m];
        }
    }
    parts[threadIdx.x + 32 * threadIdx.y] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || i >= m) return;
    for (unsigned k = 1; k < blockDim.y; k++) sum += parts[threadIdx.x + 32 * k];
    sums[i] = (real)((double)sums[i] + sum);
}

// y = y + the diagonal of w, of order n.
extern "C" __global__ void add_diagonal(u64 n, const real *w, real *y) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] += w[i * (n + 1)];
    }
}
