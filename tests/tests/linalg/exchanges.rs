//! The exchanges of rows of an LU factorisation, applied to another matrix and undone.

use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{Pivots, getrf, laswp};
use tegula_tests::plain::{Plain, next_engine};

/// `P B` by the definition, and `B` again after `P'`.
fn exchanges<T: Scalar>(case: &mut usize, (m, n, nb): (usize, usize, usize), columns: usize) {
    let mut flow = next_engine(case);
    let before = Plain::random::<T>(m, columns, 2);
    let a = Plain::random::<T>(m, n, 1).tiles::<T>(&mut flow, (m, nb));
    let b = before.tiles::<T>(&mut flow, (m, nb));
    let pivots = Pivots::new(&mut flow, &a);
    getrf(&mut flow, &a, &pivots);
    laswp(&mut flow, &pivots, false, &b);
    let mut rows: Vec<usize> = (0..m).collect();
    for (i, &row) in pivots.rows(&mut flow).expect("nothing fails").iter().enumerate() {
        rows.swap(i, row as usize);
    }
    assert!(m < 3 || !rows.is_sorted(), "{m} x {n} exchanged nothing");
    let exchanged = Plain::from_tiles(&mut flow, &b);
    let is_exchanged = |i, j| exchanged.at(i, j) == before.at(rows[i], j);
    assert!((0..columns).all(|j| (0..m).all(|i| is_exchanged(i, j))), "{m} x {n}, columns of {nb}");
    laswp(&mut flow, &pivots, true, &b);
    let after = Plain::from_tiles(&mut flow, &b);
    assert!((0..columns).all(|j| (0..m).all(|i| after.at(i, j) == before.at(i, j))), "and back");
}

#[test]
fn exchanges_are_applied_in_order_and_undone() {
    let mut case = 0;
    for (m, n) in [(1, 1), (5, 5), (40, 23), (23, 40), (64, 64)] {
        for (nb, columns) in [(4, 9), (7, 0), (100, 1)] {
            exchanges::<f32>(&mut case, (m, n, nb), columns);
            exchanges::<f64>(&mut case, (m, n, nb), columns);
            exchanges::<c32>(&mut case, (m, n, nb), columns);
            exchanges::<c64>(&mut case, (m, n, nb), columns);
        }
    }
}
