//! `tegula diodon project`: new items in a folder of results, and what is refused.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, column, folder_with, number, tegula_in};

/// Corners of a rectangle of 3 x 4, and a point inside.
const OLD: [(&str, [f64; 2]); 5] =
    [("a", [0.0, 0.0]), ("b", [3.0, 0.0]), ("c", [0.0, 4.0]), ("d", [3.0, 4.0]), ("e", [1.0, 3.0])];
const NEW: [(&str, [f64; 2]); 3] = [("x", [1.5, 2.0]), ("y", [-2.0, 7.0]), ("z", [3.0, 0.0])];

fn diodon(folder: &Path, arguments: &str) -> Run {
    tegula_in(folder, &format!("diodon {arguments}"))
}

/// Distances of the points `rows` from the old ones, with names of columns.
fn table(rows: &[(&str, [f64; 2])]) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let header = [String::new()].into_iter().chain(OLD.map(|(id, _)| id.to_owned()));
    let mut text = line(header.collect());
    for (id, [x, y]) in rows {
        let distances = OLD.iter().map(|(_, [p, q])| (x - p).hypot(y - q).to_string());
        text += &line([(*id).to_owned()].into_iter().chain(distances).collect());
    }
    text
}

/// A folder with distances `D.csv` among the old points and `N.csv` of the new ones.
fn prepared() -> std::path::PathBuf {
    let folder = folder_with("D.csv", &table(&OLD));
    fs::write(folder.join("N.csv"), table(&NEW)).expect("a file can be written");
    folder
}

fn summary(folder: &Path, name: &str) -> Value {
    let text = fs::read_to_string(folder.join(name).join("summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

/// Points of a folder of results.
fn points(folder: &Path, name: &str) -> Vec<[f64; 2]> {
    let path = folder.join(name).join("coordinates.csv");
    let [x, y] = ["axis1", "axis2"].map(|axis| column(&path, axis));
    x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
}

#[test]
fn new_points_come_to_lie_where_their_distances_say() {
    let folder = prepared();
    for (format, element) in [("csv", ""), ("h5", ""), ("tsv.gz", ""), ("h5", "--precision f32")] {
        let _ = fs::remove_file(folder.join(format!("M.{format}")));
        diodon(&folder, &format!("convert N.csv M.{format} {element}")).succeeded();
        diodon(&folder, "mds D.csv --axes 2 -o old").succeeded();
        let run = diodon(&folder, &format!("project old M.{format} -o new --json -")).succeeded();
        let limit = if element.is_empty() { 1e-12 } else { 1e-6 };
        let (old, new) = (points(&folder, "old"), points(&folder, "new"));
        for (place, (id, [x, y])) in new.iter().zip(NEW) {
            for (other, (_, [p, q])) in old.iter().zip(OLD) {
                let distance = (place[0] - other[0]).hypot(place[1] - other[1]);
                assert!(
                    (distance - (x - p).hypot(y - q)).abs() < limit,
                    "{format}, {id}: {distance}"
                );
            }
        }
        let quality = folder.join("new/quality.csv");
        assert!(column(&quality, "residual2").iter().all(|x| x.abs() < 10.0 * limit));
        assert!(column(&quality, "cumulated2").iter().all(|x| (x - 1.0).abs() < 1e-5));
        let json = run.json();
        assert_eq!(json, summary(&folder, "new"));
        assert_eq!((&json["new_items"], &json["axes"]), (&3.into(), &2.into()));
        assert_eq!((&json["embedded_items"], &json["embedding"]), (&5.into(), &"old".into()));
        assert!((number(&json, "/share_on_axes") - 1.0).abs() < limit);
    }
}

#[test]
fn embedded_items_come_back_with_weights_too() {
    let folder = prepared();
    fs::write(folder.join("w.csv"), "id,weight\nb,2\na,1\nc,0.3\nd,1.7\ne,5\n").expect("written");
    diodon(&folder, "mds D.csv --weights w.csv -o old").succeeded();
    let weights = fs::read_to_string(folder.join("old/weights.csv")).expect("weights");
    assert_eq!(weights, "id,weight\na,1\nb,2\nc,0.3\nd,1.7\ne,5\n");
    assert_eq!(summary(&folder, "old")["weighted"], true);
    let back = |more: &str| {
        diodon(&folder, &format!("project old D.csv -o new {more}")).succeeded();
        let places = points(&folder, "new");
        for (found, expected) in places.iter().zip(points(&folder, "old")) {
            let off = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
            assert!(off < if more.contains("precision") { 1e-5 } else { 1e-12 }, "{more}: {off:e}");
        }
    };
    for more in [
        "",
        "--workers 1 --tile-size 2",
        "--memory 12MiB --readers 1",
        "--precision s",
        "--deterministic",
    ] {
        back(more);
    }
    fs::remove_file(folder.join("old/weights.csv")).expect("a file is removed");
    diodon(&folder, "project old D.csv -o new").failed(2, &["weights.csv", "cannot read"]);
}

/// Distances that are not Euclidean: three items at distance 2, and one at 1 from each.
const BENT: &str = "id,a,b,c,m\na,0,2,2,1\nb,2,0,2,1\nc,2,2,0,1\nm,1,1,1,0\n";

#[test]
fn corrections_of_the_embedding_are_those_of_new_distances() {
    let folder = folder_with("D.csv", BENT);
    fs::write(folder.join("N.csv"), "id,a,b,c,m\nx,1,1,1,0.01\ny,2,2,2,0.5\n").expect("written");
    let place = |correction: &str| {
        diodon(&folder, &format!("mds D.csv {correction} -o old")).succeeded();
        let run = diodon(&folder, "project old N.csv -o new --json -").succeeded();
        let quality = folder.join("new/quality.csv");
        (run, ["norm2", "residual2"].map(|name| column(&quality, name)))
    };
    let (run, [plain, residuals]) = place("");
    // Means of squares, less half of that among the old ones: (6 * 4 + 6 * 1) / 16 / 2.
    assert!((plain[0] - (3.0001 / 4.0 - 0.9375)).abs() < 1e-12, "{plain:?}");
    assert!(
        residuals[0] < 0.0 && run.stdout.contains("\"negative_residuals\": 1"),
        "{}",
        run.stdout
    );
    // 2 c more for each new square; c (1 - 1 / n) more for each squared norm of an old item.
    let (run, [lingoes, _]) = place("--correction lingoes");
    let constant = number(&run.json(), "/lingoes_constant");
    assert!((constant - number(&summary(&folder, "old"), "/lingoes_constant")).abs() < 1e-15);
    for (corrected, plain) in lingoes.iter().zip(&plain) {
        assert!((corrected - plain - 1.25 * constant).abs() < 1e-12, "{corrected} {plain}");
    }
    let (run, [cailliez, residuals]) = place("--correction cailliez");
    let c = number(&run.json(), "/cailliez_constant");
    let squares = |distances: [f64; 4]| distances.map(|d| (d + c).powi(2)).iter().sum::<f64>();
    let old = (6.0 * (2.0 + c).powi(2) + 6.0 * (1.0 + c).powi(2)) / 16.0 / 2.0;
    for (found, distances) in cailliez.iter().zip([[1.0, 1.0, 1.0, 0.01], [2.0, 2.0, 2.0, 0.5]]) {
        assert!((found - (squares(distances) / 4.0 - old)).abs() < 1e-9, "{found}");
    }
    assert!(residuals.iter().all(|residual| *residual > 0.0), "{residuals:?}");
}

#[test]
fn what_is_no_embedding_or_no_distance_to_it_is_refused() {
    let folder = prepared();
    diodon(&folder, "mds D.csv --axes 2 -o old").succeeded();
    let before = fs::read_to_string(folder.join("old/coordinates.csv")).expect("coordinates");
    let refused = |content: &str, words: &[&str]| {
        fs::write(folder.join("bad.csv"), content).expect("a file can be written");
        diodon(&folder, "project old bad.csv -o new").failed(2, words);
        assert!(!folder.join("new").exists());
    };
    refused("id,a,b,c,d\nx,1,2,3,4\n", &["embedded items without a column: e"]);
    refused("id,a,b,c,d,d\nx,1,2,3,4,5\n", &["come twice: d", "without a column: e"]);
    refused("id,a,b,c,d,f\nx,1,2,3,4,5\n", &["of no embedded item: f", "without a column: e"]);
    refused("id,a,b,c,d,e\nx,1,2,3,4,5\ny,1,2,-3,4,5\n", &["(y [2], c [3]) = -3", "negative"]);
    refused("id,a,b,c,d,e\nx,1,2,3,4,5\nx,1,2,3,4,5\n", &["both called x"]);
    diodon(&folder, "project old N.csv").failed(2, &["--output-folder"]);
    diodon(&folder, "project old N.csv -o old").failed(2, &["overwrite the embedding"]);
    diodon(&folder, "project old none.csv -o new").failed(2, &["none.csv"]);
    diodon(&folder, "project none N.csv -o new").failed(2, &["none", "tegula diodon mds"]);
    diodon(&folder, "project old N.csv -o new --precision z").failed(2, &["real numbers"]);
    diodon(&folder, "project old N.csv -o new --memory 1KiB").failed(2, &["memory"]);
    diodon(&folder, "pca N.csv -o table").succeeded();
    diodon(&folder, "project table N.csv -o new").failed(2, &["components", "diodon mds"]);
    assert!(!folder.join("new").exists());
    diodon(&folder, "project old N.csv -o new").succeeded();
    diodon(&folder, "project new N.csv -o newer").failed(2, &["axes of others"]);
    let json = diodon(&folder, "project old N.csv -o never --dry-run --json -").succeeded().json();
    assert!(json["ring_bytes"].as_u64() > Some(0) && json["new_items"] == 3);
    assert!(!folder.join("never").exists());
    assert_eq!(
        before,
        fs::read_to_string(folder.join("old/coordinates.csv")).expect("coordinates")
    );
}

#[test]
fn columns_go_by_name_and_the_page_shows_all_items() {
    let folder = prepared();
    diodon(&folder, "mds D.csv --axes 2 -o old").succeeded();
    diodon(&folder, "project old N.csv -o new").succeeded();
    // The columns turned round.
    let turned: String = table(&NEW)
        .lines()
        .map(|line| {
            let (id, rest) = line.split_once(',').expect("cells");
            let cells: Vec<&str> = rest.split(',').rev().collect();
            format!("{id},{}\n", cells.join(","))
        })
        .collect();
    fs::write(folder.join("T.csv"), turned).expect("a file can be written");
    fs::write(folder.join("l.csv"), "id,kind\na,old\nx,fresh\ny,fresh\n").expect("written");
    let run = diodon(&folder, "project old T.csv --labels l.csv -o turned").succeeded();
    assert!(run.stdout.contains("matched by name"), "{}", run.stdout);
    for (one, other) in points(&folder, "turned").iter().zip(points(&folder, "new")) {
        assert!(
            (one[0] - other[0]).abs().max((one[1] - other[1]).abs()) < 1e-12,
            "{one:?} {other:?}"
        );
    }
    let page = fs::read_to_string(folder.join("turned/report.html")).expect("a page");
    for words in ["3 new items among 5 embedded ones", "\"kind\"", "embedded or new"] {
        assert!(page.contains(words), "{words}");
    }
    fs::write(folder.join("l.csv"), "id,kind\nq,old\n").expect("written");
    diodon(&folder, "project old T.csv --labels l.csv -o turned").failed(2, &["l.csv", "no item"]);
}
