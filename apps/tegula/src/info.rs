//! `tegula info`: what this build and this machine have.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_files::hdf5::libhdf5_version;
use tegula_kernels::backend::{BACKENDS, current, environment};
use tegula_kernels::kernel::covariance::Vectors;
use tegula_runtime::exec::accelerator::cuda::Found;
use tegula_runtime::platform::{Topology, allowed_cores};
use tegula_runtime::sched::POLICIES;

use crate::flags::{OutputFlags, default_policies, usable_devices};
use crate::machine::{devices_on_host, memory_bytes};
use crate::output::{Console, bytes, count, meter};
use crate::ranks::{self, describe_mpi};

/// Flags of `info`.
#[derive(Args, Debug)]
pub(crate) struct Info {
    #[command(flatten)]
    output: OutputFlags,
}

impl Info {
    pub(crate) fn run(&self, is_prepared: bool) -> Result<()> {
        let console = self.output.console(None)?;
        let (allowed, usable) = (allowed_cores(), ranks::cores(0));
        let allocation = ranks::allocation();
        let profile =
            if cfg!(debug_assertions) { "with debug assertions: slow" } else { "release" };
        let version = env!("CARGO_PKG_VERSION");
        console.field("tegula", format_args!("{version} ({profile})"));
        console.field(
            "processor",
            format_args!("{}, vectors: {}", std::env::consts::ARCH, vectors().join(", ")),
        );
        let cores: Vec<String> = allowed.iter().take(16).map(usize::to_string).collect();
        let more = if allowed.len() > cores.len() { " ..." } else { "" };
        console.field(
            "cores",
            format_args!(
                "{} allowed ({}{more}), {} by default",
                allowed.len(),
                cores.join(", "),
                count(usable, "worker")
            ),
        );
        let topology = Topology::of_this_thread();
        if let nodes @ [_, _, ..] = topology.nodes() {
            let sizes: Vec<String> = nodes.iter().map(|node| node.len().to_string()).collect();
            let sizes = sizes.join(", ");
            console.field("sockets", format_args!("cores by the memory that is theirs: {sizes}"));
        }
        if let Some(said) = allocation.describe() {
            console.field("allocation", said);
        }
        let memory = memory_bytes();
        console.field("memory", memory.map_or_else(|| "unknown".to_owned(), |m| bytes(m as f64)));
        console.field(
            "policies",
            format_args!(
                "{}; by default {}",
                POLICIES.iter().map(|policy| policy.name).collect::<Vec<_>>().join(", "),
                default_policies()
            ),
        );
        let mpi = describe_mpi();
        console.field("MPI", &mpi);
        let libhdf5 = libhdf5_version();
        console.field(
            "HDF5",
            libhdf5.as_ref().map_or_else(
                || "own reader; built without libhdf5 (--features hdf5)".to_owned(),
                |version| format!("own reader, and libhdf5 {version} for what that does not read"),
            ),
        );
        let devices = describe_devices(&console);
        let energy = energy_parts();
        match &energy {
            Ok(parts) => console.field("energy", format_args!("counted of {}", parts.join(", "))),
            Err(reason) => console.field("energy", format_args!("not counted: {reason}")),
        }
        console.line("BLAS");
        let backends = describe_backends(&console, usable);
        if !is_prepared {
            let wanted = environment::advised();
            let wanted: Vec<String> =
                wanted.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
            console.note(format_args!(
                "a linked OpenBLAS reads its environment before the program can set it: start with {}",
                wanted.join(" ")
            ));
        }
        self.output.write(&json!({
            "version": version,
            "mpi": mpi,
            "debug_assertions": cfg!(debug_assertions),
            "architecture": std::env::consts::ARCH,
            "vectors": vectors(),
            "cores_allowed": allowed,
            "cores_by_node": topology.nodes(),
            "workers": usable,
            "ranks_here": allocation.here,
            "job": allocation.job.as_ref().map(|job| json!({
                "number": job.number,
                "nodes": job.nodes,
                "cores": job.cores,
                "cores_per_task": job.cores_per_task,
                "memory_bytes": job.memory,
                "devices": job.devices,
            })),
            "memory_bytes": memory,
            "policies": POLICIES.iter().map(|policy| policy.name).collect::<Vec<_>>(),
            "libhdf5": libhdf5,
            "cuda": devices,
            "energy_parts": energy.ok(),
            "blas": backends,
        }))?;
        console.finish()
    }
}

/// Names of the vector instructions that kernels can use here, the widest first.
fn vectors() -> Vec<&'static str> {
    let name = |vectors: Vectors| match vectors {
        Vectors::Avx512 => "AVX-512",
        Vectors::Avx2 => "AVX2",
        Vectors::Baseline => "none",
    };
    let all: Vec<&str> = Vectors::available().into_iter().map(name).collect();
    // "none" says something only where there is nothing else.
    if all.len() > 1 { all[..all.len() - 1].to_vec() } else { all }
}

/// The parts of the machine whose energy is counted, or why none is.
fn energy_parts() -> Result<Vec<String>, String> {
    let parts = meter().map_err(ToString::to_string)?.energy().parts;
    Ok(parts.into_iter().map(|(name, _)| name).collect())
}

/// Prints every CUDA device that kernels can run on, or why there is none.
fn describe_devices(console: &Console) -> Value {
    let devices = match usable_devices() {
        Ok(devices) => devices,
        Err(reason) => {
            console.field("accelerators", &reason);
            return json!({ "devices": [], "reason": reason });
        }
    };
    let mine = ranks::allocation().devices(devices.len(), devices_on_host());
    let share = if mine.len() < devices.len() {
        format!(", {} by default", mine.len())
    } else {
        String::new()
    };
    console.field("accelerators", count(devices.len(), "CUDA device") + &share);
    let describe = |device: &Found| {
        let Found { number, name, memory_bytes, capability: (major, minor) } = device;
        let memory = bytes(*memory_bytes as f64);
        console.line(format_args!("  {number:<12} {name}, {memory}, capability {major}.{minor}"));
        json!({
            "number": number,
            "name": name,
            "memory_bytes": memory_bytes,
            "capability": format!("{major}.{minor}"),
        })
    };
    json!({ "devices": devices.iter().map(describe).collect::<Vec<_>>(), "by_default": mine })
}

/// Prints every backend, or why it cannot be used.
fn describe_backends(console: &Console, workers: usize) -> Vec<Value> {
    let default = current().name();
    let describe = |choice: &tegula_kernels::backend::Choice| {
        let loaded = choice.load(workers).map(|backend| backend.description());
        let mark = if choice.name == default { " (default)" } else { "" };
        let text = match &loaded {
            Ok(description) => description.clone(),
            Err(error) => format!("not usable: {error}"),
        };
        console.line(format_args!("  {:<15} {text}{mark}", choice.name));
        json!({
            "name": choice.name,
            "is_usable": loaded.is_ok(),
            "is_default": choice.name == default,
            "description": text,
        })
    };
    BACKENDS.iter().map(describe).collect()
}
