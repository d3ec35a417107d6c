//! Speed and accuracy of a covariance: what a benchmark prints.

use std::marker::PhantomData;
use std::time::Instant;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::{Composite, CompositeCovariance, Part, Vectors, rate};
use tegula_kernels::scalar::Precision;

use super::{Covariance, CovarianceError, Function};

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Entries of a tile per second, on the calling thread.
    pub entries_per_second: f64,
    /// Direct evaluations per second, on the calling thread.
    pub direct_per_second: f64,
    /// Seconds to fill the table, the least of several.
    pub table_seconds: f64,
    /// Largest relative difference from direct evaluation, over the entries of a tile.
    pub relative_error: f64,
}

/// Order of the tile.
const ORDER: usize = 512;

/// Measures `covariance` on random points in the unit interval, square or cube, or on the sphere.
///
/// # Errors
/// If a parameter is out of its bounds.
pub fn measure(
    covariance: &Covariance,
    values: &[f64],
    geometry: Geometry,
    precision: Precision,
    vectors: Vectors,
) -> Result<Measure, CovarianceError> {
    let mut table = covariance.table(values, 0.0)?;
    let mut table_seconds = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        covariance.tabulate(values, 0.0, &mut table)?;
        table_seconds = table_seconds.min(start.elapsed().as_secs_f64());
    }
    let [rows, columns] = [1, 2].map(|seed| rate::random_points(geometry, ORDER, 1.0, seed));
    let direct = covariance.function(values);
    let (entries_per_second, relative_error) = if precision == Precision::Double {
        (
            rate::entries_per_second::<f64>(vectors, &table, &rows, &columns),
            rate::largest_relative_error::<f64>(vectors, &table, &rows, &columns, &direct),
        )
    } else {
        (
            rate::entries_per_second::<f32>(vectors, &table, &rows, &columns),
            rate::largest_relative_error::<f32>(vectors, &table, &rows, &columns, &direct),
        )
    };
    let direct_per_second = direct_rate(&direct, &rows);
    Ok(Measure { entries_per_second, direct_per_second, table_seconds, relative_error })
}

/// Entries of a tile per second, on the calling thread, with the default parameters of
/// `covariance`, also of one that is put together from several.
///
/// # Errors
/// Never for default parameters.
pub fn rate_of(
    covariance: &Covariance,
    geometry: Geometry,
    precision: Precision,
) -> Result<f64, CovarianceError> {
    let (values, vectors) = (covariance.defaults(), Vectors::widest());
    if covariance.is_radial() {
        return Ok(measure(covariance, &values, geometry, precision, vectors)?.entries_per_second);
    }
    let mut points = rate::random_points(geometry, ORDER, 1.0, 1);
    if covariance.has_time() {
        points = points.marked(&vec![0.0; ORDER]);
    }
    let variables = covariance.variables();
    if variables > 1 {
        let of = |i: usize| (i * variables / ORDER) as f64;
        points = points.marked(&(0..ORDER).map(of).collect::<Vec<f64>>());
    }
    let law = covariance.law(geometry, &values, 0.0)?;
    let composite = Composite::new(law.bytes(), geometry);
    let (part, precision) = (Part::Full, PhantomData);
    let (rows, cols, terms) = (ORDER, ORDER, 1);
    let tile =
        CompositeCovariance { rows, cols, geometry, part, terms, has_tables: true, precision };
    let (mut out, start, mut rounds) = (vec![0.0; ORDER * ORDER], Instant::now(), 0);
    while start.elapsed().as_secs_f64() < 0.02 {
        tile.compute(&composite, (points.held(), points.held()), &mut out);
        rounds += 1;
    }
    Ok((rounds * ORDER * ORDER) as f64 / start.elapsed().as_secs_f64())
}

fn direct_rate(direct: &Function, points: &Points) -> f64 {
    let distances: Vec<f64> = (1..points.len()).map(|i| points.distance(0, i)).collect();
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed().as_secs_f64() < 0.02 {
        let sum: f64 = distances.iter().map(|&d| direct(d)).sum();
        std::hint::black_box(sum);
        rounds += 1;
    }
    (rounds * distances.len()) as f64 / start.elapsed().as_secs_f64()
}
