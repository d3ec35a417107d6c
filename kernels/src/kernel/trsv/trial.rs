//! Trials of the triangular solve of one vector and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Trsv;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::{Diag, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Trsv::<f64>::NAME;
    const FORMULA: &'static str = "x = inv(op(T)) x";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let mut trials = Vec::new();
        for uplo in Uplo::ALL {
            for trans in Trans::ALL {
                for diag in Diag::ALL {
                    trials.push(compare(Trsv::new(uplo, trans, diag, shape.n), blas, draw));
                }
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [t, x] = operands else { unreachable!("two operands were made") };
        typical(n).compute(blas, TileRef::new(t, n, n), TileMut::new(x, n, 1));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// A step of a forward solve.
fn typical<T: Scalar>(n: usize) -> Trsv<T> {
    Trsv::new(Uplo::Lower, Trans::No, Diag::NonUnit, n)
}

fn compare<T: Scalar>(trsv: Trsv<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let t = Guarded::triangle(trsv.n, trsv.uplo, trsv.diag, draw);
    let before = Guarded::random(trsv.n, 1, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    trsv.compute(blas, t.read(), got.write());
    trsv.reference(t.read(), expected.write());
    // As for many right-hand sides.
    let tolerance = 3.0 * (trsv.n as f64 + 2.0) * T::epsilon() * expected.max();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{trsv:?}"), error, tolerance }
}
