//! `tegula platform show`: what a description of a machine says.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_kernels::backend;
use tegula_kernels::scalar::Precision;
use tegula_plan::platform::cluster::ClusterPlatform;
use tegula_plan::platform::{LearntFile, Network, Node, PLATFORMS, Platform, Power};
use tegula_runtime::platform::{ClassId, Entry, Formula, Machine, MemoryKind};

use super::json::{all_routes, as_json, kernel_json, memory_kind, network_json, worker_kind};
use super::learnt::learnt_path;
use super::nodes;
use crate::error::refused;
use crate::flags::{OutputFlags, precision_name};
use crate::output::{Align, Console, Table, bytes, count, number, rate, seconds};

/// Order of the tiles by whose products nodes of a cluster are shown.
const PRODUCT: usize = 960;

/// Flags of `platform show`.
#[derive(Args, Debug)]
pub(crate) struct Show {
    /// A platform that comes with the program, nodes as 2chifflot+4chetemi, or a file [default: the
    /// names that there are]
    #[arg(value_name = "NAME|SET|FILE")]
    platform: Option<PathBuf>,
    /// Times of kernels that runs on this machine have learnt, and the file that they are kept in
    #[arg(long, conflicts_with = "platform")]
    learnt: bool,
    #[command(flatten)]
    output: OutputFlags,
}

impl Show {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let value = match &self.platform {
            Some(name) => named(name, &console)?,
            None if self.learnt => learnt_here(&console)?,
            None => list(&console)?,
        };
        self.output.write(&value)?;
        console.finish()
    }
}

/// Prints the platform called `name`, or the file of that name, also one of learnt times.
fn named(path: &Path, console: &Console) -> Result<Value> {
    if path.is_file()
        && let Some(file) = LearntFile::read(path)?
    {
        return Ok(learnt(path, &file, console));
    }
    if ClusterPlatform::is_named_by(path) {
        let cluster = ClusterPlatform::find(path)?;
        nodes::describe(&cluster, PRODUCT, console);
        return Ok(nodes::as_json(&cluster));
    }
    let Node { platform, network } = Node::find(path)?;
    describe(&platform, network.as_ref(), console);
    let mut value = as_json(&platform);
    value["network"] = network.as_ref().map_or(Value::Null, network_json);
    Ok(value)
}

/// Prints what runs have learnt here.
fn learnt_here(console: &Console) -> Result<Value> {
    let path = learnt_path(backend::current());
    let path = path.ok_or_else(|| refused("the user has no folder in which times are kept"))?;
    let file = if path.is_file() { LearntFile::read(&path)? } else { None };
    match file {
        Some(file) => Ok(learnt(&path, &file, console)),
        None => {
            console.field("learnt", format_args!("nothing yet; kept in {}", path.display()));
            Ok(json!({ "path": path, "kernels": [] }))
        }
    }
}

/// Prints the file `path` of learnt times.
fn learnt(path: &Path, file: &LearntFile, console: &Console) -> Value {
    let LearntFile { place, entries } = file;
    console.field("learnt", path.display());
    let cores = count(place.cores, "core");
    console.field("processor", format_args!("{}, {cores}", place.processor));
    console.field("blas", &place.blas);
    console.field("version", &place.version);
    console.line(format_args!("\n{}", times(entries)));
    json!({
        "path": path,
        "processor": place.processor,
        "cores": place.cores,
        "blas": place.blas,
        "version": place.version,
        "kernels": entries.iter().map(kernel_json).collect::<Vec<_>>(),
    })
}

/// Prints the names of platforms that come with the program.
fn list(console: &Console) -> Result<Value> {
    let columns = ["platform", "workers", "precision", "what"].map(|name| (name, Align::Left));
    let mut table = Table::new(&columns);
    let mut rows = Vec::new();
    for listed in PLATFORMS {
        let platform = Platform::find(listed.name)?;
        let workers = workers(&platform.machine);
        rows.push(json!({
            "name": listed.name, "summary": listed.summary, "source": platform.source,
            "precision": platform.precision.map(Precision::letter), "workers": workers,
        }));
        let precision = platform.precision.map_or("any", Precision::letter).to_owned();
        table.row(vec![listed.name.to_owned(), workers, precision, listed.summary.to_owned()]);
    }
    console.line(table);
    Ok(json!({ "platforms": rows }))
}

/// Workers by class, in words.
pub(super) fn workers(machine: &Machine) -> String {
    let of = |class: usize| machine.workers.iter().filter(move |w| w.class == ClassId(class));
    let classes = machine.classes.iter().enumerate();
    let counts = classes.map(|(number, class)| format!("{} {}", of(number).count(), class.name));
    counts.collect::<Vec<_>>().join(", ")
}

/// Prints all of `platform`, and the network that it stands in if that is known.
pub(super) fn describe(platform: &Platform, network: Option<&Network>, console: &Console) {
    let Platform { name, source, precision, machine, models, power, ram_bytes } = platform;
    console.field("platform", name);
    console.field("source", source);
    if let Some(precision) = precision {
        console.field("times", format_args!("of {}", precision_name(*precision)));
    }
    console.field("workers", workers(machine));
    if let Some(Network { site, bytes_per_second, latency_seconds }) = network {
        let (rate, latency) = (rate(*bytes_per_second), seconds(*latency_seconds));
        console.field("network", format_args!("of {site}: {rate} each way, latency {latency}"));
    }
    let kernels = models.entries();
    let mut tables = vec![memories(machine, *ram_bytes)];
    tables.extend((!machine.links.is_empty()).then(|| routes(machine)));
    tables.push(classes(platform));
    tables.extend(power.as_ref().map(watts));
    tables.extend((!kernels.is_empty()).then(|| times(&kernels)));
    tables.iter().for_each(|table| console.line(format_args!("\n{table}")));
}

fn memories(machine: &Machine, ram_bytes: Option<u64>) -> Table {
    let columns = [("memory", Align::Left), ("kind", Align::Left), ("capacity", Align::Right)];
    let mut table = Table::new(&columns);
    for memory in &machine.memories {
        let installed = ram_bytes.filter(|_| memory.kind == MemoryKind::Ram);
        let capacity = match (memory.capacity, installed) {
            (Some(most), _) => bytes(most as f64),
            (None, Some(installed)) => format!("{} installed", bytes(installed as f64)),
            (None, None) => "no limit".to_owned(),
        };
        table.row(vec![memory.name.clone(), memory_kind(memory.kind).to_owned(), capacity]);
    }
    table
}

fn routes(machine: &Machine) -> Table {
    let mut table = Table::new(&[
        ("from", Align::Left),
        ("to", Align::Left),
        ("MB/s", Align::Right),
        ("latency", Align::Right),
        ("links (MB/s)", Align::Left),
    ]);
    for (from, to, route) in all_routes(machine) {
        let links: Vec<_> = route.links.iter().map(|&link| &machine.links[link]).collect();
        let least = links.iter().map(|link| link.bytes_per_second).fold(f64::INFINITY, f64::min);
        let rate = |rate: f64| format!("{:.0}", 1e-6 * rate);
        let names =
            links.iter().map(|link| format!("{} ({})", link.name, rate(link.bytes_per_second)));
        table.row(vec![
            from.to_owned(),
            to.to_owned(),
            rate(least),
            seconds(route.latency_seconds),
            names.collect::<Vec<_>>().join(", "),
        ]);
    }
    table
}

fn classes(platform: &Platform) -> Table {
    let Platform { machine, models, .. } = platform;
    let mut table = Table::new(&[
        ("class", Align::Left),
        ("kind", Align::Left),
        ("workers", Align::Right),
        ("memory", Align::Left),
        ("pipeline", Align::Right),
        ("guess Gflop/s", Align::Right),
    ]);
    for (number, class) in machine.classes.iter().enumerate() {
        let workers: Vec<_> =
            machine.workers.iter().filter(|worker| worker.class.0 == number).collect();
        let first = workers.first();
        let memory = first.map(|worker| machine.memories[worker.memory.0].name.clone());
        let guess = models.guess_of(ClassId(number));
        table.row(vec![
            class.name.clone(),
            worker_kind(class.kind).to_owned(),
            workers.len().to_string(),
            memory.unwrap_or_default(),
            first.map_or(String::new(), |worker| worker.pipeline.to_string()),
            guess.map_or("-".to_owned(), |guess| flop_rate(1e9 * guess.gflops)),
        ]);
    }
    table
}

/// Operations per second as Gflop/s.
fn flop_rate(flops_per_second: f64) -> String {
    number(1e-9 * flops_per_second, 3)
}

/// What the node draws while nothing computes, and what workers take on top of that.
fn watts(power: &Power) -> Table {
    let columns = [("power of", Align::Left), ("kernel", Align::Left), ("watts", Align::Right)];
    let mut table = Table::new(&columns);
    let mut row = |of: &str, kernel: &str, watts: f64| {
        table.row(vec![of.to_owned(), kernel.to_owned(), number(watts, 4)]);
    };
    row("idle node", "-", power.idle);
    power.classes.iter().for_each(|(class, &watts)| row(class, "all", watts));
    power.kernels.iter().for_each(|((class, codelet), &watts)| row(class, codelet, watts));
    table
}

/// The times of kernels.
fn times(entries: &[Entry]) -> Table {
    let mut table = Table::new(&[
        ("kernel", Align::Left),
        ("class", Align::Left),
        ("flops", Align::Right),
        ("bytes", Align::Right),
        ("time", Align::Right),
        ("deviation", Align::Right),
        ("samples", Align::Right),
        ("Gflop/s", Align::Right),
    ]);
    for entry in entries {
        let some = |is_there: bool, text: String| if is_there { text } else { "-".to_owned() };
        let is_known = !entry.never && entry.formula.is_none();
        table.row(vec![
            entry.codelet.clone(),
            entry.class.clone(),
            some(is_known, entry.flops.to_string()),
            some(entry.bytes > 0, entry.bytes.to_string()),
            match (&entry.formula, is_known) {
                (Some(formula), _) => law(formula),
                (None, true) => seconds(entry.seconds),
                (None, false) => "never".to_owned(),
            },
            some(entry.deviation > 0.0, seconds(entry.deviation)),
            entry.samples.map_or("-".to_owned(), |samples| samples.to_string()),
            some(entry.flops > 0, flop_rate(entry.flops as f64 / entry.seconds)),
        ]);
    }
    table
}

/// A formula, rates in 10^9 per second.
fn law(formula: &Formula) -> String {
    let rate = |what: &str, rate: f64| match rate.is_finite() {
        true => format!(" + {what} / {}", number(rate, 3)),
        false => String::new(),
    };
    let (flops, bytes) = (rate("Gflop", formula.gflops), rate("GB", formula.gbytes_per_second));
    format!("{}{flops}{bytes}", seconds(formula.overhead_seconds))
}
