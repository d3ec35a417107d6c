//! Which squares of a symmetric matrix are compared with their mirror images, and the tasks that do
//! it.

use tegula_files::source::Block;
use tegula_kernels::kernel::sweep::{Compare, Tile};
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, Handle};
use tegula_runtime::ranks::Rank;

use super::{Edges, Place, Stream};

/// Pairs of rooms of each rank, so that one is read into while another is compared.
const ROOMS: usize = 2;

impl Stream {
    /// Submits the comparison of `samples` squares off the diagonal, or all if there are fewer,
    /// with their mirror images; what differs is noted in the `lines` of their rows. Returns how
    /// many they are.
    pub fn compare_mirrored(&self, flow: &mut Flow, lines: &[Handle], samples: usize) -> usize {
        let [rows, _] = self.tiling.bands;
        let squares = Edges::new(rows.length(), self.tiling.height());
        let chosen = chosen(squares.count(), samples);
        let bytes = squares.widest().pow(2) * self.reading.source().element().bytes();
        let ranks = flow.ranks();
        let rooms = (0..(ROOMS * ranks).min(chosen.len()))
            .map(|room| {
                let pair = [flow.register(bytes), flow.register(bytes)];
                pair.iter().for_each(|&half| flow.set_owner(half, Rank((room % ranks) as u16)));
                pair
            })
            .collect::<Vec<[Handle; 2]>>();
        for (&(i, j), &[upper, lower]) in chosen.iter().zip(rooms.iter().cycle()) {
            let block = Block { rows: squares.range(i), columns: squares.range(j) };
            let mirror = Block { rows: block.columns.clone(), columns: block.rows.clone() };
            flow.submit(self.reading.task(&block), &[(upper, W)], 0);
            flow.submit(self.reading.task(&mirror), &[(lower, W)], 0);
            let band = rows.band(block.rows.start);
            let bands = (band, rows.band(block.columns.start));
            let tile = Tile { is_diagonal: false, ..self.tile(&Place { bands, block }, 0) };
            let accesses = [(upper, R), (lower, R), (lines[band], self.adding(flow))];
            flow.submit(Compare { tile }, &accesses, 0);
        }
        rooms.into_iter().flatten().for_each(|room| flow.retire(room));
        chosen.len()
    }
}

/// About `most` of the squares above the diagonal of `count` by `count`, or all if there are fewer;
/// none if `most` is 0.
///
/// They are squares `(i, i + d mod count)` of some `d`, for all `i`: entries of every line are
/// among them, so that a line which is wrong all along is found.
fn chosen(count: usize, most: usize) -> Vec<(usize, usize)> {
    let far = count / 2;
    let circles = if most == 0 { 0 } else { most.div_ceil(count.max(1)).min(far) };
    let circle = |d: usize| {
        // Half way round, each square comes twice.
        let starts = if 2 * d == count { d } else { count };
        (0..starts).map(move |i| (i.min((i + d) % count), i.max((i + d) % count)))
    };
    let apart = (0..circles).map(|k| (2 * k + 1) * far / (2 * circles) + 1);
    apart.flat_map(circle).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::chosen;

    #[test]
    fn squares_are_different_and_meet_every_line() {
        for count in 0..40 {
            let all = count * usize::saturating_sub(count, 1) / 2;
            for most in [0, 1, 7, 30, 200, 1000] {
                let found = chosen(count, most);
                let set: BTreeSet<_> = found.iter().copied().collect();
                assert_eq!(set.len(), found.len(), "{most} of {count}");
                assert!(found.iter().all(|&(i, j)| i < j && j < count), "{most} of {count}");
                assert!(found.len() + count / 2 >= most.min(all), "{} of {most}", found.len());
                assert!(found.len() < most + count.max(1), "{} for {most} of {count}", found.len());
                let lines: BTreeSet<_> = found.iter().flat_map(|&(i, j)| [i, j]).collect();
                assert!(found.is_empty() || lines.len() == count, "{most} of {count}");
            }
        }
    }
}
