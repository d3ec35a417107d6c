//! An order of tasks that is given for each worker: that of another run, or of a program that plans
//! by itself.
//!
//! A worker takes its tasks one after the other, each as soon as it is ready; of those whose data
//! it waits for, the first whose data have come runs. What the order does not name runs where there
//! is nothing else to do, in the order in which it became ready.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::{
    Build, HandleId, NextUse, Policy, PolicyOptions, Scheduler, Task, TaskId, View, WorkerId,
};
use crate::types::MemoryId;

/// Takes the order that [`PolicyOptions`] holds. It is not in the list of policies, since no run
/// has an order of itself.
pub static ORDER: Policy = Policy {
    name: "order",
    summary: "the order that a table gives",
    build: Build::Plan(|options| Box::new(Order::new(options))),
    eviction: "min",
};

/// The scheduler.
struct Order {
    /// By worker, the program indices of its tasks, and how many of them it was given.
    order: &'static [Vec<u64>],
    given: Vec<usize>,
    /// By program index, the worker of a task and its place in the order of that one.
    places: HashMap<u64, (WorkerId, u64)>,
    /// Ready tasks of the order, by program index.
    ready: HashMap<u64, TaskId>,
    /// Ready tasks that the order does not name.
    others: VecDeque<TaskId>,
    /// By datum and memory, the places of the ready tasks that read it there.
    uses: HashMap<(HandleId, MemoryId), BTreeSet<u64>>,
}

impl Order {
    fn new(options: &PolicyOptions) -> Self {
        let place = |(worker, tasks): (usize, &'static Vec<u64>)| {
            let places = (0..).zip(tasks);
            places.map(move |(place, &index)| (index, (WorkerId(worker), place)))
        };
        Self {
            places: options.order.iter().enumerate().flat_map(place).collect(),
            order: options.order,
            given: vec![0; options.order.len()],
            ready: HashMap::new(),
            others: VecDeque::new(),
            uses: HashMap::new(),
        }
    }

    /// The next task of `worker`, if it is ready.
    fn next(&mut self, worker: WorkerId, view: &View<'_>) -> Option<TaskId> {
        let place = *self.given.get(worker.0)?;
        let task = self.ready.remove(self.order[worker.0].get(place)?)?;
        self.given[worker.0] += 1;
        for handle in view.tasks.get(task).inputs() {
            if let Some(places) = self.uses.get_mut(&(handle, view.memory(worker))) {
                places.remove(&(place as u64));
            }
        }
        Some(task)
    }

    /// The first task that nobody is named for and that `worker` can run.
    fn other(&mut self, worker: WorkerId, view: &View<'_>) -> Option<TaskId> {
        let can_run = |&task: &TaskId| view.predict(task, worker).is_some();
        let place = self.others.iter().position(can_run)?;
        self.others.remove(place)
    }
}

impl Scheduler for Order {
    fn ready(&mut self, tasks: &[TaskId], _by: Option<WorkerId>, view: &View<'_>) {
        for &task in tasks {
            let row: &Task = view.tasks.get(task);
            let Some(&(worker, place)) = self.places.get(&row.index) else {
                self.others.push_back(task);
                continue;
            };
            self.ready.insert(row.index, task);
            for handle in row.inputs() {
                self.uses.entry((handle, view.memory(worker))).or_default().insert(place);
            }
        }
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        for _ in 0..room {
            let task = self.next(worker, view);
            let Some(task) = task.or_else(|| self.other(worker, view)) else { break };
            out.push(task);
        }
    }

    fn backlog(&self) -> usize {
        self.ready.len() + self.others.len()
    }

    fn take_stuck(&mut self, out: &mut Vec<TaskId>) -> Option<String> {
        let lists = self.order.iter().zip(&self.given).enumerate();
        let mut waiting = lists.filter_map(|(worker, (tasks, &given))| {
            Some(format!("worker {worker} is to run task {}", tasks.get(given)?))
        });
        let why = waiting.next().filter(|_| self.backlog() > 0)?;
        out.extend(self.ready.drain().map(|(_, task)| task));
        out.extend(self.others.drain(..));
        Some(why)
    }

    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        let places = self.uses.get(&(handle, memory));
        match places.and_then(|places| Some((places.len(), *places.first()?))) {
            Some((count, position)) => NextUse::Planned { count: count as u32, position },
            None => NextUse::Never,
        }
    }
}
