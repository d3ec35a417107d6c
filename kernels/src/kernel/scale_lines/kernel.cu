
// What a line with this sum of squares is multiplied by: 1, or 1 over its root or fourth root.
__device__ inline base line_factor(int root, const real *squares, u64 index) {
    if (root == 0) return (base)1;
    base square = (base)re(squares[index]);
    if (square == (base)0) return (base)1;
    base length = (base)sqrt((double)square);
    return (base)1 / (root == 1 ? length : (base)sqrt((double)length));
}

// The m x n tile a times the factors of its rows and columns.
extern "C" __global__ void scale_lines(u64 m, u64 n, int row, const real *rows, int column,
                                       const real *columns, real *a) {
    FOR_ENTRIES(m, n) {
        real entry = times(a[i + j * m], line_factor(row, rows, i));
        a[i + j * m] = times(entry, line_factor(column, columns, j));
    }
}
