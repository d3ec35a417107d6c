//! Single flows on machines with limits: what does not fit, disks that fail, workers and tasks that
//! are held apart.

use std::path::PathBuf;

use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{Access, Flow, FlowError, FlowOptions, Handle};
use tegula_runtime::platform::{Cap, Machine, WorkerKind, WorkerModel};
use tegula_runtime::sched::contexts::{ContextSpec, JobSpec, Start, Work};
use tegula_runtime::sched::{ContextId, JobId, POLICIES, Policy, WorkerId, policy};
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_runtime::trace::{TaskRecord, Trace};

use crate::program::{Combine, Mix, Three, Update, Write};

fn mix(salt: u64) -> Mix {
    Mix { salt, fails: false }
}

/// Two cores whose RAM holds `bytes`, the rest on disk, and an accelerator that holds as much.
fn limited(bytes: u64) -> Machine {
    let mut machine = Machine::cores(2);
    machine.limit_ram(bytes, 1e9, 1e9);
    machine.add_accelerator(WorkerKind::Emulated, Some(bytes), 1e9, 1.0);
    machine
}

fn options(machine: Machine, policy: &'static Policy) -> ExecOptions {
    let scratch = Some(std::env::temp_dir());
    ExecOptions { policy, scratch, trace: true, ..ExecOptions::on(machine) }
}

#[test]
fn a_task_that_fits_no_memory_fails_and_others_go_on() {
    for policy in POLICIES {
        let exec = Exec::new(options(limited(2 * 64), policy));
        let mut flow = Flow::new(exec, FlowOptions::default());
        let handles: Vec<Handle> = (0..4).map(|_| flow.register(64)).collect();
        for &handle in &handles {
            flow.submit(Write(mix(3)), &[(handle, Access::W)], 0);
        }
        let [a, b, c, d] = handles[..] else { unreachable!("there are four") };
        flow.submit(Three(mix(1)), &[(a, Access::R), (b, Access::R), (c, Access::RW)], 0);
        flow.submit(Update(mix(2)), &[(d, Access::RW)], 0);
        let error = flow.wait().expect_err("three handles do not fit").to_string();
        for part in ["Three", "192 bytes", "128", "memory"] {
            assert!(error.contains(part), "{part} in: {error}");
        }
        assert!(flow.read::<u64>(c).is_err(), "what the task was to write is spoiled");
        assert_eq!(flow.read::<u64>(a).expect("it is whole"), [3; 8]);
        assert!(flow.read::<u64>(d).expect("it is whole").iter().all(|&x| x != 3));
    }
}

#[test]
fn a_task_that_no_worker_runs_fails_and_others_go_on() {
    let mut machine = Machine::cores(2);
    machine.classes[0].only = vec!["Write".to_owned()];
    let exec = Exec::new(options(machine, policy("dmdas").expect("it is listed")));
    let mut flow = Flow::new(exec, FlowOptions::default());
    let handle = flow.register(64);
    flow.submit(Write(mix(3)), &[(handle, Access::W)], 0);
    flow.wait().expect("there are workers for it");
    flow.submit(Update(mix(2)), &[(handle, Access::RW)], 0);
    let error = flow.wait().expect_err("there are none").to_string();
    assert!(error.contains("no worker can run 'Update'"), "{error}");
}

#[test]
fn a_disk_that_fails_ends_the_run_with_its_message() {
    for policy in POLICIES {
        let nowhere = Some(PathBuf::from("/nonexistent folder"));
        let exec = Exec::new(ExecOptions { scratch: nowhere, ..options(limited(192), policy) });
        let mut flow = Flow::new(exec, FlowOptions::default());
        let handles: Vec<Handle> = (0..64).map(|_| flow.register(64)).collect();
        for round in 0..4 {
            for &handle in &handles {
                flow.submit(Update(mix(round)), &[(handle, Access::RW)], 0);
            }
        }
        let error = flow.wait().expect_err("nothing can be written").to_string();
        for part in ["cannot write", "scratch file", "/nonexistent folder"] {
            assert!(error.contains(part), "{part} in: {error}");
        }
        // The flow is of no more use, but says so, and does not hang.
        flow.submit(Write(mix(1)), &[(handles[0], Access::W)], 0);
        assert!(flow.wait().is_err());
        let overwritten = flow.overwrite(handles[1], &[0u64; 8]);
        assert!(matches!(overwritten, Err(FlowError::Scratch(_))));
    }
}

/// Handles that come and go with all sizes, on memories that hold a few of them.
#[test]
fn handles_that_come_and_go_leak_nothing() {
    for policy in POLICIES {
        let exec = Exec::new(options(limited(96 * 1024), policy));
        let mut flow = Flow::new(exec, FlowOptions::default());
        let sum = flow.register_from(&[0u64; 4]);
        for round in 0..60u64 {
            let words = [8, 500, 4000][round as usize % 3];
            let fresh: Vec<Handle> = (0..6).map(|_| flow.register(8 * words)).collect();
            for &handle in &fresh {
                flow.submit(Write(mix(round)), &[(handle, Access::W)], 0);
                flow.submit(Combine(mix(1)), &[(handle, Access::R), (sum, Access::RW)], 0);
                flow.retire(handle);
            }
            if round % 7 == 0 {
                flow.wait().expect("nothing fails");
            }
        }
        flow.wait().expect("nothing fails");
        let most = flow.memory().peak_bytes;
        assert!(most <= 96 * 1024, "{}: {most} bytes of RAM", policy.name);
        flow.unregister(sum);
        flow.trim();
        flow.wait().expect("nothing fails");
    }
}

/// What ran of a flow of 40 independent tasks of either kind, really and simulated.
fn traces(machine: impl Fn() -> Machine, policy: &'static Policy) -> [Trace; 2] {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let models = vec![model; machine().classes.len()];
    let sim = Sim::new(SimOptions::new(machine(), models, policy));
    let flows = [
        Flow::new(Exec::new(options(machine(), policy)), FlowOptions::default()),
        Flow::new(sim, FlowOptions::default()),
    ];
    flows.map(|mut flow| {
        let handles: Vec<Handle> = (0..40).map(|_| flow.register(64)).collect();
        for &handle in &handles {
            flow.submit(Write(mix(1)), &[(handle, Access::W)], 0);
            flow.submit(Update(mix(6)), &[(handle, Access::RW)], 0);
        }
        flow.wait().expect("nothing fails");
        flow.take_trace()
    })
}

#[test]
fn a_dedicated_core_runs_its_codelets_alone() {
    for policy in POLICIES {
        let machine = || {
            let mut machine = Machine::cores(3);
            machine.dedicate_core(&["Update"]);
            machine
        };
        for trace in traces(machine, policy) {
            assert_eq!(trace.records.len(), 80, "{}", policy.name);
            let of_first = trace.records.iter().filter(|record| record.worker == 0);
            assert!(of_first.clone().all(|record| record.codelet == "Update"), "{}", policy.name);
        }
    }
}

#[test]
fn no_more_tasks_run_at_a_time_than_may() {
    for policy in POLICIES {
        let machine = || {
            let mut machine = Machine::cores(4);
            machine.caps = vec![Cap { codelets: vec!["Write".to_owned()], most: 1 }];
            machine
        };
        for trace in traces(machine, policy) {
            let mut writes: Vec<&TaskRecord> =
                trace.records.iter().filter(|record| record.codelet == "Write").collect();
            assert_eq!(writes.len(), 40, "{}", policy.name);
            writes.sort_by_key(|record| record.start);
            let apart = |pair: &[&TaskRecord]| pair[0].end <= pair[1].start;
            assert!(writes.windows(2).all(apart), "{}: two writers at a time", policy.name);
        }
    }
}

/// Two sockets of two cores.
fn sockets() -> Machine {
    let mut machine = Machine::cores(2);
    machine.add_socket(2, 1e9);
    machine
}

/// Twenty rounds in a ring of eight handles; what is in them at last.
fn ring(mut flow: Flow) -> Vec<Vec<u64>> {
    let handles: Vec<Handle> = (0..8).map(|_| flow.register(64)).collect();
    submit_ring(&mut flow, &handles, 20);
    flow.wait().expect("nothing fails");
    handles.iter().map(|&h| flow.read::<u64>(h).expect("it is whole").to_vec()).collect()
}

fn submit_ring(flow: &mut Flow, handles: &[Handle], rounds: u64) {
    for round in 0..rounds {
        for (place, &handle) in handles.iter().enumerate() {
            let next = handles[(place + 1) % handles.len()];
            match round {
                0 => flow.submit(Write(mix(place as u64)), &[(handle, Access::W)], 0),
                _ => {
                    let pair = [(next, Access::R), (handle, Access::RW)];
                    flow.submit(Combine(mix(round)), &pair, 0);
                }
            }
        }
    }
}

/// Cores of a further socket compute in its memory, and data is brought there and back.
#[test]
fn cores_compute_in_the_memory_of_their_socket() {
    let expected = ring(Flow::new(Sequential::new(), FlowOptions::default()));
    for policy in POLICIES {
        let exec = Exec::new(options(sockets(), policy));
        assert_eq!(ring(Flow::new(exec, FlowOptions::default())), expected, "{}", policy.name);
    }
}

/// In a context of one socket nothing goes to another.
#[test]
fn contexts_of_a_socket_keep_their_data_there() {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 1e-3 };
    let dmda = policy("dmda").expect("it is listed");
    let moved = |has_contexts: bool| {
        let simulated = SimOptions::new(sockets(), vec![model; 2], dmda);
        let sim = Sim::new(SimOptions { contexts: true, trace: true, ..simulated });
        let mut flow = Flow::new(sim, FlowOptions::default());
        let jobs: Vec<JobId> = [[0, 1], [2, 3]]
            .into_iter()
            .map(|cores| {
                let spec = ContextSpec::new("socket", dmda, cores.map(WorkerId).to_vec());
                let context = match has_contexts {
                    true => flow.add_context(spec).expect("made"),
                    false => ContextId::ROOT,
                };
                let (name, start, work) = ("job".to_owned(), Start::Now, Work::default());
                flow.add_job(JobSpec { name, context, start, work }).expect("made")
            })
            .collect();
        for job in jobs {
            let handles: Vec<Handle> = (0..4).map(|_| flow.register(1 << 20)).collect();
            flow.within(job, |flow| submit_ring(flow, &handles, 10));
        }
        flow.wait().expect("nothing fails");
        flow.take_trace().transfers.len()
    };
    assert_eq!(moved(true), 0);
    assert!(moved(false) > 0);
}
