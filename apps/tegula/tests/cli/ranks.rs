//! `--ranks local:N`: the same answers over ranks as on one, and what is refused.

use std::fs;

use serde_json::Value;

use crate::support::{assert_close, folder, folder_with, number, root, tegula, tegula_in};

/// Asserts that the numbers at `pointers` agree to `tolerance`.
#[track_caller]
fn assert_agree(one: &Value, other: &Value, pointers: &[&str], tolerance: f64) {
    for pointer in pointers {
        assert_close(number(other, pointer), number(one, pointer), tolerance);
    }
}

#[test]
fn a_likelihood_is_the_same_over_ranks() {
    let data = "data/samples/a_synth1600.csv --covariance matern --params 1,0.1,0.5";
    let loglik = |more: &str| {
        let arguments = format!("exageostat loglik {data} --tile-size 160 --json - {more}");
        tegula(&arguments).succeeded().json()
    };
    let alone = loglik("");
    for more in [
        "--ranks local:2",
        "--ranks local:3 --workers 1",
        "--ranks local:4 --distribution block-cyclic:4x1 --sync",
        "--ranks local:4 --no-local-solve --deterministic",
        "--ranks local:3 --mean x --policy dmdas",
        "--ranks local:2 --devices emulated:1:16MiB",
        "--ranks local:3 --distribution 1d1d:2,1,1 --generation 1d1d",
        "--ranks local:2 --distribution 1d1d-c+s:3,1 --generation 1d:1,3",
    ] {
        let over = loglik(more);
        let pointers = ["/loglik", "/logdet"];
        let expected = if more.contains("--mean") { loglik("--mean x") } else { alone.clone() };
        assert_agree(&expected, &over, &pointers, 1e-10);
        assert!(number(&over, "/messages") > 0.0, "{more}");
        assert_eq!(over["ranks"], more.split([':', ' ']).nth(2).unwrap().parse::<u64>().unwrap());
    }
}

#[test]
fn priorities_of_messages_change_no_answer() {
    let run = |more: &str| {
        let arguments =
            format!("linalg potrf -n 600 --tile-size 50 --ranks local:3 --check --json - {more}");
        tegula(&arguments).succeeded().json()
    };
    let (with, without) = (run(""), run("--message-priorities off"));
    assert_eq!(
        (&with["message_priorities"], &without["message_priorities"]),
        (&true.into(), &false.into())
    );
    for key in ["messages", "bytes_sent"] {
        assert_eq!(with[key], without[key], "{key}");
    }
    tegula("linalg potrf -n 100 --message-priorities some").failed(2, &["some", "on", "off"]);
}

#[test]
fn ranks_of_a_host_share_its_cores() {
    let cores = number(&tegula("info --json -").succeeded().json(), "/workers");
    let run = tegula("linalg potrf -n 100 --ranks local:2 --json -").succeeded().json();
    assert_eq!(number(&run, "/workers"), (cores / 2.0).floor().max(1.0));
}

#[test]
fn fits_and_predictions_are_the_same_over_ranks() {
    let folder = folder();
    let data = root().join("data/samples/e_sub140.csv");
    let run = |name: &str, more: &str| {
        let fit = format!(
            "exageostat fit {} --covariance exponential --estimate-nugget --tile-size 40 {more} -o {name}.json",
            data.display()
        );
        tegula_in(&folder, &fit).succeeded();
        let predict =
            format!("exageostat predict {name}.json --at {} {more} -o {name}.csv", data.display());
        tegula_in(&folder, &predict).succeeded();
        let text = fs::read_to_string(folder.join(format!("{name}.json"))).expect("a model");
        let model: Value = serde_json::from_str(&text).expect("JSON");
        let mean = crate::support::column(&folder.join(format!("{name}.csv")), "mean");
        (model, mean)
    };
    let (alone, expected) = run("alone", "");
    let (over, mean) = run("over", "--ranks local:3");
    assert_agree(&alone, &over, &["/loglik"], 1e-9);
    assert_eq!(mean.len(), expected.len());
    mean.iter().zip(&expected).for_each(|(x, y)| assert!((x - y).abs() < 1e-4, "{x} {y}"));
}

#[test]
fn embeddings_are_the_same_over_ranks() {
    let folder = folder();
    let points = root().join("data/samples/a_synth1600.csv");
    let distances = format!("diodon distances {} --metric euclidean -o D.h5", points.display());
    tegula_in(&folder, &distances).succeeded();
    for method in ["lanczos", "randomized", "nystrom", "exact"] {
        let run = |more: &str| {
            let arguments = format!("diodon mds D.h5 --axes 3 --method {method} --json - {more}");
            tegula_in(&folder, &arguments).succeeded().json()
        };
        // Unequal shares, and tiles that are read elsewhere than they are multiplied.
        let unequal = "--distribution 1d:1,3,2 --reading row-cyclic";
        let over =
            format!("--ranks local:3 {} -o over", if method == "exact" { "" } else { unequal });
        let (alone, over) = (run("-o alone"), run(&over));
        let pointers = ["/eigenvalues/0", "/eigenvalues/2", "/trace", "/frobenius2"];
        assert_agree(&alone, &over, &pointers, 1e-6);
        let axis = |name: &str| {
            crate::support::column(&folder.join(name).join("coordinates.csv"), "axis1")
        };
        let (one, other) = (axis("alone"), axis("over"));
        let sign = (one[0] * other[0]).signum();
        one.iter().zip(&other).for_each(|(x, y)| assert!((x - sign * y).abs() < 1e-4, "{x} {y}"));
    }
}

#[test]
fn counts_are_those_of_all_ranks() {
    let folder = folder();
    let points = root().join("data/samples/a_synth1600.csv");
    let distances = format!("diodon distances {} --metric euclidean -o D.h5", points.display());
    tegula_in(&folder, &distances).succeeded();
    // Each tile is read by one rank.
    let mds = "diodon mds D.h5 --axes 3 --method randomized --tile-size 200 --workers 1 --json -";
    let run = |arguments: &str| tegula_in(&folder, arguments).succeeded().json();
    let (alone, over) = (run(mds), run(&format!("{mds} --ranks local:3 --trace over.trace")));
    // Also what is sent after the last task, to those who read the coordinates.
    let recorded = run("trace over.trace --json -");
    for key in ["messages", "bytes_sent"] {
        assert_eq!(over[key], recorded[key], "{key}");
    }
    assert!(number(&alone, "/bytes_read") > 0.0);
    // What a rank reads beside its tiles depends on what it read before.
    let share = number(&over, "/bytes_read") / number(&alone, "/bytes_read");
    assert!((0.9..1.5).contains(&share), "{share}");
    let potrf = "linalg potrf -n 300 --tile-size 50 --workers 2 --json -";
    let tasks = |result: &Value| {
        let workers = result["tasks"].as_array().expect("a list").iter();
        workers.map(|worker| number(worker, "/tasks")).sum::<f64>()
    };
    let (alone, over) = (run(potrf), run(&format!("{potrf} --ranks local:3")));
    // 6 tiles along an edge: potrf, trsm and syrk, gemm; messages count as tasks of who sends or
    // receives.
    assert_eq!(number(&alone, "/tasks_run"), tasks(&alone));
    assert!(number(&alone, "/tasks_run") >= 56.0, "{alone}");
    assert!(number(&over, "/tasks_run") >= number(&alone, "/tasks_run"), "{over}");
    assert!(number(&over, "/tasks_run") > tasks(&over), "{over}");
}

#[test]
fn a_result_goes_to_the_rank_that_writes_it() {
    let folder = folder();
    let run = |more: &str| {
        let arguments = format!("linalg getrf -n 200 --tile-size 20 --workers 1 --json - {more}");
        tegula_in(&folder, &arguments).succeeded().json()
    };
    run("--output one.npy");
    run("--ranks local:3 --output three.npy");
    let read = |name: &str| fs::read(folder.join(name)).expect("the result");
    assert_eq!(read("one.npy"), read("three.npy"));
    // Where the file takes nothing, all ranks end.
    let full = "linalg getrf -n 200 --tile-size 20 --ranks local:3 --output /dev/full";
    tegula_in(&folder, full).failed(1, &["/dev/full"]);
}

#[test]
fn components_are_the_same_over_ranks() {
    let folder = folder();
    let table = root().join("data/samples/a_synth1600.csv");
    for analysis in ["pca", "coa"] {
        let run = |more: &str| {
            let arguments = format!("diodon {analysis} X.csv --axes 2 --json - {more}");
            tegula_in(&folder, &arguments).succeeded().json()
        };
        let text = fs::read_to_string(&table).expect("a sample");
        // Numbers that are not negative, for counts.
        let rows = text.lines().skip(1).map(|line| line.replace('-', ""));
        fs::write(folder.join("X.csv"), rows.collect::<Vec<_>>().join("\n")).expect("a file");
        let (alone, over) = (run(""), run("--ranks local:2"));
        assert_agree(&alone, &over, &["/eigenvalues/0", "/eigenvalues/1"], 1e-6);
    }
}

#[test]
fn wrong_ranks_and_distributions_are_refused() {
    for (flags, words) in [
        ("--ranks local:0", &["N of local:N is 1 to 64"][..]),
        ("--ranks some", &["local:N, mpi or mpi:LIBRARY is expected"]),
        (
            "--ranks local:2 --distribution tidy",
            &["there is no distribution 'tidy'", "block-cyclic"],
        ),
        ("--ranks local:4 --distribution block-cyclic:3x1", &["3 x 1", "4 ranks"]),
        ("--ranks local:4 --distribution block-cyclic:x", &["'x' is no grid"]),
        ("--ranks local:2 --distribution file:none.csv", &["none.csv"]),
        ("--ranks mpi:none.so", &["none.so"]),
    ] {
        tegula(&format!("linalg potrf -n 100 {flags}")).failed(2, words);
    }
    let folder = folder_with("owners.csv", "0\n1 0\n2 1 0\n");
    let potrf = "linalg potrf -n 100 --tile-size 20 --check --distribution file:owners.csv";
    tegula_in(&folder, &format!("{potrf} --ranks local:3")).succeeded();
    tegula_in(&folder, &format!("{potrf} --ranks local:2")).failed(2, &["owners.csv, line 3"]);
}

#[test]
fn a_failure_of_rank_0_names_it() {
    let folder = folder_with("d.csv", "x,y,z\n0,0,1\n1,0,1\n0,1,1\n1,1,1\n2,0,1\n");
    let fit = "exageostat fit d.csv --covariance exponential";
    let run = tegula_in(&folder, &format!("{fit} --ranks local:3"));
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
    run.failed(2, &["rank 0: error: d.csv: all 5 values equal 1"]);
    let run = tegula_in(&folder, fit);
    assert!(run.stderr.starts_with("error: d.csv: all 5 values"), "{}", run.stderr);
}

#[test]
fn a_failure_on_one_rank_is_told_once() {
    let folder = folder_with("A.csv", "1,0,0\n0,1,0\n0,0,-1\n");
    let arguments = "linalg potrf --input A.csv --tile-size 1 --ranks local:3";
    let run = tegula_in(&folder, arguments);
    assert_eq!(run.stderr.matches("not positive definite").count(), 1, "{}", run.stderr);
    run.failed(1, &["leading minor of order 3"]);
}
