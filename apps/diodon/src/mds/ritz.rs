//! The Rayleigh-Ritz procedure on the span of some panels.

use std::io::{self, Read, Write};

use tegula_files::checkpoint::{read_numbers, read_word, write_numbers, write_word};
use tegula_kernels::dense::{Eigen, Matrix, syev};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::TileMatrix;

use super::Found;
use super::pause::{load_panel, save_panel};
use crate::EmbedError;
use crate::basis::{inner, orthonormalise, times};
use crate::gram::Gram;

/// What normalising blows up is no longer orthogonal: so often it is done.
const ROUNDS: usize = 3;

/// Panels `V` with orthonormal columns, their images `G V`, and `V' G V`.
#[derive(Debug, Default)]
pub(crate) struct Space {
    pub(crate) basis: Vec<TileMatrix<f64>>,
    /// Orthonormal columns of which no vector of the space has a part, if there are such.
    pub(crate) deflated: Option<TileMatrix<f64>>,
    images: Vec<TileMatrix<f64>>,
    /// Blocks `V_i' G V_j` for `i <= j`.
    blocks: Vec<Vec<Matrix<f64>>>,
}

/// Ritz values and their coefficients in the basis, from the largest value on.
pub(crate) struct Ritz {
    pub(crate) values: Vec<f64>,
    coefficients: Matrix<f64>,
}

impl Ritz {
    /// Those of a space of `size` columns of which nothing is known: zeros.
    pub(crate) fn unknown(size: usize) -> Self {
        Self { values: vec![0.0; size], coefficients: Matrix::zeros(size, size) }
    }
}

impl Space {
    /// A space without a vector, none of which will have a part of the columns of `deflated`.
    pub(crate) fn apart_from(deflated: Option<TileMatrix<f64>>) -> Self {
        Self { deflated, ..Self::default() }
    }

    /// Columns of the basis.
    pub(crate) fn dimension(&self) -> usize {
        self.basis.iter().map(TileMatrix::n).sum()
    }

    /// Makes the columns of `block` orthonormal, and orthogonal to the space and to what is beside
    /// it. Waits.
    pub(crate) fn separate(
        &self,
        flow: &mut Flow,
        block: &mut TileMatrix<f64>,
    ) -> Result<(), EmbedError> {
        self.separate_by(flow, block, |_, flow, block| orthonormalise(flow, block))
    }

    /// The same, where `orthonormal`, which is told the number of the round, makes columns
    /// orthonormal.
    pub(crate) fn separate_by<E: From<FlowError>>(
        &self,
        flow: &mut Flow,
        block: &mut TileMatrix<f64>,
        orthonormal: impl Fn(usize, &mut Flow, &mut TileMatrix<f64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let rounds = if self.basis.is_empty() && self.deflated.is_none() { 1 } else { ROUNDS };
        for round in 0..rounds {
            for panel in self.deflated.iter().chain(&self.basis) {
                let along = inner(flow, panel, block)?;
                times(flow, panel, &along, (-1.0, 1.0), block)?;
            }
            orthonormal(round, flow, block)?;
        }
        Ok(())
    }

    /// Adds a panel that is orthogonal to the others, and its image. Waits.
    pub(crate) fn add(
        &mut self,
        flow: &mut Flow,
        panel: TileMatrix<f64>,
        image: TileMatrix<f64>,
    ) -> Result<(), FlowError> {
        self.basis.push(panel);
        let column = self.basis.iter().map(|v| inner(flow, v, &image)).collect::<Result<_, _>>()?;
        self.blocks.push(column);
        self.images.push(image);
        Ok(())
    }

    /// The image of the last panel.
    pub(crate) fn last_image(&self) -> &TileMatrix<f64> {
        self.images.last().expect("a panel was added")
    }

    /// Solves `V' G V y = theta y`.
    pub(crate) fn solve(&self) -> Result<Ritz, EmbedError> {
        let starts: Vec<usize> = self
            .basis
            .iter()
            .scan(0, |start, panel| Some(std::mem::replace(start, *start + panel.n())))
            .collect();
        let size = self.dimension();
        let mut projected = Matrix::zeros(size, size);
        for (j, column) in self.blocks.iter().enumerate() {
            for (i, block) in column.iter().enumerate() {
                for c in 0..block.cols() {
                    for r in 0..block.rows() {
                        let (row, col) = (starts[i] + r, starts[j] + c);
                        // The last block is symmetric but for rounding.
                        let value = if i == j {
                            f64::midpoint(block[(r, c)], block[(c, r)])
                        } else {
                            block[(r, c)]
                        };
                        projected[(row, col)] = value;
                        projected[(col, row)] = value;
                    }
                }
            }
        }
        let eigen = syev(projected.view()).map_err(|_| EmbedError::NotFinite)?;
        let Eigen { mut values, vectors } = eigen;
        values.reverse();
        let coefficients = Matrix::from_fn(size, size, |i, j| vectors[(i, size - 1 - j)]);
        Ok(Ritz { values, coefficients })
    }

    /// `panels` times the coefficients of the vectors at `places`, times `scale` of each.
    fn combine(
        &self,
        flow: &mut Flow,
        (panels, ritz): (&[TileMatrix<f64>], &Ritz),
        places: &[usize],
        (scale, beta): (&dyn Fn(usize) -> f64, f64),
        into: &TileMatrix<f64>,
    ) -> Result<(), FlowError> {
        let mut start = 0;
        for (number, panel) in panels.iter().enumerate() {
            let part = Matrix::from_fn(panel.n(), places.len(), |i, j| {
                scale(places[j]) * ritz.coefficients[(start + i, places[j])]
            });
            let beta = if number == 0 { beta } else { 1.0 };
            times(flow, panel, &part, (1.0, beta), into)?;
            start += panel.n();
        }
        Ok(())
    }

    /// Ritz vectors at `places` of the values. Waits.
    pub(crate) fn vectors(
        &self,
        flow: &mut Flow,
        ritz: &Ritz,
        places: &[usize],
    ) -> Result<TileMatrix<f64>, FlowError> {
        let first = &self.basis[0];
        let x = TileMatrix::panel(flow, (first.m(), places.len()), first.mb());
        self.combine(flow, (&self.basis, ritz), places, (&|_| 1.0, 0.0), &x)?;
        flow.wait()?;
        Ok(x)
    }

    /// `||G v - theta v||` of the Ritz vectors at `places`. Waits.
    pub(crate) fn residuals(
        &self,
        flow: &mut Flow,
        ritz: &Ritz,
        places: &[usize],
    ) -> Result<Vec<f64>, FlowError> {
        let first = &self.basis[0];
        let e = TileMatrix::panel(flow, (first.m(), places.len()), first.mb());
        self.combine(flow, (&self.images, ritz), places, (&|_| 1.0, 0.0), &e)?;
        self.combine(flow, (&self.basis, ritz), places, (&|place| -ritz.values[place], 1.0), &e)?;
        let squares = inner(flow, &e, &e)?;
        e.unregister(flow);
        Ok((0..places.len()).map(|j| squares[(j, j)].max(0.0).sqrt()).collect())
    }

    /// The space of `keep` Ritz vectors: those of the `top` largest and of the `bottom` lowest
    /// values, and of the others those of the largest in modulus. Waits.
    pub(crate) fn compress(
        self,
        flow: &mut Flow,
        ritz: &Ritz,
        (keep, top, bottom): (usize, usize, usize),
    ) -> Result<Self, FlowError> {
        let count = ritz.values.len();
        let is_wanted = |place: usize| place < top || place + bottom >= count;
        let mut places: Vec<usize> = (0..count).collect();
        places.sort_by(|&i, &j| {
            let by_size = ritz.values[j].abs().total_cmp(&ritz.values[i].abs());
            is_wanted(j).cmp(&is_wanted(i)).then(by_size)
        });
        places.truncate(keep.max(top + bottom).min(count).max(1));
        let vectors = self.vectors(flow, ritz, &places)?;
        let images = TileMatrix::panel(flow, (vectors.m(), places.len()), vectors.mb());
        self.combine(flow, (&self.images, ritz), &places, (&|_| 1.0, 0.0), &images)?;
        flow.wait()?;
        self.basis.into_iter().chain(self.images).for_each(|panel| panel.unregister(flow));
        let mut space = Self::apart_from(self.deflated);
        space.add(flow, vectors, images)?;
        Ok(space)
    }

    /// Writes the panels, and what they have in common. Waits.
    ///
    /// # Errors
    /// Those of `out`, or of tasks before.
    pub(super) fn save(&self, flow: &mut Flow, out: &mut dyn Write) -> Result<(), EmbedError> {
        write_word(out, self.basis.len() as u64)?;
        for ((panel, image), column) in self.basis.iter().zip(&self.images).zip(&self.blocks) {
            save_panel(flow, panel, out)?;
            save_panel(flow, image, out)?;
            for block in column {
                write_numbers(out, block.entries())?;
            }
        }
        Ok(())
    }

    /// Adds the panels that [`save`](Self::save) wrote to a space without any, cut as those of
    /// `gram`. Waits.
    ///
    /// # Errors
    /// Those of `input`, or if there is no memory.
    pub(super) fn load(
        &mut self,
        flow: &mut Flow,
        gram: &Gram,
        input: &mut dyn Read,
    ) -> Result<(), EmbedError> {
        for _ in 0..read_word(input)? {
            self.basis.push(load_panel(flow, gram, input)?);
            let image = load_panel(flow, gram, input)?;
            let blocks = self.basis.iter().map(|panel| {
                let (m, n) = (panel.n(), image.n());
                Ok(Matrix::of_columns(read_numbers(input, m * n)?, m, n))
            });
            self.blocks.push(blocks.collect::<io::Result<_>>()?);
            self.images.push(image);
        }
        Ok(())
    }

    /// The pairs of the `axes` largest values, and gives the panels back. Waits.
    pub(super) fn finish(
        self,
        flow: &mut Flow,
        ritz: &Ritz,
        axes: usize,
        has_converged: bool,
    ) -> Result<Found, FlowError> {
        let places: Vec<usize> = (0..axes.min(ritz.values.len())).collect();
        let residuals = Some(self.residuals(flow, ritz, &places)?);
        let vectors = self.vectors(flow, ritz, &places)?;
        let values = ritz.values[..places.len()].to_vec();
        self.close(flow);
        let (ritz, has_converged) = (ritz.values.clone(), Some(has_converged));
        Ok(Found { values, vectors, residuals, ritz, has_converged })
    }

    /// Gives the panels back.
    pub(crate) fn close(self, flow: &mut Flow) {
        let panels = self.basis.into_iter().chain(self.images).chain(self.deflated);
        panels.for_each(|panel| panel.unregister(flow));
    }
}
