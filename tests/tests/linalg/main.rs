//! The algorithms of linalg, across crates. One program, so that what they have in common is
//! compiled once.

mod auxiliary;
mod batch;
mod centring;
mod cholesky;
mod exchanges;
mod generators;
mod lent;
mod level3;
mod mixed_tiles;
mod polar;
mod qr;
mod qr_tree;
mod ranks;
mod refine;
mod shapes;
mod spectral;
mod svd;
