// Type of the numbers in tiles; sums that decide something are in double precision throughout.
typedef REAL real;
typedef unsigned long long u64;

// Sum over the threads of a block, a power of two and at most 1024; every thread gets it.
__device__ inline double block_sum(double x) {
    __shared__ double parts[1024];
    parts[threadIdx.x] = x;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    double sum = parts[0];
    __syncthreads();
    return sum;
}

// Smallest number of the threads of a block.
__device__ inline u64 block_min(u64 x) {
    __shared__ u64 parts[1024];
    parts[threadIdx.x] = x;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && parts[threadIdx.x + half] < parts[threadIdx.x]) {
            parts[threadIdx.x] = parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    u64 least = parts[0];
    __syncthreads();
    return least;
}

// Neither infinite nor NaN.
__device__ inline bool is_finite(double x) {
    return fabs(x) <= 1.7976931348623157e308;
}
