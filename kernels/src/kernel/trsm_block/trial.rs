//! Trials of the step of a solve and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::TrsmBlock;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::{Storev, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = TrsmBlock::<f64>::NAME;
    const FORMULA: &'static str = "a step of B = inv(op(R)) B, R in block columns";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, k } = shape;
        let mut trials = Vec::new();
        for storev in Storev::ALL {
            for trans in [Trans::No, Trans::Conj] {
                for offset in [0, m / 3] {
                    let (k, rows, nrhs) = (k.min(m - offset), m + 2, n as u32);
                    let width = k + 1;
                    let step = TrsmBlock {
                        storev,
                        trans,
                        m,
                        n: width,
                        k,
                        offset,
                        rows,
                        nrhs,
                        scalar: PhantomData,
                    };
                    trials.push(compare(step, blas, draw));
                }
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b] = operands else { unreachable!("two operands were made") };
        typical(n).compute(blas, TileRef::new(a, n, n), TileMut::new(b, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// A square tile, with nothing above the triangle.
fn typical<T: Scalar>(n: usize) -> TrsmBlock<T> {
    let (storev, trans, nrhs) = (Storev::Columns, Trans::No, n as u32);
    TrsmBlock { storev, trans, m: n, n, k: n, offset: 0, rows: n, nrhs, scalar: PhantomData }
}

fn compare<T: Scalar>(step: TrsmBlock<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let TrsmBlock { storev, trans, m, n, k, offset, rows, nrhs, .. } = step;
    let (height, width) = storev.stored(m, n);
    let mut a = Guarded::nan(height, width);
    let square = draw.dominant::<T>(k);
    for (i, j) in (0..k).flat_map(|j| (0..=offset + j).map(move |i| (i, j))) {
        let entry = if i < offset {
            // So that a row adds up to at most 1/2, as in a dominant matrix.
            draw.number::<T>() * T::from_f64(0.35 / (offset + k) as f64)
        } else {
            square[i - offset + j * k]
        };
        let (row, column) = storev.stored(i, j);
        a.put(row, column, entry);
    }
    let before = Guarded::random(rows, nrhs as usize, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    step.compute(blas, a.read(), got.write());
    step.reference(a.read(), expected.write());
    let solves_upper = (trans == Trans::No) == (storev == Storev::Columns);
    let error =
        got.deviation(&before, &expected, |i, _| i < offset + k && (i >= offset || solves_upper));
    // As for a triangular solve with a dominant matrix, whose inverse has rows of at most 1.
    let tolerance = 10.0 * (offset + k + 2) as f64 * T::epsilon();
    Trial { case: format!("{step:?}"), error, tolerance }
}
