//! The functions of the driver that are called here, with the types of NVIDIA's `cuda.h`, and its
//! errors. Names are those of symbols, where `_v2` stands behind what the header renames.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use super::library::{Library, Missing};

/// An address on a device, `CUdeviceptr`.
pub type Place = u64;
/// What a call answers, `CUresult`: 0, or the number of an error.
pub(super) type Status = c_int;
/// A device's number, `CUdevice`.
pub(super) type Number = c_int;
/// What only the driver can look into: `CUcontext`, `CUstream`, `CUevent`, `CUmodule`,
/// `CUfunction`.
pub(super) type Handle = *mut c_void;

/// `CUDA_ERROR_OUT_OF_MEMORY`.
const OUT_OF_MEMORY: Status = 2;
/// `CUDA_ERROR_NOT_READY`.
pub(super) const NOT_READY: Status = 600;
/// The driver's library or a function of it is missing: no number of the driver's own.
const NO_DRIVER: Status = -1;

/// Why the driver did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct DriverError {
    status: Status,
    text: String,
}

impl DriverError {
    /// Whether memory has run out.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        self.status == OUT_OF_MEMORY
    }

    /// Whether the driver's library is missing, or not the whole of it.
    #[must_use]
    pub fn is_no_driver(&self) -> bool {
        self.status == NO_DRIVER
    }

    /// Memory has run out, without the driver saying so.
    pub(super) fn out_of_memory() -> Self {
        Self { status: OUT_OF_MEMORY, text: "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".to_owned() }
    }
}

impl From<&Missing> for DriverError {
    fn from(missing: &Missing) -> Self {
        let text = match missing {
            Missing::Library => "libcuda is not there".to_owned(),
            Missing::Function(name) => format!("libcuda has no function {name}"),
        };
        Self { status: NO_DRIVER, text }
    }
}

/// Makes the table: a field for each function, found under the name of its symbol.
macro_rules! table {
    ($($field:ident: $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions.
        pub(super) struct Driver {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> Status,)*
            /// They are its.
            _library: Library,
        }

        impl Driver {
            #[allow(unsafe_code)]
            fn load() -> Result<Self, Missing> {
                let library = Library::open("libcuda")?;
                // SAFETY: the types are those of the header, and the table keeps the library.
                unsafe { Ok(Self { $($field: library.function($symbol)?,)* _library: library }) }
            }
        }
    };
}

table! {
    init: "cuInit" (c_uint);
    error_name: "cuGetErrorName" (Status, *mut *const c_char);
    error_string: "cuGetErrorString" (Status, *mut *const c_char);
    device_count: "cuDeviceGetCount" (*mut c_int);
    device: "cuDeviceGet" (*mut Number, c_int);
    device_name: "cuDeviceGetName" (*mut c_char, c_int, Number);
    device_memory: "cuDeviceTotalMem_v2" (*mut usize, Number);
    device_attribute: "cuDeviceGetAttribute" (*mut c_int, c_int, Number);
    retain_context: "cuDevicePrimaryCtxRetain" (*mut Handle, Number);
    release_context: "cuDevicePrimaryCtxRelease_v2" (Number);
    current_context: "cuCtxGetCurrent" (*mut Handle);
    set_context: "cuCtxSetCurrent" (Handle);
    memory_info: "cuMemGetInfo_v2" (*mut usize, *mut usize);
    allocate: "cuMemAlloc_v2" (*mut Place, usize);
    free: "cuMemFree_v2" (Place);
    allocate_host: "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
    free_host: "cuMemFreeHost" (*mut c_void);
    register_host: "cuMemHostRegister_v2" (*mut c_void, usize, c_uint);
    unregister_host: "cuMemHostUnregister" (*mut c_void);
    fill: "cuMemsetD8Async" (Place, c_uchar, usize, Handle);
    copy_in: "cuMemcpyHtoDAsync_v2" (Place, *const c_void, usize, Handle);
    copy_out: "cuMemcpyDtoHAsync_v2" (*mut c_void, Place, usize, Handle);
    copy_across: "cuMemcpyPeerAsync" (Place, Handle, Place, Handle, usize, Handle);
    create_stream: "cuStreamCreate" (*mut Handle, c_uint);
    destroy_stream: "cuStreamDestroy_v2" (Handle);
    await_stream: "cuStreamSynchronize" (Handle);
    create_event: "cuEventCreate" (*mut Handle, c_uint);
    destroy_event: "cuEventDestroy_v2" (Handle);
    record_event: "cuEventRecord" (Handle, Handle);
    query_event: "cuEventQuery" (Handle);
    await_event: "cuEventSynchronize" (Handle);
    load_module: "cuModuleLoadData" (*mut Handle, *const c_void);
    unload_module: "cuModuleUnload" (Handle);
    function: "cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    launch: "cuLaunchKernel" (
        Handle,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        Handle,
        *mut *mut c_void,
        *mut *mut c_void
    );
}

impl Driver {
    /// The driver of this process, ready.
    ///
    /// # Errors
    /// If its library, or a function of that, is missing, or it refuses.
    #[allow(unsafe_code)]
    pub(super) fn get() -> Result<&'static Self, DriverError> {
        static DRIVER: OnceLock<Result<Driver, Missing>> = OnceLock::new();
        let driver = DRIVER.get_or_init(Self::load).as_ref()?;
        // SAFETY: it may be called any number of times.
        driver.check(unsafe { (driver.init)(0) })?;
        Ok(driver)
    }

    /// What a call answered.
    pub(super) fn check(&self, status: Status) -> Result<(), DriverError> {
        if status == 0 { Ok(()) } else { Err(self.error(status)) }
    }

    /// What a call left at the place that `call` is given, or why it left nothing.
    pub(super) fn made<T>(
        &self,
        nothing: T,
        call: impl FnOnce(*mut T) -> Status,
    ) -> Result<T, DriverError> {
        let mut made = nothing;
        let status = call(&raw mut made);
        self.check(status).map(|()| made)
    }

    /// The driver's words for an error, and its name.
    fn error(&self, status: Status) -> DriverError {
        let words = text(self.error_string, status).unwrap_or_default();
        let name = text(self.error_name, status).unwrap_or_else(|| format!("error {status}"));
        DriverError { status, text: format!("{words} ({name})") }
    }
}

/// What `ask` says of an error; nothing if the driver does not know it.
#[allow(unsafe_code)]
fn text(
    ask: unsafe extern "C" fn(Status, *mut *const c_char) -> Status,
    status: Status,
) -> Option<String> {
    let mut text = ptr::null();
    // SAFETY: it writes the address of a constant text, or null.
    let answer = unsafe { ask(status, &raw mut text) };
    (answer == 0 && !text.is_null())
        // SAFETY: the text ends with a zero and is never freed.
        .then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_out_of_memory_is_recognised() {
        assert!(DriverError::out_of_memory().is_out_of_memory());
        assert!(!DriverError::from(&Missing::Library).is_out_of_memory());
    }

    #[test]
    fn what_is_missing_of_the_driver_is_named() {
        let error = |missing| DriverError::from(&missing).to_string();
        assert_eq!(error(Missing::Library), "libcuda is not there");
        assert_eq!(error(Missing::Function("cuInit")), "libcuda has no function cuInit");
    }
}
