//! The registers of x86: AVX-512, and AVX2 with FMA, in both precisions.

use std::arch::x86_64 as x86;

use super::lanes::{Edge, Lanes};

/// 512-bit registers: AVX-512F.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512;

/// 256-bit registers: AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2;

macro_rules! lanes {
    ($set:ty, $scalar:ty, $register:ident, $lanes:literal, $fetched:literal,
     $zero:ident, $load:ident, $store:ident, $splat:ident, $mul:ident, $add:ident, $sub:ident, $transpose:ident) => {
        // SAFETY (all functions): the caller of `Lanes` has the instruction set and valid pointers.
        impl Lanes<$scalar> for $set {
            type V = x86::$register;
            const LANES: usize = $lanes;
            const FETCHED: usize = $fetched;

            #[inline(always)]
            unsafe fn zero() -> Self::V {
                // SAFETY: see the trait.
                unsafe { x86::$zero() }
            }
            #[inline(always)]
            unsafe fn load(from: *const $scalar) -> Self::V {
                // SAFETY: see the trait.
                unsafe { x86::$load(from) }
            }
            #[inline(always)]
            unsafe fn store(to: *mut $scalar, x: Self::V) {
                // SAFETY: see the trait.
                unsafe { x86::$store(to, x) }
            }
            #[inline(always)]
            unsafe fn splat(x: $scalar) -> Self::V {
                // SAFETY: see the trait.
                unsafe { x86::$splat(x) }
            }
            #[inline(always)]
            unsafe fn mul(a: Self::V, b: Self::V) -> Self::V {
                // SAFETY: see the trait.
                unsafe { x86::$mul(a, b) }
            }
            #[inline(always)]
            unsafe fn add_product(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
                // SAFETY: see the trait.
                unsafe { x86::$add(a, b, c) }
            }
            #[inline(always)]
            unsafe fn sub_product(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
                // SAFETY: see the trait.
                unsafe { x86::$sub(a, b, c) }
            }
            #[inline(always)]
            unsafe fn transpose(
                from: *const $scalar,
                across: isize,
                to: *mut $scalar,
                stride: usize,
            ) {
                // SAFETY: see the trait.
                unsafe { $transpose(from, across, to, stride) }
            }
        }
    };
}

lanes!(
    Avx512,
    f64,
    __m512d,
    8,
    4,
    _mm512_setzero_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_set1_pd,
    _mm512_mul_pd,
    _mm512_fmadd_pd,
    _mm512_fnmadd_pd,
    transpose_f64
);
lanes!(
    Avx512,
    f32,
    __m512,
    16,
    4,
    _mm512_setzero_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_set1_ps,
    _mm512_mul_ps,
    _mm512_fmadd_ps,
    _mm512_fnmadd_ps,
    transpose_f32
);
lanes!(
    Avx2,
    f64,
    __m256d,
    4,
    6,
    _mm256_setzero_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_set1_pd,
    _mm256_mul_pd,
    _mm256_fmadd_pd,
    _mm256_fnmadd_pd,
    transpose_f64
);
lanes!(
    Avx2,
    f32,
    __m256,
    8,
    6,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_mul_ps,
    _mm256_fmadd_ps,
    _mm256_fnmadd_ps,
    transpose_f32
);

macro_rules! edge {
    ($set:ty, $scalar:ty, $mask:ty, $block:expr, $most:expr, $first:expr, $load:expr, $store:expr) => {
        // SAFETY (all functions): the caller of `Edge` has the instruction set and valid pointers.
        impl Edge<$scalar> for $set {
            type Mask = $mask;
            const BLOCK: (usize, usize) = $block;
            const MOST: usize = $most;

            #[inline(always)]
            unsafe fn first(count: usize) -> Self::Mask {
                // SAFETY: see the trait.
                #[allow(unused_unsafe)]
                unsafe {
                    $first(count)
                }
            }
            #[inline(always)]
            unsafe fn load_first(from: *const $scalar, mask: Self::Mask) -> Self::V {
                // SAFETY: see the trait.
                unsafe { $load(from, mask) }
            }
            #[inline(always)]
            unsafe fn store_first(to: *mut $scalar, mask: Self::Mask, x: Self::V) {
                // SAFETY: see the trait.
                unsafe { $store(to, mask, x) }
            }
        }
    };
}

edge!(
    Avx512,
    f64,
    x86::__mmask8,
    (3, 8),
    120 * 120 * 120,
    |count: usize| 0xff_u8 >> (8 - count),
    |from, mask| x86::_mm512_maskz_loadu_pd(mask, from),
    x86::_mm512_mask_storeu_pd
);
edge!(
    Avx512,
    f32,
    x86::__mmask16,
    (3, 8),
    120 * 120 * 120,
    |count: usize| 0xffff_u16 >> (16 - count),
    |from, mask| x86::_mm512_maskz_loadu_ps(mask, from),
    x86::_mm512_mask_storeu_ps
);
edge!(
    Avx2,
    f64,
    x86::__m256i,
    (3, 3),
    64 * 64 * 64,
    |count: usize| x86::_mm256_loadu_si256(MASKS_64.as_ptr().add(4 - count).cast()),
    x86::_mm256_maskload_pd,
    x86::_mm256_maskstore_pd
);
edge!(
    Avx2,
    f32,
    x86::__m256i,
    (3, 3),
    64 * 64 * 64,
    |count: usize| x86::_mm256_loadu_si256(MASKS_32.as_ptr().add(8 - count).cast()),
    x86::_mm256_maskload_ps,
    x86::_mm256_maskstore_ps
);

/// Lanes that count, and then others: what is read from the right place on is a mask.
static MASKS_64: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
static MASKS_32: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// Halves of rows are loaded into place, so that one exchange inside the halves is left.
///
/// # Safety
/// The processor has AVX; the rows are readable, the columns writable.
#[inline(always)]
unsafe fn transpose_f64(from: *const f64, across: isize, to: *mut f64, stride: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        for half in [0, 2] {
            let mut pairs = [x86::_mm256_setzero_pd(); 2];
            for (i, pair) in (0..).zip(&mut pairs) {
                let row = from.offset(i * across).add(half);
                let low = x86::_mm256_castpd128_pd256(x86::_mm_loadu_pd(row));
                *pair =
                    x86::_mm256_insertf128_pd::<1>(low, x86::_mm_loadu_pd(row.offset(2 * across)));
            }
            let [even, odd] = pairs;
            x86::_mm256_storeu_pd(to.add(half * stride), x86::_mm256_unpacklo_pd(even, odd));
            x86::_mm256_storeu_pd(to.add((half + 1) * stride), x86::_mm256_unpackhi_pd(even, odd));
        }
    }
}

/// # Safety
/// The rows are readable, the columns writable.
#[inline(always)]
unsafe fn transpose_f32(from: *const f32, across: isize, to: *mut f32, stride: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut rows = [x86::_mm_setzero_ps(); 4];
        for (i, row) in (0..).zip(&mut rows) {
            *row = x86::_mm_loadu_ps(from.offset(i * across));
        }
        let [a, b, c, d] = rows;
        let (ab, cd) = (x86::_mm_unpacklo_ps(a, b), x86::_mm_unpacklo_ps(c, d));
        x86::_mm_storeu_ps(to, x86::_mm_movelh_ps(ab, cd));
        x86::_mm_storeu_ps(to.add(stride), x86::_mm_movehl_ps(cd, ab));
        let (ab, cd) = (x86::_mm_unpackhi_ps(a, b), x86::_mm_unpackhi_ps(c, d));
        x86::_mm_storeu_ps(to.add(2 * stride), x86::_mm_movelh_ps(ab, cd));
        x86::_mm_storeu_ps(to.add(3 * stride), x86::_mm_movehl_ps(cd, ab));
    }
}
