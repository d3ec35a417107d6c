//! What holds for every distribution of the list.

use proptest::prelude::*;
use tegula_runtime::ranks::{Rank, Spot};

use super::messages::{cholesky, lu};
use super::{DISTRIBUTIONS, OwnerMap, Powers, distribution, distribution_for};
use tegula_tiles::Storage::{self, Full, Lower};

/// Distributions that need no file.
fn listed() -> impl Iterator<Item = &'static str> {
    DISTRIBUTIONS.iter().map(|entry| entry.name).filter(|name| *name != "file")
}

/// Those that follow powers.
const BY_POWER: [&str; 6] = ["1d", "1d1d", "1d1d-c", "1d1d-c+s", "peri-sum", "recursive"];

fn map(text: &str, powers: &Powers, grid: (usize, usize), storage: Storage) -> OwnerMap {
    let owners = distribution_for(text, powers, storage).expect("it is listed");
    OwnerMap::of(&*owners, grid, storage, powers.ranks())
}

fn some_powers(most: usize) -> impl Strategy<Value = Powers> {
    let powers = prop::collection::vec(1u32..9, 1..=most);
    powers.prop_map(|powers| {
        Powers::new(powers.into_iter().map(f64::from).collect()).expect("they are positive")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_tile_has_an_owner_and_always_the_same(
        powers in some_powers(13),
        (rows, columns) in (1usize..12, 1usize..12),
        is_lower in any::<bool>(),
    ) {
        let storage = if is_lower { Lower } else { Full };
        for name in listed() {
            let first = distribution_for(name, &powers, storage).expect("it is listed");
            let second = distribution_for(name, &powers, storage).expect("it is listed");
            for (row, column) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                let spot = Spot { row, column, rows, columns };
                let owner = first.owner(spot, powers.ranks());
                prop_assert!(usize::from(owner.0) < powers.ranks(), "{} {:?}", name, spot);
                prop_assert_eq!(owner, second.owner(spot, powers.ranks()), "{}", name);
            }
        }
    }

    #[test]
    fn one_rank_owns_all_and_sends_nothing(n in 1usize..12) {
        for name in listed() {
            let one = Powers::equal(1);
            prop_assert_eq!(lu(&map(name, &one, (n, n), Full)).total(), 0);
            prop_assert_eq!(cholesky(&map(name, &one, (n, n), Lower)).total(), 0);
        }
    }

    #[test]
    fn ranks_without_power_own_nothing(powers in some_powers(6), n in 1usize..12) {
        let ranks = powers.ranks();
        let with_idle = Powers::new([&[0.0], powers.as_slice(), &[0.0]].concat()).expect("some");
        for name in BY_POWER {
            let tiles = map(name, &with_idle, (n, n), Full).tiles_of_ranks();
            prop_assert_eq!((tiles[0], tiles[ranks + 1]), (0, 0), "{}", name);
        }
    }

    /// 1D-1D gives each rank its share of the rows of its column of ranks and of the columns, each
    /// up to one.
    #[test]
    fn shares_follow_powers(powers in some_powers(9), n in 20usize..60) {
        for name in ["1d", "1d1d"] {
            let tiles = map(name, &powers, (n, n), Full).tiles_of_ranks();
            for (tiles, share) in tiles.iter().zip(powers.shares()) {
                let off = (*tiles as f64 - share * (n * n) as f64).abs();
                prop_assert!(off <= 4.0 * n as f64, "{}: {} for {} of {}", name, tiles, share, n);
            }
        }
    }

    #[test]
    fn equal_ranks_have_equal_shares_up_to_a_column(ranks in 1usize..40, n in 1usize..60) {
        let tiles = map("1d1d", &Powers::equal(ranks), (n, n), Full).tiles_of_ranks();
        let off = |tiles: usize| (tiles as f64 - (n * n) as f64 / ranks as f64).abs();
        prop_assert!(tiles.iter().all(|&tiles| off(tiles) <= n as f64), "{:?}", tiles);
    }
}

#[test]
fn what_follows_the_colon_gives_the_powers() {
    let equal = Powers::equal(3);
    let powers = Powers::new(vec![2.0, 1.0, 1.0]).expect("they are positive");
    for name in BY_POWER {
        let text = format!("{name}:2,1,1");
        assert_eq!(map(&text, &equal, (9, 9), Full), map(name, &powers, (9, 9), Full), "{name}");
    }
}

#[test]
fn what_follows_the_at_sign_gives_the_ranks() {
    let owners = distribution("block-cyclic:1x2@3,1", 5).expect("it is listed");
    let spot = |column| Spot { row: 2, column, rows: 9, columns: 9 };
    assert_eq!([0, 1, 2].map(|j| owners.owner(spot(j), 5)), [Rank(3), Rank(1), Rank(3)]);
    for name in listed() {
        let tiles = map(&format!("{name}@1-2"), &Powers::equal(4), (8, 8), Full).tiles_of_ranks();
        assert_eq!((tiles[0], tiles[1] + tiles[2], tiles[3]), (0, 64, 0), "{name}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (text, expected) in [
        ("1d1d:2,1", "'2,1' holds 2 powers for 3 ranks: give one for each"),
        (
            "1d:2,x,1",
            "'2,x,1' is no list of powers, such as 2,1,1, which the distribution '1d' takes after a colon",
        ),
        (
            "1d:0,0,0",
            "'0,0,0' is no list of powers, such as 2,1,1, which the distribution '1d' takes after a colon",
        ),
        ("sbc:3", "the distribution 'sbc' takes nothing after a colon"),
        (
            "1d@0,3",
            "'0,3' names no subset of 3 ranks: write ranks from 0 to 2, each once, such as 0-3,8",
        ),
        ("block-cyclic:2x1@0", "a grid of 2 x 1 is not one of 1 rank"),
    ] {
        let error = distribution(text, 3).err().expect("it is wrong");
        assert_eq!(error.to_string(), expected, "{text}");
    }
}
