//! The list's card of the update of an LU factorization: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::GetrfUpdate;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = GetrfUpdate::<f64>::NAME;
    const FORMULA: &'static str = "U = inv(L1) P U, B = B - L2 U";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = GetrfUpdate<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [panel, column] = operands else { unreachable!("two operands were made") };
        let pivots: Vec<u32> = (0..n as u32).collect();
        let (panel, column) = (TileRef::new(panel, n, n), TileMut::new(column, n, n));
        typical(n).compute(blas, panel, &pivots, None, column);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The update of a square tile.
fn typical<T: Scalar>(n: usize) -> GetrfUpdate<T> {
    GetrfUpdate { m: n, n, k: n, first: 0, height: None, scalar: PhantomData }
}
