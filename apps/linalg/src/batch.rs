//! Many small problems of one shape: products, triangular solves, Cholesky and LU factorisations.
//!
//! The matrices of a [`Batch`] lie in chunks, as many in each as make a task worth its while; a
//! task works on a chunk. A problem without a solution leaves the others alone: [`Infos`] say how
//! each went.

use std::marker::PhantomData;

use tegula_kernels::batch::{GemmBatch, GetrfBatch, GetrsBatch, PotrfBatch, TrsmBatch};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::trsm::Triangle;

/// Bytes of the matrices of a chunk, about: a task of some hundred microseconds.
const CHUNK_BYTES: usize = 1 << 17;

/// `count` matrices of `m x n`.
#[derive(Debug)]
pub struct Batch<T> {
    m: usize,
    n: usize,
    count: usize,
    /// Matrices in a chunk that is not the last.
    per_chunk: usize,
    chunks: Vec<Handle>,
    scalar: PhantomData<T>,
}

/// How each problem of a factorisation went: 0, or the place at which LAPACK's routine would stop.
#[derive(Debug)]
pub struct Infos(Vec<Handle>);

/// Rows that the steps of LU factorisations exchanged.
#[derive(Debug)]
pub struct BatchPivots(Vec<Handle>);

/// How many of `count` problems, the largest matrix of each of so many bytes, a task takes on:
/// enough to be worth its while, but not so many that `workers` have too few tasks.
#[must_use]
pub fn problems_per_task(count: usize, matrix_bytes: usize, workers: usize) -> usize {
    let most = count.div_ceil(4 * workers.max(1)).max(1);
    (CHUNK_BYTES / matrix_bytes.max(1)).clamp(1, most)
}

impl<T: Scalar> Batch<T> {
    /// Registers `count` matrices of `m x n`, in chunks for problems whose largest matrix has
    /// `order` rows: batches that are used together need the same.
    ///
    /// # Panics
    /// If a size does not fit 32 bits.
    #[must_use]
    pub fn new(flow: &mut Flow, (m, n): (usize, usize), count: usize, order: usize) -> Self {
        assert!(m.max(n).max(count) <= u32::MAX as usize, "{count} matrices of {m} x {n}");
        let per_chunk = problems_per_task(count, order * order * size_of::<T>(), flow.workers());
        let mut batch = Self { m, n, count, per_chunk, chunks: Vec::new(), scalar: PhantomData };
        let chunks = 0..count.div_ceil(per_chunk);
        let bytes = |chunk| batch.in_chunk(chunk) * m * n * size_of::<T>();
        batch.chunks = chunks.map(|chunk| flow.register(bytes(chunk))).collect();
        batch
    }

    /// The `count` matrices of `m x n` that stand side by side in `matrix`, `per_chunk` of them in
    /// each of its tiles but the last; matrices without entries have no tiles, and then nothing is
    /// done for them.
    ///
    /// # Panics
    /// If `matrix` is of another shape, or cut in another way, or a size does not fit 32 bits.
    #[must_use]
    pub fn of(
        matrix: &TileMatrix<T>,
        (m, n): (usize, usize),
        count: usize,
        per_chunk: usize,
    ) -> Self {
        assert!(m.max(n).max(count) <= u32::MAX as usize, "{count} matrices of {m} x {n}");
        let shape = (matrix.m(), matrix.n());
        assert!(shape == (m, n * count), "{shape:?}, not {count} matrices of {m} x {n}");
        let (tile, chunk) = ((matrix.mb(), matrix.nb()), (m.max(1), (n * per_chunk).max(1)));
        assert!(tile == chunk, "tiles of {tile:?}, not {per_chunk} matrices of {m} x {n}");
        let chunks = (0..matrix.mt() * matrix.nt()).map(|chunk| matrix.tile(0, chunk)).collect();
        Self { m, n, count, per_chunk, chunks, scalar: PhantomData }
    }

    /// A handle of so many bytes per problem for each chunk.
    fn handles(&self, flow: &mut Flow, bytes: usize) -> Vec<Handle> {
        self.each().map(|(_, _, count)| flow.register(count as usize * bytes)).collect()
    }

    fn in_chunk(&self, chunk: usize) -> usize {
        self.per_chunk.min(self.count - chunk * self.per_chunk)
    }

    /// Chunks with the number of matrices in each.
    fn each(&self) -> impl Iterator<Item = (usize, Handle, u32)> + '_ {
        let chunks = self.chunks.iter().enumerate();
        chunks.map(|(chunk, &handle)| (chunk, handle, self.in_chunk(chunk) as u32))
    }

    /// Waits, then sets entry `(i, j)` of matrix `p` to `entry(p, i, j)`.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn fill_with(
        &self,
        flow: &mut Flow,
        entry: impl Fn(usize, usize, usize) -> T,
    ) -> Result<(), FlowError> {
        for (chunk, handle, count) in self.each() {
            let (m, n, first) = (self.m, self.n, chunk * self.per_chunk);
            let places = (0..count as usize)
                .flat_map(|p| (0..n).flat_map(move |j| (0..m).map(move |i| (first + p, i, j))));
            let numbers: Vec<T> = places.map(|(p, i, j)| entry(p, i, j)).collect();
            flow.overwrite(handle, &numbers)?;
        }
        Ok(())
    }

    /// Waits, then answers matrix `p`, column-major without gaps.
    ///
    /// # Errors
    /// Those of the flow.
    ///
    /// # Panics
    /// If there is no such matrix.
    pub fn matrix(&self, flow: &mut Flow, p: usize) -> Result<Vec<T>, FlowError> {
        assert!(p < self.count, "matrix {p} of {}", self.count);
        let (size, place) = (self.m * self.n, p % self.per_chunk);
        let numbers = flow.read::<T>(self.chunks[p / self.per_chunk])?;
        Ok(numbers[place * size..][..size].to_vec())
    }

    /// Takes the matrices away, after everything submitted has run.
    pub fn unregister(self, flow: &mut Flow) {
        self.chunks.iter().for_each(|&chunk| flow.unregister(chunk));
    }

    /// # Panics
    /// If the shapes are others than `shape`, or the chunks than those of `other`.
    fn check<U: Scalar>(&self, shape: (usize, usize), other: &Batch<U>) {
        assert!((self.m, self.n) == shape, "{} x {} against {shape:?}", self.m, self.n);
        let (mine, theirs) = ((self.count, self.per_chunk), (other.count, other.per_chunk));
        assert!(mine == theirs, "problems and problems in a chunk: {mine:?} against {theirs:?}");
    }
}

impl Infos {
    /// Registers an info for each problem of `a`.
    #[must_use]
    pub fn new<T: Scalar>(flow: &mut Flow, a: &Batch<T>) -> Self {
        Self(a.handles(flow, size_of::<u32>()))
    }

    /// Waits, then answers all.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn read(&self, flow: &mut Flow) -> Result<Vec<u32>, FlowError> {
        joined(flow, &self.0)
    }

    /// Takes them away, after everything submitted has run.
    pub fn unregister(self, flow: &mut Flow) {
        self.0.iter().for_each(|&chunk| flow.unregister(chunk));
    }
}

impl BatchPivots {
    /// Registers the pivots of each matrix of `a`.
    #[must_use]
    pub fn new<T: Scalar>(flow: &mut Flow, a: &Batch<T>) -> Self {
        Self(a.handles(flow, a.m.min(a.n) * size_of::<u32>()))
    }

    /// Waits, then answers, problem after problem, the row that each step exchanged with its own,
    /// from 0.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn rows(&self, flow: &mut Flow) -> Result<Vec<u32>, FlowError> {
        joined(flow, &self.0)
    }

    /// Takes them away, after everything submitted has run.
    pub fn unregister(self, flow: &mut Flow) {
        self.0.iter().for_each(|&chunk| flow.unregister(chunk));
    }
}

/// What `chunks` hold, one after the other.
fn joined(flow: &mut Flow, chunks: &[Handle]) -> Result<Vec<u32>, FlowError> {
    let mut numbers = Vec::new();
    for &chunk in chunks {
        numbers.extend_from_slice(flow.read::<u32>(chunk)?);
    }
    Ok(numbers)
}

/// Submits `C = alpha op(A) op(B) + beta C` for each problem.
///
/// # Panics
/// If the shapes or the chunks do not fit each other.
pub fn gemm<T: Scalar>(
    flow: &mut Flow,
    (trans_a, trans_b): (Trans, Trans),
    alpha: T,
    (a, b): (&Batch<T>, &Batch<T>),
    beta: T,
    c: &Batch<T>,
) {
    let (m, n, k) = (c.m, c.n, if trans_a.swaps() { a.m } else { a.n });
    a.check(trans_a.stored(m, k), c);
    b.check(trans_b.stored(k, n), c);
    let (m, n, k) = (m as u32, n as u32, k as u32);
    for (chunk, handle, count) in c.each() {
        let task = GemmBatch { trans_a, trans_b, m, n, k, count, alpha, beta };
        flow.submit(task, &[(a.chunks[chunk], R), (b.chunks[chunk], R), (handle, RW)], 0);
    }
}

/// Submits `B = alpha inv(op(T)) B`, or from the right, for each problem.
///
/// # Panics
/// If the shapes or the chunks do not fit each other.
pub fn trsm<T: Scalar>(flow: &mut Flow, how: Triangle, alpha: T, t: &Batch<T>, b: &Batch<T>) {
    let Triangle { side, uplo, trans, diag } = how;
    let order = if side == Side::Left { b.m } else { b.n };
    t.check((order, order), b);
    let (m, n) = (b.m as u32, b.n as u32);
    for (chunk, handle, count) in b.each() {
        let task = TrsmBatch { side, uplo, trans, diag, m, n, count, alpha };
        flow.submit(task, &[(t.chunks[chunk], R), (handle, RW)], 0);
    }
}

/// Submits the Cholesky factorisation of each matrix, of which the triangle `uplo` is read and
/// overwritten.
///
/// # Panics
/// If the matrices are not square, or `infos` are those of other chunks.
pub fn potrf<T: Scalar>(flow: &mut Flow, uplo: Uplo, a: &Batch<T>, infos: &Infos) {
    a.check((a.n, a.n), a);
    let n = a.n as u32;
    for (chunk, handle, count) in a.each() {
        let task = PotrfBatch::<T> { uplo, n, count, scalar: PhantomData };
        flow.submit(task, &[(handle, RW), (infos.0[chunk], W)], 0);
    }
}

/// Submits the solves with the factors that [`potrf`] left.
///
/// # Panics
/// If the shapes or the chunks do not fit each other.
pub fn potrs<T: Scalar>(flow: &mut Flow, uplo: Uplo, a: &Batch<T>, b: &Batch<T>) {
    let order = match uplo {
        Uplo::Lower => [Trans::No, Trans::Conj],
        Uplo::Upper => [Trans::Conj, Trans::No],
    };
    for trans in order {
        let how = Triangle { side: Side::Left, uplo, trans, diag: Diag::NonUnit };
        trsm(flow, how, T::ONE, a, b);
    }
}

/// Submits the LU factorisation with partial pivoting of each matrix.
///
/// # Panics
/// If `pivots` or `infos` are those of other chunks.
pub fn getrf<T: Scalar>(flow: &mut Flow, a: &Batch<T>, pivots: &BatchPivots, infos: &Infos) {
    let (m, n) = (a.m as u32, a.n as u32);
    for (chunk, handle, count) in a.each() {
        let task = GetrfBatch::<T> { m, n, count, scalar: PhantomData };
        flow.submit(task, &[(handle, RW), (pivots.0[chunk], W), (infos.0[chunk], W)], 0);
    }
}

/// Submits the solves with the factors that [`getrf`] left.
///
/// # Panics
/// If the shapes or the chunks do not fit each other.
pub fn getrs<T: Scalar>(
    flow: &mut Flow,
    trans: Trans,
    a: &Batch<T>,
    pivots: &BatchPivots,
    b: &Batch<T>,
) {
    a.check((b.m, b.m), b);
    let (n, nrhs) = (b.m as u32, b.n as u32);
    for (chunk, handle, count) in b.each() {
        let task = GetrsBatch::<T> { trans, n, nrhs, count, scalar: PhantomData };
        let accesses = [(a.chunks[chunk], R), (pivots.0[chunk], R), (handle, RW)];
        flow.submit(task, &accesses, 0);
    }
}
