//! Memory that the program lends: tasks work on it in place, on nothing else of it, and hand it
//! back.
#![allow(unsafe_code)]

use proptest::prelude::*;
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle, Lines,
};
use tegula_runtime::memory::{Block, Reduction};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::{POLICIES, policy};
use tegula_runtime::sim::{Sim, SimOptions};

use crate::program::{HANDLES, Injected, Mix, Step, Write, exec, steps, submit};

/// Adds its number to every element of its second buffer, and what its first one sums up to.
#[derive(Clone, Copy)]
struct Grow(u64);

impl Codelet for Grow {
    const NAME: &'static str = "grow";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let terms = buffers.region::<u64>(0);
        // SAFETY: these are the elements of a buffer that is lent to be read.
        let sum: u64 = places(terms.block(), terms.length())
            .map(|place| unsafe { terms.pointer().add(place).read() })
            .fold(0, u64::wrapping_add);
        let into = buffers.region_mut::<u64>(1);
        for place in places(into.block(), into.length()) {
            // SAFETY: these are the elements of a buffer that is lent to be written.
            let x = unsafe { &mut *into.pointer().add(place) };
            *x = x.wrapping_add(self.0).wrapping_add(sum);
        }
        Ok(())
    }
}

/// Where the elements of a buffer lie.
fn places(block: Option<Lines>, length: usize) -> impl Iterator<Item = usize> {
    let own = Lines { lines: 1, length, pitch: length, is_turned: false };
    let Lines { lines, length, pitch, .. } = block.unwrap_or(own);
    (0..lines).flat_map(move |line| (0..length).map(move |place| line * pitch + place))
}

/// Flows that work in place.
fn flows() -> Vec<Flow> {
    let mut flows = vec![Flow::new(Sequential::new(), FlowOptions::default())];
    for policy in POLICIES {
        let flow = Flow::new(exec(policy, 3, 5), FlowOptions::default());
        flows.extend(Some(flow).filter(Flow::works_in_place));
    }
    assert!(flows.len() > 1, "no policy of queues is listed");
    flows
}

/// Blocks of 2 x 4 numbers in a grid of 3 x 2 of them, whose lines are 8 apart.
fn grid(flow: &mut Flow, array: &mut [u64]) -> Vec<Handle> {
    let (pitch, first) = (8, array.as_mut_ptr());
    assert!(array.len() >= 8 * pitch, "the grid leaves the array");
    let mut handles = Vec::new();
    for (row, column) in (0..3).flat_map(|row| (0..2).map(move |column| (row, column))) {
        let pointer = first.wrapping_add(row * 2 + column * 4 * pitch);
        // SAFETY: the blocks are disjoint parts of the array, which each test lets alone while
        // tasks run, and which outlives the flow or the handles.
        handles.push(unsafe { flow.lend(Block::new(pointer, (4, 2), pitch)) });
    }
    handles
}

#[test]
fn tasks_on_blocks_that_interleave_touch_their_own_elements() {
    for mut flow in flows() {
        let mut array: Vec<u64> = (0..64).collect();
        let handles = grid(&mut flow, &mut array);
        // With contents: of a handle without, two first readers may both make a buffer.
        let none = flow.register_from(&[0_u64]);
        for round in 0..20 {
            for (k, &handle) in handles.iter().enumerate() {
                let access = if round % 2 == 0 { Access::Commute } else { Access::RW };
                flow.submit(Grow(1 << (8 * k)), &[(none, Access::R), (handle, access)], 0);
            }
        }
        flow.wait().expect("nothing fails");
        handles.into_iter().for_each(|handle| flow.unregister(handle));
        assert_eq!(flow.memory().peak_bytes, 64, "all but one small buffer is lent");
        for (place, &x) in array.iter().enumerate() {
            let (row, column) = (place % 8, place / 8);
            let grown = if row < 6 { 20 << (8 * (row / 2 * 2 + column / 4)) } else { 0 };
            assert_eq!(x, place as u64 + grown, "{place}");
        }
    }
}

#[test]
fn what_is_lent_is_read_and_order_is_kept() {
    for mut flow in flows() {
        let mut array = vec![1_u64; 64];
        let handles = grid(&mut flow, &mut array);
        let sum = flow.register(8);
        for _ in 0..2 {
            flow.submit(Grow(0), &[(handles[0], Access::R), (sum, Access::RW)], 0);
            flow.submit(Grow(0), &[(sum, Access::R), (handles[0], Access::RW)], 0);
        }
        // 8 ones make 8, each 9; 8 + 72 = 80, each 89.
        assert_eq!(flow.read::<u64>(sum).expect("nothing fails"), [80]);
        drop(flow);
        assert_eq!((array[0], array[2]), (89, 1));
    }
}

#[test]
fn handles_come_and_go_and_the_memory_stays() {
    for mut flow in flows() {
        let mut array = vec![1_u64; 64];
        let none = flow.register(8);
        for _ in 0..3 {
            let handles = grid(&mut flow, &mut array);
            for &handle in &handles {
                flow.submit(Grow(1), &[(none, Access::R), (handle, Access::RW)], 0);
                flow.done_with(handle);
                flow.submit(Grow(1), &[(none, Access::R), (handle, Access::RW)], 0);
            }
            handles[1..].iter().for_each(|&handle| flow.retire(handle));
            flow.unregister(handles[0]);
            // In the place of a handle on lent memory, one of the usual kind.
            let usual = flow.register(16);
            assert_eq!(flow.read::<u64>(usual).expect("nothing fails"), [0, 0]);
            flow.unregister(usual);
        }
        drop(flow);
        let row_is_lent = |place: usize| place % 8 < 6;
        assert!(array.iter().enumerate().all(|(k, &x)| x == if row_is_lent(k) { 7 } else { 1 }));
    }
}

#[test]
fn a_block_without_gaps_is_lent_on_as_a_slice() {
    for mut flow in flows() {
        let mut array = vec![1_u64, 2, 3, 4, 5, 6];
        let block = Block::new(array.as_mut_ptr(), (2, 2), 2);
        // SAFETY: the array outlives the handle, and is let alone until that is gone.
        let handle = unsafe { flow.lend(block) };
        assert_eq!(flow.read::<u64>(handle).expect("it is a slice"), [1, 2, 3, 4]);
        flow.write::<u64>(handle).expect("it is a slice")[3] = 9;
        let mix = Mix { salt: 7, fails: true };
        flow.submit(Write(mix), &[(handle, Access::W)], 0);
        let error = flow.wait().expect_err("it is told to fail");
        assert!(error.kernel_error::<Injected>().is_some(), "{error}");
        flow.read::<u64>(handle).expect_err("it is spoiled");
        flow.overwrite::<u64>(handle, &[7, 7, 8, 9]).expect("it is a slice");
        flow.unregister(handle);
        assert_eq!(array, [7, 7, 8, 9, 5, 6]);
    }
}

#[test]
fn working_memory_and_copies_are_not_what_is_lent() {
    #[derive(Clone, Copy)]
    struct Scribble;
    impl Codelet for Scribble {
        const NAME: &'static str = "scribble";
        const ACCESS: &'static [Access] = &[Access::Scratch];
        fn cost(&self) -> Cost {
            Cost::default()
        }
        fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
            assert_eq!(buffers.write::<u64>(0).len(), 8);
            Ok(())
        }
    }
    for mut flow in flows() {
        let mut array = vec![1_u64; 64];
        let handles = grid(&mut flow, &mut array);
        flow.submit(Scribble, &[(handles[0], Access::Scratch)], 0);
        flow.wait().expect("it gets eight numbers side by side");
    }
}

/// The message with which `use_flow` panics on a lent block with gaps.
fn refusal(flow: Flow, use_flow: impl FnOnce(&mut Flow, Handle)) -> String {
    let mut array = vec![1_u64; 64];
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut flow = flow;
        let handle = grid(&mut flow, &mut array)[0];
        use_flow(&mut flow, handle);
    }));
    let payload = outcome.expect_err("it is refused");
    payload.downcast_ref::<String>().cloned().unwrap_or_else(|| {
        (*payload.downcast_ref::<&str>().expect("a panic has a message")).to_owned()
    })
}

#[test]
fn a_block_with_gaps_is_no_slice_and_cannot_be_reduced() {
    for flow in flows() {
        let message =
            refusal(flow, |flow, handle| drop(flow.read::<u64>(handle).map(<[u64]>::len)));
        assert!(message.contains("no slice"), "{message}");
    }
    for flow in flows() {
        let message = refusal(flow, |flow, handle| {
            flow.submit(Write(Mix { salt: 1, fails: false }), &[(handle, Access::W)], 0);
            let _ = flow.wait();
        });
        assert!(message.contains("no slice"), "{message}");
    }
    for flow in flows() {
        let message =
            refusal(flow, |flow, handle| flow.set_reduction(handle, Reduction::sum::<u64>()));
        assert!(message.contains("cannot be reduced"), "{message}");
    }
}

#[test]
fn engines_that_move_data_refuse() {
    let mut small = Machine::cores(2);
    small.limit_ram(1 << 20, 1e9, 1e9);
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let lws = policy("lws").expect("it is listed");
    let exec = |machine, name| {
        let policy = policy(name).expect("it is listed");
        let scratch = Some(std::env::temp_dir());
        let options = ExecOptions { policy, scratch, ..ExecOptions::on(machine) };
        Flow::new(Exec::new(options), FlowOptions::default())
    };
    let sim = Sim::new(SimOptions::new(Machine::cores(2), vec![model], lws));
    for flow in [
        exec(Machine::cores(2), "dmda"),
        exec(small, "lws"),
        Flow::new(sim, FlowOptions::default()),
    ] {
        let message = refusal(flow, |_, _| {});
        assert!(message.contains("memory can be lent only to cores"), "{message}");
    }
}

/// Runs `program` on handles that `register` makes; the failure, and what all handles hold.
fn end(
    mut flow: Flow,
    program: &[Step],
    register: impl FnMut(&mut Flow) -> Handle,
) -> (Option<Injected>, Vec<u64>) {
    let mut register = register;
    let handles: Vec<Handle> = (0..HANDLES).map(|_| register(&mut flow)).collect();
    program.iter().for_each(|step| submit(&mut flow, &handles, step));
    let error = flow.wait().err();
    let told = error.map(|error| error.kernel_error::<Injected>().expect("its own error").clone());
    let whole = |&handle| flow.read::<u64>(handle).map(<[u64]>::to_vec).unwrap_or_default();
    (told, handles.iter().flat_map(whole).collect())
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn on_lent_memory_programs_end_as_on_the_runtimes_own(
        mut program in steps(120, false), workers in 1..5usize, seed in any::<u64>(),
    ) {
        for step in &mut program {
            // What is lent cannot be reduced, and has contents after a discard.
            step.kind = match step.kind { 10 => 8, 11 => 0, kind => kind };
        }
        let sequential = || Flow::new(Sequential::new(), FlowOptions::default());
        let expected = end(sequential(), &program, |flow| flow.register(24));
        for policy in POLICIES {
            let flow = Flow::new(exec(policy, workers, seed), FlowOptions::default());
            if !flow.works_in_place() {
                continue;
            }
            let mut array = [0_u64; 3 * HANDLES];
            let mut next = array.as_mut_ptr();
            let got = end(flow, &program, |flow| {
                // SAFETY: each handle gets three numbers of its own in the array, which is looked
                // at after the end of the flow.
                let handle = unsafe { flow.lend(Block::new(next, (1, 3), 3)) };
                next = next.wrapping_add(3);
                handle
            });
            prop_assert_eq!(&got, &expected, "{} with {} workers", policy.name, workers);
            prop_assert_eq!(&array[..], &expected.1[..]);
        }
    }
}
