//! Trials of the update of an LU factorization.

use std::marker::PhantomData;

use super::GetrfUpdate;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, heights};
use crate::packed::{PackedMut, PackedRef};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(
        blas: &dyn Blas<T>,
        Shape { m, n, k }: Shape,
        random: &mut RandomInputs,
    ) -> Vec<Trial> {
        let mut trials = Vec::new();
        for first in [0, m / 3] {
            for height in heights(blas).map(Some).chain([None]) {
                let update = GetrfUpdate { m, n, k, first, height, scalar: PhantomData };
                trials.push(compare(update, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(
    update: GetrfUpdate<T>,
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Trial {
    let GetrfUpdate { m, n, k, first, .. } = update;
    let steps = update.steps();
    let pivots: Vec<u32> = (0..steps)
        .map(|i| (first + i) as u32 + (random.bits() % (m - first - i) as u64) as u32)
        .collect();
    // Multipliers so small that the inverse of the triangle has entries of at most 2.
    let scale = T::from_f64(0.5 / k.max(1) as f64);
    let mut panel = Guarded::<T>::random(m, k, random);
    for j in 0..k {
        (first..m).for_each(|i| panel.put(i, j, panel.read().at(i, j) * scale));
    }
    panel.keep(|i, j| j < steps && i > first + j);
    let packed = update.packed().map(|shape| {
        let mut room = vec![T::NAN; shape.elements()];
        let rows = panel.read().part(first + steps, 0, shape.rows, shape.cols);
        PackedMut::new(&mut room, shape).pack_from(rows);
        (room, shape)
    });
    let before = Guarded::random(m, n, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    let packed = packed.as_ref().map(|(room, shape)| PackedRef::new(room, *shape));
    let triangle = panel.read().part(first, 0, steps, k);
    let of_panel = if packed.is_some() { triangle } else { panel.read() };
    update.compute(blas, of_panel, &pivots, packed, got.write());
    update.reference(panel.read(), &pivots, expected.write());
    // Each entry is a sum of `steps` products of entries of at most 1/k and 2, and another.
    let tolerance = 8.0 * (steps as f64 + 2.0) * T::epsilon();
    let error = got.deviation(&before, &expected, |i, _| i >= first);
    Trial { case: format!("{update:?}"), error, tolerance }
}
