//! Distances to embed, and embedding them.

use std::sync::Arc;

use faer::{Mat, Side};
use tegula_diodon::EmbedError;
use tegula_diodon::gram::{Gram, GramOptions, Sums};
use tegula_diodon::mds::{Leading, Method, Request, leading, sketch_width};
use tegula_diodon::stream::Overlap;
use tegula_files::source::{MemorySource, Source};
use tegula_kernels::element::Element;
use tegula_kernels::scalar::Real;
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::random::SplitMix64;

/// A square matrix, row by row.
pub(crate) type Matrix = Vec<f64>;

/// Euclidean distances of `n` points whose coordinate `j` of `p` has the standard deviation
/// `1 / (j + 1)`.
pub(crate) fn points(n: usize, p: usize, seed: u64) -> Matrix {
    let mut stream = SplitMix64::new(seed);
    let points: Vec<f64> = (0..n * p).map(|at| stream.normal() / (at % p + 1) as f64).collect();
    let point = |i: usize| &points[i * p..(i + 1) * p];
    let distance =
        |i, j| point(i).iter().zip(point(j)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    (0..n * n).map(|at| distance(at / n, at % n)).collect()
}

/// Distances that no points have: those of points, each changed by up to a fifth.
pub(crate) fn bent(n: usize, seed: u64) -> Matrix {
    let mut distances = points(n, 20, seed);
    let mut stream = SplitMix64::new(!seed);
    for i in 0..n {
        for j in 0..i {
            let bent = distances[i * n + j] * (0.9 + 0.2 * stream.uniform());
            distances[i * n + j] = bent;
            distances[j * n + i] = bent;
        }
    }
    distances
}

/// The matrix as a file of these numbers would give it.
pub(crate) fn stored(distances: &[f64], element: Element) -> Arc<dyn Source> {
    let n = distances.len().isqrt();
    let mut entries = vec![0; distances.len() * element.bytes()];
    element.narrow(distances, &mut entries);
    Arc::new(MemorySource::new("D", [n, n], (element, entries), [None, None]))
}

/// How to embed, beside the distances.
#[derive(Clone, Debug)]
pub(crate) struct How {
    pub(crate) request: Request,
    pub(crate) options: GramOptions,
    pub(crate) workers: usize,
    /// What of asymmetry is rounding.
    pub(crate) tolerance: Option<f64>,
}

impl How {
    /// `axes` axes of `n` items by `method`, in tiles of 64 lines, four at a time.
    pub(crate) fn new(method: Method, axes: usize, n: usize) -> Self {
        let width = sketch_width(axes, n);
        let request = Request {
            axes,
            method,
            width,
            passes: None,
            tolerance: 1e-9,
            capacity: 40 * width,
            lingoes: false,
            seed: 7,
        };
        let options = GramOptions {
            weights: None,
            offset: 0.0,
            edge: 64,
            entries: 64 * 64,
            memory: 4 * 64 * 64 * 8,
            samples: 1000,
            overlap: Overlap::default(),
            distribution: None,
        };
        Self { request, options, workers: 2, tolerance: None }
    }
}

/// What an embedding gives.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(crate) leading: Leading,
    pub(crate) sums: Sums,
    pub(crate) passes: usize,
    pub(crate) bytes_read: u64,
}

/// Embeds with products in the precision `T`.
pub(crate) fn embed<T: Real>(source: &Arc<dyn Source>, how: &How) -> Result<Embedded, EmbedError> {
    let mut flow = Flow::new(Exec::with_workers(how.workers), FlowOptions::default());
    let mut gram = Gram::new(&mut flow, source, how.options.clone());
    gram.allow(how.tolerance);
    let leading = leading::<T>(&mut flow, &mut gram, &how.request)?;
    let (sums, passes) = (gram.sums().clone(), gram.passes());
    let bytes_read = gram.close(&mut flow);
    Ok(Embedded { leading, sums, passes, bytes_read })
}

/// The Gram matrix of `distances` for items of these weights, formed as the definition says.
pub(crate) fn gram(distances: &[f64], weights: &[f64]) -> Mat<f64> {
    let n = weights.len();
    let total: f64 = weights.iter().sum();
    let square = |i: usize, j: usize| distances[i * n + j].powi(2);
    let mean = |i: usize| (0..n).map(|j| weights[j] / total * square(i, j)).sum::<f64>();
    let means: Vec<f64> = (0..n).map(mean).collect();
    let grand = (0..n).map(|i| weights[i] / total * means[i]).sum::<f64>();
    Mat::from_fn(n, n, |i, j| {
        let scale = (weights[i] * weights[j]).sqrt();
        -0.5 * scale * (square(i, j) - means[i] - means[j] + grand)
    })
}

/// All eigenvalues from the largest on, and their vectors.
pub(crate) fn eigen(matrix: &Mat<f64>) -> (Vec<f64>, Mat<f64>) {
    let n = matrix.nrows();
    let eigen = matrix.self_adjoint_eigen(Side::Lower).expect("finite entries");
    let values = (0..n).rev().map(|j| eigen.S().column_vector()[j]).collect();
    (values, Mat::from_fn(n, n, |i, j| eigen.U()[(i, n - 1 - j)]))
}

/// Largest difference of `found` from `expected`, relative to the first of these.
pub(crate) fn deviation(found: &[f64], expected: &[f64]) -> f64 {
    let pairs = found.iter().zip(expected);
    pairs.map(|(x, y)| (x - y).abs() / expected[0].abs()).fold(0.0, f64::max)
}

/// Sine of the angle between vector `axis` of `found` and that of `expected`.
pub(crate) fn sine(found: &Leading, expected: &Mat<f64>, axis: usize) -> f64 {
    let n = expected.nrows();
    let vector = &found.vectors[axis * n..(axis + 1) * n];
    let cosine: f64 = (0..n).map(|i| vector[i] * expected[(i, axis)]).sum();
    let rest = (0..n).map(|i| (vector[i] - cosine * expected[(i, axis)]).powi(2));
    rest.sum::<f64>().sqrt()
}
