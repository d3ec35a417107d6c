/* Solves one system in every way that matrices in tiles know, waiting for each step and not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tegula.h"

enum { N = 300, MORE = 410, RHS = 5, NB = 48 };

static tegula_context *context;

static void expect(const char *what, int code, int expected)
{
    if (code != expected) {
        fprintf(stderr, "%s: %d, not %d\n", what, code, expected);
        exit(1);
    }
}

static double entry(int i, int j)
{
    return i == j ? 2.0 * N : 1.0 / (1 + abs(i - j));
}

static tegula_desc *make(int m, int n, int mb, int nb)
{
    tegula_desc *made = tegula_desc_create(context, 'd', m, n, mb, nb);
    if (!made)
        expect("a matrix", 0, 1);
    return made;
}

/* A matrix of which the triangle that uplo leaves out, if it is not N, is not a number. */
static void fill(tegula_desc *a, int m, int n, char uplo)
{
    double *array = malloc(sizeof(double) * m * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int left_out = (uplo == 'U' && i > j) || (uplo == 'L' && i < j);
            array[i + j * m] = left_out ? NAN : entry(i, j);
        }
    expect("to tiles", tegula_dlapack_to_tile(context, array, m, a), 0);
    free(array);
}

/* Right-hand sides of which the solution is all ones. */
static void fill_sides(tegula_desc *b, int m, int n)
{
    double *array = malloc(sizeof(double) * m * RHS);
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += entry(i, j);
        for (int j = 0; j < RHS; j++)
            array[i + j * m] = sum;
    }
    expect("to tiles", tegula_dlapack_to_tile(context, array, m, b), 0);
    free(array);
}

/* Whether the first n rows are all the same number. */
static void check(const char *what, tegula_desc *x, int m, int n, double expected)
{
    double *array = malloc(sizeof(double) * m * RHS);
    expect("from tiles", tegula_dtile_to_lapack(context, x, array, m), 0);
    for (int j = 0; j < RHS; j++)
        for (int i = 0; i < n; i++)
            if (!(fabs(array[i + j * m] - expected) < 1e-10)) {
                fprintf(stderr, "%s: %g at (%d, %d)\n", what, array[i + j * m], i, j);
                exit(1);
            }
    free(array);
}

static void cholesky(char uplo)
{
    const double one = 1, minus = -1;
    tegula_desc *a = make(N, N, NB, NB), *b = make(N, RHS, NB, 2), *c = make(N, RHS, NB, 2);
    fill(a, N, N, uplo);
    fill_sides(b, N, N);
    fill_sides(c, N, N);
    expect("posv", tegula_dposv_tile(context, uplo, a, b), 0);
    check("posv", b, N, N, 1);
    fill(a, N, N, uplo);
    expect("symm", tegula_dsymm_tile(context, 'L', uplo, &minus, a, b, &one, c), 0);
    check("symm", c, N, N, 0);
    expect("potrf", tegula_dpotrf_tile(context, uplo, a), 0);
    expect("potri", tegula_dpotri_tile(context, uplo, a), 0);
    fill_sides(b, N, N);
    expect("symm", tegula_dsymm_tile(context, 'L', uplo, &one, a, b, &minus, c), 0);
    check("the inverse", c, N, N, 1);
    tegula_desc_destroy(context, a);
    tegula_desc_destroy(context, b);
    tegula_desc_destroy(context, c);
}

static void lu(void)
{
    int rows[N];
    tegula_desc *a = make(N, N, N, NB), *b = make(N, RHS, N, 2), *tall = make(N, N, NB, NB);
    tegula_ipiv *pivots = tegula_ipiv_create(context, a);
    if (!pivots || tegula_ipiv_create(context, tall))
        expect("pivots", 0, 1);
    fill(a, N, N, 'N');
    fill_sides(b, N, N);
    expect("tiles below each other", tegula_dgetrf_tile(context, tall, pivots), -2);
    expect("gesv", tegula_dgesv_tile(context, a, pivots, b), 0);
    check("gesv", b, N, N, 1);
    expect("pivots", tegula_ipiv_get(context, pivots, rows), 0);
    for (int i = 0; i < N; i++)
        expect("the largest entries are on the diagonal", rows[i], i + 1);
    fill_sides(b, N, N);
    expect("getrs", tegula_dgetrs_tile(context, 'N', a, pivots, b), 0);
    check("getrs", b, N, N, 1);
    tegula_ipiv_destroy(context, pivots);
    tegula_desc_destroy(context, a);
    tegula_desc_destroy(context, b);
    tegula_desc_destroy(context, tall);
}

static void qr(void)
{
    const double one = 1;
    tegula_desc *a = make(MORE, N, MORE, NB), *tau = make(N, 1, NB, 1);
    tegula_desc *b = make(MORE, RHS, MORE, 2), *other = make(N, 1, NB + 1, 1);
    tegula_desc *square = make(N, N, N, NB), *sides = make(N, RHS, N, 2);
    fill(a, MORE, N, 'N');
    fill_sides(b, MORE, N);
    expect("factors in other tiles", tegula_dgeqrf_tile(context, a, other), -3);
    expect("gels", tegula_dgels_tile(context, 'N', a, tau, b), 0);
    check("gels", b, MORE, N, 1);
    /* Q^H b, whose first rows the triangle solves for, in tiles that a solve takes. */
    fill(square, N, N, 'N');
    fill_sides(sides, N, N);
    expect("geqrf", tegula_dgeqrf_tile(context, square, tau), 0);
    expect("ormqr", tegula_dormqr_tile(context, 'L', 'T', square, tau, sides), 0);
    {
        double *array = malloc(sizeof(double) * N * N);
        tegula_desc *r = make(N, N, NB, NB), *x = make(N, RHS, NB, 2);
        expect("from tiles", tegula_dtile_to_lapack(context, square, array, N), 0);
        expect("to tiles", tegula_dlapack_to_tile(context, array, N, r), 0);
        expect("from tiles", tegula_dtile_to_lapack(context, sides, array, N), 0);
        expect("to tiles", tegula_dlapack_to_tile(context, array, N, x), 0);
        expect("trsm", tegula_dtrsm_tile(context, 'L', 'U', 'N', 'N', &one, r, x), 0);
        check("QR", x, N, N, 1);
        tegula_desc_destroy(context, r);
        tegula_desc_destroy(context, x);
        free(array);
    }
    tegula_desc_destroy(context, a);
    tegula_desc_destroy(context, tau);
    tegula_desc_destroy(context, b);
    tegula_desc_destroy(context, other);
    tegula_desc_destroy(context, square);
    tegula_desc_destroy(context, sides);
}

/* A matrix that is not positive definite spoils what is made of it, until it is overwritten. */
static void failure(int is_async)
{
    double *array = malloc(sizeof(double) * N * N), *other = malloc(sizeof(double) * N * RHS);
    tegula_desc *a = make(N, N, NB, NB), *b = make(N, RHS, NB, 2);
    fill(a, N, N, 'N');
    expect("from tiles", tegula_dtile_to_lapack(context, a, array, N), 0);
    array[6 + 6 * N] = -1;
    expect("to tiles", tegula_dlapack_to_tile(context, array, N, a), 0);
    expect("an indefinite matrix", tegula_dpotrf_tile(context, 'L', a), is_async ? 0 : 7);
    if (is_async) {
        /* Copies of others take place all the same, and whoever waits is told. */
        fill_sides(b, N, N);
        expect("to another", tegula_dlapack_to_tile(context, array, N, b), 0);
        expect("from another", tegula_dtile_to_lapack(context, b, other, N), 0);
        if (memcmp(other, array, sizeof(double) * N * RHS) != 0)
            expect("another matrix as it was", 1, 0);
        expect("waiting for it", tegula_wait(context), 7);
    }
    fill_sides(b, N, N);
    expect("what it has spoiled", tegula_dtile_to_lapack(context, a, array, N), 7);
    fill(a, N, N, 'N');
    expect("another matrix", tegula_dposv_tile(context, 'L', a, b), 0);
    check("another matrix", b, N, N, 1);
    tegula_desc_destroy(context, a);
    tegula_desc_destroy(context, b);
    free(array);
    free(other);
}

int main(void)
{
    context = tegula_init(2);
    for (int is_async = 0; is_async < 2; is_async++) {
        tegula_set_async(context, is_async);
        cholesky('L');
        cholesky('U');
        lu();
        qr();
        failure(is_async);
        expect("waiting", tegula_wait(context), 0);
    }
    expect("no context", tegula_wait(NULL), -1);
    tegula_finalize(context);
    puts("all is well");
    return 0;
}
