
// Vecchia's approximation, a block of threads for a place, and for more of them in turn. Of a place
// with k neighbours the matrix `a` has, column by column and ld rows high, the covariances of
// neighbours and place, it last, below the diagonal first and then their factor; on the diagonal the
// squares of that factor's; above it the covariances for good. Rows from k + 1 on are the columns of
// numbers, which become L^-1 times them.
#define NO_NEIGHBOUR 0xffffffffu

// What covariances and their derivatives are made from: a table and those of derivatives, which may
// be relative to it, or a recipe with its tables. Places have coordinates, and marks behind them.
#define LAW const void *bytes, int composite, int relative, int dimensions, int marks, int sphere
#define THE_LAW {bytes, composite, relative, dimensions, marks, sphere}
struct Law {
    const void *bytes;
    int composite, relative, dimensions, marks, sphere;
};

// A place with those that it is given, or a set of places: k others, and it last.
struct Place {
    Law law;
    u64 k, missing, columns, ld;
    // Numbers of places, one after the other; the matrix; one over the factor's diagonal; what
    // follows.
    double *points, *a, *inverse, *rest;
};

// One of k + 1 places with so many columns of numbers, whose room this is.
__device__ inline Place place_in(const Law &law, u64 k, u64 columns, double *room) {
    u64 width = law.dimensions + law.marks, ld = k + 1 + columns;
    Place at = {law, k, 0, columns, ld, room, 0, 0, 0};
    at.a = at.points + width * ld;
    at.inverse = at.a + ld * (k + 1);
    at.rest = at.inverse + k + 1;
    return at;
}

__device__ inline void take_point(const Place &at, u64 i, double *point) {
    take_place(at.points, at.ld, i, at.law.dimensions + at.law.marks, point);
}

// The covariance of two places, without nugget.
__device__ inline double between(const Law &law, const double *p, const double *q) {
    if (law.composite) {
        return composite_entry((const Recipe *)law.bytes, p, q, law.dimensions, law.sphere);
    }
    return entry((const RadialTable *)law.bytes, p, q, law.dimensions, law.sphere);
}

// The variance of a place, nugget included.
__device__ inline double variance(const Law &law, const double *p) {
    if (law.composite) return between(law, p, p) + ((const Recipe *)law.bytes)->nugget;
    const RadialTable *table = (const RadialTable *)law.bytes;
    return table->variance + table->nugget;
}

// Derivative d of the covariance of places i and j.
__device__ double slope(const Place &at, u64 d, u64 i, u64 j) {
    const Law &law = at.law;
    if (!law.composite && i == j) return 0.0;
    double p[MOST_WIDTH], q[MOST_WIDTH];
    take_point(at, i, p);
    take_point(at, j, q);
    if (law.composite) {
        const Recipe *recipe = (const Recipe *)law.bytes;
        return composite_slope_entry(recipe, d, p, q, law.dimensions, law.sphere);
    }
    const RadialTable *table = (const RadialTable *)law.bytes + 1 + d;
    double value = entry(table, p, q, law.dimensions, law.sphere);
    if (table->axes[0] != 0) value *= direction(table->axes, p, q, law.dimensions);
    u64 low = i < j ? i : j, high = i < j ? j : i;
    return law.relative ? value * at.a[low + high * at.ld] : value;
}

// Brings the numbers of place i, and its columns if it has some.
__device__ inline void bring(const Place &at, u64 i, const double *from, bool has_columns) {
    int width = at.law.dimensions + at.law.marks;
    for (int d = 0; d < width; d++) at.points[d * at.ld + i] = from[d];
    for (u64 c = 0; c < at.columns; c++) {
        at.a[at.k + 1 + c + i * at.ld] = has_columns ? from[width + c] : 0.0;
    }
}

// Fills the matrix with covariances, when the places have been brought.
__device__ void relate(const Place &at) {
    double p[MOST_WIDTH], q[MOST_WIDTH];
    u64 n = at.k + 1;
    __syncthreads();
    for (u64 pair = threadIdx.x; pair < n * n; pair += blockDim.x) {
        u64 i = pair % n, j = pair / n;
        if (i < j) continue;
        take_point(at, j, p);
        take_point(at, i, q);
        if (i == j) at.a[i + j * at.ld] = variance(at.law, p);
        else at.a[i + j * at.ld] = at.a[j + i * at.ld] = between(at.law, p, q);
    }
    __syncthreads();
}

// The places of a task, what they are given, and room for each block of threads.
#define PLACES                                                                                     \
    LAW, const double *records, const unsigned *lists, const double *targets, u64 first, u64 rows, \
        u64 m, u64 columns, double *rooms, u64 room

// Gathers a place and its neighbours, with their covariances. Its own numbers are those of a
// record, or without columns, if there are targets.
__device__ Place gather(const Law &law, const double *records, const unsigned *lists,
                        const double *targets, u64 first, u64 row, u64 m, u64 columns,
                        double *room) {
    const unsigned *list = lists + row * m;
    u64 missing = 0, stored = law.dimensions + law.marks, width = stored + columns;
    while (missing < m && list[missing] == NO_NEIGHBOUR) missing++;
    Place at = place_in(law, m - missing, columns, room);
    at.missing = missing;
    for (u64 i = threadIdx.x; i <= at.k; i += blockDim.x) {
        bool is_target = i == at.k && targets != 0;
        const double *from = is_target   ? targets + row * stored
                             : i == at.k ? records + (first + row) * width
                                         : records + (u64)list[missing + i] * width;
        bring(at, i, from, !is_target);
    }
    relate(at);
    return at;
}

// Factorises the leading n x n part of the matrix, and solves with it for all rows below; how many
// of its leading minors are positive: n if it is positive definite.
__device__ u64 factor_part(const Place &at, u64 n) {
    double *a = at.a;
    u64 ld = at.ld, end = at.k + 1 + at.columns;
    for (u64 j = 0; j < n; j++) {
        for (u64 i = j + threadIdx.x; i < end; i += blockDim.x) {
            double x = a[i + j * ld];
            for (u64 t = 0; t < j; t++) x -= a[i + t * ld] * a[j + t * ld];
            a[i + j * ld] = x;
        }
        __syncthreads();
        double pivot = a[j + j * ld], inverse = 1.0 / sqrt(pivot);
        if (!(pivot >= 2.2250738585072014e-308)) return j;
        for (u64 i = j + threadIdx.x; i < end; i += blockDim.x) {
            if (i == j) at.inverse[j] = inverse;
            else a[i + j * ld] *= inverse;
        }
        __syncthreads();
    }
    return n;
}

// The same of a place: whether it is positive definite. What is bad becomes 0, or 1 if not.
__device__ bool factor_place(const Place &at, u64 n, double *bad) {
    bool is_good = factor_part(at, n) == n;
    if (threadIdx.x == 0) *bad = is_good ? 0.0 : 1.0;
    __syncthreads();
    return is_good;
}

// x = L^-T x of the leading n x n part, for `count` vectors so far apart.
__device__ void solve_backward(const Place &at, u64 n, double *x, u64 apart, u64 count) {
    for (u64 j = n; j-- > 0;) {
        for (u64 v = threadIdx.x; v < count; v += blockDim.x) x[v * apart + j] *= at.inverse[j];
        __syncthreads();
        for (u64 p = threadIdx.x; p < j * count; p += blockDim.x) {
            u64 i = p % j, v = p / j;
            x[v * apart + i] -= at.a[j + i * at.ld] * x[v * apart + j];
        }
        __syncthreads();
    }
}

// x = L^-1 x, likewise.
__device__ void solve_forward(const Place &at, u64 n, double *x, u64 apart, u64 count) {
    for (u64 j = 0; j < n; j++) {
        for (u64 v = threadIdx.x; v < count; v += blockDim.x) x[v * apart + j] *= at.inverse[j];
        __syncthreads();
        u64 below = n - 1 - j;
        for (u64 p = threadIdx.x; p < below * count; p += blockDim.x) {
            u64 i = j + 1 + p % below, v = p / below;
            x[v * apart + i] -= at.a[i + j * at.ld] * x[v * apart + j];
        }
        __syncthreads();
    }
}

// g = D u, where D is derivative d of the covariances of all pairs.
__device__ void times_slopes(const Place &at, u64 d, const double *u, double *g) {
    for (u64 i = threadIdx.x; i <= at.k; i += blockDim.x) {
        double sum = 0.0;
        for (u64 j = 0; j <= at.k; j++) sum += slope(at, d, i, j) * u[j];
        g[i] = sum;
    }
}

__device__ inline double block_dot(u64 n, const double *x, const double *y) {
    double sum = 0.0;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) sum += x[i] * y[i];
    return block_sum(sum);
}

#define FOR_PLACES for (u64 row = blockIdx.x; row < rows; row += gridDim.x)
#define GATHER                                                                                     \
    gather(THE_LAW, records, lists, targets, first, row, m, columns, rooms + blockIdx.x * room)

// What each place adds to the likelihood's sums: number p of place i becomes each[i + p * rows].
// bad[i] is 1 where a matrix is not positive definite, else 0.
extern "C" __global__ void vecchia_terms(PLACES, double *each, double *bad) {
    FOR_PLACES {
        Place at = GATHER;
        if (!factor_place(at, at.k + 1, bad + row)) continue;
        const double *left = at.a + at.k + 1 + at.k * at.ld;
        for (u64 p = threadIdx.x; p < 1 + columns * columns; p += blockDim.x) {
            each[row + p * rows] = p == 0 ? log(at.a[at.k + at.k * at.ld])
                                          : left[(p - 1) / columns] * left[(p - 1) % columns];
        }
        __syncthreads();
    }
}

// Entry c of M w.
__device__ inline double mixed(const double *mix, const double *w, u64 columns, u64 c) {
    double sum = 0.0;
    for (u64 q = 0; q < columns; q++) sum += mix[q + c * columns] * w[q];
    return sum;
}

// What each place adds to the score's sums, likewise.
extern "C" __global__ void vecchia_score(PLACES, int derivatives, const double *mix,
                                         double *each, double *bad) {
    u64 count = derivatives + 1;
    FOR_PLACES {
        Place at = GATHER;
        if (!factor_place(at, at.k + 1, bad + row)) continue;
        u64 k = at.k, w = m + 1;
        const double *left = at.a + k + 1 + k * at.ld;
        double *u = at.rest, *z = u + w, *solved = z + w, *traces = solved + count * w;
        double root = at.inverse[k], square = 0.0;
        for (u64 c = 0; c < columns; c++) square += left[c] * mixed(mix, left, columns, c);
        for (u64 t = threadIdx.x; t < k; t += blockDim.x) {
            double sum = 0.0;
            for (u64 c = 0; c < columns; c++) {
                sum += mixed(mix, left, columns, c) * at.a[k + 1 + c + t * at.ld];
            }
            z[t] = sum;
            u[t] = at.a[k + t * at.ld];
        }
        __syncthreads();
        solve_backward(at, k, u, w, 2);
        for (u64 t = threadIdx.x; t <= k; t += blockDim.x) {
            u[t] = t < k ? -u[t] * root : root;
            z[t] = t < k ? 2.0 * z[t] + square * u[t] : square * root;
        }
        __syncthreads();
        for (u64 d = 0; d < count; d++) {
            double *g = solved + d * w;
            if (d + 1 < count) {
                times_slopes(at, d, u, g);
            } else {
                for (u64 t = threadIdx.x; t <= k; t += blockDim.x) g[t] = u[t];
            }
            __syncthreads();
            double trace = block_dot(k + 1, u, g), product = block_dot(k + 1, z, g);
            if (threadIdx.x == 0) {
                traces[d] = trace;
                each[row + d * rows] = trace;
                each[row + (count + d) * rows] = product;
            }
        }
        __syncthreads();
        solve_forward(at, k, solved, w, count);
        for (u64 p = threadIdx.x; p < count * count; p += blockDim.x) {
            const double *x = solved + p % count * w, *y = solved + p / count * w;
            double sum = 0.5 * traces[p % count] * traces[p / count];
            for (u64 t = 0; t < k; t++) sum += x[t] * y[t];
            each[row + (2 * count + p) * rows] = sum;
        }
        __syncthreads();
    }
}

// The weighted numbers of each target's neighbours, a' x_N, then a' c.
extern "C" __global__ void vecchia_weights(PLACES, double *out, double *bad) {
    FOR_PLACES {
        Place at = GATHER;
        if (!factor_place(at, at.k, bad + row)) continue;
        for (u64 c = threadIdx.x; c <= columns; c += blockDim.x) {
            const double *x = at.a + at.k, *y = x + (c < columns ? 1 + c : 0);
            double sum = 0.0;
            for (u64 t = 0; t < at.k; t++) sum += x[t * at.ld] * y[t * at.ld];
            out[row * (columns + 1) + c] = sum;
        }
        __syncthreads();
    }
}

// The conditionals of each place, and after those of all places their derivatives.
extern "C" __global__ void vecchia_conditionals(PLACES, int derivatives, double *out,
                                                double *bad) {
    FOR_PLACES {
        Place at = GATHER;
        if (!factor_place(at, at.k + 1, bad + row)) continue;
        u64 k = at.k, w = m + 1;
        double *u = at.rest, *g = u + w, *to = out + row * w;
        for (u64 t = threadIdx.x; t < k; t += blockDim.x) u[t] = at.a[k + t * at.ld];
        __syncthreads();
        solve_backward(at, k, u, w, 1);
        for (u64 slot = threadIdx.x; slot <= m; slot += blockDim.x) {
            to[slot] = slot == m              ? at.a[k + k * at.ld]
                       : slot >= at.missing ? u[slot - at.missing]
                                              : 0.0;
        }
        __syncthreads();
        for (u64 t = threadIdx.x; t <= k; t += blockDim.x) u[t] = t < k ? -u[t] : 1.0;
        for (int d = 0; d < derivatives; d++) {
            __syncthreads();
            times_slopes(at, d, u, g);
            __syncthreads();
            double trace = block_dot(k + 1, u, g);
            solve_forward(at, k, g, w, 1);
            solve_backward(at, k, g, w, 1);
            to += rows * w;
            for (u64 slot = threadIdx.x; slot <= m; slot += blockDim.x) {
                to[slot] = slot == m ? trace : slot >= at.missing ? g[slot - at.missing] : 0.0;
            }
        }
        __syncthreads();
    }
}

// Adds up what each of the places gives, in the same order always: block p makes sum p.
extern "C" __global__ void add_places(u64 rows, const double *each, double *sums) {
    double sum = 0.0;
    for (u64 i = threadIdx.x; i < rows; i += blockDim.x) sum += each[i + blockIdx.x * rows];
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// The verdict is the first bad place, from 1; one block.
extern "C" __global__ void __launch_bounds__(1024)
find_bad_place(u64 rows, const double *bad, int *verdict) {
    u64 least = rows;
    for (u64 i = threadIdx.x; i < rows; i += blockDim.x) {
        if (bad[i] > 0.0 && i < least) least = i;
    }
    least = block_min(least);
    if (threadIdx.x == 0) *verdict = least < rows ? (int)(least + 1) : 0;
}
