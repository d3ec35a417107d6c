//! The library in a process: several threads, a fork, matrices that hold NaN.
#![allow(unsafe_code)]

use std::ffi::c_char;

use tegula::blas3::gemm::dgemm_;
use tegula::cholesky::potrf::dpotrf_;
use tegula::lu::getrf::dgetrf_;
use tegula::native::context::tegula_set_num_threads;
use tegula::qr::gels::dgels_;

const N: i32 = 500;
const PLAIN: c_char = c_char::from_ne_bytes(*b"N");

fn entries(seed: usize, count: i32) -> Vec<f64> {
    let mix = |i: usize| (i + 31 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (0..(count * count) as usize).map(|i| mix(i) as f64 / (1u64 << 24) as f64 - 0.5).collect()
}

fn product(a: &[f64], b: &[f64], n: i32) -> Vec<f64> {
    let mut c = vec![f64::NAN; a.len()];
    let (one, zero) = (1.0, 0.0);
    let (a, b) = (a.as_ptr().cast_mut(), b.as_ptr().cast_mut());
    // SAFETY: matrices of n x n; the factors are only read.
    unsafe {
        dgemm_(&PLAIN, &PLAIN, &n, &n, &n, &one, a, &n, b, &n, &zero, c.as_mut_ptr(), &n);
    }
    c
}

/// A positive definite matrix.
fn definite(n: i32) -> Vec<f64> {
    let size = n as usize;
    (0..size * size)
        .map(|at| if at % size == at / size { 2.0 * size as f64 } else { 1.0 })
        .collect()
}

fn factorise(a: &mut [f64], n: i32) -> i32 {
    let (mut info, lower) = (99, c_char::from_ne_bytes(*b"L"));
    // SAFETY: a matrix of n x n.
    unsafe { dpotrf_(&lower, &n, a.as_mut_ptr(), &n, &mut info) };
    info
}

#[test]
fn threads_may_call_at_once() {
    tegula_set_num_threads(3);
    let alone: Vec<Vec<f64>> =
        (0..4).map(|i| product(&entries(i, N), &entries(i + 9, N), N)).collect();
    std::thread::scope(|scope| {
        for (i, alone) in alone.iter().enumerate() {
            scope.spawn(move || {
                for _ in 0..3 {
                    // The same tiles in the same order, whoever computes them.
                    assert!(
                        product(&entries(i, N), &entries(i + 9, N), N) == *alone,
                        "product {i}"
                    );
                }
            });
        }
    });
}

#[test]
fn a_child_after_a_fork_computes() {
    let mut a = definite(N);
    assert_eq!(factorise(&mut a, N), 0);
    let mut in_child = definite(N);
    // SAFETY: the child calls nothing but the library, and leaves without cleaning up.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // A child that waits for a worker that it does not have is ended.
        // SAFETY: plain system calls.
        unsafe { libc::alarm(60) };
        let is_same = factorise(&mut in_child, N) == 0 && in_child == a;
        // SAFETY: as above.
        unsafe { libc::_exit(if is_same { 0 } else { 3 }) };
    }
    assert!(child > 0, "the system makes a process");
    let mut status = 0;
    // SAFETY: a child of this process.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
    assert_eq!(factorise(&mut definite(N), N), 0, "the parent still computes");
}

#[test]
fn matrices_with_nan_end() {
    for n in [1, 5, N] {
        let mut a = vec![f64::NAN; (n * n) as usize];
        assert_eq!(factorise(&mut a, n), 1);
        let (mut rows, mut info) = (vec![0; n as usize], 99);
        // SAFETY: a matrix of n x n and n rows.
        unsafe { dgetrf_(&n, &n, a.as_mut_ptr(), &n, rows.as_mut_ptr(), &mut info) };
        assert!((0..=n).contains(&info) && rows.iter().all(|row| (1..=n).contains(row)));
        let (mut b, mut work) = (vec![1.0; n as usize], vec![0.0; 2 * n as usize]);
        let (one, size) = (1, 2 * n);
        let (b_first, work) = (b.as_mut_ptr(), work.as_mut_ptr());
        // SAFETY: as above, and a workspace as documented.
        unsafe {
            dgels_(&PLAIN, &n, &n, &one, a.as_mut_ptr(), &n, b_first, &n, work, &size, &mut info);
        }
        assert!(info == 0 && b.iter().all(|x| x.is_nan()), "info {info}");
    }
}
