//! Flags about the tiles of a matrix, and the order of the tiles that machine and work ask for.

use std::iter::once;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tegula_kernels::kernel::KERNELS;
use tegula_kernels::scalar::Precision;
use tegula_linalg::smaller_tile_sizes;

use super::choice::MachineChoice;
use tegula_linalg::program::Footprint;

use crate::error::refused;
use crate::ranks::{agree, ranks};
use crate::work::Work;

/// Largest order of a tile that can be asked for.
const MOST_TILE_SIZE: i64 = 65536;
/// Most pieces of data of a run.
const MOST_PIECES: usize = 1 << 24;

/// Tiles and their numbers.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct MatrixFlags {
    /// Order of the tiles [default: from size, workers and memories]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_TILE_SIZE))]
    tile_size: Option<u32>,
    /// Numbers of 32 bits (s) or 64 (d), or complex ones of two such (c, z)
    #[arg(long, value_name = "P", default_value = "d", value_parser = precision_parser())]
    pub(crate) precision: Precision,
    /// Say what would be done: sizes, tasks, memory, time
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl MatrixFlags {
    /// The order of the tiles for `work` by so many workers on each rank, on `machine`, which
    /// learns what the disk has to take.
    ///
    /// # Errors
    /// If they are too many, or too large for the memories.
    pub(super) fn settle_tiles(
        &self,
        (machine, workers): (&mut MachineChoice, usize),
        work: &Work<'_>,
        footprint: &dyn Fn(usize) -> Footprint,
    ) -> Result<usize> {
        // A tile larger than the matrix is the matrix.
        let given = self.tile_size.map(|size| (size as usize).min(work.order.max(1)));
        let usual = || (work.tile_size)(workers * ranks());
        let are_busy = || machine.has_cuda() && run_on_devices(&(work.codelets)());
        let for_devices = work.device_tile_size.filter(|_| are_busy());
        let mut nb = given.or(for_devices).unwrap_or_else(usual);
        machine.fit(&footprint(nb))?;
        if given.is_none() {
            let smaller = smaller_tile_sizes(nb);
            let least = smaller.clone().last().unwrap_or(nb);
            nb = machine.tile_size(once(nb).chain(smaller), footprint).unwrap_or(least);
        }
        // The memory of another rank may ask for others.
        let nb = agree(nb as u64)? as usize;
        check_pieces(nb, footprint)?;
        machine.check_task(nb, footprint)?;
        Ok(nb)
    }
}

/// Whether devices run all dense kernels of these codelets: where cores have some of them alone,
/// tiles are as these need them.
pub(crate) fn run_on_devices(codelets: &[&str]) -> bool {
    codelets.iter().all(|&name| {
        // Of some there are two kinds, one of them for cores alone.
        let mut kinds = KERNELS.iter().filter(|kernel| kernel.double.codelet.name == name);
        let is_dense = kinds.clone().next().is_some();
        !is_dense || kinds.any(|kernel| kernel.double.codelet.has_cuda())
    })
}

/// Refuses tiles that are too many.
fn check_pieces(nb: usize, footprint: &dyn Fn(usize) -> Footprint) -> Result<()> {
    let is_few = |nb: &usize| footprint(*nb).pieces <= MOST_PIECES;
    if is_few(&nb) {
        return Ok(());
    }
    let remedy = (nb..=MOST_TILE_SIZE as usize).find(is_few).map_or_else(
        || "these sizes are too large".to_owned(),
        |nb| format!("it takes --tile-size {nb} at least"),
    );
    let pieces = footprint(nb).pieces;
    Err(refused(format!(
        "tiles of {nb} make {pieces} pieces, more than the {MOST_PIECES} that a run may have: \
         {remedy}"
    )))
}

/// Parses the letter of a precision.
pub(crate) fn precision_parser() -> impl TypedValueParser<Value = Precision> {
    let values = Precision::ALL
        .map(|precision| PossibleValue::new(precision.letter()).help(precision_name(precision)));
    PossibleValuesParser::new(values).map(|letter| {
        let named = Precision::ALL.into_iter().find(|precision| precision.letter() == letter);
        named.expect("a listed letter")
    })
}

/// The name of a precision.
pub(crate) fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Single => "single precision",
        Precision::Double => "double precision",
        Precision::ComplexSingle => "complex single precision",
        Precision::ComplexDouble => "complex double precision",
    }
}

#[cfg(test)]
mod tests {
    use super::run_on_devices;

    #[test]
    fn tiles_are_those_of_devices_where_these_run_all() {
        assert!(run_on_devices(&["potrf", "trsm", "syrk", "gemm"]));
        assert!(run_on_devices(&["covariance", "potrf"]));
        assert!(!run_on_devices(&["geqrt", "gemm", "ungtr_hb2st"]));
    }
}
