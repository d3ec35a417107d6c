//! Tasks on a band of a panel: scaling by weights, totals, and the correction that centres a
//! product.

use tegula_runtime::flow::Access::{self, R, RW, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, Handle};

/// The weights `w` and the means `m` of the lines in a buffer that is read.
fn weights_and_means(buffer: &[f64], rows: usize) -> (&[f64], &[f64]) {
    (&buffer[..rows], &buffer[rows..2 * rows])
}

fn cost(rows: usize, columns: usize) -> Cost {
    let entries = (rows * columns) as f64;
    Cost { flops: 4.0 * entries, bytes: 16.0 * entries }
}

/// `z_i = sqrt(total w_i) x_i` for the rows of a band; buffers `[lines: R, X: R, Z: W]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Sum of all weights.
    pub(crate) total: f64,
}

impl Scale {
    pub(crate) fn submit(self, flow: &mut Flow, [lines, x, z]: [Handle; 3]) {
        flow.submit(self, &[(lines, R), (x, R), (z, W)], 0);
    }
}

impl Codelet for Scale {
    const NAME: &'static str = "scale-rows";
    const ACCESS: &'static [Access] = &[R, R, W];

    fn cost(&self) -> Cost {
        cost(self.rows, self.columns)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let weights = &buffers.read::<f64>(0)[..self.rows];
        let factors: Vec<f64> = weights.iter().map(|w| (w * self.total).sqrt()).collect();
        let (x, z) = (buffers.read::<f64>(1), buffers.write::<f64>(2));
        for (x, z) in x.chunks_exact(self.rows).zip(z.chunks_exact_mut(self.rows)) {
            z.iter_mut().zip(x).zip(&factors).for_each(|((z, x), factor)| *z = factor * x);
        }
        Ok(())
    }
}

/// Adds `1' Z` and `m' Z` of a band to the totals; buffers `[lines: R, Z: R, totals: RW]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Totals {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Totals {
    pub(crate) fn submit(self, flow: &mut Flow, [lines, z, totals]: [Handle; 3], adding: Access) {
        flow.submit(self, &[(lines, R), (z, R), (totals, adding)], 0);
    }
}

impl Codelet for Totals {
    const NAME: &'static str = "panel-totals";
    const ACCESS: &'static [Access] = &[R, R, RW];

    fn cost(&self) -> Cost {
        cost(self.rows, self.columns)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (_, means) = weights_and_means(buffers.read(0), self.rows);
        let (z, totals) = (buffers.read::<f64>(1), buffers.write::<f64>(2));
        for (z, totals) in z.chunks_exact(self.rows).zip(totals.chunks_exact_mut(2)) {
            totals[0] += z.iter().sum::<f64>();
            totals[1] += z.iter().zip(means).map(|(z, m)| z * m).sum::<f64>();
        }
        Ok(())
    }
}

/// `y_i = -1/2 s_i (y_i - m_i t - u + g t)` for the rows of a band, with the totals `t = 1' Z` and
/// `u = m' Z` of each column, and `s_i = sqrt(total w_i)`, or 1 where `total` is 0; buffers
/// `[lines: R, totals: R, Y: RW]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correct {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// `g`.
    pub(crate) mean: f64,
    /// Sum of all weights; 0 if all are one.
    pub(crate) total: f64,
}

impl Correct {
    pub(crate) fn submit(self, flow: &mut Flow, [lines, totals, y]: [Handle; 3]) {
        flow.submit(self, &[(lines, R), (totals, R), (y, RW)], 0);
    }
}

impl Codelet for Correct {
    const NAME: &'static str = "centre-panel";
    const ACCESS: &'static [Access] = &[R, R, RW];

    fn cost(&self) -> Cost {
        cost(self.rows, self.columns)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (weights, means) = weights_and_means(buffers.read(0), self.rows);
        let (totals, y) = (buffers.read::<f64>(1), buffers.write::<f64>(2));
        for (y, totals) in y.chunks_exact_mut(self.rows).zip(totals.chunks_exact(2)) {
            let (ones, weighted) = (totals[0], totals[1]);
            let rest = self.mean * ones - weighted;
            for (y, m) in y.iter_mut().zip(means) {
                *y = -0.5 * (*y - m * ones + rest);
            }
            if self.total > 0.0 {
                let factors = weights.iter().map(|w| (w * self.total).sqrt());
                y.iter_mut().zip(factors).for_each(|(y, factor)| *y *= factor);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::weights_and_means;
    use tegula_kernels::kernel::sweep::lines::{Lines, initial};

    #[test]
    fn weights_and_means_lie_where_the_sweep_leaves_them() {
        let mut buffer = initial(&[1.0, 2.0, 3.0]);
        Lines::of(&mut buffer).sums.copy_from_slice(&[4.0, 5.0, 6.0]);
        let (weights, means) = weights_and_means(&buffer, 3);
        assert_eq!((weights, means), (&[1.0, 2.0, 3.0][..], &[4.0, 5.0, 6.0][..]));
    }
}
