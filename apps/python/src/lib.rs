//! `tegula._tegula`: what the Python package calls. The package's own modules are in
//! `python/tegula`; this one is small and knows neither NumPy nor pandas.

mod command;
mod flow;
mod lent;

use pyo3::prelude::*;

// The functions under LAPACK's names are part of this library: `tegula.linalg` calls them.
use tegula as _;

/// The extension module.
#[pymodule]
mod _tegula {
    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use super::command::{Failure, covariance_at, criteria, has_coordinates, run};
    #[pymodule_export]
    use super::flow::Flow;
    #[pymodule_export]
    use super::lent::LentMatrix;
}
