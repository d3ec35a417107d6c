//! Runs one task on the calling thread: gathers its buffers, calls the kernel, completes it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::Instant;

use super::failures::{Cause, Failures};
use crate::flow::{Buffers, MAX_ACCESSES, RawBuffer, Space, TaskData};
use crate::memory::{BufferCache, OutOfMemory, Reduction};
use crate::trace::{Outcome, Recorder};
use crate::types::{Access, Kind};

/// Where tasks find their buffers.
pub(super) trait Place {
    /// The buffer that a task of `worker` works on.
    fn buffer(
        &self,
        space: &Space,
        handle: u32,
        access: Access,
        worker: usize,
    ) -> Result<NonNull<u8>, OutOfMemory>;

    /// The cache that working memory comes from.
    fn cache<'a>(&'a self, space: &'a Space) -> &'a BufferCache;
}

/// The RAM, where a handle's buffer is made on first use.
pub(super) struct OnDemand;

impl Place for OnDemand {
    fn buffer(
        &self,
        space: &Space,
        handle: u32,
        access: Access,
        worker: usize,
    ) -> Result<NonNull<u8>, OutOfMemory> {
        match access {
            Access::Reduce => private_copy(space, handle, worker),
            _ => space.handles.get(handle).materialise(&space.handles.cache, access == Access::W),
        }
    }

    fn cache<'a>(&'a self, space: &'a Space) -> &'a BufferCache {
        &space.handles.cache
    }
}

/// What tasks run with.
pub(super) struct Runner {
    pub(super) failures: Failures,
    pub(super) recorder: Option<Recorder>,
    /// Why no task of the flow runs any more.
    end: OnceLock<Box<dyn Fn() -> Cause + Send + Sync>>,
}

impl Runner {
    pub(super) fn new(recorder: Option<Recorder>) -> Self {
        Self { failures: Failures::default(), recorder, end: OnceLock::new() }
    }

    /// From now on no task runs: each fails for this reason.
    pub(super) fn end(&self, why: impl Fn() -> Cause + Send + Sync + 'static) {
        // Who ends it first says why.
        let _first = self.end.set(Box::new(why));
    }

    /// Runs `task` to its end; the tasks that it made ready join `ready`.
    ///
    /// A task that must wait for a commuting handle is left alone: it becomes ready again later.
    pub(super) fn run(&self, space: &Space, task: u32, worker: usize, ready: &mut Vec<u32>) {
        let data = space.task(task);
        let commutes = data.accesses().any(|(_, access)| access == Access::Commute);
        if commutes && !space.enter_arbiters(task) {
            return;
        }
        self.work(space, task, worker, &OnDemand, || {});
        if commutes {
            space.leave_arbiters(data, ready);
        }
        space.complete(task, worker, ready);
    }

    /// Does the work of a task, whose buffers are in `place`, then lingers, and records it.
    pub(super) fn work(
        &self,
        space: &Space,
        task: u32,
        worker: usize,
        place: &impl Place,
        linger: impl FnOnce(),
    ) -> Outcome {
        let data = space.task(task);
        let start = self.recorder.as_ref().map(|_| Instant::now());
        let outcome = self.attempt(space, data, worker, place);
        linger();
        if let (Some(recorder), Some(start)) = (&self.recorder, start) {
            recorder.push(start, space.task_record(task, worker, outcome));
        }
        outcome
    }

    /// Skips the task if what it reads is spoiled, or no task runs any more; says whether it did.
    pub(super) fn skip(&self, space: &Space, data: &TaskData) -> bool {
        if let Some(why) = self.end.get() {
            self.fail(space, data, why());
            return true;
        }
        let mark = spoiled(space, data);
        if mark != 0 {
            self.failures.meet(mark);
            spoil(space, data, mark);
            drop_copies(space, data);
        }
        mark != 0
    }

    /// Ends a task that cannot run.
    pub(super) fn fail(&self, space: &Space, data: &TaskData, cause: Cause) {
        self.failures.raise(data.index + 1, data.info.name, cause);
        spoil(space, data, data.index + 1);
        drop_copies(space, data);
    }

    /// Notes that `worker` begins the task, unless what that reads is spoiled; says whether it
    /// skips it.
    pub(super) fn enter(&self, space: &Space, data: &TaskData, worker: usize) -> bool {
        if self.skip(space, data) {
            return true;
        }
        for (handle, access) in data.accesses() {
            let slot = space.handles.get(handle);
            if access == Access::W {
                slot.set_poison(0);
            }
            if matches!(access, Access::W | Access::RW | Access::Commute) {
                slot.set_home(worker);
            }
        }
        false
    }

    /// Does the work of the task unless what it reads is spoiled; spoils what it writes if it
    /// fails.
    fn attempt(
        &self,
        space: &Space,
        data: &TaskData,
        worker: usize,
        place: &impl Place,
    ) -> Outcome {
        if self.enter(space, data, worker) {
            return Outcome::Skipped;
        }
        let work = || match data.kind {
            Kind::Fold => fold(space, data.handles[0]).map_err(|error| Cause::Failed(error.into())),
            Kind::Start => start(space, data, worker, place),
            Kind::Add => add(space, data, worker, place),
            _ => call(space, data, worker, place),
        };
        match catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|payload| Err(Cause::Panicked(payload)))
        {
            Ok(()) => Outcome::Done,
            Err(cause) => {
                self.fail(space, data, cause);
                Outcome::Failed
            }
        }
    }
}

/// The smallest mark on what the task reads; 0 if all of it is whole.
fn spoiled(space: &Space, data: &TaskData) -> u64 {
    let reads = |access| matches!(access, Access::R | Access::RW | Access::Commute);
    let marks = data.accesses().filter(|&(_, access)| reads(access));
    marks
        .map(|(handle, _)| space.handles.get(handle).poison())
        .filter(|&mark| mark != 0)
        .min()
        .unwrap_or(0)
}

fn spoil(space: &Space, data: &TaskData, mark: u64) {
    for (handle, access) in data.accesses() {
        let slot = space.handles.get(handle);
        match access {
            Access::W | Access::RW | Access::Commute => slot.set_poison(mark),
            Access::Reduce => slot.add_poison(mark),
            Access::R | Access::Scratch => {}
        }
    }
}

/// Calls the kernel on the buffers of the task.
#[allow(unsafe_code)]
fn call(space: &Space, data: &TaskData, worker: usize, place: &impl Place) -> Result<(), Cause> {
    let mut buffers = [RawBuffer::NONE; MAX_ACCESSES];
    let mut count = 0;
    let mut gathered = Ok(());
    for (handle, access) in data.accesses() {
        match gather(space, handle, access, worker, place) {
            Ok(pointer) => {
                let slot = space.handles.get(handle);
                buffers[count] = RawBuffer {
                    // Working memory and private copies are the runtime's own.
                    lent: if access.is_private() { std::ptr::null() } else { slot.lent() },
                    ..RawBuffer::own(pointer.as_ptr(), slot.bytes(), access.writes())
                };
                count += 1;
            }
            Err(error) => {
                gathered = Err(Cause::Failed(error.into()));
                break;
            }
        }
    }
    let cache = place.cache(space);
    let scratch = Scratch { cache, data, buffers: &buffers[..count] };
    gathered?;
    // SAFETY: the flow orders tasks by their accesses: nobody writes what this task reads, and
    // nobody touches what it writes; arbiters and private copies do the same for `Commute` and
    // `Reduce`. Buffers are initialised, aligned to 64 and outlive the call; for what is lent, its
    // lender answers (`Flow::lend`), and no task is unfinished when the block is forgotten.
    let view = unsafe { Buffers::new(scratch.buffers, worker) };
    // SAFETY: the arguments were stored for the codelet that `info` describes.
    unsafe { (data.info.cpu)(data.argument_pointer(), &view) }.map_err(Cause::Failed)
}

/// Gives scratch buffers back, also when the kernel panics.
struct Scratch<'a> {
    cache: &'a BufferCache,
    data: &'a TaskData,
    buffers: &'a [RawBuffer],
}

impl Drop for Scratch<'_> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        for (buffer, (_, access)) in self.buffers.iter().zip(self.data.accesses()) {
            if access == Access::Scratch
                && let Some(pointer) = NonNull::new(buffer.pointer)
            {
                // SAFETY: taken from this cache for this call alone, with this size.
                unsafe { self.cache.give(pointer, buffer.bytes) };
            }
        }
    }
}

/// The buffer that a task with `access` works on.
fn gather(
    space: &Space,
    handle: u32,
    access: Access,
    worker: usize,
    place: &impl Place,
) -> Result<NonNull<u8>, OutOfMemory> {
    match access {
        Access::Scratch => Ok(place.cache(space).take(space.handles.get(handle).bytes())?.0),
        _ => place.buffer(space, handle, access, worker),
    }
}

/// This worker's private copy of `handle`, made on first use.
#[allow(unsafe_code)]
pub(super) fn private_copy(
    space: &Space,
    handle: u32,
    worker: usize,
) -> Result<NonNull<u8>, OutOfMemory> {
    let slot = space.handles.get(handle);
    let mut rare = slot.rare();
    if let Some((_, copy)) = rare.copies.iter().find(|(owner, _)| *owner == worker) {
        return Ok(copy.0);
    }
    let reduction = rare.reduction.unwrap_or_else(|| panic!("handle {handle} has no reduction"));
    let (pointer, _) = space.handles.cache.take(slot.bytes())?;
    // SAFETY: the buffer was just taken and has this size.
    let copy = unsafe { std::slice::from_raw_parts_mut(pointer.as_ptr(), slot.bytes()) };
    (reduction.init)(copy);
    if let Some(seed) = reduction.seed {
        let contents = slot.materialise(&space.handles.cache, false)?;
        // SAFETY: while tasks add to copies nobody writes the contents, which have this size.
        seed(copy, unsafe { std::slice::from_raw_parts(contents.as_ptr(), slot.bytes()) });
    }
    rare.copies.push((worker, crate::memory::Copy(pointer)));
    Ok(pointer)
}

/// The contents of a handle of the task, to which nobody else has access.
#[allow(unsafe_code, clippy::mut_from_ref)]
fn contents<'a>(
    space: &'a Space,
    data: &TaskData,
    position: usize,
    worker: usize,
    place: &impl Place,
) -> Result<&'a mut [u8], Cause> {
    let (handle, access) = data.accesses().nth(position).expect("it has such a handle");
    let buffer = place.buffer(space, handle, access, worker);
    let buffer = buffer.map_err(|error| Cause::Failed(error.into()))?;
    // SAFETY: the flow orders this task after all that use the handle before, and those that use
    // it afterwards after this one; what it reads has this task as its only reader.
    Ok(unsafe {
        std::slice::from_raw_parts_mut(buffer.as_ptr(), space.handles.get(handle).bytes())
    })
}

fn reduction(space: &Space, handle: u32) -> Reduction {
    let reduction = space.handles.get(handle).rare().reduction;
    reduction.unwrap_or_else(|| panic!("handle {handle} has no reduction"))
}

/// Starts the contents of the task's first handle like a private copy of its second, if it has one.
fn start(space: &Space, data: &TaskData, worker: usize, place: &impl Place) -> Result<(), Cause> {
    let reduction = reduction(space, data.handles[0]);
    let share = contents(space, data, 0, worker, place)?;
    (reduction.init)(share);
    if let Some(seed) = reduction.seed {
        seed(share, contents(space, data, 1, worker, place)?);
    }
    Ok(())
}

/// Folds the task's first handle into its second.
fn add(space: &Space, data: &TaskData, worker: usize, place: &impl Place) -> Result<(), Cause> {
    let share = contents(space, data, 0, worker, place)?;
    (reduction(space, data.handles[1]).fold)(contents(space, data, 1, worker, place)?, share);
    Ok(())
}

/// Adds the private copies of `handle` to its contents, in the order of workers.
#[allow(unsafe_code)]
fn fold(space: &Space, handle: u32) -> Result<(), OutOfMemory> {
    let slot = space.handles.get(handle);
    let into = slot.materialise(&space.handles.cache, false)?;
    let mut rare = slot.rare();
    let Some(reduction) = rare.reduction else { return Ok(()) };
    rare.copies.sort_unstable_by_key(|(worker, _)| *worker);
    for (_, copy) in &rare.copies {
        // SAFETY: the fold runs after the whole group and before the next user of the handle, so
        // nobody else touches the contents or the copies; both have this size.
        unsafe {
            let contents = std::slice::from_raw_parts_mut(into.as_ptr(), slot.bytes());
            let copy = std::slice::from_raw_parts(copy.0.as_ptr(), slot.bytes());
            (reduction.fold)(contents, copy);
        }
    }
    drop(rare);
    slot.drop_copies(&space.handles.cache);
    Ok(())
}

/// Forgets the private copies that a fold was to add and did not, so that no later one adds them.
fn drop_copies(space: &Space, data: &TaskData) {
    if data.kind == Kind::Fold {
        space.handles.get(data.handles[0]).drop_copies(&space.handles.cache);
    }
}
