//! Damaged files are refused, and never stop the program.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use tegula_files::matrix::{FORMATS, ReadSettings, create_matrix, open_matrix};
use tegula_files::source::{Block, Source, SourceError, pieces};
use tegula_kernels::element::Element;

fn settings(folder: &Path) -> ReadSettings<'static> {
    ReadSettings { memory_bytes: 1 << 16, scratch: folder.to_owned(), format: None, fill: None }
}

fn read_whole(source: &dyn Source) -> Result<(), SourceError> {
    let [m, n] = source.shape();
    let mut entries = vec![0; m * n * source.element().bytes()];
    source.reader()?.read(&Block { rows: 0..m, columns: 0..n }, &mut entries).map(drop)
}

/// The files that are damaged: made once.
static FILES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(files);

/// A file of every format, compressed ones too: its name and its bytes.
fn files() -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let n = 6usize;
    let names: Vec<String> = (0..n).map(|row| format!("name{row}")).collect();
    let numbers: Vec<f32> = (0..n * n).map(|k| ((k / n).abs_diff(k % n)) as f32 * 1.25).collect();
    let entries: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let mut files = Vec::new();
    for format in FORMATS.iter().filter(|format| format.write.is_some()) {
        for more in if format.is_text { &["", ".gz", ".bz2"][..] } else { &[""] } {
            let name = format!("D{}{more}", format.endings[0]);
            let path = folder.path().join(&name);
            let names = [Some(&names[..]); 2];
            let mut sink = create_matrix(&path, None, [n; 2], names, Element::F32).expect("a file");
            for rows in pieces(n, sink.grain()[0]) {
                let lines = rows.start * n * 4..rows.end * n * 4;
                sink.write(&Block { rows, columns: 0..n }, &entries[lines]).expect("it takes rows");
            }
            sink.finish().expect("it ends");
            files.push((name, fs::read(&path).expect("it can be read")));
        }
    }
    files
}

#[test]
fn files_that_are_cut_short_are_refused() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, bytes) in FILES.iter() {
        let path = folder.path().join(name);
        let (mut kept, mut refused) = (0, 0);
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).expect("a file can be written");
            match open_matrix(path.to_str().expect("UTF-8"), &settings(folder.path())) {
                Ok(source) => {
                    kept += 1;
                    read_whole(&*source)
                        .unwrap_or_else(|error| panic!("{name}, {length}: {error}"));
                }
                Err(error) => {
                    refused += 1;
                    let text = error.to_string();
                    assert!(text.contains("D."), "{text} names the file");
                }
            }
        }
        // A text may end after any row or digit and be a matrix still; nothing else may.
        let is_text = name.ends_with(".csv") || name.ends_with(".tsv");
        let most = match name.as_str() {
            _ if is_text => bytes.len(),
            name if name.ends_with(".gz") || name.ends_with(".bz2") => 0,
            // Cut within the last number, or before the end of the last line.
            name if name.contains("phy") => 12,
            // Whole rows of the triangle are a smaller matrix; that the file goes on cannot be
            // known.
            name if name.contains("column") => 30,
            // Lengths that are those of smaller squares.
            "D.bin" => 6,
            _ => 0,
        };
        assert!(kept <= most, "{name}: {kept} of {} lengths were taken", bytes.len());
        assert!(refused > 0, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn changed_bytes_never_stop_the_program(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let (name, bytes) = which.get(&FILES);
        let mut bytes = bytes.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join(name);
        fs::write(&path, &bytes).expect("a file can be written");
        for format in [None, Some("csv"), Some("phylip"), Some("mothur"), Some("npy"), Some("npz"), Some("raw")] {
            let settings = ReadSettings { format, ..settings(folder.path()) };
            if let Ok(source) = open_matrix(path.to_str().expect("UTF-8"), &settings) {
                let [m, n] = source.shape();
                if m * n < 1 << 20 {
                    let _ = read_whole(&*source);
                }
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[0-9a-z#\", \t\n.;é-]{0,200}") {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("D.txt");
        fs::write(&path, &text).expect("a file can be written");
        for format in [None, Some("csv"), Some("phylip"), Some("mothur")] {
            let settings = ReadSettings { format, ..settings(folder.path()) };
            if let Ok(source) = open_matrix(path.to_str().expect("UTF-8"), &settings) {
                let [m, n] = source.shape();
                if m * n < 1 << 20 {
                    read_whole(&*source).unwrap_or_else(|error| panic!("{error}"));
                }
            }
        }
    }
}
