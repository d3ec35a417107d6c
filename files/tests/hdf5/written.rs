//! What is written comes back, and nothing is left of what is not finished.

use std::fs;

use tegula_files::hdf5::{Compression, Hdf5Options, Hdf5Sink, Hdf5Source};
use tegula_files::source::{Block, Sink, Source};
use tegula_kernels::element::{ELEMENTS, Element};

use crate::{assert_holds, assert_says, blocks, bytes_of, entry, folder, path, write};

const CHUNKS: [Option<[usize; 2]>; 4] = [None, Some([8, 8]), Some([5, 64]), Some([1, 1])];

#[test]
fn every_kind_and_layout_comes_back() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    for (element, name) in ELEMENTS {
        for chunk in CHUNKS {
            for compression in [Compression::None, Compression::Gzip(6)] {
                let names = [Some((0..33).map(|i| format!("{i}")).collect()), None];
                let options = Hdf5Options { chunk, compression, names, ..Hdf5Options::default() };
                write(&file, [33, 20], (element, [0, 0]), &options).expect("a file is written");
                let source =
                    Hdf5Source::open(&file, None).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!((source.shape(), source.element()), ([33, 20], element), "{name}");
                assert_eq!(source.grain(), chunk.map_or([1, 1], |[h, w]| [h.min(33), w.min(20)]));
                assert!(source.is_direct(), "{name} {chunk:?} {compression:?}");
                assert_eq!(source.row_names().expect("names")[32], "32");
                assert!(source.column_names().is_none());
                assert_holds(&source, entry);
            }
        }
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "files are left over");
}

#[test]
fn blocks_may_be_compressed_elsewhere() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    let options = Hdf5Options { chunk: Some([16, 16]), ..Hdf5Options::default() };
    let shape = [50, 70];
    let mut sink = Hdf5Sink::create(&file, shape, Element::F32, &options).expect("a file");
    let encoder = sink.encoder().expect("the file has chunks");
    let encoded = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|thread| {
                let mut encoder = encoder.clone();
                scope.spawn(move || {
                    let own = blocks(shape, [16, 16]).enumerate().filter(|(i, _)| i % 3 == thread);
                    own.map(|(_, block)| {
                        let encoded =
                            encoder.encode(&block, &bytes_of(&block, Element::F32, [0, 0]));
                        (block, encoded)
                    })
                    .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    for (block, encoded) in encoded {
        sink.write_encoded(&block, &encoded).expect("it is written");
    }
    Box::new(sink).finish().expect("it is finished");
    let source = Hdf5Source::open(&file, Some("values")).expect("a matrix");
    assert_holds(&source, entry);
    assert!(source.stored_bytes_per_entry() < 3.0, "{}", source.stored_bytes_per_entry());
    let by_size = Hdf5Options { dataset: "distance".to_owned(), chunk: None, ..options };
    assert!(
        Hdf5Sink::create(&file, shape, Element::U8, &by_size).expect("a file").encoder().is_none()
    );
}

#[test]
fn nothing_is_there_before_the_end() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    fs::write(&file, "before").expect("a file can be written");
    let options = Hdf5Options::default();
    let mut sink = Hdf5Sink::create(&file, [300, 10], Element::F64, &options).expect("a file");
    assert_eq!(sink.grain(), [256, 10]);
    let block = Block { rows: 0..256, columns: 0..10 };
    sink.write(&block, &bytes_of(&block, Element::F64, [0, 0])).expect("it is written");
    assert_eq!(fs::read(&file).expect("a file"), b"before");
    drop(sink);
    assert_eq!(fs::read(&file).expect("a file"), b"before");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "files are left over");
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = folder();
    let options = Hdf5Options::default();
    let create =
        |name: &str, options| Hdf5Sink::create(&path(&folder, name), [2, 2], Element::F32, options);
    assert_says(create("none/a.h5", &options), &["cannot write", "none/a.h5", "No such file"]);
    assert_says(create("", &options), &["no file on disk"]);
    let slashes = Hdf5Options { dataset: "a/b".to_owned(), ..options.clone() };
    assert_says(create("a.h5", &slashes), &["'a/b'", "slashes"]);
}

#[test]
fn matrices_without_entries_are_matrices() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    write(&file, [0, 5], (Element::F32, [0, 0]), &Hdf5Options::default()).expect("a file");
    let source = Hdf5Source::open(&file, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(source.shape(), [0, 5]);
}

#[test]
#[should_panic(expected = "0..3")]
fn blocks_beside_the_grid_are_refused() {
    let folder = folder();
    let options = Hdf5Options { chunk: Some([4, 4]), ..Hdf5Options::default() };
    let mut sink =
        Hdf5Sink::create(&path(&folder, "a.h5"), [9, 9], Element::U8, &options).expect("a file");
    let _ = sink.write(&Block { rows: 0..3, columns: 0..4 }, &[0; 12]);
}

#[test]
fn a_file_that_changes_is_not_read() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    let options = Hdf5Options::default();
    write(&file, [5, 5], (Element::F32, [0, 0]), &options).expect("a file");
    let source = Hdf5Source::open(&file, None).expect("a matrix");
    write(&file, [6, 5], (Element::F32, [0, 0]), &options).expect("a file");
    assert_says(source.reader().map(|_| ()), &["a.h5", "changed"]);
}
