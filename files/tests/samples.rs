//! The samples are those that `README.md` lists, with source, licence and digest, and they can be
//! read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tegula_files::{Table, digest_bytes};

const ROOM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data");

/// One row of the table in `README.md`.
struct Listed {
    rows: usize,
    licence: String,
    digest: String,
}

fn listed() -> BTreeMap<String, Listed> {
    let readme = fs::read_to_string(Path::new(ROOM).join("README.md")).unwrap();
    let cells_of = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|c| c.trim().to_owned()).collect()
    };
    let mut rows = readme.lines().skip_while(|line| !line.starts_with("| file |"));
    assert!(
        rows.next().is_some_and(|header| cells_of(header).len() == 5),
        "the table of samples has five columns"
    );
    rows.skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let [file, rows, _, licence, digest] = cells_of(line).try_into().unwrap();
            let plain = |cell: String| cell.trim_matches('`').to_owned();
            (plain(file), Listed { rows: rows.parse().unwrap(), licence, digest: plain(digest) })
        })
        .collect()
}

#[test]
fn every_sample_is_listed_with_its_digest() {
    let listed = listed();
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(ROOM).join("samples")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name == "LICENSES" {
            continue;
        }
        let bytes = fs::read(entry.path()).unwrap();
        let row =
            listed.get(&name).unwrap_or_else(|| panic!("README.md does not list samples/{name}"));
        assert_eq!(digest_bytes(&bytes).to_string(), row.digest, "samples/{name}");
        found.push(name);
    }
    found.sort();
    assert_eq!(
        found,
        listed.keys().cloned().collect::<Vec<_>>(),
        "README.md lists what is not there"
    );
}

#[test]
fn every_licence_named_is_there_and_every_one_there_is_named() {
    let named: Vec<String> = listed()
        .into_values()
        .filter_map(|row| {
            Some(row.licence.split_once("(`samples/LICENSES/")?.1.split_once('`')?.0.to_owned())
        })
        .collect();
    for entry in fs::read_dir(Path::new(ROOM).join("samples/LICENSES")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        assert!(named.contains(&file), "no sample names the licence {file}");
    }
    for file in named {
        assert!(Path::new(ROOM).join("samples/LICENSES").join(&file).is_file(), "{file}");
    }
}

#[test]
fn every_sample_is_a_table_of_numbers() {
    for (name, row) in listed() {
        let table = Table::read(&Path::new(ROOM).join("samples").join(&name)).unwrap();
        assert_eq!(table.rows(), row.rows, "{name}");
        // The digest of a table is that of its text, also where the file is compressed.
        if !name.ends_with(".gz") {
            assert_eq!(table.digest().to_string(), row.digest, "{name}");
        }
        let has_header = !["XYZ", "digits"].iter().any(|start| name.starts_with(start));
        assert_eq!(table.has_header(), has_header, "{name}");
        let first_number = usize::from(name == "texas-wind.csv");
        for column in first_number..table.names().len() {
            let index = tegula_files::ColumnIndex(column);
            assert!(table.numbers(index).unwrap().iter().all(|value| value.is_finite()), "{name}");
        }
    }
}
