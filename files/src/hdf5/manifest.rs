//! A matrix that is the tiles in several HDF5 files, which a list in CSV names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tegula_kernels::element::Element;

use super::holes::Hdf5Reading;
use super::source::Hdf5Source;
use super::tiles::{MOST_OPEN, Tile, TileReader};
use super::tiling::{self, Fault};
use super::{list, list::Entry};
use crate::source::{Block, BlockReader, Coverage, Source, SourceError};

/// A matrix in tiles.
///
/// The list is CSV with a header: `file` (from the folder of the list), `row` and `column` (the
/// first of the tile, from 0), and `dataset` if a file has several. Tiles cover the matrix, each
/// entry once, or all that is above its diagonal.
#[derive(Clone, Debug)]
pub struct ManifestSource {
    name: String,
    tiles: Arc<[Tile]>,
    shape: [usize; 2],
    element: Element,
    coverage: Coverage,
    grain: [usize; 2],
    stored_bytes_per_entry: f64,
    names: [Option<Vec<String>>; 2],
}

impl ManifestSource {
    /// Reads the list at `path` and opens every file in it.
    ///
    /// # Errors
    /// If the list or a file cannot be read, tiles overlap or leave gaps, or they hold different
    /// kinds of numbers or different names.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        Self::open_as(path, Hdf5Reading::default())
    }

    /// The same, with files that are read in this way.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_as(path: &Path, reading: Hdf5Reading) -> Result<Self, SourceError> {
        let wrong = |reason| SourceError::invalid(path, reason);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut tiles = Vec::new();
        for entry in list::read(path)? {
            let file = folder.join(&entry.file);
            let source = Hdf5Source::open_as(&file, entry.dataset.as_deref(), reading)
                .map_err(|error| wrong(format!("line {}: {error}", entry.line)))?;
            tiles.push(placed(source, &entry).map_err(wrong)?);
        }
        let Some(first) = tiles.first() else {
            return Err(wrong("no file is named below the header".to_owned()));
        };
        let element = first.source.element();
        if let Some(other) = tiles.iter().find(|tile| tile.source.element() != element) {
            return Err(wrong(format!(
                "line {} names a file of {} numbers, line {} one of {}; convert one of them",
                first.line,
                element.name(),
                other.line,
                other.source.element().name()
            )));
        }
        let end =
            |of: fn(&Block) -> usize| tiles.iter().map(|tile| of(&tile.block)).max().unwrap_or(0);
        let shape = [end(|block| block.rows.end), end(|block| block.columns.end)];
        let blocks: Vec<Block> = tiles.iter().map(|tile| tile.block.clone()).collect();
        let coverage = tiling::coverage(shape, &blocks)
            .map_err(|fault| wrong(words(&fault, shape, &tiles)))?;
        let mut names = [
            names(&tiles, shape[0], 0).map_err(wrong)?,
            names(&tiles, shape[1], 1).map_err(wrong)?,
        ];
        if coverage == Coverage::Triangle {
            let either = names[0].take().or(names[1].take());
            names = [either.clone(), either];
        }
        let stored: f64 = tiles.iter().map(Tile::stored_bytes).sum();
        let entries: usize = blocks.iter().map(Block::entries).sum();
        Ok(Self {
            name: path.display().to_string(),
            shape,
            element,
            coverage,
            grain: grain(&tiles),
            stored_bytes_per_entry: stored / entries.max(1) as f64,
            names,
            tiles: tiles.into(),
        })
    }

    /// Number of tiles.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.tiles.len()
    }
}

impl Tile {
    fn stored_bytes(&self) -> f64 {
        self.source.stored_bytes_per_entry() * self.block.entries() as f64
    }
}

/// The tile that `source` is where `entry` says.
fn placed(source: Hdf5Source, entry: &Entry) -> Result<Tile, String> {
    let (line, shape) = (entry.line, source.shape());
    if source.coverage() == Coverage::Triangle {
        return Err(format!(
            "line {line}: {} is a triangle in one dimension; a tile has two",
            source.name()
        ));
    }
    if shape.contains(&0) {
        return Err(format!("line {line}: {} has no entries: shape {shape:?}", source.name()));
    }
    let range = |axis: usize| {
        let start: usize = entry.corner[axis];
        let end = start.checked_add(shape[axis]).filter(|&end| u32::try_from(end).is_ok());
        end.map(|end| start..end).ok_or_else(|| format!("line {line}: {start} is too large"))
    };
    let block = Block { rows: range(0)?, columns: range(1)? };
    Ok(Tile { source, block, line })
}

/// What to say of a fault.
fn words(fault: &Fault, [m, n]: [usize; 2], tiles: &[Tile]) -> String {
    let tile = |index: usize| {
        let Tile { source, block, line } = &tiles[index];
        let Block { rows, columns } = block;
        format!("{} (line {line}, rows {rows:?}, columns {columns:?})", source.path().display())
    };
    match fault {
        Fault::Overlap(a, b, [row, column]) => {
            format!(
                "entry ({row}, {column}), counted from 0, is in two tiles: {} and {}",
                tile(*a),
                tile(*b)
            )
        }
        Fault::Gap([row, column]) => format!(
            "no tile holds entry ({row}, {column}), counted from 0, of the {m} x {n} matrix; the tiles have to cover \
             all of it, or all above the diagonal of a square one"
        ),
        Fault::TooMany => {
            "its tiles begin and end at too many different rows and columns".to_owned()
        }
    }
}

/// The names along an axis, if tiles name all; tiles that name the same agree.
fn names(tiles: &[Tile], length: usize, axis: usize) -> Result<Option<Vec<String>>, String> {
    let mut found: Vec<Option<(&String, u64)>> = vec![None; length];
    for tile in tiles {
        let (range, names) = match axis {
            0 => (&tile.block.rows, tile.source.row_names()),
            _ => (&tile.block.columns, tile.source.column_names()),
        };
        for (index, name) in range.clone().zip(names.into_iter().flatten()) {
            if let Some((other, line)) = found[index].filter(|(other, _)| *other != name) {
                let what = ["row", "column"][axis];
                return Err(format!(
                    "{what} {index}, counted from 0, is '{other}' by the file of line {line} and '{name}' by that of \
                     line {}",
                    tile.line
                ));
            }
            found[index] = Some((name, tile.line));
        }
    }
    Ok(found.into_iter().map(|name| name.map(|(name, _)| name.clone())).collect())
}

/// The grain of the tiles, if all have the same and begin at multiples of it.
fn grain(tiles: &[Tile]) -> [usize; 2] {
    let grain = tiles[0].source.grain();
    let fits = |tile: &Tile| {
        let corner = [tile.block.rows.start, tile.block.columns.start];
        // A tile smaller than the others has smaller chunks, which are whole within one piece.
        let own = tile.source.grain();
        (0..2).all(|axis| {
            corner[axis].is_multiple_of(grain[axis]) && grain[axis].is_multiple_of(own[axis])
        })
    };
    if tiles.iter().all(fits) { grain } else { [1, 1] }
}

impl Source for ManifestSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn element(&self) -> Element {
        self.element
    }

    fn coverage(&self) -> Coverage {
        self.coverage
    }

    fn grain(&self) -> [usize; 2] {
        self.grain
    }

    fn stored_bytes_per_entry(&self) -> f64 {
        self.stored_bytes_per_entry
    }

    fn reader_bytes(&self) -> u64 {
        let most = self.tiles.iter().map(|tile| tile.source.reader_bytes()).max().unwrap_or(0);
        most * MOST_OPEN as u64
    }

    fn row_names(&self) -> Option<&[String]> {
        self.names[0].as_deref()
    }

    fn column_names(&self) -> Option<&[String]> {
        self.names[1].as_deref()
    }

    fn other_files(&self) -> Vec<PathBuf> {
        self.tiles.iter().map(|tile| tile.source.path().to_owned()).collect()
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        let (tiles, size) = (Arc::clone(&self.tiles), self.element.bytes());
        Ok(Box::new(TileReader::new(tiles, self.shape, size, self.coverage)))
    }
}
