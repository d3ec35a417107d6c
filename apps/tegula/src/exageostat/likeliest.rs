//! The exponent of Box and Cox at which a fit is likeliest.

use anyhow::Result;
use tegula_exageostat::fit::{FitOptions, NuggetChoice};
use tegula_exageostat::transform::{Transform, best_lambda};

use super::data::Data;
use super::report::Done;
use crate::output::{Console, number};

/// The likeliest of fits with transformations of Box and Cox; `fit` makes one, of data that are
/// transformed, from where its options say.
///
/// # Errors
/// Those of `fit`; if the likelihood has no maximum.
pub(super) fn likeliest(
    data: &Data,
    options: &FitOptions,
    console: &Console,
    mut fit: impl FnMut(&Data, &FitOptions) -> Result<Done>,
) -> Result<(Transform, Done)> {
    let mut best: Option<(f64, f64, Done)> = None;
    let mut trial = data.clone();
    best_lambda(|lambda| {
        trial.take(Transform::BoxCox(lambda))?;
        let from = best.as_ref().map_or_else(
            || options.clone(),
            |(known, _, done)| nearby(options, done, trial.scale(lambda - known)),
        );
        let done = fit(&trial, &from)?;
        let loglik = done.fit.loglik + trial.log_jacobian();
        console.line(format_args!(
            "lambda {}: log-likelihood {}",
            number(lambda, 4),
            number(loglik, 9)
        ));
        if best.as_ref().is_none_or(|(_, highest, _)| loglik > *highest) {
            best = Some((lambda, loglik, done));
        }
        Ok::<f64, anyhow::Error>(loglik)
    })?;
    let (lambda, _, done) = best.expect("a search makes fits");
    Ok((Transform::BoxCox(lambda), done))
}

/// `options` that start where `done` has ended, for values that are `scale` times as large; as they
/// are where that is at a bound.
pub(super) fn nearby(options: &FitOptions, done: &Done, scale: f64) -> FitOptions {
    let mut from = options.clone();
    let model = &done.fit.model;
    if !done.fit.bounds_hit.is_empty() || !done.fit.converged {
        return from;
    }
    for (place, &value) in model.values.iter().enumerate() {
        let is_free = from.fixed[place].is_none() && from.start[place].is_none();
        let is_scaled = place == 0;
        if is_free && (!is_scaled || from.bounds[place].is_none()) {
            from.start[place] = Some(if is_scaled { value * scale * scale } else { value });
        }
    }
    let is_open = from.nugget == NuggetChoice::Estimated { bounds: None };
    if is_open && from.start_nugget.is_none() && model.nugget > 0.0 {
        from.start_nugget = Some(model.nugget * scale * scale);
    }
    from
}
