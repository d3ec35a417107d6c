//! cuSOLVER's functions: each is one item of the list.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::c_int;

use crate::abi::{Answer, Handle};
use crate::call::{Call, Called, Library, Refusal, fill, flag, library, op, size};
use crate::dense::{Op, Stored};
use crate::factor::{apply_q, cholesky, lu, qr, solve};
use crate::memory::{Place, Region};

/// `cusolverStatus_t`.
fn status(called: Called) -> c_int {
    match called {
        Ok(()) => 0,
        Err(Refusal::NotInitialised) => 1,
        Err(Refusal::Invalid) => 3,
        Err(Refusal::Failed) => 6,
    }
}

/// Numbers of room that are asked for: the stand-ins need none, and fill what they are given.
fn room(rows: i32, cols: i32) -> i32 {
    rows.max(1) * cols.clamp(1, 32)
}

/// The room that a call is given: as large as was asked for, or it is refused.
fn check_room<T>(call: &mut Call, work: Place, given: i32, asked: i32) -> Called<Region> {
    if given < asked {
        return Err(Refusal::Invalid);
    }
    Ok(call.region(work, size(given)? * size_of::<T>()))
}

/// Fills the room with what nobody can use.
fn spoil(work: &Region) {
    // SAFETY: it has as many bytes, which are the call's.
    unsafe { work.host().write_bytes(0xFF, work.bytes) }
}

/// Writes numbers of 32 bits to the device.
fn write(region: &Region, values: &[i32]) {
    let place = region.host().cast::<i32>();
    for (at, &value) in values.iter().enumerate() {
        // SAFETY: the region was made with room for as many.
        unsafe { place.add(at).write_unaligned(value) }
    }
}

library! { "cusolverDn", status;
    fn potrf_room[S D C Z, "potrf_bufferSize"](
        call, uplo: c_int, n: i32, a: Place, lda: i32, numbers: Answer<i32>,
    ) {
        fill(uplo)?;
        call.matrix::<T>(a, (n, n), lda)?;
        numbers.set(room(n, n));
        Ok(())
    }

    /// The Cholesky factor.
    fn potrf[S D C Z, "potrf"](
        call, uplo: c_int, n: i32, a: Place, lda: i32, work: Place, given: i32, info: Place,
    ) {
        let (uplo, a) = (fill(uplo)?, call.matrix::<T>(a, (n, n), lda)?);
        let work = check_room::<T>(&mut call, work, given, room(n, n))?;
        let info = call.region(info, 4);
        call.put(move || {
            spoil(&work);
            let whole = a.triangle::<T>(uplo, false);
            let back = if uplo == Stored::Upper { Op::Conjugated } else { Op::As };
            let mut factor = whole.op(back);
            write(&info, &[cholesky(&mut factor)]);
            a.store(&factor.op(back), uplo);
        })
    }

    fn getrf_room[S D C Z, "getrf_bufferSize"](
        call, m: i32, n: i32, a: Place, lda: i32, numbers: Answer<i32>,
    ) {
        call.matrix::<T>(a, (m, n), lda)?;
        numbers.set(room(m, n));
        Ok(())
    }

    /// The factors of LU, with exchanges of rows unless there is no place for these.
    fn getrf[S D C Z, "getrf"](
        call, m: i32, n: i32, a: Place, lda: i32, work: Place, exchanges: Place, info: Place,
    ) {
        let a = call.matrix::<T>(a, (m, n), lda)?;
        let work = check_room::<T>(&mut call, work, room(m, n), room(m, n))?;
        let count = size(m.min(n))?;
        let exchanges = (exchanges != 0).then(|| call.region(exchanges, 4 * count));
        let info = call.region(info, 4);
        call.put(move || {
            spoil(&work);
            let mut factors = a.load::<T>();
            let (made, failed) = lu(&mut factors, exchanges.is_some());
            exchanges.iter().for_each(|region| write(region, &made));
            write(&info, &[failed]);
            a.store(&factors, Stored::All);
        })
    }

    /// A solve with the factors of LU.
    fn getrs[S D C Z, "getrs"](
        call, op_a: c_int, n: i32, count: i32, a: Place, lda: i32, exchanges: Place, b: Place,
        ldb: i32, info: Place,
    ) {
        let (op_a, a) = (op(op_a)?, call.matrix::<T>(a, (n, n), lda)?);
        let (b, n) = (call.matrix::<T>(b, (n, count), ldb)?, size(n)?);
        let exchanges = (exchanges != 0).then(|| call.region(exchanges, 4 * n));
        let info = call.region(info, 4);
        call.put(move || {
            let swapped = |k: usize| exchanges.as_ref().map_or(k, |region| {
                // SAFETY: the region has as many.
                let row = unsafe { region.host().cast::<i32>().add(k).read_unaligned() };
                row.unsigned_abs() as usize - 1
            });
            let (l, u) =
                (a.triangle::<T>(Stored::Lower, true), a.triangle::<T>(Stored::Upper, false));
            let mut x = b.load::<T>();
            if op_a == Op::As {
                (0..n).for_each(|k| (0..x.cols).for_each(|j| x.col_mut(j).swap(k, swapped(k))));
                x = solve(l, Stored::Lower, op_a, false, x);
                x = solve(u, Stored::Upper, op_a, false, x);
            } else {
                x = solve(u, Stored::Upper, op_a, false, x);
                x = solve(l, Stored::Lower, op_a, false, x);
                let back = (0..n).rev();
                back.for_each(|k| (0..x.cols).for_each(|j| x.col_mut(j).swap(k, swapped(k))));
            }
            b.store(&x, Stored::All);
            write(&info, &[0]);
        })
    }

    fn geqrf_room[S D C Z, "geqrf_bufferSize"](
        call, m: i32, n: i32, a: Place, lda: i32, numbers: Answer<i32>,
    ) {
        call.matrix::<T>(a, (m, n), lda)?;
        numbers.set(room(m, n));
        Ok(())
    }

    /// The factors of QR.
    fn geqrf[S D C Z, "geqrf"](
        call, m: i32, n: i32, a: Place, lda: i32, tau: Place, work: Place, given: i32, info: Place,
    ) {
        let a = call.matrix::<T>(a, (m, n), lda)?;
        let tau = call.vector::<T>(tau, m.min(n), 1)?;
        let work = check_room::<T>(&mut call, work, given, room(m, n))?;
        let info = call.region(info, 4);
        call.put(move || {
            spoil(&work);
            let mut factors = a.load::<T>();
            let taus = qr(&mut factors);
            let row = crate::dense::Dense::from_fn(1, taus.len(), |_, j| taus[j]);
            a.store(&factors, Stored::All);
            tau.store(&row, Stored::All);
            write(&info, &[0]);
        })
    }

    fn ormqr_room[S D, "ormqr_bufferSize"](
        call, _side: c_int, _op: c_int, m: i32, n: i32, _k: i32, _a: Place, _lda: i32,
        _tau: Place, c: Place, ldc: i32, numbers: Answer<i32>,
    ) {
        call.matrix::<T>(c, (m, n), ldc)?;
        numbers.set(room(m, n));
        Ok(())
    }

    fn unmqr_room[C Z, "unmqr_bufferSize"](
        call, _side: c_int, _op: c_int, m: i32, n: i32, _k: i32, _a: Place, _lda: i32,
        _tau: Place, c: Place, ldc: i32, numbers: Answer<i32>,
    ) {
        call.matrix::<T>(c, (m, n), ldc)?;
        numbers.set(room(m, n));
        Ok(())
    }

    /// `op(q) c`, or `c op(q)`.
    fn ormqr[S D, "ormqr"](
        call, side: c_int, op_q: c_int, m: i32, n: i32, k: i32, a: Place, lda: i32, tau: Place,
        c: Place, ldc: i32, work: Place, given: i32, info: Place,
    ) {
        product_with_q::<T>(
            call, side, op_q, (m, n, k), (a, lda), tau, (c, ldc), (work, given), info,
        )
    }

    /// The same of complex numbers.
    fn unmqr[C Z, "unmqr"](
        call, side: c_int, op_q: c_int, m: i32, n: i32, k: i32, a: Place, lda: i32, tau: Place,
        c: Place, ldc: i32, work: Place, given: i32, info: Place,
    ) {
        product_with_q::<T>(
            call, side, op_q, (m, n, k), (a, lda), tau, (c, ldc), (work, given), info,
        )
    }
}

#[allow(clippy::too_many_arguments)]
fn product_with_q<T: crate::number::Number>(
    mut call: Call,
    side: c_int,
    op_q: c_int,
    (m, n, k): (i32, i32, i32),
    (a, lda): (Place, i32),
    tau: Place,
    (c, ldc): (Place, i32),
    (work, given): (Place, i32),
    info: Place,
) -> Called {
    let (is_right, op_q) = (flag(side)?, op(op_q)?);
    let order = if is_right { n } else { m };
    if k > order || op_q == Op::Transposed && T::IS_COMPLEX {
        return Err(Refusal::Invalid);
    }
    let a = call.matrix::<T>(a, (order, k), lda)?;
    let tau = call.vector::<T>(tau, k, 1)?;
    let c = call.matrix::<T>(c, (m, n), ldc)?;
    let work = check_room::<T>(&mut call, work, given, room(m, n))?;
    let info = call.region(info, 4);
    call.put(move || {
        spoil(&work);
        let (a, taus) = (a.load::<T>(), tau.load::<T>());
        let taus: Vec<T> = (0..taus.cols).map(|j| taus.at(0, j)).collect();
        // c q is the conjugate of q' c'.
        let (turn, op) = match (is_right, op_q) {
            (false, op) => (Op::As, op),
            (true, Op::As) => (Op::Conjugated, Op::Conjugated),
            (true, _) => (Op::Conjugated, Op::As),
        };
        let mut product = c.load::<T>().op(turn);
        apply_q(&a, &taus, op, &mut product);
        c.store(&product.op(turn), Stored::All);
        write(&info, &[0]);
    })
}

/// Creates a handle.
#[unsafe(no_mangle)]
extern "C" fn cusolverDnCreate(handle: Answer<Handle>) -> c_int {
    status(Library::create().map(|made| handle.set(made)))
}

/// Takes one away.
#[unsafe(no_mangle)]
extern "C" fn cusolverDnDestroy(handle: Handle) -> c_int {
    status(Library::destroy(handle))
}

/// Gives one its stream.
#[unsafe(no_mangle)]
extern "C" fn cusolverDnSetStream(handle: Handle, stream: Handle) -> c_int {
    status(Library::set_stream(handle, stream))
}
