//! `--mloe-mmom`: what predictions by the model cost where other parameters are the true ones.

use anyhow::{Context, Result, anyhow};
use serde_json::{Map, Value};
use tegula_exageostat::assess::{At, Misspecification, misspecification};
use tegula_exageostat::likelihood::{Likelihood, Overlap};
use tegula_exageostat::model::Model;
use tegula_kernels::geometry::Points;
use tegula_kernels::scalar::Real;

use super::{Assess, Known};
use crate::error::refused;
use crate::exageostat::data::Data;
use crate::exageostat::inputs::InputFlags;
use crate::exageostat::model_file::ModelFile;
use crate::exageostat::parameter_sets::one_set;
use crate::exageostat::{parameter_list, parameters_json};
use crate::output::{Console, Progress, count, number, seconds};

/// Shares below this are rounding of what they are shares of.
const ROUNDING: f64 = 1e-12;
/// Places of the default grid along an axis, by the number of coordinates.
const GRID: [usize; 3] = [100, 10, 5];

/// The truth, and where it is compared with the model.
pub(super) struct Task {
    truth: Model,
    points: Points,
    drift: Vec<Vec<f64>>,
    from: String,
}

/// What came of it.
pub(super) struct Done {
    task: Task,
    found: Misspecification,
    seconds: f64,
}

impl Task {
    /// Factorisations of `n` observations that it is worth: two, and three solves for the places.
    pub(super) fn factorizations(&self, n: usize) -> usize {
        2 + (9 * self.points.len()).div_ceil(n.max(1))
    }
}

impl Assess {
    /// The truth that flags name, and the places; nothing if they ask for none.
    ///
    /// # Errors
    /// If one cannot be used.
    pub(super) fn truth(&self, file: &ModelFile, data: &Data, memory: u64) -> Result<Option<Task>> {
        let Some(text) = &self.truth else { return Ok(None) };
        let covariance = file.model.covariance;
        let set = one_set("--truth", text, covariance)?;
        let truth = Model::new(covariance, set.values, set.nugget)?;
        let Some(at) = &self.at else {
            let (points, drift) = grid(data)?;
            let from = format!("a grid of {} over the data", count(points.len(), "place"));
            return Ok(Some(Task { truth, points, drift, from }));
        };
        let (model, coords) = (self.model.clone(), self.coords.clone());
        let (train, drop_missing) = (self.train.clone(), self.drop_missing);
        let input =
            InputFlags { model, at: Some(at.clone()), grid: None, coords, train, drop_missing };
        let places = input.places(file, data, memory)?;
        let from = format!("{}: {}", at.display(), count(places.rows.len(), "place"));
        let (points, drift) = places.of_variable(data, 0);
        Ok(Some(Task { truth, points, drift, from }))
    }

    /// Compares the model with the truth.
    pub(super) fn compare<T: Real>(of: &Known<'_>, task: Task, console: &Console) -> Result<Done> {
        console.field("truth", parameter_list(&task.truth));
        console.field("places", &task.from);
        let (setup, observations) = (of.setup, &of.data.observations);
        let mut progress = Progress::new(console);
        let mut likelihood = || {
            let flow = setup.run.flow(false, true);
            Likelihood::<T>::new(flow, observations, setup.nb(), Overlap::default())
        };
        let at = At { points: &task.points, drift: &task.drift, design: &observations.design };
        let models = (&of.file.model, &task.truth);
        let total = task.points.len();
        let found = misspecification(models, at, &mut likelihood, &mut |share| {
            progress.share((share * total as f64) as usize, total, "places");
        });
        progress.clear();
        let (found, _) = found.context("--mloe-mmom")?;
        if found.places() == 0 {
            return Err(anyhow!(
                "--mloe-mmom: at none of the places is there anything to predict, since all are \
                 places of the data: give others with --at PLACES.csv"
            ));
        }
        Ok(Done { task, found, seconds: progress.seconds() })
    }
}

/// A grid over the data, in the middle of cells of equal size, with the columns of the mean there.
fn grid(data: &Data) -> Result<(Points, Vec<Vec<f64>>)> {
    if !data.mean.inputs().is_empty() {
        return Err(refused(format!(
            "--mloe-mmom: the mean takes the columns {}: give places with them as --at PLACES.csv",
            data.mean.inputs().join(", ")
        )));
    }
    let columns = data.coordinates.evaluate(&data.table)?;
    let steps = GRID[columns.len() - 1];
    let m = steps.pow(columns.len() as u32);
    let axis = |(k, column): (usize, &Vec<f64>)| -> Vec<f64> {
        let of_rows = || data.rows.iter().map(|&row| column[row]);
        let low = of_rows().fold(f64::INFINITY, f64::min);
        let high = of_rows().fold(f64::NEG_INFINITY, f64::max);
        let step = |place: usize| (place / steps.pow(k as u32) % steps) as f64 + 0.5;
        (0..m).map(|place| low + (high - low) * step(place) / steps as f64).collect()
    };
    let axes: Vec<Vec<f64>> = columns.iter().enumerate().map(axis).collect();
    let rows: Vec<usize> = (0..m).collect();
    let points = data.coordinates.points(&data.table, &axes, &rows)?;
    Ok((points, vec![vec![1.0; m]; data.observations.design.columns()]))
}

impl Done {
    /// Prints it, in words.
    pub(super) fn describe(&self, console: &Console) {
        let Misspecification { mloe, mmom, rmom, .. } = &self.found;
        console.line("");
        console
            .line(format_args!("against the truth, at {}:", count(self.found.places(), "place")));
        let left = self.task.points.len() - self.found.places();
        if left > 0 {
            let left = count(left, "place");
            console.note(format_args!(
                "{left} of the data, where nothing is left to predict, left out"
            ));
        }
        let [mloe, mmom, rmom] = [*mloe, *mmom, *rmom].map(beyond_rounding);
        let [loss, wrong] = [mloe, mmom.abs()].map(|share| number(100.0 * share, 3));
        console.line(format_args!(
            "  MLOE {}: mean squared errors of prediction are {loss} % above the least",
            number(mloe, 6)
        ));
        let way = if mmom < 0.0 { "below" } else { "above" };
        console.line(format_args!(
            "  MMOM {}: the model says they are {wrong} % {way} what they are",
            number(mmom, 6)
        ));
        console.line(format_args!("  RMOM {}: root of the mean square of that", number(rmom, 6)));
        console.line(format_args!("compared in {}", seconds(self.seconds)));
    }

    /// Adds it to a result.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        let Misspecification { mloe, mmom, rmom, .. } = &self.found;
        for (key, value) in [
            ("mloe", (*mloe).into()),
            ("mmom", (*mmom).into()),
            ("rmom", (*rmom).into()),
            ("mloe_mmom_places", self.found.places().into()),
            ("truth", parameters_json(&self.task.truth)),
            ("truth_nugget", self.task.truth.nugget.into()),
        ] {
            into.insert(key.to_owned(), value);
        }
    }
}

/// A share, 0 where it is what rounding leaves.
fn beyond_rounding(share: f64) -> f64 {
    if share.abs() < ROUNDING { 0.0 } else { share }
}
