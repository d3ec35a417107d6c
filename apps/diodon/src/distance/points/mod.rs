//! Points as rows of numbers, and the metrics between them, one per file.

mod bray_curtis;
mod chi_square;
mod euclidean;
mod haversine;
mod jaccard;
mod manhattan;
mod panels;

pub(super) use bray_curtis::BRAY_CURTIS;
pub(super) use chi_square::CHI_SQUARE;
pub(super) use euclidean::EUCLIDEAN;
pub(super) use haversine::HAVERSINE;
pub(super) use jaccard::JACCARD;
pub(super) use manhattan::MANHATTAN;

use super::error::DistanceError;

/// Points with names, each with equally many coordinates.
#[derive(Clone, Debug)]
pub struct Points {
    names: Vec<String>,
    columns: Vec<String>,
    coordinates: Vec<f64>,
}

impl Points {
    /// The points called `names`, whose `coordinates` stand point by point, each point's in the
    /// order of `columns`.
    ///
    /// # Errors
    /// If there is no point or no coordinate, or one that is not finite.
    ///
    /// # Panics
    /// If there are not as many coordinates as the names and the columns ask for.
    pub fn new(
        names: Vec<String>,
        columns: Vec<String>,
        coordinates: Vec<f64>,
    ) -> Result<Self, DistanceError> {
        let (points, dimensions, found) = (names.len(), columns.len(), coordinates.len());
        assert!(found == points * dimensions, "{found} numbers, not {points} x {dimensions}");
        if found == 0 {
            let text = format!("{points} points with {dimensions} coordinates have no distances");
            return Err(DistanceError::Points(text));
        }
        let points = Self { names, columns, coordinates };
        points.require(f64::is_finite, "which is no number to compute with")?;
        Ok(points)
    }

    /// What the points are called.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of coordinates of each.
    fn dimensions(&self) -> usize {
        self.columns.len()
    }

    /// The coordinates of each point.
    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.coordinates.chunks_exact(self.columns.len())
    }

    /// Refuses the first coordinate that is not as it should be: it has a value, `which` says what
    /// is wrong.
    fn require(&self, is_fit: impl Fn(f64) -> bool, which: &str) -> Result<(), DistanceError> {
        let Some(at) = self.coordinates.iter().position(|&x| !is_fit(x)) else { return Ok(()) };
        let (row, column) = (at / self.columns.len(), at % self.columns.len());
        let (name, value) = (&self.names[row], self.coordinates[at]);
        let text = format!("point {name} has {} = {value}, {which}", self.columns[column]);
        Err(DistanceError::Points(text))
    }

    /// The names of the points whose coordinates are all zero.
    fn empty(&self) -> impl Iterator<Item = &str> {
        let is_empty = |row: &[f64]| row.iter().all(|&x| x == 0.0);
        self.rows()
            .zip(&self.names)
            .filter(move |(row, _)| is_empty(row))
            .map(|(_, name)| name.as_str())
    }
}
