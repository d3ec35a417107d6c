//! Every policy on random programs in both engines: each task once, in an order that respects the
//! accesses, with the results and the failures of the sequential engine.

use proptest::prelude::*;
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Engine, Failure, Flow, FlowOptions, Handle,
};
use tegula_runtime::memory::Reduction;
use tegula_runtime::platform::{Platform, WorkerModel};
use tegula_runtime::sched::{POLICIES, Policy};
use tegula_runtime::sim::Sim;
use tegula_runtime::trace::{Outcome, TaskRecord, Trace};

/// Why a task of a random program fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("told to fail with {0}")]
struct Told(u64);

/// Mixes what it reads into what it writes. The mixture of `RW` depends on the order, those of
/// `Commute` and `Reduce` do not; all are exact.
#[derive(Clone, Copy, Debug)]
struct Mix {
    salt: u64,
    fails: bool,
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

impl Mix {
    fn run(self, buffers: &Buffers<'_>, modes: &[Access]) -> Result<(), Failure> {
        let mut state = self.salt;
        for (index, mode) in modes.iter().enumerate() {
            if *mode == Access::R {
                buffers.read::<u64>(index).iter().for_each(|x| state = mix(state ^ x));
            }
        }
        for (index, mode) in modes.iter().enumerate().filter(|(_, mode)| mode.writes()) {
            for x in buffers.write::<u64>(index) {
                *x = match mode {
                    Access::RW => mix(x.wrapping_mul(3) ^ state),
                    Access::Commute => x.wrapping_add(state),
                    _ => state,
                };
            }
        }
        if self.fails { Err(Box::new(Told(self.salt))) } else { Ok(()) }
    }
}

macro_rules! mixes {
    ($($name:ident: $($mode:ident)*;)*) => { $(
        #[derive(Clone, Copy)]
        struct $name(Mix);
        impl Codelet for $name {
            const NAME: &'static str = stringify!($name);
            const ACCESS: &'static [Access] = &[$(Access::$mode),*];
            fn cost(&self) -> Cost {
                Cost { flops: 1e3 * (1.0 + (self.0.salt % 7) as f64), bytes: 64.0 }
            }
            fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
                self.0.run(buffers, Self::ACCESS)
            }
        }
    )* };
}

mixes! {
    Write: W;
    Update: RW;
    Copy: R W;
    Combine: R RW;
    Three: R R RW;
    Spread: R W RW;
    Scratched: R Scratch RW;
}

/// Adds to a handle whatever the order: to be used with `Commute` or `Reduce`.
#[derive(Clone, Copy)]
struct Add(Mix);

impl Codelet for Add {
    const NAME: &'static str = "Add";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];
    fn cost(&self) -> Cost {
        Cost { flops: 500.0, bytes: 32.0 }
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        self.0.run(buffers, &[Access::R, Access::Commute])
    }
}

/// Adds to two handles whatever the order.
#[derive(Clone, Copy)]
struct AddTwice(Mix);

impl Codelet for AddTwice {
    const NAME: &'static str = "AddTwice";
    const ACCESS: &'static [Access] = &[Access::RW, Access::RW];
    fn cost(&self) -> Cost {
        Cost { flops: 500.0, bytes: 32.0 }
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        self.0.run(buffers, &[Access::Commute, Access::Commute])
    }
}

#[derive(Clone, Debug)]
struct Step {
    kind: u8,
    handles: [usize; 3],
    priority: i32,
    mix: Mix,
}

const HANDLES: usize = 6;
const KINDS: u8 = 12;

/// Submits one step of a program.
fn submit(flow: &mut Flow, handles: &[Handle], step: &Step) {
    let [a, b, c] = step.handles.map(|index| handles[index]);
    let (mix, priority) = (step.mix, step.priority);
    use Access::{Commute, R, RW, Reduce, Scratch, W};
    match step.kind {
        0 => flow.submit(Write(mix), &[(a, W)], priority),
        1 => flow.submit(Update(mix), &[(a, RW)], priority),
        2 => flow.submit(Copy(mix), &[(a, R), (b, W)], priority),
        3 | 4 => flow.submit(Combine(mix), &[(a, R), (b, RW)], priority),
        5 => flow.submit(Three(mix), &[(a, R), (b, R), (c, RW)], priority),
        6 => flow.submit(Spread(mix), &[(a, R), (b, W), (c, RW)], priority),
        7 => flow.submit(Scratched(mix), &[(a, R), (b, Scratch), (c, RW)], priority),
        8 => flow.submit(Add(mix), &[(a, R), (b, Commute)], priority),
        9 => flow.submit(AddTwice(mix), &[(a, Commute), (b, Commute)], priority),
        10 => flow.submit(Add(mix), &[(a, R), (b, Reduce)], priority),
        _ => flow.done_with(a),
    }
}

/// What each step reads and writes, for the check of the order: (handle, mode).
fn accesses(step: &Step) -> Vec<(usize, Access)> {
    use Access::{Commute, R, RW, Reduce, W};
    let [a, b, c] = step.handles;
    match step.kind {
        0 => vec![(a, W)],
        1 => vec![(a, RW)],
        2 => vec![(a, R), (b, W)],
        3 | 4 => vec![(a, R), (b, RW)],
        5 => vec![(a, R), (b, R), (c, RW)],
        6 => vec![(a, R), (b, W), (c, RW)],
        7 => vec![(a, R), (c, RW)],
        8 => vec![(a, R), (b, Commute)],
        9 => vec![(a, Commute), (b, Commute)],
        10 => vec![(a, R), (b, Reduce)],
        _ => vec![(a, W)],
    }
}

fn steps(length: usize, failing: bool) -> impl Strategy<Value = Vec<Step>> {
    let handles = Just(()).prop_perturb(|(), mut rng| {
        let mut all: Vec<usize> = (0..HANDLES).collect();
        for place in 0..3 {
            let other = place + rng.random_range(0..HANDLES - place);
            all.swap(place, other);
        }
        [all[0], all[1], all[2]]
    });
    // Which member of a commuting group runs before another fails is a matter of timing, so
    // programs that fail do without.
    let kinds =
        (0..KINDS).prop_map(move |kind| if failing && (8..=9).contains(&kind) { 3 } else { kind });
    let fails = prop::bool::weighted(if failing { 0.05 } else { 0.0 });
    let step = (kinds, handles, -2..3i32, any::<u64>(), fails).prop_map(
        |(kind, handles, priority, salt, fails)| Step {
            kind,
            handles,
            priority,
            mix: Mix { salt, fails },
        },
    );
    prop::collection::vec(step, 0..length)
}

/// What a run ends with: the error of the first wait, and the contents of every handle after what
/// is spoiled was overwritten.
#[derive(Debug, PartialEq)]
struct End {
    error: Option<(u64, Told)>,
    spoiled: Vec<bool>,
    contents: Vec<Vec<u64>>,
}

fn run(engine: impl Engine + 'static, options: FlowOptions, program: &[Step]) -> (End, Trace) {
    let mut flow = Flow::new(engine, options);
    let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
    for &handle in &handles {
        flow.set_reduction(handle, Reduction::sum::<std::num::Wrapping<u64>>());
    }
    program.iter().for_each(|step| submit(&mut flow, &handles, step));
    let error = flow.wait().err().map(|error| match &error {
        tegula_runtime::flow::FlowError::Task { task, .. } => {
            (*task, error.kernel_error::<Told>().expect("the kernel's own error").clone())
        }
        other => panic!("{other}"),
    });
    let trace = flow.take_trace();
    let mut end = End { error, spoiled: Vec::new(), contents: Vec::new() };
    for &handle in &handles {
        let contents = flow.read::<u64>(handle).map(<[u64]>::to_vec);
        let spoiled = contents.is_err() || {
            // A handle that nobody reads after the failure is found out by a reader.
            flow.submit(Probe, &[(handle, Access::R)], 0);
            flow.wait().is_err()
        };
        end.spoiled.push(spoiled);
        end.contents.push(if spoiled { Vec::new() } else { contents.unwrap_or_default() });
    }
    for &handle in &handles {
        flow.submit(Write(Mix { salt: 7, fails: false }), &[(handle, Access::W)], 0);
    }
    flow.wait().expect("overwriting cures");
    (end, trace)
}

#[derive(Clone, Copy)]
struct Probe;

impl Codelet for Probe {
    const NAME: &'static str = "probe";
    const ACCESS: &'static [Access] = &[Access::R];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

fn exec(policy: &'static Policy, workers: usize, seed: u64) -> Exec {
    Exec::new(ExecOptions { policy, seed, trace: true, ..ExecOptions::new(workers) })
}

fn sim(policy: &Policy, workers: usize, seed: u64) -> Sim {
    let mut platform = Platform::uniform(
        workers,
        WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 },
    );
    platform.workers[0].gflops = 2.5;
    Sim::new(platform, policy, seed)
}

/// Steps that are tasks of their own, with their program index.
fn tasks(program: &[Step]) -> Vec<&Step> {
    program.iter().filter(|step| step.kind != KINDS - 1).collect()
}

/// Each task exactly once; folds, which the flow inserts, are counted apart.
fn check_once(trace: &Trace, program: &[Step]) {
    let own = trace.records.iter().filter(|record| record.codelet != "fold").count();
    assert_eq!(own, tasks(program).len(), "number of tasks that ran");
    let mut indices: Vec<u64> = trace.records.iter().map(|record| record.task).collect();
    indices.sort_unstable();
    indices.dedup();
    assert_eq!(indices.len(), trace.records.len(), "a task ran twice");
}

/// Conflicting tasks ran in program order and did not overlap; commuting ones did not overlap.
fn check_order(trace: &Trace, program: &[Step]) {
    let mut records: Vec<&TaskRecord> =
        trace.records.iter().filter(|record| record.codelet != "fold").collect();
    records.sort_unstable_by_key(|record| record.task);
    let steps = tasks(program);
    for (later, step) in steps.iter().enumerate() {
        for (earlier, other) in steps[..later].iter().enumerate() {
            let (first, second) = (records[earlier], records[later]);
            for (handle, mode) in accesses(step) {
                for (_, before) in accesses(other).iter().filter(|(same, _)| *same == handle) {
                    let alike = mode == *before;
                    let ordered = first.end <= second.start;
                    match mode {
                        Access::R | Access::Reduce if alike => {}
                        Access::Commute if alike => {
                            assert!(
                                ordered || second.end <= first.start,
                                "{first:?} overlaps {second:?}"
                            );
                        }
                        _ => assert!(ordered, "{second:?} did not wait for {first:?}"),
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn real_runs_equal_sequential_ones(
        program in steps(120, false), workers in 1..5usize, seed in any::<u64>(), window in 1..64u64,
        cache in any::<bool>(),
    ) {
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        prop_assert_eq!(&expected.error, &None);
        for policy in POLICIES {
            let options = FlowOptions { window, cache, ..FlowOptions::default() };
            let (end, trace) = run(exec(policy, workers, seed), options, &program);
            prop_assert_eq!(&end, &expected, "{} with {} workers", policy.name, workers);
            check_once(&trace, &program);
            check_order(&trace, &program);
        }
    }

    #[test]
    fn the_first_failure_in_program_order_wins(
        program in steps(120, true), workers in 1..5usize, seed in any::<u64>(), window in 1..64u64,
    ) {
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        for policy in POLICIES {
            let options = FlowOptions { window, ..FlowOptions::default() };
            let (end, trace) = run(exec(policy, workers, seed), options, &program);
            prop_assert_eq!(&end, &expected, "{} with {} workers", policy.name, workers);
            check_once(&trace, &program);
        }
    }

    #[test]
    fn deterministic_flows_give_the_same_failure_with_commuting_tasks(
        mut program in steps(120, false), workers in 1..5usize, failing in 0..120usize,
    ) {
        if let Some(step) = program.get_mut(failing) {
            step.mix.fails = true;
        }
        let options = FlowOptions { deterministic: true, ..FlowOptions::default() };
        let (expected, _) = run(Sequential::new(), options, &program);
        for policy in POLICIES {
            let (end, _) = run(exec(policy, workers, 0), options, &program);
            prop_assert_eq!(&end, &expected, "{}", policy.name);
        }
    }

    #[test]
    fn simulated_runs_respect_the_graph_and_repeat(
        program in steps(120, false), workers in 1..6usize, seed in any::<u64>(), window in 1..64u64,
    ) {
        for policy in POLICIES {
            let simulate = || {
                let options = FlowOptions { window, ..FlowOptions::default() };
                let mut flow = Flow::new(sim(policy, workers, seed), options);
                let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
                program.iter().for_each(|step| submit(&mut flow, &handles, step));
                flow.wait().expect("nothing runs, nothing fails");
                flow.take_trace()
            };
            let trace = simulate();
            check_once(&trace, &program);
            check_order(&trace, &program);
            prop_assert_eq!(&trace.records, &simulate().records, "{} is not deterministic", policy.name);
            check_replay(&trace, &program);
        }
    }

    #[test]
    fn simulated_workers_do_not_idle_beside_ready_tasks(
        program in steps(80, false), workers in 1..6usize, seed in any::<u64>(),
    ) {
        for policy in POLICIES.iter() {
            let conserving = (policy.build)(&tegula_runtime::sched::PolicyOptions { workers, seed })
                .is_work_conserving();
            // Tasks that wait at a gate are ready in the graph but may not run; folds and discards
            // order tasks too, but are no steps of the program.
            let program: Vec<Step> =
                program.iter().filter(|step| step.kind < 8).cloned().collect();
            if conserving {
                let mut flow = Flow::new(sim(policy, workers, seed), FlowOptions::default());
                let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
                program.iter().for_each(|step| submit(&mut flow, &handles, step));
                flow.wait().expect("nothing fails");
                check_busy(&flow.take_trace(), &program, workers);
            }
        }
    }
}

/// Running the program sequentially in the order in which the simulation started its tasks gives
/// the results of the program.
fn check_replay(trace: &Trace, program: &[Step]) {
    let steps = tasks(program);
    // Program indices count folds; a fold comes right before the task that caused it.
    let mut order: Vec<&TaskRecord> = trace.records.iter().collect();
    order.sort_unstable_by_key(|record| record.task);
    let own: Vec<u64> =
        order.iter().filter(|record| record.codelet != "fold").map(|record| record.task).collect();
    let place = |task: u64| own.binary_search(&task).ok();
    let keeps = |step: &Step| step.kind != KINDS - 1;
    let plain: Vec<Step> = program.iter().filter(|step| keeps(step)).cloned().collect();
    let replayed: Vec<Step> = trace
        .records
        .iter()
        .filter_map(|record| place(record.task))
        .map(|position| steps[position].clone())
        .collect();
    let (expected, _) = run(Sequential::new(), FlowOptions::default(), &plain);
    let (end, _) = run(Sequential::new(), FlowOptions::default(), &replayed);
    // Discards are not in the trace, and a program with them reads zeros after them.
    if plain.len() == program.len() {
        assert_eq!(end, expected);
    }
}

/// Whenever a task waited though its predecessors were done, every worker was busy.
fn check_busy(trace: &Trace, program: &[Step], workers: usize) {
    let mut records: Vec<&TaskRecord> = trace.records.iter().collect();
    records.sort_unstable_by_key(|record| record.task);
    let steps = tasks(program);
    for (later, step) in steps.iter().enumerate() {
        let conflicts = |other: &Step| {
            accesses(step).iter().any(|&(handle, mode)| {
                accesses(other)
                    .iter()
                    .any(|&(same, before)| same == handle && (mode.writes() || before.writes()))
            })
        };
        let before = (0..later).filter(|&earlier| conflicts(steps[earlier]));
        let ready = before.map(|earlier| records[earlier].end).max().unwrap_or(0);
        let start = records[later].start;
        let mut times: Vec<u64> =
            records.iter().map(|r| r.start).filter(|&t| t >= ready && t < start).collect();
        if ready < start {
            times.push(ready);
        }
        for time in times {
            let busy = records.iter().filter(|r| r.start <= time && time < r.end).count();
            assert_eq!(
                busy, workers,
                "{:?} was ready at {ready} and waited at {time}",
                records[later]
            );
        }
    }
}

#[test]
fn a_panic_ends_the_wait_with_its_message() {
    #[derive(Clone, Copy)]
    struct Panics;
    impl Codelet for Panics {
        const NAME: &'static str = "panics";
        const ACCESS: &'static [Access] = &[Access::RW];
        fn cost(&self) -> Cost {
            Cost::default()
        }
        fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
            panic!("out of cheese")
        }
    }
    for policy in POLICIES {
        for workers in 1..4 {
            let mut flow = Flow::new(exec(policy, workers, 1), FlowOptions::default());
            let handle = flow.register(8);
            for _ in 0..100 {
                flow.submit(Panics, &[(handle, Access::RW)], 0);
            }
            let unwind = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| flow.wait()));
            let payload = unwind.expect_err("the wait panics");
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"out of cheese"));
            flow.submit(Write(Mix { salt: 1, fails: false }), &[(handle, Access::W)], 0);
            flow.wait().expect("the flow goes on");
        }
    }
}

#[test]
fn thousands_of_evaluations_leak_nothing() {
    let mut flow = Flow::new(Exec::with_workers(3), FlowOptions::default());
    let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(100_000)).collect();
    for evaluation in 0..3000u64 {
        let fails = evaluation % 3 == 1;
        for (index, &handle) in handles.iter().enumerate() {
            flow.submit(
                Write(Mix { salt: 1, fails: fails && index == 2 }),
                &[(handle, Access::W)],
                0,
            );
        }
        for pair in handles.windows(2) {
            flow.submit(
                Combine(Mix { salt: 2, fails: false }),
                &[(pair[0], Access::R), (pair[1], Access::RW)],
                1,
            );
        }
        flow.done_with(handles[0]);
        assert_eq!(flow.wait().is_err(), fails);
    }
    let (bytes, buffer) = (flow.memory().peak_bytes, 100_000usize.next_multiple_of(4096));
    assert!(bytes <= HANDLES * buffer, "{bytes} bytes in buffers of {HANDLES} handles");
    for &handle in &handles {
        flow.unregister(handle);
    }
    flow.trim();
    assert_eq!(flow.memory().bytes, 0);
}

#[test]
fn a_table_read_for_ever_does_not_grow_the_graph() {
    let mut flow =
        Flow::new(Exec::with_workers(2), FlowOptions { window: 16, ..FlowOptions::default() });
    let table = flow.register_from(&[1u64; 4]);
    let sums: Vec<Handle> = (0..4).map(|_| flow.register(32)).collect();
    for task in 0..20_000 {
        let mix = Mix { salt: 1, fails: false };
        flow.submit(Combine(mix), &[(table, Access::R), (sums[task % 4], Access::RW)], 0);
    }
    flow.submit(Write(Mix { salt: 9, fails: false }), &[(table, Access::W)], 0);
    assert_eq!(flow.read::<u64>(table).expect("nothing fails"), [9; 4]);
    assert!(flow.take_trace().records.is_empty(), "nothing is recorded unless asked for");
}

#[test]
fn outcomes_are_recorded() {
    let mut flow = Flow::new(exec(&POLICIES[0], 2, 0), FlowOptions::default());
    let handle = flow.register(8);
    flow.submit(Write(Mix { salt: 1, fails: true }), &[(handle, Access::W)], 0);
    flow.submit(Update(Mix { salt: 1, fails: false }), &[(handle, Access::RW)], 0);
    flow.submit(Write(Mix { salt: 1, fails: false }), &[(handle, Access::W)], 0);
    assert!(flow.wait().is_err());
    let outcomes: Vec<Outcome> = flow.take_trace().records.iter().map(|r| r.outcome).collect();
    assert_eq!(outcomes, [Outcome::Failed, Outcome::Skipped, Outcome::Done]);
}
