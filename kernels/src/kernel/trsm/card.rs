//! The list's card of the triangular solve: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Trsm;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
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
    type Codelet = Trsm<T>;

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
