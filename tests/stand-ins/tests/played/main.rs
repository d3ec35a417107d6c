//! The stand-ins as a program meets them.

mod blocks;
mod cuda;
mod libraries;
mod mistakes;
