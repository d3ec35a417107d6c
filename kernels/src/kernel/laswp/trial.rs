//! Trials of the exchange of rows and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::Laswp;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Laswp::<f64>::NAME;
    const FORMULA: &'static str = "rows i and pivots[i] of A change places";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(_: &dyn Blas<T>, Shape { m, n, k }: Shape, draw: &mut Draw) -> Vec<Trial> {
        // Few exchanges among many rows, and about as many as there are rows.
        let counts = [m.min(n / 8 + 1), m.min(n)];
        let before = Guarded::<T>::random(m, n, draw);
        let mut trial = |steps: usize, first: usize, backward| {
            let row = |i: usize, draw: &mut Draw| (draw.bits() % (m - i) as u64) as u32 + i as u32;
            let pivots: Vec<u32> = (0..steps).map(|i| row(i, draw)).collect();
            let laswp = Laswp { m, n, first, backward, scalar: PhantomData };
            let (mut got, mut expected) = (before.clone(), before.clone());
            laswp.compute(&pivots, got.write());
            laswp.reference(&pivots, expected.write());
            let error = got.deviation(&before, &expected, |_, _| true);
            Trial { case: format!("{laswp:?}"), error, tolerance: 0.0 }
        };
        let mut trials = Vec::new();
        for steps in counts {
            for first in [0, k.min(steps) / 2, steps] {
                trials.extend([trial(steps, first, false), trial(steps, first, true)]);
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n)]
    }

    fn run(_: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let pivots: Vec<u32> = (0..n as u32).rev().collect();
        typical(n).compute(&pivots, TileMut::new(operands[0], n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The exchange of all rows of a square tile.
fn typical<T: Scalar>(n: usize) -> Laswp<T> {
    Laswp { m: n, n, first: 0, backward: false, scalar: PhantomData }
}
