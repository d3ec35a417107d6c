
// The verdict, which tells the first pivot that was not positive, becomes that of the first factor
// on the diagonal of the n x n tile a that is not positive and finite, if that comes before.
extern "C" __global__ void __launch_bounds__(1024)
find_bad_pivot(u64 n, const real *a, int *verdict) {
    u64 bad = n;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) {
        double pivot = re(a[i * (n + 1)]);
        if (!(pivot > 0.0 && is_finite(pivot)) && i < bad) bad = i;
    }
    bad = block_min(bad);
    if (threadIdx.x == 0 && bad < n && (*verdict <= 0 || (int)(bad + 1) < *verdict)) {
        *verdict = (int)(bad + 1);
    }
}
