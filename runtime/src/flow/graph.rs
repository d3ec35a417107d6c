//! Infers the task graph from the order of submission and the declared accesses.
//!
//! All of this is the submitter's alone; only edges and slots are shared with workers.

use std::sync::Arc;

use super::codelet::{Buffers, CodeletInfo, Failure};
use super::edge::{EDGES, edge_number};
use super::handle::{Group, HandleState, TaskRef};
use super::space::{Naming, Space};
use super::task::{Arguments, Envelope, TaskData};
use crate::memory::{BufferCache, CHUNK, Reduction};
use crate::sync::Ordering;
use crate::types::{Access, Cost, Handle, JobId, Kind};

/// Added to `pending` while edges are hung, so that no predecessor can make the task ready.
const BIAS: u32 = 1 << 30;

/// Generation of handles that were never registered.
const UNNAMED: u32 = u32::MAX;

/// What a task carries beside its work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub(crate) priority: i32,
    pub(crate) phase: u8,
    pub(crate) iteration: u32,
}

/// The graph as the submitter sees it.
#[derive(Debug)]
pub(crate) struct Graph {
    space: Arc<Space>,
    /// How often each slot was used.
    generations: Vec<u32>,
    free: Vec<u32>,
    handles: Vec<HandleState>,
    free_handles: Vec<u32>,
    predecessors: Vec<TaskRef>,
    /// Tasks that became ready by submitting one.
    ready: Vec<u32>,
    next_index: u64,
    submitted: u64,
    /// Messages that were submitted.
    messages: u64,
    /// Whether other ranks count the same tasks, and not what is inserted between them.
    is_shared: bool,
    /// Whether a task was submitted that is not small.
    has_large: bool,
    /// The job that tasks are submitted for.
    pub(super) job: JobId,
    /// By job, the tasks submitted that a worker must run.
    pub(super) job_tasks: Vec<u64>,
}

impl Graph {
    pub(crate) fn new(workers: usize, cache: BufferCache, naming: Naming) -> Self {
        Self {
            job: naming.job,
            space: Arc::new(Space::new(workers, cache, naming)),
            generations: Vec::new(),
            free: Vec::new(),
            handles: Vec::new(),
            free_handles: Vec::new(),
            predecessors: Vec::new(),
            ready: Vec::new(),
            next_index: 0,
            submitted: 0,
            messages: 0,
            is_shared: false,
            has_large: false,
            job_tasks: Vec::new(),
        }
    }

    /// Counts tasks of the program alone, as all ranks do.
    pub(crate) fn share(&mut self) {
        self.is_shared = true;
    }

    /// Counts a task that another rank runs.
    #[inline]
    pub(crate) fn skip(&mut self) {
        self.next_index += 1;
    }

    /// Tasks of the program so far.
    pub(crate) fn program_index(&self) -> u64 {
        self.next_index
    }

    /// Whether there are other ranks, and all tasks since the last call are small.
    pub(crate) fn were_small(&mut self) -> bool {
        self.is_shared && !std::mem::take(&mut self.has_large)
    }

    /// Messages submitted.
    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }

    /// The registered handle with this number.
    pub(crate) fn handle(&self, index: u32) -> Handle {
        Handle { index, generation: self.handles[index as usize].generation }
    }

    pub(crate) fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// Tasks submitted that a worker must run.
    pub(crate) fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Gives contents of `bytes` bytes a name.
    pub(crate) fn register(&mut self, bytes: usize) -> Handle {
        self.register_within(bytes, bytes)
    }

    /// Gives contents of `bytes` bytes, in a buffer of `room`, a name.
    pub(crate) fn register_within(&mut self, bytes: usize, room: usize) -> Handle {
        if self.free_handles.is_empty() {
            let first = self.space.grow_handles();
            // As of tasks, below.
            let end = self.handles.len().max(first as usize + CHUNK);
            self.handles.resize_with(end, || HandleState::new(UNNAMED));
            self.free_handles.extend((first..first + CHUNK as u32).rev());
        }
        let index = self.free_handles.pop().expect("the table has just grown");
        let generation = &mut self.handles[index as usize].generation;
        if *generation == UNNAMED {
            *generation = 0;
        }
        self.space.handles.reset(index, bytes, room);
        Handle { index, generation: self.handles[index as usize].generation }
    }

    /// Takes the name of `handle` away; every task that uses it has completed.
    pub(crate) fn unregister(&mut self, handle: Handle) {
        let state = self.state(handle);
        *state = HandleState::new(state.generation.wrapping_add(1));
        self.space.handles.release(handle.index);
        self.free_handles.push(handle.index);
    }

    /// Says how the handle is reduced.
    pub(crate) fn set_reduction(&mut self, handle: Handle, reduction: Reduction) {
        self.check(handle);
        let slot = self.space.handles.get(handle.index);
        assert!(slot.lent().is_null(), "handle {} is lent and cannot be reduced", handle.index);
        slot.rare().reduction = Some(reduction);
    }

    /// # Panics
    /// If `handle` is not of this flow or was unregistered.
    pub(crate) fn check(&self, handle: Handle) {
        let known = self.handles.get(handle.index as usize);
        assert!(
            known.is_some_and(|state| state.generation == handle.generation),
            "handle {} (generation {}) is not registered with this flow",
            handle.index,
            handle.generation
        );
    }

    fn state(&mut self, handle: Handle) -> &mut HandleState {
        self.check(handle);
        &mut self.handles[handle.index as usize]
    }

    /// Adds a task, and returns those that are ready to run by it: itself, or none, or tasks that
    /// the graph inserted.
    pub(crate) fn submit(
        &mut self,
        info: &'static CodeletInfo,
        arguments: Arguments,
        accesses: &[(Handle, Access)],
        Tag { priority, phase, iteration }: Tag,
    ) -> &[u32] {
        self.ready.clear();
        check_accesses(info, accesses);
        let task = self.allocate();
        self.predecessors.clear();
        for &(handle, access) in accesses {
            self.check(handle);
            self.depend(handle.index, access, task, priority, phase);
        }
        let named = accesses.iter().map(|&(handle, access)| (handle.index, access));
        let mut data = TaskData::new(info, Kind::Run, arguments, named);
        (data.priority, data.phase) = (priority, phase);
        if self.is_shared {
            self.has_large |= !data.cost().is_small();
        }
        self.space.slot(task.slot).iteration.store(iteration, Ordering::Relaxed);
        self.publish(task, data);
        &self.ready
    }

    /// Submits a task that gives the buffer of `handle` back after all its users.
    pub(crate) fn discard(&mut self, handle: Handle) -> &[u32] {
        self.ready.clear();
        self.check(handle);
        let task = self.allocate();
        self.predecessors.clear();
        self.depend(handle.index, Access::W, task, 0, 0);
        let accesses = std::iter::once((handle.index, Access::W));
        self.publish(task, TaskData::new(&DISCARD, Kind::Discard, Arguments::NONE, accesses));
        &self.ready
    }

    /// Ends a running reduction on `handle`, so that its contents are whole once all is done.
    pub(crate) fn settle(&mut self, handle: Handle) -> &[u32] {
        self.ready.clear();
        self.check(handle);
        let state = &self.handles[handle.index as usize];
        if state.mode == Access::Reduce && !state.group.tasks().is_empty() {
            self.fold(handle.index, 0, 0);
        }
        &self.ready
    }

    /// Submits a message of `handle` to or from another rank.
    pub(crate) fn message(
        &mut self,
        kind: Kind,
        handle: Handle,
        envelope: Envelope,
        (priority, phase): (i32, u8),
    ) -> &[u32] {
        let access = if kind == Kind::Receive { Access::W } else { Access::R };
        self.messages += 1;
        self.insert(kind, &MESSAGE, &[(handle, access)], (priority, phase), Some(envelope))
    }

    /// Submits a task of the runtime's own that a worker runs.
    pub(crate) fn work(
        &mut self,
        kind: Kind,
        accesses: &[(Handle, Access)],
        (priority, phase): (i32, u8),
    ) -> &[u32] {
        self.insert(kind, &FOLD, accesses, (priority, phase), None)
    }

    fn insert(
        &mut self,
        kind: Kind,
        info: &'static CodeletInfo,
        accesses: &[(Handle, Access)],
        (priority, phase): (i32, u8),
        envelope: Option<Envelope>,
    ) -> &[u32] {
        self.ready.clear();
        let task = self.allocate();
        self.predecessors.clear();
        for &(handle, access) in accesses {
            self.check(handle);
            self.depend(handle.index, access, task, priority, phase);
        }
        let named = accesses.iter().map(|&(handle, access)| (handle.index, access));
        let mut data = TaskData::new(info, kind, Arguments::NONE, named);
        (data.priority, data.phase, data.index) = (priority, phase, self.next_index);
        if let Some(envelope) = envelope {
            data = data.with_envelope(envelope);
        }
        self.space.slot(task.slot).iteration.store(0, Ordering::Relaxed);
        self.publish(task, data);
        &self.ready
    }

    /// Notes in `predecessors` what `task` must wait for to use `handle`, and that it uses it.
    fn depend(&mut self, handle: u32, access: Access, task: TaskRef, priority: i32, phase: u8) {
        if access == Access::Scratch {
            return;
        }
        if !self.handles[handle as usize].joins(access) {
            if self.handles[handle as usize].mode == Access::Reduce {
                let kept = std::mem::take(&mut self.predecessors);
                self.fold(handle, priority, phase);
                self.predecessors = kept;
            }
            let state = &mut self.handles[handle as usize];
            state.before = state.group;
            state.group = Group::EMPTY;
            state.mode = access;
        }
        if self.handles[handle as usize].group.is_full() {
            self.thin(handle);
        }
        let state = &mut self.handles[handle as usize];
        self.predecessors.extend_from_slice(state.before.tasks());
        state.group.push(task);
    }

    /// Makes room in the full group of `handle`: forgets who is done, or joins the rest.
    fn thin(&mut self, handle: u32) {
        let mut group = self.handles[handle as usize].group;
        group.retain(|task| self.is_running(task));
        if group.is_full() {
            let join = self.join(group.tasks());
            group = Group::EMPTY;
            group.push(join);
        }
        self.handles[handle as usize].group = group;
    }

    fn is_running(&self, task: TaskRef) -> bool {
        self.generations[task.slot as usize] == task.generation
            && !self.space.slot(task.slot).successors.is_closed()
    }

    /// Inserts a task that completes when `tasks` (at most [`EDGES`]) have.
    fn join(&mut self, tasks: &[TaskRef]) -> TaskRef {
        let join = self.allocate();
        self.fill(join, TaskData::new(&JOIN, Kind::Join, Arguments::NONE, std::iter::empty()));
        if self.connect(join, tasks) {
            self.make_ready(join);
        }
        join
    }

    /// Inserts the task that adds the private copies of a reduction to its handle.
    fn fold(&mut self, handle: u32, priority: i32, phase: u8) {
        let task = self.allocate();
        let state = &mut self.handles[handle as usize];
        self.predecessors.clear();
        self.predecessors.extend_from_slice(state.group.tasks());
        // A member of the group may have completed before the group was thinned, and the group
        // before it with it; what the fold adds to was then written before, so nothing is missed.
        state.group = Group::EMPTY;
        state.group.push(task);
        state.mode = Access::RW;
        self.space.slot(task.slot).iteration.store(0, Ordering::Relaxed);
        let mut data = TaskData::new(
            &FOLD,
            Kind::Fold,
            Arguments::NONE,
            std::iter::once((handle, Access::RW)),
        );
        (data.priority, data.phase) = (priority, phase);
        self.publish(task, data);
    }

    /// Fills the slot of `task`, hangs it on `predecessors`, and notes whether it is ready.
    fn publish(&mut self, task: TaskRef, mut data: TaskData) {
        let kind = data.kind;
        if kind.is_work() {
            data.index = self.next_index;
            self.next_index += u64::from(kind == Kind::Run || !self.is_shared);
            self.submitted += 1;
            self.space.slot(task.slot).job.store(self.job.0, Ordering::Relaxed);
            if self.job != JobId::default() {
                self.count_for_job();
            }
        }
        let mut predecessors = std::mem::take(&mut self.predecessors);
        while predecessors.len() > EDGES {
            predecessors.retain(|&task| self.is_running(task));
            predecessors.sort_unstable_by_key(|task| task.slot);
            predecessors.dedup();
            if predecessors.len() > EDGES {
                let rest = predecessors.split_off(predecessors.len() - EDGES);
                let join = self.join(&rest);
                predecessors.insert(0, join);
            }
        }
        self.fill(task, data);
        if self.connect(task, &predecessors) {
            self.make_ready(task);
        }
        self.predecessors = predecessors;
    }

    /// Notes that `task` is ready, or completes it if no worker needs to run it.
    fn make_ready(&mut self, task: TaskRef) {
        let position = self.ready.len();
        self.ready.push(task.slot);
        self.space.finish_submitted(position, &mut self.ready);
    }

    /// Hangs `task` on `predecessors`; true if none of them is still to come.
    fn connect(&self, task: TaskRef, predecessors: &[TaskRef]) -> bool {
        let slot = self.space.slot(task.slot);
        if predecessors.is_empty() {
            return true;
        }
        slot.pending.store(BIAS, Ordering::Relaxed);
        let mut hung = 0;
        for &predecessor in predecessors {
            if self.generations[predecessor.slot as usize] != predecessor.generation {
                continue;
            }
            let other = self.space.slot(predecessor.slot);
            let edge = edge_number(task.slot, hung as usize);
            if other.successors.push(edge, slot.edges.next(edge)) {
                hung += 1;
            }
        }
        hung == 0 || slot.pending.fetch_sub(BIAS - hung, Ordering::AcqRel) == BIAS - hung
    }

    fn fill(&self, task: TaskRef, data: TaskData) {
        // SAFETY: `allocate` handed the slot out and it is not published yet.
        #[allow(unsafe_code)]
        unsafe {
            self.space.slot(task.slot).fill(data);
        }
    }

    fn allocate(&mut self) -> TaskRef {
        if self.free.is_empty() {
            let free = &mut self.free;
            self.space.take_freed(|task| free.push(task));
        }
        if self.free.is_empty() {
            let first = self.space.grow_tasks();
            // A chunk that another flow gave back may lie before those that there are.
            let end = self.generations.len().max(first as usize + CHUNK);
            self.generations.resize(end, 0);
            self.free.extend((first..first + CHUNK as u32).rev());
        }
        let task = self.free.pop().expect("the slab has just grown");
        let generation = &mut self.generations[task as usize];
        *generation = generation.wrapping_add(1);
        let slot = self.space.slot(task);
        slot.has_arbiters.store(0, Ordering::Relaxed);
        if slot.after.load(Ordering::Relaxed) != 0 {
            slot.after.store(0, Ordering::Relaxed);
        }
        slot.successors.open();
        TaskRef { slot: task, generation: *generation }
    }
}

/// # Panics
/// If the number of accesses is not the codelet's, a mode is not one that it allows, or a handle
/// that is written appears twice.
fn check_accesses(info: &CodeletInfo, accesses: &[(Handle, Access)]) {
    assert!(
        accesses.len() == info.access.len(),
        "{} takes {} handles, not {}",
        info.name,
        info.access.len(),
        accesses.len()
    );
    for (position, &(handle, access)) in accesses.iter().enumerate() {
        let declared = info.access[position];
        let refines = declared == Access::RW && matches!(access, Access::Commute | Access::Reduce);
        assert!(
            access == declared || refines,
            "{} uses its handle {position} as {declared:?}, not {access:?}",
            info.name
        );
        let twice = accesses[..position]
            .iter()
            .any(|&(other, mode)| other == handle && (mode != Access::R || access != Access::R));
        assert!(!twice, "{} writes handle {} and names it twice", info.name, handle.index);
    }
}

static MESSAGE: CodeletInfo = internal("message");
static JOIN: CodeletInfo = internal("join");
static FOLD: CodeletInfo = internal("fold");
static DISCARD: CodeletInfo = internal("discard");

const fn internal(name: &'static str) -> CodeletInfo {
    /// # Safety
    /// None: nothing is read.
    #[allow(unsafe_code)]
    unsafe fn cost(_: *const u8) -> Cost {
        Cost { flops: 0.0, bytes: 0.0 }
    }
    /// # Safety
    /// None: nothing is read.
    #[allow(unsafe_code)]
    unsafe fn cpu(_: *const u8, _: &Buffers<'_>) -> Result<(), Failure> {
        Ok(())
    }
    CodeletInfo { name, access: &[], cost, cpu, runs_on_cuda: |_| false, cuda: None }
}
