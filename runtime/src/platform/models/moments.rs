//! Count, mean and variance of times, one sample after another.

/// Moments of a set of times, in nanoseconds.
///
/// Source: Welford, "Note on a method for calculating corrected sums of squares and products",
/// Technometrics 4 (1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moments {
    pub(super) count: u64,
    pub(super) mean: f64,
    /// Sum of the squared differences from the mean.
    squares: f64,
}

impl Moments {
    /// The moments of `count` samples that were taken elsewhere, with their standard deviation.
    pub(super) fn of(count: u64, mean: f64, deviation: f64) -> Self {
        Self { count, mean, squares: deviation * deviation * count.saturating_sub(1) as f64 }
    }

    /// Takes in one more sample.
    pub(super) fn add(&mut self, sample: f64) {
        self.count += 1;
        let difference = sample - self.mean;
        self.mean += difference / self.count as f64;
        self.squares += difference * (sample - self.mean);
    }

    /// Standard deviation of the samples; 0 of fewer than two.
    pub(super) fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { (self.squares / (self.count - 1) as f64).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_definition() {
        let samples = [3.0, 5.0, 4.0, 8.0, 1e3];
        let mut moments = Moments::default();
        samples.iter().for_each(|&sample| moments.add(sample));
        let mean = samples.iter().sum::<f64>() / 5.0;
        let squares: f64 = samples.iter().map(|x| (x - mean) * (x - mean)).sum();
        assert!((moments.mean - mean).abs() < 1e-12 * mean);
        let deviation = (squares / 4.0).sqrt();
        assert!((moments.deviation() - deviation).abs() < 1e-12 * deviation);
        let again = Moments::of(5, moments.mean, moments.deviation());
        assert!((again.deviation() - deviation).abs() < 1e-12 * deviation);
    }
}
