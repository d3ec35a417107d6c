//! Evaluations at the same time, on one flow, where one by itself cannot keep all workers busy.
//!
//! The tasks of one evaluation after the other are submitted before any is waited for, each with
//! tiles of its own, so that the end of one overlaps with the beginning of the next.

use tegula_kernels::geometry::Geometry;
use tegula_kernels::scalar::Real;
use tegula_linalg::factorizations_at_once;
use tegula_runtime::flow::Flow;

use super::{Evaluation, Overlap, Phases};
use crate::covariance::Covariance;
use crate::observations::Observations;

/// Bytes that the matrices of all may take.
const MOST_BYTES: usize = 64 << 20;

/// Several evaluations at the same time.
#[derive(Debug)]
pub(super) struct Together<T> {
    /// How many.
    pub(super) count: usize,
    /// What they are of, until they are registered.
    observations: Option<Observations>,
    how: (usize, Overlap),
    phases: Vec<Phases<T>>,
}

impl<T: Real> Together<T> {
    /// As many evaluations of `observations` as keep the workers of `flow` busy; nothing is
    /// registered yet.
    pub(super) fn new(flow: &Flow, observations: &Observations, how: (usize, Overlap)) -> Self {
        let n = observations.len();
        let wanted = factorizations_at_once(flow.workers(), n, how.0);
        let fitting = MOST_BYTES / (n * n * size_of::<T>() / 2).max(1);
        let count = if how.1.asynchronous { wanted.min(fitting).max(1) } else { 1 };
        let observations = (count > 1).then(|| observations.clone());
        Self { count, observations, how, phases: Vec::new() }
    }

    /// Evaluates at some points, at most as many as there are phases; nothing if one of them has no
    /// likelihood.
    pub(super) fn evaluate(
        &mut self,
        flow: &mut Flow,
        (covariance, geometry): (&Covariance, Geometry),
        points: &[(Vec<f64>, f64)],
    ) -> Option<Vec<Evaluation>> {
        if points.len() < 2 {
            return None;
        }
        if let Some(observations) = self.observations.take() {
            let (nb, overlap) = self.how;
            let make = |_| Phases::new(flow, &observations, nb, overlap);
            self.phases = (0..self.count).map(make).collect();
        }
        let law = |(values, nugget): &(Vec<f64>, f64)| covariance.law(geometry, values, *nugget);
        let laws = points.iter().map(law).collect::<Result<Vec<_>, _>>().ok()?;
        let some = &mut self.phases[..points.len()];
        // What is set is waited for, so that all comes before the first task.
        let set = some.iter_mut().zip(&laws).try_for_each(|(one, law)| one.reset(flow, law));
        let submitted = set.and_then(|()| some.iter().try_for_each(|one| one.submit(flow)));
        let waited = flow.wait();
        let all = submitted.and(waited).ok().and_then(|()| {
            let evaluations = some.iter().map(|phases| {
                let (logdet, gram) = phases.read(flow).ok()?;
                Evaluation::new(phases.places(), logdet, &gram, phases.offset()).ok()
            });
            evaluations.collect()
        });
        some.iter().for_each(|phases| phases.end(flow));
        all
    }
}
