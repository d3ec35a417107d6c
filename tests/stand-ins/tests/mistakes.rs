//! What no device forgives ends the process with a line that says what it was; device code does
//! what it does on a device.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{CString, c_void};
use std::process::Command;
use std::ptr;

use libloading::Library;
use tegula_stand_ins::{Folder, missing};

/// Which mistake a process that the test starts is to make.
const MISTAKE: &str = "TEGULA_MISTAKE";

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

/// The stand-ins, loaded as Tegula loads them.
struct Cuda {
    library: Library,
    stream: u64,
}

impl Cuda {
    /// With a context and a stream of device 0.
    fn new(folder: &Folder) -> Self {
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
    fn answer(&self, name: &str, [a, b, c, d]: [u64; 4]) -> i32 {
        // SAFETY: registers that a function does not read do not matter.
        unsafe {
            let function = self.library.get::<extern "C" fn(u64, u64, u64, u64) -> i32>(name);
            function.expect("it is exported")(a, b, c, d)
        }
    }

    #[track_caller]
    fn call(&self, name: &str, arguments: [u64; 4]) {
        assert_eq!(self.answer(name, arguments), 0, "{name}");
    }

    fn allocate(&self, bytes: u64) -> u64 {
        let mut place = 0_u64;
        self.call("cuMemAlloc_v2", [&raw mut place as u64, bytes, 0, 0]);
        place
    }

    fn pinned(&self, bytes: u64) -> *mut f64 {
        let mut place = 0_u64;
        self.call("cuMemHostAlloc", [&raw mut place as u64, bytes, 0, 0]);
        place as *mut f64
    }

    fn wait(&self) {
        self.call("cuStreamSynchronize", [self.stream, 0, 0, 0]);
    }

    /// The kernel `name`, compiled.
    fn kernel(&self, name: &str) -> u64 {
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

    fn launch(&self, kernel: u64, (blocks, threads, shared): (u32, u32, u32), arguments: &[u64]) {
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

type Make = fn(&Cuda);

/// Mistakes, with words of what is said.
const MISTAKES: &[(&str, &str, Make)] = &[
    ("a copy behind the end", "64 are left", |cuda| {
        let (to, from) = (cuda.allocate(64), cuda.pinned(128));
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from as u64, 72, cuda.stream]);
    }),
    ("a copy to freed memory", "whose memory has been freed", |cuda| {
        let (to, from) = (cuda.allocate(64), cuda.pinned(64));
        cuda.call("cuMemFree_v2", [to, 0, 0, 0]);
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from as u64, 64, cuda.stream]);
    }),
    ("memory freed twice", "whose memory has been freed", |cuda| {
        let place = cuda.allocate(64);
        cuda.call("cuMemFree_v2", [place, 0, 0, 0]);
        cuda.call("cuMemFree_v2", [place, 0, 0, 0]);
    }),
    ("memory freed under a copy", "is freed before", |cuda| {
        extern "C" fn slow(_: u64) {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let (to, from) = (cuda.allocate(64), cuda.pinned(64));
        let slow: extern "C" fn(u64) = slow;
        cuda.call("cuLaunchHostFunc", [cuda.stream, slow as usize as u64, 0, 0]);
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from as u64, 64, cuda.stream]);
        cuda.call("cuMemFree_v2", [to, 0, 0, 0]);
        cuda.wait();
    }),
    ("memory of the host that is not pinned", "not pinned", |cuda| {
        let (to, from) = (cuda.allocate(64), [0.0_f64; 8]);
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from.as_ptr() as u64, 64, cuda.stream]);
    }),
    ("memory of a device read by the host", "the host touches", |cuda| {
        let place = cuda.allocate(64);
        // SAFETY: none: this is the mistake.
        let value = unsafe { (place as *const u8).read_volatile() };
        assert_eq!(value, 0);
    }),
    ("memory of the host given to a kernel", "no address of a device", |cuda| {
        let x = [0.0_f64; 8];
        cuda.launch(cuda.kernel("beside"), (1, 1, 0), &[x.as_ptr() as u64, 0]);
    }),
    ("a kernel that writes behind the end", "beside touches memory", |cuda| {
        let x = cuda.allocate(64);
        cuda.launch(cuda.kernel("beside"), (1, 1, 0), &[x, 8]);
        cuda.wait();
    }),
    ("a kernel that writes before the start", "just outside", |cuda| {
        let x = cuda.allocate(64);
        cuda.launch(cuda.kernel("beside"), (1, 1, 0), &[x, u64::from(u32::MAX)]);
        cuda.wait();
        cuda.call("cuMemFree_v2", [x, 0, 0, 0]);
    }),
    ("threads of a warp that wait in different places", "wait elsewhere", |cuda| {
        let x = cuda.allocate(64);
        cuda.launch(cuda.kernel("apart"), (1, 32, 0), &[x]);
        cuda.wait();
    }),
];

#[test]
#[allow(clippy::print_stderr)]
fn mistakes_end_the_process() {
    if let Some(reason) = missing() {
        return eprintln!("SKIPPED: no stand-ins: {reason}");
    }
    let folder = Folder::new();
    if let Ok(name) = env::var(MISTAKE) {
        let found = MISTAKES.iter().find(|(known, ..)| *known == name);
        found.expect("it is listed").2(&Cuda::new(&folder));
        return;
    }
    for (name, words, _) in MISTAKES {
        let mut command = Command::new(env::current_exe().expect("a test knows its own file"));
        command.args(["--exact", "mistakes_end_the_process", "--nocapture"]).env(MISTAKE, name);
        let output = command.output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{name} is forgiven");
        let is_said =
            said.lines().any(|line| line.starts_with("stand-in: ") && line.contains(words));
        assert!(is_said, "{name}: '{words}' is not in: {said}");
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn warps_and_blocks_do_what_they_do_on_a_device() {
    if let Some(reason) = missing() {
        return eprintln!("SKIPPED: no stand-ins: {reason}");
    }
    let folder = Folder::new();
    let cuda = Cuda::new(&folder);
    let (blocks, threads) = (3, 128);
    let count = blocks as usize * threads as usize;
    let (host, x) = (cuda.pinned(8 * count as u64), cuda.allocate(8 * count as u64));
    let (warps, all, number) = (cuda.allocate(96), cuda.allocate(8), cuda.allocate(4));
    // SAFETY: there are as many, and nobody else has them.
    let numbers = unsafe { std::slice::from_raw_parts_mut(host, count) };
    (0..count).for_each(|k| numbers[k] = (k * k % 101) as f64);
    let sums: Vec<f64> = numbers.chunks(32).map(|warp| warp.iter().sum()).collect();
    cuda.call("cuMemcpyHtoDAsync_v2", [x, host as u64, 8 * count as u64, cuda.stream]);
    cuda.call("cuMemsetD8Async", [all, 0, 8, cuda.stream]);
    cuda.call("cuMemsetD8Async", [number, 0, 4, cuda.stream]);
    cuda.launch(cuda.kernel("sum"), (blocks, threads, 8 * threads), &[x, warps, all, number]);
    cuda.call("cuMemcpyDtoHAsync_v2", [host as u64, warps, 96, cuda.stream]);
    // SAFETY: there is room behind what the last copy has written.
    let (total, counted) = unsafe { (host.add(12), host.add(13)) };
    cuda.call("cuMemcpyDtoHAsync_v2", [total as u64, all, 8, cuda.stream]);
    cuda.call("cuMemcpyDtoHAsync_v2", [counted as u64, number, 4, cuda.stream]);
    cuda.wait();
    assert_eq!(numbers[..12], sums);
    // Each lane of a warp has the sum of the mirrored warp.
    assert_eq!(numbers[12], sums.iter().sum::<f64>());
    assert_eq!(numbers[13].to_bits() & 0xFFFF_FFFF, count as u64);
}
