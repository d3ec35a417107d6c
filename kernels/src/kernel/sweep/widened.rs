//! What a tile is worked on with: a block of widened entries, and the lines of the panels that it
//! meets.

use std::ops::Range;

use super::{Panels, Tile};
use crate::backend::Blas;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// A block of widened entries, row by row, and the products that it is part of.
pub(super) struct Widened<'a, 'p, T> {
    pub(super) entries: &'a mut [T],
    right: Option<Side<'a, 'p, T>>,
    left: Option<Side<'a, 'p, T>>,
}

/// One product. In the precision of the panels nothing is copied.
struct Side<'a, 'p, T> {
    panels: Panels<'p>,
    /// Lines that the tile meets, of the factor and of the sum.
    lines: [Range<usize>; 2],
    /// These of the factor, and what the product is added up in, in another precision.
    copies: Option<(&'a [T], &'a mut [T])>,
    width: usize,
}

impl<'a, 'p, T: Real> Widened<'a, 'p, T> {
    /// Prepares the products of a tile in blocks of so many rows and columns.
    pub(super) fn new(
        room: &'a mut Vec<f64>,
        tile: &Tile,
        block: [usize; 2],
        (right, left): (Option<Panels<'p>>, Option<Panels<'p>>),
    ) -> Self {
        let entries = block[0] * block[1];
        let (along, across, width) = (tile.along(), tile.across(), tile.width as usize);
        let is_same = size_of::<T>() == size_of::<f64>();
        let copied = if is_same { 0 } else { 2 * (along.len() + across.len()) * width };
        let words = ((entries + copied) * size_of::<T>()).div_ceil(size_of::<f64>());
        if room.len() < words {
            room.resize(words, 0.0);
        }
        let room: &mut [T] = bytemuck::cast_slice_mut(room);
        let (entries, mut rest) = room.split_at_mut(entries);
        let mut side = |panels: Option<Panels<'p>>, lines: [&Range<usize>; 2]| {
            panels.map(|panels| Side::new(panels, lines.map(Range::clone), width, &mut rest))
        };
        let right = side(right, [&across, &along]);
        let left = side(left, [&along, &across]);
        Self { entries, right, left }
    }

    /// Multiplies by the widened entries in rows `strip` and columns `across` of the tile.
    pub(super) fn multiply(
        &mut self,
        blas: &dyn Blas<T>,
        strip: &Range<usize>,
        across: &Range<usize>,
    ) {
        let (height, columns) = (strip.len(), across.len());
        // Column by column, the block is its transpose.
        let block = TileRef::new(&self.entries[..height * columns], columns, height);
        if let Some(right) = &mut self.right {
            right.add(blas, block.transposed(), across, strip);
        }
        if let Some(left) = &mut self.left {
            left.add(blas, block, strip, across);
        }
    }

    /// Adds what was added up in another precision to the panels.
    pub(super) fn finish(self) {
        [self.right, self.left].into_iter().flatten().for_each(Side::finish);
    }
}

impl<'a, 'p, T: Real> Side<'a, 'p, T> {
    /// The product of `panels`, with copies at the front of `room` if need be.
    fn new(
        panels: Panels<'p>,
        lines: [Range<usize>; 2],
        width: usize,
        room: &mut &'a mut [T],
    ) -> Self {
        if size_of::<T>() == size_of::<f64>() {
            return Self { panels, lines, copies: None, width };
        }
        let mut take = |count: usize| room.split_off_mut(..count).expect("there is room");
        let [factor, sum] = [take(lines[0].len() * width), take(lines[1].len() * width)];
        let high = panels.factor.len() / width;
        let columns = panels.factor.chunks_exact(high).zip(factor.chunks_exact_mut(lines[0].len()));
        for (from, to) in columns {
            to.iter_mut().zip(&from[lines[0].clone()]).for_each(|(to, &x)| *to = T::of_f64(x));
        }
        sum.fill(T::ZERO);
        Self { panels, lines, copies: Some((factor, sum)), width }
    }

    /// Adds the product of `block` and the lines `from` of the factor that the tile meets to the
    /// lines `to` of the sum.
    fn add(
        &mut self,
        blas: &dyn Blas<T>,
        block: TileRef<'_, T>,
        from: &Range<usize>,
        to: &Range<usize>,
    ) {
        let width = self.width;
        let (factor, sum) = self.views();
        let factor = factor.part(from.start, 0, from.len(), width);
        let sum = sum.part(to.start, 0, to.len(), width);
        blas.gemm(T::ONE, block, factor, T::ONE, sum);
    }

    /// The lines of the factor and of the sum that the tile meets.
    fn views(&mut self) -> (TileRef<'_, T>, TileMut<'_, T>) {
        let ([from, to], width) = (&self.lines, self.width);
        if let Some((factor, sum)) = &mut self.copies {
            return (TileRef::new(factor, from.len(), width), TileMut::new(sum, to.len(), width));
        }
        let Panels { factor, sum } = &mut self.panels;
        let (factor, sum): (&[T], &mut [T]) =
            (bytemuck::cast_slice(factor), bytemuck::cast_slice_mut(sum));
        let (high, low) = (factor.len() / width, sum.len() / width);
        let factor = TileRef::new(factor, high, width).part(from.start, 0, from.len(), width);
        (factor, TileMut::new(sum, low, width).part(to.start, 0, to.len(), width))
    }

    fn finish(self) {
        let Some((_, copy)) = self.copies else { return };
        let (to, high) = (&self.lines[1], self.panels.sum.len() / self.width);
        let columns = self.panels.sum.chunks_exact_mut(high).zip(copy.chunks_exact(to.len()));
        for (sum, copy) in columns {
            sum[to.clone()].iter_mut().zip(copy).for_each(|(to, x)| *to += x.to_f64());
        }
    }
}
