//! Cost of an empty task from submission to completion, on graphs of four shapes.

use std::time::Instant;

use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{
    Access::{self, R, RW},
    Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle,
};

macro_rules! empty_codelet {
    ($name:ident, $label:literal, $access:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Codelet for $name {
            const NAME: &'static str = $label;
            const ACCESS: &'static [Access] = $access;
            fn cost(&self) -> Cost {
                // Next to nothing, and known to be.
                Cost { flops: 1.0, bytes: 0.0 }
            }
            fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
                Ok(())
            }
        }
    };
}

empty_codelet!(One, "one", &[RW]);
empty_codelet!(Two, "two", &[R, RW]);
empty_codelet!(Three, "three", &[R, R, RW]);

/// A shape: how to register its handles and submit its tasks.
pub(super) struct Shape {
    /// Name in the results.
    pub(super) name: &'static str,
    handles: usize,
    submit: fn(&mut Flow, &[Handle]) -> usize,
}

const TASKS: usize = 50_000;
const SIDE: usize = 200;
const TILES: usize = 50;

/// The shapes, as `scripts/bench/peers/openmp_tasks.c` has them.
pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "independent", handles: TASKS, submit: independent },
    Shape { name: "chain", handles: 1, submit: chain },
    Shape { name: "grid", handles: SIDE * SIDE, submit: grid },
    Shape { name: "cholesky", handles: TILES * TILES, submit: cholesky },
];

fn independent(flow: &mut Flow, handles: &[Handle]) -> usize {
    handles.iter().for_each(|&handle| flow.submit(One, &[(handle, RW)], 0));
    handles.len()
}

fn chain(flow: &mut Flow, handles: &[Handle]) -> usize {
    (0..TASKS).for_each(|_| flow.submit(One, &[(handles[0], RW)], 0));
    TASKS
}

fn grid(flow: &mut Flow, handles: &[Handle]) -> usize {
    for i in 0..SIDE {
        for j in 0..SIDE {
            let own = (handles[i * SIDE + j], RW);
            let up = i.checked_sub(1).map(|i| (handles[i * SIDE + j], R));
            let left = j.checked_sub(1).map(|j| (handles[i * SIDE + j], R));
            match (up, left) {
                (Some(up), Some(left)) => flow.submit(Three, &[up, left, own], 0),
                (Some(other), None) | (None, Some(other)) => flow.submit(Two, &[other, own], 0),
                (None, None) => flow.submit(One, &[own], 0),
            }
        }
    }
    SIDE * SIDE
}

fn cholesky(flow: &mut Flow, handles: &[Handle]) -> usize {
    let at = |i: usize, j: usize| handles[i * TILES + j];
    let mut tasks = 0;
    for k in 0..TILES {
        flow.submit(One, &[(at(k, k), RW)], 0);
        for i in k + 1..TILES {
            flow.submit(Two, &[(at(k, k), R), (at(i, k), RW)], 0);
        }
        for i in k + 1..TILES {
            flow.submit(Two, &[(at(i, k), R), (at(i, i), RW)], 0);
            for j in k + 1..i {
                flow.submit(Three, &[(at(i, k), R), (at(j, k), R), (at(i, j), RW)], 0);
            }
        }
        let left = TILES - 1 - k;
        tasks += 1 + 2 * left + left * left.saturating_sub(1) / 2;
    }
    tasks
}

/// Seconds per task of `repeats` runs of `shape`, after one that is not counted.
pub(super) fn measure(shape: &Shape, options: ExecOptions, repeats: usize) -> (usize, Vec<f64>) {
    let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
    let handles: Vec<Handle> = (0..shape.handles).map(|_| flow.register(8)).collect();
    let mut tasks = 0;
    let mut run = |flow: &mut Flow| {
        let start = Instant::now();
        tasks = (shape.submit)(flow, &handles);
        flow.wait().expect("empty tasks do not fail");
        start.elapsed().as_secs_f64() / tasks as f64
    };
    run(&mut flow);
    let seconds = (0..repeats).map(|_| run(&mut flow)).collect();
    (tasks, seconds)
}
