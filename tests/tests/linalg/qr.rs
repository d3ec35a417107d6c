//! QR and LQ factorisations against plain products, as LAPACK's testers check them: in units of
//! rounding, over shapes, tilings, precisions, engines, and on parts of larger arrays.
#![allow(unsafe_code)]

use tegula_kernels::error::NumericalError;
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{gelqf, gels, gels_blocks, geqrf, orglq, orgqr, ormlq, ormqr};
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_tests::dense::Dense;
use tegula_tests::flow;
use tegula_tiles::{Order, Storage, TileMatrix, random_entry};

/// A matrix on tiles: the flow's own, or part of an array, with NaN around it.
struct Tiled<T> {
    tiles: TileMatrix<T>,
    array: Option<Vec<T>>,
}

/// Lines of the array beside those of the matrix.
const BESIDE: usize = 3;

impl<T: Scalar> Tiled<T> {
    fn new(flow: &mut Flow, a: &Dense<T>, tile: (usize, usize), is_lent: bool) -> Self {
        let (m, n) = (a.m, a.n);
        if !is_lent {
            let tiles = TileMatrix::new(flow, (m, n), tile, Storage::Full);
            tiles.fill_with(flow, |i, j| a.at(i, j)).expect("memory");
            return Self { tiles, array: None };
        }
        let ld = m + BESIDE;
        let mut array = vec![T::NAN; ld * n.max(1)];
        for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
            array[1 + i + j * ld] = a.at(i, j);
        }
        let order = Order::ColumnMajor { ld };
        let first = array.as_mut_ptr().wrapping_add(1);
        // SAFETY: the part lies in the array, which is let alone until the flow has ended.
        let tiles = unsafe { TileMatrix::lent(flow, first, order, (m, n), tile, Storage::Full) };
        Self { tiles, array: Some(array) }
    }

    /// What the tasks have left; checks that nothing else was written.
    fn read(&self, flow: &mut Flow) -> Dense<T> {
        let (m, n) = (self.tiles.m(), self.tiles.n());
        let Some(array) = &self.array else {
            let mut array = vec![T::ZERO; m * n];
            let order = Order::ColumnMajor { ld: m.max(1) };
            self.tiles.gather(flow, &mut array, order).expect("nothing fails");
            return Dense { m, n, entries: array };
        };
        flow.wait().expect("nothing fails");
        // SAFETY: the tasks have ended; the array was written through pointers into it.
        let entry = |place: usize| unsafe { array.as_ptr().add(place).read_volatile() };
        let ld = m + BESIDE;
        for place in (0..array.len()).filter(|place| !(1..=m).contains(&(place % ld))) {
            assert!(entry(place).re() != entry(place).re(), "place {place} was written");
        }
        Dense::new(m, n, |i, j| entry(1 + i + j * ld))
    }
}

/// One problem: shape, width of blocks, and where it runs.
#[derive(Clone, Copy, Debug)]
struct Case {
    storev: Storev,
    m: usize,
    n: usize,
    nb: usize,
    workers: usize,
    is_lent: bool,
}

impl Case {
    fn flow(self) -> Flow {
        match self.workers {
            0 => Flow::new(Sequential::new(), FlowOptions::default()),
            workers => flow(workers),
        }
    }

    fn tile(self) -> (usize, usize) {
        match self.storev {
            Storev::Columns => (self.m.max(1), self.nb),
            Storev::Rows => (self.nb, self.n.max(1)),
        }
    }

    fn count(self) -> usize {
        self.m.min(self.n)
    }

    fn tau<T: Scalar>(self, flow: &mut Flow, count: usize) -> TileMatrix<T> {
        TileMatrix::panel(flow, (count, 1), self.nb)
    }

    /// Size along which the reflectors run.
    fn order(self) -> usize {
        if self.storev == Storev::Columns { self.m } else { self.n }
    }
}

/// The factors of `a`: the triangle, and the array and `tau` that hold `Q`.
fn factors<T: Scalar>(case: Case, a: &Dense<T>) -> (Dense<T>, Dense<T>, Dense<T>) {
    let mut flow = case.flow();
    let tiled = Tiled::new(&mut flow, a, case.tile(), case.is_lent);
    let tau = Tiled::new(
        &mut flow,
        &Dense::new(case.count(), 1, |_, _| T::NAN),
        (case.nb, 1),
        case.is_lent,
    );
    match case.storev {
        Storev::Columns => geqrf(&mut flow, &tiled.tiles, &tau.tiles),
        Storev::Rows => gelqf(&mut flow, &tiled.tiles, &tau.tiles),
    }
    let (array, tau) = (tiled.read(&mut flow), tau.read(&mut flow));
    let k = case.count();
    let triangle = match case.storev {
        Storev::Columns => {
            Dense::new(k, case.n, |i, j| if i <= j { array.at(i, j) } else { T::ZERO })
        }
        Storev::Rows => Dense::new(case.m, k, |i, j| if i >= j { array.at(i, j) } else { T::ZERO }),
    };
    (triangle, array, tau)
}

/// The first columns (rows) of `Q`, `lines` of them, from the first `count` reflectors.
fn formed<T: Scalar>(
    case: Case,
    (array, tau): (&Dense<T>, &Dense<T>),
    lines: usize,
    count: usize,
) -> Dense<T> {
    let case = match case.storev {
        Storev::Columns => Case { n: lines, ..case },
        Storev::Rows => Case { m: lines, ..case },
    };
    let mut flow = case.flow();
    let entry = |i, j| if i < array.m && j < array.n { array.at(i, j) } else { T::NAN };
    let padded = Dense::new(case.m, case.n, entry);
    let tiled = Tiled::new(&mut flow, &padded, case.tile(), case.is_lent);
    let factors = case.tau::<T>(&mut flow, count);
    factors.fill_with(&mut flow, |i, _| tau.at(i, 0)).expect("memory");
    match case.storev {
        Storev::Columns => orgqr(&mut flow, &tiled.tiles, &factors),
        Storev::Rows => orglq(&mut flow, &tiled.tiles, &factors),
    }
    tiled.read(&mut flow)
}

/// `C` multiplied by `op(Q)`.
fn multiplied<T: Scalar>(
    case: Case,
    (array, tau): (&Dense<T>, &Dense<T>),
    (side, trans): (Side, Trans),
    c: &Dense<T>,
) -> Dense<T> {
    let mut flow = case.flow();
    let tiled = Tiled::new(&mut flow, array, case.tile(), case.is_lent);
    let factors = case.tau::<T>(&mut flow, tau.m);
    factors.fill_with(&mut flow, |i, _| tau.at(i, 0)).expect("memory");
    let tile = if side == Side::Left { (c.m.max(1), 3) } else { (3, c.n.max(1)) };
    let c = Tiled::new(&mut flow, c, tile, case.is_lent);
    match case.storev {
        Storev::Columns => ormqr(&mut flow, side, trans, &tiled.tiles, &factors, &c.tiles),
        Storev::Rows => ormlq(&mut flow, side, trans, &tiled.tiles, &factors, &c.tiles),
    }
    c.read(&mut flow)
}

/// LAPACK's `qrt01` to `qrt03`: `A - Q R`, `I - Q^H Q`, products with `Q` on both sides.
fn check<T: Scalar>(case: Case) {
    let what = format!("{}{case:?}", T::PRECISION.letter());
    let Case { m, n, .. } = case;
    let (order, k) = (case.order(), case.count());
    let a = Dense::<T>::random(m, n, 7);
    let (triangle, array, tau) = factors(case, &a);
    let stored = (&array, &tau);
    let whole = formed(case, stored, order, k);
    let gram = match case.storev {
        Storev::Columns => whole.adjoint().times(&whole),
        Storev::Rows => whole.times(&whole.adjoint()),
    };
    gram.assert_near(&Dense::identity(order, order), order as f64, &format!("{what} Q'Q"));
    let product = match case.storev {
        Storev::Columns => whole.part(m, k).times(&triangle),
        Storev::Rows => triangle.times(&whole.part(k, n)),
    };
    product.assert_near(&a, a.norm() * m.max(n) as f64, &format!("{what} A - QR"));
    let some = formed(case, stored, k, k);
    some.assert_near(&whole.part(some.m, some.n), order as f64, &format!("{what} some"));
    let few = k / 2;
    let fewer = Dense { m: few, n: 1, entries: tau.entries[..few].to_vec() };
    let product_of_few = formed(case, (&array, &fewer), order, few);
    for side in Side::ALL {
        for trans in [Trans::No, Trans::Conj] {
            let (rows, cols) = if side == Side::Left { (order, 5) } else { (5, order) };
            let c = Dense::<T>::random(rows, cols, 9);
            for (tau, q) in [(&tau, &whole), (&fewer, &product_of_few)] {
                let got = multiplied(case, (&array, tau), (side, trans), &c);
                let q = q.op(trans);
                let expected = if side == Side::Left { q.times(&c) } else { c.times(&q) };
                let scale = c.norm().max(1.0) * order as f64;
                got.assert_near(&expected, scale, &format!("{what} {side:?} {trans:?}"));
            }
        }
    }
}

/// Rows, columns, width of blocks: empty, single, flat, square, tall; blocks that divide or not.
const SHAPES: &[(usize, usize, usize)] = &[
    (0, 0, 4),
    (0, 3, 4),
    (3, 0, 4),
    (1, 1, 4),
    (1, 6, 4),
    (6, 1, 4),
    (4, 4, 4),
    (5, 9, 4),
    (9, 5, 4),
    (12, 8, 4),
    (23, 23, 7),
    (40, 13, 20),
    (13, 40, 5),
    (45, 44, 17),
];

fn check_all<T: Scalar>() {
    for &(m, n, nb) in SHAPES {
        for storev in Storev::ALL {
            for (workers, is_lent) in [(0, false), (1, true), (3, false), (3, true)] {
                check::<T>(Case { storev, m, n, nb, workers, is_lent });
            }
        }
    }
}

#[test]
fn factors_multiply_back_in_real_precisions() {
    check_all::<f64>();
    check_all::<f32>();
}

#[test]
fn factors_multiply_back_in_complex_precisions() {
    check_all::<c64>();
    check_all::<c32>();
}

#[test]
fn large_panels_too() {
    for storev in Storev::ALL {
        let case = Case { storev, m: 150, n: 130, nb: 48, workers: 2, is_lent: true };
        check::<f64>(case);
        check::<c32>(case);
    }
}

/// Columns of zeros, equal columns, no rank at all.
#[test]
fn matrices_without_full_rank_have_factors() {
    fn factorise<T: Scalar>(storev: Storev, entry: impl Fn(usize, usize) -> T) {
        let case = Case { storev, m: 19, n: 14, nb: 5, workers: 2, is_lent: false };
        let a = Dense::new(19, 14, entry);
        let (triangle, array, tau) = factors(case, &a);
        let q = formed(case, (&array, &tau), case.order(), 14);
        let product = match storev {
            Storev::Columns => q.part(19, 14).times(&triangle),
            Storev::Rows => triangle.times(&q),
        };
        product.assert_near(&a, a.norm().max(f64::MIN_POSITIVE) * 19.0, "A - QR without rank");
    }
    for storev in Storev::ALL {
        factorise::<f64>(storev, |_, _| 0.0);
        factorise::<c64>(
            storev,
            |i, j| {
                if j % 3 == 1 { c64::ZERO } else { random_entry(3, i, j % 5) }
            },
        );
        factorise::<f32>(storev, |i, _| random_entry(3, i, 0));
    }
}

#[test]
fn numbers_whose_squares_leave_the_range_have_factors() {
    for scale in [1e-300, 1e300] {
        let case = Case { storev: Storev::Columns, m: 9, n: 7, nb: 3, workers: 0, is_lent: false };
        let a = Dense::<f64>::new(9, 7, |i, j| scale * random_entry::<f64>(3, i, j));
        let (r, array, tau) = factors(case, &a);
        let q = formed(case, (&array, &tau), 9, 7);
        let back = q.part(9, 7).times(&Dense::new(7, 7, |i, j| r.at(i, j) / scale));
        back.assert_near(&Dense::random(9, 7, 3), 9.0 * 9.0, &format!("times {scale}"));
    }
}

#[test]
fn nan_and_infinity_do_not_hang() {
    for value in [f64::NAN, f64::INFINITY] {
        for place in [(0, 0), (8, 3), (3, 9)] {
            let case =
                Case { storev: Storev::Columns, m: 12, n: 10, nb: 4, workers: 2, is_lent: false };
            let a = Dense::new(
                12,
                10,
                |i, j| {
                    if (i, j) == place { value } else { random_entry(3, i, j) }
                },
            );
            let (r, ..) = factors(case, &a);
            assert!(r.entries.iter().any(|x| x.is_nan()), "{value} at {place:?} is lost");
        }
    }
}

/// Least squares: `A^H (A X - B)` is zero. Least norm: `A X = B`, and `X = A^H Z`.
fn solve<T: Scalar>(m: usize, n: usize, nb: usize, trans: Trans, is_lent: bool) {
    let case = Case { storev: gels_blocks(m, n), m, n, nb, workers: 2, is_lent };
    let what = format!("{}gels {case:?} {trans:?}", T::PRECISION.letter());
    let mut flow = case.flow();
    let a = Dense::<T>::random(m, n, 3);
    let op = a.op(trans);
    let nrhs = 4;
    let rhs = Dense::<T>::random(op.m, nrhs, 4);
    let padded = Dense::new(m.max(n), nrhs, |i, j| if i < op.m { rhs.at(i, j) } else { T::NAN });
    let tiled = Tiled::new(&mut flow, &a, case.tile(), is_lent);
    let tau = case.tau::<T>(&mut flow, case.count());
    let b = Tiled::new(&mut flow, &padded, (m.max(n).max(1), 3), is_lent);
    gels(&mut flow, trans, &tiled.tiles, &tau, &b.tiles);
    let x = b.read(&mut flow).part(op.n, nrhs);
    let left = op.times(&x);
    let residual = Dense::new(op.m, nrhs, |i, j| left.at(i, j) - rhs.at(i, j));
    let scale = a.norm().max(1.0) * x.norm().max(rhs.norm()).max(1.0) * (m + n) as f64;
    if op.m > op.n {
        let normal = op.adjoint().times(&residual);
        let zero = Dense::new(op.n, nrhs, |_, _| T::ZERO);
        normal.assert_near(&zero, scale * a.norm().max(1.0), &what);
    } else {
        let zero = Dense::new(op.m, nrhs, |_, _| T::ZERO);
        residual.assert_near(&zero, scale, &what);
        // The part of X outside the range of A^H: what is left after projecting on the rows of Q.
        let case = Case { storev: Storev::Rows, m: op.m, n: op.n, ..case };
        let (_, array, tau) = factors(case, &op);
        let q = formed(case, (&array, &tau), op.m, op.m);
        q.adjoint().times(&q.times(&x)).assert_near(&x, scale, &what);
    }
}

#[test]
fn gels_solves() {
    for &(m, n, nb) in SHAPES {
        for trans in [Trans::No, Trans::Conj] {
            for is_lent in [false, true] {
                solve::<f64>(m, n, nb, trans, is_lent);
                solve::<f32>(m, n, nb, trans, is_lent);
                solve::<c64>(m, n, nb, trans, is_lent);
                solve::<c32>(m, n, nb, trans, is_lent);
            }
        }
    }
}

#[test]
fn gels_names_the_first_zero_of_the_triangle() {
    for (m, n) in [(12, 9), (9, 12)] {
        let storev = gels_blocks(m, n);
        let case = Case { storev, m, n, nb: 4, workers: 2, is_lent: false };
        let mut flow = case.flow();
        // Zero columns (rows) 3 and 7 stay exactly zero under reflections.
        let a = Dense::new(m, n, |i, j| {
            let line = if m >= n { j } else { i };
            if line == 3 || line == 7 { 0.0 } else { random_entry(3, i, j) }
        });
        let tiled = Tiled::new(&mut flow, &a, case.tile(), false);
        let tau = case.tau::<f64>(&mut flow, 9);
        let b = Tiled::new(&mut flow, &Dense::random(12, 5, 1), (12, 2), false);
        gels(&mut flow, Trans::No, &tiled.tiles, &tau, &b.tiles);
        let error = flow.wait().expect_err("not of full rank");
        let expected = NumericalError::SingularTriangle { index: 4 };
        assert_eq!(error.kernel_error(), Some(&expected));
    }
}
