//! `--config FILE.toml`: flags from a file, put before those of the command line, which win.

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command};
use os_str_bytes::OsStrBytesExt;
use tegula_files::nearest_name;
use tegula_files::text::read_whole;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::refused;

/// Bytes that a file of flags may have.
const MOST_BYTES: u64 = 1 << 20;

/// Bytes of a message about a line.
const MOST_SHOWN: usize = 1000;

/// `arguments` with the flags of the file that `--config` names put right after the subcommand.
///
/// # Errors
/// If the file cannot be read, or has a key that is no flag of the subcommand.
pub(crate) fn arguments(root: &Command, arguments: Vec<OsString>) -> Result<Arguments> {
    let (command, start) = subcommand(root, &arguments);
    let path = config_path(&arguments[start..]);
    let takes_config = command.get_arguments().any(|flag| flag.get_long() == Some("config"));
    let Some(path) = path.filter(|_| takes_config) else {
        return Ok(Arguments { all: arguments, origins: Vec::new() });
    };
    let path = Path::new(&path);
    let text = read_whole(path, MOST_BYTES)
        .map_err(|error| refused(format!("cannot read {}: {error}", path.display())))?;
    let file = File { path, text: &text, command };
    let mut origins = file.flags()?;
    let given = Given { command, flags: given_flags(command, &arguments[start..]) };
    origins.retain(|origin| !given.replaces(&origin.name));
    let mut all = arguments;
    all.splice(start..start, origins.iter().map(|origin| OsString::from(&origin.flag)));
    Ok(Arguments { all, origins })
}

/// The arguments of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// All of them, those of the file first.
    pub(crate) all: Vec<OsString>,
    origins: Vec<Origin>,
}

/// A flag of a file.
#[derive(Debug)]
struct Origin {
    /// Its long name.
    name: String,
    /// As it would stand on the command line.
    flag: String,
    /// The file and the line.
    place: String,
}

impl Arguments {
    /// Where the value that clap refuses with `error` comes from, if it is from a file.
    pub(crate) fn origin(&self, error: &clap::Error) -> Option<String> {
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let (flag, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
        let flag = format!("{}={value}", flag.split_whitespace().next()?);
        let origin = self.origins.iter().find(|origin| origin.flag == flag)?;
        Some(format!("{flag} comes from {}", origin.place))
    }
}

/// The subcommand that `arguments` name, and the position after its name.
fn subcommand<'a>(root: &'a Command, arguments: &[OsString]) -> (&'a Command, usize) {
    let (mut command, mut position) = (root, 1.min(arguments.len()));
    while let Some(next) = arguments.get(position).and_then(|name| command.find_subcommand(name)) {
        (command, position) = (next, position + 1);
    }
    (command, position)
}

/// The last value of `--config`.
fn config_path(arguments: &[OsString]) -> Option<OsString> {
    let mut found = None;
    let mut rest = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = rest.next() {
        if argument == "--config" {
            found = rest.next().cloned();
        } else if let Some(value) = argument.strip_prefix("--config=") {
            found = Some(value.to_owned());
        }
    }
    found
}

/// The flags on the command line.
struct Given<'a> {
    command: &'a Command,
    flags: Vec<&'a Arg>,
}

impl Given<'_> {
    /// Whether the flag `name`, or one that cannot stand beside it, is among them.
    fn replaces(&self, name: &str) -> bool {
        let Some(flag) = find_long(self.command, name) else { return false };
        let excluded = self.command.get_arg_conflicts_with(flag);
        self.flags.iter().any(|other| {
            *other == flag
                || excluded.contains(other)
                || self.command.get_arg_conflicts_with(other).contains(&flag)
        })
    }
}

/// The flags among `arguments` of `command`; what follows a flag that takes a value is none.
fn given_flags<'a>(command: &'a Command, arguments: &[OsString]) -> Vec<&'a Arg> {
    let mut found = Vec::new();
    let mut rest = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = rest.next() {
        let argument = argument.to_string_lossy();
        let (flags, has_value) = match argument.strip_prefix("--") {
            Some(text) => {
                let name = text.split('=').next().unwrap_or(text);
                (find_long(command, name).into_iter().collect(), text.contains('='))
            }
            None => short_flags(command, &argument),
        };
        if flags.last().is_some_and(|flag: &&Arg| flag.get_action().takes_values()) && !has_value {
            rest.next();
        }
        found.extend(flags);
    }
    found
}

/// The flags that `argument` gives by their letters (`-qv`, `-ofile`), and whether the value of the
/// last stands in it.
fn short_flags<'a>(command: &'a Command, argument: &str) -> (Vec<&'a Arg>, bool) {
    let mut found = Vec::new();
    let mut letters = argument.strip_prefix('-').unwrap_or_default().chars();
    for letter in letters.by_ref() {
        let Some(flag) = command.get_arguments().find(|flag| flag.get_short() == Some(letter))
        else {
            break;
        };
        found.push(flag);
        if flag.get_action().takes_values() {
            break;
        }
    }
    (found, !letters.as_str().is_empty())
}

/// The flag `--name` of `command`.
fn find_long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|flag| flag.get_long() == Some(name))
}

/// A file of flags for one subcommand.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    command: &'a Command,
}

impl File<'_> {
    fn flags(&self) -> Result<Vec<Origin>> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let shown = error.to_string();
            // The line is shown unless it is too long to be read.
            match error.span().filter(|_| shown.len() > MOST_SHOWN) {
                Some(span) => self.fail(&span, format_args!("{}", error.message())),
                None => refused(format!("{}: {}", self.path.display(), shown.trim_end())),
            }
        })?;
        let mut flags = Vec::new();
        // Tables keep their keys in alphabetical order; a file is read from the top.
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let place = self.place(&key.span());
            let found = self.read(key.get_ref(), &key.span(), value)?;
            let name = key.get_ref().to_string();
            let origin = |flag| Origin { name: name.clone(), flag, place: place.clone() };
            flags.extend(found.into_iter().map(origin));
        }
        Ok(flags)
    }

    /// The flag `name` with its value, as often as it is to be given.
    fn read(
        &self,
        name: &str,
        span: &Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<String>> {
        let flag = self.find(name, span)?;
        let wrong = |wanted: &str| {
            self.fail(span, format_args!("{name} takes {wanted}, not {}", self.source(value)))
        };
        match (flag.get_action(), value.get_ref()) {
            (ArgAction::SetTrue, DeValue::Boolean(true)) => Ok(vec![format!("--{name}")]),
            (ArgAction::SetTrue, DeValue::Boolean(false)) => Ok(Vec::new()),
            (ArgAction::SetTrue, _) => Err(wrong("true or false")),
            (ArgAction::Count, DeValue::Integer(count)) => {
                let count: usize = count.as_str().parse().map_err(|_| wrong("a small number"))?;
                Ok((0..count.min(9)).map(|_| format!("--{name}")).collect())
            }
            (ArgAction::Count, _) => Err(wrong("a number")),
            (_, value) => {
                let text = words(value).ok_or_else(|| wrong("text or a number"))?;
                Ok(vec![format!("--{name}={text}")])
            }
        }
    }

    fn find(&self, name: &str, span: &Range<usize>) -> Result<&Arg> {
        let known =
            || self.command.get_arguments().filter(|flag| flag.get_long() != Some("config"));
        known().find(|flag| flag.get_long() == Some(name)).ok_or_else(|| {
            let near = nearest_name(name, known().filter_map(Arg::get_long));
            let hint = near.map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            let command = self.command.get_name();
            let advice = format_args!(
                "'{name}' is no flag of this command{hint}; --help lists those of {command}"
            );
            self.fail(span, advice)
        })
    }

    /// What stands in the file for `value`.
    fn source(&self, value: &Spanned<DeValue<'_>>) -> &str {
        &self.text[value.span()]
    }

    /// The file and the line of `span`.
    fn place(&self, span: &Range<usize>) -> String {
        let line = 1 + self.text[..span.start].matches('\n').count();
        format!("{}, line {line}", self.path.display())
    }

    fn fail(&self, span: &Range<usize>, message: std::fmt::Arguments<'_>) -> anyhow::Error {
        refused(format!("{}: {message}", self.place(span)))
    }
}

/// A value as it would stand on the command line: a list with commas, a table as `name=value`
/// pairs, a list inside as `low:high`.
fn words(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Array(items) => {
            let items: Option<Vec<String>> =
                items.iter().map(|item| word(item.get_ref())).collect();
            Some(items?.join(","))
        }
        DeValue::Table(table) => {
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_by_key(|(key, _)| key.span().start);
            let pairs: Option<Vec<String>> = entries
                .into_iter()
                .map(|(key, value)| Some(format!("{}={}", key.get_ref(), word(value.get_ref())?)))
                .collect();
            Some(pairs?.join(","))
        }
        value => word(value),
    }
}

fn word(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Array(items) => {
            let items: Option<Vec<String>> =
                items.iter().map(|item| word(item.get_ref())).collect();
            Some(items?.join(":"))
        }
        DeValue::Table(_) | DeValue::Datetime(_) => None,
    }
}
