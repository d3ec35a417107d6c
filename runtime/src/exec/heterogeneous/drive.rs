//! Life of the worker of a real accelerator: it puts tasks into the device's queue and waits for
//! their ends, in whatever order they come.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use super::heap::Heap;
use super::{Event, Shared};
use crate::exec::accelerator::{DeviceError, InFlight, Job};
use crate::exec::failures::Cause;
use crate::flow::{RawBuffer, Space, TaskData};
use crate::memory::OutOfMemory;
use crate::platform::WorkerKind;
use crate::trace::Outcome;
use crate::types::{Access, ClassId, HandleId, Kind, MemoryId, TaskId, WorkerId};

/// How long a worker looks for the end of a task before it sleeps in between.
const EAGER: Duration = Duration::from_micros(200);
/// From how long on a launch has made something for the first time, if it is most of the task.
const SLOW: Duration = Duration::from_millis(1);
/// How long it then sleeps.
const NAP: Duration = Duration::from_micros(20);

/// A task in the queue of the device.
struct Flying {
    task: TaskId,
    start: Instant,
    /// How long it took to put it there.
    launched: Duration,
    buffers: Vec<RawBuffer>,
    flight: Box<dyn InFlight>,
}

impl Shared {
    /// Whether workers of `class` can run the task.
    pub(super) fn runs(&self, data: &TaskData, class: ClassId) -> bool {
        if self.machine.classes[class.0].kind != WorkerKind::Cuda {
            return true;
        }
        let mut of_class = self.machine.workers.iter().filter(|worker| worker.class == class);
        data.kind == Kind::Run
            && of_class.all(|worker| {
                self.stores
                    .heap(worker.memory)
                    .is_some_and(|heap| heap.device().runs(data.kernel()))
            })
    }

    /// Life of the worker of a device.
    pub(super) fn drive(&self, worker: WorkerId, heap: &Heap) {
        let mut queue: Vec<Flying> = Vec::new();
        let mut last_end = Instant::now();
        let mut waiting = last_end;
        loop {
            let next = if queue.is_empty() {
                self.next_job(worker).map(|(task, _)| task)
            } else {
                self.poll_job(worker)
            };
            if let Some(task) = next {
                queue.extend(self.lift_off(task, worker, heap));
                waiting = Instant::now();
                continue;
            }
            if queue.is_empty() {
                return;
            }
            let landed = queue.iter_mut().enumerate().find_map(|(place, flying)| {
                poll(&mut *flying.flight).map(|result| (place, result))
            });
            if let Some((place, result)) = landed {
                last_end = self.touch_down(queue.remove(place), worker, heap, result, last_end);
                waiting = last_end;
            } else {
                rest(waiting);
            }
        }
    }

    /// Puts a task into the queue of the device, or ends it here if that cannot be.
    fn lift_off(&self, task: TaskId, worker: WorkerId, heap: &Heap) -> Option<Flying> {
        let (start, program) = (Instant::now(), self.programs.of_task(task.0));
        let (space, runner) = (&program.space, &program.runner);
        let data = space.task(task.0);
        if runner.enter(space, data, worker.0) {
            self.report(task, worker, (start, start.elapsed()), (Outcome::Skipped, false));
            return None;
        }
        let mut buffers = Vec::with_capacity(data.accesses().count());
        let memory = self.machine.workers[worker.0].memory;
        let flight = self.gather(space, data, (memory, heap), &mut buffers).and_then(|()| {
            let job = Job::new(data, &buffers, worker.0);
            launch(heap, job)
        });
        match flight {
            Ok(flight) => {
                // What a kernel makes once per device, its code say, is not the task's own time.
                let launched = start.elapsed();
                Some(Flying { task, start: start + launched, launched, buffers, flight })
            }
            Err(cause) => {
                runner.fail(space, data, cause);
                give_scratch(data, heap, &buffers);
                self.report(task, worker, (start, start.elapsed()), (Outcome::Failed, false));
                None
            }
        }
    }

    /// Deals with the end of a task that the device has done; says when that was.
    fn touch_down(
        &self,
        flown: Flying,
        worker: WorkerId,
        heap: &Heap,
        result: Result<(), Cause>,
        last_end: Instant,
    ) -> Instant {
        let Flying { task, start, launched, buffers, flight } = flown;
        let program = self.programs.of_task(task.0);
        let data = program.space.task(task.0);
        let outcome = if result.is_ok() { Outcome::Done } else { Outcome::Failed };
        if let Err(cause) = result {
            program.runner.fail(&program.space, data, cause);
        }
        give_scratch(data, heap, &buffers);
        // What the device does for several at a time counts for the one that ends. It knows better
        // than this thread, which may have been busy with the launch of another.
        let (end, seen) = (Instant::now(), start.max(last_end));
        let busy = flight.busy().unwrap_or(end - seen);
        let start = end.checked_sub(busy).map_or(seen, |start| start.max(last_end));
        // What was loaded or made at its first use says nothing of the next time.
        let is_typical = launched < SLOW || 2 * launched < busy;
        self.report(task, worker, (start, busy), (outcome, is_typical))
    }

    /// Records a task that began at `start` and took `busy` of its worker, and says that it has
    /// ended, and whether as others will; says when that was.
    fn report(
        &self,
        task: TaskId,
        worker: WorkerId,
        (start, busy): (Instant, Duration),
        (outcome, is_typical): (Outcome, bool),
    ) -> Instant {
        let program = self.programs.of_task(task.0);
        if let Some(recorder) = &program.runner.recorder {
            recorder.push(start, program.space.task_record(task.0, worker.0, outcome));
        }
        // What ended with another took no time of its own, but nothing takes none.
        let nanoseconds = (busy.as_nanos() as u64).max(1);
        let is_whole = is_typical && outcome == Outcome::Done;
        self.post(Event::Done { task, worker, nanoseconds, is_whole });
        Instant::now()
    }

    /// Finds the buffers of a task on the device; working memory is taken from there.
    fn gather(
        &self,
        space: &Space,
        data: &TaskData,
        (memory, heap): (MemoryId, &Heap),
        buffers: &mut Vec<RawBuffer>,
    ) -> Result<(), Cause> {
        for (handle, access) in data.accesses() {
            let bytes = space.handles.get(handle).bytes();
            let place = match access {
                Access::Scratch => heap.take(bytes).map_err(|error| refused(error, bytes, heap))?,
                _ => self.stores.pointer(space, HandleId(handle), memory).unwrap_or_else(|| {
                    panic!("handle {handle} has no buffer on {}", heap.device().name())
                }),
            };
            buffers.push(RawBuffer::own(place.as_ptr(), bytes, access.writes()));
        }
        Ok(())
    }
}

/// That a device has no room is no different from the host's having none.
fn refused(error: DeviceError, bytes: usize, heap: &Heap) -> Cause {
    Cause::Failed(match error {
        DeviceError::OutOfMemory { .. } => OutOfMemory { bytes, in_use: heap.bytes() }.into(),
        error => error.into(),
    })
}

#[allow(unsafe_code)]
fn launch(heap: &Heap, job: Job) -> Result<Box<dyn InFlight>, Cause> {
    // SAFETY: the flow orders tasks by their accesses, and the planner keeps the buffers of a task,
    // which lie on this device, until its end is reported.
    let launch = || unsafe { heap.device().enqueue(job) };
    match catch_unwind(AssertUnwindSafe(launch)) {
        Ok(flight) => flight.map_err(Cause::Failed),
        Err(payload) => Err(Cause::Panicked(payload)),
    }
}

fn poll(flight: &mut dyn InFlight) -> Option<Result<(), Cause>> {
    match catch_unwind(AssertUnwindSafe(|| flight.poll())) {
        Ok(result) => result.map(|result| result.map_err(Cause::Failed)),
        Err(payload) => Some(Err(Cause::Panicked(payload))),
    }
}

/// Gives working memory of a task back.
#[allow(unsafe_code)]
fn give_scratch(data: &TaskData, heap: &Heap, buffers: &[RawBuffer]) {
    for (buffer, (_, access)) in buffers.iter().zip(data.accesses()) {
        if let (Access::Scratch, Some(place)) = (access, NonNull::new(buffer.pointer)) {
            // SAFETY: taken from this heap for this task alone, with this size; the task is done.
            unsafe { heap.give(place, buffer.bytes) };
        }
    }
}

/// Waits a moment, for one that has waited since `waiting`.
fn rest(waiting: Instant) {
    if waiting.elapsed() < EAGER {
        std::thread::yield_now();
    } else {
        std::thread::sleep(NAP);
    }
}
