//! Trials of the sums and their typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::{Codelet, Cost};

use super::{LowRank, Mirror, Parts};
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::{Scalar, c64};
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = LowRank::<f64>::NAME;
    const FORMULA: &'static str = "A = D + X Y^H, D diagonal, X and Y of 8 columns";
    const FLOPS: &'static str = "64 n^2";
}

/// Columns of the typical factors.
const RANK: usize = 8;

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, k } = shape;
        let scalar = PhantomData::<T>;
        let mut trials = Vec::new();
        for (mirror, m, below) in [
            (Mirror::None, m, 0),
            (Mirror::None, m, 2),
            (Mirror::None, m, -1),
            (Mirror::Triangle, n, 0),
            (Mirror::Whole, m, -(m as isize)),
        ] {
            trials.push(compare(LowRank { mirror, below, m, n, rank: k.min(RANK), scalar }, draw));
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        // Room for numbers of complex double precision in numbers of this one.
        let room = |count: usize| count * size_of::<c64>() / size_of::<T>();
        let factors = [n, n * RANK, n * RANK].map(|count| draw.numbers(room(count)));
        factors.into_iter().chain([draw.numbers(n * n)]).collect()
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [diagonal, x, y, a] = operands else { unreachable!("four operands were made") };
        // Numbers of narrower types are any numbers in the wider one.
        let wide = |numbers: &[T]| -> Vec<c64> {
            let step = size_of::<c64>() / size_of::<T>();
            numbers.iter().step_by(step).map(|x| c64::new(x.size(), 0.5)).collect()
        };
        let (diagonal, x, y) = (wide(diagonal), wide(x), wide(y));
        let parts = Parts { diagonal: &diagonal, x: &x, y: &y };
        typical(n).compute(parts, TileMut::new(a, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// On the diagonal.
fn typical<T: Scalar>(n: usize) -> LowRank<T> {
    LowRank { mirror: Mirror::None, below: 0, m: n, n, rank: RANK, scalar: PhantomData }
}

fn compare<T: Scalar>(low: LowRank<T>, draw: &mut Draw) -> Trial {
    let LowRank { mirror, m, n, rank, .. } = low;
    let (rows, columns) = if mirror == Mirror::Whole { (n, m) } else { (m, n) };
    let [diagonal, x, y] = [rows, rows * rank, columns * rank].map(|count| draw.numbers(count));
    let parts = Parts { diagonal: &diagonal, x: &x, y: &y };
    let before = Guarded::<T>::nan(m, n);
    let (mut got, mut expected) = (before.clone(), before.clone());
    low.compute(parts, got.write());
    low.reference(parts, expected.write());
    let error = got.deviation(&before, &expected, |_, _| true);
    // Sums of terms of at most 2 in modulus, in two orders, and a rounding.
    let terms = rank as f64 + 2.0;
    Trial { case: format!("{low:?}"), error, tolerance: 4.0 * terms * T::epsilon() }
}
