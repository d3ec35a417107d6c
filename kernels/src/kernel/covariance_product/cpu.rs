//! The tile on a core: each derivative column by column, then its products by a backend.

use std::cell::RefCell;

use super::ProductTile;

use crate::backend;
use crate::kernel::covariance::{RadialTable, Vectors, column};
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
        tables: &[RadialTable],
        (row_points, column_points): (&[f64], &[f64]),
        (x_rows, x_cols): (&[T], &[T]),
        (down, across): (&mut [T], Option<&mut [T]>),
    ) {
        let &Self { rows: m, cols: n, width, derivatives, .. } = self;
        assert_eq!(tables.len(), derivatives + 1, "tables");
        assert_eq!(row_points.len(), self.geometry.stored() * m, "numbers of the row points");
        assert_eq!(column_points.len(), self.geometry.stored() * n, "numbers of the column points");
        let (x_rows, x_cols) = (TileRef::new(x_rows, m, width), TileRef::new(x_cols, n, width));
        let mut down = TileMut::new(down, m, self.products());
        let mut across = across.map(|across| TileMut::new(across, n, self.products()));
        ROOM.with_borrow_mut(|room| {
            room.clear();
            room.resize(2 * m + derivatives * m * n, 0.0);
            let (columns, made) = room.split_at_mut(2 * m);
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

    /// The derivatives, tile after tile; `columns` is room for two.
    fn fill<T: Real>(
        &self,
        tables: &[RadialTable],
        (row_points, column_points): (&[f64], &[f64]),
        columns: &mut [f64],
        made: &mut [T],
    ) {
        let (m, n, stored) = (self.rows, self.cols, self.geometry.stored());
        let vectors = Vectors::widest();
        let (covariance, derivative) = columns.split_at_mut(m);
        let mut at = [0.0; 3];
        for j in 0..n {
            (0..stored).for_each(|k| at[k] = column_points[k * n + j]);
            let fill = |table, out: &mut [f64]| {
                column(vectors, table, self.geometry, (row_points, m), &at[..stored], 0, out);
            };
            if self.is_relative {
                fill(&tables[0], covariance);
            }
            for (k, table) in tables[1..].iter().enumerate() {
                fill(table, derivative);
                let to = &mut made[(k * n + j) * m..][..m];
                for ((to, &d), &c) in to.iter_mut().zip(&*derivative).zip(&*covariance) {
                    let value = if !self.is_relative {
                        d
                    } else if c == 0.0 {
                        0.0
                    } else {
                        c * d
                    };
                    *to = T::from_f64(value);
                }
            }
        }
    }
}
