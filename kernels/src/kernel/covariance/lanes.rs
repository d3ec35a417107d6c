//! What the covariance kernel needs from a processor's vectors, and its fallback of one lane.

use super::table::{CELLS, COEFFICIENTS, Row};

/// Vectors of `f64` and of the 64-bit patterns under them.
///
/// A value of an implementing type is proof that the processor has the instructions: the types are
/// made only where that has been detected.
pub(in crate::kernel) trait Lanes: Copy {
    /// Lanes in a vector.
    const N: usize;
    /// A vector of `f64`.
    type F: Copy;
    /// A vector of `u64`.
    type U: Copy;
    /// A choice of lanes.
    type M: Copy;
    /// The last four coefficients of each lane's row, or one of them.
    type Read: Copy;

    fn splat(self, x: f64) -> Self::F;
    fn splat_bits(self, x: u64) -> Self::U;
    /// The first `N` entries of `from`.
    fn load(self, from: &[f64]) -> Self::F;
    /// Into the first `N` entries of `to`.
    fn store(self, x: Self::F, to: &mut [f64]);
    /// Rounded to `f32`, with what would be denormal as 0.
    fn store_single(self, x: Self::F, to: &mut [f32]);

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a b + c`.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    fn sqrt(self, a: Self::F) -> Self::F;
    /// `a 2^n`, if normal, of a normal `a`, with `n` the last 12 bits of the sum of `n` and `m`.
    fn scale(self, a: Self::F, n: Self::U, m: Self::U) -> Self::F;

    /// Lanes with `a >= b`; none with NaN.
    fn at_least(self, a: Self::F, b: Self::F) -> Self::M;
    /// Bit `i` tells whether lane `i` is chosen.
    fn mask(self, m: Self::M) -> u32;
    fn both(self, a: Self::M, b: Self::M) -> Self::M;
    /// `yes` in the lanes of `m`, else `no`.
    fn select(self, m: Self::M, yes: Self::F, no: Self::F) -> Self::F;
    fn select_bits(self, m: Self::M, yes: Self::U, no: Self::U) -> Self::U;

    fn bits(self, a: Self::F) -> Self::U;
    fn float(self, a: Self::U) -> Self::F;
    fn shift_right(self, a: Self::U, by: Self::U) -> Self::U;
    /// The lowest `by` bits moved to the top, `0 < by < 64`; what is below them is not specified.
    fn low_to_top(self, a: Self::U, by: Self::U) -> Self::U;
    fn sub_bits(self, a: Self::U, b: Self::U) -> Self::U;
    fn or(self, a: Self::U, b: Self::U) -> Self::U;

    /// In each lane the polynomial of row `index` (modulo the number of rows) at `u`, and what was
    /// read of the rows.
    fn rows<const R: usize>(
        self,
        rows: &[Row; R],
        index: Self::U,
        u: Self::F,
    ) -> (Self::F, Self::Read);
    /// The bits of one of the last four coefficients of each lane's row.
    fn exponents(self, read: Self::Read) -> Self::U;

    /// Does a step of a larger work in a function of its own with the vectors' instructions, so
    /// that it is compiled once for them, not wherever it is done.
    fn call<S: Step<Self>>(self, step: S) -> S::Made;
}

/// A step of a larger work.
pub(in crate::kernel) trait Step<L: Lanes> {
    /// What it makes.
    type Made;
    /// Always inlined, so that it is compiled for the vectors' instructions.
    fn run(self, lanes: L) -> Self::Made;
}

/// An array that no boundary of cache lines cuts: a store across one is not forwarded to the loads
/// that follow it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// One lane: plain `f64`, on any processor.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Single;

impl Lanes for Single {
    const N: usize = 1;
    type F = f64;
    type U = u64;
    type M = bool;
    type Read = f64;

    #[inline(always)]
    fn splat(self, x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn splat_bits(self, x: u64) -> u64 {
        x
    }
    #[inline(always)]
    fn load(self, from: &[f64]) -> f64 {
        from[0]
    }
    #[inline(always)]
    fn store(self, x: f64, to: &mut [f64]) {
        to[0] = x;
    }
    #[inline(always)]
    fn store_single(self, x: f64, to: &mut [f32]) {
        to[0] = if x.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { x as f32 };
    }
    #[inline(always)]
    fn add(self, a: f64, b: f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn sub(self, a: f64, b: f64) -> f64 {
        a - b
    }
    #[inline(always)]
    fn mul(self, a: f64, b: f64) -> f64 {
        a * b
    }
    #[inline(always)]
    fn mul_add(self, a: f64, b: f64, c: f64) -> f64 {
        // Without a fused instruction `f64::mul_add` is a slow call.
        a * b + c
    }
    #[inline(always)]
    fn div(self, a: f64, b: f64) -> f64 {
        a / b
    }
    #[inline(always)]
    fn sqrt(self, a: f64) -> f64 {
        a.sqrt()
    }
    #[inline(always)]
    fn scale(self, a: f64, n: u64, m: u64) -> f64 {
        f64::from_bits(a.to_bits().wrapping_add(n.wrapping_add(m) << 52))
    }
    #[inline(always)]
    fn at_least(self, a: f64, b: f64) -> bool {
        a >= b
    }
    #[inline(always)]
    fn mask(self, m: bool) -> u32 {
        u32::from(m)
    }
    #[inline(always)]
    fn both(self, a: bool, b: bool) -> bool {
        a && b
    }
    #[inline(always)]
    fn select(self, m: bool, yes: f64, no: f64) -> f64 {
        if m { yes } else { no }
    }
    #[inline(always)]
    fn select_bits(self, m: bool, yes: u64, no: u64) -> u64 {
        if m { yes } else { no }
    }
    #[inline(always)]
    fn bits(self, a: f64) -> u64 {
        a.to_bits()
    }
    #[inline(always)]
    fn float(self, a: u64) -> f64 {
        f64::from_bits(a)
    }
    #[inline(always)]
    fn shift_right(self, a: u64, by: u64) -> u64 {
        a >> (by & 63)
    }
    #[inline(always)]
    fn low_to_top(self, a: u64, by: u64) -> u64 {
        a.rotate_right(by as u32)
    }
    #[inline(always)]
    fn sub_bits(self, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }
    #[inline(always)]
    fn or(self, a: u64, b: u64) -> u64 {
        a | b
    }
    #[inline(always)]
    fn rows<const R: usize>(self, rows: &[Row; R], index: u64, u: f64) -> (f64, f64) {
        let c = &rows[index as usize % R];
        let (u2, u4) = (u * u, (u * u) * (u * u));
        let low = (c[0] + c[1] * u) + (c[2] + c[3] * u) * u2;
        let high = (c[4] + c[5] * u) + (c[6] + c[7] * u) * u2;
        (low + high * u4, c[7])
    }
    #[inline(always)]
    fn exponents(self, read: f64) -> u64 {
        read.to_bits()
    }
    #[inline(never)]
    fn call<S: Step<Self>>(self, step: S) -> S::Made {
        step.run(self)
    }
}

const _: () = assert!(CELLS.is_power_of_two() && COEFFICIENTS == 8);
