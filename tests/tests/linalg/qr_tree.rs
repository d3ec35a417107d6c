//! QR factorisations with reduction trees, by Cholesky, and singular values by random vectors,
//! against plain products.

use faer::traits::ComplexField;
use tegula_kernels::error::NumericalError;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::{
    RangeFinder, SvdError, Tree, cholesky_qr2, geqrf_tree, orgqr_tree, ormqr_tree, randomized_svd,
};
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_tests::dense::Dense;
use tegula_tests::flow;
use tegula_tiles::{Order, Storage, TileMatrix, random_entry};

fn tiles<T: Scalar>(flow: &mut Flow, a: &Dense<T>, tile: (usize, usize)) -> TileMatrix<T> {
    let tiles = TileMatrix::new(flow, (a.m, a.n), tile, Storage::Full);
    tiles.fill_with(flow, |i, j| a.at(i, j)).expect("memory");
    tiles
}

fn gathered<T: Scalar>(flow: &mut Flow, tiles: &TileMatrix<T>) -> Dense<T> {
    let (m, n) = (tiles.m(), tiles.n());
    let mut entries = vec![T::ZERO; m * n];
    tiles.gather(flow, &mut entries, Order::ColumnMajor { ld: m.max(1) }).expect("nothing fails");
    Dense { m, n, entries }
}

fn engine(workers: usize) -> Flow {
    match workers {
        0 => Flow::new(Sequential::new(), FlowOptions::default()),
        workers => flow(workers),
    }
}

const TREES: &[Tree] = &[
    Tree::Flat,
    Tree::Binary,
    Tree::Greedy,
    Tree::TwoLevel { domain: 1 },
    Tree::TwoLevel { domain: 2 },
];

/// `A - Q R`, `I - Q^H Q` and products with `Q`.
fn check<T: Scalar>(tree: Tree, (m, n, nb): (usize, usize, usize), workers: usize) {
    let what = format!("{}{tree:?} {m} x {n} in {nb}", T::PRECISION.letter());
    let mut flow = engine(workers);
    let (a, k) = (Dense::<T>::random(m, n, 7), m.min(n));
    let tiled = tiles(&mut flow, &a, (nb, nb));
    let factors = geqrf_tree(&mut flow, &tiled, tree);
    let square = tiles(&mut flow, &Dense::new(m, m, |_, _| T::NAN), (nb, nb));
    orgqr_tree(&mut flow, &tiled, &factors, &square);
    let array = gathered(&mut flow, &tiled);
    let r = Dense::new(m, n, |i, j| if i <= j { array.at(i, j) } else { T::ZERO });
    let q = gathered(&mut flow, &square);
    let identity = Dense::identity(m, m);
    q.adjoint().times(&q).assert_near(&identity, m as f64, &format!("{what}: Q'Q"));
    let scale = a.norm() * m.max(n) as f64;
    q.times(&r).assert_near(&a, scale, &format!("{what}: A - QR"));
    let narrow = tiles(&mut flow, &Dense::new(m, k, |_, _| T::NAN), (nb, nb));
    orgqr_tree(&mut flow, &tiled, &factors, &narrow);
    let narrow = gathered(&mut flow, &narrow);
    narrow.assert_near(&q.part(m, k), m as f64, &format!("{what}: first columns"));
    for trans in [Trans::No, Trans::Conj] {
        let c = Dense::<T>::random(m, 5, 8);
        let product = tiles(&mut flow, &c, (nb, 3));
        ormqr_tree(&mut flow, trans, &tiled, &factors, &product);
        let product = gathered(&mut flow, &product);
        let scale = c.norm().max(1.0) * m as f64;
        product.assert_near(&q.op(trans).times(&c), scale, &format!("{what}: {trans:?}"));
    }
    factors.retire(&mut flow);
    flow.wait().expect("nothing fails");
}

#[test]
fn every_tree_factorises() {
    let shapes = [(0, 3, 4), (3, 0, 4), (1, 1, 4), (9, 5, 4), (23, 7, 3), (12, 12, 4), (6, 17, 4)];
    for &tree in TREES {
        for shape in shapes {
            for workers in [0, 3] {
                check::<f64>(tree, shape, workers);
                check::<f32>(tree, shape, workers);
                check::<c64>(tree, shape, workers);
                check::<c32>(tree, shape, workers);
            }
        }
        // More than one block of reflectors per tile.
        check::<f64>(tree, (330, 130, 70), 2);
        check::<c64>(tree, (200, 75, 70), 2);
    }
}

fn check_cholesky<T: Scalar>((m, n, mb, nb): (usize, usize, usize, usize), workers: usize) {
    let what = format!("{}: {m} x {n} in {mb} x {nb}", T::PRECISION.letter());
    let mut flow = engine(workers);
    let a = Dense::<T>::random(m, n, 7);
    let tiled = tiles(&mut flow, &a, (mb, nb));
    let r = tiles(&mut flow, &Dense::new(n, n, |_, _| T::NAN), (nb, nb));
    cholesky_qr2(&mut flow, &tiled, &r);
    let (q, r) = (gathered(&mut flow, &tiled), gathered(&mut flow, &r));
    for (i, j) in (0..n).flat_map(|j| (j + 1..n).map(move |i| (i, j))) {
        assert_eq!(r.at(i, j), T::ZERO, "{what}: below the diagonal at ({i}, {j})");
    }
    let identity = Dense::identity(n, n);
    q.adjoint().times(&q).assert_near(&identity, m as f64, &format!("{what}: Q'Q"));
    q.times(&r).assert_near(&a, a.norm() * m as f64, &format!("{what}: A - QR"));
}

#[test]
fn cholesky_qr2_factorises() {
    for shape in [(0, 0, 4, 4), (1, 1, 4, 4), (40, 5, 7, 8), (61, 17, 10, 4), (90, 12, 8, 4)] {
        for workers in [0, 1, 3] {
            check_cholesky::<f64>(shape, workers);
            check_cholesky::<f32>(shape, workers);
            check_cholesky::<c64>(shape, workers);
            check_cholesky::<c32>(shape, workers);
        }
    }
}

#[test]
fn cholesky_qr2_refuses_what_has_no_rank() {
    let mut flow = flow(2);
    let tiled = tiles(&mut flow, &Dense::<f64>::new(20, 6, |i, _| i as f64), (5, 4));
    let r = tiles(&mut flow, &Dense::new(6, 6, |_, _| 0.0), (4, 4));
    cholesky_qr2(&mut flow, &tiled, &r);
    let error = flow.wait().expect_err("its Gram matrix is singular");
    let error = error.kernel_error::<NumericalError>();
    assert!(matches!(error, Some(NumericalError::NotPositiveDefinite { .. })), "{error:?}");
}

/// Singular values fall by a factor of 4: those of rank 6 and the vectors must come out, up to the
/// error that the rest allows.
fn check_svd<T: Scalar + ComplexField>(m: usize, n: usize) {
    let rank = 6;
    let mut flow = flow(2);
    // Orthonormal vectors: columns of discrete cosines.
    let cosine = |size: usize, i: usize, j: usize| {
        let weight = if j == 0 { 1.0 } else { 2.0 } / size as f64;
        let angle = std::f64::consts::PI * (i as f64 + 0.5) * j as f64 / size as f64;
        weight.sqrt() * angle.cos()
    };
    let value = |l: usize| 0.25f64.powi(l as i32);
    let a = Dense::<T>::new(m, n, |i, j| {
        let terms = (0..m.min(n)).map(|l| value(l) * cosine(m, i, l) * cosine(n, j, l));
        T::from_f64(terms.sum())
    });
    let tiled = tiles(&mut flow, &a, (7, 5));
    let finder = RangeFinder::default();
    let low = randomized_svd(&mut flow, &tiled, rank, finder).expect("it converges");
    let (u, v) = (gathered(&mut flow, &low.u), gathered(&mut flow, &low.v));
    let k = rank.min(m).min(n);
    assert_eq!((low.s.len(), u.n, v.n), (k, k, k));
    let scale = (m + n) as f64;
    for (l, s) in low.s.iter().enumerate() {
        let error = (s.to_f64() - value(l)).abs() / T::epsilon();
        assert!(error < 60.0 * scale, "value {l} of {m} x {n}: {s} against {}", value(l));
    }
    let identity = Dense::identity(k, k);
    u.adjoint().times(&u).assert_near(&identity, scale, "U'U");
    v.adjoint().times(&v).assert_near(&identity, scale, "V'V");
    let scaled = Dense::new(m, k, |i, l| u.at(i, l).times_real(low.s[l]));
    let product = scaled.times(&v.adjoint());
    let error = Dense::new(m, n, |i, j| product.at(i, j) - a.at(i, j)).norm();
    // The best approximation is off by the next value; norms of m x n matrices differ by sqrt(m).
    let best = if k < m.min(n) { value(k) } else { 0.0 };
    let allowed = 2.0 * best * (m as f64).sqrt() + 60.0 * scale * T::epsilon();
    assert!(error <= allowed, "{m} x {n}: {error} is above {allowed}");
}

#[test]
fn the_largest_singular_values_come_out() {
    for (m, n) in [(40, 30), (30, 40), (33, 4), (3, 20), (1, 1)] {
        check_svd::<f64>(m, n);
        check_svd::<f32>(m, n);
        check_svd::<c64>(m, n);
        check_svd::<c32>(m, n);
    }
}

#[test]
fn singular_values_of_nan_are_an_error() {
    let mut flow = flow(2);
    let a =
        Dense::<f64>::new(
            12,
            9,
            |i, j| {
                if (i, j) == (3, 4) { f64::NAN } else { random_entry(3, i, j) }
            },
        );
    let tiled = tiles(&mut flow, &a, (5, 5));
    let outcome = randomized_svd(&mut flow, &tiled, 3, RangeFinder::default());
    assert!(matches!(outcome, Err(SvdError::NoConvergence)), "{outcome:?}");
}
