//! Pauses of a factorisation between its steps, and how a run tells that it goes on with the same
//! one.
//!
//! A pause waits for all tasks: those of the next steps cannot begin before the last ones of the
//! steps before. So there are some steps between two pauses, as many as take some seconds by how
//! fast the last went.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tegula_files::checkpoint::{About, Checkpoint};
use tegula_linalg::program::{Instance, Program, Size, Sizes};
use tegula_runtime::flow::Flow;

use super::inputs::Inputs;
use super::report::Task;
use super::state;
use crate::checkpoint::{Checkpoints, about, agreed};
use crate::output::{Console, Progress};

/// Least time that should pass between two pauses, unless checkpoints are to come more often.
const BETWEEN: Duration = Duration::from_secs(5);
/// What a checkpoint says of its tiles.
const TILE_SIZE: &str = "--tile-size";
/// What it says of the columns of right-hand sides in a tile.
const SHARERS: &str = "the number of shares of right-hand sides";

/// The order of the tiles, and the number of shares of right-hand sides, of the run that has left
/// `checkpoint`.
pub(super) fn tiling(checkpoint: &Checkpoint) -> (Option<usize>, Option<usize>) {
    let number = |name| checkpoint.fact(name).and_then(|value| value.parse().ok());
    let is_possible = |number: &usize| *number > 0;
    (number(TILE_SIZE).filter(is_possible), number(SHARERS).filter(is_possible))
}

/// What must not differ when a run goes on.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn about_run(task: &Task<'_>, inputs: &Inputs) -> Result<About> {
    let Task { program, sizes, .. } = *task;
    let used = Size::GIVEN.into_iter().filter(|size| program.sizes.contains(size));
    let mut facts: Vec<_> = used.map(|size| (size.name(), sizes.of(size).to_string())).collect();
    facts.extend(task.uplo().map(|uplo| ("--uplo", uplo.to_owned())));
    facts.extend(inputs.digests()?);
    facts.extend([
        ("--seed", sizes.seed.to_string()),
        ("--precision", sizes.precision.letter().to_string()),
        (TILE_SIZE, sizes.nb.to_string()),
        (SHARERS, sizes.sharers.to_string()),
    ]);
    Ok(about(&format!("linalg {}", program.name), facts))
}

/// A factorisation in steps.
pub(super) struct Stages<'a> {
    pub(super) program: &'a Program,
    pub(super) sizes: Sizes,
    pub(super) checkpoints: Checkpoints,
    pub(super) console: &'a Console,
}

impl Stages<'_> {
    /// Fills the matrices of `instance`, as an earlier run has left them if this one goes on with
    /// that; answers the steps that are done then.
    ///
    /// # Errors
    /// Those of the flow and of the checkpoint.
    pub(super) fn fill(&mut self, flow: &mut Flow, instance: &mut dyn Instance) -> Result<usize> {
        let Some(saved) = self.checkpoints.resumed() else {
            instance.fill_but(flow, &[]);
            return Ok(0);
        };
        let (done, steps) = (
            state::restore(flow, instance, self.program.state, saved)?,
            self.program.steps(&self.sizes),
        );
        ensure!(done < steps, "the checkpoint is of {done} steps, and there are {steps}");
        self.console
            .field("goes on", format_args!("after {done} of {steps} steps of an earlier run"));
        Ok(done)
    }

    /// Runs the steps that are left after those that are `done`, with pauses between some.
    ///
    /// # Errors
    /// Those of the flow; the end of the run in a pause.
    pub(super) fn run(
        &mut self,
        flow: &mut Flow,
        instance: &mut dyn Instance,
        progress: &mut Progress,
        mut done: usize,
    ) -> Result<()> {
        let steps = self.program.steps(&self.sizes);
        let apart = state::state_bytes(instance, self.program.state);
        // The first step tells how fast it goes.
        let mut next = if self.checkpoints.every().is_some() { done + 1 } else { steps };
        loop {
            let start = Instant::now();
            instance.submit_steps(flow, done..next.min(steps));
            flow.wait()?;
            let pace = (self.flops(done) - self.flops(next)) / start.elapsed().as_secs_f64();
            done = next;
            if done >= steps {
                return Ok(());
            }
            let mut save = |flow: &mut Flow, out: &mut dyn Write| {
                state::save(flow, instance, self.program.state, done, out)
            };
            let outcome = self.checkpoints.pause(flow, self.console, (apart, &mut save));
            if outcome == ControlFlow::Break(()) {
                progress.clear();
                let ending = self.checkpoints.ending(&format!("{done} of {steps} steps"));
                return Err(ending.expect("the run ended in a pause"));
            }
            next = agreed(flow, self.next(done, steps, pace) as u64)? as usize;
        }
    }

    /// Operations that are left after so many steps.
    fn flops(&self, done: usize) -> f64 {
        self.program.flops(&self.sizes.after(done))
    }

    /// The step at which the next pause is due, at a pace of so many operations in a second.
    fn next(&self, done: usize, steps: usize, pace: f64) -> usize {
        let between = self.checkpoints.every().map_or(BETWEEN, |every| every.min(BETWEEN));
        let left = self.flops(done);
        let is_due = |next: &usize| left - self.flops(*next) >= pace * between.as_secs_f64();
        (done + 1..steps).find(is_due).unwrap_or(steps)
    }
}
