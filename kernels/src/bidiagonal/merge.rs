//! Two halves of a bidiagonal matrix and the row between them joined: deflation, the secular
//! equation, and vectors by products of matrices.
//!
//! Gu, Eisenstat (1995), sections 3 and 4; columns of vectors in groups by which half they are zero
//! in, as in LAPACK's `lasd2` and `lasd3`.

use super::iterate::Rotation;
use crate::backend::Blas;
use crate::scalar::Real;
use crate::secular::{Poles, Root, Secular};
use crate::tile::{TileMut, TileRef};

/// The halves: `k` rows and `k + 1` columns, then a row `(alpha, beta)`, then the rest, of as many
/// columns as rows or one more.
pub(super) struct Halves<'a, R> {
    pub(super) k: usize,
    pub(super) alpha: R,
    pub(super) beta: R,
    /// Singular values of both halves, with room between them.
    pub(super) d: &'a mut [R],
    /// Left vectors of both halves on the diagonal, with a row and a column between them; zeros
    /// elsewhere.
    pub(super) u: TileMut<'a, R>,
    /// Right vectors; of a half with more columns than rows the last one has no value.
    pub(super) v: TileMut<'a, R>,
}

/// In which rows a column of vectors is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Top,
    Row,
    Both,
    Bottom,
}

/// Columns that have part in the secular equation, in ascending order of their `d`, and others,
/// whose values and vectors stay.
#[derive(Debug)]
struct Split<R> {
    d: Vec<R>,
    z: Vec<R>,
    columns: Vec<usize>,
    halves: Vec<Half>,
    others: Vec<usize>,
}

impl<R: Real> Halves<'_, R> {
    /// Joins the halves: `d`, `u` and `v` become those of the whole, in any order.
    pub(super) fn join(mut self, blas: &dyn Blas<R>) {
        let k = self.k;
        let size = |largest: R, x: R| if x.abs() > largest { x.abs() } else { largest };
        self.d[k] = R::ZERO;
        let norm = self.d.iter().copied().chain([self.alpha, self.beta]).fold(R::ZERO, size);
        if norm == R::ZERO {
            return self.u.set(k, k, R::ONE);
        }
        self.d.iter_mut().for_each(|d| *d /= norm);
        (self.alpha, self.beta) = (self.alpha / norm, self.beta / norm);
        let z = self.first_row();
        let split = self.deflate(z);
        let kept = split.columns.len();
        let mut values = vec![R::ZERO; kept];
        let (left, right) = inner_vectors(&split, &mut values);
        self.multiply(blas, &split, (&left, &right));
        let others: Vec<R> = split.others.iter().map(|&column| self.d[column]).collect();
        for (d, value) in self.d.iter_mut().zip(values.into_iter().chain(others)) {
            *d = value * norm;
        }
    }

    /// The row between the halves in terms of their right vectors, of which those without a value
    /// are turned so that it is orthogonal to the last one.
    fn first_row(&mut self) -> Vec<R> {
        let (k, n, columns) = (self.k, self.u.cols(), self.v.cols());
        let (alpha, beta) = (self.alpha, self.beta);
        let of_column = |j: usize| {
            if j <= k { alpha * self.v.at(k, j) } else { beta * self.v.at(k + 1, j) }
        };
        let mut z: Vec<R> = (0..n).map(of_column).collect();
        if columns > n {
            let (rotation, r) = Rotation::new(z[k], of_column(n));
            z[k] = r;
            rotation.turn(&mut self.v, (k, n));
        }
        z
    }

    /// Takes out what has no part to the working precision: columns with a `z` near zero, and of
    /// two with nearly the same `d` one, after a rotation.
    fn deflate(&mut self, z: Vec<R>) -> Split<R> {
        let (k, n) = (self.k, self.d.len());
        let tolerance = R::of_f64(8.0) * R::EPSILON;
        let first = if z[k].abs() > tolerance { z[k] } else { tolerance };
        let mut split = Split {
            d: vec![R::ZERO],
            z: vec![first],
            columns: vec![k],
            halves: vec![Half::Row],
            others: Vec::new(),
        };
        let mut order: Vec<usize> = (0..n).filter(|&j| j != k).collect();
        order.sort_by(|&i, &j| self.d[i].partial_cmp(&self.d[j]).expect("finite values"));
        for column in order {
            let half = if column < k { Half::Top } else { Half::Bottom };
            if z[column].abs() <= tolerance {
                split.others.push(column);
                continue;
            }
            let at = split.columns.len() - 1;
            if at > 0 && self.d[column] - split.d[at] <= tolerance {
                // The column before becomes one with no part.
                let before = split.columns[at];
                let (rotation, r) = Rotation::new(z[column], split.z[at]);
                rotation.turn(&mut self.u, (column, before));
                rotation.turn(&mut self.v, (column, before));
                split.others.push(before);
                let half = if split.halves[at] == half { half } else { Half::Both };
                (split.columns[at], split.halves[at]) = (column, half);
                (split.d[at], split.z[at]) = (self.d[column], r);
            } else {
                split.columns.push(column);
                split.halves.push(half);
                split.d.push(self.d[column]);
                split.z.push(z[column]);
            }
        }
        // Apart from the first one, which is zero.
        if let Some(d) = split.d.get_mut(1) {
            let least = tolerance * R::of_f64(0.5);
            *d = if *d > least { *d } else { least };
        }
        split
    }

    /// Writes the vectors of the whole: those of the halves times those of the secular equation,
    /// then those that stay.
    fn multiply(
        &mut self,
        blas: &dyn Blas<R>,
        split: &Split<R>,
        (left, right): (&Inner<R>, &Inner<R>),
    ) {
        let (k, kept) = (self.k, split.columns.len());
        let (rows, columns) = (self.u.cols(), self.v.cols());
        self.u.col_mut(k).expect("adjacent rows").fill(R::ZERO);
        let middle = left.first_of(Half::Row);
        let row: Vec<R> = (0..kept).map(|j| left.view().at(middle, j)).collect();
        product(blas, &mut self.u, split, left, (k, rows));
        product(blas, &mut self.v, split, right, (k + 1, columns));
        for (j, entry) in row.into_iter().enumerate() {
            self.u.set(k, j, entry);
        }
    }
}

/// Vectors in terms of those of the halves, whose rows are in the order of groups.
struct Inner<R> {
    /// First row of each group, and the number of all.
    groups: [usize; 5],
    /// Columns of the halves, in that order.
    columns: Vec<usize>,
    entries: Vec<R>,
}

impl<R: Real> Inner<R> {
    fn view(&self) -> TileRef<'_, R> {
        let kept = self.columns.len();
        TileRef::new(&self.entries, kept, kept)
    }

    fn first_of(&self, half: Half) -> usize {
        self.groups[half as usize]
    }
}

/// Overwrites the columns of `a`: rows before `cut` and from there on (of left vectors the row
/// between is left alone, and set by who calls).
fn product<R: Real>(
    blas: &dyn Blas<R>,
    a: &mut TileMut<'_, R>,
    split: &Split<R>,
    inner: &Inner<R>,
    (cut, end): (usize, usize),
) {
    let kept = inner.columns.len();
    let copy = |a: &TileMut<'_, R>, columns: &[usize], from: usize, to: usize| -> Vec<R> {
        let view = a.as_ref();
        let column = |&j: &usize| &view.col(j).expect("adjacent rows")[from..to];
        columns.iter().flat_map(column).copied().collect()
    };
    let (above, below) = (inner.first_of(Half::Bottom), inner.first_of(Half::Row));
    let top = copy(a, &inner.columns[..above], 0, cut);
    let bottom = copy(a, &inner.columns[below..], cut, end);
    let others = copy(a, &split.others, 0, end);
    let (upper, lower) = a.reborrow().part(0, 0, end, kept).split_rows(cut);
    let factor = inner.view();
    let first = TileRef::new(&top, cut, above);
    blas.gemm(R::ONE, first, factor.part(0, 0, above, kept), R::ZERO, upper);
    let second = TileRef::new(&bottom, end - cut, kept - below);
    blas.gemm(R::ONE, second, factor.part(below, 0, kept - below, kept), R::ZERO, lower);
    let count = split.others.len();
    a.reborrow().part(0, kept, end, count).copy_from(TileRef::new(&others, end, count));
}

/// Values, and left and right vectors of the matrix with a first row `z` and a diagonal `d`: with
/// the `z` of which the values found are those exactly, so that the vectors are orthogonal (Gu,
/// Eisenstat 1995, lemma 3.3).
fn inner_vectors<R: Real>(split: &Split<R>, values: &mut [R]) -> (Inner<R>, Inner<R>) {
    let kept = values.len();
    let secular = Secular { poles: Poles::Squares, d: &split.d, z: &split.z };
    let (mut gaps, mut room) = (vec![R::ZERO; kept * kept], vec![R::ZERO; kept]);
    let mut z = vec![R::ONE; kept];
    for (i, (value, gaps)) in values.iter_mut().zip(gaps.chunks_mut(kept)).enumerate() {
        let root = secular.root(i, &mut room);
        secular.gaps(root, gaps);
        secular.contribute(i, gaps, &mut z);
        *value = value_of(split, root);
    }
    // The first row whose matrix has the values found.
    secular.exact(&mut z);
    let (places, groups) = places(split);
    let mut columns = vec![0; kept];
    for (&place, &column) in places.iter().zip(&split.columns) {
        columns[place] = column;
    }
    let mut left = vec![R::ZERO; kept * kept];
    let (mut u, mut v) = (vec![R::ZERO; kept], vec![R::ZERO; kept]);
    for (left, gaps) in left.chunks_mut(kept).zip(gaps.chunks_mut(kept)) {
        for (j, &gap) in gaps.iter().enumerate() {
            v[j] = z[j] / gap;
            u[j] = split.d[j] * v[j];
        }
        u[0] = -R::ONE;
        scatter(&u, &places, left);
        scatter(&v, &places, gaps);
    }
    let inner = |entries| Inner { groups, columns: columns.clone(), entries };
    (inner(left), inner(gaps))
}

/// Writes a vector of norm one to its places.
fn scatter<R: Real>(x: &[R], places: &[usize], to: &mut [R]) {
    let size = |largest: R, x: &R| if x.abs() > largest { x.abs() } else { largest };
    let largest = x.iter().fold(R::ZERO, size);
    let square: R = x.iter().map(|&x| (x / largest) * (x / largest)).sum();
    let norm = largest * square.sqrt();
    for (&x, &place) in x.iter().zip(places) {
        to[place] = x / norm;
    }
}

/// The singular value of which `root` is the square.
fn value_of<R: Real>(split: &Split<R>, Root { nearest, beyond }: Root<R>) -> R {
    let d = split.d[nearest];
    d + beyond / (d + (d * d + beyond).sqrt())
}

/// The place of each column in the order of groups, and where groups begin.
fn places<R>(split: &Split<R>) -> (Vec<usize>, [usize; 5]) {
    let mut groups = [0; 5];
    for &half in &split.halves {
        groups[half as usize + 1] += 1;
    }
    for group in 1..5 {
        groups[group] += groups[group - 1];
    }
    let mut next = groups;
    let place = |&half: &Half| {
        next[half as usize] += 1;
        next[half as usize] - 1
    };
    (split.halves.iter().map(place).collect(), groups)
}
