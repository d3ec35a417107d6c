//! Every algorithm of the list, in every precision, at awkward sizes and on unlike engines, passes its
//! check; and no check passes what was not computed.

use std::sync::Arc;
use std::thread;

use tegula_files::checkpoint::{Checkpoint, write_checkpoint};
use tegula_kernels::error::CODEC;
use tegula_kernels::option::Uplo;
use tegula_plan::distribution::BlockCyclic;
use tegula_runtime::comm::{Local, World};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerKind};
use tegula_runtime::sched::policy;

use super::algorithms::ALGORITHMS;
use super::entry::Entry;
use super::inputs::Inputs;
use super::options::Options;
use super::probe::THRESHOLD;
use super::rehearsal::{Rehearsal, demand};
use super::sizes::{Size, Sizes};
use crate::checkpoint::about;

/// `m`, `n`, `k`, right-hand sides and tiles: none, one, less than a tile, whole tiles, tiles that do
/// not divide, flat and tall. Batches have `k` problems.
const SIZES: &[([usize; 4], usize)] = &[
    ([0, 0, 0, 0], 3),
    ([7, 7, 0, 0], 3),
    ([0, 5, 4, 3], 2),
    ([5, 0, 4, 1], 2),
    ([1, 1, 1, 1], 1),
    ([5, 5, 5, 2], 8),
    ([32, 32, 32, 8], 8),
    ([45, 45, 45, 13], 8),
    ([21, 50, 34, 3], 8),
    ([50, 21, 13, 30], 8),
];

/// Every algorithm with `m`, `n`, `k` and the right-hand sides, for each triangle that it knows, in each
/// variant and precision.
fn cases(values: [usize; 4], nb: usize) -> impl Iterator<Item = (&'static Entry, Sizes)> {
    ALGORITHMS.iter().flat_map(move |entry| {
        let triangles = if entry.has_uplo { &Uplo::ALL[..] } else { &Uplo::ALL[..1] };
        let precisions = entry.precisions.iter();
        let variants = precisions.flat_map(|&precision| {
            Options::all(entry.choices, precision).into_iter().map(move |o| (precision, o))
        });
        variants.flat_map(move |(precision, options)| {
            triangles.iter().map(move |&uplo| {
                let [m, n, k, nrhs] = values;
                let is_free = |size| entry.limits.iter().all(|&(small, _)| small != size);
                let (m, n) = if is_free(Size::N) { (m, n) } else { (m.max(n), m.min(n)) };
                let (m, n) = if is_free(Size::M) { (m, n) } else { (m.min(n), m.max(n)) };
                let m = if entry.sizes.contains(&Size::M) { m } else { n };
                let seed = 7 + (m + n + k) as u64;
                let workers = 2;
                let mut sizes = Sizes {
                    m,
                    n,
                    k,
                    nrhs,
                    count: k,
                    nb,
                    uplo,
                    precision,
                    workers,
                    sharers: workers,
                    seed,
                    options,
                };
                for &(_, large) in entry.limits.iter().filter(|(small, _)| *small == Size::K) {
                    sizes.k = sizes.k.min(sizes.of(large));
                }
                (entry, sizes)
            })
        })
    })
}

/// Fills, runs and checks `entry`; answers the backward error.
fn run(flow: &mut Flow, entry: &Entry, sizes: Sizes) -> anyhow::Result<f64> {
    let mut problem = (entry.problem)(flow, sizes, &Inputs::default());
    // Twice, since repeats work on the same matrices.
    for _ in 0..2 {
        problem.fill(flow);
        problem.prepare(flow);
        flow.wait()?;
        problem.submit(flow);
        flow.wait()?;
    }
    problem.verify(flow)?;
    problem.check(flow)
}

#[track_caller]
fn assert_passes(flow: &mut Flow, entry: &Entry, sizes: Sizes) {
    let case = format!("{entry:?} {sizes:?}");
    let error = run(flow, entry, sizes).unwrap_or_else(|error| panic!("{case}: {error}"));
    assert!(error < THRESHOLD, "{case}: {error} roundings");
}

fn cores(workers: usize, name: &str) -> Flow {
    let policy = policy(name).unwrap_or_else(|| panic!("{name} is no policy"));
    let options = ExecOptions { policy, ..ExecOptions::new(workers) };
    Flow::new(Exec::new(options), FlowOptions::default())
}

#[test]
fn every_algorithm_passes_its_check_at_every_size() {
    for (workers, policy) in [(1, "prio"), (2, "lws")] {
        let mut flow = cores(workers, policy);
        for &(values, nb) in SIZES {
            for (entry, sizes) in cases(values, nb) {
                assert_passes(&mut flow, entry, sizes);
            }
        }
    }
}

/// The result of `entry`, as the bytes of a file; if it is to pause after some steps, of another flow that
/// goes on from a checkpoint that was written there.
fn result(entry: &Entry, sizes: Sizes, pause: Option<usize>) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (path, output) = (folder.path().join("c"), folder.path().join("X.npy"));
    let (mut flow, steps) = (cores(2, "lws"), entry.steps(&sizes));
    let mut problem = (entry.problem)(&mut flow, sizes, &Inputs::default());
    let mut done = 0;
    problem.fill(&mut flow);
    if let Some(pause) = pause {
        problem.submit_steps(&mut flow, 0..pause);
        let about = about("a trial", Vec::new());
        let mut saved = Ok(());
        write_checkpoint(&path, &about, problem.state_bytes(), |out| {
            saved = problem.save(&mut flow, pause, out);
            Ok(())
        })
        .expect("it is written");
        saved.expect("it is saved");
        let body = Checkpoint::open(&path).and_then(|checkpoint| checkpoint.into_body(&about));
        drop(problem);
        flow = cores(2, "lws");
        problem = (entry.problem)(&mut flow, sizes, &Inputs::default());
        done = problem.restore(&mut flow, body.expect("whole")).expect("it is read");
        assert_eq!(done, pause);
    }
    problem.submit_steps(&mut flow, done..steps);
    flow.wait().expect("it runs");
    problem.verify(&mut flow).expect("a result");
    let error = problem.check(&mut flow).expect("it is checked");
    assert!(error < THRESHOLD, "{entry:?} {sizes:?} after {pause:?}: {error} roundings");
    problem.write(&mut flow, &output).expect("it is written");
    std::fs::read(output).expect("it is there")
}

#[test]
fn a_factorisation_goes_on_after_each_step_as_if_there_had_been_no_pause() {
    for &(values, nb) in SIZES {
        for (entry, sizes) in cases(values, nb).filter(|(entry, _)| entry.may_pause()) {
            let whole = result(entry, sizes, None);
            for pause in 1..entry.steps(&sizes) {
                let found = result(entry, sizes, Some(pause));
                assert_eq!(found, whole, "{entry:?} {sizes:?} after {pause}");
            }
        }
    }
}

#[test]
fn every_algorithm_passes_its_check_where_a_policy_plans() {
    let mut flow = cores(2, "dmdas");
    for (entry, sizes) in cases([50, 45, 21, 13], 8) {
        assert_passes(&mut flow, entry, sizes);
    }
}

/// A core and two emulated accelerators, which hold three of the largest tasks or more.
#[test]
fn every_algorithm_passes_its_check_on_emulated_accelerators() {
    for (entry, sizes) in cases([50, 45, 21, 13], 8) {
        let mut machine = Machine::cores(1);
        for speed in [1.0, 0.5] {
            let memory = 3 * demand(entry, &sizes).task_bytes + 4096;
            machine.add_accelerator(WorkerKind::Emulated, Some(memory), 2e9, speed);
        }
        for name in ["dmdas", "tessera"] {
            let policy = policy(name).expect("a listed policy");
            let options = ExecOptions { policy, ..ExecOptions::on(machine.clone()) };
            let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
            assert_passes(&mut flow, entry, sizes);
        }
    }
}

/// The memory holds two of the largest tasks, and the disk the rest.
#[test]
fn every_algorithm_passes_its_check_out_of_core() {
    let folder = std::env::temp_dir();
    for (entry, sizes) in cases([50, 45, 21, 13], 8) {
        let mut machine = Machine::cores(1);
        machine.limit_ram(2 * demand(entry, &sizes).task_bytes + 2048, 5e8, 5e8);
        let policy = policy("darts").expect("a listed policy");
        let scratch = Some(folder.clone());
        let options = ExecOptions { policy, scratch, ..ExecOptions::on(machine) };
        let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
        assert_passes(&mut flow, entry, sizes);
    }
}

/// Ranks are threads; tiles are dealt out in the squarest grid.
#[test]
fn every_algorithm_passes_its_check_over_ranks() {
    for ranks in [2, 3, 4, 6, 7] {
        let run = |end: Local| {
            let world = Some(World::new(Box::new(end)));
            let options = ExecOptions { world, ..ExecOptions::new(1) };
            let codec = FlowOptions { codec: CODEC, ..FlowOptions::default() };
            let mut flow = Flow::new(Exec::new(options), codec);
            flow.set_owners(Arc::new(BlockCyclic::squarest(ranks)));
            for (entry, sizes) in cases([50, 45, 21, 13], 8) {
                assert_passes(&mut flow, entry, sizes);
            }
        };
        thread::scope(|scope| {
            Local::connect(ranks).into_iter().for_each(|end| drop(scope.spawn(move || run(end))));
        });
    }
}

#[test]
fn no_check_passes_what_was_not_computed() {
    let mut flow = cores(1, "prio");
    for (entry, sizes) in cases([19, 19, 19, 4], 8) {
        let mut problem = (entry.problem)(&mut flow, sizes, &Inputs::default());
        problem.fill(&mut flow);
        problem.prepare(&mut flow);
        flow.wait().expect("matrices are filled");
        let error = problem.check(&mut flow).expect("nothing failed");
        assert!(error.is_nan() || error > THRESHOLD, "{entry:?} {sizes:?}: {error} roundings");
    }
}

/// Nothing leaves a memory as large as is announced, and something leaves one that is a little smaller.
#[test]
fn batches_take_the_memory_that_they_announce() {
    for (entry, sizes) in cases([0, 5, 203, 3], 8).filter(|(entry, _)| entry.is_batch()) {
        let announced = demand(entry, &sizes).bytes;
        for memory in [announced, announced - 64] {
            let mut machine = Machine::cores(1);
            machine.limit_ram(memory, 5e8, 5e8);
            let scratch = Some(std::env::temp_dir());
            let options = ExecOptions { scratch, ..ExecOptions::on(machine) };
            let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
            assert_passes(&mut flow, entry, sizes);
            let totals = flow.totals().expect("a memory has a limit");
            let moved = totals.bytes.iter().sum::<u64>();
            assert_eq!(moved == 0, memory == announced, "{entry:?} {sizes:?}: {moved} bytes");
        }
    }
}

#[test]
fn tasks_are_counted_before_they_run() {
    for (entry, sizes) in cases([50, 45, 21, 13], 8).filter(|(entry, _)| entry.is_steady) {
        let mut flow = cores(2, "lws");
        let rehearsal = Rehearsal::of(entry, sizes, flow.is_flat());
        let mut problem = (entry.problem)(&mut flow, sizes, &Inputs::default());
        problem.prepare(&mut flow);
        flow.wait().ok();
        let before = flow.watch().completed();
        problem.submit(&mut flow);
        flow.wait().ok();
        let tasks = (flow.watch().completed() - before) as f64;
        assert_eq!(tasks, rehearsal.timed, "{entry:?} {sizes:?}");
        assert_eq!(before as f64, rehearsal.prepared, "{entry:?} {sizes:?}");
    }
}

/// Of more tiles than are counted, the number of tasks is right within a few in a hundred.
#[test]
fn tasks_of_many_tiles_are_extrapolated() {
    let potrf = ALGORITHMS.iter().find(|entry| entry.name == "potrf").expect("a listed name");
    let sizes = Sizes { nb: 10, ..cases([1000; 4], 1).next().expect("a case").1 };
    let tasks = 100.0 * 101.0 * 102.0 / 6.0;
    let counted = Rehearsal::of(potrf, sizes, false).timed;
    assert!((counted / tasks - 1.0).abs() < 0.05, "{counted} against {tasks}");
}
