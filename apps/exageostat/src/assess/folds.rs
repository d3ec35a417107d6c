//! Parts of the observations that are left out together: at random, or blocks of neighbours.

use tegula_kernels::geometry::Points;
use thiserror::Error;

use crate::sample::Random;

/// Most steps of k-means; it ends by itself long before, and may be ended anywhere.
const MOST_STEPS: usize = 100;

/// A partition of observations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// The part of each.
    of: Vec<usize>,
    count: usize,
}

/// Why there is no such partition.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{places} places do not make {wanted} parts: from 2 to {places} are possible")]
pub struct FoldsError {
    /// Observations, or places of them, that there are.
    pub places: usize,
    /// Parts that were asked for.
    pub wanted: usize,
}

impl Folds {
    /// `n` observations in `count` parts at random, as large as each other up to one: M. Stone,
    /// "Cross-validatory choice and assessment of statistical predictions", J. Royal Statistical
    /// Society B 36 (1974) 111-147.
    ///
    /// # Errors
    /// If there are less than two parts, or more than observations.
    pub fn random(n: usize, count: usize, seed: u64) -> Result<Self, FoldsError> {
        check(n, count)?;
        let mut random = Random::new(seed);
        let mut order: Vec<usize> = (0..n).collect();
        // Fisher, Yates.
        for last in (1..n).rev() {
            order.swap(last, ((last + 1) as f64 * random.uniform()) as usize);
        }
        let mut of = vec![0; n];
        order.into_iter().enumerate().for_each(|(place, i)| of[i] = place % count);
        Ok(Self { of, count })
    }

    /// Observations at `points` in `count` blocks of neighbours, by k-means of their coordinates
    /// (on the sphere those of unit vectors): a block has less to be predicted from than
    /// observations that are left out at random, as new places far from the data have. Source: D.
    /// R. Roberts et al., "Cross-validation strategies for data with temporal, spatial,
    /// hierarchical, or phylogenetic structure", Ecography 40 (2017) 913-929.
    ///
    /// Centres start as in D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful
    /// seeding", SODA 2007, 1027-1035, and move as in S. P. Lloyd, "Least squares quantization in
    /// PCM", IEEE Trans. Information Theory 28 (1982) 129-137.
    ///
    /// # Errors
    /// If there are less than two parts, or more than places.
    pub fn blocks(points: &Points, count: usize, seed: u64) -> Result<Self, FoldsError> {
        check(points.len(), count)?;
        let places: Vec<[f64; 3]> = (0..points.len()).map(|i| points.point(i)).collect();
        let mut centres = start(&places, count, &mut Random::new(seed))?;
        let mut of = vec![usize::MAX; places.len()];
        for _ in 0..MOST_STEPS {
            let nearest: Vec<usize> = places.iter().map(|place| nearest(&centres, place)).collect();
            let is_settled = nearest == of;
            of = nearest;
            fill_empty(&mut of, &places, &centres);
            if is_settled {
                break;
            }
            centres = means(&places, &of, count);
        }
        Ok(Self { of, count })
    }

    /// Number of parts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The part of each observation.
    #[must_use]
    pub fn of(&self) -> &[usize] {
        &self.of
    }

    /// The observations in part `fold`, and the others.
    #[must_use]
    pub fn split(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        (0..self.of.len()).partition(|&i| self.of[i] == fold)
    }
}

fn check(places: usize, wanted: usize) -> Result<(), FoldsError> {
    if (2..=places).contains(&wanted) { Ok(()) } else { Err(FoldsError { places, wanted }) }
}

fn squared(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The centre that is nearest to `place`; of several the first.
fn nearest(centres: &[[f64; 3]], place: &[f64; 3]) -> usize {
    let distances = centres.iter().map(|centre| squared(centre, place)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index)
}

/// Places far from each other: each next one with a probability in proportion to its squared
/// distance from those before.
fn start(
    places: &[[f64; 3]],
    count: usize,
    random: &mut Random,
) -> Result<Vec<[f64; 3]>, FoldsError> {
    let first = (places.len() as f64 * random.uniform()) as usize;
    let mut centres = vec![places[first]];
    let mut apart: Vec<f64> = places.iter().map(|place| squared(place, &centres[0])).collect();
    while centres.len() < count {
        let mut left = apart.iter().sum::<f64>() * random.uniform();
        let is_chosen = |&distance: &f64| {
            left -= distance;
            distance > 0.0 && left <= 0.0
        };
        let chosen = apart.iter().position(is_chosen);
        // Rounding may leave a little after the last one.
        let chosen = chosen.or_else(|| apart.iter().rposition(|&distance| distance > 0.0));
        let Some(chosen) = chosen else {
            return Err(FoldsError { places: centres.len(), wanted: count });
        };
        centres.push(places[chosen]);
        for (apart, place) in apart.iter_mut().zip(places) {
            *apart = apart.min(squared(place, &places[chosen]));
        }
    }
    Ok(centres)
}

/// The means of the parts.
fn means(places: &[[f64; 3]], of: &[usize], count: usize) -> Vec<[f64; 3]> {
    let mut sums = vec![([0.0; 3], 0usize); count];
    for (place, &part) in places.iter().zip(of) {
        sums[part].0.iter_mut().zip(place).for_each(|(sum, x)| *sum += x);
        sums[part].1 += 1;
    }
    sums.into_iter().map(|(sum, size)| sum.map(|x| x / size as f64)).collect()
}

/// Gives each empty part the place of a larger one that is farthest from its centre.
fn fill_empty(of: &mut [usize], places: &[[f64; 3]], centres: &[[f64; 3]]) {
    let mut sizes = vec![0usize; centres.len()];
    of.iter().for_each(|&part| sizes[part] += 1);
    for empty in 0..centres.len() {
        if sizes[empty] > 0 {
            continue;
        }
        let far = |&i: &usize| squared(&places[i], &centres[of[i]]);
        let spare = (0..of.len()).filter(|&i| sizes[of[i]] > 1);
        let farthest = spare.max_by(|a, b| far(a).total_cmp(&far(b)));
        let farthest = farthest.expect("there are as many places as parts");
        sizes[of[farthest]] -= 1;
        (of[farthest], sizes[empty]) = (empty, 1);
    }
}

#[cfg(test)]
mod tests {
    use tegula_kernels::geometry::Geometry;

    use super::*;

    #[test]
    fn random_parts_are_even_and_those_of_the_seed() {
        let folds = Folds::random(23, 5, 1).expect("five parts");
        let mut sizes: Vec<usize> = (0..5).map(|fold| folds.split(fold).0.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [4, 4, 5, 5, 5]);
        assert_eq!(folds, Folds::random(23, 5, 1).expect("five parts"));
        assert_ne!(folds, Folds::random(23, 5, 2).expect("five parts"));
        let (inside, outside) = folds.split(3);
        assert_eq!(inside.len() + outside.len(), 23);
        assert!(Folds::random(23, 1, 1).is_err() && Folds::random(23, 24, 1).is_err());
    }

    #[test]
    fn blocks_are_groups_of_neighbours() {
        // Three groups far from each other, whatever the seed.
        let x: Vec<f64> = (0..30).map(|i| f64::from(i % 3) * 100.0 + f64::from(i / 3)).collect();
        let y = vec![0.0; 30];
        let points = Points::new(Geometry::Plane, &[&x, &y]).expect("places");
        for seed in 0..20 {
            let folds = Folds::blocks(&points, 3, seed).expect("three parts");
            for i in 0..30 {
                assert_eq!(folds.of()[i], folds.of()[i % 3], "seed {seed}, place {i}");
            }
            let all = Folds::blocks(&points, 30, seed).expect("a part each");
            assert!((0..30).all(|fold| all.split(fold).0.len() == 1), "seed {seed}");
        }
        let same = Points::new(Geometry::Line, &[&[1.0, 1.0, 2.0, 2.0]]).expect("places");
        assert!(Folds::blocks(&same, 2, 0).is_ok());
        assert_eq!(Folds::blocks(&same, 3, 0), Err(FoldsError { places: 2, wanted: 3 }));
    }
}
