//! Factors of a dense tile: `C = U V' + E` with `|E| <= tolerance` in the norm of Frobenius.
//!
//! Shapes: `C` is `m x n`. Overwrites it with `U` and `V`, side by side, if they take no more room
//! than the tile, else leaves it as it was up to rounding; writes the form. Columns of an
//! orthonormal `Q` are added until the rest `C - Q Q' C`, which is made, is small enough: P.-G.
//! Martinsson, S. Voronin, "A randomized blocked algorithm for efficiently computing rank-revealing
//! factorizations of matrices", SIAM J. Sci. Comput. 38 (2016) S485-S507. The singular values of
//! `Q' C` then say how many columns do. The random numbers are the same for all tiles. Fails if an
//! entry is not finite.

use std::marker::PhantomData;

use tegula_runtime::flow::Access::{self, RW, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};
use tegula_runtime::random::SplitMix64;

use super::Form;
use crate::backend::{self, Blas};
use crate::dense::{Svd, gesvd};
use crate::error::NumericalError;
use crate::kernel::geqrt::Geqrt;
use crate::kernel::ungqr::Ungqr;
use crate::kernel::{bytes, product};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

/// Columns that are tried together at first, where nothing is known of the rank.
const STEP: usize = 32;
/// Columns beyond a rank that is expected, so that it is found at once.
const BEYOND: usize = 8;
/// Share of the tolerance that the search for columns may leave; the rest is for the singular
/// values.
const SEARCHED: f64 = 0.5;

/// The compression with its arguments; buffers `[C: RW, form: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Compress {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// The most that `E` may be; above 0.
    pub tolerance: f64,
    /// The rank that is expected, 0 if nothing is known. It makes a difference for time alone.
    pub expected: usize,
}

impl Codelet for Compress {
    const NAME: &'static str = "tlr_compress";
    const ACCESS: &'static [Access] = &[RW, W];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: 6.0 * product(&[m, n, self.first_step()]), bytes: bytes::<f64>(&[2 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let form = self.compute(f64::blas(backend::current()), buffers.write(0))?;
        buffers.write::<u64>(1)[0] = form.code();
        Ok(())
    }
}

impl Compress {
    /// Columns from which on factors take more room than the tile.
    fn most(&self) -> usize {
        self.m * self.n / (self.m + self.n)
    }

    /// Columns that are tried first.
    fn first_step(&self) -> usize {
        if self.expected == 0 { STEP } else { self.expected + BEYOND }
    }

    /// Compresses `c`; the form that it has then.
    ///
    /// # Errors
    /// [`NumericalError::NoConvergence`] if an entry is not finite.
    ///
    /// # Panics
    /// If there are not `m x n` numbers.
    pub fn compute(&self, blas: &dyn Blas<f64>, c: &mut [f64]) -> Result<Form, NumericalError> {
        let &Self { m, n, tolerance, .. } = self;
        let mut left = norm(c, tolerance);
        if left <= 1.0 {
            return Ok(Form::LowRank(0));
        }
        // One more step than what may be kept, since what is found is more than what is needed.
        let room = (self.most() + STEP).min(m.min(n));
        with_room((m + n) * room, |space| {
            let (q, b) = space.split_at_mut(m * room);
            let (mut columns, mut step) = (0, self.first_step());
            // One stream for all steps: numbers that come twice find nothing new.
            let mut random = SplitMix64::new(n as u64);
            while left > SEARCHED && columns < room {
                let new = step.min(room - columns);
                let q = &mut q[columns * m..][..new * m];
                left = self.deflate(blas, c, (q, &mut b[columns * n..][..new * n]), &mut random);
                columns += new;
                step = STEP.max(columns / 2);
            }
            let q = TileRef::new(&q[..columns * m], m, columns);
            let b = TileRef::new(&b[..columns * n], n, columns);
            if left <= SEARCHED {
                let Svd { u, values, v } = gesvd(b)?;
                let rank = kept(&values, left, tolerance);
                if rank <= self.most() {
                    let (to, rest) = c.split_at_mut(m * rank);
                    let mut inside = v.into_entries();
                    inside.truncate(columns * rank);
                    for (column, value) in inside.chunks_mut(columns).zip(values) {
                        column.iter_mut().for_each(|x| *x *= value);
                    }
                    let inside = TileRef::new(&inside, columns, rank);
                    blas.gemm(1.0, q, inside, 0.0, TileMut::new(to, m, rank));
                    rest[..n * rank].copy_from_slice(&u.entries()[..n * rank]);
                    return Ok(Form::LowRank(rank as u32));
                }
            }
            blas.gemm(1.0, q, b.transposed(), 1.0, TileMut::new(c, m, n));
            Ok(Form::Dense)
        })
    }

    /// Finds orthonormal columns `Q` near the range of `C`, and takes `Q B'` with `B = C' Q` off
    /// it; the norm of what is left, in units of the tolerance.
    fn deflate(
        &self,
        blas: &dyn Blas<f64>,
        c: &mut [f64],
        (q, b): (&mut [f64], &mut [f64]),
        random: &mut SplitMix64,
    ) -> f64 {
        let &Self { m, n, tolerance, .. } = self;
        let columns = q.len() / m;
        // `B` has the shape of the random panel, and is written after it was read.
        b.iter_mut().for_each(|x| *x = 2.0 * random.uniform() - 1.0);
        let tile = TileRef::new(c, m, n);
        blas.gemm(1.0, tile, TileRef::new(b, n, columns), 0.0, TileMut::new(q, m, columns));
        let (storev, offset, scalar) = (Storev::Columns, 0, PhantomData);
        with_room(columns * (columns + 1), |room| {
            let (tau, t) = room.split_at_mut(columns);
            let (tau, mut t) = (TileMut::new(tau, columns, 1), TileMut::new(t, columns, columns));
            let qr = Geqrt { storev, m, n: columns, offset, scalar };
            qr.compute(blas, TileMut::new(q, m, columns), tau, t.reborrow());
            let form = Ungqr { storev, m, n: columns, k: columns, offset, scalar };
            form.compute(blas, TileMut::new(q, m, columns), t.as_ref());
        });
        let q = TileRef::new(q, m, columns);
        blas.gemm(1.0, tile.transposed(), q, 0.0, TileMut::new(b, n, columns));
        let b = TileRef::new(b, n, columns);
        blas.gemm(-1.0, q, b.transposed(), 1.0, TileMut::new(c, m, n));
        norm(c, tolerance)
    }
}

/// The norm of Frobenius of some numbers, in units of `unit`.
fn norm(numbers: &[f64], unit: f64) -> f64 {
    const LANES: usize = 8;
    let scale = 1.0 / unit;
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            let x = x * scale;
            *sum += x * x;
        }
    }
    let rest: f64 = rest.iter().map(|x| (x * scale) * (x * scale)).sum();
    (sums.iter().sum::<f64>() + rest).sqrt()
}

/// How many of the singular `values` are kept, so that the others and what was `left` before are
/// within the tolerance.
fn kept(values: &[f64], left: f64, tolerance: f64) -> usize {
    let mut lost = left * left;
    let mut rank = values.len();
    while rank > 0 {
        let value = values[rank - 1] / tolerance;
        lost += value * value;
        if lost > 1.0 {
            break;
        }
        rank -= 1;
    }
    rank
}
