//! Tiled matrix product: `C = alpha op(A) op(B) + beta C`.

use tegula_data::matrix::TileMatrix;
use tegula_kernels::kernel::{geadd::Geadd, gemm::Gemm};
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;

/// Submits the product of `op(a)` (`m x k`) and `op(b)` (`k x n`), added to `beta c` (`m x n`).
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn gemm<T: Scalar>(
    flow: &mut Flow,
    (trans_a, trans_b): (Trans, Trans),
    alpha: T,
    a: &TileMatrix<T>,
    b: &TileMatrix<T>,
    beta: T,
    c: &TileMatrix<T>,
) {
    let (m, k, mb, kb) = shape(a, trans_a);
    let (k_of_b, n, kb_of_b, nb) = shape(b, trans_b);
    assert!(
        (k, kb) == (k_of_b, kb_of_b),
        "op(A) has {k} columns in {kb}s, op(B) {k_of_b} rows in {kb_of_b}s"
    );
    assert!(
        (m, n, mb, nb) == (c.m(), c.n(), c.mb(), c.nb()),
        "op(A) op(B) is {m} x {n} in {mb} x {nb} tiles, C {} x {} in {} x {}",
        c.m(),
        c.n(),
        c.mb(),
        c.nb()
    );
    let steps = k.div_ceil(kb);
    for j in 0..c.nt() {
        flow.iteration(j);
        for i in 0..c.mt() {
            let (m, n) = (c.tile_rows(i), c.tile_columns(j));
            if steps == 0 {
                // An empty product: C = beta C.
                let scale = Geadd { trans: Trans::No, m, n, alpha: T::ZERO, beta };
                let empty = flow.register(m * n * size_of::<T>());
                flow.submit(scale, &[(empty, R), (c.tile(i, j), RW)], 0);
                flow.done_with(empty);
            }
            for l in 0..steps {
                let (left, k) = match trans_a {
                    Trans::No => (a.tile(i, l), a.tile_columns(l)),
                    Trans::Yes | Trans::Conj => (a.tile(l, i), a.tile_rows(l)),
                };
                let right = if trans_b == Trans::No { b.tile(l, j) } else { b.tile(j, l) };
                let beta = if l == 0 { beta } else { T::ONE };
                let product = Gemm { trans_a, trans_b, m, n, k, alpha, beta };
                flow.submit(product, &[(left, R), (right, R), (c.tile(i, j), RW)], 0);
            }
        }
    }
}

/// Rows, columns, rows of a tile, columns of a tile of `op(a)`.
fn shape<T: Scalar>(a: &TileMatrix<T>, trans: Trans) -> (usize, usize, usize, usize) {
    match trans {
        Trans::No => (a.m(), a.n(), a.mb(), a.nb()),
        Trans::Yes | Trans::Conj => (a.n(), a.m(), a.nb(), a.mb()),
    }
}
