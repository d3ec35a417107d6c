//! Tables, what pretreatments make of them, and their components.

use std::sync::Arc;

use faer::Mat;
use tegula_diodon::EmbedError;
use tegula_diodon::pca::{PRETREATMENTS, Pretreatment};
use tegula_diodon::singular::{Method, Request, Triples, block_width, leading};
use tegula_diodon::stream::Overlap;
use tegula_diodon::table::{Form, Table, TableOptions};
use tegula_files::source::{MemorySource, Source};
use tegula_kernels::element::Element;
use tegula_kernels::scalar::Real;
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::random::SplitMix64;

/// A table, row by row.
pub(crate) type Rows = Vec<f64>;

/// Normal numbers with the variance `1 / (j + 1)` around `j mod 4` in column `j`.
pub(crate) fn random([m, n]: [usize; 2], seed: u64) -> Rows {
    let mut stream = SplitMix64::new(seed);
    (0..m * n)
        .map(|at| stream.normal() / ((at % n + 1) as f64).sqrt() + (at % n % 4) as f64)
        .collect()
}

/// The table as a file of these numbers would give it.
pub(crate) fn stored(x: &[f64], shape: [usize; 2], element: Element) -> Arc<dyn Source> {
    let mut entries = vec![0; x.len() * element.bytes()];
    element.narrow(x, &mut entries);
    let names = |what: &str, count| Some((1..=count).map(|at| format!("{what}{at}")).collect());
    let names = [names("item", shape[0]), names("variable", shape[1])];
    Arc::new(MemorySource::new("X", shape, (element, entries), names))
}

/// How components are sought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) pretreatment: Pretreatment,
    pub(crate) request: Request,
    pub(crate) options: TableOptions,
}

impl How {
    /// `axes` axes by `method`, in tiles of 16 lines, four at a time.
    pub(crate) fn new(
        pretreatment: Pretreatment,
        method: Method,
        (axes, shape): (usize, [usize; 2]),
    ) -> Self {
        let width = block_width(axes, shape);
        let request = Request {
            axes,
            method,
            width,
            passes: None,
            tolerance: 1e-10,
            capacity: 40 * width,
            seed: 7,
        };
        let memory = 4 * 16 * 16 * 8;
        let options = TableOptions { edge: 16, memory, overlap: Overlap::default() };
        Self { pretreatment, request, options }
    }
}

/// What an analysis gives.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) triples: Triples,
    pub(crate) form: Form,
    pub(crate) passes: usize,
}

/// Seeks components with products in the precision `T`.
pub(crate) fn analyse<T: Real>(source: &Arc<dyn Source>, how: &How) -> Result<Found, EmbedError> {
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    let treatment = Box::new(how.pretreatment);
    let mut table = Table::new(&mut flow, source, treatment, how.options);
    let triples = leading::<T>(&mut flow, &mut table, &how.request)?;
    let (form, passes) = (table.form().clone(), table.passes());
    table.close(&mut flow);
    Ok(Found { triples, form, passes })
}

/// What a pretreatment makes of a table, as its definition says.
pub(crate) fn pretreated(x: &[f64], [m, n]: [usize; 2], pretreatment: Pretreatment) -> Mat<f64> {
    let x = Mat::from_fn(m, n, |i, j| x[i * n + j]);
    let row = |i: usize| (0..n).map(|j| x[(i, j)]).sum::<f64>() / n as f64;
    let column = |j: usize| (0..m).map(|i| x[(i, j)]).sum::<f64>() / m as f64;
    let (rows, columns): (Vec<f64>, Vec<f64>) =
        ((0..m).map(row).collect(), (0..n).map(column).collect());
    let grand = rows.iter().sum::<f64>() / m as f64;
    let centred = |i: usize, j: usize| match pretreatment {
        Pretreatment::None | Pretreatment::Scaling => x[(i, j)],
        Pretreatment::ColumnCentering | Pretreatment::Standard => x[(i, j)] - columns[j],
        Pretreatment::RowCentering => x[(i, j)] - rows[i],
        Pretreatment::Bicentering => x[(i, j)] - rows[i] - columns[j] + grand,
    };
    let is_scaled = matches!(pretreatment, Pretreatment::Standard | Pretreatment::Scaling);
    let norm = |j: usize| {
        let norm = (0..m).map(|i| centred(i, j).powi(2)).sum::<f64>().sqrt();
        // Of a constant column there is nothing left.
        if !is_scaled || norm < 1e-13 { 1.0 } else { norm }
    };
    let norms: Vec<f64> = (0..n).map(norm).collect();
    Mat::from_fn(m, n, |i, j| centred(i, j) / norms[j])
}

/// Squared singular values from the largest on.
pub(crate) fn squares(p: &Mat<f64>) -> Vec<f64> {
    let values = p.singular_values().expect("finite entries");
    values.into_iter().map(|value| value * value).collect()
}

/// Asserts that triples are singular triples of `p`: values, both vectors, norms of the rows.
#[track_caller]
pub(crate) fn assert_triples(
    found: &Triples,
    p: &Mat<f64>,
    (axes, limit): (usize, f64),
    what: &str,
) {
    let (m, n) = (p.nrows(), p.ncols());
    let expected = squares(p);
    let top = expected[0].max(f64::MIN_POSITIVE);
    let wanted = expected.iter().take(axes).filter(|&&x| x > 1e-12 * top && x > 1e-20).count();
    assert_eq!(found.values.len(), wanted, "{what}: {:?} of {expected:?}", found.values);
    for (axis, &exact) in expected.iter().take(wanted).enumerate() {
        let (value, right) = (found.values[axis], &found.right[axis * n..(axis + 1) * n]);
        let left = &found.left[axis * m..(axis + 1) * m];
        assert!((value - exact).abs() <= limit * top, "{what}, axis {axis}: {value}");
        let norm: f64 = right.iter().map(|x| x * x).sum();
        assert!((norm - 1.0).abs() < 1e-12, "{what}: |v|^2 = {norm}");
        let largest = right.iter().fold(0.0_f64, |a, &x| if x.abs() > a.abs() { x } else { a });
        assert!(largest > 0.0, "{what}: signs are settled");
        for i in 0..m {
            let product: f64 = (0..n).map(|j| p[(i, j)] * right[j]).sum();
            assert!((product - left[i]).abs() <= limit * top.sqrt(), "{what}: P v, row {i}");
        }
        for j in 0..n {
            let product: f64 = (0..m).map(|i| p[(i, j)] * left[i]).sum();
            let off = (product - value * right[j]).abs();
            assert!(off <= limit.max(1e-7) * top, "{what}: P'u, column {j}: {off:e}");
        }
    }
    let inertia: f64 = expected.iter().sum();
    assert!((found.inertia - inertia).abs() <= 1e-10 * inertia + 1e-13, "{what}: {inertia}");
    for i in 0..m {
        let norm2: f64 = (0..n).map(|j| p[(i, j)].powi(2)).sum();
        assert!((found.norms2[i] - norm2).abs() <= 1e-10 * inertia + 1e-13, "{what}: row {i}");
    }
}

/// Every pretreatment with its name.
pub(crate) fn every() -> impl Iterator<Item = (&'static str, Pretreatment)> {
    PRETREATMENTS.iter().map(|listed| (listed.name, listed.pretreatment))
}
