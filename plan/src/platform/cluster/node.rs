//! One node of a cluster: its machine, which may be slower than others of its kind, and its link.

use std::sync::Arc;

use tegula_kernels::kernel::Kernel;
use tegula_kernels::scalar::Precision;
use tegula_runtime::flow::Cost;
use tegula_runtime::platform::{
    Cap, ClassId, Durations, Machine, MemoryId, MemoryKind, Worker, WorkerClass,
};
use tegula_runtime::sim::NodeOptions;
use tegula_runtime::trace::Totals;

use super::ClusterError;
use crate::platform::{Network, Node, Platform, READ, set_reading};

/// One node of a cluster.
#[derive(Clone, Debug)]
pub struct ClusterNode {
    /// What it is.
    pub platform: Arc<Platform>,
    /// Its machine: that of the platform without the devices that are off.
    pub machine: Arc<Machine>,
    /// Its network.
    pub network: Network,
    /// How fast its workers are beside those of the platform: 1, or less of a slow node.
    pub speed: f64,
    /// How fast it reads beside what its platform says of that: 1, or less from a slow disk.
    pub reading_speed: f64,
}

impl ClusterNode {
    /// `node` as its description says.
    ///
    /// # Errors
    /// If that says nothing of its network.
    pub fn new(node: Node) -> Result<Self, ClusterError> {
        let Node { platform, network } = node;
        let Some(network) = network else {
            return Err(ClusterError::NoNetwork { name: platform.name });
        };
        let machine = Arc::new(platform.machine.clone());
        Ok(Self { platform: Arc::new(platform), machine, network, speed: 1.0, reading_speed: 1.0 })
    }

    /// How many devices it has.
    pub(super) fn devices(&self) -> usize {
        let memories = &self.machine.memories;
        memories.iter().filter(|memory| memory.kind == MemoryKind::Device).count()
    }

    /// How many cores it has.
    pub(super) fn cores(&self) -> usize {
        let memory = |worker: &Worker| self.machine.memories[worker.memory.0].kind;
        let is_core =
            |worker: &&Worker| matches!(memory(worker), MemoryKind::Ram | MemoryKind::Socket);
        self.machine.workers.iter().filter(is_core).count()
    }

    /// Leaves the first `cores` of its cores.
    pub(super) fn keep_cores(&mut self, cores: usize) {
        Arc::make_mut(&mut self.machine).keep_cores(cores);
    }

    /// Leaves the first `devices` of its devices on; the number of its cores stays.
    pub(super) fn keep_devices(&mut self, devices: usize) {
        let machine = Arc::make_mut(&mut self.machine);
        let memories = machine.memories.iter().enumerate();
        let of_devices = memories.filter(|(_, memory)| memory.kind == MemoryKind::Device);
        let off: Vec<usize> = of_devices.map(|(number, _)| number).skip(devices).collect();
        machine.workers.retain(|worker| !off.contains(&worker.memory.0));
    }

    /// How long a worker of `class` takes for a task of `kernel` on tiles of order `tile`, in
    /// seconds (in single precision where the times of the platform are); none if it has no time
    /// there.
    #[must_use]
    pub fn seconds(&self, kernel: &Kernel, tile: usize, class: ClassId) -> Option<f64> {
        let cost = if self.is_single() { kernel.single.cost } else { kernel.double.cost };
        self.seconds_of(kernel.name, cost(tile), class)
    }

    /// How long a worker of `class` takes for a task of `codelet` that costs so much, in seconds;
    /// none if it has no time there.
    pub(crate) fn seconds_of(
        &self,
        codelet: &'static str,
        cost: Cost,
        class: ClassId,
    ) -> Option<f64> {
        if !self.machine.classes[class.0].runs(codelet) {
            return None;
        }
        let nanoseconds = self.platform.models.nanoseconds(codelet, cost, self.known(class)?)?;
        Some(1e-9 * nanoseconds as f64 / speed_of(codelet, self.speed, self.reading_speed))
    }

    /// How many tasks of `codelet` that cost so much it runs in a second, if it runs few of them at
    /// a time, such as those that read.
    #[must_use]
    pub fn capped_rate(&self, codelet: &'static str, cost: Cost) -> Option<f64> {
        let is_of = |cap: &&Cap| cap.codelets.iter().any(|name| name == codelet);
        let most = self.machine.caps.iter().find(is_of)?.most;
        let classes = (0..self.machine.classes.len()).map(ClassId);
        let classes = classes.filter(|&class| self.workers(class) > 0);
        let seconds = classes.filter_map(|class| self.seconds_of(codelet, cost, class));
        seconds.reduce(f64::min).map(|seconds| most as f64 / seconds)
    }

    /// Joules that it takes in so many `seconds`, in which it computed as `totals` of a simulation
    /// say, if it is known what it draws; a slow node draws as much as others.
    #[must_use]
    pub fn joules(&self, totals: &Totals, seconds: f64) -> Option<f64> {
        self.platform.power.as_ref().map(|power| power.joules(&self.machine, totals, seconds))
    }

    /// How long a tile of order `tile` takes on its link, in seconds.
    pub(super) fn seconds_on_link(&self, tile: usize) -> f64 {
        let entry = if self.is_single() { size_of::<f32>() } else { size_of::<f64>() };
        (entry * tile * tile) as f64 / self.network.bytes_per_second
    }

    fn is_single(&self) -> bool {
        self.platform.precision == Some(Precision::Single)
    }

    /// How many workers of `class` it has.
    pub(crate) fn workers(&self, class: ClassId) -> usize {
        self.machine.workers.iter().filter(|worker| worker.class == class).count()
    }

    /// One more worker, on its first core, that runs only tasks of these codelets: those of the
    /// critical path, beside the program that submits (L. L. Nesi, PhD thesis, UGA and UFRGS, 2023,
    /// section 6.2.1). A node without cores stays as it is.
    pub fn add_worker_for(&mut self, codelets: &[&str]) {
        let machine = Arc::make_mut(&mut self.machine);
        let first = machine.workers.iter().find(|worker| worker.memory == MemoryId::RAM).cloned();
        let Some(core) = first else { return };
        let only = codelets.iter().map(|&name| name.to_owned()).collect();
        // By the same name, so that times are found.
        let class = WorkerClass { only, ..machine.classes[core.class.0].clone() };
        machine.classes.push(class);
        let class = ClassId(machine.classes.len() - 1);
        let name = format!("{} for {}", core.name, codelets.join(", "));
        machine.workers.push(Worker { name, class, ..core });
    }

    /// As [`set_reading`].
    ///
    /// # Panics
    /// As that.
    pub fn set_reading(&mut self, bytes_per_second: f64, readers: usize) {
        let machine = Arc::make_mut(&mut self.machine);
        set_reading(&self.platform.models, machine, bytes_per_second, readers);
    }

    /// The class of the platform whose times those of `class` are.
    fn known(&self, class: ClassId) -> Option<ClassId> {
        let name = &self.machine.classes[class.0].name;
        let known = self.platform.machine.classes.iter().position(|known| known.name == *name);
        known.map(ClassId)
    }

    /// How long tasks take on its classes.
    pub(super) fn durations(&self) -> Arc<dyn Durations> {
        let classes =
            (0..self.machine.classes.len()).map(|class| self.known(ClassId(class))).collect();
        let (speed, reading_speed) = (self.speed, self.reading_speed);
        Arc::new(Times { platform: self.platform.clone(), speed, reading_speed, classes })
    }

    /// The node as it is simulated.
    pub(super) fn options(&self) -> NodeOptions {
        let bytes_per_second = self.network.bytes_per_second;
        NodeOptions {
            machine: self.machine.clone(),
            durations: self.durations(),
            send_bytes_per_second: bytes_per_second,
            receive_bytes_per_second: bytes_per_second,
        }
    }
}

/// How fast a node of these speeds runs tasks of `codelet` beside its platform.
fn speed_of(codelet: &str, speed: f64, reading_speed: f64) -> f64 {
    if codelet == READ { speed * reading_speed } else { speed }
}

/// The times of a platform at some speed; a simulation teaches them nothing.
struct Times {
    platform: Arc<Platform>,
    speed: f64,
    reading_speed: f64,
    /// For each class of the node that of the platform.
    classes: Vec<Option<ClassId>>,
}

impl Durations for Times {
    fn nanoseconds(&self, codelet: &'static str, cost: Cost, class: ClassId) -> Option<u64> {
        let class = self.classes[class.0]?;
        let nanoseconds = self.platform.models.nanoseconds(codelet, cost, class)?;
        let speed = speed_of(codelet, self.speed, self.reading_speed);
        Some(((nanoseconds as f64 / speed).round() as u64).max(1))
    }
}
