
// The rows of the m x n tile b over the diagonal of the m x m tile d.
extern "C" __global__ void diagonal_solve(u64 m, u64 n, const real *d, real *b) {
    FOR_ENTRIES(m, n) b[i + j * m] = b[i + j * m] / d[i * (m + 1)];
}
