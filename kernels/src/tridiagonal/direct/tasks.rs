//! The steps of a panel as tasks.

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::panel::{Panel, Span, multiply, update};
use super::{PARTS, Shares};
use crate::backend;
use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// What is stored of a panel of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// How the matrix is shared out.
    pub shares: Shares,
    /// First column of the panel.
    pub first: usize,
    /// Columns of the panel.
    pub width: usize,
}

impl Stored {
    fn span(&self) -> Span {
        Span { n: self.shares.n, first: self.first, width: self.width }
    }

    /// Entries of `V` and `W` beside each other.
    #[must_use]
    pub fn vectors(&self) -> usize {
        2 * self.shares.n * self.width
    }

    /// Entries of the scalars: of the diagonal, below it, and factors of reflectors.
    #[must_use]
    pub fn scalars(&self) -> usize {
        3 * self.width
    }

    /// Reflectors of the panel.
    #[must_use]
    pub fn reflectors(&self) -> usize {
        self.width.min(self.shares.n - 1 - self.first)
    }

    /// Rows that are left behind a column of the panel.
    fn left(&self, column: usize) -> usize {
        self.shares.n.saturating_sub(self.first + column)
    }
}

/// Column `column` of a panel: completes `W` from the products with the reflector before, brings
/// the column up to date and makes its reflector; past the last column only the former. Buffers
/// `[share: R, vectors: RW, scalars: RW, products: R, products: R, products: R, products: R]`, the
/// share the one that holds the column.
#[derive(Clone, Copy, Debug)]
pub struct Column<T> {
    /// The panel.
    pub stored: Stored,
    /// Which of its columns.
    pub column: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Column<T> {
    const NAME: &'static str = "latrd_column";
    const ACCESS: &'static [Access] =
        &[Access::R, Access::RW, Access::RW, Access::R, Access::R, Access::R, Access::R];

    fn cost(&self) -> Cost {
        let (rows, columns) = (self.stored.left(self.column), self.column);
        let flops = 8.0 * product(&[rows, columns + 1]);
        Cost { flops, bytes: bytes::<T>(&[4 * rows * (columns + 1)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { stored, column, .. } = self;
        let (span, blas) = (stored.span(), T::blas(backend::current()));
        let vw = TileMut::of(buffers, 1, span.n, 2 * span.width);
        let mut panel = Panel { span, vw, scalars: buffers.write(2) };
        if column > 0 {
            let shares: [&[T]; PARTS] = std::array::from_fn(|part| buffers.read(3 + part));
            panel.complete(blas, column - 1, &shares);
        }
        if column < span.width {
            let j = span.first + column;
            let (_, block) = stored.shares.find(j);
            let a = block.read(buffers.read(0)).col(j - block.first).expect("adjacent rows");
            panel.reflect(blas, column, &a[j - block.first..]);
        }
        Ok(())
    }
}

/// One share of the products of what is left of the matrix, and of `V` and `W`, with a reflector;
/// buffers `[share: R, vectors: R, products: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Multiply<T> {
    /// The panel.
    pub stored: Stored,
    /// Which share.
    pub part: usize,
    /// Which reflector of the panel.
    pub column: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Multiply<T> {
    const NAME: &'static str = "latrd_multiply";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::W];

    fn cost(&self) -> Cost {
        let rows = self.stored.left(self.column);
        Cost {
            flops: 2.0 * product(&[rows, rows]) / PARTS as f64,
            bytes: bytes::<T>(&[rows * rows / (2 * PARTS)]),
        }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { stored, part, column, .. } = self;
        let (span, blas) = (stored.span(), T::blas(backend::current()));
        let vw = TileRef::of(buffers, 1, span.n, 2 * span.width);
        let share = (stored.shares, part, buffers.read(0));
        multiply(blas, share, (span, column), vw, buffers.write(2));
        Ok(())
    }
}

/// What a panel does to one share of the matrix; buffers `[share: RW, vectors: R]`.
#[derive(Clone, Copy, Debug)]
pub struct Update<T> {
    /// The panel.
    pub stored: Stored,
    /// Which share.
    pub part: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Update<T> {
    const NAME: &'static str = "latrd_update";
    const ACCESS: &'static [Access] = &[Access::RW, Access::R];

    fn cost(&self) -> Cost {
        let rows = self.stored.left(self.stored.width);
        Cost {
            flops: 2.0 * product(&[rows, rows, self.stored.width]) / PARTS as f64,
            bytes: bytes::<T>(&[rows * rows / PARTS]),
        }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { stored, part, .. } = self;
        let span = stored.span();
        let vw = TileRef::of(buffers, 1, span.n, 2 * span.width);
        let share = (stored.shares, part, buffers.write(0));
        update(T::blas(backend::current()), share, span, vw);
        Ok(())
    }
}

/// Copies the reflectors of a panel and their factors among those of several panels; buffers
/// `[vectors: R, scalars: R, V: RW, TAU: RW]`, `V` of `n` rows.
#[derive(Clone, Copy, Debug)]
pub struct Close<T> {
    /// The panel.
    pub stored: Stored,
    /// Columns of `V`.
    pub columns: usize,
    /// That of the first reflector.
    pub place: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Close<T> {
    const NAME: &'static str = "latrd_close";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW, Access::RW];

    fn cost(&self) -> Cost {
        let (rows, count) = (self.stored.left(1), self.stored.width);
        Cost { flops: 0.0, bytes: bytes::<T>(&[2 * rows * count]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { stored, columns, place, .. } = self;
        let (Span { n, first, width }, count) = (stored.span(), stored.reflectors());
        let vw = TileRef::<T>::of(buffers, 0, n, 2 * width);
        let mut v =
            TileMut::of(buffers, 2, n, columns).part(first + 1, place, n - first - 1, count);
        v.copy_from(vw.part(first + 1, 0, n - first - 1, count));
        let tau = &buffers.read::<T>(1)[2 * width..][..count];
        buffers.write::<T>(3)[place..][..count].copy_from_slice(tau);
        Ok(())
    }
}

/// Copies what a tile of the lower triangle has of a share to it; buffers `[tile: R, share: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Place<T> {
    /// How the matrix is shared out.
    pub shares: Shares,
    /// Which share.
    pub part: u32,
    /// Row and column of the tile's first entry in the matrix.
    pub origin: (u32, u32),
    /// Its rows.
    pub rows: u32,
    /// Its columns.
    pub columns: u32,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Place<T> {
    const NAME: &'static str = "latrd_place";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let count = self.rows as usize * self.columns as usize / PARTS;
        Cost { flops: 0.0, bytes: bytes::<T>(&[2 * count]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, columns) = (self.rows as usize, self.columns as usize);
        let (row, column) = (self.origin.0 as usize, self.origin.1 as usize);
        let tile = TileRef::<T>::of(buffers, 0, rows, columns);
        let share = buffers.write::<T>(1);
        for block in self.shares.of(self.part as usize) {
            let mut to = block.write(share);
            let end = (column + columns).min(block.first + block.columns);
            for j in column.max(block.first)..end {
                let (from, begin) = (tile.col(j - column).expect("adjacent rows"), row.max(j));
                let column = to.col_mut(j - block.first).expect("adjacent rows");
                let count = (row + rows).saturating_sub(begin);
                let target = &mut column[begin - block.first..][..count];
                target.copy_from_slice(&from[begin - row..]);
            }
        }
        Ok(())
    }
}
