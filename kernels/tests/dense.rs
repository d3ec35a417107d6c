//! Decompositions of small dense matrices: residuals and orthogonality in units of rounding, and
//! values beside those that the crate faer finds.

use faer::{Mat, Side};
use tegula_kernels::dense::{Eigen, Matrix, Svd, gesvd, product, scale_of, syev};
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::scalar::Real;
use tegula_kernels::tile::TileRef;

/// Shapes of all kinds: empty, of one block, of several, tall, wide.
const SHAPES: [(usize, usize); 16] = [
    (0, 0),
    (1, 1),
    (2, 2),
    (3, 0),
    (0, 2),
    (1, 5),
    (7, 1),
    (10, 10),
    (33, 32),
    (70, 65),
    (65, 70),
    (200, 40),
    (40, 131),
    (64, 64),
    (130, 128),
    (161, 97),
];

/// Orders: empty, of one block and of several.
const ORDERS: [usize; 11] = [0, 1, 2, 3, 9, 32, 33, 64, 97, 129, 260];

fn random_matrix<R: Real>(m: usize, n: usize, random: &mut RandomInputs) -> Matrix<R> {
    Matrix::of_columns(random.numbers(m * n), m, n)
}

/// Matrices of this shape with all that makes decompositions hard, each with a name.
fn matrices<R: Real>(
    m: usize,
    n: usize,
    random: &mut RandomInputs,
) -> Vec<(&'static str, Matrix<R>)> {
    let of =
        |entry: &dyn Fn(usize, usize) -> f64| Matrix::from_fn(m, n, |i, j| R::of_f64(entry(i, j)));
    let any = random_matrix::<R>(m, n, random);
    let scaled = |scale: &dyn Fn(usize, usize) -> f64| {
        Matrix::from_fn(m, n, |i, j| R::of_f64(any[(i, j)].to_f64() * scale(i, j)))
    };
    let rank = (m.min(n) / 3).max(1);
    let (left, right) = (random_matrix::<R>(m, rank, random), random_matrix::<R>(rank, n, random));
    let least = R::MIN_POSITIVE.to_f64();
    vec![
        ("random", any.clone()),
        ("zero", of(&|_, _| 0.0)),
        ("ones", of(&|_, _| 1.0)),
        ("identity", of(&|i, j| f64::from(u8::from(i == j)))),
        ("of low rank", product(left.view(), right.view())),
        ("clustered", of(&|i, j| f64::from(u8::from(i == j)) + 1e-14 * ((i * j) % 7) as f64)),
        ("graded down", scaled(&|i, j| 10_f64.powf(-0.2 * (i + j) as f64))),
        ("graded up", scaled(&|i, j| 10_f64.powf(20.0 * (i + j) as f64 / (m + n) as f64 - 12.0))),
        ("Hilbert's", of(&|i, j| 1.0 / (i + j + 1) as f64)),
        ("tiny", scaled(&|_, _| 64.0 * least)),
        ("huge", scaled(&|_, _| 0.01 / least)),
    ]
}

/// Largest entry in modulus, in double precision.
fn largest(entries: impl Iterator<Item = f64>) -> f64 {
    entries.fold(0.0, |largest, x| largest.max(x.abs()))
}

fn in_double<R: Real>(a: TileRef<'_, R>) -> Matrix<f64> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a.at(i, j).to_f64())
}

/// Largest deviation of `Q' Q` from the identity.
fn loss(q: &Matrix<f64>) -> f64 {
    let gram = product(q.view().transposed(), q.view());
    let n = gram.rows();
    let places = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    largest(places.map(|(i, j)| gram[(i, j)] - f64::from(u8::from(i == j))))
}

/// The matrix times a power of two that keeps squares in range, in double precision, that power and
/// the norm.
fn tame<R: Real>(a: &Matrix<R>) -> (Matrix<f64>, f64, f64) {
    let norm = largest(a.entries().iter().map(|x| x.to_f64()));
    let factor = if norm > 0.0 { norm.log2().round().exp2().recip() } else { 1.0 };
    let tamed = Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].to_f64() * factor);
    let norm = tamed.entries().iter().map(|x| x * x).sum::<f64>().sqrt();
    (tamed, factor, norm)
}

fn faer_of(a: &Matrix<f64>) -> Mat<f64> {
    Mat::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)])
}

fn symmetric_problems_are_solved<R: Real>() {
    let mut random = RandomInputs::new(5);
    for n in ORDERS {
        for (name, any) in matrices::<R>(n, n, &mut random) {
            // What is above the diagonal does not count.
            let spoilt = Matrix::from_fn(n, n, |i, j| if i < j { R::NAN } else { any[(i, j)] });
            let Eigen { values, vectors } = syev(spoilt.view()).expect("it converges");
            assert!(values.is_sorted() && values.len() == n, "{name} of {n}: {values:?}");
            let whole = Matrix::from_fn(n, n, |i, j| any[(i.max(j), i.min(j))]);
            let (a, factor, norm) = tame(&whole);
            let values: Vec<f64> = values.iter().map(|value| value.to_f64() * factor).collect();
            let (epsilon, v) = (R::EPSILON.to_f64(), in_double(vectors.view()));
            let tolerance = 8.0 * epsilon * (n as f64).sqrt();
            assert!(loss(&v) <= tolerance, "{name} of {n}: {:.1e}", loss(&v) / epsilon);
            let image = product(a.view(), v.view());
            let places = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
            let off = largest(places.map(|at| image[at] - values[at.1] * v[at]));
            assert!(off <= tolerance * norm, "{name} of {n}: {:.1e}", off / epsilon / norm);
            let theirs = faer_of(&a).self_adjoint_eigenvalues(Side::Lower).expect("it converges");
            let off = largest(values.iter().zip(&theirs).map(|(ours, theirs)| ours - theirs));
            assert!(off <= tolerance * norm, "{name} of {n}: {:.1e}", off / epsilon / norm);
        }
    }
}

#[test]
fn symmetric_eigenproblems_are_solved_in_single_precision() {
    symmetric_problems_are_solved::<f32>();
}

#[test]
fn symmetric_eigenproblems_are_solved_in_double_precision() {
    symmetric_problems_are_solved::<f64>();
}

fn singular_values_are_found<R: Real>() {
    let mut random = RandomInputs::new(6);
    for (m, n) in SHAPES {
        let k = m.min(n);
        for (name, any) in matrices::<R>(m, n, &mut random) {
            let Svd { u, values, v } = gesvd(any.view()).expect("it converges");
            let name = format!("{name} of {m} x {n}");
            let shapes = [(u.rows(), u.cols()), (v.rows(), v.cols())];
            assert_eq!((shapes, values.len()), ([(m, k), (n, k)], k), "{name}");
            let descending = values.is_sorted_by(|x, y| x >= y);
            assert!(descending && values.iter().all(|&x| x >= R::ZERO), "{name}: {values:?}");
            let (a, factor, norm) = tame(&any);
            let values: Vec<f64> = values.iter().map(|value| value.to_f64() * factor).collect();
            let (epsilon, [u, v]) = (R::EPSILON.to_f64(), [u, v].map(|x| in_double(x.view())));
            let tolerance = 8.0 * epsilon * (m.max(n) as f64).sqrt();
            for q in [&u, &v] {
                assert!(loss(q) <= tolerance, "{name}: {:.1e}", loss(q) / epsilon);
            }
            let scaled = Matrix::from_fn(m, k, |i, j| u[(i, j)] * values[j]);
            let again = product(scaled.view(), v.view().transposed());
            let off = largest(again.entries().iter().zip(a.entries()).map(|(x, y)| x - y));
            assert!(off <= tolerance * norm, "{name}: {:.1e}", off / epsilon / norm);
            let theirs = faer_of(&a).singular_values().expect("it converges");
            let off = largest(values.iter().zip(&theirs).map(|(ours, theirs)| ours - theirs));
            assert!(off <= tolerance * norm, "{name}: {:.1e}", off / epsilon / norm);
        }
    }
}

#[test]
fn singular_values_are_found_in_single_precision() {
    singular_values_are_found::<f32>();
}

#[test]
fn singular_values_are_found_in_double_precision() {
    singular_values_are_found::<f64>();
}

#[test]
fn what_is_not_finite_is_an_error() {
    for bad in [f64::NAN, f64::INFINITY] {
        for n in [1, 5, 70] {
            let a = Matrix::from_fn(n, n, |i, j| if i == n / 2 && j == 0 { bad } else { 1.0 });
            assert!(syev(a.view()).is_err() && gesvd(a.view()).is_err(), "{bad} in {n}");
        }
    }
}

#[test]
fn views_with_gaps_and_transposed_ones_are_as_good() {
    let a = random_matrix::<f64>(20, 12, &mut RandomInputs::new(7));
    let part = a.view().part(3, 2, 15, 9);
    let copied = gesvd(Matrix::of(part).view()).expect("it converges");
    assert_eq!(gesvd(part).expect("it converges").values, copied.values);
    let turned = gesvd(part.transposed()).expect("it converges");
    assert_eq!((turned.u, turned.v), (copied.v, copied.u));
}

#[test]
fn scales_bring_squares_into_the_range() {
    for norm in [f64::MIN_POSITIVE, 1e-160, 1.0, 1e200, f64::MAX] {
        let scaled = norm * scale_of(norm);
        assert!((scaled * scaled).is_normal(), "{norm}: {scaled}");
    }
    assert_eq!((scale_of(0.0_f32), scale_of(3.0_f32)), (1.0, 1.0));
}
