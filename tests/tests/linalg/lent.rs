//! The tiled algorithms in place, on parts of larger arrays: the same answers, and nothing beside
//! the part touched.
#![allow(unsafe_code)]

use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::residual::THRESHOLD;
use tegula_linalg::{Triangle, gemm, getrf_nopiv, potrf, trsm};
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_tests::flow;
use tegula_tiles::{Order, Storage, TileMatrix, random_entry, random_spd_entry};

/// An `m x n` matrix inside a column-major array: rows above and below it, columns before and
/// after, and every entry that is not its own is NaN.
struct Inset<T> {
    m: usize,
    n: usize,
    ld: usize,
    array: Vec<T>,
    /// What the array held before tasks ran.
    before: Vec<T>,
}

const ABOVE: usize = 2;
const BEFORE: usize = 1;

impl<T: Real> Inset<T> {
    /// With `entry(i, j)`, where there is one.
    fn new(m: usize, n: usize, entry: impl Fn(usize, usize) -> Option<f64>) -> Self {
        let ld = m + ABOVE + 3;
        let mut array = vec![T::from_f64(f64::NAN); ld * (n + BEFORE + 1)];
        for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
            if let Some(x) = entry(i, j) {
                array[ABOVE + i + (BEFORE + j) * ld] = T::from_f64(x);
            }
        }
        let before = array.clone();
        Self { m, n, ld, array, before }
    }

    fn random(m: usize, n: usize, seed: u64) -> Self {
        Self::new(m, n, |i, j| Some(random_entry::<f64>(seed, i, j)))
    }

    /// As tiles of `flow`, which must end before the array is looked at.
    fn lend(&mut self, flow: &mut Flow, tile: (usize, usize), storage: Storage) -> TileMatrix<T> {
        let first = self.array.as_mut_ptr().wrapping_add(ABOVE + BEFORE * self.ld);
        let order = Order::ColumnMajor { ld: self.ld };
        // SAFETY: the part lies in the array, which the tests let alone until the flow is gone.
        unsafe { TileMatrix::lent(flow, first, order, (self.m, self.n), tile, storage) }
    }

    /// Its transpose as tiles of `flow`.
    fn lend_turned(
        &mut self,
        flow: &mut Flow,
        (mb, nb): (usize, usize),
        storage: Storage,
    ) -> TileMatrix<T> {
        let first = self.array.as_mut_ptr().wrapping_add(ABOVE + BEFORE * self.ld);
        let order = Order::RowMajor { ld: self.ld };
        // SAFETY: as above.
        unsafe { TileMatrix::lent(flow, first, order, (self.n, self.m), (mb, nb), storage) }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.array[ABOVE + i + (BEFORE + j) * self.ld].to_f64()
    }

    fn op(&self, trans: Trans, i: usize, j: usize) -> f64 {
        if trans == Trans::No { self.at(i, j) } else { self.at(j, i) }
    }

    /// # Panics
    /// If an entry has changed that is not in the matrix, or that `is_kept` says stays.
    #[track_caller]
    fn assert_kept(&self, is_kept: impl Fn(usize, usize) -> bool, what: &str) {
        for (place, (x, y)) in self.array.iter().zip(&self.before).enumerate() {
            let (row, column) = (place % self.ld, place / self.ld);
            let inside = (ABOVE..ABOVE + self.m).contains(&row)
                && (BEFORE..BEFORE + self.n).contains(&column);
            if !inside || is_kept(row - ABOVE, column - BEFORE) {
                let same = x.to_f64().to_bits() == y.to_f64().to_bits();
                assert!(same, "{what}: {x:?} in place of {y:?} at ({row}, {column})");
            }
        }
    }
}

/// Largest difference of `x(i, j)` and `y(i, j)` over `m x n`, in units of `scale` times rounding.
#[track_caller]
fn assert_near<T: Real>(
    (m, n): (usize, usize),
    x: impl Fn(usize, usize) -> f64,
    y: impl Fn(usize, usize) -> f64,
    scale: f64,
    what: &str,
) {
    for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
        let (x, y) = (x(i, j), y(i, j));
        let error = (x - y).abs() / (scale * T::EPSILON.to_f64());
        assert!(error <= THRESHOLD, "{what}: {x} against {y} at ({i}, {j}): {error:.1} units");
    }
}

/// Runs `program` on one thread, and on one, two and four workers.
fn on_each_engine(program: impl Fn(Flow, &str)) {
    program(Flow::new(Sequential::new(), FlowOptions::default()), "sequential");
    for workers in [1, 2, 4] {
        program(flow(workers), &format!("{workers} workers"));
    }
}

/// Orders and tile sizes: empty, one, less than a tile, just so, one more, many.
const SIZES: &[(usize, usize)] =
    &[(0, 4), (1, 4), (3, 4), (4, 4), (5, 4), (23, 4), (40, 7), (33, 64), (150, 67)];

/// Factorises the triangle `uplo` of an array; the other triangle is NaN.
fn factorise<T: Real>(flow: Flow, uplo: Uplo, n: usize, nb: usize, what: &str) {
    let mut flow = flow;
    let owns = |i, j| if uplo == Uplo::Lower { i >= j } else { i <= j };
    let entry = |i, j| T::from_f64(random_spd_entry(5, n, i, j)).to_f64();
    let mut a = Inset::<T>::new(n, n, |i, j| owns(i, j).then(|| entry(i, j)));
    let tiles = match uplo {
        Uplo::Lower => a.lend(&mut flow, (nb, nb), Storage::Lower),
        Uplo::Upper => a.lend_turned(&mut flow, (nb, nb), Storage::Lower),
    };
    potrf(&mut flow, &tiles);
    flow.wait().expect("positive definite");
    tiles.unregister(&mut flow);
    drop(flow);
    let what = format!("{uplo:?} of order {n} in {nb}, {what}");
    a.assert_kept(|i, j| !owns(i, j), &what);
    let l = |i, j| if uplo == Uplo::Lower { a.at(i, j) } else { a.at(j, i) };
    let product = |i: usize, j: usize| (0..=i.min(j)).map(|k| l(i, k) * l(j, k)).sum();
    // Higham, "Accuracy and stability", theorem 10.3: (n + 1) eps times |L| |L'|, at most 2 n.
    let scale = (n + 1) as f64 * 2.0 * n as f64;
    assert_near::<T>((n, n), product, entry, scale, &what);
}

#[test]
fn potrf_factorises_either_triangle_in_place() {
    for &(n, nb) in SIZES {
        for uplo in Uplo::ALL {
            on_each_engine(|flow, engine| factorise::<f64>(flow, uplo, n, nb, engine));
            on_each_engine(|flow, engine| factorise::<f32>(flow, uplo, n, nb, engine));
        }
    }
}

#[test]
fn getrf_nopiv_factorises_any_shape_in_place() {
    for &(n, nb) in SIZES {
        for m in [n, n + 3, n.saturating_sub(3)] {
            on_each_engine(|mut flow, engine| {
                let diagonal = 2.0 * m.max(n) as f64;
                let entry =
                    |i, j| random_entry::<f64>(2, i, j) + if i == j { diagonal } else { 0.0 };
                let mut a = Inset::<f64>::new(m, n, |i, j| Some(entry(i, j)));
                let tiles = a.lend(&mut flow, (nb, nb), Storage::Full);
                getrf_nopiv(&mut flow, &tiles);
                flow.wait().expect("it is dominated by its diagonal");
                drop(flow);
                let what = format!("{m} x {n} in {nb}, {engine}");
                a.assert_kept(|_, _| false, &what);
                let l = |i, k| if i == k { 1.0 } else { a.at(i, k) };
                let product =
                    |i: usize, j: usize| (0..=i.min(j)).map(|k| l(i, k) * a.at(k, j)).sum();
                let scale = diagonal * m.min(n).max(1) as f64;
                assert_near::<f64>((m, n), product, entry, scale, &what);
            });
        }
    }
}

fn multiply<T: Real>(flow: Flow, trans: (Trans, Trans), sizes: (usize, usize, usize), nb: usize) {
    let (mut flow, (m, n, k)) = (flow, sizes);
    let turn = |trans, rows, cols| if trans == Trans::No { (rows, cols) } else { (cols, rows) };
    let ((rows_a, cols_a), (rows_b, cols_b)) = (turn(trans.0, m, k), turn(trans.1, k, n));
    let mut a = Inset::<T>::random(rows_a, cols_a, 1);
    let mut b = Inset::<T>::random(rows_b, cols_b, 2);
    let mut c = Inset::<T>::random(m, n, 3);
    // Unequal tiles: those of the inner dimension are one larger.
    let tile_a = turn(trans.0, nb, nb + 1);
    let tile_b = turn(trans.1, nb + 1, nb + 2);
    let tiles = (
        a.lend(&mut flow, tile_a, Storage::Full),
        b.lend(&mut flow, tile_b, Storage::Full),
        c.lend(&mut flow, (nb, nb + 2), Storage::Full),
    );
    let (alpha, beta) = (T::from_f64(-0.5), T::from_f64(2.0));
    gemm(&mut flow, trans, alpha, &tiles.0, &tiles.1, beta, &tiles.2);
    flow.wait().expect("nothing fails");
    drop(flow);
    let what = format!("{m} {n} {k} in {nb} {trans:?}");
    a.assert_kept(|_, _| true, &what);
    b.assert_kept(|_, _| true, &what);
    c.assert_kept(|_, _| false, &what);
    let old = |i, j| T::from_f64(random_entry::<f64>(3, i, j)).to_f64();
    let expected = |i, j| {
        let sum: f64 = (0..k).map(|l| a.op(trans.0, i, l) * b.op(trans.1, l, j)).sum();
        -0.5 * sum + 2.0 * old(i, j)
    };
    assert_near::<T>((m, n), |i, j| c.at(i, j), expected, (k + 1) as f64, &what);
}

#[test]
fn gemm_multiplies_in_place() {
    for sizes in [(0, 3, 2), (3, 4, 0), (1, 1, 1), (9, 5, 13), (16, 8, 4), (70, 65, 80)] {
        for trans in Trans::ALL.iter().flat_map(|&a| Trans::ALL.iter().map(move |&b| (a, b))) {
            for nb in [1, 4, 32] {
                on_each_engine(|flow, _| multiply::<f64>(flow, trans, sizes, nb));
                on_each_engine(|flow, _| multiply::<f32>(flow, trans, sizes, nb));
            }
        }
    }
}

/// Solves and multiplies back; what the triangle does not own is NaN.
fn solve<T: Real>(flow: Flow, triangle: Triangle, n: usize, nb: usize, turned: bool) {
    let mut flow = flow;
    let Triangle { side, uplo, trans, diag } = triangle;
    let owns = |i: usize, j: usize| {
        (if uplo == Uplo::Lower { i > j } else { i < j }) || (i == j && diag == Diag::NonUnit)
    };
    let entry = |i, j| {
        T::from_f64(random_entry::<f64>(4, i, j) / n as f64 + if i == j { 2.0 } else { 0.0 })
    };
    // Where it is taken by rows, the array holds the transpose.
    let in_array = |i, j| if turned { (j, i) } else { (i, j) };
    let mut t = Inset::<T>::new(n, n, |i, j| {
        let (i, j) = in_array(i, j);
        owns(i, j).then(|| entry(i, j).to_f64())
    });
    let (m, columns) = if side == Side::Left { (n, 6) } else { (6, n) };
    let mut x = Inset::<T>::random(m, columns, 5);
    let block = if side == Side::Left { (nb, 4) } else { (4, nb) };
    let tiles = if turned {
        t.lend_turned(&mut flow, (nb, nb), Storage::Full)
    } else {
        t.lend(&mut flow, (nb, nb), Storage::Full)
    };
    let unknown = x.lend(&mut flow, block, Storage::Full);
    trsm(&mut flow, triangle, T::from_f64(1.5), &tiles, &unknown);
    flow.wait().expect("nothing fails");
    drop(flow);
    let what = format!("{triangle:?} of order {n} in {nb}, turned: {turned}");
    t.assert_kept(|_, _| true, &what);
    x.assert_kept(|_, _| false, &what);
    let whole = |i: usize, j: usize| {
        let (i, j) = if trans == Trans::No { (i, j) } else { (j, i) };
        if owns(i, j) { entry(i, j).to_f64() } else { f64::from(u8::from(i == j)) }
    };
    let back = |i, j| match side {
        Side::Left => (0..n).map(|k| whole(i, k) * x.at(k, j)).sum(),
        Side::Right => (0..n).map(|k| x.at(i, k) * whole(k, j)).sum::<f64>(),
    };
    let expected = |i, j| 1.5 * T::from_f64(random_entry::<f64>(5, i, j)).to_f64();
    assert_near::<T>((m, columns), back, expected, 4.0 * (n + 1) as f64, &what);
}

#[test]
fn trsm_solves_in_place() {
    for &(n, nb) in SIZES {
        for &side in &Side::ALL {
            for (uplo, trans) in
                Uplo::ALL.iter().flat_map(|&u| Trans::ALL.iter().map(move |&t| (u, t)))
            {
                for diag in Diag::ALL {
                    let triangle = Triangle { side, uplo, trans, diag };
                    let options = FlowOptions::default();
                    solve::<f64>(Flow::new(Sequential::new(), options), triangle, n, nb, false);
                    solve::<f64>(flow(3), triangle, n, nb, false);
                    solve::<f32>(flow(2), triangle, n, nb, true);
                }
            }
        }
    }
}

#[test]
fn a_factorised_array_solves_in_place() {
    let n = 50;
    let mut flow = flow(3);
    let entry = |i, j| random_entry::<f64>(2, i, j) + if i == j { 2.0 * n as f64 } else { 0.0 };
    let mut a = Inset::<f64>::new(n, n, |i, j| Some(entry(i, j)));
    let mut x = Inset::<f64>::random(n, 3, 7);
    let (tiles, unknown) =
        (a.lend(&mut flow, (9, 9), Storage::Full), x.lend(&mut flow, (9, 2), Storage::Full));
    getrf_nopiv(&mut flow, &tiles);
    let (side, trans) = (Side::Left, Trans::No);
    let lower = Triangle { side, uplo: Uplo::Lower, trans, diag: Diag::Unit };
    let upper = Triangle { side, uplo: Uplo::Upper, trans, diag: Diag::NonUnit };
    trsm(&mut flow, lower, 1.0, &tiles, &unknown);
    trsm(&mut flow, upper, 1.0, &tiles, &unknown);
    flow.wait().expect("it is dominated by its diagonal");
    drop(flow);
    let back = |i, j| (0..n).map(|k| entry(i, k) * x.at(k, j)).sum();
    let scale = 4.0 * (n + 1) as f64;
    assert_near::<f64>((n, 3), back, |i, j| random_entry::<f64>(7, i, j), scale, "LU");
}

#[test]
#[should_panic(expected = "no slice")]
fn gathering_is_refused() {
    let mut flow = flow(1);
    let mut a = Inset::<f64>::random(9, 9, 1);
    let tiles = a.lend(&mut flow, (4, 4), Storage::Full);
    let _ = tiles.gather(&mut flow, &mut [0.0; 81], Order::ColumnMajor { ld: 9 });
}

#[test]
#[should_panic(expected = "leading dimension 8 is less than 9")]
fn a_leading_dimension_below_the_rows_is_refused() {
    let mut flow = flow(1);
    let mut array = [0.0; 81];
    let order = Order::ColumnMajor { ld: 8 };
    // SAFETY: the array outlives the flow and is let alone.
    let _ = unsafe {
        TileMatrix::lent(&mut flow, array.as_mut_ptr(), order, (9, 9), (4, 4), Storage::Full)
    };
}
