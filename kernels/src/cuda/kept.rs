//! Compiled device code that is kept in a folder: to compile takes most of a second, as long as
//! many a run.
//!
//! A file's name is a hash of all that the code depends on, and its contents are the code behind a
//! hash of it. What cannot be read, or is not whole, is compiled anew; that nothing can be written
//! is no error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::LibraryError;

/// Where code is kept, if anywhere.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Keeps compiled device code in `folder`, which need not be there, from now on; the first call
/// counts.
pub fn keep_code_in(folder: PathBuf) {
    let _first = FOLDER.set(folder);
}

/// The code that `compile` makes of what `key` tells all of, or what it made before.
///
/// # Errors
/// Those of `compile`.
pub(super) fn kept_or(
    key: &[&str],
    compile: impl FnOnce() -> Result<Vec<u8>, LibraryError>,
) -> Result<Vec<u8>, LibraryError> {
    let Some(folder) = FOLDER.get() else { return compile() };
    let key = key.iter().fold(BASIS, |hash, part| hashed(hashed(hash, part.as_bytes()), &[0]));
    let file = folder.join(format!("cuda-{key:016x}.cubin"));
    if let Some(code) = read(&file) {
        return Ok(code);
    }
    let code = compile()?;
    write(&file, &code);
    Ok(code)
}

fn read(file: &Path) -> Option<Vec<u8>> {
    let contents = fs::read(file).ok()?;
    let (hash, code) = contents.split_first_chunk()?;
    (u64::from_le_bytes(*hash) == hashed(BASIS, code)).then(|| code.to_vec())
}

fn write(file: &Path, code: &[u8]) {
    let draft = file.with_extension(format!("{}.part", std::process::id()));
    let contents = [&hashed(BASIS, code).to_le_bytes(), code].concat();
    let made = file.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(&draft, contents));
    if written.and_then(|()| fs::rename(&draft, file)).is_err() {
        let _removed = fs::remove_file(&draft);
    }
}

/// The offset basis of [`hashed`].
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash FNV-1a of what `hash` is that of, followed by `bytes` (Fowler, Noll, Vo; RFC 9923).
fn hashed(hash: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_specification() {
        assert_eq!(hashed(BASIS, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hashed(BASIS, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hashed(BASIS, b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn code_is_compiled_once_and_anew_if_it_is_not_whole() {
        let folder = std::env::temp_dir().join(format!("tegula-kept-{}", std::process::id()));
        let file = folder.join("cuda.cubin");
        assert_eq!(read(&file), None);
        write(&file, b"code");
        assert_eq!(read(&file).as_deref(), Some(&b"code"[..]));
        for broken in [&b"short"[..], b"", b"12345678code"] {
            fs::write(&file, broken).expect("there is room for a few bytes");
            assert_eq!(read(&file), None);
        }
        fs::remove_dir_all(&folder).expect("nobody else uses it");
    }
}
