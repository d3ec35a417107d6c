//! Matrix product.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::gemm;
use tegula_runtime::flow::{Flow, FlowError};

use super::{UNREGISTERED, matrices};
use crate::linalg::fill::{Entries, RandomMatrix};
use crate::linalg::probe::{difference, multiply, multiply_tiles, signs};
use crate::linalg::problem::{Plan, Problem, Sizes};

/// Matrix product.
pub(super) struct Product<T> {
    sizes: Sizes,
    matrices: [RandomMatrix; 3],
    tiles: Option<[TileMatrix<T>; 3]>,
}

impl<T: Scalar> Product<T> {
    pub(super) fn new(sizes: Sizes) -> Self {
        Self { sizes, matrices: matrices(&sizes, [Entries::Uniform; 3]), tiles: None }
    }
}

/// What it takes.
pub(super) fn plan(sizes: &Sizes) -> Plan {
    let &Sizes { m, n, k, .. } = sizes;
    let matrices = [(m, k), (k, n), (m, n)].map(|(m, n)| sizes.full(m, n));
    let [a, b, c] = matrices;
    let tasks = c.tiles() as f64 * a.nt() as f64;
    Plan::new(matrices.to_vec(), a.tile(0, 0) + b.tile(0, 0) + c.tile(0, 0), tasks)
}

impl<T: Scalar> Problem<T> for Product<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { m, n, k, nb, .. } = self.sizes;
        let full = |shape| TileMatrix::new(flow, shape, (nb, nb), Storage::Full);
        self.tiles = Some([(m, k), (k, n), (m, n)].map(full));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let tiles = self.tiles.as_ref().expect(UNREGISTERED);
        self.matrices.iter().zip(tiles).for_each(|(matrix, tiles)| matrix.submit(flow, tiles));
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        let [a, b, c] = self.tiles.as_ref().expect(UNREGISTERED);
        gemm(flow, (Trans::No, Trans::No), T::ONE, a, b, T::ONE, c);
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let Sizes { m, n, k, seed, .. } = self.sizes;
        let [a, b, c] = self.matrices;
        let w = signs(seed, n);
        let product = multiply(m, a.exact::<T>(), &multiply(k, b.exact::<T>(), &w));
        let mut expected = multiply(m, c.exact::<T>(), &w);
        expected.value.iter_mut().zip(product.value).for_each(|(sum, x)| *sum += x);
        expected.size.iter_mut().zip(product.size).for_each(|(sum, x)| *sum += x);
        let tiles = self.tiles.as_ref().expect(UNREGISTERED);
        let found = multiply_tiles(flow, &tiles[2], &w)?;
        Ok(difference::<T>(&found, &expected, k))
    }
}
