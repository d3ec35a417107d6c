/* Tasks of a given length in plain MPI, after Task Bench (Slaughter et al., SC 2020): what is lost between them.
 *
 * Usage: mpirun -np RANKS task_bench stencil|fft|random POINTS STEPS BYTES ITERATIONS...
 *
 * A graph has STEPS steps of RANKS x POINTS tasks; task i of a step takes what tasks of the step before have put out, BYTES
 * from each (16 at least):
 *   stencil  i - 1, i, i + 1
 *   fft      i - 2^k, i, i + 2^k, with k = step modulo the logarithm of the width
 *   random   i, and each of the two neighbours on both sides with probability 1/2, drawn anew for each task
 * as far as they exist. A task runs the compute-bound kernel of Task Bench, 64 multiply-adds per iteration. Each rank has a
 * block of POINTS tasks; per step it starts all receives and sends, waits for them, and runs its tasks. What
 * comes is checked for step and task that it is from.
 *
 * For each number of iterations rank 0 prints one JSON object, of the best of three runs: `seconds_per_step`, the
 * `granularity`, which is the time of all ranks over the number of tasks, and the `efficiency`, which is the time
 * of the kernels at their best, timed before on all ranks at once, over that of the run. METG(50 %) is the smallest granularity
 * at which the efficiency is 0.5 or more.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5, LANES = 64 };

struct graph {
    char pattern;
    int rank, ranks, points, width, steps, bits;
    size_t bytes;
    char *out, *in;         /* per point; per point and slot */
    MPI_Request *requests;
};

/* What stands at the start of each output. */
struct stamp {
    int64_t step, task;
};

static int drawn(int step, int from, int to)
{
    uint64_t z = ((uint64_t)step << 40 ^ (uint64_t)from << 20 ^ (uint64_t)to) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int)((z ^ z >> 31) & 1);
}

/* Tasks of the step before that might give something to task i, by slot. They are those, too, to which i might give. */
static int near(const struct graph *g, int step, int i, int *tasks)
{
    int stride = g->pattern == 'f' && g->bits > 0 ? 1 << (step % g->bits) : 1;
    int reach = g->pattern == 'r' ? 2 : 1, count = 0;
    for (int k = -reach; k <= reach; k++)
        tasks[count++] = i + k * stride;
    return count;
}

static int gives(const struct graph *g, int step, int from, int to)
{
    int inside = from >= 0 && from < g->width && to >= 0 && to < g->width;
    return inside && (g->pattern != 'r' || from == to || drawn(step, from, to));
}

static char *output(const struct graph *g, int point) { return g->out + point * g->bytes; }
static char *input(const struct graph *g, int point, int slot) { return g->in + ((size_t)point * MOST + slot) * g->bytes; }

/* 128 operations per iteration; towards a fixed point that is neither zero nor infinite. Each call is to be made. */
static __attribute__((noinline)) double kernel(long iterations)
{
    __asm__ volatile("" ::: "memory");
    double lanes[LANES], sum = 0;
    for (int i = 0; i < LANES; i++)
        lanes[i] = 1e-3 * i;
    for (long n = 0; n < iterations; n++)
        for (int i = 0; i < LANES; i++)
            lanes[i] = lanes[i] * lanes[i] - 0.5;
    for (int i = 0; i < LANES; i++)
        sum += lanes[i];
    return sum;
}

static void check(const char *from, int step, int task)
{
    struct stamp stamp;
    memcpy(&stamp, from, sizeof stamp);
    if (stamp.step != step || stamp.task != task) {
        fprintf(stderr, "task %d of step %d: got task %ld of step %ld\n", task, step, (long)stamp.task, (long)stamp.step);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Receives and sends of one step; says how many. The tag is the point and slot where it goes. */
static int exchange(struct graph *g, int step)
{
    int first = g->rank * g->points, count = 0, tasks[MOST], slots[MOST];
    for (int point = 0; point < g->points; point++) {
        int slotted = near(g, step, first + point, tasks);
        for (int slot = 0; slot < slotted; slot++) {
            int from = tasks[slot];
            if (gives(g, step, from, first + point) && from / g->points != g->rank)
                MPI_Irecv(input(g, point, slot), (int)g->bytes, MPI_BYTE, from / g->points, point * MOST + slot, MPI_COMM_WORLD,
                          &g->requests[count++]);
        }
    }
    for (int point = 0; point < g->points; point++) {
        int slotted = near(g, step, first + point, tasks);
        for (int k = 0; k < slotted; k++) {
            int to = tasks[k];
            if (!gives(g, step, first + point, to) || to / g->points == g->rank)
                continue;
            int slot = 0;
            near(g, step, to, slots);
            while (slots[slot] != first + point)
                slot++;
            MPI_Isend(output(g, point), (int)g->bytes, MPI_BYTE, to / g->points, to % g->points * MOST + slot, MPI_COMM_WORLD,
                      &g->requests[count++]);
        }
    }
    return count;
}

/* The inputs of all tasks here are checked before any of them puts something out. */
static void check_inputs(const struct graph *g, int step)
{
    int first = g->rank * g->points, tasks[MOST];
    for (int point = 0; point < g->points; point++) {
        int slotted = near(g, step, first + point, tasks);
        for (int slot = 0; slot < slotted; slot++) {
            int from = tasks[slot];
            if (gives(g, step, from, first + point))
                check(from / g->points == g->rank ? output(g, from - first) : input(g, point, slot), step - 1, from);
        }
    }
}

/* Seconds of one run. */
static double run(struct graph *g, long iterations)
{
    volatile double sink = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < g->steps; step++) {
        if (step > 0) {
            MPI_Waitall(exchange(g, step), g->requests, MPI_STATUSES_IGNORE);
            check_inputs(g, step);
        }
        for (int point = 0; point < g->points; point++) {
            struct stamp stamp = {step, g->rank * g->points + point};
            sink += kernel(iterations);
            memcpy(output(g, point), &stamp, sizeof stamp);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

/* Seconds of one kernel at its best, with all ranks at work: the shortest of batches of at least 1 ms. */
static double alone(long iterations)
{
    volatile double sink = 0;
    double best = 1e300, all;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int batch = 0; batch < 20; batch++) {
        long count = 0;
        double start = MPI_Wtime(), seconds;
        do {
            for (int i = 0; i < 16; i++)
                sink += kernel(iterations);
            count += 16;
            seconds = MPI_Wtime() - start;
        } while (seconds < 1e-3);
        if (seconds / (double)count < best)
            best = seconds / (double)count;
    }
    MPI_Allreduce(&best, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct graph g = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.ranks);
    const char *names[] = {"stencil", "fft", "random"};
    for (int i = 0; argc > 1 && i < 3; i++)
        if (strcmp(argv[1], names[i]) == 0)
            g.pattern = names[i][0];
    g.points = argc > 2 ? atoi(argv[2]) : 0;
    g.steps = argc > 3 ? atoi(argv[3]) : 0;
    g.bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    if (!g.pattern || argc < 6 || g.points < 1 || g.points > 6000 || g.steps < 2 || g.bytes < sizeof(struct stamp)) {
        if (g.rank == 0)
            fprintf(stderr, "usage: task_bench stencil|fft|random POINTS STEPS BYTES ITERATIONS...\n"
                            "POINTS up to 6000, STEPS from 2, BYTES from 16\n");
        MPI_Finalize();
        return 2;
    }
    g.width = g.ranks * g.points;
    while (1 << (g.bits + 1) <= g.width)
        g.bits++;
    g.out = calloc(g.points, g.bytes);
    g.in = calloc((size_t)g.points * MOST, g.bytes);
    g.requests = malloc((size_t)g.points * MOST * 2 * sizeof *g.requests);
    if (!g.out || !g.in || !g.requests) {
        fprintf(stderr, "no memory for %d points of %zu bytes\n", g.points, g.bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int argument = 5; argument < argc; argument++) {
        long iterations = atol(argv[argument]);
        double task = alone(iterations), seconds = 1e300;
        for (int repeat = 0; repeat < 3; repeat++) {
            double once = run(&g, iterations);
            seconds = once < seconds ? once : seconds;
        }
        if (g.rank == 0) {
            printf("{\"pattern\": \"%s\", \"ranks\": %d, \"width\": %d, \"steps\": %d, \"bytes\": %zu, \"iterations\": %ld, "
                   "\"seconds_per_step\": %.3e, \"granularity\": %.3e, \"kernel_seconds\": %.3e, \"efficiency\": %.4f}\n",
                   argv[1], g.ranks, g.width, g.steps, g.bytes, iterations, seconds / g.steps, seconds / g.steps / g.points, task,
                   task * g.points * g.steps / seconds);
            fflush(stdout);
        }
    }
    free(g.out), free(g.in), free(g.requests);
    MPI_Finalize();
    return 0;
}
