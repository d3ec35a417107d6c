//! A distribution over some of the ranks only.

use std::sync::Arc;

use tegula_runtime::ranks::{Owners, Rank, Spot};

use super::DistributionError;
use super::error::ranks as so_many_ranks;

/// Owners over the ranks that are listed; the others own nothing.
pub struct Subset {
    /// Owners over as many ranks as are listed.
    pub owners: Arc<dyn Owners>,
    /// Which ranks those are.
    pub ranks: Vec<usize>,
}

impl Owners for Subset {
    fn owner(&self, spot: Spot, _: usize) -> Rank {
        let place = self.owners.owner(spot, self.ranks.len());
        Rank(self.ranks[usize::from(place.0)] as u16)
    }
}

/// Reads `0-3,8`: the ranks 0, 1, 2, 3 and 8, of `count`.
///
/// # Errors
/// If it is no such list, or names others.
pub fn ranks_of(text: &str, count: usize) -> Result<Vec<usize>, DistributionError> {
    let wrong = || DistributionError::Subset {
        given: text.to_owned(),
        ranks: so_many_ranks(count),
        last: count - 1,
    };
    let mut ranks: Vec<usize> = Vec::new();
    for range in text.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let range = first.parse().ok().zip(last.parse().ok());
        let (first, last): (usize, usize) = range.ok_or_else(wrong)?;
        if first > last || last >= count || (first..=last).any(|rank| ranks.contains(&rank)) {
            return Err(wrong());
        }
        ranks.extend(first..=last);
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_single_ranks_are_read() {
        assert_eq!(ranks_of("0-3,8", 9).unwrap(), [0, 1, 2, 3, 8]);
        assert_eq!(ranks_of("2", 3).unwrap(), [2]);
        for wrong in ["", "3", "2-1", "0,0", "0-1,1", "a", "-1"] {
            assert!(ranks_of(wrong, 3).is_err(), "{wrong}");
        }
    }
}
