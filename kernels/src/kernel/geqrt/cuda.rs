//! The factorization by cuSOLVER; the triangle of the reflectors is made block by block from the
//! products of their vectors.

use tegula_runtime::flow::{Failure, Launch};

use super::Geqrt;
use crate::cuda::{
    Block, Products, Solver, TOGETHER, Verdict, extend_triangle, int, leading, take_reflectors,
};
use crate::option::{Storev, Trans};
use crate::scalar::Scalar;

/// The columns that are factored, and what comes of them.
struct Parts<T> {
    a: Block<T>,
    tau: Block<T>,
    t: Block<T>,
    /// Room for some of the reflectors with their ones and zeros.
    v: Block<T>,
    /// Room for the products of these.
    products: Block<T>,
    /// Room for cuSOLVER.
    work: Block<T>,
}

impl<T: Scalar> Geqrt<T> {
    /// Puts the factorization on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { storev, m, n, offset, .. } = self;
        let (rows, k, is_turned) = (m - offset, self.count(), storev == Storev::Rows);
        let stored = storev.stored(m, n);
        let a = Block::<T>::output(launch, 0, stored.0, stored.1);
        let (tau, t) = (Block::output(launch, 1, k, 1), Block::output(launch, 2, k, k));
        if k == 0 {
            return Ok(());
        }
        t.clear(launch)?;
        let copied = if is_turned { (rows, n) } else { (0, 0) };
        let (width, room) = (TOGETHER.min(k), solver_room(launch, a, (rows, n))?);
        let shapes = [copied, (rows, width), (width, width), (room, 1)];
        let [copy, v, products, work] = Block::room(launch, shapes)?;
        let parts = |a| Parts { a, tau, t, v, products, work };
        if !is_turned {
            return parts(a.part(offset, 0, rows, n)).factor(launch);
        }
        // Vectors are columns here.
        let a = a.part(0, offset, n, rows);
        copy.copy(launch, Trans::Yes, a)?;
        parts(copy).factor(launch)?;
        a.copy(launch, Trans::Yes, copy)
    }
}

/// Numbers of working memory that cuSOLVER asks for to factor `shape` numbers at `a`.
#[allow(unsafe_code)]
fn solver_room<T: Scalar>(
    launch: &Launch<'_>,
    a: Block<T>,
    (rows, cols): (usize, usize),
) -> Result<usize, Failure> {
    let (solver, calls) = Solver::of::<T>(launch)?;
    let (rows, cols, mut room) = (int(rows), int(cols), 0);
    // SAFETY: it asks for a size only.
    solver.call(|solver| unsafe {
        (calls.geqrf_room)(solver, rows, cols, a.pointer(), rows.max(1), &mut room)
    })?;
    Ok(usize::try_from(room)?.max(1))
}

impl<T: Scalar> Parts<T> {
    fn factor(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.reduce(launch)?;
        let (products, k) = (Products::of(launch)?, self.tau.rows());
        for first in (0..k).step_by(TOGETHER) {
            self.join(launch, &products, first, TOGETHER.min(k - first))?;
        }
        Ok(())
    }

    /// Makes `R`, the reflectors and their factors.
    #[allow(unsafe_code)]
    fn reduce(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { a, tau, work, .. } = self;
        let (solver, calls) = Solver::of::<T>(launch)?;
        // Nothing can fail: nobody looks at it.
        let info = Verdict::new(launch)?.address() as *mut i32;
        let (rows, cols, ld, room) =
            (int(a.rows()), int(a.cols()), leading(a.stride()), int(work.rows()));
        let (a, tau, work) = (a.pointer(), tau.pointer(), work.pointer());
        // SAFETY: the columns are `rows x cols`, there is a factor for each reflector, and the room
        // is as large as was asked for.
        solver.call(|solver| unsafe {
            (calls.geqrf)(solver, rows, cols, a, ld, tau, work, room, info)
        })
    }

    /// Makes the triangle of the `width` reflectors from `first` on, and joins it to those before.
    fn join(
        &self,
        launch: &Launch<'_>,
        products: &Products<T>,
        first: usize,
        width: usize,
    ) -> Result<(), Failure> {
        let &Self { a, tau, t, .. } = self;
        let rows = a.rows() - first;
        let v = self.v.adjacent(rows, width);
        take_reflectors(launch, Storev::Columns, a.part(first, first, rows, width), v)?;
        let before = a.part(first, 0, rows, first);
        extend_triangle(launch, products, (before, v), tau, self.products, t)
    }
}
