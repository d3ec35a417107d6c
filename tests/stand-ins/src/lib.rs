//! Stand-ins for NVIDIA's libraries: the driver, cuBLAS, cuSOLVER, NVRTC and what of NVML counts
//! energy, in one shared library that computes on the host, so that programs and tests which look
//! for CUDA when they run have devices where there are none.
//!
//! Memory of a device is memory of the host under addresses that only the stand-ins can read;
//! streams are threads; device code is compiled by g++. What a real device would answer with wrong
//! numbers, now or on another day (an address out of range, memory that is freed under work that
//! uses it, a host buffer that is not pinned, a context that is not current), ends the process with
//! a line that begins with "stand-in:". `settings` says what the environment may ask for.
//!
//! BLAS and LAPACK are plain loops, which share nothing with the kernels that they are compared
//! with.

mod abi;
mod blas;
mod call;
mod dense;
mod devices;
mod driver;
mod factor;
mod folder;
mod host;
mod management;
mod memory;
mod modules;
mod number;
mod nvrtc;
mod objects;
mod settings;
mod solver;
pub mod source;
mod streams;

pub use folder::{Folder, missing};
