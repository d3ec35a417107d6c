//! The sums of sets of places whose conditionals are worked out together.
//!
//! A set holds places in their order: those whose conditionals are its own, and those that they are
//! given. With the set's covariance matrix `K = L L'`, `w = L^-1 x` of a column `x`, and row `k` of
//! `L` a place of its own, the place adds `2 ln L_kk` and the products of its `w_k`: each place is
//! conditioned on all of the set before it. With the derivative `D` of `K` and row `k` of `L^-1`,
//! `u`, row `k` of `L^-1 D L^-T` is `h = L^-1 D u`, of which the score and the expected information
//! are made, as of a place by itself. Source: J. Guinness, "Permutation and grouping methods for
//! sharpening Gaussian process approximations", Technometrics 60 (2018) 415-429, section 3; the
//! score as in [`super`].

mod cuda;
mod sums;

use tegula_runtime::flow::Cost;

use super::composite::{Gathered, Scratch, scatter};
use super::cpu::{numbers, run};
use super::factor::{factor, forward, start};
use super::group::{Entry, MOST, direction, spread};
use super::{JointScore, JointTerms, ScoreSums, Terms};
use crate::error::NumericalError;
use crate::geometry::Geometry;
use crate::kernel::covariance::{
    Composite, Lanes, RadialTable, Step, Structure, TABLE_BYTES, Vectors,
};

pub(crate) use cuda::SOURCE;
use sums::{ScoreWork, TermsWork};

/// The bit of a member of a set whose conditional is the set's own; the others are the number of
/// its record.
pub const OWN: u32 = 1 << 31;

/// What sets are of.
///
/// A buffer of sets holds their number, then of each the number of its members and these, in their
/// order; what follows is not read. Sets of similar sizes should stand side by side, since a vector
/// takes one in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Sets {
    /// Numbers of a record beside its coordinates and marks.
    pub columns: usize,
    /// Marks of a place, which a composite covariance takes, after its coordinates.
    pub marks: usize,
    /// What distance means.
    pub geometry: Geometry,
    /// What the covariance, and its derivatives, are made from.
    pub structure: Structure,
    /// Places whose conditionals are worked out, and neighbours of each, `rows` and `m`: what a
    /// task is expected to take. The squares of the sizes of sets add up to no more than
    /// `rows (m + 1)^2`, for which devices have room.
    pub size: (usize, usize),
}

impl Sets {
    fn width(&self) -> usize {
        self.geometry.stored() + self.marks + self.columns
    }

    /// What a buffer of the covariance, and of so many derivatives, holds.
    fn entries<'a>(&self, buffer: &'a [u8], derivatives: usize) -> Entries<'a> {
        match self.structure {
            Structure::Radial { is_relative } => {
                assert_eq!(self.marks, 0, "marks of places");
                let tables: &[RadialTable] = bytemuck::cast_slice(buffer);
                assert_eq!(tables.len(), derivatives + 1, "tables");
                Entries::Radial { tables, is_relative }
            }
            Structure::Composite { .. } => {
                let composite = Composite::new(buffer, self.geometry);
                assert_eq!(composite.recipe().marks(), self.marks, "marks of places");
                let count = composite.recipe().derivatives();
                assert!(derivatives == 0 || derivatives == count, "derivatives");
                Entries::Composite(composite)
            }
        }
    }

    pub(super) fn cost(&self, tables: usize, solves: usize) -> Cost {
        let (rows, m) = (self.size.0 as f64, self.size.1 as f64 + 1.0);
        let pairs = 0.5 * m * m * (24 * tables + 2 * solves) as f64;
        Cost {
            flops: rows * (m.powi(3) / 3.0 + pairs),
            bytes: rows * m * size_of::<u32>() as f64 + (tables * TABLE_BYTES) as f64,
        }
    }
}

impl JointTerms {
    /// Overwrites `sums`.
    ///
    /// # Errors
    /// If a matrix is not positive definite; the order is the number of the record, from 1, of the
    /// first place with which it is not.
    ///
    /// # Panics
    /// If a shape is another, or the processor does not have the vectors.
    pub fn compute(
        &self,
        vectors: Vectors,
        tables: &[u8],
        records: &[f64],
        sets: &[u32],
        sums: &mut [f64],
    ) -> Result<(), NumericalError> {
        let Sets { columns, geometry, .. } = self.0;
        assert_eq!(records.len() % self.0.width(), 0, "numbers of the records");
        assert_eq!(sums.len(), Terms::length(columns), "sums");
        let (lists, entries) = (split(sets), self.0.entries(tables, 0));
        run(TermsWork { sets: self.0, lists, entries, records, sums }, vectors, geometry)
    }
}

impl JointScore {
    /// Overwrites `sums`.
    ///
    /// # Errors
    /// As [`JointTerms::compute`].
    ///
    /// # Panics
    /// If a shape is another, or the processor does not have the vectors.
    pub fn compute(
        &self,
        vectors: Vectors,
        tables: &[u8],
        records: &[f64],
        sets: &[u32],
        mix: &[f64],
        sums: &mut [f64],
    ) -> Result<(), NumericalError> {
        let Sets { columns, geometry, .. } = self.sets;
        assert_eq!(records.len() % self.sets.width(), 0, "numbers of the records");
        assert_eq!(mix.len(), columns * columns, "entries of M");
        assert_eq!(sums.len(), ScoreSums::length(self.derivatives), "sums");
        let (lists, entries) = (split(sets), self.sets.entries(tables, self.derivatives));
        let derivatives = self.derivatives;
        let work = ScoreWork { sets: self.sets, lists, entries, derivatives, records, mix, sums };
        run(work, vectors, geometry)
    }
}

/// The members of each set.
pub(super) fn split(sets: &[u32]) -> Vec<&[u32]> {
    let Some((&count, mut rest)) = sets.split_first() else { return Vec::new() };
    let mut lists = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let (members, more) = rest[1..].split_at(rest[0] as usize);
        lists.push(members);
        rest = more;
    }
    lists
}

/// What covariances of pairs, and their derivatives, are made from.
#[derive(Clone, Copy)]
enum Entries<'a> {
    Radial { tables: &'a [RadialTable], is_relative: bool },
    Composite(Composite<'a>),
}

/// As many sets as vectors have lanes, their last members side by side.
struct Joint<'a, L: Lanes, const R: usize, const D: usize, const SPHERE: bool> {
    lanes: L,
    sets: Sets,
    records: &'a [f64],
    members: [&'a [u32]; MOST],
    /// Lanes with a set of their own.
    filled: usize,
    /// Members of the largest set.
    slots: usize,
    /// Numbers of the records, one lane beside the other.
    staged: Vec<f64>,
    points: Vec<[L::F; D]>,
    /// Columns of numbers, then `L^-1` times them.
    values: Vec<L::F>,
    /// Covariances, then their factor, packed.
    lower: Vec<L::F>,
    /// Inverse of the factor's diagonal.
    inverse: Vec<L::F>,
    /// What composite covariances are worked out with.
    scratch: Scratch,
}

impl<'a, L: Lanes, const R: usize, const D: usize, const SPHERE: bool> Joint<'a, L, R, D, SPHERE> {
    #[inline(always)]
    fn new(lanes: L, sets: Sets, records: &'a [f64]) -> Self {
        Self {
            lanes,
            sets,
            records,
            members: [&[]; MOST],
            filled: 0,
            slots: 0,
            staged: Vec::new(),
            points: Vec::new(),
            values: Vec::new(),
            lower: Vec::new(),
            inverse: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Numbers of a record.
    #[inline(always)]
    fn width(&self) -> usize {
        D + self.sets.marks + self.sets.columns
    }

    /// Gathers the records of some sets, at least one. Lanes beyond them repeat the last.
    #[inline(always)]
    fn gather(&mut self, lists: &[&'a [u32]]) {
        let (l, columns, marks, width) =
            (self.lanes, self.sets.columns, self.sets.marks, self.width());
        let count = self.records.len() / width;
        self.filled = lists.len();
        self.slots = lists.iter().map(|list| list.len()).max().unwrap_or(0);
        let slots = self.slots;
        self.staged.resize(slots * width * L::N, 0.0);
        for lane in 0..L::N {
            let list = lists[lane.min(lists.len() - 1)];
            self.members[lane] = list;
            let missing = slots - list.len();
            let last = list.last().map_or(0, |&member| (member & !OWN) as usize);
            for slot in 0..slots {
                let to = &mut self.staged[slot * width * L::N..][..width * L::N];
                if slot < missing {
                    // Anywhere but at a member, to which there would be no distance.
                    let index = (last + 128 + slot) % count;
                    spread::<L>(to, lane, &self.records[index * width..][..D]);
                } else {
                    let index = (list[slot - missing] & !OWN) as usize;
                    spread::<L>(to, lane, &self.records[index * width..][..width]);
                }
            }
        }
        self.points.resize(slots, [l.splat(0.0); D]);
        self.values.resize(columns * slots, l.splat(0.0));
        for slot in 0..slots {
            let from = &self.staged[slot * width * L::N..][..width * L::N];
            for (k, point) in self.points[slot].iter_mut().enumerate() {
                *point = l.load(&from[k * L::N..]);
            }
            for column in 0..columns {
                self.values[column * slots + slot] = l.load(&from[(D + marks + column) * L::N..]);
            }
        }
    }

    /// The covariances of all pairs, packed, with the noise on the diagonal, into `to`, and their
    /// derivatives into `slopes`, which are as many or none.
    #[inline(always)]
    fn evaluate(&mut self, entries: &Entries<'_>, to: &mut Vec<L::F>, slopes: &mut [Vec<L::F>]) {
        match entries {
            Entries::Radial { tables, is_relative } => {
                let own = tables[0].variance + tables[0].nugget;
                self.fill(&tables[0], None, (own, 1.0), to);
                let beside = is_relative.then_some(&to[..]);
                for (table, slope) in tables[1..].iter().zip(slopes) {
                    self.fill(table, beside, (0.0, 0.0), slope);
                }
            }
            Entries::Composite(composite) => {
                let members = self.members.map(<[u32]>::len);
                let (slots, width, filled) = (self.slots, self.width(), self.filled);
                let staged = &self.staged[..];
                let gathered = Gathered { staged, width, slots, members, filled };
                let shape = (L::N, slopes.len());
                let made = scatter(shape, composite, &gathered, &mut self.scratch);
                let (l, entries) = (self.lanes, start(slots));
                let mut made = made.chunks_exact(L::N);
                for to in [&mut *to].into_iter().chain(&mut *slopes) {
                    to.clear();
                    to.extend(made.by_ref().take(entries).map(|entry| l.load(entry)));
                }
                self.blank(1.0, to);
                slopes.iter_mut().for_each(|slope| self.blank(0.0, slope));
            }
        }
    }

    /// What `table` gives for all pairs, times those of `beside` if there are any, packed; on the
    /// diagonal `own`. Members that are missing have `blank` there, and 0 elsewhere.
    fn fill(
        &self,
        table: &RadialTable,
        beside: Option<&[L::F]>,
        diagonal: (f64, f64),
        to: &mut Vec<L::F>,
    ) {
        self.lanes.call(Fill { joint: self, table, beside, diagonal, to });
    }

    /// The step of [`fill`](Self::fill).
    #[inline(always)]
    fn pairs(
        &self,
        table: &RadialTable,
        beside: Option<&[L::F]>,
        (own, blank): (f64, f64),
        to: &mut Vec<L::F>,
    ) {
        let (l, slots) = (self.lanes, self.slots);
        let entry = Entry::new(l, table, self.sets.geometry, SPHERE);
        to.resize(start(slots), l.splat(0.0));
        for (i, b) in self.points.iter().enumerate() {
            let row = &mut to[start(i)..][..=i];
            for (to, a) in row.iter_mut().zip(&self.points[..i]) {
                *to = entry.at::<D, SPHERE>(l, a, b);
            }
            if let Some(axes) = table.axes().filter(|_| D > 1 && !SPHERE) {
                for (to, a) in row.iter_mut().zip(&self.points[..i]) {
                    *to = l.mul(*to, direction(l, axes, a, b));
                }
            }
            if let Some(beside) = beside {
                let beside = &beside[start(i)..][..i];
                row.iter_mut().zip(beside).for_each(|(to, &x)| *to = l.mul(*to, x));
            }
            row[i] = l.splat(own);
        }
        self.blank(blank, to);
    }

    /// Makes members that are missing independent of all, with `blank` on the diagonal.
    #[inline(always)]
    fn blank(&self, blank: f64, to: &mut [L::F]) {
        let (l, slots) = (self.lanes, self.slots);
        let missing = |lane: usize| slots - self.members[lane].len();
        let most = (0..L::N).map(missing).max().unwrap_or(0);
        for j in 0..most {
            let mut is_there = [0.0; MOST];
            (0..L::N).for_each(|lane| is_there[lane] = f64::from(u8::from(j >= missing(lane))));
            let is_there = l.at_least(l.load(&is_there), l.splat(0.5));
            for i in j..slots {
                let other = l.splat(if i == j { blank } else { 0.0 });
                to[start(i) + j] = l.select(is_there, to[start(i) + j], other);
            }
        }
    }

    /// Factorises, and solves with the factor.
    #[inline(always)]
    fn condition(&mut self) -> Result<(), NumericalError> {
        let (l, slots) = (self.lanes, self.slots);
        self.inverse.resize(slots, l.splat(0.0));
        let bad = factor::<L, R>(l, slots, &mut self.lower, &mut self.inverse);
        if bad != 0 {
            return Err(self.failure(bad));
        }
        for column in self.values.chunks_exact_mut(slots) {
            forward(l, slots, &self.lower, &self.inverse, column);
        }
        Ok(())
    }

    /// The failure of the first of the lanes `bad`, at the first pivot without a root.
    #[cold]
    #[inline(never)]
    fn failure(&self, bad: u32) -> NumericalError {
        let lane = bad.trailing_zeros() as usize;
        let list = self.members[lane];
        let missing = self.slots - list.len();
        let is_bad = |slot: &usize| !numbers(self.lanes, self.inverse[*slot])[lane].is_finite();
        let slot = (missing..self.slots).find(is_bad).unwrap_or(self.slots - 1);
        NumericalError::NotPositiveDefinite { order: (list[slot - missing] & !OWN) as usize + 1 }
    }

    /// The lanes, as bits, of sets whose member in `slot` has its conditional there.
    #[inline(always)]
    fn own(&self, slot: usize) -> u32 {
        let mut lanes = 0;
        for (lane, list) in self.members.iter().enumerate().take(self.filled) {
            let place = (slot + list.len()).checked_sub(self.slots);
            lanes |= u32::from(place.is_some_and(|place| list[place] & OWN != 0)) << lane;
        }
        lanes
    }
}

struct Fill<'g, 'a, L: Lanes, const R: usize, const D: usize, const SPHERE: bool> {
    joint: &'g Joint<'a, L, R, D, SPHERE>,
    table: &'g RadialTable,
    beside: Option<&'g [L::F]>,
    diagonal: (f64, f64),
    to: &'g mut Vec<L::F>,
}

impl<L: Lanes, const R: usize, const D: usize, const SPHERE: bool> Step<L>
    for Fill<'_, '_, L, R, D, SPHERE>
{
    type Made = ();

    #[inline(always)]
    fn run(self, _: L) {
        self.joint.pairs(self.table, self.beside, self.diagonal, self.to);
    }
}
