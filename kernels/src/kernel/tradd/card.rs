//! The list's card of the sum of parts: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Tradd;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::option::{Part, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Tradd::<f64>::NAME;
    const FORMULA: &'static str = "B = alpha op(A) + beta B, on a triangle";
    const FLOPS: &'static str = "3 n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = Tradd<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        (0..2).map(|_| draw.numbers(n * n)).collect()
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [a, b] = operands else { unreachable!("two operands were made") };
        typical(n).compute(TileRef::new(a, n, n), TileMut::new(b, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The copy of a lower triangle.
fn typical<T: Scalar>(n: usize) -> Tradd<T> {
    let (part, trans) = (Part::Lower, Trans::No);
    Tradd { part, trans, m: n, n, alpha: T::ONE, beta: T::ZERO }
}
