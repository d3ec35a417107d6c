//! cuBLAS's functions: each is one item of the list.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::c_int;

use num_complex::Complex;

use crate::abi::{Answer, Given, Handle};
use crate::call::{Call, Called, Library, Refusal, before, fill, flag, library, op};
use crate::dense::{Dense, Matrix, Op, Stored};
use crate::factor::solve;
use crate::memory::Place;
use crate::number::Number;

/// `cublasStatus_t`.
fn status(called: Called) -> c_int {
    match called {
        Ok(()) => 0,
        Err(Refusal::NotInitialised) => 1,
        Err(Refusal::Invalid) => 7,
        Err(Refusal::Failed) => 13,
    }
}

/// `c = alpha op(a) op(b) + beta c`, with `a` and `b` in TF32 if that `rounds`.
fn multiply<T: Number>(
    (alpha, beta): (T, T),
    (a, op_a): (&Matrix, Op),
    (b, op_b): (&Matrix, Op),
    c: &Matrix,
    rounds: bool,
) {
    let operand = |matrix: &Matrix| match rounds {
        true => matrix.load::<T>().rounded(),
        false => matrix.load(),
    };
    let product = operand(a).op(op_a).times(&operand(b).op(op_b));
    c.update(&product.scaled(alpha), beta, Stored::All);
}

/// `a a'` by `op` and its like, which is `n x k`: conjugated if `hermitian`.
fn outer<T: Number>(a: Dense<T>, b: Dense<T>, hermitian: bool) -> Dense<T> {
    a.times(&b.op(if hermitian { Op::Conjugated } else { Op::Transposed }))
}

/// The side of a triangle of a symmetric or Hermitian update.
fn put_update<T: Number>(c: &Matrix, dense: &Dense<T>, beta: T, uplo: Stored, hermitian: bool) {
    let mut dense = dense.clone();
    if hermitian && !beta.is_zero() {
        // What stands for the imaginary parts of the diagonal is not read.
        for i in 0..c.rows {
            dense.put(i, i, T::real(dense.at(i, i).re()));
        }
    }
    c.update(&dense, beta, uplo);
    if hermitian {
        let sum = c.triangle::<T>(uplo, false);
        let real = |i, j| if i == j { T::real(sum.at(i, j).re()) } else { sum.at(i, j) };
        c.store(&Dense::from_fn(c.rows, c.cols, real), uplo);
    }
}

library! { "cublas", status;
    /// `c = alpha op(a) op(b) + beta c`.
    fn gemm[S D C Z, "gemm_v2"](
        call, op_a: c_int, op_b: c_int, m: i32, n: i32, k: i32, alpha: Given<T>,
        a: Place, lda: i32, b: Place, ldb: i32, beta: Given<T>, c: Place, ldc: i32,
    ) {
        let (op_a, op_b) = (op(op_a)?, op(op_b)?);
        let a = call.matrix::<T>(a, before(op_a, m, k), lda)?;
        let b = call.matrix::<T>(b, before(op_b, k, n), ldb)?;
        let c = call.matrix::<T>(c, (m, n), ldc)?;
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        let rounds = call.rounds();
        call.put(move || {
            multiply((alpha.value(), beta.value()), (&a, op_a), (&b, op_b), &c, rounds);
        })
    }

    /// The same of `count` matrices, so far apart.
    fn gemm_strided[S D C Z, "gemmStridedBatched"](
        call, op_a: c_int, op_b: c_int, m: i32, n: i32, k: i32, alpha: Given<T>,
        a: Place, lda: i32, step_a: i64, b: Place, ldb: i32, step_b: i64,
        beta: Given<T>, c: Place, ldc: i32, step_c: i64, count: i32,
    ) {
        let (op_a, op_b) = (op(op_a)?, op(op_b)?);
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        let mut all = Vec::new();
        for index in 0..i64::from(count) {
            let at = |start: Place, step: i64| {
                start.wrapping_add_signed(index * step * size_of::<T>() as i64)
            };
            let a = call.matrix::<T>(at(a, step_a), before(op_a, m, k), lda)?;
            let b = call.matrix::<T>(at(b, step_b), before(op_b, k, n), ldb)?;
            all.push((a, b, call.matrix::<T>(at(c, step_c), (m, n), ldc)?));
        }
        call.put(move || for (a, b, c) in &all {
            multiply((alpha.value(), beta.value()), (a, op_a), (b, op_b), c, false);
        })
    }

    /// The same of `count` matrices whose addresses stand on the device.
    fn gemm_batched[S D C Z, "gemmBatched"](
        call, op_a: c_int, op_b: c_int, m: i32, n: i32, k: i32, alpha: Given<T>,
        a: Place, lda: i32, b: Place, ldb: i32, beta: Given<T>, c: Place, ldc: i32, count: i32,
    ) {
        let (op_a, op_b) = (op(op_a)?, op(op_b)?);
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        let (a, b) = (call.places(a, count)?, call.places(b, count)?);
        let mut all = Vec::new();
        for ((a, b), c) in a.into_iter().zip(b).zip(call.places(c, count)?) {
            let a = call.matrix::<T>(a, before(op_a, m, k), lda)?;
            let b = call.matrix::<T>(b, before(op_b, k, n), ldb)?;
            all.push((a, b, call.matrix::<T>(c, (m, n), ldc)?));
        }
        call.put(move || for (a, b, c) in &all {
            multiply((alpha.value(), beta.value()), (a, op_a), (b, op_b), c, false);
        })
    }

    /// `y = alpha op(a) x + beta y`.
    fn gemv[S D C Z, "gemv_v2"](
        call, op_a: c_int, m: i32, n: i32, alpha: Given<T>, a: Place, lda: i32,
        x: Place, step_x: i32, beta: Given<T>, y: Place, step_y: i32,
    ) {
        let op_a = op(op_a)?;
        let (count_y, count_x) = before(op_a, m, n);
        let a = call.matrix::<T>(a, (m, n), lda)?;
        let x = call.vector::<T>(x, count_x, step_x)?;
        let y = call.vector::<T>(y, count_y, step_y)?;
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        // As the reference, cuBLAS leaves y alone where there is nothing to add.
        if m == 0 || n == 0 {
            return Ok(());
        }
        call.put(move || {
            let product = a.load::<T>().op(op_a).times(&x.load().op(Op::Transposed));
            let product = product.op(Op::Transposed).scaled(alpha.value());
            y.update(&product, beta.value(), Stored::All);
        })
    }

    /// A triangle of `c = alpha a a' + beta c`, or of `a' a`.
    fn syrk[S D C Z, "syrk_v2"](
        call, uplo: c_int, op_a: c_int, n: i32, k: i32, alpha: Given<T>, a: Place, lda: i32,
        beta: Given<T>, c: Place, ldc: i32,
    ) {
        let (uplo, op_a) = (fill(uplo)?, op(op_a)?);
        let a = call.matrix::<T>(a, before(op_a, n, k), lda)?;
        let c = call.matrix::<T>(c, (n, n), ldc)?;
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        // Of complex numbers only the plain transpose is symmetric.
        if op_a == Op::Conjugated && T::IS_COMPLEX {
            return Err(Refusal::Invalid);
        }
        call.put(move || {
            let a = a.load::<T>().op(op_a);
            let product = outer(a.clone(), a, false).scaled(alpha.value());
            put_update(&c, &product, beta.value(), uplo, false);
        })
    }

    /// The same, Hermitian.
    fn herk[C Z, "herk_v2"](
        call, uplo: c_int, op_a: c_int, n: i32, k: i32, alpha: Given<<T as Number>::Real>,
        a: Place, lda: i32, beta: Given<<T as Number>::Real>, c: Place, ldc: i32,
    ) {
        let (uplo, op_a) = (fill(uplo)?, op(op_a)?);
        if op_a == Op::Transposed {
            return Err(Refusal::Invalid);
        }
        let a = call.matrix::<T>(a, before(op_a, n, k), lda)?;
        let c = call.matrix::<T>(c, (n, n), ldc)?;
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        call.put(move || {
            let a = a.load::<T>().op(op_a);
            let product = outer(a.clone(), a, true).scaled(T::of(alpha.value()));
            put_update(&c, &product, T::of(beta.value()), uplo, true);
        })
    }

    /// A triangle of `c = alpha (a b' + b a') + beta c`, or of `a' b + b' a`.
    fn syr2k[S D C Z, "syr2k_v2"](
        call, uplo: c_int, op_a: c_int, n: i32, k: i32, alpha: Given<T>, a: Place, lda: i32,
        b: Place, ldb: i32, beta: Given<T>, c: Place, ldc: i32,
    ) {
        let (uplo, op_a) = (fill(uplo)?, op(op_a)?);
        if op_a == Op::Conjugated && T::IS_COMPLEX {
            return Err(Refusal::Invalid);
        }
        let a = call.matrix::<T>(a, before(op_a, n, k), lda)?;
        let b = call.matrix::<T>(b, before(op_a, n, k), ldb)?;
        let c = call.matrix::<T>(c, (n, n), ldc)?;
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        call.put(move || {
            let (a, b) = (a.load::<T>().op(op_a), b.load::<T>().op(op_a));
            let product = outer(a.clone(), b.clone(), false).plus(&outer(b, a, false));
            put_update(&c, &product.scaled(alpha.value()), beta.value(), uplo, false);
        })
    }

    /// A triangle of `c = alpha a b' + conj(alpha) b a' + beta c`, conjugated.
    fn her2k[C Z, "her2k_v2"](
        call, uplo: c_int, op_a: c_int, n: i32, k: i32, alpha: Given<T>, a: Place, lda: i32,
        b: Place, ldb: i32, beta: Given<<T as Number>::Real>, c: Place, ldc: i32,
    ) {
        let (uplo, op_a) = (fill(uplo)?, op(op_a)?);
        if op_a == Op::Transposed {
            return Err(Refusal::Invalid);
        }
        let a = call.matrix::<T>(a, before(op_a, n, k), lda)?;
        let b = call.matrix::<T>(b, before(op_a, n, k), ldb)?;
        let c = call.matrix::<T>(c, (n, n), ldc)?;
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        call.put(move || {
            let (a, b) = (a.load::<T>().op(op_a), b.load::<T>().op(op_a));
            let one = outer(a.clone(), b.clone(), true).scaled(alpha.value());
            let other = outer(b, a, true).scaled(alpha.value().conj());
            put_update(&c, &one.plus(&other), T::of(beta.value()), uplo, true);
        })
    }

    /// `c = alpha a b + beta c` with a symmetric `a`, or `b a`.
    fn symm[S D C Z, "symm_v2"](
        call, side: c_int, uplo: c_int, m: i32, n: i32, alpha: Given<T>, a: Place, lda: i32,
        b: Place, ldb: i32, beta: Given<T>, c: Place, ldc: i32,
    ) {
        symmetric::<T>(call, side, uplo, (m, n), alpha, (a, lda), (b, ldb), beta, (c, ldc), false)
    }

    /// The same with a Hermitian `a`.
    fn hemm[C Z, "hemm_v2"](
        call, side: c_int, uplo: c_int, m: i32, n: i32, alpha: Given<T>, a: Place, lda: i32,
        b: Place, ldb: i32, beta: Given<T>, c: Place, ldc: i32,
    ) {
        symmetric::<T>(call, side, uplo, (m, n), alpha, (a, lda), (b, ldb), beta, (c, ldc), true)
    }

    /// `b = alpha op(t)^-1 b`, or `b op(t)^-1`.
    fn trsm[S D C Z, "trsm_v2"](
        call, side: c_int, uplo: c_int, op_t: c_int, diag: c_int, m: i32, n: i32,
        alpha: Given<T>, t: Place, ldt: i32, b: Place, ldb: i32,
    ) {
        let (is_right, uplo, op_t, is_unit) = (flag(side)?, fill(uplo)?, op(op_t)?, flag(diag)?);
        let order = if is_right { n } else { m };
        let (t, b) = (call.matrix::<T>(t, (order, order), ldt)?, call.matrix::<T>(b, (m, n), ldb)?);
        let alpha = call.factor(alpha);
        call.put(move || {
            let (t, right) = (t.triangle::<T>(uplo, is_unit), b.load::<T>().scaled(alpha.value()));
            let solution = solve(t, uplo, op_t, is_right, right);
            b.store(&solution, Stored::All);
        })
    }

    /// `c = alpha op(t) b`, or `b op(t)`.
    fn trmm[S D C Z, "trmm_v2"](
        call, side: c_int, uplo: c_int, op_t: c_int, diag: c_int, m: i32, n: i32,
        alpha: Given<T>, t: Place, ldt: i32, b: Place, ldb: i32, c: Place, ldc: i32,
    ) {
        let (is_right, uplo, op_t, is_unit) = (flag(side)?, fill(uplo)?, op(op_t)?, flag(diag)?);
        let order = if is_right { n } else { m };
        let (t, b) = (call.matrix::<T>(t, (order, order), ldt)?, call.matrix::<T>(b, (m, n), ldb)?);
        let (c, alpha) = (call.matrix::<T>(c, (m, n), ldc)?, call.factor(alpha));
        call.put(move || {
            let (t, b) = (t.triangle::<T>(uplo, is_unit).op(op_t), b.load::<T>());
            let product = if is_right { b.times(&t) } else { t.times(&b) };
            c.store(&product.scaled(alpha.value()), Stored::All);
        })
    }

    /// `x = op(t)^-1 x`.
    fn trsv[S D C Z, "trsv_v2"](
        call, uplo: c_int, op_t: c_int, diag: c_int, n: i32, t: Place, ldt: i32, x: Place,
        step: i32,
    ) {
        let (uplo, op_t, is_unit) = (fill(uplo)?, op(op_t)?, flag(diag)?);
        let (t, x) = (call.matrix::<T>(t, (n, n), ldt)?, call.vector::<T>(x, n, step)?);
        call.put(move || {
            let (t, right) = (t.triangle::<T>(uplo, is_unit), x.load::<T>().op(Op::Transposed));
            x.store(&solve(t, uplo, op_t, false, right).op(Op::Transposed), Stored::All);
        })
    }

    /// `c = alpha op(a) + beta op(b)`.
    fn geam[S D C Z, "geam"](
        call, op_a: c_int, op_b: c_int, m: i32, n: i32, alpha: Given<T>, a: Place, lda: i32,
        beta: Given<T>, b: Place, ldb: i32, c: Place, ldc: i32,
    ) {
        let (op_a, op_b) = (op(op_a)?, op(op_b)?);
        let a = call.matrix::<T>(a, before(op_a, m, n), lda)?;
        let b = call.matrix::<T>(b, before(op_b, m, n), ldb)?;
        let c = call.matrix::<T>(c, (m, n), ldc)?;
        let (alpha, beta) = (call.factor(alpha), call.factor(beta));
        call.put(move || {
            // An operand whose factor is zero is not read.
            let part = |matrix: &Matrix, op, factor: T| match factor.is_zero() {
                true => Dense::from_fn(c.rows, c.cols, |_, _| T::real(0.0)),
                false => matrix.load::<T>().op(op).scaled(factor),
            };
            let sum = part(&a, op_a, alpha.value()).plus(&part(&b, op_b, beta.value()));
            c.store(&sum, Stored::All);
        })
    }

    /// `x = alpha x`.
    fn scal[S D C Z, "scal_v2"](call, n: i32, alpha: Given<T>, x: Place, step: i32) {
        let (x, alpha) = (call.vector::<T>(x, n, step)?, call.factor(alpha));
        call.put(move || x.store(&x.load::<T>().scaled(alpha.value()), Stored::All))
    }

    /// `y = alpha x + y`.
    fn axpy[S D C Z, "axpy_v2"](
        call, n: i32, alpha: Given<T>, x: Place, step_x: i32, y: Place, step_y: i32,
    ) {
        let (x, y) = (call.vector::<T>(x, n, step_x)?, call.vector::<T>(y, n, step_y)?);
        let alpha = call.factor(alpha);
        call.put(move || {
            y.update(&x.load::<T>().scaled(alpha.value()), T::real(1.0), Stored::All);
        })
    }

    /// `sum = x' y`.
    fn dot[S D, "dot_v2"](
        call, n: i32, x: Place, step_x: i32, y: Place, step_y: i32, sum: Place,
    ) {
        let (x, y) = (call.vector::<T>(x, n, step_x)?, call.vector::<T>(y, n, step_y)?);
        call.sum(sum, move || inner::<T>(&x, &y, Op::Transposed))
    }

    /// The same of complex numbers, of which none is conjugated.
    fn dotu[C Z, "dotu_v2"](
        call, n: i32, x: Place, step_x: i32, y: Place, step_y: i32, sum: Place,
    ) {
        let (x, y) = (call.vector::<T>(x, n, step_x)?, call.vector::<T>(y, n, step_y)?);
        call.sum(sum, move || inner::<T>(&x, &y, Op::Transposed))
    }

    /// The same with those of `x` conjugated.
    fn dotc[C Z, "dotc_v2"](
        call, n: i32, x: Place, step_x: i32, y: Place, step_y: i32, sum: Place,
    ) {
        let (x, y) = (call.vector::<T>(x, n, step_x)?, call.vector::<T>(y, n, step_y)?);
        call.sum(sum, move || inner::<T>(&y, &x, Op::Conjugated))
    }

    /// The length of `x`, of real numbers.
    fn nrm2[S D, "nrm2_v2"](call, n: i32, x: Place, step: i32, norm: Place) {
        let x = call.vector::<T>(x, n, step)?;
        call.sum(norm, move || T::real(length::<T>(&x)))
    }
}

/// The lengths of complex vectors are real, and called by both types.
mod lengths {
    use super::{Call, Called, Complex, Handle, Number, Place, length, status};

    fn nrm2<T: Number>(mut call: Call, n: i32, x: Place, step: i32, norm: Place) -> Called {
        let x = call.vector::<T>(x, n, step)?;
        call.sum(norm, move || <T::Real as Number>::real(length::<T>(&x)))
    }

    #[unsafe(no_mangle)]
    extern "C" fn cublasScnrm2_v2(handle: Handle, n: i32, x: Place, step: i32, norm: Place) -> i32 {
        let call = Call::new(handle, "cublasScnrm2");
        status(call.and_then(|call| nrm2::<Complex<f32>>(call, n, x, step, norm)))
    }

    #[unsafe(no_mangle)]
    extern "C" fn cublasDznrm2_v2(handle: Handle, n: i32, x: Place, step: i32, norm: Place) -> i32 {
        let call = Call::new(handle, "cublasDznrm2");
        status(call.and_then(|call| nrm2::<Complex<f64>>(call, n, x, step, norm)))
    }
}

fn inner<T: Number>(x: &Matrix, y: &Matrix, op: Op) -> T {
    x.load::<T>().times(&y.load().op(op)).at(0, 0)
}

/// The length of a vector, without overflow on the way.
fn length<T: Number>(x: &Matrix) -> f64 {
    let x = x.load::<T>();
    (0..x.cols).fold(0.0, |length: f64, j| length.hypot(x.at(0, j).abs()))
}

#[allow(clippy::too_many_arguments)]
fn symmetric<T: Number>(
    mut call: Call,
    side: c_int,
    uplo: c_int,
    (m, n): (i32, i32),
    alpha: Given<T>,
    (a, lda): (Place, i32),
    (b, ldb): (Place, i32),
    beta: Given<T>,
    (c, ldc): (Place, i32),
    hermitian: bool,
) -> Called {
    let (is_right, uplo) = (flag(side)?, fill(uplo)?);
    let order = if is_right { n } else { m };
    let a = call.matrix::<T>(a, (order, order), lda)?;
    let (b, c) = (call.matrix::<T>(b, (m, n), ldb)?, call.matrix::<T>(c, (m, n), ldc)?);
    let (alpha, beta) = (call.factor(alpha), call.factor(beta));
    call.put(move || {
        let (a, b) = (a.symmetric::<T>(uplo, hermitian), b.load::<T>());
        let product = if is_right { b.times(&a) } else { a.times(&b) };
        c.update(&product.scaled(alpha.value()), beta.value(), Stored::All);
    })
}

/// Exports functions of the library that are not for one precision.
macro_rules! plain {
    ($($(#[doc = $doc:literal])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)+) => {
        $($(#[doc = $doc])*
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        extern "C" fn $name($($argument: $type),*) -> c_int {
            let call = move || -> Called { $body };
            status(call())
        })+
    };
}

plain! {
    fn cublasCreate_v2(handle: Answer<Handle>) {
        handle.set(Library::create()?);
        Ok(())
    }
    fn cublasDestroy_v2(handle: Handle) {
        Library::destroy(handle)
    }
    fn cublasSetStream_v2(handle: Handle, stream: Handle) {
        Library::set_stream(handle, stream)
    }
    fn cublasSetPointerMode_v2(handle: Handle, mode: c_int) {
        Library::set_pointer_mode(handle, mode)
    }
    fn cublasSetMathMode(handle: Handle, mode: c_int) {
        Library::set_math_mode(handle, mode)
    }
    fn cublasSetWorkspace_v2(handle: Handle, place: Place, bytes: usize) {
        let mut call = Call::new(handle, "cublasSetWorkspace")?;
        if bytes > 0 {
            call.region(place, bytes);
        }
        Ok(())
    }
    fn cublasGetVersion_v2(_handle: Handle, version: Answer<c_int>) {
        version.set(120_400);
        Ok(())
    }
    /// The product of two matrices of one type, which are computed with as they are.
    fn cublasGemmEx(
        handle: Handle, op_a: c_int, op_b: c_int, m: i32, n: i32, k: i32, alpha: u64,
        a: Place, type_a: c_int, lda: i32, b: Place, type_b: c_int, ldb: i32, beta: u64,
        c: Place, type_c: c_int, ldc: i32, _compute: c_int, _algorithm: c_int,
    ) {
        if type_a != type_b || type_a != type_c {
            return Err(Refusal::Invalid);
        }
        let call = Call::new(handle, "cublasGemmEx")?;
        macro_rules! gemm {
            ($type:ty) => {
                gemm::<$type>(
                    call, op_a, op_b, m, n, k, Given::new(alpha), a, lda, b, ldb,
                    Given::new(beta), c, ldc,
                )
            };
        }
        // `cudaDataType_t`.
        match type_a {
            0 => gemm!(f32),
            1 => gemm!(f64),
            4 => gemm!(Complex<f32>),
            5 => gemm!(Complex<f64>),
            _ => Err(Refusal::Invalid),
        }
    }
}
