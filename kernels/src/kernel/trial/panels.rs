//! Panels that are well conditioned, and their reflectors, by the obvious loops.

use std::marker::PhantomData;

use super::Guarded;
use crate::kernel::geqrt::Geqrt;
use crate::kernel::random::RandomInputs;
use crate::option::Storev;
use crate::scalar::Scalar;

/// An `m x n` panel (stored as it is to be) that is well conditioned from row `offset` on.
pub(in crate::kernel) fn panel<T: Scalar>(
    geqrt: Geqrt<T>,
    random: &mut RandomInputs,
) -> Guarded<T> {
    let Geqrt { storev, m, n, offset, .. } = geqrt;
    let order = (m - offset).max(n);
    let square = random.dominant::<T>(order);
    let (rows, cols) = storev.stored(m, n);
    let mut panel = Guarded::random(rows, cols, random);
    for (i, j) in (0..n).flat_map(|j| (offset..m).map(move |i| (i, j))) {
        let (row, column) = storev.stored(i, j);
        panel.put(row, column, square[i - offset + j * order]);
    }
    panel
}

/// Reflectors as a factorization leaves them, and what is not theirs NaN.
pub(in crate::kernel) struct Factored<T> {
    pub(in crate::kernel) v: Guarded<T>,
    pub(in crate::kernel) tau: Guarded<T>,
    pub(in crate::kernel) t: Guarded<T>,
}

/// The first `k` reflectors of a panel of `m x n`, whose first has its one in row `offset`.
pub(in crate::kernel) fn factored<T: Scalar>(
    storev: Storev,
    (m, n, k): (usize, usize, usize),
    offset: usize,
    random: &mut RandomInputs,
) -> Factored<T> {
    let geqrt = Geqrt { storev, m, n: k, offset, scalar: PhantomData };
    let narrow = {
        let mut panel = panel(geqrt, random);
        let (mut tau, mut t) = (Guarded::nan(k, 1), Guarded::nan(k, k));
        geqrt.reference(panel.write(), tau.write(), t.write());
        t.keep(|i, j| i <= j);
        (panel, tau, t)
    };
    let (rows, cols) = storev.stored(m, n);
    let mut v = Guarded::nan(rows, cols);
    for (i, j) in (0..k).flat_map(|j| (offset + j + 1..m).map(move |i| (i, j))) {
        let (row, column) = storev.stored(i, j);
        v.put(row, column, narrow.0.read().at(row, column));
    }
    Factored { v, tau: narrow.1, t: narrow.2 }
}
