//! The product of operands that a device may round.

mod cuda;
mod list_entry;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use super::Gemm;
use crate::scalar::Scalar;

pub(in crate::kernel) use list_entry::ListEntry;

/// The most that operands in TF32 may change an entry of their product by, relative to the same
/// entry of the product of their absolute values.
///
/// TF32 has the range of 32 bits and 11 bits of a number. Whether hardware rounds to them or cuts
/// the others off is not told, so each of two operands may lose `2^-10` (M. Fasi, N. J. Higham, M.
/// Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Comput. Sci. 7 (2021)
/// e330).
pub const TF32_ROUNDING: f64 = 2.0 * 0.000_976_562_5;

/// `C = alpha op(A) op(B) + beta C`, with operands in 32 bits that a device with tensor cores
/// rounds to TF32, and sums in 32 bits; buffers `[A: R, B: R, C: RW]`.
///
/// A core does not round, nor does a device in 64 bits: there it is [`Gemm`].
#[derive(Clone, Copy, Debug)]
pub struct GemmTf32<T>(pub Gemm<T>);

impl<T: Scalar> Codelet for GemmTf32<T> {
    const NAME: &'static str = "gemm-tf32";
    const ACCESS: &'static [Access] = Gemm::<T>::ACCESS;

    fn cost(&self) -> Cost {
        self.0.cost()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        self.0.cpu(buffers)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
