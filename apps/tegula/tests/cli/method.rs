//! `--method auto`: what is chosen, and that it keeps to the error asked for.

use std::fmt::Write;
use std::fs;

use crate::support::{folder, number, tegula, tegula_in};

/// The synthetic set, whose lower triangle takes 10 MB.
const DATA: &str = "data/samples/a_synth1600.csv --mean zero --json - --quiet";
/// Parameters of a smooth field, of which far neighbours tell.
const SMOOTH: &str = "--params 1,0.1,1";

#[test]
fn few_places_are_evaluated_exactly() {
    let run = |method: &str| {
        let run = tegula(&format!("exageostat loglik {DATA} {SMOOTH} --method {method}"));
        run.succeeded().json()
    };
    let (auto, exact) = (run("auto"), run("exact"));
    assert_eq!(auto["loglik"], exact["loglik"]);
    assert_eq!(auto["method"]["name"], "exact");
    assert_eq!(number(&auto, "/method/error_asked"), 1.0);
    assert!(exact["method"].get("error_asked").is_none());
}

#[test]
fn neighbours_are_added_until_the_error_is_small() {
    let exact = tegula(&format!("exageostat loglik {DATA} {SMOOTH}")).succeeded().json();
    let exact = number(&exact, "/loglik");
    for (accuracy, neighbours) in [(10.0, 30), (0.1, 60)] {
        let method = format!("--method auto:{accuracy} --memory 16MiB");
        let run = tegula(&format!("exageostat loglik {DATA} {SMOOTH} {method}"));
        let found = run.succeeded().json();
        assert_eq!(found["method"]["form"], "grouped", "{found:#}");
        assert_eq!(found["method"]["neighbours"], neighbours, "{found:#}");
        assert!((number(&found, "/loglik") - exact).abs() < accuracy, "{found:#}");
        assert!(number(&found, "/method/error_estimate").abs() <= accuracy);
    }
    let run =
        tegula(&format!("exageostat loglik {DATA} {SMOOTH} --method auto:0.000001 --memory 16MiB"));
    let found = run.succeeded().json();
    let remark = found["remarks"][0].as_str().expect("a remark");
    assert!(remark.contains("more than the 0.000001 asked for"), "{remark}");
}

#[test]
fn a_fit_goes_on_with_more_neighbours_from_where_it_was() {
    let fit = |more: &str| {
        let flags = "--fix smoothness=1,range=0.1";
        tegula(&format!("exageostat fit {DATA} {flags} {more}")).succeeded().json()
    };
    let auto = fit("--method auto:0.1 --memory 16MiB");
    let neighbours = number(&auto, "/method/neighbours");
    assert!(neighbours > 30.0, "{auto:#}");
    let named = fit(&format!("--method vecchia:{neighbours}:grouped"));
    for place in ["/loglik", "/params/variance"] {
        let (one, other) = (number(&auto, place), number(&named, place));
        assert!((one / other - 1.0).abs() < 1e-6, "{place}: {one}, {other}");
    }
}

#[test]
fn whoever_asks_for_too_much_is_told_what_else_there_is() {
    let folder = folder();
    let mut places = "x,y,z\n".to_owned();
    for k in 0..10_001_u32 {
        writeln!(places, "{},{},{}", k % 101, k / 101, k % 7).expect("text grows");
    }
    fs::write(folder.join("places.csv"), places).expect("the folder is there");
    let loglik = "exageostat loglik places.csv --params 1,2,0.5 --memory 64MiB";
    tegula_in(&folder, loglik).failed(2, &["3.33e11 flops", "382 MiB", "--method auto"]);
    tegula_in(&folder, &format!("{loglik} --method auto:100")).succeeded();
}

#[test]
fn what_does_not_go_together_is_refused() {
    let run = |arguments: &str| tegula(&format!("exageostat {arguments}"));
    let loglik = format!("loglik {DATA} --method");
    run(&format!("{loglik} auto:0 {SMOOTH}")).failed(2, &["auto:0", "1e-6"]);
    let folder = folder();
    fs::write(folder.join("sets"), "1,0.1,0.5\n").expect("the folder is there");
    let sets = folder.join("sets").display().to_string();
    let small = "--memory 16MiB";
    run(&format!("{loglik} auto {small} --params-file {sets}")).failed(2, &["vecchia:30:grouped"]);
    let fit = format!("fit {DATA} --method auto {small} --checkpoint c");
    run(&fit).failed(2, &["--checkpoint", "vecchia:M"]);
}
