//! Rates of the kernels in the list, on tiles that the caches hold and on tiles that they do not.
#![allow(unsafe_code)]

use super::{Functions, Kernel};
use crate::backend::{Backend, Blas};
use crate::kernel::random::RandomInputs;
use crate::scalar::{Precision, Scalar};

/// Where the operands are when a kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temperature {
    /// The same tiles again and again: in the caches, if they fit.
    Warm,
    /// Tiles taken in random order from a pool much larger than a core's own caches.
    Cold,
}

/// Bytes of the pool of [`Temperature::Cold`].
const POOL: usize = 256 << 20;

/// Passes over the pool, of which the median counts.
const PASSES: usize = 7;

/// Shortest time of one pass, in seconds: short calls are repeated.
const SHORTEST: f64 = 0.02;

/// A measured rate.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Seconds of one call: the median over several passes.
    pub seconds: f64,
    /// Floating-point operations of one call.
    pub flops: f64,
    /// Bytes that one call reads and writes.
    pub bytes: f64,
}

impl Rate {
    /// Billions of floating-point operations per second.
    #[must_use]
    pub fn gflops(&self) -> f64 {
        self.flops / self.seconds * 1e-9
    }

    /// Billions of bytes per second.
    #[must_use]
    pub fn gigabytes(&self) -> f64 {
        self.bytes / self.seconds * 1e-9
    }
}

/// Rate of `kernel` on tiles of order `n`, on the calling thread; `None` if the kernel is not of
/// this precision.
#[must_use]
pub fn rate(
    kernel: &Kernel,
    backend: &'static dyn Backend,
    precision: Precision,
    n: usize,
    temperature: Temperature,
) -> Option<Rate> {
    Some(match precision {
        Precision::Single => measure(&kernel.single, backend.single(), n, temperature),
        Precision::Double => measure(&kernel.double, backend.double(), n, temperature),
        Precision::ComplexSingle => {
            let (single, _) = kernel.complex.as_ref()?;
            measure(single, backend.complex_single(), n, temperature)
        }
        Precision::ComplexDouble => {
            let (_, double) = kernel.complex.as_ref()?;
            measure(double, backend.complex_double(), n, temperature)
        }
    })
}

fn measure<T: Scalar>(
    kernel: &Functions<T>,
    blas: &dyn Blas<T>,
    n: usize,
    temperature: Temperature,
) -> Rate {
    let cost = (kernel.cost)(n);
    let mut pool = Pool::new(kernel, n, temperature);
    let mut samples: Vec<f64> = (0..PASSES).map(|_| pool.pass(kernel, blas, n)).collect();
    samples.sort_by(f64::total_cmp);
    Rate { seconds: samples[PASSES / 2], flops: cost.flops, bytes: cost.bytes }
}

/// Seconds of processor time that this thread has run: on a shared machine, elapsed time would
/// count the others' work.
#[cfg(unix)]
#[must_use]
pub fn thread_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one `timespec`, which is there.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert!(status == 0, "the clock of the thread's processor time answers {status}");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds that have passed since it was first asked: no clock of one thread is known here.
#[cfg(not(unix))]
#[must_use]
pub fn thread_seconds() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Sets of operands for as many calls, in one piece of memory, as a runtime that pools its tiles
/// would have them.
struct Pool<T> {
    arena: Vec<T>,
    /// First element, past what is needed to begin on a cache line.
    first: usize,
    /// Lengths of the operands of one call, and of the room that each takes.
    lengths: Vec<(usize, usize)>,
    /// The operands as they were.
    original: Vec<Vec<T>>,
    random: RandomInputs,
}

/// Bytes of a cache line.
const LINE: usize = 64;

impl<T: Scalar> Pool<T> {
    fn new(kernel: &Functions<T>, n: usize, temperature: Temperature) -> Self {
        let mut random = RandomInputs::new(1);
        let original = (kernel.operands)(n, &mut random);
        let line = LINE / size_of::<T>();
        let room = |operand: &Vec<T>| (operand.len(), operand.len().next_multiple_of(line));
        let lengths: Vec<_> = original.iter().map(room).collect();
        let set: usize = lengths.iter().map(|&(_, room)| room).sum();
        let count = match temperature {
            Temperature::Warm => 1,
            Temperature::Cold => (POOL / (set * size_of::<T>()).max(1)).clamp(1, 1 << 14),
        };
        let mut arena = Vec::with_capacity(set * count + line);
        prefer_huge_pages(&arena);
        arena.resize(arena.capacity(), T::ZERO);
        let first = (arena.as_ptr().align_offset(LINE)).min(line);
        let mut pool = Self { arena, first, lengths, original, random };
        (0..pool.count()).for_each(|index| pool.restore(index, true));
        pool
    }

    /// Elements of the operands of one call.
    fn set(&self) -> usize {
        self.lengths.iter().map(|&(_, room)| room).sum()
    }

    fn count(&self) -> usize {
        (self.arena.len() - self.first) / self.set().max(1)
    }

    /// The operands of call `index`.
    fn operands(&mut self, index: usize) -> Vec<&mut [T]> {
        let start = self.first + index * self.set();
        let mut rest = &mut self.arena[start..];
        let mut operands = Vec::with_capacity(self.lengths.len());
        for &(length, room) in &self.lengths {
            let (operand, others) = rest.split_at_mut(room);
            operands.push(&mut operand[..length]);
            rest = others;
        }
        operands
    }

    /// Seconds per call, over all sets in random order and long enough to be measured; the
    /// overwritten operands are restored between rounds, off the clock.
    fn pass(&mut self, kernel: &Functions<T>, blas: &dyn Blas<T>, n: usize) -> f64 {
        let (mut seconds, mut calls) = (0.0, 0);
        while seconds < SHORTEST {
            let order = self.shuffled();
            order.iter().for_each(|&index| self.restore(index, false));
            let start = thread_seconds();
            for &index in &order {
                (kernel.run)(blas, n, &mut self.operands(index));
            }
            seconds += thread_seconds() - start;
            calls += order.len();
        }
        seconds / calls as f64
    }

    /// Brings back the overwritten operand of call `index`, or all.
    fn restore(&mut self, index: usize, all: bool) {
        let original = std::mem::take(&mut self.original);
        let last = original.len().saturating_sub(1);
        for (place, (operand, original)) in
            self.operands(index).iter_mut().zip(&original).enumerate()
        {
            if all || place == last {
                operand.copy_from_slice(original);
            }
        }
        self.original = original;
    }

    fn shuffled(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.count()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, (self.random.bits() % (i as u64 + 1)) as usize);
        }
        order
    }
}

/// Asks the system for large pages under memory that is not touched yet. A request: where it is not
/// granted, nothing changes but speed.
#[cfg(target_os = "linux")]
fn prefer_huge_pages<T>(memory: &Vec<T>) {
    const PAGE: usize = 4096;
    let first = memory.as_ptr().addr().next_multiple_of(PAGE);
    let end = (memory.as_ptr().addr() + memory.capacity() * size_of::<T>()) / PAGE * PAGE;
    if end > first {
        // SAFETY: whole pages of an allocation of ours; the advice changes no contents.
        unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
    }
}

/// Elsewhere nothing is asked for.
#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages<T>(_memory: &Vec<T>) {}
