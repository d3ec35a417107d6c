//! The project's own logs: a table of jobs, `workload.csv`.

use std::io::{self, Write};

use super::LogError;
use super::cells::{LONGEST, MOST, Names, Row, Rows, WIDEST};
use crate::job::{Job, Kind, Workload};

/// Reads a table with the columns `id, submit, walltime, duration, cores, user, file, file_gb`,
/// and, where they are there, `kind` (-2 to 2), `start_node` (from 1), `start_time`, `nodes` (1)
/// and `output_gb` (0).
///
/// # Errors
/// With the line.
pub fn read_native(text: &str) -> Result<Workload, LogError> {
    let mut rows = Rows::new(text, b',')?;
    rows.require(&["id", "submit", "walltime", "duration", "cores"])?;
    let (mut users, mut files) = (Names::default(), Names::default());
    let mut jobs = Vec::new();
    let mut seen = std::collections::HashSet::new();
    while let Some(row) = rows.next()? {
        let job = job(&row, &mut users, &mut files)?;
        if !seen.insert(job.id) {
            return Err(row.wrong("id", "an id of its own: a job before has it"));
        }
        jobs.push(job);
    }
    jobs.sort_by_key(|job: &Job| job.submit);
    Ok(Workload { jobs, users: users.names, files: files.names, begin: None })
}

fn job(row: &Row<'_>, users: &mut Names, files: &mut Names) -> Result<Job, LogError> {
    let kind = match row.text("kind") {
        "" => Kind::Evaluated,
        _ => {
            Kind::of_number(row.whole("kind")?).ok_or_else(|| row.wrong("kind", "from -2 to 2"))?
        }
    };
    let file = Some(row.text("file")).filter(|name| !name.is_empty() && *name != "0");
    let ran = match (row.text("start_node"), kind) {
        ("", Kind::Running) => return Err(row.wrong("start_node", "the node of a running job")),
        ("", _) => None,
        _ if kind != Kind::Running => None,
        _ => Some((row.within("start_node", (1, WIDEST))? as u32 - 1, row.whole("start_time")?)),
    };
    Ok(Job {
        id: row.within("id", (0, MOST))? as u64,
        submit: row.whole("submit")?,
        walltime: row.within("walltime", (1, LONGEST))?,
        duration: row.within("duration", (1, LONGEST))?,
        cores: row.within("cores", (1, WIDEST))? as u32,
        user: users.number(row.text("user")),
        file: file.map(|name| files.number(name)),
        file_gb: row.amount("file_gb", 0.0)?,
        output_gb: row.amount("output_gb", 0.0)?,
        nodes: match row.text("nodes") {
            "" => 1,
            _ => row.within("nodes", (1, WIDEST))? as u32,
        },
        kind,
        ran,
    })
}

/// Writes a log as [`read_native`] reads it.
///
/// # Errors
/// Those of `out`.
pub fn write_native(workload: &Workload, out: &mut dyn Write) -> io::Result<()> {
    let jobs = &workload.jobs;
    let has_more = jobs.iter().any(|job| job.nodes > 1 || job.output_gb > 0.0);
    let more = if has_more { ",nodes,output_gb" } else { "" };
    writeln!(
        out,
        "id,submit,walltime,duration,cores,user,file,file_gb,kind,start_node,start_time{more}"
    )?;
    for job in jobs {
        let user = quoted(&workload.users[job.user as usize]);
        let file = job.file.map_or(String::new(), |file| quoted(&workload.files[file as usize]));
        let ran = job.ran.map_or(",".to_owned(), |(node, time)| format!("{},{time}", node + 1));
        let more = match has_more {
            true => format!(",{},{}", job.nodes, job.output_gb),
            false => String::new(),
        };
        writeln!(
            out,
            "{},{},{},{},{},{user},{file},{},{},{ran}{more}",
            job.id,
            job.submit,
            job.walltime,
            job.duration,
            job.cores,
            job.file_gb,
            job.kind.number()
        )?;
    }
    Ok(())
}

/// `name` as a cell.
pub(super) fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
