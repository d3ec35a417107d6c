//! Writers of a trace: the task table as CSV, and Perfetto's JSON.

use std::io::{self, Write};

use super::{Outcome, Trace};

impl Trace {
    /// Writes the task table as CSV: one line per task, times in seconds.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_table(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "task,codelet,phase,worker,priority,start_seconds,end_seconds,outcome")?;
        for record in &self.records {
            let outcome = match record.outcome {
                Outcome::Done => "done",
                Outcome::Failed => "failed",
                Outcome::Skipped => "skipped",
            };
            writeln!(
                out,
                "{},{},{},{},{},{:.9},{:.9},{outcome}",
                record.task,
                record.codelet,
                self.phase_of(record),
                record.worker,
                record.priority,
                record.start as f64 * 1e-9,
                record.end as f64 * 1e-9,
            )?;
        }
        Ok(())
    }

    /// Writes the trace in the JSON format that Perfetto and `chrome://tracing` open: one track
    /// per worker, one slice per task, times in microseconds.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_perfetto(&self, mut out: impl Write) -> io::Result<()> {
        write!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        for worker in 0..self.workers {
            let comma = if worker == 0 { "" } else { "," };
            write!(
                out,
                "{comma}\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{worker},\"name\":\"thread_name\",\
                 \"args\":{{\"name\":\"worker {worker}\"}}}}"
            )?;
        }
        for record in &self.records {
            write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"name\":\"{}\",\"cat\":\"{}\",\
                 \"ts\":{:.3},\"dur\":{:.3},\"args\":{{\"task\":{},\"priority\":{}}}}}",
                record.worker,
                record.codelet,
                self.phase_of(record),
                record.start as f64 * 1e-3,
                (record.end - record.start) as f64 * 1e-3,
                record.task,
                record.priority,
            )?;
        }
        writeln!(out, "\n]}}")
    }
}
