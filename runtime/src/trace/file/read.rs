//! Reads a trace file, and believes nothing in it before it is checked.

use std::io::BufRead;

use super::lines::{Fields, Lines};
use super::{
    ABOUT, CODELETS, CONTEXTS, END, HEADER, JOBS, MAGIC, MEMORIES, MESSAGES, MOVES, OLD_TASKS,
    OLD_WORKERS, PHASES, POLLS, RANKS, RESIZES, ReadError, SAMPLES, Section, TASKS,
    TASKS_WITHOUT_PLACES, TRANSFERS, VERSION, WORKERS,
};
use crate::trace::names::intern;
use crate::trace::{
    ContextRecords, Gauge, JobRecord, MessageRecord, Outcome, Passage, PollRecord, Purpose,
    Records, ResizeRecord, Sample, Site, TaskRecord, Trace, TransferRecord, WorkerMove,
};
use crate::types::Spot;

/// Most lines of a section of names: far more than any program has.
const MOST_NAMES: usize = 10_000;
/// Room that is made on the word of a file; more only when the lines are there.
const MOST_ROOM: usize = 1 << 16;
/// Most ranks of a run.
const MOST_RANKS: usize = 1 << 16;
/// Most contexts or jobs of a run.
const MOST_CONTEXTS: usize = 1 << 16;
/// Most rows and columns of a grid of data.
const MOST_GRID: u64 = 1 << 31;
/// Most phases of a flow.
const MOST_PHASES: usize = 256;
/// Latest time in nanoseconds: 104 days, up to which sums and fractions are exact.
const MOST_TIME: u64 = 1 << 53;
/// What is wrong with a later one.
const LATE: &str = "is a time beyond 104 days";

impl Trace {
    /// Reads what [`Trace::write`] wrote.
    ///
    /// # Errors
    /// Those of `input`; and the first line that is wrong, if the file was cut off, changed, or is
    /// none of ours.
    pub fn read(input: impl BufRead) -> Result<Self, ReadError> {
        let mut lines = Lines::new(input);
        let version = header(&mut lines)?;
        let (has_about, has_ranks, has_jobs) = (version >= 2, version >= 3, version >= 4);
        let has_spots = version >= 5;
        let pair = |f: &mut Fields<'_>| Ok((f.text()?.into_owned(), f.text()?.into_owned()));
        let about =
            if has_about { table(&mut lines, &ABOUT, MOST_NAMES, pair)? } else { Vec::new() };
        let site = site(&mut lines, has_ranks)?;
        let name = |f: &mut Fields<'_>| Ok(intern(&f.text()?));
        let phases = table(&mut lines, &PHASES, MOST_PHASES, name)?;
        let contexts =
            if has_jobs { contexts(&mut lines, site.workers.len())? } else { <_>::default() };
        let codelets = table(&mut lines, &CODELETS, MOST_NAMES, name)?;
        let (phase_count, jobs) = (phases.len().max(1), contexts.jobs.len().max(1));
        let limits = Limits {
            site: &site,
            phases: phase_count,
            jobs,
            has_jobs,
            has_spots,
            codelets: &codelets,
        };
        let section = match (has_spots, has_jobs) {
            (true, _) => &TASKS,
            (false, true) => &TASKS_WITHOUT_PLACES,
            (false, false) => &OLD_TASKS,
        };
        let tasks = table(&mut lines, section, usize::MAX, |fields| limits.task(fields))?;
        let transfers =
            table(&mut lines, &TRANSFERS, usize::MAX, |fields| limits.transfer(fields))?;
        let (mut messages, mut polls) = (Vec::new(), Vec::new());
        if has_ranks {
            messages = table(&mut lines, &MESSAGES, usize::MAX, message)?;
            polls = table(&mut lines, &POLLS, usize::MAX, poll)?;
        }
        let samples = table(&mut lines, &SAMPLES, usize::MAX, |fields| limits.sample(fields))?;
        if lines.next()? != END.as_bytes() {
            return Err(lines.fail(format!("'{END}' should stand here")));
        }
        let records = Records { tasks, transfers, samples, messages, polls, contexts, origin: 0 };
        Ok(Self { about, origin: 0, ..Self::new(records, site, &phases) })
    }
}

/// Reads ranks, workers and memories.
fn site<R: BufRead>(lines: &mut Lines<R>, has_ranks: bool) -> Result<Site, ReadError> {
    let mut uncertainties = Vec::new();
    if has_ranks {
        uncertainties = table(lines, &RANKS, MOST_RANKS, time)?;
    }
    let count = uncertainties.len().max(1);
    let worker = |f: &mut Fields<'_>| {
        let (name, class) = (f.text()?.into_owned(), f.text()?.into_owned());
        let rank = if has_ranks { f.index(count, "rank")? } else { 0 };
        Ok((rank, (name, class)))
    };
    let section = if has_ranks { &WORKERS } else { &OLD_WORKERS };
    let workers = table(lines, section, MOST_NAMES, worker)?;
    let (mut ranks, (workers, classes)): (Vec<_>, (Vec<_>, Vec<_>)) = workers.into_iter().unzip();
    if uncertainties.is_empty() {
        ranks.clear();
    }
    let memory = |f: &mut Fields<'_>| Ok((f.text()?.into_owned(), f.optional()?));
    let memories = table(lines, &MEMORIES, MOST_NAMES, memory)?;
    let (memories, capacities) = memories.into_iter().unzip();
    Ok(Site { workers, classes, memories, capacities, ranks, uncertainties })
}

/// Reads contexts, jobs, and changes of `workers` workers.
fn contexts<R: BufRead>(lines: &mut Lines<R>, workers: usize) -> Result<ContextRecords, ReadError> {
    let names = table(lines, &CONTEXTS, MOST_CONTEXTS, |f| Ok(f.text()?.into_owned()))?;
    let count = names.len().max(1);
    let job = |f: &mut Fields<'_>| {
        Ok(JobRecord { name: f.text()?.into_owned(), context: f.index(count, "context")? })
    };
    let jobs = table(lines, &JOBS, MOST_CONTEXTS, job)?;
    let resize = |f: &mut Fields<'_>| {
        let (time, trigger) = (time(f)?, intern(&f.text()?));
        let (policy, decision) = (intern(&f.text()?), f.number()?);
        Ok(ResizeRecord { time, trigger, policy, decision, moved: Vec::new() })
    };
    let mut resizes = table(lines, &RESIZES, usize::MAX, resize)?;
    let moved = |f: &mut Fields<'_>| {
        let (resize, worker) = (f.index(resizes.len(), "resize")?, f.index(workers, "worker")?);
        let (left, joined) = (f.index(count, "context")?, f.index(count, "context")?);
        Ok((resize, WorkerMove { worker, left, joined }))
    };
    for (resize, moved) in table(lines, &MOVES, usize::MAX, moved)? {
        resizes[resize].moved.push(moved);
    }
    Ok(ContextRecords { names, jobs, resizes })
}

/// Reads the first line; answers the version of the file.
fn header<R: BufRead>(lines: &mut Lines<R>) -> Result<u32, ReadError> {
    let found = match lines.next() {
        Err(ReadError::Content { .. }) => Vec::new(),
        other => other?.to_vec(),
    };
    let version = found.strip_prefix(MAGIC.as_bytes());
    let known = (1..=VERSION).find(|known| version == Some(known.to_string().as_bytes()));
    if let Some(known) = known {
        return Ok(known);
    }
    Err(lines.fail(match version {
        Some(version) => {
            let version = String::from_utf8_lossy(&version[..version.len().min(20)]).into_owned();
            format!("the trace has version {version}, and this program reads 1 to {VERSION}")
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
    jobs: usize,
    has_jobs: bool,
    has_spots: bool,
    codelets: &'a [&'static str],
}

impl Limits<'_> {
    fn task(&self, fields: &mut Fields<'_>) -> Result<TaskRecord, ReadError> {
        let task = fields.number()?;
        let codelet = self.codelets[fields.index(self.codelets.len(), "codelet")?];
        let phase = fields.index(self.phases, "phase")? as u8;
        let job = if self.has_jobs { fields.index(self.jobs, "job")? as u16 } else { 0 };
        let worker = fields.index(self.site.workers.len(), "worker")?;
        let (priority, iteration, after) = (fields.number()?, fields.number()?, fields.number()?);
        let (start, end) = times(fields)?;
        let outcomes = [Outcome::Done, Outcome::Failed, Outcome::Skipped];
        let outcome = word(fields, &outcomes, Outcome::name)?;
        let spot = if self.has_spots { spot(fields)? } else { None };
        Ok(TaskRecord {
            task,
            codelet,
            phase,
            job,
            worker,
            priority,
            iteration,
            spot,
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

/// A place in a grid: four numbers, or nothing four times.
fn spot(fields: &mut Fields<'_>) -> Result<Option<Spot>, ReadError> {
    let mut numbers = [None; 4];
    for place in &mut numbers {
        *place = fields.optional()?;
    }
    match numbers {
        [None, None, None, None] => Ok(None),
        [Some(row), Some(column), Some(rows), Some(columns)]
            if row < rows && column < columns && rows.max(columns) <= MOST_GRID =>
        {
            let [row, column, rows, columns] = [row, column, rows, columns].map(|n| n as usize);
            Ok(Some(Spot { row, column, rows, columns }))
        }
        _ => Err(fields.fail("ends four numbers that are no place in a grid")),
    }
}

fn message(fields: &mut Fields<'_>) -> Result<MessageRecord, ReadError> {
    let (datum, version, bytes) = (fields.number()?, fields.number()?, fields.number()?);
    let (from, to) = (fields.index(MOST_RANKS, "rank")?, fields.index(MOST_RANKS, "rank")?);
    let (priority, after) = (fields.number()?, fields.number()?);
    let (sent, received) = (passage(fields)?, passage(fields)?);
    Ok(MessageRecord { datum, version, bytes, from, to, priority, after, sent, received })
}

/// One end of a message: three times, or nothing three times.
fn passage(fields: &mut Fields<'_>) -> Result<Option<Passage>, ReadError> {
    let mut times = [None; 3];
    for place in &mut times {
        *place = fields.optional()?;
        if place.is_some_and(|time| time >= MOST_TIME) {
            return Err(fields.fail(LATE));
        }
    }
    match times {
        [None, None, None] => Ok(None),
        [Some(ready), Some(start), Some(end)] if ready <= start && start <= end => {
            Ok(Some(Passage { ready, start, end }))
        }
        _ => {
            Err(fields
                .fail("ends three times of which each should be there and none come too early"))
        }
    }
}

fn poll(fields: &mut Fields<'_>) -> Result<PollRecord, ReadError> {
    let rank = fields.index(MOST_RANKS, "rank")?;
    let (start, end) = times(fields)?;
    Ok(PollRecord { rank, start, end })
}

/// A start and an end that does not come before it.
fn times(fields: &mut Fields<'_>) -> Result<(u64, u64), ReadError> {
    let (start, end) = (time(fields)?, time(fields)?);
    if end >= start { Ok((start, end)) } else { Err(fields.fail("is an end before the start")) }
}

fn time(fields: &mut Fields<'_>) -> Result<u64, ReadError> {
    let time = fields.number()?;
    if time < MOST_TIME { Ok(time) } else { Err(fields.fail(LATE)) }
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
