
// What a composite covariance is made of, as a buffer holds it; the tables of its terms follow.
struct Term {
    double weight;
    unsigned pair[2], shapes, is_relative;
};
struct Recipe {
    Term terms[8];
    u64 count, has_variables, has_time;
    double nugget;
    double scale, alpha, interaction, decay;
    u64 is_nonstationary;
    double fields[8];
    u64 padding[7];
};

// What two places are to each other: their distance, as it counts at their times, and what times
// make of covariances, psi^-decay; ln psi, (psi - 1) / psi and ln u; and their variables.
struct Places {
    double apart, factor, logarithm, quotient, elapsed;
    unsigned low, high;
};

// Two places by their coordinates and marks.
__device__ inline Places compared(const Recipe *recipe, const double *a, const double *b,
                                  int dimensions, int sphere) {
    Places places = {0.0, 1.0, 0.0, 0.0, 0.0, 0, 0};
    double square = 0.0;
    for (int k = 0; k < dimensions; k++) square += (a[k] - b[k]) * (a[k] - b[k]);
    places.apart = sphere ? distance(a, b, dimensions, 1) : sqrt(square);
    const double *p = a + dimensions, *q = b + dimensions;
    if (recipe->has_time) {
        double u = fabs(*p++ - *q++), more = pow(u, 2.0 * recipe->alpha) / recipe->scale;
        places.logarithm = log1p(more);
        places.quotient = more / (1.0 + more);
        places.elapsed = u > 0.0 ? log(u) : 0.0;
        places.apart *= exp(-0.5 * recipe->interaction * places.logarithm);
        places.factor = exp(-recipe->decay * places.logarithm);
    }
    if (recipe->has_variables) {
        places.low = (unsigned)(*p < *q ? *p : *q);
        places.high = (unsigned)(*p < *q ? *q : *p);
    }
    return places;
}

// What a table gives at a distance.
__device__ inline double at_distance(const RadialTable *table, double d) {
    double apart[1] = {d}, here[1] = {0.0};
    return entry(table, apart, here, 1, 0);
}

__device__ inline bool is_between(const Term *term, const Places *places) {
    return term->pair[0] == places->low && term->pair[1] == places->high;
}

// The covariance of two places, by their coordinates and marks, without nugget.
__device__ double composite_entry(const Recipe *recipe, const double *a, const double *b,
                                  int dimensions, int sphere) {
    const RadialTable *tables = (const RadialTable *)(recipe + 1);
    Places places = compared(recipe, a, b, dimensions, sphere);
    double sum = 0.0;
    for (u64 t = 0; t < recipe->count; t++) {
        const Term *term = &recipe->terms[t];
        if (is_between(term, &places)) sum += term->weight * at_distance(tables + t, places.apart);
    }
    return sum * places.factor;
}

// The derivative of a term by a coordinate of its shapes, whose table this is, without weight.
__device__ inline double shape_slope(const Term *term, const RadialTable *table, double part,
                                     double d) {
    double slope = at_distance(table, d);
    if (!term->is_relative) return slope;
    return part == 0.0 ? 0.0 : slope * part;
}

// Derivative k of the covariance of two places: those of each term by its weight and by each of its
// shapes, then those by time.
__device__ double composite_slope_entry(const Recipe *recipe, u64 k, const double *a,
                                        const double *b, int dimensions, int sphere) {
    const RadialTable *tables = (const RadialTable *)(recipe + 1);
    const RadialTable *shapes = tables + recipe->count;
    Places places = compared(recipe, a, b, dimensions, sphere);
    // The term whose derivative it is, if it is one of a term; k becomes its number there.
    u64 own = 0;
    for (; own < recipe->count && k > recipe->terms[own].shapes; own++) {
        shapes += recipe->terms[own].shapes;
        k -= 1 + recipe->terms[own].shapes;
    }
    if (own < recipe->count) {
        const Term *term = &recipe->terms[own];
        if (!is_between(term, &places)) return 0.0;
        double part = at_distance(tables + own, places.apart);
        if (k == 0) return part * places.factor;
        double slope = shape_slope(term, shapes + k - 1, part, places.apart);
        return term->weight * slope * places.factor;
    }
    double value = 0.0, by_range = 0.0;
    shapes = tables + recipe->count;
    for (u64 t = 0; t < recipe->count; t++) {
        const Term *term = &recipe->terms[t];
        if (is_between(term, &places)) {
            double part = at_distance(tables + t, places.apart), slope = 0.0;
            if (term->shapes > 0) slope = shape_slope(term, shapes, part, places.apart);
            value += term->weight * part;
            by_range += term->weight * slope;
        }
        shapes += term->shapes;
    }
    value *= places.factor;
    by_range *= places.factor;
    double by_psi = 0.5 * recipe->interaction * by_range - recipe->decay * value;
    if (k == 0) return -places.quotient * by_psi;
    if (k == 1) return 2.0 * places.quotient * places.elapsed * by_psi;
    return places.logarithm * (k == 2 ? 0.5 * by_range : -value);
}

// Coordinates, a time and a variable.
#define MOST_WIDTH 5

// The numbers of place i of so many.
__device__ inline void take_place(const double *places, u64 count, u64 i, int width, double *to) {
    for (int k = 0; k < width; k++) to[k] = places[k * count + i];
}

// Fills the rows x cols tile c; of one on the diagonal what is on and below that, with the nugget
// there.
extern "C" __global__ void covariance_composite(const Recipe *recipe, const double *row_points,
                                                const double *column_points, u64 rows, u64 cols,
                                                int dimensions, int sphere, int lower, real *c) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    double a[MOST_WIDTH], b[MOST_WIDTH];
    int width = dimensions + (int)(recipe->has_time + recipe->has_variables);
    take_place(row_points, rows, i, width, a);
    u64 stride = (u64)gridDim.y * blockDim.y;
    for (u64 j = (u64)blockIdx.y * blockDim.y + threadIdx.y; j < cols; j += stride) {
        if (lower && i < j) continue;
        take_place(column_points, cols, j, width, b);
        double value = composite_entry(recipe, a, b, dimensions, sphere);
        if (lower && i == j) value += recipe->nugget;
        c[j * rows + i] = (real)value;
    }
}

// Fills the rows x cols tile d with derivative k; of one on the diagonal with zeros above that, and
// with halves of what is on it.
extern "C" __global__ void composite_slope(const Recipe *recipe, u64 k, const double *row_points,
                                           const double *column_points, u64 rows, u64 cols,
                                           int dimensions, int sphere, int lower, real *d) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    double a[MOST_WIDTH], b[MOST_WIDTH];
    int width = dimensions + (int)(recipe->has_time + recipe->has_variables);
    take_place(row_points, rows, i, width, a);
    u64 stride = (u64)gridDim.y * blockDim.y;
    for (u64 j = (u64)blockIdx.y * blockDim.y + threadIdx.y; j < cols; j += stride) {
        double value = 0.0;
        if (!lower || i >= j) {
            take_place(column_points, cols, j, width, b);
            value = composite_slope_entry(recipe, k, a, b, dimensions, sphere);
            if (lower && i == j) value *= 0.5;
        }
        d[j * rows + i] = (real)value;
    }
}
