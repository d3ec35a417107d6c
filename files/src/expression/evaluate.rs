//! The values of an expression, row by row of a table.

use super::error::{EvaluateError, Span};
use super::{Expression, Kind, Node, Operator};
use crate::Table;

impl Expression {
    /// What a user means by `text` over `table`: the column of that name or number if there is one,
    /// else arithmetic. So `3` is the third column, also of a table that has none, and `3 + 0` the
    /// number; and a column called `a-b` needs no backquotes if it stands alone. A column that is
    /// given by its number bears its name from then on, if it has one, so that it is the same in
    /// tables with other columns.
    ///
    /// # Errors
    /// [`super::ParseError`] if it is neither.
    pub fn column_or_parse(text: &str, table: &Table) -> Result<Self, super::ParseError> {
        let text = text.trim();
        match table.find(text) {
            Ok(column) if table.is_found_by_number(text) => {
                let name = table.name(column);
                let is_clear = table.find(&name).is_ok_and(|named| named == column);
                Ok(Self::column(if is_clear { &name } else { text }))
            }
            Ok(_) => Ok(Self::column(text)),
            Err(_) if text.parse::<usize>().is_ok() => Ok(Self::column(text)),
            Err(_) => Self::parse(text),
        }
    }

    /// One value for each row of `table`; NaN where an input is missing.
    ///
    /// # Errors
    /// [`EvaluateError::Column`] for a column that is not there or holds text;
    /// [`EvaluateError::NotFinite`] for an operation that has no finite result (the logarithm of a
    /// negative number), with the first such line.
    pub fn evaluate(&self, table: &Table) -> Result<Vec<f64>, EvaluateError> {
        let operand = Evaluation { table, text: &self.text }.values(&self.root)?;
        Ok(match operand {
            Operand::Constant(value) => vec![value; table.rows()],
            Operand::Borrowed(values) => values.to_vec(),
            Operand::Owned(values) => values,
        })
    }
}

struct Evaluation<'a> {
    table: &'a Table,
    text: &'a str,
}

/// The value of a node: the same for all rows, or one for each.
enum Operand<'a> {
    Constant(f64),
    Borrowed(&'a [f64]),
    Owned(Vec<f64>),
}

impl Operand<'_> {
    fn at(&self, row: usize) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Borrowed(values) => values[row],
            Self::Owned(values) => values[row],
        }
    }
}

impl<'a> Evaluation<'a> {
    fn values(&self, node: &Node) -> Result<Operand<'a>, EvaluateError> {
        match &node.kind {
            Kind::Number(value) => Ok(Operand::Constant(*value)),
            Kind::Column(name) => {
                let column = self.table.find(name).and_then(|column| self.table.numbers(column));
                column.map(Operand::Borrowed).map_err(|cause| EvaluateError::Column {
                    text: self.text.to_owned(),
                    span: node.span,
                    cause: Box::new(cause),
                })
            }
            Kind::Negate(operand) => {
                let operand = self.values(operand)?;
                self.each_row(node.span, &[operand], |x| -x[0], |x| format!("-{}", x[0]))
            }
            Kind::Call(function, argument) => {
                let argument = self.values(argument)?;
                let describe = |x: &[f64]| format!("{}({})", function.name(), x[0]);
                self.each_row(node.span, &[argument], |x| function.apply(x[0]), describe)
            }
            Kind::Binary(operator, left, right) => {
                let operands = [self.values(left)?, self.values(right)?];
                let describe = |x: &[f64]| format!("{} {} {}", x[0], operator.sign(), x[1]);
                self.each_row(node.span, &operands, |x| operator.apply(x[0], x[1]), describe)
            }
        }
    }

    /// Applies `apply` to the operands row by row, or once if they are constants.
    fn each_row(
        &self,
        span: Span,
        operands: &[Operand<'_>],
        apply: impl Fn(&[f64]) -> f64,
        describe: impl Fn(&[f64]) -> String,
    ) -> Result<Operand<'a>, EvaluateError> {
        let constant = operands.iter().all(|operand| matches!(operand, Operand::Constant(_)));
        let rows = if constant { 1 } else { self.table.rows() };
        let mut values = Vec::with_capacity(rows);
        let mut inputs = vec![0.0; operands.len()];
        for row in 0..rows {
            for (input, operand) in inputs.iter_mut().zip(operands) {
                *input = operand.at(row);
            }
            let missing = inputs.iter().any(|input| input.is_nan());
            let value = if missing { f64::NAN } else { apply(&inputs) };
            if !missing && !value.is_finite() {
                return Err(EvaluateError::NotFinite {
                    row: self.table.row_name(row),
                    what: describe(&inputs),
                    text: self.text.to_owned(),
                    span,
                });
            }
            values.push(value);
        }
        Ok(if constant { Operand::Constant(values[0]) } else { Operand::Owned(values) })
    }
}

impl Operator {
    fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
            Self::Power => '^',
        }
    }

    fn apply(self, left: f64, right: f64) -> f64 {
        match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
            Self::Power => left.powf(right),
        }
    }
}
