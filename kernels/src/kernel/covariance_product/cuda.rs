//! The tile on a CUDA device: each derivative as a matrix in working memory, its products by
//! cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::ProductTile;
use crate::cuda::{Block, Products};
use crate::kernel::covariance::SlopeTile;
use crate::option::{Part, Trans};
use crate::scalar::Real;

impl ProductTile {
    /// Puts the products on the stream: buffers of points, panels and products of rows and of
    /// columns, which a tile on the diagonal does not have.
    ///
    /// # Panics
    /// If a buffer is of another size.
    pub(super) fn launch<T: Real>(
        &self,
        launch: &Launch<'_>,
        points: (usize, usize),
        panels: (usize, usize),
        (down, across): (usize, Option<usize>),
    ) -> Result<(), Failure> {
        let &Self { rows: m, cols: n, width, derivatives, .. } = self;
        let (x_i, x_j) = (
            Block::<T>::input(launch, panels.0, m, width),
            Block::<T>::input(launch, panels.1, n, width),
        );
        let products = |index, rows| {
            let (place, found) = launch.write::<T>(index);
            let shape = (rows, self.products());
            assert!(found >= shape.0 * shape.1, "buffer {index} holds {found} numbers");
            Block::<T>::at(place as u64, shape, rows)
        };
        let (down, across) = (products(down, m), across.map(|index| products(index, n)));
        if m == 0 || n == 0 {
            return Ok(());
        }
        let [slope] = Block::room(launch, [(m, n)])?;
        let tile = SlopeTile {
            shape: (m, n),
            points,
            geometry: self.geometry,
            structure: self.structure,
            is_lower: false,
        };
        let (blas, one) = (Products::of(launch)?, T::ONE);
        for k in 0..derivatives {
            tile.launch(launch, k, slope)?;
            let to = down.part(0, k * width, m, width);
            blas.gemm(one, (Trans::No, slope), (Trans::No, x_j), one, to)?;
            if let Some(across) = across {
                let to = across.part(0, k * width, n, width);
                blas.gemm(one, (Trans::Yes, slope), (Trans::No, x_i), one, to)?;
            }
        }
        if self.with_panel && across.is_none() {
            let to = down.part(0, derivatives * width, m, width);
            to.add(launch, (Part::Whole, Trans::No), (one, x_i), one)?;
        }
        Ok(())
    }
}
