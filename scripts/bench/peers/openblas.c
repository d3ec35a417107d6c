/* One repetition of OpenBLAS's dgemm or dpotrf with its own threads, so that a driver can interleave it with another
 * library's.
 *
 * Usage: openblas dgemm|dpotrf N [THREADS] (2 threads by default); prints one JSON object.
 *
 * dgemm: C = C - A B, all N x N, 2 N^3 operations. dpotrf: lower Cholesky factor of a symmetric matrix with random
 * entries in [-0.5, 0.5] and N on the diagonal, N^3/3 operations. The matrices are made, and the threads started by a
 * small product, before the time runs.
 *
 * A library that does not recognise the processor falls back to its oldest kernels (it then calls the core Prescott),
 * which would make a poor peer: the program starts itself again with OPENBLAS_CORETYPE set to what the processor can do.
 */
#define _POSIX_C_SOURCE 200809L
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* An n x n matrix with entries in [-0.5, 0.5] from a linear congruential generator. */
static double *random_matrix(int n, unsigned long long seed)
{
    double *a = malloc((size_t)n * n * sizeof *a);
    if (!a) {
        fprintf(stderr, "no memory for a matrix of order %d\n", n);
        exit(1);
    }
    for (size_t i = 0; i < (size_t)n * n; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        a[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
    return a;
}

static void multiply(int n, const double *a, const double *b, double *c)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, -1.0, a, n, b, n, 1.0, c, n);
}

static double time_dgemm(int n)
{
    double *a = random_matrix(n, 1), *b = random_matrix(n, 2), *c = random_matrix(n, 3);
    double start = now();
    multiply(n, a, b, c);
    double seconds = now() - start;
    free(a);
    free(b);
    free(c);
    return seconds;
}

static double time_dpotrf(int n)
{
    double *a = random_matrix(n, 1);
    for (int i = 0; i < n; i++)
        a[(size_t)i * n + i] = n;
    int info = 0;
    double start = now();
    dpotrf_("L", &n, a, &n, &info);
    double seconds = now() - start;
    free(a);
    if (info != 0) {
        fprintf(stderr, "dpotrf failed: info %d\n", info);
        exit(1);
    }
    return seconds;
}

/* Starts the program again with better kernels where the library has chosen poor ones and the user none. */
static void insist_on_good_kernels(char **argv)
{
    const char *better = __builtin_cpu_supports("avx512vl") ? "SkylakeX"
                         : __builtin_cpu_supports("avx2")   ? "Haswell"
                                                            : NULL;
    if (better && !getenv("OPENBLAS_CORETYPE") && strcmp(openblas_get_corename(), "Prescott") == 0) {
        setenv("OPENBLAS_CORETYPE", better, 1);
        execv("/proc/self/exe", argv);
        perror("cannot start again with OPENBLAS_CORETYPE set");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0, threads = argc > 3 ? atoi(argv[3]) : 2;
    int gemm = argc > 1 && strcmp(argv[1], "dgemm") == 0, potrf = argc > 1 && strcmp(argv[1], "dpotrf") == 0;
    if (!(gemm || potrf) || n < 1 || threads < 1) {
        fprintf(stderr, "usage: %s dgemm|dpotrf N [THREADS]\n", argv[0]);
        return 2;
    }
    insist_on_good_kernels(argv);
    openblas_set_num_threads(threads);
    time_dgemm(n < 512 ? n : 512);
    double seconds = gemm ? time_dgemm(n) : time_dpotrf(n);
    double flops = (gemm ? 2.0 : 1.0 / 3.0) * n * n * n;
    printf("{\"routine\": \"%s\", \"n\": %d, \"threads\": %d, \"core\": \"%s\", \"seconds\": %.6f, \"gflops\": %.2f}\n",
           argv[1], n, openblas_get_num_threads(), openblas_get_corename(), seconds, flops / seconds * 1e-9);
    return 0;
}
