//! What a fit tries where its nugget is small or none: the search for its logarithm never comes to
//! 0, and small ones hardly differ from it where a field is rough, but decide where it is smooth.

use super::region::{Ending, Region};
use super::search::Search;
use super::space::Space;
use super::{FitError, FitOptions, NuggetChoice};

/// What a search leaves of the log-likelihood: as much less counts as the same.
const TIE: f64 = 1e-6;
/// Nuggets at which to look whether the likelihood grows towards small ones, in units of the least
/// that was searched.
const TINY: [f64; 2] = [1e-2, 1e-6];

/// Whether the nugget is estimated and may be 0.
pub(super) fn may_be_zero(options: &FitOptions) -> bool {
    match options.nugget {
        NuggetChoice::Fixed(_) => false,
        NuggetChoice::Estimated { bounds } => bounds.is_none_or(|(low, _)| low == 0.0),
    }
}

impl Search<'_> {
    /// Takes what a fit in the space `without` a nugget finds, if that is as good as what was found
    /// with one; and looks at nuggets smaller than those that were searched, if the likelihood
    /// grows towards them. Says how the search ended that found the best, if that is another than
    /// before.
    ///
    /// # Errors
    /// If the search was told to end, or the likelihood fails for a reason other than the
    /// parameters.
    pub(super) fn try_small_nuggets(
        &mut self,
        without: Space,
        accuracy: f64,
    ) -> Result<Option<Ending>, FitError> {
        let space = self.region.space.clone();
        let with = self.region.found();
        let is_least = space.has_least_nugget(&with.x, accuracy);
        // What ended at the least nugget is where the search without begins.
        let first = without.clone();
        let first = if is_least { first.starting_from(&with.model) } else { first };
        let mut zero = self.challenge(first, accuracy)?;
        if is_least && self.failed > 0 {
            // How near a search comes to where rounding leaves no likelihood depends on its start:
            // that of a fit without a nugget may come nearer.
            zero = self.challenge_beyond(f64::NEG_INFINITY, without, accuracy)?.or(zero);
        }
        let with = match zero {
            None if is_least => {
                self.run(with.x, accuracy)?;
                self.region.found()
            }
            _ => with,
        };
        let small = match zero {
            // The likelihood is greater below what was searched than at 0, or at the least of it.
            None if space.has_least_nugget(&with.x, accuracy) => {
                Some(space.with_tiny_nugget(&with.model, TINY[0]))
            }
            None => None,
            Some(_) => {
                let mut highest = self.region.loglik() + TIE;
                let mut best = None;
                let without = self.region.found();
                for (from, tiny) in [(&with, TINY[0]), (&without, TINY[0]), (&without, TINY[1])] {
                    let space = space.with_tiny_nugget(&from.model, tiny);
                    if let Some(loglik) = self.peek(&space)?.filter(|loglik| *loglik > highest) {
                        (highest, best) = (loglik, Some(space));
                    }
                }
                best
            }
        };
        let small = small.map(|space| self.challenge(space, accuracy)).transpose()?;
        Ok(small.flatten().or(zero))
    }

    /// Searches in another `space`, and takes what it finds if that is no worse than what was found
    /// before; says how the search ended, if it is taken.
    ///
    /// # Errors
    /// As [`run`](Self::run). A covariance matrix that is not positive definite anywhere there is
    /// none.
    pub(super) fn challenge(
        &mut self,
        space: Space,
        accuracy: f64,
    ) -> Result<Option<Ending>, FitError> {
        self.challenge_beyond(self.region.loglik(), space, accuracy)
    }

    /// As [`challenge`](Self::challenge), given up only where it is not going to come beyond
    /// `hopeless`.
    fn challenge_beyond(
        &mut self,
        hopeless: f64,
        space: Space,
        accuracy: f64,
    ) -> Result<Option<Ending>, FitError> {
        let rival = self.region.loglik();
        let before = std::mem::replace(&mut self.region, Region::new(space, hopeless));
        let ending = match self.first_point() {
            Err(FitError::Start(_)) => None,
            start => Some(self.run(start?, accuracy)?),
        };
        let taken = ending.filter(|_| self.region.loglik() >= rival - TIE);
        if taken.is_none() {
            self.region = before;
        }
        Ok(taken)
    }

    /// The log-likelihood where another `space` starts, if it has one.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn peek(&mut self, space: &Space) -> Result<Option<f64>, FitError> {
        let before = std::mem::replace(&mut self.region, Region::new(space.clone(), 0.0));
        let result = self.evaluate(&space.start);
        self.region = before;
        self.check()?;
        match result {
            Ok(loglik) => Ok(Some(loglik)),
            Err(error) if error.is_numerical() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
