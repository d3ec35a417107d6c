//! The backend of this crate's own: micro-kernels for x86 processors with AVX-512, or AVX2 and FMA,
//! and in plain Rust for any other.
//!
//! At tile sizes a library spends a tenth of its time on packing operands and has triangular
//! solves that are far slower than products; here products, solves and factorizations share one
//! micro-kernel and one packed layout.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx;
mod caches;
mod direct;
mod lanes;
mod micro;
mod micro_kernels;
mod pack;
mod portable;
mod product;
mod solve;
mod tiny;

use super::{
    Backend, Blas, blocked, check_packed, check_packed_left, check_product, check_square,
    check_triangle,
};
use crate::error::NumericalError;
use crate::option::{Triangle, Uplo};
use crate::packed::{PackedMut, PackedRef};
use crate::scalar::{Real, c32, c64};
use crate::tile::{TileMut, TileRef};
#[cfg(target_arch = "x86_64")]
use avx::{Avx2, Avx512};
use micro_kernels::MicroKernels;
use pack::{RUN, Strided};
use portable::Portable;
use product::{Operand, Part};

/// The micro-kernels of one processor set. A value exists only where the processor has the set.
#[derive(Debug)]
struct Native<S> {
    name: &'static str,
    set: &'static str,
    _kit: S,
}

/// The backend with the widest registers of this processor.
pub(super) fn detect() -> &'static dyn Backend {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = detect_avx512().or_else(detect_avx2) {
        return wide;
    }
    portable()
}

/// The backend with 512-bit registers, if this processor has AVX-512F, VL and DQ, AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
fn detect_avx512() -> Option<&'static dyn Backend> {
    static WIDE: Native<Avx512> = Native { name: "native", set: "AVX-512", _kit: Avx512 };
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq");
    (avx512 && detect_avx2().is_some()).then_some(&WIDE)
}

/// The backend with 256-bit registers, if this processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
pub(super) fn detect_avx2() -> Option<&'static dyn Backend> {
    static MEDIUM: Native<Avx2> = Native { name: "native-avx2", set: "AVX2", _kit: Avx2 };
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    avx2.then_some(&MEDIUM)
}

/// The backend with 256-bit registers: none for this processor family.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn detect_avx2() -> Option<&'static dyn Backend> {
    None
}

/// The backend in plain Rust.
pub(super) fn portable() -> &'static dyn Backend {
    static PORTABLE: Native<Portable> =
        Native { name: "native-portable", set: "plain Rust", _kit: Portable };
    &PORTABLE
}

/// Orders of matrices that plain loops factorise.
const TINY: usize = 12;

/// Entries of a right-hand side that loops solve for before the micro-kernels have packed them.
const FEW: usize = 16;

impl<S: MicroKernels<f32> + MicroKernels<f64> + Sync> Backend for Native<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> String {
        format!("own micro-kernels, {}", self.set)
    }

    fn single(&self) -> &dyn Blas<f32> {
        self
    }

    fn double(&self) -> &dyn Blas<f64> {
        self
    }

    fn complex_single(&self) -> &dyn Blas<c32> {
        self
    }

    fn complex_double(&self) -> &dyn Blas<c64> {
        self
    }
}

impl<T: Real, S: MicroKernels<T> + Sync> Blas<T> for Native<S> {
    fn gemm(&self, alpha: T, a: TileRef<'_, T>, b: TileRef<'_, T>, beta: T, mut c: TileMut<'_, T>) {
        check_product(a, b, &c);
        if c.rows() == 0 || c.cols() == 0 {
            return;
        }
        if a.cols() == 0 || alpha == T::ZERO {
            return c.scale(beta);
        }
        // SAFETY: `self` exists only where the processor has the set.
        unsafe {
            let is_turned = c.row_stride() != 1;
            let (a, b, c) = if is_turned {
                (b.transposed(), a.transposed(), c.transposed())
            } else {
                (a, b, c)
            };
            if direct::suits::<T, S>(a.rows(), b.cols(), a.cols()) {
                return direct::multiply::<T, S>(alpha, a, b, beta, c);
            }
            let (a, b) = (Operand::matrix(a), Operand::matrix(b.transposed()));
            product::multiply::<T, S>(Part::Whole, alpha, a, b, beta, c);
        }
    }

    fn gemmt(&self, alpha: T, a: TileRef<'_, T>, b: TileRef<'_, T>, beta: T, c: TileMut<'_, T>) {
        check_product(a, b, &c);
        if a.cols() == 0 || alpha == T::ZERO || c.row_stride() != 1 || check_square(&c) == 0 {
            return blocked::gemmt(self, alpha, a, b, beta, c);
        }
        // SAFETY: as in `gemm`.
        unsafe {
            let (a, b) = (Operand::matrix(a), Operand::matrix(b.transposed()));
            product::multiply::<T, S>(Part::Lower, alpha, a, b, beta, c);
        }
    }

    fn trsm(&self, t: Triangle<'_, T>, alpha: T, mut b: TileMut<'_, T>) {
        check_triangle(&t, &b);
        if t.order() > solve::ORDER || b.rows() * b.cols() <= FEW {
            return blocked::trsm(self, t, alpha, b);
        }
        b.scale(alpha);
        if b.cols() == 0 {
            return;
        }
        // SAFETY: as in `gemm`.
        unsafe { solve::solve::<T, S>(t, b, None) };
    }

    fn trmm(&self, t: Triangle<'_, T>, b: TileMut<'_, T>) {
        check_triangle(&t, &b);
        let is_adjacent = b.row_stride() == 1 || b.col_stride() == 1;
        let is_empty = b.rows() == 0 || b.cols() == 0;
        if t.order() > direct::ORDER || is_empty || !is_adjacent {
            return blocked::trmm(self, t, b);
        }
        // SAFETY: as in `gemm`.
        unsafe { direct::multiply_triangle::<T, S>(t, b) };
    }

    fn potrf(&self, a: TileMut<'_, T>) -> Result<(), NumericalError> {
        let order = check_square(&a);
        if order > solve::ORDER || order <= TINY {
            return blocked::potrf(self, a);
        }
        // SAFETY: as in `gemm`.
        unsafe {
            if order <= tiny::ORDER { tiny::factor::<T, S>(a) } else { solve::factor::<T, S>(a) }
        }
    }

    fn getrf_columns(&self, a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
        // SAFETY: as in `gemm`.
        unsafe { S::getrf_columns(a, pivots) }
    }

    fn gemv(&self, alpha: T, a: TileRef<'_, T>, x: TileRef<'_, T>, beta: T, y: TileMut<'_, T>) {
        // SAFETY: as in `gemm`.
        unsafe { S::gemv(alpha, a, x, beta, y) };
    }

    fn hemv(&self, a: TileRef<'_, T>, x: &[T], y: &mut [T]) {
        // SAFETY: as in `gemm`.
        unsafe { S::hemv(a, x, y) };
    }

    fn micro_panel_height(&self) -> Option<usize> {
        Some(S::MR)
    }

    fn gemm_packed(
        &self,
        alpha: T,
        a: PackedRef<'_, T>,
        b: PackedRef<'_, T>,
        beta: T,
        c: TileMut<'_, T>,
    ) {
        check_packed(&a, &b, &c);
        let is_turned = c.row_stride() != 1;
        let (a, b, c) = if is_turned { (b, a, c.transposed()) } else { (a, b, c) };
        if a.shape().height != S::MR || c.row_stride() != 1 || a.shape().cols == 0 {
            return blocked::gemm_packed(self, alpha, a, b, beta, c);
        }
        // SAFETY: as in `gemm`.
        unsafe {
            let (a, b) = (Operand::packed(a), Operand::packed(b));
            product::multiply::<T, S>(Part::Whole, alpha, a, b, beta, c);
        }
    }

    fn gemm_packed_left(
        &self,
        alpha: T,
        a: PackedRef<'_, T>,
        b: TileRef<'_, T>,
        beta: T,
        c: TileMut<'_, T>,
    ) {
        check_packed_left(&a, b, &c);
        if a.shape().height != S::MR || a.shape().cols == 0 || c.cols() == 0 {
            return blocked::gemm_packed_left(self, alpha, a, b, beta, c);
        }
        // SAFETY: as in `gemm`.
        unsafe {
            let (a, b) = (Operand::packed(a), Operand::matrix(b.transposed()));
            if c.row_stride() == 1 {
                product::multiply::<T, S>(Part::Whole, alpha, a, b, beta, c);
            } else {
                product::multiply::<T, S>(Part::Whole, alpha, b, a, beta, c.transposed());
            }
        }
    }

    fn pack(&self, a: TileRef<'_, T>, mut packed: PackedMut<'_, T>) {
        let shape = packed.shape();
        if shape.height != S::MR {
            return packed.pack_from(a);
        }
        packed.check_source(a);
        let a = Strided::new(a);
        // A few columns at a time, so that each is read from its beginning to its end.
        let few = if a.across == 1 { RUN } else { shape.cols.max(1) };
        for col in (0..shape.cols).step_by(few) {
            let cols = few.min(shape.cols - col);
            for index in 0..shape.micro_panels() {
                let rows = shape.rows_of(index);
                let place = index * shape.stride() + col * shape.height;
                let to = packed.as_mut_ptr().wrapping_add(place);
                // SAFETY: as in `gemm`; the part is inside the matrix, and there is room for it.
                unsafe { S::pack_rows(a.part(rows.start, col, rows.len(), cols), to) };
            }
        }
    }

    fn syrk_packed(&self, alpha: T, a: PackedRef<'_, T>, beta: T, c: TileMut<'_, T>) {
        check_packed(&a, &a, &c);
        if a.shape().height != S::MR || c.row_stride() != 1 || a.shape().cols == 0 {
            return blocked::syrk_packed(self, alpha, a, beta, c);
        }
        // SAFETY: as in `gemm`.
        unsafe {
            let a = Operand::packed(a);
            product::multiply::<T, S>(Part::Lower, alpha, a, a, beta, c);
        }
    }

    fn trsm_packed(&self, t: Triangle<'_, T>, mut b: TileMut<'_, T>, x: PackedMut<'_, T>) {
        check_triangle(&t, &b);
        let shape = x.shape();
        assert!(
            (shape.cols, shape.rows) == (b.rows(), b.cols()),
            "the transpose of {} x {} into {shape:?}",
            b.rows(),
            b.cols()
        );
        // The micro-panels of an upper triangle's solution would have their columns in reverse
        // order.
        let reversed = t.uplo == Uplo::Upper;
        if reversed || t.order() > solve::ORDER || shape.height != S::MR || shape.elements() == 0 {
            self.trsm(t, T::ONE, b.reborrow());
            return self.pack(b.as_ref().transposed(), x);
        }
        // SAFETY: as in `gemm`.
        unsafe { solve::solve::<T, S>(t, b, Some(x)) };
    }

    fn leaf(&self) -> &dyn Blas<T> {
        self
    }
}
