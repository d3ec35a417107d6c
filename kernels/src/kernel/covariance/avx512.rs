//! Eight lanes with AVX-512 (F, DQ, VL).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::lanes::{Aligned, Lanes, Step};
use super::table::Row;

/// Proof that the processor has AVX-512 F, DQ and VL.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Avx512(());

impl Avx512 {
    /// The proof, if the processor has what it takes.
    pub(in crate::kernel) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("fma");
        has.then_some(Self(()))
    }
}

/// An intrinsic without memory access, called by virtue of `self`.
macro_rules! detected {
    ($call:expr) => {
        // SAFETY: `self` exists only where the instructions were detected.
        unsafe { $call }
    };
}

impl Lanes for Avx512 {
    const N: usize = 8;
    type F = __m512d;
    type U = __m512i;
    type M = __mmask8;
    type Read = [__m512d; 4];

    #[inline(always)]
    fn splat(self, x: f64) -> __m512d {
        detected!(_mm512_set1_pd(x))
    }
    #[inline(always)]
    fn splat_bits(self, x: u64) -> __m512i {
        detected!(_mm512_set1_epi64(x as i64))
    }
    #[inline(always)]
    fn load(self, from: &[f64]) -> __m512d {
        let from = &from[..8];
        // SAFETY: detected, and the slice is long enough.
        unsafe { _mm512_loadu_pd(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, x: __m512d, to: &mut [f64]) {
        let to = &mut to[..8];
        // SAFETY: detected, and the slice is long enough.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn store_single(self, x: __m512d, to: &mut [f32]) {
        let to = &mut to[..8];
        // SAFETY: detected, and the slice is long enough.
        unsafe {
            let least = _mm512_set1_pd(f64::from(f32::MIN_POSITIVE));
            // "Not less than" keeps NaN.
            let kept = _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(_mm512_abs_pd(x), least);
            _mm256_storeu_ps(to.as_mut_ptr(), _mm512_cvtpd_ps(_mm512_maskz_mov_pd(kept, x)));
        }
    }
    #[inline(always)]
    fn add(self, a: __m512d, b: __m512d) -> __m512d {
        detected!(_mm512_add_pd(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512d, b: __m512d) -> __m512d {
        detected!(_mm512_sub_pd(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m512d, b: __m512d) -> __m512d {
        detected!(_mm512_mul_pd(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        detected!(_mm512_fmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn div(self, a: __m512d, b: __m512d) -> __m512d {
        detected!(_mm512_div_pd(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: __m512d) -> __m512d {
        detected!(_mm512_sqrt_pd(a))
    }
    #[inline(always)]
    fn scale(self, a: __m512d, n: __m512i, m: __m512i) -> __m512d {
        // SAFETY: detected.
        unsafe {
            let power = _mm512_slli_epi64::<52>(_mm512_add_epi64(n, m));
            _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(a), power))
        }
    }
    #[inline(always)]
    fn at_least(self, a: __m512d, b: __m512d) -> __mmask8 {
        detected!(_mm512_cmp_pd_mask::<_CMP_GE_OQ>(a, b))
    }
    #[inline(always)]
    fn both(self, a: __mmask8, b: __mmask8) -> __mmask8 {
        a & b
    }
    #[inline(always)]
    fn mask(self, m: __mmask8) -> u32 {
        u32::from(m)
    }
    #[inline(always)]
    fn select(self, m: __mmask8, yes: __m512d, no: __m512d) -> __m512d {
        detected!(_mm512_mask_blend_pd(m, no, yes))
    }
    #[inline(always)]
    fn select_bits(self, m: __mmask8, yes: __m512i, no: __m512i) -> __m512i {
        detected!(_mm512_mask_blend_epi64(m, no, yes))
    }
    #[inline(always)]
    fn bits(self, a: __m512d) -> __m512i {
        detected!(_mm512_castpd_si512(a))
    }
    #[inline(always)]
    fn float(self, a: __m512i) -> __m512d {
        detected!(_mm512_castsi512_pd(a))
    }
    #[inline(always)]
    fn shift_right(self, a: __m512i, by: __m512i) -> __m512i {
        detected!(_mm512_srlv_epi64(a, by))
    }
    #[inline(always)]
    fn low_to_top(self, a: __m512i, by: __m512i) -> __m512i {
        detected!(_mm512_rorv_epi64(a, by))
    }
    #[inline(always)]
    fn sub_bits(self, a: __m512i, b: __m512i) -> __m512i {
        detected!(_mm512_sub_epi64(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        detected!(_mm512_or_si512(a, b))
    }

    /// Each row is one cache line. Two rows share a vector by halves, so that the first of three
    /// rounds of `even + odd u^k` needs no shuffle: halves by `u^4`, then, transposed in pairs,
    /// neighbours by `u` and by `u^2`.
    #[inline(always)]
    fn rows<const R: usize>(
        self,
        rows: &[Row; R],
        index: __m512i,
        u: __m512d,
    ) -> (__m512d, [__m512d; 4]) {
        const { assert!(R.is_power_of_two()) };
        // SAFETY: detected; the indices are masked to be below `R`, a power of two, and rows have
        // eight entries.
        unsafe {
            let masked = _mm512_and_si512(index, _mm512_set1_epi64(R as i64 - 1));
            let mut at = Aligned([0_usize; 8]);
            // Two stores, each forwarded to the loads of `halves`; one of 64 bytes is not.
            _mm256_storeu_si256(at.0.as_mut_ptr().cast(), _mm512_castsi512_si256(masked));
            let upper = _mm512_extracti64x4_epi64::<1>(masked);
            _mm256_storeu_si256(at.0.as_mut_ptr().add(4).cast(), upper);
            let u2 = _mm512_mul_pd(u, u);
            let u4 = _mm512_mul_pd(u2, u2);
            // Lanes (0|4), (1|5), (2|6), (3|7), four sums each.
            let (a, a4) = halves(rows, &at.0, 0, _mm512_permutex_pd::<0b00_00_00_00>(u4));
            let (b, b4) = halves(rows, &at.0, 1, _mm512_permutex_pd::<0b01_01_01_01>(u4));
            let (c, c4) = halves(rows, &at.0, 2, _mm512_permutex_pd::<0b10_10_10_10>(u4));
            let (d, d4) = halves(rows, &at.0, 3, _mm512_permutex_pd::<0b11_11_11_11>(u4));
            // x has lanes [0 1 0 1 | 4 5 4 5], y has [2 3 2 3 | 6 7 6 7].
            let x = pairs(a, b, _mm512_permutex_pd::<0b01_00_01_00>(u));
            let y = pairs(c, d, _mm512_permutex_pd::<0b11_10_11_10>(u));
            // [x0 x1 y0 y1 | x4 x5 y4 y5] of the low terms, then of the high ones.
            let low = _mm512_permutex2var_pd(x, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), y);
            let high = _mm512_permutex2var_pd(x, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), y);
            (_mm512_fmadd_pd(high, u2, low), [a4, b4, c4, d4])
        }
    }
    /// Of the first lane of a half the first coefficient, of its second lane the second: blends are
    /// cheaper than shuffles.
    #[inline(always)]
    fn exponents(self, [a, b, c, d]: [__m512d; 4]) -> __m512i {
        // SAFETY: detected.
        unsafe {
            let x = _mm512_mask_blend_pd(0b0010_0010, a, b);
            let y = _mm512_mask_blend_pd(0b1000_1000, c, d);
            _mm512_castpd_si512(_mm512_mask_blend_pd(0b1100_1100, x, y))
        }
    }

    #[inline(always)]
    fn call<S: Step<Self>>(self, step: S) -> S::Made {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
        fn run<S: Step<Avx512>>(lanes: Avx512, step: S) -> S::Made {
            step.run(lanes)
        }
        // SAFETY: detected.
        unsafe { run(self, step) }
    }
}

/// `low + high u4` and `high` of the rows of `lane` and, in the upper half, of `lane + 4`.
///
/// # Safety
/// The entries of `at` are below `R`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
unsafe fn halves<const R: usize>(
    rows: &[Row; R],
    at: &[usize; 8],
    lane: usize,
    u4: __m512d,
) -> (__m512d, __m512d) {
    // SAFETY: indices are below `R`, as the caller promises, and rows have eight entries.
    unsafe {
        // Read from memory: taking the lanes out of the register is slower.
        let a = rows.get_unchecked(std::ptr::read_volatile(&raw const at[lane])).as_ptr();
        let b = rows.get_unchecked(std::ptr::read_volatile(&raw const at[lane + 4])).as_ptr();
        let low = _mm512_castpd256_pd512(_mm256_loadu_pd(a));
        let low = _mm512_insertf64x4::<1>(low, _mm256_loadu_pd(b));
        let high = _mm512_castpd256_pd512(_mm256_loadu_pd(a.add(4)));
        let high = _mm512_insertf64x4::<1>(high, _mm256_loadu_pd(b.add(4)));
        (_mm512_fmadd_pd(high, u4, low), high)
    }
}

/// `even + odd u`, of neighbours in `a` and in `b`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
fn pairs(a: __m512d, b: __m512d, u: __m512d) -> __m512d {
    _mm512_fmadd_pd(_mm512_unpackhi_pd(a, b), u, _mm512_unpacklo_pd(a, b))
}
