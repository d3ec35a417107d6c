//! Streams of bytes that share links fairly, in virtual time.
//!
//! Shares are max-min fair (Bertsekas, Gallager, "Data Networks", 1992, section 6.5.2): the rate of
//! all is raised together, and those on a link that is full stay where they are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Bytes under way on some links.
#[derive(Debug)]
struct Stream<T> {
    what: T,
    links: Arc<[usize]>,
    has_begun: bool,
    /// Bytes per nanosecond since `since`.
    rate: f64,
    since: u64,
    /// Bytes that were left then.
    remaining: f64,
    /// When its first byte moves; once it has begun, when it ends at this rate.
    next: u64,
    /// Whether its share is not found yet.
    is_open: bool,
}

impl<T> Stream<T> {
    /// Goes on at `rate` from `now` on.
    fn go_on(&mut self, now: u64, rate: f64) {
        self.remaining -= self.rate * (now - self.since) as f64;
        (self.rate, self.since) = (rate, now);
        let left = if rate > 0.0 { self.remaining.max(0.0) / rate } else { 0.0 };
        self.next = now + left.round() as u64;
    }
}

#[derive(Debug)]
struct Link {
    /// Bytes per nanosecond.
    capacity: f64,
    /// Streams that have begun on it.
    users: u32,
    /// What is left of it while shares are given out, and to how many streams.
    free: f64,
    open: u32,
    /// Those streams, by their places.
    streams: Vec<u32>,
}

impl Link {
    /// What it allows each of its streams without a share.
    fn share(&self) -> f64 {
        (self.free / f64::from(self.open)).max(0.0)
    }
}

/// Streams under way, each of which carries a `T`.
#[derive(Debug)]
pub(super) struct Streams<T> {
    links: Vec<Link>,
    streams: Vec<Stream<T>>,
    /// Whether a stream has ended that shared a link with others.
    is_shared: bool,
    /// Links by what they allow, the tightest first.
    tight: BinaryHeap<Reverse<(u64, usize)>>,
    /// The next time something begins or ends; MAX if nothing will.
    next: u64,
}

impl<T> Streams<T> {
    /// None yet, on links with so many bytes per second.
    pub(super) fn new(bytes_per_second: impl Iterator<Item = f64>) -> Self {
        let link = |rate: f64| Link {
            capacity: rate * 1e-9,
            users: 0,
            free: 0.0,
            open: 0,
            streams: Vec::new(),
        };
        Self {
            links: bytes_per_second.map(link).collect(),
            streams: Vec::new(),
            is_shared: false,
            tight: BinaryHeap::new(),
            next: u64::MAX,
        }
    }

    /// When something happens next; `u64::MAX` if nothing is under way.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Adds a stream of `bytes` bytes on `links`, whose first byte moves at `first`;
    /// [`settle`](Self::settle) must follow.
    pub(super) fn add(&mut self, what: T, links: Arc<[usize]>, bytes: u64, first: u64) {
        self.streams.push(Stream {
            what,
            links,
            has_begun: false,
            rate: 0.0,
            since: first,
            remaining: bytes as f64,
            next: first,
            is_open: false,
        });
    }

    /// Appends what has ended by `now`; [`settle`](Self::settle) must follow.
    pub(super) fn advance(&mut self, now: u64, ended: &mut Vec<T>) {
        let mut place = 0;
        while let Some(stream) = self.streams.get(place) {
            if !stream.has_begun || stream.next > now {
                place += 1;
                continue;
            }
            let stream = self.streams.remove(place);
            self.is_shared |= occupy(&mut self.links, &stream.links, -1);
            ended.push(stream.what);
        }
    }

    /// Lets streams begin whose time has come by `now`, and shares the links out again where
    /// streams meet.
    pub(super) fn settle(&mut self, now: u64) {
        let Self { links, streams, is_shared, .. } = self;
        for stream in streams.iter_mut().filter(|stream| !stream.has_begun && stream.next <= now) {
            stream.has_begun = true;
            let rates = stream.links.iter().map(|&link| links[link].capacity);
            let alone = rates.fold(f64::INFINITY, f64::min);
            stream.go_on(now, alone);
            *is_shared |= occupy(links, &stream.links, 1);
        }
        if std::mem::take(is_shared) {
            self.share(now);
        }
        self.next = self.streams.iter().map(|stream| stream.next).min().unwrap_or(u64::MAX);
    }

    /// Gives every stream that has begun its max-min fair share of the links.
    fn share(&mut self, now: u64) {
        let Self { links, streams, tight, .. } = self;
        for link in links.iter_mut() {
            (link.free, link.open) = (link.capacity, 0);
            link.streams.clear();
        }
        for (place, stream) in streams.iter_mut().enumerate() {
            stream.is_open = stream.has_begun;
            for &link in stream.links.iter().filter(|_| stream.has_begun) {
                links[link].open += 1;
                links[link].streams.push(place as u32);
            }
        }
        let used = links.iter().enumerate().filter(|(_, link)| link.open > 0);
        tight.extend(used.map(|(number, link)| Reverse((link.share().to_bits(), number))));
        while let Some(Reverse((share, number))) = tight.pop() {
            if links[number].open == 0 {
                continue;
            }
            // What a link allows grows as others hold its streams back; bits of numbers that are
            // not negative are ordered as the numbers.
            let rate = links[number].share();
            if rate.to_bits() > share {
                tight.push(Reverse((rate.to_bits(), number)));
                continue;
            }
            let on_link = std::mem::take(&mut links[number].streams);
            for &place in &on_link {
                let stream = &mut streams[place as usize];
                if !std::mem::take(&mut stream.is_open) {
                    continue;
                }
                if stream.rate != rate {
                    stream.go_on(now, rate);
                }
                for &link in stream.links.iter() {
                    links[link].free -= rate;
                    links[link].open -= 1;
                }
            }
            links[number].streams = on_link;
        }
    }
}

/// Adds `by` to the streams on `used`; says whether others are on them.
fn occupy(links: &mut [Link], used: &[usize], by: i32) -> bool {
    let mut others = false;
    for &link in used {
        let users = &mut links[link].users;
        *users = users.checked_add_signed(by).expect("a stream leaves its links once");
        others |= *users > u32::from(by > 0);
    }
    others
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Streams by the links that they use, which have these capacities.
    fn networks() -> impl Strategy<Value = (Vec<f64>, Vec<Vec<usize>>)> {
        prop::collection::vec(1.0..10.0f64, 1..8).prop_flat_map(|capacities| {
            let links = prop::sample::subsequence(
                (0..capacities.len()).collect::<Vec<_>>(),
                1..=3.min(capacities.len()),
            );
            (Just(capacities), prop::collection::vec(links, 1..20))
        })
    }

    proptest! {
        /// A stream's share is max-min fair if, and only if, on one of its links, which is full, no
        /// other has more (Bertsekas, Gallager, section 6.5.2).
        #[test]
        fn every_stream_has_a_bottleneck((capacities, used) in networks()) {
            let mut streams = Streams::new(capacities.iter().map(|rate| 1e9 * rate));
            for (number, links) in used.iter().enumerate() {
                streams.add(number, Arc::from(&links[..]), 1 << 40, 0);
            }
            streams.settle(0);
            let on = |link: usize| {
                let streams = streams.streams.iter();
                streams.filter(move |stream| stream.links.contains(&link)).map(|stream| stream.rate)
            };
            let close = 1e-9;
            for (link, capacity) in capacities.iter().enumerate() {
                prop_assert!(on(link).sum::<f64>() <= capacity + close, "link {link} is overfull");
            }
            for stream in &streams.streams {
                let is_bottleneck = |&&link: &&usize| {
                    let most = on(link).fold(0.0, f64::max);
                    on(link).sum::<f64>() >= capacities[link] - close && stream.rate >= most - close
                };
                prop_assert!(stream.links.iter().any(|link| is_bottleneck(&link)), "{stream:?}");
            }
        }

        /// All bytes move, none faster than its links, and together no faster than a link they
        /// share.
        #[test]
        fn streams_end_when_their_bytes_have_moved(
            bytes in prop::collection::vec(1..1_000_000u64, 1..10), first in 0..1000u64,
        ) {
            let mut streams = Streams::new([1e9].into_iter());
            for &bytes in &bytes {
                streams.add(bytes, Arc::from([0]), bytes, first);
            }
            streams.settle(0);
            let (mut ended, mut now) = (Vec::new(), 0);
            while streams.next() < u64::MAX {
                now = streams.next();
                streams.advance(now, &mut ended);
                streams.settle(now);
            }
            // One byte a nanosecond; each end is rounded to one.
            let (sum, most) = (first + bytes.iter().sum::<u64>(), bytes.len() as u64);
            prop_assert!(now.abs_diff(sum) <= most, "{now} for {sum} bytes");
            let mut sorted = bytes;
            sorted.sort_unstable();
            prop_assert_eq!(ended, sorted, "the shortest end first");
        }
    }
}
