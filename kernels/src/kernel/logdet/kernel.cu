
// sum = sum + factor * sum of log |a_ii| of the n x n tile a, in one block; the verdict is the first
// entry, from 1, that has no logarithm, and sum is then unchanged.
extern "C" __global__ void __launch_bounds__(1024)
logdet(u64 n, const real *a, double factor, double *sum, int *verdict) {
    double part = 0.0;
    u64 bad = n;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) {
        double entry = fabs((double)a[i * (n + 1)]);
        if (entry == 0.0 || !is_finite(entry)) {
            if (i < bad) bad = i;
        } else {
            part += log(entry);
        }
    }
    bad = block_min(bad);
    part = block_sum(part);
    if (threadIdx.x == 0) {
        *verdict = bad < n ? (int)(bad + 1) : 0;
        if (bad == n) *sum += factor * part;
    }
}
