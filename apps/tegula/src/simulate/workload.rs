//! Programs to simulate: those of `linalg`, and sets of independent tasks that share data, with
//! which schedulers are studied.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{gemm, getrf_nopiv, potrf};
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;

use super::sets;

/// Sizes of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Tiles along an edge.
    pub(super) tiles: usize,
    /// Order of a tile.
    pub(super) nb: usize,
    /// Bytes of a number.
    pub(super) scalar: usize,
    /// Seed of random programs.
    pub(super) seed: u64,
}

impl Sizes {
    /// Bytes of a tile.
    pub(super) fn tile_bytes(&self) -> usize {
        self.nb * self.nb * self.scalar
    }

    fn order(&self) -> f64 {
        (self.tiles * self.nb) as f64
    }
}

/// A member of [`WORKLOADS`].
pub(super) struct Workload {
    /// Its name.
    pub(super) name: &'static str,
    /// One line of help.
    pub(super) summary: &'static str,
    /// Submits it, in single or double precision.
    pub(super) submit: fn(&mut Flow, &Sizes),
    /// Bytes of what it reads or works on in place.
    pub(super) working_set: fn(&Sizes) -> f64,
    /// Its operations; those of its tasks, if no formula is given.
    pub(super) flops: Option<fn(&Sizes) -> f64>,
}

/// Every program.
pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "cholesky",
        summary: "Cholesky factorisation, of which the lower tiles exist",
        submit: |flow, sizes| with(flow, sizes, cholesky::<f32>, cholesky::<f64>),
        working_set: triangle,
        flops: Some(|sizes| sizes.order().powi(3) / 3.0),
    },
    Workload {
        name: "lu",
        summary: "LU factorisation without pivoting",
        submit: |flow, sizes| with(flow, sizes, lu::<f32>, lu::<f64>),
        working_set: |sizes| (sizes.tiles.pow(2) * sizes.tile_bytes()) as f64,
        flops: Some(|sizes| 2.0 * sizes.order().powi(3) / 3.0),
    },
    Workload {
        name: "gemm",
        summary: "product of square matrices, a chain of tasks for each tile of the result",
        submit: |flow, sizes| with(flow, sizes, product::<f32>, product::<f64>),
        working_set: |sizes| 3.0 * (sizes.tiles.pow(2) * sizes.tile_bytes()) as f64,
        flops: Some(|sizes| 2.0 * sizes.order().powi(3)),
    },
    Workload {
        name: "gemm-3d",
        summary: "the tasks of gemm without their dependencies, whose results are dropped",
        submit: |flow, sizes| with(flow, sizes, products::<f32>, products::<f64>),
        working_set: |sizes| 2.0 * (sizes.tiles.pow(2) * sizes.tile_bytes()) as f64,
        flops: Some(|sizes| 2.0 * sizes.order().powi(3)),
    },
    Workload {
        name: "gemm-2d",
        summary: "one task for each pair of a row of A and a column of B, four tiles each",
        submit: |flow, sizes| sets::products(flow, sizes, sets::all(sizes)),
        working_set: sets::strips_bytes,
        flops: None,
    },
    Workload {
        name: "gemm-2d-shuffled",
        summary: "gemm-2d, submitted in random order",
        submit: |flow, sizes| sets::products(flow, sizes, sets::shuffled(sizes)),
        working_set: sets::strips_bytes,
        flops: None,
    },
    Workload {
        name: "gemm-2d-random",
        summary: "as many tasks as gemm-2d, each with a row and a column drawn at random",
        submit: |flow, sizes| sets::products(flow, sizes, sets::random(sizes)),
        working_set: sets::strips_bytes,
        flops: None,
    },
    Workload {
        name: "gemm-2d-sparse",
        summary: "a tenth of the tasks of gemm-2d, drawn at random",
        submit: |flow, sizes| sets::products(flow, sizes, sets::sparse(sizes)),
        working_set: sets::strips_bytes,
        flops: None,
    },
    Workload {
        name: "cholesky-set",
        summary: "the tasks of a Cholesky factorisation without their dependencies",
        submit: sets::cholesky,
        working_set: triangle,
        flops: None,
    },
];

fn triangle(sizes: &Sizes) -> f64 {
    (sizes.tiles * (sizes.tiles + 1) / 2 * sizes.tile_bytes()) as f64
}

fn with(
    flow: &mut Flow,
    sizes: &Sizes,
    single: fn(&mut Flow, &Sizes),
    double: fn(&mut Flow, &Sizes),
) {
    if sizes.scalar == size_of::<f32>() { single(flow, sizes) } else { double(flow, sizes) }
}

/// A matrix whose contents exist.
fn matrix<T: Scalar>(flow: &mut Flow, sizes: &Sizes, storage: Storage) -> TileMatrix<T> {
    let n = sizes.tiles * sizes.nb;
    let matrix = TileMatrix::new(flow, (n, n), (sizes.nb, sizes.nb), storage);
    let tiles: Vec<_> = matrix.indices().map(|at| matrix.tile(at.row, at.column)).collect();
    tiles.into_iter().for_each(|tile| flow.touch(tile));
    matrix
}

fn cholesky<T: Scalar>(flow: &mut Flow, sizes: &Sizes) {
    let a = matrix::<T>(flow, sizes, Storage::Lower);
    potrf(flow, &a);
}

fn lu<T: Scalar>(flow: &mut Flow, sizes: &Sizes) {
    let a = matrix::<T>(flow, sizes, Storage::Full);
    getrf_nopiv(flow, &a);
}

fn products<T: Scalar>(flow: &mut Flow, sizes: &Sizes) {
    let [a, b] = [(); 2].map(|()| matrix::<T>(flow, sizes, Storage::Full));
    let n = sizes.nb;
    let (trans_a, trans_b) = (Trans::No, Trans::No);
    let gemm = Gemm { trans_a, trans_b, m: n, n, k: n, alpha: T::ONE, beta: T::ZERO };
    for i in 0..sizes.tiles {
        for j in 0..sizes.tiles {
            for k in 0..sizes.tiles {
                // Nobody has written it, so nothing is brought.
                let c = flow.register(sizes.tile_bytes());
                flow.submit(gemm, &[(a.tile(i, k), R), (b.tile(k, j), R), (c, RW)], 0);
                flow.done_with(c);
            }
        }
    }
}

fn product<T: Scalar>(flow: &mut Flow, sizes: &Sizes) {
    let [a, b, c] = [(); 3].map(|()| matrix::<T>(flow, sizes, Storage::Full));
    gemm(flow, (Trans::No, Trans::No), T::ONE, &a, &b, T::ONE, &c);
}
