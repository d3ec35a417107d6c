//! Tests of sparse factorisations: against dense ones, a symbolic elimination by sets, and each
//! other on engines of all sizes.

use std::collections::BTreeSet;
use std::sync::Arc;

use tegula_kernels::scalar::{Scalar, c64};
use tegula_kernels::sparse::{SparseMatrix, norm2};
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::random::SplitMix64;
use tegula_runtime::sched::{WorkerId, policy};

use super::plan::Cut;
use super::tree::{NONE, Pattern, elimination_tree, postorder, row_counts};
use super::*;

fn draw(stream: &mut SplitMix64, most: usize) -> usize {
    ((stream.uniform() * most as f64) as usize).min(most.saturating_sub(1))
}

/// Kinds of patterns, each peculiar in its way.
const KINDS: usize = 6;

/// An `m x n` matrix at random, of one of these kinds; of full rank most of the time if `m >= n`.
fn matrix(seed: u64, kind: usize, m: usize, n: usize) -> SparseMatrix<f64> {
    let mut stream = SplitMix64::new(seed);
    let mut entries = Vec::new();
    let mut put = |stream: &mut SplitMix64, i: usize, j: usize| {
        entries.push((i as u32, j as u32, stream.uniform() - 0.5));
    };
    for i in 0..m.min(n) {
        put(&mut stream, i, i);
    }
    for _ in 0..2 * m {
        let (i, j) = (draw(&mut stream, m), draw(&mut stream, n));
        match kind {
            // Anything.
            0 => put(&mut stream, i, j),
            // A band.
            1 => put(&mut stream, i, (i + j % 4).min(n - 1)),
            // A dense row, a dense column.
            2 => {
                put(&mut stream, 0, j);
                put(&mut stream, i, n / 2);
            }
            // A tree that leans to one side: each column meets an earlier one.
            3 => {
                put(&mut stream, i, i % n);
                put(&mut stream, i, draw(&mut SplitMix64::new(i as u64), i % n + 1));
            }
            // Blocks that know nothing of each other.
            4 => put(&mut stream, i, (i % 5 + 5 * (j / 5)).min(n - 1)),
            // Two blocks with a common border.
            _ => put(&mut stream, i, if i % 3 == 0 { n - 1 - j % 3.min(n) } else { i % n / 2 }),
        }
    }
    SparseMatrix::from_entries(m, n, &entries)
}

fn sequential() -> Flow {
    Flow::new(Sequential::default(), FlowOptions::default())
}

fn factorised<T: Scalar>(a: &SparseMatrix<T>, ordering: Ordering, nb: usize) -> SparseR<T> {
    let analysis = Arc::new(Analysis::new(a, ordering));
    sparse_qr(&mut sequential(), &analysis, a, (&[], 0), nb).expect("a factorisation")
}

/// `A P` by columns, dense.
fn permuted<T: Scalar>(a: &SparseMatrix<T>, order: &[u32]) -> Vec<Vec<T>> {
    let column = |&j: &u32| {
        let mut dense = vec![T::ZERO; a.m()];
        a.column(j as usize).for_each(|(i, value)| dense[i] = value);
        dense
    };
    order.iter().map(column).collect()
}

/// `R` by columns, dense.
fn dense_r<T: Scalar>(r: &SparseR<T>) -> Vec<Vec<T>> {
    let n = r.analysis().n();
    let mut dense = vec![vec![T::ZERO; n]; n];
    for (i, j, value) in r.entries() {
        assert!(i <= j, "entry ({i}, {j}) of R below the diagonal");
        assert!(dense[j][i] == T::ZERO, "entry ({i}, {j}) is there twice");
        dense[j][i] = value;
    }
    dense
}

fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).map(|(x, &y)| x.conj() * y).sum()
}

/// `R' R` is the same as `P' A' A P`, but for rounding.
fn check_gram<T: Scalar>(a: &SparseMatrix<T>, r: &SparseR<T>) {
    let (columns, dense) = (permuted(a, r.analysis().column_order()), dense_r(r));
    let tolerance = 4.0 * (a.m() + a.n()) as f64 * T::epsilon() * a.frobenius_norm().powi(2)
        + f64::MIN_POSITIVE;
    for i in 0..a.n() {
        for j in 0..=i {
            let error = (dot(&dense[i], &dense[j]) - dot(&columns[i], &columns[j])).size();
            assert!(error <= tolerance, "({i}, {j}) of {} x {}: {error:e}", a.m(), a.n());
        }
    }
}

/// The factor of a dense matrix with more rows than columns by Gram and Schmidt, twice, with a
/// positive diagonal.
fn gram_schmidt(mut columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = columns.len();
    let mut r = vec![vec![0.0; n]; n];
    for j in 0..n {
        for _ in 0..2 {
            for i in 0..j {
                let (before, rest) = columns.split_at_mut(j);
                let factor = dot(&before[i], &rest[0]);
                r[j][i] += factor;
                rest[0].iter_mut().zip(&before[i]).for_each(|(x, q)| *x -= factor * q);
            }
        }
        r[j][j] = norm2(&columns[j]);
        let size = r[j][j];
        columns[j].iter_mut().for_each(|x| *x /= size);
    }
    r
}

#[test]
fn the_factor_has_the_gram_matrix_of_the_columns() {
    let shapes = [(1, 1), (5, 3), (3, 5), (40, 40), (70, 30), (30, 70), (150, 120)];
    for (m, n) in shapes {
        for kind in 0..KINDS {
            for ordering in [Ordering::Colamd, Ordering::Natural] {
                let a = matrix((kind * 31 + m) as u64, kind, m, n);
                for nb in [1, 7, 128] {
                    check_gram(&a, &factorised(&a, ordering, nb));
                }
            }
        }
    }
}

#[test]
fn the_factor_is_that_of_the_dense_matrix_but_for_signs() {
    for kind in 0..KINDS {
        let mut a = matrix(kind as u64, kind, 80, 50);
        // Well conditioned: the factor is then known to within rounding.
        let more = (0..50).map(|j| (j, j, 4.0));
        let entries: Vec<_> = (0..50)
            .flat_map(|j| {
                a.column(j).map(move |(i, x)| (i as u32, j as u32, x)).collect::<Vec<_>>()
            })
            .chain(more)
            .collect();
        a = SparseMatrix::from_entries(80, 50, &entries);
        let r = factorised(&a, Ordering::Colamd, 128);
        let expected = gram_schmidt(permuted(&a, r.analysis().column_order()));
        let dense = dense_r(&r);
        for (j, column) in dense.iter().enumerate() {
            for (i, &value) in column.iter().enumerate() {
                let signed = value * dense[i][i].signum();
                let error = (signed - expected[j][i]).abs();
                assert!(error < 1e-11, "kind {kind}, ({i}, {j}): {signed} not {}", expected[j][i]);
            }
        }
    }
}

#[test]
fn complex_matrices_are_factorised() {
    let mut stream = SplitMix64::new(3);
    let entries: Vec<(u32, u32, c64)> = (0..400)
        .map(|k| {
            let (i, j) =
                if k < 40 { (k, k) } else { (draw(&mut stream, 60), draw(&mut stream, 40)) };
            (i as u32, j as u32, c64::new(stream.uniform() - 0.5, stream.uniform() - 0.5))
        })
        .collect();
    let a = SparseMatrix::from_entries(60, 40, &entries);
    check_gram(&a, &factorised(&a, Ordering::Colamd, 128));
    let b: Vec<c64> = (0..60).map(|i| c64::new(i as f64, 1.0)).collect();
    let analysis = Arc::new(Analysis::new(&a, Ordering::Colamd));
    let solved = sparse_gels(&mut sequential(), &analysis, &a, (&b, 1), 128).expect("a solution");
    assert!(Residual::of(&a, &solved.x, &b).gradient < 1e-13);
}

/// Patterns of `R` by elimination with sets: rows of which one column is eliminated are joined.
fn eliminated(a: &SparseMatrix<f64>, order: &[u32]) -> Vec<BTreeSet<u32>> {
    let n = a.n();
    let mut places = vec![0; n];
    order.iter().enumerate().for_each(|(place, &j)| places[j as usize] = place as u32);
    let mut rows = vec![BTreeSet::new(); a.m()];
    for (j, &place) in places.iter().enumerate() {
        a.rows_of(j).iter().for_each(|&i| _ = rows[i as usize].insert(place));
    }
    let mut patterns = Vec::new();
    for j in 0..n as u32 {
        let (met, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.contains(&j));
        let mut joined: BTreeSet<u32> = met.into_iter().flatten().collect();
        joined.insert(j);
        patterns.push(joined.clone());
        joined.remove(&j);
        rows = others;
        rows.push(joined);
    }
    patterns
}

#[test]
fn tree_and_counts_are_those_of_an_elimination_by_sets() {
    for (m, n) in [(1, 1), (20, 12), (12, 20), (60, 45), (45, 60)] {
        for kind in 0..KINDS {
            let a = matrix((7 * kind + n) as u64, kind, m, n);
            let pattern = |order: &[u32]| Pattern {
                m,
                columns: order.iter().map(|&j| a.rows_of(j as usize)).collect(),
            };
            let natural: Vec<u32> = (0..n as u32).collect();
            let order = postorder(&elimination_tree(&pattern(&natural)), |_| 0);
            let parents = elimination_tree(&pattern(&order));
            let counts = row_counts(&pattern(&order), &parents);
            for (j, set) in eliminated(&a, &order).iter().enumerate() {
                let above = set.range(j as u32 + 1..).next().copied().unwrap_or(NONE);
                assert_eq!(parents[j], above, "parent of {j} of kind {kind}, {m} x {n}");
                assert_eq!(counts[j] as usize, set.len(), "row {j} of kind {kind}, {m} x {n}");
            }
        }
    }
}

#[test]
fn fronts_hold_the_pattern_of_the_factor() {
    for kind in 0..KINDS {
        let a = matrix(kind as u64, kind, 90, 70);
        for ordering in [Ordering::Colamd, Ordering::Natural] {
            let analysis = Analysis::new(&a, ordering);
            let patterns = eliminated(&a, analysis.column_order());
            for (number, front) in analysis.fronts.iter().enumerate() {
                let pivots = front.first..front.first + front.pivots;
                let others = analysis.others_of(number);
                let fits = |&j: &u32| pivots.contains(&(j as usize)) || others.contains(&j);
                for j in pivots.clone() {
                    assert!(patterns[j].iter().all(fits), "row {j}, kind {kind}");
                }
                assert!(analysis.heights_of(number).is_sorted());
                assert_eq!(front.pivots + others.len(), front.n);
            }
            let all = analysis.subtree_flops();
            let roots = analysis.fronts.iter().zip(&all).filter(|(front, _)| front.parent == NONE);
            let sum: f64 = roots.map(|(_, work)| work).sum();
            assert!((sum - analysis.flops()).abs() <= 1e-9 * sum);
        }
    }
}

#[test]
fn engines_of_all_sizes_give_the_same_bits() {
    // Large enough for fronts of several tiles beside groups.
    let n = 24_u32;
    let at = |i: u32, j: u32| i * n + j;
    let mut stream = SplitMix64::new(1);
    let mut entries = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        for (k, l) in [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)] {
            if k < n && l < n {
                entries.push((at(i, j), at(k, l), stream.uniform() + 0.5));
                entries.push((n * n + at(k, l) / 2, at(i, j), stream.uniform() - 0.5));
            }
        }
    }
    let a = SparseMatrix::from_entries((2 * n * n) as usize, (n * n) as usize, &entries);
    let b: Vec<f64> = (0..2 * a.m()).map(|i| (i as f64).sin()).collect();
    let analysis = Arc::new(Analysis::new(&a, Ordering::Colamd));
    let cut = Cut { columns: 16, small_front: 1e5, small_subtree: 1e4 };
    let plan = Plan::new(&analysis, &a, (&b, 2), cut);
    let in_groups: usize = plan.groups.iter().map(|group| group.fronts.len()).sum();
    assert!(in_groups > 3 && in_groups < analysis.fronts(), "{in_groups} of {}", analysis.fronts());
    let solve = |mut flow: Flow, bundles: Option<&Bundles>| {
        let jobs = bundles.map(|bundles| Jobs::new(&mut flow, &analysis, bundles).expect("made"));
        let plan = Plan::new(&analysis, &a, (&b, 2), cut);
        let r = factorise(&mut flow, plan, &jobs.unwrap_or_default()).expect("a factorisation");
        let entries: Vec<u64> = r.entries().map(|(_, _, value)| value.to_bits()).collect();
        (entries, [0, 1].map(|k| r.solve_along(k)))
    };
    let expected = solve(sequential(), None);
    let x = &expected.1;
    for k in 0..2 {
        let residual = Residual::of(&a, &x[k], &b[k * a.m()..(k + 1) * a.m()]);
        assert!(residual.gradient < 1e-13, "{residual:?}");
    }
    for workers in [1, 2, 3, 7] {
        let flow = Flow::new(Exec::with_workers(workers), FlowOptions::default());
        assert_eq!(solve(flow, None), expected, "{workers} workers");
        // The same in contexts of subtrees.
        let options = ExecOptions { contexts: true, ..ExecOptions::new(workers) };
        let flow = Flow::new(Exec::new(options), FlowOptions::default());
        let policy = policy("lws").expect("a listed policy");
        let workers: Vec<WorkerId> = (0..workers).map(WorkerId).collect();
        let bundles = Bundles { bundle: 2, policy, workers };
        assert_eq!(solve(flow, Some(&bundles)), expected, "{bundles:?}");
    }
}

#[test]
fn least_squares_solutions_have_no_gradient() {
    for kind in 0..KINDS {
        for (m, n) in [(60, 60), (90, 60), (200, 60)] {
            let mut a = matrix(40 + kind as u64, kind, m, n);
            let more: Vec<(u32, u32, f64)> = (0..n)
                .flat_map(|j| {
                    a.column(j).map(move |(i, x)| (i as u32, j as u32, x)).collect::<Vec<_>>()
                })
                .chain((0..n as u32).map(|j| (j, j, 3.0)))
                .collect();
            a = SparseMatrix::from_entries(m, n, &more);
            let b: Vec<f64> = (0..m).map(|i| (1.0 + i as f64).ln()).collect();
            let analysis = Arc::new(Analysis::new(&a, Ordering::Colamd));
            let solved =
                sparse_gels(&mut sequential(), &analysis, &a, (&b, 1), 128).expect("a solution");
            let residual = Residual::of(&a, &solved.x, &b);
            let is_exact = residual.backward_error < 1e-14;
            assert!(is_exact || residual.gradient < 1e-13, "kind {kind}, {m} x {n}: {residual:?}");
        }
    }
}

#[test]
fn solutions_of_least_norm_are_rows_of_the_matrix() {
    for kind in 0..KINDS {
        let tall = matrix(90 + kind as u64, kind, 80, 30);
        let entries: Vec<(u32, u32, f64)> = (0..30)
            .flat_map(|j| {
                tall.column(j).map(move |(i, x)| (j as u32, i as u32, x)).collect::<Vec<_>>()
            })
            .chain((0..30).map(|j| (j, j, 3.0)))
            .collect();
        let a = SparseMatrix::from_entries(30, 80, &entries);
        let b: Vec<f64> = (0..30).map(|i| (i as f64).cos()).collect();
        let analysis = Arc::new(Analysis::new(&a.adjoint(), Ordering::Colamd));
        let x = sparse_gels(&mut sequential(), &analysis, &a, (&b, 1), 128).expect("a solution").x;
        assert!(Residual::of(&a, &x, &b).backward_error < 1e-15);
        // What is orthogonal to all rows is orthogonal to it: x = A' y.
        let adjoint = a.adjoint();
        let analysis = Arc::new(Analysis::new(&adjoint, Ordering::Natural));
        let y = sparse_gels(&mut sequential(), &analysis, &adjoint, (&x, 1), 128).expect("rows").x;
        assert!(Residual::of(&adjoint, &y, &x).backward_error < 1e-14);
    }
}

#[test]
fn lower_rank_is_told_and_gives_no_nan() {
    // An empty column, a column twice, rows that are all the same.
    let empty = [(0, 0, 1.0), (1, 2, 2.0), (2, 0, 3.0)];
    let twice: Vec<(u32, u32, f64)> =
        (0..6).flat_map(|i| [(i, 0, 1.0 + f64::from(i)), (i, 1, 1.0 + f64::from(i))]).collect();
    let same: Vec<(u32, u32, f64)> = (0..9).map(|k| (k / 3, k % 3, 1.0)).collect();
    for (m, n, entries, rank) in
        [(3, 3, empty.to_vec(), 2), (6, 2, twice, 1), (3, 3, same, 1), (4, 2, Vec::new(), 0)]
    {
        let a = SparseMatrix::from_entries(m, n, &entries);
        let r = factorised(&a, Ordering::Colamd, 128);
        check_gram(&a, &r);
        let findings = r.rank(rank_tolerance(&a));
        assert_eq!(findings.rank, rank, "{findings:?}");
        assert!(findings.smallest <= findings.tolerance && findings.first_dependent.is_some());
        assert!(r.entries().all(|(_, _, value)| value.is_finite()));
        let analysis = Arc::new(Analysis::new(&a, Ordering::Colamd));
        let b = vec![1.0; m];
        let failed = sparse_gels(&mut sequential(), &analysis, &a, (&b, 1), 128);
        assert!(matches!(failed, Err(SparseGelsError::RankDeficient { .. })));
    }
}

#[test]
fn sizes_of_zero_are_allowed() {
    for (m, n) in [(0, 0), (3, 0), (0, 3)] {
        let a = SparseMatrix::<f64>::from_entries(m, n, &[]);
        let r = factorised(&a, Ordering::Colamd, 128);
        assert_eq!(r.rank(0.0).rank, 0);
        assert_eq!(r.entries().filter(|(_, _, value)| *value != 0.0).count(), 0);
    }
}

#[test]
fn numbers_at_the_ends_of_the_range_do_no_harm() {
    for scale in [1e-300, 1e-160, 1e160, 1e300] {
        let entries: Vec<(u32, u32, f64)> = (0..60)
            .map(|k| (k / 3, (k / 3 + 7 * (k % 3)) % 12, scale * (1.0 + f64::from(k % 5))))
            .collect();
        let a = SparseMatrix::from_entries(20, 12, &entries);
        let r = factorised(&a, Ordering::Natural, 128);
        let dense = dense_r(&r);
        for (j, column) in permuted(&a, r.analysis().column_order()).iter().enumerate() {
            let (found, expected) = (norm2(&dense[j]), norm2(column));
            assert!((found / expected - 1.0).abs() < 1e-13, "{scale:e}: {found:e} {expected:e}");
        }
    }
}
