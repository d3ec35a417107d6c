//! A machine and its models as a file: one line for each thing, so that versions can be compared.

use std::fmt::Write;

use tegula_runtime::platform::{
    ClassId, Entry, Machine, MemoryId, MemoryKind, Worker, WorkerKind, WorkerModel,
};

use super::file::UNITS;
use super::{Network, Platform};

/// The file that describes `platform` as a node of `network`, if of any.
pub(super) fn text(platform: &Platform, network: Option<&Network>) -> String {
    let Platform { name, source, precision, machine, models, power, ram_bytes } = platform;
    let mut text = format!("name = {}\nsource = {}\n", quoted(name), quoted(source));
    if let Some(precision) = precision {
        let _ = writeln!(text, "precision = {}", quoted(precision.letter()));
    }
    if let Some(Network { site, bytes_per_second, latency_seconds }) = network {
        let _ = writeln!(
            text,
            "network = {{ site = {}, bytes_per_second = {bytes_per_second:?}, latency_seconds = {latency_seconds:?} }}",
            quoted(site)
        );
    }
    list(
        &mut text,
        "memory",
        machine.memories.iter().map(|memory| {
            let kind = match memory.kind {
                MemoryKind::Ram => "ram",
                MemoryKind::Socket => "socket",
                MemoryKind::Device => "device",
                MemoryKind::Disk => "disk",
            };
            let capacity = memory
                .capacity
                .map_or(String::new(), |bytes| format!(", capacity = {}", amount(bytes)));
            let installed = ram_bytes.filter(|_| memory.kind == MemoryKind::Ram);
            let installed =
                installed.map_or(String::new(), |bytes| format!(", installed = {}", amount(bytes)));
            format!("name = {}, kind = \"{kind}\"{capacity}{installed}", quoted(&memory.name))
        }),
    );
    list(
        &mut text,
        "link",
        machine.links.iter().map(|link| {
            format!("name = {}, bytes_per_second = {:?}", quoted(&link.name), link.bytes_per_second)
        }),
    );
    list(&mut text, "route", routes(machine).into_iter());
    list(
        &mut text,
        "class",
        (0..machine.classes.len())
            .map(|class| class_line(machine, class, models.guess_of(ClassId(class)))),
    );
    list(
        &mut text,
        "worker",
        machine.workers.chunk_by(is_alike).map(|workers| worker_line(machine, workers)),
    );
    let lines = power.iter().flat_map(|power| power.lines());
    list(&mut text, "power", lines.map(power_line));
    kernels(&mut text, &models.entries());
    text
}

/// Appends the list of kernels.
pub(super) fn kernels(text: &mut String, entries: &[Entry]) {
    list(text, "kernel", entries.iter().map(kernel_line));
}

/// Appends a list called `name`, unless it is empty.
fn list(text: &mut String, name: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.map(|line| format!("    {{ {line} }},\n")).collect();
    if !lines.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{name} = [\n{}]\n", lines.concat());
    }
}

fn routes(machine: &Machine) -> Vec<String> {
    let mut lines = Vec::new();
    let count = machine.memories.len();
    for (src, dst) in (0..count).flat_map(|src| (0..count).map(move |dst| (src, dst))) {
        let Some(route) = machine.route(MemoryId(src), MemoryId(dst)) else { continue };
        let links: Vec<String> =
            route.links.iter().map(|&link| quoted(&machine.links[link].name)).collect();
        lines.push(format!(
            "from = {}, to = {}, links = [{}], latency_seconds = {:?}",
            quoted(&machine.memories[src].name),
            quoted(&machine.memories[dst].name),
            links.join(", "),
            route.latency_seconds
        ));
    }
    lines
}

fn class_line(machine: &Machine, class: usize, guess: Option<WorkerModel>) -> String {
    let class = &machine.classes[class];
    let kind = match class.kind {
        WorkerKind::Cpu => "cpu",
        WorkerKind::Emulated => "emulated",
        WorkerKind::Cuda => "cuda",
    };
    let mut line = format!("name = {}, kind = \"{kind}\"", quoted(&class.name));
    if class.speed != 1.0 {
        let _ = write!(line, ", speed = {:?}", class.speed);
    }
    if let Some(guess) = guess {
        let _ = write!(line, ", gflops = {:?}", short(guess.gflops));
        if guess.gbytes_per_second.is_finite() {
            let _ = write!(line, ", gbytes_per_second = {:?}", short(guess.gbytes_per_second));
        }
    }
    line
}

/// Whether one line can stand for both.
fn is_alike(a: &Worker, b: &Worker) -> bool {
    (a.class, a.memory, a.pipeline) == (b.class, b.memory, b.pipeline)
}

fn worker_line(machine: &Machine, workers: &[Worker]) -> String {
    let Worker { class, memory, pipeline, .. } = &workers[0];
    format!(
        "class = {}, memory = {}, count = {}, pipeline = {pipeline}",
        quoted(&machine.classes[class.0].name),
        quoted(&machine.memories[memory.0].name),
        workers.len()
    )
}

fn power_line((class, codelet, watts): (Option<&str>, Option<&str>, f64)) -> String {
    let named = |key: &str, name: Option<&str>| {
        name.map_or_else(String::new, |name| format!("{key} = {}, ", quoted(name)))
    };
    format!("{}{}watts = {watts:?}", named("class", class), named("codelet", codelet))
}

fn kernel_line(entry: &Entry) -> String {
    let mut line =
        format!("codelet = {}, class = {}", quoted(&entry.codelet), quoted(&entry.class));
    if entry.never {
        return line + ", never = true";
    }
    if let Some(formula) = &entry.formula {
        let _ = write!(line, ", gflops = {:?}", short(formula.gflops));
        if formula.gbytes_per_second.is_finite() {
            let _ = write!(line, ", gbytes_per_second = {:?}", short(formula.gbytes_per_second));
        }
        if formula.overhead_seconds > 0.0 {
            let _ = write!(line, ", overhead_seconds = {:?}", short(formula.overhead_seconds));
        }
        return line;
    }
    let _ = write!(line, ", flops = {}", entry.flops);
    if entry.bytes > 0 {
        let _ = write!(line, ", bytes = {}", entry.bytes);
    }
    let _ = write!(line, ", seconds = {:?}", short(entry.seconds));
    if entry.deviation > 0.0 {
        let _ = write!(line, ", deviation = {:?}", short(entry.deviation));
    }
    if let Some(samples) = entry.samples {
        let _ = write!(line, ", samples = {samples}");
    }
    line
}

/// `x` to nine digits: times are not known to more.
fn short(x: f64) -> f64 {
    format!("{x:.8e}").parse().unwrap_or(x)
}

/// An amount of memory in its largest unit that divides it, or as plain bytes.
fn amount(bytes: u64) -> String {
    let power =
        (1..UNITS.len()).rev().find(|&power| bytes > 0 && bytes.is_multiple_of(1 << (10 * power)));
    power
        .map_or(bytes.to_string(), |power| format!("\"{}{}\"", bytes >> (10 * power), UNITS[power]))
}

/// A string of TOML.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
