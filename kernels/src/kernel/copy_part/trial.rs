//! Trials of the copy of a block and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::{Block, CopyPart};
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = CopyPart::<f64>::NAME;
    const FORMULA: &'static str = "a block of B = a block of A";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        vec![compare::<T>(block(shape.m as u32, shape.n as u32), draw)]
    }

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

/// A whole tile.
fn typical<T: Scalar>(n: usize) -> CopyPart<T> {
    let whole = Block { tile: (n as u32, n as u32), first: (0, 0) };
    CopyPart { from: whole, to: whole, size: whole.tile, scalar: PhantomData }
}

/// A block inside both tiles.
fn block<T: Scalar>(m: u32, n: u32) -> CopyPart<T> {
    CopyPart {
        from: Block { tile: (m + 3, n + 1), first: (2, 1) },
        to: Block { tile: (m + 1, n + 4), first: (0, 3) },
        size: (m, n),
        scalar: PhantomData,
    }
}

fn compare<T: Scalar>(copy: CopyPart<T>, draw: &mut Draw) -> Trial {
    let ((m, n), (rows, cols)) = (copy.from.shape(), copy.to.shape());
    let (a, before) = (Guarded::random(m, n, draw), Guarded::random(rows, cols, draw));
    let (mut got, mut expected) = (before.clone(), before.clone());
    copy.compute(a.read(), got.write());
    copy.reference(a.read(), expected.write());
    let ((height, width), first) = (copy.size(), copy.to.origin());
    let inside = |i: usize, j: usize| {
        (first.0..first.0 + height).contains(&i) && (first.1..first.1 + width).contains(&j)
    };
    let error = got.deviation(&before, &expected, inside);
    Trial { case: format!("{copy:?}"), error, tolerance: 0.0 }
}
