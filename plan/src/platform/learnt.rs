//! What was learnt of the kernels on one machine, kept between runs: used only where it was learnt.

use std::path::Path;

use serde::Deserialize;
use tegula_runtime::platform::Entry;
use toml::Spanned;

use super::error::{PlatformError, Text};
use super::file::KernelPart;
use super::{MOST_BYTES, kernels, read_text, write, write_text};
use tegula_files::digest_bytes;
use tegula_files::text::read_whole;

/// What times depend on besides the task.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// The processor, as the system calls it.
    pub processor: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// Who multiplies matrices.
    pub blas: String,
    /// Version of the program.
    pub version: String,
}

impl Fingerprint {
    /// Name of the file for this machine: the same for all versions of the program, so that a new
    /// one finds what it can no longer use.
    #[must_use]
    pub fn file_name(&self) -> String {
        let Self { processor, cores, blas, .. } = self;
        let digest = digest_bytes(format!("{processor}\n{cores}\n{blas}").as_bytes());
        format!("models-{}.toml", &digest.to_string()[..12])
    }

    /// What differs from `other`.
    fn differences(&self, other: &Self) -> Vec<String> {
        let fields = [
            ("processor", self.processor.clone(), other.processor.clone()),
            ("cores", self.cores.to_string(), other.cores.to_string()),
            ("blas", self.blas.clone(), other.blas.clone()),
            ("version", self.version.clone(), other.version.clone()),
        ];
        let differs = fields.into_iter().filter(|(_, here, there)| here != there);
        differs.map(|(field, here, there)| format!("{field} {here}, not {there}")).collect()
    }
}

/// What a file of models holds for this machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Learnt {
    /// There is no such file yet.
    Nothing,
    /// Times of kernels.
    Entries(Vec<Entry>),
    /// They were learnt elsewhere or by another version: one line that says what differs.
    Foreign(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    learnt: Fingerprint,
    #[serde(default)]
    kernel: Vec<Spanned<KernelPart>>,
}

/// What a run has learnt of some machine.
#[derive(Clone, Debug, PartialEq)]
pub struct LearntFile {
    /// Where the times were learnt.
    pub place: Fingerprint,
    /// Times of kernels.
    pub entries: Vec<Entry>,
}

impl LearntFile {
    /// What the file `path` holds, whatever machine it is of; none if it holds something else.
    ///
    /// # Errors
    /// If it cannot be read, or is one of these and wrong somewhere.
    pub fn read(path: &Path) -> Result<Option<Self>, PlatformError> {
        let text = read_text(path)?;
        let text = Text { origin: &path.display().to_string(), text: &text };
        if is_learnt(text.text) { Self::parse(text).map(Some) } else { Ok(None) }
    }

    fn parse(text: Text<'_>) -> Result<Self, PlatformError> {
        let file: File = text.parse()?;
        Ok(Self { place: file.learnt, entries: kernels::entries(text, &file.kernel)? })
    }
}

/// Whether `text` holds learnt times.
pub(super) fn is_learnt(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("learnt"))
}

/// What the file `path` holds for the machine `here`.
///
/// # Errors
/// If it is there and cannot be read, or is wrong somewhere.
pub fn read_learnt(path: &Path, here: &Fingerprint) -> Result<Learnt, PlatformError> {
    let text = match read_whole(path, MOST_BYTES) {
        Ok(text) => text,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(Learnt::Nothing),
        Err(cause) => return Err(PlatformError::Read { path: path.to_owned(), cause }),
    };
    let text = Text { origin: &path.display().to_string(), text: &text };
    let LearntFile { place, entries } = LearntFile::parse(text)?;
    let differences = place.differences(here);
    if !differences.is_empty() {
        let what = differences.join("; ");
        return Ok(Learnt::Foreign(format!("{} is of another setting: {what}", path.display())));
    }
    Ok(Learnt::Entries(entries))
}

/// Writes what was learnt on the machine `here` to the file `path`, all of it or nothing; numbers
/// that come from elsewhere are left out.
///
/// # Errors
/// If the file cannot be written.
pub fn write_learnt(
    path: &Path,
    here: &Fingerprint,
    entries: &[Entry],
) -> Result<(), PlatformError> {
    let Fingerprint { processor, cores, blas, version } = here;
    let own: Vec<Entry> = entries.iter().filter(|e| e.samples.is_some()).cloned().collect();
    let [processor, blas, version] = [processor, blas, version].map(|text| write::quoted(text));
    let mut text = format!(
        "learnt = {{ processor = {processor}, cores = {cores}, blas = {blas}, version = {version} }}\n"
    );
    write::kernels(&mut text, &own);
    write_text(path, &text)
}
