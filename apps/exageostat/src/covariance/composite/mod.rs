//! Covariances that are put together from listed ones: sums, of several variables, and in space and
//! time.
//!
//! A member says what it is made of, terms that are listed covariances of variance 1 with weights
//! between two variables, and how it changes with time; the kernel puts that together
//! ([`tegula_kernels::kernel::covariance::composite`]). Derivatives are analytic by weights,
//! shapes and time, and go to those by the parameters by the chain rule.

mod gneiting;
mod nonstationary;
mod sum;
mod variables;

use std::mem::offset_of;

use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::composite::{
    Composite, FIELDS, Line, TERMS, Term, Time, composite_buffer,
};
use tegula_kernels::kernel::covariance::{RadialTable, Recipe, Structure};

use super::{Covariance, CovarianceError, Function, Parameter, RANGE, Scale, VARIANCE, Validity};
use crate::covariance::directions::Directions;
use crate::likelihood::Score;

pub(super) use sum::sum;

/// All of several variables, and in space and time.
pub static COMPOSITES: &[Covariance] = &[
    variables::BIVARIATE_PARSIMONIOUS,
    variables::TRIVARIATE_PARSIMONIOUS,
    variables::BIVARIATE_FLEXIBLE,
    gneiting::GNEITING,
    gneiting::BIVARIATE_GNEITING,
    nonstationary::NONSTATIONARY,
];

/// What a parameter of a composite covariance does, for where a fit starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is the variance of a variable, of so many in a sum.
    Variance {
        /// The variable.
        variable: usize,
        /// Parts of the variance.
        parts: usize,
    },
    /// The variance of a variable grows with its square.
    Root {
        /// The variable.
        variable: usize,
    },
    /// It is a range, of one of so many in a sum, the shortest first.
    Range {
        /// Which of them.
        part: usize,
        /// How many there are.
        parts: usize,
    },
    /// It is the square of a range.
    SquaredRange,
    /// It is the scale of a power of time.
    TimeScale,
    /// A standard deviation of a variable that is added to another.
    Level {
        /// The variable.
        variable: usize,
    },
    /// What multiplies coordinates, or their sum.
    Rate,
    /// Anything else.
    Shape,
}

/// How a covariance is put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Composition {
    /// Variables that it is of.
    pub(super) variables: usize,
    /// Whether it depends on time.
    pub(super) has_time: bool,
    /// Of each parameter.
    pub(super) roles: &'static [Role],
    /// What it is made of, from the values of the parameters.
    pub(super) made: Made,
    /// What is wrong with values that are each within its bounds, if they do not go together.
    pub(super) flaw: fn(&[f64]) -> Option<String>,
    /// Parameters, with values that make it a covariance of fewer: a search begins with these.
    pub(super) simpler: &'static [(usize, f64)],
}

/// What a covariance is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made {
    /// Listed ones, added.
    Sum(&'static [&'static Covariance]),
    /// Terms that follow from the parameters.
    By(fn(&[f64]) -> Parts),
}

/// Terms, and time; or the numbers of a non-stationary covariance.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) terms: Vec<Part>,
    pub(super) time: Option<Time>,
    pub(super) fields: Option<[f64; FIELDS]>,
}

/// A term: a listed covariance of variance 1 with a weight.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) pair: [u32; 2],
    pub(super) weight: f64,
    pub(super) covariance: &'static Covariance,
    /// Its parameters but the variance, the range first.
    pub(super) shapes: Vec<f64>,
}

impl Part {
    /// All parameters.
    fn values(&self) -> Vec<f64> {
        [&[1.0], &self.shapes[..]].concat()
    }
}

impl Composition {
    /// Of a single variable with these parts there is nothing that cannot go together.
    pub(super) fn any(_: &[f64]) -> Option<String> {
        None
    }

    pub(super) fn parts(&self, values: &[f64]) -> Parts {
        match self.made {
            Made::Sum(terms) => Parts { terms: sum::parts(terms, values), ..Parts::default() },
            Made::By(made) => made(values),
        }
    }

    /// What derivatives are by: of each term its weight and the coordinates of its shapes, then
    /// what time has.
    fn basis(&self, values: &[f64]) -> Vec<f64> {
        let Parts { terms, time, fields } = self.parts(values);
        let mut basis = fields.map_or_else(Vec::new, Vec::from);
        for term in terms {
            basis.push(term.weight);
            let shapes = term.covariance.parameters[1..].iter().zip(&term.shapes);
            basis.extend(shapes.map(|(parameter, &value)| parameter.scale.coordinate(value)));
        }
        if let Some(Time { scale, alpha, interaction, decay }) = time {
            basis.extend([scale.ln(), alpha, interaction, decay]);
        }
        basis
    }

    /// The derivatives of the basis by the coordinates of the `parameters`, a column for each, by
    /// differences of sixth order: these are numbers of a formula, known to rounding.
    fn chain(&self, parameters: &[Parameter], values: &[f64]) -> Vec<Vec<f64>> {
        const STEP: f64 = 1e-3;
        const WEIGHTS: [f64; 3] = [45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0];
        let column = |(index, parameter): (usize, &Parameter)| {
            let at = |steps: f64| {
                let mut values = values.to_vec();
                let coordinate = parameter.scale.coordinate(values[index]);
                values[index] = parameter.scale.value(coordinate + steps * STEP);
                self.basis(&values)
            };
            let mut column = vec![0.0; self.basis(values).len()];
            for (steps, weight) in (1..).zip(WEIGHTS) {
                let [up, down] = [f64::from(steps), -f64::from(steps)].map(at);
                for ((sum, up), down) in column.iter_mut().zip(up).zip(down) {
                    *sum += weight * (up - down) / STEP;
                }
            }
            column
        };
        parameters.iter().enumerate().map(column).collect()
    }

    /// The buffer for kernels, with tables of derivatives if `with_slopes`.
    pub(super) fn buffer(
        &self,
        values: &[f64],
        nugget: f64,
        with_slopes: bool,
    ) -> Result<(Recipe, Vec<Line>), CovarianceError> {
        let Parts { terms, time, fields } = self.parts(values);
        let mut recipe = Recipe {
            count: terms.len() as u64,
            has_variables: u64::from(self.variables > 1),
            has_time: u64::from(self.has_time),
            nugget,
            is_nonstationary: u64::from(fields.is_some()),
            fields: fields.unwrap_or_default(),
            ..bytemuck::Zeroable::zeroed()
        };
        assert!(terms.len() <= TERMS, "{} terms", terms.len());
        recipe.time = time.unwrap_or(recipe.time);
        let (mut tables, mut slopes): (Vec<RadialTable>, _) = (Vec::new(), Vec::new());
        for (term, to) in terms.iter().zip(&mut recipe.terms) {
            let &Part { pair, weight, covariance, .. } = term;
            let shapes = if with_slopes { term.shapes.len() as u32 } else { 0 };
            *to = Term { weight, pair, shapes, is_relative: u32::from(!covariance.is_compact) };
            if with_slopes {
                let mut made = covariance.score_tables(&term.values())?.into_iter();
                tables.extend(made.next());
                slopes.extend(made);
            } else {
                tables.push(*covariance.table(&term.values(), 0.0)?);
            }
        }
        tables.extend(slopes);
        Ok((recipe, composite_buffer(&recipe, &tables)))
    }

    /// As a function of distance: of the first variable, at one time; of a non-stationary
    /// covariance that from 0 along the first coordinate.
    pub(super) fn function(&self, values: &[f64]) -> Function {
        if let Some(fields) = self.parts(values).fields {
            return nonstationary::function(fields);
        }
        let own = |term: &Part| term.pair == [0, 0];
        let terms: Vec<(f64, Function)> = self
            .parts(values)
            .terms
            .iter()
            .filter(|term| own(term))
            .map(|term| (term.weight, term.covariance.function(&term.values())))
            .collect();
        Box::new(move |d| terms.iter().map(|(weight, term)| weight * term(d)).sum())
    }
}

impl Composition {
    /// As a function of distance between the variables of a `pair`, a `lag` of time apart.
    fn function_between(&self, values: &[f64], pair: [usize; 2], lag: f64) -> Function {
        let (_, buffer) = self.buffer(values, 0.0, false).expect("values that were checked");
        let (has_time, has_variables) = (self.has_time, self.variables > 1);
        let numbers = move |x: f64, time: f64, variable: usize| {
            let marks = [has_time.then_some(time), has_variables.then_some(variable as f64)];
            [x, 0.0].into_iter().chain(marks.into_iter().flatten()).collect::<Vec<f64>>()
        };
        let origin = numbers(0.0, 0.0, pair[0]);
        Box::new(move |d| {
            let composite = Composite::new(bytemuck::cast_slice(&buffer), Geometry::Plane);
            composite.value(&origin, &numbers(d, lag, pair[1]))
        })
    }
}

/// Derivatives of a covariance, as kernels of scores take them, and how those by the parameters
/// follow from them.
#[derive(Debug)]
pub(crate) struct Slopes {
    /// The buffer.
    pub(crate) bytes: Vec<u8>,
    /// What it holds.
    pub(crate) structure: Structure,
    /// How many derivatives it has.
    pub(crate) count: usize,
    /// Of each parameter the weights of those derivatives; none where they are those of all
    /// parameters but the variance.
    chain: Option<Vec<Vec<f64>>>,
}

impl Slopes {
    /// This with a nugget in its buffer, for kernels that read one there.
    pub(crate) fn with_nugget(mut self, nugget: f64) -> Self {
        let place = match self.structure {
            Structure::Radial { .. } => offset_of!(RadialTable, nugget),
            Structure::Composite { .. } => offset_of!(Recipe, nugget),
        };
        self.bytes[place..place + size_of::<f64>()].copy_from_slice(&nugget.to_ne_bytes());
        self
    }

    /// A score by the parameters, from one by the variance, the derivatives, and the nugget.
    pub(crate) fn score(&self, score: Score) -> Score {
        if self.chain.is_none() {
            return score;
        }
        let weights = self.weights();
        let sum = |weights: &[f64]| -> f64 {
            weights.iter().zip(&score.gradient).map(|(weight, part)| weight * part).sum()
        };
        let gradient = weights.iter().map(|weights| sum(weights)).collect();
        Score { gradient, information: self.information(score.information) }
    }

    /// An information matrix by the parameters, likewise.
    pub(crate) fn information(&self, information: Vec<f64>) -> Vec<f64> {
        if self.chain.is_none() {
            return information;
        }
        let (weights, count) = (self.weights(), self.count + 2);
        let form = |left: &[f64], right: &[f64]| -> f64 {
            let columns = information.chunks_exact(count).zip(right);
            let column =
                |column: &[f64]| -> f64 { left.iter().zip(column).map(|(a, b)| a * b).sum() };
            columns.map(|(numbers, weight)| weight * column(numbers)).sum()
        };
        let pairs = weights.iter().flat_map(|right| weights.iter().map(move |left| (left, right)));
        pairs.map(|(left, right)| form(left, right)).collect()
    }

    /// Of each parameter, and of the nugget, the weights of all that a score has.
    fn weights(&self) -> Vec<Vec<f64>> {
        let chain = self.chain.iter().flatten();
        let parameters = chain.map(|weights| [&[0.0], &weights[..], &[0.0]].concat());
        let mut nugget = vec![0.0; self.count + 2];
        nugget[self.count + 1] = 1.0;
        parameters.chain([nugget]).collect()
    }
}

impl Covariance {
    /// It as a function of distance, without nugget, between the variables of a `pair`, a `lag` of
    /// time apart; of one that depends on direction along its first range, of a non-stationary one
    /// from 0 along the first coordinate.
    ///
    /// # Panics
    /// If the values are no parameters of it, or it is not of as many variables.
    #[must_use]
    pub fn function_between(&self, values: &[f64], pair: [usize; 2], lag: f64) -> Function {
        assert!(pair.iter().all(|&variable| variable < self.variables()), "variables {pair:?}");
        if let Err(error) = self.check(values) {
            panic!("{error}");
        }
        match &self.composition {
            Some(composition) => composition.function_between(values, pair, lag),
            None => self.function(values),
        }
    }

    /// How many variables it is of.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.composition.map_or(1, |composition| composition.variables)
    }

    /// Whether it depends on time.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.composition.is_some_and(|composition| composition.has_time)
    }

    /// What a parameter of it does, if it is a composite.
    #[must_use]
    pub fn role(&self, index: usize) -> Option<Role> {
        self.composition.map(|composition| composition.roles[index])
    }

    /// Parameters, with values that make it a simpler covariance, with which a search begins.
    #[must_use]
    pub fn simpler(&self) -> &'static [(usize, f64)] {
        self.composition.map_or(&[], |composition| composition.simpler)
    }

    /// Whether it is a sum of listed covariances.
    #[must_use]
    pub fn is_sum(&self) -> bool {
        self.composition.is_some_and(|composition| matches!(composition.made, Made::Sum(_)))
    }

    /// Whether it is known to be a covariance in the plane alone, and on lines.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        self.composition.is_some_and(|composition| matches!(composition.made, Made::By(_)))
    }

    /// Whether a parameter is a variance, or one grows with its square.
    #[must_use]
    pub fn is_variance(&self, index: usize) -> bool {
        match self.role(index) {
            None => index == 0,
            Some(role) => matches!(role, Role::Variance { .. } | Role::Root { .. }),
        }
    }

    /// Whether a parameter is a range of distance.
    #[must_use]
    pub fn is_range(&self, index: usize) -> bool {
        match self.role(index) {
            None => (1..=self.ranges()).contains(&index),
            Some(role) => matches!(role, Role::Range { .. }),
        }
    }

    /// The variance that parameters give a variable; of a non-stationary covariance that at 0.
    #[must_use]
    pub fn variance_of(&self, values: &[f64], variable: usize) -> f64 {
        let Some(composition) = &self.composition else { return values[0] };
        let own = [variable as u32; 2];
        let Parts { terms, fields, .. } = composition.parts(values);
        if let Some([_, _, d, _, f, ..]) = fields {
            return (d + f).powi(2);
        }
        terms.iter().filter(|term| term.pair == own).map(|term| term.weight).sum()
    }

    /// Whether it is a function of distance, or of distance by direction, with one table: else it
    /// is put together from several.
    #[must_use]
    pub fn is_radial(&self) -> bool {
        self.composition.is_none()
    }

    /// Whether the first parameter multiplies all of it, and can be profiled out.
    #[must_use]
    pub fn has_scale(&self) -> bool {
        let is_first = match self.role(0) {
            None => true,
            Some(role) => matches!(role, Role::Variance { parts: 1, .. }),
        };
        is_first && (1..self.parameters.len()).all(|index| !self.is_variance(index))
    }

    /// The derivatives of its score.
    ///
    /// # Errors
    /// As [`tabulate`](Self::tabulate).
    pub(crate) fn slopes(&self, values: &[f64]) -> Result<Slopes, CovarianceError> {
        let Some(composition) = &self.composition else {
            let tables = self.score_tables(values)?;
            let structure = Structure::Radial { is_relative: !self.is_compact };
            let (bytes, count) = (bytemuck::cast_slice(&tables).to_vec(), tables.len() - 1);
            return Ok(Slopes { bytes, structure, count, chain: None });
        };
        self.check(values)?;
        let (recipe, buffer) = composition.buffer(values, 0.0, true)?;
        let bytes = bytemuck::cast_slice(&buffer).to_vec();
        let chain = Some(composition.chain(self.parameters, values));
        let structure = recipe.structure();
        Ok(Slopes { bytes, structure, count: recipe.derivatives(), chain })
    }
}

/// What all composites have in common.
const COMPOSITE: Covariance = Covariance {
    name: "",
    parameters: &[],
    formula: "",
    citation: "",
    validity: "",
    is_compact: false,
    great_circle: Validity::Unknown,
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |_| unreachable!("a composite covariance has its own"),
    tabulate: |_, _, _| panic!("a composite covariance has no table of its own"),
    derivatives: |_| panic!("a composite covariance has no derivatives of its own"),
};
