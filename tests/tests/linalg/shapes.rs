//! The tiled algorithms on small matrices of every awkward shape, against plain loops.

use tegula_kernels::error::NumericalError;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::residual::{THRESHOLD, solve_residual};
use tegula_linalg::{Triangle, gemm, getrf_nopiv, potrf, potrs, trsm};
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::POLICIES;
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_tests::flow;
use tegula_tiles::{Order, Storage, TileMatrix, random_entry, random_spd_entry};

/// A plain column-major matrix.
#[derive(Clone, Debug)]
struct Plain {
    m: usize,
    n: usize,
    entries: Vec<f64>,
}

impl Plain {
    fn new(m: usize, n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let entries = (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|(i, j)| entry(i, j));
        Self { m, n, entries: entries.collect() }
    }

    fn random(m: usize, n: usize, seed: u64) -> Self {
        Self::new(m, n, |i, j| random_entry(seed, i, j))
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i + j * self.m]
    }

    fn op(&self, trans: Trans) -> Self {
        match trans {
            Trans::No => self.clone(),
            Trans::Yes | Trans::Conj => Self::new(self.n, self.m, |i, j| self.at(j, i)),
        }
    }

    fn times(&self, other: &Self) -> Self {
        Self::new(self.m, other.n, |i, j| (0..self.n).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }

    /// As tiles in precision `T`.
    fn tiles<T: Real>(&self, flow: &mut Flow, (mb, nb): (usize, usize)) -> TileMatrix<T> {
        let matrix = TileMatrix::new(flow, (self.m, self.n), (mb, nb), Storage::Full);
        let array: Vec<T> = self.entries.iter().map(|&x| T::from_f64(x)).collect();
        matrix
            .scatter(flow, &array, Order::ColumnMajor { ld: self.m.max(1) })
            .expect("nothing ran yet");
        matrix
    }

    fn from_tiles<T: Real>(flow: &mut Flow, matrix: &TileMatrix<T>) -> Self {
        let (m, n) = (matrix.m(), matrix.n());
        // Row-major on the way back, so that both orders are used.
        let mut array = vec![T::ZERO; m * n];
        matrix
            .gather(flow, &mut array, Order::RowMajor { ld: n.max(1) })
            .expect("the tasks succeed");
        Self::new(m, n, |i, j| array[i * n + j].to_f64())
    }

    /// Largest difference, relative to `scale` and in units of `T`'s rounding.
    #[track_caller]
    fn assert_near<T: Real>(&self, other: &Self, scale: f64, what: &str) {
        assert_eq!((self.m, self.n), (other.m, other.n), "{what}");
        for (x, y) in self.entries.iter().zip(&other.entries) {
            let error = (x - y).abs() / (scale * T::EPSILON.to_f64());
            assert!(error <= THRESHOLD, "{what}: {x} against {y}: {error:.1} units");
        }
    }
}

/// Orders and tile sizes: empty, one, less than a tile, just so, one more, many.
const SIZES: &[(usize, usize)] =
    &[(0, 4), (1, 4), (3, 4), (4, 4), (5, 4), (23, 4), (40, 7), (33, 64)];

fn potrf_and_potrs<T: Real>() {
    for &(n, nb) in SIZES {
        for workers in [1, 3] {
            let mut flow = flow(workers);
            let entry = |i, j| random_spd_entry(5, n, i, j);
            let a = TileMatrix::<T>::lower(&mut flow, n, nb);
            a.fill_with(&mut flow, |i, j| T::from_f64(entry(i, j))).expect("memory");
            let x = Plain::random(n, 3, 8);
            let b = Plain::new(n, n, entry).times(&x);
            let rhs = b.tiles::<T>(&mut flow, (nb, 2));
            potrf(&mut flow, &a);
            potrs(&mut flow, &a, &rhs);
            let solved = Plain::from_tiles(&mut flow, &rhs);
            for column in 0..3 {
                let x: Vec<T> = (0..n).map(|i| T::from_f64(solved.at(i, column))).collect();
                let b: Vec<f64> = (0..n).map(|i| T::from_f64(b.at(i, column)).to_f64()).collect();
                let residual = solve_residual(|i, j| T::from_f64(entry(i, j)).to_f64(), &x, &b);
                assert!(residual < THRESHOLD, "order {n} in {nb}: {residual}");
            }
        }
    }
}

#[test]
fn potrf_solves() {
    potrf_and_potrs::<f64>();
    potrf_and_potrs::<f32>();
}

#[test]
fn the_order_of_the_minor_is_that_of_the_matrix() {
    for (order, nb) in [(1, 4), (4, 4), (5, 4), (17, 4), (17, 64)] {
        let mut flow = flow(2);
        let a = TileMatrix::<f64>::lower(&mut flow, 20, nb);
        let entry = |i: usize, j: usize| {
            f64::from(u8::from(i == j)) * if i + 1 >= order { -1.0 } else { 1.0 }
        };
        a.fill_with(&mut flow, entry).expect("memory");
        potrf(&mut flow, &a);
        let error = flow.wait().expect_err("not positive definite");
        assert_eq!(error.kernel_error(), Some(&NumericalError::NotPositiveDefinite { order }));
        // The same flow goes on; a pivot that is not a number fails too.
        let entry = |i, j| if (i, j) == (19, 19) { f64::NAN } else { f64::abs(entry(i, j)) };
        a.fill_with(&mut flow, entry).expect("the failure was told");
        potrf(&mut flow, &a);
        let error = flow.wait().expect_err("NaN");
        assert_eq!(error.kernel_error(), Some(&NumericalError::NotPositiveDefinite { order: 20 }));
    }
}

#[test]
fn getrf_nopiv_factorises_any_shape() {
    for &(n, nb) in SIZES {
        for m in [n, n + 3, n.saturating_sub(3)] {
            let mut flow = flow(3);
            let a = Plain::new(m, n, |i, j| {
                random_entry::<f64>(2, i, j) + if i == j { 2.0 * m.max(n) as f64 } else { 0.0 }
            });
            let tiles = a.tiles::<f64>(&mut flow, (nb, nb));
            getrf_nopiv(&mut flow, &tiles);
            let lu = Plain::from_tiles(&mut flow, &tiles);
            let k = m.min(n);
            let l = Plain::new(m, k, |i, j| {
                if i == j {
                    1.0
                } else if i > j {
                    lu.at(i, j)
                } else {
                    0.0
                }
            });
            let u = Plain::new(k, n, |i, j| if i <= j { lu.at(i, j) } else { 0.0 });
            let scale = 2.0 * m.max(n) as f64 * (k.max(1) as f64);
            l.times(&u).assert_near::<f64>(&a, scale, &format!("{m} x {n} in {nb}"));
        }
    }
}

#[test]
fn a_zero_pivot_is_named() {
    let mut flow = flow(2);
    let a = Plain::new(9, 9, |i, j| if i == j && i != 6 { 1.0 } else { 0.0 });
    let tiles = a.tiles::<f64>(&mut flow, (4, 4));
    getrf_nopiv(&mut flow, &tiles);
    let error = flow.wait().expect_err("singular");
    assert_eq!(error.kernel_error(), Some(&NumericalError::SingularPivot { index: 7 }));
}

fn product<T: Real>(m: usize, n: usize, k: usize, nb: usize) {
    for trans_a in Trans::ALL {
        for trans_b in Trans::ALL {
            let mut flow = flow(2);
            let (a, b) = (Plain::random(m, k, 1), Plain::random(k, n, 2));
            let c = Plain::random(m, n, 3);
            let tiles = (
                a.op(trans_a).tiles::<T>(&mut flow, (nb, nb)),
                b.op(trans_b).tiles::<T>(&mut flow, (nb, nb)),
                c.tiles::<T>(&mut flow, (nb, nb)),
            );
            let (alpha, beta) = (T::from_f64(-0.5), T::from_f64(2.0));
            gemm(&mut flow, (trans_a, trans_b), alpha, &tiles.0, &tiles.1, beta, &tiles.2);
            let expected = a.times(&b);
            let expected = Plain::new(m, n, |i, j| -0.5 * expected.at(i, j) + 2.0 * c.at(i, j));
            let got = Plain::from_tiles(&mut flow, &tiles.2);
            got.assert_near::<T>(
                &expected,
                (k + 1) as f64,
                &format!("{m} {n} {k} {trans_a:?} {trans_b:?}"),
            );
        }
    }
}

#[test]
fn gemm_multiplies() {
    for (m, n, k) in [(0, 3, 2), (3, 4, 0), (1, 1, 1), (9, 5, 13), (16, 8, 4)] {
        product::<f64>(m, n, k, 4);
        product::<f32>(m, n, k, 4);
    }
}

#[test]
fn trsm_solves_from_both_sides() {
    for &(n, nb) in SIZES {
        for side in Side::ALL {
            for uplo in Uplo::ALL {
                for trans in Trans::ALL {
                    for diag in Diag::ALL {
                        solve(Triangle { side, uplo, trans, diag }, n, nb);
                    }
                }
            }
        }
    }
}

/// Solves `op(T) X = alpha B` or `X op(T) = alpha B` and multiplies back. What the triangle does
/// not own is NaN, so that reading it shows.
fn solve(triangle: Triangle, n: usize, nb: usize) {
    let Triangle { side, uplo, trans, diag } = triangle;
    let mut flow = flow(2);
    let owns = |i: usize, j: usize| match uplo {
        Uplo::Lower => i > j,
        Uplo::Upper => i < j,
    } || (i == j && diag == Diag::NonUnit);
    let entry = |i: usize, j: usize| {
        random_entry::<f64>(4, i, j) / n as f64 + if i == j { 2.0 } else { 0.0 }
    };
    let t = Plain::new(n, n, |i, j| if owns(i, j) { entry(i, j) } else { f64::NAN });
    let whole =
        Plain::new(n, n, |i, j| if owns(i, j) { entry(i, j) } else { f64::from(u8::from(i == j)) });
    let (m, columns) = if side == Side::Left { (n, 6) } else { (6, n) };
    let b = Plain::random(m, columns, 5);
    let block = if side == Side::Left { (nb, 4) } else { (4, nb) };
    let (t, x) = (t.tiles::<f64>(&mut flow, (nb, nb)), b.tiles::<f64>(&mut flow, block));
    trsm(&mut flow, triangle, 1.5, &t, &x);
    let x = Plain::from_tiles(&mut flow, &x);
    let whole = whole.op(trans);
    let back = if side == Side::Left { whole.times(&x) } else { x.times(&whole) };
    let expected = Plain::new(b.m, b.n, |i, j| 1.5 * b.at(i, j));
    back.assert_near::<f64>(
        &expected,
        4.0 * (n + 1) as f64,
        &format!("{triangle:?} of order {n} in {nb}"),
    );
}

#[test]
fn every_engine_and_policy_runs_the_same_tasks() {
    let model = WorkerModel { gflops: 50.0, gbytes_per_second: 10.0, overhead_seconds: 1e-6 };
    let count = |mut flow: Flow| {
        let a = TileMatrix::<f64>::lower(&mut flow, 100, 10);
        potrf(&mut flow, &a);
        let _ = flow.wait();
        flow.take_trace().records.len()
    };
    // 10 potrf, 45 trsm, 45 syrk, 120 gemm.
    assert_eq!(count(Flow::new(Sequential::new(), FlowOptions::default())), 220);
    for policy in POLICIES {
        let sim = Sim::new(SimOptions::new(Machine::cores(3), vec![model], policy));
        assert_eq!(count(Flow::new(sim, FlowOptions::default())), 220, "{}", policy.name);
    }
}
