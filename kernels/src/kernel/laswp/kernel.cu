
// The rows that so many exchanges of row first + i and row pivots[i] touch, each twice or more often,
// and behind them the rows whose contents end up there; backward, the exchanges are undone.
extern "C" __global__ void trace_rows(u64 steps, u64 first, int backward, const unsigned *pivots,
                                      u64 *rows) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 k = (u64)blockIdx.x * blockDim.x + threadIdx.x; k < 2 * steps; k += stride) {
        u64 row = k < steps ? first + k : (u64)pivots[k - steps], from = row;
        for (u64 step = 0; step < steps; step++) {
            u64 i = backward ? step : steps - 1 - step, pivot = pivots[i];
            if (from == first + i) from = pivot;
            else if (from == pivot) from = first + i;
        }
        rows[k] = row;
        rows[2 * steps + k] = from;
    }
}

// w = these rows of a, so many of n columns.
extern "C" __global__ void take_rows(u64 count, u64 n, const u64 *rows, const real *a, u64 ld,
                                     real *w) {
    FOR_ENTRIES(count, n) w[i + j * count] = a[rows[i] + j * ld];
}

// These rows of a = w.
extern "C" __global__ void put_rows(u64 count, u64 n, const u64 *rows, const real *w, real *a,
                                    u64 ld) {
    FOR_ENTRIES(count, n) a[rows[i] + j * ld] = w[i + j * count];
}
