//! Parquet, as it is written here, and damaged.

use std::path::Path;

use tegula_files::{ColumnIndex, ParquetWriter, ReadOptions, Table, TableFile};

use crate::{file, read_with};

const TEXT: &str = "x,soil,z\n0.1,clay,1\n0.2,,NA\n0.3,\"a, b\",-3e300\n0.4,clay,4\n";

/// The rows of that text in parts of so many, with a further column.
pub(crate) fn written(rows: usize) -> Vec<u8> {
    let (_folder, path) = file(TEXT.as_bytes());
    let table = TableFile::open(&path, &ReadOptions::default()).expect("a table");
    let mut parts = table.parts(rows).expect("opened");
    let mut bytes = Vec::new();
    let more = ["x".to_owned()];
    let mut writer = ParquetWriter::new(&mut bytes, (table.names(), &more), &[false, true, false])
        .expect("begun");
    while let Some(part) = parts.next_part().expect("read") {
        let values = (0..part.rows()).map(|row| part.line(row) as f64).collect();
        writer.write(&part, &[values]).expect("written");
    }
    writer.finish().expect("written");
    bytes
}

#[test]
fn tables_are_read_as_they_were_written() {
    for rows in [1, 3, 10] {
        let (_folder, path) = file(&written(rows));
        let table = Table::open(&path, &ReadOptions::default()).expect("a table");
        assert_eq!(table.names(), ["x", "soil", "z", "x_2"]);
        let numbers = |place| table.numbers(ColumnIndex(place)).expect("numbers");
        assert_eq!(numbers(0), [0.1, 0.2, 0.3, 0.4]);
        assert_eq!(numbers(3), [2.0, 3.0, 4.0, 5.0]);
        assert!(numbers(2)[1].is_nan() && numbers(2)[2] == -3e300);
        assert!(table.is_text(ColumnIndex(1)));
        assert_eq!(table.texts(ColumnIndex(1)).expect("texts"), ["clay", "", "a, b", "clay"]);
        let classes = table.classes(ColumnIndex(1)).expect("classes");
        assert_eq!(classes.names, ["clay", "a, b"]);
        assert_eq!(classes.codes, [Some(0), None, Some(1), Some(0)]);
        let error = table.numbers(ColumnIndex(1)).expect_err("texts").to_string();
        assert!(error.contains("row 1, column 'soil': 'clay' is not a number"), "{error}");
        let mut out = Vec::new();
        table.fill_with(&mut out, &[]).expect("written");
        let text = "x,soil,z,x_2\n0.1,clay,1,2\n0.2,,NA,3\n0.3,\"a, b\",-3e300,4\n0.4,clay,4,5\n";
        assert_eq!(String::from_utf8(out).expect("text"), text);
    }
}

/// pyarrow 21 made it: `int8`, `uint64`, `bool`, `float`, `date32`, `timestamp[ns]`,
/// `decimal(9, 2)`, `string`, a list, with nulls, in two row groups, by gzip.
#[test]
fn columns_of_other_programs_are_numbers_and_texts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/columns/kinds.parquet");
    let table = Table::open(&path, &ReadOptions::default()).expect("a table");
    assert_eq!(table.describe(), "Parquet, without list.list.element (no numbers or texts)");
    assert_eq!(table.texts(table.find("text").expect("text")).expect("texts"), ["a", "", "b"]);
    for (name, expected) in [
        ("int8", [Some(-1.0), None, Some(3.0)]),
        ("uint64", [Some(18_446_744_073_709_551_615.0), None, Some(1.0)]),
        ("bool", [Some(1.0), Some(0.0), None]),
        ("float", [Some(0.5), None, Some(-2.0)]),
        ("date", [Some(1.0), Some(365.0), None]),
        ("time", [Some(1.25), None, Some(0.0)]),
        ("decimal", [Some(1.25), None, Some(-3.5)]),
    ] {
        let found = table.numbers(table.find(name).expect(name)).expect("numbers");
        let found: Vec<_> = found.iter().map(|x| Some(*x).filter(|x| !x.is_nan())).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn what_was_cut_short_is_damaged() {
    let bytes = written(3);
    for length in (5..bytes.len() - 1).step_by(7) {
        let error = read_with(&bytes[..length], 1 << 20).expect_err("cut short").to_string();
        assert!(error.contains("damaged or was cut short"), "{length}: {error}");
    }
}
