//! The obvious loop: a distance and a direct evaluation per entry.

use crate::geometry::point;
use crate::scalar::Real;

use super::Covariance;

impl<T: Real> Covariance<T> {
    /// The tile by direct evaluation of `covariance`, a function of distance, and `nugget`.
    ///
    /// # Panics
    /// If the tile or the point blocks do not have the shape of the kernel.
    pub fn reference(
        &self,
        covariance: impl Fn(f64) -> f64,
        nugget: f64,
        row_points: &[f64],
        column_points: &[f64],
        out: &mut [T],
    ) {
        self.check(row_points, column_points, out.len());
        let geometry = self.geometry;
        for j in 0..self.cols {
            for i in self.first_row(j)..self.rows {
                let a = point(geometry, row_points, i);
                let b = point(geometry, column_points, j);
                let same = self.is_same_set && i + self.row_offset == j + self.col_offset;
                let extra = if same { nugget } else { 0.0 };
                let value = covariance(geometry.distance(&a, &b)) + extra;
                out[j * self.rows + i] = T::from_f64(value);
            }
        }
    }
}
