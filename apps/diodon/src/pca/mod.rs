//! Principal components of a table of `m` items and `n` variables: the leading singular triples of
//! what a pretreatment makes of it.
//!
//! Hotelling, "Analysis of a complex of statistical variables into principal components", J. Educ.
//! Psychol. 24 (1933). Eigenvalues are squared singular values (eigenvalues of `P' P`, not divided
//! by `m`), coordinates of items `P V`, and those of variables `V` times the singular values: under
//! `standard` these are the correlations of variables with axes.

mod columns;
mod pretreatment;

pub(crate) use pretreatment::{Measured, mean};
pub use pretreatment::{PRETREATMENTS, Pretreatment, PretreatmentEntry};

use crate::metric::Metric;
use crate::ordination::{Sizes, Variables};
use crate::singular::{self, Triples};
use crate::table::{COLUMNS, ROWS};
use crate::{Names, Ordination, OrdinationInput};

/// Relative rounding of squared norms from which on it is mentioned.
const ROUGH: f64 = 1e-8;

/// The components, with respect to `metrics` of the rows and of the columns, as an ordination of
/// the items that `names` has.
#[must_use]
pub fn ordination(
    triples: &Triples,
    (names, metrics): (Names, &[Metric; 2]),
    (pretreatment, method): (&PretreatmentEntry, &singular::MethodEntry),
) -> Ordination {
    let (m, n) = (names.items.len(), names.variables.len());
    let length = |axis: usize| triples.values[axis].sqrt();
    let coordinates =
        triples.right.iter().enumerate().map(|(at, v)| v * length(at / n.max(1))).collect();
    let sizes = metrics[COLUMNS]
        .weights(n)
        .map(|masses| Sizes { norms2: triples.columns2.clone(), masses });
    Ordination {
        input: OrdinationInput::Table,
        accuracy: triples.accuracy(),
        method: format!("principal components, {}, {}", pretreatment.name, method.name),
        ids: names.items,
        coordinates: triples.left.clone(),
        eigenvalues: triples.values.clone(),
        residuals: triples.residuals.clone(),
        negative: Vec::new(),
        spectrum: triples.spectrum.clone(),
        trace: triples.inertia,
        frobenius2: triples.spectrum.as_ref().map(|all| all.iter().map(|x| x * x).sum()),
        norms2: triples.norms2.clone(),
        masses: metrics[ROWS].weights(m),
        variables: Some(Variables { ids: names.variables, coordinates, sizes, are_points: false }),
        constraints: None,
    }
}

/// What to say where entries are so large against their deviations that digits were lost.
#[must_use]
pub fn rounding_note(triples: &Triples) -> Option<String> {
    (triples.rounding > ROUGH).then(|| {
        format!(
            "means are large against deviations: inertia and qualities are right to {:.0e} of the inertia only; subtract a \
             constant from each column first, or give --method exact",
            triples.rounding
        )
    })
}
