//! What a user finds in the folder of results: tables, a summary, scikit-bio's text, and a page to
//! look at.
//!
//! One file here for each file there. Those of a run come to the folder together, and an error
//! names the file it concerns.

mod cells;
mod contributions;
mod coordinates;
mod eigenvalues;
mod error;
mod folder;
mod instruments;
mod labels;
mod projection;
mod quality;
mod report;
mod scikit_bio;
mod shares;
mod summary;
mod variables;
mod weights;

use std::path::Path;

use serde_json::Value;

pub use contributions::write_contributions;
pub use coordinates::write_coordinates;
pub use eigenvalues::write_eigenvalues;
pub use error::{LabelsError, OutputError};
pub use folder::{RESULTS, Written};
pub use instruments::write_instruments;
pub use labels::{LabelColumn, Labels, LabelsOfItems, UnmatchedIds};
pub use projection::ProjectionOutput;
use quality::write_columns;
pub use quality::write_quality;
pub use report::{Report, write_report};
pub use scikit_bio::write_scikit_bio;
pub use shares::{EigenvalueShare, Whole, eigenvalue_shares};
pub use summary::write_summary;
pub use variables::write_variables;
pub use weights::{WEIGHTS, write_weights};

use crate::{Ordination, OrdinationInput, Sizes};

/// All that goes into the folder of results.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The places of the items.
    pub ordination: &'a Ordination,
    /// Labels of the items, if there are any.
    pub labels: Option<&'a LabelsOfItems>,
    /// Weights of the items, where they were embedded with some.
    pub weights: Option<&'a [f64]>,
    /// Facts of the run, an object: written as `summary.json`, and shown at the end of the page.
    pub summary: &'a Value,
    /// What the page is about, its heading: the name of the file that was read.
    pub title: &'a str,
}

impl Output<'_> {
    /// Coordinates of the items.
    pub const COORDINATES: &'static str = "coordinates.csv";
    /// What axes are worth.
    pub const EIGENVALUES: &'static str = "eigenvalues.csv";
    /// Squared norms and qualities of the items.
    pub const QUALITY: &'static str = "quality.csv";
    /// What items contribute to axes, of a table.
    pub const CONTRIBUTIONS: &'static str = "contributions.csv";
    /// The text that scikit-bio reads.
    pub const ORDINATION: &'static str = "ordination.txt";
    /// Facts of the run.
    pub const SUMMARY: &'static str = "summary.json";
    /// The page to look at.
    pub const REPORT: &'static str = "report.html";
    /// Coordinates of variables, where there are some.
    pub const VARIABLES: &'static str = "variables.csv";
    /// Squared norms and squared cosines of variables.
    pub const VARIABLES_QUALITY: &'static str = "variables_quality.csv";
    /// What variables contribute to axes.
    pub const VARIABLES_CONTRIBUTIONS: &'static str = "variables_contributions.csv";
    /// Instrumental variables, where axes are theirs.
    pub const INSTRUMENTS: &'static str = "instruments.csv";

    /// Names of the files that an ordination leaves, with weights or without, in the order of
    /// [`RESULTS`].
    #[must_use]
    pub fn files(ordination: &Ordination, has_weights: bool) -> Vec<&'static str> {
        let is_table = ordination.input == OrdinationInput::Table;
        let variables = ordination.variables.as_ref();
        let has_sizes = variables.is_some_and(|variables| variables.sizes.is_some());
        let is_left = |name: &&str| match *name {
            Self::CONTRIBUTIONS => is_table && ordination.masses.is_some(),
            Self::VARIABLES => variables.is_some(),
            Self::VARIABLES_QUALITY | Self::VARIABLES_CONTRIBUTIONS => has_sizes,
            Self::INSTRUMENTS => ordination.constraints.is_some(),
            WEIGHTS => has_weights,
            _ => true,
        };
        RESULTS.into_iter().filter(is_left).collect()
    }

    /// Writes [`files`](Self::files) to `folder`, which is made if it is missing, in place of all
    /// that an earlier run left there.
    ///
    /// # Errors
    /// [`OutputError`] when the folder cannot be made or one of the files cannot be written; what
    /// is there already is as it was, unless files cannot be renamed.
    ///
    /// # Panics
    /// If the ordination's parts do not have the sizes that it names, or labels or weights are not
    /// one for each item.
    pub fn write(&self, folder: &Path) -> Result<Written, OutputError> {
        assert_sizes(self.ordination);
        folder::replace(folder, |aside| self.write_to(aside))
    }

    /// Writes the files to a folder that has none of them.
    fn write_to(&self, folder: &Path) -> Result<(), OutputError> {
        let Self { ordination, labels, weights, summary, title } = *self;
        let at = |name: &str| folder.join(name);
        write_coordinates(&at(Self::COORDINATES), ordination)?;
        write_eigenvalues(&at(Self::EIGENVALUES), ordination)?;
        write_quality(&at(Self::QUALITY), ordination)?;
        write_scikit_bio(&at(Self::ORDINATION), ordination)?;
        write_summary(&at(Self::SUMMARY), summary)?;
        write_report(&at(Self::REPORT), &Report { ordination, labels, summary, title })?;
        let eigenvalues = &ordination.eigenvalues;
        if let (OrdinationInput::Table, Some(masses)) = (ordination.input, &ordination.masses) {
            let lines = (&ordination.ids[..], &masses[..]);
            let path = at(Self::CONTRIBUTIONS);
            write_contributions(&path, lines, &ordination.columns(), eigenvalues)?;
        }
        if let Some(variables) = &ordination.variables {
            write_variables(&at(Self::VARIABLES), variables)?;
            let (ids, columns) = (&variables.ids[..], variables.columns());
            if let Some(Sizes { norms2, masses }) = &variables.sizes {
                let path = at(Self::VARIABLES_QUALITY);
                write_columns(&path, (ids, &columns), &[("norm2", norms2)])?;
                let path = at(Self::VARIABLES_CONTRIBUTIONS);
                write_contributions(&path, (ids, masses), &columns, eigenvalues)?;
            }
        }
        if let Some(constraints) = &ordination.constraints {
            write_instruments(&at(Self::INSTRUMENTS), constraints)?;
        }
        if let Some(weights) = weights {
            write_weights(&at(WEIGHTS), &ordination.ids, weights)?;
        }
        Ok(())
    }
}

/// # Panics
/// If the parts do not have the sizes that the ids and eigenvalues give.
fn assert_sizes(ordination: &Ordination) {
    let (n, k) = (ordination.items(), ordination.axes());
    let assert_size = |what: &str, found: usize, expected: usize| {
        assert!(found == expected, "{found} {what} where {n} items on {k} axes need {expected}");
    };
    assert_size("coordinates", ordination.coordinates.len(), n * k);
    assert_size("squared norms", ordination.norms2.len(), n);
    if let Some(residuals) = &ordination.residuals {
        assert_size("residuals", residuals.len(), k);
    }
    if let Some(masses) = &ordination.masses {
        assert_size("weights", masses.len(), n);
    }
}
