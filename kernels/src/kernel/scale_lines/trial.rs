//! Trials of the scaling and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::{Root, ScaleLines};
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
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

const ROOTS: [(Root, Root); 4] = [
    (Root::Square, Root::None),
    (Root::None, Root::Square),
    (Root::Fourth, Root::Fourth),
    (Root::None, Root::None),
];

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let trial = |(row, column)| {
            compare(ScaleLines::<T> { row, column, m, n, scalar: PhantomData }, draw)
        };
        ROOTS.map(trial).into()
    }

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
fn squares<T: Scalar>(count: usize, draw: &mut Draw) -> Vec<T> {
    let numbers = draw.numbers::<T>(count).into_iter().enumerate();
    numbers.map(|(i, x)| T::from_f64(if i == 0 { 0.0 } else { 0.25 + x.size() })).collect()
}

fn compare<T: Scalar>(scale: ScaleLines<T>, draw: &mut Draw) -> Trial {
    let ScaleLines { row, column, m, n, .. } = scale;
    // Sums that are not read are not there.
    let mut sums = |count, root| squares::<T>(if root == Root::None { 0 } else { count }, draw);
    let (rows, columns) = (sums(m, row), sums(n, column));
    let before = Guarded::random(m, n, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    scale.compute((&rows, &columns), got.write());
    scale.reference((&rows, &columns), expected.write());
    let error = got.deviation(&before, &expected, |_, _| true);
    // Quotients of at most 8, each of a few roundings.
    Trial { case: format!("{scale:?}"), error, tolerance: 64.0 * T::epsilon() }
}
