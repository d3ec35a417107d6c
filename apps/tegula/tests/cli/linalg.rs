//! `tegula linalg`: every algorithm in the list, checked.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tegula_kernels::backend::LEFT_OUT;

use crate::support::{folder, number, tegula, tegula_in};

/// Names of all algorithms, each with a precision that it has: one after the other as far as it can
/// be.
fn names() -> Vec<(String, String)> {
    let list = tegula("linalg --list --json - --quiet").succeeded().json();
    let algorithms = list["algorithms"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let named = algorithms.iter().enumerate().map(|(index, algorithm)| {
        let precisions = algorithm["precisions"].as_array().expect("a list");
        (text(&algorithm["algorithm"]), text(&precisions[index % precisions.len()]))
    });
    named.collect()
}

/// The tests of the program itself run all of them at many sizes; here each is run once by its
/// name.
#[test]
fn every_algorithm_can_be_run_by_its_name() {
    let names = names();
    assert!(names.len() >= 5, "{names:?}");
    for (name, precision) in &names {
        let flags = "-n 70 --tile-size 33 --check --repeat 2 --json - --quiet --seed 9";
        let command = format!("linalg {name} {flags} --precision {precision}");
        let result = tegula(&command).succeeded().json();
        assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
        assert!(number(&result, "/check/value") < number(&result, "/check/threshold"));
        assert_eq!(result["algorithm"], *name);
        for pointer in ["/seconds/1", "/tile_size", "/workers", "/n"] {
            assert!(number(&result, pointer) > 0.0, "{pointer} in {result:#}");
        }
    }
}

/// Variants are named in the result, and change it as they say.
#[test]
fn variants_of_an_algorithm_are_flags() {
    for (command, pointer, value) in [
        ("trsm -m 40 -n 25 --side right --trans adjoint --precision z", "/side", "right"),
        ("trmm -m 40 -n 25 --side right --trans transposed", "/trans", "transposed"),
        ("ormqr -m 40 -n 25 -k 25 --side right --trans adjoint", "/side", "right"),
        ("ormlq -m 25 -n 40 -k 20 --trans transposed", "/side", "left"),
        ("geqrf-tree -m 90 -n 25", "/tree", "greedy"),
        ("ormqr-tree -m 90 -n 25 -k 20 --tree two-level --trans adjoint", "/tree", "two-level"),
        ("potrf-mixed -n 70 --band 0", "/band", "0"),
        ("potrf-mixed -n 70 --accuracy 1e-12", "/accuracy", "0.000000000001"),
    ] {
        let command = format!("linalg {command} --tile-size 16 --check --json - --quiet");
        let result = tegula(&command).succeeded().json();
        assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
        assert_eq!(result.pointer(pointer), Some(&value.into()), "{result:#}");
    }
    let narrow = |rule: &str| {
        let command = format!("linalg potrf-mixed -n 70 --tile-size 16 --json - -q {rule}");
        number(&tegula(&command).succeeded().json(), "/values/tiles in 32 bits")
    };
    assert_eq!(narrow("--band 0"), 10.0);
    assert_eq!(narrow("--band 2"), 3.0);
    assert_eq!(narrow("--accuracy 0"), 0.0);
}

#[test]
fn nothing_is_a_size() {
    for command in [
        "gesv -n 0",
        "gesv -n 9 --nrhs 0",
        "geqrf -m 0 -n 4",
        "gemm -n 5 -k 0",
        "gesv-batch -n 0",
        "posv-batch -n 5 --count 0",
        "posv-batch -n 5 --nrhs 0",
    ] {
        let command = format!("linalg {command} --check --json - --quiet");
        let result = tegula(&command).succeeded().json();
        assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
    }
    tegula("linalg potrf -n 0").succeeded();
    tegula("linalg potrf -n 0 --dry-run").succeeded();
}

/// The matrices of problems stand side by side in files.
#[test]
fn batches_come_from_files_and_name_the_problem_that_failed() {
    let folder = folder();
    // [4 2; 2 5] X = [8; 12] with X = [1; 2], and [1 0; 0 4] X = [3; 8] with X = [3; 2].
    doubles(&folder, "a.npy", "(2, 4)", &[4.0, 2.0, 1.0, 0.0, 2.0, 5.0, 0.0, 4.0]);
    doubles(&folder, "b.npy", "(2, 2)", &[8.0, 3.0, 12.0, 8.0]);
    let solve = "--input a.npy --rhs b.npy --output x.npy --check --json - -q";
    for algorithm in ["posv-batch", "posv-batch --uplo upper", "gesv-batch --tile-size 1"] {
        let run = tegula_in(&folder, &format!("linalg {algorithm} {solve}"));
        let result = run.succeeded().json();
        assert_eq!((number(&result, "/count"), number(&result, "/nrhs")), (2.0, 1.0));
        let solved = entries(&folder, "x.npy", "(2, 2,)");
        let errors = solved.iter().zip([1.0, 2.0, 3.0, 2.0]).map(|(x, y)| (x - y).abs());
        assert!(errors.fold(0.0, f64::max) < 1e-14, "{solved:?}");
    }
    let factor = "linalg potrf-batch --input a.npy --output x.npy";
    tegula_in(&folder, factor).succeeded();
    assert_eq!(entries(&folder, "x.npy", "(2, 4,)"), [2.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0]);
    for (command, words) in [
        ("potrf-batch --input a.npy --count 3", &["n x (n count)", "count = 3"][..]),
        ("gesv-batch --input a.npy --rhs a.npy --nrhs 1", &["n x (nrhs count)", "count = 2"]),
    ] {
        tegula_in(&folder, &format!("linalg {command}")).failed(2, words);
    }
    doubles(&folder, "a.npy", "(2, 4)", &[4.0, 2.0, 1.0, 2.0, 2.0, 5.0, 2.0, 4.0]);
    for (command, words) in [
        ("potrf-batch", "problem 2 of 2: the matrix is not positive definite"),
        ("gesv-batch", "problem 2 of 2: the matrix is singular: pivot 2 is zero"),
    ] {
        tegula_in(&folder, &format!("linalg {command} --input a.npy")).failed(1, &[words]);
    }
}

/// Problems that fit no memory are refused, however many they are.
#[test]
fn batches_that_are_too_large_are_refused_at_once() {
    for sizes in ["-n 9999999 --count 9999999", "-n 4000 --count 9999999 --tile-size 65536"] {
        let command = format!("linalg gesv-batch {sizes} --memory 1GiB");
        tegula(&command).failed(2, &["this run takes", "--memory allows 1.00 GiB"]);
    }
    tegula("linalg gemm -n 5 --count 3").failed(2, &["gemm has no size count"]);
}

#[test]
fn complex_operations_count_as_four() {
    let flops = |flags: &str| {
        let command = format!("linalg getrf -n 20 --json - -q --precision {flags}");
        number(&tegula(&command).succeeded().json(), "/flops")
    };
    assert_eq!(flops("z"), 4.0 * flops("d"));
}

/// A `.npy` file of version 1 with `descr` and the entries that follow.
fn npy(folder: &Path, name: &str, (descr, shape): (&str, &str), entries: &[u8]) {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(entries);
    fs::write(folder.join(name), bytes).expect("a file can be written");
}

fn doubles(folder: &Path, name: &str, shape: &str, entries: &[f64]) {
    let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
    npy(folder, name, ("<f8", shape), &bytes);
}

/// The entries of the file of doubles that the program wrote, column by column.
fn entries(folder: &Path, name: &str, shape: &str) -> Vec<f64> {
    let bytes = fs::read(folder.join(name)).expect("it was written");
    let start = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let header = String::from_utf8_lossy(&bytes[10..start]).into_owned();
    for words in ["'<f8'", "True", shape] {
        assert!(header.contains(words), "{words} in {header}");
    }
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    bytes[start..].chunks_exact(8).map(number).collect()
}

/// [2 1; 1 2] has the values 1 and 3, and vectors (1, -1) and (1, 1) over the root of two.
#[test]
fn spectra_go_to_files() {
    let folder = folder();
    doubles(&folder, "a.npy", "(2, 2)", &[2.0, 1.0, 1.0, 2.0]);
    let flags = "--input a.npy --output x.npy --check --json - -q";
    let half = 0.5f64.sqrt();
    for (algorithm, sizes, signs) in [
        ("heevd", [1.0, 3.0], Some([1.0, -1.0, 1.0, 1.0])),
        ("gesvd", [3.0, 1.0], Some([1.0, 1.0, 1.0, -1.0])),
        ("heev", [1.0, 3.0], None),
        ("gesvd-values", [3.0, 1.0], None),
    ] {
        let run = tegula_in(&folder, &format!("linalg {algorithm} {flags}"));
        let spectrum = run.succeeded().json()["spectrum"].clone();
        let is_near = |x: f64, y: f64| (x - y).abs() < 1e-14;
        for (place, size) in sizes.into_iter().enumerate() {
            assert!(is_near(number(&spectrum, &format!("/{place}")), size), "{spectrum}");
        }
        let shape = if signs.is_some() { "(2, 2,)" } else { "(2, 1,)" };
        let written = entries(&folder, "x.npy", shape);
        match signs {
            None => assert!(written.iter().zip(sizes).all(|(&x, y)| is_near(x, y)), "{written:?}"),
            Some(signs) => {
                // Each vector up to its sign.
                let turned = |column: usize| written[2 * column].signum();
                let near = |i: usize| is_near(written[i] * turned(i / 2), half * signs[i]);
                assert!((0..4).all(near), "{algorithm}: {written:?}");
            }
        }
    }
}

/// Vectors stand beside what a disk takes.
#[test]
fn memory_that_no_disk_takes_is_counted() {
    let command = |memory| format!("linalg gesvd -n 300 --memory {memory} --scratch . --dry-run");
    tegula_in(&folder(), &command("2MiB")).failed(2, &["no disk takes", "allow more memory"]);
    tegula_in(&folder(), &command("8MiB")).succeeded();
    let command = "linalg randomized-svd -n 300 -k 100 --memory 600KiB --scratch .";
    tegula_in(&folder(), command).failed(2, &["no disk takes"]);
}

#[test]
fn matrices_come_from_files_and_go_to_files() {
    let folder = folder();
    // A = [4 2; 2 5] = L L' with L = [2 0; 1 2], and A X = B with X = [1 0; 2 -1].
    doubles(&folder, "a.npy", "(2, 2)", &[4.0, 2.0, 2.0, 5.0]);
    doubles(&folder, "b.npy", "(2, 2)", &[8.0, -2.0, 12.0, -5.0]);
    let run = |command: &str| {
        let command = format!("linalg {command} --input a.npy --output x.npy --check --json - -q");
        tegula_in(&folder, &command).succeeded().json()
    };
    let factor = run("potrf");
    assert_eq!((number(&factor, "/n"), number(&factor, "/seed")), (2.0, 0.0));
    assert_eq!(entries(&folder, "x.npy", "(2, 2,)"), [2.0, 1.0, 0.0, 2.0]);
    run("potrf --uplo upper --tile-size 1");
    assert_eq!(entries(&folder, "x.npy", "(2, 2,)"), [2.0, 0.0, 1.0, 2.0]);
    for solve in ["posv", "gesv", "potrs", "getrs"] {
        let solved = run(&format!("{solve} --rhs b.npy"));
        assert_eq!(number(&solved, "/nrhs"), 2.0, "{solve}");
        let x = entries(&folder, "x.npy", "(2, 2,)");
        for (found, expected) in x.iter().zip([1.0, 2.0, 0.0, -1.0]) {
            assert!((found - expected).abs() < 1e-14, "{solve}: {x:?}");
        }
    }
    // Least squares through (0, 1), (1, 3), (2, 5), and (0, 0), (1, 0), (2, 3).
    doubles(&folder, "t.npy", "(3, 2)", &[1.0, 0.0, 1.0, 1.0, 1.0, 2.0]);
    doubles(&folder, "y.npy", "(3, 2)", &[1.0, 0.0, 3.0, 0.0, 5.0, 3.0]);
    let command = "linalg gels --input t.npy --rhs y.npy --output x.npy --check --json - -q";
    tegula_in(&folder, command).succeeded();
    let x = entries(&folder, "x.npy", "(2, 2,)");
    for (found, expected) in x.iter().zip([1.0, 2.0, -0.5, 1.5]) {
        assert!((found - expected).abs() < 1e-14, "{x:?}");
    }
    // One equation x + 2 y = 5: the least solution is (1, 2).
    doubles(&folder, "t.npy", "(1, 2)", &[1.0, 2.0]);
    doubles(&folder, "y.npy", "(1,)", &[5.0]);
    tegula_in(&folder, command).succeeded();
    let x = entries(&folder, "x.npy", "(2, 1,)");
    assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14, "{x:?}");
    let command = "linalg lange --input b.npy --check --json - -q";
    let norms = tegula_in(&folder, command).succeeded().json();
    for (name, expected) in [("max", 12.0), ("one", 20.0), ("infinity", 17.0)] {
        assert_eq!(number(&norms, &format!("/values/{name}")), expected);
    }
    let text = tegula_in(&folder, "linalg lange --input b.npy").succeeded().stdout;
    assert!(text.contains("frobenius") && text.contains("15.3"), "{text}");
}

/// A positive definite matrix of order `n` in CSV.
fn positive_definite(folder: &Path, name: &str, n: usize) {
    let entry = |i: usize, j: usize| if i == j { 4.0 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) };
    let row = |i| (0..n).map(|j| format!("{:?}", entry(i, j))).collect::<Vec<_>>().join(",");
    let lines: Vec<String> = (0..n).map(row).collect();
    fs::write(folder.join(name), lines.join("\n") + "\n").expect("a file can be written");
}

/// One matrix in several formats has one factor, whichever file it is read from.
#[test]
fn matrices_come_from_files_of_many_formats() {
    let folder = folder();
    positive_definite(&folder, "a.csv", 70);
    for file in ["a.h5", "a.npy", "a.tsv.gz", "a.phy"] {
        tegula_in(&folder, &format!("diodon convert a.csv {file}")).succeeded();
    }
    tegula_in(&folder, "diodon convert a.csv f32.h5 --precision f32").succeeded();
    let run = |command: &str| {
        let command = format!("linalg {command} --tile-size 32 --output x.npy --check --json - -q");
        let result = tegula_in(&folder, &command).succeeded().json();
        assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
        assert_eq!(number(&result, "/n"), 70.0);
        fs::read(folder.join("x.npy")).expect("it was written")
    };
    for uplo in ["lower", "upper"] {
        let expected = run(&format!("potrf --uplo {uplo} --input a.npy"));
        for file in ["a.h5", "a.h5:values", "a.csv", "a.tsv.gz", "a.phy"] {
            let found = run(&format!("potrf --uplo {uplo} --input {file}"));
            assert!(found == expected, "{file}");
        }
    }
    let expected = run("posv --input a.npy --rhs a.npy");
    assert!(run("posv --input a.h5 --rhs a.csv") == expected);
    // Numbers become those of the precision that is asked for, whichever they are in the file.
    let single = run("potrf --input f32.h5 --precision s");
    assert!(run("potrf --input a.h5 --precision s") == single);
    assert!(run("potrf --input f32.h5") != expected);
    run("getrf --input f32.h5 --precision z");
}

#[test]
fn matrices_of_other_formats_that_do_not_fit_are_refused() {
    let folder = folder();
    doubles(&folder, "nan.npy", "(2, 2)", &[1.0, f64::NAN, 1.0, 1.0]);
    doubles(&folder, "wide.npy", "(2, 3)", &[1.0; 6]);
    doubles(&folder, "large.npy", "(2, 2)", &[1e300, 0.0, 0.0, 1.0]);
    for file in ["nan", "wide", "large"] {
        tegula_in(&folder, &format!("diodon convert {file}.npy {file}.h5")).succeeded();
    }
    fs::write(folder.join("text.csv"), "1,2\nx,3\n").expect("a file can be written");
    let whole = fs::read(folder.join("large.h5")).expect("it was written");
    fs::write(folder.join("cut.h5"), &whole[..whole.len() / 2]).expect("a file can be written");
    let cases: &[(&str, &[&str])] = &[
        ("getrf --input nan.h5", &["nan.h5", "(0, 1)", "not finite"]),
        ("potrf --input wide.h5", &["wide.h5", "is a 2 x 3 matrix", "one of n x n"]),
        ("potrf --input large.h5 --precision s", &["large.h5", "(0, 0)", "precision asked for"]),
        ("getrf --input text.csv", &["text.csv", "line 2", "'x'"]),
        ("getrf --input cut.h5", &["cut.h5", "cut short"]),
        ("getrf --input nan.h5:other", &["nan.h5", "'other'", "'values'"]),
        ("getrf --input none.h5", &["none.h5", "cannot read"]),
        ("getrf --input large.h5:values --output large.h5", &["--output would overwrite"]),
    ];
    for (command, words) in cases {
        let run = tegula_in(&folder, &format!("linalg {command}"));
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        run.failed(2, words);
    }
    // Of a triangle only what counts has to be finite.
    tegula_in(&folder, "linalg trtri --input nan.h5 --check").succeeded();
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let folder = folder();
    doubles(&folder, "a.npy", "(2, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    doubles(&folder, "b.npy", "(2, 2)", &[1.0, f64::NAN, 1.0, 1.0]);
    doubles(&folder, "zero.npy", "(2, 2)", &[0.0; 4]);
    doubles(&folder, "c.npy", "(2, 2)", &[1.0, 2.0, 2.0, 1.0]);
    doubles(&folder, "v.npy", "(3,)", &[1.0; 3]);
    npy(&folder, "z.npy", ("<c16", "(1, 1)"), &[0; 16]);
    npy(&folder, "i.npy", ("<i8", "(1, 1)"), &[0; 8]);
    fs::write(folder.join("t.npy"), "1,2\n").expect("a file can be written");
    let cases: &[(&str, i32, &[&str])] = &[
        ("potrf --input a.npy", 2, &["a.npy is a 2 x 3 matrix", "one of n x n"]),
        ("getrf --input a.npy -n 4", 2, &["2 x 3", "n = 4"]),
        ("gesv --input c.npy --rhs v.npy", 2, &["v.npy is a 3 x 1 matrix", "n = 2"]),
        ("gesv -n 2 --rhs v.npy", 2, &["--input"]),
        ("gemm --input a.npy", 2, &["gemm takes no --input"]),
        ("potrf --input c.npy --rhs v.npy", 2, &["potrf takes no --rhs"]),
        ("lange -n 3 --output x.npy", 2, &["lange leaves no matrix"]),
        ("getrf --input b.npy", 2, &["b.npy", "(0, 1)", "not finite"]),
        ("getrf --input z.npy", 2, &["complex", "--precision c or z"]),
        ("getrf --input i.npy", 2, &["<i8", "astype"]),
        ("getrf --input t.npy", 2, &["t.npy is no .npy file"]),
        ("getrf --input none.npy", 2, &["none.npy", "cannot read"]),
        ("potrf --input c.npy --output c.npy", 2, &["--output would overwrite"]),
        ("potrf --input c.npy --output nowhere/x.npy", 2, &["nowhere"]),
        ("potrf --input c.npy --output x.npy", 1, &["minor of order 2"]),
        ("getrf --input zero.npy --output x.npy", 1, &["is singular", "pivot 1 is zero"]),
        ("gesv --input zero.npy --output x.npy", 1, &["is singular", "pivot 1 is zero"]),
        ("trsm --input zero.npy --output x.npy", 1, &["diagonal entry 1"]),
        ("trsm-batch --input zero.npy --count 1", 1, &["problem 1 of 1", "diagonal entry 1"]),
        ("trtri --input zero.npy --output x.npy", 1, &["diagonal entry 1"]),
    ];
    for (command, code, words) in cases {
        tegula_in(&folder, &format!("linalg {command}")).failed(*code, words);
    }
    assert!(!folder.join("x.npy").exists(), "what failed wrote nothing");
    tegula_in(&folder, "linalg getrf --input z.npy --precision z").failed(1, &["pivot 1"]);
    // Of a triangle only what counts has to be finite.
    tegula_in(&folder, "linalg trtri --input b.npy --check").succeeded();
}

#[test]
fn sizes_differ_where_they_may() {
    for command in ["gemm -m 70 -n 30 -k 110", "trsm -m 90 -n 40", "potrs -n 80 --nrhs 45"] {
        let command = format!("linalg {command} --tile-size 32 --check --json - --quiet");
        let result = tegula(&command).succeeded().json();
        assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
    }
    let gemm = tegula("linalg gemm -m 70 -n 30 -k 110 --json - -q").succeeded().json();
    assert_eq!(number(&gemm, "/flops"), 2.0 * 70.0 * 30.0 * 110.0);
    let potrf = tegula("linalg potrf -n 60 --json - -q").succeeded().json();
    assert_eq!(number(&potrf, "/flops"), 72_000.0 + 1800.0 + 10.0);
    assert_eq!(potrf["check"], Value::Null);
}

/// A check of many right-hand sides multiplies them by one vector first.
#[test]
fn many_right_hand_sides_are_checked_within_the_memory() {
    let command = format!(
        "linalg potrs -n 400 --nrhs 900 --memory 2MiB --scratch {} --check --json - -q",
        folder().display()
    );
    let result = tegula(&command).succeeded().json();
    assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{result:#}");
    assert!(number(&result, "/bytes_to_disk") > 0.0);
}

#[test]
fn the_tasks_of_a_dry_run_are_those_of_the_run() {
    let algorithms =
        ["potrf -n 500", "potrs -n 500 --nrhs 130", "getrf -n 500", "trsm -m 500 -n 130"];
    let more = ["gemm -m 130 -n 500 -k 260", "gesv-batch -n 5 --count 5000"];
    for algorithm in algorithms.into_iter().chain(more) {
        let command = format!("linalg {algorithm} --tile-size 64 --json -");
        let dry = number(&tegula(&format!("{command} --dry-run")).succeeded().json(), "/tasks");
        let done = tegula(&command).succeeded().json();
        let workers = done["tasks"].as_array().expect("one for each worker");
        let timed: f64 = workers.iter().map(|worker| number(worker, "/tasks")).sum();
        assert_eq!(dry, timed, "{algorithm}");
    }
}

#[test]
fn any_backend_that_is_there_computes() {
    for algorithm in ["gemm", "getrf", "geqrf", "potrf-batch"] {
        let command = format!("linalg {algorithm} -n 70 --blas native-portable --check --json -");
        assert_eq!(tegula(&command).succeeded().json()["blas"], "native-portable", "{algorithm}");
    }
}

#[test]
fn a_backend_that_was_left_out_is_named_with_its_feature() {
    for &name in LEFT_OUT {
        let expected = ["built without the backend", "--features", name];
        tegula(&format!("linalg gemm -n 70 --blas {name}")).failed(2, &expected);
        tegula(&format!("bench kernels --blas {name}")).failed(2, &expected);
    }
    tegula("linalg gemm -n 70 --blas gotoblas").failed(2, &["gotoblas", "native-portable"]);
}

#[test]
fn what_an_algorithm_has_no_use_for_is_refused() {
    tegula("linalg potrf -n 10 -m 5").failed(2, &["potrf has no size m"]);
    tegula("linalg gemm -n 10 --nrhs 5").failed(2, &["gemm has no size nrhs"]);
    tegula("linalg gemm -n 10 --uplo upper").failed(2, &["gemm works on no triangle"]);
    tegula("linalg orgqr -m 4 -n 5").failed(2, &["orgqr takes n <= m"]);
    tegula("linalg ormqr --side right -m 4 -n 5 -k 6").failed(2, &["ormqr takes k <= n"]);
    tegula("linalg gemm -n 10 --side right").failed(2, &["gemm", "--side"]);
    tegula("linalg potrf -n 10 --trans adjoint").failed(2, &["potrf", "--trans"]);
    tegula("linalg geqrf -n 10 --tree flat").failed(2, &["geqrf", "--tree"]);
    tegula("linalg potrf -n 10 --band 1").failed(2, &["potrf", "--band and --accuracy"]);
    tegula("linalg ormqr -n 10 --trans transposed --precision z").failed(2, &["--trans adjoint"]);
    tegula("linalg posv-mixed -n 10 --precision s").failed(2, &["--precision d or z"]);
    tegula("linalg gram -n 10 --precision c").failed(2, &["--precision s or d"]);
    tegula("linalg potrf-mixed -n 10 --accuracy -1").failed(2, &["accuracy"]);
    tegula("linalg potrf-mixed -n 10 --band 1 --accuracy 1e-9").failed(2, &["--band"]);
    tegula("linalg potrff -n 10").failed(2, &["potrff", "potrf"]);
    tegula("linalg potrf").failed(2, &["--n"]);
    tegula("linalg potrf -n 9000000").failed(2, &["this process may use"]);
}

#[test]
fn people_read_rates_and_formulas() {
    let run = tegula("linalg potrf -n 200 --repeat 2 --check").succeeded();
    for word in ["A = L L^H", "Gflop/s", "check passed", "tiles of"] {
        assert!(run.stdout.contains(word), "{word} in {}", run.stdout);
    }
    let list = tegula("linalg --list").succeeded();
    names().iter().for_each(|(name, _)| assert!(list.stdout.contains(name.as_str()), "{name}"));
}
