//! Trials of the sweep.

use super::lines::{self, Lines};
use super::list_entry::{ListEntry, WIDTH};
use super::{Entry, Panels, Tile};
use crate::backend::Blas;
use crate::element::{ELEMENTS, Element};
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Shape, Trial, Tried};
use crate::scalar::Real;

/// Largest entry that is drawn.
const LARGEST: f64 = 100.0;

impl<T: Real> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        let entries = [Entry::Plain, Entry::Count, Entry::Squared(0.0), Entry::Squared(2.5)];
        let all = [
            (false, (true, false)),
            (false, (false, true)),
            (false, (true, true)),
            (true, (true, false)),
        ];
        for (number, (element, _)) in ELEMENTS.into_iter().enumerate() {
            // Numbers of 64 bits in all ways, other kinds in one.
            let (entries, ways) = match element {
                Element::F64 => (&entries[..], &all[..]),
                _ => (&entries[number % 4..][..1], &all[number % 2 + 2..][..1]),
            };
            for (&entry, &(is_diagonal, sides)) in
                entries.iter().flat_map(|entry| ways.iter().map(move |way| (entry, way)))
            {
                // Wider than high, and somewhere in their band; those on the diagonal are as wide
                // as their band.
                let (n, width) = (shape.n + shape.k, shape.k.min(WIDTH));
                let m = if is_diagonal { shape.m.min(n) } else { shape.m };
                let top = if is_diagonal { n - m } else { shape.k % 3 };
                let [m, n, width, top] = [m, n, width, top].map(|size| size as u32);
                let left = if is_diagonal { 0 } else { 2 * top };
                let (row, column) = (top, 0);
                let place = Tile { row, column, top, left, ..Tile::of(element, entry) };
                let tile = Tile { m, n, width, is_diagonal, ..place };
                trials.push(compare(blas, tile, sides, random));
            }
        }
        trials
    }
}

fn compare<T: Real>(
    blas: &dyn Blas<T>,
    tile: Tile,
    (is_right, is_left): (bool, bool),
    random: &mut RandomInputs,
) -> Trial {
    let (m, n, width) = tile.shape();
    let mut stored = vec![0; m * n * tile.element.bytes()];
    let entries: Vec<f64> =
        (0..m * n).map(|_| (random.number::<f64>().abs() * LARGEST).round()).collect();
    tile.element.narrow(&entries, &mut stored);
    let numbers = |count: usize, random: &mut RandomInputs| random.numbers::<f64>(count);
    // Bands end a line after the tile, but for that of a tile on the diagonal.
    let (high, wide) = (tile.along().end, tile.across().end);
    let (high, wide) = if tile.is_diagonal { (wide, wide) } else { (high + 1, wide + 1) };
    let (x, u) = (numbers(wide * width, random), numbers(high * width, random));
    let (y, z) = (numbers(high * width, random), numbers(wide * width, random));
    let of_lines =
        |count: usize, random: &mut RandomInputs| lines::initial(&numbers(count, random));
    let (rows, columns) = (of_lines(high, random), of_lines(wide, random));
    let is_summed = is_right;
    let run = |is_reference: bool| {
        let (mut y, mut z, mut rows, mut columns) =
            (y.clone(), z.clone(), rows.clone(), columns.clone());
        let right = is_right.then(|| Panels { factor: &x, sum: &mut y });
        let left = is_left.then(|| Panels { factor: &u, sum: &mut z });
        let along = is_summed.then(|| Lines::of(&mut rows));
        let across = (is_summed && !tile.is_diagonal).then(|| Lines::of(&mut columns));
        if is_reference {
            tile.reference(&stored, (right, left), (along, across));
        } else {
            tile.sweep(blas, &stored, (right, left), (along, across));
        }
        [y, z, rows[..3 * high].to_vec(), columns[..3 * wide].to_vec()]
    };
    let (got, expected) = (run(false), run(true));
    let off = |(got, expected): (&f64, &f64)| (got - expected).abs();
    let worst = |at: usize| {
        let pairs = got[at].iter().zip(&expected[at]);
        pairs.map(off).fold(0.0, |a: f64, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
    };
    // Sums of so many terms of at most this size; those along lines are of squares, and in 64 bits.
    let entry = match tile.entry {
        Entry::Squared(offset) => (LARGEST + offset).powi(2),
        Entry::Plain | Entry::Count => LARGEST,
    };
    let terms = m.max(n) as f64 + 2.0;
    let (products, sums) = (worst(0).max(worst(1)), worst(2).max(worst(3)));
    let tolerance = 2.0 * terms * terms * entry * T::epsilon();
    let tolerance_of_sums = 2.0 * terms * terms * entry * entry * f64::EPSILON;
    Trial {
        case: format!("{tile:?}, right {is_right}, left {is_left}"),
        error: if sums <= tolerance_of_sums { products } else { f64::INFINITY },
        tolerance,
    }
}
