//! What `info` says of wrong arguments: the numbers of LAPACK's documentation, the first wrong
//! argument first.
#![allow(unsafe_code)]

use std::ffi::c_char;

use tegula::auxiliary::lascl::dlascl_;
use tegula::cholesky::posv::zposv_;
use tegula::cholesky::potrf::dpotrf_;
use tegula::cholesky::potri::dpotri_;
use tegula::cholesky::potrs::dpotrs_;
use tegula::eigen::syev::{dsyev_, zheev_};
use tegula::eigen::syevd::{dsyevd_, zheevd_};
use tegula::lu::gesv::dgesv_;
use tegula::lu::getrf::dgetrf_;
use tegula::lu::getri::dgetri_;
use tegula::lu::getrs::zgetrs_;
use tegula::mixed::gesv::dsgesv_;
use tegula::mixed::posv::zcposv_;
use tegula::qr::gels::{dgels_, zgels_};
use tegula::qr::geqrf::{dgelqf_, dgeqrf_};
use tegula::qr::orgqr::{dorglq_, dorgqr_};
use tegula::qr::ormqr::{dormlq_, dormqr_, zunmqr_};
use tegula::svd::gesdd::dgesdd_;
use tegula::svd::gesvd::dgesvd_;
use tegula::triangular::trtri::dtrtri_;
use tegula::triangular::trtrs::dtrtrs_;
use tegula_kernels::scalar::{c32, c64};

const MUCH: usize = 64;

fn letter(letter: u8) -> c_char {
    c_char::from_ne_bytes([letter])
}

/// Rooms for a call: numbers, complex numbers, integers.
struct Rooms {
    a: [f64; MUCH],
    b: [f64; MUCH],
    tau: [f64; MUCH],
    work: [f64; MUCH],
    za: [c64; MUCH],
    zb: [c64; MUCH],
    zwork: [c64; MUCH],
    half: [f32; MUCH],
    zhalf: [c32; MUCH],
    rows: [i32; MUCH],
    count: [i32; MUCH],
}

impl Rooms {
    fn new() -> Self {
        let zero = c64::new(0.0, 0.0);
        Self {
            a: [0.0; MUCH],
            b: [0.0; MUCH],
            tau: [0.0; MUCH],
            work: [0.0; MUCH],
            za: [zero; MUCH],
            zb: [zero; MUCH],
            zwork: [zero; MUCH],
            half: [0.0; MUCH],
            zhalf: [c32::new(0.0, 0.0); MUCH],
            rows: [1; MUCH],
            count: [0; MUCH],
        }
    }
}

/// Calls a routine with letters and integers by value, `name` for a room, and answers `info`.
macro_rules! info {
    ($routine:ident($($argument:tt)*)) => {{
        let mut rooms = Rooms::new();
        let mut info = 99;
        info!(@ $routine rooms info [] $($argument)*);
        info
    }};
    (@ $routine:ident $rooms:ident $info:ident [$($done:expr,)*] $letter:literal as letter $(, $($rest:tt)*)?) => {
        info!(@ $routine $rooms $info [$($done,)* &letter($letter),] $($($rest)*)?)
    };
    (@ $routine:ident $rooms:ident $info:ident [$($done:expr,)*] $number:literal $(, $($rest:tt)*)?) => {
        info!(@ $routine $rooms $info [$($done,)* &$number,] $($($rest)*)?)
    };
    (@ $routine:ident $rooms:ident $info:ident [$($done:expr,)*] $room:ident $(, $($rest:tt)*)?) => {
        info!(@ $routine $rooms $info [$($done,)* $rooms.$room.as_mut_ptr(),] $($($rest)*)?)
    };
    (@ $routine:ident $rooms:ident $info:ident [$($done:expr,)*]) => {
        // SAFETY: the rooms are large enough for the small sizes of the tests.
        unsafe { $routine($($done,)* &mut $info) }
    };
}

#[test]
fn potrf_checks_its_arguments_in_order() {
    assert_eq!(info!(dpotrf_(b'/' as letter, -1, a, 0)), -1);
    assert_eq!(info!(dpotrf_(b'u' as letter, -1, a, 0)), -2);
    assert_eq!(info!(dpotrf_(b'L' as letter, 2, a, 1)), -4);
    assert_eq!(info!(dpotrf_(b'L' as letter, 0, a, 0)), -4);
    assert_eq!(info!(dpotrf_(b'L' as letter, 0, a, 1)), 0);
    assert_eq!(info!(dpotrf_(b'l' as letter, 2, a, 2)), 1, "a matrix of zeros");
    assert_eq!(info!(dpotri_(b'L' as letter, 2, a, 1)), -4);
    assert_eq!(info!(dpotri_(b'L' as letter, 2, a, 2)), 1, "a factor of zeros");
}

#[test]
fn solves_with_cholesky_factors_check_their_arguments_in_order() {
    assert_eq!(info!(dpotrs_(b'/' as letter, 0, 0, a, 1, b, 1)), -1);
    assert_eq!(info!(dpotrs_(b'U' as letter, -1, 0, a, 1, b, 1)), -2);
    assert_eq!(info!(dpotrs_(b'U' as letter, 0, -1, a, 1, b, 1)), -3);
    assert_eq!(info!(dpotrs_(b'U' as letter, 2, 1, a, 1, b, 2)), -5);
    assert_eq!(info!(dpotrs_(b'U' as letter, 2, 1, a, 2, b, 1)), -7);
    assert_eq!(info!(zposv_(b'U' as letter, 2, 1, za, 2, zb, 1)), -7);
    assert_eq!(info!(zposv_(b'U' as letter, 2, 1, za, 2, zb, 2)), 1);
}

#[test]
fn triangular_routines_check_their_arguments_in_order() {
    assert_eq!(info!(dtrtri_(b'/' as letter, b'N' as letter, 0, a, 1)), -1);
    assert_eq!(info!(dtrtri_(b'U' as letter, b'/' as letter, 0, a, 1)), -2);
    assert_eq!(info!(dtrtri_(b'U' as letter, b'N' as letter, -1, a, 1)), -3);
    assert_eq!(info!(dtrtri_(b'U' as letter, b'N' as letter, 2, a, 1)), -5);
    assert_eq!(info!(dtrtri_(b'U' as letter, b'N' as letter, 2, a, 2)), 1, "a zero diagonal");
    assert_eq!(info!(dtrtri_(b'U' as letter, b'U' as letter, 2, a, 2)), 0, "a unit diagonal");
    let n = |trans, diag: u8| {
        let (mut rooms, mut info) = (Rooms::new(), 99);
        let Rooms { a, b, .. } = &mut rooms;
        let (a, b) = (a.as_mut_ptr(), b.as_mut_ptr());
        let (uplo, diag) = (letter(b'L'), letter(diag));
        // SAFETY: the rooms hold 2 x 2 and 2 x 1.
        unsafe { dtrtrs_(&uplo, &letter(trans), &diag, &2, &1, a, &2, b, &2, &mut info) };
        info
    };
    assert_eq!((n(b'/', b'N'), n(b'C', b'/'), n(b'T', b'N'), n(b'T', b'U')), (-2, -3, 1, 0));
}

#[test]
fn the_lu_family_checks_its_arguments_in_order() {
    assert_eq!(info!(dgetrf_(-1, 0, a, 1, rows)), -1);
    assert_eq!(info!(dgetrf_(0, -1, a, 1, rows)), -2);
    assert_eq!(info!(dgetrf_(2, 1, a, 1, rows)), -4);
    assert_eq!(info!(dgetrf_(2, 3, a, 2, rows)), 1, "a matrix of zeros");
    assert_eq!(info!(zgetrs_(b'/' as letter, 0, 0, za, 1, rows, zb, 1)), -1);
    assert_eq!(info!(zgetrs_(b'C' as letter, 2, 1, za, 1, rows, zb, 2)), -5);
    assert_eq!(info!(zgetrs_(b'C' as letter, 2, 1, za, 2, rows, zb, 1)), -8);
    assert_eq!(info!(dgesv_(-1, 0, a, 1, rows, b, 1)), -1);
    assert_eq!(info!(dgesv_(0, -1, a, 1, rows, b, 1)), -2);
    assert_eq!(info!(dgesv_(2, 1, a, 1, rows, b, 2)), -4);
    assert_eq!(info!(dgesv_(2, 1, a, 2, rows, b, 1)), -7);
    assert_eq!(info!(dgesv_(2, 1, a, 2, rows, b, 2)), 1);
}

#[test]
fn reflectors_check_their_arguments_in_order() {
    assert_eq!(info!(dgeqrf_(-1, 0, a, 1, tau, work, 1)), -1);
    assert_eq!(info!(dgeqrf_(0, -1, a, 1, tau, work, 1)), -2);
    assert_eq!(info!(dgeqrf_(2, 1, a, 1, tau, work, 1)), -4);
    assert_eq!(info!(dgeqrf_(2, 3, a, 2, tau, work, 2)), -7);
    assert_eq!(info!(dgelqf_(3, 2, a, 3, tau, work, 2)), -7);
    assert_eq!(info!(dgeqrf_(2, 3, a, 2, tau, work, 3)), 0);
    assert_eq!(info!(dorgqr_(2, 3, 0, a, 2, tau, work, 9)), -2, "more columns than rows");
    assert_eq!(info!(dorgqr_(3, 2, 3, a, 3, tau, work, 9)), -3, "more reflectors than columns");
    assert_eq!(info!(dorgqr_(3, 2, 2, a, 2, tau, work, 9)), -5);
    assert_eq!(info!(dorgqr_(3, 2, 2, a, 3, tau, work, 1)), -8);
    assert_eq!(info!(dorglq_(3, 2, 2, a, 3, tau, work, 9)), -2);
    assert_eq!(
        info!(dormqr_(b'/' as letter, b'T' as letter, 1, 1, 1, a, 1, tau, b, 1, work, 1)),
        -1
    );
    assert_eq!(
        info!(dormqr_(b'L' as letter, b'C' as letter, 1, 1, 1, a, 1, tau, b, 1, work, 1)),
        -2
    );
    assert_eq!(
        info!(zunmqr_(b'L' as letter, b'T' as letter, 1, 1, 1, za, 1, zb, zb, 1, zwork, 1)),
        -2
    );
    assert_eq!(
        info!(dormqr_(b'L' as letter, b'T' as letter, 1, 2, 2, a, 2, tau, b, 1, work, 2)),
        -5
    );
    assert_eq!(
        info!(dormqr_(b'R' as letter, b'T' as letter, 1, 2, 2, a, 1, tau, b, 1, work, 2)),
        -7
    );
    assert_eq!(
        info!(dormlq_(b'R' as letter, b'T' as letter, 1, 2, 2, a, 1, tau, b, 1, work, 2)),
        -7
    );
    assert_eq!(
        info!(dormqr_(b'L' as letter, b'T' as letter, 2, 2, 2, a, 2, tau, b, 1, work, 2)),
        -10
    );
    assert_eq!(
        info!(dormqr_(b'L' as letter, b'T' as letter, 2, 2, 2, a, 2, tau, b, 2, work, 1)),
        -12
    );
}

#[test]
fn least_squares_check_their_arguments_in_order() {
    assert_eq!(info!(dgels_(b'C' as letter, 0, 0, 0, a, 1, b, 1, work, 1)), -1);
    assert_eq!(info!(zgels_(b'T' as letter, 0, 0, 0, za, 1, zb, 1, zwork, 1)), -1);
    assert_eq!(info!(dgels_(b'N' as letter, -1, 0, 0, a, 1, b, 1, work, 1)), -2);
    assert_eq!(info!(dgels_(b'N' as letter, 0, -1, 0, a, 1, b, 1, work, 1)), -3);
    assert_eq!(info!(dgels_(b'N' as letter, 0, 0, -1, a, 1, b, 1, work, 1)), -4);
    assert_eq!(info!(dgels_(b'N' as letter, 2, 0, 0, a, 1, b, 2, work, 1)), -6);
    assert_eq!(info!(dgels_(b'N' as letter, 2, 0, 0, a, 2, b, 1, work, 1)), -8);
    assert_eq!(info!(dgels_(b'N' as letter, 2, 2, 1, a, 2, b, 2, work, 3)), -10);
    assert_eq!(info!(dgels_(b'N' as letter, 2, 2, 1, a, 2, b, 2, work, 4)), 0, "of zeros: zeros");
}

#[test]
fn inverses_check_their_arguments_in_order() {
    assert_eq!(info!(dgetri_(-1, a, 1, rows, work, 9)), -1);
    assert_eq!(info!(dgetri_(2, a, 1, rows, work, 9)), -3);
    assert_eq!(info!(dgetri_(2, a, 2, rows, work, 1)), -6);
    assert_eq!(info!(dgetri_(2, a, 2, rows, work, 2)), 1, "factors of zeros");
    assert_eq!(info!(dgetri_(0, a, 1, rows, work, 1)), 0);
}

#[test]
fn refined_solves_check_their_arguments_in_order() {
    assert_eq!(info!(dsgesv_(-1, 1, a, 2, rows, b, 2, tau, 2, work, half, count)), -1);
    assert_eq!(info!(dsgesv_(2, -1, a, 2, rows, b, 2, tau, 2, work, half, count)), -2);
    assert_eq!(info!(dsgesv_(2, 1, a, 1, rows, b, 2, tau, 2, work, half, count)), -4);
    assert_eq!(info!(dsgesv_(2, 1, a, 2, rows, b, 1, tau, 2, work, half, count)), -7);
    assert_eq!(info!(dsgesv_(2, 1, a, 2, rows, b, 2, tau, 1, work, half, count)), -9);
    assert_eq!(info!(dsgesv_(2, 1, a, 2, rows, b, 2, tau, 2, work, half, count)), 1, "zeros");
    let posv = |letter: u8, [n, nrhs, lda, ldb, ldx]: [i32; 5]| {
        let (mut rooms, mut info) = (Rooms::new(), 99);
        let Rooms { za, zb, zwork, zhalf, work, count, .. } = &mut rooms;
        let (x, reals) = (&mut [c64::new(0.0, 0.0); MUCH], work.as_mut_ptr());
        let (a, b, room) = (za.as_mut_ptr(), zb.as_mut_ptr(), zwork.as_mut_ptr());
        let (half, count, x) = (zhalf.as_mut_ptr(), count.as_mut_ptr(), x.as_mut_ptr());
        let uplo = c_char::from_ne_bytes([letter]);
        // SAFETY: the rooms hold 2 x 2 and 2 x 1.
        unsafe {
            zcposv_(
                &uplo, &n, &nrhs, a, &lda, b, &ldb, x, &ldx, room, half, reals, count, &mut info,
            );
        }
        info
    };
    assert_eq!(posv(b'/', [2, 1, 2, 2, 2]), -1);
    assert_eq!(posv(b'U', [-1, 1, 2, 2, 2]), -2);
    assert_eq!(posv(b'U', [2, -1, 2, 2, 2]), -3);
    assert_eq!(posv(b'U', [2, 1, 1, 2, 2]), -5);
    assert_eq!(posv(b'U', [2, 1, 2, 1, 2]), -7);
    assert_eq!(posv(b'U', [2, 1, 2, 2, 1]), -9);
    assert_eq!(posv(b'L', [2, 1, 2, 2, 2]), 1, "a matrix of zeros");
}

#[test]
fn eigenvalues_check_their_arguments_in_order() {
    assert_eq!(info!(dsyev_(b'/' as letter, b'U' as letter, 2, a, 2, b, work, 9)), -1);
    assert_eq!(info!(dsyev_(b'N' as letter, b'/' as letter, 2, a, 2, b, work, 9)), -2);
    assert_eq!(info!(dsyev_(b'N' as letter, b'U' as letter, -1, a, 2, b, work, 9)), -3);
    assert_eq!(info!(dsyev_(b'N' as letter, b'U' as letter, 2, a, 1, b, work, 9)), -5);
    assert_eq!(info!(dsyev_(b'N' as letter, b'U' as letter, 2, a, 2, b, work, 4)), -8);
    assert_eq!(info!(dsyev_(b'V' as letter, b'U' as letter, 2, a, 2, b, work, 5)), 0);
    assert_eq!(info!(zheev_(b'V' as letter, b'U' as letter, 2, za, 2, b, zwork, 2, work)), -8);
    assert_eq!(info!(zheev_(b'V' as letter, b'U' as letter, 2, za, 2, b, zwork, 3, work)), 0);
    assert_eq!(info!(dsyevd_(b'N' as letter, b'U' as letter, 2, a, 2, b, work, 4, rows, 1)), -8);
    assert_eq!(info!(dsyevd_(b'N' as letter, b'U' as letter, 2, a, 2, b, work, 5, rows, 0)), -10);
    assert_eq!(info!(dsyevd_(b'V' as letter, b'U' as letter, 2, a, 2, b, work, 21, rows, 12)), -10);
    assert_eq!(info!(dsyevd_(b'V' as letter, b'U' as letter, 2, a, 2, b, work, 21, rows, 13)), 0);
    assert_eq!(
        info!(zheevd_(b'V' as letter, b'U' as letter, 2, za, 2, b, zwork, 8, work, 18, rows, 13)),
        -10
    );
    assert_eq!(
        info!(zheevd_(b'V' as letter, b'U' as letter, 2, za, 2, b, zwork, 8, work, 19, rows, 12)),
        -12
    );
    assert_eq!(
        info!(zheevd_(b'V' as letter, b'U' as letter, 2, za, 2, b, zwork, 8, work, 19, rows, 13)),
        0
    );
}

#[test]
fn an_empty_matrix_needs_one_number_of_workspace_for_its_singular_values() {
    let (jobs, m, n, lwork) = (letter(b'A'), 3, 0, -1);
    let (mut rooms, mut info) = (Rooms::new(), 99);
    let Rooms { a, b, tau, work, half, .. } = &mut rooms;
    let (a, s, u) = (a.as_mut_ptr(), tau.as_mut_ptr(), b.as_mut_ptr());
    let vt = half.as_mut_ptr().cast();
    // SAFETY: the matrix is empty, and U would be 3 x 3.
    unsafe {
        let first = work.as_mut_ptr();
        dgesvd_(&jobs, &jobs, &m, &n, a, &m, s, u, &m, vt, &1, first, &lwork, &mut info);
    }
    assert_eq!((info, work[0]), (0, 1.0));
}

#[test]
fn singular_values_check_their_arguments_in_order() {
    let gesvd = |jobs: &[u8; 2], [m, n, lda, ldu, ldvt, lwork]: [i32; 6]| {
        let (mut rooms, mut info) = (Rooms::new(), 99);
        let Rooms { a, b, tau, work, zwork, .. } = &mut rooms;
        let [u, vt]: [&c_char; 2] =
            [&c_char::from_ne_bytes([jobs[0]]), &c_char::from_ne_bytes([jobs[1]])];
        let (a, s, left) = (a.as_mut_ptr(), tau.as_mut_ptr(), b.as_mut_ptr());
        let (work, right) = (work.as_mut_ptr(), zwork.as_mut_ptr().cast());
        // SAFETY: the rooms hold 3 x 3.
        unsafe {
            dgesvd_(u, vt, &m, &n, a, &lda, s, left, &ldu, right, &ldvt, work, &lwork, &mut info);
        }
        info
    };
    assert_eq!(gesvd(b"/N", [3, 2, 3, 3, 2, 64]), -1);
    assert_eq!(gesvd(b"N/", [3, 2, 3, 3, 2, 64]), -2);
    assert_eq!(gesvd(b"OO", [3, 2, 3, 3, 2, 64]), -2, "one matrix in place of another");
    assert_eq!(gesvd(b"NN", [-1, 2, 3, 3, 2, 64]), -3);
    assert_eq!(gesvd(b"NN", [3, -1, 3, 3, 2, 64]), -4);
    assert_eq!(gesvd(b"NN", [3, 2, 2, 3, 2, 64]), -6);
    assert_eq!(gesvd(b"SN", [3, 2, 3, 2, 2, 64]), -9);
    assert_eq!(gesvd(b"NN", [3, 2, 3, 0, 2, 64]), -9);
    assert_eq!(gesvd(b"NA", [2, 3, 2, 1, 2, 64]), -11);
    assert_eq!(gesvd(b"NS", [2, 3, 2, 1, 2, 64]), 0);
    assert_eq!(gesvd(b"AA", [3, 2, 3, 3, 2, 9]), -13);
    assert_eq!(gesvd(b"AA", [3, 2, 3, 3, 2, 10]), 0);
    assert_eq!(gesvd(b"NN", [3, 0, 3, 3, 1, 1]), 0, "a matrix without columns");
    assert_eq!(gesvd(b"AA", [0, 3, 1, 1, 3, 1]), 0, "a matrix without rows");
    assert_eq!(gesvd(b"NN", [3, 0, 3, 3, 1, 0]), -13);
    let gesdd = |job: u8, [m, n, lda, ldu, ldvt, lwork]: [i32; 6]| {
        let (mut rooms, mut info) = (Rooms::new(), 99);
        let Rooms { a, b, tau, work, zwork, count, .. } = &mut rooms;
        let (a, s, left) = (a.as_mut_ptr(), tau.as_mut_ptr(), b.as_mut_ptr());
        let (work, right, whole) =
            (work.as_mut_ptr(), zwork.as_mut_ptr().cast(), count.as_mut_ptr());
        let job = letter(job);
        // SAFETY: the rooms hold 3 x 3.
        unsafe {
            dgesdd_(
                &job, &m, &n, a, &lda, s, left, &ldu, right, &ldvt, work, &lwork, whole, &mut info,
            );
        }
        info
    };
    assert_eq!(gesdd(b'/', [3, 2, 3, 3, 2, 64]), -1);
    assert_eq!(gesdd(b'N', [-1, 2, 3, 3, 2, 64]), -2);
    assert_eq!(gesdd(b'N', [3, -1, 3, 3, 2, 64]), -3);
    assert_eq!(gesdd(b'N', [3, 2, 2, 3, 2, 64]), -5);
    assert_eq!(gesdd(b'S', [3, 2, 3, 2, 2, 64]), -8);
    assert_eq!(gesdd(b'O', [2, 3, 2, 1, 3, 64]), -8);
    assert_eq!(gesdd(b'O', [3, 2, 3, 1, 1, 64]), -10);
    assert_eq!(gesdd(b'A', [2, 3, 2, 2, 2, 64]), -10);
    assert_eq!(gesdd(b'N', [3, 2, 3, 1, 1, 15]), -12);
    assert_eq!(gesdd(b'N', [3, 2, 3, 1, 1, 16]), 0);
}

#[test]
fn factors_check_their_arguments_in_order() {
    assert_eq!(info!(dlascl_(b'/' as letter, 0, 0, 1.0, 1.0, 2, 2, a, 2)), -1);
    assert_eq!(info!(dlascl_(b'G' as letter, 0, 0, 0.0, 1.0, 2, 2, a, 2)), -4);
    assert_eq!(info!(dlascl_(b'G' as letter, 0, 0, 1.0, 1.0, -1, 2, a, 2)), -6);
    assert_eq!(info!(dlascl_(b'G' as letter, 0, 0, 1.0, 1.0, 2, -1, a, 2)), -7);
    assert_eq!(info!(dlascl_(b'B' as letter, 0, 0, 1.0, 1.0, 2, 3, a, 2)), -7, "no square");
    assert_eq!(info!(dlascl_(b'H' as letter, 0, 0, 1.0, 1.0, 2, 2, a, 1)), -9);
    assert_eq!(info!(dlascl_(b'Z' as letter, 2, 0, 1.0, 1.0, 2, 2, a, 9)), -2);
    assert_eq!(info!(dlascl_(b'Z' as letter, 1, 2, 1.0, 1.0, 2, 2, a, 9)), -3);
    assert_eq!(info!(dlascl_(b'Q' as letter, 0, 1, 1.0, 1.0, 2, 2, a, 9)), -3, "two widths");
    assert_eq!(info!(dlascl_(b'Z' as letter, 1, 1, 1.0, 1.0, 2, 2, a, 3)), -9);
    assert_eq!(info!(dlascl_(b'Z' as letter, 1, 1, 1.0, 1.0, 2, 2, a, 4)), 0);
}

#[test]
fn questions_for_the_workspace_are_answered() {
    let (mut rooms, mut info) = (Rooms::new(), 99);
    let Rooms { a, b, tau, work, .. } = &mut rooms;
    let (a, b, tau, work) = (a.as_mut_ptr(), b.as_mut_ptr(), tau.as_mut_ptr(), work.as_mut_ptr());
    // SAFETY: a question reads no matrix.
    unsafe { dgeqrf_(&7, &9, a, &7, tau, work, &-1, &mut info) };
    // SAFETY: as large as the room.
    assert_eq!((info, unsafe { *work } >= 9.0), (0, true));
    let trans = letter(b'N');
    // SAFETY: as above.
    unsafe { dgels_(&trans, &7, &9, &20, a, &7, b, &9, work, &-1, &mut info) };
    // SAFETY: as above.
    assert_eq!((info, unsafe { *work } >= 27.0), (0, true));
}
