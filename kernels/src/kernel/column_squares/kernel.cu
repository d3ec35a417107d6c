
// s_j = s_j + sum of a_ij^2 over the m rows of a; block j does column j.
extern "C" __global__ void column_squares(u64 m, const real *a, real *sums) {
    const real *column = a + m * blockIdx.x;
    double part = 0.0;
    for (u64 i = threadIdx.x; i < m; i += blockDim.x) {
        part += (double)column[i] * (double)column[i];
    }
    part = block_sum(part);
    if (threadIdx.x == 0) sums[blockIdx.x] = (real)((double)sums[blockIdx.x] + part);
}
