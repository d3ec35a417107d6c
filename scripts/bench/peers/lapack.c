/* One run of a BLAS or LAPACK routine of a library that is loaded by its name, with the library's own threads, so that a
 * driver can interleave it with another library's.
 *
 * Usage: lapack LIBRARY dgemm|dtrsm|dpotrf|dposv|dgetrf|dgesv|dgeqrf|dgels|dsyev|dsyevd|dgesdd N [NRHS] [THREADS]
 * (N right-hand sides and 2 threads by default); prints one JSON object. dsyev, dsyevd and dgesdd find vectors too,
 * dsyev-values, dsyevd-values and dgesdd-values none.
 *
 * Matrices are N x N with random entries in [-0.5, 0.5], and N on the diagonal; right-hand sides are random. They are
 * made, and the threads started by a small product, before the time runs. The rate counts the operations of LAPACK's
 * own formulas; of eigenvalues and singular values those of the reduction, 4/3 N^3 and 8/3 N^3, and of the return of
 * vectors, 2 N^3 and 4 N^3.
 *
 * OpenBLAS falls back to its oldest kernels on a processor that it does not recognise (it then calls the core
 * Prescott), which would make a poor peer: the program starts itself again with OPENBLAS_CORETYPE set to what the
 * processor can do.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void routine(); /* Fortran's: every argument a pointer */

static routine *find(void *library, const char *name)
{
    char symbol[40];
    snprintf(symbol, sizeof symbol, "%s_", name);
    void *address = dlsym(library, symbol);
    if (!address) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return (routine *)address;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double *numbers(size_t count)
{
    double *a = malloc((count ? count : 1) * sizeof *a);
    if (!a) {
        fprintf(stderr, "no memory for %zu numbers\n", count);
        exit(1);
    }
    return a;
}

/* An m x n matrix from a linear congruential generator, with `diagonal` on its diagonal unless that is 0. */
static double *matrix(int m, int n, unsigned long long seed, double diagonal)
{
    double *a = numbers((size_t)m * n);
    for (size_t i = 0; i < (size_t)m * n; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        a[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
    for (int i = 0; diagonal != 0 && i < n && i < m; i++)
        a[(size_t)i * m + i] = diagonal;
    return a;
}

/* Runs a routine on fresh matrices; its seconds, and its operations in *flops. Workspaces are asked for first. */
static double timed(void *library, const char *name, int n, int nrhs, double *flops)
{
    char plain[32], *jobs, *job;
    snprintf(plain, sizeof plain, "%s", name);
    if ((jobs = strstr(plain, "-values")) != NULL)
        *jobs = 0;
    job = jobs ? "N" : strcmp(plain, "dgesdd") == 0 ? "S" : "V";
    name = plain;
    routine *f = find(library, name);
    int is = 0, info = 0, lwork = -1, *iwork = malloc(sizeof(int) * (8 * (size_t)n + 8)), liwork = 8 * n + 8;
    double one = 1, minus = -1, asked[1] = {0}, *work = asked, n3 = (double)n * n * n, n2r = (double)n * n * nrhs;
    double *a = matrix(n, n, 1, n), *b = matrix(n, nrhs, 2, 0), *c = NULL, *d = NULL, *e = NULL, start = 0;
    if (strcmp(name, "dgemm") == 0)
        c = matrix(n, n, 3, 0), d = matrix(n, n, 4, 0), *flops = 2 * n3;
    if (strcmp(name, "dgesdd") == 0)
        c = numbers((size_t)n * n), d = numbers((size_t)n * n);
    e = numbers((size_t)4 * n);
    for (int pass = 0; pass < 2; pass++) {
        /* The first pass asks those with workspaces for their sizes; the others do nothing in it. */
        start = now();
        is = 1;
        if (strcmp(name, "dgeqrf") == 0)
            f(&n, &n, a, &n, e, work, &lwork, &info), *flops = 4.0 / 3 * n3;
        else if (strcmp(name, "dgels") == 0)
            f("N", &n, &n, &nrhs, a, &n, b, &n, work, &lwork, &info, (size_t)1), *flops = 4.0 / 3 * n3 + 3 * n2r;
        else if (strcmp(name, "dsyev") == 0)
            f(job, "L", &n, a, &n, e, work, &lwork, &info, (size_t)1, (size_t)1), *flops = (jobs ? 4 : 10) / 3.0 * n3;
        else if (strcmp(name, "dsyevd") == 0)
            liwork = pass ? liwork : -1, f(job, "L", &n, a, &n, e, work, &lwork, iwork, &liwork, &info, (size_t)1, (size_t)1), *flops = (jobs ? 4 : 10) / 3.0 * n3;
        else if (strcmp(name, "dgesdd") == 0)
            f(job, &n, &n, a, &n, e, c, &n, d, &n, work, &lwork, iwork, &info, (size_t)1), *flops = (jobs ? 8 : 20) / 3.0 * n3;
        else if (pass == 0)
            is = 0;
        else if (strcmp(name, "dgemm") == 0)
            f("N", "N", &n, &n, &n, &minus, c, &n, d, &n, &one, a, &n, (size_t)1, (size_t)1);
        else if (strcmp(name, "dtrsm") == 0)
            f("L", "L", "N", "N", &n, &nrhs, &one, a, &n, b, &n, (size_t)1, (size_t)1, (size_t)1, (size_t)1), *flops = n2r;
        else if (strcmp(name, "dpotrf") == 0)
            f("L", &n, a, &n, &info, (size_t)1), *flops = n3 / 3;
        else if (strcmp(name, "dposv") == 0)
            f("L", &n, &nrhs, a, &n, b, &n, &info, (size_t)1), *flops = n3 / 3 + 2 * n2r;
        else if (strcmp(name, "dgetrf") == 0)
            f(&n, &n, a, &n, iwork, &info), *flops = 2.0 / 3 * n3;
        else if (strcmp(name, "dgesv") == 0)
            f(&n, &nrhs, a, &n, iwork, b, &n, &info), *flops = 2.0 / 3 * n3 + 2 * n2r;
        else {
            fprintf(stderr, "no routine %s here\n", name);
            exit(2);
        }
        if (pass == 0 && is) {
            lwork = (int)asked[0];
            if (strcmp(name, "dsyevd") == 0)
                liwork = iwork[0], iwork = realloc(iwork, sizeof(int) * (size_t)liwork);
            work = numbers((size_t)lwork);
        }
    }
    double seconds = now() - start;
    if (info != 0) {
        fprintf(stderr, "%s failed: info %d\n", name, info);
        exit(1);
    }
    free(a), free(b), free(c), free(d), free(e), free(iwork);
    if (work != asked)
        free(work);
    return seconds;
}

/* Starts the program again with better kernels where OpenBLAS has chosen poor ones and the user none. */
static const char *core(void *library, char **argv)
{
    char *(*name)(void) = (char *(*)(void))dlsym(library, "openblas_get_corename");
    const char *better = __builtin_cpu_supports("avx512vl") ? "SkylakeX"
                         : __builtin_cpu_supports("avx2")   ? "Haswell"
                                                            : NULL;
    if (name && better && !getenv("OPENBLAS_CORETYPE") && strcmp(name(), "Prescott") == 0) {
        setenv("OPENBLAS_CORETYPE", better, 1);
        execv("/proc/self/exe", argv);
        perror("cannot start again with OPENBLAS_CORETYPE set");
        exit(1);
    }
    return name ? name() : "unknown";
}

int main(int argc, char **argv)
{
    int n = argc > 3 ? atoi(argv[3]) : 0, nrhs = argc > 4 ? atoi(argv[4]) : n;
    const char *threads = argc > 5 ? argv[5] : "2";
    if (n < 1 || nrhs < 1 || atoi(threads) < 1) {
        fprintf(stderr, "usage: %s LIBRARY ROUTINE N [NRHS] [THREADS]\n", argv[0]);
        return 2;
    }
    /* Read by the libraries when they are loaded. */
    setenv("OPENBLAS_NUM_THREADS", threads, 1);
    setenv("MKL_NUM_THREADS", threads, 1);
    setenv("OMP_NUM_THREADS", threads, 1);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const char *kernels = core(library, argv);
    double flops = 0;
    timed(library, "dgemm", n < 512 ? n : 512, 1, &flops);
    double seconds = timed(library, argv[2], n, nrhs, &flops);
    printf("{\"routine\": \"%s\", \"n\": %d, \"nrhs\": %d, \"threads\": %s, \"core\": \"%s\", \"seconds\": %.6f, \"gflops\": %.2f}\n",
           argv[2], n, nrhs, threads, kernels, seconds, flops / seconds * 1e-9);
    return 0;
}
