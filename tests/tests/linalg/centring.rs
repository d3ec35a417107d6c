//! Centring and scaling of lines, and Gram matrices of distances, against plain loops.

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::{Lines, cesca, gram};
use tegula_runtime::flow::Flow;
use tegula_tests::plain::{Plain, next_engine, number};
use tegula_tiles::{Storage, TileMatrix, random_entry};

/// Shapes and the order of tiles.
const SHAPES: &[((usize, usize), usize)] = &[
    ((0, 3), 4),
    ((3, 0), 4),
    ((1, 1), 4),
    ((4, 4), 4),
    ((5, 9), 4),
    ((23, 11), 5),
    ((30, 33), 64),
];

const LINES: [Option<Lines>; 4] =
    [None, Some(Lines::Rows), Some(Lines::Columns), Some(Lines::Both)];

fn has_rows(lines: Option<Lines>) -> bool {
    matches!(lines, Some(Lines::Rows | Lines::Both))
}

fn has_columns(lines: Option<Lines>) -> bool {
    matches!(lines, Some(Lines::Columns | Lines::Both))
}

/// The mean of `terms`.
fn mean(terms: impl ExactSizeIterator<Item = c64>) -> c64 {
    let count = terms.len() as f64;
    terms.sum::<c64>() / count
}

fn centred(a: &Plain, lines: Option<Lines>) -> Plain {
    let zero = number(0.0, 0.0);
    let row: Vec<c64> = (0..a.m).map(|i| mean((0..a.n).map(|j| a.at(i, j)))).collect();
    let column: Vec<c64> = (0..a.n).map(|j| mean((0..a.m).map(|i| a.at(i, j)))).collect();
    let all = if lines == Some(Lines::Both) && a.m > 0 { mean(row.iter().copied()) } else { zero };
    let of = |is_used, mean| if is_used { mean } else { zero };
    a.map(|i, j, x| x - of(has_rows(lines), row[i]) - of(has_columns(lines), column[j]) + all)
}

fn scaled(a: &Plain, lines: Option<Lines>) -> Plain {
    let length = |terms: &mut dyn Iterator<Item = c64>| -> f64 {
        let length = terms.map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        if length == 0.0 { 1.0 } else { length }
    };
    let power = if lines == Some(Lines::Both) { 0.5 } else { 1.0 };
    a.map(|i, j, x| {
        let of_row = length(&mut (0..a.n).map(|j| a.at(i, j))).powf(power);
        let of_column = length(&mut (0..a.m).map(|i| a.at(i, j))).powf(power);
        let of = |is_used, length: f64| if is_used { length } else { 1.0 };
        x / of(has_rows(lines), of_row) / of(has_columns(lines), of_column)
    })
}

fn lines<T: Scalar>(flow: &mut Flow, (m, n): (usize, usize), nb: usize) {
    let a = Plain::random::<T>(m, n, 3);
    for (centre, scale) in LINES.into_iter().flat_map(|c| LINES.map(|s| (c, s))) {
        let tiles = a.tiles::<T>(flow, (nb, nb + 1));
        cesca(flow, (centre, scale), &tiles);
        let got = Plain::from_tiles(flow, &tiles);
        let what = format!("{centre:?}, {scale:?} of {m} x {n} in {nb}");
        let exact = centred(&a, centre);
        // A line that centring leaves zero is rounding, whose direction means nothing.
        if scale.is_some() && exact.max() <= 1e-3 {
            continue;
        }
        // Sums of m and n terms of at most 1, over lengths of lines of entries of which one is
        // about 1.
        let units = (m + n + 8) as f64 * if scale.is_some() { 4.0 } else { 1.0 };
        got.assert_near::<T>(&scaled(&exact, scale), |_, _| true, units, &what);
    }
}

#[test]
fn lines_are_centred_and_scaled() {
    let mut case = 0;
    for &(shape, nb) in SHAPES {
        for test in [lines::<f32>, lines::<f64>, lines::<c32>, lines::<c64>] {
            test(&mut next_engine(&mut case), shape, nb);
        }
    }
}

#[test]
fn a_line_of_zeros_stays_one() {
    let mut flow = tegula_tests::flow(2);
    let a = Plain::new(9, 7, |i, j| number(if i == 4 || j == 2 { 0.0 } else { 3.0 }, 0.0));
    for lines in Lines::ALL {
        let tiles = a.tiles::<f64>(&mut flow, (4, 3));
        cesca(&mut flow, (None, Some(lines)), &tiles);
        let got = Plain::from_tiles(&mut flow, &tiles);
        got.assert_near::<f64>(&scaled(&a, Some(lines)), |_, _| true, 32.0, "zeros");
        assert!((0..7).all(|j| got.at(4, j).norm() == 0.0), "{lines:?}");
    }
}

#[test]
fn of_a_constant_line_nothing_is_left() {
    let mut flow = tegula_tests::flow(2);
    let a = Plain::new(50, 3, |i, j| number([0.1, 1e8 / 3.0, (i as f64).sin()][j], 0.0));
    let tiles = a.tiles::<f64>(&mut flow, (16, 2));
    cesca(&mut flow, (Some(Lines::Columns), Some(Lines::Columns)), &tiles);
    let got = Plain::from_tiles(&mut flow, &tiles);
    let largest = |j: usize| (0..50).map(|i| got.at(i, j).norm()).fold(0.0, f64::max);
    assert!(largest(0) < 1e-15 && largest(1) < 1e-6, "{} {}", largest(0), largest(1));
    let length: f64 = (0..50).map(|i| got.at(i, 2).norm_sqr()).sum();
    assert!((length - 1.0).abs() < 1e-14, "{length}");
}

/// Point `i` in space.
fn point(i: usize) -> [f64; 3] {
    [0, 1, 2].map(|axis| random_entry::<f64>(9, i, axis))
}

fn distance(i: usize, j: usize) -> f64 {
    let (a, b) = (point(i), point(j));
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

fn gram_matrix<R: Real>(case: &mut usize, n: usize, nb: usize) {
    let mean = |axis: usize| (0..n).map(|i| point(i)[axis]).sum::<f64>() / n as f64;
    let centre = [mean(0), mean(1), mean(2)];
    // Inner products about the mean.
    let expected = Plain::new(n, n, |i, j| {
        let terms = (0..3).map(|k| (point(i)[k] - centre[k]) * (point(j)[k] - centre[k]));
        number(terms.sum(), 0.0)
    });
    let distances = Plain::new(n, n, |i, j| number(distance(i, j), 0.0));
    // Squares of at most 3, n of them in a sum, and their mean.
    let units = 4.0 * (n + 8) as f64;
    for uplo in Uplo::ALL {
        let mut flow = next_engine(case);
        let counts = |i, j| uplo.holds(i, j);
        let tiles = distances.keep(counts).tiles::<R>(&mut flow, (nb, nb));
        gram(&mut flow, uplo, &tiles);
        let got = Plain::from_tiles(&mut flow, &tiles);
        got.assert_near::<R>(&expected, counts, units, &format!("{uplo:?}, {n} in {nb}"));
    }
    let mut flow = next_engine(case);
    let tiles = distances.lower_tiles::<R>(&mut flow, nb);
    gram(&mut flow, Uplo::Lower, &tiles);
    let got = Plain::from_tiles(&mut flow, &tiles);
    let got = got.map(|i, j, x| if i >= j { x } else { expected.at(i, j) });
    got.assert_near::<R>(&expected, |_, _| true, units, "stored as a triangle");
}

#[test]
fn the_gram_matrix_of_distances_holds_inner_products_about_the_mean() {
    let mut case = 0;
    for (n, nb) in [(0, 4), (1, 4), (4, 4), (5, 4), (23, 5), (40, 64)] {
        gram_matrix::<f32>(&mut case, n, nb);
        gram_matrix::<f64>(&mut case, n, nb);
    }
}

#[test]
fn the_same_tiles_give_the_same_bits_on_any_number_of_workers() {
    let run = |workers: usize| {
        let mut flow = tegula_tests::flow(workers);
        let a = TileMatrix::<f64>::new(&mut flow, (60, 45), (7, 7), Storage::Full);
        a.fill_with(&mut flow, |i, j| random_entry(8, i, j)).expect("nothing ran yet");
        cesca(&mut flow, (Some(Lines::Both), Some(Lines::Columns)), &a);
        let d = TileMatrix::<f64>::lower(&mut flow, 50, 7);
        d.fill_with(&mut flow, distance).expect("nothing failed");
        gram(&mut flow, Uplo::Lower, &d);
        let (a, d) = (Plain::from_tiles(&mut flow, &a), Plain::from_tiles(&mut flow, &d));
        let bits = |x: c64| x.re.to_bits();
        let of_a = (0..45).flat_map(|j| (0..60).map(move |i| (i, j))).map(|(i, j)| a.at(i, j));
        let of_d = (0..50).flat_map(|j| (j..50).map(move |i| (i, j))).map(|(i, j)| d.at(i, j));
        of_a.chain(of_d).map(bits).collect::<Vec<_>>()
    };
    let one = run(1);
    assert!((2..5).all(|workers| run(workers) == one), "bits depend on workers");
}
