//! The list's card of the triangular solve of one vector: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Trsv;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
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
    type Codelet = Trsv<T>;

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
