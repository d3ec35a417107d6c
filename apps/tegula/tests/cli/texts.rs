//! Text files as people have them: compressed, in UTF-16, under names that are no UTF-8, too large,
//! or no text at all.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{Run, command, folder, number, root, tegula_in};

/// Distances of five places on a line.
const DISTANCES: &str = "id\ta\tb\tc\td\te\na\t0\t1\t2\t3\t4\nb\t1\t0\t1\t2\t3\nc\t2\t1\t0\t1\t2\nd\t3\t2\t1\t0\t1\n\
                         e\t4\t3\t2\t1\t0\n";
const WEIGHTS: &str = "id,weight\na,1\nb,2\nc,1\nd,2\ne,1\n";
const LABELS: &str = "id,group\na,x\nb,y\nc,x\nd,y\ne,x\n";

/// Observations at some places.
fn observations() -> String {
    let row = |i: u32| format!("{},{},{}\n", i % 6, i / 6, f64::from(i * 7 % 11) / 4.0 - 1.0);
    "x,y,z\n".to_owned() + &(0..36).map(row).collect::<String>()
}

fn utf16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(folder.join(name), bytes).expect("a file can be written");
}

/// Runs the binary with arguments that need not be UTF-8: `?` stands for a byte that is none.
fn tegula_named(folder: &Path, arguments: &str) -> Run {
    let words = arguments.split_whitespace().map(odd);
    Run::new(command(folder, "").args(words).output().expect("the binary starts"))
}

/// `word` with a byte that is no UTF-8 for each `?`.
fn odd(word: &str) -> OsString {
    OsString::from_vec(word.bytes().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect())
}

#[test]
fn a_bomb_is_refused_by_every_command_that_reads_text() {
    let folder = folder();
    write(&folder, "line.csv.gz", gzip(&b"1,".repeat(8 << 20)));
    write(&folder, "model.json", "{}");
    write(&folder, "D.tsv", DISTANCES);
    let too_long = "line 1 goes on for more than 4 MiB";
    for (arguments, words) in [
        ("exageostat loglik line.csv.gz --params 1,1,1 --memory 128MiB", too_long),
        ("exageostat sample --at line.csv.gz --params 1,1,1 -o o.csv --memory 128MiB", too_long),
        ("diodon mds line.csv.gz --memory 128MiB", too_long),
        ("diodon pca line.csv.gz --memory 128MiB", too_long),
        ("diodon distances line.csv.gz --metric euclidean -o D.h5 --memory 64MiB", too_long),
        (
            "diodon distances line.csv.gz --metric kmer -o D.h5 --memory 8MiB",
            "takes more than 2 MiB",
        ),
        ("exageostat predict line.csv.gz --at model.json -o o.csv", "longer than 4 MiB"),
        ("linalg potrf -n 9 --config line.csv.gz", "longer than 1 MiB"),
        ("platform show line.csv.gz", "longer than 4 MiB"),
        ("trace line.csv.gz", "this is no trace"),
        ("diodon mds model.json", "model.json"),
        ("diodon mds D.tsv --weights line.csv.gz", "line 1 goes on for more than 1 MiB"),
    ] {
        tegula_in(&folder, arguments).failed(2, &[words]);
    }
    write(&folder, "deep.json", "[".repeat(100_000));
    for arguments in [
        "exageostat predict deep.json --at line.csv.gz -o o.csv",
        "linalg potrf -n 9 --config deep.json",
        "platform show deep.json",
        "linalg potrf -n 9 --ranks local:2 --distribution file:deep.json",
    ] {
        let run = tegula_in(&folder, arguments);
        assert!(run.stderr.len() < 1000, "{} bytes of message", run.stderr.len());
        run.failed(2, &["deep.json"]);
    }
}

#[test]
fn utf16_and_marks_are_read_everywhere() {
    let folder = folder();
    write(&folder, "D.tsv", DISTANCES);
    write(&folder, "D16.tsv", utf16(DISTANCES));
    write(&folder, "w.csv", utf16(WEIGHTS));
    write(&folder, "l.csv", utf16(LABELS));
    write(&folder, "c.toml", "\u{feff}axes = 1\n");
    // A byte order mark is no part of the first name.
    let run = |name: &str| {
        let rest = "--weights w.csv --labels l.csv --config c.toml -o out --json -";
        tegula_in(&folder, &format!("diodon mds {name} {rest}")).succeeded().json()
    };
    let (plain, wide) = (run("D.tsv"), run("D16.tsv"));
    assert_eq!(plain["eigenvalues"], wide["eigenvalues"]);
    let coordinates = fs::read_to_string(folder.join("out/coordinates.csv")).expect("a file");
    assert!(coordinates.starts_with("id,axis1\na,"), "{coordinates}");
    let text = observations();
    write(&folder, "p.csv", &text);
    write(&folder, "p.txt", utf16(&text.replace(',', "\t").replace('\n', "\r\n")));
    write(&folder, "bom.csv", format!("\u{feff}{text}"));
    write(&folder, "p.csv.gz", gzip(text.as_bytes()));
    let loglik = |name: &str| {
        let arguments = format!("exageostat loglik {name} --params 1,1,0.5 --json -");
        number(&tegula_in(&folder, &arguments).succeeded().json(), "/loglik")
    };
    for name in ["p.txt", "bom.csv", "p.csv.gz"] {
        assert_eq!(loglik(name), loglik("p.csv"), "{name}");
    }
    write(&folder, "s.fasta", utf16(">a\nACGTACGA\n>b\nACGTTCGT\n"));
    let distances = "diodon distances s.fasta --metric kmer:3 -o S.tsv";
    tegula_in(&folder, distances).succeeded();
}

#[test]
fn bytes_read_are_those_of_the_file() {
    let folder = folder();
    write(&folder, "D.tsv", DISTANCES);
    write(&folder, "D.tsv.gz", gzip(DISTANCES.as_bytes()));
    for name in ["D.tsv", "D.tsv.gz"] {
        let size = fs::metadata(folder.join(name)).expect("a file").len();
        let arguments = format!("diodon mds {name} --axes 1 --json -");
        let run = tegula_in(&folder, &arguments).succeeded();
        assert_eq!(run.json()["bytes_read"], size, "{name}");
        assert!(run.stderr.contains(&format!("{size} bytes read")), "{}", run.stderr);
        let arguments = format!("diodon convert {name} o.npy --json -");
        assert_eq!(tegula_in(&folder, &arguments).succeeded().json()["bytes_read"], size);
    }
}

#[test]
fn names_that_are_no_utf8_work() {
    let folder = folder();
    let observations = observations();
    fs::write(folder.join(odd("d?.csv")), &observations).expect("a file");
    fs::write(folder.join(odd("D?.tsv")), DISTANCES).expect("a file");
    fs::write(folder.join(odd("w?.csv")), WEIGHTS).expect("a file");
    fs::write(folder.join(odd("l?.csv")), LABELS).expect("a file");
    fs::write(folder.join(odd("c?.toml")), "seed = 3\n").expect("a file");
    fs::write(folder.join(odd("o?.csv")), "0,1\n1,0\n").expect("a file");
    let platform = root().join("plan/platforms/chifflet.toml");
    fs::copy(platform, folder.join(odd("p?.toml"))).expect("a file");
    for arguments in [
        "exageostat fit d?.csv --fix smoothness=0.5 --config=c?.toml --checkpoint k?.ckpt -o m?.json --trace t?.trace",
        "exageostat predict m?.json --at d?.csv -o a?.csv --json j?.json",
        "trace t?.trace -o t?.html",
        "diodon convert D?.tsv D?.h5",
        "diodon mds D?.h5:values --axes 1 --weights w?.csv --labels l?.csv --config c?.toml -o o?",
        "diodon project o? D?.tsv -o new?",
        "diodon pca D?.tsv --axes 1 --row-metric w?.csv --instruments D?.tsv",
        "linalg potrf -n 20 --output L?.npy",
        "linalg potrf --input L?.npy --json L?.json",
        "linalg potrf -n 20 --ranks local:2 --distribution file:o?.csv@0-1",
        "platform show p?.toml",
        "simulate lu --platform p?.toml --tiles 4",
    ] {
        tegula_named(&folder, arguments).succeeded();
    }
    for name in ["a?.csv", "j?.json", "t?.html", "o?", "new?", "L?.json"] {
        assert!(folder.join(odd(name)).exists(), "{name}");
    }
    tegula_named(&folder, "platform show n?.toml").failed(2, &["n\u{fffd}.toml"]);
}

#[test]
fn files_of_other_kinds_are_named() {
    let folder = folder();
    for (name, bytes, words) in [
        (
            "a.xlsx",
            &b"PK\x03\x04\x14\0\x06\0....[Content_Types].xml"[..],
            "an Excel workbook (.xlsx)",
        ),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "an old Excel workbook"),
        ("a.nc", b"CDF\x01\0\0", "damaged or was cut short"),
        ("a.nc", b"\x89HDF\r\n\x1a\n\0", "a NetCDF-4 or HDF5 file"),
        ("a.npy", b"\x93NUMPY\x01\0", "a NumPy array"),
        ("a.tif", b"II*\0\x08\0", "damaged or was cut short"),
        ("a.csv", b"<!DOCTYPE html>\n<html>", "a web page"),
        ("a.csv.zst", b"\x28\xb5\x2f\xfd\x04\0", "zstd -d"),
        ("a.geojson", b"{\"type\": \"FeatureCollection\"}\n", "a JSON file"),
    ] {
        write(&folder, name, bytes);
        let run = tegula_in(&folder, &format!("exageostat fit {name}"));
        run.failed(2, &[name, words]);
    }
    write(&folder, "a.parquet", b"PAR1\x15\0");
    for name in ["a.xlsx", "a.xls", "a.parquet", "a.tif"] {
        tegula_in(&folder, &format!("diodon mds {name}")).failed(2, &[name, "it is a"]);
    }
}

#[test]
fn a_full_disk_ends_with_1_and_names_the_file() {
    let folder = folder();
    write(&folder, "D.tsv", DISTANCES);
    write(&folder, "p.csv", observations());
    let words = ["cannot write /dev/full", "free some space"];
    for arguments in [
        "exageostat loglik p.csv --params 1,1,0.5 --json /dev/full",
        "exageostat fit p.csv --fix smoothness=0.5 -o /dev/full",
        "exageostat sample --n 9 --params 1,1,0.5 -o /dev/full",
        "diodon mds D.tsv --axes 1 --json /dev/full",
        "diodon convert D.tsv /dev/full --to csv",
        "diodon convert D.tsv /dev/full --to phylip",
        "linalg potrf -n 9 --json /dev/full",
    ] {
        tegula_in(&folder, arguments).failed(1, &words);
    }
}
