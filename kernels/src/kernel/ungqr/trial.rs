//! Trials of multiplying reflectors out and the typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::Ungqr;
use crate::backend::Blas;
use crate::kernel::reflectors::{Factored, factored};
use crate::kernel::trial::{Draw, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Ungqr::<f64>::NAME;
    const FORMULA: &'static str = "the first columns of Q from its reflectors, in place";
    const FLOPS: &'static str = "3 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for storev in Storev::ALL {
            for offset in [0, m / 3] {
                let n = n.min(m - offset);
                for k in [n, n / 2, 0] {
                    let ungqr = Ungqr { storev, m, n, k, offset, scalar: PhantomData };
                    trials.push(compare(ungqr, blas, draw));
                }
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.dominant(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [t, a] = operands else { unreachable!("two operands were made") };
        typical(n).compute(blas, TileMut::new(a, n, n), TileRef::new(t, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// All reflectors of a square tile.
fn typical<T: Scalar>(n: usize) -> Ungqr<T> {
    Ungqr { storev: Storev::Columns, m: n, n, k: n, offset: 0, scalar: PhantomData }
}

fn compare<T: Scalar>(ungqr: Ungqr<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Ungqr { storev, m, n, k, offset, .. } = ungqr;
    let Factored { v: before, t, .. } = factored(storev, (m, n, k), offset, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    ungqr.compute(blas, got.write(), t.read());
    ungqr.reference(expected.write(), t.read());
    // Sums over columns of norm one.
    let tolerance = 8.0 * (m + k + 2) as f64 * T::epsilon();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{ungqr:?}"), error, tolerance }
}
