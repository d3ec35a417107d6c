//! What ranks do together beside their flows: bring what each has to rank 0, compare clocks, and
//! tell how far they are.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::clocks::{Clocks, Reading};
use super::{Arrival, FRAME_BYTES, TransportError, World};
use crate::types::Rank;

/// In place of the number of a flow: a frame of none.
pub(super) const COLLECTIVE: u32 = u32::MAX;
/// In place of the number of a flow: a frame that says how many tasks are done in which.
pub(super) const DONE: u32 = u32::MAX - 1;

/// Bytes in a frame after the number of the flow.
const MOST: usize = FRAME_BYTES - 4;
/// Frames that a rank sends before it is asked for more.
const BURST: usize = 256;
/// Time between two looks while nothing is asked for.
const BETWEEN: Duration = Duration::from_micros(200);
/// Times that a clock is read.
const READINGS: u32 = 64;

/// How many tasks each rank says that it has done in the flow of now.
#[derive(Debug, Default)]
pub(super) struct Progress {
    is_wanted: AtomicBool,
    done: Vec<AtomicU64>,
}

impl Progress {
    pub(super) fn new(ranks: usize) -> Self {
        let done = (0..ranks).map(|_| AtomicU64::new(0)).collect();
        Self { is_wanted: AtomicBool::new(false), done }
    }

    /// Begins the next flow.
    pub(super) fn reset(&self) {
        self.done.iter().for_each(|done| done.store(0, Ordering::Relaxed));
    }

    /// What a frame from `from` says, of which `flow` is the flow of now; that of another is past.
    pub(super) fn note(&self, from: Rank, frame: &[u8], flow: u32) {
        let Some((number, done)) = frame.split_first_chunk::<4>() else { return };
        if let (true, Ok(done)) = (u32::from_le_bytes(*number) == flow, done.try_into()) {
            self.done[usize::from(from.0)].store(u64::from_le_bytes(done), Ordering::Relaxed);
        }
    }
}

impl World {
    /// Has this rank tell rank 0 now and then how many tasks of a flow it has done; all ranks call
    /// it.
    pub fn show_progress(&self) {
        self.progress.is_wanted.store(true, Ordering::Relaxed);
    }

    /// Whether rank 0 is to be told.
    pub(crate) fn reports_progress(&self) -> bool {
        self.progress.is_wanted.load(Ordering::Relaxed)
    }

    /// Tasks of the flow of now that the other ranks had done when they last told this one, rank 0.
    #[must_use]
    pub fn done_elsewhere(&self) -> u64 {
        self.progress.done.iter().map(|done| done.load(Ordering::Relaxed)).sum()
    }

    /// Tells rank 0 that this one has done so many tasks of the flow of now. If that cannot be
    /// sent, what follows says so.
    pub(crate) fn report_done(&self, done: u64) {
        if self.rank == Rank(0) {
            return;
        }
        let mut channel = self.channel();
        let words = [&DONE.to_le_bytes()[..], &channel.flow.to_le_bytes(), &done.to_le_bytes()];
        let _not_worth_an_error = channel.transport.send_frame(Rank(0), &words.concat());
    }

    /// Brings `mine` of every other rank to rank 0, which `take` gets it from, rank by rank. All
    /// ranks call it at the same point of the program; others wait until rank 0 has theirs. No more
    /// than a MiB is on its way at a time.
    ///
    /// # Errors
    /// Those of the transport.
    pub fn gather(
        &self,
        mine: &[u8],
        mut take: impl FnMut(Rank, Vec<u8>),
    ) -> Result<(), TransportError> {
        let mut side = SideChannel::new(self);
        if self.rank == Rank(0) {
            for from in (1..self.ranks as u16).map(Rank) {
                take(from, side.collect(from)?);
            }
            return Ok(());
        }
        side.receive()?;
        side.send(Rank(0), &(mine.len() as u64).to_le_bytes())?;
        for burst in mine.chunks(BURST * MOST) {
            side.receive()?;
            for piece in burst.chunks(MOST) {
                side.send(Rank(0), piece)?;
            }
        }
        Ok(())
    }

    /// What rank 0 brings, at most as many bytes as a frame holds less 4; all ranks call it at the
    /// same point of the program.
    ///
    /// # Errors
    /// Those of the transport.
    pub fn broadcast(&self, mine: Vec<u8>) -> Result<Vec<u8>, TransportError> {
        let mut side = SideChannel::new(self);
        if self.rank != Rank(0) {
            return side.receive();
        }
        for to in (1..self.ranks as u16).map(Rank) {
            side.send(to, &mine)?;
        }
        Ok(mine)
    }

    /// Makes progress with messages on another thread while `wait` waits for other ranks without
    /// them: what was sent last may otherwise not leave.
    pub fn progress_while<T>(&self, wait: impl FnOnce() -> T) -> T {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| self.poll_until(&is_over));
            let _also_if_it_panics = Raised(&is_over);
            wait()
        })
    }

    /// Polls, and leaves what has come to those who ask for it.
    fn poll_until(&self, is_over: &AtomicBool) {
        let mut arrivals = Vec::new();
        // Of what does not move, the next who asks hears.
        while !is_over.load(Ordering::Relaxed)
            && self.channel().poll_for(COLLECTIVE, &mut arrivals).is_ok()
        {
            std::thread::sleep(BETWEEN);
        }
        let frames = frames(arrivals);
        if !frames.is_empty() {
            self.channel().put_back(COLLECTIVE, frames.into_iter());
        }
    }

    /// Compares the clocks of all ranks with that of rank 0, unless they share one; all ranks call
    /// it at the same point of the program. Some round trips per rank, one rank after the other.
    ///
    /// # Errors
    /// Those of the transport.
    pub fn compare_clocks(&self) -> Result<(), TransportError> {
        if self.shares_clock {
            return Ok(());
        }
        let mut side = SideChannel::new(self);
        if self.rank != Rank(0) {
            for _ in 0..READINGS {
                side.receive()?;
                side.send(Rank(0), &self.now().to_le_bytes())?;
            }
            return Ok(());
        }
        let mut readings = vec![Reading::default()];
        for of in (1..self.ranks as u16).map(Rank) {
            readings.push(side.read_clock(of)?);
        }
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner).note(readings);
        Ok(())
    }

    /// How the clocks have compared so far; known to rank 0.
    #[must_use]
    pub fn clocks(&self) -> Clocks {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The moment from which this rank counts the time that it compares with other ranks.
    #[must_use]
    pub fn epoch(&self) -> Instant {
        self.epoch
    }

    fn now(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }
}

/// A sign that is raised when this goes out of scope.
struct Raised<'a>(&'a AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the frames among `arrivals` say.
fn frames(arrivals: Vec<Arrival>) -> Vec<Vec<u8>> {
    let frame = |arrival| match arrival {
        Arrival::Frame { bytes, .. } => Some(bytes),
        Arrival::Sent(_) | Arrival::Received { .. } => None,
    };
    arrivals.into_iter().filter_map(frame).collect()
}

/// Frames that belong to no flow. The transport is free between them: a flow may go on meanwhile.
/// What has come early, for what rank 0 does next, is left to the next one.
struct SideChannel<'a> {
    world: &'a World,
    received: VecDeque<Vec<u8>>,
}

impl<'a> SideChannel<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, received: VecDeque::new() }
    }

    fn send(&self, to: Rank, words: &[u8]) -> Result<(), TransportError> {
        let frame = [&COLLECTIVE.to_le_bytes()[..], words].concat();
        self.world.channel().transport.send_frame(to, &frame)
    }

    /// The next frame. Only one rank has reason to send any: rank 0, or the one that it has asked.
    fn receive(&mut self) -> Result<Vec<u8>, TransportError> {
        let mut arrivals = Vec::new();
        loop {
            if let Some(frame) = self.received.pop_front() {
                return Ok(frame);
            }
            self.world.channel().poll_for(COLLECTIVE, &mut arrivals)?;
            self.received.extend(frames(std::mem::take(&mut arrivals)));
            if self.received.is_empty() {
                std::thread::yield_now();
            }
        }
    }

    /// All that `from` brings.
    fn collect(&mut self, from: Rank) -> Result<Vec<u8>, TransportError> {
        self.send(from, &[])?;
        let length = self.receive()?;
        let length = length.try_into().map(u64::from_le_bytes).unwrap_or(0) as usize;
        let mut all = Vec::new();
        while all.len() < length {
            self.send(from, &[])?;
            let until = length.min(all.len() + BURST * MOST);
            while all.len() < until {
                all.extend(self.receive()?);
            }
        }
        Ok(all)
    }

    /// The clock of `of`, from the answer that took the least time.
    fn read_clock(&mut self, of: Rank) -> Result<Reading, TransportError> {
        let mut best: Option<Reading> = None;
        for _ in 0..READINGS {
            let asked = self.world.now();
            self.send(of, &[])?;
            let there = self.receive()?;
            let answered = self.world.now();
            let there = there.try_into().map(u64::from_le_bytes).unwrap_or(0);
            let reading = Reading::of(asked, there, answered);
            if best.is_none_or(|best| reading.uncertainty < best.uncertainty) {
                best = Some(reading);
            }
        }
        Ok(best.unwrap_or_default())
    }
}

impl Drop for SideChannel<'_> {
    fn drop(&mut self) {
        if !self.received.is_empty() {
            self.world.channel().put_back(COLLECTIVE, self.received.drain(..));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::comm::Local;

    /// What `run` comes to on each of `ranks` ranks.
    fn on_ranks<T: Send>(ranks: usize, run: impl Fn(World) -> T + Sync) -> Vec<T> {
        let run = &run;
        thread::scope(|scope| {
            let start = |end| scope.spawn(move || run(World::new(Box::new(end))));
            let threads: Vec<_> = Local::connect_unruly(ranks, 3).into_iter().map(start).collect();
            threads.into_iter().map(|thread| thread.join().expect("no rank panics")).collect()
        })
    }

    /// So many bytes that tell whose they are.
    fn bytes(rank: Rank, length: usize) -> Vec<u8> {
        (0..length).map(|at| (at % 251) as u8 ^ rank.0 as u8).collect()
    }

    #[test]
    fn what_ranks_have_comes_to_rank_0() {
        for length in [0, 1, MOST, MOST + 1, BURST * MOST, 3 * BURST * MOST + 17] {
            let got = on_ranks(3, |world| {
                let mut got = Vec::new();
                let mine = bytes(world.rank(), length);
                world.gather(&mine, |from, theirs| got.push((from, theirs))).expect("it moves");
                got
            });
            let expected = [Rank(1), Rank(2)].map(|rank| (rank, bytes(rank, length)));
            assert_eq!(got[0], expected, "{length} bytes");
            assert!(got[1].is_empty() && got[2].is_empty());
        }
    }

    #[test]
    fn clocks_of_threads_are_one_unless_told_otherwise() {
        let within = on_ranks(3, |mut world| {
            world.compare_clocks().expect("it moves");
            assert_eq!(world.clocks().align(2, 99), 99);
            // As if each rank had a clock of its own, started at another time.
            world.shares_clock = false;
            let rank = u64::from(world.rank().0);
            let early = std::time::Duration::from_millis(500 * rank);
            world.epoch -= early;
            world.compare_clocks().expect("it moves");
            let between = world.now();
            world.compare_clocks().expect("it moves");
            if rank > 0 {
                return true;
            }
            let clocks = world.clocks();
            (1..3).all(|of| {
                let off = clocks.align(of, between + 500_000_000 * of as u64).abs_diff(between);
                off <= clocks.uncertainty(of) + 2
            })
        });
        assert!(within.into_iter().all(|within| within));
    }

    #[test]
    fn all_follow_rank_0() {
        let said =
            on_ranks(3, |world| world.broadcast(vec![world.rank().0 as u8 + 4]).expect("it moves"));
        assert_eq!(said, [[4], [4], [4]]);
    }

    /// What others send meanwhile is there afterwards, in its order.
    #[test]
    fn what_comes_while_a_rank_waits_otherwise_is_kept() {
        let said = on_ranks(2, |world| {
            let both = [world.broadcast(vec![1]), world.broadcast(vec![2])]
                .map(|said| said.expect("it moves"));
            if world.rank() == Rank(0) {
                // Longer than the other takes to begin to wait, most likely.
                std::thread::sleep(Duration::from_millis(5));
                world.broadcast(vec![3]).expect("it moves");
                return (both, world.broadcast(vec![4]).expect("it moves"));
            }
            world.progress_while(|| std::thread::sleep(Duration::from_millis(20)));
            let third = world.broadcast(Vec::new()).expect("it moves");
            assert_eq!(third, [3]);
            (both, world.broadcast(Vec::new()).expect("it moves"))
        });
        assert_eq!(said, [([vec![1], vec![2]], vec![4]), ([vec![1], vec![2]], vec![4])]);
    }

    /// Rank 0 does not wait for those who follow it: what it asks next may come with what it said.
    #[test]
    fn what_comes_early_is_kept() {
        for _ in 0..200 {
            let got = on_ranks(2, |world| {
                let said: Vec<Vec<u8>> =
                    (0..5).map(|number| world.broadcast(vec![number]).expect("it moves")).collect();
                let mut got = 0;
                world.gather(&[7; 5], |_, theirs| got = theirs.len()).expect("it moves");
                (said, got)
            });
            let expected: Vec<Vec<u8>> = (0..5).map(|number| vec![number]).collect();
            assert_eq!(got, [(expected.clone(), 5), (expected, 0)]);
        }
    }

    #[test]
    fn rank_0_hears_how_far_the_others_are() {
        let received = on_ranks(3, |world| {
            assert!(!world.reports_progress());
            world.show_progress();
            world.begin();
            world.report_done(10 * u64::from(world.rank().0));
            world.gather(&[], |_, _| {}).expect("it moves");
            world.done_elsewhere()
        });
        assert_eq!(received[0], 30);
    }
}
