//! Draws of a Gaussian random field: `z = L e` with independent standard normal `e`.
//!
//! All randomness comes from ChaCha12 with the seed, so a draw is the same on every machine up to
//! rounding, whatever the number of workers.

use std::f64::consts::TAU;

use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};
use tegula_kernels::geometry::{Geometry, GeometryError, Points};
use tegula_kernels::kernel::gemv::Gemv;
use tegula_kernels::kernel::trmm::Trmm;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::potrf;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::generation::{Generation, Order};
use crate::likelihood::LikelihoodError;
use crate::model::Model;

pub mod exageostat;

/// A stream of random numbers.
#[derive(Debug)]
pub struct Random(ChaCha12Rng);

impl Random {
    /// The stream of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(ChaCha12Rng::seed_from_u64(seed))
    }

    /// Uniform in `(0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Two independent standard normal numbers (Box, Muller 1958).
    fn normal_pair(&mut self) -> [f64; 2] {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let (sin, cos) = (TAU * self.uniform()).sin_cos();
        [radius * cos, radius * sin]
    }

    /// `count` independent standard normal numbers.
    pub fn normals(&mut self, count: usize) -> Vec<f64> {
        let mut numbers: Vec<f64> =
            (0..count.div_ceil(2)).flat_map(|_| self.normal_pair()).collect();
        numbers.truncate(count);
        numbers
    }
}

/// `n` places in the unit square (cube, interval) on a grid, each moved by up to 0.4 of a step, so
/// that no two come close; in the order of a space-filling curve (Morton), so that tiles hold
/// neighbours. Great-circle places are spread over the sphere.
///
/// # Errors
/// Never for the coordinates made here; the type is that of [`Points::new`].
pub fn scattered_places(
    geometry: Geometry,
    n: usize,
    random: &mut Random,
) -> Result<(Points, Vec<Vec<f64>>), GeometryError> {
    let axes = if geometry == Geometry::GreatCircle { 2 } else { geometry.dimensions() };
    let side = (1..=n).find(|side| side.pow(axes as u32) >= n).unwrap_or(1);
    let mut cells: Vec<Vec<f64>> = (0..n)
        .map(|cell| {
            let index = |axis: usize| cell / side.pow(axis as u32) % side;
            (0..axes)
                .map(|axis| {
                    (index(axis) as f64 + 0.5 + 0.8 * (random.uniform() - 0.5)) / side as f64
                })
                .collect()
        })
        .collect();
    cells.sort_by_cached_key(|cell| morton(cell));
    let mut coordinates: Vec<Vec<f64>> =
        (0..axes).map(|axis| cells.iter().map(|cell| cell[axis]).collect()).collect();
    if geometry == Geometry::GreatCircle {
        // Equal areas: the sine of the latitude is uniform.
        coordinates[0].iter_mut().for_each(|u| *u = (2.0 * *u - 1.0).asin().to_degrees());
        coordinates[1].iter_mut().for_each(|u| *u = 360.0 * *u - 180.0);
    }
    let slices: Vec<&[f64]> = coordinates.iter().map(Vec::as_slice).collect();
    Ok((Points::new(geometry, &slices)?, coordinates))
}

/// Position along the Morton curve of a place in the unit cube.
fn morton(cell: &[f64]) -> u64 {
    let bits = 21.min(63 / cell.len());
    let mut code = 0;
    for bit in 0..bits {
        for (axis, x) in cell.iter().enumerate() {
            let scaled = (x * (1u64 << bits) as f64) as u64;
            code |= (scaled >> bit & 1) << (bit * cell.len() + axis);
        }
    }
    code
}

/// Draws the field of `model` at `points`, with the noise of its nugget, in tiles of order `nb`:
/// `L e`, where `e` holds a standard normal number for each point.
///
/// # Errors
/// If the covariance matrix is not positive definite.
///
/// # Panics
/// If `e` is not as long as `points`.
pub fn sample<T: Real>(
    flow: &mut Flow,
    model: &Model,
    points: &Points,
    e: &[f64],
    nb: usize,
) -> Result<Vec<f64>, LikelihoodError> {
    let n = points.len();
    assert_eq!(e.len(), n, "one normal number for each point");
    let law = model.covariance.law(points.geometry(), &model.values, model.nugget)?;
    let noise: Vec<T> = e.iter().copied().map(T::from_f64).collect();
    let failed = |error| LikelihoodError::from_flow(error, n);
    let mut generation = Generation::<T>::new(flow, points, nb);
    generation.set(flow, &law).map_err(failed)?;
    let given = TileMatrix::<T>::panel(flow, (n, 1), nb);
    let field = TileMatrix::<T>::panel(flow, (n, 1), nb);
    for matrix in [&given, &field] {
        for i in 0..matrix.mt() {
            let block = &noise[i * nb..i * nb + matrix.tile_rows(i)];
            flow.overwrite(matrix.tile(i, 0), block).map_err(failed)?;
        }
    }
    flow.phase("generation");
    generation.submit(flow, Order { priorities: true, by_priority: true });
    flow.phase("factorization");
    potrf(flow, &generation.covariance);
    flow.phase("product");
    multiply(flow, &generation.covariance, &given, &field);
    flow.wait().map_err(failed)?;
    let mut values = Vec::with_capacity(n);
    for i in 0..field.mt() {
        let block = flow.read::<T>(field.tile(i, 0)).map_err(failed)?;
        values.extend(block.iter().map(|x| x.to_f64()));
    }
    generation.unregister(flow);
    given.unregister(flow);
    field.unregister(flow);
    Ok(values)
}

/// Submits `y = L x`, where `y` starts as a copy of `x`.
fn multiply<T: Real>(flow: &mut Flow, l: &TileMatrix<T>, x: &TileMatrix<T>, y: &TileMatrix<T>) {
    for i in 0..l.nt() {
        let m = l.tile_rows(i);
        let diagonal = Trmm {
            side: Side::Left,
            uplo: Uplo::Lower,
            trans: Trans::No,
            diag: Diag::NonUnit,
            m,
            n: 1,
            alpha: T::ONE,
        };
        flow.submit(diagonal, &[(l.tile(i, i), R), (y.tile(i, 0), RW)], 0);
        for j in 0..i {
            let (trans, n) = (Trans::No, l.tile_columns(j));
            let product = Gemv { trans, m, n, alpha: T::ONE, beta: T::ONE };
            flow.submit(product, &[(l.tile(i, j), R), (x.tile(j, 0), R), (y.tile(i, 0), RW)], 0);
        }
    }
}
