//! What other programs for these models get wrong, as their users and sources tell: each must be
//! right here. What is wrong with their numbers is tested beside the answers of independent tools.

use std::fmt::Write;
use std::fs;

use crate::support::{assert_close, column, folder, number, root, tegula_in};

/// A number from 0 to 1 for each index, without order.
fn fraction(index: usize, step: f64) -> f64 {
    (step * index as f64).fract()
}

/// The distance on the sphere counts in likelihoods, fits, predictions and losses of efficiency,
/// not only where fields are drawn: around a pole, longitudes are directions, and a map that keeps
/// distances from the pole keeps all of them nearly.
#[test]
fn distance_on_the_sphere_counts_wherever_it_is_asked_for() {
    let (folder, radius) = (folder(), 6371.0);
    let tables = || ("lat,lon,z\n".to_owned(), "x,y,z\n".to_owned());
    let (mut sphere, mut map) = tables();
    for i in 0..100 {
        if i == 80 {
            // The rest are places to predict at.
            fs::write(folder.join("sphere.csv"), &sphere).expect("written");
            fs::write(folder.join("map.csv"), &map).expect("written");
            (sphere, map) = tables();
        }
        let (colatitude, longitude) = (fraction(i, 0.754877666246693).sqrt(), fraction(i, 0.5698));
        let (km, angle) = (radius * colatitude.to_radians(), std::f64::consts::TAU * longitude);
        let (x, y) = (km * angle.cos(), km * angle.sin());
        let z = (0.05 * x).sin() + (0.04 * y).cos() + 0.3 * (fraction(i, 0.3819) - 0.5);
        let degrees = 360.0 * longitude - 180.0 * f64::from(u8::from(longitude > 0.5)) * 2.0;
        writeln!(sphere, "{},{degrees},{z}", 90.0 - colatitude).expect("a line");
        writeln!(map, "{x},{y},{z}").expect("a line");
    }
    fs::write(folder.join("at-sphere.csv"), sphere).expect("written");
    fs::write(folder.join("at-map.csv"), map).expect("written");
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let model = "--covariance exponential --params 1.5,40 --nugget 0.05 --mean constant";
    let loglik =
        |data: &str| number(&run(&format!("loglik {data} {model} --json - -q")).json(), "/loglik");
    let flat = loglik("map.csv --coords x,y");
    assert_close(loglik("sphere.csv --coords lat,lon --distance great-circle"), flat, 1e-4);
    // What is ignored elsewhere would be the distance of degrees.
    let degrees = loglik("sphere.csv --coords lat,lon --distance euclidean");
    assert!((degrees - flat).abs() > 1.0, "{degrees}, {flat}");
    for (data, coords, name) in
        [("map.csv", "x,y", "flat"), ("sphere.csv", "lat,lon --distance great-circle", "round")]
    {
        run(&format!(
            "fit {data} --coords {coords} --covariance exponential --estimate-nugget -o {name}.json"
        ));
        run(&format!("predict {name}.json --at at-{data} -o {name}.csv"));
        let losses = "--mloe-mmom --truth variance=2,range=30,nugget=0.02";
        run(&format!("assess {name}.json {losses} --at at-{data} --json {name}-assess.json"));
    }
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(folder.join(name)).expect("JSON")).expect("JSON")
    };
    let (flat, round) = (json("flat.json"), json("round.json"));
    for key in ["/loglik", "/params/range", "/params/variance"] {
        assert_close(number(&round, key), number(&flat, key), 2e-3);
    }
    let [flat, round] = ["flat.csv", "round.csv"].map(|name| column(&folder.join(name), "mean"));
    flat.iter().zip(&round).for_each(|(x, y)| assert!((x - y).abs() < 2e-3, "{x}, {y}"));
    let (flat, round) = (json("flat-assess.json"), json("round-assess.json"));
    for key in ["/mloe", "/loo/rmse"] {
        assert!((number(&round, key) - number(&flat, key)).abs() < 2e-3, "{key}");
    }
}

/// In space too, ranges are ranges, with a nugget and in the powered exponential.
#[test]
fn coordinates_and_ranges_scale_together_in_space() {
    let folder = folder();
    let (mut near, mut far) = ("x,y,z,v\n".to_owned(), "x,y,z,v\n".to_owned());
    for i in 0..60 {
        let at = [0.754877666246693, 0.569840290998053, 0.3819660112501051].map(|s| fraction(i, s));
        let value = (4.0 * at[0]).sin() + at[1] * at[2];
        writeln!(near, "{},{},{},{value}", at[0], at[1], at[2]).expect("a line");
        writeln!(far, "{},{},{},{value}", 10.0 * at[0], 10.0 * at[1], 10.0 * at[2])
            .expect("a line");
    }
    fs::write(folder.join("near.csv"), near).expect("written");
    fs::write(folder.join("far.csv"), far).expect("written");
    let loglik = |data: &str, model: &str| {
        let words = format!(
            "exageostat loglik {data} --coords x,y,z --values v --nugget 0.1 {model} --json - -q"
        );
        number(&tegula_in(&folder, &words).succeeded().json(), "/loglik")
    };
    for (covariance, one, ten) in [
        ("matern", "1,0.3,0.8", "1,3,0.8"),
        // There the range is of the distance's power: 10^1.5.
        ("powered-exponential", "1,0.3,1.5", "1,9.486832980505138,1.5"),
    ] {
        let model = |values: &str| format!("--covariance {covariance} --params {values}");
        let (near, far) = (loglik("near.csv", &model(one)), loglik("far.csv", &model(ten)));
        assert_close(near, far, 1e-11);
        assert!((loglik("far.csv", &model(one)) - near).abs() > 0.1, "{covariance}: {near}");
    }
}

/// What a fit reports is its best evaluation, not the last one; it says whether it has converged,
/// and does not start from the lower bounds.
#[test]
fn a_fit_reports_the_best_that_it_evaluated() {
    let data = root().join("data/samples/a_synth1600.csv");
    let folder = folder();
    let data = data.display();
    for optimizer in ["average-information", "fisher-scoring", "bobyqa"] {
        let words = format!(
            "exageostat fit {data} --optimizer {optimizer} --max-evaluations 40 -v -o m.json"
        );
        let run = tegula_in(&folder, &words).succeeded();
        let evaluations: Vec<f64> = run
            .stdout
            .lines()
            .chain(run.stderr.lines())
            .filter(|line| line.contains("variance="))
            .filter_map(|line| line.split_whitespace().nth(1)?.parse().ok())
            .collect();
        assert!(evaluations.len() > 3, "{optimizer}: {}", run.stdout);
        let best = evaluations.iter().fold(f64::NEG_INFINITY, |most, l| most.max(*l));
        let text = fs::read_to_string(folder.join("m.json")).expect("a model");
        let model: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let reported = number(&model, "/loglik");
        assert!((reported - best).abs() < 1e-5, "{optimizer}: {reported}, {best}");
        assert!(model["converged"].is_boolean() && evaluations[0] < best, "{optimizer}");
        let again = tegula_in(&folder, "exageostat loglik m.json --json - -q").succeeded().json();
        assert_close(number(&again, "/loglik"), reported, 1e-10);
        // Standard errors are roots of the diagonal of the inverse information, not its first row:
        // those of the expected one come again.
        let fisher = "exageostat assess m.json --fisher --json - -q";
        let fisher = tegula_in(&folder, fisher).succeeded().json();
        for name in ["variance", "range", "smoothness"] {
            let error = number(&model, &format!("/std_errors/{name}"));
            let again = number(&fisher, &format!("/fisher/std_errors/{name}"));
            assert_close(error, again, 1e-6);
        }
    }
}

/// A parameter may be fixed below 0, and more places predicted than observed.
#[test]
fn negative_parameters_are_fixed_and_places_may_be_more_than_data() {
    let folder = folder();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let two = "--covariance bivariate-matern-parsimonious";
    run(&format!("sample -n 40 {two} --params 1,2,0.2,0.5,0.5,-0.4 -o two.csv"));
    let fit = format!("fit two.csv --values value1,value2 {two} --mean zero");
    let fitted = run(&format!("{fit} --fix correlation=-0.4 -o two.json --json - -q")).json();
    assert_eq!(number(&fitted, "/params/correlation"), -0.4);
    run("sample -n 300 --params 1,0.1,0.5 -o places.csv");
    run("predict two.json --at places.csv --coords x,y -o out.csv");
    assert_eq!(column(&folder.join("out.csv"), "mean_value2").len(), 300);
}

/// The seed is 0 unless one is given, and the same seed draws the same field.
#[test]
fn draws_are_the_same_again() {
    let folder = folder();
    let draw = |more: &str| {
        let words = format!("exageostat sample -n 50 --params 1,0.1,0.5 {more} -o d.csv");
        tegula_in(&folder, &words).succeeded();
        fs::read(folder.join("d.csv")).expect("a table")
    };
    let first = draw("");
    assert_eq!(first, draw("--seed 0"));
    assert_ne!(first, draw("--seed 1"));
}

/// Blocks near the diagonal alone are no covariance matrix of the standard example; with a taper
/// they are one, and how far the likelihood is off is said.
#[test]
fn a_band_is_a_covariance_matrix_and_says_what_it_costs() {
    let data = root().join("data/samples/a_synth1600.csv");
    let loglik = |method: &str| {
        let model = "--params 1,0.1,0.5 --mean zero";
        let words = format!(
            "exageostat loglik {} {model} --method {method} --tile-size 200 --json - -q",
            data.display()
        );
        tegula_in(&folder(), &words).succeeded().json()
    };
    let (exact, band) = (number(&loglik("exact"), "/loglik"), loglik("dst:0.3"));
    let (found, error) = (number(&band, "/loglik"), number(&band, "/method/error_estimate"));
    assert!((exact - found).abs() < 4.0 * error.abs(), "{exact}, {found}, {error}");
}
