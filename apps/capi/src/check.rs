//! Arguments of LAPACK's routines, checked in the order and with the numbers of the reference: the
//! first argument that is wrong is the one reported.

use tegula_kernels::scalar::{Real, Scalar};

/// An argument is wrong: its position, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrong(pub(crate) i32);

/// What a routine has to say, unless an argument is wrong.
pub(crate) type Checked<T> = Result<T, Wrong>;

/// The answer that argument `place` is wrong, unless `holds`.
pub(crate) const fn require(place: i32, holds: bool) -> Checked<()> {
    if holds { Ok(()) } else { Err(Wrong(place)) }
}

/// A letter that names an option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter(pub(crate) u8);

impl Letter {
    /// Whether this is `letter`, in upper or lower case.
    pub(crate) const fn is(self, letter: u8) -> bool {
        self.0.eq_ignore_ascii_case(&letter)
    }

    /// The choice with this letter; argument `place` is wrong if there is none.
    pub(crate) fn of<T: Copy>(self, place: i32, choices: &[(u8, T)]) -> Checked<T> {
        let found = choices.iter().find(|(letter, _)| self.is(*letter));
        found.map(|&(_, choice)| choice).ok_or(Wrong(place))
    }
}

/// What integers are checked for.
pub(crate) trait Integer {
    /// A number of rows, columns or entries; argument `place` is wrong if it is negative.
    fn size(self, place: i32) -> Checked<usize>;
    /// A leading dimension of arrays with `rows` rows; argument `place` is wrong if it is less, or
    /// not positive.
    fn leading(self, place: i32, rows: usize) -> Checked<usize>;
}

impl Integer for i32 {
    fn size(self, place: i32) -> Checked<usize> {
        usize::try_from(self).map_err(|_| Wrong(place))
    }

    fn leading(self, place: i32, rows: usize) -> Checked<usize> {
        usize::try_from(self).ok().filter(|&ld| ld >= rows.max(1)).ok_or(Wrong(place))
    }
}

/// A size of a workspace as the number that answers the question for it, not less where it is
/// rounded.
pub(crate) fn answer<T: Scalar>(size: usize) -> T {
    let size = size as f64;
    let nearest = T::Real::of_f64(size);
    let next = if nearest.to_f64() < size { T::Real::ONE + T::Real::EPSILON } else { T::Real::ONE };
    T::from_real(nearest * next)
}
