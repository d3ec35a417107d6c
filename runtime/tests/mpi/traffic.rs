//! What ranks send each other in tests.

use std::ptr::NonNull;

use tegula_runtime::comm::{Arrival, Mpi, Ticket, Transport};
use tegula_runtime::random::SplitMix64;
use tegula_runtime::ranks::Rank;

/// This rank, with what has come and was not looked for yet: others may be ahead.
pub(crate) struct Peer {
    pub mpi: Mpi,
    inbox: Vec<Arrival>,
}

impl Peer {
    pub(crate) fn new(mpi: Mpi) -> Self {
        Self { mpi, inbox: Vec::new() }
    }

    /// All ranks but this one.
    pub(crate) fn others(&self) -> impl Iterator<Item = Rank> + use<> {
        let (ranks, me) = (self.mpi.ranks() as u16, self.mpi.rank());
        (0..ranks).map(Rank).filter(move |&rank| rank != me)
    }

    /// Polls until `is_done`, which takes what it looks for out of what has come, says so.
    pub(crate) fn until(&mut self, mut is_done: impl FnMut(&mut Mpi, &mut Vec<Arrival>) -> bool) {
        while !is_done(&mut self.mpi, &mut self.inbox) {
            let known = self.inbox.len();
            self.mpi.poll(&mut self.inbox).unwrap();
            if self.inbox.len() == known {
                std::thread::yield_now();
            }
        }
    }

    /// Waits for all ranks: they tell rank 0, which then tells them.
    pub(crate) fn meet(&mut self) {
        let is_first = self.mpi.rank() == Rank(0);
        let mut left = if is_first { self.mpi.ranks() - 1 } else { 1 };
        if !is_first {
            self.mpi.send_frame(Rank(0), b"here").unwrap();
        }
        self.until(|_, inbox| {
            left -= inbox.extract_if(.., |arrival| is_here(arrival)).count();
            left == 0
        });
        if is_first {
            self.others().for_each(|to| self.mpi.send_frame(to, b"here").unwrap());
        }
    }
}

fn is_here(arrival: &Arrival) -> bool {
    matches!(arrival, Arrival::Frame { bytes, .. } if bytes == b"here")
}

/// Memory that is lent to a transport, and the message that it is for. It is freed only when the
/// message has arrived, so a test that fails leaks it.
pub(crate) struct Part {
    pub ticket: Ticket,
    memory: *mut [u8],
    has_arrived: bool,
}

impl Part {
    /// Starts to receive.
    pub(crate) fn awaited(mpi: &mut Mpi, label: u32, bytes: usize) -> Self {
        let memory = Box::into_raw(vec![0u8; bytes].into_boxed_slice());
        // SAFETY: the memory is read and freed only after it has arrived.
        let ticket = unsafe { mpi.receive(label, start(memory), bytes) }.unwrap();
        Self { ticket, memory, has_arrived: false }
    }

    /// Starts to send a copy of `contents`.
    pub(crate) fn sent(mpi: &mut Mpi, to: Rank, label: u32, contents: &[u8]) -> Self {
        let memory = Box::into_raw(contents.to_vec().into_boxed_slice());
        // SAFETY: the memory is freed only after it has been sent.
        let ticket = unsafe { mpi.send(to, label, start(memory), contents.len()) }.unwrap();
        Self { ticket, memory, has_arrived: false }
    }

    /// What has arrived; call it only then.
    pub(crate) fn contents(&mut self) -> &[u8] {
        self.has_arrived = true;
        // SAFETY: nobody writes the memory any more.
        unsafe { &*self.memory }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.has_arrived {
            // SAFETY: it came from a box, and nobody uses it any more.
            drop(unsafe { Box::from_raw(self.memory) });
        }
    }
}

fn start(memory: *mut [u8]) -> NonNull<u8> {
    NonNull::new(memory.cast()).expect("memory")
}

/// What the part `part` of the message `number` is to contain.
fn contents(number: usize, part: usize, from: Rank, to: Rank, bytes: usize) -> Vec<u8> {
    let seed =
        (number as u64) << 40 | (part as u64) << 32 | u64::from(from.0) << 16 | u64::from(to.0);
    let mut random = SplitMix64::new(seed);
    let words = (0..bytes.div_ceil(8)).flat_map(|_| random.next_u64().to_le_bytes());
    words.take(bytes).collect()
}

pub(crate) fn shuffle<T>(items: &mut [T], random: &mut SplitMix64) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.next_u64() as usize % (last + 1));
    }
}

/// A message that this rank awaits.
struct Awaited {
    from: Rank,
    number: usize,
    parts: Vec<Part>,
}

impl Awaited {
    fn check(&mut self, me: Rank, told: &[Arrival]) {
        let (number, from) = (self.number, self.from);
        for (part, lent) in self.parts.iter_mut().enumerate() {
            let bytes = lent.memory.len();
            let arrival = Arrival::Received { ticket: lent.ticket, bytes };
            assert!(told.contains(&arrival), "{arrival:?}");
            let is_right = lent.contents() == contents(number, part, from, me, bytes);
            assert!(is_right, "part {part} of message {number}, {bytes} bytes from rank {from}");
        }
    }
}

/// What frames ask for: message `number`, `bytes` long, under `label`.
fn request(number: usize, bytes: usize, label: u32) -> Vec<u8> {
    let numbers = [number as u64, bytes as u64, label.into()];
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn asked(frame: &[u8]) -> (usize, usize, u32) {
    let number = |at: usize| u64::from_le_bytes(frame[8 * at..8 * at + 8].try_into().unwrap());
    (number(0) as usize, number(1) as usize, number(2) as u32)
}

/// Each rank receives from each other messages of these lengths, cut into parts, all at once, under
/// random labels and in a random order.
pub(crate) fn exchange(
    peer: &mut Peer,
    random: &mut SplitMix64,
    lengths: &[usize],
    parts: impl Fn(usize) -> Vec<usize>,
) {
    let (me, count) = (peer.mpi.rank(), lengths.len() * (peer.mpi.ranks() - 1));
    let mut awaited = announce(peer, random, lengths, &parts);
    let all: usize = awaited.iter().map(|wait| wait.parts.len()).sum();
    let (mut orders, mut sent, mut told) = (Vec::new(), Vec::new(), Vec::new());
    let mut asked_for = 0;
    peer.until(|mpi, inbox| {
        for arrival in inbox.extract_if(.., |arrival| !is_here(arrival)) {
            match arrival {
                Arrival::Frame { from, bytes } => orders.push((from, asked(&bytes))),
                arrival => told.push(arrival),
            }
        }
        shuffle(&mut orders, random);
        asked_for += orders.len();
        for (to, (number, bytes, label)) in orders.drain(..) {
            let send =
                |(part, bytes)| Part::sent(mpi, to, label, &contents(number, part, me, to, bytes));
            sent.extend(parts(bytes).into_iter().enumerate().map(send));
        }
        asked_for == count && told.len() == all + sent.len()
    });
    for lent in &mut sent {
        assert!(told.contains(&Arrival::Sent(lent.ticket)), "{:?}", lent.ticket);
        lent.contents();
    }
    awaited.iter_mut().for_each(|wait| wait.check(me, &told));
    peer.meet();
}

/// Starts all receives, and then asks for what they await.
fn announce(
    peer: &mut Peer,
    random: &mut SplitMix64,
    lengths: &[usize],
    parts: impl Fn(usize) -> Vec<usize>,
) -> Vec<Awaited> {
    let labels = peer.mpi.labels();
    let (mut awaited, mut frames) = (Vec::new(), Vec::new());
    let first = random.next_u64() as u32;
    for from in peer.others() {
        for (number, &bytes) in lengths.iter().enumerate() {
            // Odd steps: no label twice.
            let label = first.wrapping_add(awaited.len() as u32 * 7919) % labels;
            let parts = parts(bytes).into_iter();
            let parts = parts.map(|bytes| Part::awaited(&mut peer.mpi, label, bytes)).collect();
            awaited.push(Awaited { from, number, parts });
            frames.push((from, request(number, bytes, label)));
        }
    }
    shuffle(&mut frames, random);
    frames.iter().for_each(|(to, frame)| peer.mpi.send_frame(*to, frame).unwrap());
    awaited
}
