//! The tile on a CUDA device, a thread for each entry.

use tegula_runtime::flow::{Failure, Launch};

use super::{CompositeCovariance, Recipe};
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program, output};
use crate::geometry::Geometry;
use crate::kernel::covariance::cuda::SlopeTile;
use crate::kernel::covariance::{Part, TABLE_BYTES};
use crate::scalar::Real;

/// The device's side; that of radial covariances comes before it.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Real> CompositeCovariance<T> {
    /// Puts the tile on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { rows, cols, geometry, .. } = self;
        let recipe = recipe(launch);
        let out = output::<T>(launch, 3, rows * cols);
        if rows == 0 || cols == 0 {
            return Ok(());
        }
        let arguments = [
            Argument::<T>::place(recipe),
            Argument::place(places(launch, geometry, (1, rows))),
            Argument::place(places(launch, geometry, (2, cols))),
            Argument::size(rows),
            Argument::size(cols),
            Argument::Flag(geometry.stored() as i32),
            Argument::Flag(i32::from(geometry == Geometry::GreatCircle)),
            Argument::Flag(i32::from(self.part == Part::Lower)),
            Argument::place(out),
        ];
        let grid = Grid::matrix(rows, cols);
        // SAFETY: the buffers have the sizes of the contract: places have the marks that the recipe
        // says, as the number of their numbers is that of whole places.
        unsafe { Program::run(launch, "covariance_composite", grid, &arguments) }
    }
}

/// Puts the making of derivative `k` at `slope` on the stream.
///
/// # Panics
/// If a buffer is of another size.
#[allow(unsafe_code)]
pub(in crate::kernel::covariance) fn slope<T: Real>(
    tile: &SlopeTile,
    launch: &Launch<'_>,
    k: usize,
    slope: Block<T>,
) -> Result<(), Failure> {
    let &SlopeTile { shape: (rows, cols), points, geometry, is_lower, .. } = tile;
    let arguments = [
        Argument::place(recipe(launch)),
        Argument::size(k),
        Argument::place(places(launch, geometry, (points.0, rows))),
        Argument::place(places(launch, geometry, (points.1, cols))),
        Argument::size(rows),
        Argument::size(cols),
        Argument::Flag(geometry.stored() as i32),
        Argument::Flag(i32::from(geometry == Geometry::GreatCircle)),
        Argument::Flag(i32::from(is_lower)),
        slope.place(),
    ];
    let grid = Grid::matrix(rows, cols);
    // SAFETY: the buffers have the sizes of the contract, as above, and the slope is `rows x cols`.
    unsafe { Program::run(launch, "composite_slope", grid, &arguments) }
}

/// The recipe, in the first buffer.
fn recipe(launch: &Launch<'_>) -> *const u8 {
    let (recipe, bytes) = launch.read::<u8>(0);
    assert!(bytes >= size_of::<Recipe>() + TABLE_BYTES, "{bytes} bytes of a recipe and tables");
    recipe
}

/// The numbers of `count` places in buffer `index`, with up to two marks.
fn places(launch: &Launch<'_>, geometry: Geometry, (index, count): (usize, usize)) -> *const f64 {
    let ((place, numbers), stored) = (launch.read::<f64>(index), geometry.stored());
    let fits = (stored..=stored + 2).any(|width| numbers == width * count);
    assert!(fits, "{numbers} numbers of {count} places");
    place
}
