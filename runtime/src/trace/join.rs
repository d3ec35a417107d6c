//! One trace of what all ranks have recorded, on the clock of rank 0.

use std::collections::{HashMap, VecDeque};

use super::{AFTER_MESSAGE, Gauge, MessageRecord, Records, Sample, Site, Trace};

/// What is the same at both ends of a message: datum, version, sender and receiver.
type Name = (u32, u32, usize, usize);

impl Trace {
    /// One trace of `parts`, what each rank recorded, in order of the ranks. `clock` makes a time
    /// on the clock of a rank (nanoseconds, of the kind of [`Trace::origin`]) one of rank 0; what
    /// comes out may be off by as much as `uncertainties` says of that rank.
    ///
    /// Workers and memories are named after their ranks. Both ends of a message become one record:
    /// where the same version went the same way several times, the first to be sent is the first to
    /// come. Tasks that waited for a message last came after the task that wrote what it carries.
    ///
    /// # Panics
    /// If there are not as many uncertainties as parts.
    #[must_use]
    pub fn join(
        parts: Vec<Self>,
        clock: impl Fn(usize, u64) -> u64,
        uncertainties: Vec<u64>,
    ) -> Self {
        assert_eq!(uncertainties.len(), parts.len(), "uncertainties and parts");
        let mut records = Records::default();
        let mut site = Site { uncertainties, ..Site::default() };
        let (mut phases, mut about) = (Vec::new(), Vec::new());
        let mut ready = Vec::new();
        for (rank, mut part) in parts.into_iter().enumerate() {
            let origin = part.origin;
            part.map_times(|time| clock(rank, origin + time));
            let (worker, memory) = (site.workers.len(), site.memories.len());
            part.records.iter_mut().for_each(|record| record.worker += worker);
            for transfer in &mut part.transfers {
                (transfer.src, transfer.dst) = (transfer.src + memory, transfer.dst + memory);
            }
            for sample in part.samples {
                match sample.gauge {
                    Gauge::Ready => ready.push((sample.time, rank, sample.value)),
                    Gauge::Memory(number) => {
                        let gauge = Gauge::Memory(number + memory);
                        records.samples.push(Sample { gauge, ..sample });
                    }
                }
            }
            records.tasks.append(&mut part.records);
            records.transfers.append(&mut part.transfers);
            for mut resize in part.contexts.resizes {
                resize.moved.iter_mut().for_each(|moved| moved.worker += worker);
                records.contexts.resizes.push(resize);
            }
            if part.contexts.jobs.len() > records.contexts.jobs.len() {
                records.contexts.names = part.contexts.names;
                records.contexts.jobs = part.contexts.jobs;
            }
            records.messages.append(&mut part.messages);
            records.polls.append(&mut part.polls);
            site.add(rank, part.site);
            if part.phases.len() > phases.len() {
                phases = part.phases;
            }
            if rank == 0 {
                about = part.about;
            }
        }
        records.contexts.resizes.sort_by_key(|resize| resize.time);
        records.samples.extend(summed(ready, site.uncertainties.len()));
        records.messages = paired(records.messages);
        follow_messages(&mut records, &site);
        Self { about, origin: 0, ..Self::new(records, site, &phases) }
    }
}

impl Site {
    /// Adds what rank `rank` has.
    fn add(&mut self, rank: usize, site: Self) {
        let named = |name: String| format!("rank {rank} {name}");
        self.ranks.extend(vec![rank; site.workers.len()]);
        self.workers.extend(site.workers.into_iter().map(named));
        self.classes.extend(site.classes);
        self.memories.extend(site.memories.into_iter().map(named));
        self.capacities.extend(site.capacities);
    }
}

/// Samples of how many tasks are ready on all of `ranks` ranks, from those of each: time, rank,
/// value.
fn summed(mut samples: Vec<(u64, usize, u64)>, ranks: usize) -> Vec<Sample> {
    samples.sort_by_key(|&(time, ..)| time);
    let mut last = vec![0; ranks];
    let mut sum = 0;
    let add = |(time, rank, value): (u64, usize, u64)| {
        sum = sum + value - std::mem::replace(&mut last[rank], value);
        Sample { time, gauge: Gauge::Ready, value: sum }
    };
    samples.into_iter().map(add).collect()
}

/// `halves` with both ends of each message in one record.
fn paired(mut halves: Vec<MessageRecord>) -> Vec<MessageRecord> {
    halves.sort_by_key(MessageRecord::start);
    let (sent, received): (Vec<_>, Vec<_>) =
        halves.into_iter().partition(|half| half.sent.is_some());
    let name = |half: &MessageRecord| -> Name { (half.datum, half.version, half.from, half.to) };
    let mut awaited: HashMap<Name, VecDeque<MessageRecord>> = HashMap::new();
    for half in received {
        awaited.entry(name(&half)).or_default().push_back(half);
    }
    let mut messages: Vec<MessageRecord> = Vec::with_capacity(sent.len());
    for half in sent {
        // The receiver says what it was for: who passes it on need not know.
        let other = awaited.get_mut(&name(&half)).and_then(VecDeque::pop_front);
        let (sent, after) = (half.sent, half.after);
        messages.push(MessageRecord { sent, after, ..other.unwrap_or(half) });
    }
    messages.extend(awaited.into_values().flatten());
    messages
}

/// Puts the task that wrote a message in place of the message, where tasks waited for one.
fn follow_messages(records: &mut Records, site: &Site) {
    let writers: HashMap<(u32, u32), u64> = records
        .messages
        .iter()
        .filter(|message| message.after != 0)
        .map(|message| ((message.datum, message.version), message.after))
        .collect();
    // What came to each rank of each datum: when, and who wrote it.
    let mut came: HashMap<(usize, u32), Vec<(u64, u64)>> = HashMap::new();
    for message in &records.messages {
        let writer = writers.get(&(message.datum, message.version)).copied().unwrap_or(0);
        came.entry((message.to, message.datum)).or_default().push((message.end(), writer));
    }
    came.values_mut().for_each(|list| list.sort_unstable());
    for task in records.tasks.iter_mut().filter(|task| task.after & AFTER_MESSAGE != 0) {
        let datum = (task.after & !AFTER_MESSAGE) as u32;
        let list = came.get(&(site.rank_of(task.worker), datum));
        let last = list.and_then(|list| {
            let before = list.partition_point(|&(end, _)| end <= task.start);
            // A share of a reduction that follows may have come already.
            list[..before].iter().rev().find(|&&(_, writer)| writer <= 1 + task.task)
        });
        task.after = last.map_or(0, |&(_, writer)| writer);
    }
}
