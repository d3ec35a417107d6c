//! Trials of the centring.

use super::list_entry::ListEntry;
use super::{Centre, Factors, Sums};
use crate::backend::Blas;
use crate::kernel::line_sums::Term;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Part;
use crate::scalar::Scalar;

const FACTORS: [(f64, f64, f64); 4] =
    [(0.5, 0.25, 0.125), (0.5, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.0)];

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for part in Part::ALL {
            for (row, column, all) in FACTORS {
                for term in [Term::Entry, Term::Square] {
                    let factors = Factors { row, column, all };
                    let alpha = T::from_f64(-0.5);
                    trials.push(compare(Centre { part, term, m, n, alpha, factors }, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(centre: Centre<T>, random: &mut RandomInputs) -> Trial {
    let Centre { part, m, n, factors, .. } = centre;
    // Sums that are not read are not there.
    let mut sums = |count, factor| random.numbers::<T>(if factor == 0.0 { 0 } else { count });
    let (rows, columns) = (sums(m, factors.row), sums(n, factors.column));
    let all = sums(1, factors.all);
    let sums = Sums { rows: &rows, columns: &columns, all: &all };
    let mut before = Guarded::random(m, n, random);
    before.keep(|i, j| part.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    centre.compute(sums, got.write());
    centre.reference(sums, expected.write());
    let error = got.deviation(&before, &expected, |i, j| part.holds(i, j));
    // Four terms of at most 2 in modulus, in two orders.
    Trial { case: format!("{centre:?}"), error, tolerance: 16.0 * T::epsilon() }
}
