//! Trials of the layout in strips and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::LayOut;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial, heights, in_strips};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::strips::StripsMut;
use crate::tile::TileRef;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = LayOut::<f64>::NAME;
    const FORMULA: &'static str = "A in strips";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, Shape { m, n, k }: Shape, draw: &mut Draw) -> Vec<Trial> {
        let a = Guarded::<T>::random(m, n, draw);
        let trial = |height| {
            let lay_out = LayOut { m, n, first: k.min(m), height, scalar: PhantomData };
            let elements = lay_out.shape().elements();
            let (mut got, mut expected) = (vec![T::ONE; elements], vec![T::ONE; elements]);
            lay_out.compute(a.read(), StripsMut::new(&mut got, lay_out.shape()));
            lay_out.reference(a.read(), &mut expected);
            // Columns past the last may hold anything.
            let shape = lay_out.shape();
            let counts = |place: usize| place % shape.stride() < shape.cols * shape.height;
            let same = (0..elements).all(|place| !counts(place) || got[place] == expected[place]);
            Trial::exact(format!("{lay_out:?}"), same)
        };
        heights(blas).map(trial).collect()
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n), in_strips(n, draw)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, strips] = operands else { unreachable!("two operands were made") };
        let lay_out = typical(blas.strip_height().unwrap_or(8), n);
        let shape = lay_out.shape();
        lay_out
            .compute(TileRef::new(a, n, n), StripsMut::new(&mut strips[..shape.elements()], shape));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(8, n).cost()
    }
}

/// The layout of a square tile.
fn typical<T: Scalar>(height: usize, n: usize) -> LayOut<T> {
    LayOut { m: n, n, first: 0, height, scalar: PhantomData }
}
