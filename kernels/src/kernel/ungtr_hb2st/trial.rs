//! Trials of multiplying out the reflectors of a chase.

use std::marker::PhantomData;

use super::UngtrHb2st;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::kernel::unmtr_hb2st::chased;
use crate::scalar::Scalar;
use crate::tridiagonal::Waves;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, k, .. } = shape;
        let n = m.min(100);
        let mut trials = Vec::new();
        for (width, group) in [(1, 1), (k.clamp(1, 40), 3), (5, 8), (6, 6)] {
            let waves = Waves { n, width, group };
            let reflectors = chased(waves, random);
            for (group, v) in reflectors.iter().enumerate().step_by(n.div_ceil(4).max(1)) {
                let blocks = UngtrHb2st { waves, group, scalar: PhantomData };
                trials.push(compare(blocks, v, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(
    blocks: UngtrHb2st<T>,
    v: &[T],
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Trial {
    let UngtrHb2st { waves, group, .. } = blocks;
    let ((rows, columns), (order, width)) = (waves.stored(group), waves.multiplied_out(group));
    let v = Guarded::new(rows, columns, v);
    let before = Guarded::random(order, width, random);
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
