//! All pretreatments between all kinds of metrics, special cases, and what is no metric.

use std::sync::Arc;

use faer::Mat;
use tegula_diodon::coa::Correspondence;
use tegula_diodon::diagram::Diagram;
use tegula_diodon::metric::Metric;
use tegula_diodon::pca::Pretreatment;
use tegula_diodon::singular::{METHODS, Method, leading};
use tegula_diodon::table::Table;
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};

use super::support::{
    PRETREATMENTS, analyse, assert_components, metrics, options, pretreated, random, request,
    stored,
};

#[test]
fn components_are_those_of_the_dense_diagram() {
    for (m, n) in [(45, 8), (7, 37), (20, 20)] {
        let x = random(m, n, 41);
        let (rows, columns) = (metrics(m, 42), metrics(n, 43));
        for (at, pretreatment) in PRETREATMENTS.iter().cycle().take(9 * 6).enumerate() {
            let (d, q) = (&rows[at / 6 / 3], &columns[at / 6 % 3]);
            let p = pretreated(&x, (&d.matrix, &q.matrix), *pretreatment);
            for listed in METHODS {
                let pair = [d.metric.clone(), q.metric.clone()];
                let found = analyse(&x, (*pretreatment, pair), (listed.method, 3));
                let what =
                    format!("{m} x {n}, metrics {}, {pretreatment:?}, {}", at / 6, listed.name);
                let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(found.values.len(), 3, "{what}");
                assert_components(&found, &p, (&d.matrix, &q.matrix), &what);
            }
        }
    }
}

#[test]
fn a_metric_that_is_the_identity_changes_nothing() {
    let (m, n) = (30, 9);
    let x = random(m, n, 44);
    let ways = |n: usize| {
        let identity = stored("I", &Mat::identity(n, n));
        [Metric::diagonal(vec![1.0; n]), Metric::full(identity).expect("a metric")]
    };
    for pretreatment in PRETREATMENTS {
        for listed in METHODS {
            let how = (listed.method, 4);
            let plain = analyse(&x, (pretreatment, Default::default()), how).expect("a table");
            for (d, q) in ways(m).into_iter().zip(ways(n)) {
                let found = analyse(&x, (pretreatment, [d, q]), how).expect("a table");
                let pairs = [
                    (&plain.values, &found.values),
                    (&plain.left, &found.left),
                    (&plain.right, &found.right),
                    (&plain.norms2, &found.norms2),
                ];
                for (expected, value) in pairs.into_iter().flat_map(|(a, b)| a.iter().zip(b)) {
                    let limit = 1e-6 * plain.values[0].max(1.0);
                    assert!(
                        (expected - value).abs() < limit,
                        "{pretreatment:?}: {expected} {value}"
                    );
                }
            }
        }
    }
}

#[test]
fn correspondence_analysis_is_that_of_profiles_with_their_masses() {
    let (m, n) = (12, 7);
    let counts = Mat::from_fn(m, n, |i, j| ((i * 5 + j * 7 + i * j) % 11) as f64 + 1.0);
    let total: f64 = (0..n).map(|j| counts.col(j).iter().sum::<f64>()).sum();
    let r: Vec<f64> = (0..m).map(|i| counts.row(i).iter().sum::<f64>() / total).collect();
    let c: Vec<f64> = (0..n).map(|j| counts.col(j).iter().sum::<f64>() / total).collect();
    let profiles = Mat::from_fn(m, n, |i, j| counts[(i, j)] / (total * r[i]));
    let q = Metric::diagonal(c.iter().map(|c| c.recip()).collect());
    let metrics = [Metric::diagonal(r.clone()), q];
    let how = (Pretreatment::ColumnCentering, metrics);
    let found = analyse(&profiles, how, (Method::Exact, 3)).expect("a table");

    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    let source = stored("N", &counts);
    let mut table = Table::new(&mut flow, &source, Box::new(Correspondence), options(16));
    let wanted = request(Method::Exact, 3, [m, n]);
    let expected = leading::<f64>(&mut flow, &mut table, &wanted).expect("counts");
    table.close(&mut flow);
    assert!((found.inertia / expected.inertia - 1.0).abs() < 1e-12);
    for axis in 0..3 {
        assert!((found.values[axis] / expected.values[axis] - 1.0).abs() < 1e-10);
        // A = Q^-1/2 V and F = D^-1/2 U S; the sign is that of V.
        for (j, c) in c.iter().enumerate() {
            let (a, v) = (found.right[axis * n + j], expected.right[axis * n + j]);
            assert!((a - v * c.sqrt()).abs() < 1e-9, "axis {axis}, column {j}: {a} {v}");
        }
        for (i, r) in r.iter().enumerate() {
            let (f, u) = (found.left[axis * m + i], expected.left[axis * m + i]);
            assert!((f - u / r.sqrt()).abs() < 1e-9, "axis {axis}, row {i}: {f} {u}");
        }
    }
    for (norm2, (expected, r)) in found.norms2.iter().zip(expected.norms2.iter().zip(&r)) {
        assert!((norm2 - expected / r).abs() < 1e-12, "{norm2} {expected}");
    }
}

#[test]
fn weights_of_rows_are_repetitions_of_rows() {
    let x = random(9, 4, 45);
    let counts = [1, 3, 2, 1, 1, 4, 2, 1, 3];
    let repeated: Vec<usize> =
        counts.iter().enumerate().flat_map(|(i, &count)| vec![i; count]).collect();
    let long = Mat::from_fn(repeated.len(), 4, |i, j| x[(repeated[i], j)]);
    for pretreatment in PRETREATMENTS {
        let weights = Metric::diagonal(counts.iter().map(|&count| count as f64).collect());
        let metrics = [weights, Metric::Identity];
        let found = analyse(&x, (pretreatment, metrics), (Method::Exact, 2)).expect("a table");
        let expected = analyse(&long, (pretreatment, Default::default()), (Method::Exact, 2))
            .expect("a table");
        for axis in 0..2 {
            let (value, exact) = (found.values[axis], expected.values[axis]);
            assert!((value / exact - 1.0).abs() < 1e-10, "{pretreatment:?}: {value} {exact}");
            for (place, &i) in repeated.iter().enumerate() {
                let other = expected.left[axis * repeated.len() + place];
                assert!((found.left[axis * 9 + i] - other).abs() < 1e-9, "{pretreatment:?}");
            }
        }
    }
}

#[test]
fn constant_columns_have_no_weight_in_any_metric() {
    let mut x = random(25, 5, 46);
    (0..25).for_each(|i| x[(i, 3)] = 0.1);
    for d in metrics(25, 47) {
        let metrics = [d.metric, Metric::Identity];
        let found = analyse(&x, (Pretreatment::Standard, metrics), (Method::Krylov, 5));
        let found = found.expect("a table");
        assert_eq!(found.values.len(), 4);
        assert!((found.inertia - 4.0).abs() < 1e-10, "{}", found.inertia);
        assert!((0..4).all(|axis| found.right[axis * 5 + 3].abs() < 1e-12));
    }
}

#[test]
fn what_is_no_metric_is_refused_with_its_place() {
    let mut matrix = random(30, 30, 48);
    matrix = &matrix * matrix.transpose() + Mat::<f64>::identity(30, 30);
    let symmetric = Mat::from_fn(30, 30, |i, j| matrix[(i.max(j), i.min(j))]);
    let mut indefinite = symmetric.clone();
    // The Schur complement of the first 20 rows is positive and below the entry.
    indefinite[(20, 20)] = 0.0;
    let metric = Metric::full(stored("Q.npy", &indefinite)).expect("it is symmetric");
    let x = random(10, 30, 49);
    let error = analyse(&x, (Pretreatment::None, [Metric::Identity, metric]), (Method::Exact, 2));
    let text = error.expect_err("not positive definite").to_string();
    assert!(
        text.starts_with("Q.npy: not positive definite: the leading minor of order 21"),
        "{text}"
    );
    assert!(text.contains("row21 [21]"), "{text}");
    let mut skew = symmetric.clone();
    skew[(4, 17)] += 1e-3;
    let text = Metric::full(stored("Q.npy", &skew)).expect_err("not symmetric").to_string();
    assert!(text.contains("(row5 [5], column18 [18])"), "{text}");
    let mut rounded = symmetric.clone();
    rounded[(4, 17)] += 1e-12;
    let metric = Metric::full(stored("Q.npy", &rounded)).expect("symmetric but for rounding");
    assert!((metric.asymmetry() / 1e-12 - 1.0).abs() < 0.01, "{}", metric.asymmetry());
    let mut gap = symmetric;
    gap[(2, 1)] = f64::NAN;
    let text = Metric::full(stored("Q.npy", &gap)).expect_err("no number").to_string();
    assert!(text.contains("entry (row3 [3], column2 [2]) is NaN"), "{text}");
    let text = Metric::full(stored("Q.npy", &x)).expect_err("not square").to_string();
    assert!(text.contains("10 x 30"), "{text}");
}

#[test]
fn a_diagram_reads_no_more_than_a_table_where_metrics_are_weights() {
    let x = random(60, 10, 50);
    let source = stored("X", &x);
    let mut passes = Vec::new();
    for at in 0..3 {
        let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
        let [rows, columns] =
            [metrics(60, 51), metrics(10, 52)].map(|known| known[at].metric.clone());
        let how = (Pretreatment::Standard, [rows, columns]);
        let mut diagram =
            Diagram::new(&mut flow, &Arc::clone(&source), how, options(16)).expect("metrics");
        let mut wanted = request(Method::Krylov, 2, [60, 10]);
        wanted.width = 10;
        leading::<f64>(&mut flow, &mut diagram, &wanted).expect("a table");
        passes.push(tegula_diodon::singular::Operator::table(&diagram).passes());
        diagram.close(&mut flow);
    }
    // The whole space at once; a full metric of rows wants norms of columns, and of rows, from
    // passes of their own.
    assert_eq!(passes, [4, 4, 6]);
}
