//! Files of labels: headers, delimiters, what does not match, what is refused.

use std::fs;

use tegula_diodon::output::{LabelColumn, Labels, LabelsError, LabelsOfItems, UnmatchedIds};

fn read(text: &str) -> Result<Labels, LabelsError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    fs::write(&path, text).unwrap();
    Labels::read(&path)
}

fn matched(text: &str, ids: &[&str]) -> LabelsOfItems {
    let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
    read(text).unwrap().of_items(&ids).unwrap()
}

/// The label of each item.
fn each(labels: &LabelsOfItems) -> Vec<&str> {
    let LabelColumn { classes, codes, .. } = &labels.columns[0];
    let label = |code: &Option<u32>| code.map_or("none", |code| &classes[code as usize]);
    codes.iter().map(label).collect()
}

#[test]
fn labels_go_by_id_in_any_order() {
    let labels = matched("c,red\na,blue\nb,red\n", &["a", "b", "c"]);
    assert_eq!(each(&labels), ["blue", "red", "red"]);
    assert_eq!(
        (labels.columns[0].classes.clone(), labels.columns[0].name.as_str()),
        (vec!["red".into(), "blue".into()], "label")
    );
    assert_eq!(labels.message(), None);
}

#[test]
fn headers_are_found() {
    for (text, name) in [
        ("id,phylum\na,x\nb,y\n", "phylum"),
        ("Sample-ID\tphylum\na\tx\nb\ty\n", "phylum"),
        ("\u{feff}what;phylum\r\na;x\r\nb;y\r\n", "phylum"),
        ("id,\na,x\nb,y\n", "label"),
        ("a,x\nb,y\n", "label"),
        // An item may be called as a header is.
        ("b,y\na,x\n", "label"),
    ] {
        let labels = matched(text, &["a", "b"]);
        assert_eq!(
            (each(&labels), labels.columns[0].name.as_str()),
            (vec!["x", "y"], name),
            "{text:?}"
        );
        assert_eq!(labels.message(), None, "{text:?}");
    }
    let named = matched("id,x\na,x\n", &["id", "a"]);
    assert_eq!((each(&named), named.columns[0].name.as_str()), (vec!["x", "x"], "label"));
    // A first row of no item is no header if its label is one of the others', or a number.
    for text in ["z,x\na,x\nb,y\n", "z,3.5\na,1.5\nb,2.5\n"] {
        let labels = matched(text, &["a", "b"]);
        assert_eq!(labels.unknown, UnmatchedIds { count: 1, first: vec!["z".into()] }, "{text:?}");
    }
}

#[test]
fn quotes_and_further_columns() {
    let labels = matched(
        "id,label,more\n\"a,b\", red ,1\n\"say \"\"x\"\"\",\"blue, light\",2\n",
        &["a,b", "say \"x\""],
    );
    assert_eq!(each(&labels), ["red", "blue, light"]);
    let names: Vec<&str> = labels.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["label", "more"]);
    assert!(labels.columns[1].are_numbers() && labels.message().is_none());
    // Rows may be shorter, and a label in any column is one.
    let labels = matched("a,x\nb,,z,7\nc,\n", &["a", "b", "c"]);
    let names: Vec<&str> = labels.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["label", "label 2", "label 3"]);
    assert_eq!(labels.columns[1].codes, [None, Some(0), None]);
    assert_eq!(labels.unlabelled, UnmatchedIds { count: 1, first: vec!["c".into()] });
    assert_eq!(labels.without(&[1]).columns[0].codes, [Some(0), None]);
}

#[test]
fn columns_beyond_many_are_named() {
    let row = |cell: &str| (1..=26).map(|at| format!(",{cell}{at}")).collect::<String>();
    let labels = matched(&format!("id{}\na{}\n", row("c"), row("x")), &["a"]);
    assert_eq!(
        (labels.columns.len(), labels.unused.clone()),
        (24, vec!["c25".into(), "c26".into()])
    );
    let message = labels.message().unwrap();
    assert!(message.contains("not used: c25, c26"), "{message}");
}

#[test]
fn labels_of_no_item_are_refused() {
    let ids = ["a".to_owned(), "b".to_owned()];
    let error = read("id,l\nx1,red\nx2,blue\n").unwrap().of_items(&ids).unwrap_err();
    let text = error.to_string();
    for words in ["labels.csv", "no item", "2 ids ('x1', 'x2')", "called 'a', 'b'"] {
        assert!(text.contains(words), "{words} is not in: {text}");
    }
}

#[test]
fn what_does_not_match_is_counted_and_named() {
    let labels = matched("id,l\na,x\nb,\nu,y\nv,y\nw,y\nz,y\n", &["a", "b", "c"]);
    assert_eq!(each(&labels), ["x", "none", "none"]);
    assert_eq!(labels.columns[0].classes, ["x"], "labels of no item are no classes");
    assert_eq!(labels.unlabelled, UnmatchedIds { count: 2, first: vec!["b".into(), "c".into()] });
    let message = labels.message().unwrap();
    assert!(message.ends_with(
        "labels.csv: 2 of 3 items have no label ('b', 'c'); 4 ids are of no item ('u', 'v', 'w', ...)"
    ), "{message}");
}

#[test]
fn numbers_are_in_their_order() {
    let labels = matched("a,10\nb,9\nc,9\nd,-1e1\n", &["a", "b", "c", "d"]);
    assert!(labels.columns[0].are_numbers());
    assert_eq!(labels.columns[0].classes, ["-1e1", "9", "10"]);
    assert!(!matched("a,10\nb,inf\n", &["a", "b"]).columns[0].are_numbers());
    assert!(!matched("a,10\nb,x\n", &["a", "b"]).columns[0].are_numbers());
}

#[test]
fn wrong_files_are_refused() {
    let error = read("id,l\na,x\nb,y\na,x\n").unwrap_err();
    assert!(matches!(&error, LabelsError::Duplicate { line: 4, first: 2, id, .. } if id == "a"));
    assert!(matches!(
        read("id,l\na,x\nalone\n").unwrap_err(),
        LabelsError::NoLabel { line: 3, .. }
    ));
    assert!(matches!(read("").unwrap_err(), LabelsError::Empty { .. }));
    let missing = Labels::read("no/such/labels.csv".as_ref()).unwrap_err().to_string();
    assert!(missing.contains("no/such/labels.csv"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("latin1.csv");
    fs::write(&path, b"id,l\na,\xe9t\xe9\n").unwrap();
    assert!(matches!(Labels::read(&path).unwrap_err(), LabelsError::NotUtf8 { line: 2, .. }));
}
