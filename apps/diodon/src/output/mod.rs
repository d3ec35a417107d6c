//! What a user finds in the folder of results: tables, a summary, scikit-bio's text, and a page to look at.
//!
//! One file here for each file there. Each is written whole or not at all, and an error names the file it concerns.

mod cells;
mod coordinates;
mod eigenvalues;
mod error;
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

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use coordinates::write_coordinates;
pub use eigenvalues::write_eigenvalues;
pub use error::{LabelsError, OutputError};
pub use instruments::write_instruments;
pub use labels::{Labels, LabelsOfItems, Strays};
pub use projection::write_projection;
pub use quality::write_quality;
pub use report::{Report, write_report};
pub use scikit_bio::write_scikit_bio;
pub use summary::write_summary;
pub use variables::write_variables;
pub use weights::{WEIGHTS, write_weights};

use crate::Ordination;

/// Names of all files that an analysis may leave in its folder of results.
pub static RESULTS: [&str; 9] = [
    Output::COORDINATES,
    "eigenvalues.csv",
    Output::QUALITY,
    "ordination.txt",
    Output::SUMMARY,
    "report.html",
    Output::VARIABLES,
    Output::INSTRUMENTS,
    WEIGHTS,
];

/// All that goes into the folder of results.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The places of the items.
    pub ordination: &'a Ordination,
    /// Labels of the items, if there are any.
    pub labels: Option<&'a LabelsOfItems>,
    /// Facts of the run, an object: written as `summary.json`, and shown at the end of the page.
    pub summary: &'a Value,
    /// What the page is about, its heading: the name of the file that was read.
    pub title: &'a str,
}

impl Output<'_> {
    /// Names of the files, in the order in which they are written.
    pub const FILES: [&'static str; 6] = [
        Self::COORDINATES,
        "eigenvalues.csv",
        Self::QUALITY,
        "ordination.txt",
        Self::SUMMARY,
        "report.html",
    ];

    /// Name of the file of coordinates.
    pub const COORDINATES: &'static str = "coordinates.csv";

    /// Name of the file of squared norms and qualities.
    pub const QUALITY: &'static str = "quality.csv";

    /// Name of the file of facts.
    pub const SUMMARY: &'static str = "summary.json";

    /// Name of the file of variables, where there are some.
    pub const VARIABLES: &'static str = "variables.csv";

    /// Name of the file of instrumental variables, where axes are theirs.
    pub const INSTRUMENTS: &'static str = "instruments.csv";

    /// Writes all of [`Output::FILES`], and [`Output::VARIABLES`] of a table, to `folder`, which is made if it is
    /// missing. Returns their paths.
    ///
    /// # Errors
    /// [`OutputError`] when the folder cannot be made or one of the files cannot be written; those before it are
    /// whole, and it and those after it are as they were.
    ///
    /// # Panics
    /// If the ordination's parts do not have the sizes that it names, or the labels are not one for each item.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
        assert_sizes(self.ordination);
        fs::create_dir_all(folder)
            .map_err(|cause| OutputError::Folder { path: folder.to_owned(), cause })?;
        let mut paths: Vec<PathBuf> = Self::FILES.iter().map(|name| folder.join(name)).collect();
        let Self { ordination, labels, summary, title } = *self;
        write_coordinates(&paths[0], ordination)?;
        write_eigenvalues(&paths[1], ordination)?;
        write_quality(&paths[2], ordination)?;
        write_scikit_bio(&paths[3], ordination)?;
        write_summary(&paths[4], summary)?;
        write_report(&paths[5], &Report { ordination, labels, summary, title })?;
        if let Some(variables) = &ordination.variables {
            let path = folder.join(Self::VARIABLES);
            write_variables(&path, variables)?;
            paths.push(path);
        }
        Ok(paths)
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
}
