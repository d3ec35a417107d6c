//! `tegula exageostat loglik` against the answers of independent tools.

use serde_json::Value;

use crate::support::{answers, assert_close, folder, folder_with, number, tegula, tegula_in};

const SYNTHETIC: &str =
    "exageostat loglik data/samples/a_synth1600.csv --mean zero --json - --quiet";

/// `theta` as flags: parameters, then a nugget if there is a fourth.
fn flags(theta: &Value) -> String {
    let theta: Vec<String> =
        theta.as_array().expect("a list").iter().map(ToString::to_string).collect();
    let nugget = theta.get(3).map_or(String::new(), |nugget| format!(" --nugget {nugget}"));
    format!("--params {}{nugget}", theta[..3].join(","))
}

#[test]
fn the_synthetic_set_has_the_likelihoods_of_other_tools() {
    let answers = answers("a_synth1600.json");
    let lists = [
        ("loglik", "matern"),
        ("loglik_nugget", "matern"),
        ("loglik_powexp", "powered-exponential"),
    ];
    let mut count = 0;
    for (list, covariance) in lists {
        for answer in answers[list].as_array().expect("a list") {
            // Its condition number of 1e9 leaves 1e-7, which two other tools differ by.
            let tolerance = if number(answer, "/theta/2") == 1.27 { 1e-7 } else { 1e-9 };
            let theta = flags(&answer["theta"]);
            let result = tegula(&format!("{SYNTHETIC} --covariance {covariance} {theta}"))
                .succeeded()
                .json();
            assert_close(number(&result, "/loglik"), number(answer, "/loglik"), tolerance);
            assert_close(number(&result, "/quadratic"), number(answer, "/quad"), tolerance);
            count += 1;
        }
    }
    assert_eq!(count, 15);
}

#[test]
fn stations_on_the_sphere_are_known_by_the_names_of_their_columns() {
    for answer in answers("texas_wind.json")["loglik_zero_mean"].as_array().expect("a list") {
        let theta = flags(&answer["theta"]);
        let data = "data/samples/texas-wind.csv --values air_temperature_c --mean zero";
        let result = tegula(&format!("exageostat loglik {data} {theta} --json -")).succeeded();
        assert!(result.stderr.contains("great-circle distance in km"), "{}", result.stderr);
        assert_close(number(&result.json(), "/loglik"), number(answer, "/loglik"), 1e-9);
    }
}

#[test]
fn the_result_has_the_promised_fields() {
    let result = tegula(&format!("{SYNTHETIC} --params 1,0.1,0.5 --repeat 3")).succeeded().json();
    let numbers = [
        "loglik",
        "logdet",
        "quadratic",
        "n",
        "seconds",
        "tile_size",
        "workers",
        "seed",
        "params/variance",
        "params/range",
        "params/smoothness",
        "phases/generation",
        "phases/factorization",
        "phases/determinant",
        "phases/solve",
        "phases/dot",
        "repeats/2",
    ];
    numbers.iter().for_each(|name| assert!(number(&result, &format!("/{name}")).is_finite()));
    assert_eq!(result["policy"], "lws");
    assert_eq!(number(&result, "/n"), 1600.0);
    let digest = result.pointer("/data/digest").and_then(Value::as_str).expect("a digest");
    assert_eq!(digest.len(), 64);
}

#[test]
fn toggles_policies_workers_and_arithmetic_change_nothing_but_the_time() {
    let variants = [
        "--sync",
        "--no-local-solve",
        "--no-priorities",
        "--no-submission-order",
        "--no-memory-cache",
        "--deterministic",
        "--blas native-portable",
        "--policy random --seed 3",
        "--policy eager",
        "--policy prio",
        "--workers 1",
        "--workers 3",
        "--tile-size 77",
        "--tile-size 5000",
    ];
    for variant in variants {
        let run = tegula(&format!("{SYNTHETIC} --params 1,0.1,0.5 {variant}")).succeeded();
        assert_close(number(&run.json(), "/loglik"), -1139.086343557942, 1e-11);
    }
    // Half the digits: 2^-24 times the condition of the problem.
    let single = tegula(&format!("{SYNTHETIC} --params 1,0.1,0.5 --precision s")).succeeded();
    assert_close(number(&single.json(), "/loglik"), -1139.086343557942, 1e-3);
}

#[test]
fn named_parameters_may_come_in_any_order() {
    let named = "--params smoothness=0.5,variance=1,range=0.1";
    let result = tegula(&format!("{SYNTHETIC} {named}")).succeeded().json();
    assert_close(number(&result, "/loglik"), -1139.086343557942, 1e-11);
}

#[test]
fn a_trace_is_written_in_every_form() {
    let folder = folder();
    let sample = crate::support::root().join("data/samples/e_sub140.csv");
    for (name, start) in [
        ("t.json", "{\"displayTimeUnit\""),
        ("t.csv", "task,"),
        ("t.svg", "<svg"),
        ("t.trace", "tegula-trace,5"),
        ("t.html", "<!DOCTYPE html>"),
    ] {
        let flags = format!("--params 1,0.1,0.5 --trace {name} --tile-size 40");
        tegula_in(&folder, &format!("exageostat loglik {} {flags}", sample.display())).succeeded();
        let text = std::fs::read_to_string(folder.join(name)).expect("the trace is there");
        assert!(text.starts_with(start), "{name}: {}", &text[..40]);
    }
    let table = std::fs::read_to_string(folder.join("t.csv")).expect("the trace is there");
    for phase in ["generation", "factorization", "determinant", "solve", "dot"] {
        assert!(table.contains(&format!(",{phase},")), "{phase} in {table}");
    }
}

#[test]
fn a_dry_run_computes_nothing_and_says_what_it_would_take() {
    let run =
        tegula(&format!("{SYNTHETIC} --params 1,0.1,0.5 --dry-run --tile-size 200")).succeeded();
    let plan = run.json();
    assert_eq!(number(&plan, "/tiles"), 36.0);
    let tiles = 36.0 * 200.0 * 200.0 * 8.0;
    let memory = number(&plan, "/memory_bytes");
    assert!(memory >= tiles && memory < 2.0 * tiles, "{memory} bytes for {tiles} in tiles");
    assert!(number(&plan, "/seconds") > 0.0 && plan.get("loglik").is_none());
}

#[test]
fn the_tasks_of_a_dry_run_are_those_of_the_run() {
    let run = |more: &str| {
        tegula(&format!("{SYNTHETIC} --params 1,0.1,0.5 --tile-size 200 {more}")).succeeded().json()
    };
    let workers = run("")["tasks"].as_array().expect("one for each worker").clone();
    let tasks: f64 = workers.iter().map(|worker| number(worker, "/tasks")).sum();
    assert_eq!(number(&run("--dry-run"), "/tasks"), tasks);
}

#[test]
fn a_dry_run_refuses_what_the_run_refuses() {
    let refused = [
        ("--memory 3MiB", "--memory allows 3.00 MiB"),
        ("--memory 20KiB --scratch .", "holds more than 20.0 KiB"),
        ("--eviction min", "--eviction min needs"),
    ];
    for (more, words) in refused {
        for dry in ["", "--dry-run"] {
            let run = tegula(&format!("{SYNTHETIC} --params 1,0.1,0.5 {more} {dry}"));
            run.failed(2, &[words]);
        }
    }
}

#[test]
fn the_mean_is_constant_unless_told_and_that_of_a_fit() {
    let data = "data/samples/e_sub140.csv --quiet --json -";
    let fit = tegula(&format!("exageostat fit {data} --fix variance=1,range=0.1,smoothness=0.5"));
    let loglik = tegula(&format!("exageostat loglik {data} --params 1,0.1,0.5"));
    let (fit, loglik) = (fit.succeeded().json(), loglik.succeeded().json());
    assert_eq!(loglik.pointer("/mean/formula").and_then(Value::as_str), Some("constant"));
    assert_eq!(fit["mean"]["formula"], loglik["mean"]["formula"]);
    assert_close(number(&loglik, "/loglik"), number(&fit, "/loglik"), 1e-12);
}

#[test]
fn a_model_has_the_likelihood_of_its_fit() {
    let folder = folder();
    let sample = crate::support::root().join("data/samples/e_sub140.csv");
    std::fs::copy(&sample, folder.join("data.csv")).expect("the sample is there");
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}"));
    run("fit data.csv --covariance exponential --nugget 0.1 --mean x*y -o model.json").succeeded();
    let text = std::fs::read_to_string(folder.join("model.json")).expect("the model is there");
    let fitted: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(fitted.pointer("/mean/formula").and_then(Value::as_str), Some("x*y"));
    for more in ["", "--train data.csv"] {
        let found = run(&format!("loglik model.json --json - {more}")).succeeded().json();
        assert_close(number(&found, "/loglik"), number(&fitted, "/loglik"), 1e-12);
        assert_eq!(found["mean"]["names"], serde_json::json!(["(Intercept)", "x", "y", "x:y"]));
    }
    run("loglik model.json --mean zero").failed(2, &["--mean: model.json is a model"]);
    run("loglik model.json --params 1,2").failed(2, &["--params: model.json is a model"]);
    run("loglik data.csv --params 1,2,1 --train data.csv").failed(2, &["--train is for a model"]);
    run("loglik model.json --json model.json").failed(2, &["--json would overwrite"]);
    // A model of an earlier version: its `*` is the product alone.
    let old = text.replace("\"variables\"", "\"others\"");
    std::fs::write(folder.join("old.json"), old).expect("written");
    let found = run("loglik old.json --json -").succeeded().json();
    assert_eq!(found["mean"]["names"], serde_json::json!(["(Intercept)", "x*y"]));
}

/// Runs `loglik` on the sample of 140 places with the sets in `text`; returns its lines of JSON.
fn sets(text: &str, more: &str) -> (crate::support::Run, Vec<Value>) {
    let folder = folder_with("sets.csv", text);
    let sample = crate::support::root().join("data/samples/e_sub140.csv");
    let flags = format!("--params-file sets.csv --json - {more}");
    let run = tegula_in(&folder, &format!("exageostat loglik {} {flags}", sample.display()));
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let lines = run.stdout.lines().map(line).collect();
    (run, lines)
}

#[test]
fn each_set_of_a_file_has_its_likelihood_or_says_why_not() {
    let of = |flags: &str| {
        let run = tegula(&format!("exageostat loglik data/samples/e_sub140.csv --json - {flags}"));
        number(&run.succeeded().json(), "/loglik")
    };
    // Out of the domain, and not positive definite: far smoother than its range allows.
    let text =
        "variance,range,smoothness,nugget\n1,0.1,0.5,0\n1,-1,0.5,0\n1,50,6,0\n2,0.2,1.5,0.1\n";
    let (run, lines) = sets(text, "");
    let run = run.succeeded();
    assert_eq!(lines.len(), 4, "{}", run.stdout);
    assert_close(number(&lines[0], "/loglik"), of("--params 1,0.1,0.5"), 1e-12);
    let last = of("--params 2,0.2,1.5 --nugget 0.1");
    assert_close(number(&lines[3], "/loglik"), last, 1e-12);
    for (line, words) in [(1, "range of matern is -1"), (2, "not positive definite")] {
        assert!(lines[line]["loglik"].is_null(), "{}", lines[line]);
        let error = lines[line]["error"].as_str().expect("a reason");
        assert!(error.contains(words), "{error}");
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    assert_eq!((lines[3]["set"].clone(), lines[3]["line"].clone()), (4.into(), 5.into()));
    assert!(run.stderr.contains("4 sets, 2 of them without a likelihood"), "{}", run.stderr);
    let (run, lines) = sets("1,-1,0.5\n", "");
    run.failed(1, &["no set of parameters has a likelihood"]);
    assert_eq!(lines.len(), 1);
    for (text, words) in [
        ("", "there is no set of parameters"),
        ("1,0.1,0.5\n1,0.1\n", "sets.csv, line 2: 2 numbers given"),
        ("1,0.1,0.5,0,7\n", "sets.csv, line 1: 5 numbers given"),
    ] {
        let (run, _) = sets(text, "");
        run.failed(2, &[words]);
    }
}

#[test]
fn sets_come_from_standard_input_and_a_model_says_the_rest() {
    let folder = folder();
    let sample = crate::support::root().join("data/samples/e_sub140.csv");
    let sample = sample.display();
    let fit = format!("exageostat fit {sample} --covariance exponential --nugget 0.1 --mean x");
    tegula_in(&folder, &format!("{fit} -o model.json")).succeeded();
    std::fs::write(folder.join("sets"), "variance=1,range=0.1\nrange=0.1,variance=1,nugget=0\n")
        .expect("written");
    let input = std::fs::File::open(folder.join("sets")).expect("it is there");
    let mut command = crate::support::command(
        &folder,
        "exageostat loglik model.json --params-file - --json out.json --gradient",
    );
    let output = command.stdin(input).output().expect("the binary starts");
    crate::support::Run::new(output).succeeded();
    let text = std::fs::read_to_string(folder.join("out.json")).expect("the result is there");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (line, nugget) in lines.iter().zip(["0.1", "0"]) {
        let flags = "--covariance exponential --params 1,0.1 --mean x --json - --gradient";
        let run = format!("exageostat loglik {sample} {flags} --nugget {nugget}");
        let one = tegula(&run).succeeded().json();
        assert_close(number(line, "/loglik"), number(&one, "/loglik"), 1e-12);
        assert_close(number(line, "/gradient/range"), number(&one, "/gradient/range"), 1e-9);
    }
    assert_eq!(lines.len(), 2);
    let both = "exageostat loglik - --params-file -";
    tegula(both).failed(2, &["standard input cannot hold both"]);
}

/// The score of numpy with a constant mean and 140 places: for each `D = dC/dt`
/// `.5 * (a @ D @ a - np.trace(Ci @ D))` with `a = Ci @ (z - F @ b)`, where `D` of the range is
/// `variance * 2^(1-s)/gamma(s) * u^(s+1) * kv(s-1, u) / range` and that of the smoothness a
/// difference of sixth order.
#[test]
fn a_gradient_is_that_of_another_tool() {
    let expected = [
        ("variance", 19.057_055_547_104_06),
        ("range", -263.042_036_520_271_15),
        ("smoothness", -65.223_447_129_059_35),
        ("nugget", 143.844_737_091_344_03),
    ];
    let flags = "--params 1.2,0.15,0.8 --nugget 0.1 --gradient --json -";
    let run = |more: &str| {
        let run = tegula(&format!("exageostat loglik data/samples/e_sub140.csv {flags} {more}"));
        run.succeeded().json()
    };
    // Vecchia's is the exact one where all places before are neighbours.
    for more in ["--tile-size 50", "--method vecchia:139"] {
        let found = run(more);
        assert_close(number(&found, "/loglik"), -185.955_641_995_289_7, 1e-11);
        for (name, expected) in expected {
            assert_close(number(&found, &format!("/gradient/{name}")), expected, 1e-8);
        }
        assert!(number(&found, "/phases/score") > 0.0);
    }
    assert!(
        tegula("exageostat loglik data/samples/e_sub140.csv --params 1,1,1 --json -")
            .succeeded()
            .json()
            .get("gradient")
            .is_none()
    );
}
