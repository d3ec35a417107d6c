//! What becomes of the eigenvalues and vectors of two halves when these are joined: which of them
//! have part in the secular equation, and where their vectors are gathered.
//!
//! Cuppen, "A divide and conquer method for the symmetric tridiagonal eigenproblem", Numer. Math.
//! 36 (1981); deflation after Dongarra, Sorensen, "A fully parallel algorithm for the symmetric
//! eigenvalue problem", SIAM J. Sci. Stat. Comput. 8 (1987), section 4, vectors in groups by the
//! half that they are zero in as in LAPACK's `laed2`.

use crate::bidiagonal::Rotation;
use crate::scalar::Real;

/// Where a vector's part in either half is gathered: a column of the upper and one of the lower
/// array, or [`NOWHERE`] for a part that is zero.
pub(super) type Places = [u32; 2];

/// No place: the part is zero.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Two halves to be joined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Halves<'a, R> {
    /// Eigenvalues of each, in ascending order, with the entry below the diagonal between them
    /// taken out.
    pub(super) values: [&'a [R]; 2],
    /// The last row of the first half's vectors and the first row of the second's.
    pub(super) edges: [&'a [R]; 2],
    /// That entry.
    pub(super) beta: R,
}

/// How they are joined: their eigenvalues make a diagonal `D`, of which those that are kept solve
/// `D + z z'`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan<R> {
    /// The part of `D` that is kept, in ascending order.
    pub(super) d: Vec<R>,
    pub(super) z: Vec<R>,
    /// Place of each in the order of groups: vectors of the upper half, of both, of the lower one.
    pub(super) places: Vec<u32>,
    /// Vectors of the upper half, and of both.
    pub(super) groups: [u32; 2],
    /// Eigenvalues that stay, in ascending order, and where their vectors are gathered.
    pub(super) others: Vec<(R, Places)>,
    /// Where each vector of the halves goes before the rotations.
    pub(super) columns: Vec<Places>,
    /// Pairs of vectors to be rotated, in this order.
    pub(super) rotations: Vec<([u32; 2], [R; 2])>,
}

/// In which rows a vector is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Upper,
    Both,
    Lower,
}

/// The vectors that are kept and the others, as they are found.
struct Deflation<R> {
    d: Vec<R>,
    z: Vec<R>,
    halves: Vec<Half>,
    kept: Vec<usize>,
    others: Vec<usize>,
    rotations: Vec<([u32; 2], [R; 2])>,
}

impl<R: Real> Plan<R> {
    /// The plan for two halves of a matrix whose largest entries are about one.
    pub(super) fn new(halves: Halves<'_, R>) -> Self {
        Deflation::new(halves).plan()
    }

    /// The order of both halves together.
    pub(super) fn order(&self) -> usize {
        self.columns.len()
    }

    /// Columns gathered of the upper and the lower half that enter products.
    pub(super) fn inner(&self) -> [usize; 2] {
        let [upper, both] = self.groups.map(|count| count as usize);
        [upper + both, self.d.len() - upper]
    }
}

impl<R: Real> Deflation<R> {
    fn new(Halves { values, edges, beta }: Halves<'_, R>) -> Self {
        let cut = values[0].len();
        let sign = if beta < R::ZERO { -R::ONE } else { R::ONE };
        let z = edges[0].iter().copied().chain(edges[1].iter().map(|&z| sign * z));
        let d: Vec<R> = values.concat();
        let half = |j: usize| if j < cut { Half::Upper } else { Half::Lower };
        let mut deflation = Self {
            halves: (0..d.len()).map(half).collect(),
            z: z.collect(),
            kept: Vec::with_capacity(d.len()),
            others: Vec::new(),
            rotations: Vec::new(),
            d,
        };
        deflation.sort_out(beta.abs());
        let root = beta.abs().sqrt();
        deflation.z.iter_mut().for_each(|z| *z *= root);
        deflation
    }

    /// Takes out what has no part to the working precision: vectors with a `z` near zero, and of
    /// two with nearly the same eigenvalue one, after a rotation.
    fn sort_out(&mut self, rho: R) {
        let mut order: Vec<usize> = (0..self.d.len()).collect();
        order.sort_by(|&i, &j| self.d[i].partial_cmp(&self.d[j]).expect("finite values"));
        let size = |largest: R, x: &R| if x.abs() > largest { x.abs() } else { largest };
        let largest = self.d.iter().chain(&self.z).fold(R::ZERO, size);
        // Units of rounding, as LAPACK counts.
        let tolerance = R::of_f64(4.0) * R::EPSILON * largest;
        for column in order {
            if rho * self.z[column].abs() <= tolerance {
                self.others.push(column);
                continue;
            }
            if let Some(&before) = self.kept.last()
                && self.is_rotated(before, column, tolerance)
            {
                self.kept.pop();
                self.others.push(before);
            }
            self.kept.push(column);
        }
    }

    /// Rotates two vectors so that the first one has no part, if this changes nothing else to the
    /// working precision.
    fn is_rotated(&mut self, before: usize, column: usize, tolerance: R) -> bool {
        let (rotation, r) = Rotation::new(self.z[column], self.z[before]);
        let Rotation { c, s } = rotation;
        let gap = self.d[column] - self.d[before];
        if (gap * c * s).abs() > tolerance {
            return false;
        }
        (self.z[column], self.z[before]) = (r, R::ZERO);
        let (x, y) = (self.d[column], self.d[before]);
        (self.d[column], self.d[before]) = (x * (c * c) + y * (s * s), x * (s * s) + y * (c * c));
        self.rotations.push(([column as u32, before as u32], [c, s]));
        if self.halves[column] != self.halves[before] {
            (self.halves[column], self.halves[before]) = (Half::Both, Half::Both);
        }
        true
    }

    fn plan(mut self) -> Plan<R> {
        let ascending =
            |d: &[R], i: usize, j: usize| d[i].partial_cmp(&d[j]).expect("finite values");
        self.others.sort_by(|&i, &j| ascending(&self.d, i, j));
        self.kept.sort_by(|&i, &j| ascending(&self.d, i, j));
        let count = |half: Half| self.kept.iter().filter(|&&j| self.halves[j] == half).count();
        let [upper, both] = [Half::Upper, Half::Both].map(count);
        let mut columns = vec![[NOWHERE; 2]; self.d.len()];
        let mut next = [0, upper, upper + both];
        let mut places = Vec::with_capacity(self.kept.len());
        for &j in &self.kept {
            let half = self.halves[j];
            let place = next[half as usize];
            next[half as usize] += 1;
            places.push(place as u32);
            columns[j] = half.places(place, place.wrapping_sub(upper));
        }
        let mut ends = [upper + both, self.kept.len() - upper];
        for &j in &self.others {
            columns[j] = self.halves[j].places(ends[0], ends[1]);
            (0..2).for_each(|side| ends[side] += usize::from(columns[j][side] != NOWHERE));
        }
        Plan {
            d: self.kept.iter().map(|&j| self.d[j]).collect(),
            z: self.kept.iter().map(|&j| self.z[j]).collect(),
            places,
            groups: [upper as u32, both as u32],
            others: self.others.iter().map(|&j| (self.d[j], columns[j])).collect(),
            columns,
            rotations: self.rotations,
        }
    }
}

impl Half {
    /// The places of a vector, of those that it would have in each half.
    fn places(self, upper: usize, lower: usize) -> Places {
        [
            if self == Self::Lower { NOWHERE } else { upper as u32 },
            if self == Self::Upper { NOWHERE } else { lower as u32 },
        ]
    }
}
