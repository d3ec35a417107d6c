//! The model without time: tasks run one after the other; what a task reads is loaded when it
//! starts; nothing is fetched ahead.

use std::collections::VecDeque;

use crate::memory::{Replica, Replicas};
use crate::platform::{Machine, Memory, MemoryKind, Worker, WorkerKind};
use crate::sched::{EvictionContext, EvictionPolicy, Recency, Scheduler, Task, Tasks, View};
use crate::types::{ClassId, HandleId, MemoryId, TaskId, WorkerId};

use super::program::Program;

/// What came of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// By memory, the data loaded into it.
    pub(super) loads: Vec<usize>,
    pub(super) evictions: usize,
    /// By worker, the tasks that it ran, in order.
    pub(super) ran: Vec<Vec<usize>>,
}

impl Count {
    pub(super) fn all_loads(&self) -> usize {
        self.loads.iter().sum()
    }
}

/// A machine with `devices` accelerators whose memories hold `capacity`.
pub(super) fn devices(devices: usize, capacity: u64) -> Machine {
    let mut machine = Machine::cores(1);
    machine.workers.clear();
    for number in 0..devices {
        let name = format!("GPU {number}");
        let kind = MemoryKind::Device;
        let memory = machine.add_memory(Memory { name, kind, capacity: Some(capacity) }, 1e6, 0.0);
        add_worker(&mut machine, ClassId(0), memory);
    }
    machine
}

/// Accelerators of a second class beside `cores` cores.
pub(super) fn mixed(cores: usize, accelerators: usize, capacity: u64) -> Machine {
    let mut machine = devices(accelerators, capacity);
    let class = machine.add_class("accelerator", WorkerKind::Emulated);
    machine.workers.iter_mut().for_each(|worker| worker.class = class);
    for _ in 0..cores {
        add_worker(&mut machine, ClassId(0), MemoryId::RAM);
    }
    machine
}

/// Cores with room for `capacity` in their memory, above a disk.
pub(super) fn out_of_core(cores: usize, capacity: u64) -> Machine {
    let mut machine = Machine::cores(cores);
    machine.memories[0].capacity = Some(capacity);
    let (name, kind) = ("disk".to_owned(), MemoryKind::Disk);
    machine.add_memory(Memory { name, kind, capacity: None }, 1e6, 0.0);
    machine
}

fn add_worker(machine: &mut Machine, class: ClassId, memory: MemoryId) {
    let name = format!("worker {}", machine.workers.len());
    machine.workers.push(Worker { name, class, memory, pipeline: 1, slots: 1 });
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Ready,
    Committed,
    Done,
}

struct Checker<'a> {
    machine: &'a Machine,
    program: &'a Program,
    scheduler: &'a mut dyn Scheduler,
    eviction: &'static EvictionPolicy,
    recency: Recency,
    tasks: Tasks,
    replicas: Replicas,
    followers: Vec<Vec<usize>>,
    waits: Vec<usize>,
    states: Vec<State>,
    /// By worker, what is committed to it, each with its place in the order of commitment.
    committed: Vec<VecDeque<(u64, TaskId)>>,
    commits: u64,
    /// By worker, the time until which it has run.
    clocks: Vec<u64>,
    busy_until: Vec<u64>,
    /// When the last task began.
    now: u64,
    /// Bytes by memory.
    used: Vec<u64>,
    count: Count,
}

/// Runs `program` and counts.
pub(super) fn check(
    program: &Program,
    machine: &Machine,
    scheduler: &mut dyn Scheduler,
    eviction: &str,
) -> Count {
    let eviction = crate::sched::eviction(eviction).expect("a known policy");
    let (memories, workers) = (machine.memories.len(), machine.workers.len());
    let (followers, waits) = program.graph();
    let mut checker = Checker {
        tasks: Tasks::new(machine.classes.len()),
        replicas: Replicas::new(machine),
        states: vec![State::Waiting; program.steps.len()],
        committed: vec![VecDeque::new(); workers],
        commits: 0,
        clocks: vec![0; workers],
        busy_until: vec![0; workers],
        now: 0,
        used: vec![0; memories],
        count: Count { loads: vec![0; memories], ran: vec![Vec::new(); workers], evictions: 0 },
        eviction,
        recency: Recency::new(memories),
        machine,
        program,
        scheduler,
        followers,
        waits,
    };
    checker.run();
    checker.count
}

impl Checker<'_> {
    fn run(&mut self) {
        for (number, &bytes) in self.program.handles.iter().enumerate() {
            let handle = HandleId(number as u32);
            self.replicas.enter(handle, bytes);
            self.replicas.set(handle, self.machine.lowest(), Replica::Valid);
        }
        let first = (0..self.waits.len()).filter(|&task| self.waits[task] == 0).collect();
        self.make_ready(first, None);
        loop {
            self.refill();
            let waiting = (0..self.clocks.len()).filter(|&w| !self.committed[w].is_empty());
            let Some(worker) = waiting.min_by_key(|&worker| self.clocks[worker]) else { break };
            self.step(WorkerId(worker));
        }
        let lost = self.states.iter().position(|&state| state != State::Done);
        assert_eq!(lost, None, "a task was lost; {} left", self.scheduler.backlog());
        assert_eq!(self.scheduler.backlog(), 0);
    }

    fn view(&self) -> View<'_> {
        let (machine, tasks, replicas) = (self.machine, &self.tasks, &self.replicas);
        View { now: self.now, machine, tasks, replicas, busy_until: &self.busy_until }
    }

    /// Calls the scheduler with a view of everything else.
    fn tell<T>(&mut self, call: impl FnOnce(&mut dyn Scheduler, &View<'_>) -> T) -> T {
        let view = View {
            now: self.now,
            machine: self.machine,
            tasks: &self.tasks,
            replicas: &self.replicas,
            busy_until: &self.busy_until,
        };
        call(self.scheduler, &view)
    }

    fn make_ready(&mut self, numbers: Vec<usize>, by: Option<WorkerId>) {
        for &number in &numbers {
            let step = &self.program.steps[number];
            let handles = step.handles.iter().map(|&(h, r, w)| (HandleId(h as u32), r, w));
            let handles: Vec<_> = handles.collect();
            let task = Task::new(number as u64, step.priority, &handles);
            let duration = |class: ClassId| step.durations[class.0];
            self.tasks.enter(TaskId(number as u32), task, duration);
            self.states[number] = State::Ready;
        }
        let ids: Vec<TaskId> = numbers.iter().map(|&number| TaskId(number as u32)).collect();
        self.tell(|scheduler, view| scheduler.ready(&ids, by, view));
    }

    fn refill(&mut self) {
        for worker in 0..self.committed.len() {
            let pipeline = self.machine.workers[worker].pipeline;
            let most = self.scheduler.lookahead(pipeline);
            let room = most.saturating_sub(self.committed[worker].len());
            let mut out = Vec::new();
            if room > 0 {
                let worker = WorkerId(worker);
                self.tell(|scheduler, view| scheduler.refill(worker, room, view, &mut out));
            }
            assert!(out.len() <= room, "{} tasks for {room}", out.len());
            out.into_iter().for_each(|task| self.commit(task, worker));
        }
        self.tell(|scheduler, _| scheduler.hints(&mut Vec::new()));
    }

    fn commit(&mut self, task: TaskId, worker: usize) {
        let state = &mut self.states[task.0 as usize];
        assert_eq!(*state, State::Ready, "committed although it is not ready");
        *state = State::Committed;
        let time = self.view().predict(task, WorkerId(worker)).expect("it can run there");
        if self.committed[worker].is_empty() {
            self.clocks[worker] = self.clocks[worker].max(self.now);
            self.busy_until[worker] = self.clocks[worker];
        }
        self.busy_until[worker] += time;
        self.committed[worker].push_back((self.commits, task));
        self.commits += 1;
        let memory = self.machine.workers[worker].memory;
        for handle in self.tasks.get(task).handles() {
            self.replicas.commit(handle, memory, 1);
        }
    }

    /// Runs the first task that is committed to `worker`.
    fn step(&mut self, worker: WorkerId) {
        let (_, id) = self.committed[worker.0].pop_front().expect("a committed task");
        let (task, memory) = (*self.tasks.get(id), self.machine.workers[worker.0].memory);
        self.now = self.clocks[worker.0];
        self.clocks[worker.0] += self.view().predict(id, worker).expect("it can run there");
        let here = |replicas: &Replicas, handle| replicas.state(handle, memory) == Replica::Valid;
        for handle in task.handles().filter(|&handle| here(&self.replicas, handle)) {
            self.recency.renew(handle, memory);
        }
        for handle in task.handles() {
            if !here(&self.replicas, handle) {
                self.make_room(self.replicas.bytes(handle), memory, &task);
                self.count.loads[memory.0] += usize::from(task.inputs().any(|h| h == handle));
                self.bring(handle, memory);
            }
            self.replicas.commit(handle, memory, -1);
        }
        task.outputs().for_each(|handle| self.write(handle, memory));
        self.finish(id, worker);
    }

    fn finish(&mut self, id: TaskId, worker: WorkerId) {
        let number = id.0 as usize;
        self.states[number] = State::Done;
        self.count.ran[worker.0].push(number);
        self.tell(|scheduler, view| scheduler.finished(id, worker, view));
        let mut ready = Vec::new();
        for &follower in &self.followers[number] {
            self.waits[follower] -= 1;
            if self.waits[follower] == 0 {
                ready.push(follower);
            }
        }
        if !ready.is_empty() {
            self.make_ready(ready, Some(worker));
        }
    }

    fn make_room(&mut self, bytes: u64, memory: MemoryId, task: &Task) {
        let Some(capacity) = self.machine.memories[memory.0].capacity else { return };
        while self.used[memory.0] + bytes > capacity {
            let victim = self.victim(memory, task);
            self.evict(victim, memory);
            self.count.evictions += 1;
        }
    }

    fn victim(&mut self, memory: MemoryId, task: &Task) -> HandleId {
        let replicas = &self.replicas;
        let may = |handle: HandleId| {
            let is_here = replicas.state(handle, memory) == Replica::Valid;
            is_here && !task.handles().any(|used| used == handle)
        };
        let workers = self.machine.workers.iter().zip(&self.committed);
        let committed: Vec<_> =
            workers.filter(|(worker, _)| worker.memory == memory).map(|(_, tasks)| tasks).collect();
        let uses = |task: TaskId, handle| self.tasks.get(task).handles().any(|h| h == handle);
        let first = |handle: HandleId, _: MemoryId| {
            let tasks = committed.iter().flat_map(|tasks| tasks.iter());
            tasks.filter(|&&(_, task)| uses(task, handle)).map(|&(place, _)| place).min()
        };
        let outlook = EvictionContext {
            memory,
            is_prefetch: false,
            replicas,
            recency: &self.recency,
            scheduler: &*self.scheduler,
            committed: &first,
        };
        let victim = (self.eviction.victim)(&outlook, &may);
        let victim = victim.expect("something goes");
        assert!(may(victim), "a victim that may not go");
        victim
    }

    fn bring(&mut self, handle: HandleId, memory: MemoryId) {
        self.used[memory.0] += self.replicas.bytes(handle);
        self.replicas.set(handle, memory, Replica::Valid);
        self.recency.renew(handle, memory);
        self.tell(|scheduler, view| scheduler.arrived(handle, memory, view));
    }

    /// Takes `handle` out of `memory`; the last replica goes to the lowest memory.
    fn evict(&mut self, handle: HandleId, memory: MemoryId) {
        self.used[memory.0] -= self.replicas.bytes(handle);
        self.replicas.set(handle, memory, Replica::Absent);
        if self.replicas.valid(handle) == 0 {
            let lowest = self.machine.lowest();
            self.replicas.set(handle, lowest, Replica::Valid);
            self.tell(|scheduler, view| scheduler.arrived(handle, lowest, view));
        }
        self.recency.forget(handle, memory);
        self.tell(|scheduler, view| scheduler.evicted(handle, memory, view));
    }

    /// Makes the replica in `memory` the only one.
    fn write(&mut self, handle: HandleId, memory: MemoryId) {
        for other in (0..self.machine.memories.len()).map(MemoryId) {
            if other != memory && self.replicas.state(handle, other) == Replica::Valid {
                self.used[other.0] = self.used[other.0].saturating_sub(self.replicas.bytes(handle));
                self.replicas.set(handle, other, Replica::Absent);
                self.recency.forget(handle, other);
                self.tell(|scheduler, view| scheduler.evicted(handle, other, view));
            }
        }
        self.tell(|scheduler, view| scheduler.arrived(handle, memory, view));
    }
}
