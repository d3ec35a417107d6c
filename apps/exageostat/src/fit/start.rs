//! Where a fit starts: a guess from the data, as one reads it off a variogram.
//!
//! The variogram is Matheron's estimator, Cressie, "Statistics for spatial data" (1993), equation
//! 2.4.2. The range is set so that the model's correlation falls to `1/e` where the variogram
//! reaches that share of the sill.

use tegula_kernels::geometry::{Geometry, Points};

use crate::covariance::{Covariance, Role};

/// Most observations that the variogram looks at.
const LOOKS_AT: usize = 700;
/// Most variables.
const VARIABLES: usize = 3;
/// Observations at one time that make a variogram.
const ENOUGH: usize = 30;
/// Number of its distance classes.
const CLASSES: usize = 25;

/// Extent of a set of places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialExtent {
    /// Smallest distance between two different places.
    pub least: f64,
    /// Length of the diagonal of the box around the places.
    pub diameter: f64,
    /// Largest sum of the moduli of a place's first two coordinates.
    pub reach: f64,
}

impl SpatialExtent {
    /// The extent of `points`; the distances are 1 if all places are the same.
    #[must_use]
    pub fn of(points: &Points) -> Self {
        let n = points.len();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for i in 0..n {
            for (axis, x) in points.point(i).into_iter().enumerate() {
                (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
            }
        }
        let diagonal = (0..3).map(|axis| (high[axis] - low[axis]).powi(2)).sum::<f64>().sqrt();
        let diameter = match points.geometry() {
            // Chords of the unit sphere; 2 is from pole to pole.
            Geometry::GreatCircle => points.geometry().distance(&[0.0, 0.0, 1.0], &{
                let half = (diagonal.min(2.0) / 2.0).asin();
                [(2.0 * half).sin(), 0.0, (2.0 * half).cos()]
            }),
            _ => diagonal,
        };
        let reach = (0..n).map(|i| points.point(i)).map(|[x, y, _]| x.abs() + y.abs());
        let reach = reach.fold(f64::MIN_POSITIVE, f64::max);
        let least = closest(points).map(|(i, j)| points.distance(i, j));
        match least {
            Some(least) if diameter > 0.0 => Self { least, diameter, reach },
            _ => Self { least: 1.0, diameter: 1.0, reach: 1.0 },
        }
    }
}

/// The two different places that are nearest to each other, by a sweep along the first coordinate.
fn closest(points: &Points) -> Option<(usize, usize)> {
    let place: Vec<[f64; 3]> = (0..points.len()).map(|i| points.point(i)).collect();
    let mut order: Vec<usize> = (0..place.len()).collect();
    order.sort_unstable_by(|&a, &b| place[a][0].total_cmp(&place[b][0]));
    let (mut best, mut pair) = (f64::INFINITY, None);
    for (position, &i) in order.iter().enumerate() {
        for &j in &order[position + 1..] {
            if (place[j][0] - place[i][0]).powi(2) > best {
                break;
            }
            let squared = (0..3).map(|axis| (place[i][axis] - place[j][axis]).powi(2)).sum::<f64>();
            if squared > 0.0 && squared < best {
                (best, pair) = (squared, Some((i, j)));
            }
        }
    }
    pair
}

/// A guess at the structure of the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Guess {
    /// Sample variance.
    pub(super) sill: f64,
    /// Variance at no distance, as the first classes suggest.
    pub(super) nugget: f64,
    /// Distance at which the correlation has fallen to `1/e`.
    pub(super) distance: f64,
    /// In degrees from the first coordinate to the second, the direction in which values are alike
    /// farthest, if that was looked for.
    pub(super) angle: f64,
    /// Sample variances of the variables, if there are several.
    sills: [f64; VARIABLES],
    /// Whether there is noise of known variance, so that no variance multiplies all.
    pub(super) has_noise: bool,
    /// Between times of observations, in the mean; 1 if they have none.
    time: f64,
}

impl Guess {
    /// Reads the variogram of `residuals` at `points`.
    pub(super) fn from_data(points: &Points, residuals: &[f64], extent: SpatialExtent) -> Self {
        let n = residuals.len();
        let sill = residuals.iter().map(|r| r * r).sum::<f64>() / n.max(1) as f64;
        let classes = variogram(points, residuals, extent.diameter / 2.0);
        let first: Vec<(f64, f64)> = classes.iter().copied().take(2).collect();
        let nugget = match first.as_slice() {
            [(d1, g1), (d2, g2)] => (g1 - (g2 - g1) * d1 / (d2 - d1)).clamp(0.0, 0.9 * sill),
            _ => 0.0,
        };
        let level = nugget + (sill - nugget) * (1.0 - (-1f64).exp());
        let reached = classes.iter().find(|(_, gamma)| *gamma >= level).map(|(d, _)| *d);
        let distance = reached.unwrap_or(extent.diameter / 4.0).max(extent.least);
        Self {
            sill,
            nugget,
            distance,
            angle: 0.0,
            sills: [sill; VARIABLES],
            has_noise: false,
            time: 1.0,
        }
    }

    /// As this, of values of which so much is noise, in the mean.
    pub(super) fn with_noise(mut self, noise: Option<&[f64]>) -> Self {
        let Some(noise) = noise else { return self };
        self.has_noise = true;
        let mean = noise.iter().sum::<f64>() / noise.len().max(1) as f64;
        let less = |sill: f64| (sill - mean).max(0.1 * sill);
        (self.sill, self.nugget) = (less(self.sill), (self.nugget - mean).max(0.0));
        self.sills = self.sills.map(less);
        self
    }

    /// As [`from_data`](Self::from_data), of a covariance that may be of several variables, or of
    /// space and time: the variogram is of one variable at one time where there are enough such
    /// observations, in units of its variance.
    pub(super) fn of_composite(
        covariance: &Covariance,
        points: &Points,
        residuals: &[f64],
        extent: SpatialExtent,
    ) -> Self {
        let n = residuals.len();
        let mut sills = [0.0; VARIABLES];
        let variables = covariance.variables();
        let variable = |i: usize| match variables {
            1 => 0,
            _ => points.mark(points.marks() - 1)[i] as usize,
        };
        for (own, sill) in sills.iter_mut().enumerate().take(variables) {
            let of: Vec<f64> =
                (0..n).filter(|&i| variable(i) == own).map(|i| residuals[i]).collect();
            *sill = of.iter().map(|r| r * r).sum::<f64>() / of.len().max(1) as f64;
        }
        let first: Vec<usize> = (0..n).filter(|&i| variable(i) == 0).collect();
        let (mut chosen, mut time) = (first.clone(), 1.0);
        if covariance.has_time() {
            let times = points.mark(0);
            let mean = times.iter().sum::<f64>() / n.max(1) as f64;
            let spread = times.iter().map(|t| (t - mean).abs()).sum::<f64>() / n.max(1) as f64;
            time = if spread > 0.0 { spread } else { 1.0 };
            let mut sorted: Vec<f64> = first.iter().map(|&i| times[i]).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let most = sorted.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
            if let Some([at, ..]) = most.filter(|run| run.len() >= ENOUGH) {
                chosen.retain(|&i| times[i] == *at);
            }
        }
        let values: Vec<f64> = chosen.iter().map(|&i| residuals[i]).collect();
        let guess = Self::from_data(&points.select(&chosen), &values, extent);
        Self { sill: sills[0], sills, time, ..guess }
    }

    /// The sample variance of a variable.
    pub(super) fn sill_of(&self, variable: usize) -> f64 {
        self.sills[variable]
    }

    /// Sets those of `values` that are not `known`, by what parameters of `covariance` do.
    pub(super) fn composite(
        &self,
        covariance: &Covariance,
        known: &dyn Fn(usize) -> Option<f64>,
        values: &mut [f64],
    ) {
        for (index, value) in values.iter_mut().enumerate() {
            if known(index).is_some() {
                continue;
            }
            *value = match covariance.role(index) {
                Some(Role::Variance { variable, parts }) => self.sills[variable] / parts as f64,
                Some(Role::Range { part, parts }) => {
                    // Ranges of a sum lie apart by factors of four.
                    let steps = part as f64 - 0.5 * (parts as f64 - 1.0);
                    self.distance * 4f64.powf(steps)
                }
                Some(Role::SquaredRange) => self.distance.powi(2),
                Some(Role::TimeScale) => self.time,
                Some(Role::Root { .. }) => 1.0,
                _ => continue,
            };
        }
        for index in 0..values.len() {
            if let (Some(Role::Root { variable }), None) = (covariance.role(index), known(index)) {
                let sill = self.sills[variable];
                values[index] = (sill / covariance.variance_of(values, variable)).sqrt();
            }
        }
    }

    /// Looks for the direction in which differences are least: where the second harmonic of what
    /// they have more than those of all directions, at distances up to twice that of the guess, has
    /// its minimum.
    pub(super) fn with_angle(mut self, points: &Points, residuals: &[f64]) -> Self {
        let (chosen, reach) = (chosen(residuals.len()), 2.0 * self.distance);
        let pairs = || {
            let all = chosen.iter().enumerate();
            let all = all.flat_map(|(place, &i)| chosen[..place].iter().map(move |&j| (i, j)));
            all.filter_map(|(i, j)| {
                let (a, b) = (points.point(i), points.point(j));
                let (x, y) = (a[0] - b[0], a[1] - b[1]);
                let square = x * x + y * y;
                let class = (square.sqrt() / reach * CLASSES as f64) as usize;
                let gamma = (residuals[i] - residuals[j]).powi(2) / 2.0;
                let double = [(x * x - y * y) / square, 2.0 * x * y / square];
                (square > 0.0 && class < CLASSES).then_some((class, gamma, double))
            })
        };
        let mut classes = [(0.0, 0.0); CLASSES];
        for (class, gamma, _) in pairs() {
            classes[class] = (classes[class].0 + 1.0, classes[class].1 + gamma);
        }
        let [mut cos, mut sin] = [0.0; 2];
        for (class, gamma, double) in pairs() {
            let more = gamma - classes[class].1 / classes[class].0;
            (cos, sin) = (cos + more * double[0], sin + more * double[1]);
        }
        self.angle = (0.5 * f64::atan2(-sin, -cos)).to_degrees().rem_euclid(180.0);
        self
    }
}

/// Of so many observations those that are looked at.
fn chosen(count: usize) -> Vec<usize> {
    (0..count).step_by(count.div_ceil(LOOKS_AT).max(1)).collect()
}

/// Mean half squared difference by distance class: (mean distance, value), of classes with pairs.
fn variogram(points: &Points, residuals: &[f64], reach: f64) -> Vec<(f64, f64)> {
    let chosen = chosen(residuals.len());
    let mut sums = [(0usize, 0.0, 0.0); CLASSES];
    for (position, &i) in chosen.iter().enumerate() {
        for &j in &chosen[..position] {
            let d = points.distance(i, j);
            if d < reach {
                let class = &mut sums[(d / reach * CLASSES as f64) as usize % CLASSES];
                let gamma = (residuals[i] - residuals[j]).powi(2) / 2.0;
                *class = (class.0 + 1, class.1 + d, class.2 + gamma);
            }
        }
    }
    let full = sums.iter().filter(|(count, ..)| *count >= 3);
    full.map(|&(count, d, gamma)| (d / count as f64, gamma / count as f64)).collect()
}

/// The range at which `covariance`, its other parameters as in `values`, has correlation `1/e` at
/// `distance`, by bisection on a logarithmic scale.
pub(super) fn range_for(covariance: &Covariance, values: &[f64], distance: f64) -> f64 {
    let mut values = values.to_vec();
    values[0] = 1.0;
    let (mut low, mut high) = ((distance * 1e-4).ln(), (distance * 1e4).ln());
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        values[1] = middle.exp();
        if covariance.function(&values)(distance) < (-1f64).exp() {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high).exp()
}
