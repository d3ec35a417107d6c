//! Files that a run reads are never written over, whatever names them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::{folder, root, tegula_in};

const POINTS: &str = "id,x,y,z\na,0,0,1\nb,1,1,2\nc,2,0.5,3\nd,0.3,2,1\ne,1.5,1.7,2\n";

/// A folder with one of each kind of input.
fn folder_of_inputs() -> PathBuf {
    let folder = folder();
    let weights = "id,weight\na,1\nb,2\nc,1\nd,1\ne,3\n";
    let instruments = "id,u\na,1\nb,3\nc,2\nd,5\ne,4\n";
    let files = [
        ("points.csv", POINTS),
        ("table.csv", "id,p,q\na,1,2\nb,3,4\nc,2,2\nd,5,1\ne,1,6\n"),
        ("w.csv", weights),
        ("weights.csv", weights),
        ("labels.csv", "id,label\na,1\nb,1\nc,2\nd,2\ne,2\n"),
        ("instruments.csv", instruments),
        ("config.toml", "workers = 1\n"),
        ("places.csv", "x,y\n1,2\n"),
        ("owners.csv", "0,1\n1,0\n"),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file can be written");
    }
    let run = |arguments: &str| tegula_in(&folder, arguments).succeeded();
    run("diodon distances points.csv --metric euclidean -o D.npy");
    fs::write(folder.join("D.npy.names"), "a\nb\nc\nd\ne\n").expect("a file can be written");
    run("diodon convert D.npy D.h5");
    run("diodon convert D.npy D.tsv");
    // A name that ends as any output may.
    fs::rename(folder.join("D.h5"), folder.join("tile")).expect("a file can be renamed");
    fs::write(folder.join("tiles.csv"), "file,row,column\ntile,0,0\n").expect("a file");
    run("diodon mds D.tsv --axes 2 -o embedding");
    run("exageostat fit points.csv --fix smoothness=0.5 --max-evaluations 2 -o model.json");
    run("linalg potrf -n 9 --workers 1 --trace run.trace");
    fs::hard_link(folder.join("w.csv"), folder.join("hard.csv")).expect("a link can be made");
    symlink("w.csv", folder.join("soft.csv")).expect("a link can be made");
    folder
}

/// All files below `folder` with what is in them.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

#[test]
fn no_run_writes_over_what_it_reads() {
    let folder = folder_of_inputs();
    let before = contents(&folder);
    let mds = "diodon mds D.tsv --axes 2";
    let pca = "diodon pca table.csv --axes 1";
    let predict = "exageostat predict model.json --at places.csv";
    let runs = [
        (format!("{mds} --weights w.csv --json w.csv"), "--weights"),
        (format!("{mds} --weights w.csv --json hard.csv"), "--weights"),
        (format!("{mds} --weights soft.csv --json w.csv"), "--weights"),
        (format!("{mds} --weights w.csv --trace soft.csv"), "--weights"),
        (format!("{mds} --weights weights.csv -o ."), "--weights"),
        (format!("{mds} --labels labels.csv --json labels.csv"), "--labels"),
        (format!("{mds} --labels labels.csv --trace labels.csv"), "--labels"),
        (format!("{mds} --labels labels.csv --checkpoint labels.csv"), "--labels"),
        (format!("{mds} --config config.toml --json config.toml"), "--config"),
        (format!("{mds} --json D.tsv"), "(D)"),
        ("diodon mds D.npy --json D.npy.names".to_owned(), "names of its items"),
        ("diodon mds tiles.csv --json tile".to_owned(), "a part of tiles.csv"),
        ("diodon mds tile:distances --json tile".to_owned(), "(D)"),
        (
            format!("{mds} --ranks local:2 --distribution file:owners.csv --json owners.csv"),
            "--dist",
        ),
        (format!("{pca} --row-metric w.csv --json w.csv"), "--row-metric"),
        (format!("{pca} --column-metric w.csv --json w.csv"), "--column-metric"),
        (format!("{pca} --instruments instruments.csv --json instruments.csv"), "--instruments"),
        (format!("{pca} --instruments instruments.csv -o ."), "--instruments"),
        ("diodon coa table.csv --labels labels.csv --json labels.csv".to_owned(), "--labels"),
        ("diodon project embedding D.tsv -o p --json D.tsv".to_owned(), "D.tsv"),
        ("diodon convert D.tsv ./D.tsv".to_owned(), "IN"),
        ("diodon distances points.csv --metric euclidean -o points.csv".to_owned(), "points.csv"),
        (format!("{predict} -o places.csv"), "--at"),
        (format!("{predict} -o model.json"), "MODEL.json"),
        (format!("{predict} -o points.csv"), "the training data"),
        (format!("{predict} -o p.csv --json points.csv"), "the training data"),
        ("exageostat sample --at places.csv --params 1,0.1,0.5 -o places.csv".to_owned(), "--at"),
        ("linalg potrf --input D.npy --output D.npy".to_owned(), "--input"),
        ("linalg gesv --input D.npy --rhs tile --json tile".to_owned(), "--rhs"),
        ("trace run.trace -o run.trace".to_owned(), "run.trace"),
    ];
    for (arguments, named) in runs {
        let run = tegula_in(&folder, &arguments);
        assert_eq!(run.code, 2, "{arguments}: {}{}", run.stdout, run.stderr);
        let says = run.stderr.contains("would overwrite") && run.stderr.contains(named);
        assert!(says, "{arguments}: {}", run.stderr);
        assert!(contents(&folder) == before, "{arguments} changed a file");
    }
}

#[test]
fn a_run_goes_on_from_the_checkpoint_that_it_writes() {
    let folder = folder();
    let data = root().join("data/samples/e_sub140.csv");
    let fit = format!(
        "exageostat fit {} --fix smoothness=0.5 --checkpoint c --checkpoint-every 0s",
        data.display()
    );
    tegula_in(&folder, &format!("{fit} --max-evaluations 3")).succeeded();
    tegula_in(&folder, &format!("{fit} --max-evaluations 3 --resume c")).succeeded();
    // As a run leaves them that is killed while it writes the next one.
    fs::remove_file(folder.join("c.previous")).expect("the one before");
    fs::hard_link(folder.join("c"), folder.join("c.previous")).expect("a link can be made");
    tegula_in(&folder, &format!("{fit} --max-evaluations 4 --resume c")).succeeded();
    tegula_in(&folder, &format!("{fit} --resume c --json c")).failed(2, &["--json"]);
    tegula_in(&folder, &format!("{fit} --json c.previous")).failed(2, &["--checkpoint and --json"]);
}
