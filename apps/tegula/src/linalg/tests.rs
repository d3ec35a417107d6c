//! A run that goes on from a checkpoint leaves what one without a pause leaves.

use tegula_files::checkpoint::{Checkpoint, write_checkpoint};
use tegula_kernels::option::Uplo;
use tegula_linalg::program::{Inputs, Options, PROGRAMS, Program, Size, Sizes, THRESHOLD};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};

use super::results::write;
use super::state::{restore, save, state_bytes};
use crate::checkpoint::about;

/// `m`, `n`, `k`, right-hand sides and tiles: one, less than a tile, whole tiles, tiles that do not
/// divide, flat and tall.
const SIZES: &[([usize; 4], usize)] = &[
    ([1, 1, 1, 1], 1),
    ([5, 5, 5, 2], 8),
    ([32, 32, 32, 8], 8),
    ([45, 45, 45, 13], 8),
    ([21, 50, 34, 3], 8),
    ([50, 21, 13, 30], 8),
];

/// Sizes that `program` may have, for each triangle that it knows, in each variant and precision.
fn sizes(program: &Program) -> Vec<Sizes> {
    let triangles = if program.has_uplo { &Uplo::ALL[..] } else { &Uplo::ALL[..1] };
    let mut all = Vec::new();
    for (&([m, n, k, nrhs], nb), &uplo) in
        SIZES.iter().flat_map(|size| triangles.iter().map(move |uplo| (size, uplo)))
    {
        for &precision in program.precisions {
            for options in Options::all(program.choices, precision) {
                let is_tall = program.limits.contains(&(Size::N, Size::M));
                let (m, n) = if is_tall { (m.max(n), m.min(n)) } else { (m, n) };
                let m = if program.sizes.contains(&Size::M) { m } else { n };
                let (count, workers, sharers, seed) = (k, 2, 2, 7 + (m + n + k) as u64);
                all.push(Sizes {
                    m,
                    n,
                    k,
                    nrhs,
                    count,
                    nb,
                    uplo,
                    precision,
                    workers,
                    sharers,
                    seed,
                    options,
                });
            }
        }
    }
    all
}

fn cores() -> Flow {
    Flow::new(Exec::new(ExecOptions::new(2)), FlowOptions::default())
}

/// The result of `program`, as the bytes of a file; if it is to pause after some steps, of another
/// flow that goes on from a checkpoint that was written there.
fn result(program: &Program, sizes: Sizes, pause: Option<usize>) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (path, output) = (folder.path().join("c"), folder.path().join("X.npy"));
    let (mut flow, steps) = (cores(), program.steps(&sizes));
    let mut instance = program.instance(&mut flow, sizes, &Inputs::default());
    let mut done = 0;
    instance.fill_but(&mut flow, &[]);
    if let Some(pause) = pause {
        instance.submit_steps(&mut flow, 0..pause);
        let about = about("a trial", Vec::new());
        let mut saved = Ok(());
        write_checkpoint(&path, &about, state_bytes(&*instance, program.state), |out| {
            saved = save(&mut flow, &*instance, program.state, pause, out);
            Ok(())
        })
        .expect("it is written");
        saved.expect("it is saved");
        let body = Checkpoint::open(&path).and_then(|checkpoint| checkpoint.into_body(&about));
        drop(instance);
        flow = cores();
        instance = program.instance(&mut flow, sizes, &Inputs::default());
        done = restore(&mut flow, &*instance, program.state, body.expect("whole"))
            .expect("it is read");
        assert_eq!(done, pause);
    }
    instance.submit_steps(&mut flow, done..steps);
    flow.wait().expect("it runs");
    instance.verify(&mut flow).expect("a result");
    let error = instance.check(&mut flow).expect("it is checked");
    assert!(error < THRESHOLD, "{program:?} {sizes:?} after {pause:?}: {error} roundings");
    write(&output, &mut flow, program, &*instance).expect("it is written");
    std::fs::read(output).expect("it is there")
}

#[test]
fn a_factorisation_goes_on_after_each_step_as_if_there_had_been_no_pause() {
    for program in PROGRAMS.iter().filter(|program| program.may_pause()) {
        for sizes in sizes(program) {
            let whole = result(program, sizes, None);
            for pause in 1..program.steps(&sizes) {
                let found = result(program, sizes, Some(pause));
                assert_eq!(found, whole, "{program:?} {sizes:?} after {pause}");
            }
        }
    }
}
