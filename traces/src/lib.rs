//! What is read from the trace of a run: numbers that say what it was like, tables, files for
//! viewers, figures.
//!
//! A [`Trace`](tegula_runtime::trace::Trace) is what an engine of the runtime has recorded, or what
//! was read from a file; nothing here knows the engine.

mod about;
mod clusters;
mod critical;
mod means;
mod metrics;
mod overlap;
mod paje;
mod perfetto;
pub mod plot;
mod progression;
mod table;

pub use about::{bounds_seconds, energy, settings};
pub use clusters::clusters;
pub use critical::{CriticalPath, CriticalTask};
pub use means::{RankClass, balanced_by_rank, balanced_seconds, rank_classes};
pub use metrics::{
    ClassUse, CodeletTime, EARLY_SHARE, PhaseTime, RouteTotal, codelet_times, idle_share,
    phase_times, route_totals, utilisation,
};
pub use overlap::{Overlap, PairTotal, overlaps, pair_totals, uncertainty_seconds};
pub use paje::write_paje;
pub use perfetto::write_perfetto;
pub use progression::{
    BANDWIDTH as PROGRESS_BANDWIDTH, Cluster, Progress, Progression, Step, balanced_by_step,
};
pub use table::{
    write_critical_path, write_messages, write_pairs, write_table, write_tasks, write_transfers,
};

#[cfg(test)]
mod tests;
