
// w = the m x n matrix whose rows are packed in micro-panels of so many, these so far apart.
extern "C" __global__ void unpack_rows(u64 m, u64 n, u64 height, u64 stride, const real *packed,
                                       real *w) {
    FOR_ENTRIES(m, n) w[i + j * m] = packed[i / height * stride + i % height + j * height];
}
