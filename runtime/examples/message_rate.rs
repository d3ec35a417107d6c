//! How long messages take between two ranks: under a launcher of MPI over it, else between threads.
//!
//! `mpirun -n 2 target/release/examples/message_rate`
#![allow(clippy::print_stdout, unsafe_code)]

use std::ptr::NonNull;
use std::time::Instant;

use tegula_runtime::comm::mpi::{Launcher, Library};
use tegula_runtime::comm::{Arrival, FRAME_BYTES, Local, Mpi, Transport};
use tegula_runtime::ranks::Rank;

/// Messages on their way at once where bandwidth is measured.
const WINDOW: usize = 16;

/// Times that each figure is measured; the best counts.
const ROUNDS: usize = 5;

fn main() {
    let launcher = Launcher::of(|name| std::env::var(name).ok());
    if launcher.family.is_some() {
        let library =
            Library::find(launcher.family, None).unwrap_or_else(|error| panic!("{error}"));
        let mut mpi = Mpi::start(&library, &launcher).unwrap_or_else(|error| panic!("{error}"));
        let name = mpi.library().to_owned();
        measure(&mut mpi, &name);
        mpi.finish().expect("MPI ends");
        return;
    }
    let ends = Local::connect(2);
    std::thread::scope(|scope| {
        for mut end in ends {
            scope.spawn(move || measure(&mut end, "threads"));
        }
    });
}

/// One end, and what came and was not looked for.
struct End<'a, T> {
    transport: &'a mut T,
    other: Rank,
    inbox: Vec<Arrival>,
    frames: usize,
    sent: usize,
    received: usize,
}

impl<T: Transport> End<'_, T> {
    /// Polls until so many frames, messages sent, and messages received are there, and takes them.
    fn take(&mut self, frames: usize, sent: usize, received: usize) {
        while self.frames < frames || self.sent < sent || self.received < received {
            self.transport.poll(&mut self.inbox).expect("messages move");
            if self.inbox.is_empty() {
                std::thread::yield_now();
            }
            for arrival in self.inbox.drain(..) {
                match arrival {
                    Arrival::Frame { .. } => self.frames += 1,
                    Arrival::Sent(_) => self.sent += 1,
                    Arrival::Received { .. } => self.received += 1,
                }
            }
        }
        self.frames -= frames;
        self.sent -= sent;
        self.received -= received;
    }

    fn frame(&mut self, bytes: usize) {
        self.transport.send_frame(self.other, &[1; FRAME_BYTES][..bytes]).expect("it is sent");
    }

    fn send(&mut self, memory: &mut [u8]) {
        let start = NonNull::new(memory.as_mut_ptr()).expect("memory");
        // SAFETY: the memory stays as it is until the message was taken.
        unsafe { self.transport.send(self.other, 1, start, memory.len()) }.expect("it is sent");
    }

    fn receive(&mut self, memory: &mut [u8]) {
        let start = NonNull::new(memory.as_mut_ptr()).expect("memory");
        // SAFETY: nobody looks at the memory until the message was taken.
        unsafe { self.transport.receive(1, start, memory.len()) }.expect("it is received");
    }

    fn is_first(&self) -> bool {
        self.transport.rank() == Rank(0)
    }

    /// A frame there and one back.
    fn frame_there_and_back(&mut self, bytes: usize) {
        if self.is_first() {
            self.frame(bytes);
            self.take(1, 0, 0);
        } else {
            self.take(1, 0, 0);
            self.frame(bytes);
        }
    }

    /// Messages there and back, so many times; each end awaits the next before it answers.
    fn messages_there_and_back(&mut self, memory: &mut [Vec<u8>], repeats: usize) {
        let (incoming, outgoing) = memory.split_at_mut(1);
        self.receive(&mut incoming[0]);
        self.frame(1);
        self.take(1, 0, 0);
        for repeat in 1..=repeats {
            if self.is_first() {
                self.send(&mut outgoing[0]);
                self.take(0, 1, 1);
            } else {
                self.take(0, 0, 1);
            }
            if repeat < repeats {
                self.receive(&mut incoming[0]);
            }
            if !self.is_first() {
                self.send(&mut outgoing[0]);
                self.take(0, 1, 0);
            }
        }
    }

    /// Seconds of a poll in which nothing comes, while as many messages are awaited as there is
    /// memory.
    fn idle_poll(&mut self, memory: &mut [Vec<u8>]) -> f64 {
        const POLLS: usize = 5000;
        memory.iter_mut().for_each(|memory| self.receive(memory));
        let seconds = best(POLLS, |polls| {
            (0..polls).for_each(|_| self.transport.poll(&mut self.inbox).expect("messages move"));
        });
        self.frame(1);
        self.take(1, 0, 0);
        let mut byte = [1];
        memory.iter().for_each(|_| self.send(&mut byte));
        self.take(0, memory.len(), memory.len());
        seconds
    }

    /// Frames from the first to the second rank, and one back.
    fn frames(&mut self, bytes: usize) {
        if self.is_first() {
            (0..WINDOW).for_each(|_| self.frame(bytes));
            self.take(1, 0, 0);
        } else {
            self.take(WINDOW, 0, 0);
            self.frame(1);
        }
    }

    /// Messages from the first to the second rank, which says when it awaits them.
    fn messages(&mut self, memory: &mut [Vec<u8>]) {
        if self.is_first() {
            self.take(1, 0, 0);
            memory.iter_mut().for_each(|memory| self.send(memory));
            self.take(0, WINDOW, 0);
        } else {
            memory.iter_mut().for_each(|memory| self.receive(memory));
            self.frame(1);
            self.take(0, 0, WINDOW);
        }
    }
}

/// Seconds that one step takes, of the best of some rounds of `repeats` steps.
fn best(repeats: usize, mut steps: impl FnMut(usize)) -> f64 {
    steps(1);
    let round = |_| {
        let start = Instant::now();
        steps(repeats);
        start.elapsed().as_secs_f64() / repeats as f64
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

fn measure<T: Transport>(transport: &mut T, name: &str) {
    assert_eq!(transport.ranks(), 2, "start it as two ranks");
    let other = Rank(1 - transport.rank().0);
    let mut end = End { transport, other, inbox: Vec::new(), frames: 0, sent: 0, received: 0 };
    let is_first = end.is_first();
    let row = |what: &str, bytes: usize, latency: f64, burst: f64| {
        let rate = WINDOW as f64 * bytes as f64 / burst * 1e-6;
        if is_first {
            println!("{what:8} {bytes:>9} {:>10.2} {rate:>10.1}", 1e6 * latency);
        }
    };
    if is_first {
        println!("{name}\nmessage      bytes    us, one   MB/s, {WINDOW} at once");
    }
    for bytes in [1, 64, 1024, FRAME_BYTES] {
        let there_and_back =
            best(2000, |repeats| (0..repeats).for_each(|_| end.frame_there_and_back(bytes)));
        let burst = best(500, |repeats| (0..repeats).for_each(|_| end.frames(bytes)));
        row("frame", bytes, there_and_back / 2.0, burst);
    }
    for bytes in [1, 4096, 65_536, 1 << 20, 8 << 20] {
        let repeats = ((16 << 20) / bytes).clamp(4, 500);
        let mut memory = vec![vec![1u8; bytes]; WINDOW];
        let there_and_back =
            best(repeats, |repeats| end.messages_there_and_back(&mut memory, repeats));
        let burst = best(repeats.div_ceil(4), |repeats| {
            (0..repeats).for_each(|_| end.messages(&mut memory));
        });
        row("message", bytes, there_and_back / 2.0, burst);
    }
    for awaited in [0, 10, 100, 1000] {
        let seconds = end.idle_poll(&mut vec![vec![0; 1]; awaited]);
        if is_first {
            println!("poll, {awaited:4} awaited {:>7.2}", 1e6 * seconds);
        }
    }
}
