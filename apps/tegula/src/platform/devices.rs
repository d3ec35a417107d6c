//! Times of kernels on CUDA devices, and the rates of their buses: small programs that one device
//! runs alone; and the rates between two.

use std::sync::Arc;

use anyhow::Result;
use tegula_exageostat::covariance::COVARIANCES;
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::KERNELS;
use tegula_kernels::kernel::covariance::{Covariance, rate};
use tegula_kernels::kernel::geadd::Geadd;
use tegula_kernels::kernel::gemm::{Gemm, GemmTf32};
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Precision, Real};
use tegula_linalg::program::{Inputs, Program};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Codelet, Cost, Flow, FlowOptions};
use tegula_runtime::platform::{
    ClassId, Durations, Entry, Machine, MemoryId, MemoryKind, Models, TRUSTED, WorkerKind,
    WorkerModel,
};
use tegula_runtime::sched::policy;
use tegula_runtime::trace::Totals;

use crate::flags::{CudaDevices, run_on_devices};

/// Orders of the tiles: devices take larger ones than cores.
pub(super) const TILE_SIZES: &[u32] = &[512, 1024, 2048];

/// Routines whose tasks are timed.
const ROUTINES: &[&str] = &[
    "potrf",
    "potri",
    "trsm",
    "trmm",
    "gemm",
    "symm",
    "syr2k",
    "hetrf",
    "getrf",
    "getrf-nopiv",
    "geqrf",
    "orgqr",
];

/// Tiles along an edge of their matrices.
const TILES: usize = 5;

/// Order of the matrices that go to a device and back, and how often.
const MOVED: usize = 2048;
const MOVES: usize = 8;

/// The classes of a machine of a core, a device, and another.
const CORE: ClassId = ClassId(0);
const DEVICE: ClassId = ClassId(1);
const OTHER: ClassId = ClassId(2);

/// Has the device run all that it can, and keeps its times.
struct Preferred(Arc<Models>);

impl Durations for Preferred {
    fn nanoseconds(&self, _codelet: &'static str, _cost: Cost, class: ClassId) -> Option<u64> {
        Some(if class == CORE { 1_000_000_000 } else { 1000 })
    }

    fn record(&self, codelet: &'static str, cost: Cost, class: ClassId, nanoseconds: u64) {
        if class == DEVICE {
            self.0.record(codelet, cost, class, nanoseconds);
        }
    }
}

/// Has one device fill matrices and another one add them up.
struct Between;

impl Durations for Between {
    fn nanoseconds(&self, codelet: &'static str, _cost: Cost, class: ClassId) -> Option<u64> {
        let runs = if codelet == Laset::<f64>::NAME { DEVICE } else { OTHER };
        (class == runs).then_some(1000)
    }
}

/// What is known of the devices of a machine.
pub(super) struct Measured {
    devices: Vec<OfDevice>,
    /// Bytes per second from a device to another, by their places.
    between: Vec<([usize; 2], f64)>,
}

/// What is known of a device.
struct OfDevice {
    /// Name of its class.
    class: String,
    /// How long kernels take.
    entries: Vec<Entry>,
    /// Bytes per second to it, and from it.
    rates: [f64; 2],
}

/// A device by itself.
struct Bench {
    device: CudaDevices,
    machine: Machine,
    models: Arc<Models>,
}

/// Measures each of `devices` with `samples` calls of each kernel on tiles of these sizes; of equal
/// ones only the first one's kernels.
///
/// # Errors
/// If a device fails.
pub(super) fn measure(
    devices: &CudaDevices,
    (precisions, sizes): (&[Precision], &[usize]),
    samples: usize,
) -> Result<Measured> {
    let mut all: Vec<OfDevice> = Vec::new();
    for device in devices.each() {
        let mut machine = Machine::cores(1);
        device.join(&mut machine);
        let class = machine.classes[DEVICE.0].name.clone();
        let models = Arc::new(Models::new(&machine));
        let bench = Bench { device, machine, models };
        let rates = bench.rates()?;
        let known = all.iter().find(|other| other.class == class);
        let entries = match known {
            Some(known) => known.entries.clone(),
            None => bench.kernels(precisions, sizes, samples)?,
        };
        all.push(OfDevice { class, entries, rates });
    }
    let ways = devices.pairs().map(|(places, pair)| Ok((places, rate_between(&pair)?)));
    Ok(Measured { devices: all, between: ways.collect::<Result<_>>()? })
}

/// Bytes per second from the first of two devices to the second; 0 if there is no direct way.
fn rate_between(pair: &CudaDevices) -> Result<f64> {
    let mut machine = Machine::cores(1);
    pair.join(&mut machine);
    let (count, from) = (machine.memories.len(), machine.memories.len() - 2);
    let mut flow = flow(pair, machine, Arc::new(Between));
    let [a, b] = [(); 2].map(|()| flow.register(MOVED * MOVED * size_of::<f64>()));
    let (m, n, trans) = (MOVED, MOVED, Trans::No);
    for _ in 0..MOVES {
        flow.submit(Laset { m, n, off_diagonal: 1.0, diagonal: 2.0 }, &[(a, W)], 0);
        flow.submit(Geadd { trans, m, n, alpha: 1.0, beta: 0.0 }, &[(a, R), (b, RW)], 0);
    }
    flow.wait()?;
    Ok(rate_of(&flow.totals().unwrap_or_default(), from * count + from + 1))
}

/// Runs on a machine that has these devices.
fn flow(devices: &CudaDevices, machine: Machine, durations: Arc<dyn Durations>) -> Flow {
    let (accelerators, policy) = (devices.accelerators(), policy("dmda").expect("it is listed"));
    let options = ExecOptions { accelerators, durations, policy, ..ExecOptions::on(machine) };
    Flow::new(Exec::new(options), FlowOptions::default())
}

impl Bench {
    fn flow(&self) -> Flow {
        let durations = Arc::new(Preferred(self.models.clone()));
        flow(&self.device, self.machine.clone(), durations)
    }

    /// How long kernels take.
    fn kernels(
        &self,
        precisions: &[Precision],
        sizes: &[usize],
        samples: usize,
    ) -> Result<Vec<Entry>> {
        for &precision in precisions {
            for &nb in sizes {
                for name in ROUTINES {
                    let routine = Program::find(name).expect("it is listed");
                    for _ in 0..samples.div_ceil(TILES) {
                        self.run(routine, nb, precision)?;
                    }
                }
                match precision {
                    Precision::Single => {
                        self.covariance::<f32>(nb, samples)?;
                        self.product_in_tf32(nb, samples)?;
                    }
                    _ => self.covariance::<f64>(nb, samples)?,
                }
            }
        }
        let mut entries = self.models.entries();
        let class = &self.machine.classes[DEVICE.0].name;
        let cores_alone =
            KERNELS.iter().filter(|kernel| !run_on_devices(&[kernel.double.codelet.name]));
        entries.extend(cores_alone.map(|kernel| Entry::never(kernel.name, class)));
        Ok(entries)
    }

    /// Runs a routine on a matrix of tiles of order `nb`.
    fn run(&self, routine: &Program, nb: usize, precision: Precision) -> Result<()> {
        let mut flow = self.flow();
        let sizes = routine.sizes_of_tiles(TILES, nb, precision);
        let mut instance = routine.instance(&mut flow, sizes, &Inputs::default());
        instance.fill_but(&mut flow, &[]);
        instance.prepare(&mut flow);
        flow.wait()?;
        instance.submit(&mut flow);
        Ok(flow.wait()?)
    }

    /// Multiplies tiles as mixed factorisations do those that may lose most.
    fn product_in_tf32(&self, nb: usize, samples: usize) -> Result<()> {
        let mut flow = self.flow();
        let [a, b, c] = [(); 3].map(|()| flow.register(nb * nb * size_of::<f32>()));
        let laset = Laset { m: nb, n: nb, off_diagonal: 0.5_f32, diagonal: 1.0 };
        [a, b, c].into_iter().for_each(|tile| flow.submit(laset, &[(tile, W)], 0));
        let (trans_a, trans_b) = (Trans::No, Trans::Yes);
        let product = Gemm { trans_a, trans_b, m: nb, n: nb, k: nb, alpha: -1.0_f32, beta: 1.0 };
        for _ in 0..samples {
            flow.submit(GemmTf32(product), &[(a, R), (b, R), (c, RW)], 0);
        }
        Ok(flow.wait()?)
    }

    /// Makes tiles of the first covariance of the list.
    fn covariance<T: Real>(&self, nb: usize, samples: usize) -> Result<()> {
        let mut flow = self.flow();
        let listed = &COVARIANCES[0];
        let values: Vec<f64> = listed.parameters.iter().map(|known| known.default).collect();
        let table = flow.register_from(bytemuck::bytes_of(&*listed.table(&values, 0.0)?));
        let [rows, columns] = [1, 2].map(|seed| {
            let points = rate::random_points(Geometry::Plane, nb, 1.0, seed);
            flow.register_from(points.held())
        });
        let tile = flow.register(nb * nb * size_of::<T>());
        for _ in 0..samples {
            let kernel = Covariance::<T>::between(Geometry::Plane, (nb, nb));
            flow.submit(kernel, &[(table, R), (rows, R), (columns, R), (tile, W)], 0);
        }
        Ok(flow.wait()?)
    }

    /// Bytes per second to the device, and from it.
    fn rates(&self) -> Result<[f64; 2]> {
        let mut flow = self.flow();
        let numbers = vec![1.0_f64; MOVED * MOVED];
        let [a, b] = [(); 2].map(|()| flow.register_from(&numbers));
        for _ in 0..MOVES {
            // What the program writes has to be brought again.
            flow.write::<f64>(a)?[0] = 2.0;
            flow.write::<f64>(b)?[0] = 2.0;
            let (m, n, trans) = (MOVED, MOVED, Trans::No);
            flow.submit(Geadd { trans, m, n, alpha: 1.0, beta: 1.0 }, &[(a, R), (b, RW)], 0);
            flow.read::<f64>(b)?;
        }
        let totals = flow.totals().unwrap_or_default();
        let memory = self.machine.memories.len() - 1;
        let count = self.machine.memories.len();
        Ok([rate_of(&totals, memory), rate_of(&totals, memory * count)])
    }
}

/// Bytes per second of the way `pair`; 0 if nothing went there.
fn rate_of(totals: &Totals, pair: usize) -> f64 {
    let of = |list: &[u64]| list.get(pair).copied().unwrap_or(0) as f64;
    1e9 * of(&totals.bytes) / of(&totals.moving).max(1.0)
}

/// Gives the buses of the devices of `machine`, in their order, the rates that were measured.
pub(super) fn set_rates(machine: &mut Machine, measured: &Measured) {
    let is_device = |&memory: &usize| machine.memories[memory].kind == MemoryKind::Device;
    let memories: Vec<MemoryId> =
        (0..machine.memories.len()).filter(is_device).map(MemoryId).collect();
    let buses = memories.iter().zip(&measured.devices).flat_map(|(&memory, of)| {
        [((MemoryId::RAM, memory), of.rates[0]), ((memory, MemoryId::RAM), of.rates[1])]
    });
    let direct = measured.between.iter().map(|&([i, j], rate)| ((memories[i], memories[j]), rate));
    let ways: Vec<_> = buses.chain(direct).filter(|&(_, rate)| rate > 0.0).collect();
    for ((from, to), rate) in ways {
        let links = machine.route(from, to).map_or(Vec::new(), |route| route.links.clone());
        links.into_iter().for_each(|link| machine.links[link].bytes_per_second = rate);
    }
}

/// Enters the times of the devices of `machine` into `models`. Kernels that were not measured are
/// expected to reach the best rates of any.
pub(super) fn enter(models: &Models, machine: &Machine, measured: &Measured) {
    for (id, class) in machine.classes.iter().enumerate() {
        let known = measured.devices.iter().find(|of| of.class == class.name);
        let Some(of) = known.filter(|_| class.kind == WorkerKind::Cuda) else { continue };
        of.entries.iter().for_each(|entry| models.enter(entry));
        // A clock is coarse beside what a few tasks take.
        let is_believed = |entry: &&Entry| entry.samples.is_some_and(|count| count >= TRUSTED);
        let is_timed = |entry: &&Entry| !entry.never && entry.seconds > 0.0;
        let mut timed: Vec<&Entry> = of.entries.iter().filter(is_believed).collect();
        if timed.is_empty() {
            timed = of.entries.iter().filter(is_timed).collect();
        }
        let best = |of: fn(&Entry) -> u64| {
            let rates = timed.iter().map(|entry| 1e-9 * of(entry) as f64 / entry.seconds);
            rates.fold(f64::MIN_POSITIVE, f64::max)
        };
        let guess = WorkerModel {
            gflops: best(|entry| entry.flops),
            gbytes_per_second: best(|entry| entry.bytes),
            overhead_seconds: 0.0,
        };
        models.guess(ClassId(id), Some(guess));
    }
}
