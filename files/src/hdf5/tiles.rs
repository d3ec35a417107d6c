//! Reading blocks of a matrix out of its tiles.

use std::collections::VecDeque;
use std::sync::Arc;

use super::source::Hdf5Source;
use super::tiling::{shared, transposed};
use crate::source::{Block, BlockReader, Coverage, Source, SourceError};

/// Most files that a reader has open.
pub(super) const MOST_OPEN: usize = 16;

/// A part of the matrix, in a file of its own.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) source: Hdf5Source,
    /// Where it stands in the matrix.
    pub(super) block: Block,
    /// Its line in the list.
    pub(super) line: u64,
}

/// Reads blocks out of tiles.
pub(super) struct TileReader {
    tiles: Arc<[Tile]>,
    shape: [usize; 2],
    /// Bytes of an entry.
    size: usize,
    coverage: Coverage,
    /// Readers of tiles, the last one used at the end.
    open: VecDeque<(usize, Box<dyn BlockReader>)>,
    scratch: Vec<u8>,
}

impl TileReader {
    /// A reader of a matrix of that shape, whose entries have `size` bytes.
    pub(super) fn new(
        tiles: Arc<[Tile]>,
        shape: [usize; 2],
        size: usize,
        coverage: Coverage,
    ) -> Self {
        Self { tiles, shape, size, coverage, open: VecDeque::new(), scratch: Vec::new() }
    }

    /// Reads `part` of the matrix, which is in tile `index`, into `self.scratch`.
    fn read_part(&mut self, index: usize, part: &Block) -> Result<u64, SourceError> {
        let tile = &self.tiles[index];
        let (i, j) = (tile.block.rows.start, tile.block.columns.start);
        let (rows, columns) = (&part.rows, &part.columns);
        let inner = Block {
            rows: rows.start - i..rows.end - i,
            columns: columns.start - j..columns.end - j,
        };
        let mut reader = match self.open.iter().position(|(open, _)| *open == index) {
            Some(place) => self.open.remove(place).expect("it was found there").1,
            None => tile.source.reader()?,
        };
        self.scratch.resize(part.entries() * self.size, 0);
        let taken = reader.read(&inner, &mut self.scratch);
        if self.open.len() == MOST_OPEN {
            self.open.pop_front();
        }
        self.open.push_back((index, reader));
        taken
    }

    /// What `block` shares with each tile, as the tile stands or on the other side of the diagonal.
    fn parts(&self, block: &Block, is_mirrored: bool) -> Vec<(usize, Block)> {
        let tiles = self.tiles.iter().enumerate();
        tiles
            .filter_map(|(index, tile)| {
                let there = if is_mirrored {
                    shared(block, &transposed(&tile.block))
                } else {
                    shared(block, &tile.block)
                };
                Some((index, there?))
            })
            .collect()
    }
}

impl BlockReader for TileReader {
    fn read(&mut self, block: &Block, entries: &mut [u8]) -> Result<u64, SourceError> {
        let ([m, n], size) = (self.shape, self.size);
        let Block { rows, columns } = block;
        assert!(rows.end <= m && columns.end <= n, "{rows:?} x {columns:?} of {m} x {n}");
        assert_eq!(entries.len(), block.entries() * size, "bytes of the block");
        let width = columns.len();
        let at = |i: usize, j: usize| ((i - rows.start) * width + j - columns.start) * size;
        let direct = self.parts(block, false);
        let covered: usize = direct.iter().map(|(_, part)| part.entries()).sum();
        let mut taken = 0;
        if self.coverage == Coverage::Triangle && covered < block.entries() {
            // The diagonal may be in no tile.
            entries.fill(0);
            for (index, part) in self.parts(block, true) {
                if direct.iter().any(|(_, there)| shared(there, &part).as_ref() == Some(&part)) {
                    continue;
                }
                taken += self.read_part(index, &transposed(&part))?;
                let lines = self.scratch.chunks_exact(part.rows.len() * size);
                for (j, line) in part.columns.clone().zip(lines) {
                    for (i, entry) in part.rows.clone().zip(line.chunks_exact(size)) {
                        entries[at(i, j)..at(i, j) + size].copy_from_slice(entry);
                    }
                }
            }
        }
        for (index, part) in direct {
            taken += self.read_part(index, &part)?;
            let lines = self.scratch.chunks_exact(part.columns.len() * size);
            for (i, line) in part.rows.clone().zip(lines) {
                let to = at(i, part.columns.start);
                entries[to..to + line.len()].copy_from_slice(line);
            }
        }
        Ok(taken)
    }
}
