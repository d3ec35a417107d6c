//! Transfers in virtual time: one at a time on each way from memory to memory, the most urgent
//! first; those on different ways share links fairly.
//!
//! Shares are max-min fair (Bertsekas, Gallager, "Data Networks", 1992, section 6.5.2): the rate of
//! all is raised together, and those on a link that is full stay where they are.

use crate::memory::{Transfer, TransferQueue};
use crate::platform::{Machine, MemoryId};
use crate::sched::HandleId;

/// A transfer under way.
#[derive(Clone, Copy, Debug)]
struct Flow {
    transfer: Transfer,
    way: usize,
    start: u64,
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

impl Flow {
    /// Goes on at `rate` from `now` on.
    fn go_on(&mut self, now: u64, rate: f64) {
        self.remaining -= self.rate * (now - self.since) as f64;
        (self.rate, self.since) = (rate, now);
        let left = if rate > 0.0 { self.remaining.max(0.0) / rate } else { 0.0 };
        self.next = now + left.round() as u64;
    }
}

/// A way from memory to memory.
#[derive(Clone, Debug, Default)]
struct Way {
    links: Vec<usize>,
    latency: u64,
    /// Bytes per nanosecond of a flow that has its links for itself.
    rate: f64,
    waiting: TransferQueue,
    is_busy: bool,
}

/// A transfer that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Landed {
    pub(super) transfer: Transfer,
    pub(super) start: u64,
}

#[derive(Debug)]
pub(super) struct Network {
    memories: usize,
    ways: Vec<Way>,
    /// Bytes per nanosecond of each link.
    capacities: Vec<f64>,
    /// What is left of them while shares are given out, and to how many flows.
    free: Vec<f64>,
    open: Vec<u32>,
    /// Flows on each link.
    users: Vec<u32>,
    flows: Vec<Flow>,
    clock: u64,
    /// The next time something begins or ends; MAX if nothing will.
    next: u64,
}

impl Network {
    pub(super) fn new(machine: &Machine) -> Self {
        let memories = machine.memories.len();
        let way = |pair: usize| {
            let (src, dst) = (pair / memories, pair % memories);
            if src == dst {
                return Way::default();
            }
            let route = machine.way(MemoryId(src), MemoryId(dst));
            let latency = (1e9 * route.latency_seconds).round() as u64;
            let rates = route.links.iter().map(|&link| 1e-9 * machine.links[link].bytes_per_second);
            let rate = rates.fold(f64::INFINITY, f64::min);
            Way { links: route.links, latency, rate, ..Way::default() }
        };
        Self {
            memories,
            ways: (0..memories * memories).map(way).collect(),
            capacities: machine.links.iter().map(|link| link.bytes_per_second * 1e-9).collect(),
            free: vec![0.0; machine.links.len()],
            open: vec![0; machine.links.len()],
            users: vec![0; machine.links.len()],
            flows: Vec::new(),
            clock: 0,
            next: u64::MAX,
        }
    }

    /// When something happens next; `u64::MAX` if nothing is under way.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Orders a transfer at `now`.
    pub(super) fn send(&mut self, transfer: Transfer, now: u64) {
        let way = transfer.src.0 * self.memories + transfer.dst.0;
        self.ways[way].waiting.push(transfer);
        if !self.ways[way].is_busy {
            self.clock = now;
            self.begin(way);
            self.open(false);
        }
    }

    /// Makes a transfer urgent that waits for its way.
    pub(super) fn hurry(&mut self, handle: HandleId, dst: MemoryId) {
        for src in 0..self.memories {
            self.ways[src * self.memories + dst.0].waiting.hurry(handle, dst);
        }
    }

    /// Lets time pass until `now`, and appends what has landed then.
    pub(super) fn advance(&mut self, now: u64, landed: &mut Vec<Landed>) {
        self.clock = now;
        let mut is_shared = false;
        let mut place = 0;
        while let Some(flow) = self.flows.get(place) {
            if flow.has_begun && flow.next <= now {
                let flow = self.flows.remove(place);
                landed.push(Landed { transfer: flow.transfer, start: flow.start });
                self.ways[flow.way].is_busy = false;
                is_shared |= self.occupy(flow.way, -1);
                self.begin(flow.way);
            } else {
                place += 1;
            }
        }
        self.open(is_shared);
    }

    /// Adds `by` to the flows on the links of `way`; says whether others are on them.
    fn occupy(&mut self, way: usize, by: i32) -> bool {
        let mut others = false;
        for &link in &self.ways[way].links {
            let users = &mut self.users[link];
            *users = users.checked_add_signed(by).expect("a flow leaves its links once");
            others |= *users > u32::from(by > 0);
        }
        others
    }

    /// Lets flows begin whose time has come, and shares the links out again where flows meet.
    fn open(&mut self, mut is_shared: bool) {
        for place in 0..self.flows.len() {
            let flow = &mut self.flows[place];
            if flow.next <= self.clock && !flow.has_begun {
                flow.has_begun = true;
                let way = flow.way;
                flow.go_on(self.clock, self.ways[way].rate);
                is_shared |= self.occupy(way, 1);
            }
        }
        if is_shared {
            self.share();
        }
        self.next = self.flows.iter().map(|flow| flow.next).min().unwrap_or(u64::MAX);
    }

    /// Starts the most urgent transfer that waits for `way`.
    fn begin(&mut self, way: usize) {
        let Some(transfer) = self.ways[way].waiting.pop() else { return };
        self.ways[way].is_busy = true;
        let (start, remaining) = (self.clock, transfer.bytes as f64);
        let next = start + self.ways[way].latency;
        let (has_begun, is_open, rate, since) = (false, false, 0.0, start);
        self.flows.push(Flow {
            transfer,
            way,
            start,
            has_begun,
            rate,
            since,
            remaining,
            next,
            is_open,
        });
    }

    /// Gives every flow that has begun its max-min fair share of the links.
    fn share(&mut self) {
        let Self { flows, ways, capacities, free, open, clock, .. } = self;
        free.copy_from_slice(capacities);
        open.fill(0);
        for flow in flows.iter_mut() {
            flow.is_open = flow.has_begun;
            if flow.is_open {
                ways[flow.way].links.iter().for_each(|&link| open[link] += 1);
            }
        }
        while let Some((rate, link)) = tightest(free, open) {
            for flow in flows.iter_mut().filter(|flow| flow.is_open) {
                let links = &ways[flow.way].links;
                if links.contains(&link) {
                    flow.is_open = false;
                    if flow.rate != rate {
                        flow.go_on(*clock, rate);
                    }
                    for &used in links {
                        free[used] -= rate;
                        open[used] -= 1;
                    }
                }
            }
        }
    }
}

/// The link that allows its flows without a share the least, and how much.
fn tightest(free: &[f64], open: &[u32]) -> Option<(f64, usize)> {
    let used = free.iter().zip(open).enumerate().filter(|(_, (_, open))| **open > 0);
    let shares = used.map(|(link, (free, &open))| (free / f64::from(open), link));
    shares.min_by(|a, b| a.0.total_cmp(&b.0))
}
