//! Trials of the check and its typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::CheckDiagonal;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::TileRef;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = CheckDiagonal::<f64>::NAME;
    const FORMULA: &'static str = "fails if an entry of the diagonal is zero";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let mut whole = Guarded::<T>::nan(m, n);
        (0..m.min(n)).for_each(|i| whole.put(i, i, draw.number()));
        let mut trials = vec![compare(&whole, m, n)];
        for zero in [0, m.min(n) / 2] {
            if zero < m.min(n) {
                let mut a = whole.clone();
                a.put(zero, zero, T::ZERO);
                trials.push(told(&a, m, n, zero));
                trials.push(compare(&a, m, n));
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.dominant(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let a = TileRef::new(operands[0], n, n);
        typical(n, n).compute(a).expect("a dominant diagonal has no zero");
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n, n).cost()
    }
}

/// The check of a tile that begins at row 1000.
fn typical<T: Scalar>(m: usize, n: usize) -> CheckDiagonal<T> {
    CheckDiagonal { m, n, offset: 1000, scalar: PhantomData }
}

/// Implementation and reference say the same.
fn compare<T: Scalar>(a: &Guarded<T>, m: usize, n: usize) -> Trial {
    let check = typical::<T>(m, n);
    let same = check.compute(a.read()) == check.reference(a.read());
    Trial::exact(format!("{check:?}"), same)
}

/// The zero at `place` is told.
fn told<T: Scalar>(a: &Guarded<T>, m: usize, n: usize, place: usize) -> Trial {
    let outcome = typical::<T>(m, n).compute(a.read());
    let holds = outcome == Err(NumericalError::SingularTriangle { index: 1001 + place });
    Trial::exact(format!("zero at {place} of {m} x {n} gives {outcome:?}"), holds)
}
