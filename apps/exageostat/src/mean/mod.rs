//! The mean as people write it: formulas of R, their variables, and the columns they stand for.
//!
//! A [`Formula`] is read from text and knows its variables and terms. [`Linear`] is a formula with
//! what its variables have learned from data: the levels of factors, the bases of polynomials. It
//! makes the columns of these data and, the same ones, of other places. What a variable is at each
//! place comes from outside, as [`Values`]. Source of the grammar and the coding: J. M. Chambers,
//! T. J. Hastie, "Statistical models in S" (1992), sections 2.3 and 2.4.

mod factor;
mod formula;
mod linear;
mod parse;
mod poly;
mod spelling;
mod terms;
mod variable;

#[cfg(test)]
mod tests;

pub use factor::Levels;
pub use formula::Formula;
pub use linear::{Basis, Linear, MeanError, Values};
pub use poly::Poly;
pub use variable::{Kind, Variable};
