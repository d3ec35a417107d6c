//! The mean of a field as the user writes it, `zero`, `constant` or a formula as in R, over the
//! columns of a table.

use anyhow::Result;
use tegula_exageostat::design::Aliased;
use tegula_exageostat::mean::{Basis, Formula, Kind, Linear, MeanError, Values, Variable};
use tegula_files::expression::{EvaluateError, Expression};
use tegula_files::{Classes, Table};

use crate::error::refused;

/// A mean.
#[derive(Clone, Debug)]
pub(crate) enum Mean {
    /// No mean.
    Zero,
    /// An unknown constant.
    Constant,
    /// A linear model over columns of the table.
    Formula(Formula),
    /// One that knows levels and bases of the data.
    Learned(Linear),
}

impl Mean {
    /// Reads a mean.
    ///
    /// # Errors
    /// If it is neither a keyword nor a formula.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        Ok(match text.trim() {
            "zero" => Self::Zero,
            "constant" => Self::Constant,
            text => Self::Formula(Formula::parse(text)?),
        })
    }

    /// The mean with `columns` in place of `.`.
    ///
    /// # Errors
    /// If `.` stands for nothing.
    pub(crate) fn with_rest(self, columns: &[String]) -> Result<Self> {
        match self {
            Self::Formula(formula) if formula.has_rest() && columns.is_empty() => Err(refused(
                "--mean: no column is left for '.', which stands for all that are neither \
                 coordinates nor values",
            )),
            Self::Formula(formula) if formula.has_rest() => {
                Ok(Self::Formula(Formula::parse(&formula.with_rest(columns))?))
            }
            mean => Ok(mean),
        }
    }

    /// The text that a file keeps.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Zero => "zero",
            Self::Constant => "constant",
            Self::Formula(_) | Self::Learned(_) => self.formula().map_or("", Formula::text),
        }
    }

    /// The formula, if it is one.
    pub(crate) fn formula(&self) -> Option<&Formula> {
        match self {
            Self::Zero | Self::Constant => None,
            Self::Formula(formula) => Some(formula),
            Self::Learned(linear) => Some(linear.formula()),
        }
    }

    /// What a person reads.
    pub(crate) fn describe(&self) -> String {
        match self.formula() {
            None if matches!(self, Self::Constant) => "constant (estimated)".to_owned(),
            Some(formula) if formula.has_intercept() || !formula.labels().is_empty() => {
                let intercept = if formula.has_intercept() { "1" } else { "0" };
                let labels = formula.labels();
                let all: Vec<&str> =
                    [intercept].into_iter().chain(labels.iter().map(String::as_str)).collect();
                format!("{} (estimated)", all.join(" + "))
            }
            _ => "zero".to_owned(),
        }
    }

    /// The factors, with the levels of each.
    pub(crate) fn factors(&self) -> Vec<(&str, &[String])> {
        let Self::Learned(linear) = self else { return Vec::new() };
        let pairs = linear.formula().variables().iter().zip(linear.bases());
        pairs
            .filter_map(|(variable, basis)| match basis {
                Basis::Factor(levels) => Some((variable.name(), levels.labels())),
                _ => None,
            })
            .collect()
    }

    /// Names of the columns of the table that it takes.
    pub(crate) fn inputs(&self) -> Vec<&str> {
        self.formula().map(Formula::columns).unwrap_or_default()
    }

    /// The columns that are regressors as they are.
    pub(crate) fn plain_columns(&self) -> Vec<&str> {
        self.formula().map(|formula| formula.plain_columns().collect()).unwrap_or_default()
    }

    /// What its variables are in each row of `table`.
    ///
    /// # Errors
    /// If a column is not there, or an expression has no value.
    pub(crate) fn values(&self, table: &Table) -> Result<Vec<RowValues>> {
        let Some(formula) = self.formula() else { return Ok(Vec::new()) };
        let basis = |place: usize| match self {
            Self::Learned(linear) => Some(&linear.bases()[place]),
            _ => None,
        };
        let variables = formula.variables().iter().enumerate();
        variables.map(|(place, variable)| values(variable, basis(place), table)).collect()
    }

    /// The mean with what it learns from these `values`, if it has not yet.
    ///
    /// # Errors
    /// If a factor or a polynomial cannot be made of them.
    pub(crate) fn learn(self, values: &[Values]) -> Result<Self> {
        match self {
            Self::Formula(formula) => Ok(Self::Learned(Linear::learn(formula, values)?)),
            mean => Ok(mean),
        }
    }

    /// Names and columns of the regressors, where the variables have these `values`; the rows of
    /// the `table` that they stand in are `rows`.
    ///
    /// # Errors
    /// With the line of a level that the data of the model did not have.
    pub(crate) fn columns(
        &self,
        values: &[Values],
        (table, rows): (&Table, &[usize]),
    ) -> Result<(Vec<String>, Vec<Vec<f64>>)> {
        match self {
            Self::Zero => Ok((Vec::new(), Vec::new())),
            Self::Constant => {
                Ok((vec![Formula::INTERCEPT.to_owned()], vec![vec![1.0; rows.len()]]))
            }
            Self::Formula(_) => unreachable!("a formula learns before it has columns"),
            Self::Learned(linear) => {
                let columns = linear.columns(values, rows.len()).map_err(|error| match error {
                    MeanError::Level { row, .. } => {
                        refused(format!("{}: {error}", table.row_name(rows[row])))
                    }
                    error => error.into(),
                })?;
                Ok((linear.names(), columns))
            }
        }
    }
}

/// What a variable is in each row of a table.
pub(crate) enum RowValues {
    /// Numbers, NaN where one is missing.
    Numbers(Vec<f64>),
    /// Classes.
    Classes(Classes),
}

impl RowValues {
    /// Numbers that are NaN where this is missing.
    pub(crate) fn presence(&self) -> Vec<f64> {
        match self {
            Self::Numbers(numbers) => numbers.clone(),
            Self::Classes(classes) => {
                classes.codes.iter().map(|code| code.map_or(f64::NAN, f64::from)).collect()
            }
        }
    }

    /// Those of some rows, in which nothing is missing.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Values {
        match self {
            Self::Numbers(numbers) => {
                Values::Numbers(rows.iter().map(|&row| numbers[row]).collect())
            }
            Self::Classes(Classes { names, codes }) => {
                let codes = rows.iter().map(|&row| codes[row]).collect();
                Values::Classes(Classes { names: names.clone(), codes })
            }
        }
    }
}

/// What `variable` is in each row of `table`: texts if its `basis` is made of them, or, where it
/// has none yet, the column is.
fn values(variable: &Variable, basis: Option<&Basis>, table: &Table) -> Result<RowValues> {
    let expression = variable.expression();
    let text = match (variable.kind(), basis) {
        (_, Some(Basis::Factor(levels))) => !levels.are_numbers(),
        (Kind::Column(_) | Kind::Factor(_), None) => is_text(expression, table),
        _ => false,
    };
    if text && let Some(name) = expression.as_column() {
        return Ok(RowValues::Classes(table.classes(table.find(name)?)?));
    }
    expression.evaluate(table).map(RowValues::Numbers).map_err(|error| {
        let is_plain = matches!(variable.kind(), Kind::Column(_)) && basis.is_some();
        match error {
            EvaluateError::Column { cause, .. } if is_plain => (*cause).into(),
            error => error.into(),
        }
    })
}

/// Whether `expression` is a column of text in `table`.
fn is_text(expression: &Expression, table: &Table) -> bool {
    let column = expression.as_column().and_then(|name| table.find(name).ok());
    column.is_some_and(|column| table.is_text(column))
}

/// The first of some rows, by its place, in which an `aliased` column is not what it was in the
/// data, and that column.
pub(crate) fn undetermined<'a>(
    aliased: &'a [Aliased],
    columns: &[Vec<f64>],
) -> Option<(usize, &'a Aliased)> {
    let kept: Vec<usize> = (0..columns.len())
        .filter(|place| aliased.iter().all(|column| column.place != *place))
        .collect();
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows).find_map(|row| {
        let known: Vec<f64> = kept.iter().map(|&place| columns[place][row]).collect();
        let is_other = |one: &&Aliased| !one.is_combination(columns[one.place][row], &known);
        aliased.iter().find(is_other).map(|one| (row, one))
    })
}
