//! The tile on a CUDA device: weights and each derivative as matrices in working memory, and their
//! products by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::ScoreTile;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Products, Program};
use crate::kernel::covariance::SlopeTile;
use crate::option::Trans;
use crate::scalar::Real;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Numbers of the buffers of one side of a tile: points, panel, and what is added to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) points: usize,
    pub(super) panel: usize,
    pub(super) made: usize,
}

impl ScoreTile {
    /// Puts the sums and products on the stream. The tables are the first buffer, the inverse is
    /// buffer `inverse`; a tile on the diagonal has no `columns`.
    ///
    /// # Panics
    /// If a buffer is of another size.
    pub(super) fn launch<T: Real>(
        &self,
        launch: &Launch<'_>,
        inverse: usize,
        (rows, columns): (Side, Option<Side>),
    ) -> Result<(), Failure> {
        let &Self { rows: m, cols: n, width, first, vectors, derivatives, .. } = self;
        let beside = columns.unwrap_or(rows);
        let (b_i, b_j) = (
            Block::<T>::input(launch, rows.panel, m, width),
            Block::<T>::input(launch, beside.panel, n, width),
        );
        let a = Block::<T>::input(launch, inverse, m, n);
        let made = (vectors + 1) * derivatives + 1;
        let down = written(launch, rows.made, (m, made));
        let across = columns.map(|side| written(launch, side.made, (n, vectors * derivatives)));
        if m == 0 || n == 0 {
            return Ok(());
        }
        let [weights, slope] = Block::room(launch, [(m, n), (m, n)])?;
        let (products, one, minus) = (Products::of(launch)?, T::ONE, -T::ONE);
        weights.copy(launch, Trans::No, a)?;
        let known = width - first;
        let (left, right) = (b_i.part(0, first, m, known), b_j.part(0, first, n, known));
        products.gemm(minus, (Trans::No, left), (Trans::Yes, right), one, weights)?;
        let (a_i, a_j) =
            (b_i.part(0, width - vectors, m, vectors), b_j.part(0, width - vectors, n, vectors));
        let tile = SlopeTile {
            shape: (m, n),
            points: (rows.points, beside.points),
            geometry: self.geometry,
            structure: self.structure,
            is_lower: columns.is_none(),
        };
        for k in 0..derivatives {
            tile.launch(launch, k, slope)?;
            let place = k * vectors;
            let to = down.part(0, place, m, vectors);
            products.gemm(one, (Trans::No, slope), (Trans::No, a_j), one, to)?;
            // On the diagonal both products are those of the rows.
            let to = across.map_or(to, |across| across.part(0, place, n, vectors));
            products.gemm(one, (Trans::Yes, slope), (Trans::No, a_i), one, to)?;
            let sums = down.part(0, vectors * derivatives + k, m, 1);
            self.add_sums(launch, (weights, slope), columns.is_none(), sums)?;
        }
        if columns.is_some() {
            return Ok(());
        }
        let diagonal = down.part(0, (vectors + 1) * derivatives, m, 1);
        let arguments = [Argument::size(m), weights.place(), diagonal.place()];
        // SAFETY: the weights are square, and there is a number for each of their rows.
        #[allow(unsafe_code)]
        unsafe {
            Program::run(launch, "add_diagonal", Grid::over(m), &arguments)
        }
    }

    /// Adds the sums of the rows of the weighted derivative.
    #[allow(unsafe_code)]
    fn add_sums<T: Real>(
        &self,
        launch: &Launch<'_>,
        (weights, slope): (Block<T>, Block<T>),
        is_lower: bool,
        sums: Block<T>,
    ) -> Result<(), Failure> {
        let arguments = [
            Argument::size(self.rows),
            Argument::size(self.cols),
            weights.place(),
            slope.place(),
            Argument::Flag(i32::from(is_lower)),
            sums.place(),
        ];
        // SAFETY: both matrices are `rows x cols`, and there is a sum for each row.
        unsafe { Program::run(launch, "weighted_sums", Grid::rows(self.rows), &arguments) }
    }
}

/// The first columns of a buffer that is added to, which may have more.
fn written<T: Real>(launch: &Launch<'_>, index: usize, (rows, cols): (usize, usize)) -> Block<T> {
    let (place, found) = launch.write::<T>(index);
    assert!(found >= rows * cols, "buffer {index} holds {found} numbers, not {rows} x {cols}");
    Block::at(place as u64, (rows, cols), rows)
}
