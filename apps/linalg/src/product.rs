//! Products of tiled matrices, of which the left one may be symmetric or triangular: factors are
//! packed where the backend reads those faster and each serves several products.

use std::marker::PhantomData;
use std::ops::Range;

use tegula_kernels::kernel::gemm::GemmPacked;
use tegula_kernels::kernel::pack::{Pack, Structure};
use tegula_kernels::kernel::syrk::SyrkPacked;
use tegula_kernels::option::{Form, Part, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, Handle};

use crate::view::{Tile, View};
use crate::{packing, tasks};

/// A tile of a factor, and its packed copy if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    pub(crate) tile: Tile,
    pub(crate) structure: Structure,
    packed: Option<Handle>,
}

/// Packs factors, or leaves them as tiles.
#[derive(Debug)]
pub(crate) struct Packing<T> {
    height: Option<usize>,
    made: Vec<Handle>,
    scalar: PhantomData<T>,
}

impl<T: Scalar> Packing<T> {
    /// For products whose result has `mt x nt` tiles.
    pub(crate) fn new(flow: &Flow, (mt, nt): (usize, usize)) -> Self {
        Self {
            height: packing::micro_panel_height::<T>(flow, mt.min(nt)),
            made: Vec::new(),
            scalar: PhantomData,
        }
    }

    /// A left factor.
    pub(crate) fn left(
        &mut self,
        flow: &mut Flow,
        tile: Tile,
        structure: Structure,
        priority: i32,
    ) -> Factor {
        let packed = self.height.map(|height| {
            let size = (tile.rows, tile.columns);
            let pack = Pack::<T>::whole(structure, tile.trans::<T>(), size, height);
            let packed = packing::pack(flow, pack, pack.shape(), tile.handle, priority);
            self.made.push(packed);
            packed
        });
        Factor { tile, structure, packed }
    }

    /// A right factor: its transpose is packed.
    pub(crate) fn right(&mut self, flow: &mut Flow, tile: Tile, priority: i32) -> Factor {
        let factor = self.left(flow, tile.transposed(), Structure::General, priority);
        Factor { tile, ..factor }
    }

    /// `C = alpha A B + beta C`.
    pub(crate) fn multiply(
        &self,
        flow: &mut Flow,
        (alpha, beta): (T, T),
        (a, b): (Factor, Factor),
        c: Tile,
        priority: i32,
    ) {
        let Some((height, (x, y))) = self.height.zip(a.packed.zip(b.packed)) else {
            return match a.structure {
                Structure::Symmetric(form, _) => {
                    tasks::symm(flow, form, (alpha, beta), (a.tile, b.tile), c, priority);
                }
                _ => tasks::gemm(flow, (alpha, beta), (a.tile, b.tile), c, priority),
            };
        };
        // Of a transposed result the factors change places.
        let (x, y) = if c.op.is_transposed { (y, x) } else { (x, y) };
        let ((m, n), k) = (c.stored(), a.tile.columns);
        let product = GemmPacked { m, n, k, height, alpha, beta };
        flow.submit(product, &[(x, R), (y, R), (c.handle, RW)], priority);
    }

    /// The lower triangle of `C = alpha A A' + beta C`.
    pub(crate) fn square(
        &self,
        flow: &mut Flow,
        form: Form,
        (alpha, beta): (T, T),
        a: Factor,
        c: Tile,
        priority: i32,
    ) {
        // The packed kernel knows the lower triangle of what is stored.
        match self.height.zip(a.packed).filter(|_| !c.op.is_transposed) {
            Some((height, packed)) => {
                let syrk = SyrkPacked { n: a.tile.rows, k: a.tile.columns, height, alpha, beta };
                flow.submit(syrk, &[(packed, R), (c.handle, RW)], priority);
            }
            None => tasks::syrk(flow, form, (alpha, beta), a.tile, c, priority),
        }
    }

    /// The factor that the transpose of `a` is on the right, or its conjugate transpose.
    pub(crate) fn mirror(a: Factor, form: Form) -> Factor {
        // Packed, a right factor is transposed anyway, and only real ones are packed.
        Factor { tile: a.tile.op(form.mirror()), ..a }
    }

    /// Gives the room back when everything submitted so far has run.
    pub(crate) fn retire(&mut self, flow: &mut Flow) {
        self.made.drain(..).for_each(|packed| flow.retire(packed));
    }
}

/// A left factor: a matrix, and what it is as seen.
#[derive(Debug)]
pub(crate) struct Left<'a, T> {
    pub(crate) view: View<'a, T>,
    pub(crate) structure: Structure,
}

impl<T: Scalar> Left<'_, T> {
    /// Columns of tiles that are not zero in row `i`.
    fn columns(&self, i: usize) -> Range<usize> {
        match self.structure {
            Structure::Triangular(Uplo::Lower, _) => 0..i + 1,
            Structure::Triangular(Uplo::Upper, _) => i..self.view.nt(),
            _ => 0..self.view.nt(),
        }
    }

    /// Tile `(i, l)`, and what it is.
    fn tile(&self, i: usize, l: usize) -> (Tile, Structure) {
        match self.structure {
            Structure::Symmetric(form, _) if i < l => {
                (self.view.tile(l, i).op(form.mirror()), Structure::General)
            }
            structure if i == l => (self.view.tile(i, i), structure),
            _ => (self.view.tile(i, l), Structure::General),
        }
    }
}

/// Submits `C = alpha A B + beta C`; a triangular `a` only where factors are packed, since no other
/// kernel completes it.
pub(crate) fn multiply<T: Scalar>(
    flow: &mut Flow,
    alpha: T,
    a: &Left<'_, T>,
    b: View<'_, T>,
    beta: T,
    c: View<'_, T>,
) {
    let steps = if alpha == T::ZERO { 0 } else { b.mt() };
    if steps == 0 {
        return scale(flow, beta, c);
    }
    let mut packing = Packing::<T>::new(flow, (c.mt(), c.nt()));
    for chunk in chunks(flow, steps) {
        let priority = priority(&chunk);
        let mut left: Vec<Vec<Option<Factor>>> = vec![Vec::new(); c.mt()];
        for j in 0..c.nt() {
            flow.iteration(j);
            let right: Vec<Factor> =
                chunk.clone().map(|l| packing.right(flow, b.tile(l, j), priority)).collect();
            for (i, left) in left.iter_mut().enumerate() {
                if j == 0 {
                    left.extend(chunk.clone().map(|l| {
                        let (tile, structure) = a.columns(i).contains(&l).then(|| a.tile(i, l))?;
                        Some(packing.left(flow, tile, structure, priority))
                    }));
                }
                for ((l, &left), &right) in chunk.clone().zip(left.iter()).zip(&right) {
                    let Some(left) = left else { continue };
                    let beta = if l == a.columns(i).start { beta } else { T::ONE };
                    packing.multiply(flow, (alpha, beta), (left, right), c.tile(i, j), priority);
                }
            }
        }
        packing.retire(flow);
    }
}

/// Columns of tiles of the left factor that are taken together. Where workers share one memory they
/// come one after the other: a tile of the right factor then serves several products in a row, and
/// few are packed at a time. Where tiles are moved, a tile of the result stays for some.
fn chunks(flow: &Flow, steps: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    const MOVED: usize = 8;
    let size = if flow.is_flat() { 1 } else { MOVED };
    (0..steps).step_by(size).map(move |first| first..steps.min(first + size))
}

fn priority(chunk: &Range<usize>) -> i32 {
    -i32::try_from(chunk.start).unwrap_or(i32::MAX)
}

/// Submits the lower triangle of `C = alpha A A' + beta C`, or with the conjugate transpose.
pub(crate) fn square<T: Scalar>(
    flow: &mut Flow,
    form: Form,
    alpha: T,
    a: View<'_, T>,
    beta: T,
    c: View<'_, T>,
) {
    let steps = if alpha == T::ZERO { 0 } else { a.nt() };
    if steps == 0 {
        return scale_triangle(flow, form, beta, c);
    }
    let mut packing = Packing::<T>::new(flow, (c.mt(), c.nt()));
    for chunk in chunks(flow, steps) {
        let priority = priority(&chunk);
        let mut rows: Vec<Vec<Factor>> = Vec::new();
        for i in 0..c.mt() {
            flow.iteration(i);
            let row = chunk
                .clone()
                .map(|l| packing.left(flow, a.tile(i, l), Structure::General, priority));
            rows.push(row.collect());
            for j in 0..=i {
                for ((l, &left), &right) in chunk.clone().zip(&rows[i]).zip(&rows[j]) {
                    let factors = (alpha, if l == 0 { beta } else { T::ONE });
                    if i == j {
                        packing.square(flow, form, factors, left, c.tile(i, i), priority);
                    } else {
                        let pair = (left, Packing::<T>::mirror(right, form));
                        packing.multiply(flow, factors, pair, c.tile(i, j), priority);
                    }
                }
            }
        }
        packing.retire(flow);
    }
}

/// Submits `C = beta C`.
pub(crate) fn scale<T: Scalar>(flow: &mut Flow, beta: T, c: View<'_, T>) {
    for j in 0..c.nt() {
        for i in 0..c.mt() {
            tasks::scale(flow, Part::Whole, beta, c.tile(i, j), 0);
        }
    }
}

/// Submits the lower triangle of `C = beta C`, as symmetric products without a term leave it: the
/// diagonal of a Hermitian `c` becomes real unless `beta` is one.
pub(crate) fn scale_triangle<T: Scalar>(flow: &mut Flow, form: Form, beta: T, c: View<'_, T>) {
    if beta == T::ONE {
        return;
    }
    let nothing = flow.register(0);
    for j in 0..c.nt() {
        tasks::scale_triangle(flow, form, nothing, beta, c.tile(j, j));
        for i in j + 1..c.mt() {
            tasks::scale(flow, Part::Whole, beta, c.tile(i, j), 0);
        }
    }
    flow.retire(nothing);
}
