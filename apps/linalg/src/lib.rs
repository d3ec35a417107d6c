//! Tiled dense linear algebra: one algorithm per file, each a loop that submits tasks.
//!
//! The functions submit and return; [`Flow::wait`](tegula_runtime::flow::Flow::wait) says whether
//! the tasks succeeded. Priorities follow the critical path at unit cost, so that algorithms
//! submitted one after the other overlap well.

mod gemm;
mod getrf;
mod getrf_nopiv;
mod getrs;
mod panels;
mod potrf;
mod potrs;
pub mod residual;
mod tiles;
mod trsm;

pub use gemm::gemm;
pub use getrf::{Pivots, getrf};
pub use getrf_nopiv::getrf_nopiv;
pub use getrs::getrs;
pub use panels::copied_tiles;
pub use potrf::potrf;
pub use potrs::potrs;
pub use tiles::{smaller_tile_sizes, tile_size};
pub use trsm::{Triangle, trsm};
