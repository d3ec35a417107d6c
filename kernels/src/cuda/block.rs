//! Blocks of matrices on a device, with the products and sums that kernels compose of them; shapes
//! are checked as those of views on a core are.

use std::sync::Arc;

use tegula_runtime::flow::{Failure, Launch};

use super::calls::BlasCalls;
use super::device_code::{Argument, Grid, Program};
use super::{Blas, diag, input, int, leading, output, side, trans, uplo, workspace};
use crate::option::{Diag, Part, Side, Trans, Uplo};
use crate::scalar::Scalar;

/// The device's side.
pub(super) const SOURCE: &str = include_str!("block.cu");

/// A column-major block on the device of a task, while the task is put on its stream.
#[derive(Debug)]
pub(crate) struct Block<T> {
    /// Its first entry.
    place: *mut T,
    rows: usize,
    cols: usize,
    /// Distance of columns.
    ld: usize,
}

impl<T> Clone for Block<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Block<T> {}

impl<T: Scalar> Block<T> {
    /// Buffer `index`, to read.
    ///
    /// # Panics
    /// If it has another size.
    pub(crate) fn input(launch: &Launch<'_>, index: usize, rows: usize, cols: usize) -> Self {
        let place = input::<T>(launch, index, rows * cols).cast_mut();
        Self { place, rows, cols, ld: rows }
    }

    /// Buffer `index`, to write.
    ///
    /// # Panics
    /// If it has another size or may not be written.
    pub(crate) fn output(launch: &Launch<'_>, index: usize, rows: usize, cols: usize) -> Self {
        let place = output::<T>(launch, index, rows * cols);
        Self { place, rows, cols, ld: rows }
    }

    /// Matrices of these shapes in the working memory of the device, which are the task's until it
    /// ends; a task asks once.
    pub(crate) fn room<const N: usize>(
        launch: &Launch<'_>,
        shapes: [(usize, usize); N],
    ) -> Result<[Self; N], Failure> {
        // Each begins where the libraries read several numbers at once.
        let count = |(rows, cols): (usize, usize)| (rows * cols).next_multiple_of(32);
        let total: usize = shapes.iter().map(|&shape| count(shape)).sum();
        let mut place = workspace(launch, total * size_of::<T>())? as *mut T;
        Ok(shapes.map(|(rows, cols)| {
            let block = Self { place, rows, cols, ld: rows };
            place = place.wrapping_add(count((rows, cols)));
            block
        }))
    }

    /// The `rows x cols` matrix at an address of the device, with columns so far apart.
    pub(crate) fn at(place: u64, (rows, cols): (usize, usize), ld: usize) -> Self {
        Self { place: place as *mut T, rows, cols, ld }
    }

    /// The `rows x cols` block whose first entry is entry `(i, j)`.
    ///
    /// # Panics
    /// If it leaves this one.
    pub(crate) fn part(self, i: usize, j: usize, rows: usize, cols: usize) -> Self {
        let inside = i + rows <= self.rows && j + cols <= self.cols;
        assert!(inside, "{rows} x {cols} at ({i}, {j}) in {} x {}", self.rows, self.cols);
        Self { place: self.place.wrapping_add(i + j * self.ld), rows, cols, ld: self.ld }
    }

    /// The `rows x cols` matrix without gaps at the beginning of this one, which has none either.
    ///
    /// # Panics
    /// If it is too large, or there are gaps.
    pub(crate) fn adjacent(self, rows: usize, cols: usize) -> Self {
        let fits = self.ld == self.rows && rows * cols <= self.rows * self.cols;
        assert!(fits, "{rows} x {cols} numbers in {self:?}");
        Self { place: self.place, rows, cols, ld: rows }
    }

    pub(crate) fn rows(self) -> usize {
        self.rows
    }

    pub(crate) fn cols(self) -> usize {
        self.cols
    }

    pub(crate) fn is_empty(self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// Address of its first entry, as a kernel's argument.
    pub(crate) fn place(self) -> Argument<T> {
        Argument::place(self.place)
    }

    /// Its first entry on the device.
    pub(crate) fn pointer(self) -> *mut T {
        self.place
    }

    /// Distance of its columns.
    pub(crate) fn stride(self) -> usize {
        self.ld
    }

    /// The same, as a kernel's argument.
    pub(crate) fn ld(self) -> Argument<T> {
        Argument::size(self.ld)
    }

    fn shape(self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Fills it with zeros.
    pub(crate) fn clear(self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.add(launch, (Part::Whole, Trans::No), (T::ZERO, self), T::ZERO)
    }

    /// `B = op(A)`, where `B` is this block.
    pub(crate) fn copy(self, launch: &Launch<'_>, trans: Trans, a: Self) -> Result<(), Failure> {
        self.add(launch, (Part::Whole, trans), (T::ONE, a), T::ZERO)
    }

    /// `B = alpha op(A) + beta B` on a part of this block, `B`; what has a factor of zero is not
    /// read.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[allow(unsafe_code)]
    pub(crate) fn add(
        self,
        launch: &Launch<'_>,
        (part, trans): (Part, Trans),
        (alpha, a): (T, Self),
        beta: T,
    ) -> Result<(), Failure> {
        let (theirs, mine) = (trans.stored(a.rows, a.cols), self.shape());
        assert!(theirs == mine, "sum of {theirs:?} and {mine:?}");
        if self.is_empty() {
            return Ok(());
        }
        let arguments = [
            Argument::size(self.rows),
            Argument::size(self.cols),
            part_flag(part),
            Argument::Flag(self::trans(trans)),
            Argument::number(alpha),
            a.place(),
            a.ld(),
            Argument::number(beta),
            self.place(),
            self.ld(),
        ];
        // SAFETY: both blocks have the shapes that are given.
        unsafe { Program::run(launch, "add_part", Grid::matrix(self.rows, self.cols), &arguments) }
    }
}

/// A part of a matrix as device code takes it.
pub(crate) fn part_flag<T>(part: Part) -> Argument<T> {
    Argument::Flag(match part {
        Part::Whole => 0,
        Part::Lower => 1,
        Part::Upper => 2,
    })
}

/// Order of the blocks on the diagonal of a triangle that is made by products.
const DIAGONAL: usize = 256;

/// Order of the room for the blocks on the diagonal of a triangle of order `n`.
pub(crate) fn diagonal_room(n: usize) -> (usize, usize) {
    (DIAGONAL.min(n), DIAGONAL.min(n))
}

/// A triangular block of which `op` enters a product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangular<T> {
    /// The square block.
    pub(crate) entries: Block<T>,
    /// The triangle that counts.
    pub(crate) uplo: Uplo,
    /// Whether its diagonal is stored.
    pub(crate) diag: Diag,
    /// How it enters.
    pub(crate) trans: Trans,
}

/// Products by cuBLAS on the stream of a task.
pub(crate) struct Products<T: Scalar> {
    blas: Arc<Blas>,
    calls: Arc<BlasCalls<T>>,
}

impl<T: Scalar> Products<T> {
    pub(crate) fn of(launch: &Launch<'_>) -> Result<Self, Failure> {
        let (blas, calls) = Blas::of::<T>(launch)?;
        Ok(Self { blas, calls })
    }

    /// `C = alpha op(A) op(B) + beta C`.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[allow(unsafe_code)]
    pub(crate) fn gemm(
        &self,
        alpha: T,
        (trans_a, a): (Trans, Block<T>),
        (trans_b, b): (Trans, Block<T>),
        beta: T,
        c: Block<T>,
    ) -> Result<(), Failure> {
        let ((m, k), (inner, n)) = (trans_a.stored(a.rows, a.cols), trans_b.stored(b.rows, b.cols));
        let agrees = (m, n) == c.shape() && k == inner;
        assert!(agrees, "{m} x {k} times {inner} x {n} is not {} x {}", c.rows, c.cols);
        if c.is_empty() || (k == 0 && beta == T::ONE) {
            return Ok(());
        }
        let (op_a, op_b, m, n, k) = (trans(trans_a), trans(trans_b), int(m), int(n), int(k));
        let (lda, ldb, ldc) = (leading(a.ld), leading(b.ld), leading(c.ld));
        // SAFETY: the shapes agree.
        self.blas.call(|blas| unsafe {
            let (a, b) = (a.place.cast_const(), b.place.cast_const());
            (self.calls.gemm)(
                blas, op_a, op_b, m, n, k, &alpha, a, lda, b, ldb, &beta, c.place, ldc,
            )
        })
    }

    /// One triangle of `C = alpha op(A) op(B) + beta C`, in columns of blocks; those on the
    /// diagonal are made in `room`, of [`diagonal_room`] of the order of `C`.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub(crate) fn gemmt(
        &self,
        launch: &Launch<'_>,
        (fill, alpha): (Uplo, T),
        (trans_a, a): (Trans, Block<T>),
        (trans_b, b): (Trans, Block<T>),
        (beta, c): (T, Block<T>),
        room: Block<T>,
    ) -> Result<(), Failure> {
        let n = c.rows;
        let rows = |first: usize, count: usize| match trans_a {
            Trans::No => a.part(first, 0, count, a.cols),
            _ => a.part(0, first, a.rows, count),
        };
        for first in (0..n).step_by(DIAGONAL) {
            let width = DIAGONAL.min(n - first);
            let behind = first + width;
            let b = match trans_b {
                Trans::No => b.part(0, first, b.rows, width),
                _ => b.part(first, 0, width, b.cols),
            };
            let (top, high) = if fill == Uplo::Lower { (behind, n - behind) } else { (0, first) };
            let beside = (trans_a, rows(top, high));
            self.gemm(alpha, beside, (trans_b, b), beta, c.part(top, first, high, width))?;
            let square = room.adjacent(width, width);
            self.gemm(alpha, (trans_a, rows(first, width)), (trans_b, b), T::ZERO, square)?;
            let corner = c.part(first, first, width, width);
            corner.add(launch, (fill.into(), Trans::No), (T::ONE, square), beta)?;
        }
        Ok(())
    }

    /// `B = op(T) B`, or `B op(T)` from the right.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[allow(unsafe_code)]
    pub(crate) fn trmm(&self, at: Side, t: Triangular<T>, b: Block<T>) -> Result<(), Failure> {
        if t.meets(at, b) {
            return Ok(());
        }
        let (fill, op, unit) = (uplo(t.uplo), trans(t.trans), diag(t.diag));
        let (at, m, n, one) = (side(at), int(b.rows), int(b.cols), T::ONE);
        let (ldt, ldb) = (leading(t.entries.ld), leading(b.ld));
        // SAFETY: the shapes agree; the product may be where its operand is.
        self.blas.call(|blas| unsafe {
            let (t, b) = (t.entries.place, b.place);
            (self.calls.trmm)(blas, at, fill, op, unit, m, n, &one, t, ldt, b, ldb, b, ldb)
        })
    }

    /// `B = inv(op(T)) B`, or `B inv(op(T))` from the right.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[allow(unsafe_code)]
    pub(crate) fn trsm(&self, at: Side, t: Triangular<T>, b: Block<T>) -> Result<(), Failure> {
        if t.meets(at, b) {
            return Ok(());
        }
        let (fill, op, unit) = (uplo(t.uplo), trans(t.trans), diag(t.diag));
        let (at, m, n, one) = (side(at), int(b.rows), int(b.cols), T::ONE);
        let (ldt, ldb) = (leading(t.entries.ld), leading(b.ld));
        // SAFETY: the shapes agree.
        self.blas.call(|blas| unsafe {
            (self.calls.trsm)(
                blas,
                at,
                fill,
                op,
                unit,
                m,
                n,
                &one,
                t.entries.place,
                ldt,
                b.place,
                ldb,
            )
        })
    }
}

impl<T: Scalar> Triangular<T> {
    /// Whether there is nothing to do to `b` on that side.
    fn meets(&self, at: Side, b: Block<T>) -> bool {
        let order = if at == Side::Left { b.rows } else { b.cols };
        let shape = self.entries.shape();
        assert!(shape == (order, order), "a triangle {shape:?} beside {:?}", b.shape());
        b.is_empty()
    }
}
