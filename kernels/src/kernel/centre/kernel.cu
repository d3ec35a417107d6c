
// The mean that a factor times a sum is; nothing is read if the factor is zero.
__device__ inline real mean_of(double factor, const real *sums, u64 index) {
    return factor == 0.0 ? number(0.0) : number(factor) * sums[index];
}

// Takes means out of a part of the m x n tile a, or of the squared moduli of its entries.
extern "C" __global__ void centre(u64 m, u64 n, int part, int squared, real alpha, double of_rows,
                                  const real *rows, double of_columns, const real *columns,
                                  double of_all, const real *all, real *a) {
    FOR_ENTRIES(m, n) {
        if (!holds(part, i, j)) continue;
        real x = a[i + j * m];
        if (squared) x = pair(re(x) * re(x) + im(x) * im(x), 0.0);
        real column = mean_of(of_all, all, 0) - mean_of(of_columns, columns, j);
        a[i + j * m] = alpha * (x - mean_of(of_rows, rows, i) + column);
    }
}
