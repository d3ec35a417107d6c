// Plays a CUDA device on the host: each thread of a block is a thread, blocks run one after the other.
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

using std::fabs, std::fma, std::hypot, std::asin, std::pow, std::exp, std::log, std::sqrt;

struct Place { unsigned x, y, z; };
static thread_local Place threadIdx, blockIdx;
static Place blockDim, gridDim;
static std::barrier<> *gate;

#define __global__
#define __align__(bytes) alignas(bytes)
#define __launch_bounds__(threads)
#define __device__ static
#define __shared__ static
#define __syncthreads() gate->arrive_and_wait()

static long long __double_as_longlong(double x) {
    long long bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double __longlong_as_double(long long bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// Runs a kernel in so many blocks of so many threads.
template <class Kernel> static void launch(unsigned blocks, unsigned threads, Kernel kernel) {
    blockDim = {threads, 1, 1};
    gridDim = {blocks, 1, 1};
    for (unsigned block = 0; block < blocks; block++) {
        std::barrier<> all(threads);
        gate = &all;
        std::vector<std::thread> team;
        for (unsigned thread = 0; thread < threads; thread++) {
            team.emplace_back([&, thread] {
                threadIdx = {thread, 0, 0};
                blockIdx = {block, 0, 0};
                kernel();
                all.arrive_and_drop();
            });
        }
        for (auto &thread : team) thread.join();
    }
}
