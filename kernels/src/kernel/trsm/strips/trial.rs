//! Trials of the solve that also lays its result out in strips.

use std::cell::Cell;
use std::marker::PhantomData;

use super::TrsmStrips;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, heights};
use crate::kernel::trsm::trial::judge;
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;
use crate::strips::{StripsMut, StripsRef};
use crate::tile::TileMut;

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let solve = |height| TrsmStrips { m, n, ld: n, height, scalar: PhantomData };
        heights(blas).map(|height| compare(solve(height), blas, draw)).collect()
    }
}

fn compare<T: Scalar>(trsm: TrsmStrips<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let l = Guarded::triangle(trsm.n, Uplo::Lower, Diag::NonUnit, draw);
    let shape = trsm.result();
    let same = Cell::new(true);
    let compute = |mut b: TileMut<'_, T>| {
        // What was in the strips before must not count.
        let mut strips = vec![T::NAN; shape.elements()];
        trsm.compute(blas, l.read(), b.reborrow(), StripsMut::new(&mut strips, shape));
        same.set((0..shape.strips()).all(|index| {
            let (strip, rows) = (StripsRef::new(&strips, shape).strip(index), shape.rows_of(index));
            let part = b.as_ref().part(rows.start, 0, rows.len(), shape.cols);
            (0..part.cols()).all(|j| (0..part.rows()).all(|i| strip.at(i, j) == part.at(i, j)))
        }));
    };
    let trial = judge(format!("{trsm:?}"), trsm.of_tile(), l.read(), compute, draw);
    if same.get() { trial } else { Trial::exact(format!("strips of {trsm:?}"), false) }
}
