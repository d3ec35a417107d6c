//! A matrix of distances that is computed block by block, when it is read.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tegula_files::source::{Block, BlockReader, Coverage, Source, SourceError};
use tegula_kernels::element::Element;

use super::error::DistanceError;
use super::metric::{MetricChoice, Of};
use super::pairs::{Pairs, Worker};
use super::points::Points;
use super::sequences::Sequences;

/// Rows that are computed at once, before they are turned into the kind of numbers asked for.
const ROWS: usize = 32;
/// Columns of the same.
const COLUMNS: usize = 512;

/// The distances between all pairs of some points or sequences: exactly symmetric, exactly 0 on the
/// diagonal, and the same to the last bit whichever blocks are read.
///
/// Readers share what they compute from; each has some buffers beside it, whose size does not grow
/// with the number of points or sequences.
#[derive(Clone, Debug)]
pub struct DistanceSource {
    name: String,
    names: Arc<[String]>,
    element: Element,
    /// Bytes of the file with what they are computed from.
    bytes_read: u64,
    pairs: Arc<dyn Pairs>,
}

impl DistanceSource {
    /// The distances between `points`; `name` is what messages call the matrix.
    ///
    /// # Errors
    /// If the metric takes sequences, or some point has no distance to others.
    pub fn points(
        name: impl Into<String>,
        choice: MetricChoice,
        points: Points,
    ) -> Result<Self, DistanceError> {
        let names = points.names().into();
        let pairs = match choice.metric.of {
            Of::Points(make) => make(points)?,
            Of::Sequences(_) | Of::Words(_) => return Err(other_kind(choice)),
        };
        Ok(Self { name: name.into(), names, element: Element::F64, bytes_read: 0, pairs })
    }

    /// The distances between `sequences`; `name` is what messages call the matrix.
    ///
    /// # Errors
    /// If the metric takes points, or some sequence has no distance to others.
    pub fn sequences(
        name: impl Into<String>,
        choice: MetricChoice,
        sequences: &Sequences,
    ) -> Result<Self, DistanceError> {
        let pairs = match choice.metric.of {
            Of::Sequences(make) => make(sequences)?,
            Of::Words(make) => make(sequences, choice.word)?,
            Of::Points(_) => return Err(other_kind(choice)),
        };
        let names = sequences.names().into();
        Ok(Self { name: name.into(), names, element: Element::F64, bytes_read: 0, pairs })
    }

    /// The same distances, of what a file of so many bytes holds.
    #[must_use]
    pub fn of_file(self, bytes_read: u64) -> Self {
        Self { bytes_read, ..self }
    }

    /// The same distances, given as `element`. A block with a distance that is too large for it, or
    /// that is no whole number where it is an integer, cannot be read.
    #[must_use]
    pub fn with_element(self, element: Element) -> Self {
        Self { element, ..self }
    }
}

fn other_kind(choice: MetricChoice) -> DistanceError {
    DistanceError::Kind { metric: choice.metric.name, takes: choice.metric.takes() }
}

impl Source for DistanceSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> [usize; 2] {
        [self.names.len(); 2]
    }

    fn element(&self) -> Element {
        self.element
    }

    fn coverage(&self) -> Coverage {
        Coverage::Triangle
    }

    fn stored_bytes_per_entry(&self) -> f64 {
        0.0
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    fn row_names(&self) -> Option<&[String]> {
        Some(&self.names)
    }

    fn column_names(&self) -> Option<&[String]> {
        Some(&self.names)
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        let worker = Arc::clone(&self.pairs).worker();
        Ok(Box::new(DistanceReader { source: self.clone(), worker, distances: Vec::new() }))
    }
}

/// Computes blocks in one thread.
struct DistanceReader {
    source: DistanceSource,
    worker: Box<dyn Worker>,
    distances: Vec<f64>,
}

impl BlockReader for DistanceReader {
    fn read(&mut self, block: &Block, entries: &mut [u8]) -> Result<u64, SourceError> {
        let (size, n) = (self.source.element.bytes(), self.source.names.len());
        assert_eq!(entries.len(), block.entries() * size, "bytes of the block");
        let end = block.rows.end.max(block.columns.end);
        assert!(end <= n, "the block ends at {end}, the matrix at {n}");
        for rows in parts(block.rows.clone(), ROWS) {
            // Columns whose entries were computed with the rows before: those are known.
            let known = known(block, &rows);
            mirror(block, &rows, &known, (size, entries));
            let (before, after) = (block.columns.start..known.start, known.end..block.columns.end);
            for columns in parts(before, COLUMNS).chain(parts(after, COLUMNS)) {
                self.compute(block, rows.clone(), columns, entries)?;
            }
        }
        Ok(0)
    }
}

impl DistanceReader {
    /// Computes `rows` and `columns` of `block`, into its `entries`.
    fn compute(
        &mut self,
        block: &Block,
        rows: Range<usize>,
        columns: Range<usize>,
        entries: &mut [u8],
    ) -> Result<(), SourceError> {
        let width = columns.len();
        self.distances.clear();
        self.distances.resize(rows.len() * width, 0.0);
        self.worker.fill(rows.clone(), columns.clone(), &mut self.distances);
        let Self { source, distances, .. } = self;
        let size = source.element.bytes();
        for (row, line) in rows.zip(distances.chunks_exact_mut(width)) {
            if columns.contains(&row) {
                line[row - columns.start] = 0.0;
            }
            if let Some(place) = first_unfit(source.element, line) {
                return Err(source.unfit([row, columns.start + place], line[place]));
            }
            let start = position(block, row, columns.start) * size;
            source.element.narrow(line, &mut entries[start..start + width * size]);
        }
        Ok(())
    }
}

impl DistanceSource {
    /// Why the distance `value` of two of the things cannot be given.
    fn unfit(&self, pair: [usize; 2], value: f64) -> SourceError {
        let [a, b] = pair.map(|index| &self.names[index]);
        let reason = if value.is_finite() {
            let element = self.element.name();
            format!(
                "the distance of {a} and {b} is {value}, which is no {element}: ask for another kind of numbers"
            )
        } else {
            format!("the distance of {a} and {b} is {}", self.pairs.undefined())
        };
        SourceError::invalid(Path::new(&self.name), reason)
    }
}

/// The first of the distances that is not finite, or that `element` cannot stand for.
fn first_unfit(element: Element, distances: &[f64]) -> Option<usize> {
    let largest = match element {
        Element::U8 => f64::from(u8::MAX),
        Element::I8 => f64::from(i8::MAX),
        Element::U16 => f64::from(u16::MAX),
        Element::I16 => f64::from(i16::MAX),
        Element::U32 => f64::from(u32::MAX),
        Element::I32 => f64::from(i32::MAX),
        Element::U64 | Element::I64 => 2f64.powi(53),
        Element::F16 => 65_504.0,
        Element::F32 => f64::from(f32::MAX),
        Element::F64 => f64::MAX,
    };
    let is_float = matches!(element, Element::F16 | Element::F32 | Element::F64);
    // NaN is not below anything.
    let is_fit = |&x: &f64| x <= largest && (is_float || x.trunc() == x);
    // All of them without a branch, which the compiler turns into vectors.
    let all = distances.iter().fold(true, |all, x| all & is_fit(x));
    if all { None } else { distances.iter().position(|x| !is_fit(x)) }
}

/// `range` in pieces of at most `length`.
fn parts(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(length).map(move |start| start..(start + length).min(end))
}

/// Place of an entry among those of `block`.
fn position(block: &Block, row: usize, column: usize) -> usize {
    (row - block.rows.start) * block.columns.len() + (column - block.columns.start)
}

/// The columns of `block` whose entries in `rows` stand, mirrored, in rows of it before.
fn known(block: &Block, rows: &Range<usize>) -> Range<usize> {
    let (all, columns) = (&block.rows, &block.columns);
    let is_inside = columns.start <= all.start && all.end <= columns.end;
    if is_inside { all.start..rows.start } else { columns.start..columns.start }
}

/// Copies the entries in `rows` and the `known` columns from their mirror images, each of `size`
/// bytes.
fn mirror(
    block: &Block,
    rows: &Range<usize>,
    known: &Range<usize>,
    (size, entries): (usize, &mut [u8]),
) {
    for row in rows.clone() {
        for column in known.clone() {
            let from = position(block, column, row) * size;
            entries.copy_within(from..from + size, position(block, row, column) * size);
        }
    }
}
