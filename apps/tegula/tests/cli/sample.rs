//! `tegula exageostat sample`: draws that can be repeated and read back.

use std::fs;

use crate::support::{column, folder, folder_with, tegula, tegula_in};

const SAMPLE: &str =
    "exageostat sample --n 300 --params variance=1,range=0.1,smoothness=0.5 --tile-size 64";

#[test]
fn a_seed_gives_the_same_field_whatever_the_workers() {
    let folder = folder();
    let draw = |name: &str, more: &str| {
        tegula_in(&folder, &format!("{SAMPLE} {more} -o {name}")).succeeded();
        (column(&folder.join(name), "x"), column(&folder.join(name), "value"))
    };
    let one = draw("a.csv", "--seed 5 --workers 1");
    for (name, more) in [
        ("b.csv", "--workers 3"),
        ("c.csv", "--policy random"),
        ("d.csv", "--deterministic --workers 2"),
    ] {
        let other = draw(name, &format!("--seed 5 {more}"));
        assert_eq!(one.0, other.0, "the places do not depend on {more}");
        // A row of the product sums at most 300 terms below 4 in size, in any order.
        let close =
            one.1.iter().zip(&other.1).all(|(a, b)| (a - b).abs() < 300.0 * 4.0 * f64::EPSILON);
        assert!(close, "the values do not depend on {more}");
    }
    let again = fs::read(folder.join("a.csv")).expect("the field is there");
    tegula_in(&folder, &format!("{SAMPLE} --seed 5 --workers 1 -o again.csv")).succeeded();
    assert_eq!(again, fs::read(folder.join("again.csv")).expect("the field is there"));
    assert_ne!(one.1, draw("e.csv", "--seed 6").1);
}

#[test]
fn a_field_can_be_fitted_as_it_is_written() {
    for (more, coordinates) in [
        ("--dimensions 1", "x (euclidean"),
        ("--dimensions 2", "x, y (euclidean"),
        ("--dimensions 3", "x, y, z (euclidean"),
        ("--distance great-circle", "longitude, latitude (great-circle"),
    ] {
        let folder = folder();
        tegula_in(&folder, &format!("{SAMPLE} {more} -o field.csv")).succeeded();
        let flags = "--params 1,0.1,0.5";
        let run = tegula_in(&folder, &format!("exageostat loglik field.csv {flags}")).succeeded();
        assert!(run.stdout.contains(coordinates), "{coordinates} in {}", run.stdout);
        assert!(run.stdout.contains("values       value: 300"), "{}", run.stdout);
    }
}

#[test]
fn a_table_of_places_gets_one_more_column() {
    let folder = folder_with("places.csv", "name;x;y\na;0,5;1\nb;2;3,25\n");
    let flags = "--at places.csv --covariance exponential --params 1,2";
    let run = tegula_in(&folder, &format!("exageostat sample {flags}")).succeeded();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "name;x;y;value");
    assert!(lines[1].starts_with("a;0,5;1;") && lines.len() == 3, "{}", run.stdout);
}

#[test]
fn contradictions_are_refused() {
    tegula("exageostat sample --params 1,0.1,0.5").failed(2, &["--n"]);
    tegula("exageostat sample --n 5 --at x.csv --params 1,0.1,0.5").failed(2, &["--at", "--n"]);
    tegula("exageostat sample --n 5 --dimensions 3 --distance great-circle --params 1,0.1,0.5")
        .failed(2, &["--dimensions 2"]);
    tegula("exageostat sample --n 0 --params 1,0.1,0.5").failed(2, &["--n"]);
    tegula("exageostat sample --n 5 --params 1,0.1,0.5 -o no/such/folder.csv")
        .failed(2, &["no/such", "there is no folder"]);
}

#[test]
fn draws_and_predictions_can_be_traced() {
    let folder = folder();
    tegula_in(&folder, &format!("{SAMPLE} -o field.csv --trace draw.csv")).succeeded();
    let draw = fs::read_to_string(folder.join("draw.csv")).expect("the trace is there");
    for phase in ["generation", "factorization", "product"] {
        assert!(draw.contains(phase), "{phase} in {draw}");
    }
    let fit = "exageostat fit field.csv --fix smoothness=0.5 --max-evaluations 3 -o model.json";
    tegula_in(&folder, fit).succeeded();
    let predict = "exageostat predict model.json --at field.csv -o out.csv --trace predict.svg";
    tegula_in(&folder, predict).succeeded();
    let picture = fs::read_to_string(folder.join("predict.svg")).expect("the trace is there");
    assert!(picture.contains("projection"), "the phases are named");
    tegula_in(&folder, &format!("{SAMPLE} -o field.csv --trace draw.txt"))
        .failed(2, &["draw.txt", ".svg"]);
}
