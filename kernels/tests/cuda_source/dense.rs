//! Sums, fillings, panels and triangles from the CUDA source against the reference loops.

use libloading::Library;
use tegula_kernels::kernel::column_squares::ColumnSquares;
use tegula_kernels::kernel::dot::Dot;
use tegula_kernels::kernel::getrf_nopiv::GetrfNopiv;
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::logdet::LogDet;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::scalar::Real;
use tegula_kernels::tile::{TileMut, TileRef};

use crate::played;

pub(crate) fn close<T: Real>(got: T, expected: T, size: f64) -> bool {
    (got.to_f64() - expected.to_f64()).abs() <= 16.0 * T::EPSILON.to_f64() * size
}

fn sums<T: Real>(library: &Library, random: &mut RandomInputs) {
    for n in [0, 1, 7, 8, 100] {
        let (x, y) = (random.numbers::<T>(n), random.numbers::<T>(n));
        let (mut got, mut expected) = (0.25, 0.25);
        Dot::new(n).reference(&x, &y, &mut expected);
        call!(
            library,
            b"call_dot",
            (u64, *const T, *const T, *mut f64),
            (n as u64, x.as_ptr(), y.as_ptr(), &mut got)
        );
        assert!(close(got, expected, 1.0 + n as f64), "dot of {n}: {got}, not {expected}");

        let a = random.numbers::<T>(n * 3);
        let mut expected = random.numbers::<T>(3);
        let mut got = expected.clone();
        ColumnSquares::new(n, 3).reference(TileRef::new(&a, n, 3), &mut expected);
        call!(
            library,
            b"call_column_squares",
            (u64, u64, *const T, *mut T),
            (n as u64, 3, a.as_ptr(), got.as_mut_ptr())
        );
        let is_close = got.iter().zip(&expected).all(|(&x, &y)| close(x, y, 1.0 + n as f64));
        assert!(is_close, "columns of {n}: {got:?}, not {expected:?}");
    }
}

fn logarithms<T: Real>(library: &Library, random: &mut RandomInputs) {
    let n = 21;
    for bad in [None, Some((3, 0.0)), Some((20, f64::NAN)), Some((0, f64::INFINITY))] {
        let mut a = random.dominant::<T>(n);
        let place = |i: usize| i * (n + 1);
        bad.iter().for_each(|&(i, value)| a[place(i)] = T::from_f64(value));
        let (mut got, mut expected, mut verdict) = (0.25, 0.25, -1);
        let reference =
            LogDet::<T>::cholesky(n, 0).reference(TileRef::new(&a, n, n), &mut expected);
        call!(
            library,
            b"call_logdet",
            (u64, *const T, f64, *mut f64, *mut i32),
            (n as u64, a.as_ptr(), 2.0, &mut got, &mut verdict)
        );
        assert!(close(got, expected, 50.0), "{bad:?}: {got}, not {expected}");
        assert_eq!(verdict, bad.map_or(0, |(i, _)| i as i32 + 1), "{bad:?}");
        assert_eq!(reference.is_err(), bad.is_some());
    }
}

fn pivots<T: Real>(library: &Library, random: &mut RandomInputs) {
    let n = 21;
    let verdicts = |a: &[T], before: i32| {
        let (mut pivot, mut zero) = (before, -1);
        call!(
            library,
            b"call_find_bad_pivot",
            (u64, *const T, *mut i32),
            (n as u64, a.as_ptr(), &mut pivot)
        );
        call!(
            library,
            b"call_find_zero",
            (u64, *const T, u64, *mut i32),
            (n as u64, a.as_ptr(), n as u64, &mut zero)
        );
        (pivot, zero)
    };
    let mut a = random.dominant::<T>(n);
    assert_eq!(verdicts(&a, 0), (0, 0));
    assert_eq!(verdicts(&a, 5), (5, 0), "what the library found stays");
    a[9 * (n + 1)] = T::ZERO;
    assert_eq!(verdicts(&a, 0), (10, 10));
    assert_eq!(verdicts(&a, 5), (5, 10), "the first counts");
    a[2 * (n + 1)] = T::NAN;
    assert_eq!(verdicts(&a, 5), (3, 10), "the first counts");
}

fn panels<T: Real>(library: &Library, random: &mut RandomInputs) {
    for (m, n, bad) in [(8, 8, None), (30, 7, None), (9, 9, Some(4)), (1, 1, Some(0))] {
        let ld = m + 2;
        let mut expected = random.numbers::<T>(ld * n);
        let mut put = |i: usize, value| expected[i * (ld + 1)] = T::from_f64(value);
        (0..m.min(n)).for_each(|i| put(i, 20.0 + i as f64));
        if let Some(bad) = bad {
            (0..n).for_each(|j| expected[bad + j * ld] = T::ZERO);
        }
        let (mut got, mut verdict) = (expected.clone(), 0);
        let tile = TileMut::with_ld(&mut expected, m, n, ld);
        let reference = GetrfNopiv::new(m, n, 0).reference(tile);
        call!(
            library,
            b"call_factor_panel",
            (u64, u64, *mut T, u64, u64, *mut i32),
            (m as u64, n as u64, got.as_mut_ptr(), ld as u64, 100, &mut verdict)
        );
        assert_eq!(verdict, bad.map_or(0, |bad| 101 + bad as i32), "{m} x {n}");
        assert_eq!(reference.is_err(), bad.is_some());
        let is_close = got.iter().zip(&expected).all(|(&x, &y)| close(x, y, 30.0));
        assert!(is_close || bad.is_some(), "{m} x {n}: {got:?}, not {expected:?}");
    }
}

fn tiles<T: Real>(library: &Library, random: &mut RandomInputs) {
    for (m, n) in [(1, 1), (5, 3), (4, 11)] {
        let (off, on) = (random.number::<T>(), random.number::<T>());
        let (mut got, mut expected) = (vec![T::NAN; m * n], vec![T::NAN; m * n]);
        let laset = Laset { m, n, off_diagonal: off, diagonal: on };
        laset.reference(TileMut::new(&mut expected, m, n));
        call!(
            library,
            b"call_laset",
            (u64, u64, T, T, *mut T),
            (m as u64, n as u64, off, on, got.as_mut_ptr())
        );
        assert_eq!(got, expected, "{m} x {n}");
    }
    let n = 6;
    let a = random.numbers::<T>(n * n);
    for (lower, unit) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let counts = |i: usize, j: usize| if lower == 1 { i > j } else { i < j };
        let mut full = vec![T::NAN; n * n];
        call!(
            library,
            b"call_take_triangle",
            (u64, *const T, *mut T, i32, i32),
            (n as u64, a.as_ptr(), full.as_mut_ptr(), lower, unit)
        );
        let (mut kept, mut back) = (vec![T::ZERO; n * n], vec![T::ZERO; n * n]);
        for (verdict, into) in [(1, &mut kept), (0, &mut back)] {
            call!(
                library,
                b"call_put_triangle",
                (u64, *const T, *mut T, i32, i32, *const i32),
                (n as u64, full.as_ptr(), into.as_mut_ptr(), lower, unit, &verdict)
            );
        }
        for (place, &entry) in a.iter().enumerate() {
            let (i, j) = (place % n, place / n);
            let (stored, diagonal) = (counts(i, j), i == j);
            let on = if unit == 1 { T::ONE } else { entry };
            let whole = if stored { entry } else { T::ZERO };
            assert_eq!(full[place], if diagonal { on } else { whole }, "({i}, {j})");
            let is_put = stored || diagonal && unit == 0;
            assert_eq!(back[place], if is_put { entry } else { T::ZERO }, "({i}, {j})");
            assert_eq!(kept[place], T::ZERO, "a verdict keeps the tile");
        }
    }
}

fn check_all<T: Real>() {
    let Some(library) = played::<T>() else { return };
    let mut random = RandomInputs::new(7);
    sums::<T>(&library, &mut random);
    logarithms::<T>(&library, &mut random);
    pivots::<T>(&library, &mut random);
    panels::<T>(&library, &mut random);
    tiles::<T>(&library, &mut random);
}

#[test]
fn sums_and_tiles_in_double_precision_equal_the_reference() {
    check_all::<f64>();
}

#[test]
fn sums_and_tiles_in_single_precision_equal_the_reference() {
    check_all::<f32>();
}
