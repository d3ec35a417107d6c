//! Relative powers of ranks: how much of the work each is to have.

use super::DistributionError;
use super::error::ranks as so_many_ranks;

/// The relative power of each rank: a number that is not negative, and not 0 for all of them. A
/// rank of power 0 owns nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Powers(Vec<f64>);

impl Powers {
    /// Those of `ranks` equal ranks.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn equal(ranks: usize) -> Self {
        Self::new(vec![1.0; ranks]).expect("there is a rank")
    }

    /// These; none if one is negative or not finite, or none is positive.
    #[must_use]
    pub fn new(powers: Vec<f64>) -> Option<Self> {
        let is_power = |power: &f64| power.is_finite() && *power >= 0.0;
        let are_powers = powers.iter().all(is_power) && powers.iter().any(|&power| power > 0.0);
        are_powers.then_some(Self(powers))
    }

    /// Reads `2,1,1`: one power for each of `ranks` ranks.
    pub(super) fn parse(
        name: &'static str,
        text: &str,
        ranks: usize,
    ) -> Result<Self, DistributionError> {
        let powers = text.split(',').map(|power| power.trim().parse().ok()).collect();
        let powers: Option<Vec<f64>> = powers;
        let powers = powers.and_then(Self::new).ok_or_else(|| DistributionError::Parameter {
            name,
            given: text.to_owned(),
            expected: "list of powers, such as 2,1,1",
        })?;
        if powers.ranks() == ranks {
            return Ok(powers);
        }
        let (count, ranks) = (powers.ranks(), so_many_ranks(ranks));
        Err(DistributionError::Powers { given: text.to_owned(), count, ranks })
    }

    /// Whether all ranks have the same.
    #[must_use]
    pub fn are_equal(&self) -> bool {
        self.0.iter().all(|&power| power == self.0[0])
    }

    /// Number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.0.len()
    }

    /// Those of `ranks` alone.
    pub(super) fn only(&self, ranks: &[usize]) -> Option<Self> {
        Self::new(ranks.iter().map(|&rank| self.0[rank]).collect())
    }

    /// The powers, by rank.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// The share of all that each rank is to have; they sum up to 1.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let sum: f64 = self.0.iter().sum();
        self.0.iter().map(|power| power / sum).collect()
    }
}
