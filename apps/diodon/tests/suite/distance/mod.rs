//! Distances that are computed when they are read: against plain loops, and against SciPy and R.

mod points;
mod sequences;
mod write;

use tegula_diodon::distance::{DistanceSource, METRICS, MetricChoice, Points, Sequences};
use tegula_files::source::{Block, Source, SourceError};

fn choice(metric: &str) -> MetricChoice {
    metric.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The distances between `rows`, called 0, 1, and so on.
fn of_points(metric: &str, rows: &[Vec<f64>]) -> DistanceSource {
    try_points(metric, rows).unwrap_or_else(|error| panic!("{error}"))
}

fn try_points(metric: &str, rows: &[Vec<f64>]) -> Result<DistanceSource, String> {
    let names = (0..rows.len()).map(|row| row.to_string()).collect();
    let columns = (0..rows.first().map_or(0, Vec::len)).map(|column| format!("x{column}"));
    let points = Points::new(names, columns.collect(), rows.concat());
    let source = points.and_then(|points| DistanceSource::points("points", choice(metric), points));
    source.map_err(|error| error.to_string())
}

/// The distances between `sequences`, called 0, 1, and so on.
fn of_sequences<S: AsRef<str>>(metric: &str, sequences: &[S]) -> DistanceSource {
    try_sequences(metric, sequences).unwrap_or_else(|error| panic!("{error}"))
}

fn try_sequences<S: AsRef<str>>(metric: &str, sequences: &[S]) -> Result<DistanceSource, String> {
    let names: Vec<String> = (0..sequences.len()).map(|row| row.to_string()).collect();
    let named = names.iter().map(String::as_str).zip(sequences.iter().map(AsRef::as_ref));
    let sequences = Sequences::new(named);
    let source = sequences
        .and_then(|sequences| DistanceSource::sequences("sequences", choice(metric), &sequences));
    source.map_err(|error| error.to_string())
}

/// A block of `source`, row by row.
fn read(source: &dyn Source, block: &Block) -> Result<Vec<f64>, SourceError> {
    let mut entries = vec![0xff; block.entries() * source.element().bytes()];
    let taken = source.reader()?.read(block, &mut entries)?;
    assert_eq!(taken, 0, "nothing is on a disk");
    let mut numbers = vec![0.0; block.entries()];
    source.element().widen(&entries, &mut numbers);
    Ok(numbers)
}

/// The whole matrix.
fn whole(source: &dyn Source) -> Vec<f64> {
    let [n, _] = source.shape();
    read(source, &Block { rows: 0..n, columns: 0..n }).unwrap_or_else(|error| panic!("{error}"))
}

/// The entries above the diagonal, row by row, as SciPy and R have them.
fn condensed(matrix: &[f64], n: usize) -> Vec<f64> {
    (0..n).flat_map(|i| matrix[i * n + i + 1..(i + 1) * n].to_vec()).collect()
}

/// Checks what every matrix of distances is: symmetric, zero on the diagonal, not negative, the
/// same in any block; and equal to `reference` within `tolerance`, relative.
fn check(source: &DistanceSource, tolerance: f64, reference: impl Fn(usize, usize) -> f64) {
    let [n, _] = source.shape();
    let all = whole(source);
    for i in 0..n {
        assert_eq!(all[i * n + i].to_bits(), 0, "{source:?}");
        for j in 0..i {
            let (x, y) = (all[i * n + j], reference(i, j));
            assert_eq!(x.to_bits(), all[j * n + i].to_bits(), "{i}, {j}: {x} {}", all[j * n + i]);
            assert!(x >= 0.0 && x.is_sign_positive(), "{i}, {j}: {x}");
            assert!((x - y).abs() <= tolerance * y.abs(), "{i}, {j}: {x} where {y} is right");
        }
    }
    check_blocks(source, &all);
}

/// Checks that blocks of any kind are parts of the whole.
fn check_blocks(source: &DistanceSource, all: &[f64]) {
    let [n, _] = source.shape();
    let cuts = [0, n / 3, n / 2, n - n / 4, n];
    for (rows, columns) in cuts.iter().flat_map(|&a| cuts.iter().map(move |&b| (a, b))) {
        for (row_end, column_end) in [(n, n), ((rows + 5).min(n), (columns + 9).min(n))] {
            let block = Block { rows: rows..row_end, columns: columns..column_end };
            let found = read(source, &block).unwrap_or_else(|error| panic!("{error}"));
            let expected = block.rows.clone().flat_map(|i| &all[i * n..][block.columns.clone()]);
            assert!(
                found.iter().map(|x| x.to_bits()).eq(expected.map(|x| x.to_bits())),
                "{block:?}"
            );
        }
    }
}

/// Checks that no way over a third thing is shorter, but for rounding.
fn check_triangles(source: &DistanceSource) {
    let [n, _] = source.shape();
    let all = whole(source);
    let largest = all.iter().fold(0.0, |a: f64, &b| a.max(b));
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        for k in 0..n {
            let (way, detour) = (all[i * n + j], all[i * n + k] + all[k * n + j]);
            assert!(way <= detour + 1e-13 * largest, "{i} {j} over {k}: {way} {detour}");
        }
    }
}

#[test]
fn the_page_of_the_crate_has_a_row_for_every_metric() {
    let page = include_str!("../../../README.md");
    for metric in METRICS {
        let row = format!("| `{}` | {} | `{}` |", metric.name, metric.takes(), metric.formula);
        assert!(page.lines().any(|line| line == row), "{row}");
    }
}
