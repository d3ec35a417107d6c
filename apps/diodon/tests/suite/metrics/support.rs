//! Tables, metrics, and what the definitions make of them: with the symmetric roots `D^1/2` and
//! `Q^1/2`, which nothing in the crate takes.

use std::sync::Arc;

use faer::{Mat, Side};
use tegula_diodon::EmbedError;
use tegula_diodon::diagram::Diagram;
use tegula_diodon::metric::Metric;
use tegula_diodon::pca::Pretreatment;
use tegula_diodon::singular::{Method, Request, Triples, block_width, leading};
use tegula_diodon::stream::Overlap;
use tegula_diodon::table::TableOptions;
use tegula_files::source::{MemorySource, Source};
use tegula_kernels::element::Element;
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::random::SplitMix64;

/// Normal numbers around `j mod 4` in column `j`.
pub(crate) fn random(m: usize, n: usize, seed: u64) -> Mat<f64> {
    let mut stream = SplitMix64::new(seed);
    let entries: Vec<f64> = (0..m * n).map(|at| stream.normal() + (at % n % 4) as f64).collect();
    Mat::from_fn(m, n, |i, j| entries[i * n + j] / ((j + 1) as f64).sqrt())
}

/// A matrix as a file of double precision numbers would give it.
pub(crate) fn stored(name: &str, x: &Mat<f64>) -> Arc<dyn Source> {
    let shape = [x.nrows(), x.ncols()];
    let entries: Vec<f64> =
        (0..shape[0] * shape[1]).map(|at| x[(at / shape[1], at % shape[1])]).collect();
    let mut bytes = vec![0; entries.len() * 8];
    Element::F64.narrow(&entries, &mut bytes);
    let names = |what: &str, count| Some((1..=count).map(|at| format!("{what}{at}")).collect());
    let names = [names("row", shape[0]), names("column", shape[1])];
    Arc::new(MemorySource::new(name, shape, (Element::F64, bytes), names))
}

/// A metric with the matrix that it is.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) metric: Metric,
    pub(crate) matrix: Mat<f64>,
}

/// None, weights between 1/2 and 2, or `G G' / k + I / 2`.
pub(crate) fn metrics(n: usize, seed: u64) -> [Known; 3] {
    let mut stream = SplitMix64::new(seed);
    let weights: Vec<f64> = (0..n).map(|_| 0.5 + 1.5 * stream.uniform()).collect();
    let diagonal = Mat::from_fn(n, n, |i, j| if i == j { weights[i] } else { 0.0 });
    let g = random(n, n + 3, seed + 1);
    let product = &g * g.transpose();
    let full = Mat::from_fn(n, n, |i, j| {
        product[(i.max(j), i.min(j))] / (n + 3) as f64 + if i == j { 0.5 } else { 0.0 }
    });
    let metric = Metric::full(stored("M", &full)).expect("a symmetric matrix");
    [
        Known { metric: Metric::Identity, matrix: Mat::identity(n, n) },
        Known { metric: Metric::diagonal(weights), matrix: diagonal },
        Known { metric, matrix: full },
    ]
}

/// What is asked for.
pub(crate) fn request(method: Method, axes: usize, shape: [usize; 2]) -> Request {
    let width = block_width(axes, shape);
    Request { axes, method, width, passes: None, tolerance: 1e-11, capacity: 40 * width, seed: 7 }
}

/// Tiles of `edge` lines, a few at a time.
pub(crate) fn options(edge: usize) -> TableOptions {
    TableOptions { edge, memory: 1 << 13, overlap: Overlap::default() }
}

/// Components by `method`, in tiles of 16 lines.
pub(crate) fn analyse(
    x: &Mat<f64>,
    (pretreatment, metrics): (Pretreatment, [Metric; 2]),
    (method, axes): (Method, usize),
) -> Result<Triples, EmbedError> {
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    let source = stored("X", x);
    let mut diagram = Diagram::new(&mut flow, &source, (pretreatment, metrics), options(16))?;
    let request = request(method, axes, source.shape());
    let triples = leading::<f64>(&mut flow, &mut diagram, &request)?;
    assert!(triples.has_converged);
    let found = diagram.components(&mut flow, triples)?;
    diagram.close(&mut flow);
    Ok(found)
}

/// Every pretreatment.
pub(crate) const PRETREATMENTS: [Pretreatment; 6] = [
    Pretreatment::None,
    Pretreatment::ColumnCentering,
    Pretreatment::RowCentering,
    Pretreatment::Bicentering,
    Pretreatment::Standard,
    Pretreatment::Scaling,
];

/// `I - 1 (1'M 1)^-1 1'M`.
pub(crate) fn centring(metric: &Mat<f64>) -> Mat<f64> {
    let n = metric.nrows();
    let ones = Mat::from_fn(n, 1, |_, _| 1.0);
    let weights = metric * &ones;
    let total: f64 = weights.col(0).iter().sum();
    let one = |i: usize, j: usize| f64::from(u8::from(i == j));
    Mat::from_fn(n, n, |i, j| one(i, j) - weights[(j, 0)] / total)
}

/// What a pretreatment makes of `x` in the metrics `d` and `q`: projections on both sides, then
/// norms in `d`.
pub(crate) fn pretreated(
    x: &Mat<f64>,
    (d, q): (&Mat<f64>, &Mat<f64>),
    pretreatment: Pretreatment,
) -> Mat<f64> {
    let mut x = x.clone();
    let of_columns = [Pretreatment::ColumnCentering, Pretreatment::Standard];
    if of_columns.contains(&pretreatment) || pretreatment == Pretreatment::Bicentering {
        x = centring(d) * x;
    }
    if matches!(pretreatment, Pretreatment::RowCentering | Pretreatment::Bicentering) {
        x = &x * centring(q).transpose();
    }
    if matches!(pretreatment, Pretreatment::Standard | Pretreatment::Scaling) {
        let gram = x.transpose() * d * &x;
        x = Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] / gram[(j, j)].sqrt());
    }
    x
}

/// `M^1/2`, symmetric, or its inverse.
pub(crate) fn power(metric: &Mat<f64>, exponent: f64) -> Mat<f64> {
    let eigen = metric.self_adjoint_eigen(Side::Lower).expect("finite entries");
    let (u, s) = (eigen.U(), eigen.S().column_vector());
    let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, j| u[(i, j)] * s[j].powf(exponent));
    scaled * u.transpose()
}

/// Asserts that `found` are the leading components of `x`, pretreated already, between the metrics.
#[track_caller]
pub(crate) fn assert_components(
    found: &Triples,
    x: &Mat<f64>,
    (d, q): (&Mat<f64>, &Mat<f64>),
    what: &str,
) {
    let ((m, n), k) = ((x.nrows(), x.ncols()), found.values.len());
    let svd = (power(d, 0.5) * x * power(q, 0.5)).thin_svd().expect("finite entries");
    let sigma: Vec<f64> = svd.S().column_vector().iter().copied().collect();
    let top = sigma[0] * sigma[0];
    let (axes, coordinates) = (power(q, -0.5) * svd.V(), power(d, -0.5) * svd.U());
    for axis in 0..k {
        let exact = sigma[axis] * sigma[axis];
        let value = found.values[axis];
        assert!((value - exact).abs() < 1e-9 * top, "{what}, axis {axis}: {value} {exact}");
        let [right, left] = [&found.right[axis * n..][..n], &found.left[axis * m..][..m]];
        let sign = (0..n).map(|j| right[j] * axes[(j, axis)]).sum::<f64>().signum();
        for j in 0..n {
            let off = (sign * right[j] - axes[(j, axis)]).abs();
            assert!(off < 1e-6, "{what}, axis {axis}, column {j}: {off:e}");
        }
        for i in 0..m {
            let exact = coordinates[(i, axis)] * sigma[axis];
            let off = (sign * left[i] - exact).abs();
            assert!(off < 1e-6 * sigma[0], "{what}, axis {axis}, row {i}: {off:e}");
        }
    }
    let inertia: f64 = sigma.iter().map(|sigma| sigma * sigma).sum();
    assert!((found.inertia - inertia).abs() < 1e-10 * inertia, "{what}: {}", found.inertia);
    let within = x * q * x.transpose();
    let scale = (0..m).map(|i| within[(i, i)]).fold(0.0, f64::max);
    for i in 0..m {
        let off = (found.norms2[i] - within[(i, i)]).abs();
        assert!(off < 1e-10 * scale, "{what}, norm of row {i}: {off:e}");
    }
}
