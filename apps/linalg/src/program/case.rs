//! A case of an algorithm: its matrices in tiles, what they held before, and the checks on them.

use std::any::Any;
use std::cell::RefCell;
use std::ops::Index;

use crate::batch::{Batch, BatchPivots, Infos};
use crate::{Pivots, TreeFactors, View};
use tegula_kernels::error::NumericalError;
use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::{Precision, Scalar, c64};
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::{Storage, TileMatrix};

use super::contents::{Contents, Inputs};
use super::freivalds::{Factor, Sum, exact, largest_difference, rounded};
use super::layout::Layout;
use super::operand::Operand;
use super::sizes::Sizes;

/// The matrices of an algorithm in one precision; `case[i]` are the tiles of the operand `i`.
#[derive(Debug)]
pub(super) struct Case<T> {
    /// Its sizes.
    pub(super) sizes: Sizes,
    /// What each operand holds at first.
    original: Vec<Contents>,
    tiles: Vec<TileMatrix<T>>,
    /// Which rows a factorisation exchanged, of an algorithm that does.
    pub(super) pivots: Option<Pivots>,
    /// Likewise of each problem of a batch.
    pub(super) batch_pivots: Option<BatchPivots>,
    /// How each problem of a batch went.
    pub(super) infos: Option<Infos>,
    /// Numbers that it found, by their names.
    pub(super) values: Vec<(&'static str, f64)>,
    /// Why it found nothing.
    pub(super) failure: Option<Failure>,
    /// Matrices that it made beside the operands.
    pub(super) found: Vec<TileMatrix<T>>,
    /// Values of the matrix that it found, in order.
    pub(super) spectrum: Vec<f64>,
    /// Why there is no result, of an algorithm that says so itself.
    pub(super) verdict: Option<NumericalError>,
    /// What a factorisation by a tree leaves beside the matrix.
    pub(super) tree: RefCell<Option<TreeFactors<T>>>,
}

/// A case in a precision of real numbers.
#[derive(Debug)]
pub(super) enum RealCase<'a> {
    /// Of 32 bits.
    Single(&'a mut Case<f32>),
    /// Of 64 bits.
    Double(&'a mut Case<f64>),
}

/// A case in a precision of 64 bits.
#[derive(Debug)]
pub(super) enum Wide<'a> {
    /// Real.
    Real(&'a mut Case<f64>),
    /// Complex.
    Complex(&'a mut Case<c64>),
}

impl<T> Index<usize> for Case<T> {
    type Output = TileMatrix<T>;

    fn index(&self, operand: usize) -> &TileMatrix<T> {
        &self.tiles[operand]
    }
}

impl<T: Scalar> Case<T> {
    /// Registers the operands with `flow`.
    pub(super) fn new(
        flow: &mut Flow,
        operands: &[Operand],
        sizes: Sizes,
        inputs: &Inputs,
    ) -> Self {
        let original = |(index, operand)| Contents::new(operand, index, &sizes, inputs);
        let original = operands.iter().enumerate().map(original).collect();
        let tiles = operands.iter().map(|operand| operand.register(flow, &sizes)).collect();
        Self {
            sizes,
            original,
            tiles,
            pivots: None,
            batch_pivots: None,
            infos: None,
            values: Vec::new(),
            failure: None,
            found: Vec::new(),
            spectrum: Vec::new(),
            verdict: None,
            tree: RefCell::default(),
        }
    }

    /// Submits the tasks that fill the operands, but for those that are filled otherwise.
    pub(super) fn fill_but(&self, flow: &mut Flow, others: &[usize]) {
        for (index, (original, tiles)) in self.original.iter().zip(&self.tiles).enumerate() {
            if !others.contains(&index) {
                original.fill(flow, tiles);
            }
        }
    }

    /// Takes the contents of the operands for granted.
    pub(super) fn touch(&self, flow: &mut Flow) {
        for (original, matrix) in self.original.iter().zip(&self.tiles) {
            if !original.is_nothing() {
                let tiles = original.layout().tiles(matrix);
                tiles.for_each(|tile| flow.touch(matrix.tile(tile.row, tile.column)));
            }
        }
    }

    /// What of operand `index` is stored.
    pub(super) fn layout(&self, index: usize) -> Layout {
        self.original[index].layout()
    }

    /// The case, whose precision is one of 64 bits.
    ///
    /// # Panics
    /// If it is another.
    pub(super) fn wide(&mut self) -> Wide<'_> {
        let case: &mut dyn Any = self;
        match T::PRECISION {
            Precision::Double => Wide::Real(cast(case)),
            _ => Wide::Complex(cast(case)),
        }
    }

    /// The case, whose precision is one of real numbers.
    ///
    /// # Panics
    /// If it is another.
    pub(super) fn real(&mut self) -> RealCase<'_> {
        let case: &mut dyn Any = self;
        match T::PRECISION {
            Precision::Single => RealCase::Single(cast(case)),
            _ => RealCase::Double(cast(case)),
        }
    }

    /// The triangle that `--uplo` names.
    pub(super) fn uplo(&self) -> Uplo {
        self.sizes.uplo
    }

    /// The pivots.
    ///
    /// # Panics
    /// If the algorithm has none.
    pub(super) fn pivots(&self) -> &Pivots {
        self.pivots.as_ref().expect("the algorithm exchanges rows")
    }

    /// The problems of operand `index`.
    ///
    /// # Panics
    /// If it is no batch.
    pub(super) fn batch(&self, index: usize) -> Batch<T> {
        let blocks = self.original[index].layout().blocks.expect("the operand is a batch");
        Batch::of(&self.tiles[index], blocks.shape(), blocks.count(), self.sizes.nb)
    }

    /// The Hermitian operand `index`, seen so that its lower triangle is stored.
    pub(super) fn hermitian(&self, index: usize) -> View<'_, T> {
        View::of_triangle(&self.tiles[index], Form::Hermitian, self.uplo())
    }

    /// A new matrix of one column as high as `x`, rounded to `T`, in one tile.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn column(&self, flow: &mut Flow, x: &Sum) -> Result<TileMatrix<T>, Failure> {
        let rows = x.value.len();
        let column = TileMatrix::new(flow, (rows, 1), (rows.max(1), 1), Storage::Full);
        column.fill_with(flow, |i, _| rounded(x.value[i]))?;
        Ok(column)
    }

    /// What `column` holds, which is taken apart.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn gathered(&self, flow: &mut Flow, column: TileMatrix<T>) -> Result<Sum, Failure> {
        let mut value = vec![c64::ZERO; column.m()];
        if !value.is_empty() {
            let entries = flow.read::<T>(column.tile(0, 0))?;
            value.iter_mut().zip(entries).for_each(|(value, &entry)| *value = exact(entry));
        }
        column.unregister(flow);
        let size = value.iter().map(|value| value.size()).collect();
        Ok(Sum { value, size })
    }

    /// What operand `index` held at first.
    pub(super) fn original(&self, index: usize) -> Factor<'_, T> {
        Factor::original(&self.original[index], &self.tiles[index])
    }

    /// What operand `index` holds now.
    pub(super) fn found(&self, index: usize) -> Factor<'_, T> {
        Factor::found(&self.tiles[index], self.original[index].layout())
    }

    /// What the Hermitian operand `index` was at first.
    pub(super) fn original_hermitian(&self, index: usize) -> Factor<'_, T> {
        self.original(index).mirrored(Form::Hermitian, self.uplo())
    }

    /// The triangle that operand `index` was at first.
    pub(super) fn original_triangle(&self, index: usize) -> Factor<'_, T> {
        self.original(index).triangle(self.uplo(), Diag::NonUnit)
    }

    /// The triangle of operand `index` that `--uplo` names, as it is now.
    pub(super) fn found_triangle(&self, index: usize) -> Factor<'_, T> {
        self.found(index).triangle(self.uplo(), Diag::NonUnit)
    }

    /// A vector of random signs, as long as operand `index` has columns.
    pub(super) fn signs(&self, index: usize) -> Sum {
        Sum::signs(self.sizes.seed, self.tiles[index].n())
    }

    /// How far `A X` is from `B`, for operand `x`, that was `B` and is `X` now, and `A` as it was.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn solution_error(
        &self,
        flow: &mut Flow,
        a: &Factor<'_, T>,
        x: usize,
    ) -> Result<f64, Failure> {
        let w = self.signs(x);
        let expected = self.original(x).times(flow, &w)?;
        let solved = self.found(x).times(flow, &w)?;
        let found = a.times(flow, &solved)?;
        Ok(largest_difference::<T>(&found, &expected, self.tiles[x].m(), a.problems()))
    }

    /// How far the product of `factors` is from `A`.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn product_error(
        &self,
        flow: &mut Flow,
        a: &Factor<'_, T>,
        factors: &[Factor<'_, T>],
    ) -> Result<f64, Failure> {
        let w = Sum::signs(self.sizes.seed, a.columns());
        let expected = a.times(flow, &w)?;
        let found = product(flow, factors, &w)?;
        let problems = a.problems();
        let length = a.columns() / problems.max(1);
        Ok(largest_difference::<T>(&found, &expected, length, problems))
    }
}

/// The case as one in precision `T`, which it is.
pub(super) fn cast<T: Scalar>(case: &mut dyn Any) -> &mut Case<T> {
    let letter = T::PRECISION.letter();
    case.downcast_mut()
        .unwrap_or_else(|| panic!("the algorithm is asked for another than {letter}"))
}

/// The product of `factors` with `w`.
///
/// # Errors
/// Those of the flow.
pub(super) fn product<T: Scalar>(
    flow: &mut Flow,
    factors: &[Factor<'_, T>],
    w: &Sum,
) -> Result<Sum, Failure> {
    factors.iter().rev().try_fold(w.clone(), |x, factor| factor.times(flow, &x))
}

/// The triangles `L` and `L^H`, or `U^H` and `U`, whose product a Cholesky factorisation finds.
pub(super) fn cholesky_factors<T: Scalar>(case: &Case<T>, index: usize) -> [Factor<'_, T>; 2] {
    let [first, last] = match case.uplo() {
        Uplo::Lower => [Trans::No, Trans::Conj],
        Uplo::Upper => [Trans::Conj, Trans::No],
    };
    [first, last].map(|trans| case.found_triangle(index).op(trans))
}
