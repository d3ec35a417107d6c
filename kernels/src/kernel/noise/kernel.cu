
// Adds noise to the diagonal of the m x m tile a.
extern "C" __global__ void add_noise(u64 m, const double *noise, real *a) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {
        a[i * (m + 1)] += (real)noise[i];
    }
}

// y = y + alpha noise .* x, of n columns of m numbers.
extern "C" __global__ void times_noise(u64 m, u64 n, double alpha, const double *noise,
                                       const real *x, real *y) {
    FOR_ENTRIES(m, n) y[i + j * m] += (real)(alpha * noise[i]) * x[i + j * m];
}
