//! The flows that share an engine: whose a task or a handle is, and who waits for it.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use crate::exec::run::Runner;
use crate::flow::{Naming, Space};
use crate::memory::Numbers;
use crate::trace::Recorder;
use crate::types::{HandleId, JobId};

/// A flow, as the engine that runs it sees it.
pub(super) struct Program {
    pub(super) space: Arc<Space>,
    pub(super) runner: Runner,
    /// The submitter sleeps here until as many tasks are completed as it waits for.
    waiter: Mutex<()>,
    reached: Condvar,
    target: AtomicU64,
}

impl Program {
    pub(super) fn new(space: Arc<Space>, recorder: Option<Recorder>) -> Self {
        Self {
            space,
            runner: Runner::new(recorder),
            waiter: Mutex::default(),
            reached: Condvar::new(),
            target: AtomicU64::new(0),
        }
    }

    /// Its number among those that share the engine.
    pub(super) fn number(&self) -> usize {
        usize::from(self.space.naming.owner)
    }

    /// Says for how many tasks the submitter waits; 0: for none.
    pub(super) fn set_target(&self, target: u64) {
        self.target.store(target, Ordering::SeqCst);
    }

    /// Wakes the submitter if it waits for what has been reached.
    pub(super) fn notify_waiter(&self) {
        let target = self.target.load(Ordering::SeqCst);
        if target != 0 && self.space.completed() >= target {
            drop(self.waiter.lock().unwrap_or_else(PoisonError::into_inner));
            self.reached.notify_all();
        }
    }

    /// Sleeps until `target` tasks are completed; looks up with `look` at the times that it says.
    pub(super) fn sleep_until(
        &self,
        target: u64,
        mut look: impl FnMut() -> Option<std::time::Duration>,
    ) {
        let mut guard = self.waiter.lock().unwrap_or_else(PoisonError::into_inner);
        while self.space.completed() < target {
            drop(guard);
            let nap = look();
            guard = self.waiter.lock().unwrap_or_else(PoisonError::into_inner);
            if self.space.completed() >= target {
                break;
            }
            guard = match nap {
                None => self.reached.wait(guard).unwrap_or_else(PoisonError::into_inner),
                Some(nap) => {
                    self.reached.wait_timeout(guard, nap).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// All of them.
pub(super) struct Programs {
    /// The only one, of an engine for one flow.
    sole: OnceLock<Arc<Program>>,
    /// By number.
    all: RwLock<Vec<Entry>>,
    tasks: Arc<Numbers>,
    handles: Arc<Numbers>,
}

/// A number of a flow.
enum Entry {
    /// That no flow has.
    Free,
    /// Of a flow that has not begun.
    Taken,
    Running(Arc<Program>),
}

/// A program that is there for as long as this is.
pub(super) enum ProgramRef<'a> {
    Sole(&'a Program),
    Shared(Arc<Program>),
}

impl Deref for ProgramRef<'_> {
    type Target = Program;

    fn deref(&self) -> &Program {
        match self {
            Self::Sole(program) => program,
            Self::Shared(program) => program,
        }
    }
}

impl Programs {
    /// None yet.
    pub(super) fn new() -> Self {
        let naming = Naming::alone();
        Self {
            sole: OnceLock::new(),
            all: RwLock::default(),
            tasks: naming.tasks,
            handles: naming.handles,
        }
    }

    /// Those of the one flow in `space`.
    pub(super) fn sole(space: Arc<Space>, recorder: Option<Recorder>) -> Self {
        let Naming { tasks, handles, .. } = space.naming.clone();
        let program = Arc::new(Program::new(space, recorder));
        let all = RwLock::default();
        Self { sole: OnceLock::from(program), all, tasks, handles }
    }

    /// The only one.
    pub(super) fn only(&self) -> Option<&Arc<Program>> {
        self.sole.get()
    }

    /// How the next flow numbers its tasks and handles, whose tasks are those of `job`.
    pub(super) fn naming(&self, job: JobId) -> Naming {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let is_free = |entry: &Entry| matches!(entry, Entry::Free);
        let free = all.iter().position(is_free).unwrap_or(all.len());
        if free == all.len() {
            all.push(Entry::Free);
        }
        all[free] = Entry::Taken;
        let owner = u16::try_from(free).expect("fewer than 65536 flows share an engine");
        Naming { tasks: self.tasks.clone(), handles: self.handles.clone(), owner, job }
    }

    /// Adds the flow in `space`.
    pub(super) fn add(&self, space: Arc<Space>, origin: Option<Instant>) -> Arc<Program> {
        let recorder = origin.map(|origin| Recorder::new(space.workers(), origin));
        let program = Arc::new(Program::new(space, recorder));
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all[program.number()] = Entry::Running(program.clone());
        program
    }

    /// Forgets the flow of this number, which has ended and of which nothing is anywhere.
    pub(super) fn remove(&self, number: u16) {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        self.tasks.give_back(number);
        self.handles.give_back(number);
        all[usize::from(number)] = Entry::Free;
    }

    /// Whether there may be others.
    pub(super) fn are_several(&self) -> bool {
        self.sole.get().is_none()
    }

    /// The flow of this number, which runs.
    pub(super) fn running(&self, number: usize) -> ProgramRef<'_> {
        self.get(u16::try_from(number).expect("fewer than 65536 flows share an engine"))
    }

    fn get(&self, number: u16) -> ProgramRef<'_> {
        if let Some(sole) = self.sole.get() {
            return ProgramRef::Sole(sole);
        }
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        match &all[usize::from(number)] {
            Entry::Running(program) => ProgramRef::Shared(program.clone()),
            Entry::Free | Entry::Taken => {
                panic!("a task or a handle of flow {number}, which ended")
            }
        }
    }

    /// Whose `task` is.
    pub(super) fn of_task(&self, task: u32) -> ProgramRef<'_> {
        self.get(self.tasks.owner(task))
    }

    /// Whose `handle` is.
    pub(super) fn of_handle(&self, handle: HandleId) -> ProgramRef<'_> {
        self.get(self.handles.owner(handle.0))
    }

    /// Calls `each`, which adds or removes none, with every one.
    pub(super) fn for_each(&self, mut each: impl FnMut(&Program)) {
        if let Some(sole) = self.sole.get() {
            return each(sole);
        }
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        for entry in all.iter() {
            if let Entry::Running(program) = entry {
                each(program);
            }
        }
    }
}
