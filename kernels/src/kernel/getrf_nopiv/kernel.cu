
// Factors the rows x width panel at a without pivoting, in one block. The verdict is the first pivot,
// from 1 in the whole tile, that is zero or not finite; nothing goes on after it.
extern "C" __global__ void __launch_bounds__(1024)
factor_panel(u64 rows, u64 width, real *a, u64 ld, u64 first, int *verdict) {
    if (*verdict != 0) return;
    __syncthreads();
    for (u64 s = 0; s < width; s++) {
        real pivot = a[s + s * ld];
        if (pivot == number(0.0) || !is_finite(re(pivot)) || !is_finite(im(pivot))) {
            if (threadIdx.x == 0) *verdict = (int)(first + s + 1);
            return;
        }
        for (u64 i = s + 1 + threadIdx.x; i < rows; i += blockDim.x) {
            a[i + s * ld] = a[i + s * ld] / pivot;
        }
        __syncthreads();
        u64 below = rows - s - 1, beside = width - s - 1;
        for (u64 k = threadIdx.x; k < below * beside; k += blockDim.x) {
            u64 i = s + 1 + k % below, j = s + 1 + k / below;
            a[i + j * ld] = a[i + j * ld] - a[i + s * ld] * a[s + j * ld];
        }
        __syncthreads();
    }
}
