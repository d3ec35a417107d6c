//! The owners of tiles in a phase, from those of the phase after it: with as few moves between them
//! as can be.

use super::OwnerMap;

/// The map for an earlier phase in which each rank has `wanted` tiles, made from the `later` one:
/// as many tiles move as some rank has too many of, which is the least, and those that a rank gives
/// away are spread evenly over those that it has.
///
/// L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.3, algorithm 10, in whole numbers: a
/// rank that has `n` tiles and `d` too many gives its `c`-th tile away if `c d / n` has reached the
/// next whole number. The receiver is the rank that needs most, the first of those that do.
///
/// # Panics
/// If there are not as many tiles wanted as there are, or not by as many ranks.
#[must_use]
pub fn earlier_phase(later: &OwnerMap, wanted: &[usize]) -> OwnerMap {
    let had = later.tiles_of_ranks();
    assert_eq!(wanted.len(), had.len(), "ranks that want tiles, and ranks");
    let (sum, tiles) = (wanted.iter().sum::<usize>(), had.iter().sum::<usize>());
    assert_eq!(sum, tiles, "tiles that are wanted, and tiles");
    let surplus: Vec<usize> = had.iter().zip(wanted).map(|(h, w)| h.saturating_sub(*w)).collect();
    let mut need: Vec<usize> = wanted.iter().zip(&had).map(|(w, h)| w.saturating_sub(*h)).collect();
    let (mut seen, mut given) = (vec![0; had.len()], vec![0; had.len()]);
    let mut earlier = later.clone();
    for (i, j) in later.tiles() {
        let rank = later.owner(i, j);
        seen[rank] += 1;
        if surplus[rank] > 0 && seen[rank] * surplus[rank] >= (given[rank] + 1) * had[rank] {
            given[rank] += 1;
            let most = *need.iter().max().expect("there is a rank");
            let needy = need.iter().position(|&n| n == most).expect("it is one of them");
            need[needy] -= 1;
            earlier.set(i, j, needy);
        }
    }
    earlier
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::distribution::messages::redistribution;
    use tegula_tiles::Storage;

    fn moves(from: &OwnerMap, to: &OwnerMap) -> u64 {
        redistribution(from, to).total()
    }

    proptest! {
        #[test]
        fn counts_are_met_with_the_fewest_moves(
            owners in prop::collection::vec(0usize..5, 64),
            others in prop::collection::vec(0usize..5, 64),
        ) {
            let map = |owners: &[usize]| {
                OwnerMap::new((8, 8), Storage::Full, 5, |i, j| owners[8 * i + j])
            };
            let (later, wanted) = (map(&owners), map(&others).tiles_of_ranks());
            let earlier = earlier_phase(&later, &wanted);
            prop_assert_eq!(earlier.tiles_of_ranks(), wanted.clone());
            let had = later.tiles_of_ranks();
            let surplus: usize = had.iter().zip(&wanted).map(|(h, w)| h.saturating_sub(*w)).sum();
            prop_assert_eq!(moves(&earlier, &later), surplus as u64);
        }
    }

    #[test]
    fn tiles_are_given_away_evenly() {
        // Rank 0 has all of 12 and is to keep 8: every third goes.
        let later = OwnerMap::new((3, 4), Storage::Full, 2, |_, _| 0);
        let earlier = earlier_phase(&later, &[8, 4]);
        let owners: Vec<usize> = later.tiles().map(|(i, j)| earlier.owner(i, j)).collect();
        assert_eq!(owners, [0, 0, 1].repeat(4));
    }
}
