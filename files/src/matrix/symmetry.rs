//! Whether one triangle of a matrix says everything about it: it is symmetric, and its diagonal is
//! zero, but for rounding.

use std::path::Path;

use crate::source::{
    Block, BlockReader, Coverage, Source, SourceError, last_place, pieces, rounding,
};

/// Offenders that are named.
const NAMED: usize = 3;

/// Entries that contradict a triangle.
#[derive(Debug, Default)]
struct Offenders {
    count: u64,
    first: Vec<String>,
    /// Numbers of the first ones.
    numbers: Vec<f64>,
    largest: f64,
}

/// What keeping one triangle loses: rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// Pairs of entries that are not the same, and entries on the diagonal that are not zero.
    pub count: u64,
    /// The largest difference.
    pub largest: f64,
}

/// Reads `source` once and refuses it if its entries below the diagonal are not those above, or its
/// diagonal is not zero, by more than `tolerance` times the greatest entry ([`rounding`] unless it
/// is given); `memory_bytes` bound the blocks, and `done` is told how many of all rows are behind.
/// Returns what one triangle does not keep.
///
/// # Errors
/// If it is so, with the first such entries and the largest difference; those of reading.
///
/// # Panics
/// If the matrix is not square.
pub fn check_triangle(
    source: &dyn Source,
    tolerance: Option<f64>,
    memory_bytes: u64,
    mut done: impl FnMut(usize),
) -> Result<Loss, SourceError> {
    let [m, n] = source.shape();
    assert_eq!(m, n, "rows and columns of a symmetric matrix");
    let mut reader = source.reader()?;
    let (mut offenders, mut greatest) = (Offenders::default(), 0.0_f64);
    let side = side(source, memory_bytes);
    for rows in pieces(n, side) {
        for columns in pieces(rows.end, side) {
            let is_diagonal = columns.start == rows.start;
            if source.coverage() == Coverage::Triangle && !is_diagonal {
                continue;
            }
            let block = Block { rows: rows.clone(), columns };
            let below = read(source, &mut *reader, &block)?;
            let mirror = Block { rows: block.columns.clone(), columns: block.rows.clone() };
            let above = if is_diagonal { None } else { Some(read(source, &mut *reader, &mirror)?) };
            offenders.compare(source, &block, &below, above.as_ref().unwrap_or(&below));
            greatest = below.iter().fold(greatest, |greatest, x| greatest.max(x.abs()));
        }
        done(rows.end);
    }
    let place = last_place(offenders.numbers.iter().copied(), greatest);
    let share = tolerance.unwrap_or_else(|| rounding(source.element()));
    offenders.verdict(source, (share * greatest).max(if tolerance.is_none() { place } else { 0.0 }))
}

/// Side of square blocks of which two, with their numbers as they are stored, fit into
/// `memory_bytes`.
fn side(source: &dyn Source, memory_bytes: u64) -> usize {
    let entry = 2 * (source.element().bytes() + size_of::<f64>()) as u64;
    let side = usize::try_from((memory_bytes / entry).isqrt()).unwrap_or(usize::MAX);
    let grain = source.grain()[0].max(source.grain()[1]).max(1);
    let side = if side > grain { side / grain * grain } else { side };
    side.clamp(1, 4096.max(grain))
}

fn read(
    source: &dyn Source,
    reader: &mut dyn BlockReader,
    block: &Block,
) -> Result<Vec<f64>, SourceError> {
    let mut stored = vec![0; block.entries() * source.element().bytes()];
    reader.read(block, &mut stored)?;
    let mut numbers = vec![0.0; block.entries()];
    source.element().widen(&stored, &mut numbers);
    Ok(numbers)
}

impl Offenders {
    /// Compares `block` with the numbers of the block that mirrors it.
    fn compare(&mut self, source: &dyn Source, block: &Block, below: &[f64], above: &[f64]) {
        let (height, width) = (block.rows.len(), block.columns.len());
        for (i, row) in block.rows.clone().enumerate() {
            for (j, column) in block.columns.clone().enumerate().take_while(|(_, j)| *j <= row) {
                let (one, other) = (below[i * width + j], above[j * height + i]);
                if row == column && one != 0.0 {
                    let text = || format!("{} has {one} to itself", at(source, row));
                    self.add(one.abs(), [one, 0.0], text);
                } else if one != other {
                    let (a, b) = (at(source, row), at(source, column));
                    let text = || format!("{a} to {b} is {one} and back is {other}");
                    self.add((one - other).abs(), [one, other], text);
                }
            }
        }
    }

    fn add(&mut self, difference: f64, numbers: [f64; 2], text: impl FnOnce() -> String) {
        self.count += 1;
        let is_known = !difference.is_nan() && !self.largest.is_nan();
        self.largest = if is_known { self.largest.max(difference) } else { f64::NAN };
        if self.first.len() < NAMED {
            self.first.push(text());
            self.numbers.extend(numbers);
        }
    }

    /// Refuses differences above `limit`.
    fn verdict(self, source: &dyn Source, limit: f64) -> Result<Loss, SourceError> {
        if self.largest <= limit {
            return Ok(Loss { count: self.count, largest: self.largest });
        }
        let reason = format!(
            "it cannot be written as one triangle: {}{} (differences: {}, the largest {:e}, of which {limit:.1e} \
             is rounding); write a format that keeps every entry, or make it symmetric with a zero diagonal first",
            self.first.join("; "),
            if self.count > NAMED as u64 { "; ..." } else { "" },
            self.count,
            self.largest
        );
        Err(SourceError::invalid(Path::new(source.name()), reason))
    }
}

/// Row `row` for a message: its name, or its number from 1.
fn at(source: &dyn Source, row: usize) -> String {
    match source.row_names() {
        Some(names) => format!("'{}'", super::number::shown(&names[row])),
        None => format!("row {}", row + 1),
    }
}
