/* Solves one system with matrices in tiles and with LAPACK's names, and makes a mistake on purpose. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tegula.h"
#include "tegula_lapack.h"

enum { N = 700, RHS = 3 };

static int complaints = 0;

/* Takes the place of the library's report of wrong arguments. */
void xerbla_(const char *name, const int *argument, size_t length);
void xerbla_(const char *name, const int *argument, size_t length)
{
    if (length >= 6 && strncmp(name, "DPOTRF", 6) == 0 && *argument == 4)
        complaints++;
}

static void stop(const char *what, int code)
{
    fprintf(stderr, "%s: %d\n", what, code);
    exit(1);
}

static double entry(int i, int j)
{
    return i == j ? 2.0 * N : 1.0 / (1 + abs(i - j));
}

/* Fills A, and B so that the solution is all ones. */
static void fill(double *a, double *b)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i + j * N] = entry(i, j);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += entry(i, j);
        for (int j = 0; j < RHS; j++)
            b[i + j * N] = sum;
    }
}

static void check(const char *what, const double *x)
{
    for (int i = 0; i < N * RHS; i++)
        if (!(fabs(x[i] - 1) < 1e-10)) {
            fprintf(stderr, "%s: %g at %d\n", what, x[i], i);
            exit(1);
        }
}

static void in_tiles(double *a, double *b)
{
    const double one = 1, two = 2;
    tegula_context *context = tegula_init(2);
    tegula_desc *ta = tegula_desc_create(context, 'd', N, N, 96, 96);
    tegula_desc *tb = tegula_desc_create(context, 'd', N, RHS, 96, 2);
    tegula_desc *other = tegula_desc_create(context, 's', N, RHS, 96, 2);
    int code;
    if (!context || !ta || !tb || !other || tegula_desc_create(context, 'x', 1, 1, 1, 1))
        stop("making matrices", 0);
    fill(a, b);
    if ((code = tegula_dlapack_to_tile(context, a, N, ta)) != 0)
        stop("to tiles", code);
    if ((code = tegula_dlapack_to_tile(context, b, N, tb)) != 0)
        stop("to tiles", code);
    if ((code = tegula_dpotrs_tile(context, 'L', ta, other)) != -4)
        stop("a matrix of another precision", code);
    if ((code = tegula_dpotrf_tile(context, 'L', ta)) != 0)
        stop("factorisation", code);
    if ((code = tegula_dpotrs_tile(context, 'L', ta, tb)) != 0)
        stop("solve", code);
    /* Twice and then half of it. */
    if ((code = tegula_dtrsm_tile(context, 'L', 'L', 'N', 'N', &two, ta, tb)) != 0)
        stop("dtrsm", code);
    if ((code = tegula_dtile_to_lapack(context, tb, b, N)) != 0)
        stop("from tiles", code);
    fill(a, b);
    if ((code = tegula_dlapack_to_tile(context, b, N, tb)) != 0)
        stop("to tiles", code);
    if ((code = tegula_dpotrs_tile(context, 'L', ta, tb)) != 0)
        stop("solve", code);
    if ((code = tegula_dtile_to_lapack(context, tb, b, N)) != 0)
        stop("from tiles", code);
    check("in tiles", b);
    if ((code = tegula_dgemm_tile(context, 'N', 'N', &one, ta, tb, &one, ta)) != -8)
        stop("a product that does not fit", code);
    tegula_desc_destroy(context, other);
    tegula_desc_destroy(context, tb);
    tegula_desc_destroy(context, ta);
    tegula_finalize(context);
}

static void by_name(double *a, double *b)
{
    const int n = N, rhs = RHS, less = N - 1;
    int info, *rows = malloc(N * sizeof *rows);
    fill(a, b);
    dpotrf_("U", &n, a, &less, &info);
    if (info != -4 || complaints != 1)
        stop("a leading dimension that is too small", info);
    dposv_("U", &n, &rhs, a, &n, b, &n, &info);
    if (info != 0)
        stop("dposv", info);
    check("dposv", b);
    tegula_set_num_threads(2);
    if (tegula_get_num_threads() != 2)
        stop("number of threads", tegula_get_num_threads());
    fill(a, b);
    dgesv_(&n, &rhs, a, &n, rows, b, &n, &info);
    if (info != 0)
        stop("dgesv", info);
    check("dgesv", b);
    fill(a, b);
    a[N + 1] = -1;
    dpotrf_("L", &n, a, &n, &info);
    if (info != 2)
        stop("a matrix that is not positive definite", info);
    free(rows);
}

int main(void)
{
    double *a = malloc(sizeof(double) * N * N), *b = malloc(sizeof(double) * N * RHS);
    in_tiles(a, b);
    by_name(a, b);
    free(a);
    free(b);
    puts("all is well");
    return 0;
}
