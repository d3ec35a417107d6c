
// Euclidean norm of count numbers, by all threads of a block, without overflow or underflow.
__device__ inline double block_norm(u64 count, const real *x) {
    double part = 0.0;
    for (u64 i = threadIdx.x; i < count; i += blockDim.x) part += (double)x[i] * (double)x[i];
    double square = block_sum(part);
    // Squares that have underflowed are too small to count beside this; a NaN stays.
    if (square != square || (is_finite(square) && square >= 4.5e-277)) return sqrt(square);
    // The bits of numbers that are not negative are in the order of the numbers.
    u64 most = 0;
    for (u64 i = threadIdx.x; i < count; i += blockDim.x) {
        u64 bits = (u64)__double_as_longlong(fabs((double)x[i]));
        if (bits > most) most = bits;
    }
    double largest = __longlong_as_double((long long)~block_min(~most));
    if (largest == 0.0 || !is_finite(largest)) return largest;
    part = 0.0;
    for (u64 i = threadIdx.x; i < count; i += blockDim.x) {
        double ratio = (double)x[i] / largest;
        part += ratio * ratio;
    }
    return largest * sqrt(block_sum(part));
}

// Norm of a vector with the head alpha and a rest of that norm, with the sign that avoids
// cancellation in alpha - beta.
__device__ inline double reflected(double alpha, double norm) {
    double length = hypot(alpha, norm);
    return alpha < 0.0 ? length : -length;
}

// Makes the reflector of (alpha; x) as LAPACK's larfg does, by all threads of a block: x becomes the
// part of v below its one; gives tau, and in alpha what the head becomes.
__device__ inline double block_reflector(double &alpha, u64 count, real *x) {
    double norm = block_norm(count, x);
    if (norm == 0.0) return 0.0;
    // The smallest number with a reciprocal, over the unit roundoff.
    double safe = 2.0041683600089728e-292, beta = reflected(alpha, norm);
    int scalings = 0;
    for (; fabs(beta) < safe && scalings < 20; scalings++) {
        for (u64 i = threadIdx.x; i < count; i += blockDim.x) x[i] = (real)((double)x[i] / safe);
        __syncthreads();
        alpha /= safe;
        norm = block_norm(count, x);
        beta = reflected(alpha, norm);
    }
    double tau = (beta - alpha) / beta, factor = 1.0 / (alpha - beta);
    for (u64 i = threadIdx.x; i < count; i += blockDim.x) x[i] = (real)((double)x[i] * factor);
    for (int k = 0; k < scalings; k++) beta *= safe;
    alpha = beta;
    return tau;
}

// QR factorization of a panel of columns in one block. Column s has its head at (s, s) of head, the
// heads of the columns beside it are in row s there. Stacked, the rest of each column is all rows of
// x, and reflectors have their ones outside of x; otherwise head is x, and the rest is below the
// diagonal. Heads become R, rests the reflectors; their factors go to tau, if there is one, and
// their triangle to that of t.
extern "C" __global__ void __launch_bounds__(1024)
factor_columns(u64 rows, u64 width, real *head, u64 ldh, real *x, u64 ld, int stacked, real *tau,
               real *t, u64 ldt) {
    __shared__ double parts[1024];
    // Teams of threads that have a column each.
    unsigned lanes = blockDim.x >= 64 ? 32 : blockDim.x / 2;
    unsigned teams = blockDim.x / lanes, team = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    for (u64 s = 0; s < width; s++) {
        u64 first = stacked ? 0 : s + 1, count = rows - first;
        real *v = x + first + s * ld;
        double alpha = (double)head[s + s * ldh];
        double factor = (double)(real)block_reflector(alpha, count, v);
        __syncthreads();
        if (threadIdx.x == 0) {
            head[s + s * ldh] = (real)alpha;
            t[s + s * ldt] = (real)factor;
            if (tau) tau[s] = (real)factor;
        }
        // Products of the reflector with those before and with the columns after it.
        for (u64 next = 0; next < width; next += teams) {
            u64 c = next + team;
            bool counts = c < width && c != s, after = c > s;
            real *y = x + first + c * ld;
            double part = 0.0;
            if (counts) {
                if (lane == 0 && (after || !stacked)) part = (double)head[s + c * ldh];
                for (u64 i = lane; i < count; i += lanes) part += (double)v[i] * (double)y[i];
            }
            parts[threadIdx.x] = part;
            __syncthreads();
            for (unsigned half = lanes / 2; half > 0; half /= 2) {
                if (lane < half) parts[threadIdx.x] += parts[threadIdx.x + half];
                __syncthreads();
            }
            double product = parts[team * lanes];
            __syncthreads();
            if (!counts) continue;
            if (!after) {
                if (lane == 0) t[c + s * ldt] = (real)product;
                continue;
            }
            product *= factor;
            if (lane == 0) head[s + c * ldh] = (real)((double)head[s + c * ldh] - product);
            for (u64 i = lane; i < count; i += lanes) {
                y[i] = (real)((double)y[i] - product * (double)v[i]);
            }
        }
        __syncthreads();
        // Column s of the triangle from these products; rows further down read none that is written.
        for (u64 base = 0; base < s; base += blockDim.x) {
            u64 i = base + threadIdx.x;
            double sum = 0.0;
            for (u64 l = i; l < s; l++) sum += (double)t[i + l * ldt] * (double)t[l + s * ldt];
            __syncthreads();
            if (i < s) t[i + s * ldt] = (real)(-factor * sum);
        }
        __syncthreads();
    }
}

// The upper triangle of t, n x n, of reflectors with the factors tau, from the products of their
// vectors with each other (LAPACK's larft).
extern "C" __global__ void __launch_bounds__(1024)
triangle_of(u64 n, const real *tau, const real *products, real *t, u64 ldt) {
    for (u64 s = 0; s < n; s++) {
        double factor = (double)tau[s];
        for (u64 i = threadIdx.x; i < s; i += blockDim.x) {
            double sum = 0.0;
            for (u64 l = i; l < s; l++) sum += (double)t[i + l * ldt] * (double)products[l + s * n];
            t[i + s * ldt] = (real)(-factor * sum);
        }
        if (threadIdx.x == 0) t[s + s * ldt] = (real)factor;
        __syncthreads();
    }
}

// w = the rows x k reflectors below the diagonal of v, or of its transpose, with their ones and
// zeros.
extern "C" __global__ void take_reflectors(u64 rows, u64 k, const real *v, u64 ld, int turned,
                                           real *w) {
    FOR_ENTRIES(rows, k) {
        real entry = (real)(i == j);
        if (i > j) entry = v[turned ? j + i * ld : i + j * ld];
        w[i + j * rows] = entry;
    }
}

// w = the m x n block v with zeros for entries (i, j) that have i > first + j.
extern "C" __global__ void take_trapezoid(u64 m, u64 n, u64 first, const real *v, u64 ld, real *w) {
    FOR_ENTRIES(m, n) w[i + j * m] = i <= first + j ? v[i + j * ld] : (real)0;
}

// Those entries of w back to v.
extern "C" __global__ void put_trapezoid(u64 m, u64 n, u64 first, const real *w, real *v, u64 ld) {
    FOR_ENTRIES(m, n) {
        if (i <= first + j) v[i + j * ld] = w[i + j * m];
    }
}
