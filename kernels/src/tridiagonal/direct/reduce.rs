//! The whole reduction of a real matrix on the calling thread.

use super::panel::{Panel, Span, multiply, update};
use super::{PARTS, Shares};
use crate::backend;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// Columns of a block of the matrix.
const BLOCK: usize = 128;
/// Columns between two updates of the matrix.
const COLUMNS: usize = 32;

/// A tridiagonal matrix `T`, and the reflectors of `Q` in `A = Q T Q'`.
#[derive(Clone, Debug)]
pub(crate) struct Tridiagonal<R> {
    /// The diagonal of `T`.
    pub(crate) diagonal: Vec<R>,
    /// The entries below it.
    pub(crate) below: Vec<R>,
    /// The reflectors, in the columns of an `n x n` matrix: column `j` has its one in row `j + 1`.
    pub(crate) reflectors: Vec<R>,
    /// Their factors.
    pub(crate) tau: Vec<R>,
}

/// Reduces the symmetric matrix whose lower triangle `a` holds.
pub(crate) fn tridiagonalise<R: Real>(a: TileRef<'_, R>) -> Tridiagonal<R> {
    let (n, blas) = (a.rows(), R::blas(backend::current()));
    let shares = Shares { n, width: BLOCK };
    let mut parts: [Vec<R>; PARTS] = std::array::from_fn(|part| {
        let mut entries = Vec::with_capacity(shares.entries(part));
        for block in shares.of(part) {
            let rows = block.first..n;
            let columns = block.first..block.first + block.columns;
            let places = columns.flat_map(|j| rows.clone().map(move |i| (i, j)));
            entries.extend(places.map(|(i, j)| if i < j { R::ZERO } else { a.at(i, j) }));
        }
        entries
    });
    let mut products: [Vec<R>; PARTS] = std::array::from_fn(|_| vec![R::ZERO; n + 2 * COLUMNS]);
    let (mut diagonal, mut below) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let (mut reflectors, mut tau) = (vec![R::ZERO; n * n], Vec::with_capacity(n));
    for first in (0..n).step_by(COLUMNS) {
        let width = COLUMNS.min(n - first);
        let span = Span { n, first, width };
        let (mut vw, mut scalars) = (vec![R::ZERO; 2 * n * width], vec![R::ZERO; 3 * width]);
        let vw = &mut TileMut::new(&mut vw, n, 2 * width);
        for c in 0..=width.min(n - 1 - first) {
            let mut panel = Panel { span, vw: vw.reborrow(), scalars: &mut scalars };
            if c > 0 {
                panel.complete(blas, c - 1, &products.each_ref().map(|part| &part[..]));
            }
            if c == width {
                break;
            }
            let j = first + c;
            let (part, block) = shares.find(j);
            let column = block.read(&parts[part]).col(j - block.first).expect("adjacent rows");
            panel.reflect(blas, c, &column[j - block.first..]);
            if j + 1 < n {
                for (part, (share, to)) in parts.iter().zip(&mut products).enumerate() {
                    multiply(blas, (shares, part, share), (span, c), vw.as_ref(), to);
                }
            }
        }
        if first + width < n {
            for (part, share) in parts.iter_mut().enumerate() {
                update(blas, (shares, part, share), span, vw.as_ref());
            }
        }
        diagonal.extend_from_slice(&scalars[..width]);
        let count = width.min(n - 1 - first);
        below.extend_from_slice(&scalars[width..][..count]);
        tau.extend_from_slice(&scalars[2 * width..][..count]);
        let kept = vw.as_ref().part(0, 0, n, count);
        TileMut::new(&mut reflectors, n, n).part(0, first, n, count).copy_from(kept);
    }
    Tridiagonal { diagonal, below, reflectors, tau }
}
