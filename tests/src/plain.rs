//! Plain matrices and plain loops, against which tiled algorithms are tested.

use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::residual::THRESHOLD;
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_tiles::{Order, Storage, TileMatrix, random_entry};

/// A complex number.
#[must_use]
pub fn number(re: f64, im: f64) -> c64 {
    c64::new(re, im)
}

/// The nearest number of type `T`; a real type takes the real part.
#[must_use]
pub fn rounded<T: Scalar>(x: c64) -> T {
    T::from_parts(T::Real::of_f64(x.re), T::Real::of_f64(x.im))
}

/// A number of any type, exactly.
#[must_use]
pub fn exact<T: Scalar>(x: T) -> c64 {
    c64::new(x.re().to_f64(), x.im().to_f64())
}

/// Runs `case` on one thread, or on one, two or three workers: the next one each time.
#[must_use]
pub fn next_engine(case: &mut usize) -> Flow {
    *case += 1;
    match *case % 4 {
        0 => Flow::new(Sequential::new(), FlowOptions::default()),
        workers => crate::flow(workers),
    }
}

/// A plain column-major matrix in double precision, complex.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Number of rows.
    pub m: usize,
    /// Number of columns.
    pub n: usize,
    entries: Vec<c64>,
}

impl Plain {
    /// With `entry(i, j)`.
    #[must_use]
    pub fn new(m: usize, n: usize, entry: impl Fn(usize, usize) -> c64) -> Self {
        let entries = (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|(i, j)| entry(i, j));
        Self { m, n, entries: entries.collect() }
    }

    /// All the same.
    #[must_use]
    pub fn constant(m: usize, n: usize, value: f64) -> Self {
        Self::new(m, n, |_, _| number(value, 0.0))
    }

    /// The identity.
    #[must_use]
    pub fn identity(n: usize) -> Self {
        Self::new(n, n, |i, j| number(f64::from(u8::from(i == j)), 0.0))
    }

    /// Random numbers that every precision holds, real if `T` is.
    #[must_use]
    pub fn random<T: Scalar>(m: usize, n: usize, seed: u64) -> Self {
        Self::new(m, n, |i, j| {
            let entry = exact(random_entry::<c32>(seed, i, j));
            if T::IS_COMPLEX { entry } else { number(entry.re, 0.0) }
        })
    }

    /// A random matrix whose diagonal is larger than a row or column of the rest together.
    #[must_use]
    pub fn dominant<T: Scalar>(n: usize, seed: u64) -> Self {
        let random = Self::random::<T>(n, n, seed);
        let weight = |i, j| number(if i == j { n as f64 + 1.0 } else { 0.0 }, 0.0);
        Self::new(n, n, |i, j| random.at(i, j) + weight(i, j))
    }

    /// Entry `(i, j)`.
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> c64 {
        assert!(i < self.m && j < self.n, "({i}, {j}) of {} x {}", self.m, self.n);
        self.entries[i + j * self.m]
    }

    /// The matrix of `change(i, j, entry)`.
    #[must_use]
    pub fn map(&self, change: impl Fn(usize, usize, c64) -> c64) -> Self {
        Self::new(self.m, self.n, |i, j| change(i, j, self.at(i, j)))
    }

    /// NaN where `is_kept` does not hold.
    #[must_use]
    pub fn keep(&self, is_kept: impl Fn(usize, usize) -> bool) -> Self {
        self.map(|i, j, x| if is_kept(i, j) { x } else { number(f64::NAN, f64::NAN) })
    }

    /// `op` of the matrix.
    #[must_use]
    pub fn op(&self, trans: Trans) -> Self {
        match trans {
            Trans::No => self.clone(),
            Trans::Yes => Self::new(self.n, self.m, |i, j| self.at(j, i)),
            Trans::Conj => Self::new(self.n, self.m, |i, j| self.at(j, i).conj()),
        }
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.n, other.m, "inner sizes");
        Self::new(self.m, other.n, |i, j| (0..self.n).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }

    /// `alpha self + beta other`; a factor of zero overwrites.
    #[must_use]
    pub fn plus(&self, alpha: c64, beta: c64, other: &Self) -> Self {
        let zero = number(0.0, 0.0);
        let term = |factor, x| if factor == zero { zero } else { factor * x };
        self.map(|i, j, x| term(alpha, x) + term(beta, other.at(i, j)))
    }

    /// The symmetric or Hermitian matrix of which this holds the triangle `uplo`.
    #[must_use]
    pub fn completed(&self, form: Form, uplo: Uplo) -> Self {
        self.map(|i, j, x| match form {
            Form::Hermitian if i == j => number(x.re, 0.0),
            _ if uplo.holds(i, j) => x,
            Form::Hermitian => self.at(j, i).conj(),
            Form::Symmetric => self.at(j, i),
        })
    }

    /// The triangular matrix of which this holds the triangle `uplo`.
    #[must_use]
    pub fn triangle(&self, uplo: Uplo, diag: Diag) -> Self {
        self.map(|i, j, x| match diag {
            Diag::Unit if i == j => number(1.0, 0.0),
            _ if uplo.holds(i, j) => x,
            _ => number(0.0, 0.0),
        })
    }

    /// Largest modulus; NaN if there is one.
    #[must_use]
    pub fn max(&self) -> f64 {
        let sizes = self.entries.iter().map(|x| x.norm());
        sizes.fold(0.0, |max, x| if x > max || x.is_nan() { x } else { max })
    }

    /// Largest column sum of moduli.
    #[must_use]
    pub fn one_norm(&self) -> f64 {
        let sum = |j| (0..self.m).map(|i| self.at(i, j).norm()).sum::<f64>();
        (0..self.n).map(sum).fold(0.0, f64::max)
    }

    /// As tiles in precision `T`.
    #[must_use]
    pub fn tiles<T: Scalar>(&self, flow: &mut Flow, tile: (usize, usize)) -> TileMatrix<T> {
        let matrix = TileMatrix::new(flow, (self.m, self.n), tile, Storage::Full);
        matrix.fill_with(flow, |i, j| rounded(self.at(i, j))).expect("nothing ran yet");
        matrix
    }

    /// The lower triangle as tiles in precision `T`.
    #[must_use]
    pub fn lower_tiles<T: Scalar>(&self, flow: &mut Flow, nb: usize) -> TileMatrix<T> {
        let matrix = TileMatrix::lower(flow, self.n, nb);
        matrix.fill_with(flow, |i, j| rounded(self.at(i, j))).expect("nothing ran yet");
        matrix
    }

    /// What the tiles hold, after everything submitted has run.
    #[must_use]
    pub fn from_tiles<T: Scalar>(flow: &mut Flow, matrix: &TileMatrix<T>) -> Self {
        let (m, n) = (matrix.m(), matrix.n());
        let mut array = vec![T::NAN; m * n];
        let order = Order::RowMajor { ld: n.max(1) };
        matrix.gather(flow, &mut array, order).expect("the tasks succeed");
        Self::new(m, n, |i, j| exact(array[i * n + j]))
    }

    /// # Panics
    /// If an entry differs by more than `THRESHOLD` times `scale` times `T`'s rounding where
    /// `counts` holds, or is no NaN where it does not.
    #[track_caller]
    pub fn assert_near<T: Scalar>(
        &self,
        expected: &Self,
        counts: impl Fn(usize, usize) -> bool,
        scale: f64,
        what: &str,
    ) {
        assert_eq!((self.m, self.n), (expected.m, expected.n), "{what}");
        for (i, j) in (0..self.n).flat_map(|j| (0..self.m).map(move |i| (i, j))) {
            let (x, y) = (self.at(i, j), expected.at(i, j));
            if counts(i, j) {
                let error = (x - y).norm() / (scale * T::epsilon());
                assert!(
                    error <= THRESHOLD,
                    "{}: {what}: {x} against {y} at ({i}, {j}): {error:.1} units",
                    T::PRECISION.letter()
                );
            } else {
                assert!(x.re.is_nan(), "{what}: {x} written at ({i}, {j})");
            }
        }
    }
}
