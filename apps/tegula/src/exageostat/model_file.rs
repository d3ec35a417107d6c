//! `model.json`: a fitted model with what predictions need.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use tegula_exageostat::covariance::find;
use tegula_exageostat::model::Model;
use tegula_exageostat::transform::Transform;
use tegula_files::text::read_whole;

use super::data::Data;
use super::mean::Mean;
use super::mean_file::{read_coefficients, read_mean};
use super::method::Method;
use super::transform::from_json;
use crate::error::refused;
use crate::flags::Distance;
use crate::guest;

/// Bytes that a model may have.
const MOST_BYTES: u64 = 4 << 20;

/// Version of the form of the files: with another major one they say other things by the same
/// fields; a minor one only adds fields. Files of before there were versions are of the first.
const FORMAT: (u64, u64) = (1, 0);

/// The version that a file says.
pub(super) fn format_version() -> Value {
    format!("{}.{}", FORMAT.0, FORMAT.1).into()
}

/// The data of a result: what they are, so that others can tell whether they are the same.
pub(super) fn data_json(data: &Data) -> Value {
    let path = data.table.path();
    let mut value = json!({
        "n": data.observations.len(),
        "digest": data.table.digest().to_string(),
        "file": path.display().to_string(),
        "columns": {
            "coords": data.coordinates.texts(),
            "values": data.values.text(),
            "replicates": data.values.replicates() > 1,
            "time": data.coordinates.time(),
            "noise": data.values.noise(),
        },
        "distance": data.coordinates.distance.name(),
        "rows": data.table.rows(),
        "drop_missing": data.dropped() > 0,
    });
    // What is no UTF-8 is not in the text above.
    if path.to_str().is_none() {
        value["file_bytes"] = json!(path.as_os_str().as_encoded_bytes());
    }
    value
}

/// The file that is named by these bytes, which are no UTF-8.
#[cfg(unix)]
fn named(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// None: other systems name no file by bytes.
#[cfg(not(unix))]
fn named(_bytes: Vec<u8>) -> Option<PathBuf> {
    None
}

/// What information criteria take of a fit; files of earlier versions do not say it.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// Its log-likelihood.
    pub(super) loglik: f64,
    /// Whether that is a restricted one.
    pub(super) is_restricted: bool,
    /// Names of what was estimated but the coefficients of the mean.
    pub(super) estimated: Vec<String>,
    /// Observations.
    pub(super) n: usize,
}

impl Fitted {
    fn read(value: &Value) -> Option<Self> {
        let estimated = value["estimated"].as_array()?.iter();
        Some(Self {
            loglik: value["loglik"].as_f64()?,
            is_restricted: value["criterion"].as_str()? == "reml",
            estimated: estimated
                .map(|name| name.as_str().map(str::to_owned))
                .collect::<Option<_>>()?,
            n: usize::try_from(value["data"]["n"].as_u64()?).ok()?,
        })
    }
}

/// A model as it stands in a file.
#[derive(Debug)]
pub(super) struct ModelFile {
    /// The covariance with its parameters and nugget.
    pub(super) model: Model,
    /// What its fit came to.
    pub(super) fitted: Option<Fitted>,
    /// How its likelihood was computed.
    pub(super) method: Method,
    /// The mean.
    pub(super) mean: Mean,
    /// Names of its columns with their coefficients, as far as they are told.
    pub(super) coefficients: Option<Vec<(String, f64)>>,
    /// The transformation of the values.
    pub(super) transform: Transform,
    /// The coordinates, as expressions.
    pub(super) coords: Vec<String>,
    /// The values, as an expression.
    pub(super) values: String,
    /// Whether these are replicates.
    pub(super) are_replicates: bool,
    /// The time, as an expression, if there is one.
    pub(super) time: Option<String>,
    /// The variances of the noise, as expressions, if they are known.
    pub(super) noise: Option<String>,
    /// What distance means.
    pub(super) distance: Distance,
    /// The training data, as the file was named.
    pub(super) file: PathBuf,
    /// Its digest.
    pub(super) digest: String,
    /// Whether rows with missing values were left out.
    pub(super) drop_missing: bool,
    /// All that the file holds.
    pub(super) value: Value,
}

impl ModelFile {
    /// Reads `path`.
    ///
    /// # Errors
    /// If it is no model that `fit` has written.
    pub(super) fn read(path: &Path) -> Result<Self> {
        if let Some(value) = guest::model(path) {
            return Self::of_json(path, value);
        }
        let text = read_whole(path, MOST_BYTES)
            .map_err(|error| refused(format!("cannot read {}: {error}", path.display())))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            refused(format!(
                "{}: not the JSON of a model ({error}): tegula exageostat fit DATA.csv -o MODEL.json \
                 writes one",
                path.display()
            ))
        })?;
        Self::of_json(path, value)
    }

    /// The model that `value` holds, which stands in `path`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(super) fn of_json(path: &Path, value: Value) -> Result<Self> {
        let fields = Fields { path, value: &value };
        fields.check_version()?;
        let broken = |why: &dyn std::fmt::Display| fields.broken(&why.to_string());
        let covariance = find(fields.text("/covariance")?).map_err(|error| broken(&error))?;
        let number = |name: &str| fields.number(&format!("/params/{name}"));
        let values = covariance.parameters.iter().map(|parameter| number(parameter.name));
        let distance = fields.text("/data/distance")?;
        Ok(Self {
            model: Model::new(
                covariance,
                values.collect::<Result<_>>()?,
                fields.number("/nugget")?,
            )
            .map_err(|error| broken(&error))?,
            fitted: Fitted::read(&value),
            method: Method::read(value.get("method"))
                .ok_or_else(|| fields.fail("/method", "a method"))?,
            mean: read_mean(fields.get("/mean")?).map_err(|why| fields.broken(&why))?,
            coefficients: read_coefficients(fields.get("/mean")?),
            transform: from_json(value.get("transform"))
                .map_err(|error| broken(&format!("the field transform: {error}")))?,
            coords: fields.texts("/data/columns/coords")?,
            values: fields.text("/data/columns/values")?.to_owned(),
            are_replicates: value["data"]["columns"]["replicates"] == Value::Bool(true),
            time: value["data"]["columns"]["time"].as_str().map(str::to_owned),
            noise: value["data"]["columns"]["noise"].as_str().map(str::to_owned),
            distance: Distance::named(distance)
                .ok_or_else(|| fields.fail("/data/distance", "the name of a distance"))?,
            file: fields.file()?,
            digest: fields.text("/data/digest")?.to_owned(),
            drop_missing: fields.get("/data/drop_missing")? == &Value::Bool(true),
            value,
        })
    }
}

/// Fields of a JSON file, by pointer.
struct Fields<'a> {
    path: &'a Path,
    value: &'a Value,
}

impl<'a> Fields<'a> {
    /// Refuses a form that is not known.
    fn check_version(&self) -> Result<()> {
        let Some(value) = self.value.get("format_version") else { return Ok(()) };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let (major, minor) = text.split_once('.').unwrap_or((&text, "0"));
        match (major.parse::<u64>(), minor.parse::<u64>()) {
            (Ok(major), Ok(_)) if major == FORMAT.0 => Ok(()),
            (Ok(_), Ok(_)) => Err(self.broken(&format!(
                "its format has version {text}, and tegula {} reads version {}: take the tegula \
                 that wrote it, or fit again",
                env!("CARGO_PKG_VERSION"),
                FORMAT.0
            ))),
            _ => Err(self.fail("/format_version", "a version (\"1.0\")")),
        }
    }

    fn get(&self, pointer: &str) -> Result<&'a Value> {
        self.value.pointer(pointer).ok_or_else(|| self.fail(pointer, "there"))
    }

    fn text(&self, pointer: &str) -> Result<&'a str> {
        self.get(pointer)?.as_str().ok_or_else(|| self.fail(pointer, "text"))
    }

    fn number(&self, pointer: &str) -> Result<f64> {
        self.get(pointer)?.as_f64().ok_or_else(|| self.fail(pointer, "a number"))
    }

    /// The training data: the bytes of their name, where it is no UTF-8.
    fn file(&self) -> Result<PathBuf> {
        let text = self.text("/data/file")?;
        let Some(bytes) = self.value.pointer("/data/file_bytes") else { return Ok(text.into()) };
        let bytes = serde_json::from_value(bytes.clone())
            .map_err(|_| self.fail("/data/file_bytes", "a list of bytes"))?;
        named(bytes).ok_or_else(|| self.fail("/data/file_bytes", "a name of this system"))
    }

    fn texts(&self, pointer: &str) -> Result<Vec<String>> {
        let list = self.get(pointer)?.as_array();
        let texts =
            list.and_then(|list| list.iter().map(|x| x.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.fail(pointer, "a list of texts"))
    }

    fn broken(&self, why: &str) -> anyhow::Error {
        refused(format!("{}: {why}", self.path.display()))
    }

    fn fail(&self, pointer: &str, wanted: &str) -> anyhow::Error {
        let field = pointer.trim_start_matches('/').replace('/', ".");
        refused(format!(
            "{}: the field {field} is not {wanted}; is this a file that tegula exageostat fit -o wrote?",
            self.path.display()
        ))
    }
}
