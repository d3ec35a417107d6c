//! HDF5 files: those of h5py are read, ours are read by us and by h5py, damaged ones are refused or
//! read, never worse.

mod damage;
mod holes;
mod manifest;
mod peers;
mod written;

use std::path::{Path, PathBuf};

use tegula_files::hdf5::{Hdf5Options, Hdf5Sink};
use tegula_files::source::{Block, Coverage, Sink, Source, SourceError, pieces};
use tegula_kernels::element::Element;

/// Entry `(i, j)` of the matrices of these tests.
fn entry(i: usize, j: usize) -> f64 {
    ((7 * i + 3 * j) % 120) as f64
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

/// The blocks of shape `grain` of a matrix of that shape.
fn blocks([m, n]: [usize; 2], [height, width]: [usize; 2]) -> impl Iterator<Item = Block> {
    pieces(m, height).flat_map(move |rows| {
        pieces(n, width).map(move |columns| Block { rows: rows.clone(), columns })
    })
}

/// All entries, read by blocks of shape `grain` by one reader.
fn whole(source: &dyn Source, grain: [usize; 2]) -> Result<Vec<f64>, SourceError> {
    let ([m, n], element) = (source.shape(), source.element());
    let mut reader = source.reader()?;
    let mut whole = vec![f64::NAN; m * n];
    for block in blocks([m, n], grain) {
        // One more byte before the entries: they may stand anywhere in memory.
        let mut bytes = vec![0xa5; 1 + block.entries() * element.bytes()];
        reader.read(&block, &mut bytes[1..])?;
        let mut numbers = vec![0.0; block.entries()];
        element.widen(&bytes[1..], &mut numbers);
        for (i, line) in block.rows.clone().zip(numbers.chunks_exact(block.columns.len())) {
            whole[i * n + block.columns.start..][..line.len()].copy_from_slice(line);
        }
    }
    Ok(whole)
}

/// Asserts that entry `(i, j)` is `expected(i, j)`, read by blocks of several shapes.
#[track_caller]
fn assert_holds(source: &dyn Source, expected: impl Fn(usize, usize) -> f64) {
    let [m, n] = source.shape();
    let expected: Vec<f64> = (0..m * n).map(|index| expected(index / n, index % n)).collect();
    for grain in [[m, n], [7, 5], [1, n], [m, 1], [16, 16]] {
        let found = whole(source, grain).unwrap_or_else(|error| panic!("{error}"));
        if let Some(index) = (0..m * n).find(|&index| found[index] != expected[index]) {
            let (found, expected) = (found[index], expected[index]);
            let (i, j) = (index / n, index % n);
            panic!("{}, blocks of {grain:?}: ({i}, {j}) is {found}, not {expected}", source.name());
        }
    }
}

/// Writes a matrix of [entries](entry) from `corner` on.
fn write(
    path: &Path,
    shape: [usize; 2],
    (element, corner): (Element, [usize; 2]),
    options: &Hdf5Options,
) -> Result<(), SourceError> {
    let mut sink = Hdf5Sink::create(path, shape, element, options)?;
    for block in blocks(shape, sink.grain()) {
        sink.write(&block, &bytes_of(&block, element, corner))?;
    }
    Box::new(sink).finish()
}

/// The [entries](entry) of `block` of a matrix that begins at `corner`.
fn bytes_of(block: &Block, element: Element, corner: [usize; 2]) -> Vec<u8> {
    let numbers: Vec<f64> = block
        .rows
        .clone()
        .flat_map(|i| block.columns.clone().map(move |j| entry(corner[0] + i, corner[1] + j)))
        .collect();
    let mut bytes = vec![0; block.entries() * element.bytes()];
    element.narrow(&numbers, &mut bytes);
    bytes
}

/// The matrix that is symmetric and has the [entries](entry) above its diagonal.
fn mirrored(i: usize, j: usize) -> f64 {
    if i == j { 0.0 } else { entry(i.min(j), i.max(j)) }
}

/// Asserts that `result` is an error that says all of `words`.
#[track_caller]
fn assert_says<T: std::fmt::Debug>(result: Result<T, SourceError>, words: &[&str]) {
    let text = result.expect_err("an error").to_string();
    for word in words {
        assert!(text.contains(word), "no '{word}' in: {text}");
    }
}

fn path(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

/// Whether a source stores both halves of a symmetric matrix.
fn is_full(source: &dyn Source) -> bool {
    source.coverage() == Coverage::Full
}
