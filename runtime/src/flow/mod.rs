//! The sequential task flow: tasks are submitted in program order with the way each uses its
//! handles, and the graph follows from that.
//!
//! A [`Flow`] infers the graph and hands ready tasks to an [`Engine`], which runs them for real
//! ([`crate::exec`]) or in virtual time ([`crate::sim`]). This module knows neither threads nor
//! clocks.

mod access;
mod arbiter;
mod codelet;
mod decisions;
mod edge;
mod engine;
mod error;
mod failures;
mod follow;
mod graph;
mod handle;
mod host;
mod jobs;
mod lane;
mod launch;
mod lend;
mod listening;
mod peers;
mod presume;
mod record;
mod region;
mod space;
mod task;
mod watch;
mod window;

use std::collections::BTreeSet;

use access::NO_ACCESSES;
pub(crate) use codelet::RawBuffer;
pub use codelet::{Buffers, Codelet, CodeletInfo, Failure, MAX_ARGUMENT_BYTES, codelet_info};
pub use decisions::Decisions;
pub use engine::{Engine, FlowSpace, LookAtContexts, Peering, ReadyTasks, Running};
pub use error::FlowError;
pub use failures::{FailureCodec, FirstFailure};
use graph::{Graph, Tag};
pub(crate) use jobs::once;
pub use launch::{Check, Launch, Tools};
use peers::Peers;
pub use region::{Lines, Region, RegionMut};
pub use space::Naming;
pub(crate) use space::{Post, Space, task_view};
pub(crate) use task::{Arguments, TaskData};
pub use task::{MAX_ACCESSES, TaskKernel};
pub use watch::Watch;

use crate::memory::{BufferCache, Reduction};
use crate::ranks::{Change, Contribution, Spot};
use crate::trace::{Site, Totals};
use crate::types::Rank;
pub use crate::types::{Access, Cost, Handle};

/// How a flow behaves.
#[derive(Clone, Copy, Debug)]
pub struct FlowOptions {
    /// Most unfinished tasks: submitting one more first helps to run some. Over ranks a quarter of
    /// it, of tasks that are all small.
    pub window: u64,
    /// Whether buffers that are given back are kept for the next one to take them.
    pub cache: bool,
    /// Runs `Commute` and `Reduce` in program order, so that results do not depend on timing. Over
    /// ranks each adds up its share of a reduction in that order; shares are folded by rank.
    pub deterministic: bool,
    /// How errors of kernels go to other ranks.
    pub codec: FailureCodec,
    /// A digest of the program, its flags and its input, on which ranks agree before they begin.
    pub digest: u64,
}

impl Default for FlowOptions {
    fn default() -> Self {
        Self {
            window: 8192,
            cache: true,
            deterministic: false,
            codec: FailureCodec::TEXT,
            digest: 0,
        }
    }
}

/// A sequential task flow on an engine.
///
/// ```
/// use tegula_runtime::exec::Exec;
/// use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions};
///
/// #[derive(Clone, Copy)]
/// struct Add(f64);
///
/// impl Codelet for Add {
///     const NAME: &'static str = "add";
///     const ACCESS: &'static [Access] = &[Access::RW];
///     fn cost(&self) -> Cost {
///         Cost { flops: 1.0, bytes: 8.0 }
///     }
///     fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
///         buffers.write::<f64>(0)[0] += self.0;
///         Ok(())
///     }
/// }
///
/// let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
/// let x = flow.register_from(&[1.0]);
/// flow.submit(Add(2.0), &[(x, Access::RW)], 0);
/// flow.submit(Add(4.0), &[(x, Access::RW)], 0);
/// assert_eq!(flow.read::<f64>(x).unwrap(), [7.0]);
/// ```
pub struct Flow {
    graph: Graph,
    workers: usize,
    engine: Box<dyn Running>,
    options: FlowOptions,
    /// How many more tasks fit the window without counting those completed.
    credit: u64,
    /// Whether the program uses a handle itself.
    is_lent: bool,
    phases: Vec<&'static str>,
    phase: u8,
    iteration: u32,
    /// Whether modes of accesses are replaced by stricter ones.
    rewrites: bool,
    /// Added to the priority of every task.
    shift: i32,
    /// Handles to unregister once everything has run.
    retired: BTreeSet<Handle>,
    /// The other ranks, if there are any.
    peers: Option<Peers>,
    /// Whether all memories are one, on every rank.
    is_flat: bool,
    /// Of a recorded run, how many tasks had been submitted when the program waited for all of
    /// them.
    waits: Vec<u64>,
    /// What tasks leave that are taken for granted, while they are.
    presumed: Option<presume::Presumed>,
    course: decisions::Course,
    continuations: follow::Continuations,
}

impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flow").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Flow {
    /// A flow whose tasks `engine` runs.
    #[must_use]
    pub fn new(engine: impl Engine + 'static, options: FlowOptions) -> Self {
        let (workers, (rank, ranks)) = (engine.workers(), engine.ranks());
        let mut graph = Graph::new(workers, BufferCache::new(options.cache), engine.naming());
        let peers = (ranks > 1).then(|| Peers::new(rank, ranks));
        if peers.is_some() {
            graph.share();
        }
        let engine = Box::new(engine).start(FlowSpace(graph.space().clone()));
        let mut flow = Self::of(graph, workers, engine, options);
        flow.peers = peers;
        if flow.peers.is_some() {
            flow.greet();
        }
        flow
    }

    fn of(graph: Graph, workers: usize, engine: Box<dyn Running>, options: FlowOptions) -> Self {
        let rewrites = options.deterministic || !engine.has_private_copies();
        let is_flat = engine.is_flat();
        Self {
            graph,
            workers,
            engine,
            options,
            credit: 0,
            is_lent: false,
            phases: vec!["none"],
            phase: 0,
            iteration: 0,
            rewrites,
            shift: 0,
            retired: BTreeSet::new(),
            peers: None,
            is_flat,
            waits: Vec::new(),
            presumed: None,
            course: decisions::Course::Free,
            continuations: follow::Continuations::default(),
        }
    }

    /// Whether all workers share one memory without limit, so that copies of data cost no transfer.
    ///
    /// Over ranks this holds of all of them: programs that ask do the same everywhere.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// Number of workers of the engine; over ranks the mean of all, rounded up.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Names contents of `bytes` bytes. Nothing is allocated until a task uses them; they read as
    /// zero until they are written.
    ///
    /// Over ranks nobody owns it: tasks that write it run where the other data are that they use.
    pub fn register(&mut self, bytes: usize) -> Handle {
        self.name((bytes, bytes), None)
    }

    /// As [`register`](Self::register), in a buffer of `room` bytes: such buffers take turns where
    /// contents of changing sizes follow each other. Only the contents go to other ranks.
    ///
    /// # Panics
    /// If `room` is less than `bytes`.
    pub fn register_within(&mut self, bytes: usize, room: usize) -> Handle {
        self.name((bytes, room), None)
    }

    /// As [`register`](Self::register), at a place in a grid, by which it has an
    /// [owner](Self::set_owners).
    pub fn register_at(&mut self, bytes: usize, spot: Spot) -> Handle {
        self.name((bytes, bytes), Some(spot))
    }

    fn name(&mut self, (bytes, room): (usize, usize), spot: Option<Spot>) -> Handle {
        let handle = self.graph.register_within(bytes, room);
        if spot.is_some() {
            self.graph.space().handles.get(handle.index).rare().spot = spot;
        }
        if let Some(peers) = &mut self.peers {
            peers.forget_reduction(handle);
            self.note(Change::Register { handle, bytes, spot });
        }
        handle
    }

    /// Says that `handle`, which was just registered, holds contents that must be brought to
    /// whoever uses them: for simulations, where nothing is ever written. Over ranks its owner
    /// holds them, or all do if nobody owns it.
    pub fn touch(&mut self, handle: Handle) {
        self.graph.check(handle);
        self.note(Change::Assign(handle, false));
        if self.is_owner(handle) {
            self.engine.touch(handle.index);
        }
    }

    /// Names of the engine's workers and memories.
    #[must_use]
    pub fn site(&self) -> Site {
        self.engine.site()
    }

    /// What was run and moved so far, if the engine counts.
    #[must_use]
    pub fn totals(&self) -> Option<Totals> {
        self.engine.totals()
    }

    /// Takes the name away, after everything submitted has run.
    pub fn unregister(&mut self, handle: Handle) {
        self.settle(handle);
        self.drain();
        self.graph.unregister(handle);
        self.engine.unregistered();
    }

    /// Takes the name away once everything submitted so far has run, without waiting for it: the
    /// buffer goes back to the cache with its last user.
    pub fn retire(&mut self, handle: Handle) {
        assert!(!self.retired.contains(&handle), "handle {} is retired already", handle.index);
        self.done_with(handle);
        self.retired.insert(handle);
    }

    /// Says how private copies of `handle` are started and folded; needed before `Reduce`.
    pub fn set_reduction(&mut self, handle: Handle, reduction: Reduction) {
        self.graph.set_reduction(handle, reduction);
        if let Some(peers) = &mut self.peers {
            peers.set_reduction(handle, reduction);
            self.note(Change::SetSeeded(handle, reduction.seed.is_some()));
        }
    }

    /// Tasks submitted from now on belong to the phase `name`, in traces and times.
    pub fn phase(&mut self, name: &'static str) {
        let known = self.phases.iter().position(|&phase| phase == name);
        let index = known.unwrap_or_else(|| {
            assert!(self.phases.len() < 256, "a flow has at most 255 phases");
            self.phases.push(name);
            self.phases.len() - 1
        });
        self.phase = index as u8;
    }

    /// Tasks submitted from now on belong to step `iteration` of the algorithm's outermost loop, in
    /// traces.
    pub fn iteration(&mut self, iteration: usize) {
        self.iteration = iteration as u32;
    }

    /// Adds `shift` to the priority of every task submitted from now on, so that what one algorithm
    /// submits comes before or after what another does.
    pub fn shift_priorities(&mut self, shift: i32) {
        self.shift = shift;
    }

    /// Names of the phases, by their number in traces; phase 0 is that of tasks before any.
    #[must_use]
    pub fn phases(&self) -> &[&'static str] {
        &self.phases
    }

    /// Submits a task that runs `codelet` on the handles of `accesses`; higher `priority` first.
    ///
    /// When the window is full, the calling thread first helps to run tasks.
    ///
    /// # Panics
    /// If number, order or modes of the accesses are not those that the codelet declares, if a
    /// handle that is written appears twice, or if a handle is unknown.
    #[inline(always)]
    pub fn submit<C: Codelet>(&mut self, codelet: C, accesses: &[(Handle, Access)], priority: i32) {
        // Over many ranks most tasks end here: only this much is part of the program's loops.
        if !self.passes(accesses) {
            self.take(codelet_info::<C>(), Arguments::of(codelet), accesses, priority);
        }
    }

    /// Submits a task, unless another rank runs it.
    #[inline(never)]
    fn take(
        &mut self,
        info: &'static CodeletInfo,
        arguments: Arguments,
        accesses: &[(Handle, Access)],
        priority: i32,
    ) {
        if self.presumed.is_some() {
            return self.presume_task(accesses);
        }
        if !self.runs_here(accesses, priority) {
            return;
        }
        if self.credit == 0 {
            self.make_room();
        }
        self.credit -= 1;
        let mut with_shares = NO_ACCESSES;
        let accesses = self.with_shares(accesses, &mut with_shares);
        let mut room;
        let accesses = if self.rewrites {
            room = NO_ACCESSES;
            access::stricter(self.options.deterministic, accesses, &mut room)
        } else {
            accesses
        };
        let priority = priority.saturating_add(self.shift);
        let tag = Tag { priority, phase: self.phase, iteration: self.iteration };
        let ready = self.graph.submit(info, arguments, accesses, tag);
        if !ready.is_empty() {
            self.engine.ready(ReadyTasks(ready));
        }
    }

    /// Says that the contents of `handle` are not needed after what was submitted so far: its
    /// buffer goes back to the cache as soon as the last user is done.
    pub fn done_with(&mut self, handle: Handle) {
        self.end_loan();
        self.graph.check(handle);
        if self.peers.is_some() {
            // The directory knows whether this rank has anything of it.
            return self.note(Change::Discard(handle));
        }
        self.presumed.iter_mut().for_each(|presumed| presumed.set(handle.index, false));
        let ready = self.graph.discard(handle);
        if !ready.is_empty() {
            self.engine.ready(ReadyTasks(ready));
        }
    }

    /// Ends the reduction that runs on `handle`, if there is one.
    fn settle(&mut self, handle: Handle) {
        self.end_loan();
        self.note(Change::Fold(handle));
        let ready = self.graph.settle(handle);
        if !ready.is_empty() {
            self.engine.ready(ReadyTasks(ready));
        }
    }

    /// Runs everything that was submitted; the calling thread helps.
    ///
    /// # Errors
    /// The failure of the task with the smallest program index, if tasks failed since the last
    /// wait. What the failed tasks and their successors would have written stays poisoned until a
    /// task overwrites it (`W`).
    ///
    /// # Panics
    /// With the message of a kernel that panicked.
    pub fn wait(&mut self) -> Result<(), FlowError> {
        self.go_on();
        self.drain();
        if let Some(peers) = self.peers.as_ref().filter(|_| !self.is_listening()) {
            if let Some(discord) = &peers.discord {
                return Err(discord.clone());
            }
            // All ranks know alike whether anything was submitted since they met.
            let is_known = peers.agreed_at == Some(self.graph.program_index());
            return if is_known { Ok(()) } else { self.agree() };
        }
        self.engine.take_failure().map_or(Ok(()), Err)
    }

    /// Meets the other ranks, who have all come to this point of the program, and ends with the
    /// failure of all.
    fn agree(&mut self) -> Result<(), FlowError> {
        let (codec, mine) = (self.options.codec, self.peering().first_failure());
        let expected = self.graph.program_index();
        let bytes = failures::encode(codec, self.rank(), mine.as_ref());
        let contribution = Contribution { agreed: expected, bytes, ..Contribution::default() };
        let outcome = self.peering().barrier(contribution)?;
        self.peers.iter_mut().for_each(|peers| peers.agreed_at = Some(expected));
        let (rank, tasks) = outcome.dissent;
        if rank != Rank(0) {
            return Err(FlowError::Diverged { rank, tasks });
        }
        // A kernel that panicked here goes on panicking, now that the others know.
        let own = self.engine.take_failure();
        let Some((mark, others)) = failures::decode(codec, &outcome.bytes) else { return Ok(()) };
        self.peers.iter_mut().for_each(|peers| peers.has_failed = true);
        // Whoever knows of a failure that was met before may not have met it again.
        let others = if failures::is_unknown(&outcome.bytes) { self.ask(mark)? } else { others };
        let own = own.filter(|_| mine.is_some_and(|(own, _)| own == mark));
        let error = own.unwrap_or(others);
        self.peering().learn_failure(mark, &error);
        Err(error)
    }

    /// Gives cached buffers back to the system.
    pub fn trim(&mut self) {
        self.graph.space().handles.cache.trim();
    }

    fn drain(&mut self) {
        self.end_loan();
        if self.peers.as_ref().is_some_and(|peers| peers.discord.is_some()) {
            return;
        }
        self.engine.advance(self.graph.submitted(), 0);
        self.engine.peering().into_iter().for_each(|peering| peering.settle(self.graph.messages()));
        self.engine.resume(self.graph.program_index());
        self.credit = 0;
        self.note_wait();
        if !self.retired.is_empty() {
            let retired = std::mem::take(&mut self.retired);
            retired.into_iter().for_each(|handle| self.graph.unregister(handle));
            self.engine.unregistered();
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.drain();
            if self.graph.space().is_recorded() {
                self.take_records();
            }
            let has_peers = self.peers.as_ref().is_some_and(|peers| peers.discord.is_none());
            if has_peers && !self.is_listening() {
                // Nobody leaves before all have what they need. If a rank is gone, nobody waits.
                let _outcome = self.peering().barrier(Contribution::default());
            }
        }
    }
}
