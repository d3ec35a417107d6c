//! Arithmetic on one tile: one folder per kernel, and the list of them all.
//!
//! A kernel is a value that holds the scalar arguments and is a codelet of the runtime. Its
//! `compute` runs on views with a backend of choice; its `reference` is the obvious loop that
//! every implementation is tested against. Each folder gives an entry to the list [`KERNELS`], from
//! which tests, rates and tables derive: a new kernel is a new folder and one line.
//!
//! Crates above name kernels in each precision. So that none of them compiles `compute` anew, it is
//! never inlined: what the list has made of it in this crate is what they call.

pub mod centre;
pub mod check_diagonal;
pub mod column_squares;
pub mod convert;
pub mod copy_part;
pub mod covariance;
pub mod covariance_product;
pub mod covariance_score;
pub mod diagonal_solve;
pub mod dot;
pub mod geadd;
pub mod gemm;
pub mod gemmt;
pub mod gemv;
pub mod geqrt;
pub mod getrf;
pub mod getrf_nopiv;
pub mod getrf_update;
pub mod larft;
pub mod lascal;
pub mod laset;
pub mod laset_triangle;
pub mod laswp;
pub mod lauum;
pub mod ldlt;
pub mod ldlt_split;
pub mod line_sums;
pub mod logdet;
pub mod low_rank;
pub mod low_rank_tiles;
pub mod map;
pub mod negligible;
pub mod noise;
pub mod norm;
pub mod pack;
pub mod potrf;
pub mod random;
pub mod rate;
mod reflectors;
pub mod scale_lines;
pub mod sweep;
pub mod symm;
pub mod syr2k;
pub mod syrk;
pub mod tpmqrt;
pub mod tpqrt;
pub mod tradd;
#[cfg(test)]
pub(crate) mod trial;
mod triangular;
pub mod trmm;
pub mod trsm;
pub mod trsm_block;
pub mod trsm_column;
pub mod trsv;
pub mod trtri;
pub mod ungqr;
pub mod ungtr_hb2st;
pub mod unmqr;
pub mod unmtr_hb2st;
pub mod vecchia;

use tegula_runtime::flow::{Codelet, CodeletInfo, Cost, codelet_info};

use crate::backend::Blas;
use crate::scalar::{Scalar, c32, c64};
use random::RandomInputs;

/// What a kernel's folder gives to the list.
trait KernelEntry {
    const NAME: &'static str;
    const FORMULA: &'static str;
    /// Leading term of the flop count, for square tiles of order `n`.
    const FLOPS: &'static str;
}

/// What it gives for each type of numbers that it has.
trait KernelEntryIn<T: Scalar>: KernelEntry {
    /// What its tasks run.
    type Codelet: Codelet;
    /// A typical call on tiles of order `n`.
    fn typical(n: usize) -> Self::Codelet;
    /// Its buffers; the last one is overwritten.
    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>>;
    /// Runs it.
    fn run(kernel: Self::Codelet, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]);
}

/// A kernel in one precision, for whoever goes through the list.
#[derive(Clone, Copy, Debug)]
pub struct Functions<T: 'static> {
    /// What its tasks run.
    pub codelet: &'static CodeletInfo,
    /// Buffers of a typical call on tiles of order `n`; the last one is overwritten.
    pub operands: fn(n: usize, &mut RandomInputs) -> Vec<Vec<T>>,
    /// The typical call.
    pub run: fn(&dyn Blas<T>, n: usize, &mut [&mut [T]]),
    /// Work of the typical call.
    pub cost: fn(n: usize) -> Cost,
}

impl<T: Scalar> Functions<T> {
    const fn of<K: KernelEntryIn<T>>() -> Self {
        Self {
            codelet: codelet_info::<K::Codelet>(),
            operands: K::operands,
            run: |blas, n, operands| K::run(K::typical(n), blas, n, operands),
            cost: |n| K::typical(n).cost(),
        }
    }
}

/// A kernel as the list shows it.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Name, without the precision's letter.
    pub name: &'static str,
    /// What it computes.
    pub formula: &'static str,
    /// Leading term of the flop count, for square tiles of order `n`.
    pub flops: &'static str,
    /// In `f32`.
    pub single: Functions<f32>,
    /// In `f64`.
    pub double: Functions<f64>,
    /// In `c32` and `c64`; none of a kernel of real numbers alone.
    pub complex: Option<(Functions<c32>, Functions<c64>)>,
}

impl Kernel {
    /// A kernel of real numbers.
    const fn real<K: KernelEntryIn<f32> + KernelEntryIn<f64>>() -> Self {
        let (single, double) = (Functions::of::<K>(), Functions::of::<K>());
        let (name, formula, flops) = (K::NAME, K::FORMULA, K::FLOPS);
        Self { name, formula, flops, single, double, complex: None }
    }

    /// A kernel of real and complex numbers.
    const fn of<K>() -> Self
    where
        K: KernelEntryIn<f32> + KernelEntryIn<f64> + KernelEntryIn<c32> + KernelEntryIn<c64>,
    {
        let complex = Some((Functions::of::<K>(), Functions::of::<K>()));
        Self { complex, ..Self::real::<K>() }
    }
}

/// Makes the list, and for tests that of the trials.
macro_rules! list {
    (numbers: $($entry:ty),+; real numbers: $($real:ty),+) => {
        /// Every dense kernel. What is listed here is compiled in this crate, once for all that use
        /// it.
        pub static KERNELS: &[Kernel] =
            &[$(Kernel::of::<$entry>(),)+ $(Kernel::real::<$real>(),)+];

        #[cfg(test)]
        static TRIALS: &[trial::Trials] =
            &[$(trial::Trials::of::<$entry>(),)+ $(trial::Trials::real::<$real>(),)+];
    };
}

list! {
    numbers:
    gemm::ListEntry,
    gemm::packed::ListEntry,
    gemm::tf32::ListEntry,
    syrk::ListEntry,
    syrk::packed::ListEntry,
    syr2k::ListEntry,
    symm::ListEntry,
    trsm::ListEntry,
    trsm::packed::ListEntry,
    trsm_column::ListEntry,
    trmm::ListEntry,
    potrf::ListEntry,
    getrf::ListEntry,
    getrf_update::ListEntry,
    laswp::ListEntry,
    getrf_nopiv::ListEntry,
    trtri::ListEntry,
    lauum::ListEntry,
    geqrt::ListEntry,
    larft::ListEntry,
    unmqr::ListEntry,
    unmqr::packed::ListEntry,
    ungqr::ListEntry,
    tpqrt::ListEntry,
    tpmqrt::ListEntry,
    ungtr_hb2st::ListEntry,
    unmtr_hb2st::ListEntry,
    trsm_block::ListEntry,
    gemv::ListEntry,
    trsv::ListEntry,
    geadd::ListEntry,
    laset::ListEntry,
    lascal::ListEntry,
    pack::ListEntry,
    gemmt::ListEntry,
    ldlt::ListEntry,
    ldlt_split::ListEntry,
    diagonal_solve::ListEntry,
    check_diagonal::ListEntry,
    laset_triangle::ListEntry,
    tradd::ListEntry,
    convert::ListEntry,
    copy_part::ListEntry,
    norm::ListEntry,
    line_sums::ListEntry,
    centre::ListEntry,
    scale_lines::ListEntry,
    negligible::ListEntry,
    low_rank::ListEntry;
    real numbers:
    dot::ListEntry,
    logdet::ListEntry,
    column_squares::ListEntry,
    sweep::ListEntry
}

/// The kernel called `name`, if there is one.
#[must_use]
pub fn kernel(name: &str) -> Option<&'static Kernel> {
    KERNELS.iter().find(|kernel| kernel.name == name)
}

/// Product of sizes, as a flop count.
pub(crate) fn product(sizes: &[usize]) -> f64 {
    sizes.iter().map(|&size| size as f64).product()
}

/// Bytes of so many numbers in all.
pub(crate) fn bytes<T>(counts: &[usize]) -> f64 {
    (counts.iter().sum::<usize>() * size_of::<T>()) as f64
}
