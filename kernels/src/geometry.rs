//! Points and the distances between them: Euclidean in one to three dimensions, and great circle.
//!
//! Points travel as plain numbers, one coordinate after the other (`x` of all points, then `y`,
//! then `z`), so that a block of them is a buffer of the runtime. A point on the sphere is held as
//! its unit vector: the chord between two of them gives the angle with additions and products only.
//! After the coordinates may stand marks, other numbers of a point: its time, or its variable.

use std::ops::Range;

use thiserror::Error;

/// Radius of the sphere of the great-circle distance, in km.
pub const EARTH_RADIUS_KM: f64 = 6371.0;

/// What distance means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Geometry {
    /// Points on a line.
    Line,
    /// Points in the plane.
    Plane,
    /// Points in space.
    Space,
    /// Latitude and longitude in degrees; distance along the sphere in km.
    GreatCircle,
}

/// Why given coordinates are not points.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum GeometryError {
    /// Another number of coordinates per point.
    #[error("{geometry:?} points have {expected} coordinates, not {found}")]
    Coordinates {
        /// The geometry asked for.
        geometry: Geometry,
        /// Coordinates that it takes.
        expected: usize,
        /// Coordinates given.
        found: usize,
    },
    /// Coordinates of unequal number.
    #[error("coordinate {axis} has {found} values, the first has {expected}")]
    Length {
        /// The coordinate, from 0.
        axis: usize,
        /// Values of coordinate 0.
        expected: usize,
        /// Values of this one.
        found: usize,
    },
    /// A coordinate that is infinite or NaN, or a latitude beyond 90 degrees.
    #[error("coordinate {axis} of point {point} is {value}, which is no position")]
    Value {
        /// The point, from 0.
        point: usize,
        /// The coordinate, from 0.
        axis: usize,
        /// What was given.
        value: f64,
    },
}

impl Geometry {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Line, Self::Plane, Self::Space, Self::GreatCircle];

    /// Name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Plane => "plane",
            Self::Space => "space",
            Self::GreatCircle => "great-circle",
        }
    }

    /// Coordinates of a point as given.
    #[must_use]
    pub const fn dimensions(self) -> usize {
        match self {
            Self::Line => 1,
            Self::Plane | Self::GreatCircle => 2,
            Self::Space => 3,
        }
    }

    /// Numbers held per point.
    #[must_use]
    pub const fn stored(self) -> usize {
        match self {
            Self::Line => 1,
            Self::Plane => 2,
            Self::Space | Self::GreatCircle => 3,
        }
    }

    /// Distance of two points as held, right even where its square over- or underflows.
    ///
    /// For the sphere this is `2 R asin(chord / 2)`, and beyond a quarter turn half a turn less the
    /// distance to the antipode. Like the haversine formula it is exact to about `4 eps R` (6 nm)
    /// up to a quarter turn; here it stays so up to the antipode itself.
    ///
    /// # Panics
    /// If a point has fewer than [`stored`](Self::stored) numbers.
    #[must_use]
    pub fn distance(self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Line => (a[0] - b[0]).abs(),
            Self::Plane => (a[0] - b[0]).hypot(a[1] - b[1]),
            Self::Space => (a[0] - b[0]).hypot(a[1] - b[1]).hypot(a[2] - b[2]),
            Self::GreatCircle => EARTH_RADIUS_KM * angle(a, b),
        }
    }
}

/// Angle between unit vectors.
fn angle(a: &[f64], b: &[f64]) -> f64 {
    let length = |sign: f64| (0..3).map(|k| (a[k] - sign * b[k]).powi(2)).sum::<f64>().sqrt();
    let chord = length(1.0);
    if chord * chord <= 2.0 {
        2.0 * (0.5 * chord).asin()
    } else {
        std::f64::consts::PI - 2.0 * (0.5 * length(-1.0)).min(1.0).asin()
    }
}

/// A set of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    geometry: Geometry,
    count: usize,
    marks: usize,
    held: Vec<f64>,
}

impl Points {
    /// Points from their coordinates, one slice per coordinate: `x`, `y`, `z`, or latitude and
    /// longitude in degrees.
    ///
    /// # Errors
    /// If the slices are not as many as the dimensions, or of unequal length, or hold what is no
    /// position.
    pub fn new(geometry: Geometry, coordinates: &[&[f64]]) -> Result<Self, GeometryError> {
        let (expected, found) = (geometry.dimensions(), coordinates.len());
        if found != expected {
            return Err(GeometryError::Coordinates { geometry, expected, found });
        }
        let count = coordinates[0].len();
        for (axis, values) in coordinates.iter().enumerate() {
            if values.len() != count {
                return Err(GeometryError::Length { axis, expected: count, found: values.len() });
            }
            let latitude = geometry == Geometry::GreatCircle && axis == 0;
            let is_bad = |v: &f64| !v.is_finite() || latitude && v.abs() > 90.0;
            if let Some(point) = values.iter().position(is_bad) {
                return Err(GeometryError::Value { point, axis, value: values[point] });
            }
        }
        let held = if geometry == Geometry::GreatCircle {
            unit_vectors(coordinates[0], coordinates[1])
        } else {
            coordinates.concat()
        };
        Ok(Self { geometry, count, marks: 0, held })
    }

    /// These points with one more mark each.
    ///
    /// # Panics
    /// If there are not as many marks as points.
    #[must_use]
    pub fn marked(mut self, mark: &[f64]) -> Self {
        assert_eq!(mark.len(), self.count, "marks of points");
        self.held.extend_from_slice(mark);
        self.marks += 1;
        self
    }

    /// The geometry.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The numbers held: `stored()` runs of `len()`, and one for each of the marks.
    #[must_use]
    pub fn held(&self) -> &[f64] {
        &self.held
    }

    /// Marks of each point.
    #[must_use]
    pub fn marks(&self) -> usize {
        self.marks
    }

    /// Mark `index` of all points.
    ///
    /// # Panics
    /// If there are no more than `index`.
    #[must_use]
    pub fn mark(&self, index: usize) -> &[f64] {
        assert!(index < self.marks, "mark {index} of {}", self.marks);
        &self.held[(self.geometry.stored() + index) * self.count..][..self.count]
    }

    /// The numbers held of point `index`; past the stored ones, 0.
    #[must_use]
    pub fn point(&self, index: usize) -> [f64; 3] {
        point(self.geometry, &self.held[..self.geometry.stored() * self.count], index)
    }

    /// The numbers of some of the points, in the same layout: the contents of a runtime buffer.
    #[must_use]
    pub fn block(&self, range: Range<usize>) -> Vec<f64> {
        let runs = self.held.chunks_exact(self.count.max(1));
        runs.flat_map(|run| &run[range.clone()]).copied().collect()
    }

    /// Some of the points, as a set.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let count = range.len();
        Self { geometry: self.geometry, count, marks: self.marks, held: self.block(range) }
    }

    /// The points with the given indices, as a set.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let runs = self.held.chunks_exact(self.count.max(1));
        let held = runs.flat_map(|run| indices.iter().map(|&i| run[i])).collect();
        Self { geometry: self.geometry, count: indices.len(), marks: self.marks, held }
    }

    /// The points with the coordinates that a matrix, by rows, makes of theirs.
    ///
    /// # Panics
    /// On the sphere.
    #[must_use]
    pub fn mapped(&self, matrix: &[[f64; 3]; 3]) -> Self {
        assert!(self.geometry != Geometry::GreatCircle, "a linear map of a sphere");
        let mut held = Vec::with_capacity(self.held.len());
        for row in &matrix[..self.geometry.stored()] {
            let at = (0..self.count).map(|index| self.point(index));
            held.extend(at.map(|at| row[0] * at[0] + row[1] * at[1] + row[2] * at[2]));
        }
        let marks = &self.held[held.len()..];
        held.extend_from_slice(marks);
        Self { geometry: self.geometry, count: self.count, marks: self.marks, held }
    }

    /// Distance between two of the points.
    #[must_use]
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        self.geometry.distance(&self.point(i), &self.point(j))
    }
}

/// Point `index` of a block in the layout of [`Points::held`]; past the stored numbers, 0.
pub(crate) fn point(geometry: Geometry, held: &[f64], index: usize) -> [f64; 3] {
    let stored = geometry.stored();
    let count = held.len() / stored;
    std::array::from_fn(|k| if k < stored { held[k * count + index] } else { 0.0 })
}

fn unit_vectors(latitudes: &[f64], longitudes: &[f64]) -> Vec<f64> {
    let mut runs = [const { Vec::new() }; 3];
    for (&latitude, &longitude) in latitudes.iter().zip(longitudes) {
        let (up, level) = sin_cos_degrees(latitude);
        let (sin, cos) = sin_cos_degrees(longitude);
        for (run, value) in runs.iter_mut().zip([level * cos, level * sin, up]) {
            run.push(value);
        }
    }
    runs.concat()
}

/// Sine and cosine, exact at multiples of 90 degrees and the same for angles a turn apart.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turn = degrees % 360.0;
    let quarter = (turn / 90.0).round_ties_even();
    let (sin, cos) = (turn - 90.0 * quarter).to_radians().sin_cos();
    match quarter as i32 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}
