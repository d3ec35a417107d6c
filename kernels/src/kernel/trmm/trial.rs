//! Trials of the triangular product and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Trmm;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn, triangular};
use crate::option::{Diag, Side, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Trmm::<f64>::NAME;
    const FORMULA: &'static str = "B = alpha op(T) B, or from the right";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let (Shape { m, n, .. }, alpha) = (shape, T::from_f64(-0.75));
        let trials = triangular::variants().into_iter().map(|(side, uplo, trans, diag)| {
            compare(Trmm { side, uplo, trans, diag, m, n, alpha }, blas, draw)
        });
        trials.collect()
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [t, b] = operands else { unreachable!("two operands were made") };
        typical(n).compute(blas, TileRef::new(t, n, n), TileMut::new(b, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// `B = B L'`.
fn typical<T: Scalar>(n: usize) -> Trmm<T> {
    let (side, uplo, trans) = (Side::Right, Uplo::Lower, Trans::Yes);
    Trmm { side, uplo, trans, diag: Diag::NonUnit, m: n, n, alpha: T::ONE }
}

fn compare<T: Scalar>(trmm: Trmm<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Trmm { uplo, diag, m, n, alpha, .. } = trmm;
    let order = trmm.order();
    let t = Guarded::triangle(order, uplo, diag, draw);
    let before = Guarded::random(m, n, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    trmm.compute(blas, t.read(), got.write());
    trmm.reference(t.read(), expected.write());
    // As for a matrix product; the absolute terms of a row add up to at most 3 + 1/2.
    let terms = 3.5 * alpha.size();
    let tolerance = (order as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{trmm:?}"), error, tolerance }
}
