//! The checkpoint before the last one: it stays beside that, for when that is cut off.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Checkpoint, CheckpointError, MAGIC};
use crate::atomic::{Temporary, remove_leftovers};

/// What the name of the checkpoint before the last one ends with.
const ENDING: &str = ".previous";

/// Where the checkpoint before that at `path` is kept: `FILE.previous` beside it.
#[must_use]
pub fn previous_checkpoint(path: &Path) -> PathBuf {
    let mut name = target(path).into_os_string();
    name.push(ENDING);
    name.into()
}

/// The file that a symbolic link names.
fn target(path: &Path) -> PathBuf {
    let followed = path.is_symlink().then(|| fs::canonicalize(path).ok()).flatten();
    followed.unwrap_or_else(|| path.to_owned())
}

/// Keeps the checkpoint at `path` as the one before that which is written next. It gets a second
/// name, which takes no room, and keeps it when another file takes its place. None is kept on a
/// file system without such names, nor where the second name is that of a file which is no
/// checkpoint.
pub fn keep_checkpoint(path: &Path) {
    let previous = previous_checkpoint(path);
    let is_free = !previous.exists() || is_checkpoint(&previous);
    // Removed in the end, since a name is not moved to another of the same file.
    let Some(name) = Temporary::next_to(&previous).ok().filter(|_| is_free) else { return };
    if fs::hard_link(target(path), &name.0).is_ok() {
        let _ = fs::rename(&name.0, &previous);
    }
}

/// Removes what runs have left that were killed while they wrote a checkpoint to `path`. No run may
/// be at it.
pub fn remove_unfinished_checkpoints(path: &Path) {
    remove_leftovers(&target(path));
    remove_leftovers(&previous_checkpoint(path));
}

fn is_checkpoint(path: &Path) -> bool {
    let mut first = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == MAGIC
}

impl Checkpoint {
    /// Opens the checkpoint at `path`, or the one before it where that is damaged or gone; its own
    /// path tells which.
    ///
    /// # Errors
    /// Those of the one at `path`, if there is none before it that can be read.
    pub fn open_last(path: &Path) -> Result<Self, CheckpointError> {
        Self::open(path).or_else(|error| match error {
            CheckpointError::Version { .. } => Err(error),
            _ => Self::open(&previous_checkpoint(path)).map_err(|_| error),
        })
    }

    /// The file that it was read from.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.body.apart.path()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, written};
    use super::super::write_checkpoint;
    use super::*;

    /// Writes another checkpoint to `path`, whose fact `number` is this, and keeps the one before.
    fn write_next(path: &Path, number: usize) {
        let mut about = about();
        about.facts.push(("number".to_owned(), number.to_string()));
        keep_checkpoint(path);
        write_checkpoint(path, &about, 0, |_| Ok(())).expect("it is written");
    }

    fn number(path: &Path) -> Option<String> {
        let found = Checkpoint::open_last(path).expect("one of the two can be read");
        found.fact("number").map(ToOwned::to_owned)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.expect("an entry").file_name().into_string().expect("UTF-8")
        };
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn the_one_before_takes_the_place_of_one_that_is_cut_off() {
        let (folder, path, _) = written();
        (1..=3).for_each(|next| write_next(&path, next));
        assert_eq!(number(&path).as_deref(), Some("3"));
        assert_eq!(names(folder.path()), ["run.checkpoint", "run.checkpoint.previous"]);
        let whole = fs::read(&path).expect("it is there");
        for length in [0, 5, 40, whole.len() - 1] {
            fs::write(&path, &whole[..length]).expect("it is cut");
            assert_eq!(number(&path).as_deref(), Some("2"), "{length}");
        }
        fs::remove_file(&path).expect("it was there");
        let found = Checkpoint::open_last(&path).expect("the one before");
        assert_eq!(found.path(), previous_checkpoint(&path));
    }

    #[test]
    fn where_both_are_cut_off_the_last_is_named() {
        let (_folder, path, _) = written();
        write_next(&path, 1);
        for path in [&path, &previous_checkpoint(&path)] {
            fs::write(path, "TEG").expect("it is cut");
        }
        let error = Checkpoint::open_last(&path).expect_err("both are cut off").to_string();
        assert!(error.contains("run.checkpoint is damaged"), "{error}");
    }

    #[test]
    fn a_write_that_fails_leaves_both() {
        let (_folder, path, _) = written();
        (1..=2).for_each(|next| write_next(&path, next));
        keep_checkpoint(&path);
        let full = |_: &mut dyn std::io::Write| Err(std::io::ErrorKind::StorageFull.into());
        write_checkpoint(&path, &about(), 0, full).expect_err("the disk is full");
        assert_eq!(number(&path).as_deref(), Some("2"));
        assert_eq!(number(&previous_checkpoint(&path)).as_deref(), Some("2"));
    }

    #[test]
    fn links_are_followed() {
        let (folder, path, _) = written();
        let elsewhere = tempfile::tempdir().expect("a folder can be made");
        let link = elsewhere.path().join("link");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        (1..=2).for_each(|next| write_next(&link, next));
        assert_eq!(names(elsewhere.path()), ["link"]);
        assert_eq!(names(folder.path()), ["run.checkpoint", "run.checkpoint.previous"]);
        fs::write(&path, "").expect("it is cut");
        assert_eq!(number(&link).as_deref(), Some("1"));
    }

    #[test]
    fn other_files_stay() {
        let (folder, path, _) = written();
        let notes = previous_checkpoint(&path);
        fs::write(&notes, "notes of a person").expect("it is written");
        let others =
            [".run.checkpoint.7.tmp", ".run.checkpoint2.7.1.tmp", "run.checkpoint.7.1.tmp"];
        let left = [".run.checkpoint.7.1.tmp", ".run.checkpoint.previous.7.12.tmp"];
        for name in others.iter().chain(&left) {
            fs::write(folder.path().join(name), "").expect("it is written");
        }
        write_next(&path, 1);
        assert_eq!(fs::read(&notes).expect("it is there"), b"notes of a person");
        remove_unfinished_checkpoints(&path);
        let mut expected = [&others[..], &["run.checkpoint", "run.checkpoint.previous"]].concat();
        expected.sort_unstable();
        assert_eq!(names(folder.path()), expected);
    }
}
