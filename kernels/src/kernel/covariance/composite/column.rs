//! A column of a composite covariance, and of its derivatives: distances first, then each run of
//! rows of one variable by the tables of its terms.

use bytemuck::{cast_slice, from_bytes};

use super::nonstationary::{Local, entry};
use super::{FIELDS, Recipe, TIME_DERIVATIVES, Term};
use crate::geometry::{Geometry, point as place};
use crate::kernel::covariance::cpu::Job;
use crate::kernel::covariance::{RadialTable, Vectors};

/// A composite covariance as a buffer holds it.
#[derive(Clone, Copy, Debug)]
pub struct Composite<'a> {
    geometry: Geometry,
    recipe: &'a Recipe,
    tables: &'a [RadialTable],
}

/// Room for a column, kept from one to the next.
#[derive(Debug, Default)]
pub(in crate::kernel) struct Room {
    /// Distances, as they count at their times.
    distances: Vec<f64>,
    /// `psi^-decay`.
    factors: Vec<f64>,
    /// `ln psi`, `(psi - 1) / psi`, and `ln u`.
    logarithms: [Vec<f64>; 3],
    /// The derivative by the logarithm of all ranges.
    by_range: Vec<f64>,
    /// A term, and what is made of it.
    parts: [Vec<f64>; 2],
    /// What is known of the rows, where the covariance is non-stationary.
    locals: Vec<Local>,
}

impl Room {
    /// Forgets what is known of the rows, which are others from now on.
    pub(in crate::kernel) fn forget(&mut self) {
        self.locals.clear();
    }

    fn resize(&mut self, rows: usize) {
        let Self { distances, factors, logarithms, by_range, parts, .. } = self;
        let all = [distances, factors, by_range].into_iter().chain(logarithms).chain(parts);
        all.for_each(|column| column.resize(rows, 0.0));
    }
}

impl<'a> Composite<'a> {
    /// What `buffer` holds.
    ///
    /// # Panics
    /// If it is no recipe with tables.
    #[must_use]
    pub fn new(buffer: &'a [u8], geometry: Geometry) -> Self {
        let (recipe, tables) = buffer.split_at(size_of::<Recipe>());
        let (recipe, tables) = (from_bytes::<Recipe>(recipe), cast_slice(tables));
        assert!(tables.len() >= recipe.count as usize, "tables of {} terms", recipe.count);
        Self { geometry, recipe, tables }
    }

    /// What it is made of.
    #[must_use]
    pub fn recipe(&self) -> &'a Recipe {
        self.recipe
    }

    /// Numbers of a place.
    pub(in crate::kernel) fn width(&self) -> usize {
        self.geometry.stored() + self.recipe.marks()
    }

    /// The numbers of one of `count` places.
    pub(in crate::kernel) fn point(
        &self,
        (points, count): (&[f64], usize),
        index: usize,
        to: &mut Vec<f64>,
    ) {
        assert_eq!(points.len(), self.width() * count, "numbers of the places");
        to.clear();
        to.extend((0..self.width()).map(|k| points[k * count + index]));
    }

    /// The covariance of two places, by their numbers, without nugget: for single entries.
    #[must_use]
    pub fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        let (mut room, mut value) = (Room::default(), [0.0]);
        self.column(Vectors::Baseline, (a, 1, 0), b, &mut room, &mut value, None);
        value[0]
    }

    /// The covariances of `point` with the rows from `start` on, without nugget, and, if wanted,
    /// their derivatives, a column of `rows` numbers for each.
    ///
    /// # Panics
    /// If a shape is another.
    pub(in crate::kernel) fn column(
        &self,
        vectors: Vectors,
        (points, rows, start): (&[f64], usize, usize),
        point: &[f64],
        room: &mut Room,
        values: &mut [f64],
        mut slopes: Option<&mut [f64]>,
    ) {
        assert_eq!(points.len(), self.width() * rows, "numbers of the places");
        assert!(values.len() >= rows && point.len() == self.width(), "a column of {rows} rows");
        room.resize(rows);
        self.measure((points, rows, start), point, room);
        if self.recipe.is_nonstationary == 1 {
            return self.evaluate_each((points, rows, start), point, room, (values, slopes));
        }
        values[start..rows].fill(0.0);
        room.by_range[start..rows].fill(0.0);
        if let Some(slopes) = slopes.as_deref_mut() {
            slopes.chunks_exact_mut(rows.max(1)).for_each(|slope| slope[start..].fill(0.0));
        }
        let last = self.width() - 1;
        let variables = &points[last * rows..][..rows];
        let variable = |x: f64| if self.recipe.has_variables == 1 { x as u32 } else { 0 };
        let own = variable(point[last]);
        let mut first = start;
        while first < rows {
            let other = variable(variables[first]);
            let run = variables[first..].iter().take_while(|&&x| variable(x) == other);
            let end = first + run.count();
            let pair = [own.min(other), own.max(other)];
            self.run(vectors, (first..end, pair), room, values, slopes.as_deref_mut());
            first = end;
        }
        if self.recipe.has_time == 1 {
            self.decay(start..rows, room, values, slopes);
        }
    }

    /// The column of a non-stationary covariance. Rows are the same from one column to the next.
    fn evaluate_each(
        &self,
        (points, rows, start): (&[f64], usize, usize),
        point: &[f64],
        room: &mut Room,
        (values, mut slopes): (&mut [f64], Option<&mut [f64]>),
    ) {
        let (fields, second) = (&self.recipe.fields, self.geometry.stored() > 1);
        let local = |x: f64, y: f64| Local::new(fields, x, if second { y } else { 0.0 });
        if room.locals.is_empty() {
            let y = |i: usize| points.get(rows + i).copied().unwrap_or(0.0);
            room.locals.extend((0..rows).map(|i| local(points[i], y(i))));
        }
        let own = local(point[0], point.get(1).copied().unwrap_or(0.0));
        for i in start..rows {
            let mut made = [0.0; FIELDS];
            let wanted = slopes.is_some().then_some(&mut made);
            values[i] = entry(&own, &room.locals[i], room.distances[i], wanted);
            for (k, slope) in
                slopes.iter_mut().flat_map(|all| all.chunks_exact_mut(rows)).enumerate()
            {
                slope[i] = made[k];
            }
        }
    }

    /// Distances of `point`, as they count at their times, and what times make of covariances.
    fn measure(
        &self,
        (points, rows, start): (&[f64], usize, usize),
        point: &[f64],
        room: &mut Room,
    ) {
        let stored = self.geometry.stored();
        let (coordinates, marks) = points.split_at(stored * rows);
        let distances = &mut room.distances[..rows];
        if self.geometry == Geometry::GreatCircle {
            for (i, d) in distances.iter_mut().enumerate().skip(start) {
                *d = self.geometry.distance(&place(self.geometry, coordinates, i), point);
            }
        } else {
            distances[start..].fill(0.0);
            for (run, at) in coordinates.chunks_exact(rows).zip(point) {
                let numbers = distances[start..].iter_mut().zip(&run[start..]);
                numbers.for_each(|(d, x)| *d += (x - at) * (x - at));
            }
            distances[start..].iter_mut().for_each(|d| *d = d.sqrt());
        }
        if self.recipe.has_time == 0 {
            return;
        }
        let time = &self.recipe.time;
        let [logarithm, quotient, apart] = &mut room.logarithms;
        let (mut known, mut shrink) = (f64::NAN, 1.0);
        for i in start..rows {
            let u = (marks[i] - point[stored]).abs();
            if u == known && i > start {
                room.factors[i] = room.factors[i - 1];
                logarithm[i] = logarithm[i - 1];
                quotient[i] = quotient[i - 1];
                apart[i] = apart[i - 1];
            } else {
                let more = u.powf(2.0 * time.alpha) / time.scale;
                let ln_psi = more.ln_1p();
                shrink = (-0.5 * time.interaction * ln_psi).exp();
                room.factors[i] = (-time.decay * ln_psi).exp();
                logarithm[i] = ln_psi;
                quotient[i] = more / (1.0 + more);
                apart[i] = if u > 0.0 { u.ln() } else { 0.0 };
                known = u;
            }
            distances[i] *= shrink;
        }
    }

    /// Adds the terms of a `pair` to the rows of a run.
    fn run(
        &self,
        vectors: Vectors,
        (rows, pair): (std::ops::Range<usize>, [u32; 2]),
        room: &mut Room,
        values: &mut [f64],
        mut slopes: Option<&mut [f64]>,
    ) {
        let height = room.distances.len();
        let Room { distances, by_range, parts: [part, slope], .. } = room;
        let (mut derivative, mut table) = (0, self.recipe.count as usize);
        for (term, own) in self.recipe.terms().iter().zip(self.tables) {
            let shapes = term.shapes as usize;
            let first = (derivative, table);
            (derivative, table) = (derivative + 1 + shapes, table + shapes);
            if term.pair != pair {
                continue;
            }
            let part = &mut part[..rows.len()];
            evaluate(vectors, own, &distances[rows.clone()], part);
            add(&mut values[rows.clone()], term.weight, part);
            let Some(slopes) = slopes.as_deref_mut() else { continue };
            let column = |k: usize| k * height + rows.start..k * height + rows.end;
            add(&mut slopes[column(first.0)], 1.0, part);
            for shape in 0..shapes {
                let slope = &mut slope[..rows.len()];
                evaluate(vectors, &self.tables[first.1 + shape], &distances[rows.clone()], slope);
                relate(term, part, slope);
                let to = &mut slopes[column(first.0 + 1 + shape)];
                add(to, term.weight, slope);
                if shape == 0 {
                    add(&mut by_range[rows.clone()], term.weight, slope);
                }
            }
        }
    }

    /// Multiplies by what times make of covariances, and derives by them.
    fn decay(
        &self,
        rows: std::ops::Range<usize>,
        room: &Room,
        values: &mut [f64],
        slopes: Option<&mut [f64]>,
    ) {
        let (time, height) = (&self.recipe.time, room.distances.len());
        let times_factor = |column: &mut [f64]| {
            let numbers = column.iter_mut().zip(&room.factors[rows.clone()]);
            numbers.for_each(|(x, factor)| *x *= factor);
        };
        times_factor(&mut values[rows.clone()]);
        let Some(slopes) = slopes else { return };
        let count = self.recipe.derivatives();
        let (terms, own) = slopes.split_at_mut((count - TIME_DERIVATIVES) * height);
        terms.chunks_exact_mut(height).for_each(|column| times_factor(&mut column[rows.clone()]));
        let [logarithm, quotient, apart] = &room.logarithms;
        for i in rows {
            let (value, by_range) = (values[i], room.by_range[i] * room.factors[i]);
            let by_psi = 0.5 * time.interaction * by_range - time.decay * value;
            own[i] = -quotient[i] * by_psi;
            own[height + i] = 2.0 * quotient[i] * apart[i] * by_psi;
            own[2 * height + i] = 0.5 * logarithm[i] * by_range;
            own[3 * height + i] = -logarithm[i] * value;
        }
    }
}

/// What `table` gives for `distances`.
fn evaluate(vectors: Vectors, table: &RadialTable, distances: &[f64], out: &mut [f64]) {
    let (geometry, rows) = (Geometry::Line, distances.len());
    let job = Job {
        table,
        geometry,
        row_points: distances,
        column_points: &[0.0],
        rows,
        cols: 1,
        lower: None,
    };
    job.run(vectors, out);
}

/// Makes of a derivative that may be relative to the table of its term one that is not.
fn relate(term: &Term, part: &[f64], slope: &mut [f64]) {
    if term.is_relative == 1 {
        let numbers = slope.iter_mut().zip(part);
        numbers.for_each(|(d, &c)| *d = if c == 0.0 { 0.0 } else { *d * c });
    }
}

/// `y + alpha x`.
fn add(y: &mut [f64], alpha: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += alpha * x);
}
