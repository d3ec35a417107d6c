//! BLAS's choices: which triangle, which side, transposed or not, unit diagonal or not.

use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Which triangle of a matrix counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uplo {
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
}

impl Uplo {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Lower, Self::Upper];

    /// The triangle of the transposed matrix.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }

    /// Whether entry `(i, j)` is in the triangle, diagonal included.
    #[must_use]
    pub const fn holds(self, i: usize, j: usize) -> bool {
        match self {
            Self::Lower => i >= j,
            Self::Upper => i <= j,
        }
    }
}

/// Which entries of a matrix count: all, or a triangle with its diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// All.
    Whole,
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
}

impl Part {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Lower, Self::Upper];

    /// The part of the transposed matrix.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Whole => Self::Whole,
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }

    /// Whether entry `(i, j)` counts.
    #[must_use]
    pub const fn holds(self, i: usize, j: usize) -> bool {
        match self {
            Self::Whole => true,
            Self::Lower => i >= j,
            Self::Upper => i <= j,
        }
    }

    /// The rows of column `j` that count, of `m`.
    #[must_use]
    pub fn rows(self, m: usize, j: usize) -> std::ops::Range<usize> {
        match self {
            Self::Whole => 0..m,
            Self::Lower => j.min(m)..m,
            Self::Upper => 0..(j + 1).min(m),
        }
    }
}

impl From<Uplo> for Part {
    fn from(uplo: Uplo) -> Self {
        match uplo {
            Uplo::Lower => Self::Lower,
            Uplo::Upper => Self::Upper,
        }
    }
}

/// Whether a matrix enters as it is or transposed: `op(A) = A`, `A'` or `A^H`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trans {
    /// As it is.
    No,
    /// Transposed.
    Yes,
    /// Transposed, with every entry's complex conjugate; of real matrices the same as transposed.
    Conj,
}

impl Trans {
    /// All.
    pub const ALL: [Self; 3] = [Self::No, Self::Yes, Self::Conj];

    /// `op(a)`, in the same memory.
    #[must_use]
    pub fn of<T>(self, a: TileRef<'_, T>) -> TileRef<'_, T> {
        match self {
            Self::No => a,
            Self::Yes => a.transposed(),
            Self::Conj => a.adjoint(),
        }
    }

    /// Whether rows and columns change places.
    #[must_use]
    pub const fn swaps(self) -> bool {
        !matches!(self, Self::No)
    }

    /// Shape of the stored matrix whose `op` is `rows x cols`.
    #[must_use]
    pub const fn stored(self, rows: usize, cols: usize) -> (usize, usize) {
        if self.swaps() { (cols, rows) } else { (rows, cols) }
    }
}

/// What the other triangle of a matrix holds, of which one is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The transposed entries.
    Symmetric,
    /// Their complex conjugates; the diagonal is real. Of real matrices the same as symmetric.
    Hermitian,
}

impl Form {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Symmetric, Self::Hermitian];

    /// How a matrix enters as the other triangle.
    #[must_use]
    pub const fn mirror(self) -> Trans {
        match self {
            Self::Symmetric => Trans::Yes,
            Self::Hermitian => Trans::Conj,
        }
    }
}

/// On which side of the unknown a triangular matrix stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// `op(T) X`.
    Left,
    /// `X op(T)`.
    Right,
}

impl Side {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Left, Self::Right];
}

/// Whether the diagonal of a triangular matrix is stored or is all ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Diag {
    /// Stored.
    NonUnit,
    /// Ones, and the stored entries are not read.
    Unit,
}

impl Diag {
    /// Both.
    pub const ALL: [Self; 2] = [Self::NonUnit, Self::Unit];
}

/// A triangular matrix: a square view, of which one triangle counts.
#[derive(Clone, Copy, Debug)]
pub struct Triangle<'a, T> {
    /// The square view; what is outside the triangle is not read.
    pub entries: TileRef<'a, T>,
    /// The triangle that counts.
    pub uplo: Uplo,
    /// Whether the diagonal is stored.
    pub diag: Diag,
}

impl<'a, T: Scalar> Triangle<'a, T> {
    /// The triangle `uplo` of a square matrix.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[must_use]
    pub fn new(entries: TileRef<'a, T>, uplo: Uplo, diag: Diag) -> Self {
        let (rows, cols) = (entries.rows(), entries.cols());
        assert!(rows == cols, "a triangular matrix of {rows} x {cols}");
        Self { entries, uplo, diag }
    }

    /// Order of the matrix.
    #[must_use]
    pub fn order(&self) -> usize {
        self.entries.rows()
    }

    /// The transposed matrix, in the same memory.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { entries: self.entries.transposed(), uplo: self.uplo.flipped(), diag: self.diag }
    }

    /// The matrix of conjugate entries, in the same memory.
    #[must_use]
    pub fn conjugated(self) -> Self {
        Self { entries: self.entries.conjugated(), ..self }
    }

    /// The conjugate transpose, in the same memory.
    #[must_use]
    pub fn adjoint(self) -> Self {
        self.transposed().conjugated()
    }

    /// `op` of the matrix, in the same memory.
    #[must_use]
    pub fn op(self, trans: Trans) -> Self {
        match trans {
            Trans::No => self,
            Trans::Yes => self.transposed(),
            Trans::Conj => self.adjoint(),
        }
    }

    /// The diagonal block of `order` rows that begins at row `first`.
    #[must_use]
    pub fn block(self, first: usize, order: usize) -> Self {
        Self { entries: self.entries.part(first, first, order, order), ..self }
    }

    /// Entry `(i, j)` of the matrix that the triangle stands for, zeros and ones included.
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> T {
        if i == j && self.diag == Diag::Unit {
            T::ONE
        } else if self.uplo.holds(i, j) {
            self.entries.at(i, j)
        } else {
            T::ZERO
        }
    }
}

/// How the reflectors of an orthogonal factor stand in a matrix (LAPACK's `storev`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storev {
    /// Below the diagonal, in columns, as a QR factorization leaves them: `Q = H(1) H(2) ...`.
    Columns,
    /// Above the diagonal, conjugated, in rows, as an LQ factorization leaves them:
    /// `Q = ... H(2)^H H(1)^H`.
    Rows,
}

impl Storev {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Columns, Self::Rows];

    /// The matrix in which the reflectors stand in columns: `a`, or its transpose.
    ///
    /// The transpose of `L Q` is a product `Q' L'` whose first factor is made of the reflectors
    /// in columns as they stand, with the conjugates of their factors `tau`.
    #[must_use]
    pub fn in_columns<T>(self, a: TileRef<'_, T>) -> TileRef<'_, T> {
        match self {
            Self::Columns => a,
            Self::Rows => a.transposed(),
        }
    }

    /// [`in_columns`](Self::in_columns), to write.
    #[must_use]
    pub fn in_columns_mut<T>(self, a: TileMut<'_, T>) -> TileMut<'_, T> {
        match self {
            Self::Columns => a,
            Self::Rows => a.transposed(),
        }
    }

    /// Rows and columns of the stored matrix, of which [`in_columns`](Self::in_columns) has `m` and
    /// `n`; or the other way round.
    #[must_use]
    pub const fn stored(self, m: usize, n: usize) -> (usize, usize) {
        match self {
            Self::Columns => (m, n),
            Self::Rows => (n, m),
        }
    }

    /// A factor `tau` of one kind, as one of reflectors in columns.
    #[must_use]
    pub fn factor<T: Scalar>(self, tau: T) -> T {
        match self {
            Self::Columns => tau,
            Self::Rows => tau.conj(),
        }
    }
}

/// What stands below a triangle that is to absorb it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Below {
    /// A whole tile.
    Square,
    /// A tile of which only the entries on and above the diagonal count.
    Triangle,
}

impl Below {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Square, Self::Triangle];

    /// Rows of the first `columns` columns of a tile of `m` rows that count.
    #[must_use]
    pub fn rows(self, m: usize, columns: usize) -> usize {
        match self {
            Self::Square => m,
            Self::Triangle => m.min(columns),
        }
    }

    /// Whether entry `(i, j)` counts.
    #[must_use]
    pub const fn holds(self, i: usize, j: usize) -> bool {
        match self {
            Self::Square => true,
            Self::Triangle => i <= j,
        }
    }
}
