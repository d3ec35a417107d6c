//! A mean as a formula: an intercept, variables, and the terms they make.

use tegula_files::expression::{ParseError, Span, Token, tokens};

use super::parse::{self, Parsed};
use super::spelling;
use super::terms::Term;
use super::variable::{Kind, Variable};

/// A linear mean, written as the right side of a formula in R.
///
/// `x + y + sqrt(dist)` is an intercept and three regressors; `0 + x`, `-1 + x` and `x - 1` have no
/// intercept; `1` is an intercept alone; `0` is a mean of zero. `a:b` is the interaction of two
/// variables, `a*b` stands for `a + b + a:b`, `a/b` for `a + a:b`, `(a + b + c)^2` for all of them
/// and their pairs, and `a*b - a` takes a term out again; terms with more variables come later. `.`
/// stands for columns that the caller names. Arithmetic stands in functions: `I(a*b)`, `I(x/1000)`,
/// `log(a*b)`. `poly(x, 2)` is a pair of orthogonal polynomials, `poly(x, 2, raw = TRUE)` the
/// powers; `factor(k)`, also `as.factor(k)` and `C(k)`, is a factor of numbers.
///
/// Where R would drop a power (`x^2` is `x` there) or a product with itself, the formula is refused
/// with what to write.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: String,
    has_intercept: bool,
    variables: Vec<Variable>,
    terms: Vec<Term>,
}

impl Formula {
    /// The name of the intercept's coefficient.
    pub const INTERCEPT: &'static str = "(Intercept)";

    /// Reads a formula.
    ///
    /// # Errors
    /// [`ParseError`] for what is no formula, with the place in it.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self::new(text, parse::parse(text)?))
    }

    /// Reads a formula of an earlier version, in which `*`, `/` and `^` are arithmetic.
    ///
    /// # Errors
    /// As [`Formula::parse`].
    pub fn parse_products(text: &str) -> Result<Self, ParseError> {
        Ok(Self::new(text, parse::parse_products(text)?))
    }

    fn new(text: &str, parsed: Parsed) -> Self {
        let Parsed { has_intercept, variables, terms } = parsed;
        Self { text: text.to_owned(), has_intercept, variables, terms }
    }

    /// The text that was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the mean has an intercept.
    #[must_use]
    pub fn has_intercept(&self) -> bool {
        self.has_intercept
    }

    /// The variables, in the order in which they first occur.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// For each term the numbers of its variables, in the order of the terms' columns.
    pub fn terms(&self) -> impl Iterator<Item = &[usize]> {
        self.terms.iter().map(|term| term.0.as_slice())
    }

    pub(super) fn term_list(&self) -> &[Term] {
        &self.terms
    }

    /// The terms as R labels them.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        let name = |&number: &usize| self.variables[number].name.as_str();
        let label = |term: &Term| term.0.iter().map(name).collect::<Vec<_>>().join(":");
        self.terms.iter().map(label).collect()
    }

    /// The columns that are computed with, each once.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for name in self.variables.iter().flat_map(|v| v.expression().columns()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether `.` stands for columns.
    #[must_use]
    pub fn has_rest(&self) -> bool {
        self.columns().contains(&".")
    }

    /// The text of the formula with `columns` in place of `.`.
    #[must_use]
    pub fn with_rest(&self, columns: &[String]) -> String {
        let names: Vec<String> = columns.iter().map(|name| spelling::column(name)).collect();
        let sum = format!("({})", names.join(" + "));
        let is_rest = |(token, _): &&(Token, Span)| matches!(token, Token::Name { name, quoted: false } if name == ".");
        let blank = self.text.replace('~', " ");
        let found = tokens(&blank).unwrap_or_default();
        let (mut text, mut end) = (String::new(), 0);
        for (_, span) in found.iter().filter(is_rest) {
            text = text + &blank[end..span.start] + &sum;
            end = span.end;
        }
        text + &blank[end..]
    }

    /// The variables that are columns of numbers or of text as they are.
    pub fn plain_columns(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().filter_map(|variable| match &variable.kind {
            Kind::Column(column) => column.as_column(),
            _ => None,
        })
    }
}
