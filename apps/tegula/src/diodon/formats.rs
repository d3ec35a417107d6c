//! `tegula diodon formats`: in which formats matrices are read and written.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_files::matrix::{FORMATS, Format};

use crate::flags::OutputFlags;
use crate::output::{Align, Table};

/// Flags of `formats`.
#[derive(Args, Debug)]
pub(crate) struct Formats {
    #[command(flatten)]
    output: OutputFlags,
}

impl Formats {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let left = Align::Left;
        let mut table = Table::new(&[
            ("format", left),
            ("", left),
            ("ends of names", left),
            ("what it is", left),
        ]);
        for format in FORMATS {
            let use_of = if format.write.is_some() { "read, written" } else { "read" };
            let cells = [format.name, use_of, &format.endings.join(" "), format.summary];
            table.row(cells.map(str::to_owned).to_vec());
        }
        console.line(table);
        console.line("Text may be compressed by gzip (.gz) or bzip2 (.bz2).");
        let formats: Vec<Value> = FORMATS.iter().copied().map(describe_json).collect();
        self.output.write(&json!({ "formats": formats }))?;
        console.finish()
    }
}

fn describe_json(format: &Format) -> Value {
    json!({
        "name": format.name,
        "endings": format.endings,
        "summary": format.summary,
        "text": format.is_text,
        "written": format.write.is_some(),
        "triangle": format.write.is_some_and(|writing| writing.is_triangle),
    })
}
