
// A = L D L', or L D L^H, of the n x n block a, column by column in one block of threads. The verdict
// becomes the first pivot, counted from index, that is zero or not finite; after one nothing is
// done.
extern "C" __global__ void __launch_bounds__(1024)
factor_ldlt(u64 n, real *a, u64 ld, int hermitian, u64 index, int *verdict) {
    __shared__ int is_over;
    if (threadIdx.x == 0) is_over = *verdict;
    __syncthreads();
    for (u64 k = 0; k < n && is_over == 0; k++) {
        real pivot = a[k * (ld + 1)];
        if (hermitian) pivot = number(re(pivot));
        bool is_bad = pivot == number(0.0) || !is_finite(re(pivot)) || !is_finite(im(pivot));
        __syncthreads();
        if (threadIdx.x == 0) {
            if (is_bad) *verdict = is_over = (int)(index + k);
            a[k * (ld + 1)] = pivot;
        }
        __syncthreads();
        u64 rest = n - k - 1;
        for (u64 p = threadIdx.x; p < rest * rest; p += blockDim.x) {
            u64 i = k + 1 + p % rest, j = k + 1 + p / rest;
            if (i < j) continue;
            real beside = a[j + k * ld];
            if (hermitian) beside = conjugate(beside);
            a[i + j * ld] = a[i + j * ld] - a[i + k * ld] * (beside / pivot);
        }
        __syncthreads();
        for (u64 i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
            a[i + k * ld] = a[i + k * ld] / pivot;
        }
        __syncthreads();
    }
}

// The columns of the m x n block a over the diagonal of d.
extern "C" __global__ void divide_columns(u64 m, u64 n, const real *d, u64 ldd, real *a, u64 ld) {
    FOR_ENTRIES(m, n) a[i + j * ld] = a[i + j * ld] / d[j * (ldd + 1)];
}
