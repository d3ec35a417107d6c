//! The nearest neighbours of places, a block of them to a task.

use tegula_kernels::kernel::vecchia::NONE;
use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};

use super::tree::{Found, Place, View};

/// The nearest places among those before each in an order; buffers `[places: R, bounds: R, ranks:
/// R, least ranks of nodes: R, neighbours: W]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    /// The first place.
    pub(super) first: usize,
    /// How many places.
    pub(super) rows: usize,
    /// How many neighbours, the farthest first; those that are missing stand before them.
    pub(super) neighbours: usize,
}

/// The nearest places around others; buffers `[places: R, bounds: R, targets: R, neighbours: W]`,
/// targets as places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// As of [`Before`].
    pub(super) neighbours: usize,
}

/// Of each node the least of the numbers of its places.
pub(super) fn least(view: &View<'_>, ranks: &[u32]) -> Vec<u32> {
    let leaves = view.leaves();
    let mut least = vec![u32::MAX; view.bounds.len()];
    for node in (1..least.len()).rev() {
        least[node] = if node >= leaves {
            view.range(node).map(|place| ranks[place]).min().unwrap_or(u32::MAX)
        } else {
            least[2 * node].min(least[2 * node + 1])
        };
    }
    least
}

/// Steps of a search, as counted in [`Cost`]: some tens of nodes and leaves.
fn cost(rows: usize, neighbours: usize) -> Cost {
    let searches = rows as f64 * (30.0 + neighbours as f64);
    Cost { flops: 60.0 * searches, bytes: 64.0 * searches }
}

/// Empties `found` into `list`, the farthest first, after those that are missing.
fn write(found: &mut Found, list: &mut [u32]) {
    let missing = list.len() - found.len();
    let (none, list) = list.split_at_mut(missing);
    none.fill(NONE);
    list.iter_mut().for_each(|to| *to = found.pop().map_or(NONE, |(_, place)| place));
}

impl Codelet for Before {
    const NAME: &'static str = "neighbours";
    const ACCESS: &'static [Access] = &[R, R, R, R, W];

    fn cost(&self) -> Cost {
        cost(self.rows, self.neighbours)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let view = View { places: buffers.read(0), bounds: buffers.read(1) };
        let (ranks, least) = (buffers.read::<u32>(2), buffers.read::<u32>(3));
        let mut found = Found::with_capacity(self.neighbours + 1);
        let lists = buffers.write::<u32>(4).chunks_exact_mut(self.neighbours.max(1));
        for (place, list) in (self.first..self.first + self.rows).zip(lists) {
            let rank = ranks[place];
            let opens = |node: usize| least[node] < rank;
            let allows = |other: usize| ranks[other] < rank;
            view.nearest(&view.places[place], self.neighbours, &opens, &allows, &mut found);
            write(&mut found, list);
        }
        Ok(())
    }
}

impl Codelet for Around {
    const NAME: &'static str = "neighbours_around";
    const ACCESS: &'static [Access] = &[R, R, R, W];

    fn cost(&self) -> Cost {
        cost(1, self.neighbours)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let view = View { places: buffers.read(0), bounds: buffers.read(1) };
        let targets = buffers.read::<Place>(2);
        let mut found = Found::with_capacity(self.neighbours + 1);
        let lists = buffers.write::<u32>(3).chunks_exact_mut(self.neighbours.max(1));
        for (target, list) in targets.iter().zip(lists) {
            view.nearest(target, self.neighbours, &|_| true, &|_| true, &mut found);
            write(&mut found, list);
        }
        Ok(())
    }
}
