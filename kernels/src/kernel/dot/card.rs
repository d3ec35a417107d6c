//! The list's card of the dot product: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Dot;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Real;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Dot::<f64>::NAME;
    const FORMULA: &'static str = "sum = sum + x' y";
    const FLOPS: &'static str = "2 n";
}

impl<T: Real> ListedIn<T> for Card {
    type Codelet = Dot<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        (0..2).map(|_| draw.numbers(n * n)).collect()
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let mut sum = 0.0;
        typical::<T>(n).compute(operands[0], operands[1], &mut sum);
        std::hint::black_box(sum);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The Frobenius product of two tiles.
fn typical<T: Real>(n: usize) -> Dot<T> {
    Dot::new(n * n)
}
