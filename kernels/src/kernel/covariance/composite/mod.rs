//! Covariances that are put together from several radial tables: sums, covariances of several
//! variables, and covariances in space and time.
//!
//! Between places `a` and `b` of variables `p` and `q`, `d` apart in space and `u` in time, it is
//!
//! `C = psi^-decay sum_t w_t rho_t(d psi^-(interaction/2))`, `psi = 1 + |u|^(2 alpha) / scale`,
//!
//! over the terms `t` of the pair `p, q`, each a [`RadialTable`] with a weight, which may be
//! negative; without time `psi` is 1 (T. Gneiting, "Nonseparable, stationary covariance functions
//! for space-time data", J. Amer. Statist. Assoc. 97 (2002) 590-600, equation 14). Whether it is
//! positive definite is up to who makes it. A recipe may instead be that of a
//! [non-stationary](FIELDS) Matern covariance, which has no tables.
//!
//! A buffer of it is a [`Recipe`], the tables of the terms, and, for derivatives, those of each
//! term. Places are those of [`crate::geometry::Points`] with their marks: the time, then the
//! number of the variable, each if there is one. Its derivatives are by the coordinates of
//! [`Recipe::derivatives`].

mod column;
pub(super) mod cuda;
mod nonstationary;

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use super::{FLOPS_PER_ENTRY, Part, RadialTable, Structure, Vectors};
use crate::geometry::Geometry;
use crate::scalar::Real;

pub use column::Composite;
pub(in crate::kernel) use column::Room;
pub(crate) use cuda::SOURCE;
pub use nonstationary::FIELDS;

/// Most terms.
pub const TERMS: usize = 8;

/// Derivatives by the parameters of time: by the logarithm of the scale, by the exponent, by the
/// interaction, and by the decay.
pub const TIME_DERIVATIVES: usize = 4;

/// One of the sums that a composite covariance is made of.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Term {
    /// What its table is multiplied by.
    pub weight: f64,
    /// The variables that it is between, the lesser first; without variables 0.
    pub pair: [u32; 2],
    /// Tables of derivatives, by the coordinates of its shapes, that by the logarithm of the range
    /// first.
    pub shapes: u32,
    /// 1 if these are relative to the table of the term, else 0.
    pub is_relative: u32,
}

/// How a covariance changes with time.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Time {
    /// What the power of the time between two places is divided by.
    pub scale: f64,
    /// Half of that power.
    pub alpha: f64,
    /// How much ranges grow with time, from 0 to 1.
    pub interaction: f64,
    /// How fast the covariance falls with time.
    pub decay: f64,
}

/// What a composite covariance is made of, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Recipe {
    /// The terms.
    pub terms: [Term; TERMS],
    /// How many there are.
    pub count: u64,
    /// 1 if places are marked with their variable, else 0.
    pub has_variables: u64,
    /// 1 if they are marked with their time, before that, else 0.
    pub has_time: u64,
    /// Added where an observation meets itself.
    pub nugget: f64,
    /// How it changes with time, if it does.
    pub time: Time,
    /// 1 if it is a non-stationary Matern covariance, of no terms, else 0.
    pub is_nonstationary: u64,
    /// The numbers of that.
    pub fields: [f64; FIELDS],
    /// Nothing.
    pub padding: [u64; 7],
}

impl Recipe {
    /// What covariances are made from it.
    #[must_use]
    pub fn structure(&self) -> Structure {
        Structure::Composite { has_tables: self.is_nonstationary == 0 }
    }

    /// The marks of a place.
    #[must_use]
    pub fn marks(&self) -> usize {
        (self.has_time + self.has_variables) as usize
    }

    /// The terms.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms[..self.count as usize]
    }

    /// How many derivatives there are: of each term by its weight and by each of its shapes, then
    /// those by time.
    #[must_use]
    pub fn derivatives(&self) -> usize {
        if self.is_nonstationary == 1 {
            return FIELDS;
        }
        let terms: usize = self.terms().iter().map(|term| 1 + term.shapes as usize).sum();
        terms + TIME_DERIVATIVES * self.has_time as usize
    }
}

/// A piece of a buffer, as recipes and tables are aligned.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line([u64; 8]);

/// The buffer of a composite covariance: `recipe`, then its `tables`.
#[must_use]
pub fn composite_buffer(recipe: &Recipe, tables: &[RadialTable]) -> Vec<Line> {
    let recipe: &[Line] = bytemuck::cast_slice(std::slice::from_ref(recipe));
    [recipe, bytemuck::cast_slice(tables)].concat()
}

/// The tile of a composite covariance; buffers `[recipe and tables: R, row points: R, column
/// points: R, C: W]`.
///
/// As [`Covariance`](super::Covariance), of which it is a sum: for a tile on the diagonal what is
/// on and below that, with the nugget where an observation meets itself. Cannot fail. A covariance
/// without tables is evaluated on cores.
#[derive(Clone, Copy, Debug)]
pub struct CompositeCovariance<T> {
    /// Rows of the tile.
    pub rows: usize,
    /// Columns of the tile.
    pub cols: usize,
    /// What distance means.
    pub geometry: Geometry,
    /// Which entries are written.
    pub part: Part,
    /// Terms for each entry, as far as the work depends on them.
    pub terms: usize,
    /// Whether these have tables.
    pub has_tables: bool,
    /// The precision of the tile.
    pub precision: PhantomData<T>,
}

impl<T: Real> Codelet for CompositeCovariance<T> {
    const NAME: &'static str = "covariance-composite";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::R, Access::W];

    fn cost(&self) -> Cost {
        let entries = match self.part {
            Part::Full => self.rows * self.cols,
            Part::Lower => self.rows * (self.rows + 1) / 2,
        };
        let flops = FLOPS_PER_ENTRY * (self.terms * entries) as f64;
        Cost { flops, bytes: (entries * size_of::<T>()) as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let composite = Composite::new(buffers.read::<u8>(0), self.geometry);
        self.compute(&composite, (buffers.read(1), buffers.read(2)), buffers.write(3));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.has_tables
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

impl<T: Real> CompositeCovariance<T> {
    /// Fills a contiguous tile.
    ///
    /// # Panics
    /// If shapes differ from the kernel's.
    #[inline(never)]
    pub fn compute(
        &self,
        composite: &Composite<'_>,
        (row_points, column_points): (&[f64], &[f64]),
        out: &mut [T],
    ) {
        let &Self { rows, cols, .. } = self;
        assert!(out.len() == rows * cols, "the tile has {} entries", out.len());
        let (mut room, mut column, mut point) = (Room::default(), vec![0.0; rows], Vec::new());
        for j in 0..cols {
            let start = if self.part == Part::Lower { j } else { 0 };
            composite.point((column_points, cols), j, &mut point);
            let from = (row_points, rows, start);
            composite.column(Vectors::widest(), from, &point, &mut room, &mut column, None);
            let to = &mut out[j * rows..][start..rows];
            to.iter_mut().zip(&column[start..]).for_each(|(to, &x)| *to = T::from_f64(x));
            if self.part == Part::Lower {
                out[j * rows + j] = T::from_f64(column[j] + composite.recipe().nugget);
            }
        }
    }
}
