//! What a processor set offers in one precision: micro-kernels and other short loops, each compiled
//! with the set's own instructions.
//!
//! A function with a target feature cannot be a trait's, so that each is a shell around one.

#[cfg(target_arch = "x86_64")]
use super::avx::{Avx2, Avx512};
use super::direct::{Product, multiply_body};
use super::lanes::{Edge, Lanes};
use super::micro::{Ahead, HIGH, Target, product_body, reduce_body, solve_body};
use super::pack::{Strided, pack, unpack};
use super::portable::Portable;
use super::tiny;
use crate::backend::{pivoting, vector};
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// The micro-kernels of a processor set in one precision.
///
/// # Safety
/// Every function needs the processor set. `a` holds `MR * k` elements, `b` holds `k` groups of
/// `NR` elements, a target its block; a panel `x` holds `MR * (k + NR)` and a panel `l` holds
/// `NR * (k + NR)`.
pub(super) trait MicroKernels<T: Real> {
    /// Rows of a block.
    const MR: usize;
    /// Columns of a block.
    const NR: usize;
    /// Most products of numbers in a small product.
    const MOST: usize;

    /// A block of a product; what is `ahead` is fetched meanwhile.
    unsafe fn product(k: usize, a: *const T, b: *const T, target: &Target<T>, ahead: &Ahead<T>);
    /// Columns `k..k + NR` of `x` less the product of columns `..k` with `l'`.
    unsafe fn reduce(k: usize, x: *mut T, l: *const T);
    /// As `reduce`, then times the inverse of the transposed triangle at the end of `l`, whose
    /// diagonal holds reciprocals; what is `ahead` is fetched meanwhile.
    unsafe fn solve(k: usize, x: *mut T, l: *const T, ahead: &Ahead<T>);
    /// Packs `MR` rows.
    unsafe fn pack_rows(source: Strided<T>, to: *mut T);
    /// Writes `MR` rows back.
    unsafe fn unpack_rows(from: *const T, target: Strided<T>);
    /// Packs `NR` columns, given transposed.
    unsafe fn pack_cols(source: Strided<T>, to: *mut T);
    /// The LU factorization with partial pivoting of a few columns.
    unsafe fn getrf_columns(a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize>;
    /// `y = alpha A x + beta y`.
    unsafe fn gemv(alpha: T, a: TileRef<'_, T>, x: TileRef<'_, T>, beta: T, y: TileMut<'_, T>);
    /// `y = y + A x` of a Hermitian matrix.
    unsafe fn hemv(a: TileRef<'_, T>, x: &[T], y: &mut [T]);
    /// A small product.
    unsafe fn multiply(product: &Product<T>);
    /// The Cholesky factorization of the `n x n` matrix at `a`, small and without gaps. The error
    /// is the failed row.
    unsafe fn factor_tiny(n: usize, a: *mut T) -> Result<(), usize>;
}

macro_rules! micro_kernels {
    ($set:ty, [$(#[$feature:meta])?], $columns:literal) => {
        impl<T: Real> MicroKernels<T> for $set
        where
            $set: Edge<T>,
        {
            const MR: usize = HIGH * <$set as Lanes<T>>::LANES;
            const NR: usize = $columns;
            const MOST: usize = <$set as Edge<T>>::MOST;

            unsafe fn product(k: usize, a: *const T, b: *const T, c: &Target<T>, ahead: &Ahead<T>) {
                $(#[$feature])?
                unsafe fn body<T: Real>(
                    k: usize,
                    a: *const T,
                    b: *const T,
                    c: &Target<T>,
                    ahead: &Ahead<T>,
                ) where
                    $set: Lanes<T>,
                {
                    // SAFETY: see the trait.
                    unsafe { product_body::<T, $set, $columns>(k, a, b, c, ahead) }
                }
                // SAFETY: see the trait.
                unsafe { body(k, a, b, c, ahead) }
            }

            unsafe fn reduce(k: usize, x: *mut T, l: *const T) {
                $(#[$feature])?
                unsafe fn body<T: Real>(k: usize, x: *mut T, l: *const T)
                where
                    $set: Lanes<T>,
                {
                    // SAFETY: see the trait.
                    unsafe { reduce_body::<T, $set, $columns>(k, x, l) }
                }
                // SAFETY: see the trait.
                unsafe { body(k, x, l) }
            }

            unsafe fn solve(k: usize, x: *mut T, l: *const T, ahead: &Ahead<T>) {
                $(#[$feature])?
                unsafe fn body<T: Real>(k: usize, x: *mut T, l: *const T, ahead: &Ahead<T>)
                where
                    $set: Lanes<T>,
                {
                    // SAFETY: see the trait.
                    unsafe { solve_body::<T, $set, $columns>(k, x, l, ahead) }
                }
                // SAFETY: see the trait.
                unsafe { body(k, x, l, ahead) }
            }

            unsafe fn pack_rows(source: Strided<T>, to: *mut T) {
                $(#[$feature])?
                unsafe fn body<T: Real>(source: Strided<T>, to: *mut T)
                where
                    $set: Lanes<T>,
                {
                    // SAFETY: see the trait.
                    unsafe {
                        match <$set as Lanes<T>>::LANES {
                            4 => pack::<T, $set, 12>(source, to),
                            8 => pack::<T, $set, 24>(source, to),
                            _ => pack::<T, $set, 48>(source, to),
                        }
                    }
                }
                // SAFETY: see the trait.
                unsafe { body(source, to) }
            }

            unsafe fn unpack_rows(from: *const T, target: Strided<T>) {
                $(#[$feature])?
                unsafe fn body<T: Real>(from: *const T, target: Strided<T>)
                where
                    $set: Lanes<T>,
                {
                    // SAFETY: see the trait.
                    unsafe {
                        match <$set as Lanes<T>>::LANES {
                            4 => unpack::<T, 12>(from, target),
                            8 => unpack::<T, 24>(from, target),
                            _ => unpack::<T, 48>(from, target),
                        }
                    }
                }
                // SAFETY: see the trait.
                unsafe { body(from, target) }
            }

            unsafe fn getrf_columns(a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
                $(#[$feature])?
                unsafe fn body<T: Real>(a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
                    pivoting::columns(a, pivots)
                }
                // SAFETY: see the trait.
                unsafe { body(a, pivots) }
            }

            unsafe fn hemv(a: TileRef<'_, T>, x: &[T], y: &mut [T]) {
                $(#[$feature])?
                unsafe fn body<T: Real>(a: TileRef<'_, T>, x: &[T], y: &mut [T]) {
                    vector::hemv(a, x, y);
                }
                // SAFETY: see the trait.
                unsafe { body(a, x, y) }
            }

            unsafe fn gemv(
                alpha: T,
                a: TileRef<'_, T>,
                x: TileRef<'_, T>,
                beta: T,
                y: TileMut<'_, T>,
            ) {
                $(#[$feature])?
                unsafe fn body<T: Real>(
                    alpha: T,
                    a: TileRef<'_, T>,
                    x: TileRef<'_, T>,
                    beta: T,
                    y: TileMut<'_, T>,
                ) {
                    vector::gemv(alpha, a, x, beta, y);
                }
                // SAFETY: see the trait.
                unsafe { body(alpha, a, x, beta, y) }
            }

            unsafe fn multiply(product: &Product<T>) {
                $(#[$feature])?
                unsafe fn body<T: Real>(product: &Product<T>)
                where
                    $set: Edge<T>,
                {
                    // SAFETY: see the trait.
                    unsafe { multiply_body::<T, $set>(product) }
                }
                // SAFETY: see the trait.
                unsafe { body(product) }
            }

            unsafe fn factor_tiny(n: usize, a: *mut T) -> Result<(), usize> {
                $(#[$feature])?
                unsafe fn body<T: Real>(n: usize, a: *mut T) -> Result<(), usize>
                where
                    $set: Edge<T>,
                {
                    // SAFETY: see the trait.
                    unsafe { tiny::factor_body::<T, $set>(n, a) }
                }
                // SAFETY: see the trait.
                unsafe { body(n, a) }
            }

            unsafe fn pack_cols(source: Strided<T>, to: *mut T) {
                $(#[$feature])?
                unsafe fn body<T: Real>(source: Strided<T>, to: *mut T)
                where
                    $set: Lanes<T>,
                {
                    // SAFETY: see the trait.
                    unsafe { pack::<T, $set, $columns>(source, to) }
                }
                // SAFETY: see the trait.
                unsafe { body(source, to) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
micro_kernels!(Avx512, [#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]], 8);
#[cfg(target_arch = "x86_64")]
micro_kernels!(Avx2, [#[target_feature(enable = "avx2,fma")]], 4);
micro_kernels!(Portable, [], 2);
