//! Single tasks on tiles as algorithms see them: each formula is turned to what is stored.

use tegula_kernels::kernel::lascal::Lascal;
use tegula_kernels::kernel::{
    gemm::Gemm, gemmt::Gemmt, lauum::Lauum, potrf::Potrf, symm::Symm, syr2k::Syr2k, syrk::Syrk,
    trmm::Trmm, trsm::Trsm, trtri::Trtri,
};
use tegula_kernels::option::{Diag, Form, Part, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Access, Flow, Handle};

use crate::view::Tile;

/// A triangle of a tile, as seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangularTile {
    pub(crate) tile: Tile,
    pub(crate) uplo: Uplo,
    pub(crate) diag: Diag,
}

/// `x`, or its conjugate if the tile that the formula writes is conjugated.
fn turned<T: Scalar>(target: Tile, x: T) -> T {
    if target.op.is_conjugated { x.conj() } else { x }
}

/// An operand beside a target that is conjugated.
fn conjugated_as(target: Tile, operand: Tile) -> Tile {
    if target.op.is_conjugated { operand.conjugated() } else { operand }
}

/// The stored triangle of a tile of which the triangle `uplo` is seen.
fn stored(tile: Tile, uplo: Uplo) -> Uplo {
    if tile.op.is_transposed { uplo.flipped() } else { uplo }
}

/// `C = alpha A B + beta C`.
pub(crate) fn gemm<T: Scalar>(
    flow: &mut Flow,
    factors: (T, T),
    pair: (Tile, Tile),
    c: Tile,
    priority: i32,
) {
    let (product, operands) = product(factors, pair, c);
    flow.submit(product, &operands, priority);
}

/// The kernel of `C = alpha A B + beta C`, and what it works on.
pub(crate) fn product<T: Scalar>(
    (alpha, beta): (T, T),
    (a, b): (Tile, Tile),
    c: Tile,
) -> (Gemm<T>, [(Handle, Access); 3]) {
    assert!(
        (a.rows, b.columns, a.columns) == (c.rows, c.columns, b.rows),
        "product of {a:?} and {b:?} into {c:?}"
    );
    let is_turned = c.op.is_transposed;
    let (left, right) = if is_turned { (b.transposed(), a.transposed()) } else { (a, b) };
    let (left, right) = (conjugated_as(c, left), conjugated_as(c, right));
    let (m, n) = c.stored();
    let product = Gemm {
        trans_a: left.trans::<T>(),
        trans_b: right.trans::<T>(),
        m,
        n,
        k: a.columns,
        alpha: turned(c, alpha),
        beta: turned(c, beta),
    };
    (product, [(left.handle, R), (right.handle, R), (c.handle, RW)])
}

/// The lower triangle of `C = alpha A A' + beta C`, or with the conjugate transpose.
pub(crate) fn syrk<T: Scalar>(
    flow: &mut Flow,
    form: Form,
    (alpha, beta): (T, T),
    a: Tile,
    c: Tile,
    priority: i32,
) {
    let a = mirrored(form, c, a);
    let (alpha, beta) = (turned(c, alpha), turned(c, beta));
    let (uplo, trans) = (stored(c, Uplo::Lower), a.trans::<T>());
    let syrk = Syrk { form, uplo, trans, n: a.rows, k: a.columns, alpha, beta };
    flow.submit(syrk, &[(a.handle, R), (c.handle, RW)], priority);
}

/// The lower triangle of `C = alpha A B + beta C`.
pub(crate) fn gemmt<T: Scalar>(
    flow: &mut Flow,
    (alpha, beta): (T, T),
    (a, b): (Tile, Tile),
    c: Tile,
    priority: i32,
) {
    let is_turned = c.op.is_transposed;
    let (left, right) = if is_turned { (b.transposed(), a.transposed()) } else { (a, b) };
    let (left, right) = (conjugated_as(c, left), conjugated_as(c, right));
    let product = Gemmt {
        uplo: stored(c, Uplo::Lower),
        trans_a: left.trans::<T>(),
        trans_b: right.trans::<T>(),
        n: c.rows,
        k: a.columns,
        alpha: turned(c, alpha),
        beta: turned(c, beta),
    };
    flow.submit(product, &[(left.handle, R), (right.handle, R), (c.handle, RW)], priority);
}

/// The lower triangle of `C = beta C` as what is left of a symmetric product without a term; the
/// diagonal of a Hermitian `c` becomes real. `nothing` is a handle of no bytes.
pub(crate) fn scale_triangle<T: Scalar>(
    flow: &mut Flow,
    form: Form,
    nothing: Handle,
    beta: T,
    c: Tile,
) {
    let (uplo, trans, n) = (stored(c, Uplo::Lower), Trans::No, c.rows);
    let syrk = Syrk { form, uplo, trans, n, k: 0, alpha: T::ZERO, beta: turned(c, beta) };
    flow.submit(syrk, &[(nothing, R), (c.handle, RW)], 0);
}

/// The lower triangle of `C = alpha A B' + alpha B A' + beta C`, or with conjugate transposes and
/// the conjugate of the second `alpha`.
pub(crate) fn syr2k<T: Scalar>(
    flow: &mut Flow,
    form: Form,
    (alpha, beta): (T, T),
    (a, b): (Tile, Tile),
    c: Tile,
    priority: i32,
) {
    let alpha = if is_mirrored(form, c) { alpha.conj() } else { alpha };
    let beta = turned(c, beta);
    let (a, b) = (mirrored(form, c, a), mirrored(form, c, b));
    let (trans, trans_b) = (a.trans::<T>(), b.trans::<T>());
    assert!(trans == trans_b, "operands that enter as {trans:?} and {trans_b:?}");
    let (uplo, n, k) = (stored(c, Uplo::Lower), a.rows, a.columns);
    let syr2k = Syr2k { form, uplo, trans, n, k, alpha, beta };
    flow.submit(syr2k, &[(a.handle, R), (b.handle, R), (c.handle, RW)], priority);
}

/// Whether what is stored of a symmetric product is its conjugate: a Hermitian matrix is the
/// conjugate of its transpose.
fn is_mirrored(form: Form, c: Tile) -> bool {
    c.op.is_conjugated != (form == Form::Hermitian && c.op.is_transposed)
}

/// The operand of a symmetric product as what is stored of it asks for.
fn mirrored(form: Form, c: Tile, a: Tile) -> Tile {
    if is_mirrored(form, c) { a.conjugated() } else { a }
}

/// `C = alpha A B + beta C` with the symmetric or Hermitian tile `a`, whose lower triangle counts.
pub(crate) fn symm<T: Scalar>(
    flow: &mut Flow,
    form: Form,
    (alpha, beta): (T, T),
    (a, b): (Tile, Tile),
    c: Tile,
    priority: i32,
) {
    assert!(b.op == c.op, "B seen as {:?} and C as {:?}", b.op, c.op);
    let (side, is_right) =
        if c.op.is_transposed { (Side::Right, true) } else { (Side::Left, false) };
    // What is stored is conjugated if A is; a Hermitian A is the conjugate of its transpose.
    let turns = form == Form::Hermitian && (a.op.is_transposed != is_right);
    let conjugates = (a.op.is_conjugated != turns) != c.op.is_conjugated;
    assert!(!(T::IS_COMPLEX && conjugates), "no kernel takes the conjugate of a symmetric tile");
    let (m, n) = c.stored();
    let (alpha, beta, uplo) = (turned(c, alpha), turned(c, beta), stored(a, Uplo::Lower));
    let symm = Symm { form, side, uplo, m, n, alpha, beta };
    flow.submit(symm, &[(a.handle, R), (b.handle, R), (c.handle, RW)], priority);
}

/// `B = alpha inv(T) B`.
pub(crate) fn trsm<T: Scalar>(
    flow: &mut Flow,
    t: TriangularTile,
    alpha: T,
    b: Tile,
    priority: i32,
) {
    let ld = t.tile.stored().0;
    let (side, TriangularTile { tile, uplo, diag }) = sided(t, b);
    let ((m, n), trans, alpha) = (b.stored(), tile.trans::<T>(), turned(b, alpha));
    let solve = Trsm { side, uplo, trans, diag, m, n, ld, alpha };
    flow.submit(solve, &[(tile.handle, R), (b.handle, RW)], priority);
}

/// `B = alpha T B`.
pub(crate) fn trmm<T: Scalar>(
    flow: &mut Flow,
    t: TriangularTile,
    alpha: T,
    b: Tile,
    priority: i32,
) {
    let (side, TriangularTile { tile, uplo, diag }) = sided(t, b);
    let ((m, n), trans, alpha) = (b.stored(), tile.trans::<T>(), turned(b, alpha));
    let product = Trmm { side, uplo, trans, diag, m, n, alpha };
    flow.submit(product, &[(tile.handle, R), (b.handle, RW)], priority);
}

/// On which side of the stored `b` the triangle stands, and how it enters there: `uplo` is that of
/// what is stored.
fn sided(t: TriangularTile, b: Tile) -> (Side, TriangularTile) {
    let tile = conjugated_as(b, t.tile);
    let uplo = stored(tile, t.uplo);
    if b.op.is_transposed {
        (Side::Right, TriangularTile { tile: tile.transposed(), uplo, ..t })
    } else {
        (Side::Left, TriangularTile { tile, uplo, ..t })
    }
}

/// `A = L L^H`, the lower triangle; the first row of the tile is row `offset` of the matrix.
pub(crate) fn potrf<T: Scalar>(flow: &mut Flow, a: Tile, offset: usize, priority: i32) {
    let potrf = Potrf::<T>::new(stored(a, Uplo::Lower), a.rows, offset);
    flow.submit(potrf, &[(a.handle, RW)], priority);
}

/// The inverse of a triangle, in place; its first row is row `offset` of the matrix.
pub(crate) fn trtri<T: Scalar>(flow: &mut Flow, t: TriangularTile, offset: usize, priority: i32) {
    let TriangularTile { tile, uplo, diag } = t;
    let trtri = Trtri::<T>::new(stored(tile, uplo), diag, tile.rows, offset);
    flow.submit(trtri, &[(tile.handle, RW)], priority);
}

/// `A = L^H L`, the lower triangle.
pub(crate) fn lauum<T: Scalar>(flow: &mut Flow, a: Tile, priority: i32) {
    let lauum = Lauum::<T>::new(stored(a, Uplo::Lower), a.rows);
    flow.submit(lauum, &[(a.handle, RW)], priority);
}

/// `A = alpha A`, on a part of the tile.
pub(crate) fn scale<T: Scalar>(flow: &mut Flow, part: Part, alpha: T, a: Tile, priority: i32) {
    let part = if a.op.is_transposed { part.flipped() } else { part };
    let ((m, n), alpha) = (a.stored(), turned(a, alpha));
    flow.submit(Lascal { part, m, n, alpha }, &[(a.handle, RW)], priority);
}
