//! The product by recursion on halves of `A`: the square blocks are products, the small blocks on
//! the diagonal are completed first.

use super::Symm;
use crate::backend::Blas;
use crate::option::{Form, Side, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Order under which a block is completed.
const LEAF: usize = 32;

impl<T: Scalar> Symm<T> {
    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        a: TileRef<'_, T>,
        b: TileRef<'_, T>,
        mut c: TileMut<'_, T>,
    ) {
        c.scale(self.beta);
        if self.alpha == T::ZERO {
            return;
        }
        let a = if self.uplo == Uplo::Lower { a } else { self.form.mirror().of(a) };
        let (form, alpha) = (self.form, self.alpha);
        match (self.side, form) {
            (Side::Left, _) => add(blas, form, alpha, a, b, c),
            // The transposed formula; a Hermitian matrix transposed is its conjugate.
            (Side::Right, Form::Symmetric) => {
                add(blas, form, alpha, a, b.transposed(), c.transposed());
            }
            (Side::Right, Form::Hermitian) => {
                add(blas, form, alpha, a.conjugated(), b.transposed(), c.transposed());
            }
        }
    }
}

/// `C = C + alpha A B`, where the lower triangle of `A` counts.
fn add<T: Scalar>(
    blas: &dyn Blas<T>,
    form: Form,
    alpha: T,
    a: TileRef<'_, T>,
    b: TileRef<'_, T>,
    c: TileMut<'_, T>,
) {
    let (order, columns) = (a.rows(), b.cols());
    if order <= LEAF {
        let mut room = [T::ZERO; LEAF * LEAF];
        let square = complete(form, a, &mut room);
        return blas.gemm(alpha, square, b, T::ONE, c);
    }
    let cut = (order / 2).next_multiple_of(8);
    let below = a.part(cut, 0, order - cut, cut);
    let (b1, b2) = (b.part(0, 0, cut, columns), b.part(cut, 0, order - cut, columns));
    let (mut c1, mut c2) = c.split_rows(cut);
    blas.gemm(alpha, form.mirror().of(below), b2, T::ONE, c1.reborrow());
    blas.gemm(alpha, below, b1, T::ONE, c2.reborrow());
    add(blas, form, alpha, a.part(0, 0, cut, cut), b1, c1);
    add(blas, form, alpha, a.part(cut, cut, order - cut, order - cut), b2, c2);
}

/// The whole of a small matrix, of which the lower triangle counts, written into `room`.
fn complete<'a, T: Scalar>(form: Form, a: TileRef<'_, T>, room: &'a mut [T]) -> TileRef<'a, T> {
    let n = a.rows();
    let mut square = TileMut::new(&mut room[..n * n], n, n);
    for j in 0..n {
        for i in j..n {
            let entry = a.at(i, j);
            let (lower, upper) = match form {
                Form::Symmetric => (entry, entry),
                Form::Hermitian if i == j => (T::from_real(entry.re()), T::from_real(entry.re())),
                Form::Hermitian => (entry, entry.conj()),
            };
            square.set(j, i, upper);
            square.set(i, j, lower);
        }
    }
    TileRef::new(&room[..n * n], n, n)
}
