//! `tegula linalg sparse-qr` and `sparse-gels`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{folder, number, tegula, tegula_in};

/// The Laplacian of a grid of `k x k` nodes in Matrix Market's format, and below it `more` copies
/// of the identity, times 2, 3 ...
fn grid(k: usize, more: usize) -> String {
    let (n, mut lines, mut count) = (k * k, String::new(), 0);
    let mut put = |i: usize, j: usize, value: f64| {
        _ = writeln!(lines, "{} {} {value}", i + 1, j + 1);
        count += 1;
    };
    for node in 0..n {
        put(node, node, 4.0);
        let (row, column) = (node / k, node % k);
        let others = [(column > 0, node.wrapping_sub(1)), (column + 1 < k, node + 1)];
        let above = [(row > 0, node.wrapping_sub(k)), (row + 1 < k, node + k)];
        for (_, other) in others.into_iter().chain(above).filter(|(is_there, _)| *is_there) {
            put(node, other, -1.0);
        }
        (0..more).for_each(|copy| put((copy + 1) * n + node, node, 2.0 + copy as f64));
    }
    format!(
        "%%MatrixMarket matrix coordinate real general\n{} {n} {count}\n{lines}",
        n * (more + 1)
    )
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

/// Values of an array of Matrix Market's.
fn values(folder: &Path, name: &str) -> Vec<f64> {
    let text = fs::read_to_string(folder.join(name)).expect("a file");
    let lines = text.lines().filter(|line| !line.starts_with('%')).skip(1);
    lines.map(|line| line.parse().expect("a number")).collect()
}

#[test]
fn a_square_system_is_solved_by_any_number_of_workers() {
    let folder = folder();
    write(&folder, "a.mtx", &grid(30, 0));
    let solve = |flags: &str| {
        let command =
            format!("linalg sparse-gels --input a.mtx --check --json - -q -o x.mtx {flags}");
        let json = tegula_in(&folder, &command).succeeded().json();
        assert_eq!(json.pointer("/check/passed"), Some(&Value::Bool(true)), "{json:#}");
        (json, values(&folder, "x.mtx"))
    };
    let (json, x) = solve("--workers 1");
    assert!(x.len() == 900 && x.iter().all(|x| (x - 1.0).abs() < 1e-12));
    assert_eq!((&json["m"], &json["n"], &json["nnz"]), (&900.into(), &900.into(), &4380.into()));
    assert_eq!((&json["ordering"], &json["rhs"]), (&"colamd".into(), &"A times ones".into()));
    for name in ["fronts", "nnz_r", "flops", "analysis_seconds", "factor_seconds", "gflops"] {
        assert!(number(&json, &format!("/{name}")) > 0.0, "{name} in {json:#}");
    }
    assert!(
        number(&json, "/backward_errors/0") < 1e-14 && number(&json, "/residual_norms/0") < 1e-11
    );
    assert_eq!((number(&json, "/rank/rank"), &json["rank"]["is_full"]), (900.0, &true.into()));
    assert_eq!(solve("--workers 2").1, x);
    assert_eq!(solve("--workers 5").1, x);
    let (natural, _) = solve("--ordering natural");
    assert!(number(&natural, "/nnz_r") > number(&json, "/nnz_r"), "{natural:#}");
}

/// Least squares with two right-hand sides against the normal equations, which this matrix makes
/// diagonal blocks of: A = [G; 2 I; 3 I], b = [G u; 2 u + d; 3 u - 2 d / 3] has the solution u.
#[test]
fn least_squares_have_the_solution_that_is_known() {
    let folder = folder();
    write(&folder, "a.mtx", &grid(12, 2));
    let (k, n) = (12, 144);
    let mut text = format!("%%MatrixMarket matrix array real general\n{} 2\n", 3 * n);
    let value = |side: usize, node: usize| ((3 * node + side) % 7) as f64 - 2.5;
    for side in 0..2 {
        let u = |node: usize| value(side, node);
        for node in 0..n {
            let (row, column) = (node / k, node % k);
            let mut sum = 4.0 * u(node);
            sum -= if column > 0 { u(node - 1) } else { 0.0 };
            sum -= if column + 1 < k { u(node + 1) } else { 0.0 };
            sum -= if row > 0 { u(node - k) } else { 0.0 };
            sum -= if row + 1 < k { u(node + k) } else { 0.0 };
            _ = writeln!(text, "{sum}");
        }
        let off = |node: usize| (node % 5) as f64;
        (0..n).for_each(|node| _ = writeln!(text, "{}", 2.0 * u(node) + 3.0 * off(node)));
        (0..n).for_each(|node| _ = writeln!(text, "{}", 3.0 * u(node) - 2.0 * off(node)));
    }
    write(&folder, "b.mtx", &text);
    let command = "linalg sparse-gels --input a.mtx --rhs b.mtx -o x.mtx --check --json - -q";
    let json = tegula_in(&folder, command).succeeded().json();
    let x = values(&folder, "x.mtx");
    for (at, x) in x.iter().enumerate() {
        assert!((x - value(at / n, at % n)).abs() < 1e-12, "{at}: {x}");
    }
    let off: f64 = (0..n).map(|node| 13.0 * ((node % 5) as f64).powi(2)).sum();
    for side in 0..2 {
        let norm = number(&json, &format!("/residual_norms/{side}"));
        assert!((norm - off.sqrt()).abs() < 1e-10, "{norm}");
        assert!(number(&json, &format!("/gradients/{side}")) < 1e-14);
    }
    assert_eq!(json["rhs"], "given");
}

#[test]
fn fewer_rows_than_columns_give_the_least_norm() {
    let folder = folder();
    let text = "%%MatrixMarket matrix coordinate integer general\n2 4 5\n1 1 1\n1 2 1\n2 2 1\n2 3 1\n2 4 1\n";
    write(&folder, "a.mtx", text);
    write(&folder, "b.mtx", "%%MatrixMarket matrix array real general\n2 1\n2\n3\n");
    let run =
        tegula_in(&folder, "linalg sparse-gels --input a.mtx --rhs b.mtx -o x.mtx").succeeded();
    assert!(format!("{}{}", run.stdout, run.stderr).contains("least norm"), "{run:?}");
    // A A' = [2 1; 1 3], y = [3/5; 4/5], x = A' y.
    let x = values(&folder, "x.mtx");
    let expected = [0.6, 1.4, 0.8, 0.8];
    assert!(x.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-14), "{x:?}");
}

#[test]
fn a_factor_is_written_with_the_order_of_its_columns() {
    let folder = folder();
    write(&folder, "a.mtx", &grid(6, 1));
    let command = "linalg sparse-qr --input a.mtx -o r.mtx --check --json out.json";
    let run = tegula_in(&folder, command).succeeded();
    assert!(run.stdout.contains("check passed"), "{}", run.stdout);
    let json: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("out.json")).expect("a file"))
            .expect("JSON");
    let mut order: Vec<u64> =
        json["column_order"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    order.sort_unstable();
    assert!(order.iter().copied().eq(1..=36));
    // It is a matrix as sparse-qr takes it: the factor of a triangle is that triangle, but for
    // signs.
    let again = tegula_in(
        &folder,
        "linalg sparse-qr --input r.mtx --ordering natural -o s.mtx --json again.json -q",
    );
    again.succeeded();
    let values = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).expect("a file");
        let lines = text.lines().filter(|line| !line.starts_with('%')).skip(1);
        let mut entries: Vec<f64> = lines
            .map(|line| {
                line.rsplit(' ').next().expect("a value").parse::<f64>().expect("a number").abs()
            })
            .filter(|value| *value > 1e-9)
            .collect();
        entries.sort_by(f64::total_cmp);
        entries
    };
    let (r, s) = (values("r.mtx"), values("s.mtx"));
    assert_eq!(r.len(), s.len());
    assert!(r.iter().zip(&s).all(|(r, s)| (r - s).abs() < 1e-12));
}

#[test]
fn a_dry_run_computes_nothing_and_says_what_it_would_take() {
    let folder = folder();
    write(&folder, "a.mtx", &grid(9, 0));
    let json = tegula_in(&folder, "linalg sparse-qr --input a.mtx --dry-run --json - -q");
    let json = json.succeeded().json();
    assert_eq!(json["dry_run"], true);
    assert!(number(&json, "/flops") > 0.0 && json.get("factor_seconds").is_none());
}

#[test]
fn what_cannot_be_done_is_refused_with_what_to_do() {
    let folder = folder();
    let head = "%%MatrixMarket matrix coordinate real general\n";
    write(&folder, "a.mtx", &format!("{head}3 3 2\n1 1 1\n9 1 1\n"));
    write(&folder, "twice.mtx", &format!("{head}3 2 4\n1 1 1\n1 2 1\n2 1 5\n2 2 5\n"));
    write(&folder, "good.mtx", &format!("{head}2 2 2\n1 1 1\n2 2 1\n"));
    write(&folder, "b.mtx", "%%MatrixMarket matrix array real general\n1 1\n2\n");
    let run = |flags: &str| tegula_in(&folder, &format!("linalg {flags}"));
    run("sparse-qr --input a.mtx").failed(2, &["a.mtx", "line 4", "(9, 1)"]);
    run("sparse-qr --input none.mtx").failed(2, &["none.mtx"]);
    run("sparse-qr").failed(2, &["--input"]);
    run("sparse-qr --input good.mtx --ordering metis").failed(2, &["metis", "colamd"]);
    run("sparse-qr --input good.mtx --precision s").failed(2, &["--precision d"]);
    run("sparse-qr --input good.mtx --ranks local:2").failed(2, &["one rank"]);
    run("sparse-qr --input good.mtx -o good.mtx").failed(2, &["good.mtx"]);
    run("sparse-qr --input good.mtx -o r.npy").failed(2, &[".mtx"]);
    run("sparse-gels --input good.mtx --rhs b.mtx").failed(2, &["1 rows", "2"]);
    run("sparse-gels --input twice.mtx").failed(1, &["full rank", "column"]);
    run("sparse-qr --input twice.mtx").succeeded();
    run("potrf sparse-qr --input good.mtx").failed(2, &["sparse-qr"]);
    let help = tegula("linalg sparse-gels --help").succeeded().stdout;
    assert!(help.contains("--rhs") && help.contains("A times ones"), "{help}");
}

#[test]
fn contexts_of_subtrees_change_no_bit() {
    let folder = folder();
    write(&folder, "a.mtx", &grid(60, 1));
    let solve = |flags: &str| {
        let command = format!("linalg sparse-gels --input a.mtx --json - -q -o x.mtx {flags}");
        (tegula_in(&folder, &command).succeeded().json(), values(&folder, "x.mtx"))
    };
    let (json, x) = solve("--workers 4 --contexts --trace t.trace");
    assert_eq!(json["contexts"], Value::Bool(true));
    assert_eq!(solve("--workers 2").1, x);
    let trace = tegula_in(&folder, "trace t.trace").succeeded();
    assert!(trace.stdout.contains("subtree"), "{}", trace.stdout);
}

/// A matrix of a file is factorised in virtual time by as many tasks as really.
#[test]
fn a_simulation_has_the_tasks_of_a_run() {
    let folder = folder();
    write(&folder, "a.mtx", &grid(60, 1));
    let run = "linalg sparse-qr --input a.mtx --workers 2 --json - -q";
    let real = tegula_in(&folder, run).succeeded().json();
    let simulated = |name: &str| {
        let command = format!(
            "simulate {name} --input a.mtx --tile-size {} --platform riri-d --json - -q",
            real["tile_size"]
        );
        tegula_in(&folder, &command).succeeded().json()
    };
    let (one, contexts) = (simulated("sparse-qr"), simulated("sparse-qr-contexts"));
    for (name, of) in [("n", "/matrix/n"), ("fronts", "/matrix/fronts"), ("nnz_r", "/matrix/nnz_r")]
    {
        assert_eq!(one.pointer(of), Some(&real[name]), "{one:#}");
    }
    assert_eq!(one["tiles"], Value::Null);
    assert_eq!(one["simulated_tasks"], contexts["simulated_tasks"]);
    assert_eq!(one["simulated_tasks"], real["tasks_run"], "{real:#}");
    tegula_in(&folder, "simulate potrf --input a.mtx --platform riri-d")
        .failed(2, &["--input a.mtx", "takes no matrix"]);
}
