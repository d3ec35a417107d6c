
// The bits of a number that is not negative, or of a NaN: they are in the order of the numbers, with
// NaN above all.
__device__ inline u64 size_bits(double x) {
    return (u64)__double_as_longlong(fabs(x));
}

// The largest of what the threads of a block have.
__device__ inline double block_largest(u64 bits) {
    return __longlong_as_double((long long)~block_min(~bits));
}

// Adds a sum of squares (scale, squares) to another.
__device__ inline void add_squares(base *sum, base scale, base squares) {
    // Equal scales first: an infinite one has no ratio to itself.
    if (sum[0] == scale) {
        sum[1] += squares;
    } else if (sum[0] > scale) {
        base ratio = scale / sum[0];
        sum[1] += squares * ratio * ratio;
    } else {
        base ratio = sum[0] / scale;
        sum[1] = squares + sum[1] * ratio * ratio;
        sum[0] = scale;
    }
}

// The share becomes the largest modulus of an entry, if that is larger, in one block.
extern "C" __global__ void __launch_bounds__(1024)
norm_largest(u64 m, u64 n, int kind, int lower, const real *a, base *share) {
    u64 most = size_bits((double)share[0]);
    for (u64 k = threadIdx.x; k < m * n; k += blockDim.x) {
        real x;
        if (!entry_of(kind, lower, a, m, k % m, k / m, x)) continue;
        u64 bits = size_bits((double)modulus(x));
        if (bits > most) most = bits;
    }
    double largest = block_largest(most);
    if (threadIdx.x == 0) share[0] = (base)largest;
}

// Adds the sum of squares to the share, in units of the square of the largest part, which is at
// least the smallest number with a reciprocal; in one block.
extern "C" __global__ void __launch_bounds__(1024)
norm_squares(u64 m, u64 n, int kind, int lower, int twice, double smallest, const real *a,
             base *share) {
    u64 most = 0;
    for (u64 k = threadIdx.x; k < m * n; k += blockDim.x) {
        real x;
        if (!entry_of(kind, lower, a, m, k % m, k / m, x)) continue;
        u64 bits = size_bits(re(x)), bits_im = size_bits(im(x));
        if (bits_im > bits) bits = bits_im;
        if (bits > most) most = bits;
    }
    double largest = block_largest(most);
    if (!is_finite(largest)) {
        // Infinite, or NaN in the second number, where no comparison is made.
        bool is_number = largest == largest;
        if (threadIdx.x == 0) {
            add_squares(share, (base)(is_number ? largest : 1.0), (base)(is_number ? 1.0 : largest));
        }
        return;
    }
    double scale = largest > smallest ? largest : smallest, sum = 0.0;
    for (u64 k = threadIdx.x; k < m * n; k += blockDim.x) {
        real x;
        if (!entry_of(kind, lower, a, m, k % m, k / m, x)) continue;
        sum += re(x) / scale * (re(x) / scale) + im(x) / scale * (im(x) / scale);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        if (largest == 0.0) add_squares(share, (base)0, (base)0);
        else add_squares(share, (base)scale, (base)(twice ? 2.0 * sum : sum));
    }
}

// The result becomes the largest of the share, if that is larger, in one block.
extern "C" __global__ void __launch_bounds__(1024)
norm_fold_largest(u64 n, const base *share, base *result) {
    u64 most = size_bits((double)result[0]);
    for (u64 k = threadIdx.x; k < n; k += blockDim.x) {
        u64 bits = size_bits((double)share[k]);
        if (bits > most) most = bits;
    }
    double largest = block_largest(most);
    if (threadIdx.x == 0) result[0] = (base)largest;
}

// Adds one sum of squares to another.
extern "C" __global__ void __launch_bounds__(1024)
norm_fold_squares(const base *share, base *result) {
    if (threadIdx.x == 0) add_squares(result, share[0], share[1]);
}
