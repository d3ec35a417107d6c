//! The functions of cuBLAS and cuSOLVER in one precision, as tables, with the types of NVIDIA's
//! `cublas_api.h` and `cusolverDn.h`. What these call `cuComplex` is laid out as ours: two numbers
//! of one precision, real part first.

use std::ffi::{c_int, c_void};

use tegula_runtime::cuda::library::{Library, Missing};

use crate::option::{Diag, Side, Trans, Uplo};
use crate::scalar::Scalar;

/// `cublasHandle_t` and `cusolverDnHandle_t`: what only the library can look into.
pub(super) type Handle = *mut c_void;
/// `cublasStatus_t` and `cusolverStatus_t`: 0, or the number of an error.
pub(super) type Status = c_int;
/// `cublasOperation_t`.
type Op = c_int;
/// `cublasFillMode_t`.
type Fill = c_int;
/// `cublasSideMode_t`.
type OnSide = c_int;
/// `cublasDiagType_t`.
type Unit = c_int;

type SetMathMode = unsafe extern "C" fn(Handle, c_int) -> Status;
type Gemm<T> = unsafe extern "C" fn(
    Handle,
    Op,
    Op,
    i32,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    i32,
    *const T,
    *mut T,
    i32,
) -> Status;
type Gemv<T> = unsafe extern "C" fn(
    Handle,
    Op,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    i32,
    *const T,
    *mut T,
    i32,
) -> Status;
type Syrk<T> = unsafe extern "C" fn(
    Handle,
    Fill,
    Op,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    *mut T,
    i32,
) -> Status;
type Herk<T> = unsafe extern "C" fn(
    Handle,
    Fill,
    Op,
    i32,
    i32,
    *const <T as Scalar>::Real,
    *const T,
    i32,
    *const <T as Scalar>::Real,
    *mut T,
    i32,
) -> Status;
type Syr2k<T> = unsafe extern "C" fn(
    Handle,
    Fill,
    Op,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    i32,
    *const T,
    *mut T,
    i32,
) -> Status;
type Her2k<T> = unsafe extern "C" fn(
    Handle,
    Fill,
    Op,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    i32,
    *const <T as Scalar>::Real,
    *mut T,
    i32,
) -> Status;
type Symm<T> = unsafe extern "C" fn(
    Handle,
    OnSide,
    Fill,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    i32,
    *const T,
    *mut T,
    i32,
) -> Status;
type Trsm<T> = unsafe extern "C" fn(
    Handle,
    OnSide,
    Fill,
    Op,
    Unit,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *mut T,
    i32,
) -> Status;
type Trmm<T> = unsafe extern "C" fn(
    Handle,
    OnSide,
    Fill,
    Op,
    Unit,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    i32,
    *mut T,
    i32,
) -> Status;
type Trsv<T> =
    unsafe extern "C" fn(Handle, Fill, Op, Unit, i32, *const T, i32, *mut T, i32) -> Status;
type Geam<T> = unsafe extern "C" fn(
    Handle,
    Op,
    Op,
    i32,
    i32,
    *const T,
    *const T,
    i32,
    *const T,
    *const T,
    i32,
    *mut T,
    i32,
) -> Status;

type PotrfRoom<T> = unsafe extern "C" fn(Handle, Fill, i32, *mut T, i32, *mut i32) -> Status;
type Potrf<T> =
    unsafe extern "C" fn(Handle, Fill, i32, *mut T, i32, *mut T, i32, *mut i32) -> Status;

type GetrfRoom<T> = unsafe extern "C" fn(Handle, i32, i32, *mut T, i32, *mut i32) -> Status;
type Getrf<T> =
    unsafe extern "C" fn(Handle, i32, i32, *mut T, i32, *mut T, *mut i32, *mut i32) -> Status;

type GeqrfRoom<T> = unsafe extern "C" fn(Handle, i32, i32, *mut T, i32, *mut i32) -> Status;
type Geqrf<T> =
    unsafe extern "C" fn(Handle, i32, i32, *mut T, i32, *mut T, *mut T, i32, *mut i32) -> Status;

/// cuBLAS's functions for numbers of type `T`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlasCalls<T: Scalar> {
    pub(crate) set_math_mode: SetMathMode,
    pub(crate) gemm: Gemm<T>,
    pub(crate) gemv: Gemv<T>,
    pub(crate) syrk: Syrk<T>,
    /// Hermitian; of real numbers, as `syrk`.
    pub(crate) herk: Herk<T>,
    pub(crate) syr2k: Syr2k<T>,
    /// Hermitian; of real numbers, as `syr2k`.
    pub(crate) her2k: Her2k<T>,
    pub(crate) symm: Symm<T>,
    /// Hermitian; of real numbers, as `symm`.
    pub(crate) hemm: Symm<T>,
    pub(crate) trsm: Trsm<T>,
    pub(crate) trmm: Trmm<T>,
    pub(crate) trsv: Trsv<T>,
    pub(crate) geam: Geam<T>,
}

impl<T: Scalar> BlasCalls<T> {
    /// Those of `library`, which is cuBLAS.
    #[allow(unsafe_code)]
    pub(super) fn find(library: &'static Library) -> Result<Self, Missing> {
        let names = T::cuda();
        // SAFETY: the types are those of the header, and the library stays.
        unsafe {
            Ok(Self {
                set_math_mode: library.function("cublasSetMathMode")?,
                gemm: library.function(names.gemm)?,
                gemv: library.function(names.gemv)?,
                syrk: library.function(names.syrk)?,
                herk: library.function(names.herk)?,
                syr2k: library.function(names.syr2k)?,
                her2k: library.function(names.her2k)?,
                symm: library.function(names.symm)?,
                hemm: library.function(names.hemm)?,
                trsm: library.function(names.trsm)?,
                trmm: library.function(names.trmm)?,
                trsv: library.function(names.trsv)?,
                geam: library.function(names.geam)?,
            })
        }
    }
}

/// cuSOLVER's functions for numbers of type `T`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolverCalls<T> {
    pub(crate) potrf_room: PotrfRoom<T>,
    pub(crate) potrf: Potrf<T>,
    pub(crate) getrf_room: GetrfRoom<T>,
    pub(crate) getrf: Getrf<T>,
    pub(crate) geqrf_room: GeqrfRoom<T>,
    pub(crate) geqrf: Geqrf<T>,
}

impl<T: Scalar> SolverCalls<T> {
    /// Those of `library`, which is cuSOLVER.
    #[allow(unsafe_code)]
    pub(super) fn find(library: &'static Library) -> Result<Self, Missing> {
        let names = T::cuda();
        // SAFETY: the types are those of the header, and the library stays.
        unsafe {
            Ok(Self {
                potrf_room: library.function(names.potrf_room)?,
                potrf: library.function(names.potrf)?,
                getrf_room: library.function(names.getrf_room)?,
                getrf: library.function(names.getrf)?,
                geqrf_room: library.function(names.geqrf_room)?,
                geqrf: library.function(names.geqrf)?,
            })
        }
    }
}

/// Names for one type of numbers: of the libraries' functions, and its own in device code.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    gemm: &'static str,
    gemv: &'static str,
    syrk: &'static str,
    herk: &'static str,
    syr2k: &'static str,
    her2k: &'static str,
    symm: &'static str,
    hemm: &'static str,
    trsm: &'static str,
    trmm: &'static str,
    trsv: &'static str,
    geam: &'static str,
    potrf_room: &'static str,
    potrf: &'static str,
    getrf_room: &'static str,
    getrf: &'static str,
    geqrf_room: &'static str,
    geqrf: &'static str,
    number: &'static str,
}

/// The names with a letter for the type, and with those of the Hermitian products.
macro_rules! names {
    ($letter:literal, [$herk:literal, $her2k:literal, $hemm:literal], $number:literal) => {
        Self {
            gemm: concat!("cublas", $letter, "gemm_v2"),
            gemv: concat!("cublas", $letter, "gemv_v2"),
            syrk: concat!("cublas", $letter, "syrk_v2"),
            herk: concat!("cublas", $letter, $herk, "_v2"),
            syr2k: concat!("cublas", $letter, "syr2k_v2"),
            her2k: concat!("cublas", $letter, $her2k, "_v2"),
            symm: concat!("cublas", $letter, "symm_v2"),
            hemm: concat!("cublas", $letter, $hemm, "_v2"),
            trsm: concat!("cublas", $letter, "trsm_v2"),
            trmm: concat!("cublas", $letter, "trmm_v2"),
            trsv: concat!("cublas", $letter, "trsv_v2"),
            geam: concat!("cublas", $letter, "geam"),
            potrf_room: concat!("cusolverDn", $letter, "potrf_bufferSize"),
            potrf: concat!("cusolverDn", $letter, "potrf"),
            getrf_room: concat!("cusolverDn", $letter, "getrf_bufferSize"),
            getrf: concat!("cusolverDn", $letter, "getrf"),
            geqrf_room: concat!("cusolverDn", $letter, "geqrf_bufferSize"),
            geqrf: concat!("cusolverDn", $letter, "geqrf"),
            number: $number,
        }
    };
}

impl Names {
    /// Single precision.
    pub const SINGLE: Self = names!("S", ["syrk", "syr2k", "symm"], "float");
    /// Double precision.
    pub const DOUBLE: Self = names!("D", ["syrk", "syr2k", "symm"], "double");
    /// Complex, single precision.
    pub const COMPLEX_SINGLE: Self = names!("C", ["herk", "her2k", "hemm"], "float2");
    /// Complex, double precision.
    pub const COMPLEX_DOUBLE: Self = names!("Z", ["herk", "her2k", "hemm"], "double2");

    /// The type's name in device code.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.number
    }
}

/// `CUBLAS_DEFAULT_MATH`.
pub(crate) const DEFAULT_MATH: c_int = 0;
/// `CUBLAS_TF32_TENSOR_OP_MATH`: products in 32 bits may round their operands to TF32.
pub(crate) const TF32_MATH: c_int = 3;

/// `CUBLAS_OP_N`, `_T` or `_C`.
pub(crate) const fn trans(trans: Trans) -> Op {
    match trans {
        Trans::No => 0,
        Trans::Yes => 1,
        Trans::Conj => 2,
    }
}

/// `CUBLAS_FILL_MODE_LOWER` or `_UPPER`.
pub(crate) const fn uplo(uplo: Uplo) -> Fill {
    match uplo {
        Uplo::Lower => 0,
        Uplo::Upper => 1,
    }
}

/// `CUBLAS_SIDE_LEFT` or `_RIGHT`.
pub(crate) const fn side(side: Side) -> OnSide {
    match side {
        Side::Left => 0,
        Side::Right => 1,
    }
}

/// `CUBLAS_DIAG_NON_UNIT` or `_UNIT`.
pub(crate) const fn diag(diag: Diag) -> Unit {
    match diag {
        Diag::NonUnit => 0,
        Diag::Unit => 1,
    }
}
