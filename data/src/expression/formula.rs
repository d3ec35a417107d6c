//! A mean as a formula: a sum whose terms are regressors, with an intercept unless it is taken out.

use super::error::{EvaluateError, ParseError};
use super::parse::Parser;
use super::{Expression, Kind, Node};
use crate::format::Table;

/// A linear mean. `x + y + sqrt(dist)` is an intercept and three regressors; `0 + x`, `-1 + x` and `x - 1` have no
/// intercept; `1` is an intercept alone; `0` is a mean of zero. Only the outermost `+` separate regressors: `(x + y)`
/// and `2 * x` are one each, and `x * y` is the product, not an interaction as in R.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: String,
    intercept: bool,
    terms: Vec<Term>,
}

/// One regressor of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    name: String,
    expression: Expression,
}

impl Term {
    /// The term as it was written: the name of its coefficient.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The term as an expression.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }
}

/// What a summand of the formula does.
enum Summand {
    WithIntercept,
    WithoutIntercept,
    Regressor(Term),
}

impl Formula {
    /// The name of the intercept's coefficient.
    pub const INTERCEPT: &'static str = "intercept";

    /// Reads a formula.
    ///
    /// # Errors
    /// [`ParseError`] for what is no expression, a regressor that is subtracted, constant or repeated, and an intercept
    /// that is asked for and taken out.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser::new(text)?;
        let mut terms: Vec<Term> = Vec::new();
        let mut intercept: Option<bool> = None;
        let mut sign = parser.take_sign(&['+', '-']).unwrap_or('+');
        loop {
            let node = parser.product()?;
            let span = node.span;
            match summand(&parser, node, sign)? {
                Summand::Regressor(term) if terms.iter().any(|other| same(other, &term)) => {
                    return parser.fail(span, "this term stands in the formula twice".to_owned());
                }
                Summand::Regressor(term) => terms.push(term),
                with => {
                    let with = matches!(with, Summand::WithIntercept);
                    if intercept.is_some_and(|before| before != with) {
                        let message = "the intercept is both asked for and taken out";
                        return parser.fail(span, message.to_owned());
                    }
                    intercept = Some(with);
                }
            }
            match parser.take_sign(&['+', '-']) {
                Some(next) => sign = next,
                None => break,
            }
        }
        parser.expect_end()?;
        Ok(Self { text: text.to_owned(), intercept: intercept.unwrap_or(true), terms })
    }

    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the mean has an intercept.
    pub fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// The regressors, the intercept aside.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The names of the coefficients: [`Formula::INTERCEPT`] if there is one, then the terms as they were written.
    pub fn names(&self) -> Vec<&str> {
        let intercept = self.intercept.then_some(Self::INTERCEPT);
        intercept.into_iter().chain(self.terms.iter().map(Term::name)).collect()
    }

    /// The design matrix by columns, in the order of [`Formula::names`], each with one value for each row of `table`;
    /// NaN where an input is missing.
    ///
    /// # Errors
    /// As [`Expression::evaluate`].
    pub fn design(&self, table: &Table) -> Result<Vec<Vec<f64>>, EvaluateError> {
        let intercept = self.intercept.then(|| Ok(vec![1.0; table.rows()]));
        let terms = self.terms.iter().map(|term| term.expression.evaluate(table));
        intercept.into_iter().chain(terms).collect()
    }
}

/// Says what the summand `node` with `sign` before it does.
fn summand(parser: &Parser<'_>, node: Node, sign: char) -> Result<Summand, ParseError> {
    let span = node.span;
    match (&node.kind, sign) {
        (Kind::Number(0.0), _) | (Kind::Number(1.0), '-') => return Ok(Summand::WithoutIntercept),
        (Kind::Number(1.0), _) => return Ok(Summand::WithIntercept),
        _ => {}
    }
    let mut constant = true;
    node.each_column(&mut |_, _| constant = false);
    if constant {
        let message = "this term is constant: write 1 for an intercept, 0 for none";
        return parser.fail(span, message.to_owned());
    }
    if sign == '-' {
        let message = "a term cannot be subtracted, its coefficient has a sign of its own; only -1 can, which takes \
                       the intercept out";
        return parser.fail(span, message.to_owned());
    }
    let name = parser.text()[span.start..span.end].to_owned();
    let expression = Expression { text: parser.text().to_owned(), root: node };
    Ok(Summand::Regressor(Term { name, expression }))
}

/// Whether two terms are written alike, blanks aside.
fn same(a: &Term, b: &Term) -> bool {
    let letters =
        |term: &Term| term.name.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    letters(a) == letters(b)
}
