//! A page about a model and its data: maps, variogram, likelihood, residuals, estimates.

mod fields;
mod likelihood;
mod maps;
mod residuals;
mod shape;
mod tables;

use std::path::Path;

use anyhow::Result;
use tegula_exageostat::assess::{LeftOut, leave_one_out};
use tegula_exageostat::likelihood::{Likelihood, Overlap};
use tegula_exageostat::transform::Transform;
use tegula_figures::html::page;
use tegula_figures::svg::escaped;
use tegula_files::{FillError, WriteError};
use tegula_kernels::scalar::Real;

pub(super) use maps::Predicted;

use super::data::Data;
use super::method::Method;
use super::model_file::ModelFile;
use super::setup::Setup;
use crate::output::{Console, Progress, write_file};

/// What a page is made from.
pub(super) struct Page<'a> {
    /// The model.
    pub(super) file: &'a ModelFile,
    /// Its data.
    pub(super) data: &'a Data,
    /// How tasks run.
    pub(super) setup: &'a Setup,
    /// Predictions, if there are some.
    pub(super) predicted: Option<Predicted>,
    /// Seed of what is drawn at random.
    pub(super) seed: u64,
}

impl Page<'_> {
    /// Writes the page, and says so; returns its bytes.
    ///
    /// # Errors
    /// If the covariance matrix is not positive definite, or the file cannot be written.
    pub(super) fn write(&self, path: &Path, console: &Console) -> Result<usize> {
        let left_out = match self.file.method {
            Method::Exact if self.setup.is_double() => Some(self.leave_out::<f64>(console)?),
            Method::Exact => Some(self.leave_out::<f32>(console)?),
            _ => None,
        };
        let text = self.html(left_out.as_deref());
        write_file::<WriteError>(path, |out| {
            out.write_all(text.as_bytes()).map_err(FillError::File)
        })?;
        console.line(format_args!("page written to {}", path.display()));
        Ok(text.len())
    }

    fn leave_out<T: Real>(&self, console: &Console) -> Result<Vec<LeftOut>> {
        let mut progress = Progress::new(console);
        let flow = self.setup.run.flow(false, true);
        progress.follow(flow.watch(), 3.0 * self.setup.tasks(), "cross-validation");
        let (nb, overlap) = (self.setup.nb(), Overlap::default());
        let likelihood = Likelihood::<T>::new(flow, &self.data.observations, nb, overlap);
        let (found, _) = leave_one_out(likelihood, &self.file.model)?;
        progress.clear();
        Ok(found)
    }

    /// All of it.
    fn html(&self, left_out: Option<&[LeftOut]>) -> String {
        let mut body = format!("<p>{}</p>\n", escaped(&self.about()));
        body += "<div class=\"tables\">\n";
        body += &tables::estimates(self.file, self.data);
        body += &tables::mean(self.file);
        body += &tables::summary(self.file, self.data);
        body += "</div>\n";
        let section = |heading: &str, figures: String| {
            format!("<h2>{heading}</h2>\n<div class=\"figures\">\n{figures}</div>\n")
        };
        body += &section("Data and variogram", maps::data(self) + &shape::variograms(self));
        let curves = likelihood::curves(self.file);
        if !curves.is_empty() {
            body += &section("Likelihood of each parameter", curves);
        }
        body += &match left_out {
            Some(found) => section("Leave-one-out residuals", residuals::figures(self, found)),
            None => format!(
                "<h2>Leave-one-out residuals</h2>\n<p>Left out: their closed form is of the exact \
                 likelihood, and this model was fitted {}.</p>\n",
                escaped(
                    self.file.method.of_likelihoods().unwrap_or("with Vecchia's approximation")
                )
            ),
        };
        if let Some(predicted) = &self.predicted {
            body += &section("Predictions", predicted.figures(self));
        }
        page(&self.title(), &body)
    }

    /// The file of the data, without folders, and the values.
    fn title(&self) -> String {
        let path = self.data.table.path();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        format!("{name}: {}", self.data.values.text())
    }

    /// What was fitted to what, in a line.
    fn about(&self) -> String {
        let (file, data) = (self.file, self.data);
        format!(
            "{} observations of {} in {}; coordinates {}; covariance {}; mean {}; method {}.",
            data.observations.len(),
            data.values.text(),
            data.table.path().display(),
            data.coordinates.about(),
            file.model.covariance.name,
            data.mean.describe(),
            super::method::method_text(file.method.settle(&data.observations.points)),
        )
    }

    /// The unit of distance behind a number.
    fn unit(&self) -> &'static str {
        if self.data.coordinates.distance.is_on_sphere() { " km" } else { "" }
    }

    /// What is said where numbers are not on the scale of the values.
    fn scale(&self) -> &'static str {
        if self.data.transform == Transform::None { "" } else { " On the transformed scale." }
    }
}
