//! The chase of a band by its definition: `B Q = Q T` with `Q` multiplied out reflector by
//! reflector, and the tridiagonal eigenproblem by residuals.

use std::marker::PhantomData;

use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::unmtr_hb2st::UnmtrHb2st;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_kernels::tile::{TileMut, TileRef};
use tegula_kernels::tridiagonal::{Band, Chased, Waves, eigenvalues, eigenvectors};

/// A random band and the same matrix in full, column-major.
fn random_band<T: Scalar>(n: usize, width: usize, random: &mut RandomInputs) -> (Band<T>, Vec<T>) {
    let (mut band, mut full) = (Band::new(n, width), vec![T::ZERO; n * n]);
    for (i, j) in (0..n).flat_map(|j| (j..n.min(j + width + 1)).map(move |i| (i, j))) {
        let entry = random.number::<T>();
        let entry = if i == j { T::from_real(entry.re()) } else { entry };
        band.set(i, j, entry);
        full[j + i * n] = entry.conj();
        full[i + j * n] = entry;
    }
    (band, full)
}

/// `Q` of a chase, column-major.
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

fn chases_to_a_similar_matrix<T: Scalar>() {
    let mut random = RandomInputs::new(11);
    for (n, width, group) in [(1, 1, 1), (2, 1, 1), (9, 1, 2), (12, 11, 5), (23, 5, 2), (40, 8, 11)]
    {
        let (band, full) = random_band::<T>(n, width, &mut random);
        let waves = Waves { n, width, group };
        let chased = Chased::new(band.clone(), Some(waves));
        let q = multiplied_out(waves, &chased.reflectors);
        let alone = Chased::new(band, None);
        assert_eq!((&alone.diagonal, &alone.below), (&chased.diagonal, &chased.below));
        assert!(alone.reflectors.is_empty());
        // Entries are sums over a band, of a matrix of norm at most 2 (2 width + 1).
        let tolerance = 20.0 * T::epsilon() * (n * (2 * width + 1)) as f64;
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let left: T = (0..n).map(|l| full[i + l * n] * q[l + j * n]).sum();
            let mut right = q[i + j * n].times_real(chased.diagonal[j]);
            if j > 0 {
                right += q[i + (j - 1) * n].times_real(chased.below[j - 1]);
            }
            if j + 1 < n {
                right += q[i + (j + 1) * n].times_real(chased.below[j]);
            }
            let error = (left - right).size();
            assert!(error <= tolerance, "{waves:?} at ({i}, {j}): {error:.1e} > {tolerance:.1e}");
        }
    }
}

#[test]
fn a_band_is_chased_to_a_similar_tridiagonal_matrix() {
    chases_to_a_similar_matrix::<f32>();
    chases_to_a_similar_matrix::<f64>();
    chases_to_a_similar_matrix::<c32>();
    chases_to_a_similar_matrix::<c64>();
}

/// Solves a tridiagonal matrix and looks at residuals and orthogonality.
fn solves<R: Real>(name: &str, d: &[R], e: &[R]) {
    let n = d.len();
    let (values, z) = eigenvectors(d, e).expect("it converges");
    let alone = eigenvalues(d, e).expect("it converges");
    assert!(values.is_sorted() && alone.is_sorted(), "{values:?} and {alone:?}");
    let largest = d.iter().chain(e).fold(0.0, |largest: f64, x| largest.max(x.size()));
    let tolerance = 60.0 * R::EPSILON.to_f64() * n as f64;
    // The norm is at most three times the largest entry.
    let of_norm = tolerance * largest;
    let vector = |j: usize| z[j * n..][..n].iter().map(|x| x.to_f64());
    for j in 0..n {
        assert!((values[j] - alone[j]).size() <= of_norm, "{name}: value {j} of {n}");
        let entry = |i: usize| z[i + j * n].to_f64();
        for i in 0..n {
            let mut residual = (d[i].to_f64() - values[j].to_f64()) * entry(i);
            residual += if i > 0 { e[i - 1].to_f64() * entry(i - 1) } else { 0.0 };
            residual += if i + 1 < n { e[i].to_f64() * entry(i + 1) } else { 0.0 };
            assert!(residual.abs() <= of_norm, "{name}: ({i}, {j}) of {n}: {residual:.1e}");
        }
        for k in 0..=j {
            let product: f64 = vector(j).zip(vector(k)).map(|(x, y)| x * y).sum();
            let error = (product - f64::from(u8::from(j == k))).abs();
            assert!(error <= tolerance, "{name}: vectors {j} and {k} of {n}: {error:.1e}");
        }
    }
}

/// Matrices of which divide and conquer finds all, few or none of the halves' vectors in those of
/// the whole.
fn all_are_solved<R: Real>() {
    let mut random = RandomInputs::new(3);
    let of = |n: usize, entry: &dyn Fn(usize) -> f64| -> Vec<R> {
        (0..n).map(|i| R::of_f64(entry(i))).collect()
    };
    for n in (0..=70_usize).chain([130, 200, 333]) {
        let below = n.saturating_sub(1);
        solves::<R>("random", &random.numbers(n), &random.numbers(below));
        let graded = |i: usize| 10_f64.powi(-(i as i32 % 30));
        solves("graded", &of(n, &graded), &of(below, &graded));
        solves("1-2-1", &of(n, &|_| 2.0), &of(below, &|_| 1.0));
        solves("diagonal", &of(n, &|i| (i % 7) as f64), &of(below, &|_| 0.0));
        solves("split", &of(n, &|i| (i % 3) as f64), &of(below, &|i| (i % 5) as f64));
        solves("clustered", &of(n, &|_| 1.0), &of(below, &|_| R::EPSILON.to_f64()));
        let middle = below as f64 / 2.0;
        solves("Wilkinson", &of(n, &|i| (i as f64 - middle).abs()), &of(below, &|_| 1.0));
        let glue = |i: usize| if i % 21 == 20 { 1e-6 } else { 1.0 };
        solves("glued", &of(n, &|i| ((i % 21) as f64 - 10.0).abs()), &of(below, &glue));
        // Graded over all of the range, and leaves of nothing but the smallest numbers.
        let range = -R::MIN_POSITIVE.to_f64().log10();
        for steep in [0.6, 1.05] {
            let decay = |i: usize| 10_f64.powf(-steep * range * i as f64 / n.max(1) as f64);
            solves("steep diagonal", &of(n, &decay), &of(below, &|_| 0.0));
            solves("steep", &of(n, &decay), &of(below, &|i| decay(i + 1)));
            solves("steeper below", &of(n, &decay), &of(below, &|i| decay(i + 1).powi(2)));
            let rising = |i: usize| decay(n - 1 - i);
            solves("rising", &of(n, &rising), &of(below, &|i| rising(i) / 2.0));
        }
        let least = R::MIN_POSITIVE.to_f64() / 16.0;
        let small = |i: usize| if i < 64 && i + 1 < n { least } else { 1.0 };
        solves("small leaves", &of(n, &small), &of(below, &|_| 0.0));
        solves("small coupled leaves", &of(n, &small), &of(below, &|i| small(i)));
        for scale in [R::MIN_POSITIVE.to_f64() * 16.0, 0.01 / R::MIN_POSITIVE.to_f64()] {
            let [d, e] = [n, below].map(|count| random.numbers::<R>(count));
            let scaled = |x: &[R]| -> Vec<R> { x.iter().map(|&x| x * R::of_f64(scale)).collect() };
            solves(&format!("times {scale:.1e}"), &scaled(&d), &scaled(&e));
        }
    }
}

#[test]
fn tridiagonal_eigenproblems_are_solved_in_single_precision() {
    all_are_solved::<f32>();
}

#[test]
fn tridiagonal_eigenproblems_are_solved_in_double_precision() {
    all_are_solved::<f64>();
}

#[test]
fn what_is_not_finite_is_an_error() {
    for n in [1, 40, 70] {
        for bad in [f64::NAN, f64::INFINITY] {
            let (mut d, mut e) = (vec![1.0; n], vec![1.0; n - 1]);
            d[n / 2] = bad;
            assert!(eigenvectors(&d, &e).is_err(), "{bad} on the diagonal of {n}");
            d[n / 2] = 1.0;
            e.iter_mut().for_each(|e| *e = bad);
            assert!(n == 1 || eigenvectors(&d, &e).is_err(), "{bad} below the diagonal of {n}");
        }
    }
}
