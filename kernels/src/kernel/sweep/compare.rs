//! Compares a stored tile with its mirror image.

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};

use super::lines::Lines;
use super::{Findings, Offender, Tile};

/// Notes where two stored tiles, one at the mirrored place of the other, are not transposes of each
/// other; buffers `[A: R, mirror of A: R, lines of A's rows: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Compare {
    /// The tile above the diagonal.
    pub tile: Tile,
}

impl Codelet for Compare {
    const NAME: &'static str = "compare";
    const ACCESS: &'static [Access] = &[R, R, RW];

    fn cost(&self) -> Cost {
        let stored = f64::from(self.tile.m) * f64::from(self.tile.n);
        Cost { flops: stored, bytes: 2.0 * stored * self.tile.element.bytes() as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let lines = Lines::of(buffers.write(2));
        let (stored, mirror) = (self.tile.stored(buffers, 0), self.tile.stored(buffers, 1));
        self.compute(stored, mirror, lines.findings);
        Ok(())
    }
}

impl Compare {
    /// Compares `stored` with its `mirror` image.
    pub fn compute(&self, stored: &[u8], mirror: &[u8], findings: &mut Findings) {
        let (m, n) = (self.tile.m as usize, self.tile.n as usize);
        let size = self.tile.element.bytes();
        // Squares of so many entries: pieces of mirrored lines stay in the first cache.
        const EDGE: usize = 32;
        let (mut line, mut image) = ([0.0; EDGE], [0.0; EDGE * EDGE]);
        for top in (0..m).step_by(EDGE) {
            for left in (0..n).step_by(EDGE) {
                let (rows, columns) = (EDGE.min(m - top), EDGE.min(n - left));
                for (j, image) in image.chunks_exact_mut(EDGE).enumerate().take(columns) {
                    let start = ((left + j) * m + top) * size;
                    let stored = &mirror[start..start + rows * size];
                    self.tile.element.widen(stored, &mut image[..rows]);
                }
                for i in 0..rows {
                    let start = ((top + i) * n + left) * size;
                    let stored = &stored[start..start + columns * size];
                    self.tile.element.widen(stored, &mut line[..columns]);
                    for (j, &value) in line[..columns].iter().enumerate() {
                        let other = image[j * EDGE + i];
                        if value != other && !(value.is_nan() && other.is_nan()) {
                            let place = (top + i, left + j);
                            findings.asymmetric.note(
                                self.tile.offender(place, value, other),
                                (value - other).abs(),
                            );
                        }
                    }
                }
            }
        }
        findings.compared += (m * n) as u64;
    }
}

impl Tile {
    /// The entry of the tile at a place, as an offender.
    pub(super) fn offender(&self, (i, j): (usize, usize), value: f64, other: f64) -> Offender {
        let (row, column) = (u64::from(self.row) + i as u64, u64::from(self.column) + j as u64);
        Offender { row, column, value, other }
    }
}
