//! Modules: device code that g++ has compiled, and launches of its kernels.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use libloading::Library;

use crate::abi::{INVALID_IMAGE, NOT_FOUND, Outcome, mistake};
use crate::devices::Device;
use crate::memory::{self, Region};
use crate::settings::Settings;
use crate::streams::Work;

/// What the stand-in for NVRTC calls its output: the name of a file and the bounds of each kernel
/// follow.
pub(crate) const CODE: &str = "// stand-in for PTX\n";

/// A closure of the shim's.
type Bound = *mut c_void;
/// `PlayAddress` in the shim.
type Address = unsafe extern "C" fn(*mut c_void, u64) -> *mut c_void;
/// `play_prepare_NAME` in the shim.
type Prepare = unsafe extern "C" fn(Arguments, Address, *mut c_void) -> Bound;
/// `play_run` in the shim.
type Run = unsafe extern "C" fn(Bound, *const u32, *const u32, u32, u64);

/// The places of a kernel's arguments.
pub(crate) type Arguments = *mut *mut c_void;

/// A loaded module.
pub(crate) struct Module {
    library: Library,
    /// Names of kernels, each with the most threads of a block.
    kernels: Vec<(String, u32)>,
}

impl Module {
    /// Loads what the stand-in for NVRTC has made.
    pub(crate) fn load(code: &str) -> Outcome<Arc<Self>> {
        let mut lines = code.strip_prefix(CODE).ok_or(INVALID_IMAGE)?.lines();
        let file = lines.next().ok_or(INVALID_IMAGE)?;
        let kernel = |line: &str| {
            let (name, most) = line.split_once(' ')?;
            Some((name.to_owned(), most.parse().ok()?))
        };
        let kernels = lines.filter_map(kernel).collect();
        // SAFETY: it was made here, and does nothing when it is loaded.
        let library = unsafe { Library::new(file) }
            .unwrap_or_else(|error| mistake!("a module is not loaded: {error}"));
        Ok(Arc::new(Self { library, kernels }))
    }

    /// Its kernel called `name`.
    pub(crate) fn function(self: &Arc<Self>, name: &str) -> Outcome<Function> {
        let kernel = self.kernels.iter().find(|(known, _)| known == name).ok_or(NOT_FOUND)?;
        // SAFETY: the shim makes functions of these types.
        let (prepare, run) = unsafe {
            let prepare = self.library.get::<Prepare>(format!("play_prepare_{name}"));
            let run = self.library.get::<Run>("play_run");
            (*prepare.map_err(|_| NOT_FOUND)?, *run.map_err(|_| NOT_FOUND)?)
        };
        let (name, most_threads) = (name.to_owned(), kernel.1);
        let most_shared = AtomicU32::new(0);
        Ok(Function { module: self.clone(), name, prepare, run, most_threads, most_shared })
    }
}

/// A kernel.
pub(crate) struct Function {
    module: Arc<Module>,
    name: String,
    prepare: Prepare,
    run: Run,
    pub(crate) most_threads: u32,
    /// Bytes that a block may share beyond what all may.
    pub(crate) most_shared: AtomicU32,
}

/// How many blocks of how many threads, and the bytes that each block shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) blocks: [u32; 3],
    pub(crate) threads: [u32; 3],
    pub(crate) shared: u32,
}

/// What an argument that is an address is looked up for.
struct Lookup<'a> {
    device: &'a Device,
    name: &'a str,
    found: Vec<Region>,
}

/// The host's address of an argument that is one of a device.
unsafe extern "C" fn address(lookup: *mut c_void, place: u64) -> *mut c_void {
    if place == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: `launch` gives a lookup that nobody else uses.
    let lookup = unsafe { &mut *lookup.cast::<Lookup<'_>>() };
    let region = memory::region(lookup.device, lookup.name, place, None);
    let host = region.host();
    lookup.found.push(region);
    host.cast()
}

/// A closure on its way to the thread of a stream.
struct Carried(Bound);

// SAFETY: it holds copies of arguments only.
unsafe impl Send for Carried {}

impl Carried {
    fn take(self) -> Bound {
        self.0
    }
}

impl Function {
    /// A launch with these arguments, to be put on a stream.
    pub(crate) fn launch(
        self: &Arc<Self>,
        device: &Device,
        shape: Shape,
        arguments: Arguments,
    ) -> Work {
        if arguments.is_null() {
            mistake!("{} is launched without arguments", self.name);
        }
        let mut lookup = Lookup { device, name: &self.name, found: Vec::new() };
        // SAFETY: the shim reads as many arguments as the kernel has, of its types.
        let bound = unsafe { (self.prepare)(arguments, address, (&raw mut lookup).cast()) };
        let (function, carried) = (self.clone(), Carried(bound));
        let work = Work::new(&self.name, &lookup.found, move || {
            function.run(carried.take(), shape);
            Ok(())
        });
        Work { computes: true, ..work }
    }

    fn run(&self, bound: Bound, shape: Shape) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = u64::from(COUNT.fetch_add(1, Ordering::Relaxed));
        // Zero stands for threads and blocks in their own order.
        let seed =
            Settings::get().seed.map_or(0, |seed| (seed + count).wrapping_mul(2_654_435_761) | 2);
        let _kept = &self.module;
        // SAFETY: the closure is the shim's, and is used once.
        unsafe {
            (self.run)(bound, shape.blocks.as_ptr(), shape.threads.as_ptr(), shape.shared, seed);
        }
    }
}
