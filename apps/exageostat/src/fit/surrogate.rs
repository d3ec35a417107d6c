//! A search that is guided by a surrogate: the likelihood by some neighbours of each place, which
//! costs next to nothing and has derivatives.
//!
//! Every search begins where the surrogate is greatest. One by values goes on from there by what
//! the likelihood has beyond the surrogate, which is nearly linear: it is interpolated by the
//! quadratic that bends least ([`Beyond`]), first at steps along the axes of the surrogate's
//! information. The sum of the two is maximised within a trust region, and there the likelihood is
//! evaluated next (N. M. Alexandrov, R. M. Lewis, C. R. Gumbert, L. L. Green, P. A. Newman,
//! "Approximation and model management in aerodynamic optimization with variable-fidelity models",
//! J. Aircraft 38 (2001) 1093-1101).

mod beyond;

use tegula_runtime::flow::Flow;

use super::newton::{LARGEST_RADIUS, Slope};
use super::region::Ending;
use super::search::{Beside, Progress, Search, Setting};
use super::space::Space;
use super::{FitError, Journal, Optimizer};
use crate::small::backward;
use beyond::Beyond;

/// Neighbours of each place in the surrogate that a search by values is guided by.
pub(super) const NEIGHBOURS: usize = 60;
/// Likewise in that at whose maximum a search by derivatives begins.
const START_NEIGHBOURS: usize = 15;
/// From how many places on a search by derivatives begins at the maximum of the surrogate: with
/// fewer, that takes as long as it saves.
const LEAST_PLACES: usize = 1000;
/// Length of the first steps, in standard errors.
const PROBE: f64 = 0.5;
/// Half the edge of the cube that they stay in.
const FIRST_RADIUS: f64 = 1.0;
/// A step that would gain less in log-likelihood is not made.
const NEGLIGIBLE: f64 = 1e-5;
/// Most steps on surrogate and what is beyond it.
const MOST_STEPS: usize = 30;
/// Evaluations for each coordinate after which the surrogate is seen to be none.
const MOST: usize = 12;

/// A point where both are known.
#[derive(Clone)]
struct Point {
    x: Vec<f64>,
    loglik: f64,
    /// The log-likelihood of the surrogate.
    value: f64,
    /// How that changes.
    slope: Slope,
}

impl Point {
    /// What the likelihood has beyond the surrogate.
    fn beyond(&self) -> f64 {
        self.loglik - self.value
    }

    /// The steps from here along the axes of the information, which has this `root`, within `low`
    /// and `high` of it.
    fn probes(&self, root: &[f64], (low, high): (&[f64], &[f64])) -> Vec<Vec<f64>> {
        let n = self.x.len();
        let along = |axis: usize| {
            let unit: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == axis))).collect();
            let step = backward(root, n, &unit);
            let edge = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
            let length = PROBE.min(FIRST_RADIUS / edge);
            let within = |sign: f64| -> Vec<f64> {
                let step = step.iter().map(|s| sign * length * s);
                step.zip(low.iter().zip(high))
                    .map(|(s, (low, high))| s.clamp(*low, *high))
                    .collect()
            };
            // Whichever way leaves more of it.
            let [ahead, back] = [within(1.0), within(-1.0)];
            let size = |step: &[f64]| dot(&self.slope.times(step), step);
            if size(&back) > size(&ahead) { back } else { ahead }
        };
        (0..n).map(along).filter(|step| step.iter().any(|s| *s != 0.0)).collect()
    }
}

impl Search<'_> {
    /// `space`, starting where the surrogate is greatest in it, if the search is to begin there.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn near(&mut self, space: Space, accuracy: f64) -> Result<Space, FitError> {
        let is_worth_it = match self.optimizer {
            Optimizer::AverageInformation | Optimizer::FisherScoring => {
                self.likelihood.n() >= LEAST_PLACES
            }
            Optimizer::Surrogate => true,
            Optimizer::Bobyqa => false,
        };
        if !is_worth_it || self.starts_as_told || space.dimension() == 0 {
            return Ok(space);
        }
        let greatest = self.by_surrogate(space.clone(), |search| {
            let start = match search.first_point() {
                Err(FitError::Start(_)) => return Ok(None),
                start => start?,
            };
            search.climb(start, accuracy)?;
            Ok(Some(search.region.found().x))
        })?;
        Ok(match greatest.flatten() {
            Some(x) => space.starting_at(x),
            None => space,
        })
    }

    /// What a search of the surrogate in `space` comes to, if there is one.
    fn by_surrogate<R>(
        &mut self,
        space: Space,
        search: impl FnOnce(&mut Search<'_>) -> Result<R, FitError>,
    ) -> Result<Option<R>, FitError> {
        let neighbours =
            if self.optimizer == Optimizer::Surrogate { NEIGHBOURS } else { START_NEIGHBOURS };
        let (evaluations, best) = (self.evaluations, self.highest);
        let setting = Setting {
            covariance: self.covariance,
            criterion: self.criterion,
            optimizer: Optimizer::AverageInformation,
            most: usize::MAX,
        };
        let Self { likelihood, between, journal: known, ends_at_least_nugget, .. } = self;
        let Some(mut surrogate) = likelihood.surrogate(setting.covariance, neighbours) else {
            return Ok(None);
        };
        let mut journal = Journal::default();
        let mut between = |flow: &mut Flow, progress: &Progress, _: &Journal| {
            let progress = Progress {
                evaluations,
                loglik: None,
                best,
                beside: Beside::Surrogate,
                is_known: true,
                ..progress.clone()
            };
            between(flow, &progress, known)
        };
        let mut of_surrogate =
            Search::new(&mut *surrogate, space, setting, &mut journal, &mut between);
        of_surrogate.ends_at_least_nugget = *ends_at_least_nugget;
        match search(&mut of_surrogate) {
            Err(FitError::Stopped { .. }) => Err(FitError::Stopped { evaluations }),
            found => found.map(Some),
        }
    }

    /// The surrogate at `x`, if it has a value there.
    fn surrogate_at(&mut self, x: &[f64]) -> Result<Option<(f64, Slope)>, FitError> {
        let found = self.by_surrogate(self.region.space.clone(), |search| {
            let found = search.evaluate_with_slope(x, f64::NEG_INFINITY);
            search.check()?;
            match found {
                Ok((value, slope)) => Ok(slope.map(|slope| (value, slope))),
                Err(error) if error.is_numerical() => Ok(None),
                Err(error) => Err(error.into()),
            }
        })?;
        Ok(found.flatten())
    }

    /// The point `x`, where the likelihood has the value `loglik`, with the surrogate there.
    fn beside(&mut self, x: &[f64], loglik: f64) -> Result<Option<Point>, FitError> {
        let x = x.to_vec();
        let found = self.surrogate_at(&x)?;
        Ok(found.map(|(value, slope)| Point { x, loglik, value, slope }))
    }

    /// Both at `x`, if they are there.
    fn look(&mut self, x: &[f64]) -> Result<Option<Point>, FitError> {
        let found = self.evaluate(x);
        self.check()?;
        match found {
            Ok(loglik) => self.beside(x, loglik),
            Err(error) if error.is_numerical() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Maximises the likelihood from `x`, where it has a value, by values and the surrogate; and in
    /// the end by its derivatives, if it has any.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn follow(&mut self, x: Vec<f64>, accuracy: f64) -> Result<Ending, FitError> {
        let ending = self.follow_surrogate(x, accuracy)?;
        if ending.converged && self.likelihood.has_score() {
            let best = self.region.found().x;
            return self.climb(best, accuracy);
        }
        Ok(ending)
    }

    /// As [`follow`](Self::follow), by values and the surrogate alone.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn follow_surrogate(&mut self, x: Vec<f64>, accuracy: f64) -> Result<Ending, FitError> {
        let ending = |converged| Ok(Ending { converged, accuracy });
        let space = self.region.space.clone().starting_at(x.clone());
        let near = self.near(space, accuracy)?;
        let is_far = |(a, b): (&f64, &f64)| (a - b).abs() > accuracy;
        if near.start.iter().zip(&x).any(is_far) {
            self.look(&near.start)?;
        }
        let first = self.region.found();
        let Some(first) = self.beside(&first.x, first.loglik)? else {
            return self.by_values(x, accuracy);
        };
        let (nugget, lower, upper) = (near.nugget(), near.lower, near.upper);
        let n = first.x.len();
        let root = first.slope.root();
        let mut points = vec![first.clone()];
        for probe in first.probes(&root, (&minus(&lower, &first.x), &minus(&upper, &first.x))) {
            if self.is_exhausted() {
                return ending(false);
            }
            points.extend(self.look(&plus(&first.x, &probe))?);
        }
        let mut radius = FIRST_RADIUS;
        for _ in 0..MOST * n {
            points.sort_by(|a, b| b.loglik.total_cmp(&a.loglik));
            let here = points[0].clone();
            let beyond = Beyond::of(&points, &root);
            let within = |bounds: &[f64]| -> Vec<f64> {
                minus(bounds, &here.x).into_iter().map(|room| room.clamp(-radius, radius)).collect()
            };
            let bounds = (within(&lower), within(&upper));
            let (step, foretold) = self.foretell(&here, &beyond, &bounds)?;
            let is_least = |nugget: usize| here.x[nugget] <= lower[nugget] && step[nugget] == 0.0;
            if self.ends_at_least_nugget && nugget.is_some_and(is_least) {
                return ending(false);
            }
            let length = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
            if foretold < NEGLIGIBLE || length < accuracy {
                return ending(true);
            }
            if self.is_exhausted() {
                return ending(false);
            }
            self.region.weigh(foretold);
            if self.region.is_given_up {
                return ending(false);
            }
            let next = self.look(&plus(&here.x, &step))?;
            let gained = next.as_ref().map_or(f64::NEG_INFINITY, |next| next.loglik - here.loglik);
            points.extend(next);
            let ratio = gained / foretold;
            if ratio < 0.25 {
                radius = 0.25 * length;
            } else if ratio > 0.75 && length > 0.99 * radius {
                radius = (2.0 * radius).min(LARGEST_RADIUS);
            }
        }
        let best = self.region.found().x;
        self.by_values(best, accuracy)
    }

    /// The step between `low` and `high` after which surrogate and what is `beyond` it have risen
    /// most, and by how much.
    fn foretell(
        &mut self,
        here: &Point,
        beyond: &Beyond,
        (low, high): &(Vec<f64>, Vec<f64>),
    ) -> Result<(Vec<f64>, f64), FitError> {
        let mut slope = here.slope.clone();
        let (mut step, mut risen) = (vec![0.0; here.x.len()], 0.0);
        let mut radius = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let model = beyond.added_to(&slope, &step);
            let within = |bounds: &[f64]| -> Vec<f64> {
                minus(bounds, &step).into_iter().map(|room| room.clamp(-radius, radius)).collect()
            };
            let further = model.step(&within(low), &within(high));
            if model.gain(&further) < 0.01 * NEGLIGIBLE {
                break;
            }
            let next = plus(&step, &further);
            let found = self.surrogate_at(&plus(&here.x, &next))?;
            let all = found.map(|(value, slope)| (value - here.value + beyond.at(&next), slope));
            match all {
                Some((all, there)) if all > risen => (step, risen, slope) = (next, all, there),
                _ => radius = 0.25 * further.iter().fold(0.0_f64, |most, s| most.max(s.abs())),
            }
        }
        Ok((step, risen))
    }

    /// Whether no more evaluations are allowed, which is noted.
    fn is_exhausted(&mut self) -> bool {
        self.exhausted |= self.evaluations >= self.most;
        self.exhausted
    }
}

fn plus(x: &[f64], step: &[f64]) -> Vec<f64> {
    x.iter().zip(step).map(|(x, s)| x + s).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_go_along_the_axes_of_the_information() {
        let slope = Slope { gradient: vec![0.0; 2], information: vec![40.0, 12.0, 12.0, 9.0] };
        let root = slope.root();
        let here = Point { x: vec![0.0; 2], loglik: 0.0, value: 0.0, slope };
        let probes = here.probes(&root, (&[-9.0; 2], &[9.0; 2]));
        assert_eq!(probes.len(), 2);
        for probe in &probes {
            let length = dot(&here.slope.times(probe), probe).sqrt();
            assert!((length - PROBE).abs() < 1e-12, "{probe:?}");
        }
        assert!(dot(&here.slope.times(&probes[0]), &probes[1]).abs() < 1e-12, "{probes:?}");
        // Where there is no room to one side, they go to the other, or are left out.
        let probes = here.probes(&root, (&[0.0, -9.0], &[9.0, 9.0]));
        assert!(probes.iter().all(|probe| probe[0] >= 0.0), "{probes:?}");
        assert!(here.probes(&root, (&[0.0; 2], &[0.0; 2])).is_empty());
    }
}
