//! The optimal order in which rows or columns are dealt out among unequal parts.
//!
//! Beaumont, Boudet, Petitet, Rastello, Robert, "A proposal for a heterogeneous cluster ScaLAPACK
//! (dense linear solvers)", IEEE Transactions on Computers 50 (2001); algorithm 5 of L. L. Nesi,
//! PhD thesis, UGA and UFRGS, 2023, section 3.1.2.

/// For each of `length` lines the part that it goes to, so that at every `k` lines `k..length` are
/// divided as evenly in relation to the `shares` of the parts as whole lines can be.
///
/// # Panics
/// If no share is positive.
#[must_use]
pub fn shuffle(shares: &[f64], length: usize) -> Vec<usize> {
    let mut dealt = vec![0; shares.len()];
    let mut lines = vec![0; length];
    for line in lines.iter_mut().rev() {
        let part = least_loaded(shares, &dealt, 0..shares.len());
        dealt[part] += 1;
        *line = part;
    }
    lines
}

/// Loads whose ratio is nearer to 1 are equal.
const TIE: f64 = 1e-9;

/// Of these `parts`, the one whose load is least after it has got one line more, the first of
/// those.
pub(super) fn least_loaded(
    shares: &[f64],
    dealt: &[usize],
    parts: impl IntoIterator<Item = usize>,
) -> usize {
    let load = |part: usize| (dealt[part] + 1) as f64 / shares[part];
    let able = parts.into_iter().filter(|&part| shares[part] > 0.0);
    let lighter = |best, part| if load(part) < load(best) * (1.0 - TIE) { part } else { best };
    able.reduce(lighter).expect("a part has a share")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::shuffle;

    #[test]
    fn a_part_of_twice_the_share_gets_twice_the_lines() {
        assert_eq!(shuffle(&[1.0, 1.0, 2.0], 8), [2, 1, 0, 2, 2, 1, 0, 2]);
    }

    /// The least time of `lines` whole lines over parts of these shares: the smallest `t` for which
    /// the parts can do so many.
    fn best(shares: &[f64], lines: usize) -> f64 {
        let times = shares.iter().flat_map(|share| (0..=lines).map(move |n| n as f64 / share));
        let can = |t: f64| shares.iter().map(|s| (t * s + 1e-9).floor() as usize).sum::<usize>();
        times.filter(|&t| can(t) >= lines).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn every_end_is_divided_as_well_as_can_be(
            shares in prop::collection::vec(0.1f64..4.0, 1..6),
            length in 1usize..30,
        ) {
            let lines = shuffle(&shares, length);
            for k in 0..length {
                let load = |part: usize| {
                    lines[k..].iter().filter(|&&line| line == part).count() as f64 / shares[part]
                };
                let longest = (0..shares.len()).map(load).fold(0.0, f64::max);
                prop_assert!(longest <= best(&shares, length - k) + 1e-6);
            }
        }
    }
}
