//! The factorisation in blocks of columns: our own code in the block on the diagonal, cuBLAS beside
//! it. Of an upper triangle the transposed one is factorised.

use tegula_runtime::flow::{Failure, Launch};

use super::Ldlt;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Products, Program, Triangular, Verdict, diagonal_room};
use crate::error::NumericalError;
use crate::option::{Diag, Form, Part, Side, Trans, Uplo};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Columns of a block.
const BLOCK: usize = 64;

impl<T: Scalar> Ldlt<T> {
    /// Puts the factorisation on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { uplo, n, offset, .. } = self;
        let a = Block::<T>::output(launch, 0, n, n);
        let is_upper = uplo == Uplo::Upper;
        let turned = if is_upper { (n, n) } else { (0, 0) };
        let shapes = [turned, (n, BLOCK), diagonal_room(n)];
        let [turned, scaled, square] = Block::room(launch, shapes)?;
        let verdict = Verdict::new(launch)?;
        let lower = if is_upper { turned } else { a };
        if is_upper {
            lower.copy(launch, Trans::Yes, a)?;
        }
        self.factor_on(launch, lower, (scaled, square), &verdict)?;
        if is_upper {
            a.add(launch, (Part::Upper, Trans::Yes), (T::ONE, lower), T::ZERO)?;
        }
        verdict.check(launch, move |index| NumericalError::SingularPivot { index: index + offset })
    }

    /// Factorises the matrix whose lower triangle is that of `a`.
    #[allow(unsafe_code)]
    fn factor_on(
        &self,
        launch: &Launch<'_>,
        a: Block<T>,
        (scaled, square): (Block<T>, Block<T>),
        verdict: &Verdict,
    ) -> Result<(), Failure> {
        let (n, mirror, products) = (self.n, self.form.mirror(), Products::of(launch)?);
        for first in (0..n).step_by(BLOCK) {
            let width = BLOCK.min(n - first);
            let (behind, below) = (first + width, n - first - width);
            let corner = a.part(first, first, width, width);
            let arguments = [
                Argument::size(width),
                corner.place(),
                corner.ld(),
                Argument::Flag(i32::from(self.form == Form::Hermitian)),
                Argument::size(first + 1),
                Argument::Place(verdict.address()),
            ];
            // SAFETY: the block is in the tile, and the verdict is on the device.
            unsafe { Program::run(launch, "factor_ldlt", Grid::ONE_BLOCK, &arguments) }?;
            // L21 D, kept for the update; then L21.
            let (beside, scaled) =
                (a.part(behind, first, below, width), scaled.adjacent(below, width));
            let (uplo, diag) = (Uplo::Lower, Diag::Unit);
            let triangle = Triangular { entries: corner, uplo, diag, trans: mirror };
            products.trsm(Side::Right, triangle, beside)?;
            scaled.copy(launch, Trans::No, beside)?;
            divide_columns_on(launch, corner, beside)?;
            let rest = a.part(behind, behind, below, below);
            let (left, right) = ((Trans::No, beside), (mirror, scaled));
            products.gemmt(launch, (uplo, -T::ONE), left, right, (T::ONE, rest), square)?;
        }
        Ok(())
    }
}

/// Puts `A = A inv(D)` on the stream, with the diagonal of `d`.
///
/// # Panics
/// If the shapes do not agree.
#[allow(unsafe_code)]
pub(in crate::kernel) fn divide_columns_on<T: Scalar>(
    launch: &Launch<'_>,
    d: Block<T>,
    a: Block<T>,
) -> Result<(), Failure> {
    let (m, n) = (a.rows(), a.cols());
    assert!((d.rows(), d.cols()) == (n, n), "{d:?} beside {a:?}");
    if a.is_empty() {
        return Ok(());
    }
    let sizes = [m, n].map(Argument::size);
    let arguments = [sizes[0], sizes[1], d.place(), d.ld(), a.place(), a.ld()];
    // SAFETY: the shapes agree.
    unsafe { Program::run(launch, "divide_columns", Grid::matrix(m, n), &arguments) }
}
