//! The stand-ins, called as NVIDIA's libraries are.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::ptr;

use libloading::Library;
use tegula_stand_ins::Folder;

/// Device code: sums within warps and blocks, memory whose size the launch says, and writes beside
/// what it is given.
const SOURCE: &str = r#"
extern "C" __global__ void sum(const double *x, double *warps, double *all, unsigned *count) {
    extern __shared__ double parts[];
    double value = x[blockIdx.x * blockDim.x + threadIdx.x];
    parts[threadIdx.x] = value;
    __syncthreads();
    double mirrored = parts[blockDim.x - 1 - threadIdx.x];
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xffffffffu, value, by);
    if (threadIdx.x % 32 == 0) warps[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = value;
    double both = mirrored;
    for (int with = 1; with < 32; with *= 2) both += __shfl_xor_sync(0xffffffffu, both, with);
    if (threadIdx.x % 32 == 0) atomicAdd(all, both);
    atomicAdd(count, 1u);
}
extern "C" __global__ void beside(double *x, int far) { x[far] = 1.0; }
extern "C" __global__ void apart(double *x) {
    if (threadIdx.x < 3) __syncwarp();
    else __syncthreads();
    x[0] = 1.0;
}
"#;

/// A function of many whole numbers and addresses.
#[rustfmt::skip]
type Long = extern "C" fn(
    u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64,
    u64, u64,
) -> i32;

/// The stand-ins, loaded as Tegula loads them.
pub(crate) struct Cuda {
    library: Library,
    pub(crate) stream: u64,
}

impl Cuda {
    /// With a context and a stream of device 0.
    pub(crate) fn new(folder: &Folder) -> Self {
        let file = folder.path().join("libcuda.so.1");
        // SAFETY: the stand-ins do nothing when they are loaded.
        let library = unsafe { Library::new(file) }.expect("it was built with this test");
        let mut cuda = Self { library, stream: 0 };
        let (mut context, mut stream) = (0_u64, 0_u64);
        cuda.call("cuInit", [0; 4]);
        cuda.call("cuDevicePrimaryCtxRetain", [&raw mut context as u64, 0, 0, 0]);
        cuda.call("cuCtxSetCurrent", [context, 0, 0, 0]);
        cuda.call("cuStreamCreate", [&raw mut stream as u64, 1, 0, 0]);
        cuda.stream = stream;
        cuda
    }

    /// What the function called `name` answers: all take whole numbers and addresses.
    pub(crate) fn answer(&self, name: &str, [a, b, c, d]: [u64; 4]) -> i32 {
        // SAFETY: registers that a function does not read do not matter.
        unsafe {
            let function = self.library.get::<extern "C" fn(u64, u64, u64, u64) -> i32>(name);
            function.expect("it is exported")(a, b, c, d)
        }
    }

    #[track_caller]
    pub(crate) fn call(&self, name: &str, arguments: [u64; 4]) {
        assert_eq!(self.answer(name, arguments), 0, "{name}");
    }

    /// The same for a function of a library, which may take more.
    pub(crate) fn long(&self, name: &str, handle: u64, arguments: &[u64]) -> i32 {
        let mut all = [0; 20];
        all[..arguments.len()].copy_from_slice(arguments);
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = all;
        // SAFETY: arguments that a function does not read do not matter.
        unsafe {
            let function = self.library.get::<Long>(name).expect("it is exported");
            function(handle, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
        }
    }

    pub(crate) fn allocate(&self, bytes: u64) -> u64 {
        let mut place = 0_u64;
        self.call("cuMemAlloc_v2", [&raw mut place as u64, bytes, 0, 0]);
        place
    }

    pub(crate) fn pinned(&self, bytes: u64) -> *mut f64 {
        let mut place = 0_u64;
        self.call("cuMemHostAlloc", [&raw mut place as u64, bytes, 0, 0]);
        place as *mut f64
    }

    pub(crate) fn wait(&self) {
        self.call("cuStreamSynchronize", [self.stream, 0, 0, 0]);
    }

    /// The kernel `name`, compiled.
    pub(crate) fn kernel(&self, name: &str) -> u64 {
        let text = |text: &str| CString::new(text).expect("no text here holds a zero");
        let (source, name, mut program) = (text(SOURCE), text(name), 0_u64);
        // SAFETY: the type is that of the header.
        let create = unsafe {
            self.library.get::<extern "C" fn(*mut u64, u64, u64, i32, u64, u64) -> i32>(
                "nvrtcCreateProgram",
            )
        };
        let create = create.expect("it is exported");
        assert_eq!(create(&raw mut program, source.as_ptr() as u64, 0, 0, 0, 0), 0);
        self.call("nvrtcCompileProgram", [program, 0, 0, 0]);
        let (mut bytes, mut module, mut function) = (0_u64, 0_u64, 0_u64);
        self.call("nvrtcGetPTXSize", [program, &raw mut bytes as u64, 0, 0]);
        let mut code = vec![0_u8; bytes as usize];
        self.call("nvrtcGetPTX", [program, code.as_mut_ptr() as u64, 0, 0]);
        self.call("cuModuleLoadData", [&raw mut module as u64, code.as_ptr() as u64, 0, 0]);
        let name = name.as_ptr() as u64;
        self.call("cuModuleGetFunction", [&raw mut function as u64, module, name, 0]);
        function
    }

    pub(crate) fn launch(
        &self,
        kernel: u64,
        (blocks, threads, shared): (u32, u32, u32),
        arguments: &[u64],
    ) {
        type Launch = extern "C" fn(
            u64,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            u64,
            *mut *mut c_void,
            u64,
        ) -> i32;
        let mut places: Vec<*mut c_void> =
            arguments.iter().map(|argument| ptr::from_ref(argument).cast_mut().cast()).collect();
        // SAFETY: the type is that of the header.
        let launch = unsafe { self.library.get::<Launch>("cuLaunchKernel") };
        let launch = launch.expect("it is exported");
        let status = launch(
            kernel,
            blocks,
            1,
            1,
            threads,
            1,
            1,
            shared,
            self.stream,
            places.as_mut_ptr(),
            0,
        );
        assert_eq!(status, 0);
    }
}
