//! The chase of a band by its definition: `B Q = Q T` with `Q` multiplied out reflector by reflector, and
//! the tridiagonal eigenproblem by residuals.

use std::marker::PhantomData;

use tegula_kernels::kernel::trial::Draw;
use tegula_kernels::kernel::unmtr_hb2st::UnmtrHb2st;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_kernels::tile::{TileMut, TileRef};
use tegula_kernels::tridiagonal::{Band, Chased, Waves, eigenvalues, eigenvectors};

/// A random band and the same matrix in full, column-major.
fn random_band<T: Scalar>(n: usize, width: usize, draw: &mut Draw) -> (Band<T>, Vec<T>) {
    let (mut band, mut full) = (Band::new(n, width), vec![T::ZERO; n * n]);
    for (i, j) in (0..n).flat_map(|j| (j..n.min(j + width + 1)).map(move |i| (i, j))) {
        let entry = draw.number::<T>();
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
    let mut draw = Draw::new(11);
    for (n, width, group) in [(1, 1, 1), (2, 1, 1), (9, 1, 2), (12, 11, 5), (23, 5, 2), (40, 8, 11)]
    {
        let (band, full) = random_band::<T>(n, width, &mut draw);
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

fn solves<R: Real>() {
    let mut draw = Draw::new(3);
    for n in [0, 1, 2, 5, 60, 130, 200] {
        let d: Vec<R> = draw.numbers(n);
        let e: Vec<R> = draw.numbers(n.saturating_sub(1));
        let (values, z) = eigenvectors(&d, &e).expect("it converges");
        let alone = eigenvalues(&d, &e).expect("it converges");
        assert!(values.is_sorted() && alone.is_sorted(), "{values:?} and {alone:?}");
        // The norm is at most 3.
        let tolerance = 60.0 * R::EPSILON.to_f64() * n as f64;
        for j in 0..n {
            assert!((values[j] - alone[j]).size() <= tolerance, "value {j} of {n}");
            for i in 0..n {
                let entry = |i: usize| z[i + j * n].to_f64();
                let mut residual = (d[i].to_f64() - values[j].to_f64()) * entry(i);
                residual += if i > 0 { e[i - 1].to_f64() * entry(i - 1) } else { 0.0 };
                residual += if i + 1 < n { e[i].to_f64() * entry(i + 1) } else { 0.0 };
                assert!(residual.abs() <= tolerance, "({i}, {j}) of {n}: {residual:.1e}");
            }
            let square: f64 = (0..n).map(|i| z[i + j * n].to_f64().powi(2)).sum();
            assert!((square - 1.0).abs() <= tolerance, "vector {j} of {n}: {square}");
        }
    }
}

#[test]
fn tridiagonal_eigenproblems_are_solved() {
    solves::<f32>();
    solves::<f64>();
}
