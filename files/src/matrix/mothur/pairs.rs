//! Distances of pairs that come in any order, of things that become known one by one.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use tegula_runtime::platform::ByPosition;

use crate::matrix::ReadSettings;
use crate::matrix::stored::{Bytes, no_room};
use crate::source::SourceError;

/// Bytes of a distance.
const SIZE: usize = size_of::<f64>();
/// Distances that wait to go to the file together.
const WAITING: usize = 1 << 17;
/// Distances that are read and written at once.
const CHUNK: usize = 1 << 13;

/// A distance for a place that has another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Conflict {
    /// Line of the second one.
    pub(super) line: u64,
    /// What was there.
    pub(super) before: f64,
    /// What came.
    pub(super) now: f64,
}

/// What stops the taking of distances.
#[derive(Debug)]
pub(super) enum Stop {
    /// Two distances of one pair.
    Conflict(Conflict),
    /// The file.
    File(SourceError),
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::File(error)
    }
}

/// The lower triangle with its diagonal, row by row; what is not known is NaN.
#[derive(Debug)]
pub(super) struct Pairs {
    memory_bytes: u64,
    scratch: PathBuf,
    place: Place,
    /// Rows that there are.
    n: usize,
}

#[derive(Debug)]
enum Place {
    Memory(Vec<f64>),
    File { file: File, waiting: Vec<(u64, f64, u64)> },
}

/// Index of entry `(i, j)`, `j <= i`.
fn index(i: usize, j: usize) -> u64 {
    (i as u64 * (i as u64 + 1)) / 2 + j as u64
}

impl Pairs {
    pub(super) fn new(settings: &ReadSettings<'_>) -> Self {
        let (memory_bytes, scratch) = (settings.memory_bytes, settings.scratch.clone());
        Self { memory_bytes, scratch, place: Place::Memory(Vec::new()), n: 0 }
    }

    /// Whether the distances of one thing more are within the memory.
    pub(super) fn have_room(&self) -> bool {
        index(self.n + 1, 0) * SIZE as u64 <= self.memory_bytes
    }

    /// Makes room for one thing more.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn grow(&mut self) -> Result<(), SourceError> {
        let (row, have_room) = (self.n, self.have_room());
        self.n += 1;
        if let Place::Memory(held) = &mut self.place {
            if have_room {
                held.resize(held.len() + row + 1, f64::NAN);
                return Ok(());
            }
            let held = std::mem::take(held);
            let failed = |cause| no_room(&self.scratch, &cause);
            let file = tempfile::tempfile_in(&self.scratch).map_err(failed)?;
            write(&file, 0, &held).map_err(failed)?;
            self.place = Place::File { file, waiting: Vec::new() };
        }
        if let Place::File { file, .. } = &self.place {
            write(file, index(row, 0), &vec![f64::NAN; row + 1])
                .map_err(|cause| no_room(&self.scratch, &cause))?;
        }
        Ok(())
    }

    /// Takes the `distance` of `i` and `j` from line `line`.
    ///
    /// # Errors
    /// If they, or others that had to wait, have another distance; those of the file.
    pub(super) fn put(&mut self, i: usize, j: usize, distance: f64, line: u64) -> Result<(), Stop> {
        let at = index(i.max(j), i.min(j));
        match &mut self.place {
            Place::Memory(held) => {
                settle(&mut held[at as usize], distance, line).map_err(Stop::Conflict)
            }
            Place::File { waiting, .. } => {
                waiting.push((at, distance, line));
                if waiting.len() == WAITING { self.flush() } else { Ok(()) }
            }
        }
    }

    /// Puts what waits into the file.
    fn flush(&mut self) -> Result<(), Stop> {
        let Place::File { file, waiting } = &mut self.place else { return Ok(()) };
        let failed = |cause| Stop::File(no_room(&self.scratch, &cause));
        waiting.sort_by_key(|&(at, _, line)| (at, line));
        let mut rest = &waiting[..];
        while let Some(&(first, ..)) = rest.first() {
            let count = rest.partition_point(|&(at, ..)| at < first + CHUNK as u64);
            let (now, later) = rest.split_at(count);
            let length = (now[count - 1].0 - first + 1) as usize;
            let mut there = read(file, first, length).map_err(failed)?;
            for &(at, distance, line) in now {
                settle(&mut there[(at - first) as usize], distance, line)
                    .map_err(Stop::Conflict)?;
            }
            write(file, first, &there).map_err(failed)?;
            rest = later;
        }
        waiting.clear();
        Ok(())
    }

    /// The first pair without a distance, if there is one, and how many there are; the diagonal
    /// becomes zero where it is not known.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub(super) fn complete(&mut self) -> Result<(Option<(usize, usize)>, u64), Stop> {
        self.flush()?;
        let (mut first, mut missing) = (None, 0);
        for i in 0..self.n {
            let failed = |cause| Stop::File(SourceError::read(&self.scratch, cause));
            let start = index(i, 0);
            let mut line;
            let row = match &mut self.place {
                Place::Memory(held) => &mut held[start as usize..][..i + 1],
                Place::File { file, .. } => {
                    line = read(file, start, i + 1).map_err(failed)?;
                    &mut line[..]
                }
            };
            let holes = row[..i].iter().filter(|distance| distance.is_nan()).count();
            let hole = row[..i].iter().position(|distance| distance.is_nan());
            first = first.or(hole.map(|j| (i, j)));
            missing += holes as u64;
            if row[i].is_nan() {
                row[i] = 0.0;
                if let Place::File { file, .. } = &self.place {
                    write(file, start + i as u64, &[0.0]).map_err(failed)?;
                }
            }
        }
        Ok((first, missing))
    }

    /// All distances.
    pub(super) fn into_bytes(self) -> Bytes {
        match self.place {
            Place::Memory(held) => {
                Bytes::Memory(held.iter().flat_map(|distance| distance.to_ne_bytes()).collect())
            }
            Place::File { file, .. } => Bytes::File { file, start: 0 },
        }
    }
}

/// Puts `distance` where nothing or the same is.
fn settle(there: &mut f64, distance: f64, line: u64) -> Result<(), Conflict> {
    if !there.is_nan() && *there != distance {
        return Err(Conflict { line, before: *there, now: distance });
    }
    *there = distance;
    Ok(())
}

fn read(file: &File, first: u64, length: usize) -> io::Result<Vec<f64>> {
    let mut bytes = vec![0; length * SIZE];
    file.read_exact_at(&mut bytes, first * SIZE as u64)?;
    let (numbers, _) = bytes.as_chunks::<SIZE>();
    Ok(numbers.iter().map(|&bytes| f64::from_ne_bytes(bytes)).collect())
}

fn write(file: &File, first: u64, numbers: &[f64]) -> io::Result<()> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    file.write_all_at(&bytes, first * SIZE as u64)
}
