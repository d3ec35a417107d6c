//! Files are written whole or not at all, numbers read back exactly, and a table is repeated cell
//! by cell.

use std::fs;
use std::io;
use std::path::Path;

use tegula_files::{
    FillError, NamedValues, ReadOptions, Table, TableError, WriteError, write_atomically,
    write_columns, write_columns_to,
};

fn table(text: &str) -> Table {
    Table::from_bytes("t.csv", text.into(), &ReadOptions::default()).unwrap()
}

fn with(text: &str, extra: &[NamedValues<'_>]) -> String {
    let mut out = Vec::new();
    table(text).fill_with(&mut out, extra).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn numbers_read_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("z.csv");
    // A multiplicative walk over the bit patterns of finite numbers of every size.
    let mut bits = 0x3ff0_0000_0000_0001_u64;
    let values: Vec<f64> = std::iter::repeat_with(|| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(bits)
    })
    .filter(|value| value.is_finite())
    .take(5000)
    .chain([0.1, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324])
    .collect();
    write_columns(&path, &[NamedValues { name: "z", values: &values }]).unwrap();
    let read = Table::read(&path).unwrap();
    let back = read.numbers(read.find("z").unwrap()).unwrap();
    assert_eq!(back.len(), values.len());
    assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn columns_are_written_with_header_and_missing_values() {
    let mut out = Vec::new();
    let columns = [
        NamedValues { name: "x", values: &[0.5, 1e-7] },
        NamedValues { name: "a,b", values: &[f64::NAN, -3.0] },
    ];
    write_columns_to(&mut out, &columns).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "x,\"a,b\"\n0.5,NA\n1e-7,-3\n");
}

#[test]
fn rows_are_repeated_cell_by_cell() {
    let extra = [NamedValues { name: "mean", values: &[0.25, f64::NAN] }];
    assert_eq!(
        with("# note\r\nid,x\r\n007,1.50\r\n\r\n\"a, \"\"b\"\"\",2.0e0\r\n", &extra),
        "id,x,mean\n007,1.50,0.25\n\"a, \"\"b\"\"\",2.0e0,NA\n"
    );
    assert_eq!(with("x;y\n1,50;2\n3;4\n", &extra), "x;y;mean\n1,50;2;0,25\n3;4;NA\n");
    assert_eq!(with("1.0,2\n3,4\n", &extra), "1,2,mean\n1.0,2,0.25\n3,4,NA\n");
    assert_eq!(
        with(" x   name\n 1   \"b c\"\n 2   \"#\"\n", &extra),
        "x\tname\tmean\n1\tb c\t0.25\n2\t\"#\"\tNA\n"
    );
}

#[test]
fn what_is_repeated_can_be_read_again() {
    for text in
        ["x y\n1,5 \"a b\"\n2,5 \"c\"\n", "x|n\n1|\"a|b\"\n2|c\n", "n,x\n\"#a\",1\n\"b\nc\",2\n"]
    {
        let extra = [NamedValues { name: "mean", values: &[0.5, 1.5] }];
        let again = table(&with(text, &extra));
        assert_eq!(again.rows(), 2, "{text}");
        for name in ["x", "mean"] {
            assert!(again.is_numeric(again.find(name).unwrap()), "{text}: {name}");
        }
        assert_eq!(again.numbers(again.find("mean").unwrap()).unwrap(), [0.5, 1.5], "{text}");
    }
}

#[test]
fn a_table_may_be_written_over_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    fs::write(&path, "x\n1\n2\n").unwrap();
    let read = Table::read(&path).unwrap();
    read.write_with(&path, &[NamedValues { name: "y", values: &[3.0, 4.0] }]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "x,y\n1,3\n2,4\n");
    // Now the table is no longer what the file holds, and what stands there must stay.
    let changed = read.write_with(&path, &[]).unwrap_err();
    assert!(matches!(changed, TableError::Changed { .. }), "{changed:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "x,y\n1,3\n2,4\n");
    assert_eq!(names_in(folder.path()), ["t.csv"]);
}

#[test]
fn a_disk_that_fills_up_half_way_is_named_as_full() {
    // More than any buffer on the way holds.
    let values = vec![1.0 / 3.0; 1 << 16];
    let column = NamedValues { name: "x", values: &values };
    let full = write_columns(Path::new("/dev/full"), &[column]).unwrap_err();
    assert!(full.to_string().contains("free some space"), "{full}");
}

#[test]
fn a_failure_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    fs::write(&path, "old").unwrap();
    let full = write_atomically::<WriteError>(&path, |out| {
        out.write_all(b"half of the n")?;
        Err(FillError::File(io::ErrorKind::StorageFull.into()))
    })
    .unwrap_err();
    assert_eq!(full.path, path);
    assert!(full.to_string().contains("free some space"), "{full}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names_in(folder.path()), ["model.json"]);
    write_atomically::<WriteError>(&path, |out| Ok(out.write_all(b"new")?)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names_in(folder.path()), ["model.json"]);
}

#[test]
fn missing_folders_and_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let columns = [NamedValues { name: "z", values: &[1.0] }];
    let missing = write_columns(&folder.path().join("no").join("z.csv"), &columns).unwrap_err();
    assert_eq!(missing.cause.kind(), io::ErrorKind::NotFound);
    assert!(missing.to_string().ends_with("does the folder exist?"), "{missing}");
    let itself = write_columns(folder.path(), &columns).unwrap_err();
    assert_eq!(itself.cause.kind(), io::ErrorKind::IsADirectory);
    assert!(names_in(folder.path()).is_empty());
}

#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr)]
#[test]
fn a_full_device_is_said() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("SKIPPED a_full_device_is_said: this system has no /dev/full");
        return;
    }
    let columns = [NamedValues { name: "z", values: &[1.0] }];
    let error = write_columns(full, &columns).unwrap_err();
    assert_eq!(error.cause.kind(), io::ErrorKind::StorageFull);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.csv"), folder.path().join("link.csv"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    write_columns(&link, &[NamedValues { name: "z", values: &[1.0] }]).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "z\n1\n");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
