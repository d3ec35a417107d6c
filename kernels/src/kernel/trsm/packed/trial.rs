//! Trials of the solve that also packs its result.

use std::cell::Cell;
use std::marker::PhantomData;

use super::TrsmPacked;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, heights};
use crate::kernel::trsm::trial::judge;
use crate::option::{Diag, Uplo};
use crate::packed::{PackedMut, PackedRef};
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let solve = |height| TrsmPacked { m, n, ld: n, height, scalar: PhantomData };
        heights(blas).map(|height| compare(solve(height), blas, random)).collect()
    }
}

fn compare<T: Scalar>(trsm: TrsmPacked<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let l = Guarded::triangle(trsm.n, Uplo::Lower, Diag::NonUnit, random);
    let shape = trsm.result();
    let same = Cell::new(true);
    let compute = |mut b: TileMut<'_, T>| {
        // What was in the packed result before must not count.
        let mut packed = vec![T::NAN; shape.elements()];
        trsm.compute(blas, l.read(), b.reborrow(), PackedMut::new(&mut packed, shape));
        same.set((0..shape.micro_panels()).all(|index| {
            let (panel, rows) =
                (PackedRef::new(&packed, shape).micro_panel(index), shape.rows_of(index));
            let part = b.as_ref().part(rows.start, 0, rows.len(), shape.cols);
            (0..part.cols()).all(|j| (0..part.rows()).all(|i| panel.at(i, j) == part.at(i, j)))
        }));
    };
    let trial = judge(format!("{trsm:?}"), trsm.of_tile(), l.read(), compute, random);
    if same.get() { trial } else { Trial::exact(format!("packed result of {trsm:?}"), false) }
}
