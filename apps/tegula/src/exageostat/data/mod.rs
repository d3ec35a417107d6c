//! Observations from a table: which columns, which rows, and what a person should know of them.

mod checks;

use anyhow::Result;
use tegula_exageostat::coefficients::Coefficients;
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::design::{Aliased, Design};
use tegula_exageostat::likelihood::Evaluation;
use tegula_exageostat::mean::Formula;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::program::Computation;
use tegula_exageostat::transform::Transform;
use tegula_files::{ColumnIndex, NamedValues, Table, TableError};

use crate::error::refused;
use crate::exageostat::mean::{Mean, RowValues};
use crate::exageostat::method::Approximation;
use crate::exageostat::obvious;
use crate::exageostat::places::{Coordinates, evaluate, read_table};
use crate::exageostat::setup::Problem;
use crate::exageostat::transform::describe as describe_transform;
use crate::exageostat::values::{Observed, columns_by_variable, names_by_variable};
use crate::flags::{DataFlags, PlaceFlags};
use crate::output::{Console, count, number};

/// A mean that is known and taken off before values are transformed.
#[derive(Clone, Debug)]
pub(crate) struct Trend {
    /// Its columns.
    design: Design,
    /// The coefficients of these.
    coefficients: Vec<f64>,
}

/// Observations with the table they come from.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    /// The table.
    pub(crate) table: Table,
    /// Rows of it that are used.
    pub(crate) rows: Vec<usize>,
    /// Which columns are the places.
    pub(crate) coordinates: Coordinates,
    /// Which are the values.
    pub(crate) values: Observed,
    /// The mean.
    pub(crate) mean: Mean,
    /// Its columns that depend on others, and have no coefficients.
    pub(crate) aliased: Vec<Aliased>,
    /// The transformation of the values.
    pub(crate) transform: Transform,
    /// The values as they were, without it.
    pub(crate) measured: Vec<f64>,
    /// The mean where it is taken off before the transformation.
    pub(crate) trend: Option<Trend>,
    /// What is observed, the values transformed.
    pub(crate) observations: Observations,
}

impl Data {
    /// That `computation` on them.
    pub(super) fn problem(&self, computation: Computation) -> Problem {
        let (n, fields) = (self.observations.len(), self.observations.field_count());
        let columns = self.observations.design.columns() + fields;
        let geometry = self.coordinates.geometry();
        Problem { n, columns, places: 0, geometry, computation, method: Approximation::None }
    }

    /// Reads what `flags` ask for, with the mean `mean`, in a part of the `memory`. A table without
    /// names has the columns that data for the `covariance` have.
    ///
    /// # Errors
    /// If the file cannot be read, a column is not there or not numeric, or a value is missing.
    pub(crate) fn load(
        flags: &DataFlags,
        mean: Mean,
        covariance: Option<&Covariance>,
        memory: u64,
    ) -> Result<Self> {
        let table = read_table(&flags.data, memory)?;
        let PlaceFlags { coords, time, distance } = &flags.places;
        let is_told = coords.is_some() || time.is_some() || flags.values.is_some();
        let plain = obvious::plain(&table, covariance.filter(|_| !is_told));
        let values = flags.values.as_deref().or(plain.values.as_deref());
        let values = values.map(|list| Observed::parse(list, &table)).transpose()?;
        let first = values.as_ref().map(|values| &values.variables()[0]);
        let is_third = |z: &str| obvious::is_third(&table, z, first);
        let coords = coords.as_deref().or(plain.coords.as_deref());
        let coordinates = Coordinates::choose(&table, coords, *distance, is_third)?
            .with_time(&table, time.as_deref().or(plain.time.as_deref()))?;
        let values = match values {
            Some(values) => values,
            None => Observed::one(obvious::values(&table, &coordinates)?),
        };
        let values = values.replicated(flags.replicates)?;
        let values = values.with_noise(flags.noise.as_deref(), &table)?;
        let mean = mean.with_rest(&rest(&table, &coordinates, &values))?;
        check_names(&table, &mean)?;
        Self::from_table(table, coordinates, values, mean, flags.drop_missing)
    }

    /// Takes the observations from `table`; rows that lack a value are refused, or left out.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub(crate) fn from_table(
        table: Table,
        coordinates: Coordinates,
        values: Observed,
        mean: Mean,
        drop_missing: bool,
    ) -> Result<Self> {
        let places = coordinates.evaluate(&table)?;
        let fields = values.fields().map(|values| evaluate(values, &table));
        let mut observed = fields.collect::<Result<Vec<_>>>()?;
        let replicates = observed.split_off(values.variables().len());
        let noise = values.noise_values(&table)?;
        let variables = mean.values(&table)?;
        // A variable may be missing where another was observed: a list of rows for each.
        let rows_of = {
            let names = variable_names(&mean);
            let present: Vec<Vec<f64>> = variables.iter().map(RowValues::presence).collect();
            let pairs = values.variables().iter().zip(&observed).zip(&noise);
            let rows = pairs.map(|((expression, observed), noise)| {
                let mut needed = coordinates.named(&places);
                needed.push(NamedValues { name: expression.text(), values: observed });
                let noise = noise.iter().map(|values| NamedValues { name: "--noise", values });
                needed.extend(noise);
                let more = values.fields().skip(1).zip(&replicates);
                needed
                    .extend(more.map(|(field, values)| NamedValues { name: field.text(), values }));
                needed.extend(
                    names.iter().zip(&present).map(|(name, values)| NamedValues { name, values }),
                );
                complete_rows(&table, &needed, drop_missing)
            });
            rows.collect::<Result<Vec<_>>>()?
        };
        let rows = rows_of.concat();
        let mut points = coordinates.points(&table, &places, &rows)?;
        let of: Vec<usize> =
            rows_of.iter().enumerate().flat_map(|(v, rows)| vec![v; rows.len()]).collect();
        if observed.len() > 1 {
            points = points.marked(&of.iter().map(|&variable| variable as f64).collect::<Vec<_>>());
        }
        let variables: Vec<_> = variables.iter().map(|values| values.of_rows(&rows)).collect();
        let mean = mean.learn(&variables)?;
        let (names, columns) = mean.columns(&variables, (&table, &rows))?;
        let (names, columns) = if observed.len() > 1 {
            (names_by_variable(&names, &values), columns_by_variable(&columns, &of, observed.len()))
        } else {
            (names, columns)
        };
        let (design, aliased) = Design::reduced(names, columns, rows.len());
        let measured: Vec<f64> =
            rows.iter().zip(&of).map(|(&row, &variable)| observed[variable][row]).collect();
        let noise: Option<Vec<f64>> = rows
            .iter()
            .zip(&of)
            .map(|(&row, &variable)| noise[variable].as_ref().map(|noise| noise[row]))
            .collect();
        if let Some(place) = noise.iter().flatten().position(|&noise| noise < 0.0) {
            return Err(refused(format!(
                "{}, --noise: {} is no variance, which is 0 or more",
                table.row_name(rows[place]),
                noise.map_or(0.0, |noise| noise[place])
            )));
        }
        let fields = replicates.iter().map(|field| rows.iter().map(|&row| field[row]).collect());
        let observations = Observations::new(points, measured.clone(), design)
            .with_noise(noise)
            .with_replicates(fields.collect());
        let transform = Transform::None;
        Ok(Self {
            table,
            rows,
            coordinates,
            values,
            mean,
            aliased,
            transform,
            measured,
            trend: None,
            observations,
        })
    }

    /// The mean as a linear model, also where it was taken off.
    pub(crate) fn design(&self) -> &Design {
        self.trend.as_ref().map_or(&self.observations.design, |trend| &trend.design)
    }

    /// What the mean with these `coefficients` leaves of the transformed values of each field; none
    /// if they are not as many as its columns, field by field.
    pub(crate) fn residuals(&self, coefficients: &[f64]) -> Option<Vec<Vec<f64>>> {
        let (design, observations) = (&self.observations.design, &self.observations);
        if coefficients.len() != self.design().columns() * observations.field_count() {
            return None;
        }
        if self.trend.is_some() {
            return Some(vec![observations.values.clone()]);
        }
        let columns = design.columns();
        let rest = |(number, field): (usize, &[f64])| {
            let mean = design.mean(&coefficients[number * columns..][..columns]);
            field.iter().zip(mean).map(|(z, mean)| z - mean).collect()
        };
        Some(observations.fields().enumerate().map(rest).collect())
    }

    /// Takes the mean with these `coefficients` off the values, and transforms the rest.
    ///
    /// # Errors
    /// As [`take`](Self::take); if there are not as many coefficients as columns.
    pub(crate) fn take_about(
        &mut self,
        transform: Transform,
        coefficients: Vec<f64>,
    ) -> Result<()> {
        let design = self.design().clone();
        if coefficients.len() != design.columns() {
            return Err(refused(format!(
                "the model has {}, and the mean on {} takes {} ({}): fit again",
                count(coefficients.len(), "coefficient"),
                self.table.path().display(),
                design.columns(),
                design.names().join(", ")
            )));
        }
        self.observations.design = Design::zero(design.rows());
        self.trend = Some(Trend { design, coefficients });
        self.take(transform)
    }

    /// The columns of the mean that are left for a predictor at places where they are `drift`, and
    /// the mean there where it was taken off.
    pub(crate) fn divided<'a>(&self, drift: &'a [Vec<f64>]) -> (&'a [Vec<f64>], Option<Vec<f64>>) {
        let Some(trend) = &self.trend else { return (drift, None) };
        let places = drift.first().map_or(0, Vec::len);
        let mut mean = vec![0.0; places];
        for (coefficient, column) in trend.coefficients.iter().zip(drift) {
            mean.iter_mut().zip(column).for_each(|(mean, x)| *mean += coefficient * x);
        }
        (&[], Some(mean).filter(|mean| !mean.is_empty()))
    }

    /// The values less the mean that was taken off.
    fn rest(&self) -> Vec<f64> {
        let Some(trend) = &self.trend else { return self.measured.clone() };
        let mean = trend.design.mean(&trend.coefficients);
        self.measured.iter().zip(mean).map(|(z, mean)| z - mean).collect()
    }

    /// Transforms the values.
    ///
    /// # Errors
    /// With the line of a value that `transform` does not take.
    pub(crate) fn take(&mut self, transform: Transform) -> Result<()> {
        if transform != Transform::None && self.values.replicates() > 1 {
            return Err(refused(format!(
                "--transform {} is for one field: of replicates take expressions, as --values \
                 log(z1),log(z2)",
                transform.name()
            )));
        }
        let rest = self.rest();
        if let Some(place) = rest.iter().position(|&y| !transform.takes(y)) {
            let row = self.table.row_name(self.rows[place]);
            let (name, value) = (self.values.text(), self.measured[place]);
            let why = match transform {
                Transform::TukeyGh { .. } => outside(transform, value - rest[place]),
                _ => format!(
                    "is not positive, and --transform {} takes positive values alone",
                    transform.name()
                ),
            };
            return Err(refused(format!("{row}, '{name}': {value} {why}")));
        }
        if transform != Transform::None && self.observations.noise.is_some() {
            return Err(refused(
                "--noise is that of the values as they are, and --transform makes others of them: \
                 take an expression of the values, and the variance of its noise",
            ));
        }
        self.transform = transform;
        self.observations.values = rest.iter().map(|&y| transform.apply(y)).collect();
        Ok(())
    }

    /// What to add to the log-likelihood of the transformed values for that of the values.
    pub(crate) fn log_jacobian(&self) -> f64 {
        self.transform.log_jacobian(&self.rest())
    }

    /// About how many times as large the transformed values are with an exponent of Box and Cox
    /// that is `more` than another: their geometric mean to that power.
    pub(crate) fn scale(&self, more: f64) -> f64 {
        let logs = self.measured.iter().map(|y| y.ln()).sum::<f64>();
        (more * logs / self.measured.len() as f64).exp()
    }

    /// Number of rows that were left out; of several variables, of all of them together.
    pub(crate) fn dropped(&self) -> usize {
        self.table.rows() * self.variables() - self.rows.len()
    }

    /// The coefficients of the mean of an `evaluation` of these, those of replicates by their
    /// names.
    pub(crate) fn coefficients(&self, evaluation: &Evaluation) -> Coefficients {
        let mut coefficients = Coefficients::new(self.design(), evaluation);
        if self.values.replicates() > 1 {
            let columns = self.design().columns().max(1);
            let blocks = coefficients.each.chunks_mut(columns).zip(self.values.fields());
            for (one, field) in
                blocks.flat_map(|(all, field)| all.iter_mut().map(move |a| (a, field)))
            {
                one.name = format!("{}: {}", field.text(), one.name);
            }
        }
        coefficients
    }

    /// Number of variables.
    pub(crate) fn variables(&self) -> usize {
        self.values.variables().len()
    }

    /// The variable that each observation is of.
    pub(crate) fn variable_of(&self) -> Vec<usize> {
        let points = &self.observations.points;
        match self.variables() {
            1 => vec![0; points.len()],
            _ => {
                points.mark(points.marks() - 1).iter().map(|&variable| variable as usize).collect()
            }
        }
    }

    /// Prints what was read.
    pub(crate) fn describe(&self, console: &Console) {
        self.describe_with(console, &describe_transform(self.transform));
    }

    /// As [`describe`](Self::describe), with what is to be said of the transformation.
    pub(crate) fn describe_with(&self, console: &Console, transform: &str) {
        let table = &self.table;
        let (path, rows) = (table.path().display(), count(table.rows(), "row"));
        console.field("data", format_args!("{path}: {rows}, {}", table.describe()));
        console.field("coordinates", self.coordinates.describe());
        let values = [&self.measured].into_iter().chain(&self.observations.replicates);
        let values: Vec<f64> = values.flatten().copied().collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        console.field(
            "values",
            format_args!(
                "{}: {} from {} to {}, mean {}",
                self.values.text(),
                values.len(),
                number(low, 4),
                number(high, 4),
                number(mean, 4),
            ),
        );
        if self.values.replicates() > 1 {
            let (fields, places) = (self.values.replicates(), self.observations.len());
            let places = count(places, "place");
            console.field("replicates", format_args!("{fields}, each at the same {places}"));
        }
        if self.dropped() > 0 {
            let what = if self.variables() > 1 { "value" } else { "row" };
            console.field(
                "left out",
                format_args!("{} with missing values", count(self.dropped(), what)),
            );
        }
        if let Some(noise) = &self.observations.noise {
            let mean = noise.iter().sum::<f64>() / noise.len() as f64;
            let text = self.values.noise().unwrap_or_default();
            console.field(
                "noise",
                format_args!("{text}: variances of {} in the mean", number(mean, 4)),
            );
        }
        if self.transform != Transform::None {
            console.field("transform", transform);
        }
        console.field("mean", self.mean.describe());
        for (name, levels) in self.mean.factors() {
            let (reference, others) = levels.split_first().expect("a factor has levels");
            let others = shortened(others);
            console.field("factor", format_args!("{name}: {reference} (the reference), {others}"));
        }
        if !self.aliased.is_empty() {
            let names: Vec<String> = self.aliased.iter().map(|one| one.name.clone()).collect();
            console.note(format_args!(
                "{} of the mean depend on those before: they have no coefficient ({})",
                count(names.len(), "column"),
                shortened(&names)
            ));
        }
    }
}

/// What there is to say of a value that is outside the support of Tukey's `transform` about `mean`.
fn outside(transform: Transform, mean: f64) -> String {
    let (low, high) = transform.domain();
    let (side, end) = if low.is_finite() { ("above", low) } else { ("below", high) };
    format!(
        "has likelihood 0: with h = 0 and this g and variance all values are {side} {}; take h > 0, \
         or another g",
        number(mean + end, 6)
    )
}

/// The names of what a mean is computed from, in the order of its variables.
pub(crate) fn variable_names(mean: &Mean) -> Vec<String> {
    let variables = mean.formula().map(Formula::variables).unwrap_or_default();
    variables.iter().map(|variable| variable.name().to_owned()).collect()
}

/// Names in a line, not too many.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// The columns that are neither coordinates nor values.
fn rest(table: &Table, coordinates: &Coordinates, values: &Observed) -> Vec<String> {
    let used: Vec<ColumnIndex> = coordinates
        .columns()
        .into_iter()
        .chain(values.columns())
        .filter_map(|name| table.find(name).ok())
        .collect();
    let others = (0..table.names().len()).map(ColumnIndex).filter(|one| !used.contains(one));
    others.map(|column| table.name(column)).collect()
}

/// Rows that lack nothing, or an error that says which does.
///
/// # Errors
/// If a row lacks a value and rows may not be left out, or every row lacks one.
pub(crate) fn complete_rows(
    table: &Table,
    needed: &[NamedValues<'_>],
    drop_missing: bool,
) -> Result<Vec<usize>> {
    if !drop_missing {
        return match table.require_complete(needed) {
            Ok(()) => Ok((0..table.rows()).collect()),
            Err(error @ TableError::MissingValue { .. }) => {
                Err(refused(format!("{error} (--drop-missing)")))
            }
            Err(error) => Err(error.into()),
        };
    }
    let rows = table.complete_rows(needed);
    if rows.is_empty() {
        let names: Vec<&str> = needed.iter().map(|column| column.name).collect();
        let file = table.path().display();
        return Err(refused(format!("{file}: no row has values in all of {}", names.join(", "))));
    }
    Ok(rows)
}

/// Refuses a mean that takes columns by number where they have names: in other tables the numbers
/// may be of others.
fn check_names(table: &Table, mean: &Mean) -> Result<()> {
    let number = mean.inputs().into_iter().find(|name| table.is_found_by_number(name));
    let Some(number) = number else { return Ok(()) };
    let name = table.name(table.find(number)?);
    let file = table.path().display();
    Err(refused(format!("--mean: column {number} of {file} is called '{name}'; write that")))
}
