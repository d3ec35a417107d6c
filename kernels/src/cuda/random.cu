
// The finalizer of SplitMix64.
__device__ inline u64 mix(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Uniform in [-1/2, 1/2), known from the position.
__device__ inline double uniform(u64 seed, u64 i, u64 j) {
    u64 bits = mix(mix(seed + i) ^ (j << 32 | j >> 32));
    return (double)(bits >> 11) / 9007199254740992.0 - 0.5;
}

// The m x n tile a of a random matrix, whose first entry is stored at (row, column): all of it, or
// the lower (1) or upper (2) triangle, or nothing (3); of blocks that lie side by side, the entries
// of the matrix that has them on its diagonal. What is not held is not a number.
extern "C" __global__ void random_tile(u64 m, u64 n, u64 row, u64 column, u64 block_rows,
                                       u64 block_columns, u64 seed, u64 imaginary, double heavy,
                                       int hermitian, int held, real *a) {
    FOR_ENTRIES(m, n) {
        u64 r = row + i, c = column + j;
        if (block_columns != 0) r += c / block_columns * block_rows;
        if (held == 3 || (held == 1 && r < c) || (held == 2 && r > c)) {
            a[i + j * m] = number(nan(""));
            continue;
        }
        bool turned = hermitian && r < c;
        u64 first = turned ? c : r, second = turned ? r : c;
        double y = hermitian && r == c ? 0.0 : uniform(imaginary, first, second);
        real entry = pair(uniform(seed, first, second), turned ? -y : y);
        a[i + j * m] = r == c ? entry + number(heavy) : entry;
    }
}
