//! What a matrix holds at first: random entries, or those of a matrix that was given.

use std::fmt::Debug;
use std::sync::Arc;

use tegula_kernels::scalar::{Precision, Scalar, c64};
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::TileMatrix;

use super::AnyMatrix;
use super::freivalds::exact;
use super::layout::Layout;
use super::operand::{Operand, Role};
use super::random::{Entries, RandomMatrix};
use super::sizes::Sizes;

/// A matrix that comes from elsewhere, such as a file.
pub trait InputMatrix: Debug + Send + Sync {
    /// Submits the tasks that fill the tiles of `matrix` of which `layout` says that they exist.
    fn fill(&self, flow: &mut Flow, matrix: AnyMatrix<'_>, layout: Layout);

    /// Calls `visit` with row, column and value, rounded to `precision`, of each entry of which
    /// `layout` says that it exists, of as many rows and columns as are `stored`.
    ///
    /// # Errors
    /// If it cannot be read.
    fn visit(
        &self,
        stored: (usize, usize),
        layout: Layout,
        precision: Precision,
        visit: &mut dyn FnMut(usize, usize, c64),
    ) -> Result<(), Failure>;
}

/// Matrices that were given, in place of random ones.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// For the operand that plays the part of [`Role::Matrix`].
    pub matrix: Option<Arc<dyn InputMatrix>>,
    /// For that of [`Role::RightSides`].
    pub right_sides: Option<Arc<dyn InputMatrix>>,
}

impl Inputs {
    /// The matrix for `operand`, if one was given.
    fn of(&self, operand: &Operand) -> Option<Arc<dyn InputMatrix>> {
        match operand.role {
            Role::Matrix => self.matrix.clone(),
            Role::RightSides => self.right_sides.clone(),
            Role::Other => None,
        }
    }
}

/// What a matrix holds at first.
#[derive(Clone, Debug)]
pub(super) enum Contents {
    /// Random entries.
    Random(RandomMatrix),
    /// Those of a matrix that was given.
    Input(Arc<dyn InputMatrix>, Layout),
}

impl Contents {
    /// What operand number `index` holds.
    pub(super) fn new(operand: &Operand, index: usize, sizes: &Sizes, inputs: &Inputs) -> Self {
        let layout = operand.layout(sizes);
        if let Some(matrix) = inputs.of(operand) {
            return Self::Input(matrix, layout);
        }
        let (m, n) = operand.shape(sizes);
        let seeds = sizes.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self::Random(RandomMatrix {
            entries: operand.entries,
            order: m.max(n) as u32,
            layout,
            seed: seeds.wrapping_add((index as u64) << 48),
        })
    }

    /// What of it is stored.
    pub(super) fn layout(&self) -> Layout {
        match self {
            Self::Random(matrix) => matrix.layout,
            Self::Input(_, layout) => *layout,
        }
    }

    /// Whether it is nothing: the program writes all of the matrix.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Random(random) if random.entries == Entries::Nothing)
    }

    /// Submits the tasks that fill `matrix`.
    pub(super) fn fill<T: Scalar>(&self, flow: &mut Flow, matrix: &TileMatrix<T>) {
        match self {
            Self::Random(_) if self.is_nothing() => {}
            Self::Random(random) => random.submit(flow, matrix),
            Self::Input(input, layout) => input.fill(flow, AnyMatrix::of(matrix), *layout),
        }
    }

    /// Calls `visit` with row, column and value of each entry that exists of the `m x n` that are
    /// stored.
    ///
    /// # Errors
    /// Those of a matrix that was given.
    pub(super) fn visit<T: Scalar>(
        &self,
        (m, n): (usize, usize),
        visit: &mut dyn FnMut(usize, usize, c64),
    ) -> Result<(), Failure> {
        match self {
            Self::Random(random) => {
                let places = (0..n).flat_map(|j| (0..m).map(move |i| (i, j)));
                for (i, j) in places.filter(|&(i, j)| random.layout.holds(i, j)) {
                    visit(i, j, exact(random.entry::<T>(i, j)));
                }
                Ok(())
            }
            Self::Input(input, layout) => input.visit((m, n), *layout, T::PRECISION, visit),
        }
    }
}
