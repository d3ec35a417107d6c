//! Intervals by the profile likelihood: of a parameter all values under which the likelihood, the
//! other parameters at their best, is within half the 95 % point of chi-squared with one degree of
//! freedom of the greatest (P. McCullagh, J. A. Nelder, "Generalized linear models", 2nd edition,
//! section 7.4.3).

use super::region::Region;
use super::search::Search;
use super::space::Space;
use super::start::{Guess, SpatialExtent};
use super::{FitError, FitOptions, NuggetChoice};
use crate::covariance::{Covariance, Scale};
use crate::model::Model;

/// Root of the 95 % point of chi-squared with one degree of freedom.
const NORMAL: f64 = 1.959_963_984_540_054;
/// An end is found where that root is met as well as this.
const ACCURACY: f64 = 0.005;
/// Coordinates of parameters, in their units, are found no better than this.
const NARROW: f64 = 1e-4;
/// The first step, in coordinates, where no standard error suggests one.
const FIRST_STEP: f64 = 0.5;
/// Most fits for an end.
const MOST: usize = 20;

/// An interval of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileInterval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Whether the search space ends before the lower end.
    pub low_is_bound: bool,
    /// Whether the search space ends before the upper end.
    pub high_is_bound: bool,
    /// Values of the parameter with the logarithm of the profile likelihood there, less its
    /// greatest: the estimate and what the search for the ends has met, in order.
    pub points: Vec<(f64, f64)>,
}

/// An end of an interval.
struct End {
    value: f64,
    is_bound: bool,
    /// As of [`ProfileInterval::points`], on this side.
    points: Vec<(f64, f64)>,
}

/// What fits with one parameter fixed are made from.
pub(super) struct Profile<'a> {
    pub(super) covariance: &'static Covariance,
    pub(super) options: &'a FitOptions,
    pub(super) extent: SpatialExtent,
    pub(super) guess: Guess,
    pub(super) accuracy: f64,
    /// The greatest log-likelihood.
    pub(super) loglik: f64,
}

impl Profile<'_> {
    /// The space of the other parameters where parameter `index`, or the nugget after them, has
    /// this `value`; the search starts from those of `model`.
    fn space(&self, index: usize, value: f64, model: &Model) -> Result<Space, FitError> {
        let mut options = self.options.clone();
        options.start.fill(None);
        options.start_nugget = None;
        match options.fixed.get_mut(index) {
            Some(fixed) => *fixed = Some(value),
            None => options.nugget = NuggetChoice::Fixed(value),
        }
        let space = Space::new(self.covariance, &options, self.extent, self.guess)?;
        Ok(space.starting_from(model))
    }
}

impl Search<'_> {
    /// The interval of parameter `index`, or of the nugget after them, around its estimate in
    /// `model`; `error` is the standard error of its coordinate, if there is one. The best region
    /// stays.
    ///
    /// # Errors
    /// If the search was told to end, or the likelihood fails for a reason other than the
    /// parameters.
    pub(super) fn profile_interval(
        &mut self,
        profile: &Profile<'_>,
        index: usize,
        model: &Model,
        error: Option<f64>,
    ) -> Result<ProfileInterval, FitError> {
        let (low, high) = self.region.space.bounds_of(index, model);
        let unit = self.region.space.unit(index);
        let step = error.map_or(FIRST_STEP * unit, |error| NORMAL * error);
        let (most, exhausted) = (self.most, self.exhausted);
        let (space, scale) = (self.region.space.clone(), self.region.space.scale(index));
        let before = std::mem::replace(&mut self.region, Region::new(space, f64::NEG_INFINITY));
        let below = self.profile_end(profile, (index, scale, unit), model, -step, low);
        let above = below.and_then(|below| {
            Ok((below, self.profile_end(profile, (index, scale, unit), model, step, high)?))
        });
        (self.region, self.most, self.exhausted) = (before, most, exhausted);
        let (below, above) = above?;
        let estimate = model.values.get(index).copied().unwrap_or(model.nugget);
        let mut points = [below.points, vec![(estimate, 0.0)], above.points].concat();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(ProfileInterval {
            low: below.value,
            high: above.value,
            low_is_bound: below.is_bound,
            high_is_bound: above.is_bound,
            points,
        })
    }

    /// Where the likelihood has fallen so far that the interval ends, on the way from the estimate
    /// to `bound`, and whether it ends there only because the space does. The root of what is lost
    /// is nearly linear in the logarithm, so its secant is followed.
    fn profile_end(
        &mut self,
        profile: &Profile<'_>,
        (index, scale, unit): (usize, Scale, f64),
        model: &Model,
        step: f64,
        bound: f64,
    ) -> Result<End, FitError> {
        let estimate = model.values.get(index).copied().unwrap_or(model.nugget);
        let estimate = match scale {
            Scale::Logarithm | Scale::Identity => scale.coordinate(estimate),
            // Within a quarter turn of the bound, which may be just that, and rounded.
            Scale::Angle => {
                let turns = (0.999 * (bound - estimate) / 180.0).round();
                (estimate + 180.0 * turns).to_radians()
            }
        };
        let most = (scale.coordinate(bound) - estimate).abs();
        let mut model = model.clone();
        // Distances from the estimate, and how far the root of the loss is from its aim there.
        let (mut inside, mut outside) = ((0.0, -NORMAL), None);
        let mut points = Vec::new();
        let mut distance = step.abs().min(most);
        for _ in 0..MOST {
            let value = scale.value(estimate + distance.copysign(step));
            let loss = match self.profile_loglik(profile, index, value, &mut model)? {
                Some(loglik) => {
                    let lost = (profile.loglik - loglik).max(0.0);
                    points.push((value, -lost));
                    (2.0 * lost).sqrt() - NORMAL
                }
                None => f64::INFINITY,
            };
            let here = (distance, loss);
            if loss.abs() < ACCURACY {
                return Ok(End { value, is_bound: false, points });
            }
            if loss > 0.0 {
                outside = Some(here);
            } else if distance >= most {
                return Ok(End { value: bound, is_bound: true, points });
            } else {
                inside = here;
            }
            distance = match outside {
                Some((far, loss)) => {
                    let width = far - inside.0;
                    if width < NARROW * unit {
                        break;
                    }
                    let share = if loss.is_finite() { inside.1 / (inside.1 - loss) } else { 0.5 };
                    inside.0 + share.clamp(0.05, 0.95) * width
                }
                None => {
                    let pace = (inside.1 + NORMAL) / inside.0;
                    let farther = if pace > 0.0 { 1.1 * NORMAL / pace } else { f64::INFINITY };
                    farther.clamp(1.2 * inside.0, 4.0 * inside.0).min(most)
                }
            };
        }
        let value = scale.value(estimate + inside.0.copysign(step));
        Ok(End { value, is_bound: false, points })
    }

    /// The greatest log-likelihood with one parameter fixed, if there is one; the search starts
    /// from `model`, which becomes the best.
    fn profile_loglik(
        &mut self,
        profile: &Profile<'_>,
        index: usize,
        value: f64,
        model: &mut Model,
    ) -> Result<Option<f64>, FitError> {
        self.region = Region::new(profile.space(index, value, model)?, f64::NEG_INFINITY);
        self.exhausted = false;
        self.most = self.evaluations + profile.options.max_evaluations;
        match self.first_point() {
            Err(FitError::Start(_)) => return Ok(None),
            start => self.run(start?, profile.accuracy)?,
        };
        *model = self.region.found().model;
        Ok(Some(self.region.loglik()))
    }
}
