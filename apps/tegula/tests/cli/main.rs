//! The command line as users meet it: through the binary, with its exit codes and messages.

mod checkpoint;
mod cluster;
mod columns;
mod components;
mod config;
mod convert;
mod devices;
mod files;
mod fit;
mod linalg;
mod loglik;
mod machine;
mod mds;
mod metrics;
mod mpi;
mod platform;
mod predict;
mod project;
mod ranks;
mod refused;
mod remarks;
mod sample;
mod simulate;
mod support;
mod texts;
mod trace;
