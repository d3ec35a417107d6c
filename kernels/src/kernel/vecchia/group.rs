//! Some places at once, one in each lane: what they and their neighbours have, gathered, and their
//! covariances.

use crate::geometry::Geometry;
use crate::kernel::covariance::{ARC, Evaluator, Lanes, RadialTable, Step};

use super::factor::{backward, dot, factor, forward, start};
use super::{NONE, Places};

/// Most lanes of a vector.
pub(super) const MOST: usize = 8;

/// What is read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) places: Places,
    pub(super) records: &'a [f64],
    pub(super) neighbours: &'a [u32],
}

/// The places of a group, with their neighbours before them.
pub(super) struct Group<'a, L: Lanes, const R: usize, const D: usize, const SPHERE: bool> {
    lanes: L,
    source: Source<'a>,
    /// Numbers of the records, one lane beside the other.
    staged: Vec<f64>,
    /// How many neighbours each lane lacks.
    missing: [usize; MOST],
    /// Coordinates, neighbours first.
    points: Vec<[L::F; D]>,
    /// Columns of numbers, neighbours first.
    pub(super) values: Vec<L::F>,
    /// Covariances of neighbours, then their factor, packed.
    pub(super) lower: Vec<L::F>,
    /// Inverse of the factor's diagonal.
    pub(super) inverse: Vec<L::F>,
    /// Covariances with the neighbours, then `L^-1` times them.
    pub(super) cross: Vec<L::F>,
    /// `a`.
    pub(super) weights: Vec<L::F>,
}

impl<'a, L: Lanes, const R: usize, const D: usize, const SPHERE: bool> Group<'a, L, R, D, SPHERE> {
    #[inline(always)]
    pub(super) fn new(lanes: L, source: Source<'a>) -> Self {
        let Places { neighbours: m, columns, .. } = source.places;
        let zero = lanes.splat(0.0);
        Self {
            lanes,
            source,
            staged: vec![0.0; (m + 1) * (D + columns) * L::N],
            missing: [0; MOST],
            points: vec![[zero; D]; m + 1],
            values: vec![zero; columns * (m + 1)],
            lower: vec![zero; start(m)],
            inverse: vec![zero; m],
            cross: vec![zero; m],
            weights: vec![zero; m],
        }
    }

    #[inline(always)]
    pub(super) fn lanes(&self) -> L {
        self.lanes
    }

    /// Gathers the places from `row` of the block on; `own` gives the numbers of a place, at least
    /// its coordinates. Lanes beyond the last place repeat it.
    #[inline(always)]
    pub(super) fn gather<'b>(&mut self, row: usize, own: impl Fn(usize) -> &'b [f64]) {
        let Source { places: Places { rows, neighbours: m, columns, .. }, .. } = self.source;
        let width = D + columns;
        for lane in 0..L::N {
            let row = (row + lane).min(rows - 1);
            let at = own(row);
            let list = &self.source.neighbours[row * m..][..m];
            self.missing[lane] = list.iter().take_while(|&&index| index == NONE).count();
            for (slot, &index) in list.iter().enumerate() {
                let to = &mut self.staged[slot * width * L::N..][..width * L::N];
                if index == NONE {
                    spread::<L>(to, lane, &at[..D]);
                } else {
                    spread::<L>(to, lane, &self.source.records[index as usize * width..][..width]);
                }
            }
            spread::<L>(&mut self.staged[m * width * L::N..][..width * L::N], lane, at);
        }
        for slot in 0..=m {
            let from = &self.staged[slot * width * L::N..][..width * L::N];
            for (k, point) in self.points[slot].iter_mut().enumerate() {
                *point = self.lanes.load(&from[k * L::N..]);
            }
            for column in 0..columns {
                let value = self.lanes.load(&from[(D + column) * L::N..]);
                self.values[column * (m + 1) + slot] = value;
            }
        }
    }

    /// Sets the covariances by `table`, with its nugget.
    pub(super) fn fill(&mut self, table: &RadialTable) {
        self.lanes.call(Fill { group: self, table });
    }

    /// The step of [`fill`](Self::fill).
    #[inline(always)]
    fn covariances(&mut self, table: &RadialTable) {
        let (l, m) = (self.lanes, self.source.places.neighbours);
        let entry = Entry::new(l, table, self.source.places.geometry, SPHERE);
        let diagonal = l.splat(table.variance + table.nugget);
        for (i, b) in self.points.iter().enumerate() {
            let row = if i < m { &mut self.lower[start(i)..][..=i] } else { &mut self.cross[..] };
            for (to, a) in row.iter_mut().zip(&self.points[..i]) {
                *to = entry.at::<D, SPHERE>(l, a, b);
            }
            if i < m {
                row[i] = diagonal;
            }
        }
        if self.missing[..L::N].iter().any(|&count| count > 0) {
            self.blank();
        }
    }

    /// Makes neighbours that are missing independent of all, with variance 1.
    #[inline(always)]
    fn blank(&mut self) {
        let m = self.source.places.neighbours;
        let most = self.missing[..L::N].iter().copied().max().unwrap_or(0);
        for j in 0..most {
            self.cross[j] = self.change(j, self.cross[j], 0.0);
            for i in j..m {
                let to = if i == j { 1.0 } else { 0.0 };
                self.lower[start(i) + j] = self.change(j, self.lower[start(i) + j], to);
            }
        }
    }

    /// `x`, and `to` in the lanes that lack neighbour `slot`.
    #[inline(always)]
    fn change(&self, slot: usize, x: L::F, to: f64) -> L::F {
        let mut numbers = [0.0; MOST];
        self.lanes.store(x, &mut numbers);
        for (number, &missing) in numbers.iter_mut().zip(&self.missing) {
            if slot < missing {
                *number = to;
            }
        }
        self.lanes.load(&numbers)
    }

    /// Factorises, and solves for the weights. Returns what is left of the variance `own`, and the
    /// lanes, as bits, whose matrices are not positive definite.
    #[inline(always)]
    pub(super) fn condition(&mut self, own: f64) -> (L::F, u32) {
        let (l, m) = (self.lanes, self.source.places.neighbours);
        let bad = factor::<L, R>(l, m, &mut self.lower, &mut self.inverse);
        forward(l, m, &self.lower, &self.inverse, &mut self.cross);
        let rest = l.sub(l.splat(own), dot(l, &self.cross, &self.cross));
        self.weights.copy_from_slice(&self.cross);
        backward(l, m, &self.lower, &self.inverse, &mut self.weights);
        (rest, bad)
    }

    /// `a' x_N` of a column.
    #[inline(always)]
    pub(super) fn weighted(&self, column: usize) -> L::F {
        let m = self.source.places.neighbours;
        dot(self.lanes, &self.weights, &self.values[column * (m + 1)..][..m])
    }

    /// `g = D u`, where `D` is what `table` gives for all pairs, times `covariances` (packed, the
    /// place itself last) if there are any, and 0 on the diagonal and where neighbours are missing.
    pub(super) fn multiply(
        &self,
        table: &RadialTable,
        covariances: Option<&[L::F]>,
        u: &[L::F],
        g: &mut [L::F],
    ) {
        self.lanes.call(Multiply { group: self, table, covariances, u, g });
    }

    /// The step of [`multiply`](Self::multiply).
    #[inline(always)]
    fn product(
        &self,
        table: &RadialTable,
        covariances: Option<&[L::F]>,
        u: &[L::F],
        g: &mut [L::F],
    ) {
        let (l, m) = (self.lanes, self.source.places.neighbours);
        let entry = Entry::new(l, table, self.source.places.geometry, SPHERE);
        let (u, g) = (&u[..=m], &mut g[..=m]);
        g.fill(l.splat(0.0));
        for (i, b) in self.points.iter().enumerate() {
            let mut sum = l.splat(0.0);
            let beside = covariances.map(|all| &all[start(i)..][..i]);
            for j in 0..i {
                let mut value = entry.slope::<D, SPHERE>(l, &self.points[j], b);
                if let Some(beside) = beside {
                    value = l.mul(value, beside[j]);
                }
                sum = l.mul_add(value, u[j], sum);
                g[j] = l.mul_add(value, u[i], g[j]);
            }
            g[i] = sum;
        }
        let most = self.missing[..L::N].iter().copied().max().unwrap_or(0);
        for (j, g) in g[..most].iter_mut().enumerate() {
            *g = self.change(j, *g, 0.0);
        }
    }
}

struct Fill<'g, 'a, L: Lanes, const R: usize, const D: usize, const SPHERE: bool> {
    group: &'g mut Group<'a, L, R, D, SPHERE>,
    table: &'g RadialTable,
}

impl<L: Lanes, const R: usize, const D: usize, const SPHERE: bool> Step<L>
    for Fill<'_, '_, L, R, D, SPHERE>
{
    type Made = ();

    #[inline(always)]
    fn run(self, _: L) {
        self.group.covariances(self.table);
    }
}

struct Multiply<'g, 'a, L: Lanes, const R: usize, const D: usize, const SPHERE: bool> {
    group: &'g Group<'a, L, R, D, SPHERE>,
    table: &'g RadialTable,
    covariances: Option<&'g [L::F]>,
    u: &'g [L::F],
    g: &'g mut [L::F],
}

impl<L: Lanes, const R: usize, const D: usize, const SPHERE: bool> Step<L>
    for Multiply<'_, '_, L, R, D, SPHERE>
{
    type Made = ();

    #[inline(always)]
    fn run(self, _: L) {
        self.group.product(self.table, self.covariances, self.u, self.g);
    }
}

/// `w_i w_j / w' w` with what lies between places, `w`, and 0 where that is nothing.
#[inline(always)]
pub(super) fn direction<L: Lanes, const D: usize>(
    l: L,
    [i, j]: [usize; 2],
    a: &[L::F; D],
    b: &[L::F; D],
) -> L::F {
    let (mut apart, mut square) = ([l.splat(0.0); D], l.splat(f64::MIN_POSITIVE));
    for k in 0..D {
        apart[k] = l.sub(a[k], b[k]);
        square = l.mul_add(apart[k], apart[k], square);
    }
    l.div(l.mul(apart[i], apart[j]), square)
}

/// Puts the numbers of a record into a lane, with zeros for those that it lacks.
#[inline(always)]
pub(super) fn spread<L: Lanes>(to: &mut [f64], lane: usize, record: &[f64]) {
    for (k, to) in to.chunks_exact_mut(L::N).enumerate() {
        to[lane] = record.get(k).copied().unwrap_or(0.0);
    }
}

/// Entries of covariance matrices, of pairs of places.
pub(super) struct Entry<'a, L: Lanes> {
    evaluator: Evaluator<'a, L>,
    table: &'a RadialTable,
    geometry: Geometry,
    /// Of a derivative by direction the coordinates that it goes by.
    axes: Option<[usize; 2]>,
}

impl<'a, L: Lanes> Entry<'a, L> {
    #[inline(always)]
    pub(super) fn new(l: L, table: &'a RadialTable, geometry: Geometry, sphere: bool) -> Self {
        let (evaluator, axes) = (Evaluator::new(l, table, &ARC, sphere), table.axes());
        Self { evaluator, table, geometry, axes }
    }

    /// As [`at`](Self::at), of a derivative, which may go by direction.
    #[inline(always)]
    pub(super) fn slope<const D: usize, const SPHERE: bool>(
        &self,
        l: L,
        a: &[L::F; D],
        b: &[L::F; D],
    ) -> L::F {
        let value = self.at::<D, SPHERE>(l, a, b);
        match self.axes {
            Some(axes) if D > 1 && !SPHERE => l.mul(value, direction(l, axes, a, b)),
            _ => value,
        }
    }

    /// In each lane that of the places `a` and `b`.
    #[inline(always)]
    pub(super) fn at<const D: usize, const SPHERE: bool>(
        &self,
        l: L,
        a: &[L::F; D],
        b: &[L::F; D],
    ) -> L::F {
        let (value, unknown) = self.evaluator.entries::<D, SPHERE>(a, b);
        if unknown == 0 {
            return value;
        }
        let mut numbers = [0.0; MOST];
        l.store(value, &mut numbers);
        let mut points = [[[0.0; MOST]; D]; 2];
        for k in 0..D {
            l.store(a[k], &mut points[0][k]);
            l.store(b[k], &mut points[1][k]);
        }
        self.patch(unknown, &points, &mut numbers);
        l.load(&numbers)
    }

    /// Entries at distance 0 or outside the table, one at a time.
    #[cold]
    #[inline(never)]
    fn patch<const D: usize>(
        &self,
        unknown: u32,
        points: &[[[f64; MOST]; D]; 2],
        numbers: &mut [f64; MOST],
    ) {
        for (lane, number) in numbers.iter_mut().enumerate() {
            if unknown >> lane & 1 == 1 {
                let point = |which: usize| points[which].map(|coordinate| coordinate[lane]);
                *number = self.table.outside(self.geometry.distance(&point(0), &point(1)));
            }
        }
    }
}
