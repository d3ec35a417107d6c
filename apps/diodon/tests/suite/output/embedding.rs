//! A folder of results is read back as the embedding that it holds, or refused.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tegula_diodon::Ordination;
use tegula_diodon::output::{Output, ProjectionOutput, WEIGHTS, write_coordinates, write_weights};
use tegula_diodon::projection::{Embedding, Projection};
use tegula_kernels::kernel::sweep::Findings;

use super::sample::{hostile, ordination};

/// What the program says of the run.
fn summary(ordination: &Ordination) -> Value {
    json!({
        "n": ordination.items(),
        "eigenvalues": ordination.eigenvalues,
        "weighted": false,
        "lingoes_constant": 1.0 / 3.0,
        "cailliez_constant": null,
    })
}

fn write(folder: &Path, ordination: &Ordination, summary: &Value) {
    let output = Output { ordination, labels: None, weights: None, summary, title: "d" };
    output.write(folder).unwrap();
}

#[test]
fn an_embedding_reads_back_equal() {
    for ordination in [ordination(200, 5, true), ordination(3, 1, false), hostile()] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &ordination, &summary(&ordination));
        let read = Embedding::read(folder.path()).unwrap();
        assert_eq!(read.ids, ordination.ids);
        assert_eq!(read.coordinates, ordination.coordinates);
        assert_eq!(read.eigenvalues, ordination.eigenvalues);
        assert_eq!(read.norms2, ordination.norms2);
        assert_eq!((read.weights, read.offset, read.constant), (None, 0.0, 1.0 / 3.0));
    }
}

#[test]
fn weights_are_read_where_the_summary_says_so() {
    let mut ordination = ordination(30, 3, false);
    let weights: Vec<f64> = (0..30).map(|item| 0.1 + item as f64 / 7.0).collect();
    let n = ordination.items();
    for (axis, value) in ordination.eigenvalues.iter_mut().enumerate() {
        let squares =
            (0..n).map(|item| weights[item] * ordination.coordinates[axis * n + item].powi(2));
        *value = squares.sum();
    }
    let folder = tempfile::tempdir().unwrap();
    let mut facts = summary(&ordination);
    write_weights(&folder.path().join(WEIGHTS), &ordination.ids, &weights).unwrap();
    // A file that another run left is of no concern: but then lengths are others.
    write(folder.path(), &ordination, &facts);
    let error = Embedding::read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("axis 1 has the eigenvalue") && error.contains("different runs"),
        "{error}"
    );
    facts["weighted"] = true.into();
    facts["cailliez_constant"] = 0.1.into();
    write(folder.path(), &ordination, &facts);
    let read = Embedding::read(folder.path()).unwrap();
    assert_eq!((read.weights, read.offset), (Some(weights), 0.1));
}

#[test]
fn a_folder_that_holds_no_embedding_is_refused() {
    let ordination = ordination(20, 3, false);
    let refused = |change: &dyn Fn(&Path, &mut Value), words: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let mut facts = summary(&ordination);
        write(folder.path(), &ordination, &facts);
        change(folder.path(), &mut facts);
        if folder.path().join("summary.json").exists() {
            fs::write(folder.path().join("summary.json"), facts.to_string()).unwrap();
        }
        let error = Embedding::read(folder.path()).unwrap_err().to_string();
        words.iter().for_each(|word| assert!(error.contains(word), "'{word}' is not in: {error}"));
    };
    let without = |name: &'static str| {
        move |folder: &Path, _: &mut Value| fs::remove_file(folder.join(name)).unwrap()
    };
    for name in ["summary.json", "coordinates.csv", "quality.csv"] {
        refused(&without(name), &[name, "cannot read", "tegula diodon mds"]);
    }
    refused(&|_, facts| facts["inertia"] = 1.0.into(), &["components", "diodon mds"]);
    refused(&|_, facts| facts["embedding"] = "x".into(), &["axes of others"]);
    refused(&|_, facts| *facts = json!({}), &["no summary of an embedding"]);
    refused(&|_, facts| facts["n"] = 21.into(), &["21 items", "20 items", "different runs"]);
    refused(&|_, facts| facts["weighted"] = true.into(), &["weights.csv"]);
    refused(
        &|_, facts| facts["eigenvalues"][1] = 0.25.into(),
        &["axis 2", "0.25", "different runs"],
    );
    let others = |folder: &Path, _: &mut Value| {
        let mut others = ordination.clone();
        others.ids[4] = "x".to_owned();
        write_coordinates(&folder.join("coordinates.csv"), &others).unwrap();
    };
    refused(&others, &["quality.csv", "item 5 is another one"]);
    let text = |folder: &Path, _: &mut Value| {
        let path = folder.join("coordinates.csv");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("item0002,", "item0002,x", 1)).unwrap();
    };
    refused(&text, &["coordinates.csv", "of item 3 is no number"]);
    let short = |folder: &Path, _: &mut Value| {
        fs::write(folder.join("quality.csv"), "id,norm2\nitem0000,1\n").unwrap();
    };
    refused(&short, &["quality.csv", "item 2 is another one"]);
}

#[test]
fn new_items_have_coordinates_and_two_squared_distances() {
    let ids = ["a,b", "c"].map(str::to_owned);
    let projection = Projection {
        coordinates: vec![1.0, 3.0, -2.0, 0.1],
        norms2: vec![5.0, -0.5],
        residuals2: vec![0.0, -9.51],
        findings: Findings::NONE,
        tiles: 1,
        held: 1,
        bytes_read: 0,
    };
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("new");
    let embedding = Embedding {
        ids: ["m", "n"].map(str::to_owned).to_vec(),
        coordinates: vec![1.0, -1.0, 0.5, -0.5],
        eigenvalues: vec![2.0, 0.5],
        norms2: vec![1.25; 2],
        weights: None,
        offset: 0.0,
        constant: 0.0,
    };
    let output = ProjectionOutput {
        embedding: &embedding,
        ids: &ids,
        projection: &projection,
        labels: None,
        summary: &json!({"new_items": 2}),
        title: "new.csv",
    };
    let paths = output.write(&deep).unwrap().paths;
    assert_eq!(paths.len(), 4);
    let read = |name: &str| fs::read_to_string(deep.join(name)).unwrap();
    let page = read("report.html");
    for words in
        ["2 new items among 2 embedded ones", "[\"m\",\"n\",\"a,b\",\"c\"]", "embedded or new"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("eigenvalue is negative"));
    assert_eq!(read("coordinates.csv"), "id,axis1,axis2\n\"a,b\",1,-2\nc,3,0.1\n");
    let quality = "id,norm2,residual2,quality1,quality2,cumulated1,cumulated2\n\"a,b\",5,0,0.2,0.8,0.2,1\nc,-0.5,-9.51,,,,\n";
    assert_eq!(read("quality.csv"), quality);
    assert_eq!(
        serde_json::from_str::<Value>(&read("summary.json")).unwrap(),
        json!({"new_items": 2})
    );
}
