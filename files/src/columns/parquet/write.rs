//! Parts of a table with further columns as Parquet: a row group for each part.

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;

use super::super::free;
use crate::csv::cell::Cell;
use crate::csv::{ColumnIndex, Table};

/// Writes parts of a table with further columns, one part after the other, as
/// [`PartWriter`](crate::PartWriter) does: numbers in double precision, texts, and nulls where
/// there is no value.
pub struct ParquetWriter<'a> {
    out: &'a mut dyn Write,
    writer: SerializedFileWriter<Bytes>,
    written: Bytes,
    /// Which columns of the table are texts.
    texts: Vec<bool>,
}

/// What was written and is still to be handed on.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    fn take(&self) -> Vec<u8> {
        mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Group<'a> = SerializedRowGroupWriter<'a, Bytes>;

impl<'a> ParquetWriter<'a> {
    /// Begins a file of columns with these `names`, of which those in `texts` are texts, and of
    /// further columns.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Panics
    /// If there are not as many marks of texts as names.
    pub fn new(
        out: &'a mut dyn Write,
        (names, more): (&[String], &[String]),
        texts: &[bool],
    ) -> io::Result<Self> {
        assert_eq!(names.len(), texts.len(), "marks of columns");
        let is_text = texts.iter().copied().chain(more.iter().map(|_| false));
        let (mut fields, mut taken) = (Vec::new(), Vec::new());
        for (place, (name, is_text)) in names.iter().chain(more).zip(is_text).enumerate() {
            let name = if name.is_empty() { (place + 1).to_string() } else { name.clone() };
            taken.push(free(&taken, name));
            let (kind, logical) = if is_text {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            } else {
                (Physical::DOUBLE, None)
            };
            let field = Type::primitive_type_builder(&taken[place], kind)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical);
            fields.push(Arc::new(field.build().map_err(io::Error::other)?));
        }
        let schema = Type::group_type_builder("schema").with_fields(fields).build();
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let (schema, written) = (schema.map_err(io::Error::other)?, Bytes::default());
        let writer = SerializedFileWriter::new(
            written.clone(),
            Arc::new(schema),
            Arc::new(properties.build()),
        );
        let writer = writer.map_err(io::Error::other)?;
        Ok(Self { out, writer, written, texts: texts.to_vec() })
    }

    /// Writes `part` with the further columns, a value for each row.
    ///
    /// # Errors
    /// Those of the output.
    ///
    /// # Panics
    /// If a column has not one value for each row.
    pub fn write(&mut self, part: &Table, more: &[Vec<f64>]) -> io::Result<()> {
        assert!(more.iter().all(|column| column.len() == part.rows()), "values of a column");
        let mut group = self.writer.next_row_group().map_err(io::Error::other)?;
        for (place, &is_text) in self.texts.iter().enumerate() {
            if is_text {
                let texts = part.texts(ColumnIndex(place)).map_err(io::Error::other)?;
                write_texts(&mut group, &texts, |text| {
                    Cell::parse(text, part.dialect().decimal) == Cell::Missing
                })?;
            } else {
                write_numbers(&mut group, part.values(ColumnIndex(place)))?;
            }
        }
        more.iter().try_for_each(|values| write_numbers(&mut group, values))?;
        group.close().map_err(io::Error::other)?;
        self.out.write_all(&self.written.take())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<()> {
        self.writer.close().map_err(io::Error::other)?;
        self.out.write_all(&self.written.take())
    }
}

/// Whether each row has a value, as Parquet has it.
fn levels(are_missing: impl Iterator<Item = bool>) -> Vec<i16> {
    are_missing.map(|is_missing| i16::from(!is_missing)).collect()
}

fn write_numbers(group: &mut Group<'_>, values: &[f64]) -> io::Result<()> {
    let levels = levels(values.iter().map(|value| value.is_nan()));
    let values: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let mut column = group.next_column().map_err(io::Error::other)?.expect("a column is left");
    let typed = column.typed::<DoubleType>();
    typed.write_batch(&values, Some(&levels), None).map_err(io::Error::other)?;
    column.close().map_err(io::Error::other)
}

fn write_texts(
    group: &mut Group<'_>,
    texts: &[String],
    is_missing: impl Fn(&str) -> bool,
) -> io::Result<()> {
    let levels = levels(texts.iter().map(|text| is_missing(text)));
    let there = texts.iter().filter(|text| !is_missing(text));
    let values: Vec<ByteArray> = there.map(|text| ByteArray::from(text.as_str())).collect();
    let mut column = group.next_column().map_err(io::Error::other)?.expect("a column is left");
    let typed = column.typed::<ByteArrayType>();
    typed.write_batch(&values, Some(&levels), None).map_err(io::Error::other)?;
    column.close().map_err(io::Error::other)
}
