//! Two halves joined as planned: their vectors gathered, the roots of the secular equation, and the
//! vectors of the whole by products of matrices.

use super::plan::{NOWHERE, Plan};
use crate::backend::Blas;
use crate::bidiagonal::Rotation;
use crate::scalar::{Real, Scalar};
use crate::secular::{Poles, Root, Secular};
use crate::tile::{TileMut, TileRef};
use crate::tridiagonal::reflect::dot;
use crate::workspace::{carve, with_room};

/// What the secular equation has for an answer.
#[derive(Clone, Debug)]
pub(super) struct Found<R> {
    /// Each root less the pole next to it.
    pub(super) beyond: Vec<R>,
    /// The `z` of which the roots are those exactly.
    pub(super) exact: Vec<R>,
}

impl<R: Real> Plan<R> {
    pub(super) fn secular(&self) -> Secular<'_, R> {
        Secular { poles: Poles::Diagonal, d: &self.d, z: &self.z }
    }

    /// Finds the roots from `first` on, as many as there are in `beyond`, and multiplies `squares`
    /// by what they contribute.
    pub(super) fn find(&self, first: usize, beyond: &mut [R], squares: &mut [R]) {
        let secular = self.secular();
        let mut room = vec![R::ZERO; self.d.len()];
        for (i, beyond) in (first..).zip(beyond) {
            let root = secular.root(i, &mut room);
            secular.gaps(root, &mut room);
            secular.contribute(i, &room, squares);
            *beyond = root.beyond;
        }
    }

    /// Root `i`: it is seen from the pole below, or from the one above if it is less than that.
    fn root(&self, i: usize, beyond: R) -> Root<R> {
        Root { nearest: if beyond < R::ZERO { i + 1 } else { i }, beyond }
    }

    /// The eigenvalues of the whole in ascending order, and of each the root that it is, or how
    /// many roots there are and one of the others.
    pub(super) fn sorted(&self, beyond: &[R]) -> Vec<(R, u32)> {
        let root = |(i, &beyond): (usize, &R)| {
            let Root { nearest, beyond } = self.root(i, beyond);
            self.d[nearest] + beyond
        };
        let roots = beyond.iter().enumerate().map(root);
        let values = roots.chain(self.others.iter().map(|other| other.0));
        let mut sorted: Vec<(R, u32)> = values.zip(0..).collect();
        sorted.sort_by(|x, y| x.0.partial_cmp(&y.0).expect("finite values"));
        sorted
    }

    /// Copies the vectors of one half (0 the upper one, 1 the lower one) from column `first` of
    /// both halves on to their places in `to`.
    pub(super) fn gather(
        &self,
        side: usize,
        first: usize,
        q: TileRef<'_, R>,
        to: &mut TileMut<'_, R>,
    ) {
        for j in 0..q.cols() {
            let place = self.columns[first + j][side];
            let column = q.col(j).expect("adjacent rows");
            to.col_mut(place as usize).expect("adjacent rows").copy_from_slice(column);
        }
    }

    /// Completes one half of the gathered vectors: zeros in those of the other half that get a part
    /// in this one, which are `foreign`, and rotations.
    pub(super) fn rotate(
        &self,
        side: usize,
        foreign: std::ops::Range<usize>,
        to: &mut TileMut<'_, R>,
    ) {
        for place in foreign.map(|column| self.columns[column][side]) {
            if place != NOWHERE {
                to.col_mut(place as usize).expect("adjacent rows").fill(R::ZERO);
            }
        }
        for &(pair, [c, s]) in &self.rotations {
            let [x, y] = pair.map(|column| self.columns[column as usize][side]);
            if x != NOWHERE && y != NOWHERE {
                Rotation { c, s }.turn(to, (x as usize, y as usize));
            }
        }
    }

    /// Writes the vectors of the whole of which `order` says, as [`sorted`](Self::sorted) does,
    /// what they are, to the columns of `to`.
    pub(super) fn multiply<T: Scalar<Real = R>>(
        &self,
        blas: &dyn Blas<R>,
        found: &Found<R>,
        order: &[u32],
        gathered: [TileRef<'_, R>; 2],
        mut to: TileMut<'_, T>,
    ) {
        let kept = self.d.len();
        let is_root = |&&which: &&u32| (which as usize) < kept;
        let roots: Vec<usize> = order.iter().filter(is_root).map(|&i| i as usize).collect();
        let (rows, count) = (gathered.map(|half| half.rows()), roots.len());
        with_room(count * (kept + rows[0] + rows[1]), |mut room| {
            let mut inner = carve(&mut room, kept, count);
            self.inner_vectors(found, &roots, &mut inner);
            let inner = inner.as_ref();
            let mut outer = rows.map(|rows| carve(&mut room, rows, count));
            let (of, from) = (self.inner(), [0, self.groups[0] as usize]);
            for (side, outer) in outer.iter_mut().enumerate() {
                let left = gathered[side].part(0, 0, rows[side], of[side]);
                let right = inner.part(from[side], 0, of[side], count);
                blas.gemm(R::ONE, left, right, R::ZERO, outer.reborrow());
            }
            let mut next = 0;
            for (j, &which) in order.iter().enumerate() {
                let column = to.col_mut(j).expect("adjacent rows").split_at_mut(rows[0]);
                for (side, column) in [column.0, column.1].into_iter().enumerate() {
                    let place = (which as usize).checked_sub(kept);
                    match place.map(|other| self.others[other].1[side]) {
                        None => write(column, outer[side].as_ref().col(next)),
                        Some(NOWHERE) => column.fill(T::ZERO),
                        Some(place) => write(column, gathered[side].col(place as usize)),
                    }
                }
                next += usize::from((which as usize) < kept);
            }
        });
    }

    /// The eigenvectors of `D + z z'` that belong to these roots, their rows in the order of groups
    /// (Gu, Eisenstat 1995, lemma 3.2: with the exact `z` they are orthogonal).
    fn inner_vectors(&self, found: &Found<R>, roots: &[usize], to: &mut TileMut<'_, R>) {
        let kept = self.d.len();
        let (mut d, mut z) = (vec![R::ZERO; kept], vec![R::ZERO; kept]);
        for (j, &place) in self.places.iter().enumerate() {
            (d[place as usize], z[place as usize]) = (self.d[j], found.exact[j]);
        }
        for (j, &i) in roots.iter().enumerate() {
            let Root { nearest, beyond } = self.root(i, found.beyond[i]);
            let from = self.d[nearest];
            let column = to.col_mut(j).expect("adjacent rows");
            for ((v, &d), &z) in column.iter_mut().zip(&d).zip(&z) {
                *v = z / ((d - from) - beyond);
            }
            let norm = dot(column, column).sqrt();
            column.iter_mut().for_each(|v| *v /= norm);
        }
    }
}

/// Real numbers as those of another type.
fn write<T: Scalar>(to: &mut [T], from: Option<&[T::Real]>) {
    let from = from.expect("adjacent rows");
    to.iter_mut().zip(from).for_each(|(to, &from)| *to = T::from_real(from));
}
