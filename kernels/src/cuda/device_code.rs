//! Our own code for devices: the sources of all kernels in one program per precision, which each
//! device compiles when it first needs it.

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use tegula_runtime::cuda::{Context, Function, Module};
use tegula_runtime::flow::{Failure, Launch};

pub use super::compiler::Target;
use super::compiler::{compile, version};
use super::kept::kept_or;
use super::{LibraryError, driver};
use crate::kernel::{
    centre, column_squares, convert, covariance, covariance_score, diagonal_solve, dot, getrf,
    getrf_nopiv, getrf_update, laset, laset_triangle, laswp, ldlt, line_sums, logdet, negligible,
    noise, norm, potrf, scale_lines, sweep, vecchia,
};
use crate::scalar::Scalar;

/// What all sources share.
const PRELUDE: &str = include_str!("prelude.cu");

/// Arithmetic of real numbers under the names that it has of complex ones.
const REAL: &str = include_str!("real.cu");

/// Arithmetic of complex numbers.
const COMPLEX: &str = include_str!("complex.cu");

/// Sources of kernels of any numbers.
const OF_NUMBERS: &[&str] = &[
    super::block::SOURCE,
    super::random::SOURCE,
    super::triangle::SOURCE,
    centre::SOURCE,
    convert::SOURCE,
    diagonal_solve::SOURCE,
    getrf_nopiv::SOURCE,
    getrf_update::SOURCE,
    laset::SOURCE,
    laset_triangle::SOURCE,
    laswp::SOURCE,
    ldlt::SOURCE,
    line_sums::SOURCE,
    negligible::SOURCE,
    norm::SOURCE,
    potrf::SOURCE,
    scale_lines::SOURCE,
];

/// Sources of kernels of real numbers.
const OF_REAL_NUMBERS: &[&str] = &[
    super::reflectors::SOURCE,
    getrf::SOURCE,
    covariance::SOURCE,
    covariance::COMPOSITE_SOURCE,
    covariance_score::SOURCE,
    column_squares::SOURCE,
    dot::SOURCE,
    logdet::SOURCE,
    noise::SOURCE,
    sweep::SOURCE,
    vecchia::SOURCE,
    vecchia::JOINT_SOURCE,
];

/// The whole source for numbers of type `T`; `REAL`, its name, is to be defined for it.
#[must_use]
pub fn source<T: Scalar>() -> String {
    let (base, other) = (T::Real::cuda().name(), T::Other::cuda().name());
    let mut source = format!("typedef {base} base;\ntypedef {other} other;\n") + PRELUDE;
    source += if T::IS_COMPLEX { COMPLEX } else { REAL };
    source.extend(OF_NUMBERS.iter().copied());
    if !T::IS_COMPLEX {
        source += &covariance::constants();
        source.extend(OF_REAL_NUMBERS.iter().copied());
    }
    source
}

/// Compute capabilities of the generations of devices that the code is for: Volta, Turing, two of
/// Ampere, Ada, Hopper, two of Blackwell.
pub const GENERATIONS: &[(i32, i32)] =
    &[(7, 0), (7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)];

/// The program for numbers of type `T`, compiled for `target`.
///
/// # Errors
/// If there is no compiler, or it refuses; in its words.
pub fn compiled<T: Scalar>(target: Target) -> Result<Vec<u8>, LibraryError> {
    compile(&source::<T>(), &[format!("-DREAL={}", T::cuda().name())], target)
}

/// A table of numbers as device code; every digit that counts is written.
pub(crate) fn constant(name: &str, numbers: &[f64]) -> String {
    let mut text = format!("__device__ const double {name}[{}] = {{", numbers.len());
    for number in numbers {
        let _ = write!(text, "{number:e}, ");
    }
    text + "};\n"
}

/// How many threads run a kernel: a power of two in each of `blocks` blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    blocks: (u32, u32),
    threads: (u32, u32),
}

impl Grid {
    /// One block, whose threads can wait for each other.
    pub(crate) const ONE_BLOCK: Self = Self { blocks: (1, 1), threads: (1024, 1) };

    /// A thread for each of `count` numbers, or fewer, each of which goes on in strides.
    pub(crate) fn over(count: usize) -> Self {
        let blocks = count.div_ceil(256).clamp(1, 4096) as u32;
        Self { blocks: (blocks, 1), threads: (256, 1) }
    }

    /// Blocks of 32 rows, each with as many columns of threads.
    pub(crate) fn rows(count: usize) -> Self {
        Self { blocks: (count.div_ceil(32).clamp(1, 1 << 24) as u32, 1), threads: (32, 32) }
    }

    /// A block of threads for each of `count` columns.
    pub(crate) fn block_each(count: usize) -> Self {
        Self { blocks: (super::int(count).unsigned_abs(), 1), threads: (256, 1) }
    }

    /// So many blocks of a few threads each, which wait for each other often.
    pub(crate) fn small_blocks(count: usize) -> Self {
        Self { blocks: (super::int(count).unsigned_abs(), 1), threads: (64, 1) }
    }

    /// Threads over a matrix, each for a row and some columns: 8, or in strides more where those
    /// are beyond the range of a grid.
    pub(crate) fn matrix(rows: usize, cols: usize) -> Self {
        let across =
            |count: usize, each: usize, most: usize| count.div_ceil(each).clamp(1, most) as u32;
        Self { blocks: (across(rows, 32, 1 << 24), across(cols, 64, 65_535)), threads: (32, 8) }
    }
}

/// The program in one precision, compiled.
pub(crate) struct Program<T> {
    module: Arc<Module>,
    functions: Mutex<HashMap<&'static str, Function>>,
    precision: PhantomData<fn() -> T>,
}

impl<T: Scalar> Program<T> {
    /// That of the device of `launch`.
    fn of(launch: &Launch<'_>) -> Result<Arc<Self>, Failure> {
        launch.device_tool(Self::compile)
    }

    #[allow(unsafe_code)]
    fn compile(context: &Arc<Context>) -> Result<Self, Failure> {
        let capability = driver(context.device().capability())?;
        let device = format!("{capability:?}");
        let code = kept_or(&[&source::<T>(), T::cuda().name(), &device, &version()?], || {
            // What is newer than the compiler is for the driver to compile for.
            let older = GENERATIONS.iter().rev().filter(|&&older| older <= capability);
            let mut texts = older.map(|&older| compiled::<T>(Target::Virtual(older)));
            let machine = compiled::<T>(Target::Machine(capability));
            machine.or_else(|error| texts.find(Result::is_ok).unwrap_or(Err(error)))
        })?;
        // SAFETY: the compiler made it.
        let module = Arc::new(driver(unsafe { Module::new(context, &code) })?);
        Ok(Self { module, functions: Mutex::default(), precision: PhantomData })
    }

    fn function(&self, name: &'static str) -> Result<Function, Failure> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(name) {
            return Ok(function.clone());
        }
        let function = driver(self.module.function(&CString::new(name)?))?;
        functions.insert(name, function.clone());
        Ok(function)
    }

    /// Puts the kernel `name` on the stream.
    ///
    /// # Safety
    /// The arguments are those of the kernel's source, in number, order and size; what they point
    /// to lies on the device and is large enough.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        launch: &Launch<'_>,
        name: &'static str,
        grid: Grid,
        arguments: &[Argument<T>],
    ) -> Result<(), Failure> {
        let function = Self::of(launch)?.function(name)?;
        let mut places: Vec<*mut c_void> = arguments.iter().map(Argument::pointer).collect();
        // SAFETY: the caller's promise; the driver copies the arguments before it returns.
        driver(unsafe { launch.stream().launch(&function, grid.blocks, grid.threads, &mut places) })
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument<T> {
    /// An unsigned integer of 64 bits.
    Size(u64),
    /// An address on the device.
    Place(u64),
    /// An integer of 32 bits.
    Flag(i32),
    /// A `double`.
    Double(f64),
    /// A number of the tile's type.
    Number(T),
}

impl<T> Argument<T> {
    /// Where its value lies.
    fn pointer(&self) -> *mut c_void {
        let place: *const c_void = match self {
            Self::Size(value) | Self::Place(value) => ptr::from_ref(value).cast(),
            Self::Flag(value) => ptr::from_ref(value).cast(),
            Self::Double(value) => ptr::from_ref(value).cast(),
            Self::Number(value) => ptr::from_ref(value).cast(),
        };
        place.cast_mut()
    }

    pub(crate) fn number(number: T) -> Self {
        Self::Number(number)
    }

    pub(crate) fn size(size: usize) -> Self {
        Self::Size(size as u64)
    }

    pub(crate) fn place<V>(place: *const V) -> Self {
        Self::Place(place as u64)
    }
}
