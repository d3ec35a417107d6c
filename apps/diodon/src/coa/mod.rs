//! Correspondence analysis of a table of counts `N`: the singular value decomposition of
//! `S = Dr^(-1/2) (N / t - r c') Dc^(-1/2)`, with the total `t` and the margins `r` and `c` of `N / t`.
//!
//! Greenacre, "Theory and Applications of Correspondence Analysis" (Academic Press, 1984), section 4.1 and
//! appendix A. Eigenvalues are squared singular values, the principal inertias, all below 1; their sum is the
//! chi-square of the table over `t`. Principal coordinates are `Dr^(-1/2) U Sigma` of rows and `Dc^(-1/2) V
//! Sigma` of columns. With the margins `R = t r` and `C = t c` of `N` itself, `S_ij = (n_ij - R_i C_j / t) /
//! sqrt(R_i C_j)`: a correction of rank one.

use tegula_data::source::Source;
use tegula_kernels::kernel::sweep::Entry;
use tegula_runtime::flow::Flow;

use crate::ordination::Variables;
use crate::singular::{self, Triples};
use crate::table::{COLUMNS, Form, Margins, ROWS, Treatment, line_names};
use crate::{EmbedError, Names, Ordination};

/// The treatment of tables of counts.
#[derive(Clone, Copy, Debug)]
pub struct Correspondence;

impl Treatment for Correspondence {
    fn entry(&self) -> Entry {
        Entry::Count
    }

    fn form(
        &self,
        _: &mut Flow,
        margins: &Margins,
        source: &dyn Source,
    ) -> Result<Form, EmbedError> {
        let names = [source.row_names(), source.column_names()];
        for (side, what) in [(ROWS, "row"), (COLUMNS, "column")] {
            let sums = &margins.sums[side];
            let empty: Vec<usize> = (0..sums.len()).filter(|&line| sums[line] <= 0.0).collect();
            if !empty.is_empty() {
                return Err(EmbedError::Entries(format!(
                    "{}: {} {what}{} nothing but zeros: {}; there is no profile of that, leave it out",
                    source.name(),
                    empty.len(),
                    if empty.len() == 1 { " holds" } else { "s hold" },
                    line_names(names[side], &empty)
                )));
            }
        }
        let total: f64 = margins.sums[ROWS].iter().sum();
        let roots = |side: usize| margins.sums[side].iter().map(|sum| sum.sqrt().recip()).collect();
        // The largest singular value of the table that is scaled and not centred is 1.
        let mut form = Form::plain(1.0);
        form.scales = [Some(roots(ROWS)), Some(roots(COLUMNS))];
        let shares = margins.sums[COLUMNS].iter().map(|sum| sum / total).collect();
        form.factors = [margins.sums[ROWS].clone(), shares];
        form.rank = 1;
        Ok(form)
    }
}

/// Principal coordinates of rows, as items, and of columns, as variables, from the triples of a table of this
/// `form`.
#[must_use]
pub fn ordination(
    triples: &Triples,
    form: &Form,
    names: Names,
    method: &singular::Listed,
) -> Ordination {
    let (m, n) = (names.items.len(), names.variables.len());
    // Scales are those of counts, 1 / sqrt(R) = 1 / sqrt(t r); R is the factor of the rows.
    let total: f64 = form.factors[ROWS].iter().sum();
    let root = total.sqrt();
    let row = |i: usize| root * form.scale(ROWS, i);
    let column = |j: usize| root * form.scale(COLUMNS, j);
    let coordinates = triples.left.iter().enumerate().map(|(at, x)| x * row(at % m)).collect();
    let length = |axis: usize| triples.values[axis].sqrt();
    let variables = triples.right.iter().enumerate();
    let variables = variables.map(|(at, v)| v * column(at % n) * length(at / n)).collect();
    let sum = triples.spectrum.as_ref().map(|spectrum| spectrum.iter().sum());
    Ordination {
        method: format!("correspondence analysis, {}", method.name),
        ids: names.items,
        coordinates,
        eigenvalues: triples.values.clone(),
        residuals: triples.residuals.clone(),
        negative: Vec::new(),
        is_complete: triples.spectrum.is_some(),
        sum_absolute: sum,
        sum_positive: sum,
        trace: triples.inertia,
        frobenius2: triples.spectrum.as_ref().map(|all| all.iter().map(|x| x * x).sum()),
        norms2: triples.norms2.iter().enumerate().map(|(i, x)| x * row(i).powi(2)).collect(),
        variables: Some(Variables { ids: names.variables, coordinates: variables }),
    }
}
