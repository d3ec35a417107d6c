//! Noise whose variance is known of each observation: on the diagonal of a tile of the covariance
//! matrix, and times columns of a panel.
//!
//! [`AddNoise`]: `A_ii = A_ii + d_i`. [`TimesNoise`]: `Y = Y + alpha d .* X`, of so many columns.
//!
//! Shapes: `d` has `m` numbers in double precision, `A` is `m x m`; `X` and `Y` begin with what the
//! offsets skip, and have columns of `m` numbers. Reads `d` and `X`, adds to `A` and `Y`. Cannot
//! fail.

mod cuda;

use std::marker::PhantomData;

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use crate::scalar::Real;

pub(crate) use cuda::SOURCE;

/// Noise on the diagonal; buffers `[d: R, A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct AddNoise<T> {
    /// Order of the tile.
    pub m: usize,
    /// The precision of the tile.
    pub precision: PhantomData<T>,
}

impl<T: Real> Codelet for AddNoise<T> {
    const NAME: &'static str = "add-noise";
    const ACCESS: &'static [Access] = &[R, RW];

    fn cost(&self) -> Cost {
        let m = self.m as f64;
        Cost { flops: m, bytes: m * (2 * size_of::<T>() + size_of::<f64>()) as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (noise, a) = (buffers.read::<f64>(0), buffers.write::<T>(1));
        assert!(noise.len() == self.m && a.len() == self.m * self.m, "a tile of order {}", self.m);
        for (i, noise) in noise.iter().enumerate() {
            a[i * (self.m + 1)] += T::from_f64(*noise);
        }
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

/// Noise times columns; buffers `[d: R, X: R, Y: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct TimesNoise<T> {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub columns: usize,
    /// Columns of `X` before those.
    pub skip_x: usize,
    /// Columns of `Y` before those.
    pub skip_y: usize,
    /// The factor.
    pub alpha: f64,
    /// The precision of the panels.
    pub precision: PhantomData<T>,
}

impl<T: Real> Codelet for TimesNoise<T> {
    const NAME: &'static str = "times-noise";
    const ACCESS: &'static [Access] = &[R, R, RW];

    fn cost(&self) -> Cost {
        let numbers = (self.m * self.columns) as f64;
        Cost { flops: 3.0 * numbers, bytes: 3.0 * numbers * size_of::<T>() as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { m, columns, skip_x, skip_y, alpha, .. } = self;
        let (noise, x, y) = (buffers.read::<f64>(0), buffers.read::<T>(1), buffers.write::<T>(2));
        assert_eq!(noise.len(), m, "numbers of the noise");
        let (x, y) = (&x[skip_x * m..][..columns * m], &mut y[skip_y * m..][..columns * m]);
        for (x, y) in x.chunks_exact(m).zip(y.chunks_exact_mut(m)) {
            for ((y, x), noise) in y.iter_mut().zip(x).zip(noise) {
                *y += T::from_f64(alpha * noise) * *x;
            }
        }
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
