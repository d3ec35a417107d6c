//! Which columns of a table a model takes: by name where there are names, and by number where there
//! are none.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Run, column, folder_with, number, root, tegula_in};

/// A folder with the same observations with names and without, `id,x,y` of three of the places, and
/// a model of each.
fn folder() -> PathBuf {
    let sample = fs::read_to_string(root().join("data/samples/e_sub140.csv")).expect("a sample");
    let (_, bare) = sample.split_once('\n').expect("a header");
    let folder = folder_with("named.csv", &sample);
    fs::write(folder.join("bare.csv"), bare).expect("written");
    let places: Vec<&str> =
        bare.lines().take(3).map(|line| &line[..line.rfind(',').expect("z")]).collect();
    let numbered = |header: &str| {
        let rows = places.iter().enumerate().map(|(id, place)| format!("{id},{place}\n"));
        header.to_owned() + &rows.collect::<String>()
    };
    fs::write(folder.join("at.csv"), numbered("id,x,y\n")).expect("written");
    fs::write(folder.join("at_bare.csv"), numbered("")).expect("written");
    for (data, model, more) in
        [("bare.csv", "bare.json", ""), ("named.csv", "named.json", "--coords 1,2 --values 3")]
    {
        let fix = "--fix variance=1,range=0.1,smoothness=0.5";
        run(&folder, &format!("fit {data} {fix} {more} -o {model}")).succeeded();
    }
    folder
}

fn run(folder: &Path, arguments: &str) -> Run {
    tegula_in(folder, &format!("exageostat {arguments}"))
}

#[test]
fn places_with_a_header_are_matched_by_name_or_refused() {
    let folder = folder();
    let predict = |model: &str, at: &str, more: &str| {
        run(&folder, &format!("predict {model} --at {at} -o out.csv --json - {more}"))
    };
    // Numbers on data with a header mean its names.
    let named = predict("named.json", "at.csv", "").succeeded().json();
    assert_eq!(named["data"]["columns"]["coords"], serde_json::json!(["x", "y"]));
    let expected = column(&folder.join("out.csv"), "mean");
    predict("bare.json", "at.csv", "")
        .failed(2, &["at.csv has a header (id, x, y)", "columns 1, 2", "--coords x,y"]);
    let found = predict("bare.json", "at.csv", "--coords x,y").succeeded().json();
    assert_eq!(column(&folder.join("out.csv"), "mean"), expected);
    // The third column is y, and no value.
    assert!(found["mean_squared_error"].is_null() && found["mean_squared_residual"].is_null());
    let found = predict("bare.json", "at_bare.csv", "--coords 2,3").succeeded().json();
    assert_eq!(column(&folder.join("out.csv"), "mean"), expected);
    assert!(found["mean_squared_error"].is_null() && found["mean_squared_residual"].is_null());
    predict("named.json", "at_bare.csv", "").failed(2, &["no column 'x'", "--coords"]);
    predict("named.json", "at_bare.csv", "--coords 2,3").succeeded();
    assert_eq!(column(&folder.join("out.csv"), "mean"), expected);
    // Data without a header match places without one by position.
    let found = predict("bare.json", "bare.csv", "").succeeded().json();
    assert!(number(&found, "/mean_squared_residual") < 1e-20);
}

#[test]
fn other_data_with_a_header_are_refused_where_a_model_takes_numbers() {
    let folder = folder();
    run(&folder, "loglik bare.json").succeeded();
    run(&folder, "loglik bare.json --train named.csv")
        .failed(2, &["named.csv has a header", "by number (1, 2, 3)", "fit again"]);
    run(&folder, "loglik named.json --train bare.csv").failed(2, &["no column 'x'"]);
}

#[test]
fn a_number_of_a_column_is_no_constant() {
    let folder = folder();
    let loglik = |more: &str| run(&folder, &format!("loglik named.csv --params 1,0.1,0.5 {more}"));
    loglik("--coords 1,7").failed(2, &["named.csv has no column '7'"]);
    loglik("--coords 0,1").failed(2, &["named.csv has no column '0'"]);
    loglik("--values 4").failed(2, &["named.csv has no column '4'"]);
    loglik("--values 2*3").failed(2, &["--values", "no column stands in '2*3'"]);
    loglik("--coords x,-1.5").failed(2, &["--coords", "no column stands in '-1.5'"]);
    loglik("--mean `2`").failed(2, &["--mean: column 2 of named.csv is called 'y'"]);
    run(&folder, "loglik bare.csv --params 1,0.1,0.5 --mean `2`").succeeded();
    run(&folder, "predict bare.json --at at.csv --coords 2,9").failed(2, &["no column '9'"]);
}

#[test]
fn a_mean_of_numbers_takes_no_columns_of_a_header() {
    let folder = folder();
    let fix = "--fix variance=1,range=0.1,smoothness=0.5 --mean `2`";
    run(&folder, &format!("fit bare.csv {fix} -o model.json")).succeeded();
    run(&folder, "predict model.json --at bare.csv").succeeded();
    run(&folder, "predict model.json --at at.csv --coords x,y")
        .failed(2, &["at.csv has a header", "the mean of model.json takes column 2"]);
}
