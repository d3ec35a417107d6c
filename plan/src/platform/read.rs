//! From the parts of a file to a machine and its models, with every name looked up.

use std::fmt::Display;
use std::ops::RangeInclusive;

use tegula_runtime::platform::{
    ClassId, Link, MAX_MEMORIES, Machine, Memory, MemoryId, MemoryKind, Models, Route, Worker,
    WorkerClass, WorkerKind, WorkerModel,
};
use toml::Spanned;

use super::error::{PlatformError, Text};
use super::file::{ClassPart, File, MemoryPart, NetworkPart, WorkerPart};
use super::{Network, Node, Platform, default_pipeline};
use tegula_files::nearest_name;

type Result<T> = std::result::Result<T, PlatformError>;

/// Most workers that one line may make.
const MOST_WORKERS: usize = 1 << 16;
/// Most tasks whose data one of them holds at once.
const MOST_PIPELINE: usize = 1000;

// Numbers beyond these are slips of the pen, and would make times that no clock counts.
/// Rates in 10^9 operations or bytes per second.
pub(super) const GIGA_RATES: RangeInclusive<f64> = 1e-6..=1e9;
/// Bytes per second.
pub(super) const BYTE_RATES: RangeInclusive<f64> = 1.0..=1e18;
/// Speeds beside that of a core.
pub(super) const SPEEDS: RangeInclusive<f64> = 1e-6..=1e6;
/// Latencies and overheads in seconds.
pub(super) const DELAYS: RangeInclusive<f64> = 0.0..=1e6;

/// The node that `text` describes.
pub(super) fn node(text: Text<'_>) -> Result<Node> {
    let file: File = text.parse()?;
    let reader = Reader { text };
    let machine = reader.machine(&file)?;
    let models = Models::new(&machine);
    for (class, part) in file.class.iter().enumerate() {
        models.guess(ClassId(class), reader.guess(part)?);
    }
    let classes: Vec<&str> = machine.classes.iter().map(|class| class.name.as_str()).collect();
    for part in &file.kernel {
        reader.find(part, "class", &part.get_ref().class, &classes)?;
        models.enter(&reader.kernel(part)?);
    }
    let power = reader.power(&file.power, &machine)?;
    let network = file.network.as_ref().map(|part| reader.network(part)).transpose()?;
    let precision = file.precision();
    let (name, source) = (file.name, file.source);
    let ram_bytes = reader.installed(&file.memory)?;
    let platform = Platform { name, source, precision, machine, models, power, ram_bytes };
    Ok(Node { platform, network })
}

/// Looks things up, and says where they are wrong.
pub(super) struct Reader<'a> {
    pub(super) text: Text<'a>,
}

impl Reader<'_> {
    pub(super) fn wrong<T, U>(&self, part: &Spanned<T>, message: impl Display) -> Result<U> {
        Err(self.text.wrong(part.span().start, message))
    }

    /// Refuses a number outside `range`.
    pub(super) fn within<T>(
        &self,
        part: &Spanned<T>,
        field: &str,
        value: f64,
        range: &RangeInclusive<f64>,
    ) -> Result<f64> {
        if range.contains(&value) {
            return Ok(value);
        }
        let (least, most) = (range.start(), range.end());
        self.wrong(
            part,
            format_args!("{field} is {value:?}; give a number from {least:?} to {most:?}"),
        )
    }

    /// Refuses a count outside 1 to `most`.
    pub(super) fn counted<T>(
        &self,
        part: &Spanned<T>,
        field: &str,
        value: usize,
        most: usize,
    ) -> Result<usize> {
        if (1..=most).contains(&value) {
            return Ok(value);
        }
        self.wrong(part, format_args!("{field} is {value}; give a whole number from 1 to {most}"))
    }

    /// The place of `name` among `names`.
    pub(super) fn find<T>(
        &self,
        part: &Spanned<T>,
        field: &str,
        name: &str,
        names: &[&str],
    ) -> Result<usize> {
        if let Some(place) = names.iter().position(|known| *known == name) {
            return Ok(place);
        }
        let nearest = nearest_name(name, names.iter().copied());
        let hint = nearest.map_or(String::new(), |name| format!(" (did you mean '{name}'?)"));
        let known = names.join(", ");
        self.wrong(part, format_args!("{field}: there is no '{name}'{hint}; the file has {known}"))
    }

    /// Refuses a name that stood before.
    fn unused<T>(&self, part: &Spanned<T>, name: &str, before: &[&str]) -> Result<()> {
        if name.is_empty() || before.contains(&name) {
            return self.wrong(part, format_args!("name '{name}': give each its own name"));
        }
        Ok(())
    }

    /// Bytes of RAM that are installed, if a line says so.
    fn installed(&self, memories: &[Spanned<MemoryPart>]) -> Result<Option<u64>> {
        let mut all = None;
        for part in memories {
            let Some(bytes) = part.get_ref().installed() else { continue };
            if part.get_ref().kind() != MemoryKind::Ram {
                return self.wrong(part, "installed: is for the memory of kind 'ram'");
            }
            if bytes == 0 {
                return self.wrong(part, "installed is 0; give bytes, such as \"64GiB\"");
            }
            all = Some(bytes);
        }
        Ok(all)
    }

    fn network(&self, part: &Spanned<NetworkPart>) -> Result<Network> {
        let NetworkPart { site, bytes_per_second, latency_seconds } = part.get_ref();
        Ok(Network {
            site: site.clone(),
            bytes_per_second: self.within(
                part,
                "bytes_per_second",
                *bytes_per_second,
                &BYTE_RATES,
            )?,
            latency_seconds: self.within(part, "latency_seconds", *latency_seconds, &DELAYS)?,
        })
    }

    fn machine(&self, file: &File) -> Result<Machine> {
        let mut machine = Machine {
            memories: self.memories(&file.memory)?,
            classes: self.classes(&file.class)?,
            workers: Vec::new(),
            links: self.links(file)?,
            routes: Vec::new(),
            caps: Vec::new(),
        };
        machine.routes = self.routes(file, &machine)?;
        for part in &file.worker {
            self.add_workers(part, &mut machine)?;
        }
        if machine.workers.is_empty() {
            return Err(self.text.wrong(0, "no workers; add worker = [{ class, memory, count }]"));
        }
        self.check_ways(file, &machine)?;
        Ok(machine)
    }

    fn memories(&self, parts: &[Spanned<MemoryPart>]) -> Result<Vec<Memory>> {
        let mut memories: Vec<Memory> = Vec::new();
        for part in parts {
            let MemoryPart { name, .. } = part.get_ref();
            let before: Vec<&str> = memories.iter().map(|memory| memory.name.as_str()).collect();
            self.unused(part, name, &before)?;
            let (kind, capacity) = (part.get_ref().kind(), part.get_ref().capacity());
            if (kind == MemoryKind::Ram) != memories.is_empty() {
                return self.wrong(part, "kind: the first memory, and no other, is the ram");
            }
            memories.push(Memory { name: name.clone(), kind, capacity });
        }
        if !(1..=MAX_MEMORIES).contains(&memories.len()) {
            let count = memories.len();
            return Err(self
                .text
                .wrong(0, format_args!("{count} memories; give 1 to {MAX_MEMORIES}")));
        }
        Ok(memories)
    }

    fn classes(&self, parts: &[Spanned<ClassPart>]) -> Result<Vec<WorkerClass>> {
        let mut classes: Vec<WorkerClass> = Vec::new();
        for part in parts {
            let ClassPart { name, speed, .. } = part.get_ref();
            let before: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
            self.unused(part, name, &before)?;
            let speed = self.within(part, "speed", *speed, &SPEEDS)?;
            let class = WorkerClass::new(name, part.get_ref().kind());
            classes.push(WorkerClass { speed, ..class });
        }
        Ok(classes)
    }

    /// What a class takes for kernels that the file does not have.
    fn guess(&self, part: &Spanned<ClassPart>) -> Result<Option<WorkerModel>> {
        let &ClassPart { gflops, gbytes_per_second, .. } = part.get_ref();
        let Some(gflops) = gflops else {
            if gbytes_per_second.is_some() {
                return self.wrong(part, "gbytes_per_second: a guess needs gflops too");
            }
            return Ok(None);
        };
        Ok(Some(WorkerModel {
            gflops: self.within(part, "gflops", gflops, &GIGA_RATES)?,
            gbytes_per_second: self.bytes_rate(part, gbytes_per_second)?,
            overhead_seconds: 0.0,
        }))
    }

    /// The rate at which bytes are read and written; without one they take no time.
    pub(super) fn bytes_rate<T>(&self, part: &Spanned<T>, rate: Option<f64>) -> Result<f64> {
        let within = |rate| self.within(part, "gbytes_per_second", rate, &GIGA_RATES);
        rate.map_or(Ok(f64::INFINITY), within)
    }

    fn links(&self, file: &File) -> Result<Vec<Link>> {
        let mut links: Vec<Link> = Vec::new();
        for part in &file.link {
            let name = &part.get_ref().name;
            let before: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
            self.unused(part, name, &before)?;
            let rate = part.get_ref().bytes_per_second;
            let bytes_per_second = self.within(part, "bytes_per_second", rate, &BYTE_RATES)?;
            links.push(Link { name: name.clone(), bytes_per_second });
        }
        Ok(links)
    }

    fn routes(&self, file: &File, machine: &Machine) -> Result<Vec<Option<Route>>> {
        let memories: Vec<&str> = machine.memories.iter().map(|m| m.name.as_str()).collect();
        let links: Vec<&str> = machine.links.iter().map(|link| link.name.as_str()).collect();
        let mut routes = vec![None; memories.len() * memories.len()];
        for part in &file.route {
            let route = part.get_ref();
            let src = self.find(part, "from", &route.from, &memories)?;
            let dst = self.find(part, "to", &route.to, &memories)?;
            let on = route.links.iter().map(|link| self.find(part, "links", link, &links));
            let on: Vec<usize> = on.collect::<Result<_>>()?;
            let place = &mut routes[src * memories.len() + dst];
            if src == dst || place.is_some() || on.is_empty() {
                let why = "give one route, over one link or more, for two memories";
                let (from, to) = (&route.from, &route.to);
                return self.wrong(part, format_args!("route from {from} to {to}: {why}"));
            }
            let latency_seconds =
                self.within(part, "latency_seconds", route.latency_seconds, &DELAYS)?;
            *place = Some(Route { links: on, latency_seconds });
        }
        Ok(routes)
    }

    fn add_workers(&self, part: &Spanned<WorkerPart>, machine: &mut Machine) -> Result<()> {
        let WorkerPart { class, memory, count, pipeline } = part.get_ref();
        let classes: Vec<&str> = machine.classes.iter().map(|class| class.name.as_str()).collect();
        let memories: Vec<&str> = machine.memories.iter().map(|m| m.name.as_str()).collect();
        let class = self.find(part, "class", class, &classes)?;
        let memory = MemoryId(self.find(part, "memory", memory, &memories)?);
        let kind = machine.classes[class].kind;
        if machine.memories[memory.0].kind == MemoryKind::Disk {
            return self.wrong(part, "memory: no worker computes on a disk");
        }
        let room = machine.memories[memory.0].capacity;
        if machine.room_of_class(ClassId(class)).is_some_and(|other| other != room) {
            return self.wrong(
                part,
                "memory: all workers of a class have as much of it; give these a class of their own",
            );
        }
        let count = self.counted(part, "count", count.unwrap_or(1), MOST_WORKERS)?;
        let pipeline = pipeline.unwrap_or(default_pipeline(kind));
        let pipeline = self.counted(part, "pipeline", pipeline, MOST_PIPELINE)?;
        let is_core = |class: ClassId| machine.classes[class.0].kind == WorkerKind::Cpu;
        let alike = |worker: &&Worker| is_core(worker.class) == (kind == WorkerKind::Cpu);
        let first = machine.workers.iter().filter(alike).count();
        let label = if kind == WorkerKind::Cpu { "CPU" } else { "GPU" };
        machine.workers.extend((first..first + count).map(|number| Worker {
            name: format!("{label} {number}"),
            class: ClassId(class),
            memory,
            pipeline,
            slots: 1,
        }));
        Ok(())
    }

    /// Sees to it that data can reach every memory, and that what fits nowhere else has a place.
    fn check_ways(&self, file: &File, machine: &Machine) -> Result<()> {
        for (number, part) in file.memory.iter().enumerate().skip(1) {
            let (here, name) = (MemoryId(number), &part.get_ref().name);
            for (src, dst) in [(here, MemoryId::RAM), (MemoryId::RAM, here)] {
                if machine.route(src, dst).is_none() {
                    let ram = &machine.memories[0].name;
                    let why = format_args!("{name}: give a route from it to {ram}, and one back");
                    return self.wrong(part, why);
                }
            }
        }
        let lowest = machine.lowest().0;
        if machine.memories[lowest].capacity.is_some() {
            let why = "capacity: what fits nowhere else needs a place; give none here, or add a disk without one";
            return self.wrong(&file.memory[lowest], why);
        }
        Ok(())
    }
}
