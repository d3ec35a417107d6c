//! What must not differ when a fit goes on from a checkpoint.

use tegula_exageostat::fit::{FitOptions, NuggetChoice};
use tegula_files::checkpoint::About;

use super::Fit;
use crate::checkpoint::about;
use crate::exageostat::data::Data;
use crate::exageostat::method::method_text;
use crate::exageostat::setup::Setup;

impl Fit {
    /// What must not differ when a run goes on. The limit of evaluations may: the search only ends
    /// sooner or later.
    pub(super) fn about(&self, data: &Data, options: &FitOptions, setup: &Setup) -> About {
        let listed = data.rows.len();
        let names = self.covariance.covariance.parameters.iter().map(|p| p.name);
        let fixed = names.clone().zip(&options.fixed);
        let fixed =
            fixed.filter_map(|(name, value)| value.map(|value| format!("{name}={value:?}")));
        let bounds = names.zip(&options.bounds);
        let bounds = bounds
            .filter_map(|(name, pair)| pair.map(|(low, high)| format!("{name}={low:?}:{high:?}")));
        let nugget = match options.nugget {
            NuggetChoice::Fixed(value) => format!("{value:?}"),
            NuggetChoice::Estimated { bounds: None } => "estimated".to_owned(),
            NuggetChoice::Estimated { bounds: Some((low, high)) } => {
                format!("estimated in {low:?}:{high:?}")
            }
        };
        let facts = vec![
            ("the data", format!("{} rows, SHA-256 {}", listed, data.table.digest())),
            ("--coords", data.coordinates.texts().join(",")),
            ("--distance", data.coordinates.distance.name().to_owned()),
            ("--noise", data.values.noise().unwrap_or_default().to_owned()),
            ("--time", data.coordinates.time().unwrap_or_default().to_owned()),
            ("--values", data.values.text().to_owned()),
            ("--replicates", data.values.replicates().to_string()),
            ("--mean", data.mean.text().to_owned()),
            ("--transform", self.transform.text()),
            ("--covariance", self.covariance.covariance.name.to_owned()),
            ("--fix", fixed.collect::<Vec<_>>().join(",")),
            ("--bounds", bounds.collect::<Vec<_>>().join(",")),
            ("the nugget", nugget),
            ("--start", self.estimation.start_text()),
            ("--grid", self.grid.clone().unwrap_or_default()),
            ("--starts", options.starts.to_string()),
            ("--seed", if options.starts > 1 { options.seed.to_string() } else { String::new() }),
            ("--information", self.estimation.information.clone()),
            ("--profile-intervals", self.estimation.profile_intervals.to_string()),
            ("--method", method_text(setup.method())),
            ("--optimizer", self.estimation.optimizer.clone()),
            ("--reml", self.estimation.reml.to_string()),
            ("--tolerance", options.tolerance.map_or("default".to_owned(), |x| format!("{x:?}"))),
            ("--precision", setup.run.precision.letter().to_string()),
        ];
        about("a fit", facts)
    }
}
