//! The network between ranks, measured by tasks that hand data on.

use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{
    Access::{self, R, RW, W},
    Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle,
};
use tegula_runtime::platform::Machine;
use tegula_runtime::ranks::Rank;

use crate::ranks::{ranks, world};

/// Bytes of a message that measures a rate.
const LARGE: usize = 2 << 20;
/// Bytes of a message that measures a latency.
const SMALL: usize = 8;
/// Small messages that follow each other.
const SMALL_HOPS: usize = 64;
/// Messages that are on their way at the same time.
const BURST: usize = 2000;
/// How many times longer pairs take together than one alone before the network is what bounds them.
const CONTENDED: f64 = 1.2;

/// How thoroughly a network is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Ranks that rank 0 exchanges messages with, which stand for all.
    partners: usize,
    /// Large messages that follow each other.
    hops: usize,
    /// Runs of each pattern, the best of which counts.
    runs: usize,
    /// Whether rates are measured that no plan asks for.
    is_whole: bool,
}

impl Effort {
    /// What a run can spend as it begins.
    pub(crate) const QUICK: Self = Self { partners: 4, hops: 4, runs: 2, is_whole: false };
    /// All there is to know.
    pub(crate) const WHOLE: Self = Self { partners: 16, hops: 16, runs: 3, is_whole: true };
}

/// What a network does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Network {
    /// Time of a message of a few bytes from a task to the next, in seconds.
    pub(crate) latency_seconds: f64,
    /// Bytes per second between each rank and another, one way.
    pub(crate) bytes_per_second: Vec<f64>,
    /// Bytes per second of both ways at once, beside those of one, where that was measured.
    pub(crate) both_ways: Option<f64>,
    /// Messages of a few bytes per second from a rank, likewise.
    pub(crate) messages_per_second: Option<f64>,
    /// Bytes per second of all pairs at once, if they then take longer than one alone.
    pub(crate) backbone_bytes_per_second: Option<f64>,
}

/// Measures the network between the ranks; nothing on other ranks than 0, and of a single one. All
/// call it, while no flow runs.
///
/// # Errors
/// If a rank is gone.
pub(crate) fn measure(effort: Effort) -> Result<Option<Network>> {
    let (ranks, Some(world)) = (ranks(), world()) else { return Ok(None) };
    let is_root = world.rank() == Rank(0);
    let options = ExecOptions { world: Some(world), ..ExecOptions::on(Machine::cores(1)) };
    let flow = Flow::new(Exec::new(options), FlowOptions::default());
    let mut lines = Lines { flow, runs: effort.runs };
    let hops = effort.hops;
    let count = effort.partners.min(ranks - 1);
    let (mut latency_seconds, mut rates) = (0.0_f64, Vec::new());
    for partner in (1..=count).map(|place| place * (ranks - 1) / count) {
        let small = lines.time(SMALL, SMALL_HOPS, &[(0, partner)])? / SMALL_HOPS as f64;
        let large = lines.time(LARGE, hops, &[(0, partner)])? / hops as f64;
        latency_seconds = latency_seconds.max(small);
        // Where a message costs its latency alone, its bytes take less than a clock tells.
        rates.push((partner, LARGE as f64 / (large - small).max(1e-2 * large)));
    }
    let nearest = rates[0].0;
    let pairs: Vec<(usize, usize)> = (0..ranks / 2).map(|pair| (2 * pair, 2 * pair + 1)).collect();
    let (mut both_ways, mut messages_per_second, mut backbone_bytes_per_second) =
        (None, None, None);
    if effort.is_whole || pairs.len() > 1 {
        let alone = lines.time(LARGE, hops, &[(0, nearest)])?;
        let all = lines.time(LARGE, hops, &pairs)?;
        let bytes = (pairs.len() * LARGE * hops) as f64;
        let is_contended = pairs.len() > 1 && all > CONTENDED * alone;
        backbone_bytes_per_second = is_contended.then(|| bytes / all);
        if effort.is_whole {
            let both = lines.time(LARGE, hops, &[(0, nearest), (nearest, 0)])?;
            both_ways = Some(2.0 * alone / both);
            messages_per_second = Some(BURST as f64 / lines.burst(nearest)?);
        }
    }
    let mut sorted: Vec<f64> = rates.iter().map(|(_, rate)| *rate).collect();
    sorted.sort_by(f64::total_cmp);
    let (median, best) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    let known = |rank: usize| rates.iter().find(|(partner, _)| *partner == rank);
    // Every message of rank 0 is one with a partner.
    let rate = |rank: usize| if rank == 0 { best } else { known(rank).map_or(median, |r| r.1) };
    let bytes_per_second = (0..ranks).map(rate).collect();
    Ok(is_root.then_some(Network {
        latency_seconds,
        bytes_per_second,
        both_ways,
        messages_per_second,
        backbone_bytes_per_second,
    }))
}

macro_rules! codelets {
    ($($(#[$text:meta])* $name:ident $modes:expr, $run:expr;)*) => { $(
        $(#[$text])*
        #[derive(Clone, Copy)]
        struct $name;
        impl Codelet for $name {
            const NAME: &'static str = stringify!($name);
            const ACCESS: &'static [Access] = $modes;
            fn cost(&self) -> Cost {
                Cost { flops: 1.0, bytes: 8.0 }
            }
            fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
                let run: fn(&Buffers<'_>) = $run;
                run(buffers);
                Ok(())
            }
        }
    )* };
}

codelets! {
    /// Hands on the first number.
    Pass &[R, W], |buffers| buffers.write::<u64>(1)[0] = buffers.read::<u64>(0)[0] + 1;
    /// A number.
    One &[W], |buffers| buffers.write::<u64>(0)[0] = 1;
    /// Adds the first number.
    Add &[R, RW], |buffers| buffers.write::<u64>(1)[0] += buffers.read::<u64>(0)[0];
}

/// Chains of messages.
struct Lines {
    flow: Flow,
    /// Runs of each pattern.
    runs: usize,
}

impl Lines {
    fn datum(&mut self, bytes: usize, rank: usize) -> Handle {
        let datum = self.flow.register(bytes);
        self.flow.set_owner(datum, Rank(rank as u16));
        datum
    }

    /// The least seconds in which data go to and fro between both of each of `pairs` at once, in so
    /// many messages.
    fn time(&mut self, bytes: usize, hops: usize, pairs: &[(usize, usize)]) -> Result<f64> {
        let mut best = f64::INFINITY;
        let pairs: Vec<[Handle; 2]> = pairs
            .iter()
            .map(|&(from, to)| [self.datum(bytes, from), self.datum(bytes, to)])
            .collect();
        let end = self.datum(SMALL, 0);
        for _ in 0..self.runs {
            let start = Instant::now();
            for hop in 0..hops {
                for pair in &pairs {
                    let (from, to) = (pair[hop % 2], pair[(hop + 1) % 2]);
                    self.flow.submit(Pass, &[(from, R), (to, W)], 0);
                }
            }
            self.flow.overwrite(end, &[0_u64])?;
            for pair in &pairs {
                // From where the last message has come to a number alone goes on, to rank 0.
                let word = self.flow.register(SMALL);
                self.flow.submit(Pass, &[(pair[hops % 2], R), (word, W)], 0);
                self.flow.submit(Add, &[(word, R), (end, RW)], 0);
                self.flow.unregister(word);
            }
            self.flow.read::<u64>(end)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        pairs.into_iter().flatten().for_each(|datum| self.flow.unregister(datum));
        self.flow.unregister(end);
        Ok(best)
    }

    /// The least seconds in which rank `to` has got many messages of rank 0.
    fn burst(&mut self, to: usize) -> Result<f64> {
        let words: Vec<Handle> = (0..BURST).map(|_| self.datum(SMALL, 0)).collect();
        let end = self.datum(SMALL, to);
        let mut best = f64::INFINITY;
        for _ in 0..self.runs {
            words.iter().for_each(|&word| self.flow.submit(One, &[(word, W)], 0));
            self.flow.submit(One, &[(end, W)], 0);
            self.flow.wait()?;
            let start = Instant::now();
            words.iter().for_each(|&word| self.flow.submit(Add, &[(word, R), (end, RW)], 0));
            self.flow.read::<u64>(end)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        words.into_iter().for_each(|word| self.flow.unregister(word));
        self.flow.unregister(end);
        Ok(best)
    }
}
