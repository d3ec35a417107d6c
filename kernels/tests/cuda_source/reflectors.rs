//! Panels of reflectors from the CUDA source against the reference loops, and copies of what of
//! them counts.

use std::marker::PhantomData;

use libloading::Library;
use tegula_kernels::kernel::geqrt::Geqrt;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::tpqrt::Tpqrt;
use tegula_kernels::option::{Below, Storev};
use tegula_kernels::scalar::Real;
use tegula_kernels::tile::TileMut;

use crate::dense::close;
use crate::played;

/// All are close, in units of `size`; what neither has written is NaN in both.
fn check<T: Real>(case: &str, got: &[T], expected: &[T], size: f64) {
    for (place, (&x, &y)) in got.iter().zip(expected).enumerate() {
        let same = close(x, y, size) || x.is_nan() && y.is_nan();
        assert!(same, "{case}: number {place} is {x}, not {y}");
    }
}

/// A whole panel, and multiples of it whose squares underflow or overflow.
fn panels<T: Real>(library: &Library, random: &mut RandomInputs) {
    for (m, n) in [(1, 1), (2, 1), (5, 5), (40, 9), (13, 12)] {
        let mut a = random.numbers::<T>(m * n);
        (0..n).for_each(|i| a[i * (m + 1)] = T::from_f64(2.0 * (m + n) as f64));
        let tiny = T::MIN_POSITIVE / T::EPSILON;
        for scale in [T::ONE, tiny, T::EPSILON / T::MIN_POSITIVE] {
            let (mut expected, mut got) = (a.clone(), a.clone());
            got.iter_mut().for_each(|x| *x *= scale);
            let (mut tau, mut t) = (vec![T::NAN; n], vec![T::ZERO; n * n]);
            let (mut tau_expected, mut t_expected) = (tau.clone(), t.clone());
            let (storev, offset, scalar) = (Storev::Columns, 0, PhantomData);
            Geqrt { storev, m, n, offset, scalar }.reference(
                TileMut::new(&mut expected, m, n),
                TileMut::new(&mut tau_expected, n, 1),
                TileMut::new(&mut t_expected, n, n),
            );
            let (x, heads, ld) = (got.as_mut_ptr(), got.as_mut_ptr(), m as u64);
            call!(
                library,
                b"call_factor_columns",
                (u64, u64, *mut T, u64, *mut T, u64, i32, *mut T, *mut T, u64),
                (ld, n as u64, heads, ld, x, ld, 0, tau.as_mut_ptr(), t.as_mut_ptr(), n as u64)
            );
            let case = format!("{m} x {n} times {scale}");
            check(&case, &tau, &tau_expected, 16.0 * m as f64);
            check(&case, &t, &t_expected, 16.0 * m as f64);
            if scale == T::ONE {
                check(&case, &got, &expected, 64.0 * (m + n) as f64);
            }
        }
    }
}

/// A triangle above a tile; and above nothing, where no reflector does anything.
fn stacks<T: Real>(library: &Library, random: &mut RandomInputs) {
    for (m, n) in [(0, 3), (1, 1), (7, 5), (30, 9)] {
        let (mut r, mut b) = (random.numbers::<T>(n * n), random.numbers::<T>(m * n));
        (0..n).for_each(|i| r[i * (n + 1)] = T::from_f64(2.0 * (m + n) as f64));
        let mut t = vec![T::ZERO; n * n];
        let (mut r_expected, mut b_expected, mut t_expected) = (r.clone(), b.clone(), t.clone());
        let (below, scalar) = (Below::Square, PhantomData);
        Tpqrt { below, top: n, m, n, ib: n, scalar }.reference(
            TileMut::new(&mut r_expected, n, n),
            TileMut::new(&mut b_expected, m, n),
            TileMut::new(&mut t_expected, n, n),
        );
        let (order, ld) = (n as u64, m as u64);
        call!(
            library,
            b"call_factor_columns",
            (u64, u64, *mut T, u64, *mut T, u64, i32, *mut T, *mut T, u64),
            (
                ld,
                order,
                r.as_mut_ptr(),
                order,
                b.as_mut_ptr(),
                ld,
                1,
                std::ptr::null_mut(),
                t.as_mut_ptr(),
                order
            )
        );
        let (case, size) = (format!("{n} above {m} x {n}"), 64.0 * (m + n) as f64);
        check(&case, &r, &r_expected, size);
        check(&case, &b, &b_expected, size);
        check(&case, &t, &t_expected, size);
    }
}

fn copies<T: Real>(library: &Library, random: &mut RandomInputs) {
    let (rows, k) = (7, 4);
    let v = random.numbers::<T>(rows * k);
    for turned in [0, 1] {
        let mut w = vec![T::NAN; rows * k];
        let ld = if turned == 1 { k } else { rows };
        call!(
            library,
            b"call_take_reflectors",
            (u64, u64, *const T, u64, i32, *mut T),
            (rows as u64, k as u64, v.as_ptr(), ld as u64, turned, w.as_mut_ptr())
        );
        for (place, &entry) in w.iter().enumerate() {
            let (i, j) = (place % rows, place / rows);
            let below = v[if turned == 1 { j + i * k } else { place }];
            let beside = if i == j { T::ONE } else { T::ZERO };
            assert_eq!(entry, if i > j { below } else { beside }, "({i}, {j})");
        }
    }
    let first = 2;
    let (mut w, mut back) = (vec![T::NAN; rows * k], vec![T::NAN; rows * k]);
    let (m, n) = (rows as u64, k as u64);
    call!(
        library,
        b"call_take_trapezoid",
        (u64, u64, u64, *const T, u64, *mut T),
        (m, n, first as u64, v.as_ptr(), m, w.as_mut_ptr())
    );
    call!(
        library,
        b"call_put_trapezoid",
        (u64, u64, u64, *const T, *mut T, u64),
        (m, n, first as u64, w.as_ptr(), back.as_mut_ptr(), m)
    );
    for (place, &entry) in v.iter().enumerate() {
        let counts = place % rows <= first + place / rows;
        assert_eq!(w[place], if counts { entry } else { T::ZERO }, "number {place}");
        assert!(if counts { back[place] == entry } else { back[place].is_nan() }, "number {place}");
    }
}

fn check_all<T: Real>() {
    let Some(library) = played::<T>() else { return };
    let mut random = RandomInputs::new(11);
    panels::<T>(&library, &mut random);
    stacks::<T>(&library, &mut random);
    copies::<T>(&library, &mut random);
}

#[test]
fn reflectors_in_double_precision_equal_the_reference() {
    check_all::<f64>();
}

#[test]
fn reflectors_in_single_precision_equal_the_reference() {
    check_all::<f32>();
}
