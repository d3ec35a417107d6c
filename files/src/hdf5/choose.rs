//! Which data set of a file is the matrix.

use std::path::Path;

use rust_hdf5::format::messages::filter::{
    FILTER_BLOSC, FILTER_BLOSC2, FILTER_BSHUF, FILTER_BZIP2, FILTER_DEFLATE, FILTER_FLETCHER32,
    FILTER_LZ4, FILTER_LZF, FILTER_NBIT, FILTER_SCALEOFFSET, FILTER_SHUFFLE, FILTER_SZIP,
    FILTER_ZFP, FILTER_ZSTD,
};
use rust_hdf5::{Filter, H5Dataset, H5File, LinkClass, StorageLayout};

use super::kind::Kind;
use super::library::unreadable;
use super::names::is_for_names;
use crate::source::{SourceError, order_of_triangle};

/// What matrices are called, most telling first.
pub(super) const USUAL: [&str; 5] = ["values", "distance", "distances", "matrix", "data"];
/// Most data sets that a message lists.
const SHOWN: usize = 12;

/// The data set that is the matrix.
pub(super) struct Chosen {
    /// Its path from the root group, without a slash before it.
    pub(super) path: String,
    pub(super) dataset: H5Dataset,
    pub(super) kind: Kind,
    /// Rows and columns of the matrix.
    pub(super) shape: [usize; 2],
    /// Whether only what is above the diagonal is stored.
    pub(super) is_condensed: bool,
}

/// Why a data set cannot be the matrix.
struct Refusal {
    words: String,
    /// Whether it is one, stored in a way that is not read here.
    is_unsupported: bool,
}

impl Refusal {
    /// It is one, but not read for this reason.
    fn unsupported(words: String) -> Self {
        Self { words, is_unsupported: true }
    }

    /// The error of the file at `path`.
    fn of(self, path: &Path) -> SourceError {
        match self.is_unsupported {
            true => SourceError::unsupported(path, self.words),
            false => SourceError::invalid(path, self.words),
        }
    }
}

impl From<String> for Refusal {
    fn from(words: String) -> Self {
        Self { words, is_unsupported: false }
    }
}

/// The data set `wanted`, or the one that is the matrix if none is named.
///
/// # Errors
/// If there is none, there are several, or it is no matrix of numbers.
pub(super) fn choose(
    path: &Path,
    file: &H5File,
    wanted: Option<&str>,
) -> Result<Chosen, SourceError> {
    let names = file.dataset_names();
    if let Some(wanted) = wanted {
        let name = wanted.trim_matches('/');
        return named(file, name, &names).map_err(|refusal| refusal.of(path));
    }
    // The usual names at the root, then anywhere.
    for usual in USUAL {
        if names.iter().any(|name| name == usual)
            && let Ok(chosen) = usable(file, usual)
        {
            return Ok(chosen);
        }
    }
    let (mut square, mut condensed) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|name| !is_for_names(name)) {
        if let Ok(chosen) = usable(file, name) {
            if chosen.is_condensed { &mut condensed } else { &mut square }.push(chosen);
        }
    }
    let mut found = if square.is_empty() { condensed } else { square };
    match (found.pop(), found.len()) {
        (Some(chosen), 0) => Ok(chosen),
        (None, _) => Err(none(file, &names).of(path)),
        (Some(last), _) => {
            let found: Vec<String> =
                found.into_iter().chain([last]).map(|chosen| chosen.path).collect();
            let reason = format!("several data sets may be the matrix: {}; name one", list(&found));
            Err(SourceError::invalid(path, reason))
        }
    }
}

/// The data set `name`.
fn named(file: &H5File, name: &str, names: &[String]) -> Result<Chosen, Refusal> {
    if let Some((other, path)) = elsewhere(file, name) {
        return Err(Refusal::unsupported(format!(
            "'{name}' is an external link, to the data set '{path}' of the file {other}: name that one, {other}:{path}"
        )));
    }
    if file.dataset(name).is_err() && !names.iter().any(|known| known == name) {
        let known = if names.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {}", list(names))
        };
        return Err(format!("there is no data set '{name}' in it; {known}").into());
    }
    usable(file, name).map_err(|refusal| {
        let words = format!("data set '{name}' {}", refusal.words);
        Refusal { words, ..refusal }
    })
}

/// The other file, and the data set in it, to which a link on the way to `name` leads.
fn elsewhere(file: &H5File, name: &str) -> Option<(String, String)> {
    steps(name).find_map(|end| match file.root_group().link_class(&name[..end]) {
        Ok(LinkClass::External { file, path }) => {
            Some((file, format!("{}{}", path.trim_matches('/'), &name[end..])))
        }
        _ => None,
    })
}

/// Where the groups on the way to `name`, and the name itself, end.
fn steps(name: &str) -> impl Iterator<Item = usize> {
    name.match_indices('/').map(|(at, _)| at).chain([name.len()])
}

/// The path of the data set `name` without links that name another path in this file.
pub(super) fn without_links(file: &H5File, name: &str) -> String {
    const MOST: usize = 16;
    let mut name = name.to_owned();
    for _ in 0..MOST {
        let link = steps(&name).find_map(|end| match file.root_group().link_class(&name[..end]) {
            Ok(LinkClass::Soft { path }) => Some((end, path)),
            _ => None,
        });
        let Some((end, target)) = link else { break };
        let group = name[..end].rsplit_once('/').map_or("", |(group, _)| group);
        let group = if target.starts_with('/') { "" } else { group };
        let whole = format!("{group}/{target}{}", &name[end..]);
        name = whole.trim_start_matches('/').to_owned();
    }
    name
}

/// The data set `name`, if it is a matrix of numbers.
///
/// # Errors
/// What it is instead.
fn usable(file: &H5File, name: &str) -> Result<Chosen, Refusal> {
    let dataset = file.dataset(name).map_err(|error| format!("cannot be read: {error}"))?;
    let datatype = dataset.datatype().map_err(|error| format!("cannot be read: {error}"))?;
    let kind = Kind::of(&datatype).map_err(|what| {
        format!("holds {what}; integers of 1, 2, 4 or 8 bytes and floats of 2, 4 or 8 can be read")
    })?;
    let stored = dataset.shape();
    let (shape, is_condensed) = match stored[..] {
        [rows, columns] => ([rows, columns], false),
        [length] => match order_of_triangle(length) {
            Some(n) => ([n, n], true),
            None => {
                return Err(format!(
                    "has {length} entries in one dimension, which is no n (n - 1) / 2; a matrix has two dimensions, or \
                     what is above the diagonal row by row"
                )
                .into());
            }
        },
        _ => return Err(format!("has shape {stored:?}; a matrix has two dimensions").into()),
    };
    if shape[0].checked_mul(shape[1]).and_then(|count| count.checked_mul(8)).is_none() {
        return Err(format!("is damaged: it has shape {stored:?}").into());
    }
    let layout = dataset.storage_layout().map_err(|error| format!("cannot be read: {error}"))?;
    if layout == StorageLayout::Virtual {
        return Err(Refusal::unsupported(virtual_words(&dataset)));
    }
    let filters = dataset.filters().map_err(|error| format!("cannot be read: {error}"))?;
    // Which of these are read wrongly was found by comparison with libhdf5.
    let is_swapped = kind.is_swapped && kind.element.bytes() > 1;
    let is_misread = |filter: &Filter| filter.id == FILTER_SCALEOFFSET && is_swapped;
    let is_unread = |filter: &&Filter| !is_known(filter) || is_misread(filter);
    if let Some(Filter { id, .. }) = filters.iter().find(is_unread) {
        return Err(Refusal::unsupported(format!(
            "went through filter {id} of HDF5{}, which is not read; h5repack -f GZIP=4 makes a file that is",
            filter_name(*id)
        )));
    }
    Ok(Chosen { path: name.to_owned(), dataset, kind, shape, is_condensed })
}

/// What to say of a virtual data set.
fn virtual_words(dataset: &H5Dataset) -> String {
    let mut files: Vec<String> = dataset.virtual_mappings().map_or_else(
        |_| Vec::new(),
        |parts| parts.into_iter().map(|part| part.source_file_name).collect(),
    );
    files.dedup();
    let files = if files.is_empty() { "other files".to_owned() } else { list(&files) };
    format!(
        "is a virtual data set, put together from {files}: name these in a manifest of tiles, or copy it to a data set of \
         its own by h5py (file['new'] = file['virtual'][:])"
    )
}

/// Whether what went through `filter` can be read.
fn is_known(filter: &Filter) -> bool {
    match filter.id {
        FILTER_DEFLATE | FILTER_SHUFFLE | FILTER_FLETCHER32 | FILTER_SZIP | FILTER_NBIT => true,
        FILTER_SCALEOFFSET | FILTER_BZIP2 | FILTER_LZF | FILTER_BLOSC | FILTER_LZ4 => true,
        FILTER_ZSTD => true,
        // The fifth number says what follows: nothing, or LZ4.
        FILTER_BSHUF => matches!(filter.cd_values.get(4), None | Some(0 | 2)),
        _ => false,
    }
}

/// What a filter that is not read is called, for the middle of a sentence.
fn filter_name(id: u16) -> &'static str {
    match id {
        FILTER_BSHUF => " (bitshuffle with Zstandard)",
        FILTER_SCALEOFFSET => " (scale-offset, with the highest byte first)",
        FILTER_ZFP => " (ZFP)",
        FILTER_BLOSC2 => " (Blosc2)",
        _ => "",
    }
}

/// What to say of a file without a matrix.
fn none(file: &H5File, names: &[String]) -> Refusal {
    if let Some((name, (other, path))) = linked(file).filter(|_| names.is_empty()) {
        return Refusal::unsupported(format!(
            "there is no data set in it, but '{name}', an external link, to the data set '{path}' of the file {other}: name \
             that one, {other}:{path}"
        ));
    }
    if names.is_empty() {
        return "there is no data set in it".to_owned().into();
    }
    let others = names.iter().filter(|name| !is_for_names(name));
    let refusals: Vec<(&String, Refusal)> =
        others.filter_map(|name| Some((name, usable(file, name).err()?))).collect();
    let shown = refusals.iter().take(4);
    let reasons: Vec<String> =
        shown.map(|(name, refusal)| format!("'{name}' {}", refusal.words)).collect();
    let reasons = if reasons.is_empty() { list(names) } else { reasons.join("; ") };
    Refusal {
        words: format!("no data set in it is a matrix that is read: {reasons}"),
        is_unsupported: refusals.iter().any(|(_, refusal)| refusal.is_unsupported),
    }
}

/// The first link of the root group into another file, and where it leads.
fn linked(file: &H5File) -> Option<(String, (String, String))> {
    let names = file.root_group().link_names().ok()?;
    names.into_iter().find_map(|name| Some((name.clone(), elsewhere(file, &name)?)))
}

/// Names for a message.
fn list(names: &[String]) -> String {
    let mut words: Vec<String> = names.iter().take(SHOWN).map(|name| format!("'{name}'")).collect();
    if names.len() > SHOWN {
        words.push(format!("and {} more", names.len() - SHOWN));
    }
    words.join(", ")
}

/// Bytes of one entry that was never written, in the byte order of the file.
///
/// # Errors
/// If the library cannot say.
pub(super) fn fill_of(path: &Path, chosen: &Chosen) -> Result<Vec<u8>, SourceError> {
    let size = chosen.kind.element.bytes();
    let fill = chosen.dataset.fill_value().map_err(|error| unreadable(path, &error))?;
    match fill {
        rust_hdf5::FillValue::UserDefined(bytes) if bytes.len() == size => Ok(bytes),
        _ => Ok(vec![0; size]),
    }
}
