//! Real data of five kinds against the answers of NumPy and SciPy: errors that are known of each
//! value, space and time, three dimensions, three variables with a factor in the mean, two on the
//! sphere.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{answers, assert_close, column, folder, number, root, tegula_in};

/// The folder of the sets, if the set-up has fetched them (they are under the GPL, so they are not
/// part of the project).
#[allow(clippy::print_stderr)]
fn sets() -> Option<PathBuf> {
    let path = root().join("target/sets");
    if path.join("weather.csv").exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there; scripts/setup fetches it", path.display());
    None
}

/// What the answers say of the set called `name`.
fn answer(name: &str) -> Value {
    answers("real_sets.json")[name].clone()
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// Runs `exageostat loglik` at the parameters of the answer, which the result has to be near to.
fn check(folder: &Path, data: &Path, name: &str, flags: &str) {
    let answer = answer(name);
    let params: Vec<String> = list(&answer["params"]).iter().map(f64::to_string).collect();
    let (params, nugget) = (params.join(","), number(&answer, "/nugget"));
    let data = data.display();
    let words = format!("{data} {flags} --params {params} --nugget {nugget}");
    let run = tegula_in(folder, &format!("exageostat loglik {words} --json - -q"));
    let found = run.succeeded().json();
    assert_close(number(&found, "/loglik"), number(&answer, "/loglik"), 1e-11);
    let (coefficients, expected) =
        (list(&found["mean"]["coefficients"]), list(&answer["coefficients"]));
    assert_eq!(coefficients.len(), expected.len(), "{name}");
    for (one, other) in coefficients.into_iter().zip(expected) {
        assert_close(one, other, 1e-8);
    }
}

#[test]
fn likelihoods_of_real_sets_are_those_of_numpy() {
    let Some(sets) = sets() else { return };
    let folder = folder();
    let rain = "--coords lon,lat --values precip --covariance exponential --mean ~elev \
                --noise precipSE^2 --distance great-circle";
    check(&folder, &sets.join("rainfall.csv"), "rainfall", rain);

    let days = std::fs::read_to_string(sets.join("ozone.csv")).expect("a table");
    let is_first = |line: &&str| {
        let day = line.split(',').nth(2).and_then(|day| day.parse::<u32>().ok());
        day.is_none_or(|day| day <= 8)
    };
    let first: Vec<&str> = days.lines().filter(is_first).collect();
    std::fs::write(folder.join("days.csv"), first.join("\n")).expect("written");
    let ozone = "--coords lon,lat --time t --values o3 --covariance gneiting-matern --mean constant \
                 --distance chordal";
    check(&folder, Path::new("days.csv"), "ozone", ozone);

    let quakes = "--coords long,lat,depth --values mag --covariance exponential:xyz --mean ~depth \
                  --distance euclidean";
    check(&folder, &sets.join("quakes.csv"), "quakes", quakes);
    check(&folder, &sets.join("jura.csv"), "jura", JURA);
    check(&folder, &sets.join("weather.csv"), "weather", WEATHER);
}

const JURA: &str = "--coords Xloc,Yloc --values log(Cd),log(Ni),log(Zn) --mean ~C(Rock) \
                    --covariance trivariate-matern-parsimonious";
const WEATHER: &str = "--coords lon,lat --values pressure/100,temperature --mean constant \
                       --covariance bivariate-matern-parsimonious --distance chordal";

/// Co-kriging of three metals at the places of validation, whose rock is known.
#[test]
fn metals_of_the_jura_are_predicted_as_by_numpy() {
    let Some(sets) = sets() else { return };
    let (folder, answer) = (folder(), answer("jura"));
    let names = ["variance", "smoothness"].map(|name| (1..=3).map(move |k| format!("{name}{k}")));
    let [variances, smoothnesses] = names;
    let correlations = ["12", "13", "23"].map(|pair| format!("correlation{pair}"));
    let names = variances.chain(["range".to_owned()]).chain(smoothnesses).chain(correlations);
    let fixed: Vec<String> =
        names.zip(list(&answer["params"])).map(|(name, x)| format!("{name}={x}")).collect();
    let (fixed, data) = (fixed.join(","), sets.join("jura.csv"));
    let data = data.display();
    tegula_in(
        &folder,
        &format!("exageostat fit {data} {JURA} --fix {fixed} --nugget 0.05 -o model.json"),
    )
    .succeeded();
    let at = sets.join("jura-validation.csv");
    let at = at.display();
    tegula_in(&folder, &format!("exageostat predict model.json --at {at} -o p.csv")).succeeded();
    for (number, metal) in ["Cd", "Ni", "Zn"].iter().enumerate() {
        for what in ["mean", "variance"] {
            let found = column(&folder.join("p.csv"), &format!("{what}_{}", number + 1));
            let expected = list(&answer[format!("{what}_{metal}")]);
            assert_eq!(found.len().div_ceil(7), expected.len());
            for (one, other) in found.into_iter().step_by(7).zip(expected) {
                assert_close(one, other, 1e-9);
            }
        }
    }
}

/// The maximum of six parameters that a search without derivatives finds in minutes.
#[test]
fn errors_of_forecasts_are_fitted_as_by_scipy() {
    let Some(sets) = sets() else { return };
    let (answer, data) = (answer("weather"), sets.join("weather.csv"));
    let data = data.display();
    let run = tegula_in(&folder(), &format!("exageostat fit {data} {WEATHER} --json - -q"));
    let found = run.succeeded().json();
    assert_close(number(&found, "/loglik"), number(&answer, "/maximum"), 1e-7);
    let names = ["variance1", "variance2", "range", "smoothness1", "smoothness2", "correlation"];
    for (name, expected) in names.iter().zip(list(&answer["at_maximum"])) {
        let error = number(&found, &format!("/std_errors/{name}"));
        let value = number(&found, &format!("/params/{name}"));
        assert!((value - expected).abs() < 1e-2 * error, "{name}: {value}, not {expected}");
    }
}
