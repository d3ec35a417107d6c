//! The headers for C and C++, written from the lists of what is exported.

use crate::export::Export;
use crate::kind::CType;
use crate::{lapack_exports, native_exports, scalapack_exports};

/// Numbers that C and C++ call differently.
const NUMBERS: &str = "\
#ifdef __cplusplus
#include <complex>
typedef std::complex<float> tegula_complex32;
typedef std::complex<double> tegula_complex64;
extern \"C\" {
#else
#include <complex.h>
typedef float _Complex tegula_complex32;
typedef double _Complex tegula_complex64;
#endif
";

const END: &str = "
#ifdef __cplusplus
}
#endif
#endif
";

/// `tegula.h`: matrices in tiles.
#[must_use]
pub fn native() -> String {
    let start = "\
/* Matrices in tiles. Written by `cargo run -p tegula-capi --example header`.
 *
 * Functions that return an int return 0, or LAPACK's info where that is positive, or minus the number
 * of the argument that is wrong. A context serves one thread at a time: others wait.
 *
 * A matrix that a routine writes must not be another of its arguments: it is then the one that is wrong,
 * and of two that are written the second. Matrices that are only read may be the same. */
#ifndef TEGULA_H
#define TEGULA_H
";
    let types = "
/* Workers. */
typedef struct tegula_context tegula_context;
/* A matrix in tiles, which belongs to a context. */
typedef struct tegula_desc tegula_desc;
/* The exchanges of rows of a factorisation, which belong to a context. */
typedef struct tegula_ipiv tegula_ipiv;
";
    [start, NUMBERS, types, &prototypes(native_exports()), END].concat()
}

/// `tegula_lapack.h`: LAPACK's and BLAS's names.
#[must_use]
pub fn lapack() -> String {
    let start = "\
/* LAPACK's and BLAS's routines as Fortran calls them: all arguments by pointer, integers of 32 bits.
 * Written by `cargo run -p tegula-capi --example header lapack`.
 *
 * The lengths of strings, which Fortran passes after the other arguments, may be left out. */
#ifndef TEGULA_LAPACK_H
#define TEGULA_LAPACK_H
";
    [start, NUMBERS, &prototypes(lapack_exports()), END].concat()
}

/// `tegula_scalapack.h`: ScaLAPACK's and PBLAS's names.
#[must_use]
pub fn scalapack() -> String {
    let start = "\
/* ScaLAPACK's and PBLAS's routines as Fortran calls them: all arguments by pointer, integers of 32 bits.
 * Written by `cargo run -p tegula-capi --example header scalapack`.
 *
 * Grids of processes and descriptors of matrices come from the program's own BLACS and ScaLAPACK. */
#ifndef TEGULA_SCALAPACK_H
#define TEGULA_SCALAPACK_H
";
    [start, NUMBERS, &prototypes(scalapack_exports()), END].concat()
}

/// Declarations, under what each group of precisions does.
fn prototypes<'a>(exports: impl Iterator<Item = &'a Export>) -> String {
    let (mut text, mut last) = (String::new(), "");
    for export in exports {
        if export.summary != last {
            text += &format!("\n/* {} */\n", export.summary.replace('`', ""));
            last = export.summary;
        }
        text += &prototype(export);
    }
    text
}

fn prototype(export: &Export) -> String {
    let argument = |&(name, c_type): &(&str, CType)| match c_type {
        CType::Value(of) => format!("{of} {name}"),
        CType::In(of) => format!("const {of} *{name}"),
        CType::Out(of) => format!("{of} *{name}"),
    };
    let arguments: Vec<String> = export.arguments.iter().map(argument).collect();
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    let gap = if export.result.ends_with('*') { "" } else { " " };
    format!("{}{gap}{}({arguments});\n", export.result, export.symbol)
}
