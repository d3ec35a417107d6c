//! A formula with what its variables have learned from data, and the columns they make.

use std::fmt;

use tegula_files::Classes;
use tegula_files::expression::ParseError;
use thiserror::Error;

use super::factor::Levels;
use super::formula::Formula;
use super::poly::{self, Poly};
use super::terms::{Coding, codings};
use super::variable::Kind;

/// Most columns of a mean.
const MOST_COLUMNS: usize = 5000;

/// What a variable is at each place, none of them missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Classes.
    Classes(Classes),
}

/// What a variable has learned from data.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// Nothing: it is a number.
    Number,
    /// The levels of a factor.
    Factor(Levels),
    /// Orthogonal polynomials.
    Orthogonal(Poly),
    /// Powers up to this one.
    Powers(usize),
}

/// Why a formula has no columns.
#[derive(Clone, Debug, Error)]
pub enum MeanError {
    /// Data that a variable cannot learn from.
    #[error(transparent)]
    Variable(ParseError),
    /// A level that the data did not have.
    #[error("{variable} has no level '{level}'; the data of the model have {}", Listed(levels))]
    Level {
        /// Name of the variable.
        variable: String,
        /// Text or number at the place.
        level: String,
        /// The place, counted from 0.
        row: usize,
        /// The levels there are.
        levels: Vec<String>,
    },
    /// More columns than can be estimated from any data.
    #[error("the mean has {columns} columns; {MOST_COLUMNS} are allowed")]
    Columns {
        /// How many it has.
        columns: usize,
    },
}

/// Some of a list.
struct Listed<'a>(&'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 40;
        let (shown, more) = (self.0.len().min(SHOWN), self.0.len().saturating_sub(SHOWN));
        write!(f, "{}", self.0[..shown].join(", "))?;
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

/// A formula that can make the columns of a mean, of the data it has learned from and elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    formula: Formula,
    bases: Vec<Basis>,
}

impl Linear {
    /// The `formula` with what its variables learn from `values`, one for each of them.
    ///
    /// # Errors
    /// If a factor has one level or too many, or a polynomial too few different values.
    ///
    /// # Panics
    /// If a value is missing for a variable, or texts stand where numbers are computed with.
    pub fn learn(formula: Formula, values: &[Values]) -> Result<Self, MeanError> {
        assert_eq!(formula.variables().len(), values.len(), "variables and values");
        let mut bases = Vec::new();
        for (variable, values) in formula.variables().iter().zip(values) {
            let fail = |message: String| {
                let message = format!("{}: {message}", variable.name());
                MeanError::Variable(ParseError::new(formula.text(), variable.span, message))
            };
            let basis = match (variable.kind(), values) {
                (Kind::Column(_) | Kind::Factor(_), Values::Classes(classes)) => {
                    Basis::Factor(Levels::of_classes(classes))
                }
                (Kind::Factor(_), Values::Numbers(x)) => Basis::Factor(Levels::of_numbers(x)),
                (Kind::Poly { degree, is_raw: true, .. }, _) => Basis::Powers(*degree),
                (Kind::Poly { degree, .. }, Values::Numbers(x)) => {
                    let learned = Poly::learn(x, *degree);
                    Basis::Orthogonal(learned.ok_or_else(|| {
                        fail(format!("degree {degree} takes more than {degree} different values"))
                    })?)
                }
                _ => Basis::Number,
            };
            if let Basis::Factor(levels) = &basis {
                levels.check().map_err(fail)?;
            }
            bases.push(basis);
        }
        Self::new(formula, bases).ok_or_else(|| unreachable!("a basis was learned for each kind"))
    }

    /// The `formula` with these `bases`, one for each variable; none if one is not of its kind.
    #[must_use]
    pub fn new(formula: Formula, bases: Vec<Basis>) -> Option<Self> {
        let fits = |(variable, basis): (&super::Variable, &Basis)| match (variable.kind(), basis) {
            (Kind::Column(_) | Kind::Numbers(_), Basis::Number) => true,
            (Kind::Column(_) | Kind::Factor(_), Basis::Factor(levels)) => levels.check().is_ok(),
            (Kind::Poly { degree, is_raw: false, .. }, Basis::Orthogonal(poly)) => {
                poly.alpha().len() == *degree
            }
            (Kind::Poly { degree, is_raw: true, .. }, Basis::Powers(powers)) => degree == powers,
            _ => false,
        };
        let is_whole = formula.variables().len() == bases.len()
            && formula.variables().iter().zip(&bases).all(fits);
        is_whole.then_some(Self { formula, bases })
    }

    /// The formula.
    #[must_use]
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// What each variable has learned.
    #[must_use]
    pub fn bases(&self) -> &[Basis] {
        &self.bases
    }

    /// The names of the columns, as R names coefficients.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        names.extend(self.formula.has_intercept().then(|| Formula::INTERCEPT.to_owned()));
        for (term, codings) in self.formula.terms().zip(self.codings()) {
            let parts = term.iter().zip(codings).map(|(&v, coding)| self.part_names(v, coding));
            names.extend(crossed(parts, |one: &String, other| format!("{one}:{other}")));
        }
        names
    }

    /// The columns, in the order of the names, where the variables have these `values`.
    ///
    /// # Errors
    /// If a factor has a level that it had not in the data, or there are too many columns.
    ///
    /// # Panics
    /// As [`Linear::learn`].
    pub fn columns(&self, values: &[Values], rows: usize) -> Result<Vec<Vec<f64>>, MeanError> {
        let count = self.count();
        if count > MOST_COLUMNS {
            return Err(MeanError::Columns { columns: count });
        }
        let levels: Vec<Vec<usize>> =
            (0..values.len()).map(|v| self.levels(v, &values[v])).collect::<Result<_, _>>()?;
        let mut columns: Vec<Vec<f64>> = Vec::new();
        columns.extend(self.formula.has_intercept().then(|| vec![1.0; rows]));
        for (term, codings) in self.formula.terms().zip(self.codings()) {
            let parts = term.iter().zip(codings);
            let parts = parts.map(|(&v, coding)| self.part(v, coding, &values[v], &levels[v]));
            let product = |one: &Vec<f64>, other: &Vec<f64>| {
                one.iter().zip(other).map(|(x, y)| x * y).collect()
            };
            columns.extend(crossed(parts, product));
        }
        Ok(columns)
    }

    fn codings(&self) -> Vec<Vec<Coding>> {
        let is_factor = |variable: usize| matches!(self.bases[variable], Basis::Factor(_));
        codings(self.formula.term_list(), self.formula.has_intercept(), is_factor)
    }

    /// The number of columns.
    fn count(&self) -> usize {
        let width = |(&variable, coding): (&usize, Coding)| match &self.bases[variable] {
            Basis::Number => 1,
            Basis::Factor(levels) => levels.coded(coding).len(),
            Basis::Orthogonal(poly) => poly.alpha().len(),
            Basis::Powers(degree) => *degree,
        };
        let of_term = |(term, codings): (&[usize], Vec<Coding>)| {
            term.iter().zip(codings).map(width).fold(1, usize::saturating_mul)
        };
        let terms = self.formula.terms().zip(self.codings()).map(of_term);
        terms.fold(usize::from(self.formula.has_intercept()), usize::saturating_add)
    }

    /// The level of a factor at each place; nothing for other variables.
    fn levels(&self, variable: usize, values: &Values) -> Result<Vec<usize>, MeanError> {
        let Basis::Factor(levels) = &self.bases[variable] else { return Ok(Vec::new()) };
        let found = match values {
            Values::Numbers(x) => levels.find_numbers(x),
            Values::Classes(classes) => levels.find_classes(classes),
        };
        found.map_err(|(row, level)| MeanError::Level {
            variable: self.formula.variables()[variable].name().to_owned(),
            level,
            row,
            levels: levels.labels().to_vec(),
        })
    }

    /// The columns of one variable of a term.
    fn part(
        &self,
        variable: usize,
        coding: Coding,
        values: &Values,
        places: &[usize],
    ) -> Vec<Vec<f64>> {
        let numbers = || match values {
            Values::Numbers(x) => x,
            Values::Classes(_) => panic!("texts for a variable that is computed with"),
        };
        match &self.bases[variable] {
            Basis::Number => vec![numbers().clone()],
            Basis::Factor(levels) => {
                let is = |level| places.iter().map(move |&p| f64::from(u8::from(p == level)));
                levels.coded(coding).map(|level| is(level).collect()).collect()
            }
            Basis::Orthogonal(poly) => poly.columns(numbers()),
            Basis::Powers(degree) => poly::powers(numbers(), *degree),
        }
    }

    fn part_names(&self, variable: usize, coding: Coding) -> Vec<String> {
        let name = self.formula.variables()[variable].name();
        let degrees = |degree: usize| match degree {
            1 => vec![name.to_owned()],
            _ => (1..=degree).map(|k| format!("{name}{k}")).collect(),
        };
        match &self.bases[variable] {
            Basis::Number => vec![name.to_owned()],
            Basis::Factor(levels) => {
                let labels = &levels.labels()[levels.coded(coding)];
                labels.iter().map(|label| format!("{name}{label}")).collect()
            }
            Basis::Orthogonal(poly) => degrees(poly.alpha().len()),
            Basis::Powers(degree) => degrees(*degree),
        }
    }
}

/// Everything of the first part with everything of the next, the first running fastest.
fn crossed<X>(parts: impl Iterator<Item = Vec<X>>, join: impl Fn(&X, &X) -> X) -> Vec<X> {
    let both = |left: Vec<X>, right: Vec<X>| {
        right.iter().flat_map(|r| left.iter().map(|l| join(l, r)).collect::<Vec<X>>()).collect()
    };
    parts.reduce(both).unwrap_or_default()
}
