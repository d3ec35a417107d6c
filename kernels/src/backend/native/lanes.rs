//! Vector registers: the few instructions that the micro-kernels are written in.

/// A vector register of `T`.
///
/// # Safety
/// Every function needs a processor with the instruction set; pointers are valid for `LANES`
/// elements, of any alignment.
pub(super) trait Lanes<T> {
    /// The register.
    type V: Copy;
    /// Elements in a register.
    const LANES: usize;
    /// Cache lines of the left operand that a micro-kernel fetches in four steps. With 256 bits all
    /// six: in steps that are written out, products were up to a tenth faster on Zen 3 than with
    /// four of six. With 512 bits four of twelve, as in every single step before; more have not
    /// been tried.
    const FETCHED: usize;
    unsafe fn zero() -> Self::V;
    unsafe fn load(from: *const T) -> Self::V;
    unsafe fn store(to: *mut T, x: Self::V);
    unsafe fn splat(x: T) -> Self::V;
    unsafe fn mul(a: Self::V, b: Self::V) -> Self::V;
    /// `a b + c`.
    unsafe fn add_product(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `c - a b`.
    unsafe fn sub_product(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Writes four rows of four elements as columns: rows begin `across` elements apart, columns
    /// `stride` elements.
    unsafe fn transpose(from: *const T, across: isize, to: *mut T, stride: usize);
}

/// Registers of which only the first lanes count.
///
/// # Safety
/// As for [`Lanes`]; pointers are valid for the lanes that count.
pub(super) trait Edge<T>: Lanes<T> {
    /// Which lanes count.
    type Mask: Copy;
    /// Registers down and columns across a block of a small product. With 256 bits a mask is one of
    /// sixteen registers, and with blocks as large as those of other products sums are moved to
    /// memory and back.
    const BLOCK: (usize, usize);
    /// Most products of numbers in a small product.
    const MOST: usize;
    /// The first `count` lanes, at least one and at most all.
    unsafe fn first(count: usize) -> Self::Mask;
    /// The other lanes are zero.
    unsafe fn load_first(from: *const T, mask: Self::Mask) -> Self::V;
    unsafe fn store_first(to: *mut T, mask: Self::Mask, x: Self::V);
}
