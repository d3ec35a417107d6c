//! The space in which a fit searches: logarithms of the parameters that are free, and angles, which
//! go round and have no bounds unless they are given.
//!
//! The variance is profiled out where it can be: with the nugget as a share of it, the covariance
//! is the variance times a matrix, and the best variance has a closed form. One dimension less
//! saves a third of the evaluations or more.

mod derived;

use super::bound_hit::BoundHit;
use super::newton::Slope;
use super::start::{Guess, SpatialExtent, range_for};
use super::{FitError, FitOptions, NuggetChoice};
use crate::covariance::{Covariance, Role, Scale};
use crate::likelihood::Score;
use crate::model::Model;

/// A coordinate of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coordinate {
    /// Coordinate of a parameter, by index.
    Parameter(usize),
    /// Logarithm of the nugget, or of its share of the variance where that is profiled.
    Nugget,
}

/// Free coordinates with their bounds, and what is fixed.
#[derive(Clone, Debug)]
pub(super) struct Space {
    covariance: &'static Covariance,
    coordinates: Vec<Coordinate>,
    /// Bounds of the coordinates' values.
    bounds: Vec<(f64, f64)>,
    /// By what coordinates are divided, so that they are of the size of logarithms: 1 of all but
    /// values as they are.
    units: Vec<f64>,
    /// Coordinates of the lower bounds.
    pub(super) lower: Vec<f64>,
    /// Coordinates of the upper bounds.
    pub(super) upper: Vec<f64>,
    /// Where the search starts.
    pub(super) start: Vec<f64>,
    /// Values of what is fixed; 1 for a profiled variance.
    values: Vec<f64>,
    nugget: f64,
    /// Whether the variance is profiled out.
    pub(super) profiles: bool,
}

/// Least and greatest share of the variance that a nugget has in a search, by default; smaller ones
/// are looked at if there is reason to.
const NUGGET_SHARE: (f64, f64) = (1e-4, 1e4);
/// Where the search for smaller ones ends, in units of the least.
const LEAST: f64 = 1e-8;

/// Degrees, to either side, that no search for an angle reaches.
const FAR: f64 = 36_000.0;
/// The ratio from which a search sets out once more, across, where it has come to 1.
const SHORTER: f64 = 0.7;

/// Share of a coordinate at each end in which no search starts unless told to.
const MARGIN: f64 = 0.1;

/// Where a coordinate starts.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// Where the user said.
    Given(f64),
    /// Where the data suggest.
    Guessed(f64),
}

impl Start {
    fn new(given: Option<f64>, guessed: f64) -> Self {
        given.map_or(Self::Guessed(guessed), Self::Given)
    }
}

impl Space {
    pub(super) fn new(
        covariance: &'static Covariance,
        options: &FitOptions,
        extent: SpatialExtent,
        guess: Guess,
    ) -> Result<Self, FitError> {
        let count = covariance.parameters.len();
        let fixed_nugget = matches!(options.nugget, NuggetChoice::Fixed(nugget) if nugget > 0.0);
        let bounded_nugget = matches!(options.nugget, NuggetChoice::Estimated { bounds: Some(_) });
        let variance_is_plain = options.fixed[0].is_none() && options.bounds[0].is_none();
        let is_scaled = covariance.has_scale() && !guess.has_noise;
        let profiles = variance_is_plain && !fixed_nugget && !bounded_nugget && is_scaled;
        let known = |index: usize| options.fixed[index].or(options.start[index]);
        let mut values: Vec<f64> = (0..count)
            .map(|index| known(index).unwrap_or(covariance.parameters[index].default))
            .collect();
        let (sill, share) = (guess.sill, (guess.nugget / guess.sill).clamp(1e-3, 0.9));
        if covariance.is_radial() {
            values[0] = known(0).unwrap_or(sill);
            let ranges = 1..=covariance.ranges();
            if ranges.clone().any(|index| known(index).is_none()) {
                let range = range_for(covariance, &values, guess.distance);
                ranges.filter(|&i| known(i).is_none()).for_each(|i| values[i] = range);
            }
        } else {
            guess.composite(covariance, &known, &mut values);
        }
        if profiles {
            values[0] = 1.0;
        }
        for (index, parameter) in covariance.parameters.iter().enumerate() {
            if parameter.scale == Scale::Angle && known(index).is_none() {
                values[index] = guess.angle;
            }
        }
        let mut space = Self {
            covariance,
            coordinates: Vec::new(),
            bounds: Vec::new(),
            units: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            start: Vec::new(),
            values: values.clone(),
            nugget: if let NuggetChoice::Fixed(nugget) = options.nugget { nugget } else { 0.0 },
            profiles,
        };
        for (index, &guessed) in values.iter().enumerate() {
            if options.fixed[index].is_some() || (index == 0 && profiles) {
                continue;
            }
            let (parameter, role) = (&covariance.parameters[index], covariance.role(index));
            let is_plain = parameter.scale == Scale::Identity;
            let (unit, default) = match role {
                Some(Role::Root { .. }) if is_plain => (guessed.abs(), (0.0, 1e3 * guessed.abs())),
                Some(Role::Level { variable }) => {
                    let deviation = guess.sill_of(variable).sqrt();
                    (deviation, (0.0, 1e3 * deviation))
                }
                Some(Role::Rate) => {
                    (1.0 / extent.reach, (-10.0 / extent.reach, 10.0 / extent.reach))
                }
                Some(Role::SquaredRange) => {
                    (1.0, ((0.01 * extent.least).powi(2), (100.0 * extent.diameter).powi(2)))
                }
                Some(Role::TimeScale) => (1.0, (1e-4 * guessed, 1e4 * guessed)),
                _ if covariance.is_variance(index) => (1.0, (1e-6 * guessed, 1e6 * guessed)),
                _ if covariance.is_range(index) => {
                    (1.0, (0.01 * extent.least, 100.0 * extent.diameter))
                }
                _ if parameter.scale == Scale::Angle => (1.0, (-FAR, FAR)),
                _ => (1.0, parameter.search),
            };
            let start = Start::new(options.start[index], guessed);
            let (bounds, name) = (options.bounds[index], parameter.name);
            space.add((Coordinate::Parameter(index), unit), name, bounds, default, start)?;
        }
        if let NuggetChoice::Estimated { bounds } = options.nugget {
            let unit = if profiles { 1.0 } else { sill };
            let default = (NUGGET_SHARE.0 * unit, NUGGET_SHARE.1 * unit);
            // Zero itself has no logarithm: it is tried apart.
            let least = |high: f64| default.0.min(1e-3 * high);
            let bounds =
                bounds.map(|(low, high)| (if low == 0.0 { least(high) } else { low }, high));
            let variance = if profiles { options.start[0].unwrap_or(sill) } else { 1.0 };
            let (low, high) = bounds.unwrap_or(default);
            let given = options.start_nugget.map(|nugget| (nugget / variance).clamp(low, high));
            space.add(
                (Coordinate::Nugget, 1.0),
                "nugget",
                bounds,
                default,
                Start::new(given, share * unit),
            )?;
        }
        Ok(space)
    }

    fn add(
        &mut self,
        (coordinate, unit): (Coordinate, f64),
        name: &str,
        bounds: Option<(f64, f64)>,
        default: (f64, f64),
        start: Start,
    ) -> Result<(), FitError> {
        let (low, high) = bounds.unwrap_or(default);
        let within = |x: f64| match coordinate {
            Coordinate::Parameter(index) => {
                let parameter = &self.covariance.parameters[index];
                x > parameter.above && x <= parameter.most
            }
            Coordinate::Nugget => x > 0.0,
        };
        let scale = self.scale_of(coordinate);
        let above = if scale == Scale::Logarithm { 0.0 } else { f64::NEG_INFINITY };
        let is_any = scale == Scale::Angle && bounds.is_none();
        let is_fit = low < high && low > above && within(low) && within(high);
        if !is_any && !is_fit {
            let (above, most) = match coordinate {
                Coordinate::Parameter(index) => {
                    let parameter = &self.covariance.parameters[index];
                    (parameter.above, parameter.most)
                }
                Coordinate::Nugget => (0.0, f64::MAX),
            };
            let parameter = name.to_owned();
            return Err(FitError::Bounds { parameter, low, high, above, most });
        }
        let coordinate_of = |value: f64| scale.coordinate(value) / unit;
        let [lower, upper] = [low, high].map(coordinate_of);
        let start = match start {
            Start::Given(value) => {
                let turned = turned(scale, value, (low, high));
                if !(low..=high).contains(&turned) {
                    return Err(FitError::Outside { parameter: name.to_owned(), value, low, high });
                }
                coordinate_of(turned)
            }
            Start::Guessed(value) => {
                // Away from the bounds, where the first steps need room.
                let margin = MARGIN * (upper - lower);
                let start = coordinate_of(turned(scale, value, (low, high)));
                start.clamp(lower + margin, upper - margin)
            }
        };
        self.coordinates.push(coordinate);
        self.bounds.push((low, high));
        self.units.push(unit);
        self.lower.push(lower);
        self.upper.push(upper);
        self.start.push(start.clamp(lower, upper));
        Ok(())
    }

    /// What a coordinate is of its value.
    fn scale_of(&self, coordinate: Coordinate) -> Scale {
        match coordinate {
            Coordinate::Parameter(index) => self.scale(index),
            Coordinate::Nugget => Scale::Logarithm,
        }
    }

    /// What the coordinate of a parameter, or of the nugget after them, is of its value.
    pub(super) fn scale(&self, index: usize) -> Scale {
        self.covariance.parameters.get(index).map_or(Scale::Logarithm, |parameter| parameter.scale)
    }

    /// Between which values a parameter, or the nugget after them, makes sense.
    pub(super) fn domain(&self, index: usize) -> (f64, f64) {
        let parameter = self.covariance.parameters.get(index);
        // What may be 0 is above the least negative number.
        parameter.map_or((0.0, f64::MAX), |one| {
            (if one.may_be_zero() { 0.0 } else { one.above }, one.most)
        })
    }

    /// Whether a parameter is the ratio of ranges across and along an angle.
    pub(super) fn is_ratio(&self, index: usize) -> bool {
        self.covariance.angle().is_some_and(|angle| index == angle + 1)
    }

    /// The coordinate of `value` in `place`, as near as its bounds allow.
    fn coordinate_at(&self, place: usize, value: f64) -> f64 {
        let scale = self.scale_of(self.coordinates[place]);
        let value = turned(scale, value, self.bounds[place]);
        (scale.coordinate(value) / self.units[place]).clamp(self.lower[place], self.upper[place])
    }

    /// Number of free coordinates.
    pub(super) fn dimension(&self) -> usize {
        self.coordinates.len()
    }

    /// Parameters and nugget at the point `x`; in units of the variance if that is profiled.
    pub(super) fn parameters(&self, x: &[f64]) -> (Vec<f64>, f64) {
        let (mut values, mut nugget) = (self.values.clone(), self.nugget);
        for (place, coordinate) in self.coordinates.iter().enumerate() {
            // The rounding of a logarithm must not lead out of the bounds.
            let (scale, (low, high)) = (self.scale_of(*coordinate), self.bounds[place]);
            let value = scale.value(x[place] * self.units[place]).clamp(low, high);
            let value = if scale == Scale::Angle { within_half_turn(value) } else { value };
            match *coordinate {
                Coordinate::Parameter(index) => values[index] = value,
                Coordinate::Nugget => nugget = value,
            }
        }
        (values, nugget)
    }

    /// How the log-likelihood changes with the coordinates, from the `score`. A
    /// profiled variance follows the coordinates, so what is known of them by its value is taken
    /// off (the Schur complement).
    pub(super) fn slope(&self, score: &Score) -> Slope {
        let count = score.gradient.len();
        let information = |j: usize, k: usize| score.information[j + k * count];
        // What of the score each coordinate changes, the variance last where it is profiled: with
        // it the nugget grows.
        let nugget = count - 1;
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for coordinate in &self.coordinates {
            parts.push(match *coordinate {
                Coordinate::Parameter(index) => vec![index],
                Coordinate::Nugget => vec![nugget],
            });
        }
        if self.profiles {
            parts.push(vec![0, nugget]);
        }
        let gradient = |of: &[usize]| -> f64 { of.iter().map(|&j| score.gradient[j]).sum() };
        let bend = |a: &[usize], b: &[usize]| -> f64 {
            a.iter()
                .flat_map(|&j| b.iter().map(move |&k| (j, k)))
                .map(|(j, k)| information(j, k))
                .sum()
        };
        let n = self.dimension();
        let taken = |j: usize, k: usize| match parts.get(n) {
            Some(variance) => {
                bend(&parts[j], variance) * bend(&parts[k], variance) / bend(variance, variance)
            }
            None => 0.0,
        };
        let at = |j: usize, k: usize| bend(&parts[j], &parts[k]) - taken(j, k);
        let units = &self.units;
        let by_coordinates = |j: usize, k: usize| units[j] * units[k] * at(j, k);
        Slope {
            gradient: parts[..n].iter().zip(units).map(|(of, unit)| unit * gradient(of)).collect(),
            information: (0..n * n).map(|place| by_coordinates(place % n, place / n)).collect(),
        }
    }

    /// Which of the parameters, and of the nugget after them, are estimated, and not at a bound at
    /// `x`.
    pub(super) fn is_inside(&self, x: &[f64], tolerance: f64) -> Vec<bool> {
        let mut inside = vec![false; self.covariance.parameters.len() + 1];
        let nugget = inside.len() - 1;
        inside[0] = self.profiles;
        for (place, coordinate) in self.coordinates.iter().enumerate() {
            let index = match *coordinate {
                Coordinate::Parameter(index) => index,
                Coordinate::Nugget => nugget,
            };
            let (low, high) = (x[place] - self.lower[place], self.upper[place] - x[place]);
            inside[index] = low > tolerance && high > tolerance;
        }
        if let Some(angle) = self.covariance.angle().filter(|_| self.is_round(x, tolerance)) {
            inside[angle] = false;
        }
        inside
    }

    /// Whether ranges are the same in all directions at `x`, so that an angle tells nothing.
    pub(super) fn is_round(&self, x: &[f64], tolerance: f64) -> bool {
        let ratio = self.covariance.angle().map(|angle| self.parameters(x).0[angle + 1]);
        ratio.is_some_and(|ratio| ratio.ln() >= -tolerance)
    }

    /// Name of a parameter, or of the nugget after them.
    pub(super) fn parameter_name(&self, index: usize) -> &'static str {
        self.covariance.parameters.get(index).map_or("nugget", |parameter| parameter.name)
    }

    /// Name of coordinate `index`.
    pub(super) fn name(&self, index: usize) -> &'static str {
        match self.coordinates[index] {
            Coordinate::Parameter(parameter) => self.covariance.parameters[parameter].name,
            Coordinate::Nugget => "nugget",
        }
    }

    /// Indices of the coordinates that are ranges.
    pub(super) fn ranges(&self) -> Vec<usize> {
        let is_range = |&place: &usize| match self.coordinates[place] {
            Coordinate::Parameter(index) => self.covariance.is_range(index),
            Coordinate::Nugget => false,
        };
        (0..self.dimension()).filter(is_range).collect()
    }

    /// Index of the coordinate that is the nugget, if it is free.
    pub(super) fn nugget(&self) -> Option<usize> {
        self.coordinates.iter().position(|&coordinate| coordinate == Coordinate::Nugget)
    }

    /// Whether the nugget is the least at `x`.
    pub(super) fn has_least_nugget(&self, x: &[f64], tolerance: f64) -> bool {
        self.nugget().is_some_and(|nugget| x[nugget] - self.lower[nugget] <= tolerance.max(1e-6))
    }

    /// Between which values parameter `index`, or the nugget after them, is searched, where the
    /// variance is that of `model`; a profiled variance as far as numbers go, an angle as far as a
    /// quarter turn from that of `model`.
    pub(super) fn bounds_of(&self, index: usize, model: &Model) -> (f64, f64) {
        let is_it = |coordinate: &Coordinate| match *coordinate {
            Coordinate::Parameter(parameter) => parameter == index,
            Coordinate::Nugget => index == model.values.len(),
        };
        let Some(place) = self.coordinates.iter().position(is_it) else {
            return (1e-6 * model.variance(), 1e6 * model.variance());
        };
        let (low, high) = self.bounds[place];
        let is_share = self.coordinates[place] == Coordinate::Nugget && self.profiles;
        let unit = if is_share { model.variance() } else { 1.0 };
        if self.scale(index) == Scale::Angle {
            let angle = turned(Scale::Angle, model.values[index], (low, high));
            return (low.max(angle - 90.0), high.min(angle + 90.0));
        }
        (low * unit, high * unit)
    }

    /// The unit of the coordinate of parameter `index`, or of the nugget after them.
    pub(super) fn unit(&self, index: usize) -> f64 {
        let is_it = |coordinate: &Coordinate| *coordinate == Coordinate::Parameter(index);
        self.coordinates.iter().position(is_it).map_or(1.0, |place| self.units[place])
    }

    /// Names of the coordinates at which `x` lies on a bound, and on which.
    pub(super) fn bounds_hit(&self, x: &[f64], tolerance: f64) -> Vec<BoundHit> {
        (0..self.dimension())
            .filter_map(|index| {
                let (low, high) = (self.lower[index], self.upper[index]);
                let end = if x[index] - low <= tolerance {
                    "lower"
                } else if high - x[index] <= tolerance {
                    "upper"
                } else {
                    return None;
                };
                let bound =
                    if end == "lower" { self.bounds[index].0 } else { self.bounds[index].1 };
                let is_share = self.coordinates[index] == Coordinate::Nugget && self.profiles;
                Some(BoundHit { parameter: self.name(index), end, bound, is_share })
            })
            .collect()
    }
}

/// An angle by so many half turns on that it is not below its bounds; other values as they are.
fn turned(scale: Scale, value: f64, (low, high): (f64, f64)) -> f64 {
    if scale != Scale::Angle || (low..=high).contains(&value) {
        return value;
    }
    value + 180.0 * ((low - value) / 180.0).ceil()
}

/// The direction `angle` from 0 degrees to 180, the latter left out.
fn within_half_turn(angle: f64) -> f64 {
    let turned = angle.rem_euclid(180.0);
    if turned < 180.0 { turned } else { 0.0 }
}
