//! Tasks that submit tasks: what goes on once contents are there.

use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Engine, Failure, Flow, FlowOptions, Handle,
};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{Sim, SimOptions};

use std::cell::RefCell;
use std::rc::Rc;

/// Adds one to the first number, and the second, if there is one, to it.
#[derive(Clone, Copy)]
struct Step {
    fails: bool,
}

impl Codelet for Step {
    const NAME: &'static str = "step";
    const ACCESS: &'static [Access] = &[Access::RW];
    fn cost(&self) -> Cost {
        Cost { flops: 1.0, bytes: 0.0 }
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        buffers.write::<u64>(0)[0] += 1;
        if self.fails { Err("it was to fail".into()) } else { Ok(()) }
    }
}

const GOES: Step = Step { fails: false };

/// Adds the first number to the second.
#[derive(Clone, Copy)]
struct Sum;

impl Codelet for Sum {
    const NAME: &'static str = "sum";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];
    fn cost(&self) -> Cost {
        Cost { flops: 1.0, bytes: 0.0 }
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        buffers.write::<u64>(1)[0] += buffers.read::<u64>(0)[0];
        Ok(())
    }
}

/// A tree that unfolds as it is walked: each node adds itself to `sum` and has two children, down
/// to `depth`.
fn unfold(flow: &mut Flow, sum: Handle, depth: u32) {
    let node = flow.register_from(&[0u64]);
    flow.submit(GOES, &[(node, Access::RW)], 0);
    flow.submit(Sum, &[(node, Access::R), (sum, Access::RW)], 0);
    if depth > 0 {
        flow.then(node, move |flow| (0..2).for_each(|_| unfold(flow, sum, depth - 1)));
    }
    flow.retire(node);
}

fn nodes(engine: impl Engine + 'static, deterministic: bool) -> u64 {
    let options = FlowOptions { window: 16, deterministic, ..FlowOptions::default() };
    let mut flow = Flow::new(engine, options);
    let sum = flow.register_from(&[0u64]);
    unfold(&mut flow, sum, 7);
    flow.wait().expect("nothing fails");
    flow.read::<u64>(sum).expect("it is whole")[0]
}

#[test]
fn a_tree_unfolds_as_it_is_walked() {
    assert_eq!(nodes(Sequential::new(), false), 255);
    for workers in 1..4 {
        for deterministic in [false, true] {
            assert_eq!(nodes(Exec::with_workers(workers), deterministic), 255);
            let options = ExecOptions { contexts: true, ..ExecOptions::new(workers) };
            assert_eq!(nodes(Exec::new(options), deterministic), 255);
        }
    }
}

#[test]
fn a_simulated_tree_has_as_many_tasks() {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let lws = policy("lws").expect("a listed policy");
    let mut flow = Flow::new(
        Sim::new(SimOptions::new(Machine::cores(3), vec![model], lws)),
        FlowOptions::default(),
    );
    let sum = flow.register(8);
    unfold(&mut flow, sum, 4);
    flow.wait().expect("nothing fails");
    let records = flow.take_trace().records;
    assert_eq!(records.iter().filter(|record| record.codelet == "sum").count(), 31);
}

#[test]
fn what_failed_is_not_gone_on_with() {
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    let (bad, good) = (flow.register_from(&[0u64]), flow.register_from(&[0u64]));
    let seen = Rc::new(RefCell::new(Vec::new()));
    let note = |name: &'static str| {
        let seen = seen.clone();
        move |_: &mut Flow| seen.borrow_mut().push(name)
    };
    flow.submit(Step { fails: true }, &[(bad, Access::RW)], 0);
    flow.then(bad, note("bad"));
    flow.submit(GOES, &[(good, Access::RW)], 0);
    flow.then(good, note("good"));
    assert!(flow.wait().is_err());
    assert_eq!(*seen.borrow(), ["good"]);
    flow.then(good, note("again"));
    flow.wait().expect("nothing fails");
    assert_eq!(*seen.borrow(), ["good", "again"]);
}

#[test]
fn a_deterministic_flow_goes_on_in_the_order_of_the_program() {
    let options = FlowOptions { deterministic: true, ..FlowOptions::default() };
    let mut flow = Flow::new(Exec::with_workers(3), options);
    let order = Rc::new(RefCell::new(Vec::new()));
    for number in 0..50 {
        let handle = flow.register_from(&[0u64]);
        (0..(50 - number)).for_each(|_| flow.submit(GOES, &[(handle, Access::RW)], 0));
        let order = order.clone();
        flow.then(handle, move |_| order.borrow_mut().push(number));
    }
    flow.wait().expect("nothing fails");
    assert!(order.borrow().is_sorted() && order.borrow().len() == 50, "{order:?}");
}

#[test]
fn what_failed_holds_up_no_other_in_a_deterministic_flow() {
    let options = FlowOptions { deterministic: true, ..FlowOptions::default() };
    let mut flow = Flow::new(Exec::with_workers(2), options);
    let (bad, good) = (flow.register_from(&[0u64]), flow.register_from(&[0u64]));
    let seen = Rc::new(RefCell::new(Vec::new()));
    flow.submit(Step { fails: true }, &[(bad, Access::RW)], 0);
    flow.submit(GOES, &[(good, Access::RW)], 0);
    for (handle, name) in [(bad, "bad"), (good, "good")] {
        let seen = seen.clone();
        flow.then(handle, move |_| seen.borrow_mut().push(name));
    }
    assert!(flow.wait().is_err());
    assert_eq!(*seen.borrow(), ["good"]);
}
