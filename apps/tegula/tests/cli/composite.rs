//! Covariances that are put together from others, through every command that takes one: sums,
//! several variables, space and time.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{column, folder, tegula_in};

const TWO: &str = "--covariance bivariate-matern-parsimonious";
const MOVING: &str = "--covariance gneiting-matern";

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

fn model(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a model")).expect("JSON")
}

/// A folder with `two.csv`, two variables at 120 places.
fn two() -> PathBuf {
    let folder = folder();
    let draw =
        format!("exageostat sample --n 120 --seed 3 {TWO} --params 1,4,0.2,0.5,0.8,0.7 -o two.csv");
    tegula_in(&folder, &draw).succeeded();
    folder
}

/// A fit is at a maximum: the derivatives there are small beside the standard errors.
fn check_maximum(folder: &Path, name: &str) {
    let model = model(&folder.join(name));
    let found = tegula_in(folder, &format!("exageostat loglik {name} --gradient --json - -q"));
    let found = found.succeeded().json();
    let loglik = number(&model, "/loglik");
    assert!((number(&found, "/loglik") - loglik).abs() < 1e-8 * loglik.abs(), "{found}");
    for (parameter, error) in model["std_errors"].as_object().expect("errors") {
        if let Some(error) = error.as_f64() {
            let slope = number(&found, &format!("/gradient/{parameter}")) * error;
            assert!(slope.abs() < 0.02, "{name}, {parameter}: {slope}");
        }
    }
}

#[test]
fn two_variables_are_fitted_and_each_predicted_from_both() {
    let folder = two();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    run(&format!("fit two.csv --values value1,value2 {TWO} --mean constant -o model.json"));
    check_maximum(&folder, "model.json");
    let fitted = model(&folder.join("model.json"));
    let correlation = number(&fitted, "/params/correlation");
    assert!((0.3..0.95).contains(&correlation), "{correlation}");
    let names: Vec<&str> = fitted["coefficients"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["value1: (Intercept)", "value2: (Intercept)"]);
    run("predict model.json --at two.csv -o back.csv");
    for name in ["value1", "value2"] {
        let (observed, predicted) = (
            column(&folder.join("two.csv"), name),
            column(&folder.join("back.csv"), &format!("mean_{name}")),
        );
        for (x, y) in observed.iter().zip(&predicted) {
            assert!((x - y).abs() < 1e-6, "kriging interpolates: {x}, {y}");
        }
    }
    run("assess model.json --cross-validate 4 --fisher");
    run("sample model.json -o drawn.csv");
    assert_eq!(column(&folder.join("drawn.csv"), "drawn_value1").len(), 120);
    run(&format!("fit two.csv --values value1,value2 {TWO} --dry-run"));
}

/// From neighbours as from all: the same estimates within their errors, and nearly the same
/// predictions.
#[test]
fn neighbours_stand_for_all_observations_of_two_variables() {
    let folder = two();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let fit = format!("fit two.csv --values value1,value2 {TWO} --mean constant");
    run(&format!("{fit} -o exact.json"));
    run(&format!("{fit} --method vecchia:40:grouped -o near.json"));
    check_maximum(&folder, "near.json");
    let [exact, near] = ["exact.json", "near.json"].map(|name| model(&folder.join(name)));
    for (parameter, error) in exact["std_errors"].as_object().expect("errors") {
        let Some(error) = error.as_f64() else { continue };
        let [one, other] =
            [&exact, &near].map(|model| number(model, &format!("/params/{parameter}")));
        assert!((one - other).abs() < 0.5 * error, "{parameter}: {one}, {other}, {error}");
    }
    run("sample -n 50 --seed 8 --params 1,1,1 -o places.csv");
    run("predict exact.json --at places.csv --coords x,y -o all.csv");
    run("predict near.json --at places.csv --coords x,y -o some.csv");
    run("predict exact.json --at places.csv --coords x,y --neighbours 30 -o few.csv");
    for column_name in ["mean_value1", "mean_value2", "variance_value1", "variance_value2"] {
        let all = column(&folder.join("all.csv"), column_name);
        for (name, most) in [("some.csv", 0.3), ("few.csv", 0.05)] {
            let some = column(&folder.join(name), column_name);
            let spread = all.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            for (x, y) in all.iter().zip(&some) {
                assert!((x - y).abs() < most * spread, "{name}, {column_name}: {x}, {y}");
            }
        }
    }
    run("assess near.json --cross-validate 4");
}

/// A variable that lacks values is predicted better with the other than without.
#[test]
fn a_variable_that_was_not_observed_is_predicted_from_the_other() {
    let folder = two();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let text = fs::read_to_string(folder.join("two.csv")).expect("it is there");
    let blanked: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(row, line)| match (row > 0 && row % 2 == 0, line.rsplit_once(',')) {
            (true, Some((rest, _))) => format!("{rest},NA"),
            _ => line.to_owned(),
        })
        .collect();
    fs::write(folder.join("half.csv"), blanked.join("\n") + "\n").expect("it is written");
    let refused = format!(
        "exageostat loglik half.csv --values value1,value2 {TWO} --params 1,4,0.2,0.5,0.8,0.7"
    );
    tegula_in(&folder, &refused).failed(2, &["--drop-missing"]);
    let flags = "--drop-missing --mean zero --max-evaluations 200";
    run(&format!("fit half.csv --values value1,value2 {TWO} {flags} -o both.json"));
    run(&format!("fit half.csv --values value2 --covariance matern {flags} -o one.json"));
    run("predict both.json --at two.csv -o both.csv");
    run("predict one.json --at two.csv -o one.csv");
    let truth = column(&folder.join("two.csv"), "value2");
    let error = |predicted: Vec<f64>| -> f64 {
        let rows = truth.iter().zip(predicted).skip(1).step_by(2);
        rows.map(|(x, y)| (x - y).powi(2)).sum()
    };
    let with = error(column(&folder.join("both.csv"), "mean_value2"));
    let without = error(column(&folder.join("one.csv"), "mean"));
    assert!(with < 0.8 * without, "{with} with the other variable, {without} without");
}

#[test]
fn a_field_in_space_and_time_goes_through_all_commands() {
    let folder = folder();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let draw = "--params 1,0.2,0.5,1,0.5,0.5,0";
    run(&format!("sample --n 40 --times 4 --seed 2 {MOVING} {draw} -o moving.csv"));
    assert_eq!(column(&folder.join("moving.csv"), "t").len(), 160);
    let fix = "--fix smoothness=0.5,time_power=0.5,time_decay=0";
    run(&format!(
        "fit moving.csv --values value --time t {MOVING} {fix} --mean zero -o model.json"
    ));
    check_maximum(&folder, "model.json");
    run("predict model.json --at moving.csv -o back.csv");
    let columns = ["value", "mean"].map(|name| column(&folder.join("back.csv"), name));
    for (x, y) in columns[0].iter().zip(&columns[1]) {
        assert!((x - y).abs() < 1e-6, "kriging interpolates: {x}, {y}");
    }
    // The time is the last axis of a grid.
    run("predict model.json --grid 0.1:0.9:0.4,0.2:0.8:0.6,1:4:1.5 -o grid.csv");
    run("predict model.json --at grid.csv -o same.csv");
    assert_eq!(column(&folder.join("grid.csv"), "t")[4..8], [1.0, 1.0, 2.5, 2.5]);
    let columns = ["mean", "predicted_mean"].map(|name| column(&folder.join("same.csv"), name));
    assert!(columns[0].len() == 18 && columns[0] == columns[1]);
    tegula_in(&folder, "exageostat predict model.json --grid 0:1:1,0:1:1 -o grid.csv")
        .failed(2, &["--grid has 2 axes", "2 coordinates (x, y) and the time t"]);
    run("predict model.json --at moving.csv --simulate 2 -o drawn.csv");
    run("assess model.json --cross-validate 4");
    run("sample model.json --seed 4 -o again.csv");
    run("sample model.json --at moving.csv -o again.csv");
    // Without interaction and with a time that never passes it is the field in space alone.
    let flat = format!("loglik moving.csv --values value --time 0*t {MOVING} --nugget 0.1 {draw}");
    let flat = number(&run(&format!("{flat} --json - -q")).json(), "/loglik");
    let plain = "loglik moving.csv --values value --nugget 0.1 --params 1,0.2,0.5 --json - -q";
    let plain = number(&run(plain).json(), "/loglik");
    assert!((flat - plain).abs() < 1e-9 * plain.abs(), "{flat}, {plain}");
}

#[test]
fn sums_are_fitted_and_take_tiles_of_low_rank() {
    let folder = folder();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let sum = "--covariance exponential+gaussian";
    run(&format!("sample --n 300 --seed 5 {sum} --params 0.5,0.03,1,0.3 -o field.csv"));
    run(&format!("fit field.csv {sum} --mean zero -o model.json"));
    check_maximum(&folder, "model.json");
    run("fit field.csv --covariance exponential --mean zero -o plain.json");
    let [sum, plain] = ["model.json", "plain.json"].map(|name| model(&folder.join(name)));
    assert!(number(&sum, "/loglik") >= number(&plain, "/loglik") - 1e-6);
    run("plot model.json -o page.html");
    run("predict model.json --grid 0:1:0.5,0:1:0.5 -o grid.csv");
    let exact = run("loglik model.json --json - -q").json();
    let flags = "--covariance exponential+gaussian --params 0.5,0.03,1,0.3 --json - -q";
    let exact_again = run(&format!("loglik field.csv {flags}")).json();
    let ranks = run(&format!("loglik field.csv {flags} --method tlr:1e-9 --tile-size 64")).json();
    assert!((number(&exact_again, "/loglik") - number(&ranks, "/loglik")).abs() < 1e-4);
    assert!(number(&exact, "/loglik") >= number(&exact_again, "/loglik"));
}

#[test]
fn what_does_not_go_together_is_refused_with_what_to_do() {
    let folder = two();
    let three = "--covariance trivariate-matern-parsimonious";
    for (arguments, says) in [
        (format!("loglik two.csv --values value1 {TWO} --params 1,1,1,1,1,0"), "name 2 variables"),
        (
            "loglik two.csv --values value1,value2 --params 1,1,1".to_owned(),
            "covariance of 2 variables",
        ),
        (format!("loglik two.csv --values value1 {MOVING} --params 1,1,1,1,1,1,0"), "--time t"),
        (
            "loglik two.csv --values value1 --time x --params 1,1,1".to_owned(),
            "does not depend on time",
        ),
        (format!("sample --n 9 {TWO} --params 1,1,1,1,1,1.5"), "at most 1"),
        (format!("sample --n 9 {MOVING} --params 1,1,1,1,1,-0.1,0"), "0 or more"),
        (format!("sample --n 9 {three} --params 1,1,1,1,1,1,1,0.9,0.9,-0.9"), "do not go together"),
        (format!("sample --n 9 {MOVING} --params 1,1,1,1,1,0,0"), "--times"),
        ("sample --n 9 --covariance matern+what --params 1".to_owned(), "matern+exponential"),
        (
            format!("fit two.csv --values value1,value2 {TWO} --method vecchia:9:latent"),
            "vecchia:M:grouped",
        ),
        (format!("fit two.csv --values value1,value2 {TWO} --method dst:0.5"), "does not take"),
        ("variogram two.csv --values value1,value2".to_owned(), "one variable"),
    ] {
        tegula_in(&folder, &format!("exageostat {arguments}")).failed(2, &[says]);
    }
}

#[test]
fn each_variable_has_scores_of_its_own() {
    let folder = two();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let fixed = "--fix variance1=1,variance2=4,range=0.2,smoothness1=0.5,smoothness2=0.8";
    run(&format!("fit two.csv --values value1,value2 {TWO} {fixed} --mean zero -o model.json"));
    let found = run("assess model.json --cross-validate 3 --json -");
    let scores = found.json();
    for part in ["loo", "folds"] {
        let of = |k: usize, key: &str| number(&scores, &format!("/{part}/variables/{k}/{key}"));
        assert_eq!(scores[part]["variables"][1]["name"], "value2");
        assert_eq!((of(0, "n"), of(1, "n")), (120.0, 120.0));
        let pooled = (0.5 * (of(0, "rmse").powi(2) + of(1, "rmse").powi(2))).sqrt();
        assert!((number(&scores, &format!("/{part}/rmse")) / pooled - 1.0).abs() < 1e-12);
        assert!(of(1, "rmse") > of(0, "rmse"), "{scores:#}");
    }
    for title in ["leave-one-out, value1", "leave-one-out, value2", "parts left out, value1"] {
        assert!(found.stderr.contains(title), "{title}: {}", found.stderr);
    }
    // Values at other places.
    let table = "x,y,value1,value2\n0.31,0.32,5,-5\n0.71,0.12,5,-5\n";
    fs::write(folder.join("at.csv"), table).expect("written");
    let found = run("predict model.json --at at.csv -o p.csv --json -");
    let errors = found.json();
    for (k, (name, observed)) in [("value1", 5.0), ("value2", -5.0)].into_iter().enumerate() {
        let means = column(&folder.join("p.csv"), &format!("mean_{name}"));
        let expected = means.iter().map(|mean| (observed - mean).powi(2)).sum::<f64>() / 2.0;
        assert_eq!(errors["variables"][k]["name"], name);
        let error = number(&errors, &format!("/variables/{k}/mean_squared_error"));
        assert!((error / expected - 1.0).abs() < 1e-9, "{errors:#}");
        assert!(found.stderr.contains(&format!("{name}: mean squared error")), "{}", found.stderr);
    }
}

/// Tables as ExaGeoStat writes them have no names: coordinates, the time, values.
#[test]
fn tables_without_names_have_the_columns_of_their_covariance() {
    let folder = folder();
    let run = |arguments: &str| {
        tegula_in(&folder, &format!("exageostat {arguments} --json - -q")).succeeded().json()
    };
    let draws = [
        (TWO, "1,4,0.2,0.5,0.8,0.7", "--n 40", "--values value1,value2"),
        (MOVING, "1,0.1,0.5,1,0.5,0.5,0", "--n 20 --times 3", "--time t"),
    ];
    for (covariance, params, draw, columns) in draws {
        tegula_in(
            &folder,
            &format!("exageostat sample {draw} {covariance} --params {params} -o named.csv"),
        )
        .succeeded();
        let text = fs::read_to_string(folder.join("named.csv")).expect("a table");
        let (_, rows) = text.split_once('\n').expect("a header");
        fs::write(folder.join("plain.csv"), rows).expect("a table");
        let known = format!("{covariance} --params {params} --mean zero");
        let named = run(&format!("loglik named.csv {columns} {known}"));
        let plain = run(&format!("loglik plain.csv {known}"));
        assert_eq!(number(&named, "/loglik"), number(&plain, "/loglik"), "{covariance}");
    }
    let three = "--covariance trivariate-matern-parsimonious";
    tegula_in(&folder, &format!("exageostat fit plain.csv {three}"))
        .failed(2, &["which columns are the coordinates?", "--coords"]);
}
