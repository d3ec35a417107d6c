
// What an entry adds to a sum: itself, the square of its modulus, or its modulus.
__device__ inline void add_term(int term, real x, double &sum, double &sum_im) {
    if (term == 2) {
        sum += (double)modulus(x);
    } else if (term == 1) {
        sum += re(x) * re(x) + im(x) * im(x);
    } else {
        sum += re(x);
        sum_im += im(x);
    }
}

// Adds a sum to that of a line; sums of moduli are real numbers.
__device__ inline void add_sum(int term, double sum, double sum_im, real *sums, u64 line) {
    if (term == 2) {
        base *moduli = (base *)sums;
        moduli[line] = (base)((double)moduli[line] + sum);
    } else {
        sums[line] = sums[line] + pair(sum, sum_im);
    }
}

// Adds to sums those of the columns of the matrix that the m x n tile a stands for; block j does
// column j.
extern "C" __global__ void sum_columns(u64 m, int kind, int lower, int term, const real *a,
                                       real *sums) {
    double sum = 0.0, sum_im = 0.0;
    for (u64 i = threadIdx.x; i < m; i += blockDim.x) {
        real x;
        if (entry_of(kind, lower, a, m, i, blockIdx.x, x)) add_term(term, x, sum, sum_im);
    }
    sum = block_sum(sum);
    sum_im = block_sum(sum_im);
    if (threadIdx.x == 0) add_sum(term, sum, sum_im, sums, blockIdx.x);
}

// Those of the rows; each row of threads of a block has some of the columns.
extern "C" __global__ void sum_rows(u64 m, u64 n, int kind, int lower, int term, const real *a,
                                    real *sums) {
    __shared__ double parts[256], parts_im[256];
    unsigned place = threadIdx.y * blockDim.x + threadIdx.x;
    for (u64 first = (u64)blockIdx.x * blockDim.x; first < m; first += (u64)gridDim.x * blockDim.x) {
        u64 i = first + threadIdx.x;
        double sum = 0.0, sum_im = 0.0;
        for (u64 j = threadIdx.y; i < m && j < n; j += blockDim.y) {
            real x;
            if (entry_of(kind, lower, a, m, i, j, x)) add_term(term, x, sum, sum_im);
        }
        parts[place] = sum;
        parts_im[place] = sum_im;
        __syncthreads();
        if (threadIdx.y == 0 && i < m) {
            for (unsigned k = 1; k < blockDim.y; k++) {
                sum += parts[k * blockDim.x + threadIdx.x];
                sum_im += parts_im[k * blockDim.x + threadIdx.x];
            }
            add_sum(term, sum, sum_im, sums, i);
        }
        __syncthreads();
    }
}
