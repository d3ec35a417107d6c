//! How memory is shared between tiles that are read ahead and panels.

/// What a run holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Bytes of tiles that are held.
    pub ring_bytes: u64,
    /// Bytes of panels, sums and results.
    pub panel_bytes: u64,
}

/// Sizes that a plan follows from.
#[derive(Clone, Copy, Debug)]
pub struct ProblemSize {
    /// New items and embedded ones.
    pub shape: [usize; 2],
    /// Axes.
    pub axes: usize,
    /// Rows or columns of a tile, whichever are more.
    pub edge: usize,
    /// Bytes of a stored tile.
    pub tile_bytes: u64,
    /// Tiles that are read.
    pub tiles: usize,
    /// Workers.
    pub workers: usize,
}

/// Shares `memory` bytes; where they do not suffice, the plan asks for more.
#[must_use]
pub fn plan(size: &ProblemSize, memory: u64) -> Plan {
    let ProblemSize { shape: [m, n], axes, edge, tile_bytes, tiles, workers } = *size;
    let numbers = |count: usize| (count * size_of::<f64>()) as u64;
    // Factors and coordinates, each in tiles and as they are given and taken; sums along lines,
    // norms and residuals.
    let panels = numbers((m + n) * (2 * axes + 8));
    // Widened entries, packed factors of products, and panels in single precision.
    let desk = workers as u64 * ((4 << 20) + numbers(2 * edge * axes));
    let panel_bytes = panels + desk;
    let all = tiles as u64 * tile_bytes;
    // One tile for each worker that multiplies, one for each that reads, one more each; each is
    // read once, so that more than some are of no use.
    let least = (4 * workers as u64 * tile_bytes).min(all);
    let most = (16 * workers as u64 * tile_bytes).min(all);
    let ring_bytes = memory.saturating_sub(panel_bytes).clamp(least, most);
    Plan { ring_bytes, panel_bytes }
}
