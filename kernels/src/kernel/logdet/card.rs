//! The list's card of the log-determinant: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::LogDet;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Real;
use crate::tile::TileRef;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = LogDet::<f64>::NAME;
    const FORMULA: &'static str = "sum = sum + factor sum_i log |a_ii|";
    const FLOPS: &'static str = "2 n";
}

impl<T: Real> ListedIn<T> for Card {
    type Codelet = LogDet<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let mut sum = 0.0;
        let a = TileRef::new(operands[0], n, n);
        typical::<T>(n).compute(a, &mut sum).expect("a dominant diagonal has no zero");
        std::hint::black_box(sum);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The contribution of a tile of a Cholesky factor.
fn typical<T: Real>(n: usize) -> LogDet<T> {
    LogDet::cholesky(n, 0)
}
