//! `tegula exageostat predict` against the krigings of independent tools.

use std::fs;
use std::path::{Path, PathBuf};

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

/// A folder with `train.csv` and a model of it.
fn fitted() -> PathBuf {
    let text = fs::read_to_string(root().join("data/samples/e_sub140.csv")).expect("a sample");
    let folder = folder_with("train.csv", &text);
    let fit = "exageostat fit train.csv --fix smoothness=0.5 -o model.json";
    tegula_in(&folder, fit).succeeded();
    folder
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
        .failed(2, &["at.csv", "not the JSON of a model"]);
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
        ("--grid 0:1:0.3,0:1:0.5", &["does not divide it: 3.3333333333333335 steps"][..]),
        ("--grid 0:1:0.5", &["--grid has 1 axis", "2 coordinates (x, y)"]),
        ("--grid 0:1:0.1,0:1e9:0.001", &["1.000e12 nodes: take a larger step"]),
        ("--grid 0:1:0.5,0:1:0.5 --at at.csv", &["cannot be used with"]),
        ("", &["--at <PLACES.csv>"]),
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

/// Observations at 12 places, as R's `i <- 0:11; x <- (7*i) %% 12 + 0.25*(i %% 3);
/// y <- (5*i) %% 9 + 0.5*(i %% 2); z <- sin(i) + 0.1*i`, with a model of them.
fn twelve(more: &str) -> PathBuf {
    let row = |i: i32| {
        let (x, y) = ((7 * i) % 12, (5 * i) % 9);
        let (x, y) =
            (f64::from(x) + 0.25 * f64::from(i % 3), f64::from(y) + 0.5 * f64::from(i % 2));
        let z = f64::from(i).sin() + 0.1 * f64::from(i);
        format!("{x:?},{y:?},{z:?}\n")
    };
    let rows: String = (0..12).map(row).collect();
    let folder = folder_with("train.csv", &format!("x,y,value\n{rows}"));
    fs::write(folder.join("at.csv"), "x,y\n3,4\n8.5,1.25\n-1,10\n").expect("written");
    let fit = "exageostat fit train.csv --covariance exponential --fix variance=1.5,range=4";
    tegula_in(&folder, &format!("{fit} --nugget 0.2 -o model.json {more}")).succeeded();
    folder
}

/// Predicts the three places of [`twelve`] with `flags`, and compares mean and variance.
#[track_caller]
fn check_three(folder: &Path, flags: &str, answers: [[f64; 2]; 3], tolerance: f64) {
    let predict = format!("exageostat predict model.json --at at.csv -o out.csv {flags}");
    tegula_in(folder, &predict).succeeded();
    for (column_index, name) in ["mean", "variance"].into_iter().enumerate() {
        let found = column(&folder.join("out.csv"), name);
        for (found, answer) in found.iter().zip(answers) {
            let error = (found - answer[column_index]).abs();
            assert!(error < tolerance, "{flags}, {name}: {found}, not {}", answer[column_index]);
        }
    }
}

/// The answers are those of numpy, with the nodes of `numpy.polynomial.legendre.leggauss(4)`:
/// `k = w @ cov(nodes, places)`, `b = (1' C^-1 z) / (1' C^-1 1)`, mean `b + k' C^-1 (z - b)`,
/// variance `w' cov(nodes, nodes) w - k' C^-1 k + (1 - 1' C^-1 k)^2 / (1' C^-1 1)`. Those of gstat
/// 2.1 agree to 3e-8, since its nodes and weights have nine digits: `krige(z~1, d, at,
/// vgm(1.5, "Exp", 4, add.to = vgm(0.2, "Err", 0)), block = c(3, 1))` gives 0.49760640925225352
/// and 0.60817519257242414 at the first place, `z~x` 0.54555582051852336 and 0.62098366596045518.
#[test]
fn blocks_are_predicted_by_the_mean_over_them() {
    let folder = twelve("");
    let point = [
        [0.494_582_696_341_085_1, 0.938_131_393_771_550_5],
        [0.744_092_543_510_177_6, 1.038_432_639_913_461],
        [0.883_180_093_562_793_1, 1.285_329_149_525_166_9],
    ];
    let square = [
        [0.500_161_357_144_097_3, 0.610_839_125_862_657_8],
        [0.739_792_878_935_026_1, 0.710_886_311_932_481_8],
        [0.880_772_765_323_900_6, 0.957_389_110_654_447_2],
    ];
    let rectangle = [
        [0.497_606_408_984_192_7, 0.608_175_213_242_216_6],
        [0.709_790_836_967_020_4, 0.700_390_602_154_695],
        [0.883_801_445_465_363_1, 0.940_070_191_005_522_1],
    ];
    // The table of the covariance is good to some 1e-15 of the variance.
    let neighbours = ["", "--neighbours 12", "--neighbours 100", "--method vecchia:12"];
    for more in neighbours {
        check_three(&folder, more, point, 1e-12);
        check_three(&folder, &format!("--block 0 {more}"), point, 1e-12);
        check_three(&folder, &format!("--block 2 {more}"), square, 1e-12);
        check_three(&folder, &format!("--block 2x2 {more}"), square, 1e-12);
        check_three(&folder, &format!("--block 3x1 {more}"), rectangle, 1e-12);
    }
    let slope = [
        [0.545_555_820_518_523_4, 0.620_983_665_960_455_2],
        [0.604_408_974_041_857_2, 0.762_258_077_786_281_9],
        [1.129_392_372_689_778_3, 1.276_082_687_352_963_4],
    ];
    let folder = twelve("--mean x");
    check_three(&folder, "--block 3x1", slope, 1e-7);
    for (flags, words) in [
        ("--block 2x2x2", "a side for each of 2 coordinates, not 3"),
        ("--block -1", "write WIDTH or WIDTHxHEIGHT"),
        ("--neighbours 0", "'0' is no number of neighbours"),
    ] {
        let predict = format!("exageostat predict model.json --at at.csv {flags}");
        tegula_in(&folder, &predict).failed(2, &[words]);
    }
}

/// Simple kriging from five neighbours: `krige(z~1, d, at, beta = 0, nmax = 5)` of gstat 2.1, as
/// above, at places and of blocks.
#[test]
fn neighbours_are_the_nearest_observations() {
    let nearest = [
        [0.188_832_678_448_991_65, 0.997_047_695_214_812_7],
        [0.570_414_668_582_321_3, 0.999_359_467_840_509],
        [0.627_098_143_549_925, 1.156_814_019_232_747_2],
    ];
    let blocks = [
        [0.191_004_775_845_040_47, 0.667_385_734_626_559_3],
        [0.536_232_820_168_034_3, 0.661_528_203_247_428_9],
        [0.628_655_350_086_777_4, 0.812_328_801_365_654_8],
    ];
    let folder = twelve("--mean zero");
    for method in ["exact", "vecchia:12"] {
        check_three(&folder, &format!("--neighbours 5 --method {method}"), nearest, 1e-12);
        check_three(
            &folder,
            &format!("--neighbours 5 --method {method} --block 0"),
            nearest,
            1e-12,
        );
        let block = format!("--neighbours 5 --method {method} --block 3x1");
        check_three(&folder, &block, blocks, 1e-7);
    }
}

/// The matrix is numpy's `cov(T, T) - K' C^-1 K + (1 - 1' C^-1 K)' (1 - 1' C^-1 K) / (1' C^-1 1)`
/// for the places `T` of [`twelve`] and one of the observations, `K` their covariances with the
/// observations.
#[test]
fn predictions_have_a_joint_distribution() {
    let folder = twelve("");
    fs::write(folder.join("at.csv"), "x,y\n3,4\n8.5,1.25\n-1,10\n0,0\n").expect("written");
    let answer = [
        0.938_131_393_771_551,
        -0.008_802_422_387_777_717,
        0.059_873_730_371_647_84,
        0.016_367_165_090_403_71,
        -0.008_802_422_387_777_717,
        1.038_432_639_913_461_4,
        0.070_636_076_570_438_58,
        0.010_237_413_385_491_94,
        0.059_873_730_371_647_84,
        0.070_636_076_570_438_56,
        1.285_329_149_525_167_5,
        0.021_911_741_346_959_814,
        0.016_367_165_090_403_82,
        0.010_237_413_385_491_884,
        0.021_911_741_346_959_855,
        0.172_337_187_976_294_85_f64,
    ];
    let count = 20_000;
    for flags in ["", "--method vecchia:12"] {
        let predict = "exageostat predict model.json --at at.csv --seed 3";
        let all = format!("{predict} -o out.csv --joint joint.csv --simulate {count} {flags}");
        tegula_in(&folder, &all).succeeded();
        let rows = fs::read_to_string(folder.join("joint.csv")).expect("written");
        let found: Vec<f64> =
            rows.lines().flat_map(|row| row.split(',')).filter_map(|x| x.parse().ok()).collect();
        assert_eq!(found.len(), 16, "{rows}");
        for (found, answer) in found.iter().zip(answer) {
            assert!((found - answer).abs() < 1e-12, "{flags}: {found}, not {answer}");
        }
        let text = fs::read_to_string(folder.join("out.csv")).expect("written");
        let cells: Vec<Vec<f64>> = text
            .lines()
            .skip(1)
            .map(|row| row.split(',').map(|cell| cell.parse().expect("a number")).collect())
            .collect();
        for (i, row) in cells.iter().enumerate() {
            // x, y, mean, variance, variance_obs, then the draws.
            let (mean, variance, draws) = (row[2], row[3], &row[5..]);
            assert!((variance - answer[5 * i]).abs() < 1e-12);
            assert_eq!(draws.len(), count);
            let n = count as f64;
            let error = draws.iter().map(|z| z - mean).sum::<f64>() / n;
            // Five standard errors.
            assert!(error.abs() < 5.0 * (variance / n).sqrt(), "{flags}, mean {i}: {error}");
            for j in 0..=i {
                let pairs = draws.iter().zip(&cells[j][5..]);
                let product: f64 = pairs.map(|(z, y)| (z - mean) * (y - cells[j][2])).sum();
                let spread = answer[5 * i] * answer[5 * j] + answer[4 * i + j].powi(2);
                let error = product / n - answer[4 * i + j];
                assert!(error.abs() < 5.0 * (spread / n).sqrt(), "{flags}, {i}, {j}: {error}");
            }
        }
        let again = format!("{predict} -o again.csv --simulate {count} {flags} --workers 1");
        tegula_in(&folder, &again).succeeded();
        assert_eq!(text, fs::read_to_string(folder.join("again.csv")).expect("written"));
    }
    let predict = "exageostat predict model.json --grid 0:1:0.01,0:1:0.01";
    for (flags, words) in [
        ("--simulate 2", ["--simulate", "10201 places", "5000 places at most"]),
        ("--joint joint.npy", ["--joint", "10201 places", "5000 places at most"]),
        ("--joint joint.what", ["joint.what", "npy", "csv"]),
    ] {
        tegula_in(&folder, &format!("{predict} {flags}")).failed(2, &words);
    }
}

/// Draws of values that were transformed are on the scale of the data: their logarithms have the
/// moments of the field.
#[test]
fn draws_are_on_the_scale_of_the_values() {
    let text = fs::read_to_string(twelve("").join("train.csv")).expect("the data");
    let rows = text.lines().skip(1).map(|row| {
        let (at, z) = row.rsplit_once(',').expect("three cells");
        format!("{at},{:?}\n", z.parse::<f64>().expect("a number").exp())
    });
    let folder = folder_with("train.csv", &format!("x,y,value\n{}", rows.collect::<String>()));
    let fit = "exageostat fit train.csv --covariance exponential --fix variance=1.5,range=4";
    let fit = format!("{fit} --nugget 0.2 --transform log -o model.json");
    tegula_in(&folder, &fit).succeeded();
    let predict = "exageostat predict model.json --grid 3:8:5,4:4:1 -o out.csv --simulate 4000";
    tegula_in(&folder, predict).succeeded();
    let text = fs::read_to_string(folder.join("out.csv")).expect("written");
    let mean = column(&folder.join("out.csv"), "transformed_mean");
    let variance = column(&folder.join("out.csv"), "transformed_variance");
    for ((row, mean), variance) in text.lines().skip(1).zip(mean).zip(variance) {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let draws = &cells[cells.len() - 4000..];
        let error = draws.iter().map(|y| y.ln() - mean).sum::<f64>() / 4000.0;
        assert!(error.abs() < 5.0 * (variance / 4000.0).sqrt(), "{error}");
    }
    tegula_in(&folder, &format!("{predict} --block 1")).failed(2, &["--block", "--transform"]);
}
