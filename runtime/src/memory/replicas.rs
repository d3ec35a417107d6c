//! Which memory holds what: the state of every replica of every handle.

use crate::platform::Machine;
use crate::types::{HandleId, MAX_MEMORIES, MemoryId};

/// State of a handle in one memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replica {
    /// No buffer.
    #[default]
    Absent,
    /// Room is promised, and will be there when what leaves has left.
    Promised,
    /// A buffer whose contents are still to be fetched or written.
    Allocated,
    /// A transfer into the buffer is under way.
    Arriving,
    /// The contents are those of the last writer.
    Valid,
    /// Valid, and being written back; the buffer goes when that is done.
    Leaving,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    state: Replica,
    /// Admitted tasks that use the buffer, and transfers that read it.
    pins: u32,
    /// Committed tasks, the admitted ones included, of workers of this memory that use the handle.
    committed: u32,
    /// Tasks that are not committed, whose data a policy asked to bring here.
    hinted: u32,
    /// Place in the list of residents.
    place: u32,
    /// When a transfer under way is expected to end.
    arrival: u64,
}

/// One handle.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    bytes: u64,
    /// Memories with a `Valid` replica, a bit each.
    valid: u32,
    /// Memories where the handle is valid or was decided to be brought, or written.
    here: u32,
    /// Transfers of the handle that are under way.
    flights: u32,
}

const _: () = assert!(MAX_MEMORIES <= 32);

/// Which memory holds what.
#[derive(Clone, Debug)]
pub struct Replicas {
    memories: usize,
    rows: Vec<Row>,
    cells: Vec<Cell>,
    /// For each memory the handles that have a replica there which is valid.
    residents: Vec<Vec<HandleId>>,
    /// Nanoseconds per byte and before the first byte, from memory to memory.
    ways: Vec<(f64, f64)>,
}

impl Replicas {
    /// An empty table for the memories of `machine`.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        let memories = machine.memories.len();
        let pairs = (0..memories * memories).map(|pair| (pair / memories, pair % memories));
        let way = |(src, dst): (usize, usize)| {
            if src == dst {
                return (0.0, 0.0);
            }
            let way = machine.way(MemoryId(src), MemoryId(dst));
            let rates = way.links.iter().map(|&link| machine.links[link].bytes_per_second);
            (1e9 / rates.fold(f64::INFINITY, f64::min), 1e9 * way.latency_seconds)
        };
        Self {
            memories,
            rows: Vec::new(),
            cells: Vec::new(),
            residents: vec![Vec::new(); memories],
            ways: pairs.map(way).collect(),
        }
    }

    fn place(&self, handle: HandleId, memory: MemoryId) -> usize {
        handle.0 as usize * self.memories + memory.0
    }

    fn cell(&self, handle: HandleId, memory: MemoryId) -> &Cell {
        &self.cells[self.place(handle, memory)]
    }

    fn cell_mut(&mut self, handle: HandleId, memory: MemoryId) -> &mut Cell {
        let place = self.place(handle, memory);
        &mut self.cells[place]
    }

    /// Number of memories.
    #[must_use]
    pub fn memories(&self) -> usize {
        self.memories
    }

    /// One more than the largest number of a handle that was entered.
    #[must_use]
    pub fn handles(&self) -> usize {
        self.rows.len()
    }

    /// Size of `handle`.
    #[must_use]
    pub fn bytes(&self, handle: HandleId) -> u64 {
        self.rows[handle.0 as usize].bytes
    }

    /// State of `handle` in `memory`.
    #[must_use]
    pub fn state(&self, handle: HandleId, memory: MemoryId) -> Replica {
        self.cell(handle, memory).state
    }

    /// Whether `handle` is valid in `memory`, or on its way there.
    #[must_use]
    pub fn is_here(&self, handle: HandleId, memory: MemoryId) -> bool {
        self.rows[handle.0 as usize].here >> memory.0 & 1 == 1
    }

    /// The memories where `handle` is valid, a bit each.
    #[must_use]
    pub fn valid(&self, handle: HandleId) -> u32 {
        self.rows[handle.0 as usize].valid
    }

    /// The handles with a valid replica in `memory`, in no order.
    #[must_use]
    pub fn residents(&self, memory: MemoryId) -> &[HandleId] {
        &self.residents[memory.0]
    }

    /// Whether `handle` is in use in `memory`: by a task that has been admitted, or by a transfer.
    #[must_use]
    pub fn is_pinned(&self, handle: HandleId, memory: MemoryId) -> bool {
        self.cell(handle, memory).pins > 0
    }

    /// How many tasks that are committed to workers of `memory` use `handle`.
    #[must_use]
    pub fn committed(&self, handle: HandleId, memory: MemoryId) -> u32 {
        self.cell(handle, memory).committed
    }

    /// How many tasks that are not committed asked for `handle` in `memory`.
    #[must_use]
    pub fn hinted(&self, handle: HandleId, memory: MemoryId) -> u32 {
        self.cell(handle, memory).hinted
    }

    /// When `handle`, which is on its way to `memory`, is expected; 0 if it is not.
    #[must_use]
    pub fn arrival(&self, handle: HandleId, memory: MemoryId) -> u64 {
        match self.state(handle, memory) {
            Replica::Arriving => self.cell(handle, memory).arrival,
            _ => 0,
        }
    }

    /// The valid replica from which `handle` comes to `memory` soonest, and the nanoseconds that
    /// this takes when nothing else moves; none if no memory holds it.
    #[must_use]
    pub fn source(&self, handle: HandleId, memory: MemoryId) -> Option<(MemoryId, u64)> {
        let row = &self.rows[handle.0 as usize];
        let mut best: Option<(MemoryId, u64)> = None;
        let mut valid = row.valid;
        while valid != 0 {
            let src = valid.trailing_zeros() as usize;
            valid &= valid - 1;
            let time = self.time(row.bytes, MemoryId(src), memory);
            if best.is_none_or(|(_, least)| time < least) {
                best = Some((MemoryId(src), time));
            }
        }
        best
    }

    /// Nanoseconds that a transfer takes when nothing else moves.
    #[must_use]
    pub fn time(&self, bytes: u64, src: MemoryId, dst: MemoryId) -> u64 {
        let (per_byte, latency) = self.ways[src.0 * self.memories + dst.0];
        (bytes as f64 * per_byte + latency) as u64
    }

    /// Nanoseconds to bring `handle` to `memory` when nothing else moves; 0 if it is there or on
    /// its way, or holds nothing yet.
    #[must_use]
    pub fn transfer(&self, handle: HandleId, memory: MemoryId) -> u64 {
        if self.is_here(handle, memory) {
            return 0;
        }
        self.source(handle, memory).map_or(0, |(_, time)| time)
    }

    /// Whether any transfer of `handle` is under way.
    #[must_use]
    pub fn is_flying(&self, handle: HandleId) -> bool {
        self.rows[handle.0 as usize].flights > 0
    }

    /// Makes sure that there is a row for `handle`, and notes its size if no memory holds it.
    pub fn enter(&mut self, handle: HandleId, bytes: u64) {
        let index = handle.0 as usize;
        if index >= self.rows.len() {
            self.rows.resize((index + 1).next_power_of_two(), Row::default());
            self.cells.resize(self.rows.len() * self.memories, Cell::default());
        }
        if self.rows[index].bytes != bytes {
            debug_assert!(self.is_nowhere(handle), "handle {index} changes its size in use");
            self.rows[index].bytes = bytes;
        }
    }

    /// Whether no memory has a buffer of `handle`.
    #[must_use]
    pub fn is_nowhere(&self, handle: HandleId) -> bool {
        (0..self.memories).all(|m| self.state(handle, MemoryId(m)) == Replica::Absent)
    }

    /// Sets the state of `handle` in `memory`.
    pub fn set(&mut self, handle: HandleId, memory: MemoryId, state: Replica) {
        let place = self.place(handle, memory);
        let old = std::mem::replace(&mut self.cells[place].state, state);
        let (bit, row) = (1 << memory.0, &mut self.rows[handle.0 as usize]);
        row.valid = if state == Replica::Valid { row.valid | bit } else { row.valid & !bit };
        let here = !matches!(state, Replica::Absent | Replica::Leaving);
        row.here = if here { row.here | bit } else { row.here & !bit };
        match (old == Replica::Valid, state == Replica::Valid) {
            (false, true) => {
                let residents = &mut self.residents[memory.0];
                self.cells[place].place = residents.len() as u32;
                residents.push(handle);
            }
            (true, false) => {
                let at = self.cells[place].place as usize;
                self.residents[memory.0].swap_remove(at);
                if let Some(&moved) = self.residents[memory.0].get(at) {
                    self.cell_mut(moved, memory).place = at as u32;
                }
            }
            _ => {}
        }
    }

    /// Notes when `handle` is expected in `memory`.
    pub fn set_arrival(&mut self, handle: HandleId, memory: MemoryId, time: u64) {
        self.cell_mut(handle, memory).arrival = time;
    }

    /// Adds `by` to the pins of `handle` in `memory`.
    pub fn pin(&mut self, handle: HandleId, memory: MemoryId, by: i32) {
        let pins = &mut self.cell_mut(handle, memory).pins;
        *pins = pins.checked_add_signed(by).expect("a replica is unpinned once for each pin");
    }

    /// Adds `by` to the committed tasks that use `handle` in `memory`.
    pub fn commit(&mut self, handle: HandleId, memory: MemoryId, by: i32) {
        let committed = &mut self.cell_mut(handle, memory).committed;
        *committed = committed.checked_add_signed(by).expect("a task is committed once");
    }

    /// Adds `by` to the tasks that asked for `handle` in `memory` before they are committed.
    pub fn hint(&mut self, handle: HandleId, memory: MemoryId, by: i32) {
        let hinted = &mut self.cell_mut(handle, memory).hinted;
        *hinted = hinted.checked_add_signed(by).expect("a hint is taken back once");
    }

    /// Adds `by` to the transfers of `handle` that are under way.
    pub fn fly(&mut self, handle: HandleId, by: i32) {
        let flights = &mut self.rows[handle.0 as usize].flights;
        *flights = flights.checked_add_signed(by).expect("a transfer ends once");
    }
}
