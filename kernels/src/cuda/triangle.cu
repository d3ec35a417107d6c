
// w = the triangle of the n x n tile a as a full matrix: zeros beside it, ones on a unit diagonal.
extern "C" __global__ void take_triangle(u64 n, const real *a, real *w, int lower, int unit) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 k = (u64)blockIdx.x * blockDim.x + threadIdx.x; k < n * n; k += stride) {
        u64 i = k % n, j = k / n;
        if (i == j) w[k] = unit ? number(1.0) : a[k];
        else w[k] = (lower ? i > j : i < j) ? a[k] : number(0.0);
    }
}

// The triangle of a = that of w, without a unit diagonal, if the verdict is 0.
extern "C" __global__ void put_triangle(u64 n, const real *w, real *a, int lower, int unit,
                                        const int *verdict) {
    if (*verdict != 0) return;
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 k = (u64)blockIdx.x * blockDim.x + threadIdx.x; k < n * n; k += stride) {
        u64 i = k % n, j = k / n;
        if (i == j ? !unit : (lower ? i > j : i < j)) a[k] = w[k];
    }
}

// The verdict is the first zero on the diagonal of the tile a, of n entries, from 1.
extern "C" __global__ void __launch_bounds__(1024)
find_zero(u64 n, const real *a, u64 ld, int *verdict) {
    u64 bad = n;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) {
        if (a[i * (ld + 1)] == number(0.0) && i < bad) bad = i;
    }
    bad = block_min(bad);
    if (threadIdx.x == 0) *verdict = bad < n ? (int)(bad + 1) : 0;
}
