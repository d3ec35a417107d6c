//! Every kernel of the list, in all its precisions, with every backend, against its reference: one
//! suite, which a new kernel or backend joins by being listed.

use super::{In, Shape, Trial};
use crate::backend::{BACKENDS, Backend, Blas};
use crate::kernel::TRIALS;
use crate::kernel::random::RandomInputs;
use crate::scalar::Scalar;
use crate::tile::TileRef;

/// Empty, single, odd, flat, tall, and around the block sizes of the implementations.
const SHAPES: &[(usize, usize, usize)] = &[
    (0, 0, 0),
    (0, 5, 3),
    (4, 0, 3),
    (5, 4, 0),
    (1, 1, 1),
    (2, 3, 4),
    (7, 5, 9),
    (8, 8, 8),
    (16, 17, 15),
    (24, 24, 24),
    (25, 31, 33),
    (48, 32, 64),
    (1, 65, 40),
    (130, 3, 2),
    (3, 100, 129),
    (97, 49, 57),
    (128, 128, 128),
    (121, 200, 75),
    (260, 150, 64),
    // More than one block that the second cache holds, and more than one piece of the inner size.
    (500, 20, 700),
    (40, 30, 1300),
];

/// Most products of a shape in complex precisions.
const LARGEST: usize = 1 << 19;

/// The backends of this machine; says which there are not.
#[allow(clippy::print_stderr)]
fn backends() -> Vec<&'static dyn Backend> {
    let mut backends = Vec::new();
    for choice in BACKENDS {
        match choice.load(BACKENDS.len()) {
            Ok(backend) => backends.push(backend),
            Err(error) => eprintln!("SKIPPED: backend {}: {error}", choice.name),
        }
    }
    backends
}

#[test]
fn every_kernel_agrees_with_its_reference_on_every_backend() {
    // Each on a thread of its own.
    let tried: usize = std::thread::scope(|scope| {
        let threads = backends().into_iter().map(|backend| scope.spawn(move || conform(backend)));
        let threads: Vec<_> = threads.collect();
        let ends = threads.into_iter().map(|thread| thread.join());
        ends.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).sum()
    });
    assert!(tried > 1000, "only {tried} trials were made");
}

#[test]
fn the_product_of_a_hermitian_matrix_and_a_vector_agrees_on_every_backend() {
    for backend in backends() {
        hermitian(backend.name(), backend.single());
        hermitian(backend.name(), backend.double());
        hermitian(backend.name(), backend.complex_single());
        hermitian(backend.name(), backend.complex_double());
    }
}

/// The first columns of a Hermitian matrix of which only the lower triangle is there, entry by
/// entry.
fn hermitian<T: Scalar>(backend: &str, blas: &dyn Blas<T>) {
    let mut random = RandomInputs::new(31);
    for (rows, columns) in [(0, 0), (1, 1), (3, 2), (9, 9), (40, 7), (67, 16), (130, 33)] {
        let ld = rows + 2;
        let mut a = random.numbers::<T>(ld * columns);
        for j in 0..columns {
            a[j * ld..j * ld + j].fill(T::from_f64(f64::NAN));
            a[j * ld + rows..(j + 1) * ld].fill(T::from_f64(f64::NAN));
        }
        let (x, old) = (random.numbers::<T>(rows), random.numbers::<T>(rows));
        let mut expected = old.clone();
        for (i, j) in (0..columns).flat_map(|j| (j..rows).map(move |i| (i, j))) {
            let entry = a[j * ld + i];
            let entry = if i == j { T::from_real(entry.re()) } else { entry };
            expected[i] += entry * x[j];
            if i != j {
                expected[j] += entry.conj() * x[i];
            }
        }
        let mut found = old;
        blas.hemv(TileRef::with_ld(&a, rows, columns, ld), &x, &mut found);
        let tolerance = 4.0 * T::epsilon() * (rows + 1) as f64;
        for (i, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
            let error = (found - expected).size();
            let what = format!("{}, {rows} x {columns}, row {i}", T::PRECISION.letter());
            assert!(error <= tolerance, "{backend}, {what}: {found} is not {expected}");
        }
    }
}

/// Number of trials made with `backend`; panics at those that fail.
fn conform(backend: &'static dyn Backend) -> usize {
    let mut tried = 0;
    for kernel in TRIALS {
        tried += conform_in(kernel.name, kernel.single, backend.name(), backend.single());
        tried += conform_in(kernel.name, kernel.double, backend.name(), backend.double());
        if let Some((single, double)) = kernel.complex {
            tried += conform_in(kernel.name, single, backend.name(), backend.complex_single());
            tried += conform_in(kernel.name, double, backend.name(), backend.complex_double());
        }
    }
    tried
}

fn conform_in<T: Scalar>(kernel: &str, trials: In<T>, backend: &str, blas: &dyn Blas<T>) -> usize {
    let mut random = RandomInputs::new(2024);
    let trials = |&(m, n, k): &(usize, usize, usize)| trials(blas, Shape { m, n, k }, &mut random);
    // Complex arithmetic rests on the real one, whose blocks the largest shapes are for.
    let is_wanted = |&&(m, n, k): &&(usize, usize, usize)| !T::IS_COMPLEX || m * n * k <= LARGEST;
    let trials: Vec<Trial> = SHAPES.iter().filter(is_wanted).flat_map(trials).collect();
    let failed: Vec<&Trial> = trials.iter().filter(|trial| !trial.passes()).collect();
    let precision = T::PRECISION.letter();
    if let Some(Trial { case, error, tolerance }) = failed.first() {
        let (failed, tried) = (failed.len(), trials.len());
        panic!(
            "{precision}{kernel} on {backend}: {failed} of {tried} trials fail, first {case}: \
             {error} where {tolerance} is allowed"
        );
    }
    trials.len()
}
