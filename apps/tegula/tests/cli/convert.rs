//! `tegula diodon convert` and `formats`: matrices from one format to another, and what is refused.

use std::fs;
use std::path::Path;

use tegula_files::matrix::FORMATS;

use crate::support::{Run, folder_with, tegula, tegula_in, tegula_with};

/// Distances of four items.
const TABLE: &str =
    "id,ant,bee,cat,dog\nant,0,1.5,2,0.1\nbee,1.5,0,3,4\ncat,2,3,0,5\ndog,0.1,4,5,0\n";

fn convert(folder: &Path, arguments: &str) -> Run {
    tegula_in(folder, &format!("diodon convert {arguments}"))
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_matrix_survives_a_chain_of_all_formats() {
    let folder = folder_with("D.csv", TABLE);
    let mut last = "D.csv".to_owned();
    let written =
        FORMATS.iter().filter(|format| format.write.is_some_and(|how| how.element.is_none()));
    for format in written {
        let name = format!("D2{}", format.endings[0]);
        let run = convert(&folder, &format!("{last} {name} --memory 100")).succeeded();
        assert!(run.stdout.contains("4 x 4") && run.stdout.contains(format.name), "{}", run.stdout);
        last = name;
    }
    convert(&folder, &format!("{last} back.tsv.gz")).succeeded();
    convert(&folder, "back.tsv.gz back.csv").succeeded();
    assert_eq!(text(&folder, "back.csv"), TABLE);
}

#[test]
fn numbers_are_rounded_only_if_that_is_asked_for() {
    let folder = folder_with("D.csv", TABLE);
    let words = ["row 1 ('ant')", "column 4 ('dog')", "0.1 does not fit float32"];
    convert(&folder, "D.csv D.bin").failed(2, &words);
    assert!(!folder.join("D.bin").exists() && !folder.join("D.bin.names").exists());
    let run = convert(&folder, "D.csv D.bin --precision f32").succeeded();
    assert!(run.stdout.contains("rounded"), "{}", run.stdout);
    assert_eq!(text(&folder, "D.bin.names"), "ant\nbee\ncat\ndog\n");
    convert(&folder, "D.bin back.csv").succeeded();
    assert_eq!(text(&folder, "back.csv"), TABLE, "text has the shortest decimals of float32");
    convert(&folder, "D.csv D.npy --precision u16").failed(2, &["1.5 does not fit uint16"]);
    convert(&folder, "D.csv D.npy --precision f128").failed(2, &["f128", "f16"]);
    fs::write(folder.join("whole.csv"), "0,7\n7,0\n").expect("a file can be written");
    let run = convert(&folder, "whole.csv whole.npy --precision u16 --json -").succeeded();
    let json = run.json();
    assert_eq!((&json["kind_written"], &json["rows"]), (&"uint16".into(), &2.into()));
    assert_eq!(json["largest_rounding"], 0.0);
    convert(&folder, "whole.csv whole.bin").succeeded();
    assert_eq!(fs::read(folder.join("whole.bin")).expect("a file").len(), 16);
}

#[test]
fn one_triangle_is_written_only_if_it_says_everything() {
    let folder = folder_with("D.csv", "id,a,b\na,0,1\nb,2,0\n");
    for name in ["D.column", "D.phylip_lower", "D.condensed.npy"] {
        let words = ["one triangle", "'b' to 'a' is 2 and back is 1"];
        convert(&folder, &format!("D.csv {name}")).failed(2, &words);
        assert!(!folder.join(name).exists());
    }
    fs::write(folder.join("X.csv"), "x,y,z\n1,2,3\n4,5,6\n").expect("a file can be written");
    convert(&folder, "X.csv X.phy").failed(2, &["2 x 3", "square"]);
    convert(&folder, "X.csv X.tsv").succeeded();
    assert_eq!(text(&folder, "X.tsv"), "x\ty\tz\n1\t2\t3\n4\t5\t6\n");
}

#[test]
fn names_are_not_lost_in_silence() {
    let folder = folder_with("D.csv", "id,a,b\nb,0,1\na,1,0\n");
    convert(&folder, "D.csv D.phy")
        .failed(2, &["names of the rows and of the columns differ", "tsv"]);
    fs::write(folder.join("none.csv"), "0,1\n1,0\n").expect("a file can be written");
    let run = convert(&folder, "none.csv none.phy").succeeded();
    assert!(run.stderr.contains("numbered from 1"), "{}", run.stderr);
    assert_eq!(text(&folder, "none.phy"), "2\n1 0 1\n2 1 0\n");
}

#[test]
fn what_is_written_goes_to_standard_output_or_nowhere() {
    let folder = folder_with("D.csv", TABLE);
    let run = convert(&folder, "D.csv - --to tsv").succeeded();
    assert_eq!(run.stdout, TABLE.replace(',', "\t"));
    assert!(run.stderr.contains("4 x 4"), "{}", run.stderr);
    convert(&folder, "D.csv -").failed(2, &["--to"]);
    let run = convert(&folder, "D.csv D.npy --dry-run").succeeded();
    assert!(run.stdout.contains("4 x 4") && !folder.join("D.npy").exists(), "{}", run.stdout);
    convert(&folder, "D.csv ./D.csv").failed(2, &["OUT would overwrite", "IN"]);
}

#[test]
fn formats_can_be_named_and_are_listed() {
    let folder = folder_with("D.txt", "b a 1\nc a 2\nc b 3\n");
    convert(&folder, "D.txt D.out --to phylip-lower --from mothur").succeeded();
    assert_eq!(text(&folder, "D.out"), "3\na\nb 1\nc 2 3\n");
    convert(&folder, "D.txt D.out").failed(2, &["D.out", "phylip-lower"]);
    convert(&folder, "D.txt D.csv --from phylip").failed(2, &["line 1", "number of its rows"]);
    convert(&folder, "D.txt D.csv --from xls").failed(2, &["xls", "mothur"]);
    convert(&folder, "none.csv D.csv").failed(2, &["none.csv"]);
    convert(&folder, "D.txt no/such/D.csv").failed(2, &["no/such"]);
    convert(&folder, "D.txt D.csv --scratch no/such").failed(2, &["--scratch", "no/such"]);
    let run = tegula("diodon formats").succeeded();
    let json = tegula_with("diodon formats --json -", &[]).succeeded().json();
    for (at, format) in FORMATS.iter().enumerate() {
        assert!(run.stdout.contains(format.summary), "{}", run.stdout);
        assert_eq!(json["formats"][at]["name"], format.name);
    }
}
