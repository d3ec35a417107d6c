//! What is said of data that may not mean what they are taken for, and in `remarks` of the JSON.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{folder, folder_with, number, root, tegula_in};

/// The remarks of `exageostat arguments` in `folder`, each of which stands on standard error too.
fn remarks(folder: &Path, arguments: &str) -> Vec<String> {
    let run = tegula_in(folder, &format!("exageostat {arguments} --json result.json")).succeeded();
    let text = fs::read_to_string(folder.join("result.json")).expect("the result is there");
    let result: Value = serde_json::from_str(&text).expect("JSON");
    let remarks = result["remarks"].as_array().expect("a list");
    let told = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let remarks = remarks.iter().map(|remark| remark.as_str().expect("text").to_owned());
    remarks.inspect(|remark| assert!(told.contains(remark), "{remark} in {told}")).collect()
}

/// A table of 60 rows with coordinates, a value, and columns of other kinds.
fn table(x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> String {
    let mut text = "x,y,z,lead,time,soil\n".to_owned();
    for row in 0..60 {
        let (a, b) = (f64::from(row % 8) + 0.25, f64::from(row / 8) + 0.125);
        let z = (a * 1.7).sin() + (b * 2.3).cos();
        writeln!(text, "{},{},{z},{},{},{}", x(a), y(b), a * b, row % 3, row % 4 + 1)
            .expect("text");
    }
    text
}

/// Asserts that `remarks` are as many as `words`, each with its words.
#[track_caller]
fn check(remarks: &[String], words: &[&str]) {
    assert_eq!(remarks.len(), words.len(), "{remarks:#?}");
    for (remark, words) in remarks.iter().zip(words) {
        assert!(remark.contains(words), "{words} in {remark}");
    }
}

const LOGLIK: &str = "loglik data.csv --covariance exponential --params 1,1";

#[test]
fn columns_that_were_chosen_or_passed_over() {
    let folder = folder_with("data.csv", &table(|x| x, |y| y));
    let time = "column 'time' is not used";
    check(&remarks(&folder, LOGLIK), &["those of column 'z'; left out: lead, soil", time]);
    check(&remarks(&folder, &format!("{LOGLIK} --values z")), &[time]);
    check(&remarks(&folder, &format!("{LOGLIK} --values z --mean time")), &["has 3 values"]);
    let mean = format!("{LOGLIK} --values z --mean time*soil");
    check(&remarks(&folder, &mean), &["'time' of the mean has 3", "'soil' of the mean has 4"]);
    let fit = "fit data.csv --fix variance=1,range=1,smoothness=0.5 --values z";
    check(&remarks(&folder, fit), &[time]);
}

#[test]
fn codes_of_missing_values() {
    let text = table(|x| x, |y| y).replace(",time,", ",id,");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in [5, 9] {
        let cells: Vec<&str> = lines[line].split(',').collect();
        lines[line] = format!("{},{},-9999,{},0,1", cells[0], cells[1], cells[3]);
    }
    let folder = folder_with("data.csv", &lines.join("\n"));
    let remarks = remarks(&folder, &format!("{LOGLIK} --values z"));
    check(&remarks, &["data.csv, column 'z': -9999 stands in 2 rows (the first is line 6)"]);
}

#[test]
fn degrees_under_plain_names() {
    let text = table(|x| x - 100.0, |y| y + 30.0).replace(",time,", ",id,");
    let folder = folder_with("data.csv", &text);
    let loglik = format!("{LOGLIK} --values z");
    check(
        &remarks(&folder, &loglik),
        &["x (-99.75 to -92.75) and y (30.12 to 37.12) look like degrees"],
    );
    check(&remarks(&folder, &format!("{loglik} --distance euclidean")), &[]);
    check(&remarks(&folder, &format!("{loglik} --distance great-circle")), &[]);
    let sample = root().join("data/samples/a_synth1600.csv");
    let unit = format!("loglik {} --params 1,0.1,0.5", sample.display());
    check(&remarks(&folder, &unit), &[]);
}

#[test]
fn places_far_from_the_data_and_errors_at_the_data() {
    let folder = folder_with("data.csv", &table(|x| x, |y| y));
    let fix = "--covariance exponential --fix variance=1,range=1";
    tegula_in(&folder, &format!("exageostat fit data.csv --values z {fix} -o model.json"))
        .succeeded();
    fs::write(folder.join("at.csv"), "x,y,z\n1,1,0.5\n2000,1,0.5\n2.25,3.125,7\n")
        .expect("written");
    let predict = "predict model.json --at at.csv -o out.csv";
    check(&remarks(&folder, predict), &["1 of 3 places lie farther"]);
    let text = fs::read_to_string(folder.join("result.json")).expect("the result is there");
    let result: Value = serde_json::from_str(&text).expect("JSON");
    // The third is a place of the data, where the prediction is what was observed there.
    let z = (2.25f64 * 1.7).sin() + (3.125f64 * 2.3).cos();
    assert!((number(&result, "/mean_squared_residual") - (7.0 - z).powi(2)).abs() < 1e-9);
    assert!(number(&result, "/mean_squared_error") < 7.0);
    fs::write(folder.join("at.csv"), "x,y\n1,1\n2,1\n3,2\n2,-9999\n").expect("written");
    check(&remarks(&folder, predict), &["at.csv, column 'y': -9999 stands in 1 row", "1 of 4"]);
    let run =
        tegula_in(&folder, "exageostat predict model.json --at data.csv -o out.csv").succeeded();
    assert!(
        run.stdout.contains("mean squared residual at 60 places of the data"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("mean squared error"), "{}", run.stdout);
}

#[test]
fn a_covariance_that_may_be_none_on_the_sphere_is_one_with_chordal_distance() {
    let folder = folder();
    let sample = root().join("data/samples/texas-wind.csv");
    fs::copy(sample, folder.join("data.csv")).expect("the sample is there");
    let known = "--values air_temperature_c --mean latitude --nugget 1";
    let fit = format!("fit data.csv {known} --fix variance=8,range=400,smoothness=1.5");
    let way = "--fix smoothness=0.5), or take --distance chordal";
    for command in [
        format!("{fit} -o model.json"),
        format!("loglik data.csv {known} --params 8,400,1.5"),
        "predict model.json --at data.csv -o out.csv".to_owned(),
        "loglik model.json".to_owned(),
        "sample -n 20 --distance great-circle --params 8,400,0.7 -o field.csv".to_owned(),
    ] {
        check(&remarks(&folder, &command), &[way]);
    }
    let model = fs::read_to_string(folder.join("model.json")).expect("the model is there");
    assert!(model.contains(way), "{model}");
    let gaussian = format!("loglik data.csv {known} --covariance gaussian --params 8,400");
    check(&remarks(&folder, &gaussian), &["results may be meaningless: take --distance chordal"]);
    check(&remarks(&folder, &format!("{fit} --distance chordal -o chordal.json")), &[]);
    check(&remarks(&folder, "predict chordal.json --at data.csv -o out.csv"), &[]);
    check(&remarks(&folder, "sample -n 20 --distance chordal --params 8,400,2 -o field.csv"), &[]);
    // Over hundreds of kilometres the chord is nearly the arc.
    let exponential = format!("loglik data.csv {known} --covariance exponential --params 8,400");
    remarks(&folder, &exponential);
    let read = || {
        let text = fs::read_to_string(folder.join("result.json")).expect("the result is there");
        number(&serde_json::from_str(&text).expect("JSON"), "/loglik")
    };
    let arc = read();
    remarks(&folder, &format!("{exponential} --distance chordal"));
    assert!((read() - arc).abs() < 0.1 && read() != arc, "{} against {arc}", read());
}

#[test]
fn neighbours_that_take_more_than_all_observations() {
    let folder = folder_with("data.csv", &table(|x| x, |y| y).replace(",time,", ",id,"));
    let run = |method: &str| remarks(&folder, &format!("{LOGLIK} --values z --method {method}"));
    check(&run("vecchia:20"), &["vecchia:20 takes longer than the exact likelihood of 60 places"]);
    check(&run("vecchia:10"), &[]);
}
