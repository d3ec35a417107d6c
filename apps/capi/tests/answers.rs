//! What routines answer, by the definition: inverses, refined solutions, eigenvectors, and the
//! auxiliary routines.
#![allow(unsafe_code)]

use std::ffi::c_char;

use tegula::auxiliary::lacpy::dlacpy_;
use tegula::auxiliary::lascl::dlascl_;
use tegula::auxiliary::laset::dlaset_;
use tegula::auxiliary::laswp::dlaswp_;
use tegula::auxiliary::norms::{dlange_, dlansy_, dlantr_};
use tegula::eigen::syevd::dsyevd_;
use tegula::lu::getrf::dgetrf_;
use tegula::lu::getri::dgetri_;
use tegula::mixed::gesv::dsgesv_;
use tegula::svd::gesdd::dgesdd_;
use tegula::svd::gesvd::dgesvd_;

const EPS: f64 = f64::EPSILON;

fn letter(letter: u8) -> c_char {
    c_char::from_ne_bytes([letter])
}

/// Entries between -1/2 and 1/2.
fn entries(seed: usize, count: usize) -> Vec<f64> {
    let mix = |i: usize| (i + 977 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (0..count).map(|i| mix(i) as f64 / (1u64 << 24) as f64 - 0.5).collect()
}

/// A well conditioned matrix.
fn dominant(n: usize) -> Vec<f64> {
    let mut a = entries(1, n * n);
    (0..n).for_each(|i| a[i * (n + 1)] += n as f64);
    a
}

/// Largest entry of `A B - C`, column-major matrices of order `n` and `n x cols`.
fn residual(n: usize, a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    let entry = |i: usize, j: usize| (0..n).map(|k| a[i + k * n] * b[k + j * n]).sum::<f64>();
    let cols = c.len() / n;
    let all = (0..cols).flat_map(|j| (0..n).map(move |i| (i, j)));
    all.map(|(i, j)| (entry(i, j) - c[i + j * n]).abs()).fold(0.0, f64::max)
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|at| f64::from(u8::from(at % (n + 1) == 0))).collect()
}

#[test]
fn inverses_are_inverses() {
    for n in [1, 2, 5, 40, 230] {
        let a = dominant(n);
        // Rows in reverse order, so that rows are exchanged.
        let a: Vec<f64> = a.chunks(n).flat_map(|column| column.iter().rev()).copied().collect();
        let (mut inverse, mut rows, mut work) = (a.clone(), vec![0; n], vec![0.0; n]);
        let (size, mut info) = (n as i32, 99);
        let (first, pivots) = (inverse.as_mut_ptr(), rows.as_mut_ptr());
        // SAFETY: matrices of n x n, n rows, and a workspace of n.
        unsafe {
            dgetrf_(&size, &size, first, &size, pivots, &mut info);
            dgetri_(&size, first, &size, pivots, work.as_mut_ptr(), &size, &mut info);
        }
        assert_eq!(info, 0);
        let error = residual(n, &a, &inverse, &identity(n));
        assert!(error <= 8.0 * n as f64 * EPS, "order {n}: {error}");
    }
}

/// Solves by `dsgesv`; the solution and `iter`.
fn solve_mixed(n: usize, a: &mut [f64], b: &[f64]) -> (Vec<f64>, i32) {
    let (mut x, mut work, mut half) =
        (vec![0.0; b.len()], vec![0.0; b.len()], vec![0.0_f32; n * n + b.len()]);
    let (mut rows, mut iter, mut info) = (vec![0; n], 99, 99);
    let (size, nrhs) = (n as i32, (b.len() / n) as i32);
    // SAFETY: matrices and workspaces as LAPACK documents.
    unsafe {
        dsgesv_(
            &size,
            &nrhs,
            a.as_mut_ptr(),
            &size,
            rows.as_mut_ptr(),
            b.as_ptr().cast_mut(),
            &size,
            x.as_mut_ptr(),
            &size,
            work.as_mut_ptr(),
            half.as_mut_ptr(),
            &mut iter,
            &mut info,
        );
    }
    assert_eq!(info, 0);
    (x, iter)
}

#[test]
fn refined_solutions_are_as_exact_as_others() {
    for n in [3, 60, 300] {
        let (mut a, b) = (dominant(n), entries(2, 2 * n));
        let before = a.clone();
        let (x, iter) = solve_mixed(n, &mut a, &b);
        assert!((0..30).contains(&iter) && a == before, "order {n}: {iter} steps");
        let error = residual(n, &a, &x, &b);
        assert!(error <= 4.0 * n as f64 * EPS, "order {n}: {error}");
    }
}

#[test]
fn numbers_beyond_32_bits_are_factorised_in_64() {
    let (n, mut a) = (20, dominant(20));
    a.iter_mut().for_each(|x| *x *= 1e60);
    let (before, b) = (a.clone(), entries(3, 20));
    let (x, iter) = solve_mixed(n, &mut a, &b);
    assert_eq!(iter, -2);
    let error = residual(n, &before, &x, &b);
    assert!(error <= 4.0 * n as f64 * EPS, "{error}");
}

#[test]
fn eigenvectors_are_those_of_their_values() {
    for n in [1, 2, 30, 150] {
        let draw = entries(4, n * n);
        let (lower, upper) = (letter(b'L'), letter(b'U'));
        let full: Vec<f64> = (0..n * n).map(|at| draw[at] + draw[at % n * n + at / n]).collect();
        for uplo in [lower, upper] {
            let other = |i: usize, j: usize| if uplo == lower { i < j } else { i > j };
            let mut z = full.clone();
            (0..n * n).filter(|&at| other(at % n, at / n)).for_each(|at| z[at] = f64::NAN);
            let (mut w, mut work, mut whole) =
                (vec![0.0; n], vec![0.0; 1 + 6 * n + 2 * n * n], vec![0; 3 + 5 * n]);
            let (size, sizes) = (n as i32, (work.len() as i32, whole.len() as i32));
            let mut info = 99;
            let rooms = (work.as_mut_ptr(), whole.as_mut_ptr());
            let (values, first, vectors) = (w.as_mut_ptr(), z.as_mut_ptr(), letter(b'V'));
            // SAFETY: a matrix of n x n and workspaces as LAPACK documents.
            unsafe {
                dsyevd_(
                    &vectors, &uplo, &size, first, &size, values, rooms.0, &sizes.0, rooms.1,
                    &sizes.1, &mut info,
                );
            }
            assert_eq!(info, 0);
            assert!(w.is_sorted());
            let scaled: Vec<f64> = (0..n * n).map(|at| z[at] * w[at / n]).collect();
            let error = residual(n, &full, &z, &scaled);
            assert!(error <= 16.0 * n as f64 * EPS, "order {n}: {error}");
        }
    }
}

/// What `dgesvd` (two letters) or `dgesdd` (one) leaves: the matrix, values, and vectors in arrays
/// of their own.
struct Decomposed {
    a: Vec<f64>,
    s: Vec<f64>,
    u: Vec<f64>,
    vt: Vec<f64>,
}

fn decompose(jobs: &[u8], (m, n): (usize, usize), before: &[f64]) -> Decomposed {
    let (least, ldu, ldvt) = (m.min(n), m as i32, n as i32);
    let mut found = Decomposed {
        a: before.to_vec(),
        s: vec![0.0; least],
        u: vec![f64::NAN; m * m],
        vt: vec![f64::NAN; n * n],
    };
    let mut work = vec![0.0; 10 * (m + n) * (m + n) + 100];
    let mut whole = vec![0; 8 * least];
    let (rows, cols, size, mut info) = (m as i32, n as i32, work.len() as i32, 99);
    let Decomposed { a, s, u, vt } = &mut found;
    let (a, s, u, vt) = (a.as_mut_ptr(), s.as_mut_ptr(), u.as_mut_ptr(), vt.as_mut_ptr());
    let work = work.as_mut_ptr();
    // SAFETY: arrays of m x n, m x m, n x n, and workspaces of more than LAPACK asks for.
    unsafe {
        match jobs {
            &[jobu, jobvt] => dgesvd_(
                &letter(jobu),
                &letter(jobvt),
                &rows,
                &cols,
                a,
                &rows,
                s,
                u,
                &ldu,
                vt,
                &ldvt,
                work,
                &size,
                &mut info,
            ),
            jobs => dgesdd_(
                &letter(jobs[0]),
                &rows,
                &cols,
                a,
                &rows,
                s,
                u,
                &ldu,
                vt,
                &ldvt,
                work,
                &size,
                whole.as_mut_ptr(),
                &mut info,
            ),
        }
    }
    assert_eq!(info, 0);
    found
}

#[test]
fn singular_vectors_make_the_matrix() {
    for (m, n) in [(1, 1), (7, 4), (4, 7), (90, 60), (30, 100)] {
        let least = m.min(n);
        let before = entries(8, m * n);
        for jobs in [&b"AA"[..], b"SS", b"OS", b"SO", b"AS", b"OA", b"A", b"S", b"O"] {
            let Decomposed { a, s, u, vt } = decompose(jobs, (m, n), &before);
            assert!(s.is_sorted_by(|x, y| x >= y) && s[least - 1] >= 0.0);
            // Of the matrix itself, those that take its place.
            let u = match jobs {
                [b'O', _] => &a,
                [b'O'] if m >= n => &a,
                _ => &u,
            };
            let in_a = matches!(jobs, [_, b'O']) || jobs == b"O" && m < n;
            let (vt, ldvt) = if in_a { (&a, m) } else { (&vt, n) };
            let entry = |i: usize, j: usize| {
                (0..least).map(|k| u[i + k * m] * s[k] * vt[k + j * ldvt]).sum::<f64>()
            };
            let all = (0..n).flat_map(|j| (0..m).map(move |i| (i, j)));
            let error =
                all.map(|(i, j)| (entry(i, j) - before[i + j * m]).abs()).fold(0.0, f64::max);
            let most = 8.0 * m.max(n) as f64 * EPS * s[0];
            assert!(error <= most, "{m} x {n}, {}: {error}", String::from_utf8_lossy(jobs));
        }
        let values = decompose(b"NN", (m, n), &before).s;
        let others = decompose(b"N", (m, n), &before).s;
        let apart = values.iter().zip(&others).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(apart <= 8.0 * EPS * least as f64 * values[0], "{m} x {n}: {apart}");
    }
}

/// A norm of the `n x n` matrix of these entries, by the definition.
fn norm(kind: u8, n: usize, entry: impl Fn(usize, usize) -> f64) -> f64 {
    let sums = |sum: &dyn Fn(usize) -> f64| (0..n).map(sum).fold(0.0, f64::max);
    let row = |i: usize| (0..n).map(|j| entry(i, j).abs()).sum::<f64>();
    let column = |j: usize| (0..n).map(|i| entry(i, j).abs()).sum::<f64>();
    let most = |i: usize| (0..n).map(|j| entry(i, j).abs()).fold(0.0, f64::max);
    let squares = |i: usize| (0..n).map(|j| entry(i, j).powi(2)).sum::<f64>();
    match kind {
        b'M' => sums(&most),
        b'I' => sums(&row),
        b'O' => sums(&column),
        _ => (0..n).map(squares).sum::<f64>().sqrt(),
    }
}

#[test]
fn norms_are_those_of_the_definition() {
    let n = 70;
    let a = entries(5, n * n);
    let (size, first) = (n as i32, a.as_ptr().cast_mut());
    let (upper, unit) = (letter(b'U'), letter(b'U'));
    let mut work = vec![0.0; n];
    for kind in *b"MIOF" {
        let work = work.as_mut_ptr();
        let name = letter(kind);
        // SAFETY: a matrix of n x n and a workspace of n.
        let found = unsafe {
            [
                dlange_(&name, &size, &size, first, &size, work),
                dlansy_(&name, &upper, &size, first, &size, work),
                dlantr_(&name, &upper, &unit, &size, &size, first, &size, work),
            ]
        };
        let triangle = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => a[i + j * n],
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => 0.0,
        };
        let expected = [
            norm(kind, n, |i, j| a[i + j * n]),
            norm(kind, n, |i, j| a[i.min(j) + i.max(j) * n]),
            norm(kind, n, triangle),
        ];
        for (found, expected) in found.into_iter().zip(expected) {
            let error = (found - expected).abs() / expected;
            assert!(error <= n as f64 * EPS, "{}: {found}, not {expected}", kind as char);
        }
    }
}

#[test]
fn triangles_are_copied_and_set() {
    let (a, mut b) = (entries(6, 12), vec![9.0; 15]);
    let (m, n, lda, ldb) = (4, 3, 4, 5);
    let (upper, lower) = (letter(b'u'), letter(b'L'));
    let (from, to) = (a.as_ptr().cast_mut(), b.as_mut_ptr());
    // SAFETY: 4 x 3 in both.
    unsafe {
        dlacpy_(&upper, &m, &n, from, &lda, to, &ldb);
        dlaset_(&lower, &m, &n, &7.0, &8.0, to, &ldb);
    }
    for (i, j) in (0..3).flat_map(|j| (0..5).map(move |i| (i, j))) {
        let expected = match i {
            4 => 9.0,
            i if i < j => a[i + 4 * j],
            i if i == j => 8.0,
            _ => 7.0,
        };
        assert!(b[i + 5 * j].to_bits() == f64::to_bits(expected), "({i}, {j})");
    }
}

#[test]
fn rows_are_exchanged_and_exchanged_back() {
    let before = entries(7, 12);
    let mut a = before.clone();
    let (columns, ld, first, last) = (3, 4, 2, 3);
    // With a stride of 2 rows 2 and 3 go by entries 2 and 4.
    let pivots = [0, 4, 0, 4];
    let rows = pivots.as_ptr().cast_mut();
    // SAFETY: a matrix of 4 x 3 and four pivots.
    unsafe { dlaswp_(&columns, a.as_mut_ptr(), &ld, &first, &last, rows, &2) };
    for j in 0..3 {
        let column = &before[4 * j..][..4];
        assert_eq!(a[4 * j..][..4], [column[0], column[3], column[1], column[2]]);
    }
    // SAFETY: as above.
    unsafe { dlaswp_(&columns, a.as_mut_ptr(), &ld, &first, &last, rows, &-2) };
    assert_eq!(a, before);
}

#[test]
fn factors_do_not_overflow_on_the_way() {
    let mut a = [1e-300, 2e-300, 3e-300, 4e-300];
    let (whole, upper, none, two, mut info) = (letter(b'G'), letter(b'U'), 0, 2, 99);
    let first = a.as_mut_ptr();
    // SAFETY: a matrix of 2 x 2.
    unsafe { dlascl_(&whole, &none, &none, &1e-300, &1e300, &two, &two, first, &two, &mut info) };
    assert_eq!(info, 0);
    for (found, expected) in a.into_iter().zip([1e300, 2e300, 3e300, 4e300]) {
        assert!((found - expected).abs() <= 4.0 * EPS * expected, "{found}, not {expected}");
    }
    let mut a = [1.0; 4];
    let first = a.as_mut_ptr();
    // SAFETY: as above.
    unsafe { dlascl_(&upper, &none, &none, &2.0, &6.0, &two, &two, first, &two, &mut info) };
    assert_eq!((info, a), (0, [3.0, 1.0, 3.0, 3.0]));
}
