//! Commands of `tegula` behind functions of C, for the R package in `apps/r/tegula`: the same code
//! as on the command line, in the process of R, on what R lends.
//!
//! A [`Call`] is filled with words and data, started, waited for in small steps, so that R can look
//! whether the user has pressed Ctrl-C, and asked what it has left.

mod c;
pub mod call;

pub use call::Call;
