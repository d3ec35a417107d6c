//! Random programs: their codelets, their steps, and a run of them in any engine.

use proptest::prelude::*;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Engine, Failure, Flow, FlowOptions, Handle,
};
use tegula_runtime::memory::Reduction;
use tegula_runtime::platform::{ClassId, Durations, Machine, WorkerKind, WorkerModel};
use tegula_runtime::sched::{EvictionPolicy, Policy};
use tegula_runtime::sim::{Costs, Sim, SimOptions};
use tegula_runtime::trace::Trace;

/// Why a task of a random program fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("told to fail with {0}")]
pub(crate) struct Injected(pub(crate) u64);

/// Mixes what it reads into what it writes. The mixture of `RW` depends on the order, those of
/// `Commute` and `Reduce` do not; all are exact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix {
    pub(crate) salt: u64,
    pub(crate) fails: bool,
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
        if self.fails { Err(Box::new(Injected(self.salt))) } else { Ok(()) }
    }
}

macro_rules! mixes {
    ($($name:ident: $($mode:ident)*;)*) => { $(
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) Mix);
        impl Codelet for $name {
            const NAME: &'static str = stringify!($name);
            const ACCESS: &'static [Access] = &[$(Access::$mode),*];
            fn cost(&self) -> Cost {
                // Some are small enough to be handed out in batches, some are not.
                Cost { flops: 6e3 * (1.0 + (self.0.salt % 7) as f64), bytes: 64.0 }
            }
            fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
                self.0.run(buffers, Self::ACCESS)
            }
        }
    )* };
}

/// Leaves its work half done.
#[derive(Clone, Copy)]
pub(crate) struct Panics;

impl Codelet for Panics {
    const NAME: &'static str = "panics";
    const ACCESS: &'static [Access] = &[Access::RW];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        buffers.write::<u64>(0)[0] = 666;
        panic!("out of cheese")
    }
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
pub(crate) struct Step {
    pub(crate) kind: u8,
    pub(crate) handles: [usize; 3],
    pub(crate) priority: i32,
    pub(crate) mix: Mix,
}

impl Step {
    /// A step that updates one handle.
    pub(crate) fn update(handle: usize, salt: u64) -> Self {
        let mix = Mix { salt, fails: false };
        Self { kind: 1, handles: [handle, handle, handle], priority: 0, mix }
    }
}

/// Only workers of this class run anything.
pub(crate) struct OnlyClass(pub(crate) usize);

impl Durations for OnlyClass {
    fn nanoseconds(&self, _codelet: &'static str, _cost: Cost, class: ClassId) -> Option<u64> {
        (class.0 == self.0).then_some(1000)
    }
}

pub(crate) const HANDLES: usize = 6;
pub(crate) const KINDS: u8 = 12;

/// Submits one step of a program.
pub(crate) fn submit(flow: &mut Flow, handles: &[Handle], step: &Step) {
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
pub(crate) fn accesses(step: &Step) -> Vec<(usize, Access)> {
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

/// Programs of up to `length` steps.
pub(crate) fn steps(length: usize, failing: bool) -> impl Strategy<Value = Vec<Step>> {
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
pub(crate) struct End {
    pub(crate) error: Option<(u64, Injected)>,
    spoiled: Vec<bool>,
    contents: Vec<Vec<u64>>,
}

/// Runs `program` in `engine`: how it ends, and its trace.
pub(crate) fn run(
    engine: impl Engine + 'static,
    options: FlowOptions,
    program: &[Step],
) -> (End, Trace) {
    let mut flow = Flow::new(engine, options);
    let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
    run_in(&mut flow, &handles, |flow| {
        program.iter().for_each(|step| submit(flow, &handles, step));
    })
}

/// Runs what `program` submits to `flow` on `handles`: how it ends, and its trace.
pub(crate) fn run_in(
    flow: &mut Flow,
    handles: &[Handle],
    program: impl FnOnce(&mut Flow),
) -> (End, Trace) {
    for &handle in handles {
        flow.set_reduction(handle, Reduction::sum::<std::num::Wrapping<u64>>());
    }
    program(flow);
    let error = flow.wait().err().map(|error| match &error {
        tegula_runtime::flow::FlowError::Task { task, .. } => {
            let own = error.kernel_error::<Injected>();
            (*task, own.unwrap_or_else(|| panic!("no error of a kernel: {error}")).clone())
        }
        other => panic!("{other}"),
    });
    let trace = flow.take_trace();
    let mut end = End { error, spoiled: Vec::new(), contents: Vec::new() };
    for &handle in handles {
        let contents = flow.read::<u64>(handle).map(<[u64]>::to_vec);
        let spoiled = contents.is_err() || {
            // A handle that nobody reads after the failure is found out by a reader.
            flow.submit(Probe, &[(handle, Access::R)], 0);
            flow.wait().is_err()
        };
        end.spoiled.push(spoiled);
        end.contents.push(if spoiled { Vec::new() } else { contents.unwrap_or_default() });
    }
    for &handle in handles {
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

/// The real engine, recording.
pub(crate) fn exec(policy: &'static Policy, workers: usize, seed: u64) -> Exec {
    Exec::new(ExecOptions { policy, seed, trace: true, ..ExecOptions::new(workers) })
}

/// A machine with memories that hold little more than the largest task, or just that.
#[derive(Clone, Debug)]
pub(crate) struct Tight {
    cores: usize,
    /// Bytes of each accelerator's memory.
    devices: Vec<u64>,
    /// Bytes of the RAM, if it is limited.
    ram: Option<u64>,
}

/// What the three handles of the largest task take.
const LARGEST: u64 = 3 * 64;

/// Machines of up to three cores and three accelerators.
pub(crate) fn tight() -> impl Strategy<Value = Tight> {
    let room = || (0..7u64).prop_map(|more| LARGEST + 64 * more);
    let devices = prop::collection::vec(room(), 0..4);
    (1..4usize, devices, prop::option::of(room())).prop_map(|(cores, devices, ram)| Tight {
        cores,
        devices,
        ram,
    })
}

impl Tight {
    /// So many cores on one memory without limit.
    pub(crate) fn flat(cores: usize) -> Self {
        Self { cores, devices: Vec::new(), ram: None }
    }

    pub(crate) fn machine(&self, kind: WorkerKind) -> Machine {
        let mut machine = Machine::cores(self.cores);
        if let Some(bytes) = self.ram {
            machine.limit_ram(bytes, 1e9, 1e9);
        }
        for &bytes in &self.devices {
            machine.add_accelerator(kind, Some(bytes), 1e9, 1.0);
        }
        machine
    }

    /// Bytes of each accelerator's memory.
    pub(crate) fn devices(&self) -> &[u64] {
        &self.devices
    }

    /// What runs of `program`: where data moves, reductions commute.
    pub(crate) fn as_run(&self, program: &[Step]) -> Vec<Step> {
        let mut steps = program.to_vec();
        if !self.is_flat() {
            steps.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 8);
        }
        steps
    }

    /// Whether data has to move at all.
    pub(crate) fn is_flat(&self) -> bool {
        self.devices.is_empty() && self.ram.is_none()
    }
}

/// The real engine on `tight`, recording.
pub(crate) fn exec_on(
    tight: &Tight,
    policy: &'static Policy,
    eviction: &'static EvictionPolicy,
    seed: u64,
) -> Exec {
    let options = ExecOptions::on(tight.machine(WorkerKind::Emulated));
    let scratch = Some(std::env::temp_dir());
    Exec::new(ExecOptions { policy, eviction, seed, scratch, trace: true, ..options })
}

/// The simulated engine on `tight`.
pub(crate) fn sim_on(
    tight: &Tight,
    policy: &'static Policy,
    eviction: &'static EvictionPolicy,
    seed: u64,
) -> Sim {
    sim_costing(tight, (policy, eviction), seed, Costs::default())
}

/// The same with costs beside tasks and transfers.
pub(crate) fn sim_costing(
    tight: &Tight,
    (policy, eviction): (&'static Policy, &'static EvictionPolicy),
    seed: u64,
    costs: Costs,
) -> Sim {
    let machine = tight.machine(WorkerKind::Cuda);
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let models = vec![model; machine.classes.len()];
    let options = SimOptions::new(machine, models, policy);
    Sim::new(SimOptions { eviction, seed, noise: 0.1, costs, ..options })
}

/// The simulated engine, with a first worker that is faster than the others.
pub(crate) fn sim(policy: &'static Policy, workers: usize, seed: u64) -> Sim {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let mut models = vec![model; workers];
    models[0].gflops = 2.5;
    let options = SimOptions::new(Machine::unequal_cores(workers), models, policy);
    Sim::new(SimOptions { seed, ..options })
}
