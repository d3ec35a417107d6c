//! What the planner orders in a memory for three tiles above a disk, step by step.

use std::fmt::Write;
use std::sync::Arc;

use super::*;
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
const TILE: u64 = 64;

impl Script {
    /// Tiles 0 to 3 hold contents.
    fn new() -> Self {
        let mut machine = Machine::cores(1);
        machine.limit_ram(3 * TILE, 1e9, 1e9);
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
        let plans = Plans { scheduler: &*self.scheduler, committed: &|_, _| None };
        let is_in = self.planner.admit(task, RAM, plans);
        let answer = if is_in { "admit" } else { "refuse" };
        self.note(format_args!("{answer} {name}"));
        is_in
    }

    fn arrive(&mut self, tile: u32, src: MemoryId, dst: MemoryId) {
        self.planner.arrive(HandleId(tile), src, dst);
        let way = if dst == DISK { "on disk" } else { "in RAM" };
        self.note(format_args!("{tile} is {way}"));
    }

    fn run(&mut self, name: &str, task: &Task) {
        assert!(self.planner.is_set(task, RAM), "{name} lacks data; so far:\n{}", self.log);
        self.planner.start(task, RAM);
        self.note(format_args!("start {name}"));
        self.planner.finish(task, RAM);
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
    let mut script = Script::new();
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
1 is on disk: free 1 RAM, allocate 3 RAM, Fetch 3 disk to RAM
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
