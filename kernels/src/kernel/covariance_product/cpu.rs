//! The tile on a core: each derivative column by column, then its products by a backend.

use std::cell::RefCell;

use super::ProductTile;

use crate::backend;
use crate::kernel::covariance::Slopes;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

thread_local! {
    /// Room for two columns and the derivatives of a tile.
    static ROOM: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl ProductTile {
    /// Adds to the products of the tile's rows, and to those of its columns; a tile on the diagonal
    /// has no other columns.
    ///
    /// # Panics
    /// If a shape is another.
    pub fn compute<T: Real>(
        &self,
        tables: &[u8],
        (row_points, column_points): (&[f64], &[f64]),
        (x_rows, x_cols): (&[T], &[T]),
        (down, across): (&mut [T], Option<&mut [T]>),
    ) {
        let &Self { rows: m, cols: n, width, derivatives, .. } = self;
        let (x_rows, x_cols) = (TileRef::new(x_rows, m, width), TileRef::new(x_cols, n, width));
        let products = self.products();
        let mut down = TileMut::new(&mut down[..m * products], m, products);
        let across = across.map(|across| &mut across[..n * products]);
        let mut across = across.map(|across| TileMut::new(across, n, products));
        ROOM.with_borrow_mut(|room| {
            room.clear();
            room.resize(m * (1 + derivatives) + derivatives * m * n, 0.0);
            let (columns, made) = room.split_at_mut(m * (1 + derivatives));
            let made = &mut bytemuck::cast_slice_mut::<f64, T>(made)[..derivatives * m * n];
            self.fill(tables, (row_points, column_points), columns, made);
            let blas = T::blas(backend::current());
            for k in 0..derivatives {
                let derivative = TileRef::new(&made[k * m * n..][..m * n], m, n);
                let place = |rows| (0, k * width, rows, width);
                let (row, col, rows, cols) = place(m);
                let products = down.reborrow().part(row, col, rows, cols);
                blas.gemm(T::ONE, derivative, x_cols, T::ONE, products);
                if let Some(across) = &mut across {
                    let (row, col, rows, cols) = place(n);
                    let products = across.reborrow().part(row, col, rows, cols);
                    blas.gemm(T::ONE, derivative.transposed(), x_rows, T::ONE, products);
                }
            }
        });
        if self.with_panel && across.is_none() {
            for q in 0..width {
                let (from, to) = (x_rows.col(q), down.col_mut(derivatives * width + q));
                let (from, to) = from.zip(to).expect("columns of a whole tile are contiguous");
                to.iter_mut().zip(from).for_each(|(y, &x)| *y += x);
            }
        }
    }

    /// The derivatives, tile after tile; `columns` is room for one of the covariance and of each.
    fn fill<T: Real>(
        &self,
        tables: &[u8],
        (row_points, column_points): (&[f64], &[f64]),
        columns: &mut [f64],
        made: &mut [T],
    ) {
        let (m, n) = (self.rows, self.cols);
        let mut source = Slopes::new(tables, (self.structure, self.geometry), self.derivatives);
        let (covariance, derivatives) = columns.split_at_mut(m);
        for j in 0..n {
            source.columns((row_points, m, 0), (column_points, n, j), covariance, derivatives);
            for (k, derivative) in derivatives.chunks_exact(m).enumerate() {
                let to = &mut made[(k * n + j) * m..][..m];
                to.iter_mut().zip(derivative).for_each(|(to, &d)| *to = T::from_f64(d));
            }
        }
    }
}
