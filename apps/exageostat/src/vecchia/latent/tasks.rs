//! What is done with the columns of the precision, as tasks.
//!
//! Buffers of columns hold `neighbours + 1` numbers for each place, in the order of elimination,
//! the diagonal last; `pattern` is that of [`Elimination`](super::elimination::Elimination).

use tegula_kernels::error::NumericalError;
use tegula_runtime::flow::Access::{self, R, RW, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};

use super::elimination::Pattern;
use super::factor::{add, adjoint, factor, project, smooth, solve};

/// Puts the conditionals of a block where their columns are: `u = (-a, 1) / sqrt(e)`, or the
/// derivatives of that; buffers `[conditionals: R, positions: R, columns: RW]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gather {
    pub(super) first: usize,
    pub(super) rows: usize,
    pub(super) neighbours: usize,
    /// How many derivatives there are; without any it is `u` itself.
    pub(super) derivatives: usize,
}

/// The factor `V` and `[ln |V V'|, ln |U U'|]`; buffers `[pattern: R, places: R, U: R, V: W, sums:
/// W]`. The order of a failure is the number of the place in the tree, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub(super) neighbours: usize,
    pub(super) precision: f64,
}

/// The derivatives of `ln |V V'|`; buffers `[pattern: R, U: R, V: R, by W: W, by U: W, by the
/// precision: W]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adjoint {
    pub(super) neighbours: usize,
}

/// `x = scale W^-1 b`, `U' x` and `U^-1 b`, of column `which` of some; buffers `[pattern: R,
/// places: R, U: R, V: R, columns: R, out: W]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Smooth {
    pub(super) neighbours: usize,
    pub(super) precision: f64,
    pub(super) which: usize,
    pub(super) scale: f64,
}

/// What `U` and its derivatives `D_k` make, of the variance first, which is `-U / 2`; buffers
/// `[pattern: R, U: R, derivatives: R, by U: R, x: R, mix: R, sums: W, t: W]`.
///
/// With columns `x` and the symmetric `M`, then the weights `r` (`mix`), the sums are of each `k`
/// that of `by U` and `D_k`, `tr M X' dQ_k X` and `d ln |Q|`; `t` are `dQ_k X r`, and the
/// last column of `x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contract {
    pub(super) neighbours: usize,
    pub(super) derivatives: usize,
    /// Columns that are mixed.
    pub(super) columns: usize,
}

/// Numbers moved for each of the entries of a sparse matrix.
fn cost(numbers: usize, times: f64) -> Cost {
    Cost { flops: 2.0 * times * numbers as f64, bytes: 8.0 * times * numbers as f64 }
}

impl Codelet for Gather {
    const NAME: &'static str = "latent_columns";
    const ACCESS: &'static [Access] = &[R, R, RW];

    fn cost(&self) -> Cost {
        cost(self.rows * (self.neighbours + 1), 1.0 + self.derivatives as f64)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { first, rows, neighbours: m, derivatives } = self;
        let (made, positions) = (buffers.read::<f64>(0), buffers.read::<u32>(1));
        let (width, columns) = (m + 1, buffers.write::<f64>(2));
        let size = positions.len() * width;
        for row in 0..rows {
            let to = positions[first + row] as usize * width;
            let of = |which: usize| &made[(which * rows + row) * width..][..width];
            let (a, e) = (of(0), of(0)[m]);
            let root = 1.0 / e.sqrt();
            if derivatives == 0 {
                let column = &mut columns[to..][..width];
                column.iter_mut().zip(a).for_each(|(to, a)| *to = -a * root);
                column[m] = root;
            }
            for k in 0..derivatives {
                let (slope, column) = (of(k + 1), &mut columns[k * size + to..][..width]);
                let half = 0.5 * slope[m] / e;
                for ((to, slope), a) in column.iter_mut().zip(slope).zip(a) {
                    *to = (a * half - slope) * root;
                }
                column[m] = -half * root;
            }
        }
        Ok(())
    }
}

impl Codelet for Factor {
    const NAME: &'static str = "latent_factor";
    const ACCESS: &'static [Access] = &[R, R, R, W, W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let places = buffers.read::<u32>(1);
        let pattern = Pattern::new(places.len(), self.neighbours, buffers.read(0));
        let (u, v) = (buffers.read::<f64>(2), buffers.write::<f64>(3));
        let failed =
            |k: usize| NumericalError::NotPositiveDefinite { order: places[k] as usize + 1 };
        factor(&pattern, u, self.precision, v).map_err(failed)?;
        let width = self.neighbours + 1;
        let logdet = |a: &[f64]| -> f64 {
            a.chunks_exact(width).map(|column| 2.0 * column[width - 1].ln()).sum()
        };
        buffers.write(4).copy_from_slice(&[logdet(v), logdet(u)]);
        Ok(())
    }
}

impl Codelet for Adjoint {
    const NAME: &'static str = "latent_adjoint";
    const ACCESS: &'static [Access] = &[R, R, R, W, W, W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (u, v) = (buffers.read::<f64>(1), buffers.read::<f64>(2));
        let pattern =
            Pattern::new(u.len() / (self.neighbours + 1), self.neighbours, buffers.read(0));
        let by_precision = adjoint(&pattern, (u, v), buffers.write(3), buffers.write(4));
        buffers.write(5).copy_from_slice(&[by_precision]);
        Ok(())
    }
}

impl Codelet for Smooth {
    const NAME: &'static str = "latent_smooth";
    const ACCESS: &'static [Access] = &[R, R, R, R, R, W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let places = buffers.read::<u32>(1);
        let n = places.len();
        let pattern = Pattern::new(n, self.neighbours, buffers.read(0));
        let (u, v) = (buffers.read::<f64>(2), buffers.read::<f64>(3));
        let b = &buffers.read::<f64>(4)[self.which * n..][..n];
        let (x, rest) = buffers.write::<f64>(5).split_at_mut(n);
        let (projected, solved) = rest.split_at_mut(n);
        // What does not end has a matrix that is singular to rounding.
        let failed = |()| NumericalError::NotPositiveDefinite { order: places[n - 1] as usize + 1 };
        smooth(&pattern, (u, v), self.precision, b, x).map_err(failed)?;
        x.iter_mut().for_each(|x| *x *= self.scale);
        let columns = u.chunks_exact(self.neighbours + 1).enumerate();
        for (to, (i, column)) in projected.iter_mut().zip(columns) {
            *to = project(&pattern, column, i, x);
        }
        solved.copy_from_slice(b);
        solve(&pattern, u, solved);
        Ok(())
    }
}

impl Codelet for Contract {
    const NAME: &'static str = "latent_contract";
    const ACCESS: &'static [Access] = &[R, R, R, R, R, R, W, W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { neighbours: m, derivatives, columns } = self;
        let (u, slopes) = (buffers.read::<f64>(1), buffers.read::<f64>(2));
        let (by_u, x, mix) = (buffers.read::<f64>(3), buffers.read::<f64>(4), buffers.read(5));
        let (sums, t) = (buffers.write::<f64>(6), buffers.write::<f64>(7));
        let (width, count) = (m + 1, derivatives + 1);
        let n = u.len() / width;
        let pattern = Pattern::new(n, m, buffers.read(0));
        let (mix, weights): (&[f64], &[f64]) = mix.split_at(columns * columns);
        let x: Vec<&[f64]> = x.chunks_exact(n).collect();
        sums.fill(0.0);
        t[..count * n].fill(0.0);
        t[count * n..].copy_from_slice(x[columns]);
        let mut half = vec![0.0; width];
        let (mut left, mut moved) = (vec![0.0; columns], vec![0.0; columns]);
        let inner = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        for i in 0..n {
            let own = &u[i * width..][..width];
            for (left, x) in left.iter_mut().zip(&x) {
                *left = project(&pattern, own, i, x);
            }
            half.iter_mut().zip(own).for_each(|(half, own)| *half = -0.5 * own);
            for k in 0..count {
                let slope = match k.checked_sub(1) {
                    None => &half[..],
                    Some(k) => &slopes[(k * n + i) * width..][..width],
                };
                for (moved, x) in moved.iter_mut().zip(&x) {
                    *moved = project(&pattern, slope, i, x);
                }
                sums[k] += inner(&by_u[i * width..][..width], slope);
                for (mix, left) in mix.chunks_exact(columns).zip(&left) {
                    sums[count + k] += 2.0 * left * inner(mix, &moved);
                }
                // Of ln |Q|.
                sums[2 * count + k] += 2.0 * slope[m] / own[m];
                let t = &mut t[k * n..][..n];
                add(&pattern, slope, i, inner(&left, weights), t);
                add(&pattern, own, i, inner(&moved, weights), t);
            }
        }
        Ok(())
    }
}
