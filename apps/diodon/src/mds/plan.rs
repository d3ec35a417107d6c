//! How memory is shared between tiles that are read ahead and panels.

use super::correction::{Correction, cailliez_bytes};
use super::{METHODS, Method, MethodEntry};

/// What a run holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Bytes of tiles that are held.
    pub ring_bytes: u64,
    /// Bytes of panels, sums, results, and of the whole matrix where it is formed.
    pub panel_bytes: u64,
    /// Bytes that are held before all that, and no longer: of the eigenproblem of Cailliez's
    /// constant.
    pub before_bytes: u64,
    /// Most columns of the space of Lanczos.
    pub capacity: usize,
}

impl Plan {
    /// Bytes that are held at a time.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.ring_bytes + self.panel_bytes).max(self.before_bytes)
    }
}

/// Sizes that a plan follows from.
#[derive(Clone, Copy, Debug)]
pub struct ProblemSize {
    /// Items.
    pub n: usize,
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
    /// Rows and columns of a tile.
    pub edge: usize,
    /// What makes the distances Euclidean.
    pub correction: Option<Correction>,
}

/// Blocks that Lanczos keeps at most: more were never needed.
const BLOCKS: usize = 40;
/// Columns that it keeps at most: eigenproblems of that order are solved after each pass.
const COLUMNS: usize = 4000;

/// Shares `memory` bytes; where they do not suffice, the plan asks for more.
#[must_use]
pub fn plan(method: Method, size: ProblemSize, memory: u64) -> Plan {
    let ProblemSize { n, axes, width, tile_bytes, tiles, workers, edge, correction } = size;
    let panel = (n * width * size_of::<f64>()) as u64;
    // Sums along rows, and what is left in the end: coordinates twice, norms, residuals.
    let lines = (n * (8 + 3 * axes) * size_of::<f64>()) as u64;
    // Widened entries, packed factors of products, and panels in single precision.
    let desk = workers as u64 * ((4 << 20) + 16 * (edge * width) as u64);
    // Tiles that are compared with their mirror images.
    let compared = 4 * tile_bytes;
    // One tile for each worker that multiplies, one for each that reads, one more each.
    let least = (4 * workers as u64 * tile_bytes).min(tiles as u64 * tile_bytes);
    // More where there is room, so that reading may be ahead for a while.
    let ample = (memory / 8).min(16 * workers as u64 * tile_bytes).max(least);
    let ample = ample.min(tiles as u64 * tile_bytes);
    let fixed = lines + desk + compared;
    let rest = memory.saturating_sub(fixed + ample);
    let (panel_bytes, capacity) = match method {
        Method::Randomized | Method::Nystrom => (5 * panel, width),
        Method::Lanczos => {
            // A block and its image each, half as many again while they are compressed, two to work
            // with, and vectors with residuals.
            let blocks = (rest / panel.max(1)).saturating_sub(5) / 3;
            let most = BLOCKS.min(COLUMNS / width.max(1)).max(3);
            let blocks = (blocks as usize).clamp(3, most);
            ((3 * blocks as u64 + 5) * panel, blocks * width)
        }
        Method::Exact => (6 * (n * n * size_of::<f64>()) as u64, width),
    };
    let panel_bytes = panel_bytes + fixed;
    let ring_bytes = memory.saturating_sub(panel_bytes).max(least).min(tiles as u64 * tile_bytes);
    let is_cailliez = correction == Some(Correction::Cailliez);
    let before_bytes = if is_cailliez { cailliez_bytes(n) } else { 0 };
    Plan { ring_bytes, panel_bytes, before_bytes, capacity }
}

/// Items up to which all eigenvalues are computed unless told otherwise: it takes seconds.
const FEW: usize = 2000;

/// The method for `n` items, unless another is asked for.
#[must_use]
pub fn default_method(n: usize) -> &'static MethodEntry {
    let method = if n <= FEW { Method::Exact } else { Method::Lanczos };
    METHODS.iter().find(|listed| listed.method == method).expect("every method is listed")
}
