//! What `sacct --parsable2` of Slurm prints: a table whose cells are cut at `|`.
//!
//! Wanted are `JobID`, `User`, `Submit`, `TimelimitRaw` (minutes) or `Timelimit`, `ElapsedRaw`
//! (seconds) or `Elapsed`, and `AllocCPUS`, `NCPUS` or `ReqCPUS`. Columns `File` and `File_GB`
//! are read if somebody put them there.

use std::collections::HashMap;

use super::cells::{LONGEST, Names, Row, Rows, WIDEST};
use super::{LogError, Read, Skipped};
use crate::job::{Job, Kind, Workload};

/// Whether `text` looks like it.
pub(super) fn is_it(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or("");
    let first = first.to_ascii_lowercase();
    first.split('|').any(|name| name == "jobid" || name == "jobidraw") && first.contains("submit")
}

/// Reads it. Steps of jobs are passed over; a job that never ran is left out and counted.
pub(super) fn read(text: &str) -> Result<Read, LogError> {
    let mut rows = Rows::new(text, b'|')?;
    let pick = |rows: &Rows<'_>, names: [&'static str; 3]| -> Result<&'static str, LogError> {
        match names.into_iter().find(|name| rows.has(name)) {
            Some(name) => Ok(name),
            None => rows.require(&names[..1]).map(|()| names[0]),
        }
    };
    let id = pick(&rows, ["jobidraw", "jobid", "jobid"])?;
    let elapsed = pick(&rows, ["elapsedraw", "elapsed", "elapsed"])?;
    let limit = pick(&rows, ["timelimitraw", "timelimit", "timelimit"])?;
    let cores = pick(&rows, ["alloccpus", "ncpus", "reqcpus"])?;
    rows.require(&["submit", "user"])?;
    let (mut users, mut files) = (Names::default(), Names::default());
    let mut jobs: Vec<Job> = Vec::new();
    let mut skipped = Skipped::default();
    let mut seen: HashMap<String, ()> = HashMap::new();
    let mut has_names = false;
    while let Some(row) = rows.next()? {
        let name = row.text(id);
        if name.contains('.') {
            continue;
        }
        if seen.insert(name.to_owned(), ()).is_some() {
            return Err(row.wrong(id, "an id of its own: a job before has it"));
        }
        let (Some(submit), Some(seconds)) = (time(row.text("submit")), span(row.text(elapsed)))
        else {
            // Unknown: it never started, or runs still.
            skipped.never_ran += 1;
            continue;
        };
        let count = row.within(cores, (0, WIDEST))?;
        if seconds == 0 || count == 0 {
            skipped.never_ran += 1;
            continue;
        }
        let seconds = seconds.min(LONGEST);
        let most = match limit_of(&row, limit) {
            Some(most) => most,
            None => {
                skipped.without_limit += 1;
                seconds
            }
        };
        has_names |= name.parse::<u64>().is_err();
        let file = Some(row.text("file")).filter(|file| !file.is_empty());
        jobs.push(Job {
            id: name.parse().unwrap_or(0),
            submit,
            walltime: most.clamp(seconds, LONGEST),
            duration: seconds,
            cores: count as u32,
            user: users.number(row.text("user")),
            file: file.map(|file| files.number(file)),
            file_gb: row.amount("file_gb", 0.0)?,
            output_gb: 0.0,
            nodes: 1,
            kind: Kind::Evaluated,
            ran: None,
        });
    }
    jobs.sort_by_key(|job| job.submit);
    let mut notes = skipped.notes();
    if has_names {
        (1..).zip(&mut jobs).for_each(|(number, job)| job.id = number);
        notes.push(
            "jobs are numbered from 1 in the order of submission, since not all have a number: \
             with the column JobIDRaw they do"
                .to_owned(),
        );
    }
    let workload = Workload { jobs, users: users.names, files: files.names, begin: None };
    Ok(Read { workload, notes })
}

/// The limit of a job in seconds, unless it has none.
fn limit_of(row: &Row<'_>, column: &str) -> Option<i64> {
    let text = row.text(column);
    if column == "timelimitraw" {
        return text.parse::<i64>().ok().filter(|minutes| *minutes > 0)?.checked_mul(60);
    }
    span(text).filter(|&seconds| seconds > 0)
}

/// Seconds of `[DAYS-]HOURS:MINUTES:SECONDS`, `MINUTES:SECONDS` or a number of seconds.
pub(super) fn span(text: &str) -> Option<i64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (days.parse::<i64>().ok().filter(|days| *days >= 0)?, clock),
        None => (0, text),
    };
    let clock = clock.split('.').next()?;
    let mut seconds = 0i64;
    for part in clock.split(':') {
        let part = part.parse::<i64>().ok().filter(|part| *part >= 0)?;
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
    }
    days.checked_mul(86_400)?.checked_add(seconds)
}

/// Seconds since 1970 of `2024-02-29T12:34:56`, as if clocks were never changed; or a number of
/// them.
fn time(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return Some(seconds);
    }
    let (date, clock) = text.split_once('T')?;
    let date: Vec<i64> = date.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
    let &[year, month, day] = &date[..] else { return None };
    if !(1900..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since March of the year 0, whose leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some((days - 719_468) * 86_400 + span(clock)?)
}

#[cfg(test)]
mod tests {
    use super::{span, time};

    #[test]
    fn times_and_spans_are_those_of_slurm() {
        assert_eq!(time("1970-01-01T00:00:00"), Some(0));
        assert_eq!(time("2024-02-29T12:34:56"), Some(1_709_210_096));
        assert_eq!(time("Unknown"), None);
        assert_eq!(span("1-02:03:04"), Some(93_784));
        assert_eq!(span("02:03"), Some(123));
        assert_eq!(span("02:03.456"), Some(123));
        assert_eq!(span("UNLIMITED"), None);
        assert_eq!(span("-5"), None);
    }
}
