//! What predictions are written to: a table of their places, as text or in Parquet, or a raster of
//! a grid.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use tegula_files::raster::{Axis, Direction, Raster, RasterFormat, RasterWriter};
use tegula_files::{BUILD_PARQUET, HAS_PARQUET, ParquetWriter, PartWriter};

use super::inputs::{Places, Placing};
use super::targets::{Survey, Targets};
use crate::error::refused;
use crate::guest;
use crate::output::{Form, check_form};

/// What a file of predictions is.
pub(super) enum PredictionFile {
    /// A table: the columns of the places, then those of the predictions.
    Table,
    /// The same in Parquet.
    Parquet,
    /// None: columns that are kept for the program that runs this one.
    Kept,
    /// A raster with a band or variable for each column of the predictions.
    Raster(RasterFormat, Raster),
}

/// Writes predictions, part by part.
pub(super) enum PredictionWriter<'a> {
    /// To a table.
    Table(Box<PartWriter<'a>>),
    /// To a table in Parquet.
    Parquet(Box<ParquetWriter<'a>>),
    /// To memory.
    Kept(Vec<(String, Vec<f64>)>),
    /// To a raster.
    Raster(RasterWriter<'a>),
}

/// Whether the end of a file's name tells that it is Parquet.
fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

impl PredictionFile {
    /// Refuses a `path` whose name promises what is not written.
    ///
    /// # Errors
    /// With a name to take instead.
    pub(super) fn check_name(path: &Path) -> Result<()> {
        match RasterFormat::of_name(path) {
            Some(_) => Ok(()),
            None if is_parquet(path) && HAS_PARQUET => Ok(()),
            None if is_parquet(path) => Err(refused(format!(
                "-o {}: this program was built without Parquet: {BUILD_PARQUET} builds one that \
                 writes it, or name the file {}",
                path.display(),
                path.with_extension("csv").display()
            ))),
            None => check_form("-o", path, Form::Table),
        }
    }

    /// What `path` is by its name, for the `columns` of predictions at `targets`.
    ///
    /// # Errors
    /// If they make no raster of that format.
    pub(super) fn of(
        path: &Path,
        placing: &Placing<'_>,
        targets: &Targets,
        columns: &[String],
    ) -> Result<Self> {
        if guest::keeps(path) {
            return Ok(Self::Kept);
        }
        let Some(format) = RasterFormat::of_name(path) else {
            return Ok(if is_parquet(path) { Self::Parquet } else { Self::Table });
        };
        let Targets::Grid(grid, names) = targets else {
            return Err(refused(format!(
                "-o {}: {} is written of a grid: predict at a --grid, or name it {}",
                path.display(),
                format.name(),
                path.with_extension("csv").display()
            )));
        };
        let coordinates = placing.places(grid.part(names, 0, 1))?.coordinates;
        let direction = |index: usize| match coordinates.distance.is_on_sphere() {
            false => Direction::Straight,
            // The time.
            true if index >= coordinates.count() => Direction::Straight,
            true if index == coordinates.right() => Direction::Longitude,
            true => Direction::Latitude,
        };
        let axes = names.iter().zip(grid.axes()).enumerate();
        let axes = axes.map(|(index, (name, &nodes))| Axis {
            name: name.clone(),
            nodes,
            direction: direction(index),
        });
        let raster = Raster { axes: axes.collect(), columns: columns.to_vec() };
        let checked = format.check(&raster);
        checked.map_err(|error| refused(format!("-o {}: {error}", path.display())))?;
        Ok(Self::Raster(format, raster))
    }

    /// Begins the file.
    ///
    /// # Errors
    /// Those of `out`.
    pub(super) fn begin<'a>(
        &self,
        out: &'a mut dyn Write,
        (targets, survey): (&Targets, &Survey),
        columns: &[String],
    ) -> io::Result<PredictionWriter<'a>> {
        Ok(match self {
            Self::Table => {
                let names = (targets.names(), columns);
                PredictionWriter::Table(Box::new(PartWriter::new(out, targets.dialect(), names)?))
            }
            Self::Parquet => {
                let names = (targets.names(), columns);
                let writer = ParquetWriter::new(out, names, &survey.texts)?;
                PredictionWriter::Parquet(Box::new(writer))
            }
            Self::Kept => {
                let columns = columns.iter().map(|name| (name.clone(), Vec::new()));
                PredictionWriter::Kept(columns.collect())
            }
            Self::Raster(format, raster) => {
                PredictionWriter::Raster(RasterWriter::new(out, *format, raster)?)
            }
        })
    }
}

impl PredictionWriter<'_> {
    /// Writes a part of the places, with a value of each column for each of its rows.
    ///
    /// # Errors
    /// Those of the output.
    pub(super) fn write(&mut self, places: &Places, columns: &[Vec<f64>]) -> io::Result<()> {
        match self {
            Self::Table(writer) => writer.write(&places.table, columns),
            Self::Parquet(writer) => writer.write(&places.table, columns),
            Self::Kept(kept) => {
                kept.iter_mut().zip(columns).for_each(|((_, all), more)| all.extend(more));
                Ok(())
            }
            Self::Raster(writer) => writer.write(columns),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Those of the output.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Table(writer) => writer.finish(),
            Self::Parquet(writer) => writer.finish(),
            Self::Kept(columns) => {
                guest::keep_columns(columns);
                Ok(())
            }
            Self::Raster(writer) => {
                writer.finish();
                Ok(())
            }
        }
    }
}
