//! Matrices of the host that the loops work on, copied out of a device's memory and back.
#![allow(unsafe_code)]

use crate::memory::Region;
use crate::number::Number;

/// `cublasOperation_t`: 0 as it is, 1 transposed, 2 conjugated as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    As,
    Transposed,
    Conjugated,
}

/// A matrix in the memory of a device, columns one after the other, whose range has been checked.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) region: Region,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) ld: usize,
}

/// Which entries of a square matrix are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    All,
    Lower,
    Upper,
}

impl Stored {
    pub(crate) fn has(self, i: usize, j: usize) -> bool {
        match self {
            Self::All => true,
            Self::Lower => i >= j,
            Self::Upper => i <= j,
        }
    }
}

impl Matrix {
    fn place<T>(&self, i: usize, j: usize) -> *mut T {
        assert!(i < self.rows && j < self.cols, "({i}, {j}) of {self:?}");
        self.region.host().cast::<T>().wrapping_add(i + j * self.ld)
    }

    fn get<T: Number>(&self, i: usize, j: usize) -> T {
        // SAFETY: it is in the region, which was checked as the matrix was made; any bits are a
        // number.
        unsafe { self.place::<T>(i, j).read_unaligned() }
    }

    fn set<T: Number>(&self, i: usize, j: usize, value: T) {
        // SAFETY: as above.
        unsafe { self.place::<T>(i, j).write_unaligned(value) }
    }

    /// A copy of it.
    pub(crate) fn load<T: Number>(&self) -> Dense<T> {
        Dense::from_fn(self.rows, self.cols, |i, j| self.get(i, j))
    }

    /// A copy of a triangle of it, with zeros beside it, and ones on a unit diagonal.
    pub(crate) fn triangle<T: Number>(&self, stored: Stored, is_unit: bool) -> Dense<T> {
        Dense::from_fn(self.rows, self.cols, |i, j| match stored.has(i, j) {
            true if i == j && is_unit => T::real(1.0),
            true => self.get(i, j),
            false => T::real(0.0),
        })
    }

    /// The whole of which a triangle is stored, symmetric or Hermitian.
    pub(crate) fn symmetric<T: Number>(&self, stored: Stored, hermitian: bool) -> Dense<T> {
        Dense::from_fn(self.rows, self.cols, |i, j| {
            let value: T = if stored.has(i, j) { self.get(i, j) } else { self.get(j, i) };
            match (hermitian, stored.has(i, j)) {
                (true, _) if i == j => T::real(value.re()),
                (true, false) => value.conj(),
                _ => value,
            }
        })
    }

    /// Writes what is stored of `dense`.
    pub(crate) fn store<T: Number>(&self, dense: &Dense<T>, stored: Stored) {
        for j in 0..self.cols {
            for i in (0..self.rows).filter(|&i| stored.has(i, j)) {
                self.set(i, j, dense.at(i, j));
            }
        }
    }

    /// Makes what is stored of it `dense + beta` times what it is; where `beta` is zero, what it is
    /// does not matter.
    pub(crate) fn update<T: Number>(&self, dense: &Dense<T>, beta: T, stored: Stored) {
        let sum = Dense::from_fn(self.rows, self.cols, |i, j| match beta.is_zero() {
            true => dense.at(i, j),
            false if stored.has(i, j) => dense.at(i, j) + beta * self.get(i, j),
            false => T::real(0.0),
        });
        self.store(&sum, stored);
    }
}

/// A matrix of the host.
#[derive(Clone, Debug)]
pub(crate) struct Dense<T> {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    entries: Vec<T>,
}

impl<T: Number> Dense<T> {
    pub(crate) fn from_fn(rows: usize, cols: usize, of: impl Fn(usize, usize) -> T) -> Self {
        let of = &of;
        let entries = (0..cols).flat_map(|j| (0..rows).map(move |i| of(i, j))).collect();
        Self { rows, cols, entries }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> T {
        self.entries[i + j * self.rows]
    }

    pub(crate) fn put(&mut self, i: usize, j: usize, value: T) {
        self.entries[i + j * self.rows] = value;
    }

    pub(crate) fn col(&self, j: usize) -> &[T] {
        &self.entries[j * self.rows..][..self.rows]
    }

    pub(crate) fn col_mut(&mut self, j: usize) -> &mut [T] {
        &mut self.entries[j * self.rows..][..self.rows]
    }

    /// Column `j` to change, and column `k` to read.
    pub(crate) fn two(&mut self, j: usize, k: usize) -> (&mut [T], &[T]) {
        let (rows, first) = (self.rows, j.min(k));
        let (head, tail) = self.entries.split_at_mut((first + 1) * rows);
        let (low, high) = (&mut head[first * rows..], &mut tail[(j.max(k) - first - 1) * rows..]);
        let (low, high) = (&mut low[..rows], &mut high[..rows]);
        if j < k { (low, high) } else { (high, low) }
    }

    /// It, transposed, or conjugated as well.
    pub(crate) fn op(self, op: Op) -> Self {
        match op {
            Op::As => self,
            Op::Transposed => Self::from_fn(self.cols, self.rows, |i, j| self.at(j, i)),
            Op::Conjugated => Self::from_fn(self.cols, self.rows, |i, j| self.at(j, i).conj()),
        }
    }

    pub(crate) fn scaled(mut self, factor: T) -> Self {
        self.entries.iter_mut().for_each(|entry| *entry = factor * *entry);
        self
    }

    /// With entries in 32 bits cut to the 11 bits of TF32.
    pub(crate) fn rounded(mut self) -> Self {
        let cut = |x: f64| f64::from(f32::from_bits((x as f32).to_bits() & !0x1fff));
        if size_of::<T::Real>() == 4 {
            for entry in &mut self.entries {
                let (re, im) = entry.parts();
                *entry = T::from_parts(cut(re), cut(im));
            }
        }
        self
    }

    /// `self + other`.
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.entries.iter_mut().zip(&other.entries).for_each(|(x, &y)| *x += y);
        self
    }

    /// `self` times `other`.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::from_fn(self.rows, other.cols, |_, _| T::real(0.0));
        for j in 0..other.cols {
            let sum = product.col_mut(j);
            for k in 0..self.cols {
                let factor = other.at(k, j);
                sum.iter_mut().zip(self.col(k)).for_each(|(x, &y)| *x += factor * y);
            }
        }
        product
    }
}
