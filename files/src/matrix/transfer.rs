//! Copying a matrix from a source to a sink, block by block within memory, without losing anything
//! in silence.

use std::ops::Range;
use std::path::Path;

use tegula_kernels::element::Element;

use crate::source::{Block, BlockReader, Sink, Source, SourceError, pieces};

/// Whole numbers up to this size are 64-bit floats.
const EXACT: u64 = 1 << 53;

/// Whether numbers may change where the sink takes another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// No number may change.
    Refused,
    /// Floats may be rounded to shorter ones; whole numbers may not change, and none may become
    /// infinite.
    Allowed,
}

/// A copy under way.
#[derive(Debug)]
pub struct Transfer<'a> {
    source: &'a dyn Source,
    rounding: Rounding,
    memory_bytes: u64,
    /// Bytes that came from the disk.
    pub bytes_read: u64,
    /// The largest relative change of a number.
    pub largest_rounding: f64,
}

impl<'a> Transfer<'a> {
    /// A copy of `source` with blocks of at most `memory_bytes`, or of one row where that is more.
    #[must_use]
    pub fn new(source: &'a dyn Source, rounding: Rounding, memory_bytes: u64) -> Self {
        Self {
            source,
            rounding,
            memory_bytes,
            bytes_read: source.bytes_read(),
            largest_rounding: 0.0,
        }
    }

    /// Copies everything to `sink`, and ends that; `done` is told how many rows are behind.
    ///
    /// # Errors
    /// If a number does not fit the kind that the sink takes, with its place; those of reading and
    /// writing.
    pub fn run(
        &mut self,
        mut sink: Box<dyn Sink>,
        mut done: impl FnMut(usize),
    ) -> Result<(), SourceError> {
        let [m, n] = self.source.shape();
        let [height, width] = self.panel(&*sink);
        let mut reader = self.source.reader()?;
        for rows in pieces(m, height) {
            for columns in pieces(n, width) {
                let panel = Block { rows: rows.clone(), columns };
                let entries = self.read(&mut *reader, &panel, sink.element())?;
                hand_on(&mut *sink, &panel, &entries)?;
            }
            done(rows.end);
        }
        sink.finish()
    }

    /// Height and width of what is read at once: whole rows, and several rows of blocks of the sink
    /// if memory allows.
    fn panel(&self, sink: &dyn Sink) -> [usize; 2] {
        let [m, n] = self.source.shape();
        let [height, width] = sink.grain().map(|grain| grain.max(1));
        let kinds = self.source.element().bytes() + sink.element().bytes();
        let entry = (kinds + size_of::<f64>() + sink.element().bytes()) as u64;
        let entries = usize::try_from(self.memory_bytes / entry).unwrap_or(usize::MAX).max(1);
        let rows = entries / n.max(1);
        if rows < height {
            let columns = (entries / height / width).max(1) * width;
            return [height, columns.min(n.max(1))];
        }
        // Rows that both sides like; what the sink likes is a must.
        let liked = self.source.grain()[0].max(1).next_multiple_of(height);
        let step = if liked <= rows { liked } else { height };
        [(rows / step * step).min(m.next_multiple_of(step)), n.max(1)]
    }

    /// The entries of `panel` as numbers of kind `element`.
    fn read(
        &mut self,
        reader: &mut dyn BlockReader,
        panel: &Block,
        element: Element,
    ) -> Result<Vec<u8>, SourceError> {
        let from = self.source.element();
        let mut stored = vec![0; panel.entries() * from.bytes()];
        self.bytes_read += reader.read(panel, &mut stored)?;
        if from == element {
            return Ok(stored);
        }
        let mut numbers = vec![0.0; panel.entries()];
        from.widen(&stored, &mut numbers);
        let mut changed = vec![0; panel.entries() * element.bytes()];
        element.narrow(&numbers, &mut changed);
        let mut back = vec![0.0; panel.entries()];
        element.widen(&changed, &mut back);
        let is_long = matches!(from, Element::U64 | Element::I64);
        for (index, (&was, &is)) in numbers.iter().zip(&back).enumerate() {
            let is_same = was == is || (was.is_nan() && is.is_nan());
            if is_same && !(is_long && was.abs() >= EXACT as f64) {
                continue;
            }
            if !self.may_round(element, was, is) || is_long {
                return Err(self.misfit(panel, index, was, element));
            }
            self.largest_rounding = self.largest_rounding.max(((was - is) / was).abs());
        }
        Ok(changed)
    }

    /// Whether number `was` may become `is`, of kind `element`.
    fn may_round(&self, element: Element, was: f64, is: f64) -> bool {
        let is_float = matches!(element, Element::F16 | Element::F32 | Element::F64);
        is_float && self.rounding == Rounding::Allowed && is.is_finite() && was.is_finite()
    }

    /// The error of entry `index` of `panel`, which is `number` and does not fit `element`.
    fn misfit(&self, panel: &Block, index: usize, number: f64, element: Element) -> SourceError {
        let (row, column) = (index / panel.columns.len(), index % panel.columns.len());
        let (row, column) = (panel.rows.start + row, panel.columns.start + column);
        let name = |names: Option<&[String]>, at: usize| match names {
            Some(names) => format!("{} ('{}')", at + 1, super::number::shown(&names[at])),
            None => (at + 1).to_string(),
        };
        let row = name(self.source.row_names(), row);
        let column = name(self.source.column_names(), column);
        let reason = format!(
            "row {row}, column {column}: {number:?} does not fit {} exactly",
            element.name()
        );
        SourceError::invalid(Path::new(self.source.name()), reason)
    }
}

/// Gives `entries`, those of `panel`, to `sink` in blocks that it takes.
fn hand_on(sink: &mut dyn Sink, panel: &Block, entries: &[u8]) -> Result<(), SourceError> {
    let size = sink.element().bytes();
    let [height, width] = sink.grain();
    let whole = panel.columns.len() * size;
    let offset = |range: Range<usize>, by: usize| range.start + by..range.end + by;
    for rows in pieces(panel.rows.len(), height) {
        for columns in pieces(panel.columns.len(), width) {
            let block = Block {
                rows: offset(rows.clone(), panel.rows.start),
                columns: offset(columns.clone(), panel.columns.start),
            };
            if columns.len() == panel.columns.len() {
                sink.write(&block, &entries[rows.start * whole..rows.end * whole])?;
                continue;
            }
            let part = |row: usize| {
                &entries[row * whole + columns.start * size..row * whole + columns.end * size]
            };
            let lines: Vec<&[u8]> = rows.clone().map(part).collect();
            sink.write(&block, &lines.concat())?;
        }
    }
    Ok(())
}
