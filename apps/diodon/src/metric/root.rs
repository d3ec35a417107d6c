//! The Cholesky factor of a metric, `M = L L'`, in tiles that go with those of a table.

use tegula_files::source::{Block, Source, pieces};
use tegula_kernels::error::NumericalError;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_linalg::{Triangle, potrf, trmm, trsm};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, TileMatrix};

use crate::EmbedError;
use crate::table::{line_name, read_block};

/// `L`, lower triangular.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    tiles: TileMatrix<f64>,
}

/// `L` or its transpose, from the left.
fn triangle(trans: Trans) -> Triangle {
    Triangle { side: Side::Left, uplo: Uplo::Lower, trans, diag: Diag::NonUnit }
}

impl Root {
    /// Reads the lower triangle of `source` and factors it. Waits.
    ///
    /// # Errors
    /// If the matrix is not positive definite, or cannot be read.
    pub(super) fn of(
        flow: &mut Flow,
        source: &dyn Source,
        edge: usize,
    ) -> Result<Self, EmbedError> {
        let n = source.shape()[0];
        let tiles = TileMatrix::<f64>::lower(flow, n, edge);
        let (mut reader, element) = (source.reader()?, source.element());
        for (i, rows) in pieces(n, edge).enumerate() {
            for (j, columns) in pieces(n, edge).enumerate().take(i + 1) {
                // The tile is by columns; of a symmetric matrix those are rows of the mirror image.
                let block = Block { rows: columns, columns: rows.clone() };
                let entries = read_block(&mut *reader, element, &block)?;
                flow.overwrite(tiles.tile(i, j), &entries)?;
            }
        }
        flow.phase("roots of metrics");
        potrf(flow, &tiles);
        flow.wait().map_err(|error| match error.kernel_error::<NumericalError>() {
            Some(&NumericalError::NotPositiveDefinite { order }) => {
                let line = line_name(source.row_names(), order - 1);
                EmbedError::Entries(format!(
                    "{}: not positive definite: the leading minor of order {order}, up to row {line}, is \
                     not positive, as those of a metric are",
                    source.name()
                ))
            }
            _ => error.into(),
        })?;
        Ok(Self { tiles })
    }

    /// Computes `X = L X` or `X = L' X`. Waits.
    pub(crate) fn multiply(
        &self,
        flow: &mut Flow,
        trans: Trans,
        x: &TileMatrix<f64>,
    ) -> Result<(), FlowError> {
        flow.phase("metrics");
        trmm(flow, triangle(trans), 1.0, &self.tiles, x);
        flow.wait()
    }

    /// The same for numbers in `order`, with a row for each line of the metric. Waits.
    pub(crate) fn multiply_numbers(
        &self,
        flow: &mut Flow,
        trans: Trans,
        (x, order): (&mut [f64], Order),
    ) -> Result<(), FlowError> {
        self.on_panel(flow, (x, order), |flow, panel| self.multiply(flow, trans, panel))
    }

    /// Computes `X = L'^-1 X`, for `X` by columns. Waits.
    pub(crate) fn solve_transposed(&self, flow: &mut Flow, x: &mut [f64]) -> Result<(), FlowError> {
        let order = Order::ColumnMajor { ld: self.tiles.m() };
        self.on_panel(flow, (x, order), |flow, panel| {
            flow.phase("metrics");
            trsm(flow, triangle(Trans::Yes), 1.0, &self.tiles, panel);
            flow.wait()
        })
    }

    /// Puts numbers into a panel, and takes back what `compute` makes of them.
    fn on_panel(
        &self,
        flow: &mut Flow,
        (x, order): (&mut [f64], Order),
        compute: impl FnOnce(&mut Flow, &TileMatrix<f64>) -> Result<(), FlowError>,
    ) -> Result<(), FlowError> {
        let columns = x.len() / self.tiles.m();
        if columns == 0 {
            return Ok(());
        }
        let panel = TileMatrix::panel(flow, (self.tiles.m(), columns), self.tiles.mb());
        panel.scatter(flow, x, order)?;
        compute(flow, &panel)?;
        panel.gather(flow, x, order)?;
        panel.unregister(flow);
        Ok(())
    }

    /// Gives the tiles back.
    pub(crate) fn close(self, flow: &mut Flow) {
        self.tiles.unregister(flow);
    }
}
