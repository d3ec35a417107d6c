//! Correspondence analysis of a table of counts `N`: the singular value decomposition of
//! `S = Dr^(-1/2) (N / t - r c') Dc^(-1/2)`, with the total `t` and the margins `r` and `c` of
//! `N / t`.
//!
//! Greenacre, "Theory and Applications of Correspondence Analysis" (Academic Press, 1984), section
//! 4.1 and appendix A. Eigenvalues are squared singular values, the principal inertias, all below
//! 1; their sum is the chi-square of the table over `t`. Principal coordinates are
//! `Dr^(-1/2) U Sigma` of rows and `Dc^(-1/2) V Sigma` of columns. With the margins `R = t r` and
//! `C = t c` of `N` itself, `S_ij = (n_ij - R_i C_j / t) / sqrt(R_i C_j)`: a correction of rank
//! one.

use tegula_files::source::Source;
use tegula_kernels::kernel::sweep::Entry;
use tegula_runtime::flow::Flow;

use crate::ordination::{Sizes, Variables};
use crate::singular::{self, Triples};
use crate::table::{COLUMNS, Form, Margins, ROWS, Treatment, line_names};
use crate::{EmbedError, Names, Ordination, OrdinationInput};

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
        let total: f64 = margins.sums[ROWS].iter().sum();
        if total <= 0.0 {
            let name = source.name();
            return Err(EmbedError::Entries(format!("{name}: the table holds nothing but zeros")));
        }
        let root = |&sum: &f64| if sum > 0.0 { sum.sqrt().recip() } else { 0.0 };
        let roots = |side: usize| margins.sums[side].iter().map(root).collect();
        // The largest singular value of the table that is scaled and not centred is 1.
        let mut form = Form::plain(1.0);
        let names = [source.row_names(), source.column_names()];
        for (side, what) in [(ROWS, "row"), (COLUMNS, "column")] {
            let sums = &margins.sums[side];
            let empty: Vec<usize> = (0..sums.len()).filter(|&line| sums[line] <= 0.0).collect();
            form.notes.extend(dropped_note(what, names[side], &empty));
            form.dropped[side] = empty;
        }
        form.scales = [Some(roots(ROWS)), Some(roots(COLUMNS))];
        let shares = margins.sums[COLUMNS].iter().map(|sum| sum / total).collect();
        form.factors = [margins.sums[ROWS].clone(), shares];
        form.rank = 1;
        Ok(form)
    }
}

/// What to say of `lines` without a count, which have no profile.
fn dropped_note(what: &str, names: Option<&[String]>, lines: &[usize]) -> Option<String> {
    let holds = match lines.len() {
        0 => return None,
        1 => format!("1 {what} holds nothing but zeros and is"),
        count => format!("{count} {what}s hold nothing but zeros and are"),
    };
    Some(format!("{holds} left out, having no profile: {}", line_names(names, lines)))
}

/// Principal coordinates of rows, as items, and of columns, as variables, from the triples of a
/// table of this `form`, without lines that are left out.
#[must_use]
pub fn ordination(
    triples: &Triples,
    form: &Form,
    names: Names,
    method: &singular::MethodEntry,
) -> Ordination {
    let (m, n) = (names.items.len(), names.variables.len());
    // Scales are those of counts, 1 / sqrt(R) = 1 / sqrt(t r); R is the factor of the rows.
    let total: f64 = form.factors[ROWS].iter().sum();
    let root = total.sqrt();
    let row = |i: usize| root * form.scale(ROWS, i);
    let column = |j: usize| root * form.scale(COLUMNS, j);
    let coordinates: Vec<f64> =
        triples.left.iter().enumerate().map(|(at, x)| x * row(at % m)).collect();
    let length = |axis: usize| triples.values[axis].sqrt();
    let variables = triples.right.iter().enumerate();
    let variables: Vec<f64> =
        variables.map(|(at, v)| v * column(at % n) * length(at / n)).collect();
    let row_norms2: Vec<f64> =
        triples.norms2.iter().enumerate().map(|(i, x)| x * row(i).powi(2)).collect();
    let column_norms2: Vec<f64> =
        triples.columns2.iter().enumerate().map(|(j, x)| x * column(j).powi(2)).collect();
    let row_masses: Vec<f64> = form.factors[ROWS].iter().map(|sum| sum / total).collect();
    let (rows, columns) = (&form.dropped[ROWS], &form.dropped[COLUMNS]);
    let sizes = Sizes {
        norms2: without(&column_norms2, columns, n),
        masses: without(&form.factors[COLUMNS], columns, n),
    };
    let variables = Variables {
        ids: without(&names.variables, columns, n),
        coordinates: without(&variables, columns, n),
        sizes: Some(sizes),
        are_points: true,
    };
    Ordination {
        input: OrdinationInput::Table,
        accuracy: triples.accuracy(),
        method: format!("correspondence analysis, {}", method.name),
        ids: without(&names.items, rows, m),
        coordinates: without(&coordinates, rows, m),
        eigenvalues: triples.values.clone(),
        residuals: triples.residuals.clone(),
        negative: Vec::new(),
        spectrum: triples.spectrum.clone(),
        trace: triples.inertia,
        frobenius2: triples.spectrum.as_ref().map(|all| all.iter().map(|x| x * x).sum()),
        norms2: without(&row_norms2, rows, m),
        masses: Some(without(&row_masses, rows, m)),
        variables: Some(variables),
        constraints: None,
    }
}

/// `all`, columns of `lines` numbers or names each, without the lines that are `dropped`.
fn without<T: Clone>(all: &[T], dropped: &[usize], lines: usize) -> Vec<T> {
    let is_kept = |at: usize| dropped.binary_search(&(at % lines)).is_err();
    all.iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, x)| x.clone()).collect()
}
