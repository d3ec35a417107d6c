//! `tegula exageostat variogram`: the empirical variogram of observations.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_exageostat::variogram::{
    BINS, Bins, Direction, Estimator, Options, Variogram as Found, VariogramError, subset,
    variogram,
};
use tegula_files::{FillError, WriteError};

use super::data::Data;
use super::mean::Mean;
use super::model_file::data_json;
use super::object;
use super::remarks::Remarks;
use super::transform::{Choice, to_json};
use crate::error::refused;
use crate::flags::{DataFlags, Distance, MeanFlags, OutputFlags};
use crate::machine::memory_bytes;
use crate::output::{Align, Console, Form, Table, check_form, count, number, write_file};

/// Most observations of which all pairs are taken.
pub(super) const MOST_POINTS: usize = 5000;

/// Flags of `variogram`.
#[derive(Args, Debug)]
pub(crate) struct Variogram {
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    mean: MeanFlags,
    /// Transform the values first: log, sqrt, box-cox:LAMBDA or none
    #[arg(long, value_name = "NAME", help_heading = "Variogram", default_value = "none", value_parser = Choice::parse)]
    transform: Choice,
    /// Largest distance, in km with great-circle distance [default: a third of the diagonal of the
    /// box of the places]
    #[arg(long, value_name = "D", help_heading = "Variogram")]
    cutoff: Option<f64>,
    /// Bins up to the cutoff [default: 15]
    #[arg(long, value_name = "N", help_heading = "Variogram", conflicts_with = "width", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bins: Option<u32>,
    /// Width of the bins instead, the last of which ends at the cutoff
    #[arg(long, value_name = "D", help_heading = "Variogram")]
    width: Option<f64>,
    /// The robust estimator of Cressie and Hawkins in place of Matheron's
    #[arg(long, help_heading = "Variogram")]
    cressie: bool,
    /// Pairs in this direction alone, in degrees clockwise from the second coordinate: 0 is north,
    /// 90 east
    #[arg(long, value_name = "DEGREES", help_heading = "Variogram", allow_negative_numbers = true)]
    direction: Option<f64>,
    /// How far a pair may lie off the direction, to either side
    #[arg(
        long,
        value_name = "DEGREES",
        help_heading = "Variogram",
        default_value_t = 22.5,
        requires = "direction"
    )]
    tolerance: f64,
    /// Observations of which all pairs are taken; of more, so many at random
    #[arg(long, value_name = "N", help_heading = "Variogram", default_value_t = MOST_POINTS as u32, value_parser = clap::value_parser!(u32).range(2..))]
    sample: u32,
    /// Seed of the random choice
    #[arg(long, value_name = "N", help_heading = "Variogram", default_value_t = 0)]
    seed: u64,
    /// Write the bins as CSV to FILE; "-" is standard output
    #[arg(long = "output", short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

impl Variogram {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        self.output_file.as_deref().map_or(Ok(()), |path| check_form("-o", path, Form::Table))?;
        let options = self.options()?;
        let memory = memory_bytes().unwrap_or(u64::MAX);
        let mut data = Data::load(&self.data, Mean::parse(self.mean.text())?, None, memory)?;
        data.check_single("variogram")?;
        data.take(self.transform.without_mean()?)?;
        data.describe(&console);
        let mut remarks = Remarks::new(&console);
        remarks.note(data.suspicions(&self.data));
        let observations = &data.observations;
        let residuals = observations.design.residuals(&observations.values);
        let chosen = subset(observations.len(), self.sample as usize, self.seed);
        let (points, values) = if chosen.len() < observations.len() {
            let values = chosen.iter().map(|&i| residuals[i]).collect();
            (observations.points.select(&chosen), values)
        } else {
            (observations.points.clone(), residuals)
        };
        let found = variogram(&points, &values, &options).map_err(|error| self.refuse(&error))?;
        self.describe(&console, &data, chosen.len(), &found);
        if let Some(path) = &self.output_file {
            write_file::<WriteError>(path, |out| {
                writeln!(out, "pairs,distance,semivariance").map_err(FillError::File)?;
                found.bins.iter().try_for_each(|bin| {
                    let (pairs, distance, value) = (bin.pairs, bin.distance, bin.semivariance);
                    writeln!(out, "{pairs},{distance},{value}").map_err(FillError::File)
                })
            })?;
            console.line(format_args!(
                "{} written to {}",
                count(found.bins.len(), "bin"),
                path.display()
            ));
        }
        self.output.write(&self.result(&data, chosen.len(), &found, &remarks))?;
        console.finish()
    }

    /// What the flags ask for.
    fn options(&self) -> Result<Options> {
        for (flag, length) in [("--cutoff", self.cutoff), ("--width", self.width)] {
            if let Some(length) = length.filter(|length| !(*length > 0.0 && length.is_finite())) {
                return Err(refused(format!("{flag} {length}: a length is a number above 0")));
            }
        }
        if !(self.tolerance > 0.0 && self.tolerance <= 90.0) {
            return Err(refused(format!(
                "--tolerance {}: it is above 0 and at most 90 degrees, which is any direction",
                self.tolerance
            )));
        }
        if let Some(azimuth) = self.direction.filter(|azimuth| !azimuth.is_finite()) {
            return Err(refused(format!(
                "--direction {azimuth}: a direction is a number of degrees"
            )));
        }
        let count = Bins::Count(self.bins.map_or(BINS, |bins| bins as usize));
        Ok(Options {
            cutoff: self.cutoff,
            bins: self.width.map_or(count, Bins::Width),
            estimator: if self.cressie { Estimator::Cressie } else { Estimator::Matheron },
            direction: self
                .direction
                .map(|azimuth| Direction { azimuth, tolerance: self.tolerance }),
        })
    }

    /// An error with the file and the flag that it is about.
    fn refuse(&self, error: &VariogramError) -> anyhow::Error {
        let flag = match error {
            VariogramError::Direction => "--direction: ",
            VariogramError::Width { .. } => "--width: ",
            VariogramError::OnePlace
            | VariogramError::Cutoff(_)
            | VariogramError::NoPairs { .. } => "",
        };
        refused(format!("{}: {flag}{error}", self.data.data.display()))
    }

    fn describe(&self, console: &Console, data: &Data, used: usize, found: &Found) {
        let unit = if data.coordinates.distance == Distance::Euclidean { "" } else { " km" };
        console.field(
            "variogram",
            format_args!(
                "{}, up to {}{unit}, bins {}{unit} wide",
                if self.cressie { "Cressie and Hawkins" } else { "Matheron" },
                number(found.cutoff, 6),
                number(found.width, 6),
            ),
        );
        if let Some(azimuth) = self.direction {
            let tolerance = self.tolerance;
            console.field("direction", format_args!("{azimuth} degrees, to within {tolerance}"));
        }
        let all = data.observations.len();
        if used < all {
            console.note(format_args!(
                "of {used} of the {all} observations, taken at random with seed {}; --sample takes more",
                self.seed
            ));
        }
        let mut table = Table::new(&[
            ("pairs", Align::Right),
            ("distance", Align::Right),
            ("semivariance", Align::Right),
        ]);
        for bin in &found.bins {
            let (distance, value) = (number(bin.distance, 6), number(bin.semivariance, 6));
            table.row(vec![bin.pairs.to_string(), distance, value]);
        }
        console.line("");
        console.line(table);
    }

    fn result(&self, data: &Data, used: usize, found: &Found, remarks: &Remarks<'_>) -> Value {
        let bin = |bin: &tegula_exageostat::variogram::Bin| {
            json!({
                "pairs": bin.pairs, "distance": bin.distance, "semivariance": bin.semivariance,
            })
        };
        Value::Object(object([
            ("n", data.observations.len().into()),
            ("used", used.into()),
            ("transform", to_json(data.transform)),
            ("estimator", if self.cressie { "cressie" } else { "matheron" }.into()),
            ("cutoff", found.cutoff.into()),
            ("width", found.width.into()),
            (
                "direction",
                json!(
                    self.direction.map(|azimuth| {
                        json!({ "azimuth": azimuth, "tolerance": self.tolerance })
                    })
                ),
            ),
            ("bins", found.bins.iter().map(bin).collect::<Vec<_>>().into()),
            ("mean", data.mean.text().into()),
            ("remarks", remarks.json(&[])),
            ("data", data_json(data)),
        ]))
    }
}
