//! Shared libraries of CUDA and their functions, found when the program runs.

use std::path::PathBuf;

use libloading::Library as Dynamic;

/// Versions at the end of a library's file name, newest first: a name without one is tried before,
/// but comes with development packages only.
const VERSIONS: &[&str] = &["13", "12", "11", "10", "1"];

/// Where to look beyond the loader's own places: environment variables that name a folder of
/// CUDA's, and the folders where its libraries lie there.
const ROOTS: &[&str] = &["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CONDA_PREFIX"];
/// Likewise, where installers put it.
const DEFAULT_ROOTS: &[&str] = &["/usr/local/cuda", "/opt/cuda"];
/// Folders of libraries in these.
const FOLDERS: &[&str] = &["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];

/// Folders of libraries of CUDA that the loader may not know.
fn folders() -> impl Iterator<Item = PathBuf> {
    let named = ROOTS.iter().filter_map(std::env::var_os).map(PathBuf::from);
    let roots = named.chain(DEFAULT_ROOTS.iter().map(PathBuf::from));
    roots.flat_map(|root| FOLDERS.iter().map(move |folder| root.join(folder)))
}

/// Why a library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// It is nowhere.
    #[error("it is not there")]
    Library,
    /// It is too old, or too new.
    #[error("it has no function {0}")]
    Function(&'static str),
}

/// A library that stays loaded as long as this lives.
#[derive(Debug)]
pub struct Library(Dynamic);

impl Library {
    /// Loads the library called `name`, such as `libcuda`: the one that the loader finds, or else
    /// one in the folders where CUDA is installed.
    ///
    /// # Errors
    /// If it is not there.
    #[allow(unsafe_code)]
    pub fn open(name: &str) -> Result<Self, Missing> {
        let versions = VERSIONS.iter().map(|version| format!("{name}.so.{version}"));
        let files: Vec<String> = std::iter::once(format!("{name}.so")).chain(versions).collect();
        let of_loader = files.iter().map(PathBuf::from);
        let in_folders = folders().flat_map(|folder| {
            files.iter().map(move |file| folder.join(file)).collect::<Vec<PathBuf>>()
        });
        of_loader
            .chain(in_folders)
            // SAFETY: what CUDA's libraries do as they are loaded and unloaded is harmless.
            .find_map(|file| unsafe { Dynamic::new(file) }.ok())
            .map(Self)
            .ok_or(Missing::Library)
    }

    /// Its function called `name`.
    ///
    /// # Errors
    /// If it has none.
    ///
    /// # Safety
    /// `F` is the type of that function, with the calling convention of C, and nobody calls it
    /// after the library has gone.
    #[allow(unsafe_code)]
    pub unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F, Missing> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.0.get::<F>(name) };
        found.map(|function| *function).map_err(|_| Missing::Function(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_missing() {
        let missing = Library::open("libtegula-has-no-such").expect_err("there is none");
        assert_eq!(missing.to_string(), "it is not there");
    }

    #[test]
    #[allow(unsafe_code)]
    fn a_function_that_is_not_there_is_named() {
        // SAFETY: loading the library of C again does nothing.
        let library = Library(unsafe { Dynamic::new("libc.so.6") }.expect("it is everywhere"));
        // SAFETY: the signature of `abs`, and nobody calls what is not there.
        let (found, missing) = unsafe {
            (
                library.function::<unsafe extern "C" fn(i32) -> i32>("abs"),
                library.function::<unsafe extern "C" fn()>("cuNoSuch"),
            )
        };
        // SAFETY: as above.
        assert_eq!(unsafe { found.expect("C has it")(-3) }, 3);
        assert_eq!(missing.expect_err("C has none"), Missing::Function("cuNoSuch"));
    }
}
