//! `--contexts`: runs of `--repeat` at the same time, each in a scheduling context.

use std::time::Instant;

use anyhow::Result;
use tegula_runtime::trace::Trace;

use super::inputs::Inputs;
use super::report::{Done, Task};
use super::{Linalg, load};
use crate::error::refused;
use crate::flags::{ContextFlags, side_by_side};
use crate::output::{Account, Console, Progress};

impl Linalg {
    /// How many runs there are at the same time.
    ///
    /// # Errors
    /// If there cannot be as many, or something else was asked for that is of one run.
    pub(super) fn at_once(&self, task: &Task<'_>) -> Result<usize> {
        let Some(asked) = self.contexts.filter(|asked| *asked > 1) else { return Ok(1) };
        let of_one = [
            (self.trace.is_wanted(), "--trace"),
            (self.files.result.is_some(), "--output"),
            (self.checkpoint.is_given(), "--checkpoint"),
        ];
        if let Some((_, flag)) = of_one.iter().find(|(is_given, _)| *is_given) {
            return Err(refused(format!("{flag} is of one run at a time: leave --contexts out")));
        }
        if self.repeat == 1 {
            return Err(refused(format!(
                "--contexts {asked}: there is one run; --repeat R asks for more"
            )));
        }
        ContextFlags::asking(asked).at_once(task.run, self.repeat as usize, task.sizes.n)
    }

    /// Runs the algorithm as often as asked for, `at_once` of them at the same time, each on fresh
    /// matrices.
    pub(super) fn side_by_side(
        &self,
        (task, at_once): (&Task<'_>, usize),
        inputs: &Inputs,
        console: &Console,
    ) -> Result<Done> {
        let Task { program, sizes, run } = *task;
        let runs = self.repeat as usize;
        let each = |_| {
            let mut flow = run.flow(false, true);
            let mut instance = program.instance(&mut flow, sizes, &inputs.to_program());
            instance.fill_but(&mut flow, &[]);
            instance.prepare(&mut flow);
            flow.wait().map_err(load::failure)?;
            let before = Account::of(&mut flow);
            flow.note_decisions();
            let start = Instant::now();
            instance.submit(&mut flow);
            flow.wait()?;
            let seconds = start.elapsed().as_secs_f64();
            let decisions = flow.take_decisions();
            let account = Account::of(&mut flow).since(&before);
            instance.verify(&mut flow).map_err(anyhow::Error::from_boxed)?;
            let check = match self.check {
                true => Some(instance.check(&mut flow).map_err(anyhow::Error::from_boxed)?),
                false => None,
            };
            let (values, spectrum) = (instance.values().to_vec(), instance.spectrum().to_vec());
            let trace = Trace::default();
            let seconds = vec![seconds];
            let (together, taken_over) = (None, 0);
            Ok(Done {
                seconds,
                together,
                taken_over,
                check,
                values,
                decisions,
                spectrum,
                trace,
                account,
            })
        };
        let mut progress = Progress::new(console);
        let mut report = |done| progress.share(done, runs, "runs");
        let start = Instant::now();
        let found = side_by_side(run, (runs, at_once), each, &mut report)?;
        let together = Some((start.elapsed().as_secs_f64(), at_once));
        progress.clear();
        let seconds = found.iter().flat_map(|done| done.seconds.clone()).collect();
        // NaN is no smaller than what a check may come to.
        let worse = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
        let check = found.iter().filter_map(|done| done.check).reduce(worse);
        let last = found.into_iter().next_back().expect("there is a run");
        Ok(Done { seconds, together, check, ..last })
    }
}
