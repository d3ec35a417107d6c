//! Each observation less its prediction from all the others, in closed form.
//!
//! With `P = C^-1 - C^-1 F (F' C^-1 F)^-1 F' C^-1`, the error at the observation `i` is
//! `(P z)_i / P_ii` and its variance `1 / P_ii`, the mean estimated anew without it: O. Dubrule,
//! "Cross validation of kriging in a unique neighborhood", Mathematical Geology 15 (1983) 687-699.
//! The inverse is made in place of the factor, and of it only the diagonal is read.

use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::{Triangle, potri, trsm};
use tegula_runtime::flow::{Flow, FlowError};

use super::left_out::LeftOut;
use crate::likelihood::{Evaluate, Evaluation, Likelihood, LikelihoodError, Parts};
use crate::model::Model;

/// Leaves out one observation after the other under `model`, whose parameters stay, of one
/// replicate after the other; returns the flow of `likelihood` as well, for its trace.
///
/// It costs about three evaluations.
///
/// # Errors
/// If the covariance matrix is not positive definite.
pub fn leave_one_out<T: Real>(
    mut likelihood: Likelihood<T>,
    model: &Model,
) -> Result<(Vec<LeftOut>, Flow), LikelihoodError> {
    let n = likelihood.n();
    let evaluation = likelihood.evaluate(model.covariance, &model.values, model.nugget)?;
    let (mut flow, parts) = likelihood.into_parts();
    let found = of_parts(&mut flow, &parts, &evaluation);
    Ok((found.map_err(|error| LikelihoodError::from_flow(error, n))?, flow))
}

/// The errors from what is left of an `evaluation`.
fn of_parts<T: Real>(
    flow: &mut Flow,
    Parts { factor, solved, offset, .. }: &Parts<T>,
    evaluation: &Evaluation,
) -> Result<Vec<LeftOut>, FlowError> {
    flow.phase("inverse");
    let (side, uplo, trans, diag) = (Side::Left, Uplo::Lower, Trans::Yes, Diag::NonUnit);
    trsm(flow, Triangle { side, uplo, trans, diag }, T::ONE, factor, solved);
    potri(flow, factor);
    flow.wait()?;
    let (p, covariance) = (evaluation.columns(), &evaluation.coefficient_covariance);
    let more = evaluation.changes(offset);
    // Rounding leaves this much of a diagonal entry of which nothing should be left.
    let least = T::epsilon().to_f64().sqrt();
    let mut found = vec![Vec::with_capacity(factor.n()); more.len()];
    for i in 0..factor.nt() {
        let rows = factor.tile_rows(i);
        let inverse = flow.read::<T>(factor.tile(i, i))?;
        let diagonal: Vec<f64> = (0..rows).map(|k| inverse[k + k * rows].to_f64()).collect();
        // C^-1 [Q r].
        let panel = flow.read::<T>(solved.tile(i, 0))?;
        for (k, whole) in diagonal.into_iter().enumerate() {
            let at = |j: usize| panel[k + j * rows].to_f64();
            let row = |j: usize| (0..p).map(|l| covariance[j + l * p] * at(l)).sum::<f64>();
            let rest = whole - (0..p).map(|j| at(j) * row(j)).sum::<f64>();
            let is_determined = rest > least * whole;
            for ((found, more), column) in found.iter_mut().zip(&more).zip(p..) {
                let residual = at(column) - (0..p).map(|j| at(j) * more[j]).sum::<f64>();
                found.push(match is_determined {
                    true => LeftOut::new(residual / rest, rest.recip()),
                    false => LeftOut::UNKNOWN,
                });
            }
        }
    }
    Ok(found.concat())
}
