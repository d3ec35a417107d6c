//! Batch jobs that share input files, scheduled over the nodes of a cluster and simulated event by
//! event: readers of logs, schedulers that heed where files are, metrics, a report.
//!
//! Nothing here knows the task runtime. Times are whole seconds.

pub mod advise;
pub mod cluster;
mod cores;
pub mod engine;
pub mod generate;
mod holes;
pub mod job;
pub mod log;
pub mod metrics;
pub mod policy;
pub mod report;
mod residence;
pub mod rules;
