//! Distributions that are planned for the ranks as they are, and the number of nodes of a fit or an
//! embedding.

use crate::support::{assert_close, folder, number, root, tegula, tegula_in};

const DATA: &str = "data/samples/a_synth1600.csv --covariance matern --mean zero";

#[test]
fn a_likelihood_is_the_same_under_a_plan() {
    let loglik = |more: &str| {
        let run = format!("exageostat loglik {DATA} --params 1,0.1,0.5 --tile-size 160 {more}");
        tegula(&format!("{run} --json -")).succeeded().json()
    };
    let alone = number(&loglik(""), "/loglik");
    for name in ["lp", "lp-constrained", "lp:free@0,1/1", "auto"] {
        let over = loglik(&format!("--ranks local:3 --workers 1 --distribution {name}"));
        assert_close(number(&over, "/loglik"), alone, 1e-12);
        assert!(number(&over, "/messages") > 0.0, "{name}");
        let compared = &over["distributions_compared"];
        if name != "auto" {
            assert_eq!((&over["distribution"], compared.is_null()), (&name.into(), true));
            continue;
        }
        let chosen = over["distribution"].as_str().expect("a name");
        let least = number(compared, &format!("/{chosen}"));
        let compared = compared.as_object().expect("names with seconds");
        assert!(compared.len() >= 4 && compared.values().all(|x| x.as_f64() >= Some(least)));
    }
    // One rank needs no plan.
    assert_close(number(&loglik("--distribution lp"), "/loglik"), alone, 1e-12);
}

#[test]
fn routines_take_the_distribution_that_a_simulation_finds() {
    for routine in ["potrf", "getrf-nopiv", "gemm"] {
        let run = format!("linalg {routine} -n 600 --tile-size 60 --ranks local:3 --workers 1");
        let json = tegula(&format!("{run} --distribution auto --check --json -"));
        let json = json.succeeded().json();
        assert!(json["distributions_compared"].is_object(), "{routine}: {json}");
    }
    let lp = tegula("linalg potrf -n 600 --ranks local:2 --distribution lp");
    lp.failed(2, &["plans two phases, and potrf has one: name one for"]);
}

#[test]
fn embeddings_share_reading_and_products_as_planned() {
    let folder = folder();
    let mds = |more: &str| {
        let mds = format!("diodon mds d.npy --axes 4 --tile-size 100 {more} --json -");
        tegula_in(&folder, &mds).succeeded().json()
    };
    let row = |i| format!("{},{},{}\n", i % 37, (i * i) % 101, (7 * i) % 53);
    let points = "x,y,z\n".to_owned() + &(0..700).map(row).collect::<String>();
    std::fs::write(folder.join("points.csv"), points).expect("the folder is there");
    tegula_in(&folder, "diodon distances points.csv --metric manhattan -o d.npy").succeeded();
    for method in ["lanczos", "randomized", "exact"] {
        let method = format!("--method {method} --seed 5");
        let alone = mds(&method);
        for plan in ["lp", "lp@0,2", "auto", "lp --reading block-cyclic"] {
            let over = mds(&format!("{method} --ranks local:3 --workers 1 --distribution {plan}"));
            for axis in 0..4 {
                let of = |json| number(json, &format!("/eigenvalues/{axis}"));
                assert_close(of(&over), of(&alone), 1e-6);
            }
            let compared = over["distributions_compared"].as_object();
            assert_eq!(compared.is_some(), plan == "auto", "{plan}");
            assert!(compared.is_none_or(|compared| compared.len() >= 3), "{compared:?}");
        }
    }
    // Where the memory bears few tiles, each pass reads.
    let few = mds("--method lanczos --ranks local:2 --workers 1 --distribution lp --memory 8.3MB");
    assert!(number(&few, "/bytes_read") > 4.0 * 700.0 * 350.0 * 4.0, "{few}");
}

#[test]
fn an_embedding_is_the_same_with_any_number_of_nodes() {
    let folder = folder();
    let mds = |more: &str| {
        let mds = format!("diodon mds d.npy --axes 4 --tile-size 100 --seed 5 {more} --json -");
        tegula_in(&folder, &mds)
    };
    let row = |i| format!("{},{},{}\n", i % 37, (i * i) % 101, (7 * i) % 53);
    let points = "x,y,z\n".to_owned() + &(0..700).map(row).collect::<String>();
    std::fs::write(folder.join("points.csv"), points).expect("the folder is there");
    tegula_in(&folder, "diodon distances points.csv --metric manhattan -o d.npy").succeeded();
    // So little memory that each pass reads.
    let ranks = "--ranks local:3 --workers 1 --memory 8.3MB";
    let alone = mds("--method lanczos").succeeded().json();
    for nodes in ["auto", "auto:left-right", "2", "auto:both", "2/1"] {
        let json = mds(&format!("--method lanczos {ranks} --nodes {nodes}")).succeeded().json();
        for axis in 0..4 {
            let of = |json| number(json, &format!("/eigenvalues/{axis}"));
            assert_close(of(&json), of(&alone), 1e-6);
        }
        let [taken, reading] =
            ["nodes", "reading_nodes"].map(|key| json[key].as_array().expect("numbers"));
        assert_eq!(taken.len() as f64, number(&json, "/passes"));
        assert!(taken.len() > 3, "some passes are chosen for: {taken:?}");
        match nodes {
            "2" => assert!(taken.iter().all(|nodes| nodes == 2), "{taken:?}"),
            "2/1" => {
                assert!(taken.iter().all(|nodes| nodes == 1), "{taken:?}");
                assert!(reading.iter().all(|nodes| nodes == 2), "{reading:?}");
            }
            "auto" | "auto:both" => assert_eq!(taken[0], 3, "all begin"),
            _ => assert_eq!(taken[0], 1, "the fewest begin"),
        }
        assert_eq!(json["distribution"], "lp");
    }
    // What was learnt goes on with the passes: the last one is made once more.
    let stops = format!("--method lanczos {ranks} --nodes auto --checkpoint c");
    let whole = mds(&format!("{stops} --checkpoint-every 0s")).succeeded().json();
    let rest = mds(&format!("{stops} --resume c")).succeeded().json();
    let [all, before] = [number(&whole, "/passes"), number(&rest, "/passes_taken_over")];
    assert_eq!((before, number(&rest, "/passes")), (all - 1.0, all));
    assert_eq!(rest["nodes"].as_array().expect("numbers").len(), 1);
    let other = format!("--method lanczos {ranks} --resume c");
    assert!(mds(&other).succeeded().json()["nodes"].is_null(), "the checkpoint is of use without");
    for (more, words) in [
        ("--nodes 2", &["--nodes"][..]),
        ("--method exact --ranks local:3 --nodes 2", &["exact", "lanczos"]),
        ("--method lanczos --nodes 2", &["one rank"]),
        ("--method lanczos --ranks local:3 --nodes 4", &["--nodes 4", "3 ranks"]),
        ("--method lanczos --ranks local:3 --nodes 2 --reading 1d", &["--reading"]),
        ("--method lanczos --ranks local:3 --nodes 2 --distribution 1d", &["not by 1d"]),
        ("--method lanczos --ranks local:3 --nodes auto --deterministic", &["--deterministic"]),
        ("--method lanczos --ranks local:3 --nodes auto", &["stay in the memory", "a number"]),
        ("--method nystrom --ranks local:3 --nodes auto", &["2 are too few", "--passes 3"]),
    ] {
        mds(more).failed(2, words);
    }
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let refused = |more: &str, words: &[&str]| {
        let run = format!("exageostat loglik {DATA} --params 1,0.1,0.5 --ranks local:2 {more}");
        tegula(&run).failed(2, words);
    };
    refused("--distribution auto --method vecchia:10", &["--distribution auto", "exact"]);
    refused("--distribution lp:x", &["'x' is no parameter of lp"]);
    refused("--distribution lp@0-5", &["5", "2 ranks"]);
    tegula("diodon mds data/samples/texas-wind.csv --metric haversine --columns latitude,longitude --ranks local:2 --distribution lp@3")
        .failed(2, &["3", "2 ranks"]);
}

#[test]
fn a_fit_is_the_same_with_any_number_of_nodes() {
    let folder = folder();
    let data = root().join("data/samples/a_synth1600.csv");
    let fit = |more: &str| {
        let fit = format!(
            "exageostat fit {} --mean zero --tile-size 200 --optimizer bobyqa {more} --json -",
            data.display()
        );
        tegula_in(&folder, &fit)
    };
    let alone = fit("").succeeded().json();
    let ranks = "--ranks local:3 --workers 1";
    for nodes in ["auto", "auto:left-right", "2", "auto:both", "2/1"] {
        let json = fit(&format!("{ranks} --nodes {nodes}")).succeeded().json();
        assert_close(number(&json, "/loglik"), number(&alone, "/loglik"), 1e-10);
        let taken = json["nodes"].as_array().expect("numbers");
        assert_eq!(taken.len() as f64, number(&json, "/evaluations"));
        match nodes {
            "2" => assert!(taken.iter().all(|nodes| nodes == 2), "{taken:?}"),
            "2/1" => {
                assert!(taken.iter().all(|nodes| nodes == 1), "{taken:?}");
                let generating = json["generating_nodes"].as_array().expect("numbers");
                assert!(generating.iter().all(|nodes| nodes == 2), "{generating:?}");
            }
            "auto" | "auto:both" => assert_eq!(taken[0], 3, "all begin"),
            _ => assert_eq!(taken[0], 1, "the fewest begin"),
        }
        assert_eq!(json["distribution"], "lp");
    }
    // What was learnt goes on with the evaluations.
    let stops = format!("{ranks} --nodes auto:left-right --checkpoint c");
    fit(&format!("{stops} --checkpoint-every 0s --max-evaluations 4")).succeeded();
    let rest = fit(&format!("{stops} --resume c")).succeeded().json();
    assert_eq!(rest["evaluations_taken_over"], 4);
    assert_close(number(&rest, "/loglik"), number(&alone, "/loglik"), 1e-10);
    let taken = rest["nodes"].as_array().expect("numbers");
    assert_eq!(taken.len() as f64, number(&rest, "/evaluations") - 4.0);
    for (more, words) in [
        ("--nodes 2", &["one rank"][..]),
        ("--ranks local:3 --nodes 4", &["--nodes 4", "3 ranks"]),
        ("--ranks local:3 --nodes 4/1", &["--nodes 4", "3 ranks"]),
        ("--ranks local:3 --nodes none", &["'none'", "auto"]),
        (
            "--ranks local:3 --nodes auto:x",
            &["'x' is neither a strategy", "gp-discontinuous", "energy"],
        ),
        ("--ranks local:3 --nodes 2 --distribution 1d", &["lp", "not by 1d"]),
        ("--ranks local:3 --nodes 2 --generation 1d", &["--generation"]),
        ("--ranks local:3 --nodes auto --deterministic", &["--deterministic"]),
        ("--ranks local:3 --nodes auto --method vecchia:10", &["vecchia"]),
    ] {
        fit(more).failed(2, words);
    }
}
