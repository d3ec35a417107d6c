//! A folder in which the stand-ins lie under the names of NVIDIA's libraries, for the
//! `LD_LIBRARY_PATH` of a program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

/// The names.
const NAMES: [&str; 6] = [
    "libcuda.so",
    "libcuda.so.1",
    "libcublas.so",
    "libcusolver.so",
    "libnvrtc.so",
    "libnvidia-ml.so",
];

/// Why device code cannot be played here, if it cannot: it is compiled by g++.
#[must_use]
pub fn missing() -> Option<String> {
    let error = Command::new("g++").arg("--version").output().err()?;
    Some(format!("no g++: {error}"))
}

/// The folder, as long as this lives.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A folder for programs that a test starts.
    ///
    /// # Panics
    /// If this program was not built by cargo with this crate, or there is no room for temporary
    /// files.
    #[must_use]
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tegula-stand-ins-{}-{count}", std::process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("there is room for temporary files");
        let library = library();
        for name in NAMES {
            std::os::unix::fs::symlink(&library, folder.join(name)).expect("the folder is new");
        }
        Self(folder)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Has `command` find the stand-ins, before any other library.
    pub fn lend<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let before = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let mut paths = vec![self.0.clone()];
        paths.extend(env::split_paths(&before).filter(|path| !path.as_os_str().is_empty()));
        command.env("LD_LIBRARY_PATH", env::join_paths(paths).expect("no path here has a colon"))
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The shared library, which cargo puts beside the tests that it builds with this crate.
fn library() -> PathBuf {
    let program = env::current_exe().expect("a test knows its own file");
    let beside = program.ancestors().skip(1).take(2);
    let mut places = beside.flat_map(|folder| [folder.to_owned(), folder.join("deps")]);
    let found = places.find_map(|folder| {
        Some(folder.join("libtegula_stand_ins.so")).filter(|file| file.exists())
    });
    found.unwrap_or_else(|| panic!("no libtegula_stand_ins.so beside {}", program.display()))
}
