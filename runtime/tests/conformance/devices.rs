//! Random programs on devices with memories and queues of their own, well and broken, all played by
//! a stand-in.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Engine, Failure, Flow, FlowError, FlowOptions, Handle,
};
use tegula_runtime::platform::{Machine, MemoryKind, Worker, WorkerKind};
use tegula_runtime::sched::{EvictionPolicy, POLICIES, Policy, policy};
use tegula_runtime::sim::{Sim, SimOptions};

use crate::checks::{check_memories, check_once, check_order};
use crate::config;
use crate::program::{HANDLES, Step, Tight, run, steps, submit, tight};
use crate::stand_in::{StandIn, Trouble};

/// The real engine on `tight`, whose devices are stand-ins.
fn exec_with(
    tight: &Tight,
    policy: &'static Policy,
    eviction: &'static EvictionPolicy,
    trouble: Trouble,
) -> Exec {
    let mut machine = tight.machine(WorkerKind::Cuda);
    if trouble.peers {
        connect(&mut machine);
    }
    if trouble.more_streams > 0 {
        let is_device = |worker: &&mut Worker| worker.slots > 1;
        machine.workers.iter_mut().filter(is_device).for_each(|worker| {
            worker.slots = 2 * (1 + trouble.more_streams);
            worker.pipeline = worker.slots + 1;
        });
    }
    let options = ExecOptions::on(machine);
    let accelerators = StandIn::fleet(tight.devices(), trouble);
    let scratch = Some(std::env::temp_dir());
    Exec::new(ExecOptions { policy, eviction, accelerators, scratch, trace: true, ..options })
}

/// Gives every two devices a way of their own.
fn connect(machine: &mut Machine) {
    let is_device = |&memory: &usize| machine.memories[memory].kind == MemoryKind::Device;
    let devices: Vec<usize> = (0..machine.memories.len()).filter(is_device).collect();
    for (place, &one) in devices.iter().enumerate() {
        devices[..place].iter().for_each(|&other| machine.connect(one, other, 1e9));
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn devices_change_no_result(
        program in steps(60, false), tight in tight(), delay in 0..2u64, peers in any::<bool>(),
        more_streams in 0..3usize,
    ) {
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        let delay = Duration::from_micros(30 * delay);
        let trouble = Trouble { delay, peers, more_streams, ..Trouble::default() };
        for (policy, eviction) in super::combinations(&tight) {
            let engine = exec_with(&tight, policy, eviction, trouble);
            let (end, trace) = run(engine, FlowOptions::default(), &program);
            prop_assert_eq!(&end, &expected, "{} {}", policy.name, eviction.name);
            check_once(&trace, &program);
            check_order(&trace, &tight.as_run(&program));
            check_memories(&trace, &program);
        }
    }

    #[test]
    fn failures_on_devices_are_those_of_the_sequential_engine(
        mut program in steps(60, true), tight in tight(),
    ) {
        program.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        for policy in POLICIES {
            let eviction = tegula_runtime::sched::eviction(policy.eviction).expect("it is listed");
            let engine = exec_with(&tight, policy, eviction, Trouble::default());
            let (end, _) = run(engine, FlowOptions::default(), &program);
            prop_assert_eq!(&end, &expected, "{}", policy.name);
        }
    }

    /// With room for all, a device that runs everything is brought just what a simulation says.
    #[test]
    fn a_device_is_brought_what_is_simulated(
        program in steps(60, false), name in 0..POLICIES.len(), delay in 0..2u64,
    ) {
        let program: Vec<Step> = program.into_iter().filter(|step| step.kind < 8).collect();
        let trouble = Trouble { delay: Duration::from_micros(30 * delay), ..Trouble::default() };
        let (policy, only) = (&POLICIES[name], || crate::program::OnlyClass(1));
        let options = one_device(1 << 20, trouble);
        let machine = (*options.machine).clone();
        let exec =
            ExecOptions { policy, durations: Arc::new(only()), trace: true, ..options };
        let real = moved(Exec::new(exec), &program);
        let simulated = moved(Sim::new(SimOptions::new(machine, only(), policy)), &program);
        let is_read = |step: &Step| step.kind > 0;
        prop_assert!(!real.is_empty() || !program.iter().any(is_read), "what is read comes");
        prop_assert_eq!(real, simulated, "{}", policy.name);
    }

    /// Whatever breaks and whenever: the flow ends, and with nothing or that as its error.
    #[test]
    fn broken_devices_end_a_flow_with_their_error(
        program in steps(60, false), tight in tight(), name in 0..POLICIES.len(),
        copies in prop::option::of(0..20usize), allocations in prop::option::of(0..20usize),
        tasks in prop::option::of(0..20usize), peers in any::<bool>(),
    ) {
        let policy = &POLICIES[name];
        let eviction = tegula_runtime::sched::eviction(policy.eviction).expect("it is listed");
        let trouble = Trouble { copies, allocations, tasks, peers, ..Trouble::default() };
        match attempt(exec_with(&tight, policy, eviction, trouble), &program) {
            Ok(()) | Err(FlowError::OutOfMemory(_) | FlowError::Device(_)) => {}
            Err(FlowError::Task { source, .. }) => {
                let text = source.to_string();
                let is_known = text.contains("told to") || text.contains("out of memory");
                prop_assert!(is_known, "{}", text);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn devices_get_no_task_that_they_cannot_run(program in steps(60, false), tight in tight()) {
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        let trouble = Trouble { lacks: Some("Combine"), ..Trouble::default() };
        for policy in POLICIES {
            let eviction = tegula_runtime::sched::eviction(policy.eviction).expect("it is listed");
            let engine = exec_with(&tight, policy, eviction, trouble);
            let (end, trace) = run(engine, FlowOptions::default(), &program);
            prop_assert_eq!(&end, &expected, "{}", policy.name);
            let classes = &trace.site.classes;
            for task in &trace.records {
                let is_there = task.codelet == "Combine" && classes[task.worker].starts_with("gpu");
                prop_assert!(!is_there, "a device got what it cannot run");
            }
        }
    }
}

/// What `program` moves of data that is in the RAM at first: handle, from where, to where, bytes.
fn moved(engine: impl Engine + 'static, program: &[Step]) -> Vec<(u32, usize, usize, u64)> {
    let mut flow = Flow::new(engine, FlowOptions::default());
    let handles: Vec<Handle> = (0..HANDLES as u64).map(|k| flow.register_from(&[k; 3])).collect();
    // Where nothing is ever written.
    handles.iter().for_each(|&handle| flow.touch(handle));
    program.iter().for_each(|step| submit(&mut flow, &handles, step));
    flow.wait().expect("nothing fails");
    let transfers = flow.take_trace().transfers;
    let mut all: Vec<_> = transfers.iter().map(|t| (t.handle, t.src, t.dst, t.bytes)).collect();
    all.sort_unstable();
    all
}

/// Submits `program`, waits, reads everything, and says what went wrong first.
fn attempt(engine: Exec, program: &[Step]) -> Result<(), FlowError> {
    let mut flow = Flow::new(engine, FlowOptions::default());
    let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
    for step in program.iter().filter(|step| step.kind != 10) {
        submit(&mut flow, &handles, step);
    }
    flow.wait()?;
    handles.iter().try_for_each(|&handle| flow.read::<u64>(handle).map(drop))
}

/// One core and one device of `bytes` bytes, under a policy that plans.
fn one_device(bytes: u64, trouble: Trouble) -> ExecOptions {
    let mut machine = Machine::cores(1);
    machine.add_accelerator(WorkerKind::Cuda, Some(bytes), 1e9, 1.0);
    ExecOptions {
        accelerators: vec![Arc::new(StandIn::new(bytes, trouble))],
        policy: policy("dmda").expect("it is listed"),
        ..ExecOptions::on(machine)
    }
}

#[test]
#[should_panic(expected = "0 devices for 1 CUDA workers")]
fn a_cuda_worker_needs_its_device() {
    let options = one_device(1 << 20, Trouble::default());
    drop(Exec::new(ExecOptions { accelerators: Vec::new(), ..options }));
}

#[test]
fn a_device_without_room_is_out_of_memory() {
    let trouble = Trouble { allocations: Some(0), ..Trouble::default() };
    let update = |salt| Step::update(0, salt);
    let program: Vec<Step> = (0..40).map(update).collect();
    let mut options = one_device(1 << 20, trouble);
    options.durations = Arc::new(crate::program::OnlyClass(1));
    let error = attempt(Exec::new(options), &program).expect_err("there is no room");
    let text = error.to_string();
    assert!(text.contains("out of memory"), "{text}");
}

#[test]
fn a_device_is_given_its_next_task_before_the_last_has_ended() {
    let trouble = Trouble { delay: Duration::from_millis(2), ..Trouble::default() };
    let device = Arc::new(StandIn::new(1 << 20, trouble));
    let mut options = one_device(1 << 20, Trouble::default());
    options.accelerators = vec![device.clone()];
    options.durations = Arc::new(crate::program::OnlyClass(1));
    let program: Vec<Step> = (0..40).map(|k| Step::update(k % HANDLES, k as u64)).collect();
    attempt(Exec::new(options), &program).expect("nothing fails");
    assert_eq!(device.deepest(), 2, "tasks in the queue");
}

#[derive(Clone, Copy, Debug)]
struct Raise;

impl Codelet for Raise {
    const NAME: &'static str = "raise";
    const ACCESS: &'static [Access] = &[Access::RW];
    fn cost(&self) -> Cost {
        Cost { flops: 1.0, bytes: 1.0 }
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        buffers.write::<u64>(0).iter_mut().for_each(|number| *number += 1);
        Ok(())
    }
}

/// Large buffers are pinned once, copied straight, and let go of with the flow.
#[test]
fn large_buffers_are_pinned_as_long_as_they_are_there() {
    let device = Arc::new(StandIn::new(1 << 20, Trouble::default()));
    let mut options = one_device(1 << 20, Trouble::default());
    options.accelerators = vec![device.clone()];
    options.durations = Arc::new(crate::program::OnlyClass(1));
    let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
    // Twice as many as the device holds.
    let handles: Vec<Handle> = (0..20).map(|_| flow.register(100_000)).collect();
    let small = flow.register(800);
    for &handle in handles.iter().chain([&small]) {
        flow.write::<u64>(handle).expect("nothing fails").fill(7);
    }
    for _ in 0..3 {
        for &handle in handles.iter().chain([&small]) {
            flow.submit(Raise, &[(handle, Access::RW)], 0);
        }
    }
    for &handle in handles.iter().chain([&small]) {
        let numbers = flow.read::<u64>(handle).expect("nothing fails");
        assert!(numbers.iter().all(|&number| number == 10));
    }
    drop(flow);
    assert!(device.straight() >= 40, "{} copies of pinned buffers", device.straight());
}
