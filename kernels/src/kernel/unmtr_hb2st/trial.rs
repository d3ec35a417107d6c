//! Trials of the product with the reflectors of a chase.

use std::marker::PhantomData;

use super::UnmtrHb2st;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::kernel::ungtr_hb2st::UngtrHb2st;
use crate::scalar::Scalar;
use crate::tridiagonal::{Band, Chased, Waves};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        // More rows are more blocks of the same, and more groups more of these; the reference takes
        // long.
        let Shape { m, n, k } = shape;
        let (n, m) = (n.min(100), m.min(40));
        let mut trials = Vec::new();
        for (width, group) in [(1, 1), (k.clamp(1, 40), 3), (5, 8), (6, 6)] {
            let waves = Waves { n, width, group };
            let reflectors = chased(waves, random);
            for (group, v) in reflectors.iter().enumerate().step_by(n.div_ceil(4).max(1)) {
                let product = UnmtrHb2st { waves, group, rows: n + 3, m, scalar: PhantomData };
                trials.push(compare(product, v, blas, random));
            }
        }
        trials
    }
}

/// The reflectors of a random band.
pub(in crate::kernel) fn chased<T: Scalar>(waves: Waves, random: &mut RandomInputs) -> Vec<Vec<T>> {
    let mut band = Band::new(waves.n, waves.width);
    for j in 0..waves.n {
        for i in j..waves.n.min(j + waves.width + 1) {
            band.set(i, j, random.number());
        }
    }
    Chased::new(band, Some(waves)).reflectors
}

fn compare<T: Scalar>(
    product: UnmtrHb2st<T>,
    v: &[T],
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Trial {
    let UnmtrHb2st { waves, group, rows: height, m, .. } = product;
    let (rows, columns) = waves.stored(group);
    let v = Guarded::new(rows, columns, v);
    let before = Guarded::random(height, m, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    let (order, width) = waves.multiplied_out(group);
    let mut q = Guarded::random(order, width, random);
    UngtrHb2st { waves, group, scalar: PhantomData }.compute(blas, v.read(), q.write());
    product.compute(blas, q.read(), got.write());
    product.reference(v.read(), expected.write());
    // Each row is met by the reflectors of two blocks; their sums are over a column of norm at most
    // sqrt(2 (width + group)).
    let reach = waves.width + waves.group;
    let tolerance = 16.0 * (reach + 2) as f64 * T::epsilon() * (2.0 * reach as f64).sqrt();
    let error = got.deviation(&before, &expected, |i, _| i > group * waves.group && i < waves.n);
    Trial { case: format!("{product:?}"), error, tolerance }
}
