/* What an empty task costs under OpenMP's `task depend`, from the first submission to the last completion.
 *
 * Graphs, each a list of tasks in the order of submission with the handles that they access (a handle is an address):
 *   independent  50 000 tasks; task i reads and writes handle i.
 *   chain        50 000 tasks; every task reads and writes the one handle.
 *   grid         200 x 200 cells in row-major order; task (i,j) reads (i-1,j) if i > 0 and (i,j-1) if j > 0, and
 *                writes (i,j): 40 000 tasks.
 *   cholesky     the lower triangle of 50 x 50 tiles, right-looking: for each k, potrf reads and writes (k,k); for each
 *                m > k, trsm reads (k,k) and reads and writes (m,k); for each n > k, syrk reads (n,k) and reads and
 *                writes (n,n), and for each m > n, gemm reads (m,k) and (n,k) and reads and writes (m,n):
 *                22 100 tasks.
 *
 * One thread submits (`single` within `parallel`) and takes part in the work once it waits; the time runs from before
 * the first submission to after `taskwait`. GCC's libgomp runs a task at once, after waiting for what it depends on,
 * when more than 64 tasks per thread are pending: this is part of what is measured.
 *
 * Usage: openmp_tasks [REPETITIONS [MOST_THREADS]] (9 and 2 by default); one JSON object per line.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { INDEPENDENT = 50000, CHAIN = 50000, SIDE = 200, TILES = 50 };

static char handle[INDEPENDENT];

static long independent(void)
{
    for (int i = 0; i < INDEPENDENT; i++) {
#pragma omp task depend(inout : handle[i])
        {
        }
    }
    return INDEPENDENT;
}

static long chain(void)
{
    for (int i = 0; i < CHAIN; i++) {
#pragma omp task depend(inout : handle[0])
        {
        }
    }
    return CHAIN;
}

#define CELL(i, j) handle[(i) * SIDE + (j)]

static long grid(void)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            if (i > 0 && j > 0) {
#pragma omp task depend(in : CELL(i - 1, j), CELL(i, j - 1)) depend(out : CELL(i, j))
                {
                }
            } else if (i > 0) {
#pragma omp task depend(in : CELL(i - 1, j)) depend(out : CELL(i, j))
                {
                }
            } else if (j > 0) {
#pragma omp task depend(in : CELL(i, j - 1)) depend(out : CELL(i, j))
                {
                }
            } else {
#pragma omp task depend(out : CELL(i, j))
                {
                }
            }
        }
    }
    return SIDE * SIDE;
}

#define TILE(m, n) handle[(m) * TILES + (n)]

static long cholesky(void)
{
    long tasks = 0;
    for (int k = 0; k < TILES; k++) {
#pragma omp task depend(inout : TILE(k, k))
        {
        }
        tasks++;
        for (int m = k + 1; m < TILES; m++) {
#pragma omp task depend(in : TILE(k, k)) depend(inout : TILE(m, k))
            {
            }
            tasks++;
        }
        for (int n = k + 1; n < TILES; n++) {
#pragma omp task depend(in : TILE(n, k)) depend(inout : TILE(n, n))
            {
            }
            tasks++;
            for (int m = n + 1; m < TILES; m++) {
#pragma omp task depend(in : TILE(m, k), TILE(n, k)) depend(inout : TILE(m, n))
                {
                }
                tasks++;
            }
        }
    }
    return tasks;
}

static const struct {
    const char *name;
    long (*submit)(void);
} GRAPHS[] = {{"independent", independent}, {"chain", chain}, {"grid", grid}, {"cholesky", cholesky}};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds per task of one run. */
static double run(long (*submit)(void), int threads, long *tasks)
{
    double seconds = 0;
    long submitted = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        double start = omp_get_wtime();
        submitted = submit();
#pragma omp taskwait
        seconds = omp_get_wtime() - start;
    }
    *tasks = submitted;
    return seconds / submitted;
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : 9;
    int most = argc > 2 ? atoi(argv[2]) : 2;
    if (repetitions < 1 || most < 1) {
        fprintf(stderr, "usage: %s [REPETITIONS [MOST_THREADS]]\n", argv[0]);
        return 2;
    }
    double *seconds = malloc(repetitions * sizeof *seconds);
    if (!seconds) {
        fprintf(stderr, "no memory for %d repetitions\n", repetitions);
        return 1;
    }
    omp_set_dynamic(0);
    for (size_t g = 0; g < sizeof GRAPHS / sizeof *GRAPHS; g++) {
        for (int threads = 1; threads <= most; threads++) {
            long tasks = 0;
            run(GRAPHS[g].submit, threads, &tasks); /* the first run pays for threads and memory */
            for (int r = 0; r < repetitions; r++)
                seconds[r] = run(GRAPHS[g].submit, threads, &tasks);
            qsort(seconds, repetitions, sizeof *seconds, ascending);
            double median = (seconds[(repetitions - 1) / 2] + seconds[repetitions / 2]) / 2;
            printf("{\"graph\": \"%s\", \"workers\": %d, \"tasks\": %ld, \"repetitions\": %d, "
                   "\"seconds_per_task\": %.3e, \"best\": %.3e}\n",
                   GRAPHS[g].name, threads, tasks, repetitions, median, seconds[0]);
            fflush(stdout);
        }
    }
    free(seconds);
    return 0;
}
