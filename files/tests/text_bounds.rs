//! Texts that would take more than there is: refused in one message, before they take it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use tegula_files::matrix::{ReadSettings, open_matrix};
use tegula_files::{ReadOptions, Table};

/// Bytes of memory that reading may take in most tests: lines of 1 MiB are the longest then.
const MEMORY: u64 = 4 << 20;

/// Writes `piece` so many times to `name`, compressed as the name says.
fn bomb(folder: &Path, name: &str, (piece, times): (&[u8], usize)) -> PathBuf {
    let path = folder.join(name);
    let pieces = || std::iter::repeat_n(piece, times);
    let file = fs::File::create(&path).expect("a file");
    if name.ends_with(".gz") {
        let mut out = GzEncoder::new(file, flate2::Compression::fast());
        pieces().for_each(|piece| out.write_all(piece).expect("it is written"));
        out.finish().expect("it is written");
    } else if name.ends_with(".bz2") {
        let mut out = BzEncoder::new(file, bzip2::Compression::fast());
        pieces().for_each(|piece| out.write_all(piece).expect("it is written"));
        out.finish().expect("it is written");
    } else {
        let mut out = file;
        pieces().for_each(|piece| out.write_all(piece).expect("it is written"));
    }
    path
}

fn table(path: &Path, memory_bytes: u64) -> Result<Table, String> {
    let options = ReadOptions { memory_bytes, ..ReadOptions::default() };
    Table::read_with(path, &options).map_err(|error| error.to_string())
}

fn matrix(path: &Path, memory_bytes: u64) -> Result<[usize; 2], String> {
    let scratch = path.parent().expect("a folder").to_owned();
    let settings = ReadSettings { memory_bytes, scratch, format: None, fill: None };
    let matrix = open_matrix(path, &settings).map_err(|error| error.to_string())?;
    Ok(matrix.shape())
}

#[track_caller]
fn says<T: std::fmt::Debug>(result: Result<T, String>, words: &str) {
    let error = result.expect_err(words);
    assert!(error.contains(words), "'{words}' is not in: {error}");
    assert!(error.len() < 600, "{} bytes of message", error.len());
}

#[test]
fn a_line_without_end_is_refused_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.csv", "a.csv.gz", "a.csv.bz2", "a.tsv.gz", "a.column", "a.txt"] {
        let path = bomb(folder.path(), name, (&b"1,".repeat(1 << 18), 4));
        says(table(&path, MEMORY), "line 1 goes on for more than 1 MiB");
        says(matrix(&path, MEMORY), "line 1 goes on for more than 1 MiB");
    }
    let path = bomb(folder.path(), "n.phy.gz", (&b"2\na 0 1 ".repeat(1 << 17), 8));
    fs::write(folder.path().join("b.phy"), "2\na 0 1\nb 1 0\n").expect("a file");
    assert_eq!(matrix(&folder.path().join("b.phy"), MEMORY), Ok([2, 2]));
    assert!(matrix(&path, MEMORY).is_err());
}

#[test]
fn a_quote_that_swallows_lines_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bomb(folder.path(), "a.csv.gz", (b"1,2,\"3\n", 1));
    says(table(&path, MEMORY), "a quote is opened in this row");
    let lines = [b"x,y\n1,\"2\n".to_vec(), b"3,4\n".repeat(1 << 19)].concat();
    let path = bomb(folder.path(), "b.csv", (&lines, 1));
    says(table(&path, MEMORY), "line 2 goes on for more than 1 MiB");
    says(matrix(&path, MEMORY), "line 2 goes on for more than 1 MiB");
}

#[test]
fn blank_lines_and_comments_take_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let blank = [b"x,y\n".to_vec(), b"\n".repeat(3 << 20), b"# no\n".repeat(1 << 19)].concat();
    let path = bomb(folder.path(), "a.csv.gz", (&[blank, b"1,2\n".to_vec()].concat(), 1));
    let read = table(&path, MEMORY).expect("a table");
    assert_eq!((read.rows(), read.line(0)), (1, (3 << 20) + (1 << 19) + 2));
    assert_eq!(matrix(&path, MEMORY), Ok([1, 2]));
}

#[test]
fn what_is_kept_is_held_against_the_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bomb(folder.path(), "rows.csv.gz", (&b"1,2,3\n".repeat(1 << 16), 4));
    says(table(&path, MEMORY), "up to here the table takes more than 4 MiB");
    assert_eq!(table(&path, 16 << 20).expect("a table").rows(), 1 << 18);
    // The entries of a matrix go to the disk instead, its names do not.
    assert_eq!(matrix(&path, MEMORY), Ok([1 << 18, 3]));
    let path = bomb(folder.path(), "names.csv.gz", (&b"a,1\n".repeat(1 << 16), 4));
    says(matrix(&path, MEMORY), "up to here the list of names takes more than 16 MiB");
    let columns = b"1,".repeat(1 << 17);
    let path = bomb(folder.path(), "columns.csv", (&[columns, b"1\n".to_vec()].concat(), 2));
    says(table(&path, MEMORY), "it has 131073 columns, which take more than 4 MiB");
    assert_eq!(matrix(&path, MEMORY), Ok([2, 131_073]));
}

#[test]
fn a_row_of_a_hundred_thousand_columns_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = [b"0.123456789012345678\t".repeat(99_999), b"1.5\n".to_vec()].concat();
    let path = bomb(folder.path(), "wide.tsv", (&row, 2));
    assert_eq!(matrix(&path, 32 << 20), Ok([2, 100_000]));
    assert_eq!(table(&path, 32 << 20).expect("a table").names().len(), 100_000);
}

#[test]
fn bytes_that_are_zero_are_no_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    let file = fs::File::create(&path).expect("a file");
    // It takes no room on the disk.
    file.set_len(10 << 30).expect("a file with holes");
    says(table(&path, u64::MAX), "line 1 has a byte that is zero");
    says(matrix(&path, u64::MAX), "line 1 has a byte that is zero");
    says(table(Path::new("/dev/zero"), u64::MAX), "line 1 has a byte that is zero");
    says(matrix(Path::new("/dev/zero"), u64::MAX), "no file on disk");
    fs::write(&path, "x,y\n1,2\n3,\0\n").expect("a file");
    says(table(&path, u64::MAX), "line 3 has a byte that is zero");
}

#[test]
fn headers_that_lie_are_found_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bomb(folder.path(), "n.phy", (b"1000000000000\na\nb 1\n", 1));
    says(matrix(&path, MEMORY), "promises 1000000000000 rows, and there are 2");
    let path = bomb(folder.path(), "huge.phy", (b"99999999999999999999999\na\nb 1\n", 1));
    says(matrix(&path, MEMORY), "gives the number of its rows");
    for name in ["p.column", "p.column.gz"] {
        let lines: Vec<u8> =
            (0..2000).flat_map(|i| format!("a{i} b{i} 0.5\n").into_bytes()).collect();
        let path = bomb(folder.path(), name, (&lines, 1));
        says(matrix(&path, 1 << 16), "but not as many lines");
    }
}

#[test]
fn a_pipe_is_held_within_the_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    for (piece, words) in [
        (&b"1,2\n"[..], "what came through the pipe takes more than 2 MiB"),
        (&b"1,2,"[..], "line 1 goes on for more than 1 MiB"),
    ] {
        let (to, piece) = (pipe.clone(), piece.repeat(1 << 10));
        let writer = std::thread::spawn(move || {
            let mut pipe = fs::OpenOptions::new().write(true).open(to).expect("it opens");
            // Until the reader has had enough.
            while pipe.write_all(&piece).is_ok() {}
        });
        says(table(&pipe, MEMORY), words);
        writer.join().expect("it ends");
    }
    // Nobody writes to it, and a matrix is not read from it.
    says(matrix(&pipe, MEMORY), "no file on disk");
}

#[test]
fn compressed_tables_are_read_again_and_have_the_digest_of_their_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = b"id,x\na,1\nb,2\n";
    let plain = table(&bomb(folder.path(), "t.csv", (text, 1)), u64::MAX).expect("a table");
    for name in ["t.csv.gz", "t.csv.bz2"] {
        let path = bomb(folder.path(), name, (text, 1));
        let read = table(&path, u64::MAX).expect("a table");
        assert_eq!(read.digest(), plain.digest());
        assert_eq!(read.bytes_read(), fs::metadata(&path).expect("a file").len());
        let id = read.find("id").expect("a column");
        assert_eq!(read.texts(id).expect("texts"), ["a", "b"]);
        let bytes = fs::read(&path).expect("a file");
        fs::write(&path, &bytes[..bytes.len() - 6]).expect("a file");
        says(table(&path, u64::MAX), "damaged or end too early");
    }
}
