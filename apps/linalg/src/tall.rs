//! A tall matrix as the orthogonal factor and the triangle of its QR factorisation, which has the
//! same singular values.

use std::marker::PhantomData;

use tegula_kernels::kernel::copy_part::{Block, CopyPart};
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::tradd::Tradd;
use tegula_kernels::option::{Part, Side, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::Flow;
use tegula_tiles::{Storage, TileMatrix};

use crate::{geqrf, ormqr, redistribute};

/// Reflectors in block columns, and their factors.
#[derive(Debug)]
pub(crate) struct Tall<T> {
    q: TileMatrix<T>,
    tau: TileMatrix<T>,
}

impl<T: Scalar> Tall<T> {
    /// Submits the factorisation of `a`, which is given back; returns the triangle in its tiles.
    pub(crate) fn factorise(flow: &mut Flow, a: TileMatrix<T>) -> (Self, TileMatrix<T>) {
        let (m, n, nb) = (a.m(), a.n(), a.nb());
        let q = TileMatrix::new(flow, (m, n), (m, nb), Storage::Full);
        let tau = TileMatrix::new(flow, (n, 1), (nb, 1), Storage::Full);
        redistribute(flow, &a, &q);
        a.retire(flow);
        geqrf(flow, &q, &tau);
        let r = TileMatrix::new(flow, (n, n), (nb, nb), Storage::Full);
        let tall = Self { q, tau };
        for (i, j) in (0..r.nt()).flat_map(|j| (0..r.nt()).map(move |i| (i, j))) {
            tall.copy(flow, (i, j), &r);
        }
        (tall, r)
    }

    /// Submits the copy of the part of the triangle in a tile of `r`, with zeros below it.
    fn copy(&self, flow: &mut Flow, (i, j): (usize, usize), r: &TileMatrix<T>) {
        let (m, n, to) = (r.tile_rows(i), r.tile_columns(j), r.tile(i, j));
        if i >= j {
            let zero = Laset { m, n, off_diagonal: T::ZERO, diagonal: T::ZERO };
            flow.submit(zero, &[(to, W)], 0);
        }
        if i > j {
            return;
        }
        let target = if i == j { flow.register(m * n * size_of::<T>()) } else { to };
        let short = |(x, y): (usize, usize)| (x as u32, y as u32);
        let copy = CopyPart::<T> {
            from: Block { tile: short((self.q.m(), n)), first: short((i * r.mb(), 0)) },
            to: Block { tile: short((m, n)), first: short((0, 0)) },
            size: short((m, n)),
            scalar: PhantomData,
        };
        flow.submit(copy, &[(self.q.tile(0, j), R), (target, RW)], 0);
        if i == j {
            let (part, trans, alpha, beta) = (Part::Upper, Trans::No, T::ONE, T::ZERO);
            let upper = Tradd { part, trans, m, n, alpha, beta };
            flow.submit(upper, &[(target, R), (to, RW)], 0);
            flow.retire(target);
        }
    }

    /// Submits the product of the orthogonal factor and vectors in block columns.
    pub(crate) fn multiply(&self, flow: &mut Flow, z: &TileMatrix<T>) {
        ormqr(flow, Side::Left, Trans::No, &self.q, &self.tau, z);
    }

    pub(crate) fn retire(self, flow: &mut Flow) {
        self.q.retire(flow);
        self.tau.retire(flow);
    }
}
