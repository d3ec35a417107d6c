//! Solves by factors in 32 bits: as exact as in 64, on matrices of every condition.

use std::sync::Arc;

use tegula_kernels::scalar::{Scalar, c64};
use tegula_linalg::residual::THRESHOLD;
use tegula_linalg::{Refinement, gesv_mixed, posv_mixed};
use tegula_runtime::flow::{Flow, FlowError, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sim::Census;
use tegula_tests::flow;
use tegula_tiles::{Order, Storage, TileMatrix, random_entry, random_spd_entry};

/// Largest `|b - A x| / (|A| |x| n eps)` of a column, in the infinity norm.
fn backward_error<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    entry: &dyn Fn(usize, usize) -> T,
    x: &TileMatrix<T>,
    b: &dyn Fn(usize, usize) -> T,
) -> f64 {
    let (n, columns) = (x.m(), x.n());
    let mut found = vec![T::ZERO; n * columns];
    x.gather(flow, &mut found, Order::ColumnMajor { ld: n.max(1) }).expect("the solve went well");
    let mut worst = 0.0;
    for column in 0..columns {
        let x = &found[column * n..][..n];
        let (mut norm, mut error) = (0.0f64, 0.0f64);
        for i in 0..n {
            let product: T = (0..n).map(|j| entry(i, j) * x[j]).sum();
            error = error.max((b(i, column) - product).size());
            norm = norm.max((0..n).map(|j| entry(i, j).size()).sum());
        }
        let length = x.iter().fold(0.0f64, |most, z| most.max(z.size()));
        let error = error / (norm * length * n as f64 * f64::EPSILON).max(f64::MIN_POSITIVE);
        assert!(!error.is_nan(), "a solution of {n} unknowns is no number");
        worst = f64::max(worst, error);
    }
    worst
}

/// A solve.
type Solve<T> =
    fn(&mut Flow, &TileMatrix<T>, &TileMatrix<T>, &TileMatrix<T>) -> Result<Refinement, FlowError>;

/// Solves, and sees to it that a solve without kernels that decides the same has the same tasks.
fn solved<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    [a, b, x]: [&TileMatrix<T>; 3],
    solve: Solve<T>,
) -> Refinement {
    let before = flow.watch().completed();
    flow.note_decisions();
    let found = solve(flow, a, b, x).expect("no task fails");
    let (decisions, tasks) = (flow.take_decisions(), flow.watch().completed() - before);
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
    let census = census.acting_for(flow.workers(), flow.is_flat());
    let mut counting = Flow::new(census, FlowOptions::default());
    let like = |flow: &mut Flow, matrix: &TileMatrix<T>| {
        let (shape, tile) = ((matrix.m(), matrix.n()), (matrix.mb(), matrix.nb()));
        TileMatrix::<T>::new(flow, shape, tile, matrix.storage())
    };
    let [a, b, x] = [a, b, x].map(|matrix| like(&mut counting, matrix));
    counting.follow(decisions.clone());
    solve(&mut counting, &a, &b, &x).expect("nothing runs");
    assert!(counting.end_following(), "{decisions} are not all taken");
    if !matches!(found, Refinement::Singular(_)) {
        assert_eq!(contents.lock().expect("it goes on").tasks, tasks, "{decisions}");
    }
    found
}

/// Solves with a positive definite matrix.
fn positive<T: Scalar<Real = f64>>(
    entry: &dyn Fn(usize, usize) -> T,
    (n, nb, columns): (usize, usize, usize),
) -> Refinement {
    let mut flow = flow(2);
    let a = TileMatrix::<T>::lower(&mut flow, n, nb);
    let b = TileMatrix::<T>::new(&mut flow, (n, columns), (nb, 3), Storage::Full);
    let x = TileMatrix::<T>::new(&mut flow, (n, columns), (nb, 3), Storage::Full);
    let right = |i, j| random_entry::<T>(7, i, j);
    a.fill_with(&mut flow, entry).expect("memory");
    b.fill_with(&mut flow, right).expect("memory");
    let found = solved(&mut flow, [&a, &b, &x], posv_mixed);
    if !matches!(found, Refinement::Singular(_)) {
        let error = backward_error(&mut flow, entry, &x, &right);
        assert!(error < THRESHOLD, "order {n} in {nb}, {found:?}: {error}");
    }
    found
}

/// Solves with a matrix in columns of blocks.
fn general<T: Scalar<Real = f64>>(
    entry: &dyn Fn(usize, usize) -> T,
    (n, nb, columns): (usize, usize, usize),
) -> Refinement {
    let mut flow = flow(2);
    let tall = n.max(1);
    let a = TileMatrix::<T>::new(&mut flow, (n, n), (tall, nb), Storage::Full);
    let b = TileMatrix::<T>::new(&mut flow, (n, columns), (tall, 3), Storage::Full);
    let x = TileMatrix::<T>::new(&mut flow, (n, columns), (tall, 3), Storage::Full);
    let right = |i, j| random_entry::<T>(7, i, j);
    a.fill_with(&mut flow, entry).expect("memory");
    b.fill_with(&mut flow, right).expect("memory");
    let found = solved(&mut flow, [&a, &b, &x], gesv_mixed);
    if !matches!(found, Refinement::Singular(_)) {
        let error = backward_error(&mut flow, entry, &x, &right);
        assert!(error < THRESHOLD, "order {n} in {nb}, {found:?}: {error}");
    }
    found
}

fn well_conditioned<T: Scalar<Real = f64>>() {
    for (n, nb, columns) in [(0, 4, 2), (1, 4, 1), (5, 4, 0), (37, 8, 4), (64, 16, 7)] {
        let spd = |i, j| random_spd_entry::<T>(3, n, i, j);
        let found = positive(&spd, (n, nb, columns));
        assert!(matches!(found, Refinement::Refined(_)), "order {n}: {found:?}");
        let dominant = |i, j| {
            let weight = if i == j { n as f64 } else { 0.0 };
            random_entry::<T>(4, i, j) + T::from_f64(weight)
        };
        let found = general(&dominant, (n, nb, columns));
        assert!(matches!(found, Refinement::Refined(_)), "order {n}: {found:?}");
    }
}

#[test]
fn a_few_steps_are_enough_for_a_good_matrix() {
    well_conditioned::<f64>();
    well_conditioned::<c64>();
}

/// `I - 2 v v^H` from both sides of a diagonal matrix of condition `10^digits`.
fn conditioned(n: usize, digits: f64) -> impl Fn(usize, usize) -> f64 {
    let v: Vec<f64> = (0..n).map(|i| random_entry::<f64>(11, i, 0)).collect();
    let square: f64 = v.iter().map(|x| x * x).sum();
    let d: Vec<f64> = (0..n).map(|i| 10f64.powf(-digits * i as f64 / (n as f64 - 1.0))).collect();
    let weighted: f64 = v.iter().zip(&d).map(|(x, d)| x * x * d).sum();
    move |i, j| {
        let same = if i == j { d[i] } else { 0.0 };
        let outer = v[i] * v[j] / square;
        same - 2.0 * outer * (d[i] + d[j]) + 4.0 * outer * weighted / square
    }
}

#[test]
fn gmres_takes_over_and_then_a_factorisation() {
    let n = 48;
    for digits in [2.0, 6.0, 8.0, 10.0, 13.0] {
        let entry = conditioned(n, digits);
        let (one, other) = (general(&entry, (n, 16, 2)), positive(&entry, (n, 16, 2)));
        match digits {
            2.0 => assert!(
                matches!((one, other), (Refinement::Refined(_), Refinement::Refined(_))),
                "{one:?}, {other:?}"
            ),
            10.0 => assert!(!matches!(one, Refinement::Refined(_)), "{one:?}, {other:?}"),
            _ => {}
        }
    }
}

#[test]
fn what_single_precision_cannot_hold_is_factorised_in_double() {
    let n = 20;
    for scale in [1e60, 1e-60] {
        let entry = |i, j| scale * random_spd_entry::<f64>(3, n, i, j);
        assert_eq!(positive(&entry, (n, 8, 2)), Refinement::Factorised, "{scale}");
        assert_eq!(general(&entry, (n, 8, 2)), Refinement::Factorised, "{scale}");
    }
}

#[test]
fn a_matrix_without_factors_is_named() {
    use tegula_kernels::error::NumericalError;
    let n = 12;
    let entry = |i: usize, j: usize| f64::from(u8::from(i == j && i != 6));
    let found = general(&entry, (n, 5, 1));
    assert_eq!(found, Refinement::Singular(NumericalError::Singular { index: 7 }));
    let entry = |i: usize, j: usize| if i == j { if i == 6 { -1.0 } else { 1.0 } } else { 0.0 };
    let found = positive(&entry, (n, 5, 1));
    assert_eq!(found, Refinement::Singular(NumericalError::NotPositiveDefinite { order: 7 }));
}
