//! What the program itself does with handles while tasks run, and after runs that have failed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Failure, Flow, FlowError, FlowOptions, Handle,
};
use tegula_runtime::platform::{ClassId, Durations, Machine, Models, WorkerKind, WorkerModel};
use tegula_runtime::sched::{POLICIES, policy};
use tegula_runtime::sim::{Sim, SimOptions};

use crate::program::{Mix, Panics, Update, Write};

fn update(fails: bool) -> Update {
    Update(Mix { salt: 1, fails })
}

fn flow(machine: Machine, policy_name: &str) -> Flow {
    let scratch = Some(std::env::temp_dir());
    let policy = policy(policy_name).expect("it is listed");
    let options = ExecOptions { policy, scratch, ..ExecOptions::on(machine) };
    Flow::new(Exec::new(options), FlowOptions::default())
}

/// Takes a while, so that the program gets ahead of it.
#[derive(Clone, Copy)]
struct Slow;

impl Codelet for Slow {
    const NAME: &'static str = "slow";
    const ACCESS: &'static [Access] = &[Access::RW];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    }
}

/// Adds its first number to its second one.
#[derive(Clone, Copy)]
struct Add;

impl Codelet for Add {
    const NAME: &'static str = "add";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        buffers.write::<u64>(1)[0] += buffers.read::<u64>(0)[0];
        Ok(())
    }
}

/// A machine whose only worker is an accelerator.
fn device_alone() -> Machine {
    let mut machine = Machine::cores(0);
    machine.add_accelerator(WorkerKind::Emulated, Some(1 << 20), 1e9, 1.0);
    machine
}

#[test]
fn what_is_registered_while_tasks_run_reaches_a_device() {
    let mut flow = flow(device_alone(), "dmda");
    let sum = flow.register(8);
    flow.submit(Slow, &[(sum, Access::RW)], 0);
    let term = flow.register_from(&[42_u64]);
    flow.submit(Add, &[(term, Access::R), (sum, Access::RW)], 0);
    // The program is busy elsewhere, and does not call the engine.
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(flow.read::<u64>(sum).expect("nothing fails"), [42]);
}

#[test]
fn what_is_changed_between_runs_reaches_a_device() {
    let mut flow = flow(device_alone(), "lws");
    let (sum, term) = (flow.register(8), flow.register_from(&[1_u64]));
    for value in 2..20_u64 {
        flow.submit(Add, &[(term, Access::R), (sum, Access::RW)], 0);
        flow.write::<u64>(term).expect("nothing fails")[0] = value;
    }
    assert_eq!(flow.read::<u64>(sum).expect("nothing fails"), [(1..19).sum::<u64>()]);
}

#[test]
fn a_handle_may_go_before_it_was_used() {
    let mut flow = flow(Machine::cores(1), "dmda");
    let other = flow.register(8);
    flow.submit(Slow, &[(other, Access::RW)], 0);
    let handle = flow.register_from(&[42_u64]);
    flow.done_with(handle);
    std::thread::sleep(Duration::from_millis(40));
    flow.wait().expect("nothing fails");
}

#[test]
fn a_handle_larger_than_the_memory_is_refused() {
    let mut machine = Machine::cores(1);
    machine.limit_ram(1 << 20, 1e9, 1e9);
    let mut flow = flow(machine, "lws");
    let large = flow.register(2 << 20);
    let contents = vec![1_u64; 1 << 18];
    for result in [flow.overwrite(large, &contents), flow.read::<u64>(large).map(drop)] {
        let error = result.expect_err("it does not fit");
        assert!(matches!(error, FlowError::TooLarge { .. }), "{error}");
    }
    let small = flow.register_from(&[7_u64]);
    assert_eq!(flow.read::<u64>(small).expect("it fits"), [7]);
}

#[test]
fn after_a_disk_has_failed_handles_may_get_other_sizes() {
    for policy in POLICIES {
        let mut machine = Machine::cores(1);
        machine.limit_ram(1 << 20, 1e9, 1e9);
        let scratch = Some(PathBuf::from("/nonexistent folder"));
        let options = ExecOptions { policy, scratch, ..ExecOptions::on(machine) };
        let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
        let large: Vec<Handle> = (0..16).map(|_| flow.register(256 << 10)).collect();
        for &handle in &large {
            flow.submit(update(false), &[(handle, Access::RW)], 0);
        }
        flow.wait().expect_err("nothing can be written");
        large.into_iter().for_each(|handle| flow.unregister(handle));
        let small: Vec<Handle> = (0..16).map(|_| flow.register(64)).collect();
        for &handle in &small {
            flow.submit(update(false), &[(handle, Access::RW)], 0);
        }
        flow.wait().expect_err("the run has ended");
    }
}

#[test]
fn what_a_second_failure_has_spoiled_is_not_lent() {
    for name in ["dmda", "lws"] {
        let mut flow = flow(Machine::cores(1), name);
        let (a, b) = (flow.register(8), flow.register(8));
        flow.submit(update(true), &[(a, Access::RW)], 0);
        flow.submit(Panics, &[(b, Access::RW)], 0);
        flow.wait().expect_err("the first one fails");
        for (handle, words) in [(a, "told to fail"), (b, "panicked")] {
            let error = flow.read::<u64>(handle).expect_err("it is spoiled").to_string();
            assert!(error.contains(words), "{name}: {error}");
        }
    }
}

#[test]
fn failed_tasks_teach_nothing() {
    let machine = Machine::cores(1);
    let guess = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let models = Arc::new(Models::guessing(&machine, guess));
    let durations = models.clone();
    let policy = policy("dmda").expect("it is listed");
    let options = ExecOptions { durations, policy, ..ExecOptions::on(machine) };
    let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
    let handle = flow.register(8);
    for _ in 0..20 {
        flow.submit(Write(Mix { salt: 1, fails: true }), &[(handle, Access::W)], 0);
    }
    flow.wait().expect_err("all fail");
    assert_eq!(models.entries(), []);
}

#[test]
fn a_simulated_kernel_without_a_time_fails() {
    for policy in POLICIES {
        let machine = Machine::cores(1);
        let models = Models::new(&machine);
        let sim = Sim::new(SimOptions::new(machine, models, policy));
        let mut flow = Flow::new(sim, FlowOptions::default());
        let handle = flow.register(8);
        flow.submit(update(false), &[(handle, Access::RW)], 0);
        let error = flow.wait().expect_err("nobody can run it").to_string();
        assert!(error.contains("no worker can run 'Update'"), "{}: {error}", policy.name);
    }
}

/// Times of two classes, one ten times as fast as the other.
struct Unequal;

impl Durations for Unequal {
    fn nanoseconds(&self, _: &'static str, _: Cost, class: ClassId) -> Option<u64> {
        Some(if class.0 == 0 { 1000 } else { 100 })
    }
}

#[test]
fn eager_keeps_the_order_where_not_all_can_run_everything() {
    let mut machine = Machine::cores(2);
    let second = machine.add_class("second", WorkerKind::Cpu);
    machine.workers[1].class = second;
    machine.classes[second.0].only = vec!["Write".to_owned()];
    let sim = Sim::new(SimOptions::new(machine, Unequal, policy("eager").expect("it is listed")));
    let mut flow = Flow::new(sim, FlowOptions { window: u64::MAX, ..FlowOptions::default() });
    for number in 0..60 {
        let handle = flow.register(8);
        if number < 10 {
            flow.submit(update(false), &[(handle, Access::RW)], 0);
        } else {
            flow.submit(Write(Mix { salt: 1, fails: false }), &[(handle, Access::W)], 0);
        }
    }
    flow.wait().expect("nothing fails");
    let mut records = flow.take_trace().records;
    records.sort_by_key(|record| record.start);
    for worker in 0..2 {
        let of_worker = records.iter().filter(|record| record.worker == worker);
        let order: Vec<u64> = of_worker.map(|record| record.task).collect();
        assert!(order.is_sorted() && !order.is_empty(), "worker {worker}: {order:?}");
    }
}

#[test]
fn what_follows_a_wait_follows_the_last_task_before_it() {
    let policy = policy("eager").expect("it is listed");
    let options = SimOptions::new(Machine::cores(2), Unequal, policy);
    let mut flow = Flow::new(Sim::new(options), FlowOptions::default());
    for _ in 0..3 {
        for _ in 0..2 {
            let handle = flow.register(8);
            flow.submit(Write(Mix { salt: 1, fails: false }), &[(handle, Access::W)], 0);
        }
        flow.wait().expect("nothing fails");
    }
    let trace = flow.take_trace();
    for record in &trace.records {
        let before = trace.records.iter().filter(|other| other.task / 2 + 1 == record.task / 2);
        let last = before.max_by_key(|other| (other.end, other.task));
        assert_eq!(record.predecessor(), last.map(|other| other.task), "{record:?}");
    }
}
