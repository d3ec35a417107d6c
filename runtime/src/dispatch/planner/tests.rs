//! What the planner orders in a memory for three tiles above a disk, and for two accelerators
//! beside it, step by step.

use std::fmt::Write;
use std::sync::Arc;

use super::*;
use crate::platform::WorkerKind;
use crate::sched::{PolicyOptions, eviction, policy};

/// The planner, and what it was told and answered, a line each.
struct Script {
    planner: Planner,
    scheduler: Box<dyn Scheduler>,
    machine: Arc<Machine>,
    log: String,
}

const RAM: MemoryId = MemoryId::RAM;
const DISK: MemoryId = MemoryId(1);
/// Memories of accelerators.
const FIRST: MemoryId = MemoryId(2);
const SECOND: MemoryId = MemoryId(3);
const TILE: u64 = 64;

impl Script {
    /// A core and so many accelerators, with room for two tiles each. Tiles 0 to 3 hold contents,
    /// the last one on the disk.
    fn new(accelerators: usize) -> Self {
        let mut machine = Machine::cores(1);
        machine.limit_ram(3 * TILE, 1e9, 1e9);
        for _ in 0..accelerators {
            machine.add_accelerator(WorkerKind::Emulated, Some(2 * TILE), 1e9, 1.0);
        }
        let machine = Arc::new(machine);
        let options = PolicyOptions { workers: 1, seed: 0, order: &[] };
        let scheduler = policy("eager").expect("it is listed").scheduler(&options);
        let planner = Planner::new(machine.clone(), eviction("lru").expect("it is listed"));
        let mut script = Self { planner, scheduler, machine, log: String::new() };
        (0..8).for_each(|tile| script.planner.enter(HandleId(tile), TILE));
        (0..4).for_each(|tile| {
            script.planner.place(HandleId(tile));
            script.note(format_args!("place {tile}"));
        });
        script
    }

    /// Writes down what was said, and the answer.
    fn note(&mut self, what: std::fmt::Arguments<'_>) {
        let mut operations = Vec::new();
        self.planner.take_operations(&mut operations);
        let name = |memory: MemoryId| self.machine.memories[memory.0].name.clone();
        let answers = operations.into_iter().map(|operation| match operation {
            Operation::Allocate { handle, memory } => {
                format!("allocate {} {}", handle.0, name(memory))
            }
            Operation::Zero { handle, memory } => format!("zero {} {}", handle.0, name(memory)),
            Operation::Free { handle, memory } => format!("free {} {}", handle.0, name(memory)),
            Operation::Hurry { handle, dst } => format!("hurry {} {}", handle.0, name(dst)),
            Operation::Copy(Transfer { handle, src, dst, purpose, .. }) => {
                format!("{purpose:?} {} {} to {}", handle.0, name(src), name(dst))
            }
        });
        let answers: Vec<String> = answers.collect();
        let colon = if answers.is_empty() { "" } else { ": " };
        writeln!(self.log, "{what}{colon}{}", answers.join(", ")).expect("a string takes all");
    }

    fn admit(&mut self, name: &str, task: &Task) -> bool {
        self.admit_to(RAM, name, task)
    }

    fn admit_to(&mut self, memory: MemoryId, name: &str, task: &Task) -> bool {
        let plans = Plans { scheduler: &*self.scheduler, committed: &|_, _| None };
        let is_in = self.planner.admit(task, memory, plans);
        let answer = if is_in { "admit" } else { "refuse" };
        self.note(format_args!("{answer} {name}"));
        is_in
    }

    fn arrive(&mut self, tile: u32, src: MemoryId, dst: MemoryId) {
        self.planner.arrive(HandleId(tile), src, dst);
        let place = self.machine.memories[dst.0].name.clone();
        self.note(format_args!("{tile} is in {place}"));
    }

    fn run(&mut self, name: &str, task: &Task) {
        self.run_in(RAM, name, task);
    }

    fn run_in(&mut self, memory: MemoryId, name: &str, task: &Task) {
        assert!(self.planner.is_set(task, memory), "{name} lacks data; so far:\n{}", self.log);
        self.planner.start(task, memory);
        self.note(format_args!("start {name}"));
        self.planner.finish(task, memory);
        self.note(format_args!("end {name}"));
    }
}

/// A task that reads some tiles and overwrites others.
fn task(reads: &[u32], writes: &[u32]) -> Task {
    let read = reads.iter().map(|&tile| (HandleId(tile), true, false));
    let written = writes.iter().map(|&tile| (HandleId(tile), false, true));
    Task::new(0, 0, &read.chain(written).collect::<Vec<_>>())
}

#[test]
fn a_full_memory_is_worked_in() {
    let mut script = Script::new(0);
    let (first, second) = (task(&[3], &[0]), task(&[2, 0], &[4]));
    assert!(script.admit("first", &first));
    assert!(!script.admit("second", &second), "its data and the first one's do not fit together");
    script.arrive(1, RAM, DISK);
    script.arrive(3, DISK, RAM);
    script.run("first", &first);
    assert!(script.admit("second", &second));
    script.run("second", &second);
    script.planner.discard(HandleId(4));
    script.note(format_args!("discard 4"));
    let third = task(&[5], &[]);
    assert!(script.admit("third", &third));
    script.run("third", &third);
    let expected = "\
place 0: allocate 0 RAM
place 1: allocate 1 RAM
place 2: allocate 2 RAM
place 3: allocate 3 disk
admit first: allocate 1 disk, WriteBack 1 RAM to disk
refuse second
1 is in disk: free 1 RAM, allocate 3 RAM, Fetch 3 disk to RAM
3 is in RAM
start first
end first
admit second: free 3 RAM, allocate 4 RAM
start second
end second
discard 4: free 4 RAM
admit third: allocate 5 RAM, zero 5 RAM
start third
end third
";
    assert_eq!(script.log, expected);
}

#[test]
fn a_disk_is_read_once_for_several_memories() {
    let mut script = Script::new(2);
    let before = script.log.len();
    let task = task(&[3], &[]);
    assert!(script.admit_to(FIRST, "first", &task));
    assert!(script.admit_to(SECOND, "second", &task));
    script.arrive(3, DISK, FIRST);
    script.arrive(3, FIRST, SECOND);
    script.run_in(SECOND, "second", &task);
    let expected = "\
admit first: allocate 3 GPU 0, Fetch 3 disk to GPU 0
admit second: allocate 3 GPU 1, hurry 3 GPU 0
3 is in GPU 0: Fetch 3 GPU 0 to GPU 1
3 is in GPU 1
start second
end second
";
    assert_eq!(&script.log[before..], expected);
}

/// The RAM is full of tiles, one of which an accelerator has, too: that one makes room for what was
/// computed, which nobody else has; those that only the RAM has stay.
#[test]
fn results_take_the_place_of_copies_in_the_ram() {
    let mut script = Script::new(2);
    let reading = task(&[0], &[]);
    assert!(script.admit_to(SECOND, "reading", &reading));
    script.arrive(0, RAM, SECOND);
    script.run_in(SECOND, "reading", &reading);
    let writing = task(&[], &[4, 5]);
    assert!(script.admit_to(FIRST, "writing", &writing));
    script.run_in(FIRST, "writing", &writing);
    let before = script.log.len();
    let more = task(&[], &[6, 7]);
    assert!(script.admit_to(FIRST, "more", &more));
    script.arrive(4, FIRST, RAM);
    script.arrive(5, FIRST, DISK);
    script.run_in(FIRST, "more", &more);
    let expected = "\
admit more: free 0 RAM, allocate 4 RAM, WriteBack 4 GPU 0 to RAM, allocate 5 disk, \
WriteBack 5 GPU 0 to disk
4 is in RAM: free 4 GPU 0, allocate 6 GPU 0
5 is in disk: free 5 GPU 0, allocate 7 GPU 0
start more
end more
";
    assert_eq!(&script.log[before..], expected);
}
