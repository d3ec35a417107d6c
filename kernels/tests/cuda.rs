//! Every kernel that has a CUDA side on every CUDA device that is there, against the same kernel on
//! a core, through the engine: one list, which a new kernel joins with a line.

#[allow(dead_code)]
#[path = "../../runtime/tests/conformance/stand_in.rs"]
mod stand_in;

use std::env;
use std::process::Command;
use std::sync::Arc;

use tegula_kernels::cuda;
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::column_squares::ColumnSquares;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_kernels::kernel::covariance::{Correlation, Covariance, RadialTable, SmallExpansion};
use tegula_kernels::kernel::dot::Dot;
use tegula_kernels::kernel::geadd::Geadd;
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::kernel::gemv::Gemv;
use tegula_kernels::kernel::getrf_nopiv::GetrfNopiv;
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::lauum::Lauum;
use tegula_kernels::kernel::logdet::LogDet;
use tegula_kernels::kernel::potrf::Potrf;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::syrk::Syrk;
use tegula_kernels::kernel::trmm::Trmm;
use tegula_kernels::kernel::trsm::Trsm;
use tegula_kernels::kernel::trsv::Trsv;
use tegula_kernels::kernel::trtri::Trtri;
use tegula_kernels::option::{Diag, Form, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_kernels::special::Matern;
use tegula_runtime::exec::accelerator::Accelerator;
use tegula_runtime::exec::accelerator::cuda::{Cuda, devices};
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{
    Access, Codelet, Cost, Engine, Flow, FlowError, FlowOptions, Handle, codelet_info,
};
use tegula_runtime::platform::{ClassId, Durations, Machine, WorkerKind};
use tegula_runtime::sched::policy;

use stand_in::{StandIn, Trouble};
use tegula_stand_ins::Folder;

/// Sizes to try, around the blocks of our own code and those of the libraries.
const SIZES: &[(usize, usize, usize)] =
    &[(1, 1, 1), (7, 5, 9), (33, 31, 32), (64, 64, 64), (130, 65, 97), (300, 257, 211)];

/// Only the device runs anything.
struct OnDevice;

impl Durations for OnDevice {
    fn nanoseconds(&self, _codelet: &'static str, _cost: Cost, class: ClassId) -> Option<u64> {
        (class.0 == 1).then_some(1000)
    }
}

/// An engine whose tasks all run on `device`.
fn engine(device: &Arc<dyn Accelerator>) -> Exec {
    let mut machine = Machine::cores(1);
    machine.add_accelerator(WorkerKind::Cuda, Some(1 << 30), 1e10, 1.0);
    Exec::new(ExecOptions {
        accelerators: vec![device.clone()],
        durations: Arc::new(OnDevice),
        policy: policy("dmda").expect("it is listed"),
        ..ExecOptions::on(machine)
    })
}

/// The last buffer after `codelet` has run on these buffers, or why it did not.
fn run<C: Codelet>(
    engine: impl Engine + 'static,
    codelet: C,
    buffers: &[Vec<u8>],
) -> Result<Vec<u8>, FlowError> {
    let mut flow = Flow::new(engine, FlowOptions::default());
    let handles: Vec<Handle> = buffers.iter().map(|buffer| flow.register(buffer.len())).collect();
    for (&handle, buffer) in handles.iter().zip(buffers) {
        flow.write::<u8>(handle)?.copy_from_slice(buffer);
    }
    let accesses: Vec<(Handle, Access)> =
        handles.iter().copied().zip(C::ACCESS.iter().copied()).collect();
    flow.submit(codelet, &accesses, 0);
    flow.wait()?;
    let last = handles.last().expect("a kernel writes something");
    flow.read::<u8>(*last).map(<[u8]>::to_vec)
}

fn raw<T: Real>(numbers: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(numbers).to_vec()
}

/// Comparisons on one device.
struct Comparison<'a> {
    device: &'a Arc<dyn Accelerator>,
    tried: usize,
}

impl Comparison<'_> {
    /// Runs `codelet` here and there; results of type `R` may differ by `size` roundings of `T`.
    fn compare<T: Real, R: Real, C: Codelet + std::fmt::Debug>(
        &mut self,
        codelet: C,
        buffers: &[Vec<u8>],
        size: f64,
    ) {
        self.compare_where::<T, R, C>(codelet, buffers, size, |_| true);
    }

    /// The same for the numbers of a result that the kernel writes.
    fn compare_where<T: Real, R: Real, C: Codelet + std::fmt::Debug>(
        &mut self,
        codelet: C,
        buffers: &[Vec<u8>],
        size: f64,
        is_written: impl Fn(usize) -> bool,
    ) {
        let expected = run(Sequential::new(), codelet, buffers);
        let got = run(engine(self.device), codelet, buffers);
        self.tried += 1;
        let (got, expected) = match (got, expected) {
            (Ok(got), Ok(expected)) => (got, expected),
            (Err(got), Err(expected)) => {
                assert_eq!(got.to_string(), expected.to_string(), "{codelet:?}");
                return;
            }
            (got, expected) => panic!("{codelet:?}: {got:?}, not {expected:?}"),
        };
        let pairs = got.chunks(size_of::<R>()).zip(expected.chunks(size_of::<R>()));
        for (place, (got, expected)) in pairs.enumerate().filter(|&(place, _)| is_written(place)) {
            let number = |bytes: &[u8]| bytemuck::pod_read_unaligned::<R>(bytes).to_f64();
            let (got, expected) = (number(got), number(expected));
            let close = (got - expected).abs() <= 8.0 * T::EPSILON.to_f64() * size;
            let same = close || got.to_bits() == expected.to_bits();
            assert!(same, "{codelet:?}: number {place} is {got:e}, not {expected:e}");
        }
    }

    fn products<T: Real>(&mut self, (m, n, k): (usize, usize, usize), random: &mut RandomInputs) {
        let (alpha, size) = (T::from_f64(0.75), 4.0 * (k + m + n) as f64);
        for beta in [0.0, -0.5].map(T::from_f64) {
            for trans in Trans::ALL {
                let mut tiles = |counts: &[usize]| -> Vec<Vec<u8>> {
                    counts.iter().map(|&count| raw(&random.numbers::<T>(count))).collect()
                };
                let trans_b = if trans.swaps() { Trans::No } else { Trans::Yes };
                let trans_a = trans;
                let gemm = Gemm { trans_a, trans_b, m, n, k, alpha, beta };
                self.compare::<T, T, _>(gemm, &tiles(&[m * k, k * n, m * n]), size);
                let add = Geadd { trans, m, n, alpha, beta };
                self.compare::<T, T, _>(add, &tiles(&[m * n, m * n]), 4.0);
                let (y, x) = trans.stored(m, n);
                let gemv = Gemv { trans, m, n, alpha, beta };
                self.compare::<T, T, _>(gemv, &tiles(&[m * n, x, y]), size);
                for uplo in Uplo::ALL {
                    let form = Form::Symmetric;
                    let syrk = Syrk { form, uplo, trans, n, k, alpha, beta };
                    self.compare::<T, T, _>(syrk, &tiles(&[n * k, n * n]), size);
                }
            }
        }
    }

    fn triangles<T: Real>(&mut self, (m, n, _): (usize, usize, usize), random: &mut RandomInputs) {
        let (alpha, size) = (T::from_f64(0.75), 16.0 * (m + n) as f64);
        for uplo in Uplo::ALL {
            for diag in Diag::ALL {
                let t = raw(&random.dominant::<T>(n));
                self.compare::<T, T, _>(
                    Trtri::<T>::new(uplo, diag, n, 3),
                    std::slice::from_ref(&t),
                    size,
                );
                for trans in Trans::ALL {
                    let x = raw(&random.numbers::<T>(n));
                    let trsv = Trsv::<T>::new(uplo, trans, diag, n);
                    self.compare::<T, T, _>(trsv, &[t.clone(), x], size);
                    for side in Side::ALL {
                        let (m, n) = if side == Side::Left { (n, m) } else { (m, n) };
                        let ld = if side == Side::Left { m } else { n };
                        let b = raw(&random.numbers::<T>(m * n));
                        let trsm = Trsm { side, uplo, trans, diag, m, n, ld, alpha };
                        self.compare::<T, T, _>(trsm, &[t.clone(), b.clone()], size);
                        let trmm = Trmm { side, uplo, trans, diag, m, n, alpha };
                        self.compare::<T, T, _>(trmm, &[t.clone(), b], size);
                    }
                }
            }
            let t = raw(&random.dominant::<T>(n));
            self.compare::<T, T, _>(Lauum::<T>::new(uplo, n), &[t], size);
        }
    }

    fn factors<T: Real>(&mut self, (m, n, _): (usize, usize, usize), random: &mut RandomInputs) {
        let size = 16.0 * n as f64;
        for spoil in [None, Some(-1.0), Some(f64::NAN), Some(0.0)] {
            let mut a = random.dominant::<T>(n);
            if let Some(value) = spoil {
                a[(n - 1) / 2 * (n + 1)] = T::from_f64(value);
            }
            for uplo in Uplo::ALL {
                self.compare::<T, T, _>(Potrf::<T>::new(uplo, n, 10), &[raw(&a)], size);
            }
            let sum = raw(&[0.5_f64]);
            self.compare::<f64, f64, _>(LogDet::<T>::cholesky(n, 10), &[raw(&a), sum], size);
            if spoil.is_none_or(f64::is_nan) {
                self.compare::<T, T, _>(GetrfNopiv::<T>::new(n, n, 10), &[raw(&a)], size);
            }
        }
        let mut a = random.numbers::<T>(m * n);
        (0..m.min(n)).for_each(|i| a[i * (m + 1)] = T::from_f64(2.0 * (m + n) as f64));
        self.compare::<T, T, _>(GetrfNopiv::<T>::new(m, n, 0), &[raw(&a)], 64.0 * (m + n) as f64);
    }

    fn sums<T: Real>(&mut self, (m, n, _): (usize, usize, usize), random: &mut RandomInputs) {
        let (a, b, s) =
            (random.numbers::<T>(m * n), random.numbers::<T>(m * n), random.numbers::<T>(n));
        let size = 4.0 * (m * n) as f64;
        let dot = [raw(&a), raw(&b), raw(&[0.5_f64])];
        self.compare::<f64, f64, _>(Dot::<T>::new(m * n), &dot, size);
        let squares = ColumnSquares::<T>::new(m, n);
        self.compare::<T, T, _>(squares, &[raw(&a), raw(&s)], 4.0 * m as f64);
        let laset = Laset { m, n, off_diagonal: T::ZERO, diagonal: T::ONE };
        self.compare::<T, T, _>(laset, &[raw(&a)], 0.0);
    }

    fn covariances<T: Real>(&mut self, (m, n, _): (usize, usize, usize)) {
        for geometry in Geometry::ALL {
            let scale = if geometry == Geometry::GreatCircle { 1500.0 } else { 0.3 };
            let table = RadialTable::new(&Smooth(Matern::new(0.8)), 1.5, scale, 0.1);
            let table = bytemuck::bytes_of(&*table).to_vec();
            let points = random_points(geometry, m + n, 1.0, 11);
            let (p, q) = (raw(&points.block(0..m)), raw(&points.block(m..m + n)));
            let out = vec![0; m * n * size_of::<T>()];
            let between = Covariance::<T>::between(geometry, (m, n));
            self.compare::<T, T, _>(between, &[table.clone(), p.clone(), q, out], 64.0);
            let within = Covariance::<T>::within(geometry, (m, m), (0, 0));
            let out = vec![0; m * m * size_of::<T>()];
            let below = |place: usize| place % m >= place / m;
            self.compare_where::<T, T, _>(within, &[table, p.clone(), p, out], 64.0, below);
        }
    }

    fn all<T: Real>(&mut self) {
        let mut random = RandomInputs::new(2026);
        for &shape in SIZES {
            self.products::<T>(shape, &mut random);
            self.triangles::<T>(shape, &mut random);
            self.factors::<T>(shape, &mut random);
            self.sums::<T>(shape, &mut random);
            self.covariances::<T>(shape);
        }
    }
}

/// A Matern correlation.
struct Smooth(Matern);

impl Correlation for Smooth {
    fn value(&self, x: f64) -> f64 {
        self.0.value(x)
    }
    fn logarithm(&self, x: f64) -> f64 {
        self.0.scaled(x).ln() - x
    }
    fn near(&self) -> SmallExpansion {
        let near = self.0.near();
        SmallExpansion::Sum { a: near.a, b: near.b, power: near.power }
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn every_kernel_on_every_device_agrees_with_a_core() {
    let found = match devices() {
        Ok(found) => found,
        Err(reason) => return eprintln!("SKIPPED: no kernel ran on a CUDA device: {reason}"),
    };
    if let Err(reason) = cuda::check() {
        return eprintln!("SKIPPED: no kernel ran on a CUDA device: {reason}");
    }
    for device in found {
        let opened: Arc<dyn Accelerator> =
            Arc::new(Cuda::open(device.number).unwrap_or_else(|error| panic!("{error}")));
        let mut comparison = Comparison { device: &opened, tried: 0 };
        comparison.all::<f64>();
        comparison.all::<f32>();
        eprintln!("{}: {} comparisons", device.name, comparison.tried);
    }
}

/// The same on devices that stand-ins for NVIDIA's libraries play, once with work in order and once
/// with random delays.
#[test]
#[allow(clippy::print_stderr)]
fn every_kernel_on_stand_ins_for_the_libraries_agrees_with_a_core() {
    if let Some(reason) = tegula_stand_ins::missing() {
        return eprintln!("SKIPPED: no kernel ran on the stand-ins: {reason}");
    }
    let folder = Folder::new();
    for seed in ["", "7"] {
        let mut command = Command::new(env::current_exe().expect("a test knows its own file"));
        command.args(["--exact", "every_kernel_on_every_device_agrees_with_a_core", "--nocapture"]);
        command.env("TEGULA_STAND_IN_SEED", seed).env("TEGULA_STAND_IN_REPORT", "1");
        let output = folder.lend(&mut command).output().expect("the test starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stdout));
        let found = text.lines().find(|line| line.ends_with(" comparisons"));
        let count = found.and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
        assert!(count.is_some_and(|count: usize| count > 500), "{text}");
        eprintln!("{text}");
    }
}

/// The comparisons themselves, on a device that computes with the kernels of a core.
#[test]
fn every_kernel_on_a_stand_in_agrees_with_a_core() {
    let device: Arc<dyn Accelerator> = Arc::new(StandIn::new(1 << 30, Trouble::default()));
    let mut comparison = Comparison { device: &device, tried: 0 };
    comparison.all::<f64>();
    comparison.all::<f32>();
    assert!(comparison.tried > 500, "only {} comparisons", comparison.tried);
}

/// The kernels that run on devices; those that read micro-panels are for processors alone.
#[test]
fn kernels_of_the_likelihood_have_a_cuda_side() {
    let all = [
        codelet_info::<Covariance<f64>>(),
        codelet_info::<Potrf<f64>>(),
        codelet_info::<Trsm<f64>>(),
        codelet_info::<Syrk<f64>>(),
        codelet_info::<Gemm<f64>>(),
        codelet_info::<Geadd<f64>>(),
        codelet_info::<Gemv<f64>>(),
        codelet_info::<Trsv<f64>>(),
        codelet_info::<LogDet<f64>>(),
        codelet_info::<Dot<f64>>(),
        codelet_info::<Laset<f64>>(),
    ];
    for codelet in all {
        assert!(codelet.has_cuda(), "{} runs on cores only", codelet.name);
    }
}
