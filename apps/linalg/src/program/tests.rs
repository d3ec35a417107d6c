//! Every program of the list, in every precision, at awkward sizes and on unlike engines, passes
//! its check; and no check passes what was not computed.

use std::sync::Arc;
use std::thread;

use tegula_kernels::error::CODEC;
use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Precision;
use tegula_runtime::comm::{Local, World};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Decisions, Failure, Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerKind, WorkerModel};
use tegula_runtime::ranks::Traffic;
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{Cluster, ClusterOptions, NodeOptions};
use tegula_tiles::owners::BlockCyclic;

use super::{Counts, Footprint, Inputs, Options, PROGRAMS, Program, Size, Sizes, THRESHOLD};

/// `m`, `n`, `k`, right-hand sides and tiles: none, one, less than a tile, whole tiles, tiles that
/// do not divide, flat and tall. Batches have `k` problems.
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

/// Every algorithm with `m`, `n`, `k` and the right-hand sides, for each triangle that it knows, in
/// each variant and precision.
fn cases(values: [usize; 4], nb: usize) -> impl Iterator<Item = (&'static Program, Sizes)> {
    PROGRAMS.iter().flat_map(move |program| {
        let triangles = if program.has_uplo { &Uplo::ALL[..] } else { &Uplo::ALL[..1] };
        let precisions = program.precisions.iter();
        let variants = precisions.flat_map(|&precision| {
            Options::all(program.choices, precision).into_iter().map(move |o| (precision, o))
        });
        variants.flat_map(move |(precision, options)| {
            triangles.iter().map(move |&uplo| {
                let [m, n, k, nrhs] = values;
                let is_free = |size| program.limits.iter().all(|&(small, _)| small != size);
                let (m, n) = if is_free(Size::N) { (m, n) } else { (m.max(n), m.min(n)) };
                let (m, n) = if is_free(Size::M) { (m, n) } else { (m.min(n), m.max(n)) };
                let m = if program.sizes.contains(&Size::M) { m } else { n };
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
                for &(_, large) in program.limits.iter().filter(|(small, _)| *small == Size::K) {
                    sizes.k = sizes.k.min(sizes.of(large));
                }
                (program, sizes)
            })
        })
    })
}

/// Fills, runs and checks `program`; answers the backward error.
fn run(flow: &mut Flow, program: &Program, sizes: Sizes) -> Result<f64, Failure> {
    let mut instance = program.instance(flow, sizes, &Inputs::default());
    // Twice, since repeats work on the same matrices.
    for _ in 0..2 {
        instance.fill_but(flow, &[]);
        instance.prepare(flow);
        flow.wait()?;
        instance.submit(flow);
        flow.wait()?;
    }
    instance.verify(flow)?;
    instance.check(flow)
}

#[track_caller]
fn assert_passes(flow: &mut Flow, program: &Program, sizes: Sizes) {
    let case = format!("{program:?} {sizes:?}");
    let error = run(flow, program, sizes).unwrap_or_else(|error| panic!("{case}: {error}"));
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
            for (program, sizes) in cases(values, nb) {
                assert_passes(&mut flow, program, sizes);
            }
        }
    }
}

#[test]
fn every_algorithm_passes_its_check_where_a_policy_plans() {
    let mut flow = cores(2, "dmdas");
    for (program, sizes) in cases([50, 45, 21, 13], 8) {
        assert_passes(&mut flow, program, sizes);
    }
}

/// A core and two emulated accelerators, which hold three of the largest tasks or more.
#[test]
fn every_algorithm_passes_its_check_on_emulated_accelerators() {
    for (program, sizes) in cases([50, 45, 21, 13], 8) {
        let mut machine = Machine::cores(1);
        for speed in [1.0, 0.5] {
            let memory = 3 * program.footprint(&sizes).task_bytes + 4096;
            machine.add_accelerator(WorkerKind::Emulated, Some(memory), 2e9, speed);
        }
        for name in ["dmdas", "tessera"] {
            let policy = policy(name).expect("a listed policy");
            let options = ExecOptions { policy, ..ExecOptions::on(machine.clone()) };
            let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
            assert_passes(&mut flow, program, sizes);
        }
    }
}

/// The memory holds two of the largest tasks, and the disk the rest.
#[test]
fn every_algorithm_passes_its_check_out_of_core() {
    let folder = std::env::temp_dir();
    for (program, sizes) in cases([50, 45, 21, 13], 8) {
        let mut machine = Machine::cores(1);
        machine.limit_ram(2 * program.footprint(&sizes).task_bytes + 2048, 5e8, 5e8);
        let policy = policy("darts").expect("a listed policy");
        let scratch = Some(folder.clone());
        let options = ExecOptions { policy, scratch, ..ExecOptions::on(machine) };
        let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
        assert_passes(&mut flow, program, sizes);
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
            for (program, sizes) in cases([50, 45, 21, 13], 8) {
                assert_passes(&mut flow, program, sizes);
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
    for (program, sizes) in cases([19, 19, 19, 4], 8) {
        let mut instance = program.instance(&mut flow, sizes, &Inputs::default());
        instance.fill_but(&mut flow, &[]);
        instance.prepare(&mut flow);
        flow.wait().expect("matrices are filled");
        let error = instance.check(&mut flow).expect("nothing failed");
        assert!(error.is_nan() || error > THRESHOLD, "{program:?} {sizes:?}: {error} roundings");
    }
}

/// Nothing leaves a memory as large as is announced, and something leaves one that is a little
/// smaller.
#[test]
fn batches_take_the_memory_that_they_announce() {
    for (program, sizes) in cases([0, 5, 203, 3], 8).filter(|(program, _)| program.is_batch()) {
        let announced = program.footprint(&sizes).bytes;
        for memory in [announced, announced - 64] {
            let mut machine = Machine::cores(1);
            machine.limit_ram(memory, 5e8, 5e8);
            let scratch = Some(std::env::temp_dir());
            let options = ExecOptions { scratch, ..ExecOptions::on(machine) };
            let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
            assert_passes(&mut flow, program, sizes);
            let totals = flow.totals().expect("a memory has a limit");
            let moved = totals.bytes.iter().sum::<u64>();
            assert_eq!(moved == 0, memory == announced, "{program:?} {sizes:?}: {moved} bytes");
        }
    }
}

/// On one worker to within 5 %, and 10 % where its matrices decide what it does, such as how many
/// steps of refinement it takes; on more no more than in the worst order of tasks, where that is
/// known.
#[test]
fn programs_take_the_memory_that_they_announce() {
    for workers in 1..=4 {
        for (program, mut sizes) in cases([300, 280, 200, 40], 32) {
            (sizes.workers, sizes.sharers) = (workers, workers);
            if sizes.precision != *program.precisions.first().expect("it has one") {
                continue;
            }
            let mut flow = cores(workers, "lws");
            let mut instance = program.instance(&mut flow, sizes, &Inputs::default());
            instance.fill_but(&mut flow, &[]);
            instance.prepare(&mut flow);
            flow.wait().expect("it runs");
            instance.submit(&mut flow);
            flow.wait().expect("it runs");
            let Footprint { bytes, copy_bytes, race_bytes, .. } = program.footprint(&sizes);
            let (peak, announced) = (flow.memory().peak_bytes as u64, bytes + copy_bytes);
            assert_eq!(race_bytes.is_some(), program.is_steady(), "{program:?}");
            let most = announced + race_bytes.unwrap_or(u64::MAX - announced);
            let share = if program.is_steady() { 0.05 } else { 0.1 };
            let is_near = (peak as f64 / announced as f64 - 1.0).abs() <= share;
            let is_fine = if workers == 1 { is_near } else { peak <= most };
            assert!(is_fine, "{program:?} {sizes:?}: {peak} of {announced}, at most {most} bytes");
        }
    }
}

/// Of programs that decide by what their matrices hold, once that is known.
#[test]
fn tasks_are_counted_before_they_run() {
    for (program, sizes) in cases([50, 45, 21, 13], 8) {
        let mut flow = cores(2, "lws");
        let mut instance = program.instance(&mut flow, sizes, &Inputs::default());
        instance.fill_but(&mut flow, &[]);
        flow.wait().expect("matrices are filled");
        let filled = flow.watch().completed();
        instance.prepare(&mut flow);
        flow.wait().expect("it runs");
        let before = flow.watch().completed();
        flow.note_decisions();
        instance.submit(&mut flow);
        flow.wait().expect("it runs");
        let decisions = Some(flow.take_decisions()).filter(|_| !program.is_steady());
        let counts = Counts::deciding(program, sizes, flow.is_flat(), decisions.as_ref());
        let counts = counts.unwrap_or_else(|| panic!("{program:?} {sizes:?} {decisions:?}"));
        let tasks = (flow.watch().completed() - before) as f64;
        assert_eq!(tasks, counts.timed, "{program:?} {sizes:?}");
        assert_eq!((before - filled) as f64, counts.prepared, "{program:?} {sizes:?}");
    }
}

/// Of more tiles than are counted, the number of tasks follows from those of fewer.
#[test]
fn tasks_of_many_tiles_are_extrapolated() {
    for program in PROGRAMS {
        let precision = *program.precisions.last().expect("it has one");
        let sizes = program.sizes_of_tiles(45, 2, precision);
        let exact = Counts::counted(program, sizes, false, None).expect("it decides as it likes");
        let found = Counts::of(program, sizes, false);
        for (found, exact) in [(found.timed, exact.timed), (found.reads, exact.reads)] {
            let error = (found - exact).abs() / exact.max(1.0);
            assert!(error < 0.02, "{program:?}: {found} against {exact}");
        }
    }
    // Of polynomials exactly.
    let potrf = Program::find("potrf").expect("a listed name");
    let sizes = potrf.sizes_of_tiles(1000, 1, Precision::Double);
    assert_eq!(Counts::of(potrf, sizes, false).timed, 1000.0 * 1001.0 * 1002.0 / 6.0);
}

/// What `program`, without what has to run before it, sends over `ranks` ranks that are threads,
/// and what it decides.
fn sent(program: &'static Program, sizes: Sizes, ranks: usize) -> (Traffic, Decisions) {
    let run = |end: Local| {
        let options = ExecOptions { world: Some(World::new(Box::new(end))), ..ExecOptions::new(1) };
        let codec = FlowOptions { codec: CODEC, ..FlowOptions::default() };
        let mut flow = Flow::new(Exec::new(options), codec);
        flow.set_owners(Arc::new(BlockCyclic::squarest(ranks)));
        let mut instance = program.instance(&mut flow, sizes, &Inputs::default());
        instance.fill_but(&mut flow, &[]);
        instance.prepare(&mut flow);
        flow.wait().expect("it runs");
        let before = flow.traffic().expect("all ranks are there");
        flow.note_decisions();
        instance.submit(&mut flow);
        instance.retire(&mut flow);
        flow.wait().expect("it runs");
        let Traffic { messages, bytes } = flow.traffic().expect("all ranks are there");
        let sent = Traffic { messages: messages - before.messages, bytes: bytes - before.bytes };
        (sent, flow.take_decisions())
    };
    thread::scope(|scope| {
        let ranks: Vec<_> =
            Local::connect(ranks).into_iter().map(|end| scope.spawn(move || run(end))).collect();
        let mut all = ranks.into_iter().map(|rank| rank.join().expect("it runs"));
        let first = all.next().expect("there is a rank");
        assert!(all.all(|other| other == first), "{program:?}: ranks differ");
        first
    })
}

/// What it sends on a simulated cluster if it decides the same.
fn simulated(program: &Program, sizes: Sizes, ranks: usize, decisions: &Decisions) -> Traffic {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let node = |_| NodeOptions::new(Machine::cores(1), vec![model], 1e9);
    let policy = policy("prio").expect("a listed policy");
    let options = ClusterOptions::new((0..ranks).map(node).collect(), 1e-5, policy);
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(BlockCyclic::squarest(ranks)));
        let mut instance = program.instance(flow, sizes, &Inputs::default());
        instance.touch(flow);
        flow.presume(|flow| instance.prepare(flow));
        flow.follow(decisions.clone());
        instance.submit(flow);
        instance.retire(flow);
        assert!(flow.end_following(), "{program:?} {sizes:?}: {decisions} are not all");
        flow.wait()
    });
    run.traffic()
}

#[test]
fn a_simulation_sends_what_a_run_sends() {
    for ranks in [3, 4] {
        for (program, sizes) in cases([50, 45, 21, 13], 8) {
            if sizes.precision == *program.precisions.last().expect("it has one") {
                let (expected, decisions) = sent(program, sizes, ranks);
                let found = simulated(program, sizes, ranks, &decisions);
                assert_eq!(found, expected, "{program:?} {sizes:?} {decisions}");
            }
        }
    }
}
