//! Tiles of low rank against plain loops.

use super::compress::Compress;
use super::update::update;
use super::{Apply, Form, Settle};
use crate::backend::{self, BACKENDS};
use crate::dense::{Svd, gesvd};
use crate::kernel::random::RandomInputs;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// A tile with its form: entries, and what its buffer holds.
struct Tile {
    form: Form,
    entries: Vec<f64>,
    held: Vec<f64>,
}

fn tile(m: usize, n: usize, form: Form, random: &mut RandomInputs) -> Tile {
    let held: Vec<f64> = random.numbers(form.numbers(m, n));
    let entries = entries(m, n, form, &held);
    Tile { form, entries, held }
}

/// The entries of a tile, by columns.
fn entries(m: usize, n: usize, form: Form, held: &[f64]) -> Vec<f64> {
    let Form::LowRank(rank) = form else { return held.to_vec() };
    let (u, v) = held.split_at(m * rank as usize);
    let entry = |i: usize, j: usize| (0..rank as usize).map(|k| u[i + k * m] * v[j + k * n]).sum();
    (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|(i, j)| entry(i, j)).collect()
}

#[test]
fn updates_are_those_of_loops_in_every_form() {
    let forms = [Form::Dense, Form::LowRank(0), Form::LowRank(2), Form::LowRank(5)];
    let ((m, n, k), mut random) = ((9, 7, 8), RandomInputs::new(5));
    for (a, b) in forms.iter().flat_map(|&a| forms.iter().map(move |&b| (a, b))) {
        for is_lower in [false, true] {
            let m = if is_lower { n } else { m };
            let left = [tile(m, k, a, &mut random), tile(m, k, b, &mut random)];
            let right = [tile(n, k, b, &mut random), tile(n, k, Form::LowRank(3), &mut random)];
            let before: Vec<f64> = random.numbers(m * n);
            let mut got = before.clone();
            let both = [0, 1].map(|pair| (&left[pair], &right[pair]));
            let forms = both.map(|(a, b)| [a.form, b.form]);
            let pairs = both.map(|(a, b)| [&a.held[..], &b.held[..]]);
            for listed in BACKENDS {
                let Ok(backend) = listed.load(1) else { continue };
                got.copy_from_slice(&before);
                let tile = TileMut::new(&mut got, m, n);
                update(backend.double(), (k, is_lower), &forms, &pairs, tile);
                for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
                    let mut expected = before[i + j * m];
                    if !is_lower || i >= j {
                        for (a, b) in both {
                            let dot = |l: usize| a.entries[i + l * m] * b.entries[j + l * n];
                            expected -= (0..k).map(dot).sum::<f64>();
                        }
                    }
                    let error = (got[i + j * m] - expected).abs();
                    assert!(error < 1e-12, "{}, {a:?}, {b:?}, lower {is_lower}", listed.name);
                }
            }
        }
    }
}

/// Covariances of two clusters of places on lines at some distance, whose singular values decay.
fn smooth(m: usize, n: usize, distance: f64) -> Vec<f64> {
    let entry = |i: usize, j: usize| {
        let (x, y) = (i as f64 / m as f64, 1.0 + distance + (j as f64 / n as f64));
        (-(x - y).hypot(0.3 * ((i * 7 + j * 3) % 5) as f64 * 0.01)).exp() / (0.1 + (y - x))
    };
    (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|(i, j)| entry(i, j)).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn what_compression_leaves_out_is_within_the_tolerance_and_the_rank_is_least() {
    let blas = f64::blas(backend::current());
    for (m, n) in [(90, 90), (40, 100), (101, 37)] {
        for (tolerance, expected) in [(1e-1, 0), (1e-3, 3), (1e-3, 60), (1e-6, 0), (1e-9, 7)] {
            let before = smooth(m, n, 0.2);
            let mut held = before.clone();
            let form = Compress { m, n, tolerance, expected }.compute(blas, &mut held);
            let form = form.expect("finite numbers");
            held.truncate(form.numbers(m, n));
            let error = distance(&entries(m, n, form, &held), &before);
            let what = format!("{m} x {n} to {tolerance}, {expected} expected: {form:?}, {error}");
            let Svd { values, .. } = gesvd(TileRef::new(&before, m, n)).expect("finite numbers");
            let tail = |from: usize| values[from..].iter().map(|s| s * s).sum::<f64>().sqrt();
            let least = (0..=values.len()).find(|&r| tail(r) <= tolerance).expect("all of them");
            match form {
                Form::LowRank(rank) => {
                    assert!(error <= tolerance * (1.0 + 1e-6), "{what}");
                    let rank = rank as usize;
                    assert!((least..=least + 1).contains(&rank), "{what}, least {least}");
                }
                // What takes as much room as the tile stays dense.
                Form::Dense => {
                    assert!(error < 1e-12, "{what}");
                    assert!((least + 1) * (m + n) > m * n, "{what}, least {least}");
                }
            }
        }
    }
}

/// More columns than one step tries are found in several.
#[test]
fn ranks_beyond_the_first_step_are_found() {
    let ((m, n, rank), mut random) = ((170, 150, 60), RandomInputs::new(11));
    let before = tile(m, n, Form::LowRank(rank), &mut random);
    for expected in [0, 20, 60] {
        let mut held = before.entries.clone();
        let compress = Compress { m, n, tolerance: 1e-8, expected };
        let form = compress.compute(f64::blas(backend::current()), &mut held);
        assert_eq!(form, Ok(Form::LowRank(rank)), "{expected} expected");
        held.truncate(Form::LowRank(rank).numbers(m, n));
        let error = distance(&entries(m, n, Form::LowRank(rank), &held), &before.entries);
        assert!(error <= 1e-8, "{expected} expected: {error}");
    }
}

#[test]
fn noise_stays_dense_and_nothing_is_of_rank_zero() {
    let (m, n, blas) = (30, 24, f64::blas(backend::current()));
    let compress = Compress { m, n, tolerance: 1e-3, expected: 0 };
    let before: Vec<f64> = RandomInputs::new(2).numbers(m * n);
    let mut noise = before.clone();
    assert_eq!(compress.compute(blas, &mut noise), Ok(Form::Dense));
    assert!(distance(&noise, &before) < 1e-12);
    let mut small: Vec<f64> = before.iter().map(|x| 1e-6 * x).collect();
    assert_eq!(compress.compute(blas, &mut small), Ok(Form::LowRank(0)));
    // The unit is that of the tolerance, however small.
    let compress = Compress { tolerance: 1e-3 * 1e-180, ..compress };
    let mut tiny: Vec<f64> = before.iter().map(|x| 1e-180 * x).collect();
    assert_eq!(compress.compute(blas, &mut tiny), Ok(Form::Dense));
    let mut none = vec![f64::NAN; m * n];
    assert_eq!(compress.compute(blas, &mut none), Ok(Form::Dense));
}

#[test]
fn codes_are_read_as_they_are_written() {
    for form in [Form::Dense, Form::LowRank(0), Form::LowRank(77)] {
        assert_eq!(Form::of_code(form.code()), form);
    }
}

#[test]
fn factors_are_solved_with_and_multiplied() {
    let ((m, n, p), mut random) = ((8, 6, 3), RandomInputs::new(9));
    let blas = f64::blas(backend::current());
    let l: Vec<f64> = random.dominant(n);
    let rank = 2;
    let before = tile(m, n, Form::LowRank(rank as u32), &mut random);
    // The buffer may be larger.
    let mut wide = before.held.clone();
    wide.extend([f64::NAN; 5]);
    let mut settled = vec![f64::NAN; (m + n) * rank];
    Settle { m, n, rank }.compute(blas, TileRef::new(&l, n, n), &wide, &mut settled);
    let found = entries(m, n, before.form, &settled);
    // T L' = S.
    for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
        let product: f64 = (0..=j).map(|k| found[i + k * m] * l[j + k * n]).sum();
        assert!((product - before.entries[i + j * m]).abs() < 1e-12, "({i}, {j})");
    }
    let (z, y): (Vec<f64>, Vec<f64>) = (random.numbers(n * p), random.numbers(m * p));
    let mut got = y.clone();
    let apply = Apply { m, n, rank, columns: p };
    apply.compute(blas, &settled, TileRef::new(&z, n, p), TileMut::new(&mut got, m, p));
    for (i, q) in (0..p).flat_map(|q| (0..m).map(move |i| (i, q))) {
        let product: f64 = (0..n).map(|k| found[i + k * m] * z[k + q * n]).sum();
        assert!((got[i + q * m] - (y[i + q * m] - product)).abs() < 1e-12, "({i}, {q})");
    }
}
