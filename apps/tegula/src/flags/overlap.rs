//! Toggles that take the overlap of the phases apart, to measure the part of each.

use clap::Args;
use tegula_exageostat::likelihood::Overlap;

/// What to do without.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Overlap of the phases, for measuring what each part is worth")]
pub(crate) struct OverlapFlags {
    /// Wait after each phase
    #[arg(long, hide_short_help = true)]
    sync: bool,
    /// Solve with updates of the right-hand side, tile by tile
    #[arg(long, hide_short_help = true)]
    no_local_solve: bool,
    /// Priorities in the factorization alone
    #[arg(long, hide_short_help = true)]
    no_priorities: bool,
    /// Generate the matrix column by column
    #[arg(long, hide_short_help = true)]
    no_submission_order: bool,
    /// Allocate the tiles anew in each evaluation
    #[arg(long, hide_short_help = true)]
    no_memory_cache: bool,
}

impl OverlapFlags {
    /// What the library is to do.
    pub(crate) fn overlap(self) -> Overlap {
        Overlap {
            asynchronous: !self.sync,
            local_solve: !self.no_local_solve,
            priorities: !self.no_priorities,
            submission_order: !self.no_submission_order,
            memory_cache: !self.no_memory_cache,
        }
    }

    /// Adds the toggles to a result.
    pub(crate) fn describe_json(self, into: &mut serde_json::Map<String, serde_json::Value>) {
        let overlap = self.overlap();
        let toggles = serde_json::json!({
            "asynchronous": overlap.asynchronous,
            "local_solve": overlap.local_solve,
            "priorities": overlap.priorities,
            "submission_order": overlap.submission_order,
            "memory_cache": overlap.memory_cache,
        });
        into.insert("overlap".to_owned(), toggles);
    }
}
