//! Commands of `tegula` run in this process, on what Python lends: the same code as on the command
//! line, so that a fit has the same numbers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use tegula_command::guest::{self, Kept, Kind, Loan, Running};
use tegula_diodon::Ordination;
use tegula_exageostat::assess::Criteria;
use tegula_exageostat::covariance::{CovarianceError, find};
use tegula_files::{Cells, Table};

use crate::lent::{Lent, LentMatrix, numbers};

create_exception!(
    _tegula,
    Failure,
    PyException,
    "A command that has no result: its kind, and what the program would print."
);

/// Time between two looks at whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// A column of a table: 64-bit numbers in the byte order of this machine, or texts.
#[derive(FromPyObject)]
pub(crate) enum Column {
    /// As bytes.
    Numbers(Lent),
    /// An empty one is a missing value.
    Texts(Vec<String>),
}

impl Column {
    fn cells(self) -> PyResult<Cells> {
        Ok(match self {
            Self::Numbers(bytes) => Cells::Numbers(numbers(&bytes.0)?),
            Self::Texts(texts) => Cells::Texts(texts),
        })
    }
}

/// A table: its name, and its columns with theirs.
type LentTable = (String, Vec<(String, Column)>);

/// Runs the command that `words` are.
///
/// `tables` are lists of columns, `sources` matrices that are read by blocks, `models` texts of
/// JSON, each with the name by which `words` name it; `report` hears of progress.
///
/// # Errors
/// `Failure`; what a signal handler raises, once the command has ended.
#[pyfunction]
pub(crate) fn run<'py>(
    py: Python<'py>,
    words: Vec<String>,
    tables: Vec<LentTable>,
    sources: Vec<Py<LentMatrix>>,
    models: Vec<(PathBuf, String)>,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let stop = Arc::new(AtomicBool::new(false));
    let table = |(name, columns): LentTable| {
        let columns = columns.into_iter().map(|(name, column)| Ok((name, column.cells()?)));
        let columns: Vec<(String, Cells)> = columns.collect::<PyResult<_>>()?;
        let rows = columns.first().map_or(0, |(_, cells)| cells.rows());
        if columns.iter().any(|(_, cells)| cells.rows() != rows) {
            return Err(PyValueError::new_err(format!("{name}: columns differ in length")));
        }
        Ok(Table::of_columns(Path::new(&name), columns, ("row", 0)))
    };
    let model = |(name, text): (PathBuf, String)| {
        let value = serde_json::from_str(&text);
        Ok((name, value.map_err(|error| PyValueError::new_err(error.to_string()))?))
    };
    let loan = Loan {
        tables: tables.into_iter().map(table).collect::<PyResult<_>>()?,
        sources: sources.iter().map(|source| source.get().source(&stop)).collect(),
        models: models.into_iter().map(model).collect::<PyResult<_>>()?,
        stop: Arc::clone(&stop),
        report: report.map(reporter),
    };
    let running = Running::start(words, loan)?;
    let mut raised = None;
    let outcome = loop {
        if let Some(outcome) = py.detach(|| running.wait(LOOK)) {
            break outcome;
        }
        if let Err(error) = py.check_signals() {
            running.stop();
            raised.get_or_insert(error);
        }
    };
    py.detach(|| drop(running));
    match (outcome, raised) {
        (Ok(kept), None) => as_dict(py, kept),
        (Err(failure), raised) if raised.is_none() || failure.kind == Kind::Stopped => {
            Err(self::failure(failure))
        }
        (_, raised) => Err(raised.expect("one of them is there")),
    }
}

/// What calls `report` with a line.
fn reporter(report: Py<PyAny>) -> guest::Report {
    Arc::new(move |text: &str| {
        // What goes wrong when progress is shown is not worth a fit.
        Python::attach(|py| _ = report.call1(py, (text,)));
    })
}

/// What Python raises for `failure`.
pub(crate) fn failure(failure: guest::Failure) -> PyErr {
    Failure::new_err((name(failure.kind), failure.message))
}

/// The name of a kind of failures.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Refused => "refused",
        Kind::NotFound => "not found",
        Kind::File => "file",
        Kind::Memory => "memory",
        Kind::Numerical => "numerical",
        Kind::Stopped => "stopped",
        Kind::Failed => "failed",
    }
}

/// `values` as bytes, which NumPy reads as they are.
fn bytes<'py>(py: Python<'py>, values: &[f64]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, size_of_val(values), |bytes| {
        let places = bytes.as_chunks_mut::<8>().0.iter_mut();
        places.zip(values).for_each(|(place, value)| *place = value.to_ne_bytes());
        Ok(())
    })
}

/// What a command has left, for Python.
fn as_dict(py: Python<'_>, kept: Kept) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("result", kept.result.to_string())?;
    let columns = kept.columns.iter().map(|(name, values)| Ok((name, bytes(py, values)?)));
    dict.set_item("columns", columns.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("matrix", bytes(py, &kept.matrix)?)?;
    dict.set_item("warnings", kept.warnings)?;
    dict.set_item("ordination", kept.ordination.map(|o| ordination(py, &o)).transpose()?)?;
    Ok(dict)
}

/// Items on axes, for Python; matrices by columns.
fn ordination<'py>(py: Python<'py>, of: &Ordination) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("method", PyString::new(py, &of.method))?;
    dict.set_item("ids", &of.ids)?;
    dict.set_item("coordinates", bytes(py, &of.coordinates)?)?;
    dict.set_item("eigenvalues", bytes(py, &of.eigenvalues)?)?;
    dict.set_item("residuals", of.residuals.as_ref().map(|r| bytes(py, r)).transpose()?)?;
    dict.set_item("negative", bytes(py, &of.negative)?)?;
    dict.set_item("trace", of.trace)?;
    if let Some(variables) = &of.variables {
        dict.set_item("variable_ids", &variables.ids)?;
        dict.set_item("variable_coordinates", bytes(py, &variables.coordinates)?)?;
    }
    Ok(dict)
}

/// Akaike's and Schwarz's criteria of a log-likelihood that so many parameters have reached.
#[pyfunction]
pub(crate) fn criteria(loglik: f64, parameters: usize, n: usize) -> (f64, f64) {
    let Criteria { aic, bic, .. } = Criteria::new(loglik, parameters, n);
    (aic, bic)
}

/// Whether a table with columns of these names has some that are taken for coordinates.
#[pyfunction]
pub(crate) fn has_coordinates(names: Vec<String>) -> bool {
    guest::has_obvious_coordinates(names)
}

/// The covariance called `name` at some distances, by the values of its parameters.
#[pyfunction]
pub(crate) fn covariance_at(
    name: &str,
    values: Vec<f64>,
    distances: Vec<f64>,
) -> PyResult<Vec<f64>> {
    let wrong = |error: CovarianceError| PyValueError::new_err(error.to_string());
    let covariance = find(name).map_err(wrong)?;
    covariance.check(&values).map_err(wrong)?;
    let function = covariance.function(&values);
    Ok(distances.into_iter().map(function).collect())
}
