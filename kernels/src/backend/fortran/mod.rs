//! Backends on a Fortran BLAS and LAPACK: OpenBLAS loaded at run time, or whatever the crate
//! `blas-src` links.
#![allow(unsafe_code)]

mod calls;
#[cfg(feature = "blas-src")]
pub(super) mod linked;
pub(super) mod openblas;

pub(super) use calls::Calls;

use super::{Backend, Blas};
use crate::scalar::{c32, c64};

/// A library with its calls in both precisions.
#[derive(Debug)]
struct Library {
    name: &'static str,
    description: String,
    single: Calls<f32>,
    double: Calls<f64>,
}

impl Backend for Library {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn single(&self) -> &dyn Blas<f32> {
        &self.single
    }

    fn double(&self) -> &dyn Blas<f64> {
        &self.double
    }

    fn complex_single(&self) -> &dyn Blas<c32> {
        &self.single
    }

    fn complex_double(&self) -> &dyn Blas<c64> {
        &self.double
    }
}
