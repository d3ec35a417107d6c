//! Registers in plain Rust, for any processor: arrays of 256 bits, each of which compilers put into
//! two of the sixteen or more registers of 128 bits that every x86 and ARM processor of 64 bits
//! has.

use super::lanes::{Edge, Lanes};

/// Pairs of registers of whatever processor there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

macro_rules! portable {
    ($scalar:ty, $lanes:literal) => {
        // SAFETY (all functions): the caller of `Lanes` and `Edge` has valid pointers.
        impl Lanes<$scalar> for Portable {
            type V = [$scalar; $lanes];
            const LANES: usize = $lanes;
            const FETCHED: usize = 4;

            #[inline(always)]
            unsafe fn zero() -> Self::V {
                [0.0; $lanes]
            }
            #[inline(always)]
            unsafe fn load(from: *const $scalar) -> Self::V {
                // SAFETY: see the trait.
                unsafe { from.cast::<Self::V>().read_unaligned() }
            }
            #[inline(always)]
            unsafe fn store(to: *mut $scalar, x: Self::V) {
                // SAFETY: see the trait.
                unsafe { to.cast::<Self::V>().write_unaligned(x) }
            }
            #[inline(always)]
            unsafe fn splat(x: $scalar) -> Self::V {
                [x; $lanes]
            }
            #[inline(always)]
            unsafe fn mul(a: Self::V, b: Self::V) -> Self::V {
                let mut product = a;
                for lane in 0..$lanes {
                    product[lane] = a[lane] * b[lane];
                }
                product
            }
            #[inline(always)]
            unsafe fn add_product(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
                let mut sum = c;
                for lane in 0..$lanes {
                    sum[lane] = c[lane] + a[lane] * b[lane];
                }
                sum
            }
            #[inline(always)]
            unsafe fn sub_product(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
                let mut difference = c;
                for lane in 0..$lanes {
                    difference[lane] = c[lane] - a[lane] * b[lane];
                }
                difference
            }
            #[inline(always)]
            unsafe fn transpose(
                from: *const $scalar,
                across: isize,
                to: *mut $scalar,
                stride: usize,
            ) {
                for row in 0..4 {
                    for column in 0..4 {
                        // SAFETY: see the trait.
                        unsafe {
                            let place = to.add(column * stride + row);
                            place.write(*from.offset(row as isize * across).add(column));
                        }
                    }
                }
            }
        }

        impl Edge<$scalar> for Portable {
            type Mask = usize;
            const BLOCK: (usize, usize) = (3, 2);
            const MOST: usize = 64 * 64 * 64;

            #[inline(always)]
            unsafe fn first(count: usize) -> usize {
                count
            }
            #[inline(always)]
            unsafe fn load_first(from: *const $scalar, count: usize) -> Self::V {
                let mut x = [0.0; $lanes];
                for (lane, x) in x.iter_mut().enumerate().take(count) {
                    // SAFETY: see the trait.
                    *x = unsafe { *from.add(lane) };
                }
                x
            }
            #[inline(always)]
            unsafe fn store_first(to: *mut $scalar, count: usize, x: Self::V) {
                for (lane, &x) in x.iter().enumerate().take(count) {
                    // SAFETY: see the trait.
                    unsafe { to.add(lane).write(x) };
                }
            }
        }
    };
}

portable!(f64, 4);
portable!(f32, 8);
