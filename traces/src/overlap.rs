//! What messages came to: by pair of ranks, and how much of their time tasks ran in.

use std::collections::BTreeMap;

use tegula_runtime::trace::{MessageRecord, Trace};

/// Time in which messages were in flight to a rank, and how much of it that rank computed in.
///
/// A message is in flight from its start at the sender to its end at the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Time in which at least one was in flight, in seconds.
    pub flight_seconds: f64,
    /// The part of it in which at least one worker of the receiver ran a task, in seconds.
    pub busy_seconds: f64,
}

impl Overlap {
    /// Share of the time in flight in which the receiver computed; none if nothing was in flight.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.flight_seconds > 0.0).then(|| self.busy_seconds / self.flight_seconds)
    }

    fn add(&mut self, other: Self) {
        self.flight_seconds += other.flight_seconds;
        self.busy_seconds += other.busy_seconds;
    }
}

/// What went from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTotal {
    /// Number of the rank that sent it.
    pub from: usize,
    /// Number of the rank that received it.
    pub to: usize,
    /// Number of messages.
    pub messages: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Times from the start to the end of each, summed, in seconds.
    pub seconds: f64,
    /// Time in which at least one was in flight, and how much of it the receiver computed in.
    pub overlap: Overlap,
}

impl PairTotal {
    /// Mean time of a message in seconds.
    #[must_use]
    pub fn mean_seconds(&self) -> f64 {
        self.seconds / self.messages.max(1) as f64
    }

    /// Bytes per second of the time in which any message was in flight; none if that is no time.
    #[must_use]
    pub fn bandwidth(&self) -> Option<f64> {
        let seconds = self.overlap.flight_seconds;
        (seconds > 0.0).then(|| self.bytes as f64 / seconds)
    }
}

/// Times from a start to an end in nanoseconds, in order, which do not touch.
type Spans = Vec<(u64, u64)>;

/// What went from which rank to which, in order of ranks.
#[must_use]
pub fn pair_totals(trace: &Trace) -> Vec<PairTotal> {
    let busy = busy_ranks(trace);
    let mut pairs: BTreeMap<(usize, usize), Vec<&MessageRecord>> = BTreeMap::new();
    for message in &trace.messages {
        pairs.entry((message.from, message.to)).or_default().push(message);
    }
    let total = |((from, to), messages): ((usize, usize), Vec<&MessageRecord>)| PairTotal {
        from,
        to,
        messages: messages.len() as u64,
        bytes: messages.iter().map(|message| message.bytes).sum(),
        seconds: messages.iter().map(|message| message.seconds()).sum(),
        overlap: overlap(messages, busy.get(to)),
    };
    pairs.into_iter().map(total).collect()
}

/// How much of the time in which messages were in flight their receivers computed in: of each rank,
/// and of all, each rank's time counted by itself.
#[must_use]
pub fn overlaps(trace: &Trace) -> (Vec<Overlap>, Overlap) {
    let busy = busy_ranks(trace);
    let mut to: Vec<Vec<&MessageRecord>> = vec![Vec::new(); trace.rank_count()];
    trace.messages.iter().for_each(|message| to[message.to].push(message));
    let each: Vec<Overlap> =
        to.into_iter().zip(&busy).map(|(to, busy)| overlap(to, Some(busy))).collect();
    let mut all = Overlap::default();
    each.iter().for_each(|&one| all.add(one));
    (each, all)
}

/// The longest that times of two ranks may be off each other, in seconds; none if there is one
/// rank.
#[must_use]
pub fn uncertainty_seconds(trace: &Trace) -> Option<f64> {
    let mut all = trace.site.uncertainties.clone();
    all.sort_unstable_by(|a, b| b.cmp(a));
    (!all.is_empty()).then(|| all.iter().take(2).sum::<u64>() as f64 * 1e-9)
}

/// When at least one worker of each rank ran a task.
fn busy_ranks(trace: &Trace) -> Vec<Spans> {
    let mut busy = vec![Vec::new(); trace.rank_count()];
    for record in &trace.records {
        busy[trace.site.rank_of(record.worker)].push((record.start, record.end));
    }
    busy.into_iter().map(union).collect()
}

fn overlap(messages: Vec<&MessageRecord>, busy: Option<&Spans>) -> Overlap {
    let flight = union(messages.into_iter().map(|m| (m.start(), m.end())).collect());
    let seconds =
        |spans: &Spans| spans.iter().map(|(start, end)| end - start).sum::<u64>() as f64 * 1e-9;
    let both = busy.map_or_else(Vec::new, |busy| meet(&flight, busy));
    Overlap { flight_seconds: seconds(&flight), busy_seconds: seconds(&both) }
}

/// The times that any of `spans` covers.
pub(crate) fn union(mut spans: Spans) -> Spans {
    spans.sort_unstable();
    let mut merged: Spans = Vec::new();
    for (start, end) in spans {
        match merged.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => merged.push((start, end)),
        }
    }
    merged
}

/// The times that both cover.
fn meet(one: &Spans, other: &Spans) -> Spans {
    let (mut i, mut j) = (0, 0);
    let mut both = Vec::new();
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        let (start, end) = (a.0.max(b.0), a.1.min(b.1));
        if start < end {
            both.push((start, end));
        }
        if a.1 < b.1 { i += 1 } else { j += 1 }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_united_and_met() {
        let one = union(vec![(5, 7), (0, 2), (1, 3), (3, 4), (9, 9)]);
        assert_eq!(one, [(0, 4), (5, 7), (9, 9)]);
        assert_eq!(meet(&one, &vec![(1, 6), (6, 20)]), [(1, 4), (5, 6), (6, 7)]);
        assert_eq!(meet(&one, &Vec::new()), []);
    }
}
