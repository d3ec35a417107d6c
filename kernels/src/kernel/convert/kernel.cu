
// A part of the m x n tile b = that of a, in the other precision.
extern "C" __global__ void convert(u64 m, u64 n, int part, const real *a, other *b) {
    FOR_ENTRIES(m, n) {
        if (holds(part, i, j)) b[i + j * m] = converted(a[i + j * m]);
    }
}
