//! The functions of cuBLAS and cuSOLVER in one precision, as a table.

use std::mem::transmute;

use cudarc::cublas::sys as cublas;
use cudarc::cusolver::sys as cusolver;

use crate::option::{Diag, Side, Trans, Uplo};
use crate::scalar::{Scalar, c32, c64};

type Handle = cublas::cublasHandle_t;
type Status = cublas::cublasStatus_t;
type Op = cublas::cublasOperation_t;
type Fill = cublas::cublasFillMode_t;
type OnSide = cublas::cublasSideMode_t;
type Unit = cublas::cublasDiagType_t;

type Gemm<T> = unsafe fn(
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
type Gemv<T> = unsafe fn(
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
type Syrk<T> =
    unsafe fn(Handle, Fill, Op, i32, i32, *const T, *const T, i32, *const T, *mut T, i32) -> Status;
type Herk<T> = unsafe fn(
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
type Trsm<T> = unsafe fn(
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
type Trmm<T> = unsafe fn(
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
type Trsv<T> = unsafe fn(Handle, Fill, Op, Unit, i32, *const T, i32, *mut T, i32) -> Status;
type Geam<T> = unsafe fn(
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

type SolverHandle = cusolver::cusolverDnHandle_t;
type SolverStatus = cusolver::cusolverStatus_t;
type SolverFill = cusolver::cublasFillMode_t;
type PotrfRoom<T> = unsafe fn(SolverHandle, SolverFill, i32, *mut T, i32, *mut i32) -> SolverStatus;
type Potrf<T> =
    unsafe fn(SolverHandle, SolverFill, i32, *mut T, i32, *mut T, i32, *mut i32) -> SolverStatus;

/// The libraries' functions for numbers of type `T`.
#[derive(Clone, Copy, Debug)]
pub struct Calls<T: Scalar> {
    pub(crate) gemm: Gemm<T>,
    pub(crate) gemv: Gemv<T>,
    pub(crate) syrk: Syrk<T>,
    /// Hermitian; of real numbers, as `syrk`.
    pub(crate) herk: Herk<T>,
    pub(crate) trsm: Trsm<T>,
    pub(crate) trmm: Trmm<T>,
    pub(crate) trsv: Trsv<T>,
    pub(crate) geam: Geam<T>,
    pub(crate) potrf_room: PotrfRoom<T>,
    pub(crate) potrf: Potrf<T>,
    name: &'static str,
}

impl Calls<f32> {
    /// Single precision.
    pub const SINGLE: Self = Self {
        gemm: cublas::cublasSgemm_v2,
        gemv: cublas::cublasSgemv_v2,
        syrk: cublas::cublasSsyrk_v2,
        herk: cublas::cublasSsyrk_v2,
        trsm: cublas::cublasStrsm_v2,
        trmm: cublas::cublasStrmm_v2,
        trsv: cublas::cublasStrsv_v2,
        geam: cublas::cublasSgeam,
        potrf_room: cusolver::cusolverDnSpotrf_bufferSize,
        potrf: cusolver::cusolverDnSpotrf,
        name: "float",
    };
}

impl Calls<f64> {
    /// Double precision.
    pub const DOUBLE: Self = Self {
        gemm: cublas::cublasDgemm_v2,
        gemv: cublas::cublasDgemv_v2,
        syrk: cublas::cublasDsyrk_v2,
        herk: cublas::cublasDsyrk_v2,
        trsm: cublas::cublasDtrsm_v2,
        trmm: cublas::cublasDtrmm_v2,
        trsv: cublas::cublasDtrsv_v2,
        geam: cublas::cublasDgeam,
        potrf_room: cusolver::cusolverDnDpotrf_bufferSize,
        potrf: cusolver::cusolverDnDpotrf,
        name: "double",
    };
}

/// A table for complex numbers: what the libraries call `cuComplex` is laid out as ours.
macro_rules! complex {
    ($type:ident, $gemm:ident, $gemv:ident, $syrk:ident, $herk:ident, $trsm:ident, $trmm:ident, $trsv:ident,
     $geam:ident, $room:ident, $potrf:ident, $name:literal) => {
        // SAFETY: the functions take pointers to two numbers of one precision, real part first.
        unsafe {
            Self {
                gemm: transmute::<*const (), Gemm<$type>>(cublas::$gemm as *const ()),
                gemv: transmute::<*const (), Gemv<$type>>(cublas::$gemv as *const ()),
                syrk: transmute::<*const (), Syrk<$type>>(cublas::$syrk as *const ()),
                herk: transmute::<*const (), Herk<$type>>(cublas::$herk as *const ()),
                trsm: transmute::<*const (), Trsm<$type>>(cublas::$trsm as *const ()),
                trmm: transmute::<*const (), Trmm<$type>>(cublas::$trmm as *const ()),
                trsv: transmute::<*const (), Trsv<$type>>(cublas::$trsv as *const ()),
                geam: transmute::<*const (), Geam<$type>>(cublas::$geam as *const ()),
                potrf_room: transmute::<*const (), PotrfRoom<$type>>(cusolver::$room as *const ()),
                potrf: transmute::<*const (), Potrf<$type>>(cusolver::$potrf as *const ()),
                name: $name,
            }
        }
    };
}

#[allow(unsafe_code)]
impl Calls<c32> {
    /// Complex, single precision.
    pub const COMPLEX_SINGLE: Self = complex!(
        c32,
        cublasCgemm_v2,
        cublasCgemv_v2,
        cublasCsyrk_v2,
        cublasCherk_v2,
        cublasCtrsm_v2,
        cublasCtrmm_v2,
        cublasCtrsv_v2,
        cublasCgeam,
        cusolverDnCpotrf_bufferSize,
        cusolverDnCpotrf,
        "float2"
    );
}

#[allow(unsafe_code)]
impl Calls<c64> {
    /// Complex, double precision.
    pub const COMPLEX_DOUBLE: Self = complex!(
        c64,
        cublasZgemm_v2,
        cublasZgemv_v2,
        cublasZsyrk_v2,
        cublasZherk_v2,
        cublasZtrsm_v2,
        cublasZtrmm_v2,
        cublasZtrsv_v2,
        cublasZgeam,
        cusolverDnZpotrf_bufferSize,
        cusolverDnZpotrf,
        "double2"
    );
}

impl<T: Scalar> Calls<T> {
    /// The type's name in device code.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

pub(crate) const fn trans(trans: Trans) -> Op {
    match trans {
        Trans::No => Op::CUBLAS_OP_N,
        Trans::Yes => Op::CUBLAS_OP_T,
        Trans::Conj => Op::CUBLAS_OP_C,
    }
}

pub(crate) const fn uplo(uplo: Uplo) -> Fill {
    match uplo {
        Uplo::Lower => Fill::CUBLAS_FILL_MODE_LOWER,
        Uplo::Upper => Fill::CUBLAS_FILL_MODE_UPPER,
    }
}

pub(crate) const fn side(side: Side) -> OnSide {
    match side {
        Side::Left => OnSide::CUBLAS_SIDE_LEFT,
        Side::Right => OnSide::CUBLAS_SIDE_RIGHT,
    }
}

pub(crate) const fn diag(diag: Diag) -> Unit {
    match diag {
        Diag::NonUnit => Unit::CUBLAS_DIAG_NON_UNIT,
        Diag::Unit => Unit::CUBLAS_DIAG_UNIT,
    }
}
