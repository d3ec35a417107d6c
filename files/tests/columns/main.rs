//! Tables from files of columns that are no text: GeoTIFF, NetCDF and, with its feature, Parquet.

mod geotiff;
mod netcdf;
#[cfg(feature = "parquet")]
mod parquet;

use std::path::PathBuf;

use tegula_files::raster::{Axis, Direction, Nodes, Raster, RasterFormat, RasterWriter};
use tegula_files::{ColumnIndex, NamedValues, ReadOptions, Table, TableError, TableFile};
use tempfile::TempDir;

/// A file with these bytes.
fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data.bin");
    std::fs::write(&path, bytes).expect("written");
    (folder, path)
}

/// The table that these bytes are, with so much memory for reading.
fn read_with(bytes: &[u8], memory_bytes: u64) -> Result<Table, TableError> {
    let (_folder, path) = file(bytes);
    Table::open(&path, &ReadOptions { memory_bytes, ..ReadOptions::default() })
}

/// The names and values of the columns of a table.
fn columns(table: &Table) -> Vec<(String, Vec<f64>)> {
    let column = |(place, name): (usize, &String)| {
        (name.clone(), table.numbers(ColumnIndex(place)).expect("numbers").to_vec())
    };
    table.names().iter().enumerate().map(column).collect()
}

/// Asserts that these bytes are refused in such words, before much memory is taken.
#[track_caller]
fn refused(bytes: &[u8], words: &str) {
    let error = read_with(bytes, 1 << 26).expect_err(words).to_string();
    assert!(error.contains(words), "'{words}' is not in: {error}");
    assert!(error.starts_with("cannot read ") && !error.contains('\n'), "{error}");
}

/// A raster of 4 x 3 nodes without two of its values, in the format.
fn written(format: RasterFormat) -> (Vec<u8>, [Vec<f64>; 2]) {
    let axis = |name: &str, from, to, step, count| Axis {
        name: name.to_owned(),
        nodes: Nodes { from, to, step, count },
        direction: Direction::Straight,
    };
    let axes = vec![axis("x", 0.5, 2.0, 0.5, 4), axis("y", 10.0, 14.0, 2.0, 3)];
    let raster = Raster { axes, columns: vec!["mean".to_owned(), "a_b".to_owned()] };
    let mut mean: Vec<f64> = (0..12).map(|node| 0.1 * f64::from(node)).collect();
    let mut other: Vec<f64> = mean.iter().map(|value| value * value - 1.0).collect();
    (mean[1], mean[7], other[7]) = (f64::NAN, f64::NAN, f64::NAN);
    other[5] = f64::INFINITY;
    let mut bytes = Vec::new();
    let mut writer = RasterWriter::new(&mut bytes, format, &raster).expect("begun");
    writer.write(&[mean.clone(), other.clone()]).expect("written");
    writer.finish();
    (bytes, [mean, other])
}

/// What is written is read again, to the bit; a node without values is left out, a value that is
/// not finite is refused where it is asked for.
#[test]
fn rasters_are_read_as_they_were_written() {
    for format in [RasterFormat::GeoTiff, RasterFormat::NetCdf] {
        let (bytes, [mean, other]) = written(format);
        let table = read_with(&bytes, u64::MAX).expect("a raster");
        assert_eq!(table.names(), ["x", "y", "mean", "a_b"]);
        assert_eq!(table.rows(), 11);
        let described = table.describe();
        assert!(described.contains(format.name()), "{described}");
        assert!(described.contains("(1 ") && described.contains("left out)"), "{described}");
        let there: Vec<usize> = (0..12).filter(|&node| node != 7).collect();
        let number = |name: &str| table.numbers(table.find(name).expect(name)).expect("numbers");
        for (row, &node) in there.iter().enumerate() {
            let place = [0.5 + 0.5 * (node % 4) as f64, 10.0 + 2.0 * (node / 4) as f64];
            assert_eq!([number("x")[row], number("y")[row]], place);
            assert!(table.row_name(row).ends_with(&format!(" {}", node + 1)));
            assert_eq!(number("mean")[row].to_bits(), mean[node].to_bits());
        }
        let error = table.numbers(ColumnIndex(3)).expect_err("infinite").to_string();
        assert!(error.contains(" 6, column 'a_b': 'inf' is not finite"), "{error}");
        assert_eq!(other[5], f64::INFINITY);
        let lacking = NamedValues { name: "mean", values: number("mean") };
        let error = table.require_complete(&[lacking]).expect_err("a gap").to_string();
        assert!(error.contains(" 2, column 'mean': missing value (1 of the 11 rows"), "{error}");
    }
}

/// Parts, texts and the table with further columns are those of the whole, however it is cut.
#[test]
fn parts_make_up_the_whole() {
    let (bytes, _) = written(RasterFormat::GeoTiff);
    let (_folder, path) = file(&bytes);
    let options = ReadOptions::default();
    let whole = Table::open(&path, &options).expect("a raster");
    let texts = whole.texts(ColumnIndex(0)).expect("texts");
    assert_eq!(texts[..5], ["0.5", "1", "1.5", "2", "0.5"]);
    assert_eq!(whole.classes(ColumnIndex(0)).expect("classes").names, ["0.5", "1", "1.5", "2"]);
    for rows in [1, 3, 100] {
        let file = TableFile::open(&path, &options).expect("a raster");
        assert_eq!(file.names(), whole.names());
        let mut parts = file.parts(rows).expect("opened");
        let mut seen = 0;
        while let Some(part) = parts.next_part().expect("read") {
            assert!(part.rows() <= rows);
            for row in 0..part.rows() {
                assert_eq!(part.row_name(row), whole.row_name(seen + row));
            }
            let own = part.numbers(ColumnIndex(1)).expect("numbers");
            assert_eq!(own, &whole.numbers(ColumnIndex(1)).expect("numbers")[seen..][..own.len()]);
            seen += part.rows();
        }
        assert_eq!((seen, parts.digest()), (11, Some(whole.digest())));
        assert_eq!(parts.left_out().as_deref(), Some("1 pixel without a value left out"));
    }
    let more: Vec<f64> = (0..11).map(f64::from).collect();
    let mut out = Vec::new();
    let extra = [NamedValues { name: "more", values: &more }];
    whole.fill_with(&mut out, &extra).expect("written");
    let text = String::from_utf8(out).expect("text");
    assert!(text.starts_with("x,y,mean,a_b,more\n0.5,10,0,-1,0\n1,10,NA,"), "{text}");
    std::fs::write(&path, &bytes[..bytes.len() - 8]).expect("written");
    assert!(whole.texts(ColumnIndex(0)).is_err());
}

#[test]
fn a_raster_is_read_in_the_memory_that_there_is() {
    let (bytes, _) = written(RasterFormat::NetCdf);
    let error = read_with(&bytes, 100).expect_err("too little memory").to_string();
    assert!(error.contains("allow more memory (--memory)"), "{error}");
}

/// Whatever bytes of a file are wrong, it is read or refused, in the memory that there is.
#[test]
fn damage_is_refused_and_never_more() {
    let rasters = [RasterFormat::GeoTiff, RasterFormat::NetCdf].map(|format| written(format).0);
    #[cfg(feature = "parquet")]
    let rasters = rasters.into_iter().chain([parquet::written(2)]);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !tegula_files::is_guarded() {
            usual(info);
        }
    }));
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (state >> 33) as usize % below
    };
    for bytes in rasters {
        for _ in 0..500 {
            let mut damaged = bytes.clone();
            for _ in 0..=random(3) {
                let place = 4 + random(bytes.len() - 4);
                damaged[place] = [0, 127, 255, random(256) as u8][random(4)];
            }
            drop(read_with(&damaged, 1 << 20));
        }
    }
}

#[test]
fn what_is_not_read_is_named_with_what_to_do() {
    refused(b"\x89HDF\r\n\x1a\n and more", "nccopy -k cdf5");
    refused(b"CDF\x01\0\0\0\0", "header goes on after its end");
    refused(b"II*\0", "damaged");
    #[cfg(not(feature = "parquet"))]
    refused(b"PAR1\x15\0", "cargo build --release --features parquet");
    #[cfg(feature = "parquet")]
    refused(b"PAR1\x15\0", "damaged");
    for text in ["PAR1,x\n1,2\n", "II*,b\n1,2\n", "CDF,x\n1,2\n"] {
        assert_eq!(read_with(text.as_bytes(), u64::MAX).expect("a text").rows(), 1);
    }
}
