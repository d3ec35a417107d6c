//! What the library exports and what the list of programs has are the same routines, in the same
//! precisions.

use std::collections::BTreeMap;

use tegula_kernels::scalar::Precision;
use tegula_linalg::program::Program;

/// Names of LAPACK, without the letter of the precision, for programs of other names.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("ungqr", "orgqr"),
    ("unmqr", "ormqr"),
    ("unglq", "orglq"),
    ("unmlq", "ormlq"),
    ("lanhe", "lansy"),
    ("syev", "heev"),
    ("syevd", "heevd"),
    ("gesdd", "gesvd"),
    ("getf2", "getrf"),
    ("getrf2", "getrf"),
    ("potf2", "potrf"),
    ("potrf2", "potrf"),
    ("lauu2", "lauum"),
    ("trtrs", "trsm"),
    // After the letter of 64 bits that of the 32 bits beside them.
    ("sgesv", "gesv-mixed"),
    ("cgesv", "gesv-mixed"),
    ("sposv", "posv-mixed"),
    ("cposv", "posv-mixed"),
];

/// Names of LAPACK that no program has: the inverse by LU factors is two programs of others.
const BESIDE: &[&str] = &["getri"];

/// Programs that in real precisions are those of another name, under which alone they are exported.
const COMPLEX: &[&str] = &["hemm", "herk", "her2k"];

/// What the interface for C has beside routines.
const AUXILIARY: &[&str] = &[
    "desc_create",
    "desc_destroy",
    "finalize",
    "get_num_threads",
    "init",
    "ipiv_create",
    "ipiv_destroy",
    "ipiv_get",
    "set_async",
    "set_num_threads",
    "wait",
];

/// Copies to and from tiles, after the letter of the precision.
const COPIES: &[&str] = &["lapack_to_tile", "tile_to_lapack"];

fn precision(letter: &str) -> Option<Precision> {
    Precision::ALL.into_iter().find(|precision| precision.letter() == letter)
}

/// The program of `routine`, which begins with the letter of a precision; none: it is listed as one
/// of no program.
fn program(symbol: &str, routine: &str) -> Option<(&'static Program, Precision)> {
    let (letter, name) = routine.split_at(1);
    let precision = precision(letter);
    let precision = precision.unwrap_or_else(|| panic!("{symbol} begins with no precision"));
    if BESIDE.contains(&name) {
        return None;
    }
    let other = OTHER_NAMES.iter().find(|(lapack, _)| *lapack == name);
    let listed = other.map_or(name, |(_, listed)| listed);
    let program = Program::find(listed).unwrap_or_else(|| panic!("{symbol}: no program {listed}"));
    Some((program, precision))
}

/// Fails unless each program that is exported at all is exported in its precisions, and no others.
fn check_precisions(exported: impl Iterator<Item = (&'static Program, Precision)>) {
    let mut found: BTreeMap<&str, (&Program, Vec<Precision>)> = BTreeMap::new();
    for (program, precision) in exported {
        found.entry(program.name).or_insert((program, Vec::new())).1.push(precision);
    }
    for (name, (program, exported)) in found {
        for precision in Precision::ALL {
            let letter = precision.letter();
            let is_other = COMPLEX.contains(&name) && !precision.is_complex();
            let is_program = program.precisions.contains(&precision) && !is_other;
            assert_eq!(exported.contains(&precision), is_program, "{name} in {letter}");
        }
    }
}

#[test]
fn lapack_has_the_programs() {
    check_precisions(tegula::lapack_exports().filter_map(|export| {
        let routine = export.symbol.strip_suffix('_').expect("Fortran's names end so");
        program(export.symbol, routine)
    }));
}

#[test]
fn the_interface_for_c_has_the_programs() {
    check_precisions(tegula::native_exports().filter_map(|export| {
        let name = export.symbol.strip_prefix("tegula_").expect("our names begin so");
        if AUXILIARY.contains(&name) || COPIES.contains(&&name[1..]) {
            return None;
        }
        let routine = name.strip_suffix("_tile");
        program(export.symbol, routine.unwrap_or_else(|| panic!("{name} is not listed")))
    }));
}
