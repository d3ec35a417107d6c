
// One step of SplitMix64.
__device__ inline u64 mix(u64 seed) {
    u64 z = seed + 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Uniform in [-1/2, 1/2), from a place; no step of it rounds but the last.
__device__ inline double uniform_at(u64 seed, u64 i, u64 j) {
    u64 bits = mix(mix(seed + i) ^ (j << 32 | j >> 32));
    return (double)(long long)(bits >> 11) / 9007199254740992.0 - 0.5;
}

// The m x n tile a of a random matrix, whose first entry is entry (row, column) of the whole.
extern "C" __global__ void random_tile(u64 m, u64 n, u64 row, u64 column, int part, int hermitian,
                                       double weight, u64 seed, u64 seed_im, real *a) {
    FOR_ENTRIES(m, n) {
        u64 k = row + i, l = column + j;
        if (!holds(part, k, l)) {
            double none = __longlong_as_double(0x7ff8000000000000ll);
            a[i + j * m] = pair(none, none);
            continue;
        }
        bool turned = hermitian && k < l;
        u64 high = turned ? l : k, low = turned ? k : l;
        real x = pair(uniform_at(seed, high, low), uniform_at(seed_im, high, low));
        if (turned) x = conjugate(x);
        if (hermitian && k == l) x = number(re(x));
        a[i + j * m] = number(k == l ? weight : 0.0) + x;
    }
}
