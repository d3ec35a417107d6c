//! Trials of the product with reflectors.

use std::marker::PhantomData;

use super::Unmqr;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::panels::{Factored, factored};
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Side, Storev, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        variants(shape).into_iter().map(|unmqr| compare(unmqr, blas, random)).collect()
    }
}

/// Both sides, adjoint or not, stored by columns and by rows, with all of `C` or a part.
pub(super) fn variants<T: Scalar>(shape: Shape) -> Vec<Unmqr<T>> {
    let mut variants = Vec::new();
    for side in Side::ALL {
        for trans in [Trans::No, Trans::Conj] {
            for storev in Storev::ALL {
                variants.extend([1, 3].map(|divisor| variant(side, trans, storev, shape, divisor)));
            }
        }
    }
    variants
}

/// Reflectors that meet all of `C`, or two thirds of it and two more lines that it does not have.
fn variant<T: Scalar>(
    side: Side,
    trans: Trans,
    storev: Storev,
    Shape { m, n, k }: Shape,
    divisor: usize,
) -> Unmqr<T> {
    let lines = if side == Side::Left { m } else { n };
    let (order, width) = if divisor == 1 { (lines, k) } else { (lines - lines / 4, k + 2) };
    let offset = if divisor == 1 { 0 } else { order / divisor };
    // More reflectors are more of the same, and the reference takes long.
    let k = k.min(order - offset).min(70);
    let (offset, scalar) = (offset as u32, PhantomData);
    Unmqr { side, trans, storev, m, n, order, width, k, offset, scalar }
}

fn compare<T: Scalar>(unmqr: Unmqr<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Unmqr { storev, order, width, k, .. } = unmqr;
    let factored = factored(storev, (order, width, k), unmqr.offset(), random);
    let v = factored.v.read();
    let compute = |t: TileRef<'_, T>, c: TileMut<'_, T>| unmqr.compute(blas, v, t, c);
    judge(format!("{unmqr:?}"), unmqr, &factored, compute, random)
}

/// Compares the result of `compute` from a triangle and a `C` with the definition.
pub(super) fn judge<T: Scalar>(
    case: String,
    unmqr: Unmqr<T>,
    Factored { v, t, .. }: &Factored<T>,
    compute: impl Fn(TileRef<'_, T>, TileMut<'_, T>),
    random: &mut RandomInputs,
) -> Trial {
    let Unmqr { side, m, n, order, k, .. } = unmqr;
    let offset = unmqr.offset();
    let before = Guarded::random(m, n, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    compute(t.read(), got.write());
    unmqr.reference(v.read(), t.read(), expected.write());
    // An entry is a sum over a column of norm at most sqrt(2 order), once and again.
    let norm = (2.0 * order as f64).sqrt();
    let tolerance = 8.0 * (order + k + 2) as f64 * T::epsilon() * norm;
    let error = got.deviation(&before, &expected, |i, j| {
        (offset..order).contains(if side == Side::Left { &i } else { &j })
    });
    Trial { case, error, tolerance }
}
