//! Sums of squares that are nothing but rounding become zero: `s_i = 0` where `s_i <= f t_i`.
//!
//! Shapes: `t` and `s` hold `n` numbers, real ones that are not negative. Reads `t`, the sums of
//! squares of lines before something was taken from them, and `s`, those of what is left;
//! overwrites `s`. A NaN stays. Cannot fail.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::bytes;
use crate::scalar::Scalar;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The comparison with its arguments; buffers `[t: R, s: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Negligible<T> {
    /// Number of sums.
    pub n: usize,
    /// What of the sums before counts as rounding, `f`.
    pub part: f64,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Negligible<T> {
    const NAME: &'static str = "negligible";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 2.0 * self.n as f64, bytes: bytes::<T>(&[3 * self.n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        self.compute(buffers.read(0), buffers.write(1));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
