//! Tables as people have them are read; what is wrong with a file is said with file, line and
//! column.

use std::fs;

use tegula_files::{
    ColumnIndex, Decimal, Delimiter, Dialect, Header, NamedValues, ReadOptions, Table, TableError,
    digest_bytes,
};

fn table(text: &str) -> Table {
    Table::from_bytes("t.csv", text.into(), &ReadOptions::default()).unwrap()
}

fn failure(bytes: &[u8]) -> TableError {
    Table::from_bytes("t.csv", bytes.to_vec(), &ReadOptions::default()).unwrap_err()
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    table.numbers(table.find(name).unwrap()).unwrap()
}

fn lines(table: &Table) -> Vec<u64> {
    (0..table.rows()).map(|row| table.line(row)).collect()
}

#[test]
fn every_delimiter_is_found_with_and_without_header() {
    for (delimiter, between) in [
        (Delimiter::Comma, ","),
        (Delimiter::Comma, ", "),
        (Delimiter::Semicolon, ";"),
        (Delimiter::Tab, "\t"),
        (Delimiter::Bar, "|"),
        (Delimiter::Blanks, " "),
        (Delimiter::Blanks, "   "),
        (Delimiter::Tab, " \t"),
    ] {
        let rows = [["0.5", "1", "-2e3"], ["7", "8", "9.25"], ["1", "2", "3"]];
        let body: String = rows.iter().map(|row| row.join(between) + "\n").collect();
        let header = ["lon", "lat", "z value"].map(|name| match delimiter {
            Delimiter::Blanks => format!("\"{name}\""),
            _ => name.to_owned(),
        });
        for with_header in [true, false] {
            let text = if with_header { header.join(between) + "\n" + &body } else { body.clone() };
            let read = table(&text);
            assert_eq!(read.dialect(), Dialect { delimiter, decimal: Decimal::Point }, "{text}");
            assert_eq!(read.has_header(), with_header, "{text}");
            assert_eq!(read.rows(), 3);
            let names = if with_header { ["lon", "lat", "z value"] } else { ["1", "2", "3"] };
            assert_eq!(read.names(), names);
            assert_eq!(column(&read, names[2]), [-2000.0, 9.25, 3.0]);
        }
    }
}

#[test]
fn decimal_commas_are_understood_where_they_can_be() {
    for text in [
        "x;y\n1,5;2\n-3,25;4,5\n",
        "1,5;2\n-3,25;4,5\n",
        "1,5\t2\n-3,25\t4,5\n",
        "1,5 2\n-3,25 4,5\n",
    ] {
        let read = table(text);
        assert_eq!(read.dialect().decimal, Decimal::Comma, "{text}");
        assert_eq!(read.numbers(ColumnIndex(0)).unwrap(), [1.5, -3.25], "{text}");
        assert_eq!(read.numbers(ColumnIndex(1)).unwrap(), [2.0, 4.5], "{text}");
    }
    assert_eq!(table("x;y\n1.5;2\n").dialect().decimal, Decimal::Point);
    assert_eq!(table("1,5\n2,6\n").dialect(), Dialect::PLAIN);
}

#[test]
fn line_ends_marks_comments_and_blank_lines_count_but_do_no_harm() {
    let text =
        "\u{feff}# made by hand\r\n\r\nx,y\r\n# first\r\n1,2\r\n\r\n3,4\r\n5,6\r\n,\r\n   \r\n\r\n";
    let read = table(text);
    assert_eq!(read.names(), ["x", "y"]);
    assert_eq!(column(&read, "x"), [1.0, 3.0, 5.0]);
    assert_eq!(lines(&read), [5, 7, 8]);
    let old = table("x,y\r1,2\r3,4");
    assert_eq!(column(&old, "y"), [2.0, 4.0]);
    assert_eq!(lines(&old), [2, 3]);
}

#[test]
fn quoted_cells_may_hold_delimiters_quotes_and_line_ends() {
    let read = table("name,z\n\"a, \"\"b\"\"\",1\n\"two\r\nlines\",\"2.5\"\nc,3\n");
    assert_eq!(column(&read, "z"), [1.0, 2.5, 3.0]);
    assert_eq!(lines(&read), [2, 3, 5]);
    assert!(!read.is_numeric(read.find("name").unwrap()));
}

#[test]
fn columns_are_found_by_name_by_case_and_by_number() {
    let read = table("x,X,zinc,,2\n1,2,3,4,5\n6,7,8,9,10\n");
    assert_eq!(read.find("X").unwrap(), ColumnIndex(1));
    assert_eq!(read.find(" Zinc ").unwrap(), ColumnIndex(2));
    assert_eq!(read.find("4").unwrap(), ColumnIndex(3));
    assert_eq!(read.find("2").unwrap(), ColumnIndex(4), "a name goes before a number");
    assert_eq!(read.name(ColumnIndex(3)), "4");
    assert_eq!(read.find_any(&["longitude", "ZINC"]), Some(ColumnIndex(2)));
    assert_eq!(read.find_any(&["longitude"]), None);
    match read.find("zink").unwrap_err() {
        TableError::UnknownColumn { wanted, nearest, columns, .. } => {
            assert_eq!((wanted.as_str(), nearest.as_deref()), ("zink", Some("zinc")));
            assert_eq!(columns.len(), 5);
        }
        other => panic!("{other:?}"),
    }
    let message = read.find("zink").unwrap_err().to_string();
    assert_eq!(
        message,
        "t.csv has no column 'zink' (did you mean 'zinc'?); its columns are 'x', 'X', 'zinc', (number 4), '2'"
    );
    assert!(matches!(read.find("6").unwrap_err(), TableError::UnknownColumn { .. }));
    assert!(matches!(read.find("0").unwrap_err(), TableError::UnknownColumn { .. }));
    let twice = table("z,z\n1,2\n").find("z").unwrap_err();
    assert!(matches!(twice, TableError::AmbiguousColumn { numbers, .. } if numbers == [1, 2]));
}

#[test]
fn missing_values_are_kept_with_their_lines() {
    let read = table("x,y,z\n1,2,3\n4,NA,6\n\n,NaN,9\n10,.,-\nnull,5,nan\n");
    assert_eq!(lines(&read), [2, 3, 5, 6, 7]);
    let missing = |name| column(&read, name).iter().map(|v| v.is_nan()).collect::<Vec<_>>();
    assert_eq!(missing("x"), [false, false, true, false, true]);
    assert_eq!(missing("y"), [false, true, true, true, false]);
    assert_eq!(missing("z"), [false, false, false, true, true]);
    let named = |name| NamedValues { name, values: column(&read, name) };
    assert_eq!(read.complete_rows(&[named("x"), named("z")]), [0, 1]);
    assert_eq!(read.complete_rows(&[]), [0, 1, 2, 3, 4]);
    match read.require_complete(&[named("x"), named("y")]).unwrap_err() {
        TableError::MissingValue { line, column, rows, of, .. } => {
            assert_eq!((line, column.as_str(), rows, of), (3, "y", 4, 5));
        }
        other => panic!("{other:?}"),
    }
    assert!(table("x\n1\n2\n").require_complete(&[]).is_ok());
}

#[test]
fn text_is_allowed_until_a_number_is_wanted() {
    let read = table("# survey\nx,soil,z\n1,clay,5\n2,sand,12 ppm\n3,clay,8\n");
    assert_eq!(column(&read, "x"), [1.0, 2.0, 3.0]);
    match read.numbers(read.find("z").unwrap()).unwrap_err() {
        TableError::NotANumber { line, column, text, .. } => {
            assert_eq!((line, column.as_str(), text.as_str()), (4, "z", "12 ppm"));
        }
        other => panic!("{other:?}"),
    }
    let message = read.numbers(read.find("soil").unwrap()).unwrap_err().to_string();
    assert!(
        message.starts_with("t.csv, line 3, column 'soil': 'clay' is not a number"),
        "{message}"
    );
}

#[test]
fn infinite_values_are_refused_when_asked_for() {
    for word in ["inf", "-Infinity", "1e999"] {
        let read = table(&format!("x,z\n1,2\n3,{word}\n"));
        assert!(!read.is_numeric(ColumnIndex(1)));
        match read.numbers(ColumnIndex(1)).unwrap_err() {
            TableError::NotFinite { line: 3, text, .. } => assert_eq!(text, word),
            other => panic!("{other:?}"),
        }
        assert!(read.numbers(ColumnIndex(0)).is_ok());
    }
}

#[test]
fn the_header_is_told_from_data() {
    assert!(!table("site,1990,2000\na,1.5,2.5\nb,3.5,4.5\n").has_header(), "no text over numbers");
    assert!(table("id,x,1990\n1,1.5,2.5\n2,3.5,4.5\n").has_header(), "whole numbers may be names");
    assert!(!table("A,1.5,2\nB,3.5,4\n").has_header(), "text stands over text");
    assert!(table("name,city\nann,paris\nbob,rome\n").has_header());
    // A slip in the first row of data must not turn it into a header.
    let slip = table("1.0,2.O\n3.0,4.0\n");
    assert!(!slip.has_header());
    assert!(matches!(slip.numbers(ColumnIndex(1)), Err(TableError::NotANumber { line: 1, .. })));
    // One more text cell further down does not make the column one of text.
    assert!(table("x,z\n1,2\n3,?\n4,5\n").has_header());
    let forced = ReadOptions { header: Header::Present, ..ReadOptions::default() };
    let read = Table::from_bytes("t.csv", b"1990,2000\n1,2\n".to_vec(), &forced).unwrap();
    assert_eq!((read.names(), read.rows()), (&["1990".to_owned(), "2000".to_owned()][..], 1));
    let dialect = Some(Dialect::PLAIN);
    let absent = ReadOptions { header: Header::Absent, dialect, ..ReadOptions::default() };
    assert_eq!(Table::from_bytes("t.csv", b"a,b\n1,2\n".to_vec(), &absent).unwrap().rows(), 2);
}

#[test]
fn headers_that_lack_a_cell_are_completed() {
    let r = table("\"x\" \"y\"\n\"1\" 0.5 2\n\"2\" 1.5 3\n");
    assert_eq!(r.names(), ["row.names", "x", "y"]);
    assert_eq!(column(&r, "x"), [0.5, 1.5]);
    let trailing = table("x,y\n1,2,\n3,4,\n");
    assert_eq!(trailing.names(), ["x", "y", ""]);
    assert_eq!(column(&trailing, "y"), [2.0, 4.0]);
}

#[test]
fn one_column_and_one_row_are_tables() {
    let one = table("z\n1.5\n\n2.5\n");
    assert_eq!((one.names(), column(&one, "z")), (&["z".to_owned()][..], &[1.5, 2.5][..]));
    assert_eq!(lines(&one), [2, 4]);
    let row = table("1,2,3");
    assert_eq!((row.rows(), row.has_header()), (1, false));
}

#[test]
fn ragged_rows_are_refused_with_their_line() {
    for (text, at, cells) in [
        ("x,y\n1,2\n# note\n3\n4,5\n", 4, 1),
        ("x,y\n1,2\n3,4,5\n6,7\n", 3, 3),
        ("1 2\n3 4\n5 6 7\n", 3, 3),
    ] {
        match failure(text.as_bytes()) {
            TableError::Ragged { line, expected, found, .. } => {
                assert_eq!((line, expected, found), (at, 2, cells))
            }
            other => panic!("{other:?}"),
        }
    }
    let message = failure(b"x,y\n1,2\n3\n4,5\n").to_string();
    assert_eq!(message, "t.csv, line 3: 1 cells where the table has 2 columns (delimiter: comma)");
}

#[test]
fn empty_files_and_bare_headers_are_refused() {
    for text in ["", "\n\n", "# nothing\n", "\u{feff}", " \n , \n"] {
        assert!(matches!(failure(text.as_bytes()), TableError::Empty { .. }), "{text:?}");
    }
    let bare = failure(b"x,y,z\n\n");
    assert!(
        matches!(&bare, TableError::OnlyHeader { columns, .. } if columns == &["x", "y", "z"]),
        "{bare:?}"
    );
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_line() {
    assert!(matches!(failure(b"x,n\n1,a\n2,\xe9\n"), TableError::NotUtf8 { line: 3, .. }));
    // Half a character on either side of a delimiter.
    assert!(matches!(failure(b"x,n\n1,a\n\xc3,\xa9\n"), TableError::NotUtf8 { line: 3, .. }));
}

#[test]
fn utf16_is_read_as_spreadsheets_write_it() {
    let units =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let text = "ort\tx\tz\r\nÅre\t1,5\t2\r\n東京\t2,5\t\r\n";
    for text in [format!("\u{feff}{text}"), text.to_owned()] {
        let options = ReadOptions::default();
        let read = Table::from_bytes("t.txt", units(&text), &options).expect("a table");
        assert_eq!(read.names(), ["ort", "x", "z"]);
        assert_eq!(read.dialect(), Dialect { delimiter: Delimiter::Tab, decimal: Decimal::Comma });
        assert_eq!(read.texts(ColumnIndex(0)).expect("texts"), ["Åre", "東京"]);
        assert_eq!(read.numbers(ColumnIndex(1)).expect("numbers"), [1.5, 2.5]);
    }
}

#[test]
fn a_quote_that_is_never_closed_is_refused_with_its_line() {
    assert!(matches!(
        failure(b"x,n\n1,a\n2,\"b\n3,c\n4,d\n"),
        TableError::UnclosedQuote { line: 3, .. }
    ));
    assert!(matches!(failure(b"x,n\n1,a\n2,\"b"), TableError::UnclosedQuote { line: 3, .. }));
    // Closed, and with a line end as its last character.
    assert_eq!(table("x,n\n1,a\n2,\"b\n\"\n").rows(), 2);
    assert_eq!(table("x,n\n1,\"a\n\"\n2,b\n").rows(), 2);
}

#[test]
fn missing_files_and_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = Table::read(&folder.path().join("no.csv")).unwrap_err();
    assert!(
        matches!(&absent, TableError::Open { path, .. } if path.ends_with("no.csv")),
        "{absent:?}"
    );
    assert!(matches!(Table::read(folder.path()).unwrap_err(), TableError::Folder { .. }));
}

#[test]
fn a_file_longer_than_any_buffer_is_read_whole_and_digested() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.csv");
    let mut text = String::from("i;text;z\r\n");
    let rows = 60_000;
    for row in 0..rows {
        text += &format!("{row};\"line {row}\";{}\r\n", f64::from(row) / 8.0);
    }
    fs::write(&path, &text).unwrap();
    let read = Table::read(&path).unwrap();
    assert_eq!(read.rows(), rows as usize);
    assert!(column(&read, "z").iter().zip(0..).all(|(&z, row)| z == f64::from(row) / 8.0));
    assert_eq!(read.line(59_999), 60_001);
    assert_eq!(read.digest(), digest_bytes(text.as_bytes()));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once_and_can_still_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::write(pipe, "x,y\n1,2\n3,4\n").unwrap())
    };
    let read = Table::read(&pipe).unwrap();
    writer.join().unwrap();
    let mut copy = Vec::new();
    read.fill_with(&mut copy, &[]).unwrap();
    assert_eq!(copy, b"x,y\n1,2\n3,4\n");
}

/// Small files of awkward pieces: none may make the reader panic, and what it reads survives being
/// copied.
#[test]
fn no_file_is_fatal_and_copies_say_the_same() {
    const PIECES: [&[u8]; 20] = [
        b"1", b"2.5", b"-3e-2", b"x", b"NA", b",", b";", b"\t", b" ", b"|", b"\n", b"\r\n", b"\"",
        b"#", b"\xc3", b"\xa9", b"\0", b"inf", b"1,5", b"\n1,2\n",
    ];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut tables = 0;
    for _ in 0..10_000 {
        let length = random(24);
        let bytes: Vec<u8> =
            (0..length).flat_map(|_| PIECES[random(PIECES.len())]).copied().collect();
        let Ok(first) = Table::from_bytes("t.csv", bytes.clone(), &ReadOptions::default()) else {
            continue;
        };
        tables += 1;
        let mut copy = Vec::new();
        first.fill_with(&mut copy, &[]).unwrap();
        let delimiter = match first.dialect().delimiter {
            Delimiter::Blanks => Delimiter::Tab,
            other => other,
        };
        let dialect = Some(Dialect { delimiter, ..first.dialect() });
        let options = ReadOptions { header: Header::Present, dialect, ..ReadOptions::default() };
        let again = Table::from_bytes("copy", copy.clone(), &options)
            .unwrap_or_else(|error| panic!("{bytes:?} as {copy:?}: {error}"));
        assert_eq!(first.rows(), again.rows(), "{bytes:?} as {copy:?}");
        for column in (0..first.names().len()).map(ColumnIndex) {
            assert_eq!(first.is_numeric(column), again.is_numeric(column), "{bytes:?} as {copy:?}");
            if first.is_numeric(column) {
                let pairs =
                    first.numbers(column).unwrap().iter().zip(again.numbers(column).unwrap());
                assert!(
                    pairs.into_iter().all(|(a, b)| a == b || a.is_nan() && b.is_nan()),
                    "{bytes:?}"
                );
            }
        }
    }
    assert!(tables > 500, "too few files are read: {tables} tables");
}
