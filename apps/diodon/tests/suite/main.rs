//! Embeddings and analyses of whole matrices. One program, so that what they have in common is
//! compiled once.

mod coa;
mod distance;
mod mds;
mod metrics;
mod output;
mod pca;
