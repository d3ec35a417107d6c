//! Trials of the centring and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::{Centre, Factors, Sums};
use crate::backend::Blas;
use crate::kernel::line_sums::Term;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Centre::<f64>::NAME;
    const FORMULA: &'static str = "a_ij = alpha (a_ij - means of its row and column + mean of all)";
    const FLOPS: &'static str = "5 n^2";
}

const FACTORS: [(f64, f64, f64); 4] =
    [(0.5, 0.25, 0.125), (0.5, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.0)];

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for part in Part::ALL {
            for (row, column, all) in FACTORS {
                for term in [Term::Entry, Term::Square] {
                    let factors = Factors { row, column, all };
                    let alpha = T::from_f64(-0.5);
                    trials.push(compare(Centre { part, term, m, n, alpha, factors }, draw));
                }
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n), draw.numbers(n), draw.numbers(1), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [rows, columns, all, a] = operands else { unreachable!("four operands were made") };
        typical(n).compute(Sums { rows, columns, all }, TileMut::new(a, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// Both ways.
fn typical<T: Scalar>(n: usize) -> Centre<T> {
    let mean = 1.0 / n.max(1) as f64;
    let factors = Factors { row: mean, column: mean, all: mean * mean };
    Centre { part: Part::Whole, term: Term::Entry, m: n, n, alpha: T::ONE, factors }
}

fn compare<T: Scalar>(centre: Centre<T>, draw: &mut Draw) -> Trial {
    let Centre { part, m, n, factors, .. } = centre;
    // Sums that are not read are not there.
    let mut sums = |count, factor| draw.numbers::<T>(if factor == 0.0 { 0 } else { count });
    let (rows, columns) = (sums(m, factors.row), sums(n, factors.column));
    let all = sums(1, factors.all);
    let sums = Sums { rows: &rows, columns: &columns, all: &all };
    let mut before = Guarded::random(m, n, draw);
    before.keep(|i, j| part.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    centre.compute(sums, got.write());
    centre.reference(sums, expected.write());
    let error = got.deviation(&before, &expected, |i, j| part.holds(i, j));
    // Four terms of at most 2 in modulus, in two orders.
    Trial { case: format!("{centre:?}"), error, tolerance: 16.0 * T::epsilon() }
}
