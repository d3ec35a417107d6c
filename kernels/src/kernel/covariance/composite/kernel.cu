
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

// The covariance of two places, by their coordinates and marks, without nugget.
__device__ double composite_entry(const Recipe *recipe, const double *a, const double *b,
                                  int dimensions, int sphere) {
    const RadialTable *tables = (const RadialTable *)(recipe + 1);
    double apart[1] = {0.0}, here[1] = {0.0}, factor = 1.0, square = 0.0;
    if (sphere) {
        apart[0] = distance(a, b, dimensions, 1);
    } else {
        for (int k = 0; k < dimensions; k++) square += (a[k] - b[k]) * (a[k] - b[k]);
        apart[0] = sqrt(square);
    }
    const double *p = a + dimensions, *q = b + dimensions;
    if (recipe->has_time) {
        double more = pow(fabs(*p++ - *q++), 2.0 * recipe->alpha) / recipe->scale;
        double ln_psi = log1p(more);
        apart[0] *= exp(-0.5 * recipe->interaction * ln_psi);
        factor = exp(-recipe->decay * ln_psi);
    }
    unsigned low = 0, high = 0;
    if (recipe->has_variables) {
        low = (unsigned)(*p < *q ? *p : *q);
        high = (unsigned)(*p < *q ? *q : *p);
    }
    double sum = 0.0;
    for (u64 t = 0; t < recipe->count; t++) {
        const Term *term = &recipe->terms[t];
        if (term->pair[0] != low || term->pair[1] != high) continue;
        sum += term->weight * entry(tables + t, apart, here, 1, 0);
    }
    return sum * factor;
}

// Fills the rows x cols tile c; of one on the diagonal what is on and below that, with the nugget
// there.
extern "C" __global__ void covariance_composite(const Recipe *recipe, const double *row_points,
                                                const double *column_points, u64 rows, u64 cols,
                                                int dimensions, int sphere, int lower, real *c) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    // Coordinates, a time and a variable.
    double a[5], b[5];
    int width = dimensions + (int)(recipe->has_time + recipe->has_variables);
    for (int k = 0; k < width; k++) a[k] = row_points[k * rows + i];
    u64 stride = (u64)gridDim.y * blockDim.y;
    for (u64 j = (u64)blockIdx.y * blockDim.y + threadIdx.y; j < cols; j += stride) {
        if (lower && i < j) continue;
        for (int k = 0; k < width; k++) b[k] = column_points[k * cols + j];
        double value = composite_entry(recipe, a, b, dimensions, sphere);
        if (lower && i == j) value += recipe->nugget;
        c[j * rows + i] = (real)value;
    }
}
