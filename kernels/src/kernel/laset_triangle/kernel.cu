
// Fills a part of the m x n tile a.
extern "C" __global__ void laset_part(u64 m, u64 n, int part, real off_diagonal, real diagonal,
                                      real *a) {
    FOR_ENTRIES(m, n) {
        if (holds(part, i, j)) a[i + j * m] = i == j ? diagonal : off_diagonal;
    }
}
