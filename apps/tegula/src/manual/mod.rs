//! `tegula completions` and `tegula man`, from the definition of the command line; `tegula help
//! TOPIC`.

mod terminal;
pub(crate) mod topics;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::Man as Page;
use tegula_files::WriteError;

use crate::cli::command;
use crate::error::refused;
use crate::output::{STANDARD_OUTPUT, write_file};

/// Flags of `completions`.
#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        generate(self.shell, &mut command(), "tegula", &mut script);
        write_file::<WriteError>(Path::new(STANDARD_OUTPUT), |out| Ok(out.write_all(&script)?))
    }
}

/// Flags of `man`.
#[derive(Args, Debug)]
pub(crate) struct Man {
    /// The subcommand to explain ("exageostat fit") [default: tegula itself]
    #[arg(value_name = "COMMAND")]
    path: Vec<String>,
    /// Write the pages of all subcommands to this folder instead
    #[arg(long = "output", short = 'o', value_name = "FOLDER", conflicts_with = "path")]
    folder: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self) -> Result<()> {
        let mut root = command().disable_help_subcommand(true);
        root.build();
        if let Some(folder) = &self.folder {
            std::fs::create_dir_all(folder)
                .map_err(|error| refused(format!("cannot make {}: {error}", folder.display())))?;
            return clap_mangen::generate_to(root, folder)
                .with_context(|| format!("cannot write to {}", folder.display()));
        }
        let page = Page::new(self.find(&root)?.clone());
        let mut text = Vec::new();
        page.render(&mut text).context("cannot write the page")?;
        write_file::<WriteError>(Path::new(STANDARD_OUTPUT), |out| Ok(out.write_all(&text)?))
    }

    /// The subcommand asked for.
    fn find<'a>(&self, root: &'a Command) -> Result<&'a Command> {
        self.path.iter().try_fold(root, |parent, name| {
            parent.find_subcommand(name).ok_or_else(|| {
                let known: Vec<&str> = parent.get_subcommands().map(Command::get_name).collect();
                let (parent, known) = (parent.get_name(), known.join(", "));
                refused(format!("{parent} has no subcommand '{name}'; there are: {known}"))
            })
        })
    }
}
