//! Functions of cuBLAS and cuSOLVER that no kernel calls yet: arguments are where they belong.
#![allow(unsafe_code)]

use tegula_stand_ins::Folder;

use crate::cuda::Cuda;

/// Order of the matrices.
const N: usize = 3;
/// Numbers that are left for results, and for work.
const ROOM: usize = 400;

/// A symmetric matrix of order 3, columns one after the other.
const A: [f64; 9] = [4.0, 1.0, -2.0, 1.0, 5.0, 0.5, -2.0, 0.5, 6.0];
/// Another matrix.
const B: [f64; 9] = [1.0, -1.0, 2.0, 0.0, 3.0, 1.0, 2.0, 2.0, -1.0];

/// A device with a library, and some of its memory.
struct Device {
    cuda: Cuda,
    handle: u64,
    host: *mut f64,
}

impl Device {
    fn new(folder: &Folder, [create, set_stream]: [&str; 2]) -> Self {
        let cuda = Cuda::new(folder);
        let mut handle = 0_u64;
        cuda.call(create, [&raw mut handle as u64, 0, 0, 0]);
        cuda.call(set_stream, [handle, cuda.stream, 0, 0]);
        let host = cuda.pinned(8 * ROOM as u64);
        Self { cuda, handle, host }
    }

    /// These numbers on the device, with room behind them.
    fn bring(&self, numbers: &[f64]) -> u64 {
        let place = self.cuda.allocate(8 * ROOM as u64);
        // SAFETY: there is room for as many, and no copy is under way.
        unsafe { self.host.copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
        let bytes = 8 * numbers.len() as u64;
        self.cuda.call("cuMemcpyHtoDAsync_v2", [place, self.host as u64, bytes, self.cuda.stream]);
        self.cuda.wait();
        place
    }

    /// So many numbers from there.
    fn fetch(&self, place: u64, count: usize) -> Vec<f64> {
        let (host, stream) = (self.host as u64, self.cuda.stream);
        self.cuda.call("cuMemcpyDtoHAsync_v2", [host, place, 8 * count as u64, stream]);
        self.cuda.wait();
        // SAFETY: the copy has ended.
        unsafe { std::slice::from_raw_parts(self.host, count) }.to_vec()
    }

    /// Calls a function of the library, which takes whole numbers and addresses.
    #[track_caller]
    fn call(&self, name: &str, arguments: &[u64]) {
        assert_eq!(self.cuda.long(name, self.handle, arguments), 0, "{name}");
    }
}

/// `a` times `b`, which are of order 3.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let entry = |i: usize, j: usize| (0..N).map(|k| a[i + k * N] * b[k + j * N]).sum();
    (0..N * N).map(|at| entry(at % N, at / N)).collect()
}

#[track_caller]
fn assert_same(got: &[f64], expected: &[f64]) {
    let same = got.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12);
    assert!(same && got.len() == expected.len(), "{got:?}, not {expected:?}");
}

#[test]
fn products_and_sums_are_those_of_blas() {
    let folder = Folder::new();
    let device = Device::new(&folder, ["cublasCreate_v2", "cublasSetStream_v2"]);
    let (one, zero) = (1.0_f64, 0.0_f64);
    let (one, zero) = (&raw const one as u64, &raw const zero as u64);
    let (mut lower, n) = (A, N as u64);
    [3, 6, 7].into_iter().for_each(|above| lower[above] = f64::NAN);
    let (a, b, c) = (device.bring(&lower), device.bring(&B), device.bring(&[]));
    device.call("cublasDsymm_v2", &[0, 0, n, n, one, a, n, b, n, zero, c, n]);
    assert_same(&device.fetch(c, 9), &product(&A, &B));
    device.call("cublasDsymm_v2", &[1, 0, n, n, one, a, n, b, n, zero, c, n]);
    assert_same(&device.fetch(c, 9), &product(&B, &A));

    let transposed: Vec<f64> = (0..9).map(|at| B[at / N + at % N * N]).collect();
    let half = product(&A, &transposed);
    let whole = device.bring(&A);
    device.call("cublasDsyr2k_v2", &[0, 0, n, n, one, whole, n, b, n, zero, c, n]);
    let sums: Vec<f64> = [0, 1, 2, 4, 5, 8].map(|at| half[at] + half[at / N + at % N * N]).into();
    let got = device.fetch(c, 9);
    assert_same(&[0, 1, 2, 4, 5, 8].map(|at| got[at]), &sums);

    let (mut dot, mut norm) = (0.0_f64, 0.0_f64);
    device.call("cublasDdot_v2", &[9, whole, 1, b, 1, &raw mut dot as u64]);
    device.call("cublasDnrm2_v2", &[2, whole, 4, &raw mut norm as u64]);
    let expected: f64 = A.iter().zip(&B).map(|(x, y)| x * y).sum();
    assert_same(&[dot, norm], &[expected, 41.0_f64.sqrt()]);

    let batch = device.bring(&[A, B].concat());
    device.call(
        "cublasDgemmStridedBatched",
        &[0, 0, n, n, n, one, batch, n, 9, b, n, 0, zero, c, n, 9, 2],
    );
    assert_same(&device.fetch(c, 18), &[product(&A, &B), product(&B, &B)].concat());
}

#[test]
fn factors_solve_as_those_of_lapack() {
    let folder = Folder::new();
    let device = Device::new(&folder, ["cusolverDnCreate", "cusolverDnSetStream"]);
    let n = N as u64;
    let right = product(&B, &A);
    let (a, b) = (device.bring(&B), device.bring(&right));
    let (work, whole) = (device.bring(&[]), device.bring(&[]));
    let info = whole + 8 * 100;
    let mut room = 0_i32;
    device.call("cusolverDnDgetrf_bufferSize", &[n, n, a, n, &raw mut room as u64]);
    assert!(room as usize <= ROOM);
    device.call("cusolverDnDgetrf", &[n, n, a, n, work, whole, info]);
    device.call("cusolverDnDgetrs", &[0, n, n, a, n, whole, b, n, info]);
    assert_same(&device.fetch(b, 9), &A);

    // Q' times the matrix is the triangle.
    let (a, c, tau) = (device.bring(&B), device.bring(&B), whole);
    device.call("cusolverDnDgeqrf_bufferSize", &[n, n, a, n, &raw mut room as u64]);
    let room = room.unsigned_abs().into();
    device.call("cusolverDnDgeqrf", &[n, n, a, n, tau, work, room, info]);
    device.call("cusolverDnDormqr", &[0, 1, n, n, n, a, n, tau, c, n, work, room, info]);
    let (factors, triangle) = (device.fetch(a, 9), device.fetch(c, 9));
    let upper = |at: usize| if at % N > at / N { 0.0 } else { factors[at] };
    assert_same(&triangle, &(0..9).map(upper).collect::<Vec<f64>>());
}
