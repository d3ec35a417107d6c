//! Trials of the LU factorization with partial pivoting.

use super::Getrf;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, k } = shape;
        let whole = Getrf::new(m, n, 0);
        let mut trials = vec![compare(whole, &shuffled(whole, random), blas), end(whole, blas)];
        let part = Getrf::new(m, n, k.min(m));
        trials.push(compare(part, &shuffled(part, random), blas));
        // Two columns that differ by a factor of two, exactly: the second has no pivot left.
        if whole.steps() > 1 {
            let mut a = Guarded::new(m, n, &vec![T::ZERO; m * n]);
            (0..m).for_each(|i| a.put(i, 0, T::from_f64(1.0 / (1 << (i % 8)) as f64)));
            (0..m).for_each(|i| a.put(i, 1, a.read().at(i, 0) + a.read().at(i, 0)));
            trials.push(compare(whole, &a, blas));
        }
        trials
    }
}

/// A dominant matrix with its rows in another order: pivots are clear, so that rounding does not
/// choose among them.
fn shuffled<T: Scalar>(getrf: Getrf<T>, random: &mut RandomInputs) -> Guarded<T> {
    let Getrf { m, n, first, .. } = getrf;
    let order = m.max(n);
    let square = random.dominant::<T>(order);
    let mut rows: Vec<usize> = (0..m - first).collect();
    for i in (1..rows.len()).rev() {
        rows.swap(i, (random.bits() % (i as u64 + 1)) as usize);
    }
    let mut a = Guarded::random(m, n, random);
    for (i, &row) in rows.iter().enumerate() {
        (0..n).for_each(|j| a.put(first + i, j, square[j * order + row]));
    }
    a
}

fn compare<T: Scalar>(getrf: Getrf<T>, before: &Guarded<T>, blas: &dyn Blas<T>) -> Trial {
    let (mut got, mut expected) = (before.clone(), before.clone());
    let (mut pivots, mut rows) = (vec![0; getrf.steps()], vec![0; getrf.steps()]);
    let singular = getrf.compute(blas, got.write(), &mut pivots);
    let step = getrf.reference(expected.write(), &mut rows);
    let case = format!("{getrf:?}: pivots {pivots:?}, not {rows:?}; {singular:?}, not {step:?}");
    if (singular, &pivots) != (step, &rows) {
        return Trial::exact(case, false);
    }
    // As without pivoting, for the matrix with its rows exchanged.
    let tolerance = 40.0 * (getrf.steps() as f64 + 2.0) * T::epsilon();
    let error = got.deviation(before, &expected, |i, _| i >= getrf.first);
    Trial { case, error, tolerance }
}

/// Of a matrix of NaN, only that it comes to an end with rows of the panel is asked.
fn end<T: Scalar>(getrf: Getrf<T>, blas: &dyn Blas<T>) -> Trial {
    let mut pivots = vec![0; getrf.steps()];
    getrf.compute(blas, Guarded::nan(getrf.m, getrf.n).write(), &mut pivots);
    let inside = pivots.iter().all(|&row| (row as usize) < getrf.m);
    Trial::exact(format!("{getrf:?} of NaN: pivots {pivots:?}"), inside)
}
