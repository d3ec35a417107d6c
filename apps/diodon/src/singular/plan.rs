//! How memory is shared between tiles that are read ahead and panels.

use super::Method;

/// What a run holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Bytes of tiles that are held.
    pub ring_bytes: u64,
    /// Bytes of panels, sums, results, and of the whole table where it is formed.
    pub panel_bytes: u64,
    /// Most columns of the Krylov space.
    pub capacity: usize,
}

/// Sizes that a plan follows from.
#[derive(Clone, Copy, Debug)]
pub struct ProblemSize {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Axes.
    pub axes: usize,
    /// Columns of a block.
    pub width: usize,
    /// Bytes of a stored tile.
    pub tile_bytes: u64,
    /// Tiles that are read in a pass.
    pub tiles: usize,
    /// Workers.
    pub workers: usize,
    /// Bytes of what is held beside the table: metrics, instruments.
    pub side_bytes: u64,
}

/// Blocks that are kept at most.
const BLOCKS: usize = 40;

/// Shares `memory` bytes; where they do not suffice, the plan asks for more.
#[must_use]
pub fn plan(method: Method, size: ProblemSize, memory: u64) -> Plan {
    let ProblemSize { shape: [m, n], axes, width, tile_bytes, tiles, workers, side_bytes } = size;
    let numbers = |count: usize| (count * size_of::<f64>()) as u64;
    let (long, short) = (m.max(n), m.min(n));
    // Sums, scales and factors of lines, and what is left in the end: coordinates twice, norms.
    let lines = numbers((m + n) * (12 + 3 * axes)) + side_bytes;
    let desk = workers as u64 * (4 << 20);
    let least = (4 * workers as u64 * tile_bytes).min(tiles as u64 * tile_bytes);
    let fixed = lines + desk + least;
    let (panel, across) = (numbers(short * width), 4 * numbers(long * width));
    let (panels, capacity) = match method {
        Method::Krylov => {
            let rest = memory.saturating_sub(fixed + across);
            let blocks = ((rest / panel.max(1)) as usize).saturating_sub(4) / 2;
            let blocks = blocks.clamp(3, BLOCKS);
            ((2 * blocks as u64 + 4) * panel + across, blocks * width)
        }
        // The table, and what its decomposition takes.
        Method::Exact => (numbers(4 * m * n), width),
    };
    let panel_bytes = panels + lines + desk;
    let ring_bytes = memory.saturating_sub(panel_bytes).max(least).min(tiles as u64 * tile_bytes);
    Plan { ring_bytes, panel_bytes, capacity }
}
