//! Kinds of arguments of LAPACK's routines: how each is passed, and what it means.
//!
//! All arguments are pointers, as in Fortran. The lengths of strings, which Fortran's compilers
//! pass after all others, are not looked at: every string is one letter.
#![allow(unsafe_code)]

use std::ffi::c_char;

use tegula_kernels::scalar::{Scalar, c32, c64};

use crate::array::Array as CallersArray;
use crate::check::Letter as CheckedLetter;
use crate::native::{context, matrix, pivots};

/// A type of C: a value, or a pointer to some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CType {
    /// A value.
    Value(&'static str),
    /// A pointer to what is read.
    In(&'static str),
    /// A pointer to what is written.
    Out(&'static str),
}

/// A number as C knows it.
pub trait CNumber: Scalar {
    /// Its name in C.
    const NAME: &'static str;
}

impl CNumber for f32 {
    const NAME: &'static str = "float";
}
impl CNumber for f64 {
    const NAME: &'static str = "double";
}
impl CNumber for c32 {
    const NAME: &'static str = "tegula_complex32";
}
impl CNumber for c64 {
    const NAME: &'static str = "tegula_complex64";
}

/// How an argument of a routine in the precision `T` is passed.
pub trait Passed<T> {
    /// What the caller passes.
    type C: Copy;
    /// What stands in the header.
    const C_TYPE: CType;
}

/// What an argument means.
pub(crate) trait Kind<T>: Passed<T> {
    /// What the routine sees.
    type Value;
    /// Looks at the argument.
    ///
    /// # Safety
    /// The pointer is as the documentation of LAPACK's routine asks.
    unsafe fn value(c: Self::C) -> Self::Value;
}

/// Kinds whose value is read at once: name, in C, in the routine, name in C, what it is.
macro_rules! values {
    ($($(#[$doc:meta])* $kind:ident: $c:ty => $value:ty, $name:expr, $make:expr;)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind;

        impl<T: CNumber<Real: CNumber>> Passed<T> for $kind {
            type C = *const $c;
            const C_TYPE: CType = CType::In($name);
        }

        impl<T: CNumber<Real: CNumber>> Kind<T> for $kind {
            type Value = $value;

            unsafe fn value(c: Self::C) -> Self::Value {
                // SAFETY: the caller's promise.
                $make(unsafe { *c })
            }
        }
    )+ };
}

values! {
    /// A letter.
    Letter: c_char => CheckedLetter, "char", |letter: c_char| CheckedLetter(letter.to_ne_bytes()[0]);
    /// An integer of 32 bits.
    Int: i32 => i32, "int", |integer| integer;
    /// A number.
    Number: T => T, T::NAME, |number| number;
    /// A real number of the same precision.
    Real: T::Real => T::Real, <T::Real as CNumber>::NAME, |number| number;
}

/// Kinds that are passed by value, or are pointers to what this library has made: name, in C, in
/// the routine, as in the header, what it is.
macro_rules! own {
    ($($(#[$doc:meta])* $kind:ident: $c:ty => $value:ty, $ctype:expr, $make:expr;)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind;

        impl<T> Passed<T> for $kind {
            type C = $c;
            const C_TYPE: CType = $ctype;
        }

        impl<T> Kind<T> for $kind {
            type Value = $value;

            unsafe fn value(c: Self::C) -> Self::Value {
                // SAFETY: the caller's promise.
                #[allow(unused_unsafe)]
                unsafe { $make(c) }
            }
        }
    )+ };
}

own! {
    /// A letter by value.
    Choice: c_char => CheckedLetter, CType::Value("char"),
        |letter: c_char| CheckedLetter(letter.to_ne_bytes()[0]);
    /// An integer by value.
    Count: i32 => i32, CType::Value("int"), |count| count;
    /// Workers.
    Context: *mut context::Context => Option<&'static context::Context>,
        CType::Out("tegula_context"), |context: *mut context::Context| context.as_ref();
    /// Exchanges of rows.
    Pivots: *mut pivots::Ipiv => Option<&'static pivots::Ipiv>,
        CType::Out("tegula_ipiv"), |pivots: *mut pivots::Ipiv| pivots.as_ref();
    /// A matrix in tiles.
    Desc: *mut matrix::Matrix => Option<&'static matrix::Matrix>,
        CType::Out("tegula_desc"), |matrix: *mut matrix::Matrix| matrix.as_ref();
}

/// Kinds whose value is an array: name, type of its entries, whether they are read or written, and
/// their name in C.
macro_rules! arrays {
    ($($(#[$doc:meta])* $kind:ident: $entry:ty, $way:ident $name:expr;)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind;

        impl<T: CNumber<Real: CNumber, Other: CNumber>> Passed<T> for $kind {
            type C = *mut $entry;
            const C_TYPE: CType = CType::$way($name);
        }

        impl<T: CNumber<Real: CNumber, Other: CNumber>> Kind<T> for $kind {
            type Value = CallersArray<$entry>;

            unsafe fn value(c: Self::C) -> Self::Value {
                // SAFETY: the caller's promise.
                unsafe { CallersArray::new(c) }
            }
        }
    )+ };
}

arrays! {
    /// Numbers that are read.
    Input: T, In T::NAME;
    /// Integers that are read.
    InputInts: i32, In "int";
    /// Numbers that are overwritten.
    Array: T, Out T::NAME;
    /// Real numbers of the same precision that are overwritten.
    Reals: T::Real, Out <T::Real as CNumber>::NAME;
    /// Numbers of 32 bits beside those of 64 that are overwritten.
    Narrow: T::Other, Out <T::Other as CNumber>::NAME;
    /// Integers that are overwritten.
    Ints: i32, Out "int";
}
