//! Random programs over ranks that are threads, with random owners that change: every rank ends
//! with the contents and the failure of one.

use std::sync::Arc;
use std::thread;

use proptest::prelude::*;
use tegula_runtime::comm::{Local, Transport, World};
use tegula_runtime::exec::{Exec, ExecOptions, Sequential, gather_trace};
use tegula_runtime::flow::{FailureCodec, Flow, FlowOptions, Handle};
use tegula_runtime::platform::WorkerKind;
use tegula_runtime::ranks::{Owners, Rank, Spot, Traffic, count};
use tegula_runtime::sched::contexts::{ContextError, ContextSpec, JobSpec, Start, Work};
use tegula_runtime::sched::{JobId, POLICIES, WorkerId, policy};
use tegula_runtime::trace::Trace;

use crate::checks::check_tasks;
use crate::program::{End, HANDLES, Injected, Step, run_in, steps, submit, tight};

/// Sizes of handles: some travel in a frame, some alone, some in parts.
const WORDS: [usize; 4] = [3, 127, 1000, 300_000];

/// A program over ranks.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    program: Vec<Step>,
    pub(crate) ranks: usize,
    pub(crate) workers: usize,
    pub(crate) window: u64,
    deterministic: bool,
    /// Bytes that may be on their way to a rank.
    pub(crate) room: u64,
    pub(crate) seed: u64,
    /// Whether tasks go to contexts in turn, where the engine has them.
    pub(crate) has_contexts: bool,
    /// For each handle its size, by number, and its owner, if it has one.
    handles: Vec<(usize, Option<u16>)>,
    /// Before these steps, handles go to new owners, lose their copies, or are read.
    changes: Vec<(usize, usize, Aside)>,
}

/// What the program does beside tasks.
#[derive(Clone, Copy, Debug)]
enum Aside {
    /// Gives a handle to this owner.
    Owner(u16),
    /// Drops copies of a handle.
    Drop,
    /// Has a handle brought to this rank, where it is read later if at all.
    Bring(u16),
    /// Reads a handle on this rank.
    Read(u16),
}

fn aside() -> impl Strategy<Value = Aside> {
    prop_oneof![
        3 => any::<u16>().prop_map(Aside::Owner),
        3 => Just(Aside::Drop),
        1 => any::<u16>().prop_map(Aside::Bring),
        1 => any::<u16>().prop_map(Aside::Read),
    ]
}

/// What was read on one rank, in order: nothing on the others, or why there is nothing.
type Found = Vec<Result<Option<Vec<u64>>, Injected>>;

pub(crate) fn spread(length: usize, failing: bool, large: bool) -> impl Strategy<Value = Spread> {
    let sizes = if large { 0..4usize } else { 0..3 };
    let handle = move || (sizes.clone(), prop::option::weighted(0.8, any::<u16>()));
    let handles = prop::collection::vec(handle(), HANDLES);
    let changes = prop::collection::vec((0..length.max(1), 0..HANDLES, aside()), 0..12);
    let options = (1..8usize, 1..3usize, 1..9u64, any::<bool>(), any::<u64>());
    (steps(length, failing), options, handles, changes).prop_map(
        move |(program, (ranks, workers, window, deterministic, seed), handles, changes)| Spread {
            program,
            ranks,
            workers,
            window,
            deterministic,
            room: if seed % 2 == 0 { 1 } else { 1 << 20 },
            seed,
            has_contexts: false,
            handles,
            changes,
        },
    )
}

/// Jobs in three contexts that share all workers of the rank, one of them a team of its cores; none
/// if its engine has no contexts.
fn jobs(flow: &mut Flow) -> Vec<JobId> {
    let cores = match flow.with_contexts(|_, view| {
        let workers = (0..view.machine.workers.len()).map(WorkerId);
        Ok(workers.filter(|&one| view.machine.kind(one) == WorkerKind::Cpu).collect::<Vec<_>>())
    }) {
        Ok(cores) => cores,
        Err(ContextError::Off) => return Vec::new(),
        Err(error) => panic!("{error}"),
    };
    let prio = policy("prio").expect("a listed policy");
    let one = ContextSpec::new("one", prio, cores.clone());
    let two = ContextSpec::new("two", policy("lws").expect("a listed policy"), cores.clone());
    let contexts = [one, two, ContextSpec::team("team", cores)];
    let job = |spec: ContextSpec| {
        let name = spec.name.clone();
        let context = flow.add_context(ContextSpec { is_shared: true, ..spec }).expect("made");
        let (start, work) = (Start::Now, Work::default());
        flow.add_job(JobSpec { name, context, start, work }).expect("made")
    };
    contexts.into_iter().map(job).collect()
}

/// What `rank` reads of `handle`.
fn read_at(flow: &mut Flow, handle: Handle, rank: Rank) -> Result<Option<Vec<u64>>, Injected> {
    let found = flow.read_at::<u64>(handle, rank).map(|contents| contents.map(<[u64]>::to_vec));
    found.map_err(|error| error.kernel_error::<Injected>().expect("the kernel's own error").clone())
}

/// The owner that was drawn, whatever the place.
struct Drawn(Vec<Option<u16>>);

impl Owners for Drawn {
    fn owner(&self, spot: Spot, ranks: usize) -> Rank {
        Rank(self.0[spot.row].unwrap_or(0) % ranks as u16)
    }
}

const CODEC: FailureCodec = FailureCodec {
    encode: |error| Some(error.downcast_ref::<Injected>()?.0.to_le_bytes().to_vec()),
    decode: |bytes| Some(Box::new(Injected(u64::from_le_bytes(bytes.try_into().ok()?)))),
};

impl Spread {
    pub(crate) fn options(&self) -> FlowOptions {
        let (window, deterministic) = (self.window, self.deterministic);
        FlowOptions { window, deterministic, codec: CODEC, ..FlowOptions::default() }
    }

    /// The tasks of the program.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.program
    }

    /// The same, with handles as small as those that [`tight`] machines are made for.
    pub(crate) fn with_small_handles(self) -> Self {
        let handles = self.handles.iter().map(|&(_, owner)| (0, owner)).collect();
        Self { handles, ..self }
    }

    /// Runs the program, whose owners are below `ranks`.
    fn run_in(&self, flow: &mut Flow, ranks: usize) -> (End, Found) {
        let (end, found, _) = self.run_traced(flow, ranks);
        (end, found)
    }

    /// As [`run_in`](Self::run_in), with what this rank has recorded of the program.
    pub(crate) fn run_traced(&self, flow: &mut Flow, ranks: usize) -> (End, Found, Trace) {
        flow.set_owners(Arc::new(Drawn(self.handles.iter().map(|&(_, owner)| owner).collect())));
        let register = |(row, &(size, owner)): (usize, &(usize, Option<u16>))| {
            let bytes = 8 * WORDS[size];
            match owner {
                None => flow.register(bytes),
                Some(_) => {
                    flow.register_at(bytes, Spot { row, column: 0, rows: HANDLES, columns: 1 })
                }
            }
        };
        let handles: Vec<Handle> = self.handles.iter().enumerate().map(register).collect();
        let mut found = Vec::new();
        let jobs = if self.has_contexts { jobs(flow) } else { Vec::new() };
        let (mut end, trace) = run_in(flow, &handles, |flow| {
            for (place, step) in self.program.iter().enumerate() {
                for &(_, handle, aside) in self.changes.iter().filter(|(at, ..)| *at == place) {
                    let (handle, of) = (handles[handle], |rank| Rank(rank % ranks as u16));
                    match aside {
                        Aside::Owner(owner) => flow.set_owner(handle, of(owner)),
                        Aside::Drop => flow.done_with_copies(handle),
                        Aside::Bring(rank) => flow.bring(handle, of(rank)),
                        Aside::Read(rank) => found.push(read_at(flow, handle, of(rank))),
                    }
                }
                match jobs.get(place % jobs.len().max(1)) {
                    Some(&job) => flow.within(job, |flow| submit(flow, &handles, step)),
                    None => submit(flow, &handles, step),
                }
            }
            for &job in &jobs {
                flow.close_job(job).expect("there is such a job");
            }
        });
        // One rank counts the folds of reductions as tasks; more do not.
        if let Some((task, _)) = &mut end.error {
            *task = 0;
        }
        (end, found, trace)
    }

    /// What `rank` finds of what one finds that runs alone.
    fn share(&self, found: &Found, rank: usize) -> Found {
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.retain(|(place, ..)| *place < self.program.len());
        changes.sort_by_key(|(place, ..)| *place);
        let readers = changes.into_iter().filter_map(|(.., aside)| match aside {
            Aside::Read(reader) => Some(usize::from(*reader) % self.ranks),
            _ => None,
        });
        let own = |(found, reader): (&Result<Option<Vec<u64>>, Injected>, usize)| {
            found.clone().map(|contents| contents.filter(|_| reader == rank))
        };
        found.iter().zip(readers).map(own).collect()
    }

    /// What the program sends, counted without running it.
    pub(crate) fn count(&self) -> Traffic {
        let mut flow = Flow::listening();
        self.run_in(&mut flow, self.ranks);
        let owners = Drawn(self.handles.iter().map(|&(_, owner)| owner).collect());
        let (all, each) = count(&flow.take_program(), self.ranks, &owners);
        assert_eq!(each.iter().map(|rank| rank.bytes).sum::<u64>(), all.bytes);
        all
    }

    /// How every rank ends, on a machine of its own that these are options for, over what is made
    /// of its end.
    fn run(
        &self,
        over: impl Fn(Local) -> Box<dyn Transport> + Sync,
        options: impl Fn(usize) -> ExecOptions + Sync,
    ) -> Vec<((End, Found), Traffic)> {
        let ends = Local::connect_unruly(self.ranks, self.seed);
        let run = |end: Local| {
            let rank = usize::from(end.rank().0);
            let world = Some(World::new(over(end)));
            let engine =
                Exec::new(ExecOptions { world, receive_bytes: self.room, ..options(rank) });
            let mut flow = Flow::new(engine, self.options());
            let end = self.run_in(&mut flow, self.ranks);
            (end, flow.traffic().expect("all ranks are there"))
        };
        let run = &run;
        thread::scope(|scope| {
            let ranks: Vec<_> = ends.into_iter().map(|end| scope.spawn(move || run(end))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("a rank panicked")).collect()
        })
    }

    /// What the ranks recorded of the program and of what follows it, and what they have sent.
    fn record(&self, options: impl Fn(usize) -> ExecOptions + Sync) -> (Vec<Trace>, Traffic) {
        let run = |end: Local| {
            let rank = usize::from(end.rank().0);
            let world = World::new(Box::new(end));
            let options = ExecOptions {
                world: Some(world.clone()),
                receive_bytes: self.room,
                trace: true,
                ..options(rank)
            };
            let mut flow = Flow::new(Exec::new(options), self.options());
            let (_, _, first) = self.run_traced(&mut flow, self.ranks);
            // While the flow is there, and after it.
            let first = gather_trace(&world, first).expect("traces are read");
            let (traffic, rest) = (flow.traffic().expect("all ranks are there"), flow.take_trace());
            drop(flow);
            let rest = gather_trace(&world, rest).expect("traces are read");
            (first.into_iter().chain(rest).collect::<Vec<_>>(), traffic)
        };
        let run = &run;
        thread::scope(|scope| {
            let start = |end| scope.spawn(move || run(end));
            let ends = Local::connect_unruly(self.ranks, self.seed);
            let ranks: Vec<_> = ends.into_iter().map(start).collect();
            let mut all = ranks.into_iter().map(|rank| rank.join().expect("a rank panicked"));
            let first = all.next().expect("there is a rank 0");
            assert!(all.all(|(traces, _)| traces.is_empty()), "rank 0 alone has the trace of all");
            first
        })
    }

    /// Asserts that the trace of all ranks has every task and every message once, in an order that
    /// can be.
    fn check_trace(
        &self,
        options: impl Fn(usize) -> ExecOptions + Sync,
    ) -> Result<(), TestCaseError> {
        let (traces, traffic) = self.record(options);
        check_tasks(&traces[0], &self.program);
        let messages: Vec<_> = traces.iter().flat_map(|trace| &trace.messages).collect();
        prop_assert_eq!(messages.len() as u64, traffic.messages);
        prop_assert_eq!(messages.iter().map(|message| message.bytes).sum::<u64>(), traffic.bytes);
        for message in messages {
            let (Some(sent), Some(received)) = (message.sent, message.received) else {
                return Err(TestCaseError::fail(format!("{message:?} has one end")));
            };
            prop_assert!(message.from != message.to && message.to < self.ranks);
            // Ranks that are threads have one clock.
            prop_assert!(sent.start <= received.start, "{:?} came before it was sent", message);
            for end in [sent, received] {
                prop_assert!(end.ready <= end.start && end.start <= end.end, "{:?}", message);
            }
        }
        for trace in &traces {
            prop_assert!(trace.records.iter().all(|record| record.after <= 1 + record.task));
            let names: std::collections::BTreeSet<_> = trace.site.workers.iter().collect();
            prop_assert_eq!(names.len(), trace.workers, "each worker has a name of its own");
            let mut file = Vec::new();
            trace.write(&mut file).expect("memory takes all");
            prop_assert_eq!(&Trace::read(file.as_slice()).expect("it was just written"), trace);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), TestCaseError> {
        self.check_on(|_| ExecOptions::new(self.workers))
    }

    fn check_on(&self, machine: impl Fn(usize) -> ExecOptions + Sync) -> Result<(), TestCaseError> {
        self.check_over(|end| Box::new(end), machine)
    }

    pub(crate) fn check_over(
        &self,
        over: impl Fn(Local) -> Box<dyn Transport> + Sync,
        machine: impl Fn(usize) -> ExecOptions + Sync,
    ) -> Result<(), TestCaseError> {
        let options = FlowOptions { window: 64, ..self.options() };
        let (expected, all) = self.run_in(&mut Flow::new(Sequential::new(), options), 1);
        let counted = self.count();
        let is_whole = expected.error.is_none() && all.iter().all(Result::is_ok);
        for (rank, ((end, found), sent)) in self.run(over, machine).into_iter().enumerate() {
            prop_assert_eq!(&end, &expected, "rank {} of {}", rank, self.ranks);
            prop_assert_eq!(found, self.share(&all, rank), "rank {} of {}", rank, self.ranks);
            // What is spoiled has no bytes.
            if is_whole && self.ranks > 1 {
                prop_assert_eq!(sent, counted, "rank {} of {}", rank, self.ranks);
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn ranks_end_as_one_does(program in spread(100, false, false)) {
        program.check()?;
    }

    #[test]
    fn large_data_arrive_in_parts(program in spread(16, false, true)) {
        program.check()?;
    }

    #[test]
    fn all_ranks_meet_the_first_failure(program in spread(60, true, false)) {
        // What a failed task has added to a share is not undone; which tasks of a group ran before
        // is a matter of timing.
        let mut program = program;
        program.program.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
        program.check()?;
    }

    #[test]
    fn large_data_may_be_spoiled(program in spread(24, true, true)) {
        let mut program = program;
        program.program.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
        program.check()?;
    }

    /// Ranks have unlike machines, some with accelerators, some with little RAM.
    #[test]
    fn memories_of_ranks_may_be_small(
        program in spread(60, false, false), machines in prop::collection::vec(tight(), 7),
        policy in 0..POLICIES.len(),
    ) {
        program.with_small_handles().check_on(|rank| ExecOptions {
            policy: &POLICIES[policy],
            scratch: Some(std::env::temp_dir()),
            ..ExecOptions::on(machines[rank].machine(WorkerKind::Emulated))
        })?;
    }

    /// Each rank has contexts of its own workers.
    #[test]
    fn contexts_of_ranks_change_no_result(
        program in spread(60, false, false), machines in prop::collection::vec(tight(), 7),
        own in 0..POLICIES.len(),
    ) {
        let program = Spread { has_contexts: true, ..program };
        program.check_on(|_| ExecOptions { contexts: true, ..ExecOptions::new(program.workers) })?;
        program.clone().with_small_handles().check_on(|rank| ExecOptions {
            contexts: true,
            policy: &POLICIES[own],
            scratch: Some(std::env::temp_dir()),
            ..ExecOptions::on(machines[rank].machine(WorkerKind::Emulated))
        })?;
    }

    /// What fails in a context of one rank fails everywhere.
    #[test]
    fn failures_in_contexts_of_ranks_are_those_of_one(program in spread(60, true, false)) {
        let mut program = Spread { has_contexts: true, ..program };
        program.program.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
        program.check_on(|_| ExecOptions { contexts: true, ..ExecOptions::new(program.workers) })?;
    }

    #[test]
    fn traces_have_every_message_once(
        program in spread(60, false, false), ranks in 2..5usize, policy in 0..POLICIES.len(),
    ) {
        let program = Spread { ranks, ..program };
        let workers = program.workers;
        program.check_trace(|_| ExecOptions::new(workers))?;
        program.check_trace(|_| ExecOptions {
            policy: &POLICIES[policy],
            ..ExecOptions::new(workers)
        })?;
    }

    #[test]
    fn traces_of_failures_have_every_message_once(
        program in spread(24, true, true), ranks in 2..5usize,
    ) {
        let mut program = Spread { ranks, ..program };
        program.program.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
        program.check_trace(|_| ExecOptions::new(program.workers))?;
    }

    #[test]
    fn a_window_of_one_task_never_hangs(program in spread(60, false, false), ranks in 2..6usize) {
        Spread { window: 1, workers: 1, room: 1, ranks, ..program }.check()?;
    }
}
