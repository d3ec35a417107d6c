//! Reading rectangles of a data set through libhdf5, which turns numbers into those of this
//! machine.

use std::ops::Range;

use bytemuck::Pod;
use hdf5_metno::{Dataset, H5Type};
use tegula_kernels::element::Element;

use crate::hdf5::entries::Failure;

/// Reads rectangles of one data set; one of one dimension is one row.
#[derive(Debug)]
pub(in crate::hdf5) struct SliceReader {
    dataset: Dataset,
    element: Element,
    /// Bytes that the file takes for one entry.
    stored: f64,
}

impl SliceReader {
    /// A reader of `dataset`, whose numbers are of kind `element` and of which the file holds
    /// `stored` bytes per entry.
    pub(in crate::hdf5) fn new(dataset: Dataset, element: Element, stored: f64) -> Self {
        Self { dataset, element, stored }
    }

    /// Reads the entries in `rows` and `columns` into `entries`, row by row, in the byte order of
    /// this machine.
    pub(in crate::hdf5) fn read(
        &mut self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        entries: &mut [u8],
    ) -> Result<u64, Failure> {
        match self.element {
            Element::U8 => self.slice::<u8>(rows, columns, entries),
            Element::I8 => self.slice::<i8>(rows, columns, entries),
            Element::U16 => self.slice::<u16>(rows, columns, entries),
            Element::I16 => self.slice::<i16>(rows, columns, entries),
            Element::U32 => self.slice::<u32>(rows, columns, entries),
            Element::I32 => self.slice::<i32>(rows, columns, entries),
            Element::U64 => self.slice::<u64>(rows, columns, entries),
            Element::I64 => self.slice::<i64>(rows, columns, entries),
            Element::F16 => self.halves(rows, columns, entries),
            Element::F32 => self.slice::<f32>(rows, columns, entries),
            Element::F64 => self.slice::<f64>(rows, columns, entries),
        }
    }

    fn slice<T: H5Type + Pod>(
        &mut self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        entries: &mut [u8],
    ) -> Result<u64, Failure> {
        let numbers = self.numbers::<T>(rows, columns)?;
        entries.copy_from_slice(bytemuck::cast_slice(&numbers));
        Ok((numbers.len() as f64 * self.stored) as u64)
    }

    /// Of 16 bits there is no type of C: every such number is one of 32 bits as well.
    fn halves(
        &mut self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        entries: &mut [u8],
    ) -> Result<u64, Failure> {
        let numbers = self.numbers::<f32>(rows, columns)?;
        let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
        Element::F16.narrow(&numbers, entries);
        Ok((numbers.len() as f64 * self.stored) as u64)
    }

    fn numbers<T: H5Type>(
        &self,
        rows: &Range<usize>,
        columns: &Range<usize>,
    ) -> Result<Vec<T>, Failure> {
        if rows.is_empty() || columns.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |error: hdf5_metno::Error| Failure::Damaged(error.to_string());
        if self.dataset.ndim() == 1 {
            let found = self.dataset.read_slice_1d::<T, _>(columns.clone()).map_err(failed)?;
            return Ok(found.into_iter().collect());
        }
        let found = self.dataset.read_slice_2d::<T, _>((rows.clone(), columns.clone()));
        Ok(found.map_err(failed)?.into_iter().collect())
    }
}
