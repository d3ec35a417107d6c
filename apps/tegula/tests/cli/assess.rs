//! `tegula exageostat assess`: scores, criteria, and what is refused.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{assert_close, column, folder, number, root, tegula_in};

/// A folder with `model.json`, fitted to the sample of 140 places, and its JSON.
fn fitted(flags: &str) -> (PathBuf, Value) {
    let (folder, sample) = (folder(), root().join("data/samples/e_sub140.csv"));
    let fit = format!("exageostat fit {} --fix smoothness=0.5 {flags}", sample.display());
    let run = tegula_in(&folder, &format!("{fit} -o model.json --json -")).succeeded();
    let model = run.json();
    (folder, model)
}

fn assess(folder: &Path, more: &str) -> Value {
    let run = tegula_in(folder, &format!("exageostat assess model.json --json - {more}"));
    run.succeeded().json()
}

#[test]
fn scores_are_those_of_the_errors_that_are_written() {
    let (folder, model) = fitted("--estimate-nugget");
    let result = assess(&folder, "-o errors.csv --tile-size 37");
    let of = |name: &str| column(&folder.join("errors.csv"), name);
    let (observed, predicted) = (of("observed"), of("predicted"));
    let (deviations, standardised) = (of("std_error"), of("standardised"));
    assert_eq!((observed.len(), &observed), (140, &of("z")));
    let errors: Vec<f64> = observed.iter().zip(&predicted).map(|(z, p)| z - p).collect();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / 140.0;
    let squares = |all: &[f64]| mean(&all.iter().map(|x| x * x).collect::<Vec<f64>>());
    assert_close(number(&result, "/loo/rmse"), squares(&errors).sqrt(), 1e-9);
    assert_close(number(&result, "/loo/msse"), squares(&standardised), 1e-9);
    for (k, error) in errors.iter().enumerate() {
        assert!((standardised[k] * deviations[k] - error).abs() < 1e-9, "row {k}");
    }
    assert!(number(&result, "/loo/mae") <= number(&result, "/loo/rmse"));
    let inside = standardised.iter().filter(|x| x.abs() <= 1.959_963_984_540_054).count();
    assert_close(number(&result, "/loo/coverage/95"), inside as f64 / 140.0, 1e-12);
    let pit: u64 = (0..10).map(|bin| number(&result, &format!("/loo/pit/{bin}")) as u64).sum();
    assert_eq!((pit, number(&result, "/loo/n")), (140, 140.0));
    // Variance, range, nugget and the constant.
    let loglik = number(&model, "/loglik");
    assert_eq!(model["estimated"], serde_json::json!(["variance", "range", "nugget"]));
    assert_close(number(&result, "/aic"), 8.0 - 2.0 * loglik, 1e-12);
    assert_close(number(&result, "/aicc"), 8.0 - 2.0 * loglik + 40.0 / 135.0, 1e-12);
    assert_close(number(&result, "/bic"), 4.0 * 140f64.ln() - 2.0 * loglik, 1e-12);
}

#[test]
fn restricted_fits_count_neither_coefficients_nor_what_they_explain() {
    let (folder, model) = fitted("--reml");
    let (result, loglik) = (assess(&folder, ""), number(&model, "/loglik"));
    assert_close(number(&result, "/aic"), 4.0 - 2.0 * loglik, 1e-12);
    assert_close(number(&result, "/bic"), 2.0 * 139f64.ln() - 2.0 * loglik, 1e-12);
}

#[test]
fn neighbours_are_refused_and_older_models_have_no_criteria() {
    let (folder, _) = fitted("--method vecchia:20");
    for (more, words) in
        [("", "--cross-validate K"), ("--mloe-mmom --truth 1,1,1", "weights of all observations")]
    {
        let refused = tegula_in(&folder, &format!("exageostat assess model.json {more}"));
        refused.failed(2, &["model.json", "--method vecchia", words]);
    }
    let result = assess(&folder, "--blocks 5 --fisher");
    assert!(result["loo"].is_null() && number(&result, "/folds/rmse") > 0.0);
    assert!(number(&result, "/fisher/std_errors/range") > 0.0);
    let (folder, mut model) = fitted("");
    model.as_object_mut().expect("an object").remove("estimated");
    std::fs::write(folder.join("model.json"), model.to_string()).expect("written");
    let result = assess(&folder, "");
    assert!(result["aic"].is_null() && number(&result, "/loo/rmse") > 0.0);
}

#[test]
fn standard_errors_are_those_of_the_fit() {
    let (folder, model) = fitted("--estimate-nugget --mean x --reml --values z+sin(997*x*y)");
    let result = assess(&folder, "--fisher");
    let expected = serde_json::json!(["variance", "range", "nugget"]);
    assert_eq!(result["fisher"]["information_kind"], "expected");
    assert_eq!(result["fisher"]["parameters"], expected);
    for name in ["variance", "range", "nugget"] {
        let found = number(&result, &format!("/fisher/std_errors/{name}"));
        assert_close(found, number(&model, &format!("/std_errors/{name}")), 1e-6);
    }
    assert_close(number(&result, "/fisher/correlations/0/0"), 1.0, 1e-12);
    let both = ["/fisher/correlations/0/1", "/fisher/correlations/1/0"];
    assert_eq!(number(&result, both[0]), number(&result, both[1]));
    // Of parameters that were all given: all of them.
    let (folder, _) = fitted("--fix variance=1,range=0.1");
    let result = assess(&folder, "--fisher");
    let expected = serde_json::json!(["variance", "range", "smoothness"]);
    assert_eq!(result["fisher"]["parameters"], expected);
}

/// The mean squared error and its misspecification of numpy, weights by the kriging system
/// `np.block([[K, F], [F.T, 0]])` of a constant mean, at the 100 places in the middle of cells of a
/// grid of 10 by 10 over the data; Matern, the model 1.2, 0.15, 0.8 with nugget 0.1, the truth 1,
/// 0.1, 0.5 with nugget 0.05.
#[test]
fn what_a_wrong_model_costs_is_that_of_another_tool() {
    let folder = folder();
    let fit = "--fix variance=1.2,range=0.15,smoothness=0.8 --nugget 0.1";
    let sample = root().join("data/samples/e_sub140.csv");
    let fit = format!("exageostat fit {} {fit} -o model.json", sample.display());
    tegula_in(&folder, &fit).succeeded();
    let truth = "--mloe-mmom --truth variance=1,range=0.1,smoothness=0.5,nugget=0.05";
    let result = assess(&folder, truth);
    assert_close(number(&result, "/mloe"), 0.013_260_864_304_673_608, 1e-8);
    assert_close(number(&result, "/mmom"), -0.588_928_001_268_520_1, 1e-8);
    assert_close(number(&result, "/rmom"), 0.591_094_802_205_485, 1e-8);
    assert_eq!(number(&result, "/mloe_mmom_places"), 100.0);
    // The same at places of a table; the truth itself loses nothing.
    std::fs::write(folder.join("places.csv"), "x,y\n0.3,0.4\n0.6,0.1\n").expect("written");
    let truth = "--mloe-mmom --truth 1.2,0.15,0.8,0.1 --at places.csv";
    let result = assess(&folder, truth);
    assert!(number(&result, "/mloe").abs() < 1e-12 && number(&result, "/rmom").abs() < 1e-9);
    assert_eq!(number(&result, "/mloe_mmom_places"), 2.0);
    for (flags, words) in [
        ("--mloe-mmom", "--truth"),
        ("--mloe-mmom --truth variance=1,range=2", "--truth: smoothness is left out"),
        ("--mloe-mmom --truth 1,1,-1", "smoothness of matern is -1"),
        ("--cross-validate 141", "--cross-validate: 140 places do not make 141 parts"),
        ("--cross-validate 1", "--cross-validate"),
        ("--cross-validate 4 --blocks 4", "cannot be used with"),
    ] {
        let refused = tegula_in(&folder, &format!("exageostat assess model.json {flags}"));
        refused.failed(2, &[words]);
    }
}

/// Fits of `z + 0.4 sin(997 x y)` on the sample of 140 places: exponential, the same with a nugget,
/// and with a mean linear in the coordinates; with R's `gls(w ~ x + y, correlation = corExp(...,
/// nugget = TRUE), method = "ML")` `anova` has the statistics and p-values of chi-squared below.
#[test]
fn likelihood_ratios_are_those_of_another_tool() {
    let folder = folder();
    let sample = root().join("data/samples/e_sub140.csv");
    let of = |name: &str| column(&sample, name);
    let (x, y, z) = (of("x"), of("y"), of("z"));
    let row = |i: usize| {
        format!("{:?},{:?},{:?}\n", x[i], y[i], z[i] + 0.4 * (997.0 * x[i] * y[i]).sin())
    };
    let text = "x,y,w\n".to_owned() + &(0..140).map(row).collect::<String>();
    std::fs::write(folder.join("data.csv"), text).expect("written");
    let fit = |flags: &str, name: &str| {
        let fit = format!("exageostat fit data.csv --covariance {flags} -o {name}");
        tegula_in(&folder, &fit).succeeded();
    };
    fit("exponential", "a.json");
    fit("exponential --estimate-nugget", "b.json");
    fit("exponential --estimate-nugget --mean x+y", "c.json");
    fit("matern --estimate-nugget", "d.json");
    let run = |one: &str, other: &str| {
        let run = format!("exageostat assess {one} --against {other} --json -");
        tegula_in(&folder, &run)
    };
    let test = |one: &str, other: &str| run(one, other).succeeded().json()["against"].clone();
    // A nugget of 0 is at the end of its domain: half of chi-squared with 1 degree.
    let found = test("b.json", "a.json");
    assert_close(number(&found, "/statistic"), 0.731_104_943_018, 1e-6);
    assert_close(number(&found, "/p"), 0.5 * 0.392_525_267_772_7, 1e-6);
    assert_eq!(found["at_boundary"], serde_json::json!(["nugget = 0"]));
    assert_eq!(found["words"], "the data give no reason to prefer b.json to a.json");
    // In either order.
    assert_eq!(test("a.json", "b.json"), found);
    let found = test("b.json", "c.json");
    assert_close(number(&found, "/statistic"), 3.009_867_843_292, 1e-6);
    assert_close(number(&found, "/p"), 0.222_031_964_854, 1e-6);
    assert_eq!((number(&found, "/df"), found["general"].as_str()), (2.0, Some("c.json")));
    assert_eq!(found["constraints"], serde_json::json!(["no x in the mean", "no y in the mean"]));
    // One of three at its end: half with 2 degrees, where the tail is exp(-x/2), half with 3.
    let found = test("a.json", "c.json");
    let half = 0.5 * ((-0.5 * 3.740_972_786_31_f64).exp() + 0.290_827_043_958_5);
    assert_close(number(&found, "/p"), half, 1e-6);
    let found = test("d.json", "b.json");
    assert_eq!(found["constraints"], serde_json::json!(["smoothness = 0.5"]));
    run("d.json", "c.json").failed(2, &["cannot be compared", "no special case"]);
    fit("gaussian", "e.json");
    run("e.json", "a.json").failed(2, &["both estimate 3 parameters", "AIC"]);
    fit("exponential --mean x --reml", "f.json");
    fit("exponential --reml", "g.json");
    run("f.json", "g.json").failed(2, &["restricted likelihoods compare only", "same mean"]);
    run("f.json", "c.json").failed(2, &["one is a fit by ML, the other by REML"]);
    std::fs::copy(&sample, folder.join("data.csv")).expect("copied");
    fit("exponential --estimate-nugget", "other.json");
    run("other.json", "c.json").failed(2, &["different data"]);
}

/// Scores of `krige.cv(z ~ x, d, model = vgm(1, "Exp", 0.1, nugget = 0.1), nfold = d$part)` of R's
/// gstat 2.1, where `part` is the column that `-o` writes.
#[test]
fn parts_that_are_left_out_have_the_scores_of_another_tool() {
    let folder = folder();
    let sample = root().join("data/samples/e_sub140.csv");
    let fit = "--covariance exponential --fix variance=1,range=0.1 --nugget 0.1 --mean x";
    let fit = format!("exageostat fit {} {fit} -o model.json", sample.display());
    tegula_in(&folder, &fit).succeeded();
    let names = ["rmse", "mae", "mean_error", "msse", "crps", "log_score", "coverage/80"];
    let random = [
        0.770_544_856_056_251,
        0.588_285_271_378_829,
        0.014_655_045_253_056_8,
        0.868_289_187_916_891,
        0.429_794_063_867_929,
        1.149_405_070_988_8,
        0.814_285_714_285_714,
    ];
    let blocks = [
        0.997_230_990_047_373,
        0.785_371_241_810_772,
        -0.016_394_804_132_864_9,
        0.933_782_031_952_839,
        0.555_366_916_028_843,
        1.392_645_470_049_77,
        0.814_285_714_285_714,
    ];
    for (flags, count, expected) in [("--cross-validate", 5, random), ("--blocks", 7, blocks)] {
        let more = format!("{flags} {count} --seed 3 --tile-size 50 -o parts.csv");
        let result = assess(&folder, &more);
        for (name, expected) in names.iter().zip(expected) {
            assert_close(number(&result, &format!("/folds/{name}")), expected, 1e-11);
        }
        let part = column(&folder.join("parts.csv"), "part");
        for fold in 0..count {
            let inside = part.iter().filter(|part| **part == f64::from(fold + 1)).count();
            assert_eq!(number(&result, &format!("/folds/each/{fold}/n")), inside as f64);
        }
    }
}

#[test]
fn a_full_device_is_no_bad_input() {
    let (folder, _) = fitted("");
    let full = tegula_in(&folder, "exageostat assess model.json -o /dev/full");
    full.failed(1, &["/dev/full", "No space left"]);
}

#[test]
fn a_model_that_is_the_truth_costs_nothing() {
    let (folder, _) = fitted("--fix variance=1,range=0.1");
    let run = "exageostat assess model.json --mloe-mmom --truth 1,0.1,0.5";
    let said = tegula_in(&folder, run).succeeded().stdout;
    assert!(said.contains("MLOE 0: mean squared errors of prediction are 0 % above"), "{said}");
}

#[test]
fn a_term_less_is_at_the_end_of_its_variance() {
    let (folder, _) = fitted("");
    let sample = root().join("data/samples/e_sub140.csv");
    let fit = format!("exageostat fit {}", sample.display());
    let sum = "--covariance matern+exponential --fix smoothness1=1.5 -o sum.json";
    tegula_in(&folder, &format!("{fit} {sum}")).succeeded();
    tegula_in(&folder, &format!("{fit} --covariance exponential -o one.json")).succeeded();
    tegula_in(&folder, "exageostat assess one.json --against sum.json")
        .failed(2, &["exponential is matern+exponential with variance1 = 0, the end of", "AIC"]);
}

#[test]
fn what_no_fit_writes_is_refused_with_the_file_that_says_it() {
    let (folder, model) = fitted("--values exp(z) --transform box-cox:0.5");
    let broken = |pointer: &str, value: f64| {
        let mut model = model.clone();
        *model.pointer_mut(pointer).expect("a field") = value.into();
        std::fs::write(folder.join("broken.json"), model.to_string()).expect("written");
    };
    for (pointer, value, words) in [
        ("/transform/lambda", 1e9, "the field transform: lambda is 1000000000.0, not a number"),
        ("/params/variance", -1.0, "variance of matern is -1"),
        ("/nugget", -2.0, "-2"),
    ] {
        broken(pointer, value);
        for command in ["assess broken.json", "plot broken.json -o page.html"] {
            let run = tegula_in(&folder, &format!("exageostat {command}"));
            run.failed(2, &["broken.json: ", words]);
        }
    }
}
