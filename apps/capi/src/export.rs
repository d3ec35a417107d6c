//! From a generic routine to the functions of LAPACK's names, one for each precision.
#![allow(unsafe_code)]

use crate::check::Checked;
use crate::kind::CType;
use crate::xerbla::xerbla;

/// A function that the library exports, for headers and tests.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// Its symbol.
    pub symbol: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// What it returns, in C.
    pub result: &'static str,
    /// Names and types of its arguments.
    pub arguments: &'static [(&'static str, CType)],
}

/// What `info` becomes: what the routine says, or the number of the wrong argument, which is
/// reported.
pub(crate) fn info(symbol: &str, outcome: Checked<i32>) -> i32 {
    outcome.unwrap_or_else(|wrong| {
        xerbla(symbol, wrong.0);
        -wrong.0
    })
}

/// Reports a wrong argument of a routine that answers nothing.
pub(crate) fn nothing(symbol: &str, outcome: Checked<()>) {
    info(symbol, outcome.map(|()| 0));
}

/// What a function of our own returns: what the routine says, or minus the number of the wrong
/// argument.
pub(crate) fn code(outcome: Checked<i32>) -> i32 {
    outcome.unwrap_or_else(|wrong| -wrong.0)
}

/// Exports generic routines, and lists them as `EXPORTS`:
///
/// ```text
/// export! {
///     "What it does."
///     routine(name: Kind, ...) info as sroutine_: f32, droutine_: f64;
/// }
/// ```
///
/// Between the arguments and `as` stands what comes back: `info`, the last argument of LAPACK's
/// routines, which the generic one returns; `nothing`, in BLAS; `grid_info` and `grid_nothing`, the
/// same where arguments are numbered and reported as ScaLAPACK and PBLAS do; `real`, a number; or
/// `code`, the number that functions of our own return. A panic in a routine ends the process: it
/// cannot pass through a caller in C.
macro_rules! export {
    ($($doc:literal $routine:ident $arguments:tt $back:ident
        as $($symbol:ident: $type:ident),+;)+) => {
        $($($crate::export::export_one! { $doc $routine $arguments $back $symbol $type })+)+

        /// The functions exported here.
        pub(crate) const EXPORTS: &[$crate::export::Export] =
            &[$($($crate::export::entry! { $doc $arguments $back $symbol $type }),+),+];
    };
}

/// One function.
macro_rules! export_one {
    ($doc:literal $routine:ident $arguments:tt info $symbol:ident $type:ident) => {
        $crate::export::export_one! {
            @info $doc $routine $arguments ($crate::export::info) $symbol $type
        }
    };
    ($doc:literal $routine:ident $arguments:tt grid_info $symbol:ident $type:ident) => {
        $crate::export::export_one! {
            @info $doc $routine $arguments ($crate::scalapack::info) $symbol $type
        }
    };
    (@info $doc:literal $routine:ident ($($name:ident: $kind:ident),+) ($report:path)
        $symbol:ident $type:ident) => {
        #[doc = $doc]
        ///
        /// # Safety
        /// As LAPACK's or ScaLAPACK's documentation of this routine asks.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol(
            $($name: <$crate::kind::$kind as $crate::kind::Passed<$type>>::C,)+
            info: *mut i32,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                let outcome = $routine::<$type>(
                    $(<$crate::kind::$kind as $crate::kind::Kind<$type>>::value($name)),+
                );
                *info = $report(stringify!($symbol), outcome);
            }
        }
    };
    ($doc:literal $routine:ident $arguments:tt nothing $symbol:ident $type:ident) => {
        $crate::export::export_one! {
            @nothing $doc $routine $arguments ($crate::export::nothing) $symbol $type
        }
    };
    ($doc:literal $routine:ident $arguments:tt grid_nothing $symbol:ident $type:ident) => {
        $crate::export::export_one! {
            @nothing $doc $routine $arguments ($crate::scalapack::stop) $symbol $type
        }
    };
    (@nothing $doc:literal $routine:ident ($($name:ident: $kind:ident),+) ($report:path)
        $symbol:ident $type:ident) => {
        #[doc = $doc]
        ///
        /// # Safety
        /// As the documentation of this routine of BLAS, LAPACK or PBLAS asks.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol(
            $($name: <$crate::kind::$kind as $crate::kind::Passed<$type>>::C),+
        ) {
            // SAFETY: the caller's promise.
            let outcome = unsafe {
                $routine::<$type>(
                    $(<$crate::kind::$kind as $crate::kind::Kind<$type>>::value($name)),+
                )
            };
            $report(stringify!($symbol), outcome);
        }
    };
    ($doc:literal $routine:ident ($($name:ident: $kind:ident),+) code $symbol:ident $type:ident) => {
        #[doc = $doc]
        ///
        /// Returns 0, or LAPACK's `info`, or minus the number of the argument that is wrong: also
        /// of a matrix that the routine writes, if it is another of its arguments.
        ///
        /// # Safety
        /// Context and matrices are such as this library has made and not taken back; pointers
        /// to numbers and arrays are valid.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol(
            $($name: <$crate::kind::$kind as $crate::kind::Passed<$type>>::C),+
        ) -> i32 {
            // SAFETY: the caller's promise.
            let outcome = unsafe {
                $routine::<$type>(
                    $(<$crate::kind::$kind as $crate::kind::Kind<$type>>::value($name)),+
                )
            };
            $crate::export::code(outcome)
        }
    };
    ($doc:literal $routine:ident ($($name:ident: $kind:ident),+) real $symbol:ident $type:ident) => {
        #[doc = $doc]
        ///
        /// # Safety
        /// As LAPACK's documentation of this routine asks.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol(
            $($name: <$crate::kind::$kind as $crate::kind::Passed<$type>>::C),+
        ) -> <$type as tegula_kernels::scalar::Scalar>::Real {
            // SAFETY: the caller's promise.
            unsafe {
                $routine::<$type>(
                    $(<$crate::kind::$kind as $crate::kind::Kind<$type>>::value($name)),+
                )
            }
        }
    };
}

/// One entry of the list.
macro_rules! entry {
    ($doc:literal $arguments:tt grid_info $symbol:ident $type:ident) => {
        $crate::export::entry! { $doc $arguments info $symbol $type }
    };
    ($doc:literal $arguments:tt grid_nothing $symbol:ident $type:ident) => {
        $crate::export::entry! { $doc $arguments nothing $symbol $type }
    };
    ($doc:literal ($($name:ident: $kind:ident),+) info $symbol:ident $type:ident) => {
        $crate::export::Export {
            symbol: stringify!($symbol),
            summary: $doc,
            result: "void",
            arguments: &[
                $($crate::export::argument!($name $kind $type),)+
                $crate::export::argument!(info Ints $type),
            ],
        }
    };
    ($doc:literal ($($name:ident: $kind:ident),+) nothing $symbol:ident $type:ident) => {
        $crate::export::Export {
            symbol: stringify!($symbol),
            summary: $doc,
            result: "void",
            arguments: &[$($crate::export::argument!($name $kind $type)),+],
        }
    };
    ($doc:literal ($($name:ident: $kind:ident),+) code $symbol:ident $type:ident) => {
        $crate::export::Export {
            symbol: stringify!($symbol),
            summary: $doc,
            result: "int",
            arguments: &[$($crate::export::argument!($name $kind $type)),+],
        }
    };
    ($doc:literal ($($name:ident: $kind:ident),+) real $symbol:ident $type:ident) => {
        $crate::export::Export {
            symbol: stringify!($symbol),
            summary: $doc,
            result: <<$type as tegula_kernels::scalar::Scalar>::Real as $crate::kind::CNumber>::NAME,
            arguments: &[$($crate::export::argument!($name $kind $type)),+],
        }
    };
}

/// Name and type of an argument.
macro_rules! argument {
    ($name:ident $kind:ident $type:ident) => {
        (stringify!($name), <$crate::kind::$kind as $crate::kind::Passed<$type>>::C_TYPE)
    };
}

pub(crate) use {argument, entry, export, export_one};
