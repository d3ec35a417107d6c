//! ScaLAPACK's and PBLAS's names: the tiled algorithms over the processes of a grid of BLACS.
//!
//! A program that has made a grid with BLACS and spread its matrices over it calls these as it
//! calls ScaLAPACK. All processes of the grid run the same flow (`grid`), over a duplicate of the
//! grid's communicator. A matrix whose blocks are not too small, and begin where its tiles do, is
//! worked on in place (`matrix`); of others, and where an algorithm wants whole columns, all
//! entries move to another layout and back (`moves`).
//!
//! The array of workspace that routines ask for is not used: a question for its size is answered as
//! ScaLAPACK answers it, and any size will do. Alignments that ScaLAPACK asks for are not needed.

mod arguments;
mod blacs;
mod cyclic;
pub mod eigen;
pub mod gels;
pub mod gemm;
pub mod geqrf;
mod grid;
pub mod lu;
mod matrix;
mod moves;
pub mod positive;
pub mod svd;
pub mod trsm;
mod workspace;

pub(crate) use arguments::{Outcome, info, stop};

use crate::export::Export;

/// The functions of this folder.
pub(crate) const EXPORTS: &[&[Export]] = &[
    gemm::EXPORTS,
    trsm::EXPORTS,
    positive::EXPORTS,
    lu::EXPORTS,
    geqrf::EXPORTS,
    gels::EXPORTS,
    eigen::EXPORTS,
    svd::EXPORTS,
];
