//! Maps of the data and of predictions.

use std::path::Path;

use anyhow::Result;
use tegula_figures::colour::Colours;
use tegula_figures::html::captioned;
use tegula_figures::map::{Map, map};
use tegula_files::Table;

use super::super::model_file::ModelFile;
use super::super::places::{Coordinates, column_list, read_table};
use super::Page;
use crate::error::refused;
use crate::output::count;

/// Places on a map.
pub(super) struct Ground {
    points: Vec<(f64, f64)>,
    axes: (String, String),
    /// Length of a unit upwards in units to the right.
    aspect: Option<f64>,
    /// What is not seen, in words.
    remark: String,
}

impl Ground {
    /// The `rows` of `table`, whose coordinates are these; `values` go upwards if there is but one.
    pub(super) fn new(
        coordinates: &Coordinates,
        table: &Table,
        rows: &[usize],
        values: (&str, &[f64]),
    ) -> Result<Self> {
        let all = coordinates.evaluate(table)?;
        let texts = coordinates.texts();
        let right = coordinates.right();
        let take = |k: usize| -> Vec<f64> { rows.iter().map(|&row| all[k][row]).collect() };
        if texts.len() == 1 {
            let points = take(0).into_iter().zip(values.1.iter().copied()).collect();
            let axes = (texts[0].to_owned(), values.0.to_owned());
            return Ok(Self { points, axes, aspect: None, remark: String::new() });
        }
        let up = 1 - right;
        let points: Vec<(f64, f64)> = take(right).into_iter().zip(take(up)).collect();
        let aspect = if coordinates.distance.is_on_sphere() {
            let (low, high) = points
                .iter()
                .fold((90.0f64, -90.0f64), |(low, high), &(_, y)| (low.min(y), high.max(y)));
            (0.5 * (low + high)).to_radians().cos().max(0.05).recip()
        } else {
            1.0
        };
        let remark =
            texts.get(2).map_or_else(String::new, |third| format!(" {third} is not shown."));
        let axes = (texts[right].to_owned(), texts[up].to_owned());
        Ok(Self { points, axes, aspect: Some(aspect), remark })
    }

    /// A map of `values` with its title and what there is to say of it.
    pub(super) fn figure(
        &self,
        (title, name): (&str, &str),
        values: &[f64],
        colours: Colours,
        words: &str,
    ) -> String {
        let drawn = map(&Map {
            points: &self.points,
            values,
            axes: (&self.axes.0, &self.axes.1),
            name,
            colours,
            aspect: self.aspect,
        });
        let mut words = words.to_owned();
        if let Some((across, up)) = drawn.cells {
            words += &format!(" {across} by {up} cells, each with the mean of what lies in it.");
        }
        if !drawn.is_to_scale && self.aspect.is_some() {
            words += " The axes have different scales.";
        }
        captioned(title, &drawn.svg, (words + &self.remark).trim())
    }
}

/// The places of the data.
pub(super) fn ground(page: &Page<'_>) -> Ground {
    let data = page.data;
    let values = (data.values.text(), data.measured.as_slice());
    Ground::new(&data.coordinates, &data.table, &data.rows, values)
        .expect("the coordinates were evaluated before")
}

/// The map of the data.
pub(super) fn data(page: &Page<'_>) -> String {
    let data = page.data;
    let words = format!("The {} as they were measured.", count(data.measured.len(), "value"));
    let name = data.values.text();
    ground(page).figure(("Data", name), &data.measured, Colours::Amount, &words)
}

/// Predictions as `predict` has written them.
pub(in super::super) struct Predicted {
    ground: Ground,
    means: Vec<f64>,
    errors: Vec<f64>,
    path: String,
}

impl Predicted {
    /// Reads the table at `path`, whose coordinates are those of the model.
    ///
    /// # Errors
    /// If it has no coordinates, means or variances.
    pub(in super::super) fn read(path: &Path, file: &ModelFile, memory: u64) -> Result<Self> {
        let table = read_table(path, memory)?;
        let texts: Vec<&str> = file.coords.iter().map(String::as_str).collect();
        let coordinates = Coordinates::new(&table, &texts, Some(file.distance), false)?;
        let column = |name: &str| -> Result<Vec<f64>> {
            let names = [format!("predicted_{name}"), name.to_owned()];
            let found = names.iter().find_map(|name| table.find(name).ok()).ok_or_else(|| {
                refused(format!(
                    "--predictions {}: no column {name}; is this what predict wrote? There are {}",
                    path.display(),
                    column_list(&table)
                ))
            })?;
            Ok(table.numbers(found)?.to_vec())
        };
        let (means, variances) = (column("mean")?, column("variance")?);
        let places = coordinates.evaluate(&table)?;
        let is_there = |row: &usize| places.iter().all(|axis| axis[*row].is_finite());
        let rows: Vec<usize> = (0..table.rows()).filter(is_there).collect();
        let of_rows = |all: &[f64]| -> Vec<f64> { rows.iter().map(|&row| all[row]).collect() };
        let (means, variances) = (of_rows(&means), of_rows(&variances));
        if means.iter().all(|mean| !mean.is_finite()) {
            let path = path.display();
            return Err(refused(format!("--predictions {path}: no row has a prediction")));
        }
        let ground = Ground::new(&coordinates, &table, &rows, ("mean", &means))?;
        let errors = variances.iter().copied().map(standard_error).collect();
        Ok(Self { ground, means, errors, path: path.display().to_string() })
    }

    /// The maps of both.
    pub(super) fn figures(&self, page: &Page<'_>) -> String {
        let there = self.means.iter().filter(|mean| mean.is_finite()).count();
        let without = match self.means.len() - there {
            0 => String::new(),
            1 => " 1 place has none.".to_owned(),
            some => format!(" {some} places have none."),
        };
        let words = format!("At {} of {}.{without}", count(there, "place"), self.path);
        let name = page.data.values.text();
        let means = self.ground.figure(("Prediction", name), &self.means, Colours::Amount, &words);
        let words = "Root of the variance of the prediction of the field without noise.";
        let title = ("Standard error", "standard error");
        means + &self.ground.figure(title, &self.errors, Colours::Amount, words)
    }
}

/// The root of a variance, of which rounding may leave a little less than nothing; NaN, which no
/// map shows, where there is none.
fn standard_error(variance: f64) -> f64 {
    if variance < 0.0 { 0.0 } else { variance.sqrt() }
}
