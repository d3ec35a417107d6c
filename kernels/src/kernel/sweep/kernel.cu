
// The number that the bits of IEEE 754 binary16 stand for.
__device__ inline double half_number(unsigned bits) {
    double sign = bits >> 15 ? -1.0 : 1.0;
    long long exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 0) return sign * (double)fraction * 5.9604644775390625e-8;
    long long whole = exponent == 0x1f ? 0x7ff : exponent + 1008;
    return sign * __longlong_as_double(whole << 52 | fraction << 42);
}

// Number k of those of a kind, in the order of the list of kinds.
__device__ inline double stored_number(int element, const void *stored, u64 k) {
    switch (element) {
    case 0: return (double)((const unsigned char *)stored)[k];
    case 1: return (double)((const signed char *)stored)[k];
    case 2: return (double)((const unsigned short *)stored)[k];
    case 3: return (double)((const short *)stored)[k];
    case 4: return (double)((const unsigned *)stored)[k];
    case 5: return (double)((const int *)stored)[k];
    case 6: return (double)((const unsigned long long *)stored)[k];
    case 7: return (double)((const long long *)stored)[k];
    case 8: return half_number(((const unsigned short *)stored)[k]);
    case 9: return (double)((const float *)stored)[k];
    default: return ((const double *)stored)[k];
    }
}

// What the entries of a tile of m rows of n numbers become, row by row: 0 they stay, 1 they are
// counts, 2 they are distances, which are squared after the offset was added. Where the tile has a
// diagonal, distances and counts on it are zero; it is where row + i equals column + j.
extern "C" __global__ void widen_tile(u64 m, u64 n, int element, const void *stored, int kind,
                                      double offset, int is_diagonal, u64 row, u64 column,
                                      real *to) {
    // Columns here are rows of the tile.
    FOR_ENTRIES(n, m) {
        double x = stored_number(element, stored, i + j * n);
        if (kind != 0) {
            x = x < 0.0 ? 0.0 : x;
            if (kind == 2) x += offset;
            if (is_diagonal && row + j == column + i) x = 0.0;
            if (kind == 2) x *= x;
        }
        to[i + j * n] = (real)x;
    }
}

// Lines of a panel in the precision of the product.
extern "C" __global__ void narrow_lines(u64 m, u64 n, const double *panel, u64 ld, real *to) {
    FOR_ENTRIES(m, n) to[i + j * m] = (real)panel[i + j * ld];
}

// Adds a product to lines of a panel.
extern "C" __global__ void add_lines(u64 m, u64 n, const real *product, double *panel, u64 ld) {
    FOR_ENTRIES(m, n) panel[i + j * ld] += (double)product[i + j * m];
}
