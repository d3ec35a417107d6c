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
    (workers, is_flat): (usize, bool),
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
    let mut flow = Flow::new(Sim::new(options).counting_buffers(), window);
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
        let operands = |sizes: &Sizes| self.grids(sizes).iter().map(TileGrid::bytes).sum::<u64>();
        let window = FlowOptions::default().window;
        // Tasks grow with the cube of the edge at most.
        let edge = (self.edge(sizes) as f64 * (MOST_TASKS / tasks.max(1.0)).cbrt()) as usize;
        let (part, window) = if self.edge(sizes) <= PART.min(edge) {
            (*sizes, window)
        } else {
            let part = self.part(sizes, PART.min(edge).max(4));
            let counts = Counts::of(self, part, is_flat);
            let fewer = (self.fill_tasks(&part) + counts.prepared + counts.timed) / tasks.max(1.0);
            (part, (window as f64 * fewer).ceil() as u64)
        };
        let peak = peak_bytes((sizes.workers, is_flat), window, |flow| {
            let mut instance = self.instance(flow, part, &Inputs::default());
            instance.fill_but(flow, &[]);
            instance.prepare(flow);
            flow.wait()?;
            instance.submit(flow);
            flow.wait()
        });
        let (small, whole) = (operands(&part), operands(sizes));
        let beside = peak.expect("a simulation has no failures").saturating_sub(small);
        if small == whole { beside } else { (beside as f64 * whole as f64 / small as f64) as u64 }
    }
}
