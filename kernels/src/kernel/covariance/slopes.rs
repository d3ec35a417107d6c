//! Columns of a covariance matrix with those of its derivatives, whatever it is made of.

use bytemuck::cast_slice;

use super::composite::Room;
use super::{Composite, RadialTable, Vectors, column};
use crate::geometry::Geometry;

/// What entries of a covariance matrix and of its derivatives are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// A table, and one for each derivative.
    Radial {
        /// Whether those of derivatives are relative to the first.
        is_relative: bool,
    },
    /// A [`Recipe`](super::composite::Recipe), with its tables if it has some.
    Composite {
        /// Whether it has.
        has_tables: bool,
    },
}

impl Structure {
    /// Whether there are tables, which devices evaluate, too.
    #[must_use]
    pub const fn has_tables(self) -> bool {
        matches!(self, Self::Radial { .. } | Self::Composite { has_tables: true })
    }
}

/// A covariance and its derivatives, read from a buffer.
pub(in crate::kernel) enum Slopes<'a> {
    Radial { tables: &'a [RadialTable], is_relative: bool, geometry: Geometry },
    Composite { composite: Composite<'a>, room: Box<Room>, point: Vec<f64> },
}

impl<'a> Slopes<'a> {
    /// What `buffer` holds.
    ///
    /// # Panics
    /// If it has not so many `derivatives`.
    pub(in crate::kernel) fn new(
        buffer: &'a [u8],
        (structure, geometry): (Structure, Geometry),
        derivatives: usize,
    ) -> Self {
        match structure {
            Structure::Radial { is_relative } => {
                let tables: &[RadialTable] = cast_slice(buffer);
                assert_eq!(tables.len(), derivatives + 1, "tables");
                Self::Radial { tables, is_relative, geometry }
            }
            Structure::Composite { .. } => {
                let composite = Composite::new(buffer, geometry);
                assert_eq!(composite.recipe().derivatives(), derivatives, "derivatives");
                Self::Composite { composite, room: Box::default(), point: Vec::new() }
            }
        }
    }

    /// Whether derivatives are 0 where a place meets itself.
    pub(in crate::kernel) fn vanish_at_origin(&self) -> bool {
        matches!(self, Self::Radial { .. })
    }

    /// Of place `j` of `columns`, the derivatives of the covariances with `rows` places from row
    /// `start` on, a column for each derivative. What `covariance` then holds may be the
    /// covariances.
    pub(in crate::kernel) fn columns(
        &mut self,
        (points, rows, start): (&[f64], usize, usize),
        (others, columns, j): (&[f64], usize, usize),
        covariance: &mut [f64],
        slopes: &mut [f64],
    ) {
        let vectors = Vectors::widest();
        match self {
            Self::Radial { tables, is_relative, geometry } => {
                let (mut at, stored) = ([0.0; 3], geometry.stored());
                assert_eq!(points.len(), stored * rows, "numbers of the points");
                assert_eq!(others.len(), stored * columns, "numbers of the points");
                (0..stored).for_each(|k| at[k] = others[k * columns + j]);
                let fill = |table, out: &mut [f64]| {
                    column(vectors, table, *geometry, (points, rows), &at[..stored], start, out);
                };
                if *is_relative {
                    fill(&tables[0], covariance);
                }
                for (table, slope) in tables[1..].iter().zip(slopes.chunks_exact_mut(rows)) {
                    fill(table, slope);
                    if *is_relative {
                        let entries = slope[start..].iter_mut().zip(&covariance[start..]);
                        entries.for_each(|(d, &c)| *d = if c == 0.0 { 0.0 } else { *d * c });
                    }
                }
            }
            Self::Composite { composite, room, point } => {
                composite.point((others, columns), j, point);
                let from = (points, rows, start);
                composite.column(vectors, from, point, room, covariance, Some(slopes));
            }
        }
    }
}
