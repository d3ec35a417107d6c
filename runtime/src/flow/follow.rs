//! Tasks that submit tasks: what a program goes on with once a task has ended.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Access, Buffers, Codelet, Cost, Failure, Flow, Handle};

/// Tasks that have ended, by the number of their flow and their own, and whose flow has not heard
/// of it.
static ENDED: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
static FLOWS: AtomicU64 = AtomicU64::new(0);

/// What a program goes on with.
type Then = Box<dyn FnOnce(&mut Flow)>;

/// The continuations of a flow.
#[derive(Default)]
pub(super) struct Continuations {
    /// The number of the flow, once it has any.
    flow: Option<u64>,
    next: u64,
    waiting: BTreeMap<u64, Then>,
}

/// Says that what it reads is there.
#[derive(Clone, Copy)]
struct Ended {
    flow: u64,
    number: u64,
}

impl Codelet for Ended {
    const NAME: &'static str = "ended";
    const ACCESS: &'static [Access] = &[Access::R];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, _: &Buffers<'_>) -> Result<(), Failure> {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.push((self.flow, self.number));
        Ok(())
    }
}

impl Drop for Continuations {
    fn drop(&mut self) {
        if let Some(flow) = self.flow {
            let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
            ended.retain(|&(of, _)| of != flow);
        }
    }
}

impl Continuations {
    /// The numbers of those whose task has ended, in order.
    fn take_ended(&self) -> Vec<u64> {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        let own = ended.extract_if(.., |&mut (flow, _)| Some(flow) == self.flow);
        let mut own: Vec<u64> = own.map(|(_, number)| number).collect();
        own.sort_unstable();
        own
    }
}

impl Flow {
    /// Goes on with `then` once the tasks submitted so far have written `handle`: during the next
    /// [`wait`](Self::wait), on its thread, while other tasks run. It may submit more, look at
    /// contents, and say what comes then; for graphs that depend on what was computed. It is
    /// dropped if the contents are not there because a task has failed.
    ///
    /// The order in which several go on depends on timing, unless the flow is
    /// [deterministic](super::FlowOptions::deterministic). A simulated flow, which computes
    /// nothing, goes on with all when it is at rest.
    ///
    /// # Panics
    /// Over ranks, which all submit the same in the same order.
    pub fn then(&mut self, handle: Handle, then: impl FnOnce(&mut Self) + 'static) {
        assert!(self.peers.is_none(), "over ranks no task decides what is submitted");
        let own = &mut self.continuations;
        let flow = *own.flow.get_or_insert_with(|| FLOWS.fetch_add(1, Ordering::Relaxed));
        let number = own.next;
        own.next += 1;
        own.waiting.insert(number, Box::new(then));
        self.submit(Ended { flow, number }, &[(handle, Access::R)], i32::MAX);
    }

    /// Goes on with what waits for tasks, until nothing does or all tasks have run.
    pub(super) fn go_on(&mut self) {
        let mut ended = Vec::new();
        while !self.continuations.waiting.is_empty() {
            let (submitted, completed) = (self.graph.submitted(), self.graph.space().completed());
            let is_at_rest = completed == submitted;
            ended.append(&mut self.continuations.take_ended());
            ended.sort_unstable();
            let first = self.continuations.waiting.keys().next();
            // What waits for a task that failed holds up no other.
            let may_go = !self.options.deterministic || is_at_rest || ended.first() == first;
            if may_go && !ended.is_empty() {
                let then = self.continuations.waiting.remove(&ended.remove(0));
                then.expect("it ends once")(self);
            } else if !is_at_rest {
                self.engine.advance(submitted, submitted - completed - 1);
                self.engine.resume(self.graph.program_index());
            } else {
                let all = std::mem::take(&mut self.continuations.waiting);
                if !self.engine.computes() {
                    all.into_values().for_each(|then| then(self));
                }
            }
        }
    }
}
