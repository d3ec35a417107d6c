//! The chase of an upper band by its definition, `A P = Q B` with `Q` and `P` multiplied out
//! reflector by reflector, and the singular value decomposition of bidiagonal matrices by
//! residuals, orthogonality and values that are known.

use std::marker::PhantomData;

use tegula_kernels::bidiagonal::{
    Bidiagonal, Decomposition, UpperBand, singular_values, singular_vectors,
};
use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::unmtr_hb2st::UnmtrHb2st;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_kernels::tile::{TileMut, TileRef};
use tegula_kernels::tridiagonal::Waves;

/// A random upper band with a real first entry and the same matrix in full, column-major.
fn random_band<T: Scalar>(
    n: usize,
    width: usize,
    random: &mut RandomInputs,
) -> (UpperBand<T>, Vec<T>) {
    let (mut band, mut full) = (UpperBand::new(n, width), vec![T::ZERO; n * n]);
    for (i, j) in (0..n).flat_map(|i| (i..n.min(i + width + 1)).map(move |j| (i, j))) {
        let entry = random.number::<T>();
        let entry = if j == 0 { T::from_real(entry.re()) } else { entry };
        band.set(i, j, entry);
        full[i + j * n] = entry;
    }
    (band, full)
}

/// The product of the reflectors of one side, column-major.
fn multiplied_out<T: Scalar>(waves: Waves, reflectors: &[Vec<T>]) -> Vec<T> {
    let n = waves.n;
    let mut q = vec![T::ZERO; n * n];
    (0..n).for_each(|i| q[i * (n + 1)] = T::ONE);
    for (group, v) in reflectors.iter().enumerate().rev() {
        let (rows, columns) = waves.stored(group);
        let product = UnmtrHb2st { waves, group, rows: n, m: n, scalar: PhantomData };
        product.reference(TileRef::new(v, rows, columns), TileMut::new(&mut q, n, n));
    }
    q
}

fn chases_to_bidiagonal_form<T: Scalar>() {
    let mut random = RandomInputs::new(11);
    for (n, width, group) in
        [(1, 1, 1), (2, 1, 1), (9, 1, 2), (7, 2, 1), (12, 11, 5), (23, 5, 2), (40, 8, 11)]
    {
        let (band, full) = random_band::<T>(n, width, &mut random);
        let waves = Waves { n, width, group };
        let found = Bidiagonal::new(band.clone(), Some(waves));
        let (q, p) = (multiplied_out(waves, &found.left), multiplied_out(waves, &found.right));
        let alone = Bidiagonal::new(band, None);
        assert_eq!((&alone.diagonal, &alone.above), (&found.diagonal, &found.above));
        assert!(alone.left.is_empty() && alone.right.is_empty());
        // Entries are sums over a band, of a matrix of norm at most 2 (width + 1).
        let tolerance = 20.0 * T::epsilon() * (n * (2 * width + 1)) as f64;
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let left: T = (0..n).map(|l| full[i + l * n] * p[l + j * n]).sum();
            let mut right = q[i + j * n].times_real(found.diagonal[j]);
            if j > 0 {
                right += q[i + (j - 1) * n].times_real(found.above[j - 1]);
            }
            let error = (left - right).size();
            assert!(error <= tolerance, "{waves:?} at ({i}, {j}): {error:.1e} > {tolerance:.1e}");
        }
    }
}

#[test]
fn an_upper_band_is_chased_to_bidiagonal_form() {
    chases_to_bidiagonal_form::<f32>();
    chases_to_bidiagonal_form::<f64>();
    chases_to_bidiagonal_form::<c32>();
    chases_to_bidiagonal_form::<c64>();
}

/// The largest deviation of `X^T X` from the identity.
fn loss<R: Real>(x: &[R], n: usize) -> f64 {
    let column = |j: usize| x[j * n..][..n].iter().map(|x| x.to_f64());
    let product = |i, j| column(i).zip(column(j)).map(|(x, y)| x * y).sum::<f64>();
    let error = |i, j| (product(i, j) - f64::from(u8::from(i == j))).abs();
    (0..n).flat_map(|j| (0..=j).map(move |i| (i, j))).map(|(i, j)| error(i, j)).fold(0.0, f64::max)
}

/// Checks both ways of solving.
#[track_caller]
fn check<R: Real>(d: &[R], e: &[R], what: &str) {
    let n = d.len();
    let Decomposition { values, left, right } =
        singular_vectors(d, e).unwrap_or_else(|error| panic!("{what}: {error}"));
    let alone = singular_values(d, e).unwrap_or_else(|error| panic!("{what}: {error}"));
    let size = |x: &R| x.to_f64().abs();
    let norm = 2.0 * d.iter().chain(e).map(size).fold(f64::MIN_POSITIVE, f64::max);
    let tolerance = 20.0 * R::EPSILON.to_f64() * n.max(10) as f64;
    for values in [&values, &alone] {
        assert!(values.iter().rev().is_sorted(), "{what}: {values:?}");
        assert!(values.last().is_none_or(|&value| value >= R::ZERO), "{what}: {values:?}");
    }
    for j in 0..n {
        let error = (values[j] - alone[j]).size() / norm;
        assert!(error <= tolerance, "{what}: value {j} is {} or {}", values[j], alone[j]);
        for i in 0..n {
            let v = |i: usize| right[i + j * n].to_f64();
            let row = d[i].to_f64() * v(i) + if i + 1 < n { e[i].to_f64() * v(i + 1) } else { 0.0 };
            let residual = (row - values[j].to_f64() * left[i + j * n].to_f64()).abs() / norm;
            assert!(residual <= tolerance, "{what}: ({i}, {j}) of {n}: {residual:.1e}");
        }
    }
    for vectors in [&left, &right] {
        let loss = loss(vectors, n);
        assert!(loss <= tolerance, "{what}: off orthogonal by {loss:.1e} > {tolerance:.1e}");
    }
}

fn random_matrices<R: Real>() {
    let mut random = RandomInputs::new(3);
    for n in [0, 1, 2, 3, 5, 32, 33, 34, 67, 130, 200, 301] {
        let d: Vec<R> = random.numbers(n);
        let e: Vec<R> = random.numbers(n.saturating_sub(1));
        check(&d, &e, &format!("random of {n}"));
    }
}

#[test]
fn random_bidiagonal_matrices_are_decomposed() {
    random_matrices::<f32>();
    random_matrices::<f64>();
}

/// Zeros, equal and clustered values, graded matrices both ways, parts that do not meet, tiny and
/// large norms.
fn hard_matrices<R: Real>() {
    let numbers = |count: usize, entry: &dyn Fn(i32) -> f64| -> Vec<R> {
        (0..count as i32).map(|i| R::of_f64(entry(i))).collect()
    };
    type Entry<'a> = &'a dyn Fn(i32) -> f64;
    let (zero, one): (Entry<'_>, Entry<'_>) = (&|_| 0.0, &|_| 1.0);
    let few = R::MIN_POSITIVE.to_f64();
    let cases: [(&str, Entry<'_>, Entry<'_>); 16] = [
        ("zero", zero, zero),
        ("the identity", one, zero),
        ("ones", one, one),
        ("ones above", zero, one),
        ("a zero on the diagonal", &|i| f64::from(u8::from(i != 40)), one),
        ("zeros on the diagonal", &|i| f64::from(u8::from(i % 3 != 1)), one),
        ("a zero at the end", &|i| f64::from(u8::from(i != 119)), one),
        ("a zero at the beginning", &|i| f64::from(u8::from(i != 0)), one),
        ("parts", one, &|i| f64::from(u8::from(i % 7 != 3))),
        ("graded downwards", &|i| 0.7f64.powi(i), &|i| 0.7f64.powi(i)),
        ("graded upwards", &|i| 0.7f64.powi(120 - i), &|i| 0.7f64.powi(120 - i)),
        ("graded in the middle", &|i| 0.7f64.powi((60 - i).abs()), &|i| {
            0.7f64.powi((60 - i).abs())
        }),
        ("nearly the identity", one, &|i| 1e-8 * f64::from(i % 5)),
        ("with signs", &|i| f64::from(i % 3 - 1), &|i| f64::from(i % 4 - 2)),
        ("tiny", &|i| few * f64::from(4 + i % 9), &|i| few * f64::from(4 + i % 7)),
        ("large", &|i| f64::from(1 + i % 9) * (0.01 / few), &|i| f64::from(i % 7) * (0.01 / few)),
    ];
    for (what, diagonal, above) in cases {
        check(&numbers(120, diagonal), &numbers(119, above), what);
    }
    // A bidiagonal matrix glued of copies: clusters of values.
    let period = |i: i32| ((i % 20) as f64 + 1.0) / 20.0;
    let glue = |i: i32| if i % 20 == 19 { 1e-9 } else { 0.3 };
    check(&numbers(160, &period), &numbers(159, &glue), "glued");
}

#[test]
fn hard_bidiagonal_matrices_are_decomposed() {
    hard_matrices::<f32>();
    hard_matrices::<f64>();
}

/// Ones on and above the diagonal: `2 cos(k pi / (2 n + 1))`, since the tridiagonal matrix of order
/// `2 n` with ones beside its diagonal has these eigenvalues and their negatives.
#[test]
fn the_values_of_ones_are_known() {
    for n in [1usize, 4, 50, 333] {
        let (d, e) = (vec![1.0; n], vec![1.0; n - 1]);
        let expected =
            |k: usize| 2.0 * (k as f64 * std::f64::consts::PI / (2 * n + 1) as f64).cos();
        let vectors = singular_vectors::<f64>(&d, &e).expect("it converges").values;
        for values in [singular_values(&d, &e).expect("it converges"), vectors] {
            for (k, value) in values.into_iter().enumerate() {
                let expected = expected(k + 1);
                let error = (value - expected).abs();
                assert!(error <= 1e-15 * (10 * n) as f64, "{k} of {n}: {value}, not {expected}");
            }
        }
    }
}

/// Small values keep their relative accuracy where only values are asked for: of a triangle that is
/// graded, the product of all values is that of the diagonal.
#[test]
fn small_values_are_accurate() {
    let n = 60;
    let d: Vec<f64> = (0..n).map(|i| 0.25f64.powi(i)).collect();
    let e: Vec<f64> = (0..n - 1).map(|i| 0.5 * 0.25f64.powi(i)).collect();
    for (d, e) in
        [(d.clone(), e.clone()), (d.into_iter().rev().collect(), e.into_iter().rev().collect())]
    {
        let values = singular_values(&d, &e).expect("it converges");
        let logarithm = |x: &[f64]| x.iter().map(|x| x.ln()).sum::<f64>();
        let error = (logarithm(&values) - logarithm(&d)).abs();
        assert!(error <= 1e-11, "the product of {values:?} is off by {error:.1e}");
    }
}

#[test]
fn what_is_not_finite_is_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let d = [1.0, bad, 1.0];
        let refused = |error| matches!(error, NumericalError::NoConvergence { order: 3 });
        assert!(refused(singular_values(&d, &[1.0, 1.0]).unwrap_err()));
        assert!(refused(singular_vectors(&d, &[1.0, 1.0]).unwrap_err()));
    }
}
