//! Trials of the product with reflectors in strips and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::UnmqrStrips;
use crate::backend::Blas;
use crate::householder::Laid;
use crate::kernel::reflectors::factored;
use crate::kernel::trial::{Draw, Shape, Trial, heights, in_strips};
use crate::kernel::unmqr::Unmqr;
use crate::kernel::unmqr::trial::{judge, typical, variants};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::strips::{StripsMut, StripsRef};
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = "unmqr-strips";
    const FORMULA: &'static str = "C = op(Q) C, Q of reflectors in strips";
    const FLOPS: &'static str = "5 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
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

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![in_strips(n, draw), in_strips(n, draw), draw.dominant(n), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [columns, rows, t, c] = operands else { unreachable!("four operands were made") };
        let product = of_square::<T>(n, blas.strip_height().unwrap_or(n) as u32);
        let [of_columns, of_rows] = product.lay_outs().map(|lay_out| lay_out.shape());
        let laid = Laid {
            columns: StripsRef::new(&columns[..of_columns.elements()], of_columns),
            rows: StripsRef::new(&rows[..of_rows.elements()], of_rows),
        };
        product.compute(blas, laid, TileRef::new(t, n, n), TileMut::new(c, n, n));
    }

    fn cost(n: usize) -> Cost {
        of_square::<T>(n, 1).cost()
    }
}

fn of_square<T: Scalar>(n: usize, height: u32) -> UnmqrStrips<T> {
    UnmqrStrips { product: typical(n), height }
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
