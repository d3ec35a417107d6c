//! `tegula bench patterns`: tasks of a given length that wait for some of the step before, over
//! ranks: what is lost between them.
//!
//! The patterns and the measure are those of Task Bench (Slaughter et al., "Task Bench: a
//! parameterized benchmark for evaluating parallel runtime performance", SC 2020);
//! `scripts/bench/peers/task_bench.c` does the same in plain MPI.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{
    Access::{self, R, W},
    Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle,
};
use tegula_runtime::random::mix;
use tegula_runtime::ranks::Rank;

use crate::flags::OutputFlags;
use crate::output::{Align, Table, number, seconds};
use crate::ranks::{Ranks, ranks, world};

/// Which tasks of the step before a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pattern {
    /// Its neighbours on both sides, and its own place
    Stencil,
    /// Those at a distance that doubles with each step, and its own place
    Fft,
    /// Some of the two neighbours on both sides, drawn for each task, and its own place
    Random,
}

/// Flags of `bench patterns`.
#[derive(Args, Debug)]
pub(crate) struct Patterns {
    /// Pattern
    #[arg(value_enum)]
    pattern: Pattern,
    /// Tasks of a step for each rank
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=65536))]
    points: u32,
    /// Steps
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Bytes that a task takes from another
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(16..))]
    bytes: u32,
    /// Iterations of the kernel, 128 operations each; several lengths may be given
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "16,64,256,1024,4096"
    )]
    iterations: Vec<u32>,
    /// Cores that work, of each rank
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    workers: u32,
    /// Ranks: local:N as threads, mpi as those that mpirun or srun has started [default: mpi if
    /// they have, else one]
    #[arg(long, value_name = "RANKS")]
    ranks: Option<Ranks>,
    #[command(flatten)]
    output: OutputFlags,
}

/// Runs of each length, the best of which counts.
const RUNS: usize = 3;
const LANES: usize = 64;

/// 128 operations per iteration, towards a fixed point that is neither zero nor infinite.
#[inline(never)]
fn kernel(iterations: u32) -> f64 {
    let mut lanes: [f64; LANES] = std::array::from_fn(|i| 1e-3 * i as f64);
    for _ in 0..black_box(iterations) {
        lanes.iter_mut().for_each(|x| *x = *x * *x - 0.5);
    }
    lanes.iter().sum()
}

/// Runs the kernel, and puts out step and task after having checked those that come in.
#[derive(Clone, Copy)]
struct Work {
    iterations: u32,
    step: u32,
    task: u32,
    /// Tasks of the step before that it takes from.
    from: [u32; 5],
}

impl Work {
    fn run(self, buffers: &Buffers<'_>, inputs: usize) -> Result<(), Failure> {
        for (place, &from) in self.from.iter().enumerate().take(inputs) {
            let stamp = &buffers.read::<u32>(place)[..2];
            if self.step > 0 && stamp != [self.step - 1, from] {
                return Err(
                    format!("task {} of step {} got {stamp:?}", self.task, self.step).into()
                );
            }
        }
        black_box(kernel(self.iterations));
        buffers.write::<u32>(inputs)[..2].copy_from_slice(&[self.step, self.task]);
        Ok(())
    }

    fn submit(self, flow: &mut Flow, accesses: &[(Handle, Access)]) {
        match accesses.len() {
            2 => flow.submit(One(self), accesses, 0),
            3 => flow.submit(Two(self), accesses, 0),
            4 => flow.submit(Three(self), accesses, 0),
            5 => flow.submit(Four(self), accesses, 0),
            _ => flow.submit(Five(self), accesses, 0),
        }
    }
}

macro_rules! codelets {
    ($($name:ident: $($mode:ident)*;)*) => { $(
        #[derive(Clone, Copy)]
        struct $name(Work);
        impl Codelet for $name {
            const NAME: &'static str = "work";
            const ACCESS: &'static [Access] = &[$($mode),*];
            fn cost(&self) -> Cost {
                Cost { flops: 128.0 * f64::from(self.0.iterations), bytes: 0.0 }
            }
            fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
                self.0.run(buffers, Self::ACCESS.len() - 1)
            }
        }
    )* };
}

codelets! {
    One: R W;
    Two: R R W;
    Three: R R R W;
    Four: R R R R W;
    Five: R R R R R W;
}

impl Patterns {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let width = self.points as usize * ranks();
        let mut table = Table::new(&[
            ("iterations", Align::Right),
            ("per step", Align::Right),
            ("granularity", Align::Right),
            ("efficiency", Align::Right),
        ]);
        let mut rows = Vec::new();
        for &iterations in &self.iterations {
            let alone = kernel_seconds(iterations);
            let run = (0..RUNS).map(|_| self.measure(width, iterations));
            let total = run.collect::<Result<Vec<f64>>>()?.into_iter().fold(f64::MAX, f64::min);
            let tasks = width * self.steps as usize;
            let cores = (ranks() * self.workers as usize) as f64;
            let (step, grain) = (total / f64::from(self.steps), total * cores / tasks as f64);
            let efficiency = alone / grain;
            table.row(vec![
                iterations.to_string(),
                seconds(step),
                seconds(grain),
                number(efficiency, 3),
            ]);
            rows.push(json!({
                "pattern": format!("{:?}", self.pattern).to_lowercase(),
                "ranks": ranks(),
                "width": width,
                "steps": self.steps,
                "bytes": self.bytes,
                "iterations": iterations,
                "seconds_per_step": step,
                "granularity": grain,
                "efficiency": efficiency,
            }));
        }
        console.line(table);
        self.output.write(&json!({ "rows": rows }))?;
        console.finish()
    }

    /// Seconds of one run.
    fn measure(&self, width: usize, iterations: u32) -> Result<f64> {
        let options = ExecOptions { world: world(), ..ExecOptions::new(self.workers as usize) };
        let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
        let mut column = || -> Vec<Handle> {
            let register = |task: usize| {
                let handle = flow.register(self.bytes as usize);
                flow.set_owner(handle, Rank((task / self.points as usize) as u16));
                handle
            };
            (0..width).map(register).collect()
        };
        let columns = [column(), column()];
        flow.wait()?;
        let start = Instant::now();
        for step in 0..self.steps {
            let (into, out) = (&columns[step as usize % 2], &columns[(step as usize + 1) % 2]);
            for task in 0..width {
                self.submit(&mut flow, (step, task, width), (out, into), iterations);
            }
        }
        flow.wait()?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn submit(
        &self,
        flow: &mut Flow,
        (step, task, width): (u32, usize, usize),
        (before, now): (&[Handle], &[Handle]),
        iterations: u32,
    ) {
        let mut work = Work { iterations, step, task: task as u32, from: [0; 5] };
        let mut accesses = [(now[task], W); 6];
        let mut count = 0;
        for from in self.inputs(step, task, width) {
            work.from[count] = from as u32;
            accesses[count] = (before[from], R);
            count += 1;
        }
        accesses[count] = (now[task], W);
        work.submit(flow, &accesses[..=count]);
    }

    /// Tasks of the step before that `task` of `width` waits for.
    fn inputs(&self, step: u32, task: usize, width: usize) -> impl Iterator<Item = usize> + use<> {
        let bits = width.ilog2().max(1);
        let (stride, reach) = match self.pattern {
            Pattern::Stencil => (1, 1),
            Pattern::Fft => (1i64 << (step % bits), 1),
            Pattern::Random => (1, 2),
        };
        let is_random = self.pattern == Pattern::Random;
        (-reach..=reach).filter_map(move |k: i64| {
            let from =
                usize::try_from(task as i64 + k * stride).ok().filter(|&from| from < width)?;
            let is_drawn =
                || mix(u64::from(step) << 40 ^ (from as u64) << 20 ^ task as u64) & 1 == 1;
            (!is_random || k == 0 || is_drawn()).then_some(from)
        })
    }
}

/// Seconds of the kernel at its best.
fn kernel_seconds(iterations: u32) -> f64 {
    let time = || {
        let start = Instant::now();
        for _ in 0..64 {
            black_box(kernel(iterations));
        }
        start.elapsed().as_secs_f64() / 64.0
    };
    (0..9).map(|_| time()).fold(f64::MAX, f64::min)
}
