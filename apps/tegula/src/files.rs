//! The files of a run: which ones its flags name, and that none of them is written over another.
//!
//! Outputs are listed here. Every other argument that names a file is an input: a new flag is
//! guarded on the day it is added.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use clap::{Arg, ArgMatches, Command};
use os_str_bytes::OsStrBytesExt;
use tegula_diodon::output;
use tegula_files::checkpoint::previous_checkpoint;
use tegula_files::matrix::names_file;
use tegula_files::source::Source;
use tegula_runtime::platform::file_identity;

use crate::error::refused;
use crate::output::{folder_of, is_standard_output};
use crate::{batch, plan};

/// An argument that says where something is written.
struct Output {
    /// Its name in the definition of the command line.
    id: &'static str,
    /// What may be written into the folder that it names; nothing if it names a file.
    names: &'static [&'static [&'static str]],
}

/// Those arguments, of all commands.
static OUTPUTS: [Output; 9] = [
    Output { id: "json", names: &[] },
    Output { id: "trace", names: &[] },
    Output { id: "output_file", names: &[] },
    Output { id: "report", names: &[] },
    Output { id: "joint", names: &[] },
    Output { id: "result", names: &[] },
    Output { id: "plot", names: &[] },
    Output { id: "checkpoint", names: &[] },
    Output { id: "output_folder", names: &[&output::RESULTS, &plan::RESULTS, &batch::RESULTS] },
];

/// The outputs of the run of this process, for inputs that only other files name.
static WRITTEN: Mutex<Vec<Named>> = Mutex::new(Vec::new());

/// A file, with what the command line calls it.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    path: PathBuf,
}

/// Refuses outputs that are also inputs, or the same as each other, of the run that `matches` of
/// `command` ask for.
///
/// # Errors
/// If two of them are the same file.
pub(crate) fn check_apart(command: &Command, matches: &ArgMatches) -> Result<()> {
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inside)) = matches.subcommand() {
        let Some(child) = command.find_subcommand(name) else { break };
        (command, matches) = (child, inside);
    }
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
        let name = shown(argument);
        let output = OUTPUTS.iter().find(|output| output.id == id);
        for value in values {
            let named = |path: PathBuf| Named { name: name.clone(), path };
            match output {
                Some(output) => outputs.extend(output.files(value.as_ref()).map(named)),
                None => inputs.extend(files_in(value).map(|path| (id, named(path)))),
            }
            if id == "resume" {
                inputs.push((id, named(previous_checkpoint(value.as_ref()))));
            }
        }
    }
    for (index, output) in outputs.iter().enumerate() {
        // A run goes on from the checkpoint that it writes.
        let is_own = |id: &str| id == "resume" && output.name == "--checkpoint";
        let mut inputs = inputs.iter().filter(|(id, _)| !is_own(id)).map(|(_, input)| input);
        inputs.try_for_each(|input| output.check_kept(input))?;
        // What one argument names may be one file for a while: a checkpoint, kept as the one
        // before.
        let mut others = outputs[..index].iter().filter(|other| other.name != output.name);
        if let Some(other) = others.find(|other| is_same(&other.path, &output.path)) {
            let (path, one, other) = (output.path.display(), &other.name, &output.name);
            return Err(refused(format!(
                "{one} and {other} would both write {path}: name two files"
            )));
        }
    }
    *WRITTEN.lock().unwrap_or_else(PoisonError::into_inner) = outputs;
    Ok(())
}

/// Whether the run that `matches` ask for writes data to standard output, and JSON elsewhere.
pub(crate) fn fills_standard_output(matches: &ArgMatches) -> bool {
    let mut matches = matches;
    while let Some((_, inside)) = matches.subcommand() {
        matches = inside;
    }
    let is_taken_by = |id: &str| {
        let values = matches.try_get_raw(id).ok().flatten();
        values.is_some_and(|mut all| all.any(|value| is_standard_output(value.as_ref())))
    };
    let mut data = OUTPUTS.iter().filter(|output| output.id != "json");
    !is_taken_by("json") && data.any(|output| is_taken_by(output.id))
}

/// Refuses the run if it would write over `path`, an input that no flag names: `what` says what it
/// is.
///
/// # Errors
/// If an output is the same file.
pub(crate) fn check_kept(what: &str, path: &Path) -> Result<()> {
    let input = Named { name: what.to_owned(), path: path.to_owned() };
    let outputs = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    outputs.iter().try_for_each(|output| output.check_kept(&input))
}

/// Refuses the run if it would write over what `source` reads beside the file at `path`: tiles of a
/// list, names of items.
///
/// # Errors
/// If an output is the same file.
pub(crate) fn check_side_files(source: &dyn Source, path: &Path) -> Result<()> {
    let of_source = |file: PathBuf| check_kept(&format!("a part of {}", source.name()), &file);
    source.other_files().into_iter().try_for_each(of_source)?;
    names_file(path).map_or(Ok(()), |file| check_kept("the names of its items", &file))
}

impl Output {
    /// The files that are written where `value` is given.
    fn files(&self, value: &Path) -> impl Iterator<Item = PathBuf> {
        let alone = self.names.is_empty().then(|| value.to_owned());
        let alone = alone.filter(|path| !is_standard_output(path) && may_be_file(path));
        let earlier = (self.id == "checkpoint").then(|| previous_checkpoint(value));
        let (folder, names) = (value.to_owned(), self.names.iter().copied().flatten());
        names.map(move |name| folder.join(name)).chain(alone).chain(earlier)
    }
}

impl Named {
    /// Refuses this output if it is the file of `input`.
    fn check_kept(&self, input: &Self) -> Result<()> {
        if !is_same(&self.path, &input.path) {
            return Ok(());
        }
        let (path, input) = (self.path.display(), &input.name);
        Err(refused(format!(
            "{} would overwrite {path}, which this run reads ({input}): name another file",
            self.name
        )))
    }
}

/// Whether both are one file, be it through links.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    place(one) == place(other) || identity(one).is_some_and(|file| identity(other) == Some(file))
}

/// Which of the files of this machine `path` is; nothing is opened, as it may be a pipe.
fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().as_ref().and_then(file_identity)
}

/// The path without links. What is not there yet lies in its folder.
fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = folder_of(path);
        let folder = fs::canonicalize(&folder).unwrap_or(folder);
        path.file_name().map_or(folder.clone(), |name| folder.join(name))
    })
}

/// Whether `path` is a file, or nothing yet: a device or a pipe takes what comes.
fn may_be_file(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |about| about.is_file())
}

/// The files that a value names: it is one, as `D.npy`; what stands before its last colon is one,
/// as in `D.h5:DATASET`; or what stands after its first, as in `file:owners.csv`.
fn files_in(value: &OsStr) -> impl Iterator<Item = PathBuf> {
    let before = value.rsplit_once(':').map(|(before, _)| before);
    let after = value.split_once(':').map(|(_, after)| after);
    let candidates = [Some(value), before, after].into_iter().flatten();
    candidates.map(PathBuf::from).filter(|path| path.is_file())
}

/// What help calls `argument`.
fn shown(argument: &Arg) -> String {
    let long = argument.get_long().map(|name| format!("--{name}"));
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    short.or(long).unwrap_or_else(|| {
        let name = argument.get_value_names().and_then(<[_]>::first);
        name.map_or_else(|| argument.get_id().to_string(), ToString::to_string)
    })
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use super::*;
    use crate::cli;

    /// Arguments that are paths of inputs, of folders to read, or of places for what is thrown
    /// away.
    const READ: [&str; 24] = [
        "file",
        "against",
        "at",
        "config",
        "data",
        "deciding",
        "files",
        "folder",
        "folders",
        "input",
        "jobs",
        "labels",
        "log",
        "model",
        "order",
        "params_file",
        "platform",
        "pools",
        "predictions",
        "resume",
        "rhs",
        "scratch",
        "train",
        "weights",
    ];

    /// The arguments of `command` and of all below it.
    fn arguments(command: &Command) -> Vec<Arg> {
        let below = command.get_subcommands().flat_map(arguments);
        command.get_arguments().cloned().chain(below).collect()
    }

    #[test]
    fn every_path_is_known_as_an_input_or_an_output() {
        let all = arguments(&cli::command());
        let is_path =
            |argument: &&Arg| argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        for argument in all.iter().filter(is_path) {
            let id = argument.get_id().as_str();
            let is_output = OUTPUTS.iter().any(|output| output.id == id);
            let is_input = READ.contains(&id);
            assert!(is_output != is_input, "{id}: an input or an output?");
        }
        for output in &OUTPUTS {
            let is_used = all.iter().any(|argument| argument.get_id() == output.id);
            assert!(is_used, "{} is no argument", output.id);
        }
    }

    #[test]
    fn values_name_files_whole_or_beside_a_colon() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("D.h5");
        fs::write(&file, "").expect("a file can be written");
        let named = |text: String| files_in(OsStr::new(&text)).collect::<Vec<_>>();
        let path = file.display();
        for text in [format!("{path}"), format!("{path}:values"), format!("file:{path}")] {
            assert_eq!(named(text), std::slice::from_ref(&file));
        }
        assert!(named("euclidean".to_owned()).is_empty());
    }
}
