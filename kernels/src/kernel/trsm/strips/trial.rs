//! Trials of the solve that also lays its result out in strips, and its typical call.

use std::cell::Cell;
use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::TrsmStrips;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial, heights, in_strips};
use crate::kernel::trsm::trial::judge;
use crate::kernel::{Listed, ListedIn};
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;
use crate::strips::{StripsMut, StripsRef};
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = "trsm-strips";
    const FORMULA: &'static str = "B = B inv(L'), and B in strips";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let solve = |height| TrsmStrips { m, n, ld: n, height, scalar: PhantomData };
        heights(blas).map(|height| compare(solve(height), blas, draw)).collect()
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), in_strips(n, draw), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [l, strips, b] = operands else { unreachable!("three operands were made") };
        let trsm = typical(n, blas.strip_height().unwrap_or(n));
        let shape = trsm.result();
        let strips = StripsMut::new(&mut strips[..shape.elements()], shape);
        trsm.compute(blas, TileRef::new(l, n, n), TileMut::new(b, n, n), strips);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n, 1).cost()
    }
}

/// The solve of a tiled Cholesky factorization.
fn typical<T: Scalar>(n: usize, height: usize) -> TrsmStrips<T> {
    TrsmStrips { m: n, n, ld: n, height, scalar: PhantomData }
}

fn compare<T: Scalar>(trsm: TrsmStrips<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let l = Guarded::triangle(trsm.n, Uplo::Lower, Diag::NonUnit, draw);
    let shape = trsm.result();
    let same = Cell::new(true);
    let compute = |mut b: TileMut<'_, T>| {
        // What was in the strips before must not count.
        let mut strips = vec![T::NAN; shape.elements()];
        trsm.compute(blas, l.read(), b.reborrow(), StripsMut::new(&mut strips, shape));
        same.set((0..shape.strips()).all(|index| {
            let (strip, rows) = (StripsRef::new(&strips, shape).strip(index), shape.rows_of(index));
            let part = b.as_ref().part(rows.start, 0, rows.len(), shape.cols);
            (0..part.cols()).all(|j| (0..part.rows()).all(|i| strip.at(i, j) == part.at(i, j)))
        }));
    };
    let trial = judge(format!("{trsm:?}"), trsm.of_tile(), l.read(), compute, draw);
    if same.get() { trial } else { Trial::exact(format!("strips of {trsm:?}"), false) }
}
