//! Groups of numbers that lie close together: where their density has a hill of its own.

/// A kernel reaches no further than so many bandwidths.
const REACH: f64 = 8.0;
/// Places in a bandwidth at which the density is looked at.
const PLACES: f64 = 16.0;

/// The groups of `values`, in ascending order, each as the positions of its values, likewise: those
/// between consecutive minima of the density of `values`, a sum of Gaussian kernels whose standard
/// deviation is `bandwidth`. Values of which each is nearer than two bandwidths to the next may
/// well be several groups; two values alone are two if they are further apart than that.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 8.2.2; kernels: B. W. Silverman,
/// "Density estimation for statistics and data analysis", 1986, chapter 2.
///
/// # Panics
/// If a value or the bandwidth is not finite, or the bandwidth is not positive.
#[must_use]
pub fn clusters(values: &[f64], bandwidth: f64) -> Vec<Vec<usize>> {
    assert!(bandwidth.is_finite() && bandwidth > 0.0, "bandwidth {bandwidth}");
    assert!(values.iter().all(|value| value.is_finite()), "values {values:?}");
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let is_near = |&i: &usize, &j: &usize| values[j] - values[i] <= REACH * bandwidth;
    let hills = |chunk: &[usize]| {
        let sorted: Vec<f64> = chunk.iter().map(|&i| values[i]).collect();
        split(chunk, &sorted, &minima(&sorted, bandwidth))
    };
    order.chunk_by(is_near).flat_map(hills).collect()
}

/// Where the density of `sorted` has its minima.
fn minima(sorted: &[f64], bandwidth: f64) -> Vec<f64> {
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    let step = bandwidth / PLACES;
    let places = 1 + ((last - first) / step).ceil() as usize;
    let place = |i: usize| first + i as f64 * step;
    let kernel = |x: f64| (-0.5 * x * x).exp();
    let density = |x: f64| sorted.iter().map(|value| kernel((x - value) / bandwidth)).sum::<f64>();
    let densities: Vec<f64> = (0..places).map(|i| density(place(i))).collect();
    let falls_and_rises = |w: &[f64]| w[0] > w[1] && w[1] <= w[2];
    let lowest = densities.windows(3).enumerate().filter(|(_, w)| falls_and_rises(w));
    lowest.map(|(i, _)| place(i + 1)).collect()
}

/// Cuts `positions` of the values `sorted` at `borders`.
fn split(positions: &[usize], sorted: &[f64], borders: &[f64]) -> Vec<Vec<usize>> {
    let cuts = borders.iter().map(|&border| sorted.partition_point(|&value| value < border));
    let mut start = 0;
    let part = |end: usize| positions[std::mem::replace(&mut start, end)..end].to_vec();
    cuts.chain([sorted.len()]).map(part).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hills_are_groups() {
        let values = [0.50, 0.10, 0.51, 0.11, 0.90, 0.495];
        assert_eq!(clusters(&values, 0.02), [vec![1, 3], vec![5, 0, 2], vec![4]]);
        assert_eq!(clusters(&values, 0.5).len(), 1);
        assert_eq!(clusters(&[], 0.1), Vec::<Vec<usize>>::new());
        assert_eq!(clusters(&[0.3; 4], 1e-9), [vec![0, 1, 2, 3]]);
    }

    /// A sum of two equal Gaussians has two modes if and only if their means are further apart than
    /// two standard deviations (Schilling, Watkins, Watkins, "Is human height bimodal?", 2002).
    #[test]
    fn two_values_part_at_two_bandwidths() {
        for (distance, groups) in [(0.0, 1), (1.9, 1), (1.99, 1), (2.05, 2), (7.9, 2), (8.1, 2)] {
            assert_eq!(clusters(&[3.0, 3.0 + distance], 1.0).len(), groups, "{distance}");
        }
    }

    proptest! {
        #[test]
        fn every_value_is_in_one_group(
            values in prop::collection::vec(0.0..1.0f64, 0..40),
            bandwidth in 0.002..0.5f64,
        ) {
            let groups = clusters(&values, bandwidth);
            let all = groups.concat();
            prop_assert!(groups.iter().all(|group| !group.is_empty()));
            prop_assert!(all.windows(2).all(|pair| values[pair[0]] <= values[pair[1]]));
            let mut sorted = all;
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..values.len()).collect::<Vec<_>>());
        }

        /// The number of modes does not grow with the bandwidth (Silverman, "Using kernel density
        /// estimates to investigate multimodality", 1981).
        #[test]
        fn wider_kernels_see_no_more_groups(
            values in prop::collection::vec(0.0..1.0f64, 1..40),
            bandwidth in 0.002..0.2f64,
        ) {
            let (narrow, wide) = (clusters(&values, bandwidth), clusters(&values, 2.0 * bandwidth));
            prop_assert!(wide.len() <= narrow.len(), "{} and {}", wide.len(), narrow.len());
        }

        /// What counts are distances in bandwidths, not where values lie.
        #[test]
        fn groups_move_with_their_values(
            places in prop::collection::vec(0..500i32, 1..30),
            shift in -1000..1000i32,
        ) {
            let values = |scale: f64, shift: i32| -> Vec<f64> {
                places.iter().map(|&place| scale * f64::from(place + shift)).collect()
            };
            let groups = clusters(&values(1.0, 0), 8.0);
            prop_assert_eq!(clusters(&values(0.25, shift), 2.0), groups);
        }
    }
}
