//! Tile low-rank Cholesky factorisation: tiles below the diagonal are products of thin factors
//! where that saves memory.
//!
//! Left-looking, a column of tiles at a time: a tile is filled, what the columns before leave of it
//! is worked out in full, and then it is rounded, once. With the matrix `A` the factor is that of
//! `A + E`, where each tile of `E` below the diagonal has a norm of Frobenius of at most the
//! tolerance, those on the diagonal are zero, and nothing is added to any: beside rounding, as in
//! any factorisation. G. Boukaram, S. Zampini, G. Turkiyyah, D. Keyes, "H2OPUS-TLR: high
//! performance tile low rank symmetric factorizations using adaptive randomized approximation",
//! arXiv:2108.11932 (2021); the format is that of K. Akbudak, H. Ltaief, A. Mikhalev, D. Keyes,
//! "Tile low rank Cholesky factorization for climate/weather modeling applications on manycore
//! architectures", ISC 2017.
//!
//! Memory is that of the factor, and of one column of dense tiles.

use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::kernel::low_rank_tiles::{Apply, Compress, Form, MOST_PAIRS, Settle, Update};
use tegula_kernels::kernel::potrf::Potrf;
use tegula_kernels::kernel::trsm::Trsm;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_runtime::ranks::Spot;
use tegula_tiles::TileMatrix;

/// A tile of a [`TlrFactor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tile {
    /// None of a tile of zeros.
    handle: Option<Handle>,
    form: Form,
}

/// A lower triangular matrix of order `n` in tiles of order `nb`: those on the diagonal are dense,
/// each below is dense or has thin factors.
#[derive(Clone, Debug)]
pub struct TlrFactor {
    n: usize,
    nb: usize,
    /// Column by column.
    columns: Vec<Vec<Tile>>,
}

/// What became of the tiles below the diagonal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ranks {
    /// How many there are.
    pub tiles: usize,
    /// Of these, how many stayed dense.
    pub dense: usize,
    /// The largest rank of the others.
    pub largest: usize,
    /// Their mean rank.
    pub mean: f64,
    /// Bytes of the factor, diagonal included.
    pub bytes: u64,
    /// What a dense one would take.
    pub dense_bytes: u64,
}

impl TlrFactor {
    /// Number of rows of tiles.
    #[must_use]
    pub fn nt(&self) -> usize {
        self.n.div_ceil(self.nb)
    }

    /// Order of tile `i` on the diagonal.
    #[must_use]
    pub fn rows(&self, i: usize) -> usize {
        self.nb.min(self.n - i * self.nb)
    }

    /// Tile `k` on the diagonal, dense; its lower triangle counts.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn diagonal(&self, k: usize) -> Handle {
        self.columns[k][0].handle.expect("tiles on the diagonal are dense")
    }

    /// Tile `(i, j)`, `i > j`, in its form; none of a tile of zeros.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn below(&self, i: usize, j: usize) -> (Option<Handle>, Form) {
        let Tile { handle, form } = self.tile(i, j);
        (handle, form)
    }

    fn tile(&self, i: usize, j: usize) -> Tile {
        self.columns[j][i - j]
    }

    /// What became of the tiles below the diagonal.
    #[must_use]
    pub fn ranks(&self) -> Ranks {
        let (mut ranks, mut sum) = (Ranks::default(), 0);
        for (j, column) in self.columns.iter().enumerate() {
            for (below, tile) in column.iter().enumerate() {
                let (m, n) = (self.rows(j + below), self.rows(j));
                let bytes = |form: Form| (form.numbers(m, n) * size_of::<f64>()) as u64;
                ranks.bytes += bytes(tile.form);
                ranks.dense_bytes += bytes(Form::Dense);
                ranks.tiles += usize::from(below > 0);
                match tile.form {
                    Form::LowRank(rank) => {
                        sum += rank as usize;
                        ranks.largest = ranks.largest.max(rank as usize);
                    }
                    Form::Dense => ranks.dense += usize::from(below > 0),
                }
            }
        }
        ranks.mean = sum as f64 / (ranks.tiles - ranks.dense).max(1) as f64;
        ranks
    }

    /// Takes it apart once everything submitted so far has run, without waiting for it.
    pub fn retire(self, flow: &mut Flow) {
        let tiles = self.columns.into_iter().flatten();
        tiles.filter_map(|tile| tile.handle).for_each(|handle| flow.retire(handle));
    }
}

/// Factorises the symmetric positive definite matrix of order `shape.0`, in tiles of order
/// `shape.1`, that `fill` makes: it submits what writes the tile `(i, j)`, of which on the diagonal
/// the lower triangle counts. Tiles below the diagonal are off by at most `tolerance` in the norm
/// of Frobenius. Waits for each column, since the sizes of tiles follow from what they hold.
///
/// # Errors
/// Those of tasks: [`NotPositiveDefinite`] with the order of the leading minor that is not, also
/// where the tolerance is too large.
///
/// # Panics
/// If tiles are empty, or the tolerance is not above 0.
///
/// [`NotPositiveDefinite`]: tegula_kernels::error::NumericalError::NotPositiveDefinite
pub fn potrf_tlr(
    flow: &mut Flow,
    (n, nb): (usize, usize),
    tolerance: f64,
    mut fill: impl FnMut(&mut Flow, (usize, usize), Handle),
) -> Result<TlrFactor, FlowError> {
    assert!(nb > 0, "tiles of order {nb} are empty");
    assert!(tolerance > 0.0, "a tolerance of {tolerance}");
    let mut factor = TlrFactor { n, nb, columns: Vec::new() };
    for k in 0..factor.nt() {
        flow.iteration(k);
        let column = Column::new(flow, &factor, k);
        for (below, &tile) in column.tiles.iter().enumerate() {
            fill(flow, (k + below, k), tile);
        }
        flow.phase("factorization");
        column.submit(flow, &factor, tolerance);
        match column.settle(flow, &factor) {
            Ok(column) => factor.columns.push(column),
            Err(error) => {
                factor.retire(flow);
                return Err(error);
            }
        }
    }
    Ok(factor)
}

/// A column of tiles that is worked on, dense.
struct Column {
    k: usize,
    tiles: Vec<Handle>,
    /// What compression says of each below the diagonal.
    codes: Vec<Handle>,
}

impl Column {
    fn new(flow: &mut Flow, factor: &TlrFactor, k: usize) -> Self {
        let tile =
            |i: usize| flow.register_at(bytes(factor, (i, k), Form::Dense), spot(factor, (i, k)));
        let tiles = (k..factor.nt()).map(tile).collect();
        let codes = (k + 1..factor.nt()).map(|_| flow.register(Form::CODE_BYTES)).collect();
        Self { k, tiles, codes }
    }

    /// Submits what the columns before take off each tile, the factorisation of the first, and the
    /// compression of the others.
    fn submit(&self, flow: &mut Flow, factor: &TlrFactor, tolerance: f64) {
        let &Self { k, ref tiles, ref codes } = self;
        let n = factor.rows(k);
        for (below, &tile) in tiles.iter().enumerate() {
            let i = k + below;
            update(flow, factor, (i, k), tile);
            if below == 0 {
                let potrf = Potrf::<f64>::new(Uplo::Lower, n, k * factor.nb);
                flow.submit(potrf, &[(tile, RW)], 1);
                continue;
            }
            // As far from the diagonal, and one column before, ranks are alike.
            let expected = match k.checked_sub(1).map(|before| factor.tile(i - 1, before).form) {
                Some(Form::LowRank(rank)) => rank as usize,
                _ => 0,
            };
            let compress = Compress { m: factor.rows(i), n, tolerance, expected };
            flow.submit(compress, &[(tile, RW), (codes[below - 1], W)], 0);
        }
    }

    /// Waits, and submits what makes tiles of the factor of these; gives back what they took.
    fn settle(self, flow: &mut Flow, factor: &TlrFactor) -> Result<Vec<Tile>, FlowError> {
        let Self { k, tiles, codes } = self;
        let forms = flow.wait().and_then(|()| {
            let form = |&code: &Handle| Ok(Form::of_code(flow.read::<u64>(code)?[0]));
            codes.iter().map(form).collect::<Result<Vec<Form>, FlowError>>()
        });
        codes.into_iter().for_each(|code| flow.retire(code));
        let forms = match forms {
            Ok(forms) => forms,
            Err(error) => {
                tiles.into_iter().for_each(|tile| flow.retire(tile));
                return Err(error);
            }
        };
        let diagonal = tiles[0];
        let mut settled = vec![Tile { handle: Some(diagonal), form: Form::Dense }];
        for (below, (&tile, form)) in tiles[1..].iter().zip(forms).enumerate() {
            let i = k + 1 + below;
            let (m, n) = (factor.rows(i), factor.rows(k));
            let handle = match form {
                Form::Dense => {
                    let (side, uplo, trans) = (Side::Right, Uplo::Lower, Trans::Yes);
                    let diag = Diag::NonUnit;
                    let solve = Trsm { side, uplo, trans, diag, m, n, ld: n, alpha: 1.0 };
                    flow.submit(solve, &[(diagonal, R), (tile, RW)], 0);
                    Some(tile)
                }
                Form::LowRank(rank) => {
                    let handle = (rank > 0).then(|| {
                        let place = (i, k);
                        let to = flow.register_at(bytes(factor, place, form), spot(factor, place));
                        let settle = Settle { m, n, rank: rank as usize };
                        flow.submit(settle, &[(diagonal, R), (tile, R), (to, W)], 0);
                        to
                    });
                    flow.retire(tile);
                    handle
                }
            };
            settled.push(Tile { handle, form });
        }
        Ok(settled)
    }
}

fn bytes(factor: &TlrFactor, (i, j): (usize, usize), form: Form) -> usize {
    form.numbers(factor.rows(i), factor.rows(j)) * size_of::<f64>()
}

fn spot(factor: &TlrFactor, (row, column): (usize, usize)) -> Spot {
    Spot { row, column, rows: factor.nt(), columns: factor.nt() }
}

/// Submits what the columns before `k` take off tile `(i, k)`, some products at a time.
fn update(flow: &mut Flow, factor: &TlrFactor, (i, k): (usize, usize), tile: Handle) {
    let pair = |j: usize| {
        let tiles = [factor.tile(i, j), factor.tile(k, j)];
        let [a, b] = tiles.map(|tile| tile.handle);
        Some(([a?, b?], tiles.map(|tile| tile.form)))
    };
    let pairs: Vec<_> = (0..k).filter_map(pair).collect();
    for pairs in pairs.chunks(MOST_PAIRS) {
        match *pairs {
            [a, b, c] => submit(flow, factor, (i, k), [a, b, c], tile),
            [a, b] => submit(flow, factor, (i, k), [a, b], tile),
            [a] => submit(flow, factor, (i, k), [a], tile),
            _ => unreachable!("chunks have one to three members"),
        }
    }
}

/// Submits one update.
fn submit<const PAIRS: usize>(
    flow: &mut Flow,
    factor: &TlrFactor,
    (i, k): (usize, usize),
    pairs: [([Handle; 2], [Form; 2]); PAIRS],
    tile: Handle,
) {
    let [m, n] = [i, k].map(|row| factor.rows(row) as u32);
    // Columns before the last are of full width.
    let width = factor.nb as u32;
    let update = Update { m, n, k: width, is_lower: i == k, forms: pairs.map(|(_, forms)| forms) };
    let read = pairs.iter().flat_map(|(handles, _)| handles.map(|handle| (handle, R)));
    let accesses: Vec<_> = [(tile, RW)].into_iter().chain(read).collect();
    flow.submit(update, &accesses, 0);
}

/// Submits `Z = L^-1 Z` of a panel in tiles of the height of those of `l`.
///
/// # Panics
/// If the panel has other tiles.
pub fn trsm_tlr(flow: &mut Flow, l: &TlrFactor, z: &TileMatrix<f64>) {
    let shape = (z.m(), z.mb().min(z.m()), z.nt());
    assert!(shape == (l.n, l.nb.min(l.n), 1), "a panel of {shape:?} beside {} in {}", l.n, l.nb);
    let columns = z.n();
    for k in 0..l.nt() {
        let n = l.rows(k);
        let (side, uplo, trans, diag) = (Side::Left, Uplo::Lower, Trans::No, Diag::NonUnit);
        let solve = Trsm { side, uplo, trans, diag, m: n, n: columns, ld: n, alpha: 1.0 };
        flow.submit(solve, &[(l.diagonal(k), R), (z.tile(k, 0), RW)], 1);
        for i in k + 1..l.nt() {
            let Tile { handle: Some(tile), form } = l.tile(i, k) else { continue };
            let (m, accesses) = (l.rows(i), [(tile, R), (z.tile(k, 0), R), (z.tile(i, 0), RW)]);
            match form {
                Form::Dense => {
                    let (trans_a, trans_b, alpha, beta) = (Trans::No, Trans::No, -1.0, 1.0);
                    let product = Gemm { trans_a, trans_b, m, n: columns, k: n, alpha, beta };
                    flow.submit(product, &accesses, 0);
                }
                Form::LowRank(rank) => {
                    flow.submit(Apply { m, n, rank: rank as usize, columns }, &accesses, 0);
                }
            }
        }
    }
}
