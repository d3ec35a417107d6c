//! Random matrices of given singular values or eigenvalues, each entry known from its place and the
//! seed.
//!
//! `A = U S V^H` with products `U` and `V` of random reflectors is a diagonal matrix plus one of
//! low rank, so that any entry takes a few operations; LAPACK Working Note 9 has the spectra.

use std::marker::PhantomData;

use tegula_kernels::kernel::low_rank::{LowRank, Mirror};
use tegula_kernels::scalar::{Scalar, c64};
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::{Storage, TileMatrix, random_entry};

/// Reflectors on either side.
const REFLECTORS: usize = 3;

/// How singular values are spread (the modes of LAPACK's xLATM1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpectrumShape {
    /// One large, the others equal (mode 1).
    OneLarge,
    /// One small, the others equal (mode 2).
    OneSmall,
    /// With equal ratios (mode 3).
    Geometric,
    /// With equal differences (mode 4).
    Arithmetic,
    /// At random, their logarithms uniform (mode 5).
    RandomLogarithms,
    /// At random, uniform between zero and the largest; the condition does not count (mode 6).
    Random,
}

impl SpectrumShape {
    /// All, in the order of LAPACK's modes.
    pub const ALL: [Self; 6] = [
        Self::OneLarge,
        Self::OneSmall,
        Self::Geometric,
        Self::Arithmetic,
        Self::RandomLogarithms,
        Self::Random,
    ];
}

/// Singular values of a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// How they are spread.
    pub shape: SpectrumShape,
    /// The largest over the smallest, at least 1.
    pub condition: f64,
    /// The largest; of those at random one that none exceeds.
    pub largest: f64,
}

/// What kind of matrix has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpectrumKind {
    /// Any: they are its singular values.
    General,
    /// A Hermitian positive definite one: they are its eigenvalues.
    Positive,
    /// A Hermitian one: they are its eigenvalues, up to random signs.
    Indefinite,
}

impl Spectrum {
    /// The `count` values, with signs of an indefinite matrix.
    ///
    /// # Panics
    /// If the condition is below 1 or NaN, or the largest is negative or NaN.
    #[must_use]
    pub fn values(&self, kind: SpectrumKind, count: usize, seed: u64) -> Vec<f64> {
        let &Self { shape, condition, largest } = self;
        assert!(condition >= 1.0 && largest >= 0.0, "a spectrum of {self:?}");
        let last = count.saturating_sub(1);
        let chance = |column: usize, i: usize| random_entry::<f64>(!seed, i, column) + 0.5;
        let value = |i: usize| match shape {
            SpectrumShape::OneLarge => {
                if i == 0 {
                    1.0
                } else {
                    1.0 / condition
                }
            }
            SpectrumShape::OneSmall => {
                if i < last || i == 0 {
                    1.0
                } else {
                    1.0 / condition
                }
            }
            SpectrumShape::Geometric => condition.powf(-(i as f64) / last.max(1) as f64),
            SpectrumShape::Arithmetic => {
                1.0 - i as f64 / last.max(1) as f64 * (1.0 - 1.0 / condition)
            }
            SpectrumShape::RandomLogarithms => condition.powf(-chance(0, i)),
            SpectrumShape::Random => chance(0, i),
        };
        let is_negative = |i| kind == SpectrumKind::Indefinite && chance(1, i) < 0.5;
        let sign = |i| if is_negative(i) { -largest } else { largest };
        (0..count).map(|i| sign(i) * value(i)).collect()
    }
}

/// Submits a random matrix with the singular values or eigenvalues of `spectrum` (xLATMS): its
/// entries depend on the seed and their place alone, whatever the tiles. Of a matrix stored as a
/// lower triangle, the tiles that exist.
///
/// In 64 bits the values are exact up to a few roundings of the largest; in 32 entries are rounded
/// once.
///
/// # Panics
/// If a Hermitian matrix or its tiles are not square, a general one is stored as a triangle, or the
/// spectrum is none.
pub fn latms<T: Scalar>(
    flow: &mut Flow,
    kind: SpectrumKind,
    spectrum: &Spectrum,
    seed: u64,
    a: &TileMatrix<T>,
) {
    let (m, n, mb, nb) = (a.m(), a.n(), a.mb(), a.nb());
    let is_hermitian = kind != SpectrumKind::General;
    assert!(!is_hermitian || (m == n && mb == nb), "{m} x {n} in {mb} x {nb} tiles is not square");
    assert!(is_hermitian || a.storage() == Storage::Full, "a general matrix in a triangle");
    let values = spectrum.values(kind, m.min(n), seed);
    let mut made = Reflected::new(&values, (m, n));
    for k in 0..REFLECTORS {
        let u = reflector::<T>(seed, m, k);
        let v = if is_hermitian { u.clone() } else { reflector::<T>(seed, n, k + REFLECTORS) };
        made.reflect(&u, &v);
    }
    submit(flow, is_hermitian, &made, a);
}

/// A random vector of length the root of two, real for a real `T`.
fn reflector<T: Scalar>(seed: u64, count: usize, k: usize) -> Vec<c64> {
    let number = |i: usize| {
        let entry = random_entry::<c64>(seed, i, k);
        if T::IS_COMPLEX { entry } else { c64::from_real(entry.re) }
    };
    let numbers: Vec<c64> = (0..count).map(number).collect();
    let square: f64 = numbers.iter().map(|x| x.norm_sqr()).sum();
    let factor = if square > 0.0 { (2.0 / square).sqrt() } else { 0.0 };
    numbers.into_iter().map(|x| x * factor).collect()
}

/// `D + X Y^H`, in columns of `X` and `Y`.
struct Reflected {
    /// As many entries as rows; zero beyond the last column.
    diagonal: Vec<c64>,
    x: Vec<Vec<c64>>,
    y: Vec<Vec<c64>>,
}

impl Reflected {
    fn new(values: &[f64], (m, n): (usize, usize)) -> Self {
        let mut diagonal: Vec<c64> = values.iter().map(|&value| c64::from_real(value)).collect();
        diagonal.resize(m.max(n), c64::ZERO);
        Self { diagonal, x: Vec::new(), y: Vec::new() }
    }

    /// Becomes `(I - u u^H) A (I - v v^H)`, for vectors whose length is the root of two.
    fn reflect(&mut self, u: &[c64], v: &[c64]) {
        // A^H u = conj(D) u + Y (X^H u), and then A v = D v + X (Y^H v).
        let of_u = product(&self.diagonal, v.len(), (&self.y, &self.x), u);
        self.push(u.iter().map(|x| -x).collect(), of_u);
        let of_v = product(&self.diagonal, u.len(), (&self.x, &self.y), v);
        self.push(of_v.into_iter().map(|x| -x).collect(), v.to_vec());
    }

    fn push(&mut self, x: Vec<c64>, y: Vec<c64>) {
        self.x.push(x);
        self.y.push(y);
    }
}

/// `(D + L R^H) w` with `count` entries, for a real diagonal.
fn product(
    diagonal: &[c64],
    count: usize,
    (left, right): (&[Vec<c64>], &[Vec<c64>]),
    w: &[c64],
) -> Vec<c64> {
    let entry = |i: usize| w.get(i).map_or(c64::ZERO, |x| diagonal[i] * x);
    let mut product: Vec<c64> = (0..count).map(entry).collect();
    for (left, right) in left.iter().zip(right) {
        let factor: c64 = right.iter().zip(w).map(|(x, w)| x.conj() * w).sum();
        product.iter_mut().zip(left).for_each(|(sum, x)| *sum += x * factor);
    }
    product
}

/// Submits the tiles.
fn submit<T: Scalar>(flow: &mut Flow, is_hermitian: bool, made: &Reflected, a: &TileMatrix<T>) {
    let rank = made.x.len();
    let panel = |flow: &mut Flow, columns: &[Vec<c64>], first: usize, rows: usize| {
        let part: Vec<c64> =
            columns.iter().flat_map(|column| &column[first..first + rows]).copied().collect();
        flow.register_from(&part)
    };
    let rows: Vec<(Handle, Handle)> = (0..a.mt())
        .map(|i| {
            let (first, rows) = (i * a.mb(), a.tile_rows(i));
            let diagonal = flow.register_from(&made.diagonal[first..first + rows]);
            (diagonal, panel(flow, &made.x, first, rows))
        })
        .collect();
    let columns: Vec<Handle> =
        (0..a.nt()).map(|j| panel(flow, &made.y, j * a.nb(), a.tile_columns(j))).collect();
    for index in a.indices() {
        let (i, j) = (index.row, index.column);
        let mirror = match is_hermitian {
            true if i == j => Mirror::Triangle,
            true if i < j => Mirror::Whole,
            _ => Mirror::None,
        };
        let (row, column) = if mirror == Mirror::Whole { (j, i) } else { (i, j) };
        let ((diagonal, x), y) = (rows[row], columns[column]);
        let below = (i * a.mb()) as isize - (j * a.nb()) as isize;
        let (m, n, scalar) = (a.tile_rows(i), a.tile_columns(j), PhantomData::<T>);
        let fill = LowRank { mirror, below, m, n, rank, scalar };
        flow.submit(fill, &[(diagonal, R), (x, R), (y, R), (a.tile(i, j), W)], 0);
    }
    let rows = rows.into_iter().flat_map(|(diagonal, x)| [diagonal, x]);
    rows.chain(columns).for_each(|handle| flow.retire(handle));
}
