//! Trials of the product with packed reflectors.

use super::UnmqrPacked;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::householder::PackedReflectors;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::panels::factored;
use crate::kernel::trial::{Shape, Trial, Tried, heights};
use crate::kernel::unmqr::Unmqr;
use crate::kernel::unmqr::trial::{judge, variants};
use crate::packed::{PackedMut, PackedRef};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        for product in variants::<T>(shape) {
            for height in heights(blas) {
                let unmqr = UnmqrPacked { product, height: height as u32 };
                if unmqr.is_computed() {
                    trials.push(compare(unmqr, blas, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(
    unmqr: UnmqrPacked<T>,
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Trial {
    let Unmqr { storev, order, width, k, .. } = unmqr.product;
    let factored = factored(storev, (order, width, k), unmqr.product.offset(), random);
    let packed = unmqr.packs().map(|pack| {
        let (rows, cols) = pack.trans.stored(pack.m, pack.n);
        let v = factored.v.read().part(pack.first.0, pack.first.1, rows, cols);
        let mut packed = vec![T::NAN; pack.shape().elements()];
        pack.compute(blas, v, PackedMut::new(&mut packed, pack.shape()));
        (packed, pack.shape())
    });
    let [columns, rows] = packed.each_ref().map(|(packed, shape)| PackedRef::new(packed, *shape));
    let compute = |t: TileRef<'_, T>, c: TileMut<'_, T>| {
        unmqr.compute(blas, PackedReflectors { columns, rows }, t, c);
    };
    judge(format!("{unmqr:?}"), unmqr.product, &factored, compute, random)
}
