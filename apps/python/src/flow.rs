//! A flow of tasks whose kernels are Python functions: the runtime's graph, policies, traces and
//! simulator, under the interpreter's lock where a function needs it.
//!
//! The runtime sees handles without contents, which stand for Python's objects. A task is a
//! function without arguments that Python has bound to its data.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use tegula_command::guest;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{
    self as runtime, Access, Buffers, Codelet, Cost, Failure, FlowOptions, Handle, MAX_ACCESSES,
};
use tegula_runtime::platform::{Machine, WorkerModel, usable_cores};
use tegula_runtime::sched::{DEFAULT_POLICY, POLICIES, Policy, policy};
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_runtime::trace::{TaskRecord, Trace};

/// Time between two looks at whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// The flows of this process, by number: a codelet is copied, and names its flow so.
static FLOWS: LazyLock<Mutex<HashMap<u64, Arc<Shared>>>> = LazyLock::new(Mutex::default);
/// The next number.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// Names of functions, each once: traces have names that stay.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `name`, to stay until the process ends.
fn lasting(name: &str) -> &'static str {
    let mut names = lock(&NAMES);
    if let Some(known) = names.get(name) {
        return known;
    }
    let made: &'static str = name.to_owned().leak();
    names.insert(made);
    made
}

/// What tasks and the program share.
#[derive(Default)]
struct Shared {
    /// Functions of tasks that have not run.
    functions: Mutex<HashMap<u64, Py<PyAny>>>,
    /// What the first task that failed, in the order of the program, has raised.
    raised: Mutex<Option<(u64, PyErr)>>,
    /// Tasks that have not begun do nothing any more.
    stop: AtomicBool,
}

/// A task: it writes the first handles, and reads the others.
#[derive(Clone, Copy)]
struct Call<const WRITES: usize, const READS: usize> {
    flow: u64,
    task: u64,
    /// Of simulated tasks.
    seconds: f64,
}

/// Enough of both.
const MODES: [Access; 2 * MAX_ACCESSES] = {
    let mut modes = [Access::R; 2 * MAX_ACCESSES];
    let mut place = 0;
    while place < MAX_ACCESSES {
        modes[place] = Access::RW;
        place += 1;
    }
    modes
};

impl<const WRITES: usize, const READS: usize> Codelet for Call<WRITES, READS> {
    const NAME: &'static str = "python";
    const ACCESS: &'static [Access] =
        MODES.split_at(MAX_ACCESSES - WRITES).1.split_at(WRITES + READS).0;

    fn cost(&self) -> Cost {
        Cost { flops: 1e9 * self.seconds, bytes: 0.0 }
    }

    fn cpu(&self, _: &Buffers<'_>) -> Result<(), Failure> {
        let shared = lock(&FLOWS).get(&self.flow).cloned().ok_or("the flow was closed")?;
        let function = lock(&shared.functions).remove(&self.task).ok_or("it has run")?;
        Python::attach(|py| {
            if shared.stop.load(Ordering::Relaxed) {
                drop(function);
                return Err("the flow was interrupted".into());
            }
            let Err(error) = function.call0(py) else { return Ok(()) };
            let text = error.to_string();
            if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                shared.stop.store(true, Ordering::Relaxed);
            }
            let mut raised = lock(&shared.raised);
            if raised.as_ref().is_none_or(|(task, _)| self.task < *task) {
                *raised = Some((self.task, error));
            }
            Err(text.into())
        })
    }
}

/// A task as it was submitted: to be submitted again to a simulation.
#[derive(Clone)]
struct Submitted {
    name: &'static str,
    /// Places of the handles, first those that are written.
    handles: Vec<usize>,
    writes: usize,
    priority: i32,
}

impl Submitted {
    /// Submits it to `to` with these `handles`.
    fn submit(
        &self,
        to: &mut runtime::Flow,
        handles: &[Handle],
        (flow, task, seconds): (u64, u64, f64),
    ) {
        let mode = |place| if place < self.writes { Access::RW } else { Access::R };
        let uses = self.handles.iter().enumerate();
        let uses: Vec<_> = uses.map(|(place, &handle)| (handles[handle], mode(place))).collect();
        let priority = self.priority;
        macro_rules! by_modes {
            ($($writes:literal: $($reads:literal)+;)+) => {
                match (self.writes, self.handles.len() - self.writes) {
                    $($(($writes, $reads) => {
                        to.submit(Call::<$writes, $reads> { flow, task, seconds }, &uses, priority);
                    })+)+
                    _ => unreachable!("the number of data was checked"),
                }
            };
        }
        by_modes! {
            0: 0 1 2 3 4 5 6 7 8;
            1: 0 1 2 3 4 5 6 7;
            2: 0 1 2 3 4 5 6;
            3: 0 1 2 3 4 5;
            4: 0 1 2 3 4;
            5: 0 1 2 3;
            6: 0 1 2;
            7: 0 1;
            8: 0;
        }
    }
}

/// A flow, and its program so far.
struct Inside {
    flow: runtime::Flow,
    handles: Vec<Handle>,
    program: Vec<Submitted>,
    trace: Option<Trace>,
}

/// What the thread of a flow does next.
type Job = Box<dyn FnOnce(&mut Inside) + Send>;

/// The thread that a flow lives on, while it is open.
struct Open {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
    handles: usize,
    tasks: u64,
}

/// A flow of tasks that are Python functions. It lives on a thread of its own, which does what
/// Python asks for in this order, and runs tasks while it waits for them.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct Flow {
    number: u64,
    shared: Arc<Shared>,
    open: Mutex<Option<Open>>,
    workers: usize,
    is_recorded: bool,
}

/// The policy of this name.
fn policy_of(name: Option<&str>) -> PyResult<&'static Policy> {
    let name = name.unwrap_or(DEFAULT_POLICY);
    policy(name).ok_or_else(|| {
        let names: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
        PyValueError::new_err(format!(
            "there is no policy {name:?}: there are {}",
            names.join(", ")
        ))
    })
}

fn closed() -> PyErr {
    PyRuntimeError::new_err("the flow was closed")
}

impl Flow {
    /// Has `work` done on the flow, after all that was asked for before; Ctrl-C ends its tasks.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inside) -> T + Send + 'static,
    ) -> PyResult<T> {
        let (answer, answered) = channel();
        let answered = Mutex::new(answered);
        // Nobody waits for an answer only if this process ends.
        let job: Job = Box::new(move |inside| _ = answer.send(work(inside)));
        let jobs = lock(&self.open).as_ref().map(|open| open.jobs.clone()).ok_or_else(closed)?;
        jobs.send(job).map_err(|_| closed())?;
        let mut interrupted = None;
        loop {
            match py.detach(|| lock(&answered).recv_timeout(LOOK)) {
                Ok(answer) => {
                    self.shared.stop.store(false, Ordering::Relaxed);
                    return interrupted.map_or(Ok(answer), Err);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("a task has panicked"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = py.check_signals() {
                        self.shared.stop.store(true, Ordering::Relaxed);
                        interrupted.get_or_insert(error);
                    }
                }
            }
        }
    }

    /// Lets all tasks run.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        let waited = self.ask(py, |inside| inside.flow.wait().err().map(|error| error.to_string()));
        let raised = lock(&self.shared.raised).take();
        match (waited?, raised) {
            (_, Some((_, error))) => Err(error),
            (Some(text), None) => Err(PyRuntimeError::new_err(text)),
            (None, None) => Ok(()),
        }
    }

    /// What `see` finds in the trace so far.
    fn look<T: Send + 'static>(
        &self,
        py: Python<'_>,
        see: impl FnOnce(&Trace) -> T + Send + 'static,
    ) -> PyResult<T> {
        if !self.is_recorded {
            let text = "nothing was recorded: make the flow with trace=True";
            return Err(PyRuntimeError::new_err(text));
        }
        self.drain(py)?;
        self.ask(py, |inside| {
            let more = named(inside.flow.take_trace(), &inside.program);
            let trace = match inside.trace.take() {
                Some(before) => joined(before, more),
                None => more,
            };
            see(inside.trace.insert(trace))
        })
    }

    /// Ends the threads.
    fn end(&self, py: Python<'_>) {
        let open = lock(&self.open).take();
        // Tasks that run need the interpreter's lock, which whoever calls this holds.
        py.detach(|| {
            if let Some(Open { jobs, thread, .. }) = open {
                drop(jobs);
                let _ = thread.join();
            }
        });
        lock(&FLOWS).remove(&self.number);
    }
}

#[pymethods]
impl Flow {
    /// A flow on `workers` threads, all cores by default, under a policy; recorded if that is
    /// wanted.
    #[new]
    #[pyo3(signature = (workers=None, policy=None, trace=false))]
    fn new(workers: Option<usize>, policy: Option<&str>, trace: bool) -> PyResult<Self> {
        let workers = workers.unwrap_or_else(usable_cores);
        if workers == 0 {
            return Err(PyValueError::new_err("a flow has at least 1 worker"));
        }
        let options =
            ExecOptions { policy: policy_of(policy)?, trace, ..ExecOptions::new(workers) };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (jobs, asked) = channel::<Job>();
        let body = move || {
            let flow = runtime::Flow::new(Exec::new(options), FlowOptions::default());
            let (handles, program) = (Vec::new(), Vec::new());
            let mut inside = Inside { flow, handles, program, trace: None };
            asked.into_iter().for_each(|job| job(&mut inside));
        };
        let thread = thread::Builder::new().name("flow".to_owned()).spawn(body)?;
        let shared = Arc::new(Shared::default());
        lock(&FLOWS).insert(number, Arc::clone(&shared));
        let open = Mutex::new(Some(Open { jobs, thread, handles: 0, tasks: 0 }));
        Ok(Self { number, shared, open, workers, is_recorded: trace })
    }

    /// Threads that run tasks, the waiting one among them.
    #[getter]
    fn workers(&self) -> usize {
        self.workers
    }

    /// Makes a handle; returns its number.
    fn register(&self) -> PyResult<usize> {
        let mut open = lock(&self.open);
        let open = open.as_mut().ok_or_else(closed)?;
        let job = |inside: &mut Inside| inside.handles.push(inside.flow.register(1));
        open.jobs.send(Box::new(job)).map_err(|_| closed())?;
        open.handles += 1;
        Ok(open.handles - 1)
    }

    /// Submits a task that calls `function`, which writes the handles of `writes` and reads those
    /// of `reads`.
    fn submit(
        &self,
        name: &str,
        function: Py<PyAny>,
        writes: Vec<usize>,
        reads: Vec<usize>,
        priority: i32,
    ) -> PyResult<()> {
        let count = writes.len() + reads.len();
        if count > MAX_ACCESSES {
            return Err(PyValueError::new_err(format!(
                "a task uses {count} data, its result among them: {MAX_ACCESSES} are the most"
            )));
        }
        let (name, writes_count) = (lasting(name), writes.len());
        let handles: Vec<usize> = writes.into_iter().chain(reads).collect();
        let mut open = lock(&self.open);
        let open = open.as_mut().ok_or_else(closed)?;
        if let Some(wrong) = handles.iter().find(|&&one| one >= open.handles) {
            return Err(PyValueError::new_err(format!("there is no handle {wrong}")));
        }
        let submitted = Submitted { name, handles, writes: writes_count, priority };
        let (number, task) = (self.number, open.tasks);
        lock(&self.shared.functions).insert(task, function);
        let job = move |inside: &mut Inside| {
            submitted.submit(&mut inside.flow, &inside.handles, (number, task, 0.0));
            inside.program.push(submitted);
        };
        open.jobs.send(Box::new(job)).map_err(|_| closed())?;
        open.tasks += 1;
        Ok(())
    }

    /// Waits for all tasks; raises what the first one that failed has raised.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.drain(py)
    }

    /// The tasks that have run: name, worker, start and end in seconds.
    fn records(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, usize, f64, f64)>> {
        self.look(py, |trace| {
            let seconds = |nanoseconds: u64| nanoseconds as f64 * 1e-9;
            let of = |r: &TaskRecord| (r.codelet, r.worker, seconds(r.start), seconds(r.end));
            trace.records.iter().map(of).collect()
        })
    }

    /// Writes what was recorded to `path`, in the form that its ending tells.
    fn write_trace(&self, py: Python<'_>, path: String) -> PyResult<()> {
        let written = self.look(py, move |trace| guest::write_trace(Path::new(&path), trace))?;
        written.map_err(crate::command::failure)
    }

    /// Runs the program so far in virtual time, with so many seconds for each task, on `workers`
    /// cores under a policy: the makespan in seconds.
    fn simulate(
        &self,
        py: Python<'_>,
        seconds: Vec<f64>,
        workers: usize,
        policy: Option<&str>,
        path: Option<String>,
    ) -> PyResult<f64> {
        let policy = policy_of(policy)?;
        if workers == 0 {
            return Err(PyValueError::new_err("a machine has at least 1 worker"));
        }
        let ask = |inside: &mut Inside| (inside.program.clone(), inside.handles.len());
        let (program, handles) = self.ask(py, ask)?;
        let are_times = seconds.iter().all(|one| one.is_finite() && *one >= 0.0);
        if seconds.len() != program.len() || !are_times {
            return Err(PyValueError::new_err("each task takes a time of 0 or more"));
        }
        let number = self.number;
        let simulated = py.detach(move || {
            let core = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
            let options = SimOptions::new(Machine::cores(workers), vec![core], policy);
            let mut flow = runtime::Flow::new(Sim::new(options), FlowOptions::default());
            let handles: Vec<Handle> = (0..handles).map(|_| flow.register(1)).collect();
            for (task, (one, seconds)) in program.iter().zip(seconds).enumerate() {
                one.submit(&mut flow, &handles, (number, task as u64, seconds));
            }
            flow.wait().map_err(|failure| failure.to_string())?;
            let trace = named(flow.take_trace(), &program);
            let makespan = trace.makespan_seconds();
            Ok((makespan, path.map(|path| guest::write_trace(Path::new(&path), &trace))))
        });
        let (makespan, written) = simulated.map_err(PyRuntimeError::new_err::<String>)?;
        written.map_or(Ok(()), |written| written.map_err(crate::command::failure))?;
        Ok(makespan)
    }

    /// Waits for all tasks, and ends the threads.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let is_open = lock(&self.open).is_some();
        let waited = if is_open { self.drain(py) } else { Ok(()) };
        self.end(py);
        waited
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        Python::attach(|py| self.end(py));
    }
}

/// Two traces of one flow, `more` the later one, on the clock of the first.
fn joined(before: Trace, mut more: Trace) -> Trace {
    if before.records.is_empty() {
        return more;
    }
    let ahead = more.origin.saturating_sub(before.origin);
    for record in &mut more.records {
        (record.start, record.end) = (record.start + ahead, record.end + ahead);
    }
    let records = before.records.into_iter().chain(more.records).collect();
    Trace { records, origin: before.origin, ..more }
}

/// `trace` with the names of functions as those of codelets.
fn named(mut trace: Trace, program: &[Submitted]) -> Trace {
    for record in &mut trace.records {
        if let Some(submitted) = program.get(record.task as usize) {
            record.codelet = submitted.name;
        }
    }
    trace
}
