//! The gradient and the average information.
//!
//! The quadratic form is the least of `|r - x|^2 / s + x' Q x`, so that its derivatives are those
//! with `x` as it is: `x' dQ x`. Those of `ln |V V'|` are carried back through the factorisation
//! ([`adjoint`](super::factor::adjoint)). The average information `1/2 a' D_j P D_k a` (A. R.
//! Gilmour, R. Thompson, B. R. Cullis, "Average information REML", Biometrics 51 (1995) 1440-1450)
//! has `a = C^-1 r = (r - x) / s`, and with `t_k = dQ_k x` it is `D_k a = -Q^-1 t_k`, so that
//! `a' D_j C^-1 D_k a = t_j' (Q^-1 - W^-1) t_k`; for the noise `D a = a`.

use tegula_kernels::kernel::covariance::{RadialTable, TABLE_BYTES};
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};

use super::tasks::{Adjoint, Contract};
use super::{Factors, Field, Latent, Noise, inner};
use crate::likelihood::{Evaluation, Score};
use crate::vecchia::structure::Blocks;

/// What a score is asked of.
pub(in crate::vecchia) struct Request<'a> {
    /// Tables of the covariance, its nugget the field's own, and of its derivatives.
    pub(in crate::vecchia) tables: &'a [RadialTable],
    pub(in crate::vecchia) is_relative: bool,
    pub(in crate::vecchia) noise: Noise,
    /// The evaluation that was made last, of which the score is.
    pub(in crate::vecchia) evaluation: &'a Evaluation,
    /// The weights of the columns in the residuals, in units of the root of a scale.
    pub(in crate::vecchia) residual: Vec<f64>,
    /// What the derivatives of the columns' products are summed with.
    pub(in crate::vecchia) mix: Vec<f64>,
}

/// What a score is worked out with, registered once.
#[derive(Debug)]
pub(super) struct Slope {
    derivatives: usize,
    tables: Handle,
    conditionals: Vec<Handle>,
    /// Derivatives of `U`; by `W`, by `U`, by the precision.
    slopes: Handle,
    adjoints: [Handle; 3],
    /// Columns, how they are mixed, sums, and `t`.
    contract: [Handle; 4],
    smoothed: Vec<Handle>,
}

impl Slope {
    fn new(flow: &mut Flow, latent: &Latent, blocks: &Blocks, derivatives: usize) -> Self {
        let (n, width, columns) = (latent.n, latent.neighbours + 1, latent.given.len());
        let count = derivatives + 1;
        let mut numbers = |count: usize| flow.register(count * size_of::<f64>());
        let slopes = numbers(derivatives * n * width);
        let adjoints = [n * width, n * width, 1].map(&mut numbers);
        let mixed = columns * (columns + 1);
        let contract = [(columns + 1) * n, mixed, 3 * count, (count + 1) * n].map(&mut numbers);
        let smoothed = (0..=count).map(|_| numbers(3 * n)).collect();
        Self {
            derivatives,
            tables: flow.register(count * TABLE_BYTES),
            conditionals: blocks.register_conditionals(flow, derivatives),
            slopes,
            adjoints,
            contract,
            smoothed,
        }
    }

    pub(super) fn handles(self) -> impl Iterator<Item = Handle> {
        let some = self.conditionals.into_iter().chain(self.smoothed).chain(self.adjoints);
        some.chain(self.contract).chain([self.tables, self.slopes])
    }
}

impl Latent {
    /// The score where [`evaluate`](Self::evaluate) was called last; the information is the average
    /// one.
    ///
    /// # Errors
    /// As there.
    pub(in crate::vecchia) fn score(
        &mut self,
        flow: &mut Flow,
        field: Field<'_>,
        request: &Request<'_>,
    ) -> Result<Score, FlowError> {
        let derivatives = request.tables.len() - 1;
        let slope = match self.slope.take() {
            Some(slope) => slope,
            None => Slope::new(flow, self, field.blocks, derivatives),
        };
        let first = slope.derivatives;
        assert_eq!(first, derivatives, "parameters of this covariance and the first");
        let score = self.score_with(flow, field, request, &slope);
        self.slope = Some(slope);
        score
    }

    fn score_with(
        &self,
        flow: &mut Flow,
        field: Field<'_>,
        request: &Request<'_>,
        slope: &Slope,
    ) -> Result<Score, FlowError> {
        let &Slope { derivatives, tables, slopes, adjoints, contract, .. } = slope;
        let (n, variance, columns) = (self.n, request.noise.variance, self.given.len());
        let x = self.read(flow, &self.smoothed)?;
        let apart: Vec<Vec<f64>> =
            x.iter().enumerate().map(|(k, x)| self.noise(k, x).collect()).collect();
        let a: Vec<f64> = (0..n)
            .map(|i| apart.iter().zip(&request.residual).map(|(e, w)| e[i] * w).sum::<f64>())
            .map(|sum| sum / variance)
            .collect();
        let x: Vec<&[f64]> = x.iter().map(|x| &x[..n]).collect();
        flow.phase("score");
        flow.overwrite(tables, bytemuck::cast_slice::<_, u8>(request.tables))?;
        flow.overwrite(contract[0], &[&x[..], &[&a[..]]].concat().concat())?;
        flow.overwrite(contract[1], &[&request.mix[..], &request.residual].concat())?;
        let shape = (tables, derivatives, request.is_relative);
        self.submit_columns(flow, field, shape, (&slope.conditionals, slopes));
        let Factors { neighbours, pattern, u, v, .. } = self.handles;
        let given = [pattern, u, v].map(|handle| (handle, R));
        let made = adjoints.map(|handle| (handle, W));
        flow.submit(Adjoint { neighbours }, &[given, made].concat(), 0);
        let given = [pattern, u, slopes, adjoints[1], contract[0], contract[1]];
        let given = given.map(|handle| (handle, R));
        let accesses = [&given[..], &[(contract[2], W), (contract[3], W)]].concat();
        flow.submit(Contract { neighbours, derivatives, columns }, &accesses, 0);
        for (which, &out) in slope.smoothed.iter().enumerate() {
            self.submit_smooth(flow, (which, 1.0), variance, [contract[3], out]);
        }
        flow.wait()?;
        let by_precision = flow.read::<f64>(adjoints[2])?[0];
        let sums = flow.read::<f64>(contract[2])?.to_vec();
        let t: Vec<Vec<f64>> =
            flow.read::<f64>(contract[3])?.chunks_exact(n).map(<[f64]>::to_vec).collect();
        let solved = self.read(flow, &slope.smoothed)?;

        let count = derivatives + 1;
        let field = |k: usize| -0.5 * (sums[k] + sums[count + k] - sums[2 * count + k]);
        let mut apart_sum = 0.0;
        for (mix, left) in request.mix.chunks_exact(columns).zip(&apart) {
            apart_sum += mix.iter().zip(&apart).map(|(m, e)| m * inner(left, e)).sum::<f64>();
        }
        let by_noise =
            -0.5 * (n as f64 / variance - (by_precision + apart_sum) / (variance * variance));
        let mut gradient: Vec<f64> = (0..count).map(field).chain([by_noise]).collect();

        let p = columns - 1;
        let of_mean = |k: usize| -> Vec<f64> {
            let noise = |c: usize| inner(&a, &apart[c]) / variance;
            let field = |c: usize| -inner(&t[k], x[c]);
            (0..p).map(|c| if k == count { noise(c) } else { field(c) }).collect()
        };
        let means: Vec<Vec<f64>> = (0..=count).map(of_mean).collect();
        let covariance = &request.evaluation.coefficient_covariance;
        let entry = |j: usize, k: usize| {
            // By the smaller of the two first, so that it is symmetric to the last bit.
            let (j, k) = (j.min(k), j.max(k));
            let smoothed = inner(&t[j], &solved[k][..n]);
            let whole = match (j == count, k == count) {
                (true, _) => (inner(&a, &a) - smoothed / variance) / variance,
                (false, true) => -smoothed / variance,
                _ => inner(&solved[j][2 * n..], &solved[k][2 * n..]) - smoothed,
            };
            let taken: f64 =
                (0..p * p).map(|at| means[j][at % p] * covariance[at] * means[k][at / p]).sum();
            0.5 * (whole - taken)
        };
        let size = count + 1;
        let mut information: Vec<f64> =
            (0..size * size).map(|at| entry(at % size, at / size)).collect();
        // With the variance grows what counts as the field's own, and the noise is less by that.
        let own = request.noise.own;
        gradient[0] -= own * by_noise;
        (0..size).for_each(|k| information[k * size] -= own * information[count + k * size]);
        (0..size).for_each(|k| information[k] -= own * information[k + count * size]);
        Ok(Score { gradient, information })
    }
}
