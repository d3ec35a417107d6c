//! The network between ranks, measured by tasks that hand data on.

use std::time::{Duration, Instant};

use anyhow::Result;
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
/// Messages that follow each other, small and large.
const SMALL_HOPS: usize = 64;
const LARGE_HOPS: usize = 16;
/// Messages that are on their way at the same time.
const BURST: usize = 2000;
/// Runs of each pattern, the best of which counts.
const RUNS: usize = 3;
/// How many times longer pairs take together than one alone before the network is what bounds them.
const CONTENDED: f64 = 1.2;

/// What a network does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Network {
    /// Time of a message of a few bytes from a task to the next, in seconds.
    pub(crate) latency_seconds: f64,
    /// Bytes per second between each rank and another, one way.
    pub(crate) bytes_per_second: Vec<f64>,
    /// Bytes per second of both ways at once, beside those of one.
    pub(crate) both_ways: f64,
    /// Messages of a few bytes per second from a rank.
    pub(crate) messages_per_second: f64,
    /// Bytes per second of all pairs at once, if they then take longer than one alone.
    pub(crate) backbone_bytes_per_second: Option<f64>,
}

/// Measures the network between rank 0 and up to `partners` others, which stand for all; nothing on
/// other ranks than 0, and of a single one. All call it, while no flow runs.
///
/// # Errors
/// If a rank is gone.
pub(crate) fn measure(partners: usize) -> Result<Option<Network>> {
    let (ranks, Some(world)) = (ranks(), world()) else { return Ok(None) };
    let is_root = world.rank() == Rank(0);
    let options = ExecOptions { world: Some(world), ..ExecOptions::on(Machine::cores(1)) };
    let mut lines = Lines(Flow::new(Exec::new(options), FlowOptions::default()));
    let partners: Vec<usize> = {
        let count = partners.min(ranks - 1);
        (1..=count).map(|place| place * (ranks - 1) / count).collect()
    };
    let hop = |time: Duration, hops: usize| time.as_secs_f64() / hops as f64;
    let (mut latency_seconds, mut rates) = (0.0_f64, Vec::new());
    for &partner in &partners {
        let small = hop(lines.time(SMALL, SMALL_HOPS, &[(0, partner)])?, SMALL_HOPS);
        let large = hop(lines.time(LARGE, LARGE_HOPS, &[(0, partner)])?, LARGE_HOPS);
        latency_seconds = latency_seconds.max(small);
        // Where a message costs its latency alone, its bytes take less than a clock tells.
        rates.push((partner, LARGE as f64 / (large - small).max(1e-2 * large)));
    }
    let (nearest, one_way) = rates[0];
    let alone = lines.time(LARGE, LARGE_HOPS, &[(0, nearest)])?;
    let both = lines.time(LARGE, LARGE_HOPS, &[(0, nearest), (nearest, 0)])?;
    let burst = lines.burst(nearest)?;
    let pairs: Vec<(usize, usize)> = (0..ranks / 2).map(|pair| (2 * pair, 2 * pair + 1)).collect();
    let all = lines.time(LARGE, LARGE_HOPS, &pairs)?;
    let is_contended = pairs.len() > 1 && hop(all, 1) > CONTENDED * hop(alone, 1);
    let bytes = (pairs.len() * LARGE * LARGE_HOPS) as f64;
    let known = |rank: usize| rates.iter().find(|(partner, _)| *partner == rank);
    let median = {
        let mut rates: Vec<f64> = rates.iter().map(|(_, rate)| *rate).collect();
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let best = rates.iter().fold(one_way, |best, (_, rate)| best.max(*rate));
    let rate = |rank: usize| if rank == 0 { best } else { known(rank).map_or(median, |r| r.1) };
    Ok(is_root.then(|| Network {
        latency_seconds,
        bytes_per_second: (0..ranks).map(rate).collect(),
        both_ways: 2.0 * hop(alone, 1) / hop(both, 1),
        messages_per_second: BURST as f64 / hop(burst, 1),
        backbone_bytes_per_second: is_contended.then(|| bytes / hop(all, 1)),
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
struct Lines(Flow);

impl Lines {
    fn datum(&mut self, bytes: usize, rank: usize) -> Handle {
        let datum = self.0.register(bytes);
        self.0.set_owner(datum, Rank(rank as u16));
        datum
    }

    /// The least time in which data go to and fro between both of each of `pairs` at once, in so
    /// many messages.
    fn time(&mut self, bytes: usize, hops: usize, pairs: &[(usize, usize)]) -> Result<Duration> {
        let mut best = Duration::MAX;
        let pairs: Vec<[Handle; 2]> = pairs
            .iter()
            .map(|&(from, to)| [self.datum(bytes, from), self.datum(bytes, to)])
            .collect();
        let end = self.datum(SMALL, 0);
        for _ in 0..RUNS {
            let start = Instant::now();
            for hop in 0..hops {
                for pair in &pairs {
                    let (from, to) = (pair[hop % 2], pair[(hop + 1) % 2]);
                    self.0.submit(Pass, &[(from, R), (to, W)], 0);
                }
            }
            best = best.min(self.ended(&pairs, hops, (bytes, end), start)?);
        }
        pairs.into_iter().flatten().for_each(|datum| self.0.unregister(datum));
        self.0.unregister(end);
        Ok(best)
    }

    /// The time since `start` when all chains have ended: each hands its last number to rank 0, in
    /// a datum of its own.
    fn ended(
        &mut self,
        pairs: &[[Handle; 2]],
        hops: usize,
        (bytes, end): (usize, Handle),
        start: Instant,
    ) -> Result<Duration> {
        debug_assert!(bytes >= SMALL);
        self.0.overwrite(end, &[0_u64])?;
        for pair in pairs {
            // Where the last message has come to, so that only a number goes on.
            let word = self.0.register(SMALL);
            self.0.submit(Pass, &[(pair[hops % 2], R), (word, W)], 0);
            self.0.submit(Add, &[(word, R), (end, RW)], 0);
            self.0.unregister(word);
        }
        self.0.read::<u64>(end)?;
        Ok(start.elapsed())
    }

    /// The least time in which rank `to` has got many messages of rank 0.
    fn burst(&mut self, to: usize) -> Result<Duration> {
        let words: Vec<Handle> = (0..BURST).map(|_| self.datum(SMALL, 0)).collect();
        let end = self.datum(SMALL, to);
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            words.iter().for_each(|&word| self.0.submit(One, &[(word, W)], 0));
            self.0.submit(One, &[(end, W)], 0);
            self.0.wait()?;
            let start = Instant::now();
            words.iter().for_each(|&word| self.0.submit(Add, &[(word, R), (end, RW)], 0));
            self.0.read::<u64>(end)?;
            best = best.min(start.elapsed());
        }
        words.into_iter().for_each(|word| self.0.unregister(word));
        self.0.unregister(end);
        Ok(best)
    }
}
