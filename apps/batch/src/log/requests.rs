//! Jobs that a user is about to submit: a table with a command for each.

use super::LogError;
use super::cells::{LONGEST, Names, Rows, WIDEST};
use super::sacct::span;
use crate::job::{Job, Kind, Workload};

/// Jobs that are to be submitted.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// The jobs, in the order of the table; the size of a file is 0 where the table has none.
    pub workload: Workload,
    /// The command of each.
    pub commands: Vec<String>,
}

/// Whether `text` looks like a table of jobs with commands.
#[must_use]
pub fn is_requests(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or("");
    first.split(',').any(|name| name.trim().eq_ignore_ascii_case("command"))
}

/// Reads a table with the columns `command` and `walltime` (seconds, or `[DAYS-]HH:MM:SS`), and,
/// where they are there, `file`, `file_gb`, `cores` (1) and `duration` (the walltime).
///
/// # Errors
/// With the line.
pub fn read_requests(text: &str) -> Result<Requests, LogError> {
    let mut rows = Rows::new(text, b',')?;
    rows.require(&["command", "walltime"])?;
    let mut files = Names::default();
    let mut requests = Requests::default();
    while let Some(row) = rows.next()? {
        let command = row.text("command").to_owned();
        if command.is_empty() {
            return Err(row.wrong("command", "what the job is to run"));
        }
        let time = |column: &str, absent: Option<i64>| {
            let found = if row.text(column).is_empty() { absent } else { span(row.text(column)) };
            let found = found.filter(|seconds| (1..=LONGEST).contains(seconds));
            found.ok_or_else(|| row.wrong(column, "seconds, or [DAYS-]HH:MM:SS, from 1 second on"))
        };
        let walltime = time("walltime", None)?;
        let duration = time("duration", Some(walltime))?.min(walltime);
        let cores =
            if row.text("cores").is_empty() { 1 } else { row.within("cores", (1, WIDEST))? };
        let file = Some(row.text("file")).filter(|name| !name.is_empty());
        requests.workload.jobs.push(Job {
            id: requests.commands.len() as u64 + 1,
            submit: 0,
            walltime,
            duration,
            cores: cores as u32,
            user: 0,
            file: file.map(|name| files.number(name)),
            file_gb: row.amount("file_gb", 0.0)?,
            output_gb: 0.0,
            nodes: 1,
            kind: Kind::Evaluated,
            ran: None,
        });
        requests.commands.push(command);
    }
    if requests.commands.is_empty() {
        return Err(LogError { line: 1, what: "there is no job".to_owned() });
    }
    requests.workload.users = vec![String::new()];
    requests.workload.files = files.names;
    Ok(requests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_commands_are_read() {
        let text = "command,file,cores,walltime\nrun {file},data/a.h5,4,01:00:00\nwait,,,90\n";
        assert!(is_requests(text) && !is_requests("id,submit\n"));
        let read = read_requests(text).expect("a table");
        assert_eq!(read.commands, ["run {file}", "wait"]);
        let [one, other] = &read.workload.jobs[..] else { panic!("two jobs") };
        assert_eq!((one.walltime, one.duration, one.cores, one.file), (3600, 3600, 4, Some(0)));
        assert_eq!((other.walltime, other.cores, other.file), (90, 1, None));
        assert_eq!(read.workload.files, ["data/a.h5"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, words) in [
            ("command\nx\n", "no column walltime"),
            ("command,walltime\nx,soon\n", "walltime is 'soon'"),
            ("command,walltime\n,60\n", "command is ''"),
            ("command,walltime,cores\nx,60,0\n", "cores is '0'"),
            ("command,walltime\n", "no job"),
        ] {
            let error = read_requests(text).expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
