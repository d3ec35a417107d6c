//! Trials of the split and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::LdltSplit;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = LdltSplit::<f64>::NAME;
    const FORMULA: &'static str = "W = A, A = A inv(D)";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let of = |is_transposed| LdltSplit { is_transposed, m, n, scalar: PhantomData::<T> };
        [false, true].map(|is_transposed| compare(of(is_transposed), draw)).into_iter().collect()
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n), draw.numbers(n * n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [d, a, w] = operands else { unreachable!("three operands were made") };
        let (a, w) = (TileMut::new(a, n, n), TileMut::new(w, n, n));
        typical(n).compute(TileRef::new(d, n, n), a, w);
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

fn typical<T: Scalar>(n: usize) -> LdltSplit<T> {
    LdltSplit { is_transposed: false, m: n, n, scalar: PhantomData }
}

fn compare<T: Scalar>(split: LdltSplit<T>, draw: &mut Draw) -> Trial {
    let LdltSplit { is_transposed, m, n, .. } = split;
    let mut d = Guarded::new(n, n, &draw.dominant::<T>(n));
    d.keep(|i, j| i == j);
    let (rows, cols) = if is_transposed { (n, m) } else { (m, n) };
    let (a, w) = (Guarded::random(rows, cols, draw), Guarded::nan(rows, cols));
    let (mut got, mut expected) = ((a.clone(), w.clone()), (a.clone(), w.clone()));
    split.compute(d.read(), got.0.write(), got.1.write());
    split.reference(d.read(), expected.0.write(), expected.1.write());
    let error = got.0.deviation(&a, &expected.0, |_, _| true);
    let error = error.max(got.1.deviation(&w, &expected.1, |_, _| true));
    Trial { case: format!("{split:?}"), error, tolerance: 0.0 }
}
