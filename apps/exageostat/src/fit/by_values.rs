//! A search by values alone: M. J. D. Powell, "The BOBYQA algorithm for bound constrained
//! optimization without derivatives", Cambridge NA2009/06 (2009).

use bobyqa::{Bobyqa, Config, Status};

use super::FitError;
use super::region::Ending;
use super::search::Search;

/// First radius of the search, in coordinates of the parameters.
const FIRST_RADIUS: f64 = 0.4;

impl Search<'_> {
    /// As [`run`](Self::run), by values alone.
    pub(super) fn by_values(&mut self, mut x: Vec<f64>, accuracy: f64) -> Result<Ending, FitError> {
        let dimension = self.region.space.dimension();
        let (lower, upper) = (self.region.space.lower.clone(), self.region.space.upper.clone());
        let gaps = lower.iter().zip(&upper).map(|(low, high)| high - low);
        let radius = gaps.fold(FIRST_RADIUS, |radius, gap| radius.min(gap / 2.0));
        let mut config = Config::new(dimension);
        config.rho_begin = radius;
        config.rho_end = accuracy.min(radius / 10.0);
        // It needs so many to begin with; the limit of the options is kept in `cost`.
        config.max_fun = self.most.max(config.npt + 1);
        config.prima_parity = dimension > 1;
        let mut solver = Bobyqa::new(dimension, config).expect("the configuration is valid");
        let outcome = solver.minimize_with_radius(
            |x, radius| self.cost(x, radius.rho),
            &mut x,
            &lower,
            &upper,
        );
        self.check()?;
        let converged = matches!(outcome.status, Status::Converged);
        Ok(Ending { converged, accuracy: config.rho_end })
    }

    /// The negative log-likelihood; where there is none, a little more than the worst so far, so
    /// that the search turns back without its model being torn.
    fn cost(&mut self, x: &[f64], radius: f64) -> f64 {
        self.region.weigh(radius);
        if self.broken.is_some() || self.is_stopped || self.region.is_given_up {
            return 0.0;
        }
        // A search begins where the likelihood is known.
        if let Some(best) = self.region.best.as_ref().filter(|best| best.x == x) {
            return -best.loglik;
        }
        if self.evaluations >= self.most {
            self.exhausted = true;
            return self.region.penalty();
        }
        match self.evaluate(x) {
            Ok(loglik) => -loglik,
            Err(error) => {
                if !error.is_numerical() {
                    self.broken = Some(error);
                }
                self.region.penalty()
            }
        }
    }
}
