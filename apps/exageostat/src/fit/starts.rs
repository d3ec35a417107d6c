//! Several starts of a search, spread over the space: the first where the data suggest, the others
//! a Latin hypercube (M. D. McKay, R. J. Beckman, W. J. Conover, "A comparison of three methods for
//! selecting values of input variables", Technometrics 21 (1979) 239-245).

use super::region::{Ending, Region};
use super::search::Search;
use super::space::Space;
use super::{FitError, FitOptions};
use crate::model::Model;
use crate::sample::Random;

/// Log-likelihoods that differ by less are of the same maximum.
const SAME: f64 = 1e-3;

/// Where a search from one start ended.
#[derive(Clone, Debug)]
pub struct StartEnd {
    /// The best parameters.
    pub model: Model,
    /// The log-likelihood there.
    pub loglik: f64,
    /// Whether the search reached its accuracy.
    pub converged: bool,
}

/// Where a search begins: ways to go, of which the best end counts, each through spaces one after
/// the other, from the end in one on to the next.
pub(super) struct Start {
    ways: Vec<Vec<Space>>,
}

/// How many of `ends` converged to the greatest maximum.
pub(super) fn agreeing(ends: &[StartEnd]) -> usize {
    let best = ends.iter().fold(f64::NEG_INFINITY, |best, end| best.max(end.loglik));
    ends.iter().filter(|end| end.converged && best - end.loglik < SAME).count()
}

/// The coordinates of `count` points of the unit cube, each in another slice of every edge.
fn spread(count: usize, dimension: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    let mut points = vec![vec![0.0; dimension]; count];
    for axis in 0..dimension {
        let mut slices: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            slices.swap(last, (random.uniform() * (last + 1) as f64) as usize);
        }
        for (point, slice) in points.iter_mut().zip(slices) {
            point[axis] = (slice as f64 + random.uniform()) / count as f64;
        }
    }
    points
}

impl Search<'_> {
    /// Each of the starts of `options`.
    pub(super) fn starts(&self, options: &FitOptions) -> Vec<Start> {
        let space = &self.region.space;
        let others = spread(options.starts.saturating_sub(1), space.dimension(), options.seed);
        let other = |at: &Vec<f64>| Start { ways: vec![vec![space.starting_within(at)]] };
        [self.first_start(options)].into_iter().chain(others.iter().map(other)).collect()
    }

    /// Where the data suggest: by a simpler covariance if it has one, and in a sum also with each
    /// term in turn hardly more than noise.
    fn first_start(&self, options: &FitOptions) -> Start {
        let (space, covariance) = (&self.region.space, self.covariance);
        let is_told =
            |index: usize| options.start[index].is_some() || options.bounds[index].is_some();
        let simpler = covariance.simpler().iter().copied();
        let held: Vec<(usize, f64)> = simpler.filter(|&(index, _)| !is_told(index)).collect();
        let mut ways = vec![vec![space.clone()]];
        if !held.is_empty() {
            ways[0].insert(0, space.holding(&held));
        }
        if covariance.is_sum() {
            ways.extend(space.with_short_ranges().map(|short| vec![short]));
        }
        Start { ways }
    }

    /// Searches from a start, with as many evaluations as `options` allow.
    ///
    /// # Errors
    /// If the likelihood has no value near it, or as [`run`](Self::run).
    pub(super) fn run_from(
        &mut self,
        start: Start,
        options: &FitOptions,
        accuracy: f64,
    ) -> Result<Ending, FitError> {
        self.most = self.evaluations + options.max_evaluations;
        let mut best: Option<(Region, Ending, bool)> = None;
        let mut first_error = None;
        for way in start.ways {
            let ending = match self.run_through(way, accuracy) {
                Ok(ending) => ending,
                Err(error @ FitError::Start(_)) => {
                    first_error = first_error.or(Some(error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if best.as_ref().is_none_or(|(best, ..)| self.region.loglik() > best.loglik()) {
                best = Some((self.take_region(), ending, self.exhausted));
            }
        }
        let (region, ending, exhausted) =
            best.ok_or_else(|| first_error.expect("there is a way"))?;
        (self.region, self.exhausted) = (region, exhausted);
        Ok(ending)
    }

    /// Searches in one space after the other; says how that in the last of them ended.
    fn run_through(&mut self, way: Vec<Space>, accuracy: f64) -> Result<Ending, FitError> {
        let (mut model, mut ending) = (None, Ending { converged: false, accuracy });
        let last = way.len() - 1;
        for (place, space) in way.into_iter().enumerate() {
            let space = match &model {
                Some(model) => space.starting_from(model),
                None => space,
            };
            match self.run_in(space, accuracy) {
                Ok(ended) => ending = ended,
                // Where the simpler one has no likelihood the other may have one.
                Err(FitError::Start(_)) if place < last => continue,
                Err(error) => return Err(error),
            }
            model = Some(self.region.found().model);
        }
        Ok(ending)
    }

    /// The region, in whose place an empty one is left.
    fn take_region(&mut self) -> Region {
        let empty = Region::new(self.region.space.clone(), f64::NEG_INFINITY);
        std::mem::replace(&mut self.region, empty)
    }

    /// Searches in `space` from its start.
    fn run_in(&mut self, space: Space, accuracy: f64) -> Result<Ending, FitError> {
        let space = self.near(space, accuracy)?;
        self.region = Region::new(space, f64::NEG_INFINITY);
        self.exhausted = false;
        let start = self.first_point()?;
        self.run(start, accuracy)
    }

    /// Searches from as many starts as `options` say, each with as many evaluations as they allow,
    /// and keeps the best region; says how the search in it ended, and all of them.
    ///
    /// # Errors
    /// If the likelihood has no value near any start, or as [`run`](Self::run).
    pub(super) fn run_all(
        &mut self,
        options: &FitOptions,
        accuracy: f64,
    ) -> Result<(Ending, Vec<StartEnd>), FitError> {
        let (mut best, mut first_error, mut ends) = (None, None, Vec::new());
        for start in self.starts(options) {
            let ending = match self.run_from(start, options, accuracy) {
                Ok(ending) => ending,
                Err(error @ FitError::Start(_)) => {
                    first_error = first_error.or(Some(error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let (found, loglik) = (self.region.found(), self.region.loglik());
            let converged = ending.converged && !self.exhausted;
            ends.push(StartEnd { model: found.model, loglik, converged });
            let is_better = |best: &(Region, Ending, bool)| loglik > best.0.loglik();
            if best.as_ref().is_none_or(is_better) {
                best = Some((self.take_region(), ending, self.exhausted));
            }
        }
        match (best, first_error) {
            (Some((region, ending, exhausted)), _) => {
                (self.region, self.exhausted) = (region, exhausted);
                Ok((ending, ends))
            }
            (None, Some(error)) => Err(error),
            (None, None) => unreachable!("there is a start"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_spread_over_every_edge() {
        let points = spread(7, 3, 1);
        for axis in 0..3 {
            let mut slices: Vec<usize> = points.iter().map(|p| (p[axis] * 7.0) as usize).collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..7).collect::<Vec<_>>(), "{axis}");
        }
        assert_eq!(points, spread(7, 3, 1));
        assert_ne!(points, spread(7, 3, 2));
    }
}
