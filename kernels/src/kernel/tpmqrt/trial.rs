//! Trials of the product with reflectors below a triangle.

use std::marker::PhantomData;

use super::Tpmqrt;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::tpqrt::{Tpqrt, triangle};
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Below, Trans};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        // More reflectors are more of the same, and the reference takes long.
        let (Shape { m, n, .. }, k) = (shape, shape.k.min(70));
        let mut trials = Vec::new();
        for below in Below::ALL {
            for trans in [Trans::No, Trans::Conj] {
                for ib in [1 + k % 7, 24] {
                    let tpmqrt =
                        Tpmqrt { below, trans, top: k + 1, m, n, k, ib, scalar: PhantomData };
                    trials.push(compare(tpmqrt, blas, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(tpmqrt: Tpmqrt<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Tpmqrt { below, top, m, n, k, ib, scalar, .. } = tpmqrt;
    let mut v = Guarded::random(m, k, random);
    v.keep(|i, j| below.holds(i, j));
    let (mut r, mut t) = (triangle(k, k, random), Guarded::nan(ib.min(k), k));
    Tpqrt { below, top: k, m, n: k, ib, scalar }.reference(r.write(), v.write(), t.write());
    t.keep(|i, j| j / ib * ib + i <= j);
    let before = (Guarded::random(top, n, random), Guarded::random(m, n, random));
    let (mut got, mut expected) = (before.clone(), before.clone());
    tpmqrt.compute(blas, (v.read(), t.read()), got.0.write(), got.1.write());
    tpmqrt.reference((v.read(), t.read()), expected.0.write(), expected.1.write());
    let errors = [
        got.0.deviation(&before.0, &expected.0, |i, _| i < k),
        got.1.deviation(&before.1, &expected.1, |i, _| i < below.rows(m, k)),
    ];
    // An entry is a sum over a column of norm at most sqrt(2 (m + k)), once and again.
    let norm = (2.0 * (m + k) as f64).sqrt();
    let tolerance = 8.0 * (m + 2 * k + 2) as f64 * T::epsilon() * norm;
    Trial { case: format!("{tpmqrt:?}"), error: errors.iter().sum(), tolerance }
}
