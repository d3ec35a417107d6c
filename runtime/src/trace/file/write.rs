//! Writes a trace file.

use std::io::{self, Write};

use super::{
    ABOUT, CODELETS, CONTEXTS, END, HEADER, JOBS, MEMORIES, MESSAGES, MOVES, PHASES, POLLS, RANKS,
    RESIZES, SAMPLES, Section, TASKS, TRANSFERS, WORKERS, lines,
};
use crate::trace::{
    ContextRecords, Gauge, JobRecord, MessageRecord, Passage, ResizeRecord, Trace, WorkerMove,
};
use crate::types::Spot;

impl Trace {
    /// Writes all of the trace as text that [`Trace::read`] reads again. Control characters in
    /// names become blanks.
    ///
    /// # Errors
    /// Those of `out`, which should be buffered.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")?;
        open(&mut out, &ABOUT, self.about.len())?;
        for (key, value) in &self.about {
            writeln!(out, "{},{}", lines::quoted(key), lines::quoted(value))?;
        }
        self.site_sections(&mut out)?;
        open(&mut out, &PHASES, self.phases.len())?;
        for phase in &self.phases {
            writeln!(out, "{}", lines::quoted(phase))?;
        }
        self.context_sections(&mut out)?;
        self.task_sections(&mut out)?;
        self.transfer_section(&mut out)?;
        self.message_sections(&mut out)?;
        self.sample_section(&mut out)?;
        writeln!(out, "{END}")?;
        out.flush()
    }

    fn site_sections(&self, out: &mut impl Write) -> io::Result<()> {
        open(out, &RANKS, self.site.uncertainties.len())?;
        for uncertainty in &self.site.uncertainties {
            writeln!(out, "{uncertainty}")?;
        }
        open(out, &WORKERS, self.workers)?;
        for worker in 0..self.workers {
            let (name, class) = (self.worker_name(worker), self.class_of(worker));
            let (name, class) = (lines::quoted(&name), lines::quoted(class));
            writeln!(out, "{name},{class},{}", self.site.rank_of(worker))?;
        }
        open(out, &MEMORIES, self.site.memories.len())?;
        for (number, name) in self.site.memories.iter().enumerate() {
            let capacity = self.site.capacities.get(number).copied().flatten();
            let capacity = capacity.map_or(String::new(), |bytes| bytes.to_string());
            writeln!(out, "{},{capacity}", lines::quoted(name))?;
        }
        Ok(())
    }

    fn context_sections(&self, out: &mut impl Write) -> io::Result<()> {
        let ContextRecords { names, jobs, resizes } = &self.contexts;
        open(out, &CONTEXTS, names.len())?;
        for name in names {
            writeln!(out, "{}", lines::quoted(name))?;
        }
        open(out, &JOBS, jobs.len())?;
        for JobRecord { name, context } in jobs {
            writeln!(out, "{},{context}", lines::quoted(name))?;
        }
        open(out, &RESIZES, resizes.len())?;
        for ResizeRecord { time, trigger, policy, decision, .. } in resizes {
            let (trigger, policy) = (lines::quoted(trigger), lines::quoted(policy));
            writeln!(out, "{time},{trigger},{policy},{decision}")?;
        }
        open(out, &MOVES, resizes.iter().map(|resize| resize.moved.len()).sum())?;
        for (number, resize) in resizes.iter().enumerate() {
            for WorkerMove { worker, left, joined } in &resize.moved {
                writeln!(out, "{number},{worker},{left},{joined}")?;
            }
        }
        Ok(())
    }

    fn task_sections(&self, out: &mut impl Write) -> io::Result<()> {
        let (names, of) = self.codelets();
        open(out, &CODELETS, names.len())?;
        for name in names {
            writeln!(out, "{}", lines::quoted(name))?;
        }
        open(out, &TASKS, self.records.len())?;
        for (record, codelet) in self.records.iter().zip(of) {
            let (task, phase, job, worker) = (record.task, record.phase, record.job, record.worker);
            let (priority, iteration, after) = (record.priority, record.iteration, record.after);
            let (start, end, outcome) = (record.start, record.end, record.outcome.name());
            write!(
                out,
                "{task},{codelet},{phase},{job},{worker},{priority},{iteration},{after},{start},{end},{outcome}"
            )?;
            match record.spot {
                Some(Spot { row, column, rows, columns }) => {
                    writeln!(out, ",{row},{column},{rows},{columns}")?;
                }
                None => writeln!(out, ",,,,")?,
            }
        }
        Ok(())
    }

    fn transfer_section(&self, out: &mut impl Write) -> io::Result<()> {
        open(out, &TRANSFERS, self.transfers.len())?;
        for transfer in &self.transfers {
            let (handle, bytes, src, dst) =
                (transfer.handle, transfer.bytes, transfer.src, transfer.dst);
            let (purpose, start, end) = (transfer.purpose.name(), transfer.start, transfer.end);
            writeln!(out, "{handle},{bytes},{src},{dst},{purpose},{start},{end}")?;
        }
        Ok(())
    }

    fn message_sections(&self, out: &mut impl Write) -> io::Result<()> {
        open(out, &MESSAGES, self.messages.len())?;
        for message in &self.messages {
            let &MessageRecord { datum, version, bytes, from, to, priority, after, .. } = message;
            let (sent, received) = (times(message.sent), times(message.received));
            let head = format!("{datum},{version},{bytes},{from},{to},{priority},{after}");
            writeln!(out, "{head},{sent},{received}")?;
        }
        open(out, &POLLS, self.polls.len())?;
        for poll in &self.polls {
            writeln!(out, "{},{},{}", poll.rank, poll.start, poll.end)?;
        }
        Ok(())
    }

    fn sample_section(&self, out: &mut impl Write) -> io::Result<()> {
        open(out, &SAMPLES, self.samples.len())?;
        for sample in &self.samples {
            let (time, value) = (sample.time, sample.value);
            match sample.gauge {
                Gauge::Memory(memory) => writeln!(out, "memory,{memory},{time},{value}")?,
                Gauge::Ready => writeln!(out, "ready,,{time},{value}")?,
            }
        }
        Ok(())
    }
}

/// The three fields of an end of a message.
fn times(passage: Option<Passage>) -> String {
    let text = |Passage { ready, start, end }| format!("{ready},{start},{end}");
    passage.map_or_else(|| ",,".to_owned(), text)
}

fn open(out: &mut impl Write, section: &Section, lines: usize) -> io::Result<()> {
    writeln!(out, "section,{},{lines}\n{}", section.name, section.columns)
}
