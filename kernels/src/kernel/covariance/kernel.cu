
// The radial table as table.rs lays it out.
struct RadialTable {
    double first, split, tail, end, inverse_scale2, scale, variance, nugget;
    u64 shift[2], base[2];
    double near_a[3], near_b[3], near_power;
    u64 near_kind, far_is_near;
    double near_log, origin;
    u64 axes[2], padding[7];
    double cells[CELLS][8];
};

__device__ inline u64 bits_of(double x) { return (u64)__double_as_longlong(x); }
__device__ inline double of_bits(u64 x) { return __longlong_as_double((long long)x); }
// The largest number below a positive x.
__device__ inline double below(double x) { return of_bits(bits_of(x) - 1); }

// The polynomial of a row at u.
__device__ inline double polynomial(const double *c, double u) {
    double u2 = u * u, u4 = u2 * u2;
    double low = fma(fma(c[3], u, c[2]), u2, fma(c[1], u, c[0]));
    double high = fma(fma(c[7], u, c[6]), u2, fma(c[5], u, c[4]));
    return fma(high, u4, low);
}

// 2^(x + n), if normal, for the integer n in the last 12 bits of exponent.
__device__ inline double power_of_two(double x, u64 exponent) {
    double rounded = x + MAGIC;
    double r = x - (rounded - MAGIC);
    double q = POWER[10];
    for (int k = 9; k >= 0; k--) q = fma(q, r, POWER[k]);
    return of_bits(bits_of(fma(r, q, 1.0)) + ((bits_of(rounded) + exponent) << 52));
}

// Two numbers that one load brings.
struct __align__(16) Pair {
    double x, y;
};

// The covariance at s, which is inside the table. Each thread has a row of its own: it comes in
// four loads, not eight.
__device__ inline double from_row(const RadialTable *t, double s) {
    int tier = s >= t->split;
    u64 shift = t->shift[tier], bits = bits_of(s);
    u64 index = ((bits >> shift) - t->base[tier]) % CELLS;
    double u = of_bits((bits << (64 - shift) >> 12) | bits_of(1.0)) - 1.5;
    const Pair *row = (const Pair *)t->cells[index];
    Pair a = row[0], b = row[1], c = row[2], d = row[3];
    double coefficients[8] = {a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y};
    double value = polynomial(coefficients, u);
    return s >= t->tail ? power_of_two(value, bits_of(d.y)) : value;
}

// The covariance at a distance outside the table.
__device__ inline double outside(const RadialTable *t, double d) {
    if (d == 0.0) return t->origin;
    double x = d / t->scale;
    if (x >= 1.0 && t->far_is_near == 0) return 0.0;
    const double *a = t->near_a, *b = t->near_b;
    double s = x * x;
    if (t->near_kind >= 2) {
        // With z = s^near_power: where z overflows, its logarithm does not.
        double ln_s = 2.0 * log(x), ln_z = t->near_power * ln_s, z = exp(ln_z), rest = exp(-ln_z);
        double logarithm = ln_z < 0.0 ? log1p(z) : ln_z + log1p(rest);
        if (t->near_kind == 2) return t->variance * exp(-a[0] * logarithm);
        double ratio = ln_z < 0.0 ? z / (1.0 + z) : 1.0 / (1.0 + rest);
        double log_part = t->near_log == 0.0 ? 0.0 : t->near_log * ln_s;
        return t->variance * (a[0] * logarithm + (a[1] + log_part) * ratio);
    }
    double rest = b[1] == 0.0 && b[2] == 0.0 ? b[0] : b[0] + s * (b[1] + s * b[2]);
    if (t->near_log != 0.0) rest += t->near_log * log(s);
    double regular = a[1] == 0.0 && a[2] == 0.0 ? 0.0 : s * (a[1] + s * a[2]);
    double sum = regular + pow(x, 2.0 * t->near_power) * rest;
    if (t->near_kind == 0) return t->variance * (a[0] + sum);
    double value = t->variance * exp(sum);
    return value < 2.2250738585072014e-308 ? 0.0 : value;
}

// Squared angle over squared chord, for squared chords in [0, 2].
__device__ inline double arc_ratio(double q) {
    double place = fma(q, ARC_CELLS_PER_UNIT, -0.5);
    double rounded = place + MAGIC;
    double u = place - (rounded - MAGIC);
    return polynomial(ARC + 8 * (bits_of(rounded) % ARC_ROWS), u);
}

// Squared angles from squared chords; beyond a quarter turn from the chord to the antipode.
__device__ inline double squared_angle(double q) {
    if (!(q >= 2.0)) return q * arc_ratio(q);
    double v = 4.0 - q;
    v = v >= 0.0 ? v : 0.0;
    double angle = PI - sqrt(v * arc_ratio(v));
    return angle * angle;
}

// Distance of two points, right even where its square over- or underflows.
__device__ inline double distance(const double *a, const double *b, int dimensions, int sphere) {
    double plus = 0.0, minus = 0.0, length = fabs(a[0] - b[0]);
    if (!sphere) {
        for (int k = 1; k < dimensions; k++) length = hypot(length, a[k] - b[k]);
        return length;
    }
    for (int k = 0; k < 3; k++) {
        minus += (a[k] - b[k]) * (a[k] - b[k]);
        plus += (a[k] + b[k]) * (a[k] + b[k]);
    }
    double chord = sqrt(minus), other = 0.5 * sqrt(plus);
    double angle = chord * chord <= 2.0 ? 2.0 * asin(0.5 * chord)
                                        : PI - 2.0 * asin(other < 1.0 ? other : 1.0);
    return EARTH_RADIUS * angle;
}

// The covariance of two points.
__device__ inline double entry(const RadialTable *t, const double *a, const double *b,
                               int dimensions, int sphere) {
    double square = (a[0] - b[0]) * (a[0] - b[0]);
    for (int k = 1; k < dimensions; k++) square = fma(a[k] - b[k], a[k] - b[k], square);
    double s = t->inverse_scale2;
    if (sphere) s = squared_angle(square) * (s * (EARTH_RADIUS * EARTH_RADIUS));
    else s = square * s;
    double limit = t->far_is_near == 0 ? 1.7976931348623157e308 : below(t->end);
    if (!(s >= t->first && limit >= s)) return outside(t, distance(a, b, dimensions, sphere));
    return below(t->end) >= s ? from_row(t, s) : 0.0;
}

// Rounded to the tile's type, with what would be denormal as 0.
__device__ inline real rounded_to_real(double x) {
    return sizeof(real) == 4 && fabs(x) < 1.1754943508222875e-38 ? (real)0 : (real)x;
}

// Fills the rows x cols tile c, of which row i and column j are those of the whole matrix less the
// offsets; diagonal is the row at which its diagonal crosses column 0. Points are held one
// coordinate after the other.
extern "C" __global__ void covariance(const RadialTable *table, const double *row_points,
                                      const double *column_points, u64 rows, u64 cols,
                                      u64 diagonal_bits, int dimensions, int sphere, int lower,
                                      int nugget, real *c) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    long long diagonal = (long long)diagonal_bits;
    double a[3], b[3];
    for (int k = 0; k < dimensions; k++) a[k] = row_points[k * rows + i];
    u64 stride = (u64)gridDim.y * blockDim.y;
    for (u64 j = (u64)blockIdx.y * blockDim.y + threadIdx.y; j < cols; j += stride) {
        long long beyond = (long long)i - ((long long)j + diagonal);
        if (lower && beyond < 0) continue;
        if (nugget && beyond == 0) {
            c[j * rows + i] = (real)(table->variance + table->nugget);
            continue;
        }
        for (int k = 0; k < dimensions; k++) b[k] = column_points[k * cols + j];
        c[j * rows + i] = rounded_to_real(entry(table, a, b, dimensions, sphere));
    }
}

// w_i w_j / w' w of what lies between two points, w, for the axes of a derivative by direction,
// counted from 1; 0 where that is nothing.
__device__ inline double direction(const u64 *axes, const double *a, const double *b,
                                   int dimensions) {
    double i = 0.0, j = 0.0, squares = 0.0;
    for (int k = 0; k < dimensions; k++) {
        double apart = a[k] - b[k];
        if (axes[0] == (u64)k + 1) i = apart;
        if (axes[1] == (u64)k + 1) j = apart;
        squares += apart * apart;
    }
    return i * j / (2.2250738585072014e-308 + squares);
}

// Fills the rows x cols tile d with a derivative of covariances, whose table is slope: what that
// gives, times what its axes make of directions if it has any, and times the covariances themselves
// if relative. Of a tile on the diagonal what is above that is zero.
extern "C" __global__ void covariance_slope(const RadialTable *covariance, const RadialTable *slope,
                                            int relative, const double *row_points,
                                            const double *column_points, u64 rows, u64 cols,
                                            int dimensions, int sphere, int lower, real *d) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    double a[3], b[3];
    for (int k = 0; k < dimensions; k++) a[k] = row_points[k * rows + i];
    u64 stride = (u64)gridDim.y * blockDim.y;
    for (u64 j = (u64)blockIdx.y * blockDim.y + threadIdx.y; j < cols; j += stride) {
        double value = 0.0;
        if (!lower || i >= j) {
            for (int k = 0; k < dimensions; k++) b[k] = column_points[k * cols + j];
            value = entry(slope, a, b, dimensions, sphere);
            if (slope->axes[0] != 0) value *= direction(slope->axes, a, b, dimensions);
            if (relative) {
                double c = entry(covariance, a, b, dimensions, sphere);
                value = c == 0.0 ? 0.0 : value * c;
            }
        }
        d[j * rows + i] = (real)value;
    }
}
