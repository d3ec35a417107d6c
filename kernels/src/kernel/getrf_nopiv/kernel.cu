
// The verdict is the first pivot, from 1, of the n on the diagonal of a factored tile that is zero or
// not finite; 0 if there is none. What came after it does not count.
extern "C" __global__ void __launch_bounds__(1024)
find_bad_lu_pivot(u64 n, const real *a, u64 ld, int *verdict) {
    u64 bad = n;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) {
        real pivot = a[i * (ld + 1)];
        bool good = !(pivot == number(0.0)) && is_finite(re(pivot)) && is_finite(im(pivot));
        if (!good && i < bad) bad = i;
    }
    bad = block_min(bad);
    if (threadIdx.x == 0) *verdict = bad < n ? (int)(bad + 1) : 0;
}
