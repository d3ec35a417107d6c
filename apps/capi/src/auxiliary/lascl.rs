//! `xLASCL`: factors that are quotients, without overflow on the way.

use std::ops::Range;

use tegula_kernels::scalar::{Real, Scalar, c32, c64};

use super::count;
use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter, Wrong, require};
use crate::export::export;

export! {
    "`A = (cto / cfrom) A`, of a full, triangular, Hessenberg or band matrix."
    lascl(
        type_: Letter, kl: Int, ku: Int, cfrom: Real, cto: Real, m: Int, n: Int, a: Array, lda: Int
    ) info as slascl_: f32, dlascl_: f64, clascl_: c32, zlascl_: c64;
}

/// How a matrix is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    Full,
    Lower,
    Upper,
    Hessenberg,
    /// The lower half of a symmetric band.
    LowerBand,
    /// The upper half of a symmetric band.
    UpperBand,
    /// A band as `xGBTRF` takes it.
    Band,
}

const STORED: &[(u8, Stored)] = &[
    (b'G', Stored::Full),
    (b'L', Stored::Lower),
    (b'U', Stored::Upper),
    (b'H', Stored::Hessenberg),
    (b'B', Stored::LowerBand),
    (b'Q', Stored::UpperBand),
    (b'Z', Stored::Band),
];

impl Stored {
    const fn is_symmetric(self) -> bool {
        matches!(self, Self::LowerBand | Self::UpperBand)
    }

    /// Rows that bands take; none of other matrices.
    const fn band(self, kl: usize, ku: usize) -> Option<usize> {
        match self {
            Self::LowerBand => Some(kl + 1),
            Self::UpperBand => Some(ku + 1),
            Self::Band => Some(2 * kl + ku + 1),
            _ => None,
        }
    }

    /// The rows of column `j` of the array that hold entries.
    fn rows(self, (m, n): (usize, usize), (kl, ku): (usize, usize), j: usize) -> Range<usize> {
        match self {
            Self::Full => 0..m,
            Self::Lower => j.min(m)..m,
            Self::Upper => 0..(j + 1).min(m),
            Self::Hessenberg => 0..(j + 2).min(m),
            Self::LowerBand => 0..(kl + 1).min(n - j),
            Self::UpperBand => ku.saturating_sub(j)..ku + 1,
            Self::Band => {
                kl.max((kl + ku).saturating_sub(j))
                    ..(2 * kl + ku + 1).min((kl + ku + m).saturating_sub(j))
            }
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn lascl<T: Scalar>(
    type_: Letter,
    kl: i32,
    ku: i32,
    cfrom: T::Real,
    cto: T::Real,
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
) -> Checked<i32> {
    let stored = type_.of(1, STORED)?;
    require(4, cfrom != T::Real::ZERO && !cfrom.is_nan())?;
    require(5, !cto.is_nan())?;
    let (m, n) = (m.size(6)?, n.size(7)?);
    require(7, !stored.is_symmetric() || m == n)?;
    let band = match stored.band(count(kl), count(ku)) {
        None => {
            lda.leading(9, m)?;
            (0, 0)
        }
        Some(least) => {
            let fits =
                |k: i32, size: usize| k.size(0).ok().filter(|&k| k <= size.saturating_sub(1));
            let kl = fits(kl, m).ok_or(Wrong(2))?;
            let ku = fits(ku, n).ok_or(Wrong(3))?;
            require(3, !stored.is_symmetric() || kl == ku)?;
            require(9, count(lda) >= least)?;
            (kl, ku)
        }
    };
    if m == 0 || n == 0 {
        return Ok(0);
    }
    by_parts(cfrom, cto, |factor| {
        for j in 0..n {
            let rows = stored.rows((m, n), band, j);
            if !rows.is_empty() {
                let column = a.after(j * count(lda) + rows.start).slice(rows.len());
                column.iter_mut().for_each(|x| *x = x.times_real(factor));
            }
        }
    });
    Ok(0)
}

/// `a = (to / from) a`.
pub(crate) fn scale<T: Scalar>(a: Matrix<T>, from: T::Real, to: T::Real) {
    by_parts(from, to, |factor| a.view_mut().apply(|x| x.times_real(factor)));
}

/// Calls `multiply` with factors whose product is `to / from`: more than one where that leaves the
/// range.
fn by_parts<R: Real>(from: R, to: R, mut multiply: impl FnMut(R)) {
    let (small, large) = (R::MIN_POSITIVE, R::ONE / R::MIN_POSITIVE);
    let (mut from, mut to) = (from, to);
    loop {
        let (less, more) = (from * small, to / large);
        let (factor, is_last) = if less == from || more == to {
            // One of them is infinite or zero.
            (if less == from { to / from } else { to }, true)
        } else if less.abs() > to.abs() && to != R::ZERO {
            from = less;
            (small, false)
        } else if more.abs() > from.abs() {
            to = more;
            (large, false)
        } else {
            (to / from, true)
        };
        multiply(factor);
        if is_last {
            return;
        }
    }
}
