//! The tile on a CPU core: column by column, several rows at once, with the widest vectors that the
//! processor has.
#![allow(unsafe_code)]

use crate::geometry::{Geometry, point};

use super::arc::ARC;
#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::entry::Evaluator;
use super::lanes::{Lanes, Single};
use super::table::RadialTable;

/// The vectors to compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vectors {
    /// Eight lanes, AVX-512.
    Avx512,
    /// Four lanes, AVX2 and FMA.
    Avx2,
    /// One number at a time.
    Baseline,
}

impl Vectors {
    /// Those that this processor has, the widest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let all = [Self::Avx512, Self::Avx2, Self::Baseline];
        all.into_iter().filter(|v| v.is_available()).collect()
    }

    /// Whether this processor has them.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().is_some(),
            Self::Baseline => true,
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The widest that this processor has.
    #[must_use]
    pub fn widest() -> Self {
        let all = [Self::Avx512, Self::Avx2];
        all.into_iter().find(|v| v.is_available()).unwrap_or(Self::Baseline)
    }
}

/// One tile to fill: shapes are checked by the codelet.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) table: &'a RadialTable,
    pub(super) geometry: Geometry,
    pub(super) row_points: &'a [f64],
    pub(super) column_points: &'a [f64],
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Column `j` starts at row `j + diagonal`, if that is positive, and is complete without it.
    pub(super) lower: Option<isize>,
}

/// A type of output: how a vector of `f64` is written.
pub(super) trait Output: Copy {
    fn put<L: Lanes>(lanes: L, x: L::F, to: &mut [Self]);
    fn of(x: f64) -> Self;
}

impl Output for f64 {
    #[inline(always)]
    fn put<L: Lanes>(lanes: L, x: L::F, to: &mut [Self]) {
        lanes.store(x, to);
    }
    fn of(x: f64) -> Self {
        x
    }
}

impl Output for f32 {
    #[inline(always)]
    fn put<L: Lanes>(lanes: L, x: L::F, to: &mut [Self]) {
        lanes.store_single(x, to);
    }
    fn of(x: f64) -> Self {
        let mut to = [0.0];
        Single.store_single(x, &mut to);
        to[0]
    }
}

impl Job<'_> {
    /// First row of column `j` to be written.
    fn start(&self, j: usize) -> usize {
        match self.lower {
            None => 0,
            Some(diagonal) => (j as isize + diagonal).clamp(0, self.rows as isize) as usize,
        }
    }

    /// Fills the tile, `rows x cols`, column-major and contiguous.
    ///
    /// # Panics
    /// If the processor does not have these vectors.
    pub(super) fn run<T: Output>(self, vectors: Vectors, out: &mut [T]) {
        match vectors {
            Vectors::Baseline => self.shaped(Single, out),
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2 => {
                let lanes = Avx2::detect().expect("AVX2 is not available");
                // SAFETY: detected.
                unsafe { self.avx2(lanes, out) }
            }
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => {
                let lanes = Avx512::detect().expect("AVX-512 is not available");
                // SAFETY: detected.
                unsafe { self.avx512(lanes, out) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            other => panic!("{other:?} is not available"),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<T: Output>(self, lanes: Avx2, out: &mut [T]) {
        self.shaped(lanes, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
    fn avx512<T: Output>(self, lanes: Avx512, out: &mut [T]) {
        self.shaped(lanes, out);
    }

    #[inline(always)]
    fn shaped<L: Lanes, T: Output>(self, lanes: L, out: &mut [T]) {
        match self.geometry {
            Geometry::Line => self.columns::<L, T, 1, false>(lanes, out),
            Geometry::Plane => self.columns::<L, T, 2, false>(lanes, out),
            Geometry::Space => self.columns::<L, T, 3, false>(lanes, out),
            Geometry::GreatCircle => self.columns::<L, T, 3, true>(lanes, out),
        }
    }

    #[inline(always)]
    fn columns<L: Lanes, T: Output, const D: usize, const SPHERE: bool>(
        self,
        lanes: L,
        out: &mut [T],
    ) {
        let evaluator = Evaluator::new(lanes, self.table, &ARC, SPHERE);
        // Of equal and known lengths, so that no bounds are checked in the loop over rows.
        let coordinates: [&[f64]; D] =
            std::array::from_fn(|k| &self.row_points[k * self.rows..][..self.rows]);
        // The rows that start a full vector are below.
        let full = if self.rows < L::N { 0 } else { self.rows - (L::N - 1) };
        for j in 0..self.cols {
            let mut at = [lanes.splat(0.0); D];
            for (k, at) in at.iter_mut().enumerate() {
                *at = lanes.splat(self.column_points[k * self.cols + j]);
            }
            let column = &mut out[j * self.rows..][..self.rows];
            let mut i = self.start(j);
            while i < full {
                let mut points = at;
                for (point, coordinate) in points.iter_mut().zip(coordinates) {
                    *point = lanes.load(&coordinate[i..]);
                }
                let (value, unknown) = evaluator.entries::<D, SPHERE>(&points, &at);
                T::put(lanes, value, &mut column[i..]);
                if unknown != 0 {
                    self.patch(unknown, i, j, column);
                }
                i += L::N;
            }
            if i < self.rows {
                self.last_rows::<L, T, D, SPHERE>(&evaluator, &at, i, j, column);
            }
        }
    }

    /// The rows from `i` on, fewer than the lanes, through padded copies.
    #[inline(always)]
    fn last_rows<L: Lanes, T: Output, const D: usize, const SPHERE: bool>(
        self,
        evaluator: &Evaluator<'_, L>,
        at: &[L::F; D],
        i: usize,
        j: usize,
        column: &mut [T],
    ) {
        let (lanes, count) = (evaluator.lanes(), self.rows - i);
        let mut points = *at;
        for (k, point) in points.iter_mut().enumerate() {
            let mut padded = [0.0; 8];
            padded[..count].copy_from_slice(&self.row_points[k * self.rows + i..][..count]);
            *point = lanes.load(&padded);
        }
        let (value, unknown) = evaluator.entries::<D, SPHERE>(&points, at);
        let mut padded = [T::of(0.0); 8];
        T::put(lanes, value, &mut padded);
        column[i..].copy_from_slice(&padded[..count]);
        self.patch(unknown & ((1 << count) - 1), i, j, column);
    }

    /// Entries at distance 0 or outside the table, one at a time.
    #[cold]
    #[inline(never)]
    fn patch<T: Output>(&self, unknown: u32, i: usize, j: usize, column: &mut [T]) {
        let b = point(self.geometry, self.column_points, j);
        for lane in (0..8).filter(|lane| unknown >> lane & 1 == 1) {
            let a = point(self.geometry, self.row_points, i + lane);
            column[i + lane] = T::of(self.table.outside(self.geometry.distance(&a, &b)));
        }
    }
}
