//! Data sets of which a part was never written, chunks that are too large or lie, and links to
//! elsewhere.

use std::path::Path;

use rust_hdf5::{FilterPipeline, H5Dataset, H5File, LibverBound};
use tegula_files::hdf5::{Hdf5Reading, Hdf5Source, ManifestSource, open};
use tegula_files::source::{Source, SourceError};

use crate::{assert_holds, assert_says, folder, path};

/// Side of the matrices, in `GRID` times `GRID` chunks.
const SIDE: usize = 6;
const GRID: usize = 3;

/// A file with a data set of this shape in chunks, of which `write` writes what it likes.
fn chunked(file: &Path, shape: [usize; 2], chunk: [usize; 2], write: impl FnOnce(&H5Dataset)) {
    let made = H5File::options().libver(LibverBound::V18).create(file).expect("a file");
    let dataset = made.new_dataset::<f64>().shape(shape).chunk(&chunk).create("values");
    write(&dataset.expect("a data set"));
    made.close().expect("it is written");
}

/// All chunks but that in the middle, each entry the number of its chunk.
fn all_but_one(dataset: &H5Dataset) {
    for place in (0..GRID * GRID).filter(|place| *place != 4) {
        let entries = [place as f64; 4].map(f64::to_le_bytes).concat();
        dataset.write_chunk_at(&[place / GRID, place % GRID], &entries).expect("it is written");
    }
}

fn filled(file: &Path, fill: f64) -> Result<Hdf5Source, SourceError> {
    let reading = Hdf5Reading { fill: Some(fill), ..Hdf5Reading::default() };
    Hdf5Source::open_as(file, None, reading)
}

#[test]
fn a_hole_is_refused_or_what_it_is_said_to_be() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    chunked(&file, [SIDE; 2], [2, 2], all_but_one);
    let words =
        ["a.h5", "1 of the 9 chunks", "'values'", "row 3, column 3", "HDF5 reads 0", "--fill"];
    assert_says(Hdf5Source::open(&file, None), &words);
    assert_says(open(&file, None, Hdf5Reading::default()), &words);
    let source = filled(&file, -7.5).unwrap_or_else(|error| panic!("{error}"));
    let number = |i: usize, j: usize| (i / 2 * GRID + j / 2) as f64;
    assert_holds(&source, |i, j| if number(i, j) == 4.0 { -7.5 } else { number(i, j) });
    std::fs::write(path(&folder, "all.manifest"), "file,row,column\na.h5,0,0\n").expect("a list");
    let list = path(&folder, "all.manifest");
    assert_says(ManifestSource::open(&list), &["line 2", "1 of the 9 chunks"]);
    let reading = Hdf5Reading { fill: Some(0.0), ..Hdf5Reading::default() };
    assert!(ManifestSource::open_as(&list, reading).is_ok());
}

#[test]
fn a_data_set_that_was_never_written_is_refused_before_anything_is_held() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    chunked(&file, [SIDE; 2], [2, 2], |_| ());
    assert_says(Hdf5Source::open(&file, None), &["none of the 9 chunks"]);
    assert_holds(&filled(&file, 3.0).expect("a matrix"), |_, _| 3.0);
    // A million million chunks, of which no table can be held.
    chunked(&file, [1_000_000_000; 2], [1000, 1000], |_| ());
    assert_says(Hdf5Source::open(&file, None), &["or more of the 1000000000000 chunks"]);
    assert_says(filled(&file, 0.0), &["1000000000000 chunks", "h5repack"]);
}

#[test]
fn chunks_are_held_against_the_memory() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    chunked(&file, [3000, 3000], [3000, 3000], |_| ());
    let open = |memory_bytes| {
        Hdf5Source::open_as(&file, None, Hdf5Reading { fill: Some(1.0), memory_bytes })
    };
    assert_says(open(0), &["3000 x 3000 entries", "68.7 MiB", "64.0 MiB", "--memory"]);
    let source = open(200 << 20).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(source.reader_bytes(), 2 * 8 * 3000 * 3000);
}

#[test]
fn chunks_that_lie_about_their_length_are_damaged() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    let made = H5File::create(&file).expect("a file");
    let builder = made.new_dataset::<f64>().shape([2, 2]).chunk(&[2, 2]);
    let dataset = builder.filter_pipeline(FilterPipeline::deflate(6)).create("values");
    let dataset = dataset.expect("a data set");
    dataset.write_chunk_raw_at(&[0, 0], &vec![0; 1 << 20], 0).expect("it is written");
    drop(dataset);
    made.close().expect("it is written");
    let source = Hdf5Source::open(&file, None).unwrap_or_else(|error| panic!("{error}"));
    assert_says(crate::whole(&source, [2, 2]), &["chunk (0, 0)", "1048576 bytes for 32"]);
}

#[test]
fn a_fill_that_is_no_such_number_is_refused() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    let made = H5File::create(&file).expect("a file");
    made.new_dataset::<u8>().shape([4, 4]).chunk(&[2, 2]).create("values").expect("a data set");
    made.close().expect("it is written");
    assert_says(filled(&file, 0.5), &["--fill 0.5 is no uint8"]);
    assert_says(filled(&file, 300.0), &["--fill 300 is no uint8"]);
    assert!(filled(&file, 255.0).is_ok());
}

#[test]
fn links_into_other_files_are_named() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    let made = H5File::create(&file).expect("a file");
    made.root_group().create_external_link("D", "b.h5", "/group/values").expect("a link");
    made.close().expect("it is written");
    for dataset in [None, Some("D")] {
        let words = ["external link", "'group/values'", "b.h5:group/values"];
        assert_says(Hdf5Source::open(&file, dataset), &words);
    }
}
