//! Trials of the packing.

use super::list_entry::ListEntry;
use super::{Pack, Structure};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, heights};
use crate::option::{Diag, Form, Trans, Uplo};
use crate::packed::{PackedMut, PackedRef};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        for trans in Trans::ALL {
            for height in heights(blas) {
                for structure in structures().chain([Structure::General]) {
                    let is_square = matches!(structure, Structure::Symmetric(..));
                    let size = (if is_square { shape.n } else { shape.m }, shape.n);
                    trials.push(compare(blas, Pack::whole(structure, trans, size, height), random));
                }
            }
        }
        trials
    }
}

/// Those of which a triangle is stored.
pub(in crate::kernel) fn structures() -> impl Iterator<Item = Structure> {
    let of = |uplo| {
        let forms = Form::ALL.map(|form| Structure::Symmetric(form, uplo));
        let diags = Diag::ALL.map(|diag| Structure::Triangular(uplo, diag));
        forms.into_iter().chain(diags)
    };
    Uplo::ALL.into_iter().flat_map(of)
}

/// Exact copies are wanted, and of what is not stored nothing may be seen.
fn compare<T: Scalar>(blas: &dyn Blas<T>, pack: Pack<T>, random: &mut RandomInputs) -> Trial {
    let Pack { structure, trans, m, n, .. } = pack;
    let (rows, cols) = trans.stored(m, n);
    let mut a = Guarded::random(rows, cols, random);
    let is_stored = |i: usize, j: usize| match structure {
        Structure::General => true,
        Structure::Symmetric(_, uplo) => uplo.holds(i, j),
        Structure::Triangular(uplo, diag) => uplo.holds(i, j) && (i != j || diag == Diag::NonUnit),
    };
    a.keep(|i, j| if trans.swaps() { is_stored(j, i) } else { is_stored(i, j) });
    let shape = pack.shape();
    let mut elements = vec![T::NAN; shape.elements()];
    pack.compute(blas, a.read(), PackedMut::new(&mut elements, shape));
    let packed = PackedRef::new(&elements, shape);
    let mut holds = true;
    for i in 0..m {
        let panel = packed.micro_panel(i / shape.height);
        let row = |j| panel.at(i % shape.height, j);
        holds &= (0..n).all(|j| row(j) == pack.entry(a.read(), i, j));
    }
    Trial::exact(format!("{pack:?}"), holds)
}
