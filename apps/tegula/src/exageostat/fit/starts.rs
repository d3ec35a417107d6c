//! `--starts`: searches from several starts at the same time, each in a context.

use std::ops::ControlFlow;

use anyhow::Result;
use tegula_exageostat::fit::{FitError, FitOptions, Journal, explore};
use tegula_kernels::scalar::Real;

use super::Fit;
use crate::checkpoint::caught;
use crate::exageostat::data::Data;
use crate::exageostat::setup::Setup;
use crate::exageostat::transform::Choice;
use crate::flags::side_by_side;
use crate::output::{Console, Progress};

impl Fit {
    /// Searches from all starts of `options`, as many at once as keep the workers busy, if those
    /// are several; the fit that gets the `journal` then comes to the same without evaluations.
    /// Says how many seconds it took.
    pub(super) fn explore<T: Real>(
        &self,
        (data, options): (&Data, &FitOptions),
        setup: &Setup,
        journal: &mut Journal,
        console: &Console,
    ) -> Result<f64> {
        let (starts, n) = (options.starts, data.observations.len());
        let at_once = self.contexts.at_once(&setup.run, starts, n)?;
        // What Tukey's function makes of the values is a likelihood of its own.
        let is_plain = self.transform != Choice::TukeyGh && !self.trace.is_wanted();
        if at_once <= 1 || !is_plain {
            return Ok(0.0);
        }
        let (overlap, owners) = (self.overlap.overlap(), self.generation.owners(&setup.run)?);
        let (observations, covariance) = (&data.observations, self.covariance.covariance);
        let known = &*journal;
        let search = |start: usize| {
            if caught() != 0 {
                return Ok(known.clone());
            }
            let flow = setup.run.flow(false, overlap.memory_cache);
            let mut likelihood =
                setup.likelihood::<T>(flow, observations, (overlap, owners.clone()));
            let mut own = known.clone();
            let mut between = |_: &mut _, _: &_, _: &_| match caught() != 0 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let of = (observations, covariance, options);
            match explore(&mut *likelihood, of, start, &mut own, &mut between) {
                // Whoever goes on with what is known by then tells of it.
                Ok(()) | Err(FitError::Stopped { .. }) => Ok(own),
                Err(error) => Err(error.into()),
            }
        };
        let mut progress = Progress::new(console);
        let mut report = |done| progress.share(done, starts, "starts");
        let found = side_by_side(&setup.run, (starts, at_once), search, &mut report)?;
        progress.clear();
        found.into_iter().for_each(|found| journal.join(found));
        Ok(progress.seconds())
    }
}
