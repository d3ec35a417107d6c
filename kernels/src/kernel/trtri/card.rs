//! The list's card of the triangular inverse: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Trtri;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Trtri::<f64>::NAME;
    const FORMULA: &'static str = "A = inv(A), triangular, in place";
    const FLOPS: &'static str = "n^3/3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = Trtri<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let a = TileMut::new(operands[0], n, n);
        typical(n).compute(blas, a).expect("a dominant triangle has an inverse");
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The lower inverse.
fn typical<T: Scalar>(n: usize) -> Trtri<T> {
    Trtri::new(Uplo::Lower, Diag::NonUnit, n, 0)
}
