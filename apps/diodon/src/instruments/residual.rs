//! What instruments leave of a table, `(I - W W') P`, as something to multiply with.

use tegula_kernels::dense::product;
use tegula_kernels::option::Part;
use tegula_kernels::scalar::Real;
use tegula_kernels::tile::TileRef;
use tegula_linalg::lacpy;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, TileMatrix};

use super::basis::Basis;
use crate::EmbedError;
use crate::basis::{inner, times};
use crate::diagram::Diagram;
use crate::singular::{Operator, Rows, Whole};
use crate::table::{ROWS, Table};

/// A diagram, settled already, without what the columns of `W` explain.
#[derive(Debug)]
pub(super) struct Residual<'a> {
    diagram: &'a mut Diagram,
    basis: Basis,
    /// `W` as a panel.
    w: TileMatrix<f64>,
    /// `Z = P' W`, `n x r` by columns.
    z: Vec<f64>,
}

impl<'a> Residual<'a> {
    /// What the basis, with its `Z`, leaves of `diagram`.
    ///
    /// # Errors
    /// If the panel cannot be made.
    pub(super) fn new(
        flow: &mut Flow,
        diagram: &'a mut Diagram,
        (basis, z): (Basis, Vec<f64>),
    ) -> Result<Self, EmbedError> {
        let w = basis.panel(flow, diagram)?;
        Ok(Self { diagram, basis, w, z })
    }

    /// Gives the panel back.
    pub(super) fn close(self, flow: &mut Flow) {
        self.w.unregister(flow);
    }

    /// `Y - W (W' Y)`, in place. Waits.
    fn take_off(&self, flow: &mut Flow, y: &TileMatrix<f64>) -> Result<(), FlowError> {
        let along = inner(flow, &self.w, y)?;
        times(flow, &self.w, &along, (-1.0, 1.0), y)?;
        flow.wait()
    }

    /// Squared norms of rows without `W Z'`, from those of `P` and from `P Z`, `m x r` by columns,
    /// all before rows are mixed: `||p_i||^2 - 2 w_i' (P Z)_i + w_i' Z' Z w_i`.
    fn left_of(
        &self,
        flow: &mut Flow,
        norms2: &[f64],
        mut crossed: Vec<f64>,
    ) -> Result<Vec<f64>, EmbedError> {
        let (m, r) = (norms2.len(), self.basis.rank());
        let mut w = self.basis.columns().to_vec();
        self.diagram.unmix(flow, ROWS, &mut w)?;
        self.diagram.unmix(flow, ROWS, &mut crossed)?;
        let z = self.z();
        let gram = product(z.transposed(), z);
        let norm2 = |i: usize| {
            let w = |k: usize| w[i + k * m];
            let cross: f64 = (0..r).map(|k| w(k) * crossed[i + k * m]).sum();
            let low: f64 =
                (0..r * r).map(|at| w(at % r) * w(at / r) * gram[(at % r, at / r)]).sum();
            (norms2[i] - 2.0 * cross + low).max(0.0)
        };
        Ok((0..m).map(norm2).collect())
    }

    fn z(&self) -> TileRef<'_, f64> {
        let r = self.basis.rank();
        TileRef::new(&self.z, self.z.len() / r, r)
    }
}

impl Operator for Residual<'_> {
    fn table(&self) -> &Table {
        self.diagram.table()
    }

    fn first<T: Real>(
        &mut self,
        flow: &mut Flow,
        w: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, EmbedError> {
        Ok(self.right::<T>(flow, w)?)
    }

    fn right<T: Real>(
        &mut self,
        flow: &mut Flow,
        v: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        let y = self.diagram.right::<T>(flow, v)?;
        self.take_off(flow, &y)?;
        Ok(y)
    }

    fn left<T: Real>(
        &mut self,
        flow: &mut Flow,
        u: &TileMatrix<f64>,
    ) -> Result<TileMatrix<f64>, FlowError> {
        let rest = TileMatrix::panel(flow, (u.m(), u.n()), u.mb());
        lacpy(flow, Part::Whole, u, &rest);
        self.take_off(flow, &rest)?;
        let y = self.diagram.left::<T>(flow, &rest)?;
        rest.unregister(flow);
        Ok(y)
    }

    fn rows(&mut self, flow: &mut Flow, v: &[f64]) -> Result<Rows, EmbedError> {
        let [m, n] = self.table().shape();
        let k = v.len() / n;
        let Rows { mut products, norms2, mut columns2, inertia } =
            self.diagram.rows(flow, &[v, &self.z].concat())?;
        let crossed = products.split_off(m * k);
        if k > 0 {
            let panel = self.table().panel(flow, ROWS, k);
            panel.scatter(flow, &products, Order::ColumnMajor { ld: m })?;
            self.take_off(flow, &panel)?;
            panel.gather(flow, &mut products, Order::ColumnMajor { ld: m })?;
            panel.unregister(flow);
        }
        let norms2 = self.left_of(flow, &norms2, crossed)?;
        let explained: f64 = self.z.iter().map(|x| x * x).sum();
        for (at, z) in self.z.iter().enumerate() {
            columns2[at % n] -= z * z;
        }
        columns2.iter_mut().for_each(|norm2| *norm2 = norm2.max(0.0));
        Ok(Rows { products, norms2, columns2, inertia: (inertia - explained).max(0.0) })
    }

    fn whole(&mut self, flow: &mut Flow) -> Result<Whole, EmbedError> {
        let Whole { mut entries, norms2 } = self.diagram.whole(flow)?;
        let ([m, n], r) = (self.table().shape(), self.basis.rank());
        let crossed = product(TileRef::new(&entries, n, m).transposed(), self.z());
        let norms2 = self.left_of(flow, &norms2, crossed.into_entries())?;
        let w = TileRef::new(self.basis.columns(), m, r);
        let low = product(w, self.z().transposed());
        entries.iter_mut().enumerate().for_each(|(at, x)| *x -= low[(at / n, at % n)]);
        Ok(Whole { entries, norms2 })
    }
}
