//! `tegula diodon convert`: a matrix from one format to another, block by block.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::{Value, json};
use tegula_files::matrix::{
    FORMATS, Format, Found, Loss, NameStorage, ReadSettings, Rounding, Transfer, Writing,
    check_triangle, create_matrix, find_matrix, writable_format,
};
use tegula_files::source::{Coverage, Source};
use tegula_kernels::element::{ELEMENTS, Element};

use super::matrix::{ReadFlags, ToleranceFlags};
use crate::error::refused;
use crate::files::check_side_files;
use crate::flags::{OutputFlags, member, parse_bytes};
use crate::machine::usable_memory;
use crate::output::{
    Console, Progress, bytes, check_folder, check_output, count, is_standard_output, number,
    seconds,
};

/// Memory where the system does not tell how much there is.
const UNKNOWN_MEMORY: u64 = 1 << 30;
/// Most memory for the blocks that are copied: larger ones are not faster.
const MOST_BLOCKS: u64 = 1 << 28;

/// Flags of `convert`.
#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// The matrix: a file, or FILE:PART if it holds several
    #[arg(value_name = "IN")]
    input: OsString,
    /// Where to write it; "-" is standard output
    #[arg(value_name = "OUT")]
    output_file: PathBuf,
    /// Format of IN [default: by the end of its name, else by its contents]
    #[arg(long, value_name = "FORMAT", help_heading = "Formats", value_parser = formats())]
    from: Option<&'static Format>,
    /// Format of OUT [default: by the end of its name]
    #[arg(long, value_name = "FORMAT", help_heading = "Formats", value_parser = formats())]
    to: Option<&'static Format>,
    /// Kind of numbers to write: f16, f32 or f64, to which others are rounded; u8, i8, u16, i16,
    /// u32, i32, u64 or i64, which have to fit [default: that of IN, or the one that OUT holds]
    #[arg(long, value_name = "KIND", help_heading = "Formats", value_parser = element)]
    precision: Option<Element>,
    /// Most memory of entries and blocks, as 8GiB [default: nine tenths of what this process may
    /// use]
    #[arg(long, value_name = "BYTES", help_heading = "Run", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Folder for entries of texts that do not fit the memory [default: that of the system]
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    scratch: Option<PathBuf>,
    /// Read the matrix and say what would be written
    #[arg(long, help_heading = "Run")]
    dry_run: bool,
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    tolerated: ToleranceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// A parser of the names of formats.
fn formats() -> impl TypedValueParser<Value = &'static Format> {
    let listed = FORMATS.iter().map(|format| (format.name, format.summary)).collect();
    member(listed).map(|index| FORMATS[index])
}

/// Parses a kind of numbers: `f32`, or NumPy's `float32`.
fn element(text: &str) -> Result<Element, String> {
    let short = |name: &str| name.replace("uint", "u").replace("int", "i").replace("float", "f");
    let found = ELEMENTS.iter().find(|(_, name)| *name == text || short(name) == text);
    found.map(|(element, _)| *element).ok_or_else(|| {
        let names: Vec<String> = ELEMENTS.iter().map(|(_, name)| short(name)).collect();
        format!("there are {}", names.join(", "))
    })
}

/// What is written, and how.
struct Plan<'a> {
    path: &'a Path,
    format: &'static Format,
    writing: &'static Writing,
    element: Element,
    rounding: Rounding,
    /// What of asymmetry is rounding.
    tolerance: Option<f64>,
    /// Bytes for blocks.
    memory: u64,
}

impl Convert {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        let path = self.checked_output()?;
        let found = find_matrix(&self.input, self.from.map(|format| format.name))?;
        let (format, writing) = writable_format(path, self.to.map(|format| format.name))?;
        let memory = self.memory.or_else(usable_memory).unwrap_or(UNKNOWN_MEMORY);
        let mut progress = Progress::new(&console);
        progress.show(|_| "reading".to_owned());
        let source = self.open(&found, memory / 2)?;
        let (element, rounding) = self.element(&*source, writing);
        let memory = (memory / 4).min(MOST_BLOCKS);
        let tolerance = self.tolerated.symmetry_tolerance;
        let plan = Plan { path, format, writing, element, rounding, tolerance, memory };
        describe(&console, &found, &*source, &plan);
        let mut notes = plan.losses(&*source)?;
        notes.iter().for_each(|note| console.warn(note));
        let mut result = self.json(&found, &*source, &plan);
        if !self.dry_run {
            let (read, rounding, loss) = plan.run(&*source, &mut progress)?;
            let elapsed = progress.seconds();
            progress.clear();
            if loss.count > 0 {
                let note = format!(
                    "{} entries differ from their mirror images, or on the diagonal from 0, by rounding, {:.1e} at most: \
                     one triangle is written",
                    loss.count, loss.largest
                );
                console.warn(&note);
                notes.push(note);
            }
            if rounding > 0.0 {
                console.line(format_args!(
                    "numbers were rounded, by {} of their size at most",
                    number(rounding, 3)
                ));
            }
            console.line(format_args!("written to {} in {}", path.display(), seconds(elapsed)));
            result["bytes_read"] = read.into();
            result["largest_rounding"] = rounding.into();
            result["seconds"] = elapsed.into();
        }
        result["notes"] = notes.into();
        self.output.write(&result)?;
        console.finish()
    }

    /// Where to write, if that can be.
    fn checked_output(&self) -> Result<&Path> {
        if is_standard_output(&self.output_file) {
            if self.to.is_none() {
                return Err(refused(
                    "standard output has no name that tells the format: give --to",
                ));
            }
            return Ok(Path::new("/dev/stdout"));
        }
        check_output(&self.output_file)?;
        Ok(&self.output_file)
    }

    fn open(&self, found: &Found, memory_bytes: u64) -> Result<Box<dyn Source>> {
        let scratch = self.scratch.clone().unwrap_or_else(std::env::temp_dir);
        check_folder(&scratch).map_err(|reason| refused(format!("--scratch: {reason}")))?;
        let format = self.from.map(|format| format.name);
        let setups = ReadSettings { memory_bytes, scratch, format, fill: self.read.fill };
        let source = found.open(&setups)?;
        check_side_files(&*source, &found.path)?;
        Ok(source)
    }

    /// The kind of numbers to write, and whether they may be rounded to it: only if it was asked
    /// for.
    fn element(&self, source: &dyn Source, writing: &Writing) -> (Element, Rounding) {
        let kind = self.precision.or(writing.element).unwrap_or_else(|| source.element());
        let rounding = if self.precision.is_some() { Rounding::Allowed } else { Rounding::Refused };
        (kind, rounding)
    }

    fn json(&self, found: &Found, source: &dyn Source, plan: &Plan<'_>) -> Value {
        let [rows, columns] = source.shape();
        json!({
            "input": self.input.to_string_lossy(),
            "from": found.format.name,
            "output": self.output_file.display().to_string(),
            "to": plan.format.name,
            "rows": rows,
            "columns": columns,
            "kind": source.element().name(),
            "kind_written": plan.element.name(),
            "row_names": source.row_names().is_some(),
            "column_names": source.column_names().is_some(),
        })
    }
}

/// Prints what is read and what is written.
fn describe(console: &Console, found: &Found, source: &dyn Source, plan: &Plan<'_>) {
    let [rows, columns] = source.shape();
    let kind = match (found.format.is_text, source.coverage()) {
        (true, Coverage::Full) => "text".to_owned(),
        (true, Coverage::Triangle) => "text, one triangle".to_owned(),
        (false, Coverage::Full) => source.element().name().to_owned(),
        (false, Coverage::Triangle) => format!("{}, one triangle", source.element().name()),
    };
    console.field(
        "matrix",
        format_args!("{} ({}): {rows} x {columns}, {kind}", source.name(), found.format.name),
    );
    let named = |names: Option<&[String]>, what: &str| names.map(|names| count(names.len(), what));
    let rows = named(source.row_names(), "row name");
    let columns = named(source.column_names(), "column name");
    let names: Vec<String> = rows.into_iter().chain(columns).collect();
    console.field("names", if names.is_empty() { "none".to_owned() } else { names.join(", ") });
    let (format, path) = (plan.format.name, plan.path.display());
    console.field("to", format_args!("{path} ({format}), {}", plan.element.name()));
    console.detail(format_args!("blocks of at most {}", bytes(plan.memory as f64)));
}

impl Plan<'_> {
    /// What will not come back from the new file, in sentences.
    ///
    /// # Errors
    /// If that is more than can be accepted: names of columns that differ from those of the rows.
    fn losses(&self, source: &dyn Source) -> Result<Vec<String>> {
        let (rows, columns) = (source.row_names(), source.column_names());
        let format = self.format.name;
        let mut notes = Vec::new();
        match (self.writing.names, rows, columns) {
            (NameStorage::Both, ..) | (_, None, None) => {}
            (_, Some(rows), Some(columns)) if rows != columns => {
                return Err(refused(format!(
                    "the names of the rows and of the columns differ, and {format} keeps one list: write csv or tsv"
                )));
            }
            (NameStorage::Sidecar, None, Some(_)) => {
                notes.push(format!("{format} does not keep the names of the columns"));
            }
            _ => {}
        }
        let is_stream = self.path.exists() && !self.path.is_file() || is_standard_output(self.path);
        if self.writing.names == NameStorage::Sidecar && is_stream && rows.is_some() {
            notes
                .push(format!("{format} has its names in a file beside it, and a stream has none"));
        }
        if self.writing.names == NameStorage::One && rows.or(columns).is_none() {
            notes.push(format!(
                "there are no names, which {format} needs: rows are numbered from 1"
            ));
        }
        Ok(notes)
    }

    /// Copies the matrix; returns the bytes that were read, the largest relative change of a
    /// number, and what one triangle does not keep.
    fn run(&self, source: &dyn Source, progress: &mut Progress) -> Result<(u64, f64, Loss)> {
        let shape = source.shape();
        let names = [source.row_names(), source.column_names()];
        // First of all, since it may refuse.
        let sink = create_matrix(self.path, Some(self.format.name), shape, names, self.element)?;
        let mut loss = Loss::default();
        if self.writing.is_triangle {
            loss = check_triangle(source, self.tolerance, self.memory, |rows| {
                progress.share(rows, shape[0], "rows compared");
            })?;
        }
        let mut transfer = Transfer::new(source, self.rounding, self.memory);
        transfer.run(sink, |rows| progress.share(rows, shape[0], "rows"))?;
        Ok((transfer.bytes_read, transfer.largest_rounding, loss))
    }
}
