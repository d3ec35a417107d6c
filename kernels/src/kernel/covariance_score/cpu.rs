//! The tile on a core: a column of each derivative at a time.

use std::cell::RefCell;

use pulp::Arch;

use super::{Line, ScoreTile};

use crate::kernel::covariance::Slopes;
use crate::scalar::Real;

thread_local! {
    /// Room for the columns that a tile is worked on with.
    static ROOM: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl ScoreTile {
    /// Adds to the products and sums of the tile's rows, and to the products of its columns; of a
    /// tile on the diagonal, which has no other columns, all products are those of its rows.
    ///
    /// # Panics
    /// If a shape is another.
    pub fn compute<T: Real>(
        &self,
        tables: &[u8],
        (rows, cols): (Line<'_, T>, Line<'_, T>),
        a: &[T],
        (down, mut across): (&mut [T], Option<&mut [T]>),
    ) {
        self.check((&rows, &cols), a.len());
        let (m, n, width, count) = (self.rows, self.cols, self.width, self.derivatives);
        let (vectors, known) = (self.vectors, width - self.vectors);
        let made = (vectors + 1) * count + 1;
        assert!(down.len() >= m * made, "products and sums of the rows");
        let mut source = Slopes::new(tables, (self.structure, self.geometry), count);
        ROOM.with_borrow_mut(|room| {
            // The covariance, the derivatives, weights, the rows' panel in f64; products, sums,
            // diagonal.
            room.clear();
            room.resize(m * (2 + width + count + made), 0.0);
            let (covariance, rest) = room.split_at_mut(m);
            let (derivatives, rest) = rest.split_at_mut(m * count);
            let (weights, rest) = rest.split_at_mut(m);
            let (panel, rest) = rest.split_at_mut(m * width);
            let (products, rest) = rest.split_at_mut(m * count * vectors);
            let (sums, diagonal) = rest.split_at_mut(m * count);
            panel.iter_mut().zip(rows.panel).for_each(|(wide, x)| *wide = x.to_f64());
            for j in 0..n {
                let start = if across.is_some() { 0 } else { j };
                let (from, to) = ((rows.points, m, start), (cols.points, n, j));
                source.columns(from, to, covariance, derivatives);
                let beside = |q: usize| cols.panel[q * n + j].to_f64();
                Arch::new().dispatch(|| {
                    let entries = &a[j * m + start..(j + 1) * m];
                    let weights = &mut weights[start..];
                    weights.iter_mut().zip(entries).for_each(|(w, a)| *w = a.to_f64());
                    for q in self.first..width {
                        subtract(weights, beside(q), &panel[q * m + start..(q + 1) * m]);
                    }
                });
                if across.is_none() {
                    diagonal[j] = weights[j];
                }
                for (k, derivative) in derivatives.chunks_exact_mut(m).enumerate() {
                    let sums = &mut sums[k * m + start..(k + 1) * m];
                    let derivative = &mut derivative[start..];
                    if across.is_none() && !source.vanish_at_origin() {
                        // On the diagonal half belongs to the row and half to the column.
                        derivative[0] *= 0.5;
                    }
                    Arch::new().dispatch(|| add_product(sums, &weights[start..], derivative));
                    for q in 0..vectors {
                        let column = k * vectors + q;
                        let products = &mut products[column * m + start..(column + 1) * m];
                        let factor = beside(known + q);
                        let vector = &panel[(known + q) * m + start..(known + q + 1) * m];
                        let product = Arch::new().dispatch(|| {
                            add(products, factor, derivative);
                            dot(vector, derivative)
                        });
                        match &mut across {
                            Some(across) => across[column * n + j] += T::from_f64(product),
                            None => products[0] += product,
                        }
                    }
                }
            }
            let made = products.iter().chain(&*sums).chain(&*diagonal);
            down.iter_mut().zip(made).for_each(|(y, x)| *y += T::from_f64(*x));
        });
    }

    fn check<T>(&self, (rows, cols): (&Line<'_, T>, &Line<'_, T>), entries: usize) {
        let &Self { rows: m, cols: n, width, .. } = self;
        assert_eq!(entries, m * n, "entries of the tile");
        let last = width - self.vectors;
        assert!(self.first <= last, "a panel of {width} columns, from {} on", self.first);
        for (line, length) in [(rows, m), (cols, n)] {
            assert_eq!(line.panel.len(), length * width, "numbers of the panel");
        }
    }
}

/// `x - factor y`.
#[inline(always)]
fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x -= factor * y);
}

/// `x + factor y`.
#[inline(always)]
fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

/// `x + y .* z`.
#[inline(always)]
fn add_product(x: &mut [f64], y: &[f64], z: &[f64]) {
    x.iter_mut().zip(y).zip(z).for_each(|((x, y), z)| *x += y * z);
}

/// `x' y`, in as many sums as vectors have lanes.
#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 16];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<16>(), y.as_chunks::<16>());
    for (x, y) in x.iter().zip(y) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}
