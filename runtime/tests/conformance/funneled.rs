//! A transport that one thread alone may call, and blocks of the program's own memory over ranks.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::thread::{self, ThreadId};

use proptest::prelude::*;
use tegula_runtime::comm::{Arrival, Local, Ticket, Transport, TransportError, World};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{
    Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle, Lines,
};
use tegula_runtime::memory::Block;
use tegula_runtime::ranks::Rank;

use crate::ranks::spread;

/// Panics where another thread calls it than the one that made it.
struct Funneled {
    end: Local,
    thread: ThreadId,
}

impl Funneled {
    fn over(end: Local) -> Box<dyn Transport> {
        Box::new(Self { end, thread: thread::current().id() })
    }

    fn end(&mut self) -> &mut Local {
        assert_eq!(self.thread, thread::current().id(), "another thread calls");
        &mut self.end
    }
}

impl Transport for Funneled {
    fn rank(&self) -> Rank {
        self.end.rank()
    }

    fn ranks(&self) -> usize {
        self.end.ranks()
    }

    fn labels(&self) -> u32 {
        self.end.labels()
    }

    fn is_funneled(&self) -> bool {
        true
    }

    fn send_frame(&mut self, to: Rank, frame: &[u8]) -> Result<(), TransportError> {
        self.end().send_frame(to, frame)
    }

    unsafe fn send(
        &mut self,
        to: Rank,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        // SAFETY: the caller promises the same.
        unsafe { self.end().send(to, label, memory, bytes) }
    }

    unsafe fn receive(
        &mut self,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        // SAFETY: the caller promises the same.
        unsafe { self.end().receive(label, memory, bytes) }
    }

    fn poll(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        self.end().poll(arrivals)
    }
}

/// `into[k] = 3 into[k] + from[k + 1] + salt`, element by element down the columns, where a slice
/// holds the columns one after the other.
#[derive(Clone, Copy)]
struct Stir(u64);

impl Codelet for Stir {
    const NAME: &'static str = "stir";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (from, into) = (buffers.region::<u64>(0), buffers.region_mut::<u64>(1));
        let count = ROWS * COLUMNS;
        for k in 0..count {
            // SAFETY: these are elements of the buffers, of which the second is lent to be written.
            unsafe {
                let term = from.pointer().add(place(from.block(), (k + 1) % count)).read();
                let entry = into.pointer().add(place(into.block(), k));
                *entry = stirred(*entry, term, self.0);
            }
        }
        Ok(())
    }
}

fn stirred(entry: u64, term: u64, salt: u64) -> u64 {
    entry.wrapping_mul(3).wrapping_add(term).wrapping_add(salt)
}

/// Where element `k` lies, down the columns.
fn place(block: Option<Lines>, k: usize) -> usize {
    match block {
        None => k,
        Some(Lines { pitch, is_turned: false, .. }) => k / ROWS * pitch + k % ROWS,
        Some(Lines { pitch, .. }) => k % ROWS * pitch + k / ROWS,
    }
}

/// More than what travels in a frame.
const ROWS: usize = 13;
const COLUMNS: usize = 17;
const BLOCKS: usize = 5;
/// Elements that no block has, between its lines.
const GAP: usize = 2;

/// A program on blocks: owners, whether they are turned, and which stirs which, after it has gone
/// to another owner.
#[derive(Clone, Debug)]
struct Kitchen {
    ranks: usize,
    workers: usize,
    owners: Vec<(u16, bool)>,
    stirs: Vec<(usize, usize, u64, Option<u16>)>,
    seed: u64,
    is_funneled: bool,
}

fn kitchens() -> impl Strategy<Value = Kitchen> {
    let owners = prop::collection::vec((any::<u16>(), any::<bool>()), BLOCKS);
    let stir = (0..BLOCKS, 1..BLOCKS, any::<u64>(), prop::option::weighted(0.2, any::<u16>()));
    let stirs = prop::collection::vec(stir, 0..40);
    (1..5usize, 1..4usize, owners, stirs, any::<u64>(), any::<bool>()).prop_map(
        |(ranks, workers, owners, stirs, seed, is_funneled)| {
            let stirs = stirs
                .into_iter()
                .map(|(from, next, salt, owner)| (from, (from + next) % BLOCKS, salt, owner))
                .collect();
            Kitchen { ranks, workers, owners, stirs, seed, is_funneled }
        },
    )
}

impl Kitchen {
    fn owner(&self, drawn: u16) -> Rank {
        Rank(drawn % self.ranks as u16)
    }

    /// What the blocks hold in the end, down the columns.
    fn expected(&self) -> Vec<Vec<u64>> {
        let count = ROWS * COLUMNS;
        let mut blocks: Vec<Vec<u64>> =
            (0..BLOCKS).map(|block| (0..count).map(|k| first(block, k)).collect()).collect();
        for &(from, into, salt, _) in &self.stirs {
            for k in 0..count {
                let term = blocks[from][(k + 1) % count];
                blocks[into][k] = stirred(blocks[into][k], term, salt);
            }
        }
        blocks
    }

    /// Runs the program on one rank; what the blocks hold in the end that it lends.
    fn run(&self, end: Local) -> Vec<Option<Vec<u64>>> {
        let me = end.rank();
        let transport = if self.is_funneled { Funneled::over(end) } else { Box::new(end) };
        let world = Some(World::new(transport));
        let engine = Exec::new(ExecOptions { world, ..ExecOptions::new(self.workers) });
        let mut flow = Flow::new(engine, FlowOptions::default());
        let shape = |is_turned| if is_turned { (ROWS, COLUMNS) } else { (COLUMNS, ROWS) };
        let mut arrays: Vec<Vec<u64>> = Vec::new();
        let mut handles: Vec<Handle> = Vec::new();
        for (number, &(drawn, is_turned)) in self.owners.iter().enumerate() {
            let (lines, length) = shape(is_turned);
            let pitch = length + GAP;
            let mut array = vec![u64::MAX; lines * pitch];
            let block = Block::new(array.as_mut_ptr(), (lines, length), pitch);
            let block = if is_turned { block.turned() } else { block };
            for k in 0..ROWS * COLUMNS {
                let lines = Lines { lines, length, pitch, is_turned };
                array[place(Some(lines), k)] = first(number, k);
            }
            // SAFETY: the array outlives the flow, and is let alone until its end.
            let handle = unsafe { flow.lend_at(self.owner(drawn), block.bytes(), || block) };
            handles.push(handle);
            arrays.push(array);
        }
        for &(from, into, salt, owner) in &self.stirs {
            owner.into_iter().for_each(|owner| flow.set_owner(handles[into], self.owner(owner)));
            flow.submit(Stir(salt), &[(handles[from], Access::R), (handles[into], Access::RW)], 0);
        }
        for (&handle, &(drawn, _)) in handles.iter().zip(&self.owners) {
            flow.bring(handle, self.owner(drawn));
        }
        flow.wait().expect("nothing fails");
        drop(flow);
        let of = |(array, &(drawn, is_turned)): (Vec<u64>, &(u16, bool))| {
            let (lines, length) = shape(is_turned);
            let pitch = length + GAP;
            let lines = Lines { lines, length, pitch, is_turned };
            let gaps = array.chunks(pitch).flat_map(|line| &line[length..]);
            assert!(gaps.into_iter().all(|&gap| gap == u64::MAX), "something is between the lines");
            let held = (0..ROWS * COLUMNS).map(|k| array[place(Some(lines), k)]).collect();
            (self.owner(drawn) == me).then_some(held)
        };
        arrays.into_iter().zip(&self.owners).map(of).collect()
    }
}

/// What a block holds at first.
fn first(block: usize, k: usize) -> u64 {
    (1000 * block + k) as u64
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn blocks_of_ranks_end_with_what_the_program_says(kitchen in kitchens()) {
        let expected = kitchen.expected();
        let ends = Local::connect_unruly(kitchen.ranks, kitchen.seed);
        let run = |end| kitchen.run(end);
        let found: Vec<_> = thread::scope(|scope| {
            let ranks: Vec<_> = ends.into_iter().map(|end| scope.spawn(move || run(end))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("a rank panicked")).collect()
        });
        for (number, expected) in expected.iter().enumerate() {
            let held: Vec<_> = found.iter().filter_map(|blocks| blocks[number].as_ref()).collect();
            prop_assert_eq!(held, vec![expected], "block {}", number);
        }
    }

    #[test]
    fn one_thread_alone_calls_and_ranks_end_as_one_does(
        program in spread(60, false, true), workers in 1..4usize,
    ) {
        program.check_over(Funneled::over, |_| ExecOptions::new(workers))?;
    }
}
