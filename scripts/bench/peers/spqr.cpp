// Sparse least squares by SuiteSparseQR with COLAMD: reads a matrix in Matrix Market's format, solves for b = A times
// ones so many times, and prints a line of JSON for each: seconds of analysis, factorisation (Q kept), of its use, and
// of all at once without Q; the largest error; entries of R and operations.
#include <SuiteSparseQR.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    cholmod_common common;
    cholmod_l_start(&common);
    common.method[0].ordering = CHOLMOD_COLAMD;
    common.nmethods = 1;
    FILE *file = fopen(argv[1], "r");
    if (!file) return 2;
    cholmod_sparse *read = cholmod_l_read_sparse(file, &common);
    cholmod_sparse *a = cholmod_l_copy(read, 0, 1, &common);
    cholmod_dense *ones = cholmod_l_ones(a->ncol, 1, CHOLMOD_REAL, &common);
    cholmod_dense *b = cholmod_l_zeros(a->nrow, 1, CHOLMOD_REAL, &common);
    double one[2] = {1, 0}, zero[2] = {0, 0};
    cholmod_l_sdmult(a, 0, one, zero, ones, b, &common);
    for (int round = 0; round < atoi(argv[2]); round++) {
        double start = now();
        auto *qr = SuiteSparseQR_symbolic<double>(SPQR_ORDERING_COLAMD, 0, a, &common);
        double analysed = now();
        SuiteSparseQR_numeric<double>(-1, a, qr, &common);
        double factored = now();
        cholmod_dense *y = SuiteSparseQR_qmult(SPQR_QTX, qr, b, &common);
        cholmod_dense *x = SuiteSparseQR_solve(SPQR_RETX_EQUALS_B, qr, y, &common);
        double solved = now(), error = 0;
        for (size_t i = 0; i < a->ncol; i++) error = std::max(error, std::fabs(((double *)x->x)[i] - 1));
        double again = now();
        cholmod_dense *other = SuiteSparseQR<double>(SPQR_ORDERING_COLAMD, -1, a, b, &common);
        printf("{\"analysis\": %g, \"factor\": %g, \"solve\": %g, \"without_q\": %g, \"error\": %g, \"nnz_r\": %ld, "
               "\"flops\": %g}\n", analysed - start, factored - analysed, solved - factored, now() - again, error,
               (long)common.SPQR_istat[0], common.SPQR_flopcount);
        cholmod_l_free_dense(&x, &common);
        cholmod_l_free_dense(&y, &common);
        cholmod_l_free_dense(&other, &common);
        SuiteSparseQR_free(&qr, &common);
    }
    return 0;
}
