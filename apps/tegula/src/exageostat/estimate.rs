//! `--dry-run`: sizes, tasks, memory and time of evaluations of the likelihood.

use anyhow::Result;
use serde_json::{Value, json};
use tegula_exageostat::covariance::measure::measure;
use tegula_kernels::kernel::covariance::Vectors;
use tegula_kernels::kernel::kernel;
use tegula_kernels::kernel::rate::{Temperature, rate};

use super::setting::Setting;
use crate::machine::short_memory;
use crate::output::{Console, bytes, number, seconds};

impl Setting {
    /// Tasks of generation, factorisation, determinant, solve and dot product.
    pub(super) fn tasks(&self) -> usize {
        let t = self.edge();
        let factorisation = t * (t + 1) * (t + 2) / 6;
        self.tiles() + factorisation + t + self.tiles() + t.saturating_sub(1) + t
    }

    /// Flops of the factorisation (LAWN 41).
    fn flops(&self) -> f64 {
        let n = self.n as f64;
        n * n * n / 3.0 + n * n / 2.0 + n / 6.0
    }

    /// Prints what an evaluation takes, and returns it as JSON; `evaluations` is how many are
    /// expected, with the reason.
    ///
    /// # Errors
    /// Never for the default parameters of a covariance.
    pub(super) fn estimate(&self, console: &Console, evaluations: (usize, &str)) -> Result<Value> {
        let gemm = kernel("gemm").expect("gemm is listed");
        let gflops =
            rate(gemm, self.run.backend, self.precision, self.nb, Temperature::Warm).gflops();
        let (covariance, vectors) = (self.covariance, Vectors::widest());
        let defaults = covariance.defaults();
        let entries = measure(covariance, &defaults, self.geometry, self.precision, vectors)?
            .entries_per_second;
        let edge = self.edge();
        let entry_count = 0.5 * (self.n as f64) * (self.n as f64 + 1.0);
        let work = self.flops() / (gflops * 1e9) + entry_count / entries;
        let one = work / self.run.workers() as f64;
        let (times, reason) = evaluations;
        console.field(
            "matrix",
            format_args!(
                "{0} x {0}, lower triangle in {1} tiles of {2} x {2}",
                self.n,
                self.tiles(),
                self.nb
            ),
        );
        let there = short_memory(self.matrix_bytes());
        let excess = there.map_or_else(String::new, |there| {
            format!(", more than the {} that this process may use", bytes(there as f64))
        });
        console.field("memory", format_args!("{}{excess}", bytes(self.matrix_bytes())));
        console.field("tasks", format_args!("{} ({edge} x {edge} tiles)", self.tasks()));
        console.field("flops", number(self.flops(), 3));
        console.field("rates", format_args!(
            "{} Gflop/s per core for gemm on warm tiles, {} entries/s per core for {}: measured now",
            number(gflops, 3), number(entries, 3), covariance.name
        ));
        console.field(
            "time",
            format_args!(
                "about {} for {} ({reason}), if {} workers keep these rates; expect somewhat more",
                seconds(one * times as f64),
                crate::output::count(times, "evaluation"),
                self.run.workers()
            ),
        );
        console.line("dry run: nothing was computed");
        Ok(json!({
            "dry_run": true,
            "n": self.n,
            "tile_size": self.nb,
            "tiles": self.tiles(),
            "tasks": self.tasks(),
            "memory_bytes": self.matrix_bytes(),
            "fits": there.is_none(),
            "flops": self.flops(),
            "gflops_per_core": gflops,
            "entries_per_second_per_core": entries,
            "evaluations": times,
            "seconds": one * times as f64,
            "workers": self.run.workers(),
            "policy": self.run.policy.name,
        }))
    }
}
