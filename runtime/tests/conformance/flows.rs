//! Single flows: panics, long lives, what is recorded.

use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Engine, Failure, Flow, FlowOptions, Handle,
};
use tegula_runtime::memory::Reduction;
use tegula_runtime::platform::allowed_cores;
use tegula_runtime::sched::POLICIES;
use tegula_runtime::trace::Outcome;

use crate::program::{Combine, HANDLES, Mix, Panics, Update, Write, exec};

#[test]
fn a_panic_ends_the_wait_with_its_message() {
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

/// Rounds that each fill fresh handles, mix them into one sum, and take their names away by
/// `end`: the sum, and the most memory there was.
fn sum_of_fresh_handles(
    engine: impl Engine + 'static,
    end: fn(&mut Flow, Handle),
) -> (Vec<u64>, usize) {
    let mut flow = Flow::new(engine, FlowOptions::default());
    let sum = flow.register_from(&[0u64; NUMBERS]);
    for round in 0..1000 {
        for place in 0..FRESH {
            let mix = Mix { salt: (round * FRESH + place) as u64, fails: false };
            let fresh = flow.register(BYTES);
            // Reads the zeros that a fresh handle holds, whatever its buffer held before.
            flow.submit(Update(mix), &[(fresh, Access::RW)], 0);
            flow.submit(Combine(mix), &[(fresh, Access::R), (sum, Access::RW)], 0);
            end(&mut flow, fresh);
        }
        flow.wait().expect("nothing fails");
    }
    let contents = flow.read(sum).expect("nothing fails").to_vec();
    (contents, flow.memory().peak_bytes)
}

/// Handles of a round.
const FRESH: usize = 8;
const NUMBERS: usize = 128;
const BYTES: usize = NUMBERS * size_of::<u64>();

#[test]
fn thousands_of_retired_handles_leak_nothing() {
    let (expected, _) = sum_of_fresh_handles(Sequential::new(), Flow::unregister);
    for policy in POLICIES {
        for workers in 1..4 {
            let engine = exec(policy, workers, 1);
            let (sum, peak) = sum_of_fresh_handles(engine, Flow::retire);
            assert_eq!(sum, expected, "{} with {workers} workers", policy.name);
            assert!(peak <= (FRESH + 1) * BYTES, "{peak} bytes in buffers of {FRESH} handles");
        }
    }
}

#[test]
#[should_panic(expected = "is not registered with this flow")]
fn a_retired_handle_is_unknown_after_the_wait() {
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    let update = Update(Mix { salt: 1, fails: false });
    let retired = flow.register(8);
    flow.submit(update, &[(retired, Access::RW)], 0);
    flow.retire(retired);
    flow.wait().expect("nothing fails");
    // Takes the place of the retired one, which must be found out nevertheless.
    let other = flow.register(8);
    flow.submit(update, &[(other, Access::RW)], 0);
    flow.submit(update, &[(retired, Access::RW)], 0);
}

#[test]
fn a_bound_engine_gives_the_thread_its_cores_back() {
    let before = allowed_cores();
    for _ in 0..2 {
        let options = ExecOptions { bind: true, ..ExecOptions::new(before.len()) };
        let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
        let handle = flow.register(8);
        flow.submit(Write(Mix { salt: 1, fails: false }), &[(handle, Access::W)], 0);
        flow.wait().expect("nothing fails");
        assert_eq!(allowed_cores().len(), 1, "the submitting thread is bound");
        drop(flow);
        assert_eq!(allowed_cores(), before);
    }
}

#[test]
fn a_spoiled_handle_fails_at_each_read_until_it_is_overwritten() {
    for workers in 1..3 {
        let mut flow = Flow::new(Exec::with_workers(workers), FlowOptions::default());
        let (spoiled, whole) = (flow.register(8), flow.register_from(&[3u64]));
        flow.submit(Write(Mix { salt: 7, fails: true }), &[(spoiled, Access::W)], 0);
        let first = flow.wait().expect_err("the task fails").to_string();
        for _ in 0..3 {
            assert_eq!(flow.read::<u64>(spoiled).expect_err("it is spoiled").to_string(), first);
            assert!(flow.write::<u64>(spoiled).is_err());
            assert_eq!(flow.read::<u64>(whole).expect("it is whole"), [3]);
        }
        flow.overwrite(spoiled, &[5u64]).expect("what was there does not count");
        assert_eq!(flow.read::<u64>(spoiled).expect("it is whole again"), [5]);
    }
}

/// A handle that goes in the middle of a reduction leaves no private copy to the next one that
/// takes its place, whose size may differ.
#[test]
fn a_handle_may_go_in_the_middle_of_a_reduction() {
    #[derive(Clone, Copy)]
    struct AddOne;
    impl Codelet for AddOne {
        const NAME: &'static str = "add one";
        const ACCESS: &'static [Access] = &[Access::RW];
        fn cost(&self) -> Cost {
            Cost::default()
        }
        fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
            buffers.write::<u64>(0).iter_mut().for_each(|x| *x += 1);
            Ok(())
        }
    }
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    for length in [1, 1000, 3, 50_000] {
        let handle = flow.register(8 * length);
        flow.set_reduction(handle, Reduction::sum::<u64>());
        for _ in 0..20 {
            flow.submit(AddOne, &[(handle, Access::Reduce)], 0);
        }
        flow.unregister(handle);
        let handle = flow.register(8 * length);
        flow.set_reduction(handle, Reduction::sum::<u64>());
        flow.submit(AddOne, &[(handle, Access::Reduce)], 0);
        assert!(flow.read::<u64>(handle).expect("nothing fails").iter().all(|&x| x == 1));
        flow.submit(AddOne, &[(handle, Access::Reduce)], 0);
        flow.unregister(handle);
    }
    flow.trim();
    assert_eq!(flow.memory().bytes, 0);
}
