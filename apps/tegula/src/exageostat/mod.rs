//! `tegula exageostat`: geostatistics.

mod assess;
mod auto;
mod beside;
mod covariances;
mod data;
mod estimate;
mod fit;
mod generator;
mod grid;
mod inputs;
mod likeliest;
mod loglik;
mod mean;
mod mean_file;
mod method;
mod model_file;
mod observed;
pub(crate) mod obvious;
mod options;
mod page;
mod parameter_sets;
mod places;
mod plot;
mod predict;
mod prediction_file;
mod remarks;
mod report;
mod sample;
mod setup;
mod subject;
mod suspicions;
mod targets;
mod training;
mod transform;
mod tukey;
mod values;
mod variogram;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Map, Value};
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::model::Model;

use crate::output::{Console, number};

/// The geostatistics.
#[derive(Subcommand, Debug)]
pub(crate) enum Exageostat {
    /// Draw a random field
    Sample(sample::Sample),
    /// Log-likelihood of observations under given parameters, or of a model on its data
    Loglik(loglik::Loglik),
    /// Empirical variogram of observations, or of what a mean by least squares leaves of them
    Variogram(variogram::Variogram),
    /// Estimate the parameters by maximum likelihood
    Fit(Box<fit::Fit>),
    /// Predict the field at other places, with variances
    Predict(predict::Predict),
    /// Cross-validate a model on its data; what these tell of it, and another model against it
    Assess(assess::Assess),
    /// A page about a model: maps, variogram, residuals, likelihood, estimates
    Plot(plot::Plot),
    /// List the covariances with parameters and formulas
    Covariances(covariances::Covariances),
}

impl Exageostat {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Sample(command) => command.run(),
            Self::Loglik(command) => command.run(),
            Self::Variogram(command) => command.run(),
            Self::Fit(command) => command.run(),
            Self::Predict(command) => command.run(),
            Self::Assess(command) => command.run(),
            Self::Plot(command) => command.run(),
            Self::Covariances(command) => command.run(),
        }
    }
}

/// Prints `covariance`.
fn describe_covariance(console: &Console, covariance: &Covariance) {
    console.field("covariance", format_args!("{}: {}", covariance.name, covariance.formula));
}

/// `variance=1, range=0.1, nugget=0`.
fn parameter_list(model: &Model) -> String {
    let names = model.covariance.parameters.iter().map(|parameter| parameter.name);
    let all = names.zip(model.values.iter().copied()).chain([("nugget", model.nugget)]);
    let pairs: Vec<String> = all.map(|(name, value)| format!("{name}={}", plain(value))).collect();
    pairs.join(", ")
}

/// A number as it was typed, if it is short; else some digits of it.
fn plain(value: f64) -> String {
    let text = format!("{value}");
    if text.len() <= 10 { text } else { number(value, 6) }
}

/// The parameters of `model` as a JSON object.
fn parameters_json(model: &Model) -> Value {
    let names = model.covariance.parameters.iter().map(|parameter| parameter.name.to_owned());
    Value::Object(names.zip(model.values.iter().map(|&value| value.into())).collect())
}

/// A JSON object from pairs.
fn object<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
