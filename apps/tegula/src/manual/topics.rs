//! `tegula help TOPIC`: the pages for users (`docs/`), as they are on the site, in a terminal.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;
use tegula_files::WriteError;

use super::terminal::rendered;
use crate::cli::command;
use crate::error::refused;
use crate::output::{STANDARD_OUTPUT, write_file};

/// A page of the documentation.
pub(super) struct Topic {
    /// What follows `tegula help`; the page is `docs/NAME.md`.
    pub(super) name: &'static str,
    /// The page, in Markdown.
    pub(super) text: &'static str,
}

impl Topic {
    /// The heading of the page.
    fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

/// All pages for users, in the order in which to read them. No subcommand is called like one.
pub(super) const TOPICS: &[Topic] = &[
    Topic { name: "first-fit", text: include_str!("../../docs/first-fit.md") },
    Topic { name: "first-embedding", text: include_str!("../../docs/first-embedding.md") },
    Topic { name: "methods", text: include_str!("../../docs/methods.md") },
    Topic { name: "reports", text: include_str!("../../docs/reports.md") },
    Topic { name: "mistakes", text: include_str!("../../docs/mistakes.md") },
    Topic { name: "memory", text: include_str!("../../docs/memory.md") },
    Topic { name: "cluster", text: include_str!("../../docs/cluster.md") },
    Topic { name: "batch-jobs", text: include_str!("../../docs/batch-jobs.md") },
    Topic { name: "examples", text: include_str!("../../docs/examples.md") },
];

/// What `arguments` (the program first) ask for, if it is help on a topic: its text, the list of
/// all ("topics"), or that there is none such.
pub(crate) fn asked(arguments: &[OsString]) -> Option<Result<String>> {
    let [_, help, name] = arguments else { return None };
    let name = name.to_str()?;
    if help != "help" || command().find_subcommand(name).is_some() || name.starts_with('-') {
        return None;
    }
    Some(match TOPICS.iter().find(|topic| topic.name == name) {
        Some(topic) => Ok(rendered(topic.text)),
        None if name == "topics" => Ok(list()),
        None if name == "help" => return None,
        None => Err(refused(format!(
            "there is neither a command nor a topic '{name}'; 'tegula --help' lists the commands, \
             'tegula help topics' the topics"
        ))),
    })
}

/// Prints the text of a page.
pub(crate) fn print(text: &str) -> Result<()> {
    let path = Path::new(STANDARD_OUTPUT);
    write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// The topics with their titles.
fn list() -> String {
    let width = TOPICS.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
    let line = |topic: &Topic| format!("  {:width$}  {}\n", topic.name, topic.title());
    let lines: String = TOPICS.iter().map(line).collect();
    format!("Topics of 'tegula help TOPIC':\n\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::{TOPICS, asked};
    use crate::cli::command;

    fn ask(words: &[&str]) -> Option<Result<String, String>> {
        let arguments: Vec<_> = words.iter().map(Into::into).collect();
        asked(&arguments).map(|answer| answer.map_err(|error| error.to_string()))
    }

    #[test]
    fn no_topic_hides_a_command() {
        for topic in TOPICS {
            assert!(command().find_subcommand(topic.name).is_none(), "{}", topic.name);
            assert!(topic.text.starts_with("# ") && !topic.title().is_empty(), "{}", topic.name);
        }
    }

    #[test]
    fn every_page_for_users_is_a_topic() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let files = std::fs::read_dir(folder).expect("the folder of pages");
        let names = files.map(|file| file.expect("an entry").file_name());
        let mut names: Vec<String> = names
            .filter_map(|name| Some(name.to_str()?.strip_suffix(".md")?.to_owned()))
            .filter(|name| !["README", "SUMMARY"].contains(&name.as_str()))
            .collect();
        let mut topics: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
        names.sort_unstable();
        topics.sort_unstable();
        assert_eq!(topics, names);
    }

    #[test]
    fn topics_are_printed_and_commands_are_left_to_their_own_help() {
        let page = ask(&["tegula", "help", "methods"]).expect("a topic").expect("a page");
        assert!(page.lines().all(|line| !line.starts_with("```")), "{page}");
        let list = ask(&["tegula", "help", "topics"]).expect("the list").expect("a list");
        assert!(TOPICS.iter().all(|topic| list.contains(topic.name)), "{list}");
        for words in
            [&["tegula", "help", "linalg"][..], &["tegula", "help"], &["tegula", "info", "methods"]]
        {
            assert!(ask(words).is_none(), "{words:?}");
        }
        let refusal = ask(&["tegula", "help", "no-such"]).expect("an answer").expect_err("none");
        assert!(refusal.contains("'no-such'"), "{refusal}");
    }
}
