//! The likelihood's sums and the weights on a core, and the choice of vectors.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use crate::kernel::covariance::{Avx2, Avx512};
use crate::kernel::covariance::{Lanes, RadialTable, Single, Vectors};

use super::group::{Group, MOST, Source};
use super::{Places, Terms, Weights};
use crate::error::NumericalError;
use crate::geometry::Geometry;

/// What can be done with vectors of any kind, on places anywhere.
pub(super) trait Work: Sized {
    /// With blocks of `R` rows in registers, places of `D` coordinates, `SPHERE` if these are unit
    /// vectors. Always inlined, so that it is compiled for the vectors' instructions.
    fn run<L: Lanes, const R: usize, const D: usize, const SPHERE: bool>(
        self,
        lanes: L,
    ) -> Result<(), NumericalError>;
}

/// Does it with these vectors.
///
/// # Panics
/// If the processor does not have them.
pub(super) fn run<T: Work>(
    work: T,
    vectors: Vectors,
    geometry: Geometry,
) -> Result<(), NumericalError> {
    match vectors {
        Vectors::Baseline => shaped::<_, _, 3>(work, Single, geometry),
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx2 => {
            let lanes = Avx2::detect().expect("AVX2 is not available");
            // SAFETY: detected.
            unsafe { avx2(work, lanes, geometry) }
        }
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx512 => {
            let lanes = Avx512::detect().expect("AVX-512 is not available");
            // SAFETY: detected.
            unsafe { avx512(work, lanes, geometry) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        other => panic!("{other:?} is not available"),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<T: Work>(work: T, lanes: Avx2, geometry: Geometry) -> Result<(), NumericalError> {
    shaped::<_, _, 3>(work, lanes, geometry)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
fn avx512<T: Work>(work: T, lanes: Avx512, geometry: Geometry) -> Result<(), NumericalError> {
    shaped::<_, _, 4>(work, lanes, geometry)
}

#[inline(always)]
fn shaped<T: Work, L: Lanes, const R: usize>(
    work: T,
    lanes: L,
    geometry: Geometry,
) -> Result<(), NumericalError> {
    match geometry {
        Geometry::Line => work.run::<L, R, 1, false>(lanes),
        Geometry::Plane => work.run::<L, R, 2, false>(lanes),
        Geometry::Space => work.run::<L, R, 3, false>(lanes),
        Geometry::GreatCircle => work.run::<L, R, 3, true>(lanes),
    }
}

/// The lanes of a vector.
#[inline(always)]
pub(super) fn numbers<L: Lanes>(lanes: L, x: L::F) -> [f64; MOST] {
    let mut numbers = [0.0; MOST];
    lanes.store(x, &mut numbers);
    numbers
}

impl Places {
    /// The records of the block, by rows.
    pub(super) fn own<'a>(&self, records: &'a [f64]) -> impl Fn(usize) -> &'a [f64] + use<'a> {
        let (first, width) = (self.first, self.width());
        move |row| &records[(first + row) * width..][..width]
    }

    /// The failure of the first of the lanes `bad`, of those that are places.
    pub(super) fn failure(&self, row: usize, bad: u32) -> Result<(), NumericalError> {
        let lane = bad.trailing_zeros() as usize;
        if bad == 0 || row + lane >= self.rows {
            return Ok(());
        }
        Err(NumericalError::NotPositiveDefinite { order: self.first + row + lane + 1 })
    }
}

impl Terms {
    /// Overwrites `sums`.
    ///
    /// # Errors
    /// If a matrix is not positive definite.
    ///
    /// # Panics
    /// If a shape is another, or the processor does not have the vectors.
    pub fn compute(
        &self,
        vectors: Vectors,
        table: &RadialTable,
        records: &[f64],
        neighbours: &[u32],
        sums: &mut [f64],
    ) -> Result<(), NumericalError> {
        self.0.check(records, neighbours);
        assert_eq!(sums.len(), Self::length(self.0.columns), "sums");
        let source = Source { places: self.0, records, neighbours };
        run(TermsWork { source, table, sums }, vectors, self.0.geometry)
    }
}

struct TermsWork<'a> {
    source: Source<'a>,
    table: &'a RadialTable,
    sums: &'a mut [f64],
}

impl Work for TermsWork<'_> {
    #[inline(always)]
    fn run<L: Lanes, const R: usize, const D: usize, const SPHERE: bool>(
        self,
        l: L,
    ) -> Result<(), NumericalError> {
        let Self { source, table, sums } = self;
        let Places { rows, columns, .. } = source.places;
        let own = source.places.own(source.records);
        let mut group = Group::<L, R, D, SPHERE>::new(l, source);
        let mut left = vec![[0.0; MOST]; columns];
        sums.fill(0.0);
        for row in (0..rows).step_by(L::N) {
            group.gather(row, &own);
            group.fill(table);
            let (rest, bad) = group.condition(table.variance + table.nugget);
            let is_positive = l.mask(l.at_least(rest, l.splat(f64::MIN_POSITIVE)));
            source.places.failure(row, bad | (!is_positive & ((1 << L::N) - 1)))?;
            let root = l.div(l.splat(1.0), l.sqrt(rest));
            for (column, left) in left.iter_mut().enumerate() {
                *left = numbers(l, l.mul(group.residual(column), root));
            }
            let rest = numbers(l, rest);
            for lane in 0..L::N.min(rows - row) {
                sums[0] += rest[lane].ln();
                for (column, sums) in sums[1..].chunks_exact_mut(columns).enumerate() {
                    for (sum, other) in sums.iter_mut().zip(&left) {
                        *sum += other[lane] * left[column][lane];
                    }
                }
            }
        }
        Ok(())
    }
}

impl<L: Lanes, const R: usize, const D: usize, const SPHERE: bool> Group<'_, L, R, D, SPHERE> {
    /// `x_i - a' x_N` of a column.
    #[inline(always)]
    pub(super) fn residual(&self, column: usize) -> L::F {
        let m = self.weights.len();
        self.lanes().sub(self.values[column * (m + 1) + m], self.weighted(column))
    }
}

impl Weights {
    /// Overwrites `out`, `columns + 1` numbers for each target.
    ///
    /// # Errors
    /// If a matrix is not positive definite.
    ///
    /// # Panics
    /// If a shape is another, or the processor does not have the vectors.
    pub fn compute(
        &self,
        vectors: Vectors,
        table: &RadialTable,
        records: &[f64],
        neighbours: &[u32],
        targets: &[f64],
        out: &mut [f64],
    ) -> Result<(), NumericalError> {
        let places = self.0;
        places.check(records, neighbours);
        assert_eq!(targets.len(), places.rows * places.geometry.stored(), "targets");
        assert_eq!(out.len(), places.rows * (places.columns + 1), "numbers of the targets");
        let source = Source { places, records, neighbours };
        run(WeightsWork { source, table, targets, out }, vectors, places.geometry)
    }
}

struct WeightsWork<'a> {
    source: Source<'a>,
    table: &'a RadialTable,
    targets: &'a [f64],
    out: &'a mut [f64],
}

impl Work for WeightsWork<'_> {
    #[inline(always)]
    fn run<L: Lanes, const R: usize, const D: usize, const SPHERE: bool>(
        self,
        l: L,
    ) -> Result<(), NumericalError> {
        let Self { source, table, targets, out } = self;
        let Places { rows, columns, .. } = source.places;
        let own = |row: usize| &targets[row * D..][..D];
        let mut group = Group::<L, R, D, SPHERE>::new(l, source);
        for (row, out) in (0..rows).step_by(L::N).zip(out.chunks_mut(L::N * (columns + 1))) {
            group.gather(row, own);
            group.fill(table);
            let (rest, bad) = group.condition(table.variance);
            source.places.failure(row, bad)?;
            for column in 0..columns {
                let made = numbers(l, group.weighted(column));
                let to = out.chunks_exact_mut(columns + 1);
                to.zip(made).for_each(|(to, made)| to[column] = made);
            }
            let explained = numbers(l, l.sub(l.splat(table.variance), rest));
            let to = out.chunks_exact_mut(columns + 1);
            to.zip(explained).for_each(|(to, explained)| to[columns] = explained);
        }
        Ok(())
    }
}
