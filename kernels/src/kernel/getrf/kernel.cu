
// Notes the exchanges of so many steps that the library made, from 1 in the panel, as rows of the
// tile, whose row first is the panel's first one; and the first step of the whole matrix, from 1,
// whose pivots are all zero, unless one is noted.
extern "C" __global__ void note_exchanges(u64 steps, u64 first, const int *made, const int *failed,
                                          unsigned *pivots, unsigned *all, u64 *singular) {
    u64 stride = (u64)gridDim.x * blockDim.x, start = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (u64 i = start; i < steps; i += stride) {
        unsigned row = (unsigned)(first + (u64)made[i] - 1);
        pivots[i] = row;
        all[first + i] = row;
    }
    if (start == 0 && *singular == 0 && *failed > 0) *singular = first + (u64)*failed;
}
