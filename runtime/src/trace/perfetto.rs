//! The JSON format that Perfetto and `chrome://tracing` open: tasks on tracks of their workers,
//! transfers on tracks of their routes, and counters.

use std::io::{self, Write};

use super::{Gauge, Trace};

/// Numbers of the groups of tracks.
const WORKERS: u32 = 0;
const ROUTES: u32 = 1;
const COUNTERS: u32 = 2;

impl Trace {
    /// Writes the trace for Perfetto, times in microseconds: one track per worker with a slice per
    /// task, one per route between memories with a slice per transfer (as many rows as go on at
    /// once), and one counter per memory and for ready tasks.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_perfetto(&self, mut out: impl Write) -> io::Result<()> {
        write!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        write!(out, "\n{}", named("process_name", WORKERS, 0, "workers"))?;
        for worker in 0..self.workers {
            let name = self.worker_name(worker);
            write!(out, ",\n{}", named("thread_name", WORKERS, worker, &name))?;
        }
        self.write_slices(&mut out)?;
        if !self.transfers.is_empty() {
            write!(out, ",\n{}", named("process_name", ROUTES, 0, "transfers"))?;
            self.write_routes(&mut out)?;
        }
        if !self.samples.is_empty() {
            write!(out, ",\n{}", named("process_name", COUNTERS, 0, "counters"))?;
            self.write_counters(&mut out)?;
        }
        writeln!(out, "\n]}}")
    }

    fn write_slices(&self, out: &mut impl Write) -> io::Result<()> {
        for record in &self.records {
            write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":{WORKERS},\"tid\":{},\"name\":{},\"cat\":{},\
                 \"ts\":{:.3},\"dur\":{:.3},\
                 \"args\":{{\"task\":{},\"priority\":{},\"iteration\":{}}}}}",
                record.worker,
                string(record.codelet),
                string(self.phase_of(record)),
                record.start as f64 * 1e-3,
                (record.end - record.start) as f64 * 1e-3,
                record.task,
                record.priority,
                record.iteration,
            )?;
        }
        Ok(())
    }

    /// Transfers of one route may overlap, so that each is a pair of events with its own number.
    fn write_routes(&self, out: &mut impl Write) -> io::Result<()> {
        for (number, transfer) in self.transfers.iter().enumerate() {
            let (src, dst) = (self.memory_name(transfer.src), self.memory_name(transfer.dst));
            let head = format!(
                "\"pid\":{ROUTES},\"tid\":0,\"cat\":\"transfer\",\"id\":{number},\"name\":{}",
                string(&format!("{src} \u{2192} {dst}"))
            );
            let (start, end) = (transfer.start as f64 * 1e-3, transfer.end as f64 * 1e-3);
            let (purpose, bytes, handle) =
                (transfer.purpose.name(), transfer.bytes, transfer.handle);
            write!(
                out,
                ",\n{{\"ph\":\"b\",{head},\"ts\":{start:.3},\"args\":{{\"purpose\":\"{purpose}\",\
                 \"bytes\":{bytes},\"handle\":{handle}}}}},\n{{\"ph\":\"e\",{head},\"ts\":{end:.3}}}"
            )?;
        }
        Ok(())
    }

    fn write_counters(&self, out: &mut impl Write) -> io::Result<()> {
        for sample in &self.samples {
            let (name, unit) = match sample.gauge {
                Gauge::Memory(memory) => (format!("in {}", self.memory_name(memory)), "bytes"),
                Gauge::Ready => ("ready".to_owned(), "tasks"),
            };
            write!(
                out,
                ",\n{{\"ph\":\"C\",\"pid\":{COUNTERS},\"name\":{},\"ts\":{:.3},\
                 \"args\":{{\"{unit}\":{}}}}}",
                string(&name),
                sample.time as f64 * 1e-3,
                sample.value,
            )?;
        }
        Ok(())
    }
}

/// The event that names a track or a group of them.
fn named(what: &str, group: u32, track: usize, name: &str) -> String {
    let name = string(name);
    format!(
        "{{\"ph\":\"M\",\"pid\":{group},\"tid\":{track},\"name\":\"{what}\",\"args\":{{\"name\":{name}}}}}"
    )
}

/// `text` as a string of JSON.
fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            control if control.is_control() => quoted.push('\u{fffd}'),
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}
