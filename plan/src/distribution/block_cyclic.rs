//! The block-cyclic distribution by name: `block-cyclic[:PxQ]`.

use std::sync::Arc;

use tegula_tiles::owners::BlockCyclic;

use super::{DistributionEntry, DistributionError};

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "block-cyclic",
    parameter: Some("PxQ"),
    summary: "ranks in a grid of P x Q, repeated over the tiles; the squarest unless told",
    make: |request| {
        let grid = match request.parameter {
            None => BlockCyclic::squarest(request.ranks()),
            Some(text) => parse(text, request.ranks())?,
        };
        Ok(Arc::new(grid))
    },
};

/// The grid `text` of so many ranks.
fn parse(text: &str, ranks: usize) -> Result<BlockCyclic, DistributionError> {
    let grid = text.split_once('x').and_then(|(p, q)| Some((p.parse().ok()?, q.parse().ok()?)));
    let (p, q) = grid.filter(|&(p, q)| p > 0 && q > 0).ok_or_else(|| {
        let given = text.to_owned();
        DistributionError::Parameter {
            name: ENTRY.name,
            given,
            expected: "grid P x Q, such as 2x3",
        }
    })?;
    if usize::checked_mul(p, q) != Some(ranks) {
        return Err(DistributionError::Grid { p, q, ranks });
    }
    Ok(BlockCyclic { p, q })
}

#[cfg(test)]
mod tests {
    use tegula_tiles::Storage::{Full, Lower};
    use tegula_tiles::owners::OwnerMap;

    use super::*;
    use crate::distribution::messages::{cholesky, lu};

    #[test]
    fn no_grid_sends_less_than_the_squarest() {
        for ranks in 1..=48 {
            let sent = |grid: BlockCyclic| {
                let map = |storage| OwnerMap::of(&grid, (100, 100), storage, ranks);
                (lu(&map(Full)).total(), cholesky(&map(Lower)).total())
            };
            let best = sent(BlockCyclic::squarest(ranks));
            for p in (1..=ranks).filter(|p| ranks.is_multiple_of(*p)) {
                let other = sent(BlockCyclic { p, q: ranks / p });
                assert!(best.0 <= other.0, "LU on {ranks} ranks with {p} rows");
                assert!(best.1 <= other.1, "Cholesky on {ranks} ranks with {p} rows");
            }
        }
    }
}
