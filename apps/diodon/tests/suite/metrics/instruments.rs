//! Projections on instruments, and what they leave, against projectors that are formed.

use faer::Mat;
use faer::prelude::Solve;
use tegula_diodon::EmbedError;
use tegula_diodon::diagram::Diagram;
use tegula_diodon::instruments::{Explained, Instruments, constrained, residual};
use tegula_diodon::metric::Metric;
use tegula_diodon::pca::Pretreatment;
use tegula_diodon::singular::{METHODS, Method, Triples};
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};

use super::support::{
    PRETREATMENTS, assert_components, centring, metrics, options, pretreated, random, request,
    stored,
};

/// The columns of `b` as instruments `b1`, `b2` ...
pub(crate) fn instruments(b: &Mat<f64>) -> Instruments {
    let ids = (1..=b.ncols()).map(|j| format!("b{j}")).collect();
    let m = b.nrows();
    Instruments { ids, values: (0..m * b.ncols()).map(|at| b[(at % m, at / m)]).collect() }
}

/// Components on the instruments, or without them if a method is given.
pub(crate) fn analyse(
    x: &Mat<f64>,
    (pretreatment, metrics): (Pretreatment, [Metric; 2]),
    (b, axes, method): (&Mat<f64>, usize, Option<Method>),
) -> Result<(Triples, Explained), EmbedError> {
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    let source = stored("X", x);
    let mut diagram = Diagram::new(&mut flow, &source, (pretreatment, metrics), options(16))?;
    let variables = instruments(b);
    let (triples, explained) = match method {
        None => constrained(&mut flow, &mut diagram, (&variables, axes))?,
        Some(method) => {
            let request = request(method, axes, source.shape());
            residual::<f64>(&mut flow, &mut diagram, (&variables, &request))?
        }
    };
    let found = diagram.components(&mut flow, triples)?;
    diagram.close(&mut flow);
    Ok((found, explained))
}

/// The projector on the centred columns of `b`, orthogonal with respect to `d`.
fn projector(b: &Mat<f64>, d: &Mat<f64>) -> Mat<f64> {
    let b = centring(d) * b;
    let gram = b.transpose() * d * &b;
    let inverse = gram.partial_piv_lu().solve(b.transpose() * d);
    b * inverse
}

#[test]
fn axes_are_those_of_the_table_that_is_projected() {
    for (m, n) in [(50, 9), (11, 40)] {
        let (x, b) = (random(m, n, 61), random(m, 3, 62));
        let (rows, columns) = (metrics(m, 63), metrics(n, 64));
        for (at, pretreatment) in PRETREATMENTS.iter().cycle().take(18).enumerate() {
            let (d, q) = (&rows[at / 6], &columns[(at / 6 + at) % 3]);
            let p = pretreated(&x, (&d.matrix, &q.matrix), *pretreatment);
            let on = projector(&b, &d.matrix) * &p;
            let pair = || [d.metric.clone(), q.metric.clone()];
            let what = format!("{m} x {n}, {at}, {pretreatment:?}");
            let found = analyse(&x, (*pretreatment, pair()), (&b, 3, None));
            let (found, explained) = found.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(found.values.len(), 3, "{what}");
            assert_components(&found, &on, (&d.matrix, &q.matrix), &what);
            assert!((explained.constrained / found.inertia - 1.0).abs() < 1e-12, "{what}");
            for listed in METHODS {
                let what = format!("{what}, {}, residual", listed.name);
                let how = (&b, 3, Some(listed.method));
                let (found, rest) = analyse(&x, (*pretreatment, pair()), how).expect("a table");
                assert!(found.has_converged, "{what}");
                assert_components(&found, &(&p - &on), (&d.matrix, &q.matrix), &what);
                assert!((rest.share() - explained.share()).abs() < 1e-10, "{what}");
                assert!((rest.total / explained.total - 1.0).abs() < 1e-10, "{what}");
            }
        }
    }
}

#[test]
fn instruments_that_add_nothing_are_left_out_and_named() {
    let (x, b) = (random(40, 6, 65), random(40, 2, 66));
    let columns =
        |i: usize| [7.5, b[(i, 0)], 3.0 * b[(i, 0)] - 2.0, b[(i, 1)], b[(i, 0)] + b[(i, 1)]];
    let more = Mat::from_fn(40, 5, |i, j| columns(i)[j]);
    let how = || (Pretreatment::Standard, <[Metric; 2]>::default());
    let (few, of_few) = analyse(&x, how(), (&b, 5, None)).expect("a table");
    let (many, of_many) = analyse(&x, how(), (&more, 5, None)).expect("a table");
    assert_eq!(of_many.dropped, [0, 2, 4]);
    assert_eq!((few.values.len(), many.values.len()), (2, 2));
    assert!((of_few.share() - of_many.share()).abs() < 1e-12);
    let along = of_many.axes.expect("their axes");
    assert_eq!(along.coefficients[..5].iter().filter(|x| x.is_none()).count(), 3);
    assert_eq!(along.correlations[0].to_bits(), 0.0_f64.to_bits());
    // One that follows from another is correlated with the axes as that one is.
    assert!((along.correlations[1] - along.correlations[2]).abs() < 1e-12);
    let constant = Mat::from_fn(40, 2, |_, j| j as f64 + 0.1);
    let error = analyse(&x, how(), (&constant, 2, None)).expect_err("nothing varies");
    assert!(error.to_string().contains("no instrument varies"), "{error}");
}

#[test]
fn coefficients_give_the_coordinates() {
    let (x, b) = (random(30, 7, 67), random(30, 3, 68));
    for d in metrics(30, 69) {
        let metrics = [d.metric.clone(), Metric::Identity];
        let how = (Pretreatment::ColumnCentering, metrics);
        let (found, explained) = analyse(&x, how, (&b, 3, None)).expect("a table");
        let along = explained.axes.expect("their axes");
        let centred = centring(&d.matrix) * &b;
        for axis in 0..3 {
            for i in 0..30 {
                let of = |j: usize| along.coefficients[axis * 3 + j].expect("it is kept");
                let sum: f64 = (0..3).map(|j| centred[(i, j)] * of(j)).sum();
                let coordinate = found.left[axis * 30 + i];
                assert!((sum - coordinate).abs() < 1e-9, "{sum} {coordinate}");
            }
            // Coordinates are projections of the items where their own entries put them.
            let place = |i: usize| (found.left[axis * 30 + i], along.sites[axis * 30 + i]);
            let pairs = (0..900).map(|at| (at % 30, at / 30));
            let product: f64 = pairs.map(|(i, j)| place(i).0 * d.matrix[(i, j)] * place(j).1).sum();
            assert!((product / found.values[axis] - 1.0).abs() < 1e-9, "axis {axis}: {product}");
            let correlations = &along.correlations[axis * 3..][..3];
            assert!(correlations.iter().all(|x| x.abs() <= 1.0 + 1e-12), "{correlations:?}");
        }
    }
}
