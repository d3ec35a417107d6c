//! `tegula diodon pca` and `coa`: results in a folder, and what is refused.

use std::fs;

use serde_json::json;

use crate::support::{folder_with, tegula_in};

/// Three sites and four variables, of which one does not vary.
const TABLE: &str = "id,a,b,c,d\nx,1,2,7,0.5\ny,3,1,7,2\nz,2,6,7,1\n";
const COUNTS: &str = "id,a,b,c\nx,4,0,1\ny,1,5,2\nz,0,2,6\nw,3,3,3\n";

#[test]
fn pca_writes_items_and_variables() {
    let folder = folder_with("X.csv", TABLE);
    for method in ["exact", "krylov"] {
        let arguments =
            format!("diodon pca X.csv --axes 2 --method {method} -o out-{method} --json -");
        let run = tegula_in(&folder, &arguments).succeeded();
        let json = run.json();
        assert_eq!(json["pretreatment"], "standard");
        assert!((json["inertia"].as_f64().expect("a number") - 3.0).abs() < 1e-12, "{json}");
        assert!(run.stderr.contains("c [3]"), "the constant column is named: {}", run.stderr);
        let read = |name: &str| {
            fs::read_to_string(folder.join(format!("out-{method}/{name}"))).expect("a file")
        };
        assert!(read("coordinates.csv").starts_with("id,axis1,axis2\nx,"));
        let variables = read("variables.csv");
        assert_eq!(variables.lines().count(), 5, "{variables}");
        let constant = variables.lines().find_map(|line| line.strip_prefix("c,")).expect("a line");
        let numbers = constant.split(',').map(|x| x.parse::<f64>().expect("a number"));
        assert!(numbers.into_iter().all(|x| x.abs() < 1e-12), "{constant}");
    }
}

#[test]
fn coa_places_rows_and_columns_and_leaves_lines_of_zeros_out() {
    let folder = folder_with("N.csv", COUNTS);
    let run = tegula_in(&folder, "diodon coa N.csv -o out --json -").succeeded();
    let json = run.json();
    assert_eq!((&json["axes"], &json["rows"]), (&2.into(), &4.into()));
    let variables = fs::read_to_string(folder.join("out/variables.csv")).expect("a file");
    assert_eq!(variables.lines().count(), 4, "{variables}");
    assert_eq!((&json["dropped_rows"], &json["eigenvalues_are"]), (&json!([]), &"exact".into()));
    let labels = "id,kind,size\nx,dry,1\ny,dry,2\nz,wet,3\nw,wet,4\n";
    fs::write(folder.join("labels.csv"), labels).expect("written");
    fs::write(folder.join("zero.csv"), COUNTS.replace("y,1,5,2", "y,0,0,0")).expect("written");
    let run = tegula_in(&folder, "diodon coa zero.csv --labels labels.csv -o zero --json -");
    let run = run.succeeded();
    assert_eq!(run.json()["dropped_rows"], json!(["y"]));
    assert!(run.stderr.contains("1 row holds nothing but zeros"), "{}", run.stderr);
    let coordinates = fs::read_to_string(folder.join("zero/coordinates.csv")).expect("a file");
    let ids: Vec<&str> = coordinates.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(ids, ["id", "x", "z", "w"]);
    tegula_in(&folder, "diodon pca N.csv --method exact --passes 9").failed(2, &["--passes"]);
}
