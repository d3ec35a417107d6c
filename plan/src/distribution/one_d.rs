//! The one-dimensional cyclic distribution over unequal ranks.

use std::sync::Arc;

use super::{DistributionEntry, OwnerMap, Planned, Powers, Strategy, shuffle};
use tegula_tiles::Storage;

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "1d",
    parameter: Some("POWERS"),
    summary: "rows of tiles dealt out by the powers of the ranks, such as 2,1,1; equal unless told",
    make: |request| {
        let powers = request.powers("1d")?;
        Ok(Arc::new(Planned::new(OneD { powers }, request.storage)))
    },
};

/// Rows of tiles are dealt out among ranks by [`shuffle`]; a matrix of one row by columns.
///
/// L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, sections 3.1.2 and 6.2.3.
#[derive(Clone, Debug)]
pub struct OneD {
    /// The powers of the ranks.
    pub powers: Powers,
}

impl Strategy for OneD {
    fn map(&self, (rows, columns): (usize, usize), storage: Storage) -> OwnerMap {
        let lines = shuffle(self.powers.as_slice(), if rows == 1 { columns } else { rows });
        OwnerMap::new((rows, columns), storage, self.powers.ranks(), |row, column| {
            lines[if rows == 1 { column } else { row }]
        })
    }
}
