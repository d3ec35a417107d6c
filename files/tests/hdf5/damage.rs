//! Damaged files: every outcome is an error or a matrix, and a file that was cut short is always
//! refused.

use std::fs;
use std::path::Path;

use tegula_files::hdf5::{Compression, Hdf5Options, Hdf5Source};
use tegula_files::source::{Block, Source};
use tegula_kernels::element::Element;

use crate::peers::{python, run};
use crate::{assert_says, folder, path, write};

/// Numbers that look like chance (Marsaglia, "Xorshift RNGs", 2003).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Reads what can be read of the file, a corner if it says that it is large.
fn try_to_read(file: &Path, dataset: Option<&str>) -> bool {
    let Ok(source) = Hdf5Source::open(file, dataset) else { return false };
    let [m, n] = source.shape().map(|length| length.min(128));
    let Ok(mut reader) = source.reader() else { return false };
    let block = Block { rows: 0..m, columns: 0..n };
    let mut entries = vec![0; block.entries() * source.element().bytes()];
    reader.read(&block, &mut entries).is_ok()
}

/// Flips bytes of `file` and cuts it short.
fn harm(folder: &tempfile::TempDir, file: &Path, dataset: Option<&str>, rounds: usize) {
    let whole = fs::read(file).expect("a file");
    assert!(try_to_read(file, dataset), "{}", file.display());
    let harmed = path(folder, "harmed.h5");
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for round in 0..rounds {
        let mut bytes = whole.clone();
        // Half of the flips hit the first kilobyte, where most of what describes the file stands.
        let bound = if round % 2 == 0 { bytes.len() } else { bytes.len().min(2048) };
        for _ in 0..1 + chance.below(3) {
            let at = chance.below(bound);
            bytes[at] ^= 1 << chance.below(8) as u8;
            if chance.below(4) == 0 {
                bytes[at] = 0xff;
            }
        }
        fs::write(&harmed, &bytes).expect("a file");
        refused += usize::from(!try_to_read(&harmed, dataset));
    }
    assert!(refused > 0, "none of {rounds} was refused");
    for part in 0..60 {
        let length = if part < 50 { whole.len() * part / 50 } else { whole.len() - (part - 49) };
        fs::write(&harmed, &whole[..length]).expect("a file");
        assert!(!try_to_read(&harmed, dataset), "{length} of {} bytes", whole.len());
    }
}

#[test]
fn harmed_files_are_refused_or_read() {
    let folder = folder();
    for (chunk, compression) in [
        (None, Compression::None),
        (Some([16, 11]), Compression::None),
        (Some([16, 11]), Compression::Gzip(4)),
    ] {
        let file = path(&folder, "whole.h5");
        let names = [Some((0..50).map(|i| format!("row {i}")).collect()), None];
        let options = Hdf5Options { chunk, compression, names, ..Hdf5Options::default() };
        write(&file, [50, 40], (Element::F32, [0, 0]), &options).expect("a file");
        harm(&folder, &file, None, 400);
    }
}

#[test]
fn harmed_files_of_h5py_are_refused_or_read() {
    let Some(python) = python() else { return };
    let folder = folder();
    run(&python, &[Path::new("write"), folder.path()]);
    for (file, dataset) in [
        ("earliest-le-gzip.h5", "f/of_f4"),
        ("earliest-be-summed.h5", "f/of_f8"),
        ("earliest-le-contiguous.h5", "f/of_f4"),
        ("latest-le-gzip-paged.h5", "f/of_f4"),
        ("latest-le-growing-both.h5", "f/of_f4"),
        ("latest-be-lzf.h5", "i/of_i2"),
        ("v108-le-chunked.h5", "f/of_f2"),
        ("names-variable.h5", "group/matrix"),
        ("earliest-others.h5", "condensed-gzip"),
    ] {
        harm(&folder, &path(&folder, file), Some(dataset), 150);
    }
}

#[test]
fn a_file_that_is_none_is_said_to_be_none() {
    let folder = folder();
    let refusal = |bytes: &[u8]| {
        let file = path(&folder, "a.h5");
        fs::write(&file, bytes).expect("a file");
        Hdf5Source::open(&file, None)
    };
    assert_says(refusal(b""), &["a.h5", "no HDF5 file"]);
    assert_says(refusal(b"a,b\n1,2\n"), &["no HDF5 file"]);
    assert_says(refusal(&[0; 5000]), &["no HDF5 file"]);
    let mut newer = b"\x89HDF\r\n\x1a\n\x04".to_vec();
    newer.resize(200, 0);
    assert_says(refusal(&newer), &["version 4"]);
    assert_says(Hdf5Source::open(folder.path(), None), &["no file on disk"]);
    assert_says(
        Hdf5Source::open(&path(&folder, "none.h5"), None),
        &["cannot read", "No such file"],
    );
}

#[test]
fn a_damaged_chunk_is_named() {
    let folder = folder();
    let file = path(&folder, "a.h5");
    let options = Hdf5Options { chunk: Some([64, 64]), ..Hdf5Options::default() };
    write(&file, [64, 128], (Element::F64, [0, 0]), &options).expect("a file");
    let mut bytes = fs::read(&file).expect("a file");
    // Streams of zlib begin like this at levels 2 to 5; the second one is that of the second chunk.
    let starts: Vec<usize> =
        (0..bytes.len() - 1).filter(|&at| bytes[at..].starts_with(&[0x78, 0x5e])).collect();
    let second = *starts.get(1).unwrap_or_else(|| panic!("two streams, not {starts:?}"));
    bytes[second + 20] ^= 0x55;
    fs::write(&file, &bytes).expect("a file");
    let source = Hdf5Source::open(&file, None).expect("a matrix");
    let mut reader = source.reader().expect("a reader");
    let mut read = |columns| {
        let block = Block { rows: 0..64, columns };
        reader.read(&block, &mut vec![0; block.entries() * 8])
    };
    assert!(read(0..64).is_ok());
    assert_says(read(64..128), &["a.h5", "'values'", "chunk (0, 1)"]);
}
