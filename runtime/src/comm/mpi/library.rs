//! Finds an MPI library, opens it, and tells which binary interface it has.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::path::Path;

#[cfg(unix)]
use libloading::os::unix::{Library as Dynamic, RTLD_GLOBAL, RTLD_NOW};
#[cfg(windows)]
use libloading::os::windows::Library as Dynamic;

use super::StartError;
use super::launcher::Family;

/// File names of Open MPI: 3 to 5; 6; and, where programs are built, any.
const OPEN_MPI: &[&str] = &["libmpi.so.40", "libmpi.so.80", "libmpi.so"];

/// File names of MPICH's family. Intel's, MVAPICH's and most builds of MPICH have the first, also
/// in folders that a module puts before the system's; Debian's MPICH has the second, Cray's the
/// others.
const MPICH: &[&str] = &[
    "libmpi.so.12",
    "libmpich.so.12",
    "libmpi_gnu.so.12",
    "libmpi_gnu_123.so.12",
    "libmpi_gnu_112.so.12",
    "libmpi_gnu_91.so.12",
    "libmpi_cray.so.12",
    "libmpi.so",
];

/// Bytes that any of the libraries may write as its version (MPICH's
/// `MPI_MAX_LIBRARY_VERSION_STRING`).
const VERSION_BYTES: usize = 8192;

/// An MPI library that was opened; it stays so until the process ends.
#[derive(Clone, Debug)]
pub struct Library {
    dynamic: &'static Dynamic,
    file: String,
    family: Family,
}

impl Library {
    /// Opens `path`, or the first library that the system's loader finds: those of `family` first,
    /// or Open MPI's if that is not known. MPI is not started.
    ///
    /// # Errors
    /// If there is none, or if what was found is no MPI library.
    pub fn find(family: Option<Family>, path: Option<&Path>) -> Result<Self, StartError> {
        if let Some(path) = path {
            return Self::open(path.as_os_str());
        }
        let names = match family {
            Some(Family::Mpich) => [MPICH, OPEN_MPI],
            _ => [OPEN_MPI, MPICH],
        };
        let mut reasons: Vec<String> = Vec::new();
        for name in names.concat() {
            match Self::open(OsStr::new(name)) {
                Ok(library) => return Ok(library),
                Err(StartError::NotFound { tried }) => reasons.push(tried),
                Err(error) => reasons.push(error.to_string()),
            }
        }
        reasons.dedup();
        Err(StartError::NotFound { tried: reasons.join("; ") })
    }

    /// The library that the program is linked to or has opened for all; `None` if there is none.
    #[must_use]
    pub fn of_process() -> Option<Self> {
        #[cfg(unix)]
        let dynamic = Dynamic::this();
        #[cfg(windows)]
        let dynamic = Dynamic::this().ok()?;
        let dynamic = Box::leak(Box::new(dynamic));
        let file = "this program".to_owned();
        let mut library = Self { dynamic, file, family: Family::Mpich };
        library.address("MPI_Init_thread").ok()?;
        if library.address("ompi_mpi_comm_world").is_ok() {
            library.family = Family::OpenMpi;
        }
        Some(library)
    }

    fn open(name: &OsStr) -> Result<Self, StartError> {
        // All symbols are shared: Open MPI opens plugins that look for its own functions.
        // SAFETY: the initialisers of MPI libraries have no precondition.
        #[cfg(unix)]
        let dynamic = unsafe { Dynamic::open(Some(name), RTLD_NOW | RTLD_GLOBAL) };
        // SAFETY: as above.
        #[cfg(windows)]
        let dynamic = unsafe { Dynamic::new(name) };
        let dynamic = dynamic.map_err(|error| StartError::NotFound { tried: reason(&error) })?;
        // Never closed: MPI's own threads may run until the process ends.
        let dynamic = Box::leak(Box::new(dynamic));
        let file = name.to_string_lossy().into_owned();
        let mut library = Self { dynamic, file, family: Family::Mpich };
        library.address("MPI_Init_thread")?;
        library.address("MPI_Get_library_version")?;
        if library.address("ompi_mpi_comm_world").is_ok() {
            library.family = Family::OpenMpi;
        }
        Ok(library)
    }

    /// The name under which it was opened.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whose binary interface it has.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// Its name and version in its own words, one line.
    #[must_use]
    pub fn version(&self) -> String {
        type Ask = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
        let mut text = vec![0u8; VERSION_BYTES + 1];
        let mut length = 0;
        // SAFETY: the type is that of mpi.h; the text has room for the longest answer and a zero at
        // its end. It may be called before MPI is started (MPI 3.1, section 8.1).
        let code = unsafe {
            self.call::<Ask>("MPI_Get_library_version")
                .map(|ask| ask(text.as_mut_ptr().cast(), &raw mut length))
        };
        let text = CStr::from_bytes_until_nul(&text).map(CStr::to_string_lossy).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match code {
            Ok(0) if !words.is_empty() => words.join(" "),
            _ => format!("{} ({})", self.family, self.file),
        }
    }

    /// Where the symbol `name` is.
    pub(super) fn address(&self, name: &'static str) -> Result<*mut (), StartError> {
        // SAFETY: the address is used only as what the caller knows it to be.
        let found = unsafe { self.dynamic.get::<*mut ()>(name.as_bytes()) };
        match found {
            Ok(symbol) if !symbol.is_null() => Ok(*symbol),
            _ => Err(StartError::MissingSymbol { file: self.file.clone(), name }),
        }
    }

    /// The function `name`.
    ///
    /// # Safety
    /// `F` is its type.
    pub(super) unsafe fn call<F: Copy>(&self, name: &'static str) -> Result<F, StartError> {
        let address = self.address(name)?;
        assert!(size_of::<F>() == size_of::<*mut ()>(), "{name} is not a function");
        // SAFETY: a function pointer has the size of an address, and the caller knows its type.
        Ok(unsafe { std::mem::transmute_copy::<*mut (), F>(&address) })
    }
}

/// What the system's loader says, without what is around it.
fn reason(error: &libloading::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_mpi_library_is_refused() {
        let error = Library::find(None, Some(Path::new("libc.so.6"))).unwrap_err().to_string();
        assert!(error.starts_with("libc.so.6 has no MPI_Init_thread"), "{error}");
        let error =
            Library::find(None, Some(Path::new("no/libmpi.so.40"))).unwrap_err().to_string();
        assert!(error.contains("no/libmpi.so.40") && error.contains("install"), "{error}");
    }
}
