
// What of n sums is at most so large a part of the sums before becomes zero.
extern "C" __global__ void negligible(u64 n, double part, const real *before, real *after) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if ((base)re(after[i]) <= (base)part * (base)re(before[i])) after[i] = number(0.0);
    }
}
