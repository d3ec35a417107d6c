//! Searches at the same time, each in a context: from several starts (`--starts`), or each with
//! another value of a parameter (`--grid`).

use std::ops::ControlFlow;

use anyhow::Result;
use tegula_exageostat::fit::{Between, FitError, FitOptions, Journal, explore};
use tegula_exageostat::likelihood::Evaluate;
use tegula_kernels::scalar::Real;

use super::Fit;
use crate::checkpoint::caught;
use crate::exageostat::data::Data;
use crate::exageostat::setup::Setup;
use crate::exageostat::transform::Choice;
use crate::flags::side_by_side;
use crate::output::{Console, Progress};

/// What searches are made with.
#[derive(Clone, Copy)]
pub(super) struct Searches<'a> {
    pub(super) data: &'a Data,
    pub(super) setup: &'a Setup,
    pub(super) console: &'a Console,
}

impl Fit {
    /// Searches from all starts of `options`, as many at once as keep the workers busy, if those
    /// are several; the fit that gets the `journal` then comes to the same without evaluations.
    /// Says how many seconds it took.
    pub(super) fn explore<T: Real>(
        &self,
        with: Searches<'_>,
        options: &FitOptions,
        journal: &mut Journal,
    ) -> Result<f64> {
        let Searches { data, setup, .. } = with;
        let (starts, n) = (options.starts, data.observations.len());
        let at_once = self.contexts.at_once(&setup.run, starts, n)?;
        // What Tukey's function makes of the values is a likelihood of its own.
        let is_plain = self.transform != Choice::TukeyGh && !self.trace.is_wanted();
        if at_once <= 1 || !is_plain {
            return Ok(0.0);
        }
        let (observations, covariance) = (&data.observations, self.covariance.covariance);
        let search = |start: usize,
                      likelihood: &mut dyn Evaluate,
                      journal: &mut Journal,
                      between: &mut Between<'_>| {
            explore(likelihood, (observations, covariance, options), start, journal, between)
        };
        let (_, seconds) =
            self.search_side_by_side::<T, _>(with, (starts, at_once, "starts"), search, journal)?;
        Ok(seconds)
    }

    /// Makes as many searches as asked for, some of them at once, each with a likelihood and a copy
    /// of the `journal` of its own, which takes in what they find; none of those that a signal ends
    /// or keeps from beginning. Says how many seconds it took.
    pub(super) fn search_side_by_side<T: Real, R: Send>(
        &self,
        Searches { data, setup, console }: Searches<'_>,
        (searches, at_once, what): (usize, usize, &str),
        search: impl Fn(usize, &mut dyn Evaluate, &mut Journal, &mut Between<'_>) -> Result<R, FitError>
        + Sync,
        journal: &mut Journal,
    ) -> Result<(Vec<Option<R>>, f64)> {
        let (overlap, owners) = (self.overlap.overlap(), self.generation.owners(&setup.run)?);
        let known = &*journal;
        let each = |number: usize| {
            if caught() != 0 {
                return Ok((None, known.clone()));
            }
            let flow = setup.run.flow(false, overlap.memory_cache);
            let how = (overlap, owners.clone());
            let mut likelihood = setup.likelihood::<T>(flow, &data.observations, how);
            let mut own = known.clone();
            let mut between = |_: &mut _, _: &_, _: &_| match caught() != 0 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            match search(number, &mut *likelihood, &mut own, &mut between) {
                Ok(found) => Ok((Some(found), own)),
                // Whoever goes on with what is known by then tells of it.
                Err(FitError::Stopped { .. }) => Ok((None, own)),
                Err(error) => Err(error.into()),
            }
        };
        let mut progress = Progress::new(console);
        let mut report = |done| progress.share(done, searches, what);
        let found = side_by_side(&setup.run, (searches, at_once), each, &mut report)?;
        progress.clear();
        let (found, journals): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        journals.into_iter().for_each(|found| journal.join(found));
        Ok((found, progress.seconds()))
    }
}
