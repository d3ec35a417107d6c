//! What h5py writes is read as it is, and h5py reads what we write.

use std::path::{Path, PathBuf};
use std::process::Command;

use tegula_files::hdf5::{Compression, Hdf5Options, Hdf5Reading, Hdf5Source};
use tegula_files::source::Source;
use tegula_kernels::element::ELEMENTS;

use crate::{assert_holds, assert_says, entry, folder, is_full, mirrored, path, write};

/// A Python with h5py: that of `scripts/bench/setup-peers`, the first on the path, or that which
/// Debian's packages are for (`scripts/setup` installs python3-h5py).
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn python() -> Option<PathBuf> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/venv/bin/python");
    let others = ["python3", "/usr/bin/python3"].map(PathBuf::from);
    let found = [ours].into_iter().chain(others).find(|python| {
        let import = Command::new(python).args(["-c", "import h5py, numpy"]).output();
        import.is_ok_and(|import| import.status.success())
    });
    if found.is_none() {
        eprintln!(
            "SKIPPED: files of h5py: there is no Python with h5py; scripts/setup installs it"
        );
    }
    found
}

/// Runs the script beside this file.
pub(crate) fn run(python: &Path, words: &[&Path]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hdf5/peer.py");
    let run = Command::new(python).arg(script).args(words).output().expect("Python runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn open(folder: &tempfile::TempDir, file: &str, dataset: Option<&str>) -> Hdf5Source {
    Hdf5Source::open(&path(folder, file), dataset).unwrap_or_else(|error| panic!("{error}"))
}

/// Every kind of numbers, layout, byte order and version, read without the library; what was never
/// written is refused or what it is said to be.
fn every_layout_is_read(folder: &tempfile::TempDir) {
    let index = std::fs::read_to_string(path(folder, "index")).expect("the list of files");
    assert!(index.lines().count() > 800, "{} data sets", index.lines().count());
    for line in index.lines() {
        let [file, dataset, element, m, n, coverage] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("six columns");
        let is_whole = !["part", "never"].contains(&coverage);
        if !is_whole {
            let refusal = Hdf5Source::open(&path(folder, file), Some(dataset));
            assert_says(refusal, &[dataset, " written", "HDF5 reads 77", "--fill"]);
        }
        let fill = (!is_whole).then_some(55.0);
        let reading = Hdf5Reading { fill, ..Hdf5Reading::default() };
        let source = Hdf5Source::open_as(&path(folder, file), Some(dataset), reading);
        let source = source.unwrap_or_else(|error| panic!("{line}: {error}"));
        let shape: [usize; 2] = [m, n].map(|length| length.parse().expect("a number"));
        assert_eq!((source.shape(), source.element().name()), (shape, element), "{line}");
        assert_eq!(is_full(&source), coverage != "triangle", "{line}");
        let in_corner = |i, j| if i < 16 && j < 16 { entry(i, j) } else { 55.0 };
        match coverage {
            "full" => assert_holds(&source, entry),
            "part" => assert_holds(&source, in_corner),
            "never" => assert_holds(&source, |_, _| 55.0),
            _ => assert_holds(&source, mirrored),
        }
        assert!(source.is_direct() || dataset == "compact", "{line}");
    }
}

fn names_are_found_and_damaged_ones_refused(folder: &tempfile::TempDir) {
    let words = ["Ab", "Çédille", "日本", "x y", ""];
    for (file, has_both) in [("fixed", true), ("variable", true), ("both", true)] {
        let source = open(folder, &format!("names-{file}.h5"), None);
        assert_eq!(source.dataset(), "group/matrix");
        assert_eq!(source.row_names().expect("names"), words, "{file}");
        assert_eq!(source.column_names().is_some(), has_both, "{file}");
    }
    let numbers = open(folder, "names-numbers.h5", Some("/group/matrix"));
    assert_eq!(numbers.row_names().expect("names"), ["5", "6", "7", "8", "-9"]);
    let refusal = |file: &str| Hdf5Source::open(&path(folder, file), None);
    assert_says(refusal("names-short.h5"), &["'group/rownames'", "4 entries", "5 rows"]);
    assert_says(refusal("names-latin.h5"), &["'group/rownames'", "UTF-8", "entry 1"]);
}

fn the_matrix_is_chosen_or_asked_for(folder: &tempfile::TempDir) {
    assert_eq!(open(folder, "usual.h5", None).dataset(), "distance");
    assert_eq!(open(folder, "only.h5", None).dataset(), "deep/only");
    assert_eq!(open(folder, "several.h5", Some("c")).shape(), [5, 5]);
    let several = Hdf5Source::open(&path(folder, "several.h5"), None);
    assert_says(several, &["'a'", "'deep/b'", "name one"]);
    let none = Hdf5Source::open(&path(folder, "refused.h5"), None);
    assert_says(none, &["no data set in it is a matrix", "'bool'"]);
    for (dataset, words) in [
        ("complex", &["complex numbers"][..]),
        ("text", &["text"]),
        ("bool", &["enumeration"]),
        ("cube", &["[2, 2, 2]"]),
        ("four", &["4 entries in one dimension"]),
        ("record", &["weight, age"]),
        ("long", &["floats of 16 bytes"]),
        ("unknown", &["filter 32026", "h5repack"]),
        ("link", &["an external link", "'values'", "other.h5:values"]),
        ("virtual", &["a virtual data set", "'other.h5'", "manifest"]),
        ("nothing", &["no data set 'nothing'", "'cube'"]),
    ] {
        assert_says(Hdf5Source::open(&path(folder, "refused.h5"), Some(dataset)), words);
    }
}

/// The newest superblock says whether a program has the file open.
fn a_file_that_is_being_written_is_refused(folder: &tempfile::TempDir) {
    let mut bytes = std::fs::read(path(folder, "latest-le-gzip.h5")).expect("a file");
    assert_eq!((bytes[8], bytes[11]), (3, 0), "version and flags of the superblock");
    bytes[11] = 5;
    std::fs::write(path(folder, "open.h5"), bytes).expect("a file");
    let found = Hdf5Source::open(&path(folder, "open.h5"), Some("f/of_f4"));
    assert_says(found, &["open.h5", "being written", "h5clear"]);
}

#[test]
fn files_of_h5py_are_read() {
    let Some(python) = python() else { return };
    let folder = folder();
    run(&python, &[Path::new("write"), folder.path()]);
    every_layout_is_read(&folder);
    names_are_found_and_damaged_ones_refused(&folder);
    the_matrix_is_chosen_or_asked_for(&folder);
    a_file_that_is_being_written_is_refused(&folder);
}

#[test]
fn h5py_reads_what_is_written() {
    let Some(python) = python() else { return };
    let folder = folder();
    let mut files = vec![PathBuf::from("read")];
    for (element, name) in ELEMENTS {
        for (chunk, compression, word) in [
            (None, Compression::Gzip(4), "none"),
            (Some([16, 11]), Compression::None, "none"),
            (Some([16, 11]), Compression::Gzip(1), "gzip"),
            (Some([256, 256]), Compression::Gzip(9), "gzip"),
        ] {
            let (m, n): (usize, usize) = (73, 41);
            let height = chunk.map_or(0, |[height, _]| m.min(height));
            let file = path(&folder, &format!("{name}-{m}-{n}-{height}-{word}.h5"));
            let rows = (0..m).map(|i| format!("r{i}")).collect();
            let columns = (0..n).map(|j| format!("ç{j}")).collect();
            let names = [Some(rows), Some(columns)];
            let options = Hdf5Options { chunk, compression, names, ..Hdf5Options::default() };
            write(&file, [m, n], (element, [0, 0]), &options).expect("a file is written");
            files.push(file);
        }
    }
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    run(&python, &files);
}
