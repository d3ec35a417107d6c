//! Tukey g-and-h fields through every command; answers are of NumPy and SciPy.

use std::fs;

use serde_json::Value;

use crate::support::{
    assert_close, column, folder, folder_with, number, root, tegula, tegula_in, tegula_with,
};

const DATA: &str = "data/samples/e_sub140.csv";
const VALUES: &str = "z+0.15*z*z+0.1*z*z*z";

#[test]
fn the_log_likelihood_is_that_of_another_program() {
    let flags = "--covariance exponential --params 2,0.1 --nugget 0.1 --mean zero --json - -q";
    let run = |transform: &str| {
        let arguments = format!("exageostat loglik {DATA} {flags} --transform {transform}");
        number(&tegula_with(&arguments, &["--values", VALUES]).succeeded().json(), "/loglik")
    };
    // Cholesky's factorisation, and the inverse by bisection.
    assert_close(run("tukey-gh:0.3:0.1"), -204.98882067916566, 1e-12);
    assert_close(run("tukey-gh:0:0"), run("none"), 1e-14);
}

/// The greatest likelihood of a general search over all parameters together, and standard errors
/// by its second differences there.
#[test]
fn a_fit_finds_the_maximum_of_all_parameters() {
    let arguments = format!(
        "exageostat fit {DATA} --covariance exponential --mean x --transform tukey-gh --json - -q"
    );
    let found = tegula_with(&arguments, &["--values", VALUES]).succeeded().json();
    assert!((number(&found, "/loglik") + 191.0122053084769).abs() < 1e-6, "{found:#}");
    let answers = [
        ("/coefficients/0/estimate", "/coefficients/0/std_error", -0.31526213, 0.25795),
        ("/coefficients/1/estimate", "/coefficients/1/std_error", 0.10083679, 0.42862),
        ("/params/variance", "/std_errors/variance", 0.6542462, 0.6542462 * 0.23246),
        ("/params/range", "/std_errors/range", 0.0775355, 0.0775355 * 0.23876),
        ("/transform/g", "/transform/std_errors/g", 0.04637222, 0.16507),
        ("/transform/h", "/transform/std_errors/h", 0.2482367, 0.080096),
    ];
    for (at, error_at, estimate, error) in answers {
        let off = (number(&found, at) - estimate).abs();
        assert!(off < 1e-3 * error, "{at}: off by {off}");
        assert_close(number(&found, error_at), error, 2e-3);
    }
    assert!(number(&found, "/evaluations") < 40.0, "{found:#}");
    // The model without the transformation has g = h = 0.
    let plain = format!("exageostat fit {DATA} --covariance exponential --mean x --json - -q");
    let plain = tegula_with(&plain, &["--values", VALUES]).succeeded().json();
    assert!(number(&found, "/loglik") > number(&plain, "/loglik") + 4.0);
}

#[test]
fn a_field_that_is_drawn_goes_through_all_commands() {
    let folder = folder();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    run("sample --n 200 --seed 1 --covariance exponential --params 4,0.2 --transform \
         tukey-gh:0.5:0.1 -o field.csv");
    run("fit field.csv --covariance exponential --transform tukey-gh --estimate-nugget \
         --report r.html -o model.json");
    let text = fs::read_to_string(folder.join("model.json")).expect("a model");
    let model: Value = serde_json::from_str(&text).expect("JSON");
    for name in ["g", "h"] {
        assert!(model["estimated"].as_array().expect("a list").contains(&name.into()));
        let interval = format!("/transform/intervals/{name}");
        let [low, high] = [0, 1].map(|end| number(&model, &format!("{interval}/{end}")));
        let truth = if name == "g" { 0.5 } else { 0.1 };
        assert!(low < truth && truth < high, "{name}: {low} to {high}");
    }
    let again = number(&run("loglik model.json --json - -q").json(), "/loglik");
    assert_close(again, number(&model, "/loglik"), 1e-10);
    // Observed places come back without a nugget; otherwise between their neighbours.
    run("fit field.csv --covariance exponential --transform tukey-gh -o exact.json");
    run("predict exact.json --at field.csv --simulate 2 -o at.csv");
    let at = folder.join("at.csv");
    for name in ["mean", "median", "sim1", "sim2"] {
        for (found, value) in column(&at, name).iter().zip(column(&at, "value")) {
            assert!((found - value).abs() < 1e-6 * (1.0 + value.abs()), "{name}: {found} {value}");
        }
    }
    run("predict model.json --grid 0:1:0.5,0:1:0.5 -o grid.csv");
    let [low, middle, high] =
        ["lower95", "median", "upper95"].map(|name| column(&folder.join("grid.csv"), name));
    for ((low, middle), high) in low.iter().zip(middle).zip(high) {
        assert!(*low < middle && middle < high, "{low}, {middle}, {high}");
    }
    let assessed = run("assess model.json --cross-validate 5 --json - -q").json();
    let aic = 2.0 * (6.0 - number(&model, "/loglik"));
    assert_close(number(&assessed, "/aic"), aic, 1e-12);
    run("sample model.json -o drawn.csv");
    run("plot model.json -o page.html");
    // By neighbours, all of them, it is the same.
    run(
        "fit field.csv --covariance exponential --transform tukey-gh --method vecchia:199 -o v.json",
    );
    let loglik = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).expect("a model");
        number(&serde_json::from_str(&text).expect("JSON"), "/loglik")
    };
    assert_close(loglik("v.json"), loglik("exact.json"), 1e-7);
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let fit = |more: &str| {
        tegula(&format!("exageostat fit {DATA} --covariance exponential --transform {more}"))
    };
    fit("tukey-gh --reml").failed(2, &["--reml", "leave it out"]);
    fit("tukey-gh --information average").failed(2, &["--information", "observed"]);
    fit("tukey-gh --nugget 0.1").failed(2, &["--nugget", "--estimate-nugget"]);
    fit("tukey-gh --bounds variance=1:2").failed(2, &["--bounds"]);
    fit("tukey-gh --start variance=1").failed(2, &["--start"]);
    fit("tukey-gh --method vecchia:20:maximin:latent").failed(2, &["response or grouped"]);
    fit("tukey-gh --precision s").failed(2, &["64 bits"]);
    fit("tukey-gh:0.5:-1").failed(2, &["is not G:H"]);
    let loglik = |more: &str| {
        tegula(&format!(
            "exageostat loglik {DATA} --covariance exponential --params 1,0.1 --transform {more}"
        ))
    };
    loglik("tukey-gh --mean zero").failed(2, &["tukey-gh:G:H"]);
    loglik("tukey-gh:0.1:0.1").failed(2, &["--mean zero"]);
    loglik("tukey-gh:0.9:0 --mean zero").failed(2, &["line 15", "likelihood 0", "-1.11111"]);
    loglik("tukey-gh:0.1:0.1 --mean zero --gradient").failed(2, &["--gradient"]);
    let text = fs::read_to_string(root().join(DATA)).expect("a sample");
    let folder = folder_with("d.csv", &text);
    let run = tegula_in(&folder, "exageostat fit d.csv --transform tukey-gh --checkpoint c");
    run.failed(2, &["--checkpoint"]);
}

#[test]
fn its_page_has_a_variogram_and_the_errors_of_g_and_h() {
    let folder = folder();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    run("sample --n 150 --seed 1 --covariance exponential --params 4,0.2 --transform \
         tukey-gh:0.5:0.1 -o field.csv");
    run("fit field.csv --covariance exponential --transform tukey-gh -o m.json --report fit.html");
    run("plot m.json -o plot.html");
    for name in ["fit.html", "plot.html"] {
        let text = fs::read_to_string(folder.join(name)).expect("a page");
        assert!(text.contains("semivariance") && !text.contains("None: "), "{name}");
        let row = text.lines().find(|line| line.contains("<td>g</td>")).expect("a row");
        assert_eq!(row.matches("class=\"n\">0.").count(), 3, "{row}");
    }
}
