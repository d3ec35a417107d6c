//! `xORMQR` and `xORMLQ`, in complex precisions `xUNMQR` and `xUNMLQ`: products with the orthogonal
//! factor.

use std::marker::PhantomData;

use tegula_kernels::kernel::{larft::Larft, unmqr::Unmqr};
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_kernels::tile::{TileMut, TileRef};
use tegula_linalg as linalg;

use super::{Reflectors, is_query};
use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter, require};
use crate::export::export;
use crate::option::{SIDE, unitary_trans};
use crate::run::{blas, in_tiles, is_small, panel, product};

export! {
    "`C = op(Q) C` or `C = C op(Q)`, with the `Q` whose reflectors `xGEQRF` has left."
    ormqr(
        side: Letter, trans: Letter, m: Int, n: Int, k: Int, a: Input, lda: Int, tau: Input,
        c: Array, ldc: Int, work: Array, lwork: Int
    ) info as sormqr_: f32, dormqr_: f64, cunmqr_: c32, zunmqr_: c64;

    "`C = op(Q) C` or `C = C op(Q)`, with the `Q` whose reflectors `xGELQF` has left."
    ormlq(
        side: Letter, trans: Letter, m: Int, n: Int, k: Int, a: Input, lda: Int, tau: Input,
        c: Array, ldc: Int, work: Array, lwork: Int
    ) info as sormlq_: f32, dormlq_: f64, cunmlq_: c32, zunmlq_: c64;
}

macro_rules! routines {
    ($($name:ident $storev:ident),+) => { $(
        #[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
        fn $name<T: Scalar>(
            side: Letter,
            trans: Letter,
            m: i32,
            n: i32,
            k: i32,
            a: Array<T>,
            lda: i32,
            tau: Array<T>,
            c: Array<T>,
            ldc: i32,
            work: Array<T>,
            lwork: i32,
        ) -> Checked<i32> {
            let storev = Storev::$storev;
            run(storev, (side, trans), (m, n, k), (a, lda, tau), (c, ldc), (work, lwork))
        }
    )+ };
}

routines! { ormqr Columns, ormlq Rows }

fn run<T: Scalar>(
    storev: Storev,
    (side, trans): (Letter, Letter),
    (m, n, k): (i32, i32, i32),
    (a, lda, tau): (Array<T>, i32, Array<T>),
    (c, ldc): (Array<T>, i32),
    (work, lwork): (Array<T>, i32),
) -> Checked<i32> {
    let (side, trans) = (side.of(1, SIDE)?, trans.of(2, unitary_trans::<T>())?);
    let (m, n, count) = (m.size(3)?, n.size(4)?, k.size(5)?);
    let (order, other) = if side == Side::Left { (m, n) } else { (n, m) };
    require(5, count <= order)?;
    let (rows, cols) = storev.stored(order, count);
    let a = a.matrix(rows, cols, lda.leading(7, rows)?);
    let c = c.matrix(m, n, ldc.leading(10, m)?);
    if !is_query(12, work, lwork, other)? && m > 0 && n > 0 && count > 0 {
        // Of real matrices the same.
        let trans = if trans.swaps() { Trans::Conj } else { Trans::No };
        multiply(side, trans, Reflectors { storev, a, tau, count }, c);
    }
    Ok(0)
}

/// The product, where there is something to multiply.
pub(super) fn multiply<T: Scalar>(
    side: Side,
    trans: Trans,
    reflectors: Reflectors<T>,
    c: Matrix<T>,
) {
    let Reflectors { storev, a, count: k, .. } = reflectors;
    let (order, width) = reflectors.shape();
    let (m, n) = (c.rows, c.cols);
    if is_small::<T>(2.0 * product([m, n, k])) {
        let scalar = PhantomData::<T>;
        let mut triangle = vec![T::ZERO; k * k];
        let larft = Larft { storev, m: order, n: width, k, offset: 0, scalar };
        let tau = reflectors.factors().view();
        larft.compute(blas(), a.view(), tau, TileMut::new(&mut triangle, k, k));
        let unmqr = Unmqr { side, trans, storev, m, n, order, width, k, offset: 0, scalar };
        let triangle = TileRef::new(&triangle, k, k);
        return unmqr.compute(blas(), a.view(), triangle, c.view_mut());
    }
    let (width, (mb, nb)) = reflectors.tiling();
    let of_c = if side == Side::Left { (m, panel(m, n)) } else { (panel(m, n), n) };
    let tau = reflectors.factors().in_tiles(width, 1);
    in_tiles(
        [a.in_tiles(mb, nb), tau, c.in_tiles(of_c.0, of_c.1)],
        |flow, [a, tau, c]| match storev {
            Storev::Columns => linalg::ormqr(flow, side, trans, a, tau, c),
            Storev::Rows => linalg::ormlq(flow, side, trans, a, tau, c),
        },
    )
    .expect("a product with reflectors does not fail");
}
