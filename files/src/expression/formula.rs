//! A mean as a formula: a sum whose terms are regressors, with an intercept unless it is taken out.

use super::cross;
use super::error::{EvaluateError, ParseError, Span};
use super::parse::{Parser, binary};
use super::{Expression, Kind, Node, Operator};
use crate::Table;

/// A linear mean, written as in R. `x + y + sqrt(dist)` is an intercept and three regressors;
/// `0 + x`, `-1 + x` and `x - 1` have no intercept; `1` is an intercept alone; `0` is a mean of
/// zero.
///
/// Outside of the arguments of functions the operators join terms: `a:b` is the product of two
/// columns, `a*b` stands for `a + b + a:b`, and `(a + b)*c` for `a + b + c + a:c + b:c`. Terms with
/// more factors come later. Arithmetic stands in a function: `I(a*b)`, `I(x/1000)`, `log(a*b)`.
/// What R takes for the nesting or the power of terms (`/`, `^`), and a term that is subtracted,
/// are refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: String,
    intercept: bool,
    terms: Vec<Term>,
}

/// One regressor of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub(super) name: String,
    pub(super) expression: Expression,
}

impl Term {
    /// The term as it was written, or its factors with colons between them: the name of its
    /// coefficient.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The term as an expression.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }
}

impl Formula {
    /// The name of the intercept's coefficient.
    pub const INTERCEPT: &'static str = "intercept";

    /// Reads a formula.
    ///
    /// # Errors
    /// [`ParseError`] for what is no formula, a regressor that is subtracted, constant or repeated,
    /// and an intercept that is asked for and taken out.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser::new(text)?;
        let sum = cross::sum(&mut parser)?;
        parser.expect_end()?;
        let terms = sum.terms.iter().map(|product| product.term(&parser)).collect();
        let mut formula =
            Self { text: text.to_owned(), intercept: sum.intercept.unwrap_or(true), terms };
        if !Self::read(text).is_ok_and(|read| read.names() == formula.names()) {
            formula.text = formula.expanded();
            if Self::read(&formula.text).is_err() {
                let (span, terms) = (Span { start: 0, end: text.len() }, formula.terms.len());
                return parser.fail(span, format!("too long: written out it has {terms} terms"));
            }
        }
        Ok(formula)
    }

    /// Reads the [`text`](Self::text) of a formula, in which every term stands by itself: `x * y`
    /// is the product, as it was in all formulas of earlier versions.
    ///
    /// # Errors
    /// As [`Formula::parse`].
    pub fn read(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser::new(text)?;
        let mut intercept: Option<bool> = None;
        let mut terms: Vec<Term> = Vec::new();
        let mut sign = parser.take_sign(&['+', '-']);
        loop {
            let node = product(&mut parser)?;
            match cross::summand(&parser, &node, sign.unwrap_or('+'))? {
                Some(with) => cross::set(&parser, &mut intercept, with, node.span)?,
                None => terms.push(term(&parser, node)),
            }
            sign = parser.take_sign(&['+', '-']);
            if sign.is_none() {
                break;
            }
        }
        parser.expect_end()?;
        Ok(Self { text: text.to_owned(), intercept: intercept.unwrap_or(true), terms })
    }

    /// The text that [`Formula::read`] reads back: as it was written if that says it, else every
    /// term by itself.
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

    /// The names of the coefficients: [`Formula::INTERCEPT`] if there is one, then those of the
    /// terms.
    pub fn names(&self) -> Vec<&str> {
        let intercept = self.intercept.then_some(Self::INTERCEPT);
        intercept.into_iter().chain(self.terms.iter().map(Term::name)).collect()
    }

    /// The design matrix by columns, in the order of [`Formula::names`], each with one value for
    /// each row of `table`; NaN where an input is missing.
    ///
    /// # Errors
    /// As [`Expression::evaluate`].
    pub fn design(&self, table: &Table) -> Result<Vec<Vec<f64>>, EvaluateError> {
        let intercept = self.intercept.then(|| Ok(vec![1.0; table.rows()]));
        let terms = self.terms.iter().map(|term| term.expression.evaluate(table));
        intercept.into_iter().chain(terms).collect()
    }

    /// The formula with every term by itself.
    fn expanded(&self) -> String {
        let intercept = match (self.intercept, self.terms.is_empty()) {
            (true, true) => Some("1"),
            (true, false) => None,
            (false, _) => Some("0"),
        };
        let parts: Vec<&str> =
            intercept.into_iter().chain(self.terms.iter().map(Term::name)).collect();
        parts.join(" + ")
    }
}

/// `product {: product}`
fn product(parser: &mut Parser<'_>) -> Result<Node, ParseError> {
    let mut node = parser.product()?;
    while parser.take_sign(&[':']).is_some() {
        node = binary(Operator::Multiply, node, parser.product()?);
    }
    Ok(node)
}

/// The term `node` as it is written.
fn term(parser: &Parser<'_>, node: Node) -> Term {
    let name = parser.text()[node.span.start..node.span.end].to_owned();
    Term { name, expression: Expression { text: parser.text().to_owned(), root: node } }
}

/// Whether no column stands in `node`.
pub(super) fn is_constant(node: &Node) -> bool {
    let mut constant = true;
    node.each_column(&mut |_, _| constant = false);
    constant
}

/// The number that `node` is, if it is no more than one.
pub(super) fn as_number(node: &Node) -> Option<f64> {
    match node.kind {
        Kind::Number(value) => Some(value),
        _ => None,
    }
}
