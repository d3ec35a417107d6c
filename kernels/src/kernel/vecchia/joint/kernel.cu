
// Sets of places whose conditionals are worked out together, a block of threads for a set, and for
// more of them in turn. The list begins with their number; then come, of each, the number of its
// members and these. The rooms of sets follow each other, each for the set itself and so many
// matrices more.
#define OWN_MEMBER 0x80000000u
#define SETS                                                                                       \
    LAW, const double *records, const unsigned *sets, u64 columns, u64 matrices, double *rooms

// The next set that a block of threads works on, and what is left of the list.
struct Turn {
    u64 number, size;
    const unsigned *members;
    double *room;
    u64 next, count;
    const unsigned *list;
    double *rest;
};

// Numbers that a set of n members takes.
__device__ inline u64 set_room(int width, u64 n, u64 columns, u64 matrices) {
    u64 height = n + columns;
    return width * height + (height + 2 + matrices * n) * n;
}

__device__ inline bool next_set(int width, u64 columns, u64 matrices, Turn *turn) {
    while (turn->next < turn->count) {
        turn->number = turn->next++;
        turn->size = *turn->list;
        turn->members = turn->list + 1;
        turn->room = turn->rest;
        turn->list += 1 + turn->size;
        turn->rest += set_room(width, turn->size, columns, matrices);
        if (turn->number % gridDim.x == blockIdx.x) return true;
    }
    return false;
}

#define FOR_SETS                                                                                   \
    for (Turn turn = {0, 0, 0, 0, 0, sets[0], sets + 1, rooms};                                    \
         next_set(dimensions + marks, columns, matrices, &turn);)
#define GATHER_SET gather_set(THE_LAW, records, turn, columns)

// The set with its covariances.
__device__ Place gather_set(const Law &law, const double *records, const Turn &turn, u64 columns) {
    u64 width = law.dimensions + law.marks + columns;
    Place at = place_in(law, turn.size - 1, columns, turn.room);
    for (u64 i = threadIdx.x; i <= at.k; i += blockDim.x) {
        bring(at, i, records + (u64)(turn.members[i] & ~OWN_MEMBER) * width, true);
    }
    relate(at);
    return at;
}

// Factorises the matrix of a set. Of the first set of this block of threads of which it is not
// positive definite, its number and that of a record, from 1, stay in what is bad.
__device__ bool factor_set(const Place &at, const Turn &turn, u64 *bad) {
    u64 good = factor_part(at, turn.size);
    bool is_good = good == turn.size;
    if (threadIdx.x == 0 && !is_good && bad[blockIdx.x] == ~(u64)0) {
        bad[blockIdx.x] = turn.number << 32 | ((turn.members[good] & ~OWN_MEMBER) + 1);
    }
    __syncthreads();
    return is_good;
}

// Begins the sums of this block of threads.
__device__ inline void begin_sums(u64 length, double *each, u64 *bad) {
    if (threadIdx.x == 0) bad[blockIdx.x] = ~(u64)0;
    for (u64 p = threadIdx.x; p < length; p += blockDim.x) each[blockIdx.x + p * gridDim.x] = 0.0;
    __syncthreads();
}

// What the sets of each block of threads add to the likelihood's sums: number p of block b becomes
// each[b + p * blocks].
extern "C" __global__ void vecchia_joint(SETS, double *each, u64 *bad) {
    u64 length = 1 + columns * columns;
    begin_sums(length, each, bad);
    FOR_SETS {
        Place at = GATHER_SET;
        if (!factor_set(at, turn, bad)) continue;
        for (u64 p = threadIdx.x; p < length; p += blockDim.x) {
            double sum = 0.0;
            for (u64 i = 0; i < turn.size; i++) {
                if (!(turn.members[i] & OWN_MEMBER)) continue;
                const double *w = at.a + turn.size + i * at.ld;
                sum += p == 0 ? log(at.a[i + i * at.ld])
                              : w[(p - 1) / columns] * w[(p - 1) % columns];
            }
            each[blockIdx.x + p * gridDim.x] += sum;
        }
        __syncthreads();
    }
}

// Turns `count` matrices of order n, one after the other, around.
__device__ void transpose(u64 n, u64 count, double *x) {
    for (u64 p = threadIdx.x; p < n * n * count; p += blockDim.x) {
        u64 i = p % n, j = p / n % n;
        if (i >= j) continue;
        double *matrix = x + p / (n * n) * n * n, kept = matrix[i + j * n];
        matrix[i + j * n] = matrix[j + i * n];
        matrix[j + i * n] = kept;
    }
    __syncthreads();
}

// What they add to the score's sums, likewise. Row k of H = L^-1 D L^-T is that of its first k + 1
// places alone: one matrix of each derivative, and the last of the nugget, serves all places.
extern "C" __global__ void vecchia_joint_score(SETS, int derivatives, const double *mix,
                                               double *each, u64 *bad) {
    u64 count = derivatives + 1, length = 2 * count + count * count;
    begin_sums(length, each, bad);
    FOR_SETS {
        Place at = GATHER_SET;
        u64 n = turn.size;
        double *h = at.rest, *z = h + count * n * n;
        for (u64 p = threadIdx.x; p < count * n * n; p += blockDim.x) {
            u64 i = p % n, j = p / n % n, d = p / (n * n);
            if (d + 1 == count) h[p] = i == j ? 1.0 : 0.0;
            else if (i >= j) h[p] = h[d * n * n + j + i * n] = slope(at, d, i, j);
        }
        __syncthreads();
        if (!factor_set(at, turn, bad)) continue;
        solve_forward(at, n, h, n, count * n);
        transpose(n, count, h);
        solve_forward(at, n, h, n, count * n);
        for (u64 k = 0; k < n; k++) {
            if (!(turn.members[k] & OWN_MEMBER)) continue;
            const double *w = at.a + n;
            for (u64 i = threadIdx.x; i <= k; i += blockDim.x) {
                double sum = 0.0;
                for (u64 c = 0; c < columns; c++) {
                    sum += mixed(mix, w + k * at.ld, columns, c) * w[c + i * at.ld];
                }
                z[i] = i < k ? 2.0 * sum : sum;
            }
            __syncthreads();
            for (u64 p = threadIdx.x; p < length; p += blockDim.x) {
                u64 pair = p - 2 * count;
                const double *x = h + (p < 2 * count ? p % count : pair % count) * n * n + k * n;
                const double *y = p < 2 * count ? z : h + pair / count * n * n + k * n;
                double sum = 0.0;
                if (p < count) {
                    sum = x[k];
                } else {
                    for (u64 t = 0; t < k; t++) sum += x[t] * y[t];
                    sum += (p < 2 * count ? 1.0 : 0.5) * x[k] * y[k];
                }
                each[blockIdx.x + p * gridDim.x] += sum;
            }
            __syncthreads();
        }
    }
}

// The verdict is the record of the first bad set; one block.
extern "C" __global__ void __launch_bounds__(1024)
find_bad_set(u64 blocks, const u64 *bad, int *verdict) {
    u64 least = ~(u64)0;
    for (u64 b = threadIdx.x; b < blocks; b += blockDim.x) {
        if (bad[b] < least) least = bad[b];
    }
    least = block_min(least);
    if (threadIdx.x == 0) *verdict = least == ~(u64)0 ? 0 : (int)(least & 0xffffffff);
}
