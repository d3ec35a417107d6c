//! `tegula diodon pca` with metrics and instruments: files that are taken, results, and what is
//! refused.

use std::fs;
use std::path::Path;

use crate::support::{Run, assert_close, column, folder_with, number, tegula_in};

const TABLE: &str = "id,a,b,c\nv,1,2,7\nw,3,1,5\nx,2,6,7\ny,4,4,1\nz,0,3,2\n";
const WEIGHTS: &str = "id,weight\nz,3\nv,1\nw,2\nx,1\ny,2\n";

/// A folder with the table and other files.
fn folder(files: &[(&str, &str)]) -> std::path::PathBuf {
    let folder = folder_with("X.csv", TABLE);
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file can be written");
    }
    folder
}

fn pca(folder: &Path, arguments: &str) -> Run {
    tegula_in(folder, &format!("diodon pca X.csv {arguments} --json -"))
}

#[test]
fn weights_come_by_name_or_in_order_or_as_a_matrix() {
    let folder = folder(&[
        ("named.csv", WEIGHTS),
        ("bare.csv", "1\n2\n1\n2\n3\n"),
        (
            "full.csv",
            "id,v,w,x,y,z\nv,1,0,0,0,0\nw,0,2,0,0,0\nx,0,0,1,0,0\ny,0,0,0,2,0\nz,0,0,0,0,3\n",
        ),
        ("repeated.csv", "a,b,c\n1,2,7\n3,1,5\n3,1,5\n2,6,7\n4,4,1\n4,4,1\n0,3,2\n0,3,2\n0,3,2\n"),
    ]);
    let repeated = tegula_in(&folder, "diodon pca repeated.csv --json -").succeeded().json();
    for (file, kind) in [("named", "diagonal"), ("bare", "diagonal"), ("full", "full")] {
        for method in ["exact", "krylov"] {
            let flags = format!("--row-metric {file}.csv --method {method} -o {file}-{method}");
            let json = pca(&folder, &flags).succeeded().json();
            assert_eq!(
                (&json["row_metric"], &json["column_metric"]),
                (&kind.into(), &"identity".into())
            );
            for axis in ["/eigenvalues/0", "/eigenvalues/1", "/inertia"] {
                assert_close(number(&json, axis), number(&repeated, axis), 1e-9);
            }
        }
    }
    // Of all axes, qualities sum to one.
    for file in ["named-exact", "full-krylov"] {
        let quality = folder.join(file).join("quality.csv");
        assert!(column(&quality, "cumulated3").iter().all(|x| (x - 1.0).abs() < 1e-6), "{file}");
    }
}

#[test]
fn a_metric_of_columns_changes_distances() {
    let folder = folder(&[("q.csv", "a,4\nb,1\nc,0.25\n"), ("scaled.csv", "")]);
    let scaled: Vec<String> = TABLE
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| {
            let x = |at: usize| cells[at].parse::<f64>().expect("a number");
            format!("{},{},{},{}\n", cells[0], 2.0 * x(1), x(2), 0.5 * x(3))
        })
        .collect();
    let text = format!("id,a,b,c\n{}", scaled.concat());
    fs::write(folder.join("scaled.csv"), text).expect("a file can be written");
    let flags = "--pretreatment col-centering --column-metric q.csv";
    let json = pca(&folder, flags).succeeded().json();
    let expected = "diodon pca scaled.csv --pretreatment col-centering --json -";
    let expected = tegula_in(&folder, expected).succeeded().json();
    for axis in ["/eigenvalues/0", "/eigenvalues/2", "/inertia"] {
        assert_close(number(&json, axis), number(&expected, axis), 1e-9);
    }
}

#[test]
fn what_is_no_metric_of_the_table_is_refused() {
    let folder = folder(&[
        ("few.csv", "1\n2\n1\n"),
        ("zero.csv", "v,1\nw,0\nx,1\ny,1\nz,1\n"),
        ("names.csv", "v,1\nw,2\nx,1\ny,1\n"),
        ("shape.csv", "1,2,3,4\n5,6,7,8\n"),
        ("order.csv", "id,a,c,b\na,1,0,0\nc,0,1,0\nb,0,0,1\n"),
        ("indefinite.csv", "id,a,b,c\na,1,2,0\nb,2,1,0\nc,0,0,1\n"),
        ("skew.csv", "id,a,b,c\na,2,1,0\nb,0,2,0\nc,0,0,1\n"),
    ]);
    let refused = |flags: &str, words: &[&str]| pca(&folder, flags).failed(2, words);
    refused("--row-metric few.csv", &["--row-metric few.csv", "3 weights", "5 items"]);
    refused("--row-metric zero.csv", &["zero.csv", "line 2", "above 0"]);
    refused("--row-metric names.csv", &["no weight for z"]);
    refused("--column-metric shape.csv", &["shape.csv", "2 x 4", "3 x 3"]);
    refused("--column-metric order.csv", &["order.csv", "line 2 is c", "column 2", "is b"]);
    let minor = ["indefinite.csv", "not positive definite", "order 2", "b [2]"];
    refused("--column-metric indefinite.csv", &minor);
    refused("--column-metric skew.csv", &["skew.csv", "symmetric", "a [1]", "b [2]"]);
    refused("--column-metric none.csv", &["none.csv"]);
}

#[test]
fn instruments_explain_a_share_and_leave_the_rest() {
    let folder = folder(&[
        ("B.csv", "id,height,depth,sum\nv,1,2,3\nw,2,1,3\nx,4,0,4\ny,1,5,6\nz,3,3,6\n"),
        ("other.csv", "id,height\nv,1\nw,2\ny,4\nx,1\nz,3\n"),
        ("alone.csv", "id,height\nv,1\nw,2\nx,1\ny,4\nz,3\n"),
        ("missing.csv", "id,height\nv,1\nw,2\nx,1\ny,4\nzz,3\n"),
        ("twice.csv", "id,height\nv,1\nw,2\nx,1\ny,4\nv,3\n"),
        ("gap.csv", "id,height\nv,1\nw,2\nx,NA\ny,4\nz,3\n"),
        ("short.csv", "id,height,depth\nv,1,2\nw,2,1\n"),
    ]);
    let run = pca(&folder, "--instruments B.csv -o on").succeeded();
    assert!(run.stderr.contains("sum"), "{}", run.stderr);
    let on = run.json();
    assert_eq!(on["dropped_instruments"], serde_json::json!(["sum"]));
    assert_eq!((&on["axes"], &on["method"]), (&2.into(), &"projection".into()));
    assert_close(number(&on, "/total_inertia"), 3.0, 1e-12);
    assert_close(number(&on, "/inertia"), number(&on, "/constrained_inertia"), 1e-12);
    let table = fs::read_to_string(folder.join("on/instruments.csv")).expect("a file");
    let head = "id,correlation1,correlation2,coefficient1,coefficient2\nheight,";
    assert!(table.starts_with(head), "{table}");
    assert!(table.lines().last().is_some_and(|line| line.ends_with(",,")), "{table}");
    for method in ["exact", "krylov"] {
        let flags = format!("--instruments B.csv --residual --method {method} -o rest-{method}");
        let rest = pca(&folder, &flags).succeeded().json();
        let sum = number(&on, "/inertia") + number(&rest, "/inertia");
        assert_close(sum, 3.0, 1e-9);
        assert_close(number(&rest, "/constrained_inertia"), number(&on, "/inertia"), 1e-9);
        assert!(!folder.join(format!("rest-{method}/instruments.csv")).exists());
    }
    let refused = |flags: &str, words: &[&str]| pca(&folder, flags).failed(2, words);
    // Rows are matched by name.
    let json = pca(&folder, "--instruments other.csv").succeeded().json();
    let expected = pca(&folder, "--instruments alone.csv").succeeded().json();
    assert_close(number(&json, "/inertia"), number(&expected, "/inertia"), 1e-12);
    refused("--instruments missing.csv", &["missing.csv", "no row for z"]);
    refused("--instruments twice.csv", &["twice.csv", "rows 1 and 5 are both called v"]);
    refused("--instruments gap.csv", &["gap.csv", "height of x is missing"]);
    refused("--instruments short.csv", &["short.csv", "2 x 2", "5 rows"]);
    refused("--instruments B.csv --method exact", &["--method"]);
    refused("--residual", &["--instruments"]);
}

#[test]
fn categories_are_variables_of_zeros_and_ones() {
    let folder = folder(&[
        ("B.csv", "id,height,soil\nz,3,wet\nv,1,dry\nw,2,moss\nx,4,dry\ny,1,wet\n"),
        ("dummies.csv", "id,height,moss,wet\nv,1,0,0\nw,2,1,0\nx,4,0,0\ny,1,0,1\nz,3,0,1\n"),
        ("texts.csv", "id,soil\nv,a\nw,b\nx,c\ny,d\nz,e\n"),
    ]);
    let run = pca(&folder, "--instruments B.csv -o on").succeeded();
    let on = run.json();
    let expected = pca(&folder, "--instruments dummies.csv").succeeded().json();
    assert_eq!(on["instruments"], serde_json::json!(["height", "soilmoss", "soilwet"]));
    let factor = serde_json::json!([{
        "name": "soil", "levels": ["dry", "moss", "wet"], "reference": "dry"
    }]);
    assert_eq!(on["factors"], factor);
    for key in ["/inertia", "/eigenvalues/0", "/eigenvalues/2"] {
        assert_close(number(&on, key), number(&expected, key), 1e-12);
    }
    assert!(run.stderr.contains("the reference 'dry'"), "{}", run.stderr);
    let text = fs::read_to_string(folder.join("on/ordination.txt")).expect("a file");
    for head in ["Species\t3\t3", "Site\t5\t3", "Biplot\t3\t3", "Site constraints\t5\t3"] {
        assert!(text.contains(head), "{head} is not in {text}");
    }
    pca(&folder, "--instruments texts.csv").failed(2, &["texts.csv", "soil", "each row"]);
}
