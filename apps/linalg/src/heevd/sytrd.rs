//! One stage: a Hermitian matrix straight to tridiagonal form, as LAPACK's `sytrd`, its columns in
//! shares.
//!
//! Half of the flops are products with vectors, which wait for memory and are taken one after the
//! other; but vectors come back through one product with reflectors, not two.

use std::marker::PhantomData;

use tegula_kernels::kernel::larft::Larft;
use tegula_kernels::option::Storev;
use tegula_kernels::scalar::Scalar;
use tegula_kernels::tridiagonal::direct::{
    Close, Column, Multiply, PARTS, Place, Shares, Stored, Update,
};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::condense::Panel;

/// Columns of a block of what is shared out. This and what follows was measured at n = 4000 on two
/// cores: blocks of 64 and 256, panels of 64 and two together change the whole by less than 5 %.
const BLOCK: usize = 128;
/// Columns between two updates of the matrix.
const COLUMNS: usize = 32;
/// Panels whose reflectors are one block on the way back.
const TOGETHER: usize = 4;

/// A tridiagonal matrix, and the reflectors that lead to it.
pub(super) struct Reduced<R> {
    pub(super) diagonal: Vec<R>,
    pub(super) below: Vec<R>,
    pub(super) panels: Vec<Panel>,
}

/// Reduces the lower triangle `a`, which is given back, and waits.
pub(super) fn sytrd<T: Scalar>(
    flow: &mut Flow,
    a: TileMatrix<T>,
) -> Result<Reduced<T::Real>, FlowError> {
    let n = a.n();
    let shares = Shares { n, width: BLOCK };
    let parts = share_out(flow, shares, a);
    let products: [Handle; PARTS] = std::array::from_fn(|_| numbers::<T>(flow, n + 2 * COLUMNS));
    let mut reduction = Reduction::<T> { shares, parts, products, scalar: PhantomData };
    let (mut scalars, mut panels) = (Vec::new(), Vec::new());
    for first in (0..n).step_by(COLUMNS * TOGETHER) {
        reduction.panels(flow, first, &mut scalars, &mut panels);
    }
    let Reduction { parts, products, .. } = reduction;
    parts.into_iter().chain(products).for_each(|handle| flow.retire(handle));
    match read::<T>(flow, &scalars, n) {
        Ok((diagonal, below)) => Ok(Reduced { diagonal, below, panels }),
        Err(error) => {
            panels.into_iter().for_each(|panel| panel.retire(flow));
            Err(error)
        }
    }
}

fn numbers<T>(flow: &mut Flow, count: usize) -> Handle {
    flow.register(count * size_of::<T>())
}

/// Copies the lower triangle to shares.
fn share_out<T: Scalar>(flow: &mut Flow, shares: Shares, a: TileMatrix<T>) -> [Handle; PARTS] {
    let parts = std::array::from_fn(|part| numbers::<T>(flow, shares.entries(part)));
    for k in 0..a.nt() {
        for i in k..a.mt() {
            let [rows, columns] = [a.tile_rows(i), a.tile_columns(k)].map(|count| count as u32);
            let origin = ((i * a.mb()) as u32, (k * a.nb()) as u32);
            for (part, &share) in parts.iter().enumerate() {
                let part = part as u32;
                let place = Place::<T> { shares, part, origin, rows, columns, scalar: PhantomData };
                flow.submit(place, &[(a.tile(i, k), R), (share, RW)], 0);
            }
        }
    }
    a.retire(flow);
    parts
}

struct Reduction<T> {
    shares: Shares,
    parts: [Handle; PARTS],
    /// Shares of products with a reflector.
    products: [Handle; PARTS],
    scalar: PhantomData<T>,
}

impl<T: Scalar> Reduction<T> {
    /// Submits the panels from column `first` on whose reflectors are one block.
    fn panels(
        &mut self,
        flow: &mut Flow,
        first: usize,
        scalars: &mut Vec<Handle>,
        panels: &mut Vec<Panel>,
    ) {
        let n = self.shares.n;
        let columns = (TOGETHER * COLUMNS).min(n - first);
        let count = columns.min(n - 1 - first);
        let [v, tau, t] =
            [n * columns, count, count * count].map(|count| numbers::<T>(flow, count));
        for place in (0..columns).step_by(COLUMNS) {
            let width = COLUMNS.min(columns - place);
            let stored = Stored { shares: self.shares, first: first + place, width };
            let vectors = numbers::<T>(flow, stored.vectors());
            let mine = numbers::<T>(flow, stored.scalars());
            self.panel(flow, stored, (vectors, mine));
            if count > place {
                let close = Close::<T> { stored, columns, place, scalar: PhantomData };
                flow.submit(close, &[(vectors, R), (mine, R), (v, RW), (tau, RW)], 0);
            }
            flow.retire(vectors);
            scalars.push(mine);
        }
        let (storev, offset) = (Storev::Columns, first + 1);
        let panel = Panel { storev, v, t, order: n, offset, width: columns, count };
        if count > 0 {
            let larft = Larft { storev, m: n, n: columns, k: count, offset, scalar: self.scalar };
            flow.submit(larft, &[(v, R), (tau, R), (t, W)], 0);
            panels.push(panel);
        } else {
            panel.retire(flow);
        }
        flow.retire(tau);
    }

    fn panel(&self, flow: &mut Flow, stored: Stored, (vectors, scalars): (Handle, Handle)) {
        let scalar = self.scalar;
        let Stored { shares, first, width } = stored;
        for column in 0..width {
            self.column(flow, stored, column, (vectors, scalars));
            if first + column + 1 < shares.n {
                for (part, (&share, &products)) in self.parts.iter().zip(&self.products).enumerate()
                {
                    let multiply = Multiply { stored, part, column, scalar };
                    flow.submit(multiply, &[(share, R), (vectors, R), (products, W)], 0);
                }
            }
        }
        if first + width < shares.n {
            self.column(flow, stored, width, (vectors, scalars));
            for (part, &share) in self.parts.iter().enumerate() {
                flow.submit(Update { stored, part, scalar }, &[(share, RW), (vectors, R)], 0);
            }
        }
    }

    fn column(
        &self,
        flow: &mut Flow,
        stored: Stored,
        column: usize,
        (vectors, scalars): (Handle, Handle),
    ) {
        let j = (stored.first + column).min(self.shares.n - 1);
        let (part, _) = self.shares.find(j);
        let [p0, p1, p2, p3] = self.products;
        let share = self.parts[part];
        let accesses =
            [(share, R), (vectors, RW), (scalars, RW), (p0, R), (p1, R), (p2, R), (p3, R)];
        flow.submit(Column { stored, column, scalar: self.scalar }, &accesses, 1);
    }
}

/// The entries of the tridiagonal matrix, of scalars that are given back.
#[expect(clippy::type_complexity, reason = "a diagonal and what is below it")]
fn read<T: Scalar>(
    flow: &mut Flow,
    scalars: &[Handle],
    n: usize,
) -> Result<(Vec<T::Real>, Vec<T::Real>), FlowError> {
    let (mut diagonal, mut below) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut failed = None;
    for &handle in scalars {
        match flow.read::<T>(handle) {
            Ok(entries) => {
                let width = entries.len() / 3;
                diagonal.extend(entries[..width].iter().map(|x| x.re()));
                below.extend(entries[width..2 * width].iter().map(|x| x.re()));
            }
            Err(error) => failed = Some(error),
        }
        flow.retire(handle);
    }
    below.truncate(n.saturating_sub(1));
    failed.map_or(Ok((diagonal, below)), Err)
}
