//! Trials of the product with reflectors in strips.

use super::UnmqrStrips;
use super::card::Card;
use crate::backend::Blas;
use crate::householder::Laid;
use crate::kernel::draw::Draw;
use crate::kernel::trial::panels::factored;
use crate::kernel::trial::{Shape, Trial, Tried, heights};
use crate::kernel::unmqr::Unmqr;
use crate::kernel::unmqr::trial::{judge, variants};
use crate::scalar::Scalar;
use crate::strips::{StripsMut, StripsRef};
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let mut trials = Vec::new();
        for product in variants::<T>(shape) {
            for height in heights(blas) {
                let unmqr = UnmqrStrips { product, height: height as u32 };
                if unmqr.is_computed() {
                    trials.push(compare(unmqr, blas, draw));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(unmqr: UnmqrStrips<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Unmqr { storev, order, width, k, .. } = unmqr.product;
    let factored = factored(storev, (order, width, k), unmqr.product.offset(), draw);
    let laid = unmqr.lay_outs().map(|lay_out| {
        let (rows, cols) = lay_out.trans.stored(lay_out.m, lay_out.n);
        let v = factored.v.read().part(lay_out.first.0, lay_out.first.1, rows, cols);
        let mut strips = vec![T::NAN; lay_out.shape().elements()];
        lay_out.compute(blas, v, StripsMut::new(&mut strips, lay_out.shape()));
        (strips, lay_out.shape())
    });
    let [columns, rows] = laid.each_ref().map(|(strips, shape)| StripsRef::new(strips, *shape));
    let compute = |t: TileRef<'_, T>, c: TileMut<'_, T>| {
        unmqr.compute(blas, Laid { columns, rows }, t, c);
    };
    judge(format!("{unmqr:?}"), unmqr.product, &factored, compute, draw)
}
