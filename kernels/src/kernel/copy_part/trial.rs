//! Trials of the copy of a block.

use std::marker::PhantomData;

use super::list_entry::ListEntry;
use super::{Block, CopyPart};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        vec![compare::<T>(block(shape.m as u32, shape.n as u32), random)]
    }
}

/// A block inside both tiles.
fn block<T: Scalar>(m: u32, n: u32) -> CopyPart<T> {
    CopyPart {
        from: Block { tile: (m + 3, n + 1), first: (2, 1) },
        to: Block { tile: (m + 1, n + 4), first: (0, 3) },
        size: (m, n),
        scalar: PhantomData,
    }
}

fn compare<T: Scalar>(copy: CopyPart<T>, random: &mut RandomInputs) -> Trial {
    let ((m, n), (rows, cols)) = (copy.from.shape(), copy.to.shape());
    let (a, before) = (Guarded::random(m, n, random), Guarded::random(rows, cols, random));
    let (mut got, mut expected) = (before.clone(), before.clone());
    copy.compute(a.read(), got.write());
    copy.reference(a.read(), expected.write());
    let ((height, width), first) = (copy.size(), copy.to.origin());
    let inside = |i: usize, j: usize| {
        (first.0..first.0 + height).contains(&i) && (first.1..first.1 + width).contains(&j)
    };
    let error = got.deviation(&before, &expected, inside);
    Trial { case: format!("{copy:?}"), error, tolerance: 0.0 }
}
