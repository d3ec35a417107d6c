//! At places of a table and of a grid, against the krigings of independent tools.

use std::fs;
use std::path::{Path, PathBuf};

use super::fitted;
use crate::support::{column, folder, folder_with, root, tegula_in};

/// Splits the sample `name` into `train.csv` and `places.csv` in a new folder: rows with
/// `row % every == first` are held out.
fn split(name: &str, every: usize, first: usize) -> PathBuf {
    let text = fs::read_to_string(root().join("data/samples").join(name)).expect("a sample");
    let mut lines = text.lines();
    let header = lines.next().expect("a header").to_owned() + "\n";
    let (mut train, mut places) = (header.clone(), header);
    for (row, line) in lines.enumerate() {
        let part = if row % every == first { &mut places } else { &mut train };
        *part += &format!("{line}\n");
    }
    let folder = folder_with("train.csv", &train);
    fs::write(folder.join("places.csv"), places).expect("a file can be written");
    folder
}

/// Asserts that columns `mean` and `variance` of `predictions.csv` are those of the answers.
#[track_caller]
fn check(folder: &Path, answer: &str, kind: &str) {
    let (found, answer) =
        (folder.join("predictions.csv"), root().join("tests/answers").join(answer));
    for (ours, theirs) in [("mean", "pred"), ("variance", "var")] {
        let (ours, theirs) = (column(&found, ours), column(&answer, &format!("{kind}_{theirs}")));
        assert_eq!(ours.len(), theirs.len());
        // The systems solved have condition numbers of up to 1e6 and solutions of order 10.
        for (row, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert!((ours - theirs).abs() < 1e-8, "{kind}, row {row}: {ours} against {theirs}");
        }
    }
}

#[test]
fn the_held_out_stations_of_texas() {
    for (mean, kind) in [("constant", "constant"), ("latitude", "latitude")] {
        let folder = split("texas-wind.csv", 5, 0);
        let data = "exageostat fit train.csv --values air_temperature_c";
        let known = "--fix variance=8,range=400,smoothness=0.5 --nugget 1";
        tegula_in(&folder, &format!("{data} {known} --mean {mean} -o model.json")).succeeded();
        let at = "exageostat predict model.json --at places.csv -o predictions.csv --json -";
        let result = tegula_in(&folder, at).succeeded().json();
        check(&folder, "texas_wind_kriging.csv", kind);
        let variance = column(&folder.join("predictions.csv"), "variance");
        let observed = column(&folder.join("predictions.csv"), "variance_obs");
        assert!(variance.iter().zip(&observed).all(|(v, o)| (v + 1.0 - o).abs() < 1e-12));
        // The stations were observed, too: the answers give the mean squared error.
        let answers = crate::support::answers("texas_wind.json");
        let expected = crate::support::number(&answers, &format!("/kriging/mspe/{kind}"));
        let found = crate::support::number(&result, "/mean_squared_error");
        crate::support::assert_close(found, expected, 1e-8);
    }
}

#[test]
fn the_held_out_places_of_the_synthetic_set() {
    for (kind, theta) in [
        ("true", "variance=1,range=0.1,smoothness=0.5"),
        ("misspec", "variance=1.3,range=0.05,smoothness=1.2"),
    ] {
        let folder = split("a_synth1600.csv", 16, 7);
        let fit = format!("exageostat fit train.csv --mean zero --fix {theta} -o model.json");
        tegula_in(&folder, &fit).succeeded();
        let at = "exageostat predict model.json --at places.csv -o predictions.csv --workers 2";
        tegula_in(&folder, at).succeeded();
        check(&folder, "a_synth1600_kriging.csv", kind);
    }
}

#[test]
fn other_columns_are_kept_and_names_do_not_collide() {
    let folder = fitted();
    fs::write(folder.join("at.csv"), "id,x,y,mean\na b,.50,0.5,1e3\n\"c,d\",.25,.75,2\n")
        .expect("written");
    let run = tegula_in(&folder, "exageostat predict model.json --at at.csv").succeeded();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "id,x,y,mean,predicted_mean,variance");
    assert!(lines[1].starts_with("a b,.50,0.5,1e3,"), "{}", lines[1]);
    assert!(lines[2].starts_with("\"c,d\",.25,.75,2,"), "{}", lines[2]);
    assert!(run.stderr.contains("predicted_mean"), "{}", run.stderr);
}

#[test]
fn training_data_that_changed_are_refused_unless_asked_for() {
    let folder = fitted();
    let mut text = fs::read_to_string(folder.join("train.csv")).expect("the data are there");
    text += "0.5,0.5,0.5\n";
    fs::write(folder.join("train.csv"), text).expect("written");
    fs::write(folder.join("at.csv"), "x,y\n.5,.5\n").expect("written");
    let predict = "exageostat predict model.json --at at.csv";
    tegula_in(&folder, predict).failed(2, &["train.csv", "digest", "--train train.csv"]);
    let run = tegula_in(&folder, &format!("{predict} --train train.csv")).succeeded();
    assert!(run.stderr.contains("digest"), "{}", run.stderr);
    fs::remove_file(folder.join("train.csv")).expect("the data are there");
    tegula_in(&folder, predict).failed(2, &["cannot open train.csv", "--train"]);
}

#[test]
fn places_that_do_not_fit_the_model_are_refused() {
    let folder = fitted();
    let predict = |text: &str, more: &str| {
        fs::write(folder.join("at.csv"), text).expect("written");
        tegula_in(&folder, &format!("exageostat predict model.json --at at.csv {more}"))
    };
    predict("a,b\n1,2\n", "").failed(2, &["at.csv has no column 'x'", "'a', 'b'"]);
    predict("a,b\n1,2\n", "--coords a").failed(2, &["--coords", "2 coordinates"]);
    predict("x,y\n1,2\n3,\n", "").failed(2, &["at.csv, line 3, column 'y'", "--drop-missing"]);
    predict("x,y\n1,two\n", "").failed(2, &["at.csv, line 2, column 'y'", "'two' is not a number"]);
    let run = predict("x,y\n1,2\n3,\n", "--drop-missing").succeeded();
    assert!(run.stdout.ends_with("3,,NA,NA\n"), "{}", run.stdout);
    predict("a,b\n1,2\n", "--coords a,b").succeeded();
    tegula_in(&folder, "exageostat predict at.csv --at at.csv")
        .failed(2, &["at.csv", "not the JSON of a model", "exageostat fit DATA.csv"]);
    tegula_in(&folder, "exageostat predict model.json").failed(2, &["--at PLACES.csv", "--grid"]);
    fs::write(folder.join("bad.json"), "{\"covariance\": \"matern\"}").expect("written");
    tegula_in(&folder, "exageostat predict bad.json --at at.csv")
        .failed(2, &["bad.json", "the field"]);
}

#[test]
fn a_column_of_the_mean_that_the_places_lack_is_named() {
    let folder = folder();
    let sample = root().join("data/samples/texas-wind.csv");
    let flags = "--values air_temperature_c --covariance exponential --coords longitude,latitude \
                 --fix variance=8,range=400 --nugget 1 --mean wind_speed_east_knots -o model.json";
    tegula_in(&folder, &format!("exageostat fit {} {flags}", sample.display())).succeeded();
    fs::write(folder.join("at.csv"), "longitude,latitude\n-97,31\n").expect("written");
    tegula_in(&folder, "exageostat predict model.json --at at.csv")
        .failed(2, &["at.csv has no column 'wind_speed_east_knots'"]);
}

#[test]
fn the_order_of_latitude_and_longitude_is_that_of_the_model_where_no_name_tells() {
    let folder = folder();
    let sample = root().join("data/samples/texas-wind.csv");
    let flags = "--values air_temperature_c --covariance exponential --fix variance=8,range=400 \
                 --nugget 1 --coords latitude,longitude -o model.json";
    tegula_in(&folder, &format!("exageostat fit {} {flags}", sample.display())).succeeded();
    let predict = |text: &str, more: &str| {
        fs::write(folder.join("at.csv"), text).expect("written");
        let at = format!("exageostat predict model.json --at at.csv -o out.csv {more}");
        tegula_in(&folder, &at).succeeded();
        column(&folder.join("out.csv"), "mean")[0]
    };
    let named = predict("longitude,latitude\n-97,31\n", "");
    assert_eq!(named, predict("a,b\n31,-97\n", "--coords a,b"));
    assert_eq!(named, predict("lon,lat\n-97,31\n", "--coords lon,lat"));
}

/// A fit by neighbours says so in its model, and what evaluates or predicts it does as the fit did.
#[test]
fn neighbours_take_the_place_of_all_observations() {
    let folder = split("a_synth1600.csv", 16, 7);
    let theta = "variance=1,range=0.1,smoothness=0.5";
    let fit = format!("exageostat fit train.csv --mean zero --fix {theta} --method");
    tegula_in(&folder, &format!("{fit} exact -o exact.json")).succeeded();
    let run = tegula_in(&folder, &format!("{fit} vecchia:20:random -o model.json")).succeeded();
    assert!(run.stdout.contains("20 neighbours, ordering random"), "{}", run.stdout);
    let at = "exageostat predict model.json --at places.csv -o predictions.csv --json -";
    let found = tegula_in(&folder, at).succeeded().json();
    assert_eq!(found["method"]["neighbours"], 20);
    let exact = "exageostat predict exact.json --at places.csv -o exact.csv --json -";
    let expected = tegula_in(&folder, exact).succeeded().json();
    assert_eq!(expected["method"]["name"], "exact");
    // Kriging variances are about a tenth of the variance.
    let means = ["predictions.csv", "exact.csv"].map(|name| column(&folder.join(name), "mean"));
    let differences = means[0].iter().zip(&means[1]).map(|(x, y)| (x - y).abs());
    assert!(differences.fold(0.0, f64::max) < 0.05);
    let loglik = "exageostat loglik model.json --json -";
    let found = tegula_in(&folder, loglik).succeeded().json();
    assert_eq!(found["method"]["ordering"], "random");
    assert!(crate::support::number(&found, "/method/error_estimate").abs() < 10.0);
    let loglik = "exageostat loglik model.json --method exact --json -";
    let exact = tegula_in(&folder, loglik).succeeded().json();
    let [found, exact] = [found, exact].map(|run| crate::support::number(&run, "/loglik"));
    assert!((found - exact).abs() < 10.0, "{found}, not {exact}");
    let dry = "exageostat fit train.csv --method vecchia:20 --dry-run --json -";
    let plan = tegula_in(&folder, dry).succeeded().json();
    assert!(plan["fits"] == true && plan["method"]["ordering"] == "maximin", "{plan}");
}

/// A fit by tiles of low rank is one of likelihoods; predictions and scores are exact, and say so.
#[test]
fn tiles_of_low_rank_take_the_place_of_dense_ones() {
    let folder = split("a_synth1600.csv", 4, 3);
    let fit = "exageostat fit train.csv --mean zero --fix smoothness=0.5 --json - --method";
    let exact = tegula_in(&folder, &format!("{fit} exact")).succeeded().json();
    let run = tegula_in(&folder, &format!("{fit} tlr:1e-8 -o model.json")).succeeded();
    let found = run.json();
    assert_eq!(
        (&found["method"]["name"], &found["method"]["accuracy"]),
        (&"tlr".into(), &1e-8.into())
    );
    assert!(crate::support::number(&found, "/method/error_estimate").abs() < 1e-4);
    assert_eq!(
        (&found["optimizer"], &found["information"]),
        (&"surrogate".into(), &"expected".into())
    );
    let remarks = found["remarks"].to_string();
    assert!(remarks.contains("by its values and"), "{remarks}");
    for name in ["variance", "range"] {
        let [found, exact, error] = [
            crate::support::number(&found, &format!("/params/{name}")),
            crate::support::number(&exact, &format!("/params/{name}")),
            crate::support::number(&exact, &format!("/std_errors/{name}")),
        ];
        assert!((found - exact).abs() < 0.02 * error, "{name}: {found}, not {exact}");
    }
    let loglik = "exageostat loglik model.json";
    let run = tegula_in(&folder, loglik).succeeded();
    for text in ["tiles of low rank to 1e-8", "below the diagonal of low rank", "tlr:1e-9 instead"]
    {
        assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    }
    let at = "exageostat predict model.json --at places.csv -o predictions.csv";
    let run = tegula_in(&folder, &format!("{at} --json -")).succeeded().json();
    assert_eq!(run["method"]["name"], "exact");
    assert!(run["remarks"].to_string().contains("predictions are exact"), "{run}");
    let near = tegula_in(&folder, &format!("{at} --neighbours 30 --json -")).succeeded().json();
    assert_eq!(
        (&near["method"]["name"], &near["method"]["neighbours"]),
        (&"vecchia".into(), &30.into())
    );
    assert!(near["remarks"].to_string().contains("predictions are from neighbours"), "{near}");
    tegula_in(&folder, &format!("{at} --method tlr")).failed(2, &["--method", "vecchia:M"]);
    let assess = "exageostat assess model.json --json -";
    let run = tegula_in(&folder, assess).succeeded().json();
    assert_eq!(run["method"]["name"], "exact");
    let dry = "exageostat fit train.csv --method tlr --dry-run --json -";
    let plan = tegula_in(&folder, dry).succeeded().json();
    assert!(plan["fits"] == true && plan["method"]["accuracy"] == 1e-6, "{plan}");
}

/// Likelihoods in 64 and 32 bits, and with a taper, are fitted and evaluated again; predictions and
/// scores are exact, and say so.
#[test]
fn likelihoods_in_two_precisions_or_with_a_taper_have_exact_predictions() {
    let folder = split("a_synth1600.csv", 4, 3);
    let fit = "exageostat fit train.csv --mean zero --fix smoothness=0.5 --json - --method";
    let exact = tegula_in(&folder, &format!("{fit} exact")).succeeded().json();
    let best = crate::support::number(&exact, "/loglik");
    for (method, key, error, words) in [
        ("mixed:0.01", "accuracy", 1e-2, &["64 and 32 bits to 1e-2", "mixed:1e-3 instead"]),
        ("dst:0.3", "range", 30.0, &["a taper of range 0.3", "60 neighbours instead of a taper"]),
    ] {
        let run = format!("{fit} {method} --tile-size 64 -o model.json");
        let found = tegula_in(&folder, &run).succeeded().json();
        let (name, value) = method.split_once(':').expect("it has one");
        assert_eq!(found["method"]["name"], name);
        assert_eq!(found["method"][key].to_string(), value);
        let loglik = crate::support::number(&found, "/loglik");
        assert!((loglik - best).abs() < error, "{method}: {loglik}, not {best}");
        let estimate = crate::support::number(&found, "/method/error_estimate");
        assert!(estimate != 0.0 && estimate.abs() < error, "{method}: {estimate}");
        let remarks = found["remarks"].to_string();
        let guided = if name == "dst" { "alone" } else { "and" };
        assert!(remarks.contains(&format!("by its values {guided}")), "{remarks}");
        assert_eq!(remarks.contains("is biased"), name == "dst", "{remarks}");
        let run = tegula_in(&folder, "exageostat loglik model.json --tile-size 64").succeeded();
        for text in words.iter().chain(&["tiles of order 64"]) {
            assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
        }
        let at = "exageostat predict model.json --at places.csv -o predictions.csv";
        let run = tegula_in(&folder, &format!("{at} --json -")).succeeded().json();
        assert_eq!(run["method"]["name"], "exact");
        assert!(run["remarks"].to_string().contains("predictions are exact"), "{run}");
        tegula_in(&folder, &format!("{at} --method {method}")).failed(2, &["vecchia:M"]);
        let run = tegula_in(&folder, "exageostat assess model.json --json -").succeeded().json();
        assert_eq!(run["method"]["name"], "exact");
        let page = "exageostat plot model.json -o model.html";
        tegula_in(&folder, page).succeeded();
        let dry = format!("exageostat fit train.csv --method {method} --dry-run --json -");
        let plan = tegula_in(&folder, &dry).succeeded().json();
        assert!(plan["fits"] == true && plan["method"]["name"] == name, "{plan}");
        assert!(crate::support::number(&plan, "/flops") <= 1200f64.powi(3) / 2.9, "{plan}");
    }
}

/// The latent form is kept by the model, and refuses what it cannot do.
#[test]
fn a_latent_field_is_predicted_place_by_place() {
    let folder = split("a_synth1600.csv", 16, 7);
    let theta = "variance=1,range=0.1,smoothness=0.5";
    let fit = "exageostat fit train.csv --mean zero --estimate-nugget --fix";
    let run = format!("{fit} {theta} --method vecchia:20:latent -o model.json");
    let text = tegula_in(&folder, &run).succeeded().stdout;
    assert!(text.contains("ordering maximin, latent"), "{text}");
    let given = "variance=1,range=0.1,smoothness=0.5 --nugget 0.1";
    let theta = format!("--covariance matern --params {given} --mean zero");
    let of = |method: &str| {
        let run = format!("exageostat loglik train.csv {theta} --method {method} --json -");
        crate::support::number(&tegula_in(&folder, &run).succeeded().json(), "/loglik")
    };
    let [found, exact] = ["vecchia:20:latent", "exact"].map(of);
    assert!((found - exact).abs() < 3.0, "{found}, not {exact}");
    let at = "exageostat predict model.json --at places.csv";
    let found = tegula_in(&folder, &format!("{at} -o predictions.csv --json -")).succeeded().json();
    assert_eq!(found["method"]["form"], "latent");
    let exact = format!("{at} --method exact -o exact.csv");
    tegula_in(&folder, &exact).succeeded();
    let [found, exact] = ["predictions.csv", "exact.csv"]
        .map(|name| ["mean", "variance"].map(|of| column(&folder.join(name), of)));
    for (found, exact) in found.iter().zip(&exact) {
        let differences = found.iter().zip(exact).map(|(x, y)| (x - y).abs());
        assert!(differences.fold(0.0, f64::max) < 0.05);
    }
    let assess = "exageostat assess model.json --cross-validate 4 --fisher --json -";
    let found = tegula_in(&folder, assess).succeeded().json();
    assert_eq!(found["fisher"]["information_kind"], "average");
    for flag in ["--joint c.npy", "--simulate 2", "--block 0.1"] {
        tegula_in(&folder, &format!("{at} {flag} -o p.csv")).failed(2, &["latent", "vecchia:M"]);
    }
}

#[test]
fn models_of_other_versions_of_the_form_are_told_apart() {
    let (folder, sample) = (folder(), root().join("data/samples/e_sub140.csv"));
    let fit = format!("exageostat fit {} --covariance exponential", sample.display());
    tegula_in(&folder, &format!("{fit} -o model.json")).succeeded();
    let text = std::fs::read_to_string(folder.join("model.json")).expect("the model is there");
    let written = "\"format_version\": \"1.0\"";
    assert!(text.contains(written), "{text}");
    let run = |version: &str| {
        let text = text.replace(written, version);
        std::fs::write(folder.join("other.json"), text).expect("written");
        tegula_in(&folder, "exageostat loglik other.json")
    };
    // Of before there were versions, and of a later one that says more.
    for version in ["\"earlier\": 1", "\"format_version\": \"1.7\""] {
        run(version).succeeded();
    }
    run("\"format_version\": \"2.0\"").failed(2, &["other.json", "version 2.0", "reads version 1"]);
    run("\"format_version\": [1]").failed(2, &["other.json", "format_version is not a version"]);
}

#[test]
fn nodes_of_a_grid_are_places() {
    let folder = fitted();
    let predict = "exageostat predict model.json";
    let grid = format!("{predict} --grid 0:1:0.25,0.5:1:0.5 -o grid.csv --json -");
    let result = tegula_in(&folder, &grid).succeeded().json();
    assert_eq!(result["places"], 10);
    let text = fs::read_to_string(folder.join("grid.csv")).expect("written");
    assert!(text.starts_with("x,y,mean,variance\n0,0.5,"), "{text}");
    let nodes: String = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').take(2).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    fs::write(folder.join("at.csv"), format!("x,y\n{nodes}")).expect("written");
    tegula_in(&folder, &format!("{predict} --at at.csv -o at_out.csv")).succeeded();
    assert_eq!(text, fs::read_to_string(folder.join("at_out.csv")).expect("written"));
    for (more, words) in [
        ("--grid 0:1:0.3,0:1:0.5", &["does not divide it: 3.333 steps; end at 0.9,"][..]),
        ("--grid 0:1:0.5", &["--grid has 1 axis", "2 coordinates (x, y)"]),
        ("--grid 0:1:1,0:1:1,0:1:1", &["--grid has 3 axes,"]),
        ("--grid 0:1:0.1,0:1e9:0.001", &["1.000e12 nodes: take a larger step"]),
        ("--grid 0:1:0.5,0:1:0.5 --at at.csv", &["cannot be used with"]),
        ("", &["--at PLACES.csv"]),
    ] {
        tegula_in(&folder, &format!("{predict} {more}")).failed(2, words);
    }
}

#[test]
fn a_grid_has_no_columns_for_a_mean_that_needs_them() {
    let folder = folder();
    let sample = root().join("data/samples/texas-wind.csv");
    let flags = "--values air_temperature_c --covariance exponential --coords longitude,latitude \
                 --fix variance=8,range=400 --nugget 1";
    let fit = |mean: &str| {
        let sample = sample.display();
        let fit = format!("exageostat fit {sample} {flags} --mean {mean} -o model.json");
        tegula_in(&folder, &fit).succeeded();
        tegula_in(&folder, "exageostat predict model.json --grid -100:-98:1,30:31:1")
    };
    fit("latitude").succeeded();
    fit("wind_speed_east_knots+latitude").failed(2, &["takes wind_speed_east_knots too", "--at"]);
    let poles = "exageostat predict model.json --grid -100:-98:1,80:100:10";
    fit("latitude").succeeded();
    tegula_in(&folder, poles).failed(2, &["--grid, node 7", "100 is no latitude"]);
}

/// More places than are predicted at a time: each is what it is where it is one of few.
#[test]
fn places_of_any_number_are_predicted_part_by_part() {
    let text: String = (0..20).map(|i| format!("{},{},{}\n", i % 5, i / 5, i * i % 7)).collect();
    let folder = folder_with("train.csv", &format!("x,y,z\n{text}"));
    let fit = "exageostat fit train.csv --covariance exponential --values z --coords x,y --fix \
               variance=2,range=3 --nugget 0.1 -o model.json";
    for method in ["exact", "vecchia:20"] {
        tegula_in(&folder, &format!("{fit} --method {method}")).succeeded();
        let predict = "exageostat predict model.json";
        let many = format!("{predict} --grid 0:2.99:0.01,0:2.99:0.01 -o many.csv");
        tegula_in(&folder, &many).succeeded();
        let few = format!("{predict} --grid 0:2.99:0.01,2.9:2.99:0.01 -o few.csv");
        tegula_in(&folder, &few).succeeded();
        for name in ["x", "y", "mean", "variance", "variance_obs"] {
            let (many, few) =
                (column(&folder.join("many.csv"), name), column(&folder.join("few.csv"), name));
            assert_eq!((many.len(), few.len()), (90_000, 3000));
            for (many, few) in many[87_000..].iter().zip(&few) {
                // Sums of some tens of terms of order 1, in another order at most.
                assert!((many - few).abs() < 1e-12, "{method} {name}: {many} against {few}");
            }
        }
    }
    // What is wrong on the last line is found before anything is predicted or written.
    let mut rows: String =
        (0..70_000).map(|i| format!("{},0.5\n", f64::from(i) / 70_000.0)).collect();
    fs::write(folder.join("at.csv"), format!("x,y\n{rows}")).expect("written");
    let predict = "exageostat predict model.json --at at.csv -o out.csv";
    tegula_in(&folder, predict).succeeded();
    let before = fs::read_to_string(folder.join("out.csv")).expect("written");
    rows += "1,NA\n2,\n3,far\n";
    fs::write(folder.join("at.csv"), format!("x,y\n{rows}")).expect("written");
    tegula_in(&folder, predict).failed(2, &["at.csv, line 70004", "'far' is not a number"]);
    let rows = rows.replace("far", "NA");
    fs::write(folder.join("at.csv"), format!("x,y\n{rows}")).expect("written");
    tegula_in(&folder, predict)
        .failed(2, &["at.csv, line 70002", "3 of the 70003 rows", "--drop-missing"]);
    assert_eq!(before, fs::read_to_string(folder.join("out.csv")).expect("written"));
    let run = tegula_in(&folder, &format!("{predict} --drop-missing")).succeeded();
    assert!(run.stdout.contains("3 rows lacked a value"), "{}", run.stdout);
}

/// A signal ends a prediction at once, and leaves nothing beside its output.
#[test]
fn what_a_signal_ends_leaves_no_temporary_file() {
    use std::os::unix::process::ExitStatusExt;
    let sample = root().join("data/samples/e_sub140.csv");
    for (name, signal) in [("INT", 2), ("TERM", 15)] {
        let folder = folder();
        let fit = format!("exageostat fit {} --fix variance=1,range=0.1", sample.display());
        tegula_in(&folder, &format!("{fit},smoothness=0.5 -o model.json")).succeeded();
        let grid = "exageostat predict model.json --grid 0:1:0.0005,0:1:0.0005 -o out.csv";
        // Whoever runs the tests may have signals ignored.
        let plain = crate::support::command(&folder, grid);
        let words = ["env", &format!("--default-signal={name}")];
        let mut child = crate::checkpoint::through(&words, &plain)
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the binary starts");
        let files = || -> Vec<String> {
            let entries = fs::read_dir(&folder).expect("a folder").flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        while !files().iter().any(|file| file.ends_with(".tmp")) {
            let ended = child.try_wait().expect("a child");
            assert!(ended.is_none(), "{ended:?}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let kill = format!("kill -{name} {}", child.id());
        std::process::Command::new("sh").args(["-c", &kill]).status().expect("sent");
        assert_eq!(child.wait().expect("ended").signal(), Some(signal));
        assert_eq!(files(), ["model.json"], "{name}");
    }
}

#[test]
fn what_does_not_exist_behind_a_pole_is_counted() {
    let sample = root().join("data/samples/e_sub140.csv");
    let folder = folder();
    let fit = format!("exageostat fit {} --fix variance=1,range=0.1", sample.display());
    let fit = format!("{fit},smoothness=0.5 --values exp(z) --transform box-cox:-0.5");
    tegula_in(&folder, &format!("{fit} -o model.json")).succeeded();
    let predict = "exageostat predict model.json --grid 0:1:0.5,0:1:0.5 -o out.csv --json -";
    let remarks = tegula_in(&folder, predict).succeeded().json()["remarks"].to_string();
    let missing = column(&folder.join("out.csv"), "mean").iter().filter(|x| x.is_nan()).count();
    assert!(missing > 1, "{remarks}");
    for words in [format!("mean at {missing} places"), "lambda -0.5".to_owned(), "2".to_owned()] {
        assert!(remarks.contains(&words), "{words}: {remarks}");
    }
}
