//! Sets of places whose conditionals are worked out together, a block of places to a task; or of
//! each place and its neighbours by itself.
//!
//! Each place begins as a set, of it and its neighbours. From the nearest neighbours on, the sets
//! of a place and of its neighbour become one if the square of the size of that is no more than the
//! sum of their squares, so that the covariances to be evaluated, and the room that devices need,
//! become no more. A place of a set is then given all of the set before it. Source: J. Guinness,
//! "Permutation and grouping methods for sharpening Gaussian process approximations", Technometrics
//! 60 (2018) 415-429, algorithm 2.

use tegula_kernels::kernel::vecchia::{NONE, OWN};
use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};

/// The sets of a block; buffers `[ranks: R, neighbours: R, sets: W]`, neighbours as of
/// [`super::neighbours::Before`], sets as of [`tegula_kernels::kernel::vecchia::Sets`], the least
/// first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join {
    /// The first place.
    pub(super) first: usize,
    /// How many places.
    pub(super) rows: usize,
    /// How many neighbours of each, those that are missing counted.
    pub(super) neighbours: usize,
    /// Whether sets become one.
    pub(super) merges: bool,
}

/// A place with its number in the order before it.
type Member = (u32, u32);

/// A set.
struct Set {
    /// Those whose conditionals it has.
    own: Vec<u32>,
    /// All, in order.
    all: Vec<Member>,
}

impl Join {
    /// Most numbers of the buffer of sets: a union is no larger than its parts together.
    pub(super) fn most(&self) -> usize {
        1 + self.rows * (self.neighbours + 2)
    }

    /// The sets, in the order of their sizes.
    fn sets(&self, ranks: &[u32], lists: &[u32]) -> Vec<Set> {
        let &Self { first, rows, neighbours: m, merges } = self;
        let list = |row: usize| &lists[row * m..][..m];
        let member = |place: u32| (ranks[place as usize], place);
        let alone = |row: usize| {
            let place = (first + row) as u32;
            let given = list(row).iter().filter(|&&other| other != NONE);
            let mut all: Vec<Member> = given.map(|&other| member(other)).collect();
            all.push(member(place));
            all.sort_unstable();
            Some(Set { own: vec![place], all })
        };
        let mut sets: Vec<Option<Set>> = (0..rows).map(alone).collect();
        // Of each row the set that it belongs to.
        let mut owner: Vec<usize> = (0..rows).collect();
        for slot in (0..m).rev().filter(|_| merges) {
            for row in 0..rows {
                let other = (list(row)[slot] as usize).wrapping_sub(first);
                if other >= rows || owner[other] == owner[row] {
                    continue;
                }
                let (to, from) = (owner[row], owner[other]);
                let [a, b] = [to, from].map(|set| sets[set].as_ref().expect("an owner is a set"));
                let Some(all) = union(&a.all, &b.all) else { continue };
                let taken = sets[from].take().expect("an owner is a set");
                for &place in &taken.own {
                    owner[place as usize - first] = to;
                }
                let set = sets[to].as_mut().expect("an owner is a set");
                set.own.extend(taken.own);
                set.all = all;
            }
        }
        let mut sets: Vec<Set> = sets.into_iter().flatten().collect();
        sets.sort_by_key(|set| set.all.len());
        sets
    }
}

/// All of both, in order, if its square is no more than the sum of theirs.
fn union(a: &[Member], b: &[Member]) -> Option<Vec<Member>> {
    let most = a.len() * a.len() + b.len() * b.len();
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::new();
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => *x.min(y),
            (x, y) => *x.or(y)?,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        all.push(next);
        if all.len() * all.len() > most {
            return None;
        }
    }
    Some(all)
}

impl Codelet for Join {
    const NAME: &'static str = "vecchia_sets";
    const ACCESS: &'static [Access] = &[R, R, W];

    fn cost(&self) -> Cost {
        let steps = (self.rows * self.neighbours * (self.neighbours + 30)) as f64;
        Cost { flops: 2.0 * steps, bytes: 4.0 * steps }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let sets = self.sets(buffers.read(0), buffers.read(1));
        let to = buffers.write::<u32>(2);
        to[0] = sets.len() as u32;
        let mut next = 1;
        for Set { own, all } in &sets {
            to[next] = all.len() as u32;
            for (to, &(_, place)) in to[next + 1..].iter_mut().zip(all) {
                *to = if own.contains(&place) { place | OWN } else { place };
            }
            next += 1 + all.len();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a line, each given the three before it.
    #[test]
    fn a_run_of_places_becomes_sets_that_share_what_they_are_given() {
        let (rows, neighbours) = (40, 3);
        let ranks: Vec<u32> = (0..50).collect();
        let join = Join { first: 10, rows, neighbours, merges: true };
        let lists: Vec<u32> = (10..50).flat_map(|place| place - 3..place).collect();
        let sets = join.sets(&ranks, &lists);
        let mut own: Vec<u32> = sets.iter().flat_map(|set| set.own.clone()).collect();
        own.sort_unstable();
        assert_eq!(own, (10..50).collect::<Vec<u32>>(), "each place is of one set");
        let squares: usize = sets.iter().map(|set| set.all.len().pow(2)).sum();
        assert!(squares <= rows * (neighbours + 1).pow(2), "{squares} pairs");
        assert!(sets.len() < rows / 2, "{} sets", sets.len());
        for set in &sets {
            assert!(set.all.windows(2).all(|pair| pair[0] < pair[1]), "in order");
            for &place in &set.own {
                let has = |other: u32| set.all.contains(&(other, other));
                assert!((place - 3..=place).all(has), "its neighbours");
            }
        }
    }

    #[test]
    fn sets_that_share_nothing_stay_apart() {
        let ranks: Vec<u32> = (0..6).collect();
        let join = Join { first: 4, rows: 2, neighbours: 2, merges: true };
        assert_eq!(join.sets(&ranks, &[0, 1, 2, 4]).len(), 2);
        // Nor do those that are not to be merged become one.
        let lists = [2, 3, 3, 4];
        assert_eq!(join.sets(&ranks, &lists).len(), 1);
        let sets = Join { merges: false, ..join }.sets(&ranks, &lists);
        let own: Vec<&[u32]> = sets.iter().map(|set| &set.own[..]).collect();
        assert_eq!(own, [[4], [5]]);
    }
}
