//! `--dry-run`: the tasks and the time that passes over a matrix are expected to take, from rates
//! that are measured now.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Map, Value};
use tegula_diodon::stream::Tiling;
use tegula_files::source::Source;
use tegula_kernels::kernel::kernel;
use tegula_kernels::kernel::rate::{Temperature, rate};

use super::readers::scattered;
use crate::flags::Run;
use crate::output::{Console, count, number, seconds};

/// Longest order of a product that is timed.
const MOST_ORDER: usize = 512;
/// Seconds after which no further tile is read.
const PROBE: f64 = 0.25;
/// Tiles that are read at most.
const MOST_TILES: usize = 4;

/// Part of the rate of square products that those with narrow panels reach, as measured.
const NARROW: f64 = 1.0 / 3.0;
/// Time below which nothing is told apart from starting up.
const SHORT: f64 = 0.1;

/// What a run is expected to do.
pub(super) struct Expected<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) tiling: Tiling,
    /// Columns that the matrix is multiplied with in a pass.
    pub(super) width: usize,
    /// Passes, and why so many.
    pub(super) passes: (usize, &'a str),
    /// Whether all tiles are held, so that later passes read nothing.
    pub(super) is_held: bool,
    /// Flops beside the passes, of dense decompositions.
    pub(super) flops: f64,
}

/// What was measured.
struct Rates {
    /// Entries per second that one task reads.
    entries: f64,
    /// Flops per second of one core.
    flops: f64,
}

impl Expected<'_> {
    /// Measures, prints what is expected, and adds it to `facts`.
    ///
    /// # Errors
    /// If a tile cannot be read.
    pub(super) fn describe(
        &self,
        run: &Run,
        console: &Console,
        facts: &mut Map<String, Value>,
    ) -> Result<()> {
        let rates = self.measure(run)?;
        let (tiles, workers) = (self.tiling.tiles() as f64, run.workers().max(1) as f64);
        let (passes, reason) = self.passes;
        let [m, n] = self.source.shape();
        let share = if self.tiling.is_symmetric { 0.5 } else { 1.0 };
        let reading = share * m as f64 * n as f64 / rates.entries / workers;
        let (lines, width) = ((m + n) as f64, self.width as f64);
        // Products, and what makes panels orthonormal.
        let flops = (2.0 * m as f64 * n as f64 + 3.0 * lines * width) * width;
        let multiplying = flops / (NARROW * rates.flops) / workers;
        let pass = reading + multiplying;
        let later = if self.is_held { multiplying } else { pass };
        let dense = self.flops / rates.flops / workers;
        let all = pass + passes.saturating_sub(1) as f64 * later + dense;
        let tasks = (2.0 * tiles * passes as f64) as u64;
        console.field("tasks", format_args!("about {}, two for each tile of a pass", tasks));
        console.field(
            "rates",
            format_args!(
                "{} entries/s read by a task, {} Gflop/s per core for products: measured now",
                number(rates.entries, 3),
                number(rates.flops / 1e9, 3)
            ),
        );
        let all_text = if all < SHORT { "less than 0.1 s".to_owned() } else { seconds(all) };
        let passes_text =
            if passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") };
        let dense_text = if dense > SHORT {
            format!(", {} of it for the decomposition", seconds(dense))
        } else {
            String::new()
        };
        console.field(
            "time",
            format_args!(
                "an estimate at these rates: {all_text} for {passes_text} ({reason}) on {}{dense_text}",
                count(run.workers(), "worker")
            ),
        );
        console.line("dry run: nothing was computed");
        for (key, value) in [
            ("dry_run", true.into()),
            ("tasks", tasks.into()),
            ("expected_passes", passes.into()),
            ("expected_seconds", all.into()),
            ("expected_seconds_per_pass", pass.into()),
            ("entries_per_second", rates.entries.into()),
            ("gflops_per_core", (rates.flops / 1e9).into()),
        ] {
            facts.insert(key.to_owned(), value);
        }
        Ok(())
    }

    /// Reads a few tiles, and times a product of the order of a tile.
    fn measure(&self, run: &Run) -> Result<Rates> {
        let (mut reader, size) = (self.source.reader()?, self.source.element().bytes());
        let (start, mut entries) = (Instant::now(), 0);
        let mut stored = Vec::new();
        for tile in scattered(&self.tiling).iter().take(MOST_TILES) {
            stored.resize(tile.block.entries() * size, 0);
            reader.read(&tile.block, &mut stored)?;
            entries += tile.block.entries();
            if start.elapsed().as_secs_f64() > PROBE {
                break;
            }
        }
        let read = start.elapsed().as_secs_f64().max(1e-9);
        let gemm = kernel("gemm").expect("gemm is listed");
        let order = run.nb.clamp(1, MOST_ORDER);
        let flops = rate(gemm, run.backend, run.precision, order, Temperature::Warm)
            .expect("gemm is of all precisions")
            .gflops();
        Ok(Rates { entries: (entries as f64 / read).max(1.0), flops: flops * 1e9 })
    }
}
