//! The tables, the summary and scikit-bio's text, read back by plain readers.

use std::fs;
use std::path::Path;

use tegula_diodon::Ordination;
use tegula_diodon::output::{
    write_contributions, write_coordinates, write_eigenvalues, write_quality, write_scikit_bio,
};

use super::sample::{hostile, ordination, table, truncated};

/// Rows of a CSV file with their cells.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).from_path(path).expect("the file opens");
    let cells = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
    reader.records().map(|record| cells(record.expect("a row as long as the first"))).collect()
}

/// Writes with `write` and reads the rows.
fn written<E: std::fmt::Debug>(
    ordination: &Ordination,
    write: impl Fn(&Path, &Ordination) -> Result<(), E>,
) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    write(&path, ordination).unwrap();
    rows(&path)
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("'{text}' is no number"))
}

/// Ordinations of every shape, odd ones too.
fn all() -> Vec<Ordination> {
    let mut tiny = ordination(3, 2, false);
    tiny.coordinates = vec![1e-300, -0.0, 5e-324, 1.0 / 3.0, -1e300, 123456789.0];
    vec![
        ordination(200, 5, true),
        ordination(1, 1, false),
        ordination(1, 3, false),
        ordination(4, 1, false),
        ordination(4, 0, false),
        ordination(0, 0, false),
        truncated(ordination(20, 8, true)),
        hostile(),
        tiny,
    ]
}

#[test]
fn coordinates_read_back_equal() {
    for ordination in all() {
        let rows = written(&ordination, write_coordinates);
        let header: Vec<String> = std::iter::once("id".to_owned())
            .chain((1..=ordination.axes()).map(|axis| format!("axis{axis}")))
            .collect();
        assert_eq!(rows[0], header);
        assert_eq!(rows.len(), 1 + ordination.items());
        for (item, row) in rows[1..].iter().enumerate() {
            assert_eq!(row[0], ordination.ids[item]);
            for axis in 0..ordination.axes() {
                let expected = ordination.axis(axis)[item];
                assert_eq!(
                    number(&row[axis + 1]).to_bits(),
                    expected.to_bits(),
                    "{}",
                    row[axis + 1]
                );
            }
        }
    }
}

#[test]
fn eigenvalues_have_shares_of_the_trace() {
    for ordination in all() {
        let rows = written(&ordination, write_eigenvalues);
        let header = ["axis", "eigenvalue", "share_of_trace", "cumulated", "residual"];
        assert_eq!(rows[0][..5], header);
        assert_eq!(rows[0][5..], ["share_of_positive", "cumulated_positive"]);
        let values = ordination.spectrum.as_ref().unwrap_or(&ordination.eigenvalues);
        assert_eq!(rows.len(), 1 + values.len());
        let mut so_far = 0.0;
        for (axis, row) in rows[1..].iter().enumerate().filter(|_| ordination.trace > 0.0) {
            let eigenvalue = values[axis];
            so_far += eigenvalue;
            assert_eq!(row[0], (axis + 1).to_string());
            assert_eq!(number(&row[1]), eigenvalue);
            assert_eq!(number(&row[2]), eigenvalue / ordination.trace);
            assert_eq!(number(&row[3]), so_far / ordination.trace);
            match ordination.residuals.as_ref().and_then(|residuals| residuals.get(axis)) {
                Some(residual) => assert_eq!(number(&row[4]), *residual),
                None => assert_eq!(row[4], ""),
            }
            match ordination.sum_positive().filter(|_| eigenvalue > 0.0) {
                Some(sum) => assert_eq!(number(&row[5]), eigenvalue / sum),
                None => assert_eq!(row[5..], ["", ""]),
            }
        }
    }
    // Of all positive ones together, all.
    let rows = written(&ordination(9, 2, true), write_eigenvalues);
    assert!((number(&rows[8][6]) - 1.0).abs() < 1e-12 && rows.len() == 12, "{rows:?}");
    let rows = written(&table(9, 2, true), write_eigenvalues);
    assert_eq!(rows[0].len(), 5, "no eigenvalue of a table is negative");
    let mut flat = ordination(3, 2, false);
    flat.trace = 0.0;
    let rows = written(&flat, write_eigenvalues);
    assert_eq!(rows[1][2..4], ["", ""], "no share of nothing");
}

#[test]
fn quality_is_relative_to_the_whole_norm() {
    for ordination in all() {
        let k = ordination.axes();
        let rows = written(&ordination, write_quality);
        assert_eq!(rows[0].len(), 2 + 2 * k);
        for (item, row) in rows[1..].iter().enumerate() {
            let norm2 = ordination.norms2[item];
            assert_eq!(row[0], ordination.ids[item]);
            assert_eq!(number(&row[1]), norm2);
            let mut so_far = 0.0;
            for axis in 0..k {
                let quality = ordination.axis(axis)[item].powi(2) / norm2;
                so_far += quality;
                assert_eq!(row[2 + axis].parse::<f32>().unwrap(), quality as f32);
                assert_eq!(row[2 + k + axis].parse::<f32>().unwrap(), so_far as f32);
            }
        }
    }
    // All eight dimensions are all of the norm; where negative eigenvalues take a fifth off, more
    // than all.
    let all_axes = written(&ordination(9, 8, false), write_quality);
    let beyond = written(&ordination(9, 8, true), write_quality);
    for (all, beyond) in all_axes[1..].iter().zip(&beyond[1..]) {
        assert!((number(&all[17]) - 1.0).abs() < 1e-6, "{}", all[17]);
        assert!((number(&beyond[17]) - 1.25).abs() < 1e-6, "{}", beyond[17]);
    }
}

#[test]
fn without_a_positive_norm_there_is_no_quality() {
    let mut ordination = ordination(3, 2, true);
    (ordination.norms2[0], ordination.norms2[2]) = (-0.25, 0.0);
    let rows = written(&ordination, write_quality);
    let header = ["id", "norm2", "quality1", "quality2", "cumulated1", "cumulated2"];
    assert_eq!(rows[0], header);
    assert_eq!(rows[1], ["item0000", "-0.25", "", "", "", ""]);
    assert_eq!(rows[3], ["item0002", "0", "", "", "", ""]);
    assert!(rows[2].iter().all(|cell| !cell.is_empty()));
}

/// The sections of scikit-bio's text: name, sizes, rows of cells.
fn sections(text: &str) -> Vec<(String, Vec<usize>, Vec<Vec<String>>)> {
    let section = |block: &str| {
        let mut lines = block.lines().map(|line| line.split('\t').map(str::to_owned));
        let mut head = lines.next().expect("a section has a head");
        let name = head.next().expect("a head has a name");
        let sizes = head.map(|size| size.parse().expect("a size")).collect();
        (name, sizes, lines.map(Iterator::collect).collect())
    };
    text.trim_end().split("\n\n").map(section).collect()
}

#[test]
fn scikit_bio_has_its_sections() {
    for ordination in all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ordination.txt");
        write_scikit_bio(&path, &ordination).unwrap();
        let sections = sections(&fs::read_to_string(&path).unwrap());
        let names: Vec<&str> = sections.iter().map(|(name, ..)| name.as_str()).collect();
        let expected =
            ["Eigvals", "Proportion explained", "Species", "Site", "Biplot", "Site constraints"];
        assert_eq!(names, expected);
        let (n, k) = (ordination.items(), ordination.axes());
        let read: Vec<f64> = sections[0].2.concat().iter().map(|cell| number(cell)).collect();
        assert_eq!((&sections[0].1, read), (&vec![k], ordination.eigenvalues.clone()));
        let shares: f64 = sections[1].2.concat().iter().map(|cell| number(cell)).sum();
        let expected = ordination.eigenvalues.iter().sum::<f64>() / ordination.trace;
        assert!(k == 0 || (shares - expected).abs() < 1e-12 * expected, "{shares} {expected}");
        // Of no axes or no items it wants zeros for both.
        let sizes = if n == 0 || k == 0 { vec![0, 0] } else { vec![n, k] };
        assert_eq!(sections[3].1, sizes);
        assert_eq!(sections[3].2.len(), sizes[0]);
        for (item, row) in sections[3].2.iter().enumerate() {
            assert_eq!(row.len(), k + 1, "{row:?}");
            assert!(row[0] == row[0].trim() && !row[0].is_empty(), "{row:?}");
            for axis in 0..k {
                assert_eq!(number(&row[axis + 1]), ordination.axis(axis)[item]);
            }
        }
    }
}

#[test]
fn scikit_bio_has_variables_and_instruments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ordination.txt");
    let table = table(7, 3, false);
    write_scikit_bio(&path, &table).unwrap();
    let sections = sections(&fs::read_to_string(&path).unwrap());
    let sizes: Vec<&[usize]> = sections.iter().map(|(_, sizes, _)| &sizes[..]).collect();
    assert_eq!(sizes[2..], [[5, 3], [7, 3], [2, 3], [7, 3]]);
    let variables = table.variables.as_ref().unwrap();
    assert_eq!(sections[2].2[4][0], "v<5>");
    assert_eq!(number(&sections[2].2[4][2]), variables.coordinates[9]);
    // Items where their own entries put them; then where instruments do. Rows of the biplot have no
    // names.
    assert_eq!(number(&sections[3].2[6][1]), 2.0 * table.coordinates[6]);
    assert_eq!(
        number(&sections[4].2[1][2]),
        table.constraints.as_ref().unwrap().along.correlations[5]
    );
    assert_eq!(number(&sections[5].2[6][1]), table.coordinates[6]);
}

#[test]
fn contributions_sum_to_one() {
    let mut table = table(11, 3, true);
    for (axis, value) in table.eigenvalues.iter_mut().enumerate().take(3) {
        *value = table.coordinates[axis * 11..][..11].iter().map(|x| x * x).sum();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contributions.csv");
    let masses = table.masses.clone().unwrap();
    let axes: Vec<&[f64]> = (0..3).map(|axis| table.axis(axis)).collect();
    write_contributions(&path, (&table.ids, &masses), &axes, &table.eigenvalues).unwrap();
    let rows = rows(&path);
    assert_eq!(rows[0], ["id", "weight", "contribution1", "contribution2", "contribution3"]);
    for axis in 0..3 {
        let sum: f64 = rows[1..].iter().map(|row| number(&row[2 + axis])).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }
}
