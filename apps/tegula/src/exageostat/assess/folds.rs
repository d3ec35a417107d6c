//! `--cross-validate` and `--blocks`: parts of the data predicted from the others.

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tegula_exageostat::assess::{Folds, LeftOut, Scores, all_left_out, leave_part_out};
use tegula_exageostat::likelihood::{Likelihood, LikelihoodError, Overlap};
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_exageostat::vecchia::{LocalPredictor, VecchiaLikelihood};
use tegula_kernels::scalar::Real;

use super::scores::{left_out_json, tables, unknown};
use super::{Assess, Known};
use crate::error::refused;
use crate::exageostat::data::Data;
use crate::flags::side_by_side;
use crate::output::{Console, Progress, count, seconds};

/// Parts with what came of them.
pub(super) struct Done {
    /// The parts.
    pub(super) folds: Folds,
    /// Each observation against the others.
    pub(super) left_out: Vec<LeftOut>,
    kind: &'static str,
    seed: u64,
    seconds: f64,
}

impl Assess {
    /// The parts that flags ask for.
    ///
    /// # Errors
    /// If there are not as many places.
    pub(super) fn folds(&self, of: &Known<'_>) -> Result<Option<(&'static str, Folds)>> {
        let (observations, seed) = (&of.data.observations, of.setup.run.seed);
        let found = match (self.cross_validate, self.blocks) {
            (Some(count), _) => ("random", Folds::random(observations.len(), count as usize, seed)),
            (_, Some(count)) => {
                ("blocks", Folds::blocks(&observations.points, count as usize, seed))
            }
            _ => return Ok(None),
        };
        let flag = if found.0 == "random" { "--cross-validate" } else { "--blocks" };
        let folds = found.1.map_err(|error| refused(format!("{flag}: {error}")))?;
        Ok(Some((found.0, folds)))
    }

    /// Predicts each part from the others.
    pub(super) fn leave_parts_out<T: Real>(
        &self,
        of: &Known<'_>,
        (kind, folds): (&'static str, Folds),
        console: &Console,
    ) -> Result<Done> {
        let (model, setup, observations) = (&of.file.model, of.setup, &of.data.observations);
        let predictor = |others: Observations| -> Result<Box<dyn Predict>, LikelihoodError> {
            let (flow, model) = (setup.run.flow(false, true), model.clone());
            Ok(match setup.vecchia() {
                Some(vecchia) => {
                    let likelihood = VecchiaLikelihood::new(flow, &others, vecchia);
                    Box::new(LocalPredictor::new(likelihood, model, others)?)
                }
                None => {
                    let (nb, overlap) = (setup.nb(), Overlap::default());
                    let likelihood = Likelihood::<T>::new(flow, &others, nb, overlap);
                    Box::new(Predictor::new(likelihood, model, others)?)
                }
            })
        };
        let mut progress = Progress::new(console);
        let total = folds.count();
        let at_once = self.contexts.at_once(&setup.run, total, observations.len())?;
        let leave_out =
            |fold| Ok(leave_part_out(observations, model.nugget, (&folds, fold), predictor)?);
        let mut report = |done| progress.share(done, total, "parts");
        let parts = side_by_side(&setup.run, (total, at_once), leave_out, &mut report)?;
        let left_out = all_left_out(observations, parts);
        progress.clear();
        if left_out.iter().all(|one| !one.is_known()) {
            return Err(anyhow!(
                "no part can be predicted from the others: these do not determine the mean"
            ));
        }
        let seed = setup.run.seed;
        Ok(Done { folds, left_out, kind, seed, seconds: progress.seconds() })
    }
}

impl Done {
    /// Prints the scores.
    pub(super) fn describe(&self, data: &Data, console: &Console) {
        let parts = self.folds.count();
        let title = match self.kind {
            "blocks" => format!("{parts} blocks left out"),
            _ => format!("{parts} random parts left out"),
        };
        for table in tables(&title, data, &self.left_out) {
            console.line("");
            console.line(table);
        }
        console.line("");
        let unknown = unknown(&self.left_out);
        if unknown > 0 {
            let unknown = count(unknown, "observation");
            console.note(format_args!(
                "{unknown} got NA: without their part the others do not determine their mean"
            ));
        }
        console.line(format_args!(
            "predicted {} from the others in {}",
            count(parts, "part"),
            seconds(self.seconds)
        ));
    }

    /// The scores of all and of each part as JSON.
    pub(super) fn json(&self, data: &Data, is_transformed: bool) -> Value {
        let each = (0..self.folds.count()).map(|fold| {
            let (inside, _) = self.folds.split(fold);
            let part: Vec<LeftOut> = inside.into_iter().map(|i| self.left_out[i]).collect();
            let Scores { n, rmse, mean_error, log_score, .. } = Scores::new(&part);
            json!({ "n": n, "rmse": rmse, "mean_error": mean_error, "log_score": log_score })
        });
        let mut value = left_out_json(data, &self.left_out, is_transformed);
        value["kind"] = self.kind.into();
        value["count"] = self.folds.count().into();
        value["seed"] = self.seed.into();
        value["each"] = each.collect();
        value["seconds"] = self.seconds.into();
        value
    }
}
