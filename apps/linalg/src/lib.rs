//! Tiled dense linear algebra: one algorithm per file, each a loop that submits tasks.
//!
//! The functions submit and return; [`Flow::wait`](tegula_runtime::flow::Flow::wait) says whether
//! the tasks succeeded. Priorities follow the critical path at unit cost, so that algorithms
//! submitted one after the other overlap well.

pub mod batch;
mod build;
mod cesca;
mod check_diagonal;
mod cholesky_qr2;
mod condense;
mod convert;
mod elementwise;
mod gels;
mod gemm;
mod geqrf;
mod geqrf_tree;
mod gesv;
mod gesvd;
mod getrf;
mod getrf_nopiv;
mod getrs;
mod heevd;
mod latms;
mod lauum;
mod lookahead;
mod mixed;
mod norm;
mod norm2;
mod orgqr;
mod ormqr;
mod packing;
mod panels;
mod potrf;
mod potrs;
mod product;
pub mod program;
mod qdwh;
mod randomized_svd;
mod redistribute;
mod refine;
mod reflectors;
pub mod residual;
pub mod sparse;
mod symm;
mod syr2k;
mod syrk;
mod sytrf;
mod tall;
mod tasks;
mod tiles;
mod tlr;
mod tree;
mod trmm;
mod trsm;
mod trtri;
mod view;

pub use build::{build, map, plghe, plrnt};
pub use cesca::{Lines, cesca, gram};
pub use check_diagonal::check_diagonal;
pub use cholesky_qr2::cholesky_qr2;
pub use convert::convert;
pub use elementwise::{geadd, lacpy, lascal, lascl, laset, tradd, transpose};
pub use gels::{gels, gels_blocks, gels_steps};
pub use gemm::gemm;
pub use geqrf::{gelqf, geqrf, geqrf_steps};
pub use geqrf_tree::{TreeFactors, geqrf_tree, orgqr_tree, ormqr_tree};
pub use gesv::{gesv, gesv_steps};
pub use gesvd::{GesvdError, Singular, Vectors, gesvd};
pub use getrf::{Pivots, getrf, getrf_steps};
pub use getrf_nopiv::getrf_nopiv;
pub use getrs::{getrs, laswp};
pub use heevd::{Eigen, HeevdError, heevd};
pub use latms::{Spectrum, SpectrumKind, SpectrumShape, latms};
pub use lauum::{lauum, poinv, potri};
pub use mixed::{MixedMatrix, PrecisionMap, PrecisionRule, potrf_mixed, potrs_mixed, trsm_mixed};
pub use norm::{lange, lansy, lantr};
pub use norm2::norm2;
pub use orgqr::{orglq, orgqr};
pub use ormqr::{ormlq, ormqr};
pub use packing::allow_packing;
pub use panels::copied_tiles;
pub use potrf::{potrf, potrf_steps};
pub use potrs::{posv, posv_steps, potrs};
pub use qdwh::{Polar, PolarError, qdwh};
pub use randomized_svd::{LowRank, RangeFinder, SvdError, randomized_svd};
pub use redistribute::redistribute;
pub use refine::{Refinement, gesv_mixed, posv_mixed};
pub use symm::symm;
pub use syr2k::syr2k;
pub use syrk::syrk;
pub use sytrf::{sysv, sytrf, sytrs};
pub use tiles::{
    column_width, device_column_width, device_tile_size, factorizations_at_once,
    smaller_tile_sizes, tile_size,
};
pub use tlr::{Ranks, TlrFactor, potrf_tlr, trsm_tlr};
pub use tree::{Step, Tree};
pub use trmm::trmm;
pub use trsm::{Triangle, trsm};
pub use trtri::trtri;
pub use view::View;
