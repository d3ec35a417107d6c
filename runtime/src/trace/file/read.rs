//! Reads a trace file, and believes nothing in it before it is checked.

use std::io::BufRead;

use super::lines::{Fields, Lines};
use super::{
    ABOUT, CODELETS, END, HEADER, MAGIC, MEMORIES, OLD_HEADER, PHASES, ReadError, SAMPLES, Section,
    TASKS, TRANSFERS, WORKERS,
};
use crate::trace::names::kept;
use crate::trace::{
    Gauge, Outcome, Purpose, Records, Sample, Site, TaskRecord, Trace, TransferRecord,
};

/// Most lines of a section of names: far more than any program has.
const MOST_NAMES: usize = 10_000;
/// Room that is made on the word of a file; more only when the lines are there.
const MOST_ROOM: usize = 1 << 16;
/// Most phases of a flow.
const MOST_PHASES: usize = 256;
/// Latest time in nanoseconds: 104 days, up to which sums and fractions are exact.
const MOST_TIME: u64 = 1 << 53;

impl Trace {
    /// Reads what [`Trace::write`] wrote.
    ///
    /// # Errors
    /// Those of `input`; and the first line that is wrong, if the file was cut off, changed, or is
    /// none of ours.
    pub fn read(input: impl BufRead) -> Result<Self, ReadError> {
        let mut lines = Lines::new(input);
        let is_old = header(&mut lines)?;
        let pair = |f: &mut Fields<'_>| Ok((f.text()?.into_owned(), f.text()?.into_owned()));
        let about = if is_old { Vec::new() } else { table(&mut lines, &ABOUT, MOST_NAMES, pair)? };
        let (workers, classes) = table(&mut lines, &WORKERS, MOST_NAMES, pair)?.into_iter().unzip();
        let memory = |f: &mut Fields<'_>| Ok((f.text()?.into_owned(), f.optional()?));
        let memories = table(&mut lines, &MEMORIES, MOST_NAMES, memory)?;
        let (memories, capacities) = memories.into_iter().unzip();
        let site = Site { workers, classes, memories, capacities };
        let name = |f: &mut Fields<'_>| Ok(kept(&f.text()?));
        let phases = table(&mut lines, &PHASES, MOST_PHASES, name)?;
        let codelets = table(&mut lines, &CODELETS, MOST_NAMES, name)?;
        let limits = Limits { site: &site, phases: phases.len().max(1), codelets: &codelets };
        let tasks = table(&mut lines, &TASKS, usize::MAX, |fields| limits.task(fields))?;
        let transfers =
            table(&mut lines, &TRANSFERS, usize::MAX, |fields| limits.transfer(fields))?;
        let samples = table(&mut lines, &SAMPLES, usize::MAX, |fields| limits.sample(fields))?;
        if lines.next()? != END.as_bytes() {
            return Err(lines.fail(format!("'{END}' should stand here")));
        }
        let records = Records { tasks, transfers, samples };
        Ok(Self { about, ..Self::new(records, site, &phases) })
    }
}

/// Reads the first line; says whether the file is of the older version.
fn header<R: BufRead>(lines: &mut Lines<R>) -> Result<bool, ReadError> {
    let found = match lines.next() {
        Err(ReadError::Content { .. }) => Vec::new(),
        other => other?.to_vec(),
    };
    if found == HEADER.as_bytes() || found == OLD_HEADER.as_bytes() {
        return Ok(found == OLD_HEADER.as_bytes());
    }
    Err(lines.fail(match found.strip_prefix(MAGIC.as_bytes()) {
        Some(version) => {
            let version = String::from_utf8_lossy(&version[..version.len().min(20)]).into_owned();
            format!("the trace has version {version}, and this program reads 1 and 2")
        }
        None => format!("this is no trace: the first line of one is '{HEADER}'"),
    }))
}

/// Reads the two lines that open `section`, and returns how many follow, which are at most `most`.
fn open<R: BufRead>(
    lines: &mut Lines<R>,
    section: &Section,
    most: usize,
) -> Result<usize, ReadError> {
    let mut fields = lines.fields()?;
    let names = (fields.plain()?, fields.plain().unwrap_or_default());
    if names != (b"section".as_slice(), section.name.as_bytes()) {
        return Err(lines.fail(format!("'section,{}' should stand here", section.name)));
    }
    let count = fields.number()?;
    fields.finish()?;
    if count > most {
        return Err(lines.fail(format!("{count} {} are more than {most}", section.name)));
    }
    if lines.next()? != section.columns.as_bytes() {
        return Err(lines.fail(format!("the columns should be {}", section.columns)));
    }
    Ok(count)
}

/// Reads a section of at most `most` lines.
fn table<R: BufRead, T>(
    lines: &mut Lines<R>,
    section: &Section,
    most: usize,
    mut read: impl FnMut(&mut Fields<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let count = open(lines, section, most)?;
    let mut rows = Vec::with_capacity(count.min(MOST_ROOM));
    for _ in 0..count {
        let mut fields = lines.fields()?;
        rows.push(read(&mut fields)?);
        fields.finish()?;
    }
    Ok(rows)
}

/// What records may name.
struct Limits<'a> {
    site: &'a Site,
    phases: usize,
    codelets: &'a [&'static str],
}

impl Limits<'_> {
    fn task(&self, fields: &mut Fields<'_>) -> Result<TaskRecord, ReadError> {
        let task = fields.number()?;
        let codelet = self.codelets[fields.index(self.codelets.len(), "codelet")?];
        let phase = fields.index(self.phases, "phase")? as u8;
        let worker = fields.index(self.site.workers.len(), "worker")?;
        let (priority, iteration, after) = (fields.number()?, fields.number()?, fields.number()?);
        let (start, end) = times(fields)?;
        let outcomes = [Outcome::Done, Outcome::Failed, Outcome::Skipped];
        let outcome = word(fields, &outcomes, Outcome::name)?;
        Ok(TaskRecord {
            task,
            codelet,
            phase,
            worker,
            priority,
            iteration,
            after,
            start,
            end,
            outcome,
        })
    }

    fn transfer(&self, fields: &mut Fields<'_>) -> Result<TransferRecord, ReadError> {
        let memories = self.site.memories.len();
        let (handle, bytes) = (fields.number()?, fields.number()?);
        let (src, dst) = (fields.index(memories, "memory")?, fields.index(memories, "memory")?);
        let purpose = word(fields, &Purpose::ALL, Purpose::name)?;
        let (start, end) = times(fields)?;
        Ok(TransferRecord { handle, bytes, src, dst, purpose, start, end })
    }

    fn sample(&self, fields: &mut Fields<'_>) -> Result<Sample, ReadError> {
        let is_memory = word(fields, &[true, false], |is| if is { "memory" } else { "ready" })?;
        let gauge = if is_memory {
            Gauge::Memory(fields.index(self.site.memories.len(), "memory")?)
        } else {
            fields.plain()?;
            Gauge::Ready
        };
        Ok(Sample { time: time(fields)?, gauge, value: fields.number()? })
    }
}

/// A start and an end that does not come before it.
fn times(fields: &mut Fields<'_>) -> Result<(u64, u64), ReadError> {
    let (start, end) = (time(fields)?, time(fields)?);
    if end >= start { Ok((start, end)) } else { Err(fields.fail("is an end before the start")) }
}

fn time(fields: &mut Fields<'_>) -> Result<u64, ReadError> {
    let time = fields.number()?;
    if time < MOST_TIME { Ok(time) } else { Err(fields.fail("is a time beyond 104 days")) }
}

/// One of `values`, by its name.
fn word<T: Copy>(
    fields: &mut Fields<'_>,
    values: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, ReadError> {
    let word = fields.plain()?;
    let found = values.iter().copied().find(|&value| name(value).as_bytes() == word);
    found.ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|&value| name(value)).collect();
        fields.fail(&format!("should be one of {}", names.join(", ")))
    })
}
