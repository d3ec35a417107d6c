//! Planning for unequal machines: which rank owns which tile, machines and clusters as files, and
//! the load balance of phases that overlap.

pub mod adapt;
pub mod distribution;
pub mod phases;
pub mod platform;
