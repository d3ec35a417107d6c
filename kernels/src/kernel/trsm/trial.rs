//! Trials of the triangular solve and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Trsm;
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
    const NAME: &'static str = Trsm::<f64>::NAME;
    const FORMULA: &'static str = "B = alpha inv(op(T)) B, or from the right";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let (Shape { m, n, .. }, alpha) = (shape, T::from_f64(-0.75));
        let mut trials = Vec::new();
        for (side, uplo, trans, diag) in triangular::variants() {
            let ld = triangular::order(side, m, n);
            trials.push(compare(Trsm { side, uplo, trans, diag, m, n, ld, alpha }, blas, draw));
        }
        trials
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

/// The solve of a tiled Cholesky factorization: `B = B inv(L')`.
fn typical<T: Scalar>(n: usize) -> Trsm<T> {
    let (side, uplo, trans) = (Side::Right, Uplo::Lower, Trans::Yes);
    Trsm { side, uplo, trans, diag: Diag::NonUnit, m: n, n, ld: n, alpha: T::ONE }
}

fn compare<T: Scalar>(trsm: Trsm<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let t = Guarded::triangle(trsm.order(), trsm.uplo, trsm.diag, draw);
    let compute = |b: TileMut<'_, T>| trsm.compute(blas, t.read(), b);
    judge(format!("{trsm:?}"), trsm, t.read(), compute, draw)
}

/// Compares what `compute` does to `B` with the reference of `trsm`.
pub(super) fn judge<T: Scalar>(
    case: String,
    trsm: Trsm<T>,
    t: TileRef<'_, T>,
    compute: impl Fn(TileMut<'_, T>),
    draw: &mut Draw,
) -> Trial {
    let before = Guarded::random(trsm.m, trsm.n, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    compute(got.write());
    trsm.reference(t, expected.write());
    // Each solution is good to (n + 2) u cond(T) in the maximum norm (Higham, "Accuracy and
    // stability", theorem 8.5), and cond(T) is at most 3 for a dominant triangle.
    let tolerance = 3.0 * (trsm.order() as f64 + 2.0) * T::epsilon() * expected.max();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case, error, tolerance }
}
