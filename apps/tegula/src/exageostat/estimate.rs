//! `--dry-run`: sizes, tasks, memory and time of evaluations of the likelihood.

use anyhow::Result;
use serde_json::Value;
use tegula_exageostat::covariance::measure::rate_of;
use tegula_exageostat::dst::Envelope;
use tegula_exageostat::tlr::Tlr;
use tegula_exageostat::vecchia::Vecchia;
use tegula_kernels::kernel::kernel;
use tegula_kernels::kernel::rate::{Temperature, rate};
use tegula_kernels::scalar::Precision;
use tegula_linalg::program::cholesky_flops;

use super::method::Approximation;
use super::object;
use super::setup::{EXPECTED_RANK, Problem, Setup};
use crate::output::{Console, count, number, seconds};

impl Setup {
    /// As [`estimate`](Self::estimate), where the likelihood is approximated: most of the time goes
    /// into covariances of neighbours.
    fn estimate_vecchia(
        &self,
        console: &Console,
        vecchia: &Vecchia,
        (times, reason): (usize, &str),
    ) -> Result<Value> {
        let (run, Problem { n, geometry, .. }) = (&self.run, self.problem);
        let rate = rate_of(self.covariance, geometry, run.precision)?;
        let order = vecchia.neighbours.min(n) as f64 + 1.0;
        let entries = 0.5 * n as f64 * order * order;
        let flops = n as f64 * order.powi(3) / 3.0;
        let all = times as f64 * entries / rate / run.workers() as f64;
        console.field("covariances", format_args!("{} for an evaluation", number(entries, 3)));
        console.field("flops", number(flops, 3));
        console.field(
            "time",
            format_args!(
                "about {} for {} ({reason}) on {} at {} covariances/s per core, measured now; \
                 expect some times as much where there are gradients",
                seconds(all),
                count(times, "evaluation"),
                count(run.workers(), "worker"),
                number(rate, 3),
            ),
        );
        console.line("dry run: nothing was computed");
        let mut plan = object([
            ("dry_run", true.into()),
            ("n", n.into()),
            ("fits", true.into()),
            ("flops", flops.into()),
            ("entries_per_second_per_core", rate.into()),
            ("evaluations", times.into()),
            ("seconds", all.into()),
        ]);
        self.describe_json(&mut plan);
        Ok(Value::Object(plan))
    }

    /// As [`estimate`](Self::estimate), by tiles of low rank, whose ranks nobody knows before.
    fn estimate_low_rank(
        &self,
        console: &Console,
        tlr: Tlr,
        (times, reason): (usize, &str),
    ) -> Result<Value> {
        let (run, Problem { n, geometry, .. }) = (&self.run, self.problem);
        let gflops = self.gemm_gflops(run.precision);
        let entries = rate_of(self.covariance, geometry, run.precision)?;
        let (order, nb, rank) = (n as f64, run.nb.min(n) as f64, EXPECTED_RANK as f64);
        // Updates, compression, and tiles on the diagonal.
        let flops = order * order * (order / nb / 3.0 + 4.0) * rank + order * nb * nb / 3.0;
        let one = (flops / (gflops * 1e9) + 0.5 * order * order / entries) / run.workers() as f64;
        let all = times as f64 * one;
        console.field("flops", format_args!("{}, with ranks of {rank}", number(flops, 3)));
        console.field(
            "time",
            format_args!(
                "{} or more for {} ({reason}) on {}, with these ranks at {} Gflop/s per core",
                seconds(all),
                count(times, "evaluation"),
                count(run.workers(), "worker"),
                number(gflops, 3),
            ),
        );
        console.line("dry run: nothing was computed");
        let mut plan = object([
            ("dry_run", true.into()),
            ("n", n.into()),
            ("fits", true.into()),
            ("accuracy", tlr.accuracy.into()),
            ("flops", flops.into()),
            ("gflops_per_core", gflops.into()),
            ("entries_per_second_per_core", entries.into()),
            ("evaluations", times.into()),
            ("seconds", all.into()),
        ]);
        self.describe_json(&mut plan);
        Ok(Value::Object(plan))
    }

    /// As [`estimate`](Self::estimate), of a factor in 64 and 32 bits, or in a band: from its
    /// operations, the entries that are generated, and how many of the operations are certainly in
    /// 64 bits.
    fn estimate_tiles(
        &self,
        console: &Console,
        (flops, generated, wide): (f64, f64, f64),
        (times, reason): (usize, &str),
    ) -> Result<Value> {
        let (run, Problem { n, geometry, .. }) = (&self.run, self.problem);
        let [gflops, single] =
            [Precision::Double, Precision::Single].map(|precision| self.gemm_gflops(precision));
        let entries = rate_of(self.covariance, geometry, run.precision)?;
        let all = |flops: f64, narrow: f64| {
            let work = flops / (gflops * 1e9) + narrow / (single * 1e9) + generated / entries;
            times as f64 * work / run.workers() as f64
        };
        let [least, most] = [all(wide, flops - wide), all(flops, 0.0)];
        console.field("flops", number(flops, 3));
        let range = if least < most { format!("{} to ", seconds(least)) } else { String::new() };
        console.field(
            "time",
            format_args!(
                "about {range}{} for {} ({reason}) on {}, at {} Gflop/s per core; expect somewhat \
                 more",
                seconds(most),
                count(times, "evaluation"),
                count(run.workers(), "worker"),
                number(gflops, 3),
            ),
        );
        console.line("dry run: nothing was computed");
        let mut plan = object([
            ("dry_run", true.into()),
            ("n", n.into()),
            ("fits", true.into()),
            ("flops", flops.into()),
            ("gflops_per_core", gflops.into()),
            ("entries_per_second_per_core", entries.into()),
            ("evaluations", times.into()),
            ("seconds", most.into()),
        ]);
        self.describe_json(&mut plan);
        Ok(Value::Object(plan))
    }

    /// Rate of products of warm tiles on a core, measured now.
    fn gemm_gflops(&self, precision: Precision) -> f64 {
        let gemm = kernel("gemm").expect("gemm is listed");
        rate(gemm, self.run.backend, precision, self.run.nb, Temperature::Warm)
            .expect("gemm is of all precisions")
            .gflops()
    }

    /// Flops of the factorisation.
    fn flops(&self) -> f64 {
        cholesky_flops(self.problem.n as f64)
    }

    /// Prints what an evaluation takes, and returns it as JSON; `evaluations` is how many are
    /// expected, with the reason.
    ///
    /// # Errors
    /// Never for the default parameters of a covariance.
    pub(super) fn estimate(&self, console: &Console, evaluations: (usize, &str)) -> Result<Value> {
        let (run, Problem { n, geometry, .. }) = (&self.run, self.problem);
        match self.method() {
            Approximation::Vecchia(vecchia) => {
                return self.estimate_vecchia(console, &vecchia, evaluations);
            }
            Approximation::Tlr(tlr) => return self.estimate_low_rank(console, tlr, evaluations),
            Approximation::Mixed(_) => {
                // All entries twice, once for norms; updates of the diagonal are in 64 bits.
                let work = (self.flops(), (n as f64).powi(2), (n as f64).powi(2) * run.nb as f64);
                return self.estimate_tiles(console, work, evaluations);
            }
            Approximation::Dst(_, Envelope { entries, flops, .. }) => {
                return self.estimate_tiles(console, (flops, entries, flops), evaluations);
            }
            Approximation::None => {}
        }
        let gflops = self.gemm_gflops(run.precision);
        let entries = rate_of(self.covariance, geometry, run.precision)?;
        let matrix = self.matrix();
        let edge = matrix.nt();
        let entry_count = 0.5 * (n as f64) * (n as f64 + 1.0);
        let work = self.flops() / (gflops * 1e9) + entry_count / entries;
        let one = work / run.workers() as f64;
        let (times, reason) = evaluations;
        console.field(
            "matrix",
            format_args!(
                "{n} x {n}, lower triangle in {} of {nb} x {nb}",
                count(matrix.tiles(), "tile"),
                nb = run.nb
            ),
        );
        console.field("tasks", format_args!("{} ({edge} x {edge} tiles)", self.tasks()));
        console.field("flops", number(self.flops(), 3));
        console.field("rates", format_args!(
            "{} Gflop/s per core for gemm on warm tiles, {} entries/s per core for {}: measured now",
            number(gflops, 3), number(entries, 3), self.covariance.name
        ));
        console.field(
            "time",
            format_args!(
                "about {} for {} ({reason}) on {} at these rates; expect somewhat more",
                seconds(one * times as f64),
                count(times, "evaluation"),
                count(run.workers(), "worker"),
            ),
        );
        console.line("dry run: nothing was computed");
        let mut plan = object([
            ("dry_run", true.into()),
            ("n", n.into()),
            ("tiles", matrix.tiles().into()),
            ("tasks", (self.tasks() as u64).into()),
            // What does not fit is refused.
            ("fits", true.into()),
            ("flops", self.flops().into()),
            ("gflops_per_core", gflops.into()),
            ("entries_per_second_per_core", entries.into()),
            ("evaluations", times.into()),
            ("seconds", (one * times as f64).into()),
        ]);
        self.describe_json(&mut plan);
        Ok(Value::Object(plan))
    }
}
