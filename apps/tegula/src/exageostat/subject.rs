//! What `loglik` evaluates: data with a covariance and its parameters, or set by set of them, or a
//! model that `fit` wrote.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use tegula_exageostat::covariance::{COVARIANCES, Covariance};
use tegula_exageostat::model::Model;

use super::data::Data;
use super::mean::Mean;
use super::method::Method;
use super::model_file::ModelFile;
use super::parameter_sets::{ParameterSet, read_sets};
use super::places::STANDARD_INPUT;
use super::remarks::Remarks;
use super::training::Training;
use super::transform::Choice;
use crate::error::refused;
use crate::flags::{DataFlags, MeanFlags, covariance, nugget, parameters};

/// Data and a model, or the file of a model.
#[derive(Args, Debug)]
#[command(next_help_heading = "Model")]
#[command(mut_arg("data", |data| data.value_name("DATA.csv|MODEL.json").help(
    "Observations, one per row: CSV with or without a header, any delimiter, a GeoTIFF or classic NetCDF; or a model that fit wrote, on its data"
)))]
pub(super) struct Subject {
    #[command(flatten)]
    data: DataFlags,
    /// Where the data of MODEL.json are [default: the file that it names, which must not have
    /// changed]
    #[arg(long, value_name = "DATA.csv", help_heading = "Data")]
    train: Option<PathBuf>,
    /// Covariance, also NAME:anisotropic, :xy, :xyz; "tegula exageostat covariances" explains them
    /// [default: matern]
    #[arg(long, value_name = "NAME", value_parser = covariance())]
    covariance: Option<&'static Covariance>,
    /// Parameters: "variance=1,range=0.1,smoothness=0.5", or numbers in this order
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    params: Vec<String>,
    /// Evaluate each line of FILE ("-" is standard input): "name=value,...", numbers in the order
    /// of the parameters, the nugget after them or not, or CSV with a header of their names
    ///
    /// The data are read once. Each set gets a line, and in --json an object on a line of its own;
    /// one without a likelihood says why in its line, and the others go on.
    #[arg(long, value_name = "FILE", conflicts_with = "params")]
    params_file: Option<PathBuf>,
    /// Variance of the noise of each observation [default: 0]
    #[arg(long, value_name = "VALUE", value_parser = nugget, allow_negative_numbers = true)]
    nugget: Option<f64>,
    #[command(flatten)]
    mean: MeanFlags,
    /// Transform the values: log, sqrt, box-cox:LAMBDA, tukey-gh:G:H or none; the log-likelihood is
    /// that of the values as they are [default: none]
    #[arg(long, value_name = "NAME", value_parser = Choice::parse)]
    transform: Option<Choice>,
}

/// Parameters to evaluate.
pub(super) enum Given {
    /// Those of one model.
    One(Model),
    /// Sets of those of a covariance.
    Sets(&'static Covariance, Vec<ParameterSet>),
}

impl Given {
    /// The covariance.
    pub(super) fn covariance(&self) -> &'static Covariance {
        match self {
            Self::One(model) => model.covariance,
            Self::Sets(covariance, _) => covariance,
        }
    }
}

impl Subject {
    /// Reads the data, which take at most `memory` bytes, the model, and how its likelihood was
    /// computed.
    ///
    /// # Errors
    /// If one cannot be used, or flags say again what the model says.
    pub(super) fn load(
        &self,
        memory: u64,
        remarks: &mut Remarks<'_>,
    ) -> Result<(Data, Given, Method)> {
        self.check_input()?;
        if is_model(&self.data.data) {
            return self.of_model(memory, remarks);
        }
        if self.train.is_some() {
            return Err(refused("--train is for a model, MODEL.json in place of DATA.csv"));
        }
        let covariance = self.covariance.unwrap_or(&COVARIANCES[0]);
        let given = self.given(covariance)?;
        let mut data =
            Data::load(&self.data, Mean::parse(self.mean.text())?, Some(covariance), memory)?;
        data.check_covariance(covariance)?;
        self.transform.map_or(Ok(()), |choice| take(choice, &mut data, &given))?;
        Ok((data, given, Method::default()))
    }

    /// The parameters that flags give.
    fn given(&self, covariance: &'static Covariance) -> Result<Given> {
        let nugget = self.nugget.unwrap_or(0.0);
        if let Some(path) = &self.params_file {
            return Ok(Given::Sets(covariance, read_sets(path, covariance, nugget)?));
        }
        if self.params.is_empty() {
            let names: Vec<&str> = covariance.parameters.iter().map(|p| p.name).collect();
            return Err(refused(format!(
                "--params is missing: {} takes {}; or give a model that fit wrote in place of the data",
                covariance.name,
                names.join(",")
            )));
        }
        let values = parameters(covariance, &self.params)?;
        Ok(Given::One(Model::new(covariance, values, nugget)?))
    }

    /// Refuses standard input for both data and parameters.
    fn check_input(&self) -> Result<()> {
        let is_input = |path: &Path| path == Path::new("-") || path == Path::new(STANDARD_INPUT);
        let is_params = self.params_file.as_deref().is_some_and(is_input);
        let train = self.train.as_deref().is_some_and(is_input);
        if is_params && (train || is_input(&self.data.data)) {
            return Err(refused(
                "standard input cannot hold both the data and --params-file: name a file for one",
            ));
        }
        Ok(())
    }

    /// The remarks on the columns of the data, which of a model were made when it was fitted.
    pub(super) fn suspicions(&self, data: &Data) -> Vec<String> {
        if is_model(&self.data.data) { Vec::new() } else { data.suspicions(&self.data) }
    }

    /// The model that the file holds, on its data.
    fn of_model(&self, memory: u64, remarks: &mut Remarks<'_>) -> Result<(Data, Given, Method)> {
        let path = &self.data.data;
        let given = [
            ("--coords", self.data.places.coords.is_some()),
            ("--distance", self.data.places.distance.is_some()),
            ("--time", self.data.places.time.is_some()),
            ("--noise", self.data.noise.is_some()),
            ("--values", self.data.values.is_some()),
            ("--replicates", self.data.replicates),
            ("--covariance", self.covariance.is_some()),
            ("--params", !self.params.is_empty()),
            ("--nugget", self.nugget.is_some()),
            ("--mean", self.mean.mean.is_some()),
            ("--transform", self.transform.is_some()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
            return Err(refused(format!(
                "{flag}: {} is a model, which says this itself; give its data in place of it to try other \
                 values",
                path.display()
            )));
        }
        let file = ModelFile::read(path)?;
        let (train, drop_missing) = (self.train.as_deref(), self.data.drop_missing);
        let data = Training { model: path, train, drop_missing, memory }.data(&file, remarks)?;
        let model = file.model;
        let given = match &self.params_file {
            Some(path) => {
                Given::Sets(model.covariance, read_sets(path, model.covariance, model.nugget)?)
            }
            None => Given::One(model),
        };
        Ok((data, given, file.method))
    }
}

/// Transforms the values of `data` as `choice` says under the parameters that are `given`.
fn take(choice: Choice, data: &mut Data, given: &Given) -> Result<()> {
    if choice.tukey().is_none() {
        return data.take(choice.settled(1.0)?);
    }
    let Given::One(model) = given else {
        return Err(refused(
            "--params-file: with tukey-gh the values follow the variance: give one set by --params",
        ));
    };
    let transform = choice.settled(model.variance())?;
    if data.observations.design.columns() > 0 {
        return Err(refused(
            "--mean: with tukey-gh the mean is estimated with all else, by fit; loglik takes \
             --mean zero, or the model that fit wrote",
        ));
    }
    data.take_about(transform, Vec::new())
}

/// Whether `path` is JSON by its name or by its first bytes, where it can be read twice.
fn is_model(path: &Path) -> bool {
    const HEAD: u64 = 64;
    let is_named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let begins_like_json = || {
        let mut head = Vec::new();
        let file = File::open(path).ok().filter(|_| path.is_file());
        file.is_some_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok())
            && head.trim_ascii_start().starts_with(b"{")
    };
    is_named || begins_like_json()
}
