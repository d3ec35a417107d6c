//! Matrices as other programs write them, and what is said about those that cannot be used.

use std::fs;
use std::path::{Path, PathBuf};

use tegula_files::matrix::{ReadSettings, create_matrix, open_matrix};
use tegula_files::source::{Block, Source};
use tegula_kernels::element::Element;

/// Opens `bytes` as a file called `name`.
fn open(name: &str, bytes: &[u8]) -> Result<Box<dyn Source>, String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("a file can be written");
    open_path(&path)
}

fn open_path(path: &Path) -> Result<Box<dyn Source>, String> {
    let scratch = path.parent().expect("a folder").to_owned();
    let settings = ReadSettings { memory_bytes: 1 << 20, scratch, format: None, fill: None };
    open_matrix(path.to_str().expect("UTF-8"), &settings).map_err(|error| error.to_string())
}

fn numbers(source: &dyn Source) -> Vec<f64> {
    let [m, n] = source.shape();
    let mut stored = vec![0; m * n * source.element().bytes()];
    let block = Block { rows: 0..m, columns: 0..n };
    source.reader().expect("a reader").read(&block, &mut stored).expect("the entries");
    let mut numbers = vec![0.0; m * n];
    source.element().widen(&stored, &mut numbers);
    numbers
}

/// Asserts that the file is a matrix of `a`, `b` and `c` with the distances 1, 2 and 3.
#[track_caller]
fn is_abc(name: &str, text: &str, names: Option<[&str; 3]>) {
    let source = open(name, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(numbers(&*source), [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0], "{text}");
    let names = names.map(|names| names.map(str::to_owned).to_vec());
    assert_eq!(source.row_names(), names.as_deref(), "{text}");
}

/// Asserts that the file is refused with these words.
#[track_caller]
fn refused(name: &str, bytes: impl AsRef<[u8]>, words: &[&str]) {
    let text = match open(name, bytes.as_ref()) {
        Ok(source) => panic!("{name} was taken: {:?}", numbers(&*source)),
        Err(text) => text,
    };
    for word in words.iter().chain(&[name]) {
        assert!(text.contains(word), "'{word}' in: {text}");
    }
}

#[test]
fn tables_of_many_programs() {
    let abc = Some(["a", "b", "c"]);
    is_abc("D.csv", "id,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n", abc);
    is_abc("D.csv", "\"\",\"a\",\"b\",\"c\"\r\n\"a\",0,1,2\r\n\"b\",1,0,3\r\n\"c\",2,3,0", abc);
    is_abc("D.csv", "id;a;b;c\na;0,0;1,0;2\nb;1;0;3\nc;2;3;0\n", abc);
    is_abc("D.csv", "0,1,2\n1,0,3\n2,3,0\n", None);
    is_abc("D.txt", "0 1 2\n1 0 3\n2 3 0\n", None);
    is_abc("D.tsv", "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", abc);
    is_abc("D.tsv", "a\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", abc);
    is_abc(
        "D.sw.dis",
        "# by disseq\n#x\nSEQ_ID\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n",
        abc,
    );
    is_abc("D.tsv", "a\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", abc);
    is_abc("D.tsv", "id\t7\t8\t9\n7\t0\t1\t2\n8\t1\t0\t3\n9\t2\t3\t0\n", Some(["7", "8", "9"]));
    is_abc("D", "\u{feff}id,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n", abc);
    let table = open("X.csv", b"x,y\n1,2\n3,4\n5,6\n").expect("a table");
    assert_eq!((table.shape(), table.row_names()), ([3, 2], None));
    assert_eq!(table.column_names(), Some(&["x".to_owned(), "y".to_owned()][..]));
}

#[test]
fn phylip_in_all_its_forms() {
    let abc = Some(["a", "b", "c"]);
    is_abc("D.phy", "3\na 0 1 2\nb 1 0 3\nc 2 3 0\n", abc);
    is_abc("D.phy", "  3\na         0 1\n   2\nb         1 0 3\nc\n2 3\n0\n\n", abc);
    is_abc("D.dist", "3\na\nb 1\nc 2 3\n", abc);
    is_abc("D.phy", "3\na 0\nb 1 0\nc 2 3 0\n", abc);
    let strict = Some(["Hook_of_Ho", "Marseilles", "Barcelona"]);
    is_abc("D.phy", "3\nHook_of_Ho0 1 2\nMarseilles1 0 3\nBarcelona 2 3 0\n", strict);
    is_abc("D.phy", "3\nHook_of_Ho\nMarseilles1\nBarcelona 2 3\n", strict);
    let spaced = Some(["Homo sapiens", "Pan", "Gorilla g g"]);
    is_abc("D.phy", "3\nHomo sapiens 0 1 2\nPan 1 0 3\nGorilla g g 2 3 0\n", spaced);
    is_abc("D.phy", "3\nS 1 0 1 2\nS 2 1 0 3\nS 3 2 3 0\n", Some(["S 1", "S 2", "S 3"]));
    is_abc("D.phy", "3\nS 1\nS 2 1\nS 3 2 3\n", Some(["S 1", "S 2", "S 3"]));
    is_abc("D.phy", "3\n1\n2 1\n3 2 3\n", Some(["1", "2", "3"]));
    refused("D.phy", "4\na 0 1 2\nb 1 0 3\nc 2 3 0\n", &["line"]);
    refused("D.phy", "4\na 0 1 2 3\nb 1 0 3 3\nc 2 3 0 3\n", &["promises 4 rows", "there are 3"]);
    refused("D.phy", "2\na 0 1\nb 1 0\nc 2 3\n", &["line 4", "more than the 2 rows"]);
    refused(
        "D.phy",
        "3\na 0 1 2\nb 1 0 3 4\nc 2 3 0\n",
        &["line 3", "row 'b'", "more or fewer than the 3"],
    );
    refused("D.phy", "3\na 0 1 2\nb 1 x 3\nc 2 3 0\n", &["line 3", "'x' is not a number"]);
    refused(
        "D.phy",
        "3\na 0 1 2\nb 1 0 NA\nc 2 3 0\n",
        &["line 3", "number 3 of row 'b'", "missing"],
    );
    refused("D.phy", "3\na 0 1 2\nb 1 0 3\nc 2 3\n", &["row 'c'", "2 of its 3"]);
    refused("D.phy", "3\na 0 x 2\nb x 0 3\nc 2 3 0\n", &["line 2", "'x' is not a number"]);
    refused("D.phy", "3\na 0 1 2 3\nb 1 0 3\nc 2 3 0\n", &["line 3", "more or fewer"]);
    refused("D.phy", "a b\n", &["line 1", "number of its rows"]);
    refused("D.phy", "", &["empty"]);
    refused("D.phy", "99999999999999999999\na 1\n", &["number of its rows"]);
    refused("D.phy", "9999999999999999\na 1\n", &["promises"]);
}

#[test]
fn pairs_in_any_order() {
    let abc = Some(["a", "b", "c"]);
    is_abc("D.column", "b a 1\nc a 2\nc b 3\n", abc);
    is_abc("D.column", "a b 1\na c 2\nb c 3\n", abc);
    is_abc("D.column", "a\tb\t1\na\tc\t2\nb\tc\t3\nb a 1\nb\tb\t0\n", abc);
    is_abc("D.dist", "b a 1\nc a 2\nc b 3\n", abc);
    is_abc("D.column", "S 2\tS 1\t1\nS 3\tS 1\t2\nS 3\tS 2\t3\n", Some(["S 1", "S 2", "S 3"]));
    refused("D.column", "b a 1\nc b 3\n", &["'c' and 'a'", "1 of 3", "cutoff"]);
    refused("D.column", "b a 1\nc a 2\nc b 3\na b 1.5\n", &["line 4", "1.5 here and 1 "]);
    refused("D.column", "b a 1\nc a\nc b 3\n", &["line 2", "'c a'", "two names"]);
    refused("D.column", "b a 1\nc a nan\nc b 3\n", &["line 2", "column 3", "missing"]);
    refused("D.column", "# nothing\n", &["empty"]);
}

#[test]
fn pairs_that_do_not_fit_the_memory() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("D.column");
    let n = 60usize;
    let distance = |i: usize, j: usize| (i * i + j * j) as f64 / 8.0;
    let mut lines: Vec<String> = (0..n)
        .flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| (i, j)))
        .map(|(i, j)| format!("n{i} n{j} {}\n", distance(i, j)))
        .collect();
    lines.sort_by_key(|line| {
        line.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte))
    });
    let read = |lines: &[String], memory_bytes| {
        fs::write(&path, lines.concat()).expect("a file can be written");
        let settings = ReadSettings {
            memory_bytes,
            scratch: folder.path().to_owned(),
            format: None,
            fill: None,
        };
        open_matrix(path.to_str().expect("UTF-8"), &settings).map_err(|error| error.to_string())
    };
    for memory_bytes in [0, 4096, 1 << 20] {
        let source = read(&lines, memory_bytes).expect("a matrix");
        let number = |name: &str| name[1..].parse::<usize>().expect("a number");
        let names = source.row_names().expect("names").to_vec();
        let expected: Vec<f64> = names
            .iter()
            .flat_map(|a| names.iter().map(move |b| (number(a), number(b))))
            .map(|(i, j)| if i == j { 0.0 } else { distance(i, j) })
            .collect();
        assert_eq!(numbers(&*source), expected, "{memory_bytes}");
        let conflict = [&lines[..], &["n3 n4 99\n".to_owned()]].concat();
        let text = read(&conflict, memory_bytes).expect_err("a conflict");
        assert!(
            text.contains(&format!("line {}", conflict.len())) && text.contains("99 here"),
            "{text}"
        );
        let is_hole = |line: &&String| !line.starts_with("n3 n4 ") && !line.starts_with("n4 n3 ");
        let holes: Vec<String> = lines.iter().filter(is_hole).cloned().collect();
        let text = read(&holes, memory_bytes).expect_err("a pair is missing");
        assert!(text.contains("'n3'") && text.contains("'n4'"), "{text}");
    }
}

#[test]
fn cells_that_are_no_numbers() {
    refused(
        "D.csv",
        "id,a,b\na,0,x\nb,1,0\n",
        &["line 2", "column 3 ('b')", "'x' is not a number"],
    );
    refused("D.csv", "id,a,b\na,0,\nb,1,0\n", &["line 2", "column 3 ('b')", "missing"]);
    refused("D.csv", "id,a,b\na,0,1\nb,NA,0\n", &["line 3", "column 2 ('a')", "'NA' is a missing"]);
    refused("D.csv", "0,x\n1,0\n", &["line 1", "column 2", "'x'"]);
    refused("D.csv", "0,inf\n1,0\n", &["line 1", "column 2", "not finite"]);
    refused("D.csv", "0,1,2\n1,0\n", &["line 2", "2 cells", "3"]);
    refused("D.csv", "0,1\n5,0,2\n", &["line 2", "3 cells", "2"]);
    refused("D.csv", "id,a,b\na,0,1\nb,1\n", &["line 3", "2 cells", "cut short"]);
    refused("D.csv", "id,a,b\n", &["header", "no row"]);
    refused("D.csv", "", &["empty"]);
    refused("D.csv", "# only this\n", &["empty"]);
    refused("D.csv", b"id,a,b\n\xe9,0,1\nb,1,0\n", &["line 2", "UTF-8", "iconv"]);
    refused("D.csv", "id,a,b\n\"a,0,1\nb,1,0\n", &["line 2", "quote"]);
}

#[test]
fn numpys_arrays() {
    let npy = |header: &str, entries: &[u8]| {
        let start =
            [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()];
        [start.concat(), entries.to_vec()].concat()
    };
    let header = |descr: &str, order: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n")
    };
    let ints: Vec<u8> = [1i32, 2, 3, 4, 5, 6].iter().flat_map(|x| x.to_be_bytes()).collect();
    let source = open("D.npy", &npy(&header(">i4", "False", "(2, 3)"), &ints)).expect("a matrix");
    assert_eq!(
        (source.element(), numbers(&*source)),
        (Element::I32, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    );
    let source = open("D.npy", &npy(&header(">i4", "True", "(2, 3)"), &ints)).expect("a matrix");
    assert_eq!(numbers(&*source), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    let halves: Vec<u8> =
        [0x3c00u16, 0x4000, 0x4200].iter().flat_map(|x| x.to_le_bytes()).collect();
    let source = open("D.npy", &npy(&header("<f2", "False", "(3,)"), &halves)).expect("condensed");
    assert_eq!(numbers(&*source), [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]);
    refused(
        "D.npy",
        npy(&header("<f2", "False", "(4,)"), &[0; 8]),
        &["vector of 4", "n (n - 1) / 2"],
    );
    refused("D.npy", npy(&header("<c8", "False", "(1, 1)"), &[0; 8]), &["'<c8'", "astype"]);
    refused("D.npy", npy(&header("<f4", "False", "(2, 2)"), &[0; 15]), &["15 bytes", "16"]);
    refused("D.npy", npy(&header("<f4", "False", "(0, 2)"), &[]), &["nothing in it"]);
    refused("D.npy", npy(&header("<f4", "False", "(1, 2, 3)"), &[0; 24]), &["[1, 2, 3]"]);
    refused(
        "D.npy",
        npy(&header("<f8", "False", "(18446744073709551615, 3)"), &[]),
        &["no file holds"],
    );
    refused("D.npy", b"x,y\n", &["it is too short"]);
    refused("D.bin", [0; 20], &["20 bytes", "16 for n = 2", "36 for n = 3"]);
    refused("D.npz", b"PK\x03\x04 and so on", &[".npz"]);
}

/// A new folder with a 2 x 2 matrix `D.bin` in it.
fn folder_with_raw() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("D.bin");
    fs::write(&path, [0u8; 16]).expect("a file can be written");
    (folder, path)
}

#[test]
fn names_beside_a_matrix() {
    let (folder, path) = folder_with_raw();
    assert_eq!(open_path(&path).expect("a matrix").row_names(), None);
    fs::write(folder.path().join("D.names"), "a\nb c\n").expect("a file can be written");
    let source = open_path(&path).expect("a matrix");
    assert_eq!(source.row_names(), Some(&["a".to_owned(), "b c".to_owned()][..]));
    fs::write(folder.path().join("D.bin.names"), "a\n").expect("a file can be written");
    let text = open_path(&path).expect_err("too few names");
    assert!(text.contains("D.bin.names") && text.contains("1 names for the 2 rows"), "{text}");
    let none = create_matrix(&path, None, [2; 2], [None, None], Element::F32);
    let text = none.expect_err("these names would be taken").to_string();
    assert!(text.contains("D.bin.names") && text.contains("remove it"), "{text}");
}

#[test]
fn formats_that_are_not_known() {
    let (folder, path) = folder_with_raw();
    let open = |spec: &str, format| {
        let settings =
            ReadSettings { memory_bytes: 0, scratch: folder.path().to_owned(), format, fill: None };
        open_matrix(spec, &settings)
            .map(drop)
            .map_err(|error| error.to_string())
            .expect_err("refused")
    };
    let spec = path.to_str().expect("UTF-8");
    let text = open(spec, Some("phylipp"));
    assert!(text.contains("did you mean phylip?") && text.contains("mothur"), "{text}");
    assert!(open(&format!("{spec}:part"), None).contains("none called 'part'"));
    assert!(open("no/such.csv", None).contains("no/such.csv"));
    assert!(open(folder.path().to_str().expect("UTF-8"), None).contains("is a folder"));
    fs::write(folder.path().join("D.xyz"), [0, 1, 2, 0, 10]).expect("a file can be written");
    let text = open(folder.path().join("D.xyz").to_str().expect("UTF-8"), None);
    assert!(text.contains("readable are hdf5") && text.contains("csv (.csv)"), "{text}");
    let create = |name: &str, shape, element| {
        create_matrix(Path::new(name), None, shape, [None, None], element)
            .expect_err("refused")
            .to_string()
    };
    assert!(create("D.cvs", [2, 2], Element::F64).contains("did you mean .csv?"));
    assert!(create("D.npz", [2, 2], Element::F64).contains("npz is only read"));
    assert!(create("D.phy", [2, 3], Element::F64).contains("2 x 3"));
    assert!(create("D.bin", [2, 2], Element::F64).contains("float32 numbers alone"));
    assert!(create("no/folder/D.csv", [2, 2], Element::F64).contains("no/folder"));
}

#[test]
fn names_that_a_format_cannot_hold() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let refuse = |file: &str, name: &str| {
        let names = ["a".to_owned(), name.to_owned()];
        let names = [Some(&names[..]); 2];
        let sink = create_matrix(&folder.path().join(file), None, [2; 2], names, Element::F32);
        sink.expect_err("refused").to_string()
    };
    assert!(refuse("D.phy", "b c").contains("\"b c\""));
    assert!(refuse("D.column", "b c").contains("write tsv"));
    assert!(refuse("D.column", "a").contains("two rows are called 'a'"));
    assert!(refuse("D.csv", "b\nc").contains("line end"));
    assert!(refuse("D.npy", "").contains("line of its own"));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left");
}
