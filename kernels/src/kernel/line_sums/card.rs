//! The list's card of the sums: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::{Line, LineSums, Term};
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::pack::Structure;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::TileRef;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = LineSums::<f64>::NAME;
    const FORMULA: &'static str = "sums of rows or columns, or of squares there";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = LineSums<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n), draw.numbers(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [a, sums] = operands else { unreachable!("two operands were made") };
        typical(n).compute(TileRef::new(a, n, n), sums);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The sums of rows.
fn typical<T: Scalar>(n: usize) -> LineSums<T> {
    let (line, term, structure) = (Line::Row, Term::Entry, Structure::General);
    LineSums { line, term, structure, m: n, n, scalar: PhantomData }
}
