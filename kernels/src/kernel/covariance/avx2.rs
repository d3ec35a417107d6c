//! Four lanes with AVX2 and FMA.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::lanes::{Aligned, Lanes, Step};
use super::table::Row;

/// Proof that the processor has AVX2 and FMA.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Avx2(());

impl Avx2 {
    /// The proof, if the processor has what it takes.
    pub(in crate::kernel) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

/// An intrinsic without memory access, called by virtue of `self`.
macro_rules! detected {
    ($call:expr) => {
        // SAFETY: `self` exists only where the instructions were detected.
        unsafe { $call }
    };
}

impl Lanes for Avx2 {
    const N: usize = 4;
    type F = __m256d;
    type U = __m256i;
    type M = __m256d;
    type Read = [__m256d; 4];

    #[inline(always)]
    fn splat(self, x: f64) -> __m256d {
        detected!(_mm256_set1_pd(x))
    }
    #[inline(always)]
    fn splat_bits(self, x: u64) -> __m256i {
        detected!(_mm256_set1_epi64x(x as i64))
    }
    #[inline(always)]
    fn load(self, from: &[f64]) -> __m256d {
        let from = &from[..4];
        // SAFETY: detected, and the slice is long enough.
        unsafe { _mm256_loadu_pd(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, x: __m256d, to: &mut [f64]) {
        let to = &mut to[..4];
        // SAFETY: detected, and the slice is long enough.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn store_single(self, x: __m256d, to: &mut [f32]) {
        let to = &mut to[..4];
        // SAFETY: detected, and the slice is long enough.
        unsafe {
            let least = _mm256_set1_pd(f64::from(f32::MIN_POSITIVE));
            let size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
            // "Not less than" keeps NaN.
            let kept = _mm256_and_pd(_mm256_cmp_pd::<_CMP_NLT_UQ>(size, least), x);
            _mm_storeu_ps(to.as_mut_ptr(), _mm256_cvtpd_ps(kept));
        }
    }
    #[inline(always)]
    fn add(self, a: __m256d, b: __m256d) -> __m256d {
        detected!(_mm256_add_pd(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m256d, b: __m256d) -> __m256d {
        detected!(_mm256_sub_pd(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m256d, b: __m256d) -> __m256d {
        detected!(_mm256_mul_pd(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: __m256d, b: __m256d, c: __m256d) -> __m256d {
        detected!(_mm256_fmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn div(self, a: __m256d, b: __m256d) -> __m256d {
        detected!(_mm256_div_pd(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: __m256d) -> __m256d {
        detected!(_mm256_sqrt_pd(a))
    }
    #[inline(always)]
    fn scale(self, a: __m256d, n: __m256i, m: __m256i) -> __m256d {
        // SAFETY: detected.
        unsafe {
            let power = _mm256_slli_epi64::<52>(_mm256_add_epi64(n, m));
            _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), power))
        }
    }
    #[inline(always)]
    fn at_least(self, a: __m256d, b: __m256d) -> __m256d {
        detected!(_mm256_cmp_pd::<_CMP_GE_OQ>(a, b))
    }
    #[inline(always)]
    fn both(self, a: __m256d, b: __m256d) -> __m256d {
        detected!(_mm256_and_pd(a, b))
    }
    #[inline(always)]
    fn mask(self, m: __m256d) -> u32 {
        detected!(_mm256_movemask_pd(m) as u32)
    }
    #[inline(always)]
    fn select(self, m: __m256d, yes: __m256d, no: __m256d) -> __m256d {
        detected!(_mm256_blendv_pd(no, yes, m))
    }
    #[inline(always)]
    fn select_bits(self, m: __m256d, yes: __m256i, no: __m256i) -> __m256i {
        detected!(_mm256_blendv_epi8(no, yes, _mm256_castpd_si256(m)))
    }
    #[inline(always)]
    fn bits(self, a: __m256d) -> __m256i {
        detected!(_mm256_castpd_si256(a))
    }
    #[inline(always)]
    fn float(self, a: __m256i) -> __m256d {
        detected!(_mm256_castsi256_pd(a))
    }
    #[inline(always)]
    fn shift_right(self, a: __m256i, by: __m256i) -> __m256i {
        detected!(_mm256_srlv_epi64(a, by))
    }
    #[inline(always)]
    fn low_to_top(self, a: __m256i, by: __m256i) -> __m256i {
        detected!(_mm256_sllv_epi64(a, _mm256_sub_epi64(_mm256_set1_epi64x(64), by)))
    }
    #[inline(always)]
    fn sub_bits(self, a: __m256i, b: __m256i) -> __m256i {
        detected!(_mm256_sub_epi64(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        detected!(_mm256_or_si256(a, b))
    }

    /// Halves of a row by `u^4`, then, transposed in pairs, neighbours by `u` and by `u^2`.
    #[inline(always)]
    fn rows<const R: usize>(
        self,
        rows: &[Row; R],
        index: __m256i,
        u: __m256d,
    ) -> (__m256d, [__m256d; 4]) {
        const { assert!(R.is_power_of_two()) };
        // SAFETY: detected; the indices are masked to be below `R`, a power of two, and rows have
        // eight entries.
        unsafe {
            let masked = _mm256_and_si256(index, _mm256_set1_epi64x(R as i64 - 1));
            let mut at = Aligned([0_usize; 4]);
            _mm256_storeu_si256(at.0.as_mut_ptr().cast(), masked);
            let u2 = _mm256_mul_pd(u, u);
            let mut power = Aligned([0.0_f64; 4]);
            _mm256_storeu_pd(power.0.as_mut_ptr(), _mm256_mul_pd(u2, u2));
            let (mut sums, mut upper) = ([u; 4], [u; 4]);
            for (lane, sum) in sums.iter_mut().enumerate() {
                // Read from memory: taking the lanes out of the register is slower.
                let at = std::ptr::read_volatile(&raw const at.0[lane]);
                let row = rows.get_unchecked(at).as_ptr();
                let (low, high) = (_mm256_loadu_pd(row), _mm256_loadu_pd(row.add(4)));
                upper[lane] = high;
                *sum = _mm256_fmadd_pd(high, _mm256_set1_pd(power.0[lane]), low);
            }
            let [a, b, c, d] = sums;
            let x = pairs(a, b, _mm256_permute2f128_pd::<0x00>(u, u));
            let y = pairs(c, d, _mm256_permute2f128_pd::<0x11>(u, u));
            let low = _mm256_permute2f128_pd::<0x20>(x, y);
            let high = _mm256_permute2f128_pd::<0x31>(x, y);
            (_mm256_fmadd_pd(high, u2, low), upper)
        }
    }
    /// Of the first lane the first coefficient, of the second the second: blends are cheaper than
    /// shuffles.
    #[inline(always)]
    fn exponents(self, [a, b, c, d]: [__m256d; 4]) -> __m256i {
        // SAFETY: detected.
        unsafe {
            let (x, y) = (_mm256_blend_pd::<0b0010>(a, b), _mm256_blend_pd::<0b1000>(c, d));
            _mm256_castpd_si256(_mm256_blend_pd::<0b1100>(x, y))
        }
    }

    #[inline(always)]
    fn call<S: Step<Self>>(self, step: S) -> S::Made {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        fn run<S: Step<Avx2>>(lanes: Avx2, step: S) -> S::Made {
            step.run(lanes)
        }
        // SAFETY: detected.
        unsafe { run(self, step) }
    }
}

/// `even + odd u`, of neighbours in `a` and in `b`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn pairs(a: __m256d, b: __m256d, u: __m256d) -> __m256d {
    _mm256_fmadd_pd(_mm256_unpackhi_pd(a, b), u, _mm256_unpacklo_pd(a, b))
}
