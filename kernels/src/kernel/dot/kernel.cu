
// sum = sum + x' y, in one block.
extern "C" __global__ void __launch_bounds__(1024)
dot(u64 n, const real *x, const real *y, double *sum) {
    double part = 0.0;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) {
        part += (double)x[i] * (double)y[i];
    }
    part = block_sum(part);
    if (threadIdx.x == 0) *sum += part;
}
