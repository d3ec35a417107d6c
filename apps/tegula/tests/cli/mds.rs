//! `tegula diodon distances` and `mds`: from points to a folder of results, and what is refused.

use std::fs;
use std::path::Path;

use crate::support::{Run, folder_with, tegula_in};

/// Corners of a rectangle of 3 x 4, and its centre.
const POINTS: &str = "id,x,y\na,0,0\nb,3,0\nc,0,4\nd,3,4\nm,1.5,2\n";

fn diodon(folder: &Path, arguments: &str) -> Run {
    tegula_in(folder, &format!("diodon {arguments}"))
}

fn written(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn points_come_back_from_their_distances() {
    let folder = folder_with("points.csv", POINTS);
    diodon(&folder, "distances points.csv --metric euclidean --element f64 -o D.h5").succeeded();
    for method in ["exact", "lanczos", "randomized", "nystrom"] {
        let arguments = format!("mds D.h5 --axes 2 --method {method} -o {method} --json -");
        let json = diodon(&folder, &arguments).succeeded().json();
        // Sums of squares along the two sides of the rectangle.
        for (axis, expected) in [16.0, 9.0].into_iter().enumerate() {
            let value = json["eigenvalues"][axis].as_f64().expect("a number");
            assert!((value - expected).abs() < 1e-12, "{method}: {value}");
        }
        assert_eq!((&json["n"], &json["axes"]), (&5.into(), &2.into()));
        assert!((json["trace"].as_f64().expect("a number") - 25.0).abs() < 1e-12);
        let coordinates = written(&folder, &format!("{method}/coordinates.csv"));
        assert!(coordinates.starts_with("id,axis1,axis2\na,"), "{coordinates}");
        let summary = written(&folder, &format!("{method}/summary.json"));
        let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
        assert_eq!(summary["eigenvalues"], json["eigenvalues"]);
        for name in ["eigenvalues.csv", "quality.csv", "ordination.txt", "report.html"] {
            assert!(folder.join(method).join(name).exists(), "{name}");
        }
    }
}

#[test]
fn toggles_readers_precision_and_memory_give_the_same() {
    let rows: Vec<String> = (0..300).map(|i| format!("{},{}", i % 17, (i * i) % 23)).collect();
    let folder = folder_with("points.csv", &format!("x,y\n{}\n", rows.join("\n")));
    diodon(&folder, "distances points.csv --metric manhattan --element f64 -o D.npy").succeeded();
    let eigenvalue = |more: &str| {
        let run = diodon(&folder, &format!("mds D.npy --axes 3 --method lanczos --json - {more}"));
        run.succeeded().json()["eigenvalues"][0].as_f64().expect("a number")
    };
    let expected = eigenvalue("");
    let ways = [
        "--no-overlap",
        "--no-split-gram",
        "--no-commute",
        "--no-read-order",
        "--no-priorities",
        "--readers 1",
        "--workers 1 --tile-size 64",
        "--tile-size 50 --memory 32MiB",
        "--tile-size 64 --memory 3MiB --scratch .",
        "--policy dmda",
        "--deterministic",
        "--seed 5",
    ];
    for way in ways {
        let value = eigenvalue(way);
        assert!((value / expected - 1.0).abs() < 1e-12, "{way}: {value} and {expected}");
    }
    assert!((eigenvalue("--precision s --tolerance 1e-4") / expected - 1.0).abs() < 1e-5);
}

#[test]
fn distances_need_not_be_stored() {
    let folder = folder_with("points.csv", POINTS);
    diodon(&folder, "distances points.csv --metric euclidean --element f64 -o D.h5").succeeded();
    let stored = diodon(&folder, "mds D.h5 --axes 2 --json -").succeeded().json();
    for method in ["exact", "lanczos"] {
        let arguments = format!(
            "mds points.csv --metric euclidean --axes 2 --method {method} -o {method} --json -"
        );
        let json = diodon(&folder, &arguments).succeeded().json();
        for axis in 0..2 {
            let [one, other] =
                [&stored, &json].map(|json| json["eigenvalues"][axis].as_f64().expect("a number"));
            assert!((one - other).abs() < 1e-12, "{method}: {one} and {other}");
        }
        assert_eq!(json["bytes_read"], POINTS.len());
        assert!(written(&folder, &format!("{method}/coordinates.csv")).contains("\nm,"));
    }
    let one = "mds points.csv --metric euclidean --names id --columns x --axes 2 --json -";
    let along_x = diodon(&folder, one).succeeded().json();
    assert_eq!(along_x["axes"], 1);
    diodon(&folder, "mds D.h5 --columns x").failed(2, &["--columns", "--metric"]);
    diodon(&folder, "mds points.csv --metric k80").failed(2, &["points.csv"]);
}

#[test]
fn passes_are_measured_part_by_part() {
    let rows: Vec<String> = (0..300).map(|i| format!("{},{}", i % 17, (i * i) % 23)).collect();
    let folder = folder_with("points.csv", &format!("x,y\n{}\n", rows.join("\n")));
    diodon(&folder, "distances points.csv --metric manhattan -o D.h5").succeeded();
    let small = "--method randomized --tile-size 32 --memory 3MiB --scratch .";
    let run = diodon(&folder, &format!("mds D.h5 --measure {small} --json -"));
    let json = run.succeeded().json();
    for part in ["reading", "multiplying", "both"] {
        assert!(json["seconds_per_pass"][part].as_f64().expect("a number") > 0.0, "{part}");
    }
    assert!(json["bytes_per_pass"].as_u64().expect("a number") > 300 * 300 * 4 / 2);
    diodon(&folder, "mds D.h5 --measure").failed(1, &["all", "tiles fit", "less --memory"]);
    diodon(&folder, "mds D.h5 --measure -o out").failed(2, &["--measure", "--output-folder"]);
}

#[test]
fn what_is_no_matrix_of_distances_is_refused() {
    let folder = folder_with("D.csv", "id,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n");
    let refused = |content: &str, words: &[&str]| {
        fs::write(folder.join("bad.csv"), content).expect("a file can be written");
        diodon(&folder, "mds bad.csv").failed(2, words);
    };
    refused("id,a,b,c\na,0,1,2\nb,1,0,3\n", &["as many rows as columns", "2", "3"]);
    refused("id,a,b\na,0,-1\nb,-1,0\n", &["negative", "(a [1], b [2]) = -1"]);
    refused("id,a,b\na,0,1\nb,2,0\n", &["not symmetric", "(a [1], b [2]) = 1 against 2"]);
    refused("id,a,b\na,1,0.5\nb,0.5,1\n", &["similarities", "1 - s"]);
    refused("id,a,a\na,0,1\na,1,0\n", &["both called a"]);
    refused("id,b,a\na,0,1\nb,1,0\n", &["another order"]);
    refused("id,x,y\na,0,1\nb,1,0\n", &["different names"]);
    diodon(&folder, "mds none.h5").failed(2, &["none.h5"]);
    diodon(&folder, "mds D.csv --method fast").failed(2, &["fast", "lanczos"]);
    diodon(&folder, "mds D.csv --axes 0").failed(2, &["0"]);
    diodon(&folder, "mds D.csv --precision z").failed(2, &["real numbers"]);
    diodon(&folder, "mds D.csv --method randomized --passes 1").failed(2, &["two passes"]);
    diodon(&folder, "mds D.csv --method nystrom --correction lingoes")
        .failed(2, &["--method lanczos"]);
    diodon(&folder, "mds D.csv --correction cailliez --memory 8KiB")
        .failed(2, &["cailliez", "order 6", "10.1 KiB", "--memory", "lingoes"]);
    diodon(&folder, "mds D.csv -o D.csv").failed(2, &["D.csv is a file"]);
    fs::write(folder.join("w.csv"), "a,1\nb,0\n").expect("a file can be written");
    diodon(&folder, "mds D.csv --weights w.csv").failed(2, &["w.csv", "line 2", "above 0"]);
    fs::write(folder.join("w.csv"), "id,weight\na,1\nb,2\n").expect("a file can be written");
    diodon(&folder, "mds D.csv --weights w.csv").failed(2, &["no weight for c"]);
    fs::write(folder.join("cut.h5"), b"\x89HDF\r\n\x1a\n").expect("a file can be written");
    diodon(&folder, "mds cut.h5").failed(2, &["cut.h5"]);
}

/// What was never written is refused by every command that reads it, unless it is said what it is.
#[test]
fn a_matrix_with_a_hole_is_refused_or_filled() {
    let rows: Vec<String> = (0..300).map(|i| format!("{},{}", i % 17, (i * i) % 23)).collect();
    let folder = folder_with("points.csv", &format!("x,y\n{}\n", rows.join("\n")));
    diodon(&folder, "distances points.csv --metric manhattan -o D.h5").succeeded();
    let mut bytes = fs::read(folder.join("D.h5")).expect("a file");
    // The address of the first chunk stands behind the head of the tree of chunks and its first
    // key.
    let tree = bytes.windows(5).position(|window| window == b"TREE\x01").expect("a tree");
    bytes[tree + 24 + 32..][..8].fill(0xff);
    fs::write(folder.join("D.h5"), bytes).expect("a file");
    let commands = [
        "diodon mds D.h5",
        "diodon pca D.h5",
        "diodon convert D.h5 D.npy",
        "linalg getrf --input D.h5",
    ];
    for command in commands {
        let words = ["1 of the 4 chunks of data set 'values'", "HDF5 reads 0", "--fill"];
        tegula_in(&folder, command).failed(2, &words);
    }
    let run = tegula_in(&folder, "diodon convert D.h5 D.npy --fill 2.5 --json -").succeeded();
    assert_eq!(run.json()["rows"], 300);
    diodon(&folder, "mds D.h5 --fill much").failed(2, &["'much' is no number"]);
    diodon(&folder, "mds D.h5 --symmetry-tolerance 2").failed(2, &["'2' is no share"]);
}

#[test]
fn what_was_not_compared_is_said() {
    let folder = folder_with("points.csv", POINTS);
    diodon(&folder, "distances points.csv --metric euclidean --element f64 -o D.h5").succeeded();
    let json = diodon(&folder, "mds D.h5 --axes 2 --json -").succeeded().json();
    assert_eq!(json["checks"]["pairs"], 10);
    assert_eq!(json["checks"]["pairs_compared"], 10);
    assert_eq!(json["notes"], serde_json::json!([]));
}

#[test]
fn lingoes_makes_axes_of_eigenvalues_that_were_negative() {
    let rows: Vec<String> = (0..7_i32)
        .map(|i| (0..7).map(|j| (i - j).pow(2).to_string()).collect::<Vec<_>>().join(","))
        .collect();
    let folder = folder_with("D.csv", &(rows.join("\n") + "\n"));
    let run = |more: &str| {
        let json =
            diodon(&folder, &format!("mds D.csv --axes 7 --json - {more}")).succeeded().json();
        let values = json["eigenvalues"].as_array().expect("a list").clone();
        (values.iter().map(|value| value.as_f64().expect("a number")).collect::<Vec<_>>(), json)
    };
    let (plain, json) = run("");
    assert_eq!(plain.len(), 1, "{json}");
    // Of NumPy.
    let expected = [1065.7297712991104, 252.0, 252.0, 252.0, 222.2702287008895];
    for method in ["exact", "lanczos"] {
        let (values, json) = run(&format!("--correction lingoes --method {method}"));
        assert_eq!(values.len(), expected.len(), "{method}: {json}");
        for (value, expected) in values.iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-12, "{method}: {value} {expected}");
        }
        let constant = json["lingoes_constant"].as_f64().expect("a number");
        assert!((values[0] - plain[0] - constant).abs() < 1e-10, "{method}: {constant}");
        assert_eq!(json["negative_eigenvalues"].as_array().map(Vec::len), Some(0));
    }
}

#[test]
fn a_dry_run_says_what_would_be_held() {
    let folder = folder_with("points.csv", POINTS);
    diodon(&folder, "distances points.csv --metric euclidean -o D.h5").succeeded();
    let run = diodon(&folder, "mds D.h5 --dry-run --json -").succeeded();
    let json = run.json();
    assert_eq!((&json["n"], &json["method"]), (&5.into(), &"exact".into()));
    assert!(json["ring_bytes"].as_u64() > Some(0) && json["eigenvalues"].is_null());
    assert_eq!((&json["dry_run"], &json["expected_passes"]), (&true.into(), &2.into()));
    assert!(json["expected_seconds"].as_f64() > Some(0.0) && json["tasks"].as_u64() > Some(0));
    for words in ["tasks", "measured now", "an estimate at these rates", "nothing was computed"] {
        assert!(run.stderr.contains(words), "{words} is not in: {}", run.stderr);
    }
    for command in ["mds D.h5 --method lanczos", "pca points.csv", "coa points.csv"] {
        let json = diodon(&folder, &format!("{command} --dry-run --json -")).succeeded().json();
        assert!(json["expected_seconds"].as_f64() > Some(0.0), "{command}: {json}");
    }
}

/// Distances that are not Euclidean: three items at distance 2, and one at 1 from each.
const BENT: &str = "id,a,b,c,m\na,0,2,2,1\nb,2,0,2,1\nc,2,2,0,1\nm,1,1,1,0\n";

#[test]
fn labels_are_refused_with_2_and_all_columns_are_used() {
    let folder = folder_with("D.csv", BENT);
    let labelled = |text: &str, more: &str| {
        fs::write(folder.join("l.csv"), text).expect("a file can be written");
        diodon(&folder, &format!("mds D.csv --labels l.csv {more}"))
    };
    labelled("x,1\ny,2\n", "")
        .failed(2, &["l.csv", "no item has one of its 2 ids ('x', 'y')", "'a'"]);
    labelled("a,1\na,2\n", "").failed(2, &["l.csv", "line 2", "has a label already"]);
    labelled("a\n", "").failed(2, &["line 1", "id without a label"]);
    diodon(&folder, "mds D.csv --labels none.csv").failed(2, &["none.csv"]);
    let run = labelled("id,kind,height\na,x,1\nq,y,2\n", "-o out").succeeded();
    for words in ["3 of 4 items have no label ('b', 'c', 'm')", "1 id is of no item ('q')"] {
        assert!(run.stderr.contains(words), "{words} is not in: {}", run.stderr);
    }
    assert!(run.stdout.contains("columns of labels: kind, height"), "{}", run.stdout);
    let page = written(&folder, "out/report.html");
    assert!(page.contains("\"name\":\"kind\"") && page.contains("\"name\":\"height\""));
}

#[test]
fn shares_name_their_sums_and_exact_gives_all_eigenvalues() {
    let folder = folder_with("D.csv", BENT);
    let run = diodon(&folder, "mds D.csv --axes 1 -o out --json -").succeeded();
    let json = run.json();
    assert_eq!(
        (&json["eigenvalues_are"], &json["negative_eigenvalues_are"]),
        (&"exact".into(), &"exact".into())
    );
    // Eigenvalues 2, 2, 0 and -1/4: of NumPy.
    let shares = |key: &str| json[key][0].as_f64().expect("a number");
    assert!((shares("shares_of_trace") - 2.0 / 3.75).abs() < 1e-12, "{json}");
    assert!((shares("shares_of_positive") - 0.5).abs() < 1e-12, "{json}");
    assert!(
        run.stderr.contains("of trace") && run.stderr.contains("of positive"),
        "{}",
        run.stderr
    );
    let table = written(&folder, "out/eigenvalues.csv");
    assert_eq!(table.lines().count(), 5, "{table}");
    let last = table.lines().last().and_then(|line| line.strip_prefix("4,")?.split(',').next());
    let last: f64 = last.and_then(|value| value.parse().ok()).expect("a fourth eigenvalue");
    assert!((last + 0.25).abs() < 1e-14, "{table}");
    for (method, are) in
        [("nystrom", "estimates"), ("randomized", "estimates"), ("lanczos", "converged")]
    {
        let run = diodon(
            &folder,
            &format!("mds D.csv --axes 1 --oversample 1 --method {method} --json -"),
        );
        let run = run.succeeded();
        let json = run.json();
        assert_eq!(json["eigenvalues_are"], are, "{method}");
        assert_eq!(json["negative_eigenvalues_are"], "estimates", "{method}");
        assert!(json["shares_of_positive"].is_null(), "{method}");
        assert_eq!(run.stderr.contains("eigenvalue (estimate)"), are == "estimates", "{method}");
        let is_met = json["negative_eigenvalues"].as_array().is_some_and(|all| !all.is_empty());
        assert_eq!(run.stderr.contains("estimate;"), is_met, "{method}");
    }
}

#[test]
fn a_run_leaves_its_own_files_alone() {
    let folder = folder_with("D.csv", BENT);
    fs::write(folder.join("w.csv"), "a,1\nb,2\nc,1\nm,3\n").expect("a file can be written");
    fs::create_dir(folder.join("out")).expect("a folder can be made");
    fs::write(folder.join("out/variables.csv"), "mine").expect("a file can be written");
    diodon(&folder, "mds D.csv --weights w.csv -o out").succeeded();
    assert!(folder.join("out/weights.csv").exists());
    let run = diodon(&folder, "mds D.csv -o out").succeeded();
    assert!(run.stdout.contains("weights.csv of an earlier run was removed"), "{}", run.stdout);
    assert!(!folder.join("out/weights.csv").exists());
    assert_eq!(written(&folder, "out/variables.csv"), "mine");
    assert!(!folder.join("out/.tegula-results").exists());
}
