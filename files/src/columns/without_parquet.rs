//! In place of Parquet, in a program that was built without it.

use std::convert::Infallible;
use std::io::{self, Write};
use std::marker::PhantomData;

use crate::csv::Table;

/// What is never made; see [`HAS_PARQUET`](crate::HAS_PARQUET).
pub struct ParquetWriter<'a>(Infallible, PhantomData<&'a ()>);

impl<'a> ParquetWriter<'a> {
    /// Refuses to.
    ///
    /// # Errors
    /// In any case.
    pub fn new(
        _out: &'a mut dyn Write,
        _names: (&[String], &[String]),
        _texts: &[bool],
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Nothing.
    ///
    /// # Errors
    /// Never.
    pub fn write(&mut self, _part: &Table, _more: &[Vec<f64>]) -> io::Result<()> {
        match self.0 {}
    }

    /// Nothing.
    ///
    /// # Errors
    /// Never.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {}
    }
}
