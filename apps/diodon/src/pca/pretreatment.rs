//! What is done to a table before its components are sought; a line in the list for each.

use tegula_data::source::Source;

use super::columns;
use crate::EmbedError;
use crate::table::{COLUMNS, Form, Margins, ROWS, Treatment, line_names};

/// What is done to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pretreatment {
    /// Nothing.
    None,
    /// Means of columns are subtracted.
    ColumnCentering,
    /// Means of rows are subtracted.
    RowCentering,
    /// Means of rows and of columns are subtracted, and that of all entries added.
    Bicentering,
    /// Means of columns are subtracted, and columns divided by their norm.
    Standard,
    /// Columns are divided by their norm.
    Scaling,
}

/// A pretreatment as the list shows it.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The pretreatment.
    pub pretreatment: Pretreatment,
}

/// Every pretreatment.
pub const PRETREATMENTS: &[Listed] = &[
    Listed {
        name: "standard",
        summary: "centre columns and divide them by their norm: eigenvalues sum to the number of columns that vary",
        pretreatment: Pretreatment::Standard,
    },
    Listed {
        name: "col-centering",
        summary: "subtract the mean of each column",
        pretreatment: Pretreatment::ColumnCentering,
    },
    Listed {
        name: "row-centering",
        summary: "subtract the mean of each row",
        pretreatment: Pretreatment::RowCentering,
    },
    Listed {
        name: "bicentering",
        summary: "subtract means of rows and of columns, add that of all",
        pretreatment: Pretreatment::Bicentering,
    },
    Listed {
        name: "scaling",
        summary: "divide each column by its norm, without centring",
        pretreatment: Pretreatment::Scaling,
    },
    Listed { name: "none", summary: "take the table as it is", pretreatment: Pretreatment::None },
];

/// Squared deviations below this share of the squares are computed once more, from differences.
const LOST: f64 = 1e-6;

impl Treatment for Pretreatment {
    fn form(&self, margins: &Margins, source: &dyn Source) -> Result<Form, EmbedError> {
        let [m, n] = source.shape();
        let mean = |side: usize, count: usize| -> Vec<f64> {
            margins.sums[side].iter().map(|sum| sum / count as f64).collect()
        };
        let total: f64 = margins.squares[COLUMNS].iter().sum();
        let mut form = Form::plain(total);
        match self {
            Self::None => {}
            Self::ColumnCentering => {
                (form.rank, form.factors) = (1, [vec![1.0; m], mean(COLUMNS, m)]);
            }
            Self::RowCentering => {
                (form.rank, form.factors) = (1, [mean(ROWS, n), vec![1.0; n]]);
            }
            Self::Bicentering => {
                // X - r 1' - 1 (c - g)'.
                let (mut f, mut h) = (mean(ROWS, n), vec![1.0; n]);
                let grand = f.iter().sum::<f64>() / m as f64;
                f.extend(vec![1.0; m]);
                h.extend(mean(COLUMNS, m).iter().map(|mean| mean - grand));
                (form.rank, form.factors) = (2, [f, h]);
            }
            Self::Standard => standard(&mut form, margins, source)?,
            Self::Scaling => {
                let norms2 = &margins.squares[COLUMNS];
                let zeros: Vec<usize> = (0..n).filter(|&j| norms2[j] <= 0.0).collect();
                scale(&mut form, norms2, (&zeros, "zero"), (norms2, source));
            }
        }
        Ok(form)
    }
}

/// Centres columns and divides them by the norm of their deviations.
fn standard(form: &mut Form, margins: &Margins, source: &dyn Source) -> Result<(), EmbedError> {
    let [m, n] = source.shape();
    let (sums, squares) = (&margins.sums[COLUMNS], &margins.squares[COLUMNS]);
    let mut means: Vec<f64> = sums.iter().map(|sum| sum / m as f64).collect();
    let mut norms2: Vec<f64> = (0..n).map(|j| (squares[j] - means[j] * sums[j]).max(0.0)).collect();
    let lost: Vec<usize> = (0..n).filter(|&j| norms2[j] <= LOST * squares[j]).collect();
    let mut constant = Vec::new();
    for (&j, column) in lost.iter().zip(columns::read(source, &lost)?) {
        (means[j], norms2[j]) = (column.mean, column.deviation2);
        if column.is_constant {
            constant.push(j);
        }
    }
    form.passes = usize::from(!lost.is_empty());
    (form.rank, form.factors) = (1, [vec![1.0; m], means]);
    scale(form, &norms2, (&constant, "constant"), (squares, source));
    Ok(())
}

/// Divides columns by the roots of `norms2`, but those `without`, which get no weight; `squares` are those of
/// the entries.
fn scale(
    form: &mut Form,
    norms2: &[f64],
    (without, what): (&[usize], &str),
    (squares, source): (&[f64], &dyn Source),
) {
    let mut scales: Vec<f64> = norms2.iter().map(|norm2| norm2.sqrt().recip()).collect();
    without.iter().for_each(|&j| scales[j] = 0.0);
    form.magnitude2 =
        scales.iter().zip(squares).map(|(scale, square)| scale * scale * square).sum();
    form.scales[COLUMNS] = Some(scales);
    if !without.is_empty() {
        let names = line_names(source.column_names(), without);
        let columns = if without.len() == 1 { "column" } else { "columns" };
        form.notes
            .push(format!("{} {columns} without weight, being {what}: {names}", without.len()));
    }
}
