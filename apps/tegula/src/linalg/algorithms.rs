//! The algorithms that can be timed. A new one is a [`Problem`] and a line in [`ALGORITHMS`].

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{Triangle, gemm, getrf_nopiv, potrf, potrs, trsm};
use tegula_runtime::flow::{Flow, FlowError};

use super::fill::{Entries, RandomMatrix};
use super::probe::{difference, multiply, multiply_tiles, signs, solve_residual};
use super::problem::{Problem, Sizes};

/// A member of [`ALGORITHMS`].
#[derive(Debug)]
pub(super) struct Algorithm {
    /// LAPACK's name, without the letter of the precision.
    pub(super) name: &'static str,
    /// What it computes.
    pub(super) formula: &'static str,
    /// The sizes that it has.
    pub(super) sizes: &'static [&'static str],
    /// Its operations, in words.
    pub(super) flops_formula: &'static str,
    /// Its operations (LAPACK Working Note 41, appendix C).
    pub(super) flops: fn(&Sizes) -> f64,
    /// Numbers in its matrices.
    pub(super) numbers: fn(&Sizes) -> f64,
    /// What its check computes.
    pub(super) check: &'static str,
    /// The problem in `f32`.
    pub(super) single: fn(Sizes) -> Box<dyn Problem<f32>>,
    /// The problem in `f64`.
    pub(super) double: fn(Sizes) -> Box<dyn Problem<f64>>,
}

/// Every algorithm.
pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "potrf",
        formula: "A = L L', A symmetric positive definite",
        sizes: &["n"],
        flops_formula: "n^3/3 + n^2/2 + n/6",
        flops: |s| cholesky_flops(s.n as f64),
        numbers: |s| (s.n as f64).powi(2) / 2.0,
        check: "|A x - b| / ((|A| |x| + |b|) n eps)",
        single: |sizes| Box::new(Factorised::<f32>::new(sizes, Timed::Factorisation)),
        double: |sizes| Box::new(Factorised::<f64>::new(sizes, Timed::Factorisation)),
    },
    Algorithm {
        name: "potrs",
        formula: "A X = B with the factor of A = L L'",
        sizes: &["n", "nrhs"],
        flops_formula: "2 n^2 nrhs",
        flops: |s| 2.0 * (s.n as f64).powi(2) * s.nrhs as f64,
        numbers: |s| (s.n as f64).powi(2) / 2.0 + (s.n * s.nrhs) as f64,
        check: "|A x - b| / ((|A| |x| + |b|) n eps)",
        single: |sizes| Box::new(Factorised::<f32>::new(sizes, Timed::Solve)),
        double: |sizes| Box::new(Factorised::<f64>::new(sizes, Timed::Solve)),
    },
    Algorithm {
        name: "getrf-nopiv",
        formula: "A = L U without pivoting, A diagonally dominant",
        sizes: &["n"],
        flops_formula: "2 n^3/3 - n^2/2 + 5 n/6",
        flops: |s| lu_flops(s.n as f64),
        numbers: |s| (s.n as f64).powi(2),
        check: "|A x - b| / ((|A| |x| + |b|) n eps)",
        single: |sizes| Box::new(Lu::<f32>::new(sizes)),
        double: |sizes| Box::new(Lu::<f64>::new(sizes)),
    },
    Algorithm {
        name: "gemm",
        formula: "C = A B + C, A m x k, B k x n",
        sizes: &["m", "n", "k"],
        flops_formula: "2 m n k",
        flops: |s| 2.0 * s.m as f64 * s.n as f64 * s.k as f64,
        numbers: |s| (s.m * s.k + s.k * s.n + s.m * s.n) as f64,
        check: "|C w - (A (B w) + C0 w)| / ((|C| + |A| |B| + |C0|) |w| k eps)",
        single: |sizes| Box::new(Product::<f32>::new(sizes)),
        double: |sizes| Box::new(Product::<f64>::new(sizes)),
    },
    Algorithm {
        name: "trsm",
        formula: "L X = B, L lower triangular of order m, B m x n",
        sizes: &["m", "n"],
        flops_formula: "n m^2",
        flops: |s| s.n as f64 * (s.m as f64).powi(2),
        numbers: |s| (s.m as f64).powi(2) / 2.0 + (s.m * s.n) as f64,
        check: "|L (X w) - B w| / ((|L| |X| + |B|) |w| m eps)",
        single: |sizes| Box::new(TriangularSolve::<f32>::new(sizes)),
        double: |sizes| Box::new(TriangularSolve::<f64>::new(sizes)),
    },
];

fn cholesky_flops(n: f64) -> f64 {
    n.powi(3) / 3.0 + n.powi(2) / 2.0 + n / 6.0
}

fn lu_flops(n: f64) -> f64 {
    2.0 * n.powi(3) / 3.0 - n.powi(2) / 2.0 + 5.0 * n / 6.0
}

/// Which part of a solve with Cholesky factors is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timed {
    Factorisation,
    Solve,
}

/// Cholesky factorisation and the solve with it.
struct Factorised<T> {
    sizes: Sizes,
    timed: Timed,
    a: RandomMatrix,
    b: RandomMatrix,
    /// Factor and right-hand sides.
    tiles: Option<(TileMatrix<T>, TileMatrix<T>)>,
}

const UNREGISTERED: &str = "the matrices are registered first";

impl<T: Scalar> Factorised<T> {
    fn new(sizes: Sizes, timed: Timed) -> Self {
        let (a, b) = (Entries::PositiveDefinite(sizes.n), Entries::Uniform);
        let [a, b] = matrices(&sizes, [a, b]);
        Self { sizes, timed, a, b, tiles: None }
    }
}

impl<T: Scalar> Problem<T> for Factorised<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { n, nrhs, nb, .. } = self.sizes;
        let a = TileMatrix::lower(flow, n, nb);
        self.tiles = Some((a, TileMatrix::new(flow, (n, nrhs), (nb, nb), Storage::Full)));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        self.a.submit(flow, a);
        if self.timed == Timed::Solve {
            self.b.submit(flow, b);
            potrf(flow, a);
        }
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        match self.timed {
            Timed::Factorisation => potrf(flow, a),
            Timed::Solve => potrs(flow, a, b),
        }
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        if self.timed == Timed::Factorisation {
            self.b.submit(flow, b);
            potrs(flow, a, b);
        }
        solve_residual(flow, self.a.exact::<T>(), b, self.b.exact::<T>())
    }
}

/// LU factorisation without pivoting.
struct Lu<T> {
    sizes: Sizes,
    a: RandomMatrix,
    b: RandomMatrix,
    tiles: Option<(TileMatrix<T>, TileMatrix<T>)>,
}

impl<T: Scalar> Lu<T> {
    fn new(sizes: Sizes) -> Self {
        let [a, b] = matrices(&sizes, [Entries::Dominant(sizes.n), Entries::Uniform]);
        Self { sizes, a, b, tiles: None }
    }
}

impl<T: Scalar> Problem<T> for Lu<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { n, nb, .. } = self.sizes;
        let a = TileMatrix::new(flow, (n, n), (nb, nb), Storage::Full);
        self.tiles = Some((a, TileMatrix::new(flow, (n, 1), (nb, nb), Storage::Full)));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        self.a.submit(flow, &self.tiles.as_ref().expect(UNREGISTERED).0);
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        getrf_nopiv(flow, &self.tiles.as_ref().expect(UNREGISTERED).0);
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        self.b.submit(flow, b);
        for (uplo, diag) in [(Uplo::Lower, Diag::Unit), (Uplo::Upper, Diag::NonUnit)] {
            let triangle = Triangle { side: Side::Left, uplo, trans: Trans::No, diag };
            trsm(flow, triangle, T::ONE, a, b);
        }
        solve_residual(flow, self.a.exact::<T>(), b, self.b.exact::<T>())
    }
}

/// Matrix product.
struct Product<T> {
    sizes: Sizes,
    matrices: [RandomMatrix; 3],
    tiles: Option<[TileMatrix<T>; 3]>,
}

impl<T: Scalar> Product<T> {
    fn new(sizes: Sizes) -> Self {
        Self { sizes, matrices: matrices(&sizes, [Entries::Uniform; 3]), tiles: None }
    }
}

impl<T: Scalar> Problem<T> for Product<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { m, n, k, nb, .. } = self.sizes;
        let full = |shape| TileMatrix::new(flow, shape, (nb, nb), Storage::Full);
        self.tiles = Some([(m, k), (k, n), (m, n)].map(full));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let tiles = self.tiles.as_ref().expect(UNREGISTERED);
        self.matrices.iter().zip(tiles).for_each(|(matrix, tiles)| matrix.submit(flow, tiles));
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        let [a, b, c] = self.tiles.as_ref().expect(UNREGISTERED);
        gemm(flow, (Trans::No, Trans::No), T::ONE, a, b, T::ONE, c);
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let Sizes { m, n, k, seed, .. } = self.sizes;
        let [a, b, c] = self.matrices;
        let w = signs(seed, n);
        let product = multiply(m, a.exact::<T>(), &multiply(k, b.exact::<T>(), &w));
        let mut expected = multiply(m, c.exact::<T>(), &w);
        expected.value.iter_mut().zip(product.value).for_each(|(sum, x)| *sum += x);
        expected.size.iter_mut().zip(product.size).for_each(|(sum, x)| *sum += x);
        let tiles = self.tiles.as_ref().expect(UNREGISTERED);
        let found = multiply_tiles(flow, &tiles[2], &w)?;
        Ok(difference::<T>(&found, &expected, k))
    }
}

/// Triangular solve with many right-hand sides.
struct TriangularSolve<T> {
    sizes: Sizes,
    l: RandomMatrix,
    b: RandomMatrix,
    tiles: Option<(TileMatrix<T>, TileMatrix<T>)>,
}

impl<T: Scalar> TriangularSolve<T> {
    fn new(sizes: Sizes) -> Self {
        let [l, b] = matrices(&sizes, [Entries::Dominant(sizes.m), Entries::Uniform]);
        Self { sizes, l, b, tiles: None }
    }
}

impl<T: Scalar> Problem<T> for TriangularSolve<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { m, n, nb, .. } = self.sizes;
        let l = TileMatrix::lower(flow, m, nb);
        self.tiles = Some((l, TileMatrix::new(flow, (m, n), (nb, nb), Storage::Full)));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let (l, b) = self.tiles.as_ref().expect(UNREGISTERED);
        self.l.submit(flow, l);
        self.b.submit(flow, b);
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        let (l, b) = self.tiles.as_ref().expect(UNREGISTERED);
        let (uplo, trans, diag) = (Uplo::Lower, Trans::No, Diag::NonUnit);
        trsm(flow, Triangle { side: Side::Left, uplo, trans, diag }, T::ONE, l, b);
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let Sizes { m, n, seed, .. } = self.sizes;
        let (_, x) = self.tiles.as_ref().expect(UNREGISTERED);
        let w = signs(seed, n);
        let entry = self.l.exact::<T>();
        let lower = |i: usize, j: usize| if i >= j { entry(i, j) } else { 0.0 };
        let found = multiply(m, lower, &multiply_tiles(flow, x, &w)?);
        Ok(difference::<T>(&found, &multiply(m, self.b.exact::<T>(), &w), m))
    }
}

/// Random matrices with seeds of their own.
fn matrices<const N: usize>(sizes: &Sizes, entries: [Entries; N]) -> [RandomMatrix; N] {
    let seeds = sizes.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    std::array::from_fn(|index| RandomMatrix {
        entries: entries[index],
        seed: seeds.wrapping_add((index as u64) << 48),
    })
}
