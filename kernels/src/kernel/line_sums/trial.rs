//! Trials of the sums.

use std::marker::PhantomData;

use super::list_entry::ListEntry;
use super::{Line, LineSums, Term};
use crate::backend::Blas;
use crate::kernel::pack::Structure;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Form, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let mut trials = Vec::new();
        for (line, term) in [Line::Row, Line::Column]
            .into_iter()
            .flat_map(|line| [Term::Entry, Term::Square].map(|term| (line, term)))
        {
            let symmetric = Uplo::ALL.map(|uplo| Structure::Symmetric(Form::Hermitian, uplo));
            for structure in symmetric.into_iter().chain([Structure::General]) {
                let m = if structure == Structure::General { shape.m } else { shape.n };
                let (n, scalar) = (shape.n, PhantomData);
                trials.push(compare(LineSums::<T> { line, term, structure, m, n, scalar }, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(sums: LineSums<T>, random: &mut RandomInputs) -> Trial {
    let LineSums { line, structure, m, n, .. } = sums;
    let mut a = Guarded::random(m, n, random);
    if let Structure::Symmetric(_, uplo) = structure {
        a.keep(|i, j| uplo.holds(i, j));
    }
    let mut got = random.numbers::<T>(if line == Line::Row { m } else { n });
    let mut expected = got.clone();
    sums.compute(a.read(), &mut got);
    sums.reference(a.read(), &mut expected);
    let errors = got.iter().zip(&expected).map(|(&x, &y)| (x - y).size());
    // NaN counts: nothing that is not stored may enter.
    let error = errors.fold(0.0, |most: f64, x| if x <= most { most } else { x });
    // Two sums of terms of at most 2 in modulus, in different order.
    let terms = m.max(n) as f64 + 1.0;
    Trial { case: format!("{sums:?}"), error, tolerance: 4.0 * terms * terms * T::epsilon() }
}
