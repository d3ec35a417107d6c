//! The folder of new items that were placed on the axes of others.

use std::path::Path;

use serde_json::Value;

use super::coordinates::write_axes;
use super::labels::{LabelColumn, LabelsOfItems};
use super::quality::write_columns;
use super::{Output, OutputError, Report, Written, folder, write_report, write_summary};
use crate::projection::{Embedding, Projection};
use crate::{Ordination, OrdinationInput};

/// All that goes into the folder.
#[derive(Clone, Copy, Debug)]
pub struct ProjectionOutput<'a> {
    /// The items that were there before.
    pub embedding: &'a Embedding,
    /// Names of the new ones.
    pub ids: &'a [String],
    /// Their places.
    pub projection: &'a Projection,
    /// Labels of the embedded items and of the new ones, in this order, if there are any.
    pub labels: Option<&'a LabelsOfItems>,
    /// Facts of the run, an object.
    pub summary: &'a Value,
    /// What the page is about, its heading.
    pub title: &'a str,
}

impl ProjectionOutput<'_> {
    /// Names of the files.
    pub const FILES: [&'static str; 4] =
        [Output::COORDINATES, Output::QUALITY, Output::SUMMARY, Output::REPORT];

    /// Writes `coordinates.csv` as that of an embedding, `quality.csv` and `summary.json` of the
    /// new items, and a page that shows them among the embedded ones, to `folder`, which is made if
    /// it is missing, in place of all that an earlier run left there.
    ///
    /// `quality.csv` is `id, norm2, residual2, quality1, ..., qualityk, cumulated1, ...,
    /// cumulatedk`: `norm2` is the squared distance from the centre of the embedded items,
    /// `residual2` that from the space of the axes, each written to read back equal and negative
    /// where distances are not Euclidean; qualities are `x^2 / norm2` in single precision, and
    /// empty where `norm2` is not positive.
    ///
    /// # Errors
    /// As [`Output::write`].
    ///
    /// # Panics
    /// If there are not as many ids as items.
    pub fn write(&self, folder: &Path) -> Result<Written, OutputError> {
        let Self { ids, projection, summary, title, .. } = *self;
        let Projection { coordinates, norms2, residuals2, .. } = projection;
        let m = ids.len();
        assert!(norms2.len() == m, "{m} ids and {} items", norms2.len());
        let axes: Vec<&[f64]> = coordinates.chunks_exact(m.max(1)).collect();
        let (all, labels) = (self.all(), self.all_labels());
        folder::replace(folder, |aside| {
            write_axes(&aside.join(Output::COORDINATES), ids, &axes)?;
            let squares = [("norm2", &norms2[..]), ("residual2", &residuals2[..])];
            write_columns(&aside.join(Output::QUALITY), (ids, &axes), &squares)?;
            write_summary(&aside.join(Output::SUMMARY), summary)?;
            let report = Report { ordination: &all, labels: Some(&labels), summary, title };
            Ok(write_report(&aside.join(Output::REPORT), &report)?)
        })
    }

    /// Embedded items, then new ones, on the same axes.
    fn all(&self) -> Ordination {
        let Self { embedding, ids, projection, .. } = *self;
        let (n, m) = (embedding.items(), ids.len());
        let axis = |axis: usize| {
            let old = &embedding.coordinates[axis * n..][..n];
            old.iter().chain(&projection.coordinates[axis * m..][..m]).copied()
        };
        Ordination {
            method: format!("{m} new items among {n} embedded ones"),
            input: OrdinationInput::Placed { embedded: n },
            ids: embedding.ids.iter().chain(ids).cloned().collect(),
            coordinates: (0..embedding.axes()).flat_map(axis).collect(),
            eigenvalues: embedding.eigenvalues.clone(),
            trace: embedding.trace(),
            norms2: embedding.norms2.iter().chain(&projection.norms2).copied().collect(),
            ..Ordination::default()
        }
    }

    /// The labels, and which items are new.
    fn all_labels(&self) -> LabelsOfItems {
        let (n, m) = (self.embedding.items(), self.ids.len());
        let codes = (0..n + m).map(|item| Some(u32::from(item >= n))).collect();
        let classes = ["embedded", "new"].map(str::to_owned).to_vec();
        let column = LabelColumn { name: "embedded or new".to_owned(), classes, codes };
        LabelsOfItems::and(self.labels, column)
    }
}
