//! A machine as schedulers and planners see it: memories, workers of several classes, and the
//! routes on which data moves between memories.

use crate::trace::Site;
use crate::types::{ClassId, Cost, MAX_MEMORIES, MemoryId, WorkerId};

/// What a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Main memory.
    Ram,
    /// The memory of a further socket, in which cores compute.
    Socket,
    /// The memory of one accelerator.
    Device,
    /// A file on disk; no worker computes on it.
    Disk,
}

/// A place where replicas of handles lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Name in traces and messages: `RAM`, `GPU 0`, `disk`.
    pub name: String,
    /// What it is.
    pub kind: MemoryKind,
    /// Most bytes in buffers; none: no limit.
    pub capacity: Option<u64>,
}

/// What a worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerKind {
    /// A core of the processor.
    Cpu,
    /// A thread that plays an accelerator: it computes with the CPU's kernels in a memory of its
    /// own.
    Emulated,
    /// A CUDA device.
    Cuda,
}

/// Workers whose tasks take equally long: one architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerClass {
    /// Name in models and tables: `cpu`, `cuda-0`.
    pub name: String,
    /// What its workers are.
    pub kind: WorkerKind,
    /// Of an emulated accelerator: how fast it is beside a core, at most 1.
    pub speed: f64,
    /// The only codelets that its workers run; empty: all.
    pub only: Vec<String>,
}

impl WorkerClass {
    /// A class whose workers run everything.
    #[must_use]
    pub fn new(name: &str, kind: WorkerKind) -> Self {
        Self { name: name.to_owned(), kind, speed: 1.0, only: Vec::new() }
    }

    /// Whether its workers run `codelet`.
    #[must_use]
    pub fn runs(&self, codelet: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == codelet)
    }
}

/// At most so many tasks of some kinds run at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Cap {
    /// Names of the codelets.
    pub codelets: Vec<String>,
    /// How many of them run at a time.
    pub most: usize,
}

/// One worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Worker {
    /// Name in traces: `CPU 0`, `GPU 1`.
    pub name: String,
    /// Its class.
    pub class: ClassId,
    /// The memory that its tasks find their data in.
    pub memory: MemoryId,
    /// Most tasks whose data is held in its memory at once: the one that runs and those that wait
    /// for it. At least 1.
    pub pipeline: usize,
    /// Most tasks that it is given before the first of them has ended; they end in their order. At
    /// least 1, and 1 unless the worker is a device with a queue of its own.
    pub slots: usize,
}

/// Something that transfers share: a bus, one direction of a cable, a disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name in traces.
    pub name: String,
    /// Bytes per second that all transfers on it have together.
    pub bytes_per_second: f64,
}

/// The way from one memory to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Numbers of the links that a transfer occupies from its start to its end.
    pub links: Vec<usize>,
    /// Time before the first byte, in seconds.
    pub latency_seconds: f64,
}

/// A machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The memories; the first one is the RAM.
    pub memories: Vec<Memory>,
    /// The classes of workers.
    pub classes: Vec<WorkerClass>,
    /// The workers, by number.
    pub workers: Vec<Worker>,
    /// What transfers share.
    pub links: Vec<Link>,
    /// The way from memory `src` to memory `dst`, at `src * memories.len() + dst`; none: data goes
    /// through the RAM.
    pub routes: Vec<Option<Route>>,
    /// Limits on tasks that run at a time: readers of one disk, say.
    pub caps: Vec<Cap>,
}

impl Machine {
    /// The class of `worker`.
    #[must_use]
    pub fn class(&self, worker: WorkerId) -> &WorkerClass {
        &self.classes[self.workers[worker.0].class.0]
    }

    /// The kind of `worker`.
    #[must_use]
    pub fn kind(&self, worker: WorkerId) -> WorkerKind {
        self.class(worker).kind
    }

    /// The kind of one of its workers.
    pub(super) fn kind_of(&self, worker: &Worker) -> WorkerKind {
        self.classes[worker.class.0].kind
    }

    /// A machine with `workers` cores on one memory without limit.
    #[must_use]
    pub fn cores(workers: usize) -> Self {
        let core = |number| Worker {
            name: format!("CPU {number}"),
            class: ClassId(0),
            memory: MemoryId::RAM,
            pipeline: 1,
            slots: 1,
        };
        let ram = Memory { name: "RAM".to_owned(), kind: MemoryKind::Ram, capacity: None };
        let class = WorkerClass::new("cpu", WorkerKind::Cpu);
        Self {
            memories: vec![ram],
            classes: vec![class],
            workers: (0..workers).map(core).collect(),
            links: Vec::new(),
            routes: vec![None],
            caps: Vec::new(),
        }
    }

    /// A machine with one core of a class of its own for each of `models`, on one memory without
    /// limit: to be used with these models as [`Durations`].
    #[must_use]
    pub fn unequal_cores(models: usize) -> Self {
        let mut machine = Self::cores(models);
        machine.classes.clear();
        for (number, worker) in machine.workers.iter_mut().enumerate() {
            worker.class = ClassId(number);
            machine.classes.push(WorkerClass::new(&format!("cpu-{number}"), WorkerKind::Cpu));
        }
        machine
    }

    /// Adds a memory, with a route to and from the RAM on a link of its own for each direction,
    /// each of `latency` seconds.
    pub fn add_memory(&mut self, memory: Memory, bytes_per_second: f64, latency: f64) -> MemoryId {
        let (old, added) = (self.memories.len(), MemoryId(self.memories.len()));
        let mut routes = vec![None; (old + 1) * (old + 1)];
        for src in 0..old {
            for dst in 0..old {
                routes[src * (old + 1) + dst] = self.routes[src * old + dst].take();
            }
        }
        for (src, dst) in [(0, old), (old, 0)] {
            let (from, to) = if src == 0 {
                ("RAM", memory.name.as_str())
            } else {
                (memory.name.as_str(), "RAM")
            };
            let link = Link { name: format!("{from} to {to}"), bytes_per_second };
            let route = Route { links: vec![self.links.len()], latency_seconds: latency };
            self.links.push(link);
            routes[src * (old + 1) + dst] = Some(route);
        }
        self.memories.push(memory);
        self.routes = routes;
        added
    }

    /// Adds a class of workers.
    pub fn add_class(&mut self, name: &str, kind: WorkerKind) -> ClassId {
        self.classes.push(WorkerClass::new(name, kind));
        ClassId(self.classes.len() - 1)
    }

    /// Adds an accelerator with a memory of its own: a worker of `kind` that is `speed` times as
    /// fast as a core (what a thread plays is at most as fast), whose memory holds `capacity` bytes
    /// (none: no limit). It holds the data of two tasks, or of three if it has a queue of its own.
    ///
    /// # Panics
    /// If the speed is not above 0.
    pub fn add_accelerator(
        &mut self,
        kind: WorkerKind,
        capacity: Option<u64>,
        bytes_per_second: f64,
        speed: f64,
    ) {
        assert!(speed > 0.0, "an accelerator of speed {speed}");
        let number = self.memories.iter().filter(|m| m.kind == MemoryKind::Device).count();
        let name = format!("GPU {number}");
        let memory = Memory { name: name.clone(), kind: MemoryKind::Device, capacity };
        let memory = self.add_memory(memory, bytes_per_second, 10e-6);
        let class = WorkerClass { speed, ..WorkerClass::new(&format!("gpu-{number}"), kind) };
        self.classes.push(class);
        let class = ClassId(self.classes.len() - 1);
        // A device computes one task, has the next in its queue, and waits for data of a third.
        let (pipeline, slots) = if kind == WorkerKind::Cuda { (3, 2) } else { (2, 1) };
        self.workers.push(Worker { name, class, memory, pipeline, slots });
    }

    /// Adds a socket of `cores`, with memory of its own, without limit; `bytes_per_second` go to
    /// the RAM, which is that of the first socket, and come from there. [`connect`](Self::connect)
    /// joins it to others.
    pub fn add_socket(&mut self, cores: usize, bytes_per_second: f64) {
        let number = self.memories.iter().filter(|m| m.kind == MemoryKind::Socket).count() + 1;
        let (name, capacity) = (format!("socket {number}"), None);
        let memory = Memory { name, kind: MemoryKind::Socket, capacity };
        let memory = self.add_memory(memory, bytes_per_second, 1e-6);
        let class = ClassId(self.classes.len());
        let name = format!("cpu-{}", class.0);
        self.classes.push(WorkerClass::new(&name, WorkerKind::Cpu));
        let first = self.workers.iter().filter(|one| self.kind_of(one) == WorkerKind::Cpu).count();
        self.workers.extend((first..first + cores).map(|number| Worker {
            name: format!("CPU {number}"),
            class,
            memory,
            pipeline: 2,
            slots: 1,
        }));
    }

    /// Joins two memories by a link for each direction, so that data between them need not go
    /// through the RAM.
    ///
    /// # Panics
    /// If there is no such memory.
    pub fn connect(&mut self, one: usize, other: usize, bytes_per_second: f64) {
        for (src, dst) in [(one, other), (other, one)] {
            let name = format!("{} to {}", self.memories[src].name, self.memories[dst].name);
            let route = Route { links: vec![self.links.len()], latency_seconds: 10e-6 };
            self.links.push(Link { name, bytes_per_second });
            self.routes[src * self.memories.len() + dst] = Some(route);
        }
    }

    /// Limits the RAM to `bytes` bytes; the rest goes to a disk, to which `write` bytes per second
    /// go and from which `read` come back.
    pub fn limit_ram(&mut self, bytes: u64, write: f64, read: f64) {
        self.memories[0].capacity = Some(bytes);
        let disk = Memory { name: "disk".to_owned(), kind: MemoryKind::Disk, capacity: None };
        self.add_memory(disk, write, 100e-6);
        self.links.last_mut().expect("the way back").bytes_per_second = read;
        for worker in self.workers.iter_mut().filter(|worker| worker.memory == MemoryId::RAM) {
            worker.pipeline = 2;
        }
    }

    /// The way from `src` to `dst`, if there is a direct one.
    #[must_use]
    pub fn route(&self, src: MemoryId, dst: MemoryId) -> Option<&Route> {
        self.routes[src.0 * self.memories.len() + dst.0].as_ref()
    }

    /// The links that a transfer from `src` to `dst` occupies, and the time before its first byte:
    /// the direct way, or the one through the RAM.
    ///
    /// # Panics
    /// If neither exists.
    #[must_use]
    pub fn way(&self, src: MemoryId, dst: MemoryId) -> Route {
        if let Some(route) = self.route(src, dst) {
            return route.clone();
        }
        let legs = (self.route(src, MemoryId::RAM), self.route(MemoryId::RAM, dst));
        let (Some(up), Some(down)) = legs else {
            panic!("no way from {} to {}", self.memories[src.0].name, self.memories[dst.0].name)
        };
        Route {
            links: up.links.iter().chain(&down.links).copied().collect(),
            latency_seconds: up.latency_seconds + down.latency_seconds,
        }
    }

    /// Whether an end of the way from `src` to `dst` is played by a thread, so that a transfer must
    /// be slowed down to the rate of the way.
    #[must_use]
    pub fn is_emulated(&self, src: MemoryId, dst: MemoryId) -> bool {
        let on = |memory| {
            let mut workers = self.workers.iter().filter(|worker| worker.memory == memory);
            workers.any(|worker| self.classes[worker.class.0].kind == WorkerKind::Emulated)
        };
        on(src) || on(dst)
    }

    /// Time of a transfer that has its way for itself, in nanoseconds.
    #[must_use]
    pub fn transfer_nanoseconds(&self, src: MemoryId, dst: MemoryId, bytes: u64) -> u64 {
        let way = self.way(src, dst);
        let rate = way.links.iter().map(|&link| self.links[link].bytes_per_second);
        let seconds = bytes as f64 / rate.fold(f64::INFINITY, f64::min) + way.latency_seconds;
        (1e9 * seconds).round() as u64
    }

    /// The memory below all others, which takes whatever does not fit them: the disk, or else the
    /// RAM.
    #[must_use]
    pub fn lowest(&self) -> MemoryId {
        let disk = self.memories.iter().position(|memory| memory.kind == MemoryKind::Disk);
        MemoryId(disk.unwrap_or(0))
    }

    /// Its workers and memories by name.
    #[must_use]
    pub fn site(&self) -> Site {
        let class = |worker: &Worker| self.classes[worker.class.0].name.clone();
        let memories: &[Memory] = if self.is_flat() { &[] } else { &self.memories };
        Site {
            workers: self.workers.iter().map(|worker| worker.name.clone()).collect(),
            classes: self.workers.iter().map(class).collect(),
            memories: memories.iter().map(|memory| memory.name.clone()).collect(),
            capacities: memories.iter().map(|memory| memory.capacity).collect(),
            ..Site::default()
        }
    }

    /// Whether there is a disk for what does not fit the RAM.
    #[must_use]
    pub fn has_disk(&self) -> bool {
        self.lowest() != MemoryId::RAM
    }

    /// Whether data need never move: all workers share one memory without limit.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.memories.len() == 1 && self.memories[0].capacity.is_none()
    }

    /// Whether any worker may run any task at any time.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.caps.is_empty() && self.classes.iter().all(|class| class.only.is_empty())
    }

    /// Keeps one core for tasks of these codelets alone: those of the critical path, say.
    ///
    /// # Panics
    /// If the machine has fewer than two cores.
    pub fn dedicate_core(&mut self, codelets: &[&str]) {
        let is_core = |worker: &Worker| worker.memory == MemoryId::RAM;
        let cores = self.workers.iter().filter(|worker| is_core(worker)).count();
        assert!(cores > 1, "a core for some tasks alone needs another for the rest");
        let first = self.workers.iter().position(is_core).expect("there are some");
        let old = self.classes[self.workers[first].class.0].clone();
        let only = codelets.iter().map(|&name| name.to_owned()).collect();
        // By the same name, so that models know how long its tasks take.
        self.classes.push(WorkerClass { only, ..old });
        self.workers[first].class = ClassId(self.classes.len() - 1);
    }

    /// Makes one class of those that are called the same and compute as fast, as those of equal
    /// devices do; the memories of its workers become as small as the smallest of them.
    pub fn join_equal_classes(&mut self) {
        let mut classes: Vec<WorkerClass> = Vec::new();
        for class in (0..self.classes.len()).map(ClassId) {
            let old = &self.classes[class.0];
            let known = classes.iter().position(|one| one == old).unwrap_or(classes.len());
            if known == classes.len() {
                classes.push(old.clone());
            }
            let of_class = self.workers.iter_mut().filter(|worker| worker.class == class);
            of_class.for_each(|worker| worker.class = ClassId(known));
        }
        self.classes = classes;
        for worker in &self.workers {
            let alike = self.workers.iter().filter(|other| other.class == worker.class);
            let rooms = alike.filter_map(|other| self.memories[other.memory.0].capacity);
            self.memories[worker.memory.0].capacity = rooms.min();
        }
    }

    /// Classes that people count together, since their names differ by a number at most, as those
    /// of accelerators do: the names of these groups, and for each class the number of its own.
    #[must_use]
    pub fn groups(&self) -> (Vec<String>, Vec<usize>) {
        let mut names: Vec<String> = Vec::new();
        let mut of = Vec::with_capacity(self.classes.len());
        for class in &self.classes {
            let stem = class.name.rsplit_once('-').filter(|(stem, number)| {
                !stem.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
            });
            let stem = stem.map_or(class.name.as_str(), |(stem, _)| stem);
            let known = names.iter().position(|name| name == stem);
            of.push(known.unwrap_or(names.len()));
            if known.is_none() {
                names.push(stem.to_owned());
            }
        }
        (names, of)
    }

    /// Most bytes in buffers of the memory of each worker of `class`, which is the same for all of
    /// them (none: no limit), if there is any worker.
    #[must_use]
    pub fn room_of_class(&self, class: ClassId) -> Option<Option<u64>> {
        let first = self.workers.iter().find(|worker| worker.class == class)?;
        Some(self.memories[first.memory.0].capacity)
    }

    /// # Panics
    /// If the parts do not fit together.
    pub fn check(&self) {
        let memories = self.memories.len();
        assert!(
            (1..=MAX_MEMORIES).contains(&memories),
            "{memories} memories, not 1 to {MAX_MEMORIES}"
        );
        assert!(self.memories[0].kind == MemoryKind::Ram, "memory 0 is the RAM");
        assert!(self.routes.len() == memories * memories, "a route for each pair of memories");
        for link in &self.links {
            let rate = link.bytes_per_second;
            assert!(rate > 0.0, "{} carries {rate} bytes per second", link.name);
        }
        for route in self.routes.iter().flatten() {
            let latency = route.latency_seconds;
            assert!((0.0..1e9).contains(&latency), "a route has a latency of {latency} seconds");
            assert!(route.links.iter().all(|&link| link < self.links.len()), "a route has no link");
        }
        for cap in &self.caps {
            assert!(cap.most > 0, "no task of {:?} may ever run", cap.codelets);
        }
        assert!(!self.workers.is_empty(), "a machine needs at least one worker");
        for worker in &self.workers {
            assert!(worker.class.0 < self.classes.len(), "{} has no class", worker.name);
            assert!(worker.memory.0 < memories, "{} has no memory", worker.name);
            assert!(worker.pipeline > 0, "{} holds no task", worker.name);
            assert!(worker.slots > 0, "{} runs no task", worker.name);
            assert!(
                self.room_of_class(worker.class) == Some(self.memories[worker.memory.0].capacity),
                "{} has more or less memory than others of its class",
                worker.name
            );
        }
        let lowest = self.lowest();
        let bottomless = self.memories[lowest.0].capacity.is_none();
        assert!(bottomless, "the lowest memory, {}, is limited", self.memories[lowest.0].name);
    }
}

/// How long tasks take: what schedulers expect, and what the simulator takes for the truth.
pub trait Durations: Send + Sync {
    /// Time of a task of `codelet` with this `cost` on a worker of `class`, in nanoseconds and at
    /// least 1; none if it cannot run there.
    fn nanoseconds(&self, codelet: &'static str, cost: Cost, class: ClassId) -> Option<u64>;

    /// Notes that such a task took so long.
    fn record(&self, _codelet: &'static str, _cost: Cost, _class: ClassId, _nanoseconds: u64) {}
}

impl Durations for Vec<super::WorkerModel> {
    /// One model per class, the same for all codelets.
    fn nanoseconds(&self, _codelet: &'static str, cost: Cost, class: ClassId) -> Option<u64> {
        Some(self[class.0].nanoseconds(cost))
    }
}
