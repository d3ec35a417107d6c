//! Times of kernels on one core, and rates of memory and disk.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use tegula_exageostat::covariance::{COVARIANCES, CovarianceError};
use tegula_kernels::backend::{Backend, Blas};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::{self, Vectors, rate};
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::rate::thread_seconds;
use tegula_kernels::kernel::{self, Functions, Kernel};
use tegula_kernels::scalar::{Precision, Real, Scalar};
use tegula_runtime::flow::{Codelet, Cost};
use tegula_runtime::platform::{ClassId, Durations, Models};

/// The class of workers that all times are noted for.
const CORE: ClassId = ClassId(0);

/// The kernel by which cores are compared.
const PRODUCT: &str = "gemm";

/// Sets of operands that are used in turn, so that each call finds its tiles where a task would:
/// as a rule not in the nearest cache.
const SETS: usize = 4;

/// Times `samples` calls of `kernel` on tiles of order `n` and notes each in `models`; nothing if
/// the kernel is not of this precision.
pub(crate) fn kernel(
    kernel: &Kernel,
    backend: &'static dyn Backend,
    precision: Precision,
    n: usize,
    samples: usize,
    models: &Models,
) {
    let (times, cost) = match (precision, &kernel.complex) {
        (Precision::Single, _) => call_times(&kernel.single, backend.single(), n, samples),
        (Precision::Double, _) => call_times(&kernel.double, backend.double(), n, samples),
        (Precision::ComplexSingle, Some((single, _))) => {
            call_times(single, backend.complex_single(), n, samples)
        }
        (Precision::ComplexDouble, Some((_, double))) => {
            call_times(double, backend.complex_double(), n, samples)
        }
        (Precision::ComplexSingle | Precision::ComplexDouble, None) => return,
    };
    times.iter().for_each(|&time| models.record(kernel.name, cost, CORE, time));
}

/// How a core goes on while it does the same again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Wall time from one call to the next, in seconds.
    pub(crate) seconds: f64,
    /// Share of that in which this thread ran: less than 1 where others use the core as well, or a
    /// limit holds it up.
    pub(crate) share: f64,
}

/// The pace of this thread in products of tiles of order `n`, over so much time at `least`.
pub(crate) fn pace(backend: &'static dyn Backend, n: usize, least: Duration) -> Pace {
    let product = &kernel::kernel(PRODUCT).expect("it is listed").double;
    let blas = backend.double();
    let mut operands = (product.operands)(n, &mut RandomInputs::new(1));
    let mut call = || {
        let mut views: Vec<&mut [f64]> = operands.iter_mut().map(Vec::as_mut_slice).collect();
        (product.run)(blas, n, &mut views);
    };
    // Tiles come from memory first.
    call();
    let (start, ran, mut calls) = (Instant::now(), thread_seconds(), 0);
    while calls == 0 || start.elapsed() < least {
        call();
        calls += 1;
    }
    let (wall, ran) = (start.elapsed().as_secs_f64(), thread_seconds() - ran);
    Pace { seconds: wall / f64::from(calls), share: (ran / wall).clamp(1e-3, 1.0) }
}

/// Nanoseconds of so many calls and the work of one, after one for each set of operands that does
/// not count. A third more are made, and the slowest left out: a machine does other things as well.
fn call_times<T: Scalar>(
    kernel: &Functions<T>,
    blas: &dyn Blas<T>,
    n: usize,
    samples: usize,
) -> (Vec<u64>, Cost) {
    let original = (kernel.operands)(n, &mut RandomInputs::new(1));
    let mut sets = vec![original.clone(); SETS];
    let mut times = Vec::new();
    for call in 0..SETS + samples + samples.div_ceil(3) {
        let operands = &mut sets[call % SETS];
        if let (Some(written), Some(before)) = (operands.last_mut(), original.last()) {
            written.copy_from_slice(before);
        }
        let mut views: Vec<&mut [T]> = operands.iter_mut().map(Vec::as_mut_slice).collect();
        let start = Instant::now();
        (kernel.run)(blas, n, &mut views);
        times.push(start.elapsed().as_nanos() as u64);
    }
    let mut times = times.split_off(SETS);
    times.sort_unstable();
    times.truncate(samples);
    (times, (kernel.cost)(n))
}

/// Times the generation of covariance tiles of order `n` and notes it in `models`; each sample is
/// the median of several tiles.
///
/// # Errors
/// If the first covariance of the list refuses its own defaults.
pub(crate) fn covariance(
    precision: Precision,
    n: usize,
    samples: usize,
    models: &Models,
) -> Result<(), CovarianceError> {
    let listed = &COVARIANCES[0];
    let values: Vec<f64> = listed.parameters.iter().map(|parameter| parameter.default).collect();
    let table = listed.table(&values, 0.0)?;
    let [rows, columns] = [1, 2].map(|seed| rate::random_points(Geometry::Plane, n, 1.0, seed));
    let vectors = Vectors::widest();
    for _ in 0..samples {
        let (entries, cost) = if precision == Precision::Double {
            (
                rate::entries_per_second::<f64>(vectors, &table, &rows, &columns),
                covariance_cost::<f64>(n),
            )
        } else {
            (
                rate::entries_per_second::<f32>(vectors, &table, &rows, &columns),
                covariance_cost::<f32>(n),
            )
        };
        let time = 1e9 * (n * n) as f64 / entries;
        models.record(covariance::Covariance::<f64>::NAME, cost, CORE, time.round() as u64);
    }
    Ok(())
}

fn covariance_cost<T: Real>(n: usize) -> Cost {
    covariance::Covariance::<T>::between(Geometry::Plane, (n, n)).cost()
}

/// Bytes that are copied, and written to disk, to see how fast that is.
const BLOCK: usize = 64 << 20;

/// Bytes per second of a copy in memory, on one core: the best of several.
pub(super) fn copy_rate() -> f64 {
    let source = vec![1_u8; BLOCK];
    let mut target = vec![0_u8; BLOCK];
    let mut best = 0.0_f64;
    for _ in 0..8 {
        let start = Instant::now();
        target.copy_from_slice(std::hint::black_box(&source));
        std::hint::black_box(&target);
        best = best.max(BLOCK as f64 / start.elapsed().as_secs_f64());
    }
    best
}

/// Bytes per second that the disk under `folder` takes, flushed, and gives. What was just written
/// may still be in the system's cache: reading is at most that fast.
///
/// # Errors
/// Those of the file.
pub(super) fn disk_rates(folder: &Path) -> io::Result<(f64, f64)> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut block = vec![7_u8; BLOCK];
    let start = Instant::now();
    file.write_all(&block)?;
    file.sync_all()?;
    let written = BLOCK as f64 / start.elapsed().as_secs_f64();
    file.seek(SeekFrom::Start(0))?;
    let start = Instant::now();
    file.read_exact(&mut block)?;
    Ok((written, BLOCK as f64 / start.elapsed().as_secs_f64()))
}
