//! Every format of matrices that is written gives back what was written, also where entries do not
//! fit the memory.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tegula_files::matrix::{
    FORMATS, Format, NameStorage, ReadSettings, Rounding, Transfer, check_triangle, create_matrix,
    find_matrix, open_matrix,
};
use tegula_files::source::{Block, Coverage, MemorySource, Source};
use tegula_kernels::element::{ELEMENTS, Element};

/// A matrix in memory.
#[derive(Clone, Debug)]
struct Matrix {
    shape: [usize; 2],
    numbers: Vec<f64>,
    names: [Option<Vec<String>>; 2],
}

impl Matrix {
    fn source(&self, element: Element) -> MemorySource {
        let mut entries = vec![0; self.numbers.len() * element.bytes()];
        element.narrow(&self.numbers, &mut entries);
        MemorySource::new("random", self.shape, (element, entries), self.names.clone())
    }

    /// The same with `b` above the diagonal for each `b` below, and zero on it.
    fn symmetric(mut self) -> Self {
        let n = self.shape[0];
        for i in 0..n {
            for j in 0..i {
                self.numbers[i * n + j] = self.numbers[j * n + i];
            }
            self.numbers[i * n + i] = 0.0;
        }
        self
    }
}

fn settings(folder: &Path, memory_bytes: u64) -> ReadSettings<'static> {
    ReadSettings { memory_bytes, scratch: folder.to_owned(), format: None, fill: None }
}

/// All of `source`, read in blocks of this height and width.
fn numbers(source: &dyn Source, [height, width]: [usize; 2]) -> Vec<f64> {
    let [m, n] = source.shape();
    let mut all = vec![f64::NAN; m * n];
    let mut reader = source.reader().expect("a reader");
    for rows in tegula_files::source::pieces(m, height) {
        for columns in tegula_files::source::pieces(n, width) {
            let block = Block { rows: rows.clone(), columns: columns.clone() };
            let mut stored = vec![0; block.entries() * source.element().bytes()];
            reader.read(&block, &mut stored).unwrap_or_else(|error| panic!("{error}"));
            let mut part = vec![0.0; block.entries()];
            source.element().widen(&stored, &mut part);
            for (row, line) in rows.clone().zip(part.chunks_exact(columns.len())) {
                all[row * n + columns.start..row * n + columns.end].copy_from_slice(line);
            }
        }
    }
    all
}

/// Writes `matrix` as `name` in `folder`, in the format of that name's end.
fn written(folder: &Path, name: &str, matrix: &Matrix, element: Element) -> PathBuf {
    let path = folder.join(name);
    let names = [matrix.names[0].as_deref(), matrix.names[1].as_deref()];
    let sink = create_matrix(&path, None, matrix.shape, names, element);
    let sink = sink.unwrap_or_else(|error| panic!("{error}"));
    let source = matrix.source(element);
    let mut rows = 0;
    Transfer::new(&source, Rounding::Refused, 100)
        .run(sink, |done| rows = done)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(rows, matrix.shape[0]);
    path
}

/// Asserts that `path` holds `numbers` and the names that `format` keeps.
fn assert_holds(format: &Format, path: &Path, matrix: &Matrix) {
    let spec = path.to_str().expect("UTF-8");
    let found = find_matrix(spec, None).unwrap_or_else(|error| panic!("{error}"));
    let is_same = found.format.name == format.name;
    assert!(is_same, "{spec} is {} and was taken for {}", format.name, found.format.name);
    let folder = path.parent().expect("a folder");
    for memory_bytes in [0, 64, 1 << 30] {
        let source = found.open(&settings(folder, memory_bytes));
        let source = source.unwrap_or_else(|error| panic!("{}: {error}", format.name));
        assert_eq!(source.shape(), matrix.shape, "{}", format.name);
        for blocks in [[1, 1000], [1000, 1], [2, 3], [1000, 1000]] {
            assert_eq!(numbers(&*source, blocks), matrix.numbers, "{}, {blocks:?}", format.name);
        }
        let names = [source.row_names(), source.column_names()];
        let kept = format.write.expect("it is written").names;
        let numbered: Vec<String> = (1..=matrix.shape[0]).map(|row| row.to_string()).collect();
        match (kept, &matrix.names) {
            (NameStorage::Both, [rows, columns]) => {
                assert_eq!(names, [rows.as_deref(), columns.as_deref()], "{}", format.name);
            }
            (NameStorage::One, [None, None]) => assert_eq!(names, [Some(&numbered[..]); 2]),
            (NameStorage::One, [rows, _]) => assert_eq!(names, [rows.as_deref(); 2]),
            (NameStorage::Sidecar, [rows, _]) => assert_eq!(names[0], rows.as_deref()),
        }
    }
    assert!(
        std::fs::read_dir(folder).expect("a folder").all(|entry| {
            !entry.expect("an entry").file_name().to_string_lossy().contains(".tmp")
        })
    );
}

/// Names of files in every format that is written, also compressed.
fn file_names() -> Vec<(&'static Format, String)> {
    let mut names = Vec::new();
    for &format in FORMATS.iter().filter(|format| format.write.is_some()) {
        for ending in format.endings {
            let more: &[&str] = if format.is_text { &["", ".gz", ".bz2"] } else { &[""] };
            names.extend(more.iter().map(|more| (format, format!("D{ending}{more}"))));
        }
    }
    names
}

/// Writes and reads `matrix` in every format that can hold it.
fn survives_every_format(matrix: &Matrix, element: Element) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let [m, n] = matrix.shape;
    let symmetric = (m == n).then(|| matrix.clone().symmetric());
    for (format, name) in file_names() {
        let writing = format.write.expect("it is written");
        let is_small = writing.is_triangle && m < 2 && name.contains(['c', 'm']);
        if writing.element.is_some_and(|only| only != element) || is_small {
            continue;
        }
        match (&symmetric, writing.is_triangle, writing.is_square) {
            (Some(symmetric), true, _) => {
                let path = written(folder.path(), &name, symmetric, element);
                assert_holds(format, &path, symmetric);
            }
            (None, _, true) => {}
            _ => assert_holds(format, &written(folder.path(), &name, matrix, element), matrix),
        }
        // The names beside one would be taken for those of the next.
        for left in std::fs::read_dir(folder.path()).expect("a folder") {
            std::fs::remove_file(left.expect("an entry").path()).expect("it can be removed");
        }
    }
}

/// Numbers that `element` represents exactly.
fn number(element: Element) -> BoxedStrategy<f64> {
    let through = move |x: f64| {
        let (mut stored, mut back) = (vec![0; element.bytes()], [0.0]);
        element.narrow(&[x], &mut stored);
        element.widen(&stored, &mut back);
        back[0]
    };
    let any = prop_oneof![
        (0u32..70_000).prop_map(f64::from),
        (-500i32..500).prop_map(|x| f64::from(x) / 8.0),
        -1e3..1e3,
        proptest::num::f64::NORMAL,
    ];
    any.prop_map(through).prop_filter("finite", |x| x.is_finite()).boxed()
}

/// A single word.
fn word() -> &'static str {
    "[A-Za-zé'\"|,;_.中-]{1,12}[0-9A-Zü]?"
}

/// Anything that stands on a line.
fn phrase() -> &'static str {
    "[A-Za-zé\"',;|#=中][A-Za-z0-9 \"',;|\t#=é中]{0,12}[a-zé\"',;|#中]"
}

/// `count` names, all different.
fn names(pattern: &'static str, count: usize) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(pattern, count).prop_map(|names| {
        names.iter().enumerate().map(|(row, name)| format!("{name}{row}x")).collect()
    })
}

fn square(element: Element) -> impl Strategy<Value = Matrix> {
    (1usize..9).prop_flat_map(move |n| {
        let numbers = proptest::collection::vec(number(element), n * n);
        (numbers, proptest::option::of(names(word(), n))).prop_map(move |(numbers, names)| Matrix {
            shape: [n; 2],
            numbers,
            names: [names.clone(), names],
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn squares_survive(matrix in square(Element::F64)) {
        survives_every_format(&matrix, Element::F64);
    }

    #[test]
    fn tables_survive(
        (shape, numbers, names) in (1usize..7, 1usize..7).prop_flat_map(|(m, n)| (
            Just([m, n]),
            proptest::collection::vec(number(Element::F64), m * n),
            (proptest::option::of(names(phrase(), m)), proptest::option::of(names(phrase(), n))),
        ))
    ) {
        let matrix = Matrix { shape, numbers, names: [names.0, names.1] };
        let folder = tempfile::tempdir().expect("a folder can be made");
        for name in ["D.csv", "D.tsv", "D.tab.gz"] {
            let format = find_format(name);
            assert_holds(format, &written(folder.path(), name, &matrix, Element::F64), &matrix);
        }
        if matrix.names[0].is_none() {
            let path = written(folder.path(), "D.npy", &matrix, Element::F64);
            assert_holds(find_format("D.npy"), &path, &matrix);
        }
    }

    #[test]
    fn kinds_of_numbers_survive(at in 0..ELEMENTS.len(), seed in 0u64..1000) {
        let element = ELEMENTS[at].0;
        let mut x = seed;
        let numbers: Vec<f64> = (0..36).map(|_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (mut stored, mut back) = (vec![0; element.bytes()], [0.0]);
            element.narrow(&[(x >> 40) as f64 / 512.0], &mut stored);
            element.widen(&stored, &mut back);
            if back[0].is_finite() { back[0] } else { 1.0 }
        }).collect();
        let matrix = Matrix { shape: [6; 2], numbers, names: [None, None] };
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = written(folder.path(), "D.npy", &matrix, element);
        let source = open_matrix(path.to_str().expect("UTF-8"), &settings(folder.path(), 0)).expect("a matrix");
        prop_assert_eq!(source.element(), element);
        prop_assert_eq!(numbers_of(&*source), matrix.numbers.clone());
        // As text, the number that comes back is the same as one of that kind.
        let path = written(folder.path(), "D.csv", &matrix, element);
        let source = open_matrix(path.to_str().expect("UTF-8"), &settings(folder.path(), 0)).expect("a matrix");
        let mut stored = vec![0; 36 * element.bytes()];
        element.narrow(&numbers_of(&*source), &mut stored);
        let mut back = vec![0.0; 36];
        element.widen(&stored, &mut back);
        prop_assert_eq!(back, matrix.numbers);
    }
}

fn numbers_of(source: &dyn Source) -> Vec<f64> {
    numbers(source, [1000, 1000])
}

fn find_format(name: &str) -> &'static Format {
    let (format, _) = tegula_files::matrix::writable_format(Path::new(name), None).expect("known");
    format
}

#[test]
fn float32_survives_in_every_format() {
    let numbers: Vec<f64> = (0..25).map(|k| f64::from(k as f32 * 0.1)).collect();
    let names: Vec<String> = ["a", "b'", "\"c\"", "é", "中"].map(str::to_owned).to_vec();
    let with =
        |names: [Option<Vec<String>>; 2]| Matrix { shape: [5; 2], numbers: numbers.clone(), names };
    let folder = tempfile::tempdir().expect("a folder can be made");
    for matrix in [with([Some(names.clone()), Some(names)]), with([None, None])] {
        for name in ["D.bin", "D.npy"] {
            assert_holds(
                find_format(name),
                &written(folder.path(), name, &matrix, Element::F32),
                &matrix,
            );
        }
        for left in ["D.bin.names", "D.npy.names"] {
            let _ = std::fs::remove_file(folder.path().join(left));
        }
    }
}

#[test]
fn triangles_say_that_they_are() {
    let numbers = [0.0, 1.5, 2.0, 1.5, 0.0, 3.0, 2.0, 3.0, 0.0].to_vec();
    let matrix = Matrix { shape: [3; 2], numbers, names: [None, None] };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let open = |name| {
        let path = written(folder.path(), name, &matrix, Element::F64);
        open_matrix(path.to_str().expect("UTF-8"), &settings(folder.path(), 1 << 20))
            .expect("a matrix")
    };
    for name in ["D.condensed.npy", "D.phylip_lower", "D.column"] {
        assert_eq!(open(name).coverage(), Coverage::Triangle, "{name}");
        check_triangle(&*open(name), None, 1 << 10, |_| ()).expect("a triangle is symmetric");
    }
    for name in ["D.npy", "D.phylip", "D.csv"] {
        assert_eq!(open(name).coverage(), Coverage::Full, "{name}");
        check_triangle(&*open(name), None, 100, |_| ()).expect("it is symmetric");
    }
}

#[test]
fn what_one_triangle_does_not_say_is_named() {
    let check = |numbers: [f64; 9], memory_bytes| {
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let names = [Some(names.clone()), Some(names)];
        let matrix = Matrix { shape: [3; 2], numbers: numbers.to_vec(), names };
        check_triangle(&matrix.source(Element::F64), None, memory_bytes, |_| ())
            .expect_err("no triangle")
            .to_string()
    };
    for memory_bytes in [0, 200, 1 << 20] {
        let text = check([0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.5, 0.0], memory_bytes);
        assert!(text.contains("'c' to 'b' is 3.5 and back is 3"), "{text}");
        let text = check([0.0, 1.0, 2.0, 1.0, 7.0, 3.0, 2.0, 3.0, 0.0], memory_bytes);
        assert!(text.contains("'b' has 7 to itself") && text.contains("largest 7e0"), "{text}");
    }
}

#[test]
fn rounding_is_no_contradiction_to_a_triangle() {
    let check = |numbers: [f64; 4], tolerance| {
        let matrix = Matrix { shape: [2; 2], numbers: numbers.to_vec(), names: [None, None] };
        check_triangle(&matrix.source(Element::F64), tolerance, 1 << 10, |_| ())
    };
    let loss = check([1e-7, 1.0, 1.0 + 1e-12, 0.0], None).expect("rounding");
    assert_eq!((loss.count, loss.largest), (2, 1e-7));
    assert!(check([0.0, 1.0, 1.0 + 1e-12, 0.0], Some(0.0)).is_err(), "nothing is rounding");
    assert!(check([0.0, 1.0, 1.001, 0.0], None).is_err());
    assert!(check([0.0, 1.0, 1.001, 0.0], Some(0.01)).is_ok());
    // Rounded to five digits, and to two.
    assert!(check([0.0, 0.12345, 0.12346, 0.0], None).is_ok());
    assert!(check([0.0, 0.12, 0.13, 0.0], None).is_err());
    assert!(check([0.0, 1.0, f64::NAN, 0.0], Some(0.5)).is_err());
}

#[test]
fn numbers_that_do_not_fit_are_refused_or_rounded_as_asked() {
    let matrix = Matrix { shape: [1, 3], numbers: vec![1.0, 0.1, 2.5], names: [None, None] };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let copy = |element, rounding| {
        let path = folder.path().join("D.npy");
        let sink = create_matrix(&path, None, [1, 3], [None, None], element).expect("a file");
        let source = matrix.source(Element::F64);
        let mut transfer = Transfer::new(&source, rounding, 1000);
        transfer
            .run(sink, |_| ())
            .map(|()| transfer.largest_rounding)
            .map_err(|error| error.to_string())
    };
    let largest = copy(Element::F32, Rounding::Allowed).expect("rounded");
    assert!(largest > 0.0 && largest <= f64::from(f32::EPSILON) / 2.0, "{largest}");
    for (element, rounding, number) in [
        (Element::F32, Rounding::Refused, "column 2: 0.1 does not fit float32"),
        (Element::U16, Rounding::Allowed, "column 2: 0.1 does not fit uint16"),
    ] {
        let text = copy(element, rounding).expect_err("it does not fit");
        assert!(text.contains(number), "{text}");
    }
    assert!(!folder.path().join("D.npy.names").exists());
}
