//! Rates of the kernels in the list, on tiles that the caches hold and on tiles that they do not.
#![allow(unsafe_code)]

use super::{Functions, Kernel};
use crate::backend::{Backend, Blas};
use crate::kernel::trial::Draw;
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

/// Rate of `kernel` on tiles of order `n`, on the calling thread.
#[must_use]
pub fn rate(
    kernel: &Kernel,
    backend: &'static dyn Backend,
    precision: Precision,
    n: usize,
    temperature: Temperature,
) -> Rate {
    match precision {
        Precision::Single => measure(&kernel.single, backend.single(), n, temperature),
        Precision::Double => measure(&kernel.double, backend.double(), n, temperature),
    }
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

/// Processor time of this thread: on a shared machine, elapsed time would count the others' work.
fn thread_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one `timespec`, which is there.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert!(status == 0, "the clock of the thread's processor time answers {status}");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Sets of operands for as many calls.
struct Pool<T> {
    sets: Vec<Vec<Vec<T>>>,
    /// The operand that calls overwrite, as it was.
    original: Vec<T>,
    draw: Draw,
}

impl<T: Scalar> Pool<T> {
    fn new(kernel: &Functions<T>, n: usize, temperature: Temperature) -> Self {
        let mut draw = Draw::new(1);
        let first = (kernel.operands)(n, &mut draw);
        let bytes: usize = first.iter().map(|operand| size_of_val(operand.as_slice())).sum();
        let count = match temperature {
            Temperature::Warm => 1,
            Temperature::Cold => (POOL / bytes.max(1)).clamp(1, 1 << 14),
        };
        let original = first.last().cloned().unwrap_or_default();
        Self { sets: vec![first; count], original, draw }
    }

    /// Seconds per call, over all sets in random order and long enough to be measured; the
    /// overwritten operands are restored between rounds, off the clock.
    fn pass(&mut self, kernel: &Functions<T>, blas: &dyn Blas<T>, n: usize) -> f64 {
        let (mut seconds, mut calls) = (0.0, 0);
        while seconds < SHORTEST {
            self.restore();
            let order = self.shuffled();
            let start = thread_seconds();
            for &index in &order {
                (kernel.run)(blas, n, &mut self.sets[index]);
            }
            seconds += thread_seconds() - start;
            calls += order.len();
        }
        seconds / calls as f64
    }

    fn restore(&mut self) {
        for set in &mut self.sets {
            if let Some(last) = set.last_mut() {
                last.copy_from_slice(&self.original);
            }
        }
    }

    fn shuffled(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sets.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, (self.draw.bits() % (i as u64 + 1)) as usize);
        }
        order
    }
}
