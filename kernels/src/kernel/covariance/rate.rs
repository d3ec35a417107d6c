//! Speed and accuracy of the covariance kernel.

use std::time::Instant;

use crate::geometry::{Geometry, Points};
use crate::kernel::random::RandomInputs;
use crate::scalar::Real;

use super::{Covariance, RadialTable, Vectors};

/// Passes over the tile, of which the median counts.
const PASSES: usize = 15;

/// Random points: in the unit interval, square or cube times `extent`, or all over the sphere.
///
/// # Panics
/// If `extent` is not finite.
#[must_use]
pub fn random_points(geometry: Geometry, count: usize, extent: f64, seed: u64) -> Points {
    let mut random = RandomInputs::new(seed);
    let mut uniform = |low: f64, high: f64| -> Vec<f64> {
        let middle = 0.5 * (low + high);
        let half = 0.5 * (high - low);
        random.numbers::<f64>(count).into_iter().map(|u| middle + half * u).collect()
    };
    let coordinates = match geometry {
        Geometry::GreatCircle => {
            // Uniform on the sphere: the sine of the latitude is uniform.
            let latitudes = uniform(-1.0, 1.0).iter().map(|z| z.asin().to_degrees()).collect();
            vec![latitudes, uniform(-180.0, 180.0)]
        }
        _ => (0..geometry.dimensions()).map(|_| uniform(0.0, extent)).collect(),
    };
    let slices: Vec<&[f64]> = coordinates.iter().map(Vec::as_slice).collect();
    match Points::new(geometry, &slices) {
        Ok(points) => points,
        Err(error) => panic!("points drawn within {extent}: {error}"),
    }
}

/// Entries per second of a full `n x n` tile between two sets of points on the calling thread:
/// the median of several passes.
///
/// # Panics
/// If the sets have not the same geometry and size.
#[must_use]
pub fn entries_per_second<T: Real>(
    vectors: Vectors,
    table: &RadialTable,
    rows: &Points,
    columns: &Points,
) -> f64 {
    let mut tile = vec![T::ZERO; rows.len() * columns.len()];
    let mut seconds: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = Instant::now();
            fill(vectors, table, rows, columns, &mut tile);
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    tile.len() as f64 / seconds[PASSES / 2]
}

/// Largest relative difference between the kernel and direct evaluation of `covariance`, a
/// function of distance, over the entries that are normal numbers in this precision.
///
/// # Panics
/// If the sets have not the same geometry.
#[must_use]
pub fn largest_relative_error<T: Real>(
    vectors: Vectors,
    table: &RadialTable,
    rows: &Points,
    columns: &Points,
    covariance: impl Fn(f64) -> f64,
) -> f64 {
    let mut tile = vec![T::ZERO; rows.len() * columns.len()];
    fill(vectors, table, rows, columns, &mut tile);
    let geometry = rows.geometry();
    let least = if size_of::<T>() == 4 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let mut worst = 0.0_f64;
    for (j, column) in tile.chunks_exact(rows.len().max(1)).enumerate() {
        for (i, value) in column.iter().enumerate() {
            let exact = covariance(geometry.distance(&rows.point(i), &columns.point(j)));
            if exact >= 2.0 * least {
                worst = worst.max((value.to_f64() / exact - 1.0).abs());
            }
        }
    }
    worst
}

fn fill<T: Real>(
    vectors: Vectors,
    table: &RadialTable,
    rows: &Points,
    columns: &Points,
    tile: &mut [T],
) {
    assert!(
        rows.geometry() == columns.geometry(),
        "{:?} and {:?} points",
        rows.geometry(),
        columns.geometry()
    );
    let kernel = Covariance::<T>::between(rows.geometry(), (rows.len(), columns.len()));
    kernel.compute(vectors, table, rows.held(), columns.held(), tile);
}
