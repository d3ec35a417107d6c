//! `tegula bench kernels`: rates of the kernels on one core.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_kernels::backend::{self, Backend, Choice};
use tegula_kernels::kernel::rate::{Temperature, rate};
use tegula_kernels::kernel::{KERNELS, Kernel};
use tegula_kernels::scalar::Precision;

use crate::flags::{OutputFlags, backends, member, precision_parser};
use crate::output::{Align, Console, Progress, Table, number};

/// Flags of `bench kernels`.
#[derive(Args, Debug)]
pub(crate) struct Kernels {
    /// List the kernels with what they compute
    #[arg(long)]
    list: bool,
    /// One kernel, of those that --list names [default: all]
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = member(KERNELS.iter().map(|kernel| (kernel.name, kernel.formula)).collect()))]
    kernel: Option<usize>,
    /// Orders of the tiles; by default some that linalg and exageostat choose
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "168,360", value_parser = clap::value_parser!(u32).range(1..=4096))]
    tile_size: Vec<u32>,
    /// One precision [default: both]
    #[arg(long, value_name = "P", value_parser = precision_parser())]
    precision: Option<Precision>,
    /// Who multiplies matrices [default: native]
    #[arg(long, value_name = "NAME", value_parser = backends())]
    blas: Option<Choice>,
    #[command(flatten)]
    output: OutputFlags,
}

impl Kernels {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        if self.list {
            self.output.write(&list(&console))?;
            return console.finish();
        }
        let backend = match self.blas {
            Some(choice) => backend::select(choice, 1)?,
            None => backend::current(),
        };
        console.line(format_args!(
            "BLAS {}: {}; one core, tiles in its caches (warm) or in memory (cold)",
            backend.name(),
            backend.description()
        ));
        let mut table = Table::new(&[
            ("kernel", Align::Left),
            ("tile", Align::Right),
            ("warm Gflop/s", Align::Right),
            ("cold Gflop/s", Align::Right),
            ("cold GB/s", Align::Right),
        ]);
        let kernels: Vec<&Kernel> =
            self.kernel.map_or_else(|| KERNELS.iter().collect(), |index| vec![&KERNELS[index]]);
        let precisions: Vec<Precision> = match self.precision {
            Some(precision) => vec![precision],
            None => Precision::ALL.into_iter().rev().collect(),
        };
        let total = kernels.len() * precisions.len() * self.tile_size.len();
        let (mut rows, mut progress) = (Vec::new(), Progress::new(&console));
        for kernel in kernels {
            for &precision in &precisions {
                for &n in &self.tile_size {
                    progress.share(rows.len(), total, "rates");
                    rows.extend(measure(kernel, backend, precision, n as usize, &mut table));
                }
            }
        }
        progress.clear();
        console.line(table);
        self.output.write(&json!({ "blas": backend.name(), "rows": rows }))?;
        console.finish()
    }
}

/// Prints every kernel, and returns them as JSON.
fn list(console: &Console) -> Value {
    let mut table = Table::new(&[("kernel", Align::Left), ("computes", Align::Left)]);
    for kernel in KERNELS {
        table.row(vec![kernel.name.to_owned(), kernel.formula.to_owned()]);
    }
    console.line(table);
    console.line(
        "\n--dedicate takes these names but those of packed operands, and covariance, a tile of covariances",
    );
    let rows =
        KERNELS.iter().map(|kernel| json!({ "kernel": kernel.name, "formula": kernel.formula }));
    json!({ "kernels": rows.collect::<Vec<_>>() })
}

/// Measures one kernel, adds it to `table` and returns it as JSON; `None` if it is not of this
/// precision.
fn measure(
    kernel: &Kernel,
    backend: &'static dyn Backend,
    precision: Precision,
    n: usize,
    table: &mut Table,
) -> Option<Value> {
    let rate = |temperature| rate(kernel, backend, precision, n, temperature);
    let (warm, cold) = (rate(Temperature::Warm)?, rate(Temperature::Cold)?);
    table.row(vec![
        format!("{}{}", precision.letter(), kernel.name),
        n.to_string(),
        number(warm.gflops(), 3),
        number(cold.gflops(), 3),
        number(cold.gigabytes(), 3),
    ]);
    Some(json!({
        "kernel": kernel.name,
        "precision": precision.letter(),
        "tile_size": n,
        "flops": warm.flops,
        "bytes": warm.bytes,
        "warm_seconds": warm.seconds,
        "cold_seconds": cold.seconds,
        "warm_gflops": warm.gflops(),
        "cold_gflops": cold.gflops(),
        "cold_gigabytes_per_second": cold.gigabytes(),
    }))
}
