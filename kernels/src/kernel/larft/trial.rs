//! Trials of the triangle of a block of reflectors and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::Larft;
use crate::backend::Blas;
use crate::kernel::reflectors::{Factored, factored};
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Larft::<f64>::NAME;
    const FORMULA: &'static str = "the triangle T of reflectors I - V T V'";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for storev in Storev::ALL {
            for offset in [0, m / 3] {
                let all = (m - offset).min(n);
                for k in [all, all / 2] {
                    let larft = Larft { storev, m, n, k, offset, scalar: PhantomData };
                    trials.push(compare(larft, blas, draw));
                }
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), vec![T::ONE; n], vec![T::ZERO; n * n]]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [v, tau, t] = operands else { unreachable!("three operands were made") };
        let (v, tau) = (TileRef::new(v, n, n), TileRef::new(tau, n, 1));
        typical(n).compute(blas, v, tau, TileMut::new(t, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The reflectors of a square tile.
fn typical<T: Scalar>(n: usize) -> Larft<T> {
    Larft { storev: Storev::Columns, m: n, n, k: n, offset: 0, scalar: PhantomData }
}

fn compare<T: Scalar>(larft: Larft<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Larft { storev, m, n, k, offset, .. } = larft;
    let Factored { v, tau, .. } = factored(storev, (m, n, k), offset, draw);
    let before = Guarded::nan(k, k);
    let (mut got, mut expected) = (before.clone(), before.clone());
    larft.compute(blas, v.read(), tau.read(), got.write());
    larft.reference(v.read(), tau.read(), expected.write());
    // Sums over columns of reflectors whose square norm is at most 2, then over the triangle.
    let tolerance = 20.0 * (m + k + 2) as f64 * T::epsilon();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{larft:?}"), error, tolerance }
}
