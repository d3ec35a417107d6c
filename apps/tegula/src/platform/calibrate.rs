//! `tegula platform calibrate`: measures this machine, and describes it in a file.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use tegula_files::WriteError;
use tegula_kernels::backend::{self, Backend, Choice};
use tegula_kernels::kernel::{KERNELS, Kernel};
use tegula_kernels::scalar::Precision;
use tegula_plan::platform::{Fingerprint, Platform};
use tegula_runtime::platform::{ClassId, Machine, Models, TRUSTED, WorkerModel, usable_cores};

use super::json::as_json;
use super::learnt::fingerprint;
use super::{devices, measure, nodes, show};
use crate::cluster::{Effort, Network, gathered};
use crate::error::refused;
use crate::flags::{
    AskedDevices, CudaDevices, OutputFlags, backends, parse_asked_devices, precision_parser,
};
use crate::machine::memory_bytes;
use crate::output::{Console, bytes, count, number, write_file};
use crate::ranks::{self, Ranks};

/// Flags of `platform calibrate`.
#[derive(Args, Debug)]
pub(crate) struct Calibrate {
    /// Write the description to FILE, or to standard output if it is "-"
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    output_file: Option<PathBuf>,
    /// Orders of the tiles [default: 96,192,384,640, on devices 512,1024,2048]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096))]
    tile_size: Vec<u32>,
    /// CUDA devices to measure, too: none, all, or numbers as 0,1
    #[arg(long, value_name = "DEVICES", default_value = "all", value_parser = parse_asked_devices)]
    devices: AskedDevices,
    /// One precision [default: both]
    #[arg(long, value_name = "P", value_parser = precision_parser())]
    precision: Option<Precision>,
    /// Calls of each kernel on each size; ten make a time that is believed
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    samples: u32,
    /// Who multiplies matrices [default: native]
    #[arg(long, value_name = "NAME", value_parser = backends())]
    blas: Option<Choice>,
    /// Measure the disk under DIR too, and describe the machine with it
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Ranks: local:N as threads, mpi as those that mpirun or srun has started; with several the
    /// network between them is measured too, and the file is that of a cluster [default: mpi if
    /// they have, else one]
    #[arg(long, value_name = "RANKS")]
    ranks: Option<Ranks>,
    #[command(flatten)]
    output: OutputFlags,
}

/// Orders of the tiles of cores.
const TILE_SIZES: &[u32] = &[96, 192, 384, 640];

/// Kernels by whose times machines are alike.
const COMPARED: &[&str] = &["potrf", "trsm", "syrk", "gemm"];

impl Calibrate {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        if let Some(folder) = self.scratch.as_ref().filter(|folder| !folder.is_dir()) {
            let folder = folder.display();
            return Err(refused(format!("--scratch {folder}: there is no such folder")));
        }
        let backend = match self.blas {
            Some(choice) => backend::select(choice, 1)?,
            None => backend::current(),
        };
        let here = fingerprint(backend);
        let copy = measure::copy_rate();
        let found = self.devices.open()?;
        let mut machine = self.machine(&console, copy)?;
        found.join(&mut machine);
        machine.join_equal_classes();
        let models = Models::new(&machine);
        self.kernels(backend, &models, copy)?;
        self.devices(&found, &mut machine, &models)?;
        let mut source = source(&here);
        if self.scratch.is_some() {
            source += "; the disk read what the system still had in its page cache";
        }
        let (precision, ram_bytes) = (self.precision, memory_bytes());
        if ranks::ranks() > 1 {
            let (name, power) = (here.processor, None);
            let platform = Platform { name, source, precision, machine, models, power, ram_bytes };
            return self.cluster(platform, console);
        }
        let (name, power) = ("this machine".to_owned(), None);
        let platform = Platform { name, source, precision, machine, models, power, ram_bytes };
        show::describe(&platform, None, &console);
        if u64::from(self.samples) < TRUSTED {
            console.note(format_args!(
                "times of fewer than {TRUSTED} calls are not believed as they are: what reads the \
                 description smooths them over the sizes"
            ));
        }
        self.write(&platform.to_toml())?;
        let mut value = as_json(&platform);
        value["copy_bytes_per_second"] = json!(copy);
        self.output.write(&value)?;
        console.finish()
    }

    /// Writes the description, if that was asked for.
    fn write(&self, text: &str) -> Result<()> {
        let Some(path) = &self.output_file else { return Ok(()) };
        write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))
    }

    /// The cluster that the ranks are, this one on `platform`.
    fn cluster(&self, platform: Platform, console: Console) -> Result<()> {
        let largest = self.sizes(TILE_SIZES).into_iter().max().unwrap_or(0);
        let Some((mut cluster, network)) = gathered(platform, Effort::WHOLE, (COMPARED, largest))?
        else {
            return console.finish();
        };
        cluster.name = format!("cluster of {}", count(cluster.nodes.len(), "rank"));
        nodes::describe(&cluster, largest, &console);
        describe_network(&network, &console);
        self.write(&cluster.to_toml())?;
        let mut value = nodes::as_json(&cluster);
        value["network"] = json!(network);
        self.output.write(&value)?;
        console.finish()
    }

    /// The cores of this machine, its memory, and its disk if that was asked for.
    fn machine(&self, console: &Console, copy: f64) -> Result<Machine> {
        console.field("memory", format_args!("copies {}/s on one core", bytes(copy)));
        let mut machine = Machine::cores(usable_cores());
        let Some(folder) = &self.scratch else { return Ok(machine) };
        let shown = folder.display();
        let (write, read) = measure::disk_rates(folder)
            .with_context(|| format!("cannot measure the disk under {shown}"))?;
        console.field(
            "disk",
            format_args!(
                "writes {}/s with flushing, reads {}/s out of the system's page cache: a file that \
                 does not fit there is read more slowly",
                bytes(write),
                bytes(read)
            ),
        );
        if let Some(most) = memory_bytes() {
            machine.limit_ram(most, write, read);
        }
        Ok(machine)
    }

    /// Orders of the tiles, unless others were asked for `usual` ones.
    fn sizes(&self, usual: &[u32]) -> Vec<usize> {
        let sizes = if self.tile_size.is_empty() { usual } else { &self.tile_size };
        sizes.iter().map(|&n| n as usize).collect()
    }

    /// The precisions, the double one first.
    fn precisions(&self) -> Vec<Precision> {
        let chosen = |precision: &Precision| self.precision.is_none_or(|only| only == *precision);
        Precision::REAL.into_iter().rev().filter(chosen).collect()
    }

    /// Times kernels on the devices that were found, and their buses.
    fn devices(&self, found: &CudaDevices, machine: &mut Machine, models: &Models) -> Result<()> {
        let sizes = self.sizes(devices::TILE_SIZES);
        let how = (&self.precisions()[..], &sizes[..]);
        let measured = devices::measure(found, how, self.samples as usize)?;
        devices::set_rates(machine, &measured);
        devices::enter(models, machine, &measured);
        Ok(())
    }

    /// Times all kernels on all sizes; those that are not measured are guessed from the first
    /// precision, which is the double one unless the other was asked for.
    fn kernels(&self, backend: &'static dyn Backend, models: &Models, copy: f64) -> Result<()> {
        let samples = self.samples as usize;
        for precision in self.precisions() {
            for n in self.sizes(TILE_SIZES) {
                for kernel in KERNELS.iter().filter(|kernel| is_codelet(kernel)) {
                    measure::kernel(kernel, backend, precision, n, samples, models);
                }
                measure::covariance(precision, n, samples, models)?;
            }
            if models.guess_of(ClassId(0)).is_none() {
                models.guess(ClassId(0), Some(guess(models, copy)));
            }
        }
        Ok(())
    }
}

/// Prints what the network between ranks does, beside its latency.
fn describe_network(network: &Network, console: &Console) {
    let rates = &network.bytes_per_second;
    let ends = [f64::min, f64::max].map(|pick| rates.iter().copied().reduce(pick).unwrap_or(0.0));
    let [slowest, fastest] = ends.map(|rate| format!("{}/s", bytes(rate)));
    console.field("rate", format_args!("{slowest} to {fastest} one way"));
    if let Some(times) = network.both_ways {
        console.field("both ways", format_args!("{} times that at once", number(times, 3)));
    }
    if let Some(rate) = network.messages_per_second {
        console.field("messages", format_args!("{} a second from a rank", number(rate, 3)));
    }
    match network.backbone_bytes_per_second {
        Some(rate) => {
            console.field("all pairs", format_args!("{}/s at once: that is the limit", bytes(rate)))
        }
        None => console.field("all pairs", "as fast at once as one alone"),
    }
}

/// Whether tasks bear the name of `kernel`: those on packed operands have that of the others.
fn is_codelet(kernel: &Kernel) -> bool {
    !kernel.name.ends_with("-strips")
}

/// What kernels that were not measured are expected to reach: the best rate of any, and the memory
/// that a copy reads and writes.
fn guess(models: &Models, copy: f64) -> WorkerModel {
    let rates = models.entries().into_iter().map(|e| e.flops as f64 / e.seconds);
    let best = rates.fold(0.0, f64::max);
    WorkerModel {
        gflops: (1e-9 * best).max(f64::MIN_POSITIVE),
        gbytes_per_second: 2e-9 * copy,
        overhead_seconds: 0.0,
    }
}

/// Where the numbers come from.
fn source(here: &Fingerprint) -> String {
    let Fingerprint { processor, blas, version, .. } = here;
    format!("measured by tegula {version} on one core of {processor}, BLAS {blas}")
}
