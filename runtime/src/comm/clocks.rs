//! How the clocks of ranks compare: times of one told in those of another, and how far that may be
//! off.

/// A comparison of the clock of a rank with that of rank 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// A time on the clock of rank 0, in nanoseconds.
    pub(super) here: u64,
    /// The time on the other clock at that moment.
    pub(super) there: u64,
    /// By how much `there` may be wrong.
    pub(super) uncertainty: u64,
}

impl Reading {
    /// What follows from a question that left rank 0 at `asked` and whose answer, the time `there`,
    /// came at `answered`: the other clock was read in between, at an unknown moment.
    ///
    /// Source: F. Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989,
    /// without the least time of a message, which is not known.
    pub(super) fn of(asked: u64, there: u64, answered: u64) -> Self {
        let trip = answered.saturating_sub(asked);
        Self { here: asked + trip / 2, there, uncertainty: trip.div_ceil(2) }
    }
}

/// Comparisons of all clocks with that of rank 0: the first and the last.
///
/// Between them a clock is taken to go evenly: its drift is that from the first to the last.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    first: Vec<Reading>,
    last: Vec<Reading>,
}

impl Clocks {
    /// Notes a comparison of all clocks, one reading per rank.
    pub(super) fn note(&mut self, readings: Vec<Reading>) {
        if self.first.is_empty() {
            self.first.clone_from(&readings);
        }
        self.last = readings;
    }

    /// The time on the clock of rank 0 when that of `rank` showed `time`, both in nanoseconds; the
    /// same time where clocks were not compared, since all have one.
    #[must_use]
    pub fn align(&self, rank: usize, time: u64) -> u64 {
        let (Some(first), Some(last)) = (self.first.get(rank), self.last.get(rank)) else {
            return time;
        };
        let (here, there) = (
            i128::from(last.here) - i128::from(first.here),
            i128::from(last.there) - i128::from(first.there),
        );
        let since = i128::from(time) - i128::from(first.there);
        // Rounded down, so that the order of times stays.
        let since = if here > 0 && there > 0 { (since * here).div_euclid(there) } else { since };
        u64::try_from(i128::from(first.here) + since).unwrap_or(0)
    }

    /// How far off the times of `rank` may be between the comparisons, in nanoseconds: half the
    /// shorter way there and back of either, the worse of both. It leaves out how unevenly the
    /// clock goes in between.
    #[must_use]
    pub fn uncertainty(&self, rank: usize) -> u64 {
        let of = |readings: &[Reading]| readings.get(rank).map_or(0, |reading| reading.uncertainty);
        of(&self.first).max(of(&self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// A clock that was started at another time and goes at another rate.
    #[derive(Clone, Copy)]
    struct Skewed {
        start: u64,
        /// Parts per billion that it is too fast.
        fast: i64,
    }

    impl Skewed {
        fn at(self, true_time: u64) -> u64 {
            let drift = true_time as i128 * i128::from(self.fast) / 1_000_000_000;
            (i128::from(self.start) + i128::from(true_time) + drift) as u64
        }
    }

    /// The best of some comparisons around `time`, with delays there and back that differ.
    fn compare(clock: Skewed, time: u64, random: &mut SplitMix64) -> Reading {
        let mut delay = || 2_000 + random.next_u64() % 50_000;
        let one = |_| {
            let (there, back) = (delay(), delay());
            Reading::of(time, clock.at(time + there), time + there + back)
        };
        (0..20).map(one).min_by_key(|reading| reading.uncertainty).expect("there are some")
    }

    #[test]
    fn times_are_aligned_within_their_uncertainty() {
        let mut random = SplitMix64::new(5);
        for _ in 0..200 {
            let mut draw = |below: u64| random.next_u64() % below;
            let (start, fast) = (draw(1 << 50), draw(200_000) as i64 - 100_000);
            let (begin, length) = (1_000_000 + draw(1 << 40), 1_000 + draw(1 << 40));
            let clock = Skewed { start: start + (1 << 30), fast };
            let mut clocks = Clocks::default();
            let zero = Reading::default();
            clocks.note(vec![zero, compare(clock, begin, &mut random)]);
            clocks.note(vec![zero, compare(clock, begin + 2_000_000 + length, &mut random)]);
            let mut last = 0;
            for part in 0..=16 {
                let time = begin + 200_000 + length * part / 16;
                let aligned = clocks.align(1, clock.at(time));
                let most = clocks.uncertainty(1) + 2;
                assert!(aligned.abs_diff(time) <= most, "{aligned} for {time}, {most} allowed");
                assert!(aligned >= last, "times keep their order");
                last = aligned;
            }
        }
    }

    #[test]
    fn one_clock_is_left_alone() {
        let clocks = Clocks::default();
        assert_eq!((clocks.align(3, 77), clocks.uncertainty(3)), (77, 0));
    }
}
