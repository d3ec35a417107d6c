//! Files of sparse matrices: in every form that is read, damaged in many ways, and from SciPy.

use std::path::PathBuf;

use proptest::prelude::*;
use tegula_files::source::SourceError;
use tegula_files::sparse::{
    DenseFile, SparseFile, read_dense, read_sparse, write_array, write_coordinates,
};
use tegula_kernels::sparse::SparseMatrix;

const MEMORY: u64 = 64 << 20;

struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(bytes: &[u8]) -> File {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.mtx");
    std::fs::write(&path, bytes).expect("a file");
    File { _folder: folder, path }
}

fn read(text: &str) -> Result<SparseFile, SourceError> {
    read_sparse(&file(text.as_bytes()).path, MEMORY)
}

fn matrix(text: &str) -> SparseMatrix<f64> {
    read(text).unwrap_or_else(|error| panic!("{error} in:\n{text}")).matrix
}

/// Entries column by column.
fn entries(a: &SparseMatrix<f64>) -> Vec<(usize, usize, f64)> {
    (0..a.n()).flat_map(|j| a.column(j).map(move |(i, x)| (i, j, x)).collect::<Vec<_>>()).collect()
}

/// One line that says file, `words`, and nothing twice.
fn refused(text: &str, words: &[&str]) {
    let error = read(text).map(|file| file.format).expect_err(text).to_string();
    assert!(error.contains("a.mtx") && !error.contains('\n'), "{error}");
    for word in words {
        assert!(error.contains(word), "'{word}' in: {error}");
    }
}

const HEAD: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn coordinates_are_read_in_any_order_and_added_up() {
    let text = "%%matrixmarket MATRIX Coordinate Real GENERAL\r\n% a comment\n\n3 2 5\n3 2 1e3\n1 1 -2.5\n\n3 2 1D0\n% x\n2 1 .5\n1 1 +2\n";
    let a = matrix(text);
    assert_eq!((a.m(), a.n()), (3, 2));
    assert_eq!(entries(&a), [(0, 0, -0.5), (1, 0, 0.5), (2, 1, 1001.0)]);
    assert_eq!(matrix(&format!("{HEAD}0 0 0\n")).nnz(), 0);
}

#[test]
fn fields_and_symmetries_are_understood() {
    let of = |kind: &str, rest: &str| {
        entries(&matrix(&format!("%%MatrixMarket matrix coordinate {kind}\n{rest}")))
    };
    assert_eq!(of("pattern general", "2 2 1\n2 1\n"), [(1, 0, 1.0)]);
    assert_eq!(of("integer general", "2 2 1\n2 1 -7\n"), [(1, 0, -7.0)]);
    let both = [(0, 0, 4.0), (1, 0, 3.0), (0, 1, 3.0)];
    assert_eq!(of("real symmetric", "2 2 2\n1 1 4\n2 1 3\n"), both);
    assert_eq!(of("real symmetric", "2 2 2\n1 1 4\n1 2 3\n"), both);
    assert_eq!(of("real skew-symmetric", "2 2 1\n2 1 3\n"), [(1, 0, 3.0), (0, 1, -3.0)]);
}

#[test]
fn what_is_wrong_with_coordinates_is_told_with_its_line() {
    refused("", &["a header", "cut short"]);
    refused("%%MatrixMarket matrix coordinate real\n", &["line 1", "five words"]);
    refused("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", &["complex", "twice"]);
    refused("%%MatrixMarket matrix coordinate complex hermitian\n1 1 0\n", &["complex"]);
    refused("%%MatrixMarket matrix array real general\n1 1\n1\n", &["dense", "gels"]);
    refused("%%MatrixMarket vector coordinate real general\n", &["vector"]);
    refused("%%MatrixMarket matrix coordinate real upper\n", &["upper", "symmetric"]);
    refused(&format!("{HEAD}% only a comment\n"), &["line of sizes"]);
    refused(&format!("{HEAD}3 3\n"), &["line 2", "number of entries"]);
    refused(&format!("{HEAD}3 -3 1\n"), &["line 2", "'-3'"]);
    refused(&format!("{HEAD}3 3 2\n1 1 1\n"), &["1 of the 2", "cut short"]);
    refused(&format!("{HEAD}3 3 1\n1 1 1\n2 2 2\n"), &["line 4", "more than the 1"]);
    refused(&format!("{HEAD}3 3 1\n4 1 1\n"), &["line 3", "(4, 1)", "3 x 3", "from 1"]);
    refused(&format!("{HEAD}3 3 1\n0 1 1\n"), &["line 3", "(0, 1)"]);
    refused(&format!("{HEAD}3 3 1\n1 1 nan\n"), &["line 3", "not finite"]);
    refused(&format!("{HEAD}3 3 1\n1 1 1e999\n"), &["line 3", "not finite"]);
    refused(&format!("{HEAD}3 3 1\n1 1 -inf\n"), &["line 3", "not finite"]);
    refused(&format!("{HEAD}3 3 1\n1 1 x\n"), &["line 3", "'x'"]);
    refused(&format!("{HEAD}3 3 1\n1 1\n"), &["line 3", "2 words"]);
    refused(&format!("{HEAD}3 3 1\n1 1 1 1\n"), &["line 3", "4 words"]);
    refused(&format!("{HEAD}3 3 2\n1 1 1e308\n1 1 1e308\n"), &["sum", "overflows"]);
    let symmetric = HEAD.replace("general", "symmetric");
    refused(&format!("{symmetric}3 2 1\n1 1 1\n"), &["square", "3 x 2"]);
    refused(&format!("{symmetric}3 3 2\n2 1 1\n1 2 1\n"), &["line 4", "other side"]);
    let skew = HEAD.replace("general", "skew-symmetric");
    refused(&format!("{skew}3 3 1\n2 2 1\n"), &["diagonal"]);
    let whole = HEAD.replace("real", "integer");
    refused(&format!("{whole}3 3 1\n2 2 1.5\n"), &["whole number"]);
}

#[test]
fn headers_that_promise_too_much_take_no_memory() {
    let most = u64::MAX;
    refused(&format!("{HEAD}3 3 1000000000000000000\n1 1 1\n"), &["1 of the 1000000000000000000"]);
    refused(&format!("{HEAD}3 3 {most}\n1 1 1\n"), &["cut short"]);
    refused(&format!("{HEAD}{most} {most} 1\n1 1 1\n"), &["rows and columns"]);
    refused(&format!("{HEAD}4000000000 3 1\n1 1 1\n"), &["rows and columns", "--memory"]);
    let line = "1".repeat(40 << 20);
    refused(&format!("{HEAD}3 3 1\n1 1 {line}\n"), &["line 3", "goes on for more"]);
    let dense = "%%MatrixMarket matrix array real general\n1000000000000 1000000000000\n1\n";
    let error = read_dense(&file(dense.as_bytes()).path, MEMORY).expect_err("too much").to_string();
    assert!(error.contains("--memory"), "{error}");
    let many: String = (0..3000).map(|_| "1 1 1\n").collect();
    let error = read_sparse(&file(format!("{HEAD}1 1 3000\n{many}").as_bytes()).path, 1 << 16);
    assert!(error.expect_err("too much").to_string().contains("--memory"));
}

/// The same matrix in the formats of Fortran, as SciPy 1.17 (`hb_write`) writes it, and by hand.
#[test]
fn harwell_boeing_files_are_read() {
    let scipy = [
        "Default title                                                           0       ",
        "             4             1             1             2",
        "RUA                        3             3             4             0",
        "(40I2)          (40I2)          (3E25.16)           ",
        " 1 3 4 5",
        " 1 3 2 3",
        "  1.0000000000000000E+00  4.0000000000000000E+00 -2.5000000000000000E+00",
        "  2.9999999999999999E-02",
    ]
    .join("\n");
    let expected = [(0, 0, 1.0), (2, 0, 4.0), (1, 1, -2.5), (2, 2, 0.03)];
    assert_eq!(entries(&matrix(&scipy)), expected);
    assert!(read(&scipy).expect("a file").format.contains("-Boeing, real"));
    let by_hand = [
        "Title with (1) parentheses                                              KEY     ",
        "             7             1             1             2             1",
        "rua                        3             3             4             0",
        "(8I3)           (8I3)           (1P,2D12.4)         (5E16.8)            ",
        "F                          1             0",
        "  1  3  4  5",
        "  1  3  2  3",
        "  1.0000D+00  4.0000D+00",
        " -2.5000+000  3.0000-002",
        "  9.0000D+00",
    ]
    .join("\n");
    assert_eq!(entries(&matrix(&by_hand)), expected);
}

/// A header of Rutherford and Boeing's, and what follows.
fn boeing(kind: &str, sizes: &str, formats: &str, rest: &str) -> String {
    format!("title\n 3 1 1 1\n{kind} {sizes} 0\n{formats}\n{rest}")
}

#[test]
fn kinds_of_harwell_boeing_are_understood() {
    let formats = "(8I2) (8I2) (4F5.1)";
    let of = |kind: &str, rest: &str| {
        entries(&matrix(&boeing(kind, "2 2 2", formats, &format!(" 1 3 3\n 1 2\n{rest}"))))
    };
    assert_eq!(of("PUA", ""), [(0, 0, 1.0), (1, 0, 1.0)]);
    assert_eq!(of("RSA", "  1.5  2.0\n"), [(0, 0, 1.5), (1, 0, 2.0), (0, 1, 2.0)]);
    assert_eq!(of("psa", ""), [(0, 0, 1.0), (1, 0, 1.0), (0, 1, 1.0)]);
    assert_eq!(of("RZA", "  0.0  2.0\n"), [(0, 0, 0.0), (1, 0, 2.0), (0, 1, -2.0)]);
    assert_eq!(of("RRA", "  1.5\n  2.0\n"), [(0, 0, 1.5), (1, 0, 2.0)]);
}

#[test]
fn what_is_wrong_with_harwell_boeing_is_told() {
    let formats = "(8I2) (8I2) (4F5.1)";
    let with = |rest: &str| boeing("RUA", "2 2 2", formats, rest);
    refused("a\nb\n", &["line 2", "neither Matrix Market"]);
    refused(&boeing("CUA", "2 2 2", formats, ""), &["complex"]);
    refused(&boeing("RUE", "2 2 2", formats, ""), &["not assembled"]);
    refused(&boeing("XYA", "2 2 2", formats, ""), &["'XYA'"]);
    refused(&boeing("RUAX", "2 2 2", formats, ""), &["three letters"]);
    refused(&boeing("RUA", "2 2 2", "(8I2) (8I2) (A)", ""), &["'(A)'"]);
    refused(&with(" 1 3 3\n 1 2\n"), &["values 1 of 2", "cut short"]);
    refused(&with(" 1 2 4\n"), &["line 5", "beginnings of columns"]);
    refused(&with(" 1 3 2\n"), &["beginnings of columns"]);
    refused(&with(" 1 3 3\n 1 9\n  1.0  1.0\n"), &["(9, 1)"]);
    refused(&with(" 1 3 3\n 1 x\n  1.0  1.0\n"), &["'x'"]);
    refused(&with(" 1 3 3\n 1 2\n  1.0  NaN\n"), &["not finite"]);
    refused(&with(" 1 3 3\n 1 2\n    1    2\n"), &["decimal point"]);
    refused(&with(" 1 3 3\n\n"), &["blank line"]);
    let large = boeing("RUA", "2 2 1000000000000000000", formats, " 1 3 3\n");
    refused(&large, &["beginnings of columns"]);
    let large = boeing("RUA", "2 99999999999 5", formats, " 1 3 3\n");
    refused(&large, &["rows and columns"]);
}

#[test]
fn arrays_are_read_as_they_are_written() {
    let entries = [1.5, -2e-300, 3.0, 0.1, 5e200, 0.0];
    let mut text = Vec::new();
    write_array(&mut text, (3, 2), &entries, "numbers").expect("a vector takes all");
    let dense = read_dense(&file(&text).path, MEMORY).expect("a matrix");
    assert_eq!(dense, DenseFile { shape: (3, 2), entries: entries.to_vec() });
    let mut text = Vec::new();
    let sparse = [(0, 1, 0.1), (2, 0, -1e-17)];
    write_coordinates(&mut text, (3, 2, 2), sparse.into_iter(), "R").expect("a vector takes all");
    let dense = read_dense(&file(&text).path, MEMORY).expect("a matrix");
    assert_eq!(dense.entries, [0.0, 0.0, -1e-17, 0.1, 0.0, 0.0]);
    let head = "%%MatrixMarket matrix array real general\n";
    for wrong in ["2 1\n1\n", "2 1\n1\n2\n3\n", "1 1\ninf\n", "1 1\n1 2\n", "1\n", "1 1\n"] {
        let error = read_dense(&file(format!("{head}{wrong}").as_bytes()).path, MEMORY);
        let error = error.expect_err(wrong).to_string();
        assert!(error.contains("a.mtx") && error.contains("line"), "{error}");
    }
}

/// Files that are as they should be, to be damaged.
const SOUND: [&str; 3] = [
    "%%MatrixMarket matrix coordinate real symmetric\n% x\n4 4 3\n1 1 2.5\n3 2 -1e-3\n4 4 7\n",
    "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
    "title\n 5 1 1 1 1\nRUA 2 2 2 0\n(8I2) (8I2) (1P,4E8.1) (4F5.1)\nF 1 0\n 1 3 3\n 1 2\n 1.0E+00 1.0E+00\n",
];

proptest! {
    #[test]
    fn damaged_files_are_read_or_refused(
        which in 0..SOUND.len(),
        cut in 0.0..1.0_f64,
        changes in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 0..4),
    ) {
        let mut bytes = SOUND[which].as_bytes().to_vec();
        for (place, byte) in changes {
            let at = (place * bytes.len() as f64) as usize;
            bytes[at] = byte;
        }
        bytes.truncate((cut * 1.2 * bytes.len() as f64) as usize);
        let file = file(&bytes);
        let (sparse, dense) = (read_sparse(&file.path, MEMORY), read_dense(&file.path, MEMORY));
        for error in [sparse.err(), dense.err()].into_iter().flatten() {
            prop_assert!(!error.to_string().contains('\n'), "{error}");
        }
    }

    #[test]
    fn sparse_matrices_come_back_as_they_were(
        places in prop::collection::btree_map((0_u32..9, 0_u32..7), -1e9..1e9_f64, 0..30),
    ) {
        let list: Vec<_> = places.into_iter().map(|((i, j), x)| (i, j, x)).collect();
        let a = SparseMatrix::from_entries(9, 7, &list);
        let mut text = Vec::new();
        write_coordinates(&mut text, (9, 7, a.nnz()), entries(&a).into_iter(), "A").expect("room");
        prop_assert_eq!(read_sparse(&file(&text).path, MEMORY).expect("a matrix").matrix, a);
    }
}
