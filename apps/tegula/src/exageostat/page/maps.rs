//! Maps of the data and of predictions.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use tegula_figures::chart::{Chart, Layer, chart};
use tegula_figures::colour::Colours;
use tegula_figures::html::captioned;
use tegula_figures::map::{Map, map};
use tegula_files::Table;

use super::super::data::Data;
use super::super::model_file::ModelFile;
use super::super::places::{Coordinates, column_list, read_table};
use super::Page;
use super::fields::{Field, fields, others};
use crate::error::refused;
use crate::output::count;

/// Places on a map.
pub(super) struct Ground {
    points: Vec<(f64, f64)>,
    /// Of each value the place that it is of: with time there are several of one.
    place: Vec<usize>,
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
            let points: Vec<(f64, f64)> =
                take(0).into_iter().zip(values.1.iter().copied()).collect();
            let place = (0..points.len()).collect();
            let axes = (texts[0].to_owned(), values.0.to_owned());
            return Ok(Self { points, place, axes, aspect: None, remark: String::new() });
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
        let mut remark =
            texts.get(2).map_or_else(String::new, |third| format!(" {third} is not shown."));
        let (points, place) = match coordinates.time() {
            None => {
                let place = (0..points.len()).collect();
                (points, place)
            }
            Some(time) => {
                remark += &format!(" Shown is the mean over {time} at each place.");
                distinct(&points)
            }
        };
        let axes = (texts[right].to_owned(), texts[up].to_owned());
        Ok(Self { points, place, axes, aspect: Some(aspect), remark })
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
            values: &self.means(values),
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

    /// The mean at each place of the `values` that are numbers.
    fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.points.len()];
        for (&place, value) in self.place.iter().zip(values).filter(|(_, value)| value.is_finite())
        {
            sums[place] = (sums[place].0 + value, sums[place].1 + 1.0);
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }
}

/// The points that differ, and which of them each is.
fn distinct(points: &[(f64, f64)]) -> (Vec<(f64, f64)>, Vec<usize>) {
    let (mut found, mut numbers) = (Vec::new(), HashMap::new());
    let number = |point: &(f64, f64)| {
        let key = (point.0.to_bits(), point.1.to_bits());
        *numbers.entry(key).or_insert_with(|| {
            found.push(*point);
            found.len() - 1
        })
    };
    let place = points.iter().map(number).collect();
    (found, place)
}

/// The places of a field.
pub(super) fn ground(page: &Page<'_>, field: &Field<'_>) -> Ground {
    let data = page.data;
    let rows: Vec<usize> = field.of.iter().map(|&i| data.rows[i]).collect();
    Ground::new(&data.coordinates, &data.table, &rows, (field.name, &field.measured))
        .expect("the coordinates were evaluated before")
}

/// `title`, or that of one of several fields.
pub(super) fn title(page: &Page<'_>, title: &str, field: &str) -> String {
    match page.data.values.fields().count() {
        1 => title.to_owned(),
        _ => format!("{title}: {field}"),
    }
}

/// The maps of the data, and how they change with time.
pub(super) fn data(page: &Page<'_>) -> String {
    let others = others(page.data);
    let figure = |field: Field<'_>| {
        let values = count(field.measured.len(), "value");
        let words = format!("The {values} as they were measured.{others}");
        let title = title(page, "Data", field.name);
        let (name, amounts) = (field.name, Colours::Amount);
        let map = ground(page, &field).figure((&title, name), &field.measured, amounts, &words);
        map + &in_time(page, &field)
    };
    fields(page.data).into_iter().map(figure).collect()
}

/// The mean over all places at each time; nothing without time.
fn in_time(page: &Page<'_>, field: &Field<'_>) -> String {
    let Some(time) = page.data.coordinates.time() else { return String::new() };
    let times = page.data.observations.points.mark(0);
    let mut sorted: Vec<(f64, f64)> =
        field.of.iter().map(|&i| times[i]).zip(field.measured.iter().copied()).collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let at_once = sorted.chunk_by(|one, other| one.0 == other.0);
    let mean = |all: &[(f64, f64)]| all.iter().map(|(_, z)| z).sum::<f64>() / all.len() as f64;
    let means: Vec<(f64, f64)> = at_once.map(|all| (all[0].0, mean(all))).collect();
    let name = field.name;
    let svg = chart(&Chart {
        x: time,
        y: name,
        with_x: &[],
        with_y: &[],
        layers: &[Layer::Line(&means), Layer::Dots(&means)],
    });
    let words = format!("The mean of what was measured at each of {}.", count(means.len(), "time"));
    captioned(&title(page, "Data in time", name), &svg, &words)
}

/// Predictions as `predict` has written them.
pub(in super::super) struct Predicted {
    fields: Vec<PredictedField>,
    path: String,
}

/// Those of one variable or replicate.
struct PredictedField {
    name: String,
    ground: Ground,
    means: Vec<f64>,
    errors: Vec<f64>,
}

impl Predicted {
    /// Reads the table at `path`, whose coordinates are those of the model.
    ///
    /// # Errors
    /// If it has no coordinates, means or variances.
    pub(in super::super) fn read(
        path: &Path,
        file: &ModelFile,
        data: &Data,
        memory: u64,
    ) -> Result<Self> {
        let table = read_table(path, memory)?;
        let texts: Vec<&str> = file.coords.iter().map(String::as_str).collect();
        let coordinates = Coordinates::new(&table, &texts, Some(file.distance), false)?
            .with_time(&table, file.time.as_deref())?;
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
        let places = coordinates.evaluate(&table)?;
        let is_there = |row: &usize| places.iter().all(|axis| axis[*row].is_finite());
        let rows: Vec<usize> = (0..table.rows()).filter(is_there).collect();
        let of_rows = |all: &[f64]| -> Vec<f64> { rows.iter().map(|&row| all[row]).collect() };
        let names = data.values.names().into_iter().zip(fields(data));
        let are_several = data.values.fields().count() > 1;
        let field = |(name, field): (String, Field<'_>)| -> Result<PredictedField> {
            let of = |what: &str| match are_several {
                true => format!("{what}_{name}"),
                false => what.to_owned(),
            };
            // The variances of replicates are the same.
            let variance =
                if data.variables() > 1 { of("variance") } else { "variance".to_owned() };
            let means = of_rows(&column(&of("mean"))?);
            let errors = of_rows(&column(&variance)?).into_iter().map(standard_error).collect();
            if means.iter().all(|mean| !mean.is_finite()) {
                let path = path.display();
                return Err(refused(format!("--predictions {path}: no row has a prediction")));
            }
            let ground = Ground::new(&coordinates, &table, &rows, ("mean", &means))?;
            Ok(PredictedField { name: field.name.to_owned(), ground, means, errors })
        };
        let fields = names.map(field).collect::<Result<_>>()?;
        Ok(Self { fields, path: path.display().to_string() })
    }

    /// The maps of all.
    pub(super) fn figures(&self, page: &Page<'_>) -> String {
        let figures = |PredictedField { name, ground, means, errors }: &PredictedField| {
            let there = means.iter().filter(|mean| mean.is_finite()).count();
            let without = match means.len() - there {
                0 => String::new(),
                1 => " 1 place has none.".to_owned(),
                some => format!(" {some} places have none."),
            };
            let words = format!("At {} of {}.{without}", count(there, "place"), self.path);
            let heading = title(page, "Prediction", name);
            let means = ground.figure((&heading, name), means, Colours::Amount, &words);
            let words = "Root of the variance of the prediction of the field without noise.";
            let heading = title(page, "Standard error", name);
            means + &ground.figure((&heading, "standard error"), errors, Colours::Amount, words)
        };
        self.fields.iter().map(figures).collect()
    }
}

/// The root of a variance, of which rounding may leave a little less than nothing; NaN, which no
/// map shows, where there is none.
fn standard_error(variance: f64) -> f64 {
    if variance < 0.0 { 0.0 } else { variance.sqrt() }
}
