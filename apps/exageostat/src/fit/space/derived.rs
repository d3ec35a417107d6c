//! Spaces that are made from another: with other starts, with fewer coordinates, or down to smaller
//! nuggets.

use std::f64::consts::PI;

use super::{Coordinate, FAR, LEAST, MARGIN, SHORTER, Space, within_half_turn};
use crate::model::Model;

impl Space {
    /// As this, starting from `model` with a shorter range along the angle than across it, if both
    /// are searched: where ranges have become the same, that may be the way on.
    pub(in super::super) fn across(&self, model: &Model) -> Option<Self> {
        let angle = self.covariance.angle()?;
        let is_free = |index| self.coordinates.contains(&Coordinate::Parameter(index));
        let mut model = model.clone();
        model.values[angle] = within_half_turn(model.values[angle] + 90.0);
        model.values[angle + 1] *= SHORTER;
        (is_free(angle) && is_free(angle + 1)).then(|| self.clone().starting_from(&model))
    }

    /// As this, down to much smaller nuggets; it starts from `tiny` times the least and the other
    /// parameters of `model`.
    ///
    /// # Panics
    /// If the nugget is not free.
    pub(in super::super) fn with_tiny_nugget(&self, model: &Model, tiny: f64) -> Self {
        let (mut space, nugget) = (self.clone(), self.nugget().expect("a nugget that is searched"));
        let least = self.bounds[nugget].0;
        space.bounds[nugget].0 = LEAST * least;
        space.lower[nugget] = (LEAST * least).ln();
        let start = |(place, coordinate): (usize, &Coordinate)| {
            let value = match *coordinate {
                Coordinate::Parameter(index) => model.values[index],
                Coordinate::Nugget => tiny * least,
            };
            space.coordinate_at(place, value)
        };
        space.start = self.coordinates.iter().enumerate().map(start).collect();
        space
    }

    /// As this, starting at the point `x`.
    pub(in super::super) fn starting_at(self, x: Vec<f64>) -> Self {
        Self { start: x, ..self }
    }

    /// As this, starting from `model`, as near as the bounds allow.
    pub(in super::super) fn starting_from(mut self, model: &Model) -> Self {
        let unit = if self.profiles { model.variance() } else { 1.0 };
        for (place, coordinate) in self.coordinates.iter().enumerate() {
            let value = match *coordinate {
                Coordinate::Parameter(index) => model.values[index],
                Coordinate::Nugget => model.nugget / unit,
            };
            self.start[place] = self.coordinate_at(place, value);
        }
        self
    }

    /// As this, without these parameters, which have those values.
    pub(in super::super) fn holding(&self, held: &[(usize, f64)]) -> Self {
        let mut space = self.clone();
        for &(index, value) in held {
            let is_it = |known: &Coordinate| *known == Coordinate::Parameter(index);
            if let Some(place) = space.coordinates.iter().position(is_it) {
                space.coordinates.remove(place);
                space.bounds.remove(place);
                let parts =
                    [&mut space.units, &mut space.lower, &mut space.upper, &mut space.start];
                parts.into_iter().for_each(|part| _ = part.remove(place));
                space.values[index] = value;
            }
        }
        space
    }

    /// As this, starting with one of its ranges nearly as short as it may be, each in turn.
    pub(in super::super) fn with_short_ranges(&self) -> impl Iterator<Item = Self> + '_ {
        self.ranges().into_iter().map(|range| {
            let (mut space, low, high) = (self.clone(), self.lower[range], self.upper[range]);
            space.start[range] = low + MARGIN * (high - low);
            space
        })
    }

    /// As this, starting from a place in the middle of it, where the unit cube has `at`.
    pub(in super::super) fn starting_within(&self, at: &[f64]) -> Self {
        let mut space = self.clone();
        for (place, at) in at.iter().enumerate() {
            let (mut low, mut high) = (self.lower[place], self.upper[place]);
            if self.bounds[place].1 == FAR {
                // All directions, once.
                (low, high) = (self.start[place] - 0.625 * PI, self.start[place] + 0.625 * PI);
            }
            space.start[place] = low + (MARGIN + (1.0 - 2.0 * MARGIN) * at) * (high - low);
        }
        space
    }
}
