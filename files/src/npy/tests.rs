//! Files as NumPy writes them, and files that are not.

use std::path::PathBuf;

use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{Kind, NpyError, NpyMatrix, NpyWriter};

/// A file of version 1 with this dictionary and these entries.
fn file(folder: &tempfile::TempDir, header: &str, entries: &[u8]) -> PathBuf {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(entries);
    written(folder, &bytes)
}

fn written(folder: &tempfile::TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("a.npy");
    std::fs::write(&path, bytes).expect("a file can be written");
    path
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn header(kind: Kind, order: &str, shape: &str) -> String {
    format!("{{'descr': '{}', 'fortran_order': {order}, 'shape': {shape}, }}\n", kind.name())
}

fn whole<T: Scalar>(matrix: &NpyMatrix) -> Vec<T> {
    matrix.block((0, 0), matrix.shape(), |_, _| true).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn rows_and_columns_hold_the_same_matrix() {
    let folder = folder();
    let numbers = |numbers: [f64; 6]| numbers.map(f64::to_le_bytes).concat();
    for (order, entries) in
        [("False", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), ("True", [1.0, 4.0, 2.0, 5.0, 3.0, 6.0])]
    {
        let path = file(&folder, &header(Kind::Double, order, "(2, 3)"), &numbers(entries));
        let matrix = NpyMatrix::open(&path).expect("a matrix");
        assert_eq!((matrix.shape(), matrix.kind()), ((2, 3), Kind::Double));
        assert_eq!(whole::<f64>(&matrix), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0], "{order}");
        let part: Vec<f32> = matrix.block((1, 1), (1, 2), |_, _| true).expect("a block");
        assert_eq!(part, [5.0, 6.0]);
    }
}

#[test]
fn a_vector_is_a_column_and_version_2_is_read() {
    let folder = folder();
    let path = file(
        &folder,
        &header(Kind::Single, "False", "(2,)"),
        &[1.5f32, 2.5].map(f32::to_le_bytes).concat(),
    );
    let matrix = NpyMatrix::open(&path).expect("a matrix");
    assert_eq!((matrix.shape(), whole::<f64>(&matrix)), ((2, 1), vec![1.5, 2.5]));
    let text = header(Kind::Double, "True", "(1, 1)");
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes.extend_from_slice(&7.0f64.to_le_bytes());
    let matrix = NpyMatrix::open(&written(&folder, &bytes)).expect("a matrix");
    assert_eq!(whole::<f64>(&matrix), [7.0]);
}

fn survives<T: Scalar>(entries: &[T]) {
    let folder = folder();
    let mut bytes = Vec::new();
    let mut writer = NpyWriter::<_, T>::new(&mut bytes, (3, 2)).expect("memory takes bytes");
    writer.push(&entries[..4]).expect("memory takes bytes");
    writer.push(&entries[4..]).expect("memory takes bytes");
    writer.finish();
    let start = bytes.len() - size_of_val(entries);
    assert_eq!(start % 64, 0, "entries begin at byte {start}");
    let matrix = NpyMatrix::open(&written(&folder, &bytes)).expect("a matrix");
    assert_eq!(matrix.shape(), (3, 2));
    assert_eq!(whole::<T>(&matrix), entries);
}

#[test]
fn what_is_written_is_read() {
    let real = [1.0, -2.5, 1e-300, 4.0, 0.1, -0.0];
    survives(&real);
    survives(&real.map(|x| x as f32));
    survives(&real.map(|x| c64::new(x, 3.0 * x)));
    survives(&real.map(|x| c32::new(x as f32, -x as f32)));
}

#[test]
fn empty_matrices_are_matrices() {
    let folder = folder();
    let mut bytes = Vec::new();
    NpyWriter::<_, f64>::new(&mut bytes, (0, 5)).expect("memory takes bytes").finish();
    let matrix = NpyMatrix::open(&written(&folder, &bytes)).expect("a matrix");
    assert_eq!((matrix.shape(), whole::<f64>(&matrix)), ((0, 5), vec![]));
}

#[test]
fn what_is_not_finite_is_said_where_it_counts() {
    let folder = folder();
    let entries = [1.0f64, f64::NAN, 1e300, 2.0].map(f64::to_le_bytes).concat();
    let path = file(&folder, &header(Kind::Double, "True", "(2, 2)"), &entries);
    let matrix = NpyMatrix::open(&path).expect("a matrix");
    let found = matrix.block::<f64>((0, 0), (2, 2), |_, _| true).expect_err("a NaN");
    assert!(matches!(found, NpyError::NotFinite { row: 1, column: 0, .. }), "{found}");
    // Too large for single precision; and what does not count may be anything.
    let found = matrix.block::<f32>((0, 1), (2, 1), |_, _| true).expect_err("infinite");
    assert!(matches!(found, NpyError::NotFinite { row: 0, column: 1, .. }), "{found}");
    assert!(matrix.block::<f32>((0, 0), (2, 2), |i, j| i == j).is_ok());
}

#[test]
fn complex_numbers_are_no_real_ones_and_real_ones_are_complex() {
    let folder = folder();
    let entries = [1.0f32, 2.0].map(f32::to_le_bytes).concat();
    let path = file(&folder, &header(Kind::ComplexSingle, "True", "(1, 1)"), &entries);
    let matrix = NpyMatrix::open(&path).expect("a matrix");
    assert_eq!(whole::<c64>(&matrix), [c64::new(1.0, 2.0)]);
    let found = matrix.block::<f64>((0, 0), (1, 1), |_, _| true).expect_err("it is complex");
    assert!(matches!(found, NpyError::Complex { .. }), "{found}");
    let path = file(&folder, &header(Kind::Single, "True", "(2, 1)"), &entries);
    let matrix = NpyMatrix::open(&path).expect("a matrix");
    assert_eq!(whole::<c32>(&matrix), [c32::new(1.0, 0.0), c32::new(2.0, 0.0)]);
}

#[test]
fn other_files_are_refused() {
    let folder = folder();
    let refusal = |path: PathBuf| NpyMatrix::open(&path).expect_err("no matrix").to_string();
    let double = |shape| header(Kind::Double, "False", shape);
    let says = |text: String, words: &str| assert!(text.contains(words), "'{words}' in: {text}");
    says(refusal(folder.path().join("none.npy")), "cannot read");
    says(refusal(written(&folder, b"x,y\n1,2\n3,4\n")), "NUMPY");
    says(refusal(written(&folder, b"\x93NUM")), "too short");
    says(refusal(written(&folder, b"\x93NUMPY\x03\x00\x00\x00\x00\x00")), "version 3");
    says(refusal(written(&folder, b"\x93NUMPY\x01\x00\xff\xff{")), "too short");
    says(refusal(file(&folder, &double("(2, 2, 2)"), &[0; 64])), "[2, 2, 2]");
    says(refusal(file(&folder, &double("()"), &[0; 8])), "[]");
    says(refusal(file(&folder, &double("(2, 2)"), &[0; 31])), "31 bytes of entries");
    says(refusal(file(&folder, &double("(2, 2)"), &[0; 33])), "33 bytes of entries");
    says(refusal(file(&folder, &double("(4294967296, 4294967296)"), &[])), "promises");
    let integers = "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), }";
    says(refusal(file(&folder, integers, &[0; 8])), "astype");
}
