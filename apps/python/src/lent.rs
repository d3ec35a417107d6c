//! Arrays that Python lends: numbers as bytes, and matrices that are read block by block, wherever
//! Python has them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use tegula_files::source::{Block, BlockReader, Coverage, Source, SourceError};
use tegula_kernels::element::{ELEMENTS, Element};

/// Bytes of an object of type `bytes`, which are not copied.
pub(crate) struct Lent(pub(crate) PyBackedBytes);

impl<'py> FromPyObject<'_, 'py> for Lent {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(object.extract::<PyBackedBytes>()?))
    }
}

/// 64-bit numbers in the byte order of this machine.
pub(crate) fn numbers(bytes: &[u8]) -> PyResult<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(PyValueError::new_err("a column of numbers has eight bytes for each"));
    }
    Ok(numbers.iter().map(|number| f64::from_ne_bytes(*number)).collect())
}

/// A matrix that Python reads.
#[derive(Clone)]
struct PythonSource {
    name: String,
    shape: [usize; 2],
    element: Element,
    grain: [usize; 2],
    stored_bytes: f64,
    names: [Option<Vec<String>>; 2],
    /// Called with the first row, the row after the last, and so of columns; gives the bytes of
    /// the block, row by row.
    read: Arc<Py<PyAny>>,
    stop: Arc<AtomicBool>,
}

impl fmt::Debug for PythonSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PythonSource").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A matrix to lend to a command.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct LentMatrix {
    source: PythonSource,
}

impl LentMatrix {
    /// What a command reads; it fails once `stop` is true.
    pub(crate) fn source(&self, stop: &Arc<AtomicBool>) -> Arc<dyn Source> {
        Arc::new(PythonSource { stop: Arc::clone(stop), ..self.source.clone() })
    }
}

#[pymethods]
impl LentMatrix {
    /// A matrix called `name`, of numbers of the type that NumPy calls `element`.
    ///
    /// `read(first_row, end_row, first_column, end_column)` gives the bytes of a block, row by row.
    /// Blocks had best begin at multiples of `grain`; `stored_bytes` are those that an entry takes
    /// on disk, 0 in memory.
    #[new]
    #[expect(clippy::too_many_arguments)]
    fn new(
        name: String,
        shape: (usize, usize),
        element: &str,
        grain: (usize, usize),
        stored_bytes: f64,
        row_names: Option<Vec<String>>,
        column_names: Option<Vec<String>>,
        read: Py<PyAny>,
    ) -> PyResult<Self> {
        let shape = [shape.0, shape.1];
        let found = ELEMENTS.iter().find(|(_, name)| *name == element);
        let (element, _) = found.ok_or_else(|| {
            let names: Vec<&str> = ELEMENTS.iter().map(|(_, name)| *name).collect();
            let names = names.join(", ");
            PyValueError::new_err(format!(
                "{name}: numbers of type {element} are not read, but {names}"
            ))
        })?;
        let names = [row_names, column_names];
        for (names, length) in names.iter().zip(shape) {
            if let Some(names) = names.as_ref().filter(|names| names.len() != length) {
                let count = names.len();
                return Err(PyValueError::new_err(format!(
                    "{name}: {count} names for {length} items"
                )));
            }
        }
        let (grain, read) = ([grain.0.max(1), grain.1.max(1)], Arc::new(read));
        let (element, stop) = (*element, Arc::default());
        let source = PythonSource { name, shape, element, grain, stored_bytes, names, read, stop };
        Ok(Self { source })
    }
}

impl Source for PythonSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn element(&self) -> Element {
        self.element
    }

    fn coverage(&self) -> Coverage {
        Coverage::Full
    }

    fn grain(&self) -> [usize; 2] {
        self.grain
    }

    fn stored_bytes_per_entry(&self) -> f64 {
        self.stored_bytes
    }

    fn row_names(&self) -> Option<&[String]> {
        self.names[0].as_deref()
    }

    fn column_names(&self) -> Option<&[String]> {
        self.names[1].as_deref()
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        Ok(Box::new(self.clone()))
    }
}

impl PythonSource {
    fn invalid(&self, reason: impl fmt::Display) -> SourceError {
        let (path, reason) = (Path::new(&self.name).to_owned(), reason.to_string());
        SourceError::Invalid { path, reason }
    }
}

impl BlockReader for PythonSource {
    fn read(&mut self, block: &Block, entries: &mut [u8]) -> Result<u64, SourceError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(self.invalid("reading was interrupted"));
        }
        let (rows, columns) = (&block.rows, &block.columns);
        let place = (rows.start, rows.end, columns.start, columns.end);
        let read = Python::attach(|py| {
            let bytes = self.read.call1(py, place)?.extract::<PyBackedBytes>(py)?;
            if bytes.len() != entries.len() {
                let (found, wanted) = (bytes.len(), entries.len());
                let text = format!("a block of {found} bytes where {wanted} were asked for");
                return Err(PyValueError::new_err(text));
            }
            entries.copy_from_slice(&bytes);
            Ok(())
        });
        read.map_err(|error: PyErr| self.invalid(error))?;
        Ok((block.entries() as f64 * self.stored_bytes) as u64)
    }
}
