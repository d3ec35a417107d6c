//! A fit as JSON: the model that `predict` reads, and all that is known of it.

use serde_json::{Value, json};
use tegula_exageostat::fit::{self as library, FitOptions, NuggetChoice};

use super::Fit;
use crate::exageostat::data::Data;
use crate::exageostat::mean_file::{coefficients_json, mean_json};
use crate::exageostat::method::method_json;
use crate::exageostat::remarks::Remarks;
use crate::exageostat::report::{
    Done, coefficients, fit_remarks, message, profile_json, start_json,
};
use crate::exageostat::setup::Setup;
use crate::exageostat::transform::{Choice, to_json};
use crate::exageostat::{object, parameters_json, tukey};

/// An object with something of each parameter, and of the nugget.
fn of_each<X>(fit: &library::Fit, value: impl Fn(&X) -> Value, each: &[X]) -> Value {
    let names = fit.model.covariance.parameters.iter().map(|p| p.name).chain(["nugget"]);
    Value::Object(names.map(str::to_owned).zip(each.iter().map(value)).collect())
}

impl Fit {
    /// Names of what was estimated but the coefficients of the mean.
    pub(super) fn estimated(&self, options: &FitOptions) -> Vec<&'static str> {
        let parameters = self.covariance.covariance.parameters.iter().zip(&options.fixed);
        let free = parameters.filter(|(_, fixed)| fixed.is_none());
        let has_nugget = matches!(options.nugget, NuggetChoice::Estimated { .. });
        free.map(|(parameter, _)| parameter.name)
            .chain(has_nugget.then_some("nugget"))
            .chain((self.transform == Choice::BoxCox).then_some("lambda"))
            .chain((self.transform == Choice::TukeyGh).then_some(["g", "h"]).into_iter().flatten())
            .collect()
    }

    /// The whole result.
    pub(super) fn result(
        &self,
        (data, options): (&Data, &FitOptions),
        setup: &Setup,
        done: &Done,
        remarks: &Remarks<'_>,
    ) -> Value {
        let fit = &done.fit;
        let errors = &fit.uncertainty;
        let hits: Vec<Value> = fit
            .bounds_hit
            .iter()
            .map(|hit| json!({ "parameter": hit.parameter, "end": hit.end, "bound": hit.bound, "is_share_of_variance": hit.is_share }))
            .collect();
        let coefficients = coefficients(data, fit);
        let mut transform = to_json(data.transform);
        if matches!(self.transform, Choice::BoxCox | Choice::TukeyGh) {
            transform["estimated"] = true.into();
        }
        done.tukey.iter().for_each(|estimates| tukey::describe_json(estimates, &mut transform));
        let mut result = object([
            ("format_version", crate::exageostat::model_file::format_version()),
            ("tegula_version", env!("CARGO_PKG_VERSION").into()),
            ("covariance", fit.model.covariance.name.into()),
            ("params", parameters_json(&fit.model)),
            ("nugget", fit.model.nugget.into()),
            ("std_errors", of_each(fit, |error| (*error).into(), &errors.std_errors)),
            (
                "intervals",
                of_each(fit, |pair| json!(pair.map(|(low, high)| [low, high])), &errors.intervals),
            ),
            ("information", errors.information.name().into()),
            ("profile_intervals", of_each(fit, profile_json, &fit.profile_intervals)),
            ("loglik", (fit.loglik + data.log_jacobian()).into()),
            ("log_jacobian", data.log_jacobian().into()),
            ("transform", transform),
            ("criterion", if self.estimation.reml { "reml" } else { "ml" }.into()),
            ("gradient_norm", errors.gradient_norm.into()),
            ("evaluations", fit.evaluations.into()),
            ("gradients", fit.scores.into()),
            ("evaluations_taken_over", fit.taken_over.into()),
            ("failed_evaluations", fit.failed_evaluations.into()),
            ("iterations", fit.iterations.into()),
            ("converged", fit.converged.into()),
            ("message", message(done).into()),
            ("remarks", remarks.json(&fit_remarks(fit))),
            ("mean", mean_json(&data.mean, &coefficients, &data.aliased)),
            ("coefficients", coefficients_json(&coefficients, &data.aliased)),
            ("coefficients_df", coefficients.degrees_of_freedom.into()),
            ("bounds_hit", hits.into()),
            ("seconds", done.seconds.into()),
            ("method", method_json(setup.method(), fit.loglik_error)),
            ("optimizer", self.optimizer(options).name().into()),
            ("starts", fit.starts.iter().map(start_json).collect::<Vec<_>>().into()),
            ("data", crate::exageostat::model_file::data_json(data)),
        ]);
        setup.describe_json(&mut result);
        done.account.describe_json(&mut result);
        self.overlap.describe_json(&mut result);
        Value::Object(result)
    }
}
