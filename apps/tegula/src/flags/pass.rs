//! Flags of described passes over distances and tables: how wide panels are, how many passes are
//! made, and how fast nodes read.

use clap::Args;

use super::parse_rate;
use crate::plan::Reading;

/// Passes.
#[derive(Args, Debug)]
pub(crate) struct PassFlags {
    /// Columns of the panels of mds, pca and coa
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) width: u32,
    /// Passes of mds, or of pca and coa, which make four at least, and one more for coordinates
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) passes: u32,
    /// Bytes per second that a node reads, of mds, pca and coa
    #[arg(long, value_name = "RATE", default_value = "500MB", value_parser = parse_rate)]
    read_rate: f64,
    /// Tasks that read on a node at a time, so fast together
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1024))]
    readers: u32,
}

impl PassFlags {
    /// How fast nodes read, each tile for so many `products`.
    pub(crate) fn reading(&self, products: usize) -> Reading {
        let (bytes_per_second, readers) = (self.read_rate, self.readers as usize);
        Reading { bytes_per_second, readers, products }
    }
}
