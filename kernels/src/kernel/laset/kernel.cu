
// Fills the m x n tile a.
extern "C" __global__ void laset(u64 m, u64 n, real off_diagonal, real diagonal, real *a) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 k = (u64)blockIdx.x * blockDim.x + threadIdx.x; k < m * n; k += stride) {
        a[k] = k % m == k / m ? diagonal : off_diagonal;
    }
}
