//! Trials of multiplying out the reflectors of a chase and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::UngtrHb2st;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::unmtr_hb2st::chased;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::tridiagonal::Waves;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = UngtrHb2st::<f64>::NAME;
    const FORMULA: &'static str = "Q of reflectors that chased a band, in blocks";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, k, .. } = shape;
        let n = m.min(100);
        let mut trials = Vec::new();
        for (width, group) in [(1, 1), (k.clamp(1, 40), 3), (5, 8), (6, 6)] {
            let waves = Waves { n, width, group };
            let reflectors = chased(waves, draw);
            for (group, v) in reflectors.iter().enumerate().step_by(n.div_ceil(4).max(1)) {
                let blocks = UngtrHb2st { waves, group, scalar: PhantomData };
                trials.push(compare(blocks, v, blas, draw));
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        let waves = typical::<T>(n).waves;
        let ((rows, columns), (order, width)) = (waves.stored(0), waves.multiplied_out(0));
        vec![draw.numbers(rows * columns), draw.numbers(order * width)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [v, q] = operands else { unreachable!("two operands were made") };
        let blocks = typical(n);
        let ((rows, columns), (order, width)) =
            (blocks.waves.stored(0), blocks.waves.multiplied_out(0));
        blocks.compute(blas, TileRef::new(v, rows, columns), TileMut::new(q, order, width));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// A group of as many sweeps as the band is wide, in a matrix of two bands.
fn typical<T: Scalar>(n: usize) -> UngtrHb2st<T> {
    let width = (n / 2).max(1);
    UngtrHb2st { waves: Waves { n, width, group: width }, group: 0, scalar: PhantomData }
}

fn compare<T: Scalar>(
    blocks: UngtrHb2st<T>,
    v: &[T],
    blas: &dyn Blas<T>,
    draw: &mut Draw,
) -> Trial {
    let UngtrHb2st { waves, group, .. } = blocks;
    let ((rows, columns), (order, width)) = (waves.stored(group), waves.multiplied_out(group));
    let v = Guarded::new(rows, columns, v);
    let before = Guarded::random(order, width, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    blocks.compute(blas, v.read(), got.write());
    blocks.reference(v.read(), expected.write());
    // Sums over a column of norm one.
    let tolerance = 16.0 * (order + 2) as f64 * T::epsilon();
    let is_inside = |i: usize, j: usize| {
        let rows = waves.block(group, j / order).1;
        i < rows && j % order < rows
    };
    let error = got.deviation(&before, &expected, is_inside);
    Trial { case: format!("{blocks:?}"), error, tolerance }
}
