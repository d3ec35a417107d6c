//! The list's card of the scaling: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::{Root, ScaleLines};
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = ScaleLines::<f64>::NAME;
    const FORMULA: &'static str = "rows and columns over roots of sums of squares";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = ScaleLines<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n), squares(n, draw), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [rows, columns, a] = operands else { unreachable!("three operands were made") };
        typical(n).compute((rows, columns), TileMut::new(a, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// Columns.
fn typical<T: Scalar>(n: usize) -> ScaleLines<T> {
    ScaleLines { row: Root::None, column: Root::Square, m: n, n, scalar: PhantomData }
}

/// Sums of squares, the first of them zero.
pub(super) fn squares<T: Scalar>(count: usize, draw: &mut Draw) -> Vec<T> {
    let numbers = draw.numbers::<T>(count).into_iter().enumerate();
    numbers.map(|(i, x)| T::from_f64(if i == 0 { 0.0 } else { 0.25 + x.size() })).collect()
}
