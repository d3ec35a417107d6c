/* One factorisation by ScaLAPACK, repeated: one process per core, BLAS with one thread.
 *
 * Usage: mpirun -np RANKS scalapack pdpotrf|pdgetrf|pdgeqrf N NB P Q [REPEATS]   (RANKS = P Q; 3 repeats)
 *
 * Matrices are N x N with random entries in [-0.5, 0.5], the same for every grid, and N on the diagonal; for pdpotrf they are
 * symmetric. They are made before the time runs, which is that of the factorisation alone, between two barriers. Rank 0
 * prints one JSON object per repeat; `logdet`, the logarithm of the determinant's absolute value by the factor's
 * diagonal, shows that all has worked: it depends on the grid in the last digits only, and is the same for pdgetrf and pdgeqrf.
 * Rates count the operations of LAPACK's formulas: N^3/3, 2 N^3/3 and 4 N^3/3.
 *
 * OpenBLAS takes its number of threads and its kernels from the environment when it is loaded, so the program starts itself
 * again with both set; why the kernels must be, lapack.c says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int p, int q);
void Cblacs_gridinfo(int context, int *p, int *q, int *row, int *column);
int numroc_(const int *n, const int *nb, const int *at, const int *first, const int *count);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *row, const int *column,
               const int *context, const int *ld, int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desc, int *info, size_t length);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desc, int *pivots, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desc, double *tau, double *work,
              const int *lwork, int *info);

/* A matrix over a P x Q grid, and the part of it that is here. */
struct matrix {
    int n, nb, p, q, row, column, rows, columns, ld, desc[9];
    double *a;
};

static void refuse(const char *what)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "%s\nusage: scalapack pdpotrf|pdgetrf|pdgeqrf N NB P Q [REPEATS]\n", what);
    MPI_Finalize();
    exit(2);
}

static void *memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "no memory for %zu times %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* Settings of OpenBLAS that must be there before it is loaded. */
static void settle(char **argv)
{
    if (getenv("TEGULA_PEER_SETTLED"))
        return;
    setenv("TEGULA_PEER_SETTLED", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    char *(*name)(void) = (char *(*)(void))dlsym(RTLD_DEFAULT, "openblas_get_corename");
    const char *better = __builtin_cpu_supports("avx512vl") ? "SkylakeX" : __builtin_cpu_supports("avx2") ? "Haswell" : NULL;
    if (name && better && strcmp(name(), "Prescott") == 0)
        setenv("OPENBLAS_CORETYPE", better, 0);
    execv("/proc/self/exe", argv);
    perror("cannot start again");
    exit(1);
}

/* A number in [-0.5, 0.5] for an entry (SplitMix64). */
static double entry(uint64_t i, uint64_t j)
{
    uint64_t z = (i << 32 | j) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53 - 0.5;
}

/* Index in the whole matrix of a row or column that is here. */
static int whole(int here, int nb, int at, int count)
{
    return (here / nb * count + at) * nb + here % nb;
}

static void fill(struct matrix *m, int symmetric)
{
    for (int c = 0; c < m->columns; c++) {
        int j = whole(c, m->nb, m->column, m->q);
        for (int r = 0; r < m->rows; r++) {
            int i = whole(r, m->nb, m->row, m->p);
            int swap = symmetric && i < j;
            m->a[r + (size_t)c * m->ld] = entry(swap ? j : i, swap ? i : j) + (i == j ? m->n : 0);
        }
    }
}

static double logdet(const struct matrix *m, double factor)
{
    double here = 0, sum = 0;
    for (int c = 0; c < m->columns; c++) {
        int j = whole(c, m->nb, m->column, m->q);
        for (int r = 0; r < m->rows; r++)
            if (whole(r, m->nb, m->row, m->p) == j)
                here += factor * log(fabs(m->a[r + (size_t)c * m->ld]));
    }
    MPI_Allreduce(&here, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Seconds of one factorisation. */
static double factorise(const char *name, struct matrix *m)
{
    const int one = 1, ask = -1;
    int info = 0, lwork = 0;
    int *pivots = memory((size_t)m->rows + m->nb, sizeof *pivots);
    double *tau = memory(m->columns, sizeof *tau), *work = NULL, asked = 0;
    if (strcmp(name, "pdgeqrf") == 0) {
        pdgeqrf_(&m->n, &m->n, m->a, &one, &one, m->desc, tau, &asked, &ask, &info);
        lwork = (int)asked;
        work = memory(lwork, sizeof *work);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (strcmp(name, "pdpotrf") == 0)
        pdpotrf_("L", &m->n, m->a, &one, &one, m->desc, &info, (size_t)1);
    else if (strcmp(name, "pdgetrf") == 0)
        pdgetrf_(&m->n, &m->n, m->a, &one, &one, m->desc, pivots, &info);
    else
        pdgeqrf_(&m->n, &m->n, m->a, &one, &one, m->desc, tau, work, &lwork, &info);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;
    if (info != 0) {
        fprintf(stderr, "%s failed: info %d\n", name, info);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(pivots), free(tau), free(work);
    return seconds;
}

int main(int argc, char **argv)
{
    settle(argv);
    MPI_Init(&argc, &argv);
    int ranks, rank, context, info, zero = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 6)
        refuse("too few arguments");
    const char *name = argv[1];
    double cubes = strcmp(name, "pdpotrf") == 0 ? 1 : strcmp(name, "pdgetrf") == 0 ? 2 : strcmp(name, "pdgeqrf") == 0 ? 4 : 0;
    struct matrix m = {.n = atoi(argv[2]), .nb = atoi(argv[3]), .p = atoi(argv[4]), .q = atoi(argv[5])};
    int repeats = argc > 6 ? atoi(argv[6]) : 3;
    if (cubes == 0 || m.n < 1 || m.nb < 1 || m.p < 1 || m.q < 1 || repeats < 1)
        refuse("an argument is wrong");
    if (m.p * m.q != ranks)
        refuse("P Q is not the number of ranks");
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "Row", m.p, m.q);
    Cblacs_gridinfo(context, &m.p, &m.q, &m.row, &m.column);
    m.rows = numroc_(&m.n, &m.nb, &m.row, &zero, &m.p);
    m.columns = numroc_(&m.n, &m.nb, &m.column, &zero, &m.q);
    m.ld = m.rows > 1 ? m.rows : 1;
    descinit_(m.desc, &m.n, &m.n, &m.nb, &m.nb, &zero, &zero, &context, &m.ld, &info);
    m.a = memory((size_t)m.ld * m.columns, sizeof *m.a);
    for (int repeat = 0; repeat < repeats; repeat++) {
        fill(&m, cubes == 1);
        double seconds = factorise(name, &m), determinant = logdet(&m, cubes == 1 ? 2 : 1);
        if (rank == 0) {
            printf("{\"routine\": \"%s\", \"n\": %d, \"nb\": %d, \"p\": %d, \"q\": %d, \"seconds\": %.6f, \"gflops\": %.2f, "
                   "\"logdet\": %.12g}\n",
                   name, m.n, m.nb, m.p, m.q, seconds, cubes / 3 * m.n * m.n * m.n / seconds * 1e-9, determinant);
            fflush(stdout);
        }
    }
    free(m.a);
    MPI_Finalize();
    return 0;
}
