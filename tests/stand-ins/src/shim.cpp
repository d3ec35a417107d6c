// Plays a CUDA device on the host. Each thread of a block is a fiber that runs until it waits for
// others; a kernel in which nobody waits is a plain loop. Blocks run one after the other.
#include <csetjmp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <sys/mman.h>
#include <tuple>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

using std::fabs, std::fma, std::hypot, std::asin, std::pow, std::exp, std::log, std::sqrt, std::log1p;
using std::copysign, std::expm1, std::fmax, std::fmin, std::cos, std::sin;

struct dim3 { unsigned x = 1, y = 1, z = 1; };
struct uint3 { unsigned x, y, z; };
struct float2 { float x, y; };
struct double2 { double x, y; };
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline double2 make_double2(double x, double y) { return {x, y}; }

namespace play {

// Where the thread that runs is: what threadIdx and the others read.
struct Now { uint3 thread, block; dim3 threads, blocks; };

enum State : unsigned char { RUNNING, AT_BLOCK, AT_WARP, DONE };

struct Fiber {
    ucontext_t start;
    jmp_buf place;
    bool is_new;
};

struct Thread {
    State state;
    unsigned mask;
    Fiber *fiber;
    // What it shows to the others of its warp.
    alignas(16) unsigned char shown[16];
};

constexpr size_t STACK = 64 << 10;
constexpr unsigned WARP = 32;

// The threads of the block that runs.
struct Team {
    Now now;
    std::vector<Thread> threads;
    std::vector<Fiber *> spare;
    const std::function<void()> *kernel;
    unsigned count, next, done, at_warp, current;
    Fiber *fiber;
    jmp_buf scheduler;
    std::vector<std::max_align_t> shared;
    // For the order of threads and blocks; in their own if 0.
    uint64_t seed;
    bool backwards;
};

// One kernel of a module runs at a time, whatever the stream, so that what it uses may be global.
static std::mutex turn;
static Team team;
static Now *const now = &team.now;

[[noreturn]] static inline void fail(const char *words) {
    std::fprintf(stderr, "stand-in: %s\n", words);
    std::abort();
}

// Makes thread `index` the one that runs.
static inline void be(unsigned index) {
    unsigned wide = now->threads.x, high = now->threads.y;
    team.current = index;
    now->thread = {index % wide, index / wide % high, index / (wide * high)};
}

static inline unsigned in_order(unsigned index) {
    return team.backwards ? team.count - 1 - index : index;
}

// What a fiber does: one thread after the other, as long as there are some that nobody has begun.
static inline void begin_threads() {
    for (;;) {
        while (team.next < team.count) {
            unsigned index = in_order(team.next++);
            team.threads[index].fiber = team.fiber;
            be(index);
            (*team.kernel)();
            team.threads[team.current].state = DONE;
            team.done++;
        }
        team.spare.push_back(team.fiber);
        if (_setjmp(team.fiber->place) == 0) _longjmp(team.scheduler, 1);
    }
}

static inline Fiber *new_fiber() {
    Fiber *fiber = new Fiber;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (stack == MAP_FAILED) fail("the host has no memory for the threads of a block");
    getcontext(&fiber->start);
    fiber->start.uc_stack.ss_sp = stack;
    fiber->start.uc_stack.ss_size = STACK;
    fiber->start.uc_link = nullptr;
    makecontext(&fiber->start, begin_threads, 0);
    fiber->is_new = true;
    return fiber;
}

// Runs `fiber` until it waits or has nothing left.
__attribute__((noinline)) static void resume(Fiber *fiber) {
    team.fiber = fiber;
    if (_setjmp(team.scheduler) != 0) return;
    if (team.fiber->is_new) {
        team.fiber->is_new = false;
        setcontext(&team.fiber->start);
    }
    _longjmp(team.fiber->place, 1);
}

// Waits for the other threads of the block, or for those of the warp that `mask` names.
__attribute__((noinline)) static void wait(State where, unsigned mask) {
    Thread &thread = team.threads[team.current];
    thread.state = where;
    thread.mask = mask;
    team.at_warp += where == AT_WARP;
    if (_setjmp(team.fiber->place) == 0) _longjmp(team.scheduler, 1);
}

// Whether all that a thread of a warp waits for are there.
static inline bool is_met(unsigned index) {
    unsigned first = index / WARP * WARP, mask = team.threads[index].mask;
    for (unsigned lane = 0; lane < WARP && first + lane < team.count; lane++) {
        const Thread &other = team.threads[first + lane];
        if (mask >> lane & 1 && other.state != DONE && other.state != AT_WARP) return false;
    }
    return true;
}

// The threads that may go on.
static inline void met(std::vector<unsigned> &going) {
    going.clear();
    for (unsigned k = 0; team.at_warp > 0 && k < team.count; k++) {
        unsigned index = in_order(k);
        if (team.threads[index].state == AT_WARP && is_met(index)) going.push_back(index);
    }
    if (!going.empty()) return;
    if (team.at_warp > 0) fail("threads of a warp wait for others that wait elsewhere");
    for (unsigned k = 0; k < team.count; k++) {
        unsigned index = in_order(k);
        if (team.threads[index].state == AT_BLOCK) going.push_back(index);
    }
}

static inline void flip() {
    if (team.seed == 0) return;
    team.seed = team.seed * 6364136223846793005u + 1442695040888963407u;
    team.backwards = team.seed >> 63;
}

static inline void run_block() {
    team.next = team.done = team.at_warp = 0;
    flip();
    for (Thread &thread : team.threads) thread.state = RUNNING;
    while (team.next < team.count) {
        if (team.spare.empty()) team.spare.push_back(new_fiber());
        Fiber *fiber = team.spare.back();
        team.spare.pop_back();
        resume(fiber);
    }
    static std::vector<unsigned> going;
    while (team.done < team.count) {
        flip();
        met(going);
        for (unsigned index : going) {
            Thread &thread = team.threads[index];
            team.at_warp -= thread.state == AT_WARP;
            thread.state = RUNNING;
        }
        for (unsigned index : going) {
            be(index);
            resume(team.threads[index].fiber);
        }
    }
}

// Runs a kernel in so many blocks of so many threads.
static inline void run(dim3 blocks, dim3 threads, size_t shared, uint64_t seed,
                       const std::function<void()> &kernel) {
    std::lock_guard<std::mutex> alone(turn);
    *now = {{}, {}, threads, blocks};
    team.kernel = &kernel;
    team.count = threads.x * threads.y * threads.z;
    team.threads.resize(team.count);
    team.shared.resize(shared / sizeof(std::max_align_t) + 1);
    team.seed = seed;
    team.backwards = false;
    uint64_t count = (uint64_t)blocks.x * blocks.y * blocks.z;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t block = seed & 1 ? count - 1 - k : k;
        unsigned across = block % blocks.x, rest = block / blocks.x;
        now->block = {across, rest % blocks.y, rest / blocks.y};
        std::memset(team.shared.data(), 0xFF, shared);
        run_block();
    }
}

static inline void *shared() { return team.shared.data(); }

// Shows `value` to the warp; what the thread `lane` of it shows, if it is there.
template <class T> static inline T exchange(unsigned mask, T value, unsigned lane) {
    static_assert(sizeof(T) <= 16);
    unsigned source = team.current / WARP * WARP + lane;
    std::memcpy(team.threads[team.current].shown, &value, sizeof(T));
    wait(AT_WARP, mask);
    if (source < team.count) std::memcpy(&value, team.threads[source].shown, sizeof(T));
    wait(AT_WARP, mask);
    return value;
}

static inline unsigned lane() { return team.current % WARP; }

}  // namespace play

#define threadIdx (play::now->thread)
#define blockIdx (play::now->block)
#define blockDim (play::now->threads)
#define gridDim (play::now->blocks)
#define warpSize 32
#define __global__
#define __launch_bounds__(...)
#define __device__ static
#define __constant__ static
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(bytes) alignas(bytes)
#define __shared__ static
#define __syncthreads() play::wait(play::AT_BLOCK, ~0u)
#define __threadfence() __sync_synchronize()
#define __threadfence_block() __sync_synchronize()

static inline void __syncwarp(unsigned mask = ~0u) { play::wait(play::AT_WARP, mask); }

template <class T> static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    unsigned first = play::lane() / width * width;
    return play::exchange(mask, value, first + (unsigned)lane % width);
}

template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
    unsigned lane = play::lane();
    return play::exchange(mask, value, lane % width + by < (unsigned)width ? lane + by : lane);
}

template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
    unsigned lane = play::lane();
    return play::exchange(mask, value, lane % width >= by ? lane - by : lane);
}

template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
    unsigned lane = play::lane(), other = lane ^ (unsigned)with;
    return play::exchange(mask, value, other / width <= lane / width ? other : lane);
}

static inline unsigned __ballot_sync(unsigned mask, int holds) {
    unsigned ballot = holds ? 1u << play::lane() : 0u;
    for (unsigned by = 1; by < play::WARP; by *= 2) {
        ballot |= play::exchange(mask, ballot, play::lane() ^ by);
    }
    return ballot & mask;
}
static inline int __any_sync(unsigned mask, int holds) { return __ballot_sync(mask, holds) != 0; }
static inline int __all_sync(unsigned mask, int holds) { return __ballot_sync(mask, !holds) == 0; }

// Streams may run kernels at the same time, so that these must be atomic here as well.
template <class T, class Change> static inline T play_atomic(T *place, Change change) {
    T before, after;
    __atomic_load(place, &before, __ATOMIC_SEQ_CST);
    do after = change(before);
    while (!__atomic_compare_exchange(place, &before, &after, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST));
    return before;
}
template <class T, class V> static inline T atomicAdd(T *place, V by) {
    return play_atomic(place, [=](T x) { return (T)(x + (T)by); });
}
template <class T, class V> static inline T atomicMax(T *place, V other) {
    return play_atomic(place, [=](T x) { return x < (T)other ? (T)other : x; });
}
template <class T, class V> static inline T atomicMin(T *place, V other) {
    return play_atomic(place, [=](T x) { return (T)other < x ? (T)other : x; });
}
template <class T, class V> static inline T atomicOr(T *place, V other) {
    return play_atomic(place, [=](T x) { return (T)(x | (T)other); });
}
template <class T, class V> static inline T atomicExch(T *place, V value) {
    return play_atomic(place, [=](T) { return (T)value; });
}
template <class T, class C, class V> static inline T atomicCAS(T *place, C from, V to) {
    return play_atomic(place, [=](T x) { return x == (T)from ? (T)to : x; });
}

template <class A, class B> static inline auto min(A a, B b) -> std::common_type_t<A, B> {
    return b < a ? b : a;
}
template <class A, class B> static inline auto max(A a, B b) -> std::common_type_t<A, B> {
    return a < b ? b : a;
}
template <class T> static inline T __ldg(const T *place) { return *place; }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }

template <class To, class From> static inline To play_bits(From from) {
    To to;
    static_assert(sizeof to == sizeof from);
    std::memcpy(&to, &from, sizeof to);
    return to;
}
static inline long long __double_as_longlong(double x) { return play_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return play_bits<double>(x); }
static inline int __float_as_int(float x) { return play_bits<int>(x); }
static inline float __int_as_float(int x) { return play_bits<float>(x); }

// Runs a kernel in so many blocks of so many threads, each along one axis.
template <class Kernel> static void launch(unsigned blocks, unsigned threads, Kernel kernel) {
    play::run({blocks}, {threads}, 0, 0, kernel);
}

// A launch through the driver: arguments are copied at once, addresses on the device become those
// of the host, and the kernel runs later.
using PlayAddress = void *(*)(void *context, const void *address);

template <class T> static inline T play_argument(const void *place, PlayAddress address, void *context) {
    T value;
    std::memcpy(&value, place, sizeof value);
    if constexpr (std::is_pointer_v<T>) value = (T)address(context, (const void *)value);
    return value;
}

template <class... A, size_t... I>
static std::function<void()> *play_bind(void (*kernel)(A...), void **arguments, PlayAddress address,
                                        void *context, std::index_sequence<I...>) {
    std::tuple<A...> values{play_argument<A>(arguments[I], address, context)...};
    return new std::function<void()>([=] { std::apply(kernel, values); });
}

template <class... A>
static std::function<void()> *play_prepare(void (*kernel)(A...), void **arguments,
                                           PlayAddress address, void *context) {
    return play_bind(kernel, arguments, address, context, std::index_sequence_for<A...>{});
}

extern "C" __attribute__((unused)) void play_run(std::function<void()> *kernel,
                                                  const unsigned *blocks, const unsigned *threads,
                                                  unsigned shared, uint64_t seed) {
    play::run({blocks[0], blocks[1], blocks[2]}, {threads[0], threads[1], threads[2]}, shared, seed,
              *kernel);
    delete kernel;
}

#define PLAY(name)                                                                                 \
    extern "C" std::function<void()> *play_prepare_##name(void **arguments, PlayAddress address,   \
                                                          void *context) {                         \
        return play_prepare(name, arguments, address, context);                                    \
    }
