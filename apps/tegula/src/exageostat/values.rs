//! What is observed: the columns or expressions of one variable, of its replicates or of several
//! variables, and of their noise.

use anyhow::Result;
use tegula_files::Table;
use tegula_files::expression::{Expression, split_list};

use super::places::{column_expression, evaluate};
use crate::error::refused;
use crate::output::count;

/// The columns or expressions that are observed, one for each variable.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    variables: Vec<Expression>,
    /// Further fields of the variable, which is then the only one.
    replicates: Vec<Expression>,
    text: String,
    /// Variances of their noise, where they are known.
    noise: Option<(Vec<Expression>, String)>,
}

impl Observed {
    /// Those of a list of columns and expressions.
    ///
    /// # Errors
    /// If one is none over `table`.
    pub(crate) fn parse(list: &str, table: &Table) -> Result<Self> {
        let texts = split_list(list).into_iter();
        let variables = texts.map(|text| column_expression("--values", text, table));
        let (variables, text) = (variables.collect::<Result<_>>()?, list.to_owned());
        Ok(Self { variables, replicates: Vec::new(), text, noise: None })
    }

    /// These as fields of one variable, if they are replicates.
    ///
    /// # Errors
    /// If there is but one, or one is listed twice.
    pub(crate) fn replicated(mut self, are_replicates: bool) -> Result<Self> {
        if !are_replicates {
            return Ok(self);
        }
        self.replicates = self.variables.split_off(1);
        if self.replicates.is_empty() {
            let text = &self.text;
            return Err(refused(format!(
                "--replicates: --values {text} is one field: list all, as --values z1,z2,z3"
            )));
        }
        let texts: Vec<&str> = self.fields().map(Expression::text).collect();
        let twice = texts.iter().enumerate().find(|(place, text)| texts[..*place].contains(text));
        if let Some((_, text)) = twice {
            return Err(refused(format!("--replicates: --values lists {text} twice")));
        }
        Ok(self)
    }

    pub(crate) fn one(expression: Expression) -> Self {
        let text = expression.text().to_owned();
        Self { text, variables: vec![expression], replicates: Vec::new(), noise: None }
    }

    /// These with the variances of their noise, if a list of them is given.
    ///
    /// # Errors
    /// If one is no column or expression over `table`, or they are not as many.
    pub(crate) fn with_noise(self, list: Option<&str>, table: &Table) -> Result<Self> {
        let Some(list) = list else { return Ok(self) };
        let texts = split_list(list);
        if texts.len() != self.variables.len() {
            let (found, wanted) = (count(texts.len(), "variance"), self.variables.len());
            return Err(refused(format!(
                "--noise {list}: {found} for {}: give one for each",
                count(wanted, "variable")
            )));
        }
        let parsed = texts.into_iter().map(|text| Ok(Expression::column_or_parse(text, table)?));
        let noise = (parsed.collect::<Result<_>>()?, list.to_owned());
        Ok(Self { noise: Some(noise), ..self })
    }

    /// The list of variances of noise as it is written, if there is one.
    pub(crate) fn noise(&self) -> Option<&str> {
        self.noise.as_ref().map(|(_, text)| text.as_str())
    }

    /// The variance of the noise of each variable in each row of `table`, if there is noise.
    pub(crate) fn noise_values(&self, table: &Table) -> Result<Vec<Option<Vec<f64>>>> {
        let Some((noise, _)) = &self.noise else { return Ok(vec![None; self.variables.len()]) };
        noise.iter().map(|noise| evaluate(noise, table).map(Some)).collect()
    }

    /// The variables.
    pub(crate) fn variables(&self) -> &[Expression] {
        &self.variables
    }

    /// The fields that are observed: the variables, or all replicates.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Expression> {
        self.variables.iter().chain(&self.replicates)
    }

    /// Number of replicates, 1 where there is one field of each variable.
    pub(crate) fn replicates(&self) -> usize {
        1 + self.replicates.len()
    }

    /// The list as it is written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Names of the columns that are used.
    pub(crate) fn columns(&self) -> Vec<&str> {
        self.fields().flat_map(Expression::columns).collect()
    }

    /// A name for each field: its column, or its number.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |(index, expression): (usize, &Expression)| {
            expression.as_column().map_or_else(|| format!("{}", index + 1), str::to_owned)
        };
        self.fields().enumerate().map(name).collect()
    }
}

/// Names of the columns of the mean of each variable.
pub(crate) fn names_by_variable(names: &[String], values: &Observed) -> Vec<String> {
    let of = values.variables.iter().map(Expression::text);
    of.flat_map(|variable| names.iter().map(move |name| format!("{variable}: {name}"))).collect()
}

/// The `columns` of a mean as those of each variable: 0 where the row is `of` another.
pub(crate) fn columns_by_variable(
    columns: &[Vec<f64>],
    of: &[usize],
    variables: usize,
) -> Vec<Vec<f64>> {
    let own = |variable: usize, column: &[f64]| -> Vec<f64> {
        let entry = |(&x, &of)| if of == variable { x } else { 0.0 };
        column.iter().zip(of).map(entry).collect()
    };
    (0..variables).flat_map(|variable| columns.iter().map(move |c| own(variable, c))).collect()
}
