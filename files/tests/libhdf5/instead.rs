//! What our reader does not read, libhdf5 reads instead.

use hdf5_metno::File;
use tegula_files::hdf5::{Hdf5Reading, Hdf5Source, libhdf5_version, open};
use tegula_files::source::{Block, SourceError};
use tegula_kernels::element::Element;

use crate::{bytes_of, folder, path, put, read};

/// Row `i` of the matrices of these tests.
fn row(i: usize) -> Vec<f64> {
    (0..3).map(|j| (10 * i + j) as f64).collect()
}

/// A file with rows `from` and the one after it.
fn part(folder: &tempfile::TempDir, name: &str, from: usize) {
    let file = File::create(path(folder, name)).expect("a file");
    let dataset = file.new_dataset::<f32>().shape((2, 3)).create("x").expect("a data set");
    (0..2).for_each(|i| put(&dataset, Element::F32, Some(i), &row(from + i)));
}

#[test]
fn matrices_that_are_put_together_are_read() {
    let folder = folder();
    part(&folder, "upper.h5", 0);
    part(&folder, "lower.h5", 2);
    let file = File::create(path(&folder, "whole.h5")).expect("a file");
    let mut builder = file.new_dataset_builder();
    for (name, rows) in [("upper.h5", 0..2), ("lower.h5", 2..4)] {
        builder = builder.virtual_map(name, "x", (2, 3), .., (4, 3), (rows, 0..3));
    }
    builder.empty::<f32>().shape((4, 3)).create("matrix").expect("a data set");
    file.link_external("upper.h5", "x", "elsewhere").expect("a link");
    drop(file);
    let path = path(&folder, "whole.h5");
    for dataset in [None, Some("matrix")] {
        let refusal = Hdf5Source::open(&path, dataset).expect_err("an error");
        assert!(matches!(refusal, SourceError::Unsupported { .. }), "{refusal}");
        let source =
            open(&path, dataset, Hdf5Reading::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((source.shape(), source.element()), ([4, 3], Element::F32));
        let block = Block { rows: 1..4, columns: 0..3 };
        let numbers = [row(1), row(2), row(3)].concat();
        let found = read(&*source, &block).expect("a block");
        assert_eq!(found, bytes_of(Element::F32, &numbers));
    }
    let linked = open(&path, Some("elsewhere"), Hdf5Reading::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(linked.shape(), [2, 3]);
}

#[test]
fn what_is_no_matrix_is_said() {
    let folder = folder();
    let file = File::create(path(&folder, "a.h5")).expect("a file");
    for (name, length) in [("four", 4), ("two", 2)] {
        file.new_dataset::<f32>().shape(length).create(name).expect("a data set");
    }
    file.new_dataset::<bool>().shape((2, 2)).create("truth").expect("a data set");
    file.new_dataset::<u8>().shape((2, 2, 2)).create("cube").expect("a data set");
    drop(file);
    let path = path(&folder, "a.h5");
    for (dataset, word) in [
        (None, "no data set in it is a matrix"),
        (Some("four"), "4 entries"),
        (Some("truth"), "no real numbers"),
        (Some("cube"), "[2, 2, 2]"),
        (Some("none"), "'none' cannot be read"),
    ] {
        let refusal = Hdf5Source::open_by_libhdf5(&path, dataset, Hdf5Reading::default())
            .expect_err("an error")
            .to_string();
        assert!(refusal.contains(word), "{refusal}");
    }
    let version = libhdf5_version().expect("this build has libhdf5");
    assert!(version.split('.').count() == 3, "{version}");
}
