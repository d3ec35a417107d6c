//! `tegula plan`, and `tegula simulate` on clusters of nodes.

use std::fs;

use serde_json::Value;

use crate::support::{assert_close, folder, number, tegula, tegula_in};

fn json(arguments: &str) -> Value {
    tegula(&format!("{arguments} --json - --quiet")).succeeded().json()
}

fn simulate(program: &str, more: &str) -> Value {
    json(&format!("simulate {program} --platform 2chetemi+1chifflet --tiles 8 {more}"))
}

fn plan(program: &str, more: &str) -> Value {
    json(&format!("plan {program} --platform 2chetemi+1chifflet --tiles 8 {more}"))
}

/// What is sent in a simulation is what is counted without one.
#[test]
fn messages_of_a_simulation_are_those_that_a_plan_counts() {
    for program in ["lu", "cholesky", "qr"] {
        for distribution in ["block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s", "1d", "recursive@0,2"] {
            let flags = format!("--distribution {distribution}");
            let (ran, planned) = (simulate(program, &flags), plan(program, &flags));
            let counted = number(&planned, "/messages/factorization");
            assert_eq!(number(&ran, "/messages"), counted, "{program} {distribution}");
            assert!(counted > 0.0, "{program} {distribution}");
            let tiles: Vec<Value> =
                ran["nodes"].as_array().unwrap().iter().map(|node| node["tiles"].clone()).collect();
            assert_eq!(Value::from(tiles), planned["owners_per_rank"]);
        }
    }
}

/// What nodes hold at most is told, and what they have no memory for is refused.
#[test]
fn memories_of_nodes_are_a_limit() {
    let ran = simulate("cholesky", "--distribution block-cyclic");
    let bytes = |node: &Value, key: &str| node[key].as_f64().expect("a number");
    for node in ran["nodes"].as_array().expect("nodes") {
        let own = bytes(node, "tiles") * 960.0 * 960.0 * 8.0;
        let held = bytes(node, "peak_bytes");
        // Its tiles, and those of others that it needs at a time.
        assert!((own..3.0 * own).contains(&held), "{node}");
        assert!(bytes(node, "installed_bytes") > held);
    }
    let large = "--platform 2b715 --tiles 20 --tile-size 9600";
    for command in ["simulate cholesky", "plan cholesky"] {
        let words = ["(b715) would hold", "64.0 GiB", "more nodes"];
        tegula(&format!("{command} {large} --distribution block-cyclic")).failed(2, &words);
    }
    let one = "simulate cholesky --platform b715 --tiles 20 --tile-size 9600";
    tegula(one).failed(2, &["b715 has 64.0 GiB", "145 GiB", "4b715"]);
    // One node alone has no room, and is left out.
    let pool = "adapt pool --platform 1chiclet+2chetemi --tiles 70 --tile-size 3840 -o pool.csv";
    let out = tegula_in(&folder(), pool).succeeded();
    let note = out.stdout;
    assert!(note.contains("3 and 1 nodes are left out") && note.contains("256 GiB"), "{note}");
}

/// Refinement that went round twice sends more than none.
#[test]
fn a_plan_counts_what_a_run_has_decided() {
    let counted = |decisions: &str| {
        let flags = format!("--distribution 1d1d {decisions}");
        let (ran, planned) = (simulate("posv-mixed", &flags), plan("posv-mixed", &flags));
        let [messages, bytes] =
            ["/messages/total", "/messages/bytes"].map(|place| number(&planned, place));
        assert_eq!(number(&ran, "/messages"), messages, "{decisions}");
        assert_eq!(number(&ran, "/bytes"), bytes, "{decisions}");
        assert!(planned["messages"]["factorization"].is_null());
        messages
    };
    assert!(counted("--decisions 2r") > counted(""));
    for (flags, words) in [
        ("posv-mixed --tiles 4 --decisions x", &["--decisions x", "decides no x"][..]),
        ("lu --tiles 4 --decisions r", &["--decisions r", "decides nothing"]),
        ("posv-mixed --tiles 4 --decisions 99c", &["--decisions 99c", "same sizes"]),
        ("posv-mixed --tiles 500 --decisions r", &["--tiles 500", "fewer tiles"]),
    ] {
        tegula(&format!("plan {flags} --platform 2chetemi+1chifflet")).failed(2, words);
    }
}

#[test]
fn a_simulation_takes_longer_than_its_bounds_and_repeats_to_the_last_digit() {
    for program in ["lu", "cholesky", "gemm", "qr", "exageostat", "diodon"] {
        let (first, again) = (simulate(program, ""), simulate(program, ""));
        let makespan = number(&first, "/makespan_seconds");
        assert_eq!(first["makespan_seconds"], again["makespan_seconds"], "{program}");
        assert!(makespan >= number(&first, "/abe_seconds") * (1.0 - 1e-9), "{program}");
        // Nothing waits for its turn to add to a sum over nodes.
        let path = first["cpb_seconds"].as_f64();
        assert_eq!(path.is_none(), program == "diodon");
        assert!(makespan >= path.unwrap_or(0.0) * (1.0 - 1e-9), "{program}");
    }
}

/// One task for each tile that is generated, and one for each that is read or multiplied.
#[test]
fn applications_run_all_their_tasks() {
    // covariance, potrf, trsm, syrk, gemm, logdet, trsv, gemv, geadd, dot on 8 x 8 tiles.
    let likelihood = 36 + 8 + 28 + 28 + 56 + 8 + 8 + 28 + 7 + 8;
    for more in ["--distribution lp", "--distribution 1d1d", "--without overlap,priorities"] {
        let ran = simulate("exageostat", more);
        assert_eq!(ran["simulated_tasks"], likelihood, "{more}");
        // Sums that ranks have made by themselves are added up besides.
        assert!(number(&ran, "/tasks") >= f64::from(likelihood), "{ran}");
    }
    for more in ["--distribution lp", "--distribution 1d", "--without overlap"] {
        let tasks = number(&simulate("diodon", more), "/tasks");
        // Read and sweep; totals and corrections of eight bands, and what adds up shares of ranks.
        assert!(tasks >= f64::from(2 * 36 + 2 * 8), "{tasks} with {more}");
    }
}

/// The messages of the thesis (section 5.4.1).
#[test]
fn block_cyclic_on_22_nodes_sends_what_it_should() {
    let flags = "--platform 8chifflet+14chetemi --tiles 100 --distribution block-cyclic:2x11";
    assert_eq!(json(&format!("plan lu {flags}"))["messages"]["factorization"], 55_329);
}

#[test]
fn a_programme_plans_both_phases() {
    let planned = plan("exageostat", "--distribution lp");
    let sum = |pointer: &str| -> u64 {
        let list = planned.pointer(pointer).and_then(Value::as_array).unwrap();
        list.iter().map(|tiles| tiles.as_u64().unwrap()).sum()
    };
    assert_eq!([sum("/owners_per_rank"), sum("/earlier_owners_per_rank")], [36, 36]);
    let of = |name: &str| number(&planned, &format!("/messages/{name}"));
    assert_eq!(of("total"), of("factorization") + of("redistribution"));
    // The node with devices factorises more than it generates.
    let tiles = |list: &str| planned[list][2].as_u64().unwrap();
    assert!(tiles("owners_per_rank") > tiles("earlier_owners_per_rank"), "{planned}");
    assert!(number(&planned, "/plan/seconds") > 0.0);
    // Those that take no part in the factorisation own nothing then.
    let alone = plan("exageostat", "--distribution lp@2");
    assert_eq!(alone["owners_per_rank"], serde_json::json!([0, 0, 36]));
}

#[test]
fn a_search_among_plans_takes_the_one_that_ends_first() {
    for program in ["exageostat", "diodon"] {
        let found = plan(program, "--search 6");
        let least = number(&found, "/search/makespan_seconds");
        let of = |distribution: &str| {
            number(
                &simulate(program, &format!("--distribution {distribution}")),
                "/makespan_seconds",
            )
        };
        let all = ["lp", "lp-constrained", "1d1d", "lp@2", "1d1d@2", "block-cyclic@2"].map(of);
        assert_close(least, all.into_iter().fold(f64::MAX, f64::min), 1e-9);
        assert_close(of(found["distribution"].as_str().unwrap()), least, 1e-9);
        assert_close(number(&found, "/search/first_makespan_seconds"), all[0], 1e-9);
        assert_eq!(number(&found, "/search/simulations"), 6.0);
    }
    tegula("plan gemm --platform 2chetemi+1chifflet --tiles 4 --search 5").failed(2, &["gemm"]);
}

#[test]
fn what_is_written_can_be_used() {
    let folder = folder();
    let arguments = "plan exageostat --platform 2chetemi+1chifflet --tiles 8 --distribution lp -o plan --plot owners.svg --quiet";
    tegula_in(&folder, arguments).succeeded();
    let files = [
        "generation.csv",
        "generation.svg",
        "factorization.csv",
        "factorization.svg",
        "balance.svg",
        "iterations.svg",
    ];
    for file in files {
        assert!(fs::metadata(folder.join("plan").join(file)).unwrap().len() > 0, "{file}");
    }
    let picture = fs::read_to_string(folder.join("owners.svg")).unwrap();
    assert_eq!(picture, fs::read_to_string(folder.join("plan/factorization.svg")).unwrap());
    let again = "simulate cholesky --platform 2chetemi+1chifflet --tiles 8 --json - --quiet --distribution file:plan/factorization.csv";
    let ran = tegula_in(&folder, again).succeeded().json();
    let planned = plan("exageostat", "--distribution lp");
    assert_close(number(&ran, "/messages"), number(&planned, "/messages/factorization"), 1e-12);
}

#[test]
fn what_does_not_fit_a_cluster_is_refused() {
    let cluster = "--platform 2chetemi+1chifflet --tiles 4";
    for (arguments, words) in [
        (format!("simulate lu {cluster} --distribution nosuch"), &["nosuch"][..]),
        (format!("simulate lu {cluster} --distribution lp"), &["lp", "two phases"]),
        (format!("simulate exageostat {cluster} --distribution lp:fast"), &["fast", "free"]),
        (format!("simulate exageostat {cluster} --distribution lp@7"), &["7"]),
        (format!("simulate gemm-2d {cluster}"), &["one node"]),
        (format!("simulate lu {cluster} --cores 2"), &["2 cores", "speed"]),
        (format!("simulate lu {cluster} --without overlap"), &["--without overlap", "lu"]),
        (format!("simulate exageostat {cluster} --without nap"), &["nap", "local-solve"]),
        (
            "simulate lu --platform chetemi --tiles 4 --distribution 1d".to_owned(),
            &["--distribution", "4chetemi"],
        ),
        ("simulate lu --platform 2nosuch --tiles 4".to_owned(), &["nosuch"]),
        ("simulate lu --platform 2tupi+2chetemi --tiles 4".to_owned(), &["site"]),
        (format!("plan gemm-2d {cluster}"), &["gemm-2d"]),
        (format!("plan diodon {cluster} --plot owners.svg"), &["--plot", "diodon"]),
        (format!("plan lu {cluster} -o /proc/nowhere"), &["-o"]),
    ] {
        tegula(&arguments).failed(2, words);
    }
}

/// A slow node of a cluster in a file makes a simulation longer, and so does a slow link.
#[test]
fn faults_that_are_ordered_are_seen() {
    let folder = folder();
    let file = |name: &str, more: &str| {
        let text = format!(
            "name = \"{name}\"\n[[node]]\nplatform = \"chetemi\"\ncount = 3\n[[node]]\nplatform = \"chetemi\"\n{more}\n"
        );
        fs::write(folder.join(format!("{name}.toml")), text).unwrap();
    };
    file("whole", "");
    file("slow", "speed = 0.25");
    file("narrow", "bytes_per_second = 1e7");
    let makespan = |name: &str| {
        let arguments = format!(
            "simulate cholesky --platform {name}.toml --tiles 12 --distribution block-cyclic --json - --quiet"
        );
        number(&tegula_in(&folder, &arguments).succeeded().json(), "/makespan_seconds")
    };
    let whole = makespan("whole");
    assert!(makespan("slow") > 1.5 * whole);
    assert!(makespan("narrow") > 1.5 * whole);
}
