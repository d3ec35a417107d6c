//! Task slots: everything about one task, in three cache lines, used again after it is done.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU16, AtomicU64};

use super::codelet::{Codelet, CodeletInfo, MAX_ARGUMENT_BYTES};
use super::edge::{Edges, Successors};
use crate::ranks::Key;
use crate::sync::AtomicU32;
use crate::types::{Access, Cost, Kind, Rank};

/// Most handles that one task uses.
pub const MAX_ACCESSES: usize = 8;

/// What a message carries and who is at its other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) key: Key,
    pub(crate) peer: Rank,
}

/// What the submitter writes about a task before it publishes it; constant until it is done.
#[derive(Debug)]
pub(crate) struct TaskData {
    pub(crate) info: &'static CodeletInfo,
    /// Position in the program.
    pub(crate) index: u64,
    pub(crate) priority: i32,
    pub(crate) kind: Kind,
    pub(crate) phase: u8,
    pub(crate) count: u8,
    modes: [Access; MAX_ACCESSES],
    pub(crate) handles: [u32; MAX_ACCESSES],
    arguments: Arguments,
}

/// Room for a codelet value.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Arguments(MaybeUninit<[u8; MAX_ARGUMENT_BYTES]>);

impl std::fmt::Debug for Arguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Arguments")
    }
}

impl Arguments {
    /// No arguments.
    pub(crate) const NONE: Self = Self(MaybeUninit::uninit());

    /// Stores the bytes of `codelet`.
    #[allow(unsafe_code)]
    pub(crate) fn of<C: Codelet>(codelet: C) -> Self {
        const { assert!(size_of::<C>() <= MAX_ARGUMENT_BYTES && align_of::<C>() <= 16) };
        let mut arguments = Self::NONE;
        // SAFETY: size and alignment were just checked; `C` is `Copy`, so nothing is dropped.
        unsafe { arguments.0.as_mut_ptr().cast::<C>().write(codelet) };
        arguments
    }

    pub(crate) fn pointer(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }
}

impl TaskData {
    pub(crate) fn new(
        info: &'static CodeletInfo,
        kind: Kind,
        arguments: Arguments,
        accesses: impl ExactSizeIterator<Item = (u32, Access)>,
    ) -> Self {
        let mut data = Self {
            info,
            index: 0,
            priority: 0,
            kind,
            phase: 0,
            count: accesses.len() as u8,
            modes: [Access::R; MAX_ACCESSES],
            handles: [0; MAX_ACCESSES],
            arguments,
        };
        for (position, (handle, mode)) in accesses.enumerate() {
            data.handles[position] = handle;
            data.modes[position] = mode;
        }
        data
    }

    /// Makes it a message, which uses one handle.
    pub(crate) fn with_envelope(mut self, Envelope { key, peer }: Envelope) -> Self {
        debug_assert!(self.count == 1, "a message of {} handles", self.count);
        let ranks = u32::from(key.origin.0) << 16 | u32::from(peer.0);
        self.handles[1..4].copy_from_slice(&[key.name, key.version, ranks]);
        self
    }

    /// What a message carries.
    pub(crate) fn envelope(&self) -> Envelope {
        let [name, version, ranks] = [self.handles[1], self.handles[2], self.handles[3]];
        let key = Key { name, version, origin: Rank((ranks >> 16) as u16) };
        Envelope { key, peer: Rank(ranks as u16) }
    }

    /// The handles of the task and how it uses them.
    pub(crate) fn accesses(&self) -> impl Iterator<Item = (u32, Access)> + '_ {
        let count = self.count as usize;
        self.handles[..count].iter().copied().zip(self.modes[..count].iter().copied())
    }

    /// Work of the task.
    #[allow(unsafe_code)]
    pub(crate) fn cost(&self) -> Cost {
        match self.kind {
            // SAFETY: `arguments` was made by `Arguments::of` for the codelet of `info`.
            Kind::Run => unsafe { (self.info.cost)(self.argument_pointer()) },
            _ => Cost::default(),
        }
    }

    /// Its kernel with its arguments.
    pub(crate) fn kernel(&self) -> TaskKernel<'_> {
        TaskKernel(self)
    }

    pub(crate) fn argument_pointer(&self) -> *const u8 {
        self.arguments.pointer()
    }

    /// A copy of the codelet's value, which may outlive the task.
    pub(crate) fn arguments(&self) -> Arguments {
        self.arguments
    }
}

/// The kernel of a task, with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct TaskKernel<'a>(&'a TaskData);

impl TaskKernel<'_> {
    /// What it is without them.
    #[must_use]
    pub fn codelet(&self) -> &'static CodeletInfo {
        self.0.info
    }

    /// Whether a CUDA device runs it: [`Codelet::runs_on_cuda`].
    #[must_use]
    #[allow(unsafe_code)]
    pub fn runs_on_cuda(&self) -> bool {
        // SAFETY: `arguments` was made by `Arguments::of` for the codelet of `info`; the runtime's
        // own codelets look at none.
        unsafe { (self.0.info.runs_on_cuda)(self.0.argument_pointer()) }
    }
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<TaskSlot>() == 192, "a slot is three cache lines");

/// One task, from submission until its slot is used again.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct TaskSlot {
    pub(crate) successors: Successors,
    /// Predecessors that have not completed, plus a bias while the task is being submitted.
    pub(crate) pending: AtomicU32,
    /// 1: the task has the arbiters of the handles that it commutes on; 0: not, or there are none.
    pub(crate) has_arbiters: AtomicU32,
    pub(crate) edges: Edges,
    /// 1 + the program index of the task whose end made this one ready; 0 if none did.
    pub(crate) after: AtomicU64,
    /// Step of the outermost loop that the task belongs to.
    pub(crate) iteration: AtomicU32,
    /// The job that the task belongs to.
    pub(crate) job: AtomicU16,
    data: UnsafeCell<MaybeUninit<TaskData>>,
}

// SAFETY: `data` is written by the submitter alone, while the slot is free, and read by others
// only between publication (a release operation) and the return of the slot (another one).
#[allow(unsafe_code)]
unsafe impl Sync for TaskSlot {}

impl TaskSlot {
    pub(crate) fn new() -> Self {
        Self {
            successors: Successors::closed(),
            pending: AtomicU32::new(0),
            has_arbiters: AtomicU32::new(0),
            edges: Edges::new(),
            after: AtomicU64::new(0),
            iteration: AtomicU32::new(0),
            job: AtomicU16::new(0),
            data: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Fills the slot.
    ///
    /// # Safety
    /// The slot is free and the caller is the submitter.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn fill(&self, data: TaskData) {
        // SAFETY: nobody else refers to the data of a free slot; `TaskData` needs no drop.
        unsafe { (*self.data.get()).write(data) };
    }

    /// What the submitter said of the task.
    ///
    /// # Safety
    /// The slot was filled and not given back since.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn data(&self) -> &TaskData {
        // SAFETY: filled, hence initialised; constant until the slot is given back.
        unsafe { (*self.data.get()).assume_init_ref() }
    }
}
