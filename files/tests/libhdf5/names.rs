//! Names of rows and columns, in every kind of text that libhdf5 has.

use hdf5_metno::types::{FixedAscii, FixedUnicode, VarLenAscii, VarLenUnicode};
use hdf5_metno::{File, H5Type};
use tegula_files::hdf5::{Hdf5Reading, Hdf5Source};
use tegula_files::source::Source;

use crate::{folder, path};

const PLAIN: [&str; 4] = ["ant", "honey bee", "c", "twelve lette"];
const WIDE: [&str; 4] = ["Çédille", "日本", "x y", "d"];

/// Writes a matrix with the names `rows`, and `columns` as numbers.
fn write<T: H5Type>(file: &std::path::Path, rows: &[T], is_latest: bool) {
    let mut options = File::with_options();
    options.with_fapl(|fapl| if is_latest { fapl.libver_latest() } else { fapl.libver_earliest() });
    let file = options.create(file).expect("a file");
    let group = file.create_group("group").expect("a group");
    let matrix = group.new_dataset::<f32>().shape((4, 2)).create("matrix").expect("a data set");
    for row in 0..4 {
        matrix.write_slice(&[row as f32, 0.5], (row, 0..2)).expect("it is written");
    }
    let names = group.new_dataset::<T>().shape(4).create("rownames").expect("a data set");
    names.write_raw(rows).expect("it is written");
    let numbers = group.new_dataset::<i16>().shape(2).create("colnames").expect("a data set");
    numbers.write_raw(&[-7i16, 12]).expect("it is written");
}

#[track_caller]
fn assert_named<T: H5Type>(words: [&str; 4], text: impl Fn(&str) -> T) {
    let folder = folder();
    for is_latest in [false, true] {
        let file = path(&folder, "a.h5");
        write(&file, &words.map(&text), is_latest);
        let ours = Hdf5Source::open(&file, None).unwrap_or_else(|error| panic!("{error}"));
        let theirs = Hdf5Source::open_by_libhdf5(&file, None, Hdf5Reading::default())
            .unwrap_or_else(|error| panic!("{error}"));
        for source in [&ours as &dyn Source, &theirs] {
            assert_eq!(source.row_names().expect("names of rows"), words);
            assert_eq!(source.column_names().expect("names of columns"), ["-7", "12"]);
        }
    }
}

#[test]
fn names_of_every_kind_are_the_same() {
    assert_named(PLAIN, |word| FixedAscii::<12>::from_ascii(word).expect("it is short"));
    assert_named(PLAIN, |word| VarLenAscii::from_ascii(word).expect("it is ASCII"));
    for words in [PLAIN, WIDE] {
        assert_named(words, |word| word.parse::<FixedUnicode<12>>().expect("it is short"));
        assert_named(words, |word| word.parse::<FixedUnicode<90>>().expect("it is short"));
        assert_named(words, |word| word.parse::<VarLenUnicode>().expect("it is text"));
    }
}

/// scikit-bio calls a matrix `matrix` and its names `order`; beside another one that may be
/// anything.
#[test]
fn names_are_found_beside_the_matrices_of_scikit_bio() {
    let folder = folder();
    for (matrix, is_named) in [("matrix", true), ("distances", false)] {
        let path = path(&folder, "a.h5");
        let file = File::create(&path).expect("a file");
        let entries = file.new_dataset::<f64>().shape(6).create(matrix);
        entries.expect("a data set").write_raw(&[1.0; 6]).expect("it is written");
        let order = file.new_dataset::<VarLenUnicode>().shape(4).create("order");
        let words = WIDE.map(|word| word.parse::<VarLenUnicode>().expect("it is text"));
        order.expect("a data set").write_raw(&words).expect("it is written");
        drop(file);
        let ours = Hdf5Source::open(&path, None).unwrap_or_else(|error| panic!("{error}"));
        let theirs = Hdf5Source::open_by_libhdf5(&path, None, Hdf5Reading::default())
            .unwrap_or_else(|error| panic!("{error}"));
        for source in [&ours as &dyn Source, &theirs] {
            for names in [source.row_names(), source.column_names()] {
                assert_eq!(names.is_some_and(|names| names == WIDE), is_named, "{matrix}");
            }
        }
    }
}
