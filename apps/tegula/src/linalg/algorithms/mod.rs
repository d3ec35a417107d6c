//! The algorithms that can be timed. A new one is a file with a [`Problem`] and a line in
//! [`ALGORITHMS`].

mod cholesky;
mod lu;
mod product;
mod triangular;

use cholesky::{Factorised, Timed};
use lu::{Lu, Pivoted};
use product::Product;
use triangular::TriangularSolve;

use tegula_kernels::scalar::{c32, c64};

use super::fill::{Entries, RandomMatrix};
use super::problem::{Plan, Problem, Sizes};

const UNREGISTERED: &str = "the matrices are registered first";

/// A member of [`ALGORITHMS`].
#[derive(Debug)]
pub(in crate::linalg) struct Algorithm {
    /// LAPACK's name, without the letter of the precision.
    pub(in crate::linalg) name: &'static str,
    /// What it computes.
    pub(in crate::linalg) formula: &'static str,
    /// The sizes that it has.
    pub(in crate::linalg) sizes: &'static [&'static str],
    /// Its operations, in words.
    pub(in crate::linalg) flops_formula: &'static str,
    /// Its operations (LAPACK Working Note 41, appendix C).
    pub(in crate::linalg) flops: fn(&Sizes) -> f64,
    /// What it takes.
    pub(in crate::linalg) plan: fn(&Sizes) -> Plan,
    /// Its codelets, those that make the matrices left out.
    pub(in crate::linalg) codelets: &'static [&'static str],
    /// What its check computes.
    pub(in crate::linalg) check: &'static str,
    /// The problem in `f32`.
    pub(in crate::linalg) single: fn(Sizes) -> Box<dyn Problem<f32>>,
    /// The problem in `f64`.
    pub(in crate::linalg) double: fn(Sizes) -> Box<dyn Problem<f64>>,
    /// The problem in `c32`.
    pub(in crate::linalg) complex_single: fn(Sizes) -> Box<dyn Problem<c32>>,
    /// The problem in `c64`.
    pub(in crate::linalg) complex_double: fn(Sizes) -> Box<dyn Problem<c64>>,
}

/// Every algorithm.
pub(in crate::linalg) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "potrf",
        formula: "A = L L', A symmetric positive definite",
        sizes: &["n"],
        flops_formula: "n^3/3 + n^2/2 + n/6",
        flops: |s| cholesky_flops(s.n as f64),
        plan: cholesky::factorisation_plan,
        codelets: &["potrf", "trsm", "syrk", "gemm"],
        check: "|A (X w) - B w| / ((|A| |X| + |B|) |w| n eps)",
        single: |sizes| Box::new(Factorised::<f32>::new(sizes, Timed::Factorisation)),
        double: |sizes| Box::new(Factorised::<f64>::new(sizes, Timed::Factorisation)),
        complex_single: |sizes| Box::new(Factorised::<c32>::new(sizes, Timed::Factorisation)),
        complex_double: |sizes| Box::new(Factorised::<c64>::new(sizes, Timed::Factorisation)),
    },
    Algorithm {
        name: "potrs",
        formula: "A X = B with the factor of A = L L'",
        sizes: &["n", "nrhs"],
        flops_formula: "2 n^2 nrhs",
        flops: |s| 2.0 * (s.n as f64).powi(2) * s.nrhs as f64,
        plan: cholesky::solve_plan,
        codelets: &["potrf", "trsm", "syrk", "gemm"],
        check: "|A (X w) - B w| / ((|A| |X| + |B|) |w| n eps)",
        single: |sizes| Box::new(Factorised::<f32>::new(sizes, Timed::Solve)),
        double: |sizes| Box::new(Factorised::<f64>::new(sizes, Timed::Solve)),
        complex_single: |sizes| Box::new(Factorised::<c32>::new(sizes, Timed::Solve)),
        complex_double: |sizes| Box::new(Factorised::<c64>::new(sizes, Timed::Solve)),
    },
    Algorithm {
        name: "getrf-nopiv",
        formula: "A = L U without pivoting, A diagonally dominant",
        sizes: &["n"],
        flops_formula: "2 n^3/3 - n^2/2 + 5 n/6",
        flops: |s| lu_flops(s.n as f64),
        plan: lu::plan,
        codelets: &["getrf_nopiv", "trsm", "gemm"],
        check: "|A (X w) - B w| / ((|A| |X| + |B|) |w| n eps)",
        single: |sizes| Box::new(Lu::<f32>::new(sizes)),
        double: |sizes| Box::new(Lu::<f64>::new(sizes)),
        complex_single: |sizes| Box::new(Lu::<c32>::new(sizes)),
        complex_double: |sizes| Box::new(Lu::<c64>::new(sizes)),
    },
    Algorithm {
        name: "getrf",
        formula: "P A = L U with partial pivoting",
        sizes: &["n"],
        flops_formula: "2 n^3/3 - n^2/2 + 5 n/6",
        flops: |s| lu_flops(s.n as f64),
        plan: lu::pivoted_plan,
        codelets: &["getrf", "getrf_update", "laswp", "lay_out"],
        check: "|A (X w) - B w| / ((|A| |X| + |B|) |w| n eps)",
        single: |sizes| Box::new(Pivoted::<f32>::new(sizes)),
        double: |sizes| Box::new(Pivoted::<f64>::new(sizes)),
        complex_single: |sizes| Box::new(Pivoted::<c32>::new(sizes)),
        complex_double: |sizes| Box::new(Pivoted::<c64>::new(sizes)),
    },
    Algorithm {
        name: "gemm",
        formula: "C = A B + C, A m x k, B k x n",
        sizes: &["m", "n", "k"],
        flops_formula: "2 m n k",
        flops: |s| 2.0 * s.m as f64 * s.n as f64 * s.k as f64,
        plan: product::plan,
        codelets: &["gemm"],
        check: "|C w - (A (B w) + C0 w)| / ((|C| + |A| |B| + |C0|) |w| k eps)",
        single: |sizes| Box::new(Product::<f32>::new(sizes)),
        double: |sizes| Box::new(Product::<f64>::new(sizes)),
        complex_single: |sizes| Box::new(Product::<c32>::new(sizes)),
        complex_double: |sizes| Box::new(Product::<c64>::new(sizes)),
    },
    Algorithm {
        name: "trsm",
        formula: "L X = B, L lower triangular of order m, B m x n",
        sizes: &["m", "n"],
        flops_formula: "n m^2",
        flops: |s| s.n as f64 * (s.m as f64).powi(2),
        plan: triangular::plan,
        codelets: &["trsm", "gemm"],
        check: "|L (X w) - B w| / ((|L| |X| + |B|) |w| m eps)",
        single: |sizes| Box::new(TriangularSolve::<f32>::new(sizes)),
        double: |sizes| Box::new(TriangularSolve::<f64>::new(sizes)),
        complex_single: |sizes| Box::new(TriangularSolve::<c32>::new(sizes)),
        complex_double: |sizes| Box::new(TriangularSolve::<c64>::new(sizes)),
    },
];

fn cholesky_flops(n: f64) -> f64 {
    n.powi(3) / 3.0 + n.powi(2) / 2.0 + n / 6.0
}

fn lu_flops(n: f64) -> f64 {
    2.0 * n.powi(3) / 3.0 - n.powi(2) / 2.0 + 5.0 * n / 6.0
}

/// Random matrices with seeds of their own.
fn matrices<const N: usize>(sizes: &Sizes, entries: [Entries; N]) -> [RandomMatrix; N] {
    let seeds = sizes.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    std::array::from_fn(|index| RandomMatrix {
        entries: entries[index],
        seed: seeds.wrapping_add((index as u64) << 48),
    })
}
