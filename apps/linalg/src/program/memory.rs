//! The memory that a program takes beside its operands, found by simulating it.

use tegula_runtime::flow::{Flow, FlowError, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_tiles::TileGrid;

use super::sizes::Sizes;
use super::{Counts, Inputs, Program};

/// Tiles along an edge beyond which a smaller matrix stands for the whole.
const PART: usize = 32;
/// Tasks beyond which a still smaller one does.
const MOST_TASKS: f64 = 5e4;

/// Most bytes in buffers while `program` runs on so many workers, which share one memory without
/// limit or not, under the policy that cores have by default; if the flow holds so many tasks at
/// once.
///
/// # Errors
/// Those of `program`.
pub fn peak_bytes(
    how: (usize, bool),
    window: u64,
    program: impl FnOnce(&mut Flow) -> Result<(), FlowError>,
) -> Result<u64, FlowError> {
    simulated(how, Sim::counting_buffers, window, program)
}

/// An upper bound of that in whatever order the workers, which share one memory without limit, run
/// tasks.
///
/// # Errors
/// Those of `program`.
pub fn most_bytes(
    workers: usize,
    program: impl FnOnce(&mut Flow) -> Result<(), FlowError>,
) -> Result<u64, FlowError> {
    simulated((workers, true), Sim::bounding_buffers, FlowOptions::default().window, program)
}

fn simulated(
    (workers, is_flat): (usize, bool),
    counting: fn(Sim) -> Sim,
    window: u64,
    program: impl FnOnce(&mut Flow) -> Result<(), FlowError>,
) -> Result<u64, FlowError> {
    let mut machine = Machine::cores(workers.max(1));
    if !is_flat {
        machine.limit_ram(1 << 50, 1e9, 1e9);
    }
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let policy = policy("lws").expect("a listed policy");
    let options = SimOptions { trace: false, ..SimOptions::new(machine, vec![model], policy) };
    let window = FlowOptions { window, ..FlowOptions::default() };
    let mut flow = Flow::new(counting(Sim::new(options)), window);
    program(&mut flow)?;
    flow.wait()?;
    Ok(flow.memory().peak_bytes as u64)
}

impl Program {
    /// Most bytes of what it makes beside its operands, of which it has so many `tasks`.
    ///
    /// What is there at once depends on what a policy can choose from: of fewer tiles the window of
    /// the flow holds as much less as there are fewer tasks.
    pub(super) fn beside_bytes(&self, sizes: &Sizes, tasks: f64, is_flat: bool) -> u64 {
        let window = FlowOptions::default().window;
        let part = self.small_part(sizes, tasks);
        let (part, window) = if self.edge(&part) == self.edge(sizes) {
            (part, window)
        } else {
            let counts = Counts::of(self, part, is_flat);
            let fewer = (self.fill_tasks(&part) + counts.prepared + counts.timed) / tasks.max(1.0);
            (part, (window as f64 * fewer).ceil() as u64)
        };
        let peak = peak_bytes((sizes.workers, is_flat), window, |flow| self.run_whole(flow, part));
        self.beside(peak.expect("a simulation has no failures"), &part, sizes)
    }

    /// An upper bound of these bytes in whatever order workers that share one memory without limit
    /// run the tasks, of which it has so many: exactly of sizes that are simulated whole.
    pub(super) fn most_beside_bytes(&self, sizes: &Sizes, tasks: f64) -> u64 {
        let part = self.small_part(sizes, tasks);
        let most = most_bytes(sizes.workers, |flow| self.run_whole(flow, part));
        self.beside(most.expect("a simulation has no failures"), &part, sizes)
    }

    /// `sizes`, or smaller ones that are simulated in their place.
    fn small_part(&self, sizes: &Sizes, tasks: f64) -> Sizes {
        // Tasks grow with the cube of the edge at most.
        let edge = (self.edge(sizes) as f64 * (MOST_TASKS / tasks.max(1.0)).cbrt()) as usize;
        let is_small = self.edge(sizes) <= PART.min(edge);
        if is_small { *sizes } else { self.part(sizes, PART.min(edge).max(4)) }
    }

    /// Fills the operands and runs all of it.
    fn run_whole(&self, flow: &mut Flow, sizes: Sizes) -> Result<(), FlowError> {
        let mut instance = self.instance(flow, sizes, &Inputs::default());
        instance.fill_but(flow, &[]);
        instance.prepare(flow);
        flow.wait()?;
        instance.submit(flow);
        flow.wait()
    }

    /// What is beside the operands in a peak that was found for `part` in place of `sizes`.
    fn beside(&self, peak: u64, part: &Sizes, sizes: &Sizes) -> u64 {
        let operands = |sizes: &Sizes| self.grids(sizes).iter().map(TileGrid::bytes).sum::<u64>();
        let (small, whole) = (operands(part), operands(sizes));
        let beside = peak.saturating_sub(small);
        if small == whole { beside } else { (beside as f64 * whole as f64 / small as f64) as u64 }
    }
}
