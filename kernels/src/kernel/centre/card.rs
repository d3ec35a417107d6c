//! The list's card of the centring: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::{Centre, Factors, Sums};
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::line_sums::Term;
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

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = Centre<T>;

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
