//! What is done to a table before its components are sought; a line in the list for each.

use tegula_files::source::Source;
use tegula_runtime::flow::Flow;

use super::columns::{self, Columns};
use crate::EmbedError;
use crate::metric::{Metric, Root};
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
pub struct PretreatmentEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The pretreatment.
    pub pretreatment: Pretreatment,
}

/// Every pretreatment.
pub static PRETREATMENTS: &[PretreatmentEntry] = &[
    PretreatmentEntry {
        name: "standard",
        summary: "centre columns and divide them by their norm: eigenvalues sum to the number of columns that vary",
        pretreatment: Pretreatment::Standard,
    },
    PretreatmentEntry {
        name: "col-centering",
        summary: "subtract the mean of each column",
        pretreatment: Pretreatment::ColumnCentering,
    },
    PretreatmentEntry {
        name: "row-centering",
        summary: "subtract the mean of each row",
        pretreatment: Pretreatment::RowCentering,
    },
    PretreatmentEntry {
        name: "bicentering",
        summary: "subtract means of rows and of columns, add that of all",
        pretreatment: Pretreatment::Bicentering,
    },
    PretreatmentEntry {
        name: "scaling",
        summary: "divide each column by its norm, without centring",
        pretreatment: Pretreatment::Scaling,
    },
    PretreatmentEntry {
        name: "none",
        summary: "take the table as it is",
        pretreatment: Pretreatment::None,
    },
];

impl Treatment for Pretreatment {
    fn form(
        &self,
        flow: &mut Flow,
        margins: &Margins,
        source: &dyn Source,
    ) -> Result<Form, EmbedError> {
        let metrics = [Metric::Identity, Metric::Identity];
        Measured { pretreatment: *self, metrics, root: None }.form(flow, margins, source)
    }
}

/// A pretreatment with respect to metrics `D` of the rows and `Q` of the columns: the mean of a
/// column `x` is `1'D x / 1'D 1`, its squared norm `x'D x`, the mean of a row `y` is
/// `1'Q y / 1'Q 1`.
///
/// So `I - 1 (1'D 1)^-1 1'D`, which centres columns, is the `D`-orthogonal projection off the
/// constants. Weights go into the scales of lines; full metrics are left to what multiplies with
/// the table.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) pretreatment: Pretreatment,
    pub(crate) metrics: [Metric; 2],
    /// That of `D`, if it is full.
    pub(crate) root: Option<Root>,
}

impl Treatment for Measured {
    fn weights(&self) -> [Option<&[f64]>; 2] {
        // Squares of entries are wanted, which a full metric of rows does not give: columns are
        // read again.
        let [rows, columns] = &self.metrics;
        [if rows.is_full() { None } else { rows.ones() }, columns.ones()]
    }

    fn form(
        &self,
        flow: &mut Flow,
        margins: &Margins,
        source: &dyn Source,
    ) -> Result<Form, EmbedError> {
        let [m, n] = source.shape();
        let total = self.metrics[COLUMNS].total(n);
        let rows = || margins.sums[ROWS].iter().map(|sum| sum / total).collect::<Vec<f64>>();
        let mut form = Form::plain(0.0);
        match self.pretreatment {
            Pretreatment::None => {}
            Pretreatment::ColumnCentering => {
                let means = self.columns(flow, margins, (source, &mut form))?.means;
                (form.rank, form.factors) = (1, [vec![1.0; m], means]);
            }
            Pretreatment::RowCentering => {
                (form.rank, form.factors) = (1, [rows(), vec![1.0; n]]);
            }
            Pretreatment::Bicentering => {
                // X - r 1' - 1 (c - g)'.
                let (mut f, mut h) = (rows(), vec![1.0; n]);
                let grand = mean(&self.metrics[ROWS], &f);
                f.extend(vec![1.0; m]);
                let means = self.columns(flow, margins, (source, &mut form))?.means;
                h.extend(means.iter().map(|mean| mean - grand));
                (form.rank, form.factors) = (2, [f, h]);
            }
            Pretreatment::Standard => {
                let columns = self.columns(flow, margins, (source, &mut form))?;
                scale(&mut form, &columns, ("constant", source));
                (form.rank, form.factors) = (1, [vec![1.0; m], columns.means]);
            }
            Pretreatment::Scaling => {
                let columns = self.columns(flow, margins, (source, &mut form))?;
                scale(&mut form, &columns, ("zero", source));
            }
        }
        self.weigh(&mut form, &margins.squares[COLUMNS]);
        Ok(form)
    }
}

impl Measured {
    /// Means and norms of the columns.
    fn columns(
        &self,
        flow: &mut Flow,
        margins: &Margins,
        (source, form): (&dyn Source, &mut Form),
    ) -> Result<Columns, EmbedError> {
        let is_centred = self.pretreatment != Pretreatment::Scaling;
        let is_scaled = matches!(self.pretreatment, Pretreatment::Standard | Pretreatment::Scaling);
        if let (Some(root), Some(ones)) = (&self.root, self.metrics[ROWS].ones()) {
            form.passes = 1;
            return columns::by_metric(flow, source, (root, ones), (is_centred, is_scaled));
        }
        let (sums, squares) = (&margins.sums[COLUMNS], &margins.squares[COLUMNS]);
        let weights = self.metrics[ROWS].ones();
        let total = self.metrics[ROWS].total(source.shape()[0]);
        let mut found = Columns::of_sums((sums, squares), total, is_centred);
        if is_centred && is_scaled {
            form.passes = usize::from(found.restore(source, (weights, squares))?);
        }
        Ok(found)
    }

    /// Puts weights into the scales, and bounds the norm; `squares` are those of the columns.
    fn weigh(&self, form: &mut Form, squares: &[f64]) {
        for (scales, metric) in form.scales.iter_mut().zip(&self.metrics) {
            let Some(mut roots) = metric.weight_roots() else { continue };
            if let Some(scales) = scales {
                roots.iter_mut().zip(&*scales).for_each(|(root, scale)| *root *= scale);
            }
            *scales = Some(roots);
        }
        let norm2 = |(j, square): (usize, &f64)| form.scale(COLUMNS, j).powi(2) * square;
        let norm2: f64 = squares.iter().enumerate().map(norm2).sum();
        form.magnitude2 = norm2 * self.metrics.iter().map(Metric::full_norm).product::<f64>();
    }
}

/// `1'M x / 1'M 1`.
pub(crate) fn mean(metric: &Metric, x: &[f64]) -> f64 {
    let sum: f64 = match metric.ones() {
        Some(ones) => ones.iter().zip(x).map(|(one, x)| one * x).sum(),
        None => x.iter().sum(),
    };
    sum / metric.total(x.len())
}

/// Divides columns by their norms, but those without one, which get no weight, being `what`.
fn scale(form: &mut Form, columns: &Columns, (what, source): (&str, &dyn Source)) {
    let mut scales: Vec<f64> = columns.norms2.iter().map(|norm2| norm2.sqrt().recip()).collect();
    let without = &columns.without;
    without.iter().for_each(|&j| scales[j] = 0.0);
    form.scales[COLUMNS] = Some(scales);
    if !without.is_empty() {
        let names = line_names(source.column_names(), without);
        let columns = if without.len() == 1 { "column" } else { "columns" };
        form.notes
            .push(format!("{} {columns} without weight, being {what}: {names}", without.len()));
    }
}
