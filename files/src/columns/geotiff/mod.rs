//! GeoTIFF as a table: x, y, and a column for each band.
//!
//! Rows are the pixels, in the order in which the nodes of a grid come: x runs fastest, and each
//! from its least up. Read are strips and tiles, of whole numbers and floats, in either byte order,
//! TIFF and BigTIFF; a row of chunks is held at a time. Pixels of which no band has a value are
//! left out. Scale and offset of a band, as GDAL has them, are applied.

mod decode;
mod directory;
mod layout;
mod place;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use self::directory::Directory;
use self::layout::{Kind, Layout};
use self::place::{Band, Place, bands};
use super::{Batch, ColumnFile, ColumnReader, damaged, free, too_large};

/// Parts of the memory for reading of which one may hold a row of chunks.
const MEMORY_PARTS: u64 = 4;

/// Tags of GDAL: its metadata, and what stands for no value.
const METADATA: u16 = 42112;
const NO_DATA: u16 = 42113;

/// A GeoTIFF.
#[derive(Debug)]
pub(super) struct GeoTiff {
    path: PathBuf,
    names: Vec<String>,
    size: [u64; 2],
    what: String,
    memory_bytes: u64,
}

impl GeoTiff {
    /// Looks at the file at `path`.
    pub(super) fn open(path: &Path, memory_bytes: u64) -> io::Result<Self> {
        let pixels = Pixels::open(path, memory_bytes)?;
        let axes = if pixels.place.is_in_degrees { ["lon", "lat"] } else { ["x", "y"] };
        let mut names = axes.map(str::to_owned).to_vec();
        for (index, band) in pixels.bands.iter().enumerate() {
            let name = band.name.clone().unwrap_or_else(|| format!("band{}", index + 1));
            names.push(free(&names, name));
        }
        let [width, height] = pixels.layout.size;
        let what = format!("GeoTIFF, {width} x {height} pixels, {}", pixels.layout.kind_name());
        Ok(Self { path: path.to_owned(), names, size: [width, height], what, memory_bytes })
    }
}

impl ColumnFile for GeoTiff {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn describe(&self) -> String {
        self.what.clone()
    }

    fn word(&self) -> &'static str {
        "pixel"
    }

    fn reader(&self) -> io::Result<Box<dyn ColumnReader>> {
        let pixels = Pixels::open(&self.path, self.memory_bytes)?;
        if pixels.layout.size != self.size || pixels.bands.len() + 2 != self.names.len() {
            return Err(damaged("it changed while it was in use"));
        }
        Ok(Box::new(pixels))
    }
}

/// The pixels of a GeoTIFF, row by row from the least y up.
struct Pixels {
    directory: Directory,
    layout: Layout,
    place: Place,
    bands: Vec<Band>,
    /// What stands for no value.
    no_data: Option<f64>,
    memory_bytes: u64,
    /// The chunks of this row of them, for each plane; none of one that was never written.
    held: Option<u64>,
    chunks: Vec<Option<Vec<u8>>>,
    /// The next pixel, counted to the right and upwards, and pixels that were left out.
    next: [u64; 2],
    left_out: u64,
}

impl Pixels {
    fn open(path: &Path, memory_bytes: u64) -> io::Result<Self> {
        let directory = Directory::read(File::open(path)?)?;
        let layout = Layout::read(&directory)?;
        let place = Place::read(&directory, layout.size)?;
        let bands = bands(&directory.text(METADATA)?, layout.bands);
        let no_data = directory.text(NO_DATA)?.trim().parse().ok();
        let memory_bytes = memory_bytes / MEMORY_PARTS;
        let (held, chunks) = (None, Vec::new());
        Ok(Self {
            directory,
            layout,
            place,
            bands,
            no_data,
            memory_bytes,
            held,
            chunks,
            next: [0, 0],
            left_out: 0,
        })
    }

    /// Holds the row `down` of chunks.
    fn hold(&mut self, down: u64) -> io::Result<()> {
        if self.held == Some(down) {
            return Ok(());
        }
        (self.held, self.chunks) = (None, Vec::new());
        let layout = &self.layout;
        let planes = if layout.is_planar { layout.bands } else { 1 };
        let length = layout.row_bytes() * u128::from(layout.stored_rows(down));
        let mut held = 0;
        for plane in 0..planes {
            for across in 0..layout.across() {
                let Some((offset, count)) = layout.place([across, down], plane) else {
                    self.chunks.push(None);
                    continue;
                };
                // Held against what is stored before it is taken.
                if length > u128::from(count) * u128::from(layout.compression.most()) {
                    return Err(damaged(format!(
                        "a chunk of {length} bytes cannot be in the {count} bytes that it has"
                    )));
                }
                held += length as u64;
                if held > self.memory_bytes {
                    let all = held.max((length as u64).saturating_mul(layout.across()));
                    return Err(too_large("a row of its strips or tiles", all, self.memory_bytes));
                }
                // No compression makes much more of its bytes than they were.
                let count = count.min(2 * length as u64 + 4096);
                let stored = self.directory.bytes(offset, count)?;
                let mut bytes = layout.compression.expand(stored, length as usize)?;
                for row in bytes.chunks_exact_mut(layout.row_bytes() as usize) {
                    let shape = (layout.together(), layout.bytes);
                    layout.predictor.undo(row, shape, self.directory.is_big_endian);
                }
                self.chunks.push(Some(bytes));
            }
        }
        self.held = Some(down);
        Ok(())
    }

    /// The value of a band at a pixel of the row of chunks that is held; NaN where there is none.
    fn value(&self, [column, row]: [u64; 2], band: usize) -> f64 {
        let layout = &self.layout;
        let (plane, sample) = if layout.is_planar { (band, 0) } else { (0, band) };
        let across = column / layout.chunk[0];
        let chunk = &self.chunks[plane * layout.across() as usize + across as usize];
        let Some(chunk) = chunk else {
            // GDAL gives what stands for no value where a chunk was never written, or zero.
            return if self.no_data.is_some() { f64::NAN } else { self.scaled(0.0, band) };
        };
        let pixel = row % layout.chunk[1] * layout.chunk[0] + column % layout.chunk[0];
        let place = (pixel as usize * layout.together() + sample) * layout.bytes;
        let value = layout.value(&chunk[place..place + layout.bytes]);
        let is_missing = |no_data: f64| {
            let is_single = layout.kind == Kind::Float && layout.bytes == 4;
            value == no_data || is_single && value as f32 == no_data as f32
        };
        if self.no_data.is_some_and(is_missing) { f64::NAN } else { self.scaled(value, band) }
    }

    fn scaled(&self, value: f64, band: usize) -> f64 {
        let Band { scale, offset, .. } = self.bands[band];
        if scale == 1.0 && offset == 0.0 { value } else { value * scale + offset }
    }

    /// Whether the row of chunks that is held has no value at all.
    fn is_empty(&self) -> bool {
        self.no_data.is_some() && self.chunks.iter().all(Option::is_none)
    }

    /// Passes over the rows of pixels from `row`, which is next, to the end of its chunks.
    fn skip(&mut self, row: u64) {
        let chunk = self.layout.chunk[1];
        let rows = if self.place.centres[1].is_reversed {
            row % chunk + 1
        } else {
            self.layout.rows(row / chunk) - row % chunk
        };
        self.left_out += rows * self.layout.size[0];
        self.next[1] += rows;
    }

    /// Appends pixels of the `row` of the file that is next, up to `rows` of them in all.
    fn push_row(&mut self, row: u64, rows: usize, batch: &mut Batch) {
        let ([width, _], [right, up]) = (self.layout.size, self.place.centres);
        let mut values = vec![0.0; self.bands.len()];
        let [mut x, y] = self.next;
        while x < width && batch.rows() < rows {
            let pixel = [right.stored(x), row];
            for (band, value) in values.iter_mut().enumerate() {
                *value = self.value(pixel, band);
            }
            if values.iter().all(|value| value.is_nan()) {
                self.left_out += 1;
            } else {
                let centre = [right.at(x), up.at(y)];
                batch.push(y * width + x + 1, centre.into_iter().chain(values.iter().copied()));
            }
            x += 1;
        }
        self.next = if x < width { [x, y] } else { [0, y + 1] };
    }
}

impl ColumnReader for Pixels {
    fn read(&mut self, rows: usize, batch: &mut Batch) -> io::Result<()> {
        let rows = batch.rows() + rows;
        while self.next[1] < self.layout.size[1] && batch.rows() < rows {
            let row = self.place.centres[1].stored(self.next[1]);
            self.hold(row / self.layout.chunk[1])?;
            if self.is_empty() {
                self.skip(row);
            } else {
                self.push_row(row, rows, batch);
            }
        }
        Ok(())
    }

    fn left_out(&self) -> u64 {
        self.left_out
    }
}
