
// The number that the bits of IEEE 754 binary16 stand for.
__device__ inline double half_number(unsigned bits) {
    double sign = bits >> 15 ? -1.0 : 1.0;
    long long exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 0) return sign * (double)fraction * 5.9604644775390625e-8;
    long long whole = exponent == 0x1f ? 0x7ff : exponent + 1008;
    return sign * __longlong_as_double(whole << 52 | fraction << 42);
}

__device__ inline double infinity() { return __longlong_as_double(0x7ffll << 52); }

// Number k of those of a kind, in the order of the list of kinds.
__device__ inline double stored_number(int element, const void *stored, u64 k) {
    switch (element) {
    case 0: return (double)((const unsigned char *)stored)[k];
    case 1: return (double)((const signed char *)stored)[k];
    case 2: return (double)((const unsigned short *)stored)[k];
    case 3: return (double)((const short *)stored)[k];
    case 4: return (double)((const unsigned *)stored)[k];
    case 5: return (double)((const int *)stored)[k];
    case 6: return (double)((const unsigned long long *)stored)[k];
    case 7: return (double)((const long long *)stored)[k];
    case 8: return half_number(((const unsigned short *)stored)[k]);
    case 9: return (double)((const float *)stored)[k];
    default: return ((const double *)stored)[k];
    }
}

// A stored tile of m rows of n numbers, row by row, in a matrix: 0 its entries stay, 1 they are
// counts, 2 they are distances, which are squared after the offset was added. Where the tile has a
// diagonal, distances and counts on it are zero; it is where row + i equals column + j.
#define TILE                                                                                       \
    u64 m, u64 n, int element, const void *stored, int kind, double offset, int is_diagonal,       \
        u64 row, u64 column

// What an entry becomes.
__device__ inline double entry_becomes(double x, int kind, double offset, bool is_on_diagonal) {
    if (kind == 0) return x;
    x = x < 0.0 ? 0.0 : x;
    if (kind == 2) x += offset;
    if (is_on_diagonal) x = 0.0;
    return kind == 2 ? x * x : x;
}

// What the entries of a tile become, in the precision of the product, row by row.
extern "C" __global__ void widen_tile(TILE, real *to) {
    // Columns here are rows of the tile.
    FOR_ENTRIES(n, m) {
        double x = stored_number(element, stored, i + j * n);
        to[i + j * n] = (real)entry_becomes(x, kind, offset, is_diagonal && row + j == column + i);
    }
}

// What is noticed about the entries of a matrix, as a core knows it: entries that should not be,
// how many, the largest deviation, and the first ones row by row; the least and the greatest entry
// off the diagonal; and how many pairs were compared.
struct Offender { u64 row, column; double value, other; };
struct Offenders { u64 count; double largest; Offender first[3]; };
struct Findings { Offenders kinds[4]; double least, greatest; u64 compared; };

// What is wrong with an entry: 0 it is not finite, 1 negative, 2 not zero on the diagonal, or else
// -1.
__device__ inline int fault_of(double x, int kind, bool is_on_diagonal) {
    if (!is_finite(x)) return 0;
    if (is_on_diagonal && x != 0.0) return 2;
    return x < 0.0 && kind != 0 ? 1 : -1;
}

// Whether entry (i, j), above the diagonal of the matrix, has a mirror image in the tile that is
// not as it is.
__device__ inline bool differs(u64 m, u64 n, int element, const void *stored, u64 row, u64 column,
                               u64 i, u64 j, double &x, double &other) {
    if (row < column || row - column >= n) return false;
    u64 first = row - column, side = m < n - first ? m : n - first;
    if (i >= side || j <= first + i || j >= first + side) return false;
    x = stored_number(element, stored, j + i * n);
    other = stored_number(element, stored, first + i + (j - first) * n);
    return x != other && !(x != x && other != other);
}

// The larger number; what is none is larger than all.
__device__ inline double worse(double x, double y) {
    return x != x || x > y ? x : y;
}

// The worst number of the threads of a block.
__device__ inline double block_worst(double x) {
    __shared__ double parts[1024];
    parts[threadIdx.x] = x;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] = worse(parts[threadIdx.x], parts[threadIdx.x + half]);
        }
        __syncthreads();
    }
    double worst = parts[0];
    __syncthreads();
    return worst;
}

// Adds the entries of each row, by the weights of the columns, to its sums, and their squares;
// block i does row i. What was found in row i becomes row i of an m x 10 matrix: how many entries
// of each kind, asymmetric ones the last, their largest deviations, the greatest, and minus the
// least.
extern "C" __global__ void sum_tile_rows(TILE, const double *weights, double *sums,
                                         double *squares, double *found) {
    u64 i = blockIdx.x;
    double sum = 0.0, square = 0.0, most = -infinity(), above = most;
    double count[4] = {0.0, 0.0, 0.0, 0.0}, largest[4] = {0.0, 0.0, 0.0, 0.0};
    for (u64 j = threadIdx.x; j < n; j += blockDim.x) {
        double x = stored_number(element, stored, j + i * n), y, other;
        bool is_on_diagonal = is_diagonal && row + i == column + j;
        int fault = fault_of(x, kind, is_on_diagonal);
        if (fault >= 0) {
            count[fault] += 1.0;
            largest[fault] = worse(largest[fault], fault == 0 ? infinity() - infinity() : fabs(x));
        }
        if (!is_on_diagonal && x > most) most = x;
        if (!is_on_diagonal && -x > above) above = -x;
        if (is_diagonal && differs(m, n, element, stored, row, column, i, j, y, other)) {
            count[3] += 1.0;
            largest[3] = worse(largest[3], fabs(y - other));
        }
        x = entry_becomes(x, kind, offset, is_on_diagonal);
        sum += weights[j] * x;
        square += weights[j] * x * x;
    }
    sum = block_sum(sum);
    square = block_sum(square);
    most = block_worst(most);
    above = block_worst(above);
    bool is_faulty = block_sum(count[0] + count[1] + count[2] + count[3]) > 0.0;
    for (int k = 0; is_faulty && k < 4; k++) {
        count[k] = block_sum(count[k]);
        largest[k] = block_worst(largest[k]);
    }
    if (threadIdx.x == 0) {
        sums[i] += sum;
        squares[i] += square;
        for (int k = 0; k < 4; k++) {
            found[i + k * m] = count[k];
            found[i + (4 + k) * m] = largest[k];
        }
        found[i + 8 * m] = most;
        found[i + 9 * m] = above;
    }
}

// The same sums for each column, by the weights of the rows; each row of threads of a block has
// some of the rows.
extern "C" __global__ void sum_tile_columns(TILE, const double *weights, double *sums,
                                            double *squares) {
    __shared__ double parts[256], parts_of_squares[256];
    unsigned place = threadIdx.y * blockDim.x + threadIdx.x;
    for (u64 first = (u64)blockIdx.x * blockDim.x; first < n; first += (u64)gridDim.x * blockDim.x) {
        u64 j = first + threadIdx.x;
        double sum = 0.0, square = 0.0;
        for (u64 i = threadIdx.y; j < n && i < m; i += blockDim.y) {
            double x = stored_number(element, stored, j + i * n);
            x = entry_becomes(x, kind, offset, is_diagonal && row + i == column + j);
            sum += weights[i] * x;
            square += weights[i] * x * x;
        }
        parts[place] = sum;
        parts_of_squares[place] = square;
        __syncthreads();
        if (threadIdx.y == 0 && j < n) {
            for (unsigned k = 1; k < blockDim.y; k++) {
                sum += parts[k * blockDim.x + threadIdx.x];
                square += parts_of_squares[k * blockDim.x + threadIdx.x];
            }
            sums[j] += sum;
            squares[j] += square;
        }
        __syncthreads();
    }
}

// Keeps an entry among the first ones of its kind, of which there are so many by now.
__device__ inline void keep(Offenders &of, u64 &count, Offender entry) {
    u64 kept = count < 3 ? count : 3, place = kept;
    while (place > 0 && (of.first[place - 1].row > entry.row ||
                         (of.first[place - 1].row == entry.row &&
                          of.first[place - 1].column >= entry.column))) {
        place--;
    }
    if (place < 3) {
        for (u64 k = kept < 2 ? kept : 2; k > place; k--) of.first[k] = of.first[k - 1];
        of.first[place] = entry;
    }
    count++;
}

// Adds what was found in the rows of a tile to the findings; one block. Only rows in which there is
// something are looked at again, and not after the first three entries of a kind.
extern "C" __global__ void gather_findings(TILE, const double *found, Findings *findings) {
    double most = -infinity(), above = most;
    for (u64 i = threadIdx.x; i < m; i += blockDim.x) {
        most = worse(most, found[i + 8 * m]);
        above = worse(above, found[i + 9 * m]);
    }
    most = block_worst(most);
    above = block_worst(above);
    for (int k = 0; k < 4; k++) {
        double count = 0.0, largest = 0.0;
        for (u64 i = threadIdx.x; i < m; i += blockDim.x) {
            count += found[i + k * m];
            largest = worse(largest, found[i + (4 + k) * m]);
        }
        count = block_sum(count);
        largest = block_worst(largest);
        if (threadIdx.x != 0 || count == 0.0) continue;
        Offenders &of = findings->kinds[k];
        u64 known = of.count, kept = 0;
        for (u64 i = 0; i < m && kept < 3; i++) {
            for (u64 j = 0; found[i + k * m] > 0.0 && j < n && kept < 3; j++) {
                double x = stored_number(element, stored, j + i * n), other = 0.0;
                bool is_on_diagonal = is_diagonal && row + i == column + j;
                bool is_one = k == 3 ? differs(m, n, element, stored, row, column, i, j, x, other)
                                     : fault_of(x, kind, is_on_diagonal) == k;
                if (!is_one) continue;
                Offender entry = {row + i, column + j, x, other};
                keep(of, known, entry);
                kept++;
            }
        }
        of.largest = worse(of.largest, largest);
        of.count += (u64)count;
    }
    if (threadIdx.x != 0) return;
    if (-above < findings->least) findings->least = -above;
    if (most > findings->greatest) findings->greatest = most;
    if (is_diagonal && row >= column && row - column < n) {
        u64 side = n - (row - column) < m ? n - (row - column) : m;
        findings->compared += side * (side - 1) / 2;
    }
}

// Lines of a panel in the precision of the product.
extern "C" __global__ void narrow_lines(u64 m, u64 n, const double *panel, u64 ld, real *to) {
    FOR_ENTRIES(m, n) to[i + j * m] = (real)panel[i + j * ld];
}

// Adds a product to lines of a panel.
extern "C" __global__ void add_lines(u64 m, u64 n, const real *product, double *panel, u64 ld) {
    FOR_ENTRIES(m, n) panel[i + j * ld] += (double)product[i + j * m];
}
