//! Many small problems at once: each comes out as it does alone.

use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::Triangle;
use tegula_linalg::batch::{self, Batch, BatchPivots, Infos};
use tegula_linalg::residual::THRESHOLD;
use tegula_runtime::flow::Flow;
use tegula_tests::flow;
use tegula_tiles::{random_entry, random_spd_entry};

/// Number of problems and their orders: none, empty, one, odd, larger than a cache line's worth.
const SHAPES: &[(usize, usize)] = &[(0, 3), (4, 0), (1, 1), (37, 5), (200, 8), (9, 33)];

/// Entry of matrix `p`.
fn entry<T: Scalar>(p: usize, i: usize, j: usize) -> T {
    random_entry(1 + p as u64, i, j)
}

/// Largest `|op(A) x - b|` of problem `p`, over what was added up, in units of rounding.
fn error<T: Scalar>(
    n: usize,
    a: impl Fn(usize, usize) -> T,
    x: &[T],
    b: impl Fn(usize, usize) -> T,
) -> f64 {
    let mut worst = 0.0f64;
    for (column, x) in x.chunks_exact(n.max(1)).enumerate() {
        for i in 0..n {
            let product: T = (0..n).map(|j| a(i, j) * x[j]).sum();
            let size: f64 = (0..n).map(|j| a(i, j).size() * x[j].size()).sum();
            let off = (product - b(i, column)).size();
            assert!(!off.is_nan(), "row {i} is no number");
            worst = worst.max(off / ((size + b(i, column).size()) * n as f64 * T::epsilon()));
        }
    }
    worst
}

fn all<T: Scalar>(flow: &mut Flow, shape: (usize, usize), count: usize, order: usize) -> Batch<T> {
    let batch = Batch::new(flow, shape, count, order);
    batch.fill_with(flow, |p, i, j| entry(p, i, j)).expect("memory");
    batch
}

fn cholesky<T: Scalar>() {
    for &(count, n) in SHAPES {
        for uplo in Uplo::ALL {
            let mut flow = flow(2);
            let spd = |p: usize, i, j| random_spd_entry::<T>(p as u64, n, i, j);
            let a = Batch::<T>::new(&mut flow, (n, n), count, n);
            let kept = |i: usize, j: usize| uplo.holds(i, j);
            a.fill_with(&mut flow, |p, i, j| if kept(i, j) { spd(p, i, j) } else { T::NAN })
                .expect("memory");
            let b = all::<T>(&mut flow, (n, 2), count, n);
            let infos = Infos::new(&mut flow, &a);
            batch::potrf(&mut flow, uplo, &a, &infos);
            batch::potrs(&mut flow, uplo, &a, &b);
            assert!(infos.read(&mut flow).expect("no task fails").iter().all(|&info| info == 0));
            for p in 0..count {
                let x = b.matrix(&mut flow, p).expect("no task fails");
                let worst = error(n, |i, j| spd(p, i, j), &x, |i, j| entry(p, i, j));
                assert!(worst < THRESHOLD, "{p} of {count}, order {n}, {uplo:?}: {worst}");
            }
        }
    }
}

#[test]
fn cholesky_solves_each() {
    cholesky::<f32>();
    cholesky::<f64>();
    cholesky::<c32>();
    cholesky::<c64>();
}

fn lu<T: Scalar>() {
    for &(count, n) in SHAPES {
        for trans in Trans::ALL {
            let mut flow = flow(2);
            let (a, b) = (all::<T>(&mut flow, (n, n), count, n), all(&mut flow, (n, 3), count, n));
            let (pivots, infos) = (BatchPivots::new(&mut flow, &a), Infos::new(&mut flow, &a));
            batch::getrf(&mut flow, &a, &pivots, &infos);
            batch::getrs(&mut flow, trans, &a, &pivots, &b);
            for p in 0..count {
                let x = b.matrix(&mut flow, p).expect("no task fails");
                let op = |i, j| match trans {
                    Trans::No => entry::<T>(p, i, j),
                    Trans::Yes => entry::<T>(p, j, i),
                    Trans::Conj => entry::<T>(p, j, i).conj(),
                };
                let worst = error(n, op, &x, |i, j| entry(p, i, j));
                assert!(worst < THRESHOLD, "{p} of {count}, order {n}, {trans:?}: {worst}");
            }
        }
    }
}

#[test]
fn lu_solves_each() {
    lu::<f32>();
    lu::<f64>();
    lu::<c32>();
    lu::<c64>();
}

#[test]
fn products_and_solves_undo_each_other() {
    let mut flow = flow(3);
    let (count, m, n) = (50, 6, 9);
    let how =
        Triangle { side: Side::Left, uplo: Uplo::Lower, trans: Trans::No, diag: Diag::NonUnit };
    let lower = |p, i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 2.0,
        std::cmp::Ordering::Greater => entry::<f64>(p, i, j),
    };
    let t = Batch::<f64>::new(&mut flow, (m, m), count, n);
    t.fill_with(&mut flow, lower).expect("memory");
    let (x, b) = (all::<f64>(&mut flow, (m, n), count, n), all::<f64>(&mut flow, (m, n), count, n));
    // B = T X + 0 B, then X = inv(T) B: what was there.
    batch::gemm(&mut flow, (Trans::No, Trans::No), 1.0, (&t, &x), 0.0, &b);
    batch::trsm(&mut flow, how, 1.0, &t, &b);
    for p in 0..count {
        let (found, given) = (b.matrix(&mut flow, p), x.matrix(&mut flow, p));
        let pairs = found.expect("no failure").into_iter().zip(given.expect("no failure"));
        for (found, given) in pairs {
            assert!((found - given).abs() < 1e-13, "{p}: {found} against {given}");
        }
    }
}

#[test]
fn a_bad_matrix_leaves_the_others_alone() {
    let mut flow = flow(2);
    let (count, n, bad) = (30, 4, 17);
    let identity = |p: usize, i: usize, j: usize| {
        if i == j && !(p == bad && i == 2) { 1.0 } else { 0.0 }
    };
    let (a, c) =
        (Batch::<f64>::new(&mut flow, (n, n), count, n), Batch::new(&mut flow, (n, n), count, n));
    a.fill_with(&mut flow, identity).expect("memory");
    c.fill_with(&mut flow, identity).expect("memory");
    let (of_a, of_c) = (Infos::new(&mut flow, &a), Infos::new(&mut flow, &c));
    let pivots = BatchPivots::new(&mut flow, &a);
    batch::getrf::<f64>(&mut flow, &a, &pivots, &of_a);
    batch::potrf::<f64>(&mut flow, Uplo::Lower, &c, &of_c);
    let expected: Vec<u32> = (0..count).map(|p| if p == bad { 3 } else { 0 }).collect();
    assert_eq!(of_a.read(&mut flow).expect("no task fails"), expected);
    assert_eq!(of_c.read(&mut flow).expect("no task fails"), expected);
    for batch in [a, c] {
        batch.unregister(&mut flow);
    }
    pivots.unregister(&mut flow);
    of_a.unregister(&mut flow);
    of_c.unregister(&mut flow);
}
