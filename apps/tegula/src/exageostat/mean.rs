//! The mean of a field as the user writes it: `zero`, `constant` or a formula over columns, as R
//! has them.

use anyhow::Result;
use serde_json::{Value, json};
use tegula_exageostat::design::Design;
use tegula_files::Table;
use tegula_files::expression::{EvaluateError, Formula};

/// A mean.
#[derive(Clone, Debug)]
pub(crate) enum Mean {
    /// No mean.
    Zero,
    /// An unknown constant.
    Constant,
    /// A linear model over columns of the table.
    Formula(Formula),
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

    /// Reads the [`text`](Self::text) of a mean, as a model has it.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub(crate) fn read(text: &str) -> Result<Self> {
        match Self::parse(text) {
            Ok(Self::Formula(_)) | Err(_) => Ok(Self::Formula(Formula::read(text)?)),
            keyword => keyword,
        }
    }

    /// The text that [`read`](Self::read) reads back.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Zero => "zero",
            Self::Constant => "constant",
            Self::Formula(formula) => formula.text(),
        }
    }

    /// What a person reads: the coefficients.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Zero => "zero".to_owned(),
            Self::Constant => "constant (estimated)".to_owned(),
            Self::Formula(_) if self.names().is_empty() => "zero".to_owned(),
            Self::Formula(_) => format!("{} (estimated)", self.names().join(" + ")),
        }
    }

    /// Names of the coefficients.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Self::Zero => Vec::new(),
            Self::Constant => vec![Formula::INTERCEPT.to_owned()],
            Self::Formula(formula) => formula.names().into_iter().map(str::to_owned).collect(),
        }
    }

    /// Names of the columns that it takes.
    pub(crate) fn inputs(&self) -> Vec<&str> {
        match self {
            Self::Zero | Self::Constant => Vec::new(),
            Self::Formula(formula) => {
                formula.terms().iter().flat_map(|term| term.expression().columns()).collect()
            }
        }
    }

    /// The columns that are regressors as they are.
    pub(crate) fn plain_columns(&self) -> Vec<&str> {
        match self {
            Self::Zero | Self::Constant => Vec::new(),
            Self::Formula(formula) => {
                formula.terms().iter().filter_map(|term| term.expression().as_column()).collect()
            }
        }
    }

    /// The regressors, a value for each row of `table`; NaN where one is missing.
    ///
    /// # Errors
    /// If a column is not there, or an expression has no value.
    pub(crate) fn columns(&self, table: &Table) -> Result<Vec<Vec<f64>>, EvaluateError> {
        match self {
            Self::Zero => Ok(Vec::new()),
            Self::Constant => Ok(vec![vec![1.0; table.rows()]]),
            Self::Formula(formula) => formula.design(table),
        }
    }
}

/// Coefficients of a mean with their standard errors.
#[derive(Clone, Debug)]
pub(crate) struct Coefficients {
    /// The names.
    pub(crate) names: Vec<String>,
    /// The estimates, by generalised least squares.
    pub(crate) values: Vec<f64>,
    /// Their standard errors, the covariance taken as known.
    pub(crate) standard_errors: Vec<f64>,
}

impl Coefficients {
    /// From the coefficients of the orthonormal columns of `design` and their covariance `A`:
    /// `b = R^-1 c` has covariance `R^-1 A R^-T`.
    pub(crate) fn new(design: &Design, orthonormal: &[f64], covariance: &[f64]) -> Self {
        let p = orthonormal.len();
        // Columns of R^-1 A, then rows of it again.
        let half: Vec<Vec<f64>> =
            covariance.chunks_exact(p.max(1)).map(|column| design.coefficients(column)).collect();
        let error = |i: usize| {
            let row: Vec<f64> = half.iter().map(|column| column[i]).collect();
            design.coefficients(&row)[i].max(0.0).sqrt()
        };
        Self {
            names: design.names().to_vec(),
            values: design.coefficients(orthonormal),
            standard_errors: (0..p).map(error).collect(),
        }
    }

    /// The coefficients of `mean` as JSON.
    pub(crate) fn json(&self, mean: &Mean) -> Value {
        json!({
            "formula": mean.text(),
            "names": self.names,
            "coefficients": self.values,
            "standard_errors": self.standard_errors,
        })
    }
}
