//! Terms as sets of variables, how operators join them, and how a factor is coded in each.
//!
//! The rules are those of R's `terms.formula` and `model.matrix` (`src/library/stats/src/model.c`).

/// A term: its variables, by their numbers in the formula, ascending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term(pub(super) Vec<usize>);

impl Term {
    /// The term of both; a variable of both counts once.
    pub(super) fn join(&self, other: &Self) -> Self {
        let mut variables = [&self.0[..], &other.0].concat();
        variables.sort_unstable();
        variables.dedup();
        Self(variables)
    }

    /// Whether every one of these `variables` is in it.
    fn has_all<'a>(&self, mut variables: impl Iterator<Item = &'a usize>) -> bool {
        variables.all(|variable| self.0.contains(variable))
    }
}

/// How a factor stands in a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// A column for each level but the first: differences from it.
    Contrasts,
    /// A column for each level.
    Full,
}

/// For each term, in order, the coding of each of its variables.
///
/// A factor has contrasts in a term if what is left of the term without it is nothing, or part of
/// an earlier term: then the columns of all its levels add up to columns that are there. Without an
/// intercept the first factor of the first term that has one has all its levels.
pub(super) fn codings(
    terms: &[Term],
    has_intercept: bool,
    is_factor: impl Fn(usize) -> bool,
) -> Vec<Vec<Coding>> {
    let coding = |place: usize, variable: usize| {
        let rest = || terms[place].0.iter().filter(move |&&other| other != variable);
        let is_there = |earlier: &Term| earlier.has_all(rest());
        if rest().next().is_none() || terms[..place].iter().any(is_there) {
            Coding::Contrasts
        } else {
            Coding::Full
        }
    };
    let of_term =
        |(place, term): (usize, &Term)| term.0.iter().map(|&v| coding(place, v)).collect();
    let mut codings: Vec<Vec<Coding>> = terms.iter().enumerate().map(of_term).collect();
    if !has_intercept {
        let factor = |(place, term): (usize, &Term)| {
            Some((place, term.0.iter().position(|&variable| is_factor(variable))?))
        };
        if let Some((place, variable)) = terms.iter().enumerate().find_map(factor) {
            codings[place][variable] = Coding::Full;
        }
    }
    codings
}
