//! Every kernel that has a CUDA side on every CUDA device that is there, against the same kernel on
//! a core, through the engine: one list, which a new kernel joins with a line.

#[allow(dead_code)]
#[path = "../../../runtime/tests/conformance/stand_in.rs"]
mod stand_in;

mod blocks;
mod covariances;
mod numbers;
mod sweeps;
mod vecchia;

use std::collections::BTreeMap;
use std::env;
use std::marker::PhantomData;
use std::process::Command;
use std::sync::Arc;

use tegula_kernels::cuda;
use tegula_kernels::kernel::KERNELS;
use tegula_kernels::kernel::column_squares::ColumnSquares;
use tegula_kernels::kernel::covariance::{CompositeCovariance, Covariance};
use tegula_kernels::kernel::covariance_score::Score;
use tegula_kernels::kernel::dot::Dot;
use tegula_kernels::kernel::geadd::Geadd;
use tegula_kernels::kernel::gemm::{Gemm, GemmTf32, TF32_ROUNDING};
use tegula_kernels::kernel::gemv::Gemv;
use tegula_kernels::kernel::geqrt::Geqrt;
use tegula_kernels::kernel::getrf_nopiv::GetrfNopiv;
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::lauum::Lauum;
use tegula_kernels::kernel::logdet::LogDet;
use tegula_kernels::kernel::noise::{AddNoise, TimesNoise};
use tegula_kernels::kernel::potrf::Potrf;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::syrk::Syrk;
use tegula_kernels::kernel::tpmqrt::Tpmqrt;
use tegula_kernels::kernel::tpqrt::Tpqrt;
use tegula_kernels::kernel::trmm::Trmm;
use tegula_kernels::kernel::trsm::Trsm;
use tegula_kernels::kernel::trsv::Trsv;
use tegula_kernels::kernel::trtri::Trtri;
use tegula_kernels::kernel::unmqr::Unmqr;
use tegula_kernels::kernel::vecchia::{JointScore, JointTerms, ScoreTerms, Terms};
use tegula_kernels::option::{Below, Diag, Form, Side, Storev, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_runtime::exec::accelerator::Accelerator;
use tegula_runtime::exec::accelerator::cuda::{Cuda, devices};
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{
    Access, Codelet, CodeletInfo, Cost, Engine, Flow, FlowError, FlowOptions, Handle, codelet_info,
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

/// The buffers that `codelet` writes after it has run on these, or why it did not.
fn run<C: Codelet>(
    engine: impl Engine + 'static,
    codelet: C,
    buffers: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, FlowError> {
    let mut flow = Flow::new(engine, FlowOptions::default());
    let handles: Vec<Handle> = buffers.iter().map(|buffer| flow.register(buffer.len())).collect();
    for (&handle, buffer) in handles.iter().zip(buffers) {
        flow.write::<u8>(handle)?.copy_from_slice(buffer);
    }
    let accesses: Vec<(Handle, Access)> =
        handles.iter().copied().zip(C::ACCESS.iter().copied()).collect();
    flow.submit(codelet, &accesses, 0);
    flow.wait()?;
    let written = accesses.iter().filter(|(_, access)| *access != Access::R);
    written.map(|&(handle, _)| flow.read::<u8>(handle).map(<[u8]>::to_vec)).collect()
}

fn raw<T: Scalar>(numbers: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(numbers).to_vec()
}

/// How what a device gave differs from what a core gave, by more than `size` roundings of `T` in a
/// number of type `R` that counts.
fn difference<T: Scalar, R: Real>(
    got: Result<Vec<u8>, FlowError>,
    expected: Result<Vec<u8>, FlowError>,
    size: f64,
    counts: impl Fn(usize) -> bool,
) -> Option<String> {
    let (got, expected) = match (got, expected) {
        (Ok(got), Ok(expected)) => (got, expected),
        (Err(got), Err(expected)) => {
            let (got, expected) = (got.to_string(), expected.to_string());
            return (got != expected).then(|| format!("'{got}', not '{expected}'"));
        }
        (Err(got), Ok(_)) => return Some(got.to_string()),
        (Ok(_), Err(expected)) => return Some(format!("nothing, not '{expected}'")),
    };
    let pairs = got.chunks(size_of::<R>()).zip(expected.chunks(size_of::<R>())).enumerate();
    pairs.filter(|&(place, _)| counts(place)).find_map(|(place, (got, expected))| {
        let number = |bytes: &[u8]| bytemuck::pod_read_unaligned::<R>(bytes).to_f64();
        let (got, expected) = (number(got), number(expected));
        let close = (got - expected).abs() <= 8.0 * T::epsilon() * size;
        let same = close || got == expected || (got.is_nan() && expected.is_nan());
        (!same).then(|| format!("number {place} is {got:e}, not {expected:e}"))
    })
}

/// Comparisons on one device.
struct Comparison<'a> {
    device: &'a Arc<dyn Accelerator>,
    tried: usize,
    /// What went wrong, the first time of each kernel.
    wrong: BTreeMap<&'static str, String>,
}

impl<'a> Comparison<'a> {
    fn on(device: &'a Arc<dyn Accelerator>) -> Self {
        Self { device, tried: 0, wrong: BTreeMap::new() }
    }

    /// Compares all kernels in all precisions; how many comparisons that took.
    fn run(mut self) -> usize {
        self.vecchia(&mut RandomInputs::new(2027));
        self.sets(&mut RandomInputs::new(2029));
        for &shape in SIZES {
            self.low_ranks(shape, &mut RandomInputs::new(2028));
        }
        self.all::<f64>();
        self.all::<f32>();
        self.numbers::<c64>();
        self.numbers::<c32>();
        let wrong: Vec<String> = self.wrong.into_values().collect();
        assert!(wrong.is_empty(), "{}:\n{}", self.device.name(), wrong.join("\n"));
        self.tried
    }

    /// Runs `codelet` here and there; results of type `R` may differ by `size` roundings of `T`.
    fn compare<T: Scalar, R: Real, C: Codelet + std::fmt::Debug>(
        &mut self,
        codelet: C,
        buffers: &[Vec<u8>],
        size: f64,
    ) {
        self.compare_part::<T, R, C>(codelet, buffers, size, |_| true);
    }

    /// The same, of the numbers written that count.
    fn compare_part<T: Scalar, R: Real, C: Codelet + std::fmt::Debug>(
        &mut self,
        codelet: C,
        buffers: &[Vec<u8>],
        size: f64,
        counts: impl Fn(usize) -> bool,
    ) {
        let expected = run(Sequential::new(), codelet, buffers);
        let got = run(engine(self.device), codelet, buffers);
        self.tried += 1;
        let (got, expected) = (got.map(|got| got.concat()), expected.map(|all| all.concat()));
        if let Some(difference) = difference::<T, R>(got, expected, size, counts) {
            let difference = format!("{codelet:?}: {difference}");
            self.wrong.entry(codelet_info::<C>().name).or_insert(difference);
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
                let operands = tiles(&[m * k, k * n, m * n]);
                self.compare::<T, T, _>(gemm, &operands, size);
                // Entries are at most 1: what rounding loses is at most this in all.
                let lost = k as f64 * TF32_ROUNDING / (8.0 * T::epsilon());
                self.compare::<T, T, _>(GemmTf32(gemm), &operands, size + lost);
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

    /// Factorizations in reflectors, and products with them.
    fn reflectors<T: Real>(&mut self, (m, n, k): (usize, usize, usize), random: &mut RandomInputs) {
        let (scalar, size) = (PhantomData::<T>, 64.0 * (m + n + k) as f64);
        for storev in Storev::ALL {
            for offset in [0, m / 3] {
                let geqrt = Geqrt { storev, m, n, offset, scalar };
                let steps = geqrt.count();
                let mut a = random.numbers::<T>(m * n);
                for i in 0..steps {
                    let (row, column) = storev.stored(offset + i, i);
                    a[row + column * storev.stored(m, n).0] = T::from_f64(3.0 * (m + n) as f64);
                }
                let room = |count: usize| raw(&vec![T::NAN; count]);
                let buffers = [raw(&a), room(steps), room(steps * steps)];
                self.compare::<T, T, _>(geqrt, &buffers, size);
                let made = run(Sequential::new(), geqrt, &buffers).expect("it cannot fail");
                self.gathered::<T>(geqrt, &made, size);
                for (side, trans) in [(Side::Left, Trans::No), (Side::Right, Trans::No)]
                    .into_iter()
                    .chain([(Side::Left, Trans::Conj), (Side::Right, Trans::Yes)])
                {
                    let (rows, cols) = if side == Side::Left { (m, k) } else { (k, m) };
                    let c = raw(&random.numbers::<T>(rows * cols));
                    let unmqr = Unmqr {
                        side,
                        trans,
                        storev,
                        m: rows,
                        n: cols,
                        order: m,
                        width: n,
                        k: steps,
                        offset: offset as u32,
                        scalar,
                    };
                    self.compare::<T, T, _>(unmqr, &[made[0].clone(), made[2].clone(), c], size);
                }
            }
        }
    }

    fn stacks<T: Real>(&mut self, (m, n, k): (usize, usize, usize), random: &mut RandomInputs) {
        let (scalar, size) = (PhantomData::<T>, 64.0 * (m + n + k) as f64);
        for below in Below::ALL {
            for ib in [1 + k % 7, 48] {
                let mut r = random.numbers::<T>((n + 2) * n);
                (0..n).for_each(|i| r[i * (n + 3)] = T::from_f64(2.0 * (m + n) as f64));
                let b = raw(&random.numbers::<T>(m * n));
                let t = raw(&vec![T::NAN; ib.min(n) * n]);
                let tpqrt = Tpqrt { below, top: n + 2, m, n, ib, scalar };
                let buffers = [raw(&r), b, t];
                self.compare::<T, T, _>(tpqrt, &buffers, size);
                let made = run(Sequential::new(), tpqrt, &buffers).expect("it cannot fail");
                for trans in [Trans::No, Trans::Conj] {
                    let (c1, c2) = (random.numbers::<T>((n + 1) * k), random.numbers::<T>(m * k));
                    let tpmqrt = Tpmqrt { below, trans, top: n + 1, m, n: k, k: n, ib, scalar };
                    let buffers = [made[1].clone(), made[2].clone(), raw(&c1), raw(&c2)];
                    self.compare::<T, T, _>(tpmqrt, &buffers, size);
                }
            }
        }
    }

    fn noise<T: Real>(&mut self, (m, n, _): (usize, usize, usize), random: &mut RandomInputs) {
        let (noise, precision) = (raw(&random.numbers::<f64>(m)), PhantomData::<T>);
        let a = raw(&random.numbers::<T>(m * m));
        self.compare::<T, T, _>(AddNoise { m, precision }, &[noise.clone(), a], 4.0);
        let (x, y) =
            (raw(&random.numbers::<T>(m * (n + 1))), raw(&random.numbers::<T>(m * (n + 2))));
        let times = TimesNoise { m, columns: n, skip_x: 1, skip_y: 2, alpha: 0.75, precision };
        self.compare::<T, T, _>(times, &[noise, x, y], 4.0);
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

    fn all<T: Real>(&mut self) {
        let mut random = RandomInputs::new(2026);
        for &shape in SIZES {
            self.products::<T>(shape, &mut random);
            self.triangles::<T>(shape, &mut random);
            self.factors::<T>(shape, &mut random);
            self.reflectors::<T>(shape, &mut random);
            self.stacks::<T>(shape, &mut random);
            self.sums::<T>(shape, &mut random);
            self.covariances::<T>(shape);
            self.composites::<T>(shape, &mut random);
            self.derivatives::<T>(shape, &mut random);
            self.noise::<T>(shape, &mut random);
            self.sweeps::<T>(shape, &mut random);
            self.panels::<T>(shape, &mut random);
            self.columns::<T>(shape, &mut random);
        }
        self.numbers::<T>();
    }

    /// Kernels of any numbers.
    fn numbers<T: Scalar>(&mut self) {
        let mut random = RandomInputs::new(2027);
        for &shape in SIZES {
            self.symmetric::<T>(shape, &mut random);
            self.factored::<T>(shape, &mut random);
            self.blocks::<T>(shape, &mut random);
            self.entries::<T>(shape, &mut random);
            self.pivots::<T>(shape, &mut random);
        }
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
        let tried = Comparison::on(&opened).run();
        eprintln!("{}: {tried} comparisons", device.name);
    }
}

/// The same on a device that stand-ins for NVIDIA's libraries play, with random delays.
#[test]
#[allow(clippy::print_stderr)]
fn every_kernel_on_stand_ins_for_the_libraries_agrees_with_a_core() {
    if let Some(reason) = tegula_stand_ins::missing() {
        return eprintln!("SKIPPED: no kernel ran on the stand-ins: {reason}");
    }
    let folder = Folder::new();
    let mut command = Command::new(env::current_exe().expect("a test knows its own file"));
    command.args(["--exact", "every_kernel_on_every_device_agrees_with_a_core", "--nocapture"]);
    command.env("TEGULA_STAND_IN_SEED", "7").env("TEGULA_STAND_IN_REPORT", "1");
    let output = folder.lend(&mut command).output().expect("the test starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stdout));
    let found = text.lines().find(|line| line.ends_with(" comparisons"));
    let count = found.and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
    assert!(count.is_some_and(|count: usize| count > 5000), "{text}");
    eprintln!("{text}");
}

/// The comparisons themselves, on a device that computes with the kernels of a core.
#[test]
fn every_kernel_on_a_stand_in_agrees_with_a_core() {
    let device: Arc<dyn Accelerator> = Arc::new(StandIn::new(1 << 30, Trouble::default()));
    let tried = Comparison::on(&device).run();
    assert!(tried > 500, "only {tried} comparisons");
}

/// The table of the page says of each kernel whether it runs on devices, or why it does not.
#[test]
fn the_page_says_which_kernels_run_on_devices() {
    let page = include_str!("../../README.md");
    for kernel in KERNELS {
        let start = format!("| `{}` |", kernel.name);
        let row = page.lines().find(|line| line.starts_with(&start)).expect("it has a row");
        let says = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        let real = [kernel.single.codelet, kernel.double.codelet].map(CodeletInfo::has_cuda);
        let complex = kernel.complex.map(|(c32, c64)| [c32.codelet, c64.codelet]);
        let complex = complex.map(|pair| pair.map(CodeletInfo::has_cuda));
        let fits = match (real, complex) {
            ([true, true], None | Some([true, true])) => says == "yes",
            ([true, true], Some([false, false])) => says == "real numbers",
            ([false, false], None | Some([false, false])) => says.starts_with("no"),
            other => panic!("{}: in some precisions only: {other:?}", kernel.name),
        };
        assert!(fits, "{}: {real:?} and {complex:?}, and the page says: {says}", kernel.name);
    }
}

/// What of the likelihood stands beside the list.
#[test]
fn kernels_of_the_likelihood_have_a_cuda_side() {
    let all = [
        codelet_info::<Covariance<f64>>(),
        codelet_info::<CompositeCovariance<f64>>(),
        codelet_info::<Score<f64>>(),
        codelet_info::<Terms>(),
        codelet_info::<ScoreTerms>(),
        codelet_info::<JointTerms>(),
        codelet_info::<JointScore>(),
        codelet_info::<AddNoise<f64>>(),
        codelet_info::<TimesNoise<f64>>(),
    ];
    for codelet in all {
        assert!(codelet.has_cuda(), "{} runs on cores only", codelet.name);
    }
}
