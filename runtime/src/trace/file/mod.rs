//! The trace file: everything that a trace holds, as sections of comma-separated lines that can be
//! read again.
//!
//! The first line is `tegula-trace,5`. Each section opens with `section,NAME,LINES` and a line that
//! names its columns; times are in nanoseconds since the first start; codelets, phases, ranks,
//! workers and memories are numbered from 0 by the lines of their own sections. What one end of a
//! message has not recorded is empty, as is the place of a task that works on nothing that has one.
//! The last line is `end`, so that a file that was cut off is found out.
//!
//! Older versions are read, too: 4 lacks the places of tasks; 3 also lacks contexts, jobs, resizes
//! and the job of each task; 2 also lacks ranks, the rank of each worker, messages and polls; 1
//! also lacks the first section, which says what was run.

mod lines;
mod read;
mod write;

use std::io;

/// The first line.
const HEADER: &str = "tegula-trace,5";
/// The version that it names, which is the last that can be read.
const VERSION: u32 = 5;
/// The first line up to the number of the version.
const MAGIC: &str = "tegula-trace,";
/// The last line.
const END: &str = "end";

/// A section: its name, and the names of its columns.
struct Section {
    name: &'static str,
    columns: &'static str,
}

const ABOUT: Section = Section { name: "about", columns: "key,value" };
const RANKS: Section = Section { name: "ranks", columns: "uncertainty_ns" };
const WORKERS: Section = Section { name: "workers", columns: "name,class,rank" };
/// Workers in files that know no ranks.
const OLD_WORKERS: Section = Section { columns: "name,class", ..WORKERS };
const MEMORIES: Section = Section { name: "memories", columns: "name,capacity_bytes" };
const PHASES: Section = Section { name: "phases", columns: "name" };
const CONTEXTS: Section = Section { name: "contexts", columns: "name" };
const JOBS: Section = Section { name: "jobs", columns: "name,context" };
const RESIZES: Section = Section { name: "resizes", columns: "time_ns,trigger,policy,decision_ns" };
const MOVES: Section = Section { name: "moves", columns: "resize,worker,left,joined" };
const CODELETS: Section = Section { name: "codelets", columns: "name" };
const TASKS: Section = Section {
    name: "tasks",
    columns: "task,codelet,phase,job,worker,priority,iteration,after,start_ns,end_ns,outcome,\
              row,column,rows,columns",
};
/// Tasks in files that know no places.
const TASKS_WITHOUT_PLACES: Section = Section {
    name: "tasks",
    columns: "task,codelet,phase,job,worker,priority,iteration,after,start_ns,end_ns,outcome",
};
/// Tasks in files that know no jobs.
const OLD_TASKS: Section = Section {
    name: "tasks",
    columns: "task,codelet,phase,worker,priority,iteration,after,start_ns,end_ns,outcome",
};
const TRANSFERS: Section =
    Section { name: "transfers", columns: "handle,bytes,src,dst,purpose,start_ns,end_ns" };
const MESSAGES: Section = Section {
    name: "messages",
    columns: "datum,version,bytes,from,to,priority,after,\
              ready_ns,first_out_ns,gone_ns,asked_ns,first_in_ns,here_ns",
};
const POLLS: Section = Section { name: "polls", columns: "rank,start_ns,end_ns" };
const SAMPLES: Section = Section { name: "samples", columns: "gauge,memory,time_ns,value" };

/// Why a trace file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file itself.
    #[error(transparent)]
    File(#[from] io::Error),
    /// What is in it.
    #[error("line {line}: {what}")]
    Content {
        /// Number of the line, from 1 on.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}
