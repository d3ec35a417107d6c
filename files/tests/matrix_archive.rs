//! Archives of NumPy's arrays: stored and deflated ones, with names, with several arrays, and
//! damaged.

use std::fs;
use std::io::Write;
use std::path::Path;

use tegula_files::matrix::{ReadSettings, open_matrix};
use tegula_files::source::{Block, Coverage, Source};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An array file of this type and shape.
fn array(descr: &str, shape: &str, entries: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), entries].concat()
}

fn numbers(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Texts of three characters, as NumPy stores them.
fn texts(texts: &[&str]) -> Vec<u8> {
    let padded = texts.iter().flat_map(|text| text.chars().chain("\0\0\0".chars()).take(3));
    padded.flat_map(|c| (c as u32).to_le_bytes()).collect()
}

/// Writes an archive of `members` to `path`.
fn archive(path: &Path, members: &[(&str, Vec<u8>)], method: CompressionMethod) {
    let mut writer = ZipWriter::new(fs::File::create(path).expect("a file can be made"));
    for (name, bytes) in members {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).expect("a member");
        writer.write_all(bytes).expect("it takes bytes");
    }
    writer.finish().expect("it ends");
}

fn open(spec: &str, memory_bytes: u64) -> Result<Box<dyn Source>, String> {
    let settings =
        ReadSettings { memory_bytes, scratch: std::env::temp_dir(), format: None, fill: None };
    open_matrix(spec, &settings).map_err(|error| error.to_string())
}

fn whole(source: &dyn Source) -> Vec<f64> {
    let [m, n] = source.shape();
    let mut stored = vec![0; m * n * source.element().bytes()];
    let block = Block { rows: 0..m, columns: 0..n };
    source.reader().expect("a reader").read(&block, &mut stored).expect("the entries");
    let mut numbers = vec![0.0; m * n];
    source.element().widen(&stored, &mut numbers);
    numbers
}

const METHODS: [CompressionMethod; 2] = [CompressionMethod::Stored, CompressionMethod::Deflated];

#[test]
fn the_matrix_and_its_names_are_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("D.npz");
    let spec = path.to_str().expect("UTF-8");
    let square = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    let ids = ("ids.npy", array("<U3", "(3,)", &texts(&["a b", "é", "c"])));
    let names = ["a b", "é", "c"].map(str::to_owned);
    for method in METHODS {
        for memory_bytes in [0, 1 << 20] {
            let data = ("data.npy", array("<f8", "(3, 3)", &numbers(&square)));
            archive(&path, &[("readme.txt", b"hello".to_vec()), data, ids.clone()], method);
            let source = open(spec, memory_bytes).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(whole(&*source), square);
            assert_eq!([source.row_names(), source.column_names()], [Some(&names[..]); 2]);
            let data = ("data.npy", array("<f8", "(3,)", &numbers(&[1.0, 2.0, 3.0])));
            archive(&path, &[ids.clone(), data], method);
            let source = open(spec, memory_bytes).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((whole(&*source), source.coverage()), (square.to_vec(), Coverage::Triangle));
        }
    }
}

#[test]
fn one_of_several_arrays_is_named() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("D.npz");
    let spec = path.to_str().expect("UTF-8");
    let one = |name, number| (name, array("<f8", "(1, 1)", &numbers(&[number])));
    archive(&path, &[one("a.npy", 1.0), one("b.npy", 2.0)], CompressionMethod::Deflated);
    let refused = |spec: &str| open(spec, 0).expect_err("it is not clear");
    assert!(refused(spec).contains("(a, b)"), "{}", refused(spec));
    let text = refused(&format!("{spec}:c"));
    assert!(text.contains("no array 'c'") && text.contains("a, b"), "{text}");
    assert_eq!(whole(&*open(&format!("{spec}:b"), 0).expect("an array")), [2.0]);
    archive(&path, &[("ids.npy", array("<U3", "(1,)", &texts(&["a"])))], CompressionMethod::Stored);
    assert!(refused(spec).contains("none of its arrays is a matrix"), "{}", refused(spec));
    archive(&path, &[], CompressionMethod::Stored);
    assert!(refused(spec).contains("D.npz"), "{}", refused(spec));
}

#[test]
fn damaged_archives_are_refused_or_read() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("D.npz");
    let spec = path.to_str().expect("UTF-8");
    let square: Vec<f64> = (0..64).map(f64::from).collect();
    for method in METHODS {
        archive(&path, &[("data.npy", array("<f8", "(8, 8)", &numbers(&square)))], method);
        let bytes = fs::read(&path).expect("it can be read");
        for length in (0..bytes.len()).step_by(3) {
            fs::write(&path, &bytes[..length]).expect("a file can be written");
            let text = open(spec, 1 << 20).err().unwrap_or_else(|| panic!("{length} was taken"));
            assert!(text.contains("D.npz"), "{text}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            fs::write(&path, &changed).expect("a file can be written");
            if let Ok(source) = open(spec, 1 << 20) {
                let found = whole(&*source);
                // What is deflated is checked against its sum; what is read in place is not.
                let is_checked = method == CompressionMethod::Deflated;
                assert!(!is_checked || found == square, "byte {at} was changed and not missed");
            }
        }
    }
}

#[test]
fn names_are_held_against_the_memory() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("D.npz");
    let spec = path.to_str().expect("UTF-8");
    // Some kilobytes of a file, and twenty megabytes of names.
    let data = ("data.npy", array("<f8", "(2, 2)", &numbers(&[0.0, 1.0, 1.0, 0.0])));
    let names = ("names.npy", array("|S10000000", "(2,)", &vec![0; 20_000_000]));
    archive(&path, &[data, names], CompressionMethod::Deflated);
    let text = open(spec, 1 << 20).expect_err("too much");
    assert!(text.contains("'names'") && text.contains("--memory"), "{text}");
    assert!(open(spec, 1 << 25).is_ok());
}
