//! Products of tiles, taken off a dense one: `C = C - A_1 B_1' - A_2 B_2' - ...`.
//!
//! Shapes: `C` is `m x n`, each `A` is `m x k`, each `B` is `n x k`; of a tile on the diagonal only
//! the lower triangle is read and written. With `A = U_a V_a'` and `B = U_b V_b'` the product is
//! `U_a (V_a' V_b) U_b'`, of the smaller of both ranks: the thin factors of all products stand side
//! by side, so that `C` is read and written once. Cannot fail.

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use super::Form;
use crate::backend::{self, Blas};
use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

/// Most products of a task.
pub const MOST_PAIRS: usize = 3;

/// The accesses of a task with the most products.
const ACCESSES: &[Access] = &[RW, R, R, R, R, R, R];

/// The update with its arguments; buffers `[C: RW, A_1: R, B_1: R, A_2: R, B_2: R, ...]`.
#[derive(Clone, Copy, Debug)]
pub struct Update<const PAIRS: usize> {
    /// Rows of `C`.
    pub m: u32,
    /// Columns of `C`.
    pub n: u32,
    /// Columns of the tiles that are multiplied.
    pub k: u32,
    /// Whether only the lower triangle of `C` counts.
    pub is_lower: bool,
    /// Forms of `A` and `B` of each product.
    pub forms: [[Form; 2]; PAIRS],
}

/// The columns of the thin factors of a product; none if both tiles are dense.
pub(super) fn width([a, b]: [Form; 2]) -> usize {
    match (a, b) {
        (Form::Dense, Form::Dense) => 0,
        (Form::LowRank(rank), Form::Dense) | (Form::Dense, Form::LowRank(rank)) => rank as usize,
        (Form::LowRank(a), Form::LowRank(b)) => a.min(b) as usize,
    }
}

/// Numbers between the factors of a product.
pub(super) fn middle([a, b]: [Form; 2]) -> usize {
    match (a, b) {
        (Form::LowRank(a), Form::LowRank(b)) => a as usize * b as usize,
        _ => 0,
    }
}

impl<const PAIRS: usize> Codelet for Update<PAIRS> {
    const NAME: &'static str = "tlr_update";
    const ACCESS: &'static [Access] = ACCESSES.split_at(1 + 2 * PAIRS).0;

    fn cost(&self) -> Cost {
        let [m, n, k] = [self.m, self.n, self.k].map(|size| size as usize);
        let share = if self.is_lower { 0.5 } else { 1.0 };
        let mut cost = Cost { flops: 0.0, bytes: bytes::<f64>(&[2 * m * n]) };
        for &forms in &self.forms {
            let inner = if forms == [Form::Dense; 2] { k } else { width(forms) };
            cost.flops += 2.0 * share * product(&[m, n, inner]) + product(&[k, 2 * middle(forms)]);
            cost.bytes += bytes::<f64>(&[forms[0].numbers(m, k), forms[1].numbers(n, k)]);
        }
        cost
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let read = |pair: usize| [buffers.read(1 + 2 * pair), buffers.read(2 + 2 * pair)];
        let pairs: [[&[f64]; 2]; PAIRS] = std::array::from_fn(read);
        let shape = (self.m as usize, self.n as usize);
        let tile = TileMut::of(buffers, 0, shape.0, shape.1);
        let blas = f64::blas(backend::current());
        update(blas, (self.k as usize, self.is_lower), &self.forms, &pairs, tile);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

/// Takes the products of `pairs` in these `forms` off `c`, whose tiles have `k` columns; `how.1`
/// says whether only its lower triangle counts.
pub(super) fn update(
    blas: &dyn Blas<f64>,
    how: (usize, bool),
    forms: &[[Form; 2]],
    pairs: &[[&[f64]; 2]],
    mut c: TileMut<'_, f64>,
) {
    let ((k, is_lower), m, n) = (how, c.rows(), c.cols());
    let mut take = |a: TileRef<'_, f64>, b: TileRef<'_, f64>| {
        if is_lower {
            blas.gemmt(-1.0, a, b.transposed(), 1.0, c.reborrow());
        } else {
            blas.gemm(-1.0, a, b.transposed(), 1.0, c.reborrow());
        }
    };
    let columns: usize = forms.iter().map(|&forms| width(forms)).sum();
    let between = forms.iter().map(|&forms| middle(forms)).max().unwrap_or(0);
    with_room((m + n) * columns + between, |room| {
        let (left, rest) = room.split_at_mut(m * columns);
        let (right, between) = rest.split_at_mut(n * columns);
        let mut done = 0;
        for (&forms, &[a, b]) in forms.iter().zip(pairs) {
            let width = width(forms);
            if forms == [Form::Dense; 2] {
                take(TileRef::new(a, m, k), TileRef::new(b, n, k));
            } else if width > 0 {
                let left = &mut left[done * m..][..width * m];
                let right = &mut right[done * n..][..width * n];
                thin(blas, (m, n, k), forms, [a, b], (left, right), between);
                done += width;
            }
        }
        if done > 0 {
            take(
                TileRef::new(&left[..done * m], m, done),
                TileRef::new(&right[..done * n], n, done),
            );
        }
    });
}

/// Writes thin factors `W Z' = A B'` of a product of which a tile is of low rank.
fn thin(
    blas: &dyn Blas<f64>,
    (m, n, k): (usize, usize, usize),
    forms: [Form; 2],
    [a, b]: [&[f64]; 2],
    (left, right): (&mut [f64], &mut [f64]),
    between: &mut [f64],
) {
    let times = |a: TileRef<'_, f64>, b: TileRef<'_, f64>, to: &mut [f64]| {
        blas.gemm(1.0, a, b, 0.0, TileMut::new(to, a.rows(), b.cols()));
    };
    let factors = |tile: &'_ [f64], rows: usize, rank: u32| {
        let rank = rank as usize;
        (0..rows * rank, rows * rank..tile.len(), rank)
    };
    match forms {
        [Form::LowRank(rank), Form::Dense] => {
            let (u, v, rank) = factors(a, m, rank);
            left.copy_from_slice(&a[u]);
            times(TileRef::new(b, n, k), TileRef::new(&a[v], k, rank), right);
        }
        [Form::Dense, Form::LowRank(rank)] => {
            let (u, v, rank) = factors(b, n, rank);
            times(TileRef::new(a, m, k), TileRef::new(&b[v], k, rank), left);
            right.copy_from_slice(&b[u]);
        }
        [Form::LowRank(rank_a), Form::LowRank(rank_b)] => {
            let (u_a, v_a, rank_a) = factors(a, m, rank_a);
            let (u_b, v_b, rank_b) = factors(b, n, rank_b);
            let between = &mut between[..rank_a * rank_b];
            let (v_a, v_b) = (TileRef::new(&a[v_a], k, rank_a), TileRef::new(&b[v_b], k, rank_b));
            times(v_a.transposed(), v_b, between);
            let between = TileRef::new(between, rank_a, rank_b);
            if rank_a <= rank_b {
                left.copy_from_slice(&a[u_a]);
                times(TileRef::new(&b[u_b], n, rank_b), between.transposed(), right);
            } else {
                times(TileRef::new(&a[u_a], m, rank_a), between, left);
                right.copy_from_slice(&b[u_b]);
            }
        }
        [Form::Dense, Form::Dense] => unreachable!("a product of dense tiles has no thin factors"),
    }
}
