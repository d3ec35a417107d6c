/* What matrices in tiles refuse: a matrix that is written and is another argument, too; more tiles than
 * there can be; what belongs to another context; arrays that are not there; more workers than there may be. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tegula.h"

enum { N = 90 };

static tegula_context *context;
static const double one = 1, zero = 0;

static void expect(const char *what, int code, int expected)
{
    if (code != expected) {
        fprintf(stderr, "%s: %d, not %d\n", what, code, expected);
        exit(1);
    }
}

static tegula_desc *make(int m, int n, int mb, int nb)
{
    tegula_desc *made = tegula_desc_create(context, 'd', m, n, mb, nb);
    if (!made)
        expect("a matrix", 0, 1);
    return made;
}

/* A symmetric matrix, or its square. */
static double entry(int i, int j, int is_square)
{
    double sum = 0;
    if (!is_square)
        return 1.0 / (1 + i + j);
    for (int k = 0; k < N; k++)
        sum += entry(i, k, 0) * entry(k, j, 0);
    return sum;
}

static void fill(tegula_desc *a)
{
    double *array = malloc(sizeof(double) * N * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            array[i + j * N] = entry(i, j, 0);
    expect("to tiles", tegula_dlapack_to_tile(context, array, N, a), 0);
    free(array);
}

/* Whether the lower triangle of c is factor times that of a or of its square. */
static void check(const char *what, tegula_desc *c, double factor, int is_square)
{
    double *array = malloc(sizeof(double) * N * N);
    expect("from tiles", tegula_dtile_to_lapack(context, c, array, N), 0);
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++)
            if (!(fabs(array[i + j * N] - factor * entry(i, j, is_square)) < 1e-12)) {
                fprintf(stderr, "%s: %g at (%d, %d)\n", what, array[i + j * N], i, j);
                exit(1);
            }
    free(array);
}

/* Matrices in square tiles of order nb. */
static void products(int nb)
{
    tegula_desc *a = make(N, N, nb, nb), *b = make(N, N, nb, nb), *c = make(N, N, nb, nb);
    fill(a);
    expect("gemm to A", tegula_dgemm_tile(context, 'N', 'N', &one, a, b, &zero, a), -8);
    expect("gemm to B", tegula_dgemm_tile(context, 'N', 'N', &one, b, a, &zero, a), -8);
    expect("gemm to both", tegula_dgemm_tile(context, 'N', 'N', &one, a, a, &zero, a), -8);
    expect("symm to A", tegula_dsymm_tile(context, 'L', 'L', &one, a, b, &zero, a), -8);
    expect("symm to B", tegula_dsymm_tile(context, 'R', 'U', &one, b, a, &zero, a), -8);
    expect("syrk", tegula_dsyrk_tile(context, 'L', 'N', &one, a, &zero, a), -7);
    expect("syr2k to A", tegula_dsyr2k_tile(context, 'L', 'N', &one, a, b, &zero, a), -8);
    expect("syr2k to B", tegula_dsyr2k_tile(context, 'L', 'T', &one, b, a, &zero, a), -8);
    expect("trsm", tegula_dtrsm_tile(context, 'L', 'L', 'N', 'N', &one, a, a), -8);
    expect("trmm", tegula_dtrmm_tile(context, 'R', 'U', 'N', 'N', &one, a, a), -8);
    expect("potrs", tegula_dpotrs_tile(context, 'L', a, a), -4);
    expect("posv", tegula_dposv_tile(context, 'U', a, a), -4);
    check("what was refused", a, 1, 0);
    expect("gemm of one", tegula_dgemm_tile(context, 'N', 'T', &one, a, a, &zero, c), 0);
    check("gemm of one", c, 1, 1);
    expect("symm of one", tegula_dsymm_tile(context, 'L', 'L', &one, a, a, &zero, c), 0);
    check("symm of one", c, 1, 1);
    expect("syr2k of one", tegula_dsyr2k_tile(context, 'L', 'N', &one, a, a, &zero, c), 0);
    check("syr2k of one", c, 2, 1);
    tegula_desc_destroy(context, a);
    tegula_desc_destroy(context, b);
    tegula_desc_destroy(context, c);
}

static void lu_and_qr(void)
{
    tegula_desc *a = make(N, N, N, 30), *b = make(N, N, N, 30), *tau = make(N, 1, 30, 1);
    /* Matrices that could be their own factors. */
    tegula_desc *column = make(1, 1, 1, 1), *other = make(1, 1, 1, 1);
    tegula_ipiv *pivots = tegula_ipiv_create(context, a);
    fill(a);
    expect("gesv", tegula_dgesv_tile(context, a, pivots, a), -4);
    expect("getrs", tegula_dgetrs_tile(context, 'N', a, pivots, a), -5);
    expect("gels", tegula_dgels_tile(context, 'N', a, tau, a), -5);
    expect("ormqr", tegula_dormqr_tile(context, 'L', 'T', a, tau, a), -6);
    check("what was refused", a, 1, 0);
    expect("geqrf", tegula_dgeqrf_tile(context, column, column), -3);
    expect("gelqf", tegula_dgelqf_tile(context, column, column), -3);
    expect("orgqr", tegula_dorgqr_tile(context, column, column), -2);
    expect("orglq", tegula_dorglq_tile(context, column, column), -2);
    expect("gels with its factors", tegula_dgels_tile(context, 'N', column, column, other), -4);
    expect("gels to its factors", tegula_dgels_tile(context, 'N', column, other, other), -5);
    expect("ormlq", tegula_dormlq_tile(context, 'L', 'T', column, other, other), -6);
    expect("ormqr of one", tegula_dormqr_tile(context, 'L', 'T', column, column, other), 0);
    tegula_ipiv_destroy(context, pivots);
    tegula_desc_destroy(context, a);
    tegula_desc_destroy(context, b);
    tegula_desc_destroy(context, tau);
    tegula_desc_destroy(context, column);
    tegula_desc_destroy(context, other);
}

/* TEGULA_NUM_THREADS asks for more than there may be. */
static void workers(void)
{
    expect("workers of the environment", tegula_get_num_threads(), 1024);
    tegula_set_num_threads(INT_MAX);
    expect("workers of the program", tegula_get_num_threads(), 1024);
    tegula_set_num_threads(-1);
    expect("the least", tegula_get_num_threads(), 1);
    expect("a context of too many workers", tegula_init(1025) != NULL, 0);
    expect("a context of less than none", tegula_init(-1) != NULL, 0);
}

static void expect_none(const char *what, const void *made)
{
    expect(what, made != NULL, 0);
}

static void sizes(void)
{
    tegula_desc *most, *more;
    expect_none("many tiles", tegula_desc_create(context, 'd', 2000000000, 2000000000, 1000, 1000));
    expect_none("tiny tiles", tegula_desc_create(context, 's', 100000, 100000, 1, 1));
    expect_none("a large tile", tegula_desc_create(context, 'z', INT_MAX, INT_MAX, INT_MAX, INT_MAX));
    most = tegula_desc_create(context, 'd', 2000000000, 2000000000, 2000000, 2000000);
    more = most ? tegula_desc_create(context, 'd', 8 << 20, 1, 1, 1) : NULL;
    expect("as many as there may be", most != NULL, 1);
    expect_none("more tiles together", more);
    tegula_desc_destroy(context, most);
}

static void owners(void)
{
    tegula_context *other = tegula_init(1);
    tegula_desc *a = make(N, N, N, 30);
    tegula_ipiv *pivots = tegula_ipiv_create(context, a);
    tegula_desc_destroy(other, a);
    tegula_ipiv_destroy(other, pivots);
    tegula_desc_destroy(context, NULL);
    tegula_ipiv_destroy(context, NULL);
    fill(a);
    check("a matrix of another context", a, 1, 0);
    expect("exchanges of another context", tegula_ipiv_get(context, pivots, NULL), 0);
    tegula_ipiv_destroy(context, pivots);
    tegula_desc_destroy(context, a);
    tegula_finalize(other);
}

static void arrays(void)
{
    tegula_desc *a = make(N, N, N, 30), *empty = make(0, N, N, 30);
    expect("from no array", tegula_dlapack_to_tile(context, NULL, N, a), -2);
    expect("to no array", tegula_dtile_to_lapack(context, a, NULL, N), -3);
    expect("nothing from no array", tegula_dlapack_to_tile(context, NULL, 1, empty), 0);
    expect("nothing to no array", tegula_dtile_to_lapack(context, empty, NULL, 1), 0);
    tegula_desc_destroy(context, a);
    tegula_desc_destroy(context, empty);
}

int main(void)
{
    workers();
    context = tegula_init(2);
    sizes();
    owners();
    arrays();
    products(N);
    products(32);
    lu_and_qr();
    tegula_finalize(context);
    puts("all is well");
    return 0;
}
