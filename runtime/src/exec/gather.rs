//! One trace of all ranks, made on rank 0.

use crate::comm::{TransportError, World};
use crate::trace::{ReadError, Trace};
use crate::types::Rank;

/// Why the traces of ranks cannot be brought together.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// Messages cannot be moved.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// What a rank has brought cannot be read.
    #[error("the trace of rank {rank} cannot be read: {error}")]
    Read {
        /// Which.
        rank: Rank,
        /// Why.
        error: ReadError,
    },
}

/// Brings what each rank of `world` has recorded, its own `trace`, to rank 0, on whose clock all
/// times then are; answers nothing on the others. All ranks call it at the same point of the
/// program.
///
/// Traces come as the text of their files, a MiB at a time. Clocks are compared here, and were when
/// the flow began.
///
/// # Errors
/// If messages cannot be moved, or what has come is no trace.
pub fn gather_trace(world: &World, trace: Trace) -> Result<Option<Trace>, GatherError> {
    world.compare_clocks()?;
    let mut mine = Vec::new();
    let is_first = world.rank() == Rank(0);
    if !is_first {
        mine.extend(trace.origin.to_le_bytes());
        trace.write(&mut mine).expect("memory takes all");
    }
    let mut parts = vec![trace];
    let mut failure = None;
    world.gather(&mine, |rank, bytes| match read(&bytes) {
        Ok(part) => parts.push(part),
        Err(error) => failure = failure.take().or(Some(GatherError::Read { rank, error })),
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let clocks = world.clocks();
    let uncertainties = (0..parts.len()).map(|rank| clocks.uncertainty(rank)).collect();
    let join = || Trace::join(parts, |rank, time| clocks.align(rank, time), uncertainties);
    Ok(is_first.then(join))
}

/// The trace of a rank, and when its clock starts.
fn read(bytes: &[u8]) -> Result<Trace, ReadError> {
    let (origin, text) = bytes.split_first_chunk::<8>().unwrap_or((&[0; 8], bytes));
    Ok(Trace { origin: u64::from_le_bytes(*origin), ..Trace::read(text)? })
}
