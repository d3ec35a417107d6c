//! Independent tasks that share what they read: the workloads of Gonthier, "Scheduling under memory
//! constraint in task-based runtime systems", PhD thesis, ENS Lyon, 2023, sections 3.4 and 4.4.1.

use tegula_kernels::kernel::gemm::Gemm as Product;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::program::cholesky_flops;
use tegula_runtime::flow::Access::{self, R, RW, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, FlowError, Handle};
use tegula_runtime::random::SplitMix64;
use tegula_runtime::ranks::Spot;
use tegula_tiles::{Storage, TileMatrix};

use super::{Setting, Sizes, Spread, Tasks, Workload, held, triangle};

/// Tiles of a strip: a row of tiles of A, or a column of tiles of B.
const STRIP: usize = 4;

/// As many tasks as there are pairs of a row of A and a column of B.
const fn of_pairs(
    name: &'static str,
    summary: &'static str,
    submit: fn(&mut Flow, &Setting) -> Result<(), FlowError>,
) -> Workload {
    Workload {
        name,
        summary,
        tasks: Tasks::Described {
            submit,
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n, 2, 1)
            },
            working_set: strips_bytes,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
        makes_contexts: false,
    }
}

/// Independent tasks.
pub(super) const SETS: [Workload; 6] = [
    Workload {
        name: "gemm-3d",
        summary: "the tasks of gemm without their dependencies, whose results are dropped",
        tasks: Tasks::Described {
            submit: |flow, setting| {
                match setting.sizes.is_single() {
                    true => separate_products::<f32>(flow, &setting.sizes),
                    false => separate_products::<f64>(flow, &setting.sizes),
                }
                Ok(())
            },
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n * n, 2, 1)
            },
            working_set: |sizes| sizes.tiles_bytes(2 * sizes.tiles.pow(2)),
            flops: Some(|sizes| 2.0 * sizes.order().powi(3)),
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
        makes_contexts: false,
    },
    of_pairs(
        "gemm-2d",
        "one task for each pair of a row of A and a column of B, four tiles each",
        |flow, setting| products(flow, &setting.sizes, all),
    ),
    of_pairs("gemm-2d-shuffled", "gemm-2d, submitted in random order", |flow, setting| {
        products(flow, &setting.sizes, shuffled)
    }),
    of_pairs(
        "gemm-2d-random",
        "as many tasks as gemm-2d, each with a row and a column drawn at random",
        |flow, setting| products(flow, &setting.sizes, random),
    ),
    Workload {
        name: "gemm-2d-sparse",
        summary: "a tenth of the tasks of gemm-2d, drawn at random",
        tasks: Tasks::Described {
            submit: |flow, setting| products(flow, &setting.sizes, sparse),
            // No draw is ten deviations, 3 n, above its mean.
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n / 10 + 3 * n, 2, 1)
            },
            working_set: strips_bytes,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
        makes_contexts: false,
    },
    Workload {
        name: "cholesky-set",
        summary: "the tasks of a Cholesky factorisation without their dependencies",
        tasks: Tasks::Described {
            submit: |flow, setting| {
                cholesky(flow, &setting.sizes);
                Ok(())
            },
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * (n + 1) * (n + 2) / 6, 3, 0)
            },
            working_set: triangle,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
        makes_contexts: false,
    },
];

/// Bytes of all strips.
fn strips_bytes(sizes: &Sizes) -> u64 {
    sizes.tiles_bytes(2 * sizes.tiles * STRIP)
}

/// Every pair of a row and a column, row by row.
fn all(sizes: &Sizes) -> Vec<(usize, usize)> {
    pairs(sizes).collect()
}

fn pairs(sizes: &Sizes) -> impl Iterator<Item = (usize, usize)> {
    let n = sizes.tiles;
    (0..n * n).map(move |task| (task / n, task % n))
}

/// Every pair, in random order.
fn shuffled(sizes: &Sizes) -> Vec<(usize, usize)> {
    let (mut pairs, mut random) = (all(sizes), SplitMix64::new(sizes.seed));
    for last in (1..pairs.len()).rev() {
        pairs.swap(last, below(&mut random, last + 1));
    }
    pairs
}

/// As many pairs, drawn with replacement.
fn random(sizes: &Sizes) -> Vec<(usize, usize)> {
    let (n, mut random) = (sizes.tiles, SplitMix64::new(sizes.seed));
    (0..n * n).map(|_| (below(&mut random, n), below(&mut random, n))).collect()
}

/// Each pair with a chance of one in ten.
fn sparse(sizes: &Sizes) -> Vec<(usize, usize)> {
    let mut random = SplitMix64::new(sizes.seed);
    pairs(sizes).filter(|_| below(&mut random, 10) == 0).collect()
}

fn below(random: &mut SplitMix64, bound: usize) -> usize {
    ((random.uniform() * bound as f64) as usize).min(bound - 1)
}

/// Where a tile of the square matrix lies that the tasks make or share.
fn spot(sizes: &Sizes, row: usize, column: usize) -> Spot {
    Spot { row, column, rows: sizes.tiles, columns: sizes.tiles }
}

/// Submits the product of a row of A and a column of B for each of `pairs`; results are dropped.
fn products(
    flow: &mut Flow,
    sizes: &Sizes,
    pairs: fn(&Sizes) -> Vec<(usize, usize)>,
) -> Result<(), FlowError> {
    let mut strip = || {
        let handle = flow.register(STRIP * sizes.tile_bytes());
        flow.touch(handle);
        handle
    };
    let rows: Vec<Handle> = (0..sizes.tiles).map(|_| strip()).collect();
    let columns: Vec<Handle> = (0..sizes.tiles).map(|_| strip()).collect();
    let product = Outer { flops: 2.0 * STRIP as f64 * (sizes.nb as f64).powi(3) };
    for (i, j) in pairs(sizes) {
        let result = flow.register_at(sizes.tile_bytes(), spot(sizes, i, j));
        flow.submit(product, &[(rows[i], R), (columns[j], R), (result, W)], 0);
        flow.done_with(result);
    }
    Ok(())
}

/// A product of two strips.
#[derive(Clone, Copy)]
struct Outer {
    flops: f64,
}

impl Codelet for Outer {
    const NAME: &'static str = "gemm";
    const ACCESS: &'static [Access] = &[R, R, W];

    fn cost(&self) -> Cost {
        Cost { flops: self.flops, bytes: 0.0 }
    }

    fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

macro_rules! readers {
    ($($name:ident $codelet:literal $modes:expr;)*) => { $(
        /// A kernel that reads all its tiles and writes none.
        #[derive(Clone, Copy)]
        struct $name(Cost);

        impl Codelet for $name {
            const NAME: &'static str = $codelet;
            const ACCESS: &'static [Access] = $modes;

            fn cost(&self) -> Cost {
                self.0
            }

            fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
                Ok(())
            }
        }
    )* };
}

readers! {
    Potrf "potrf" &[R];
    Trsm "trsm" &[R, R];
    Syrk "syrk" &[R, R];
    Gemm "gemm" &[R, R, R];
}

/// Submits the tasks of a Cholesky factorisation, all of which may run at once.
fn cholesky(flow: &mut Flow, sizes: &Sizes) {
    let n = sizes.tiles;
    let mut tile = |i, j| {
        let handle = flow.register_at(sizes.tile_bytes(), spot(sizes, i, j));
        flow.touch(handle);
        handle
    };
    let tiles: Vec<Vec<Handle>> = (0..n).map(|i| (0..=i).map(|j| tile(i, j)).collect()).collect();
    let order = sizes.nb as f64;
    let cost = |flops: f64| Cost { flops, bytes: 0.0 };
    for k in 0..n {
        let a = |i: usize, j: usize| (tiles[i][j], R);
        flow.iteration(k);
        flow.submit(Potrf(cost(cholesky_flops(order))), &[a(k, k)], 0);
        for i in k + 1..n {
            flow.submit(Trsm(cost(order.powi(3))), &[a(k, k), a(i, k)], 0);
        }
        for j in k + 1..n {
            flow.submit(Syrk(cost(order * order * (order + 1.0))), &[a(j, k), a(j, j)], 0);
            for i in j + 1..n {
                let gemm = Gemm(cost(2.0 * order.powi(3)));
                flow.submit(gemm, &[a(i, k), a(j, k), a(i, j)], 0);
            }
        }
    }
}

/// A matrix whose contents exist.
fn matrix<T: Scalar>(flow: &mut Flow, sizes: &Sizes, storage: Storage) -> TileMatrix<T> {
    let n = sizes.tiles * sizes.nb;
    let matrix = TileMatrix::new(flow, (n, n), (sizes.nb, sizes.nb), storage);
    let tiles: Vec<_> = matrix.indices().map(|at| matrix.tile(at.row, at.column)).collect();
    tiles.into_iter().for_each(|tile| flow.touch(tile));
    matrix
}

/// Submits the tasks of a product without their dependencies.
fn separate_products<T: Scalar>(flow: &mut Flow, sizes: &Sizes) {
    let [a, b] = [(); 2].map(|()| matrix::<T>(flow, sizes, Storage::Full));
    let n = sizes.nb;
    let (trans_a, trans_b) = (Trans::No, Trans::No);
    let gemm = Product { trans_a, trans_b, m: n, n, k: n, alpha: T::ONE, beta: T::ZERO };
    for i in 0..sizes.tiles {
        for j in 0..sizes.tiles {
            for k in 0..sizes.tiles {
                // Nobody has written it, so nothing is brought.
                let c = flow.register_at(sizes.tile_bytes(), spot(sizes, i, j));
                flow.iteration(k);
                flow.submit(gemm, &[(a.tile(i, k), R), (b.tile(k, j), R), (c, RW)], 0);
                flow.done_with(c);
            }
        }
    }
}
