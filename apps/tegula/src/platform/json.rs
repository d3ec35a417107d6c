//! A description of a machine as JSON.

use serde_json::{Value, json};
use tegula_kernels::scalar::Precision;
use tegula_plan::platform::{Network, Platform, Power};
use tegula_runtime::platform::{
    ClassId, Entry, Formula, Machine, MemoryId, MemoryKind, Route, WorkerKind,
};

pub(super) fn memory_kind(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Ram => "ram",
        MemoryKind::Socket => "socket",
        MemoryKind::Device => "device",
        MemoryKind::Disk => "disk",
    }
}

pub(super) fn worker_kind(kind: WorkerKind) -> &'static str {
    match kind {
        WorkerKind::Cpu => "cpu",
        WorkerKind::Emulated => "emulated",
        WorkerKind::Cuda => "cuda",
    }
}

/// Every route with its ends, in the order of memories.
pub(super) fn all_routes(machine: &Machine) -> impl Iterator<Item = (&str, &str, &Route)> {
    let count = machine.memories.len();
    (0..count * count).filter_map(move |pair| {
        let (src, dst) = (pair / count, pair % count);
        let route = machine.route(MemoryId(src), MemoryId(dst))?;
        Some((machine.memories[src].name.as_str(), machine.memories[dst].name.as_str(), route))
    })
}

/// All of `platform`.
pub(super) fn as_json(platform: &Platform) -> Value {
    let Platform { name, source, precision, machine, models, power, ram_bytes } = platform;
    let memories = machine.memories.iter().map(|memory| {
        let installed = ram_bytes.filter(|_| memory.kind == MemoryKind::Ram);
        json!({
            "name": memory.name, "kind": memory_kind(memory.kind), "capacity": memory.capacity,
            "installed": installed,
        })
    });
    let links = machine.links.iter();
    let links =
        links.map(|link| json!({ "name": link.name, "bytes_per_second": link.bytes_per_second }));
    let routes = all_routes(machine).map(|(from, to, route)| {
        let links = route.links.iter().map(|&link| machine.links[link].name.clone());
        json!({
            "from": from, "to": to, "links": links.collect::<Vec<_>>(),
            "latency_seconds": route.latency_seconds,
        })
    });
    let classes = machine.classes.iter().enumerate().map(|(number, class)| {
        let guess = models.guess_of(ClassId(number)).map(|guess| guess.gflops);
        json!({
            "name": class.name, "kind": worker_kind(class.kind), "speed": class.speed,
            "gflops": guess,
        })
    });
    let workers = machine.workers.iter().map(|worker| {
        json!({
            "name": worker.name, "class": machine.classes[worker.class.0].name,
            "memory": machine.memories[worker.memory.0].name, "pipeline": worker.pipeline,
        })
    });
    json!({
        "name": name,
        "source": source,
        "precision": precision.map(Precision::letter),
        "memories": memories.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "routes": routes.collect::<Vec<_>>(),
        "classes": classes.collect::<Vec<_>>(),
        "workers": workers.collect::<Vec<_>>(),
        "power": power.as_ref().map(power_json),
        "kernels": models.entries().iter().map(kernel_json).collect::<Vec<_>>(),
    })
}

fn power_json(power: &Power) -> Value {
    let kernels = power.kernels.iter();
    let kernels = kernels.map(
        |((class, codelet), watts)| json!({ "class": class, "codelet": codelet, "watts": watts }),
    );
    json!({
        "idle_watts": power.idle,
        "classes": power.classes,
        "kernels": kernels.collect::<Vec<_>>(),
    })
}

/// The network that a machine stands in.
pub(super) fn network_json(network: &Network) -> Value {
    json!({
        "site": network.site,
        "bytes_per_second": network.bytes_per_second,
        "latency_seconds": network.latency_seconds,
    })
}

pub(super) fn kernel_json(entry: &Entry) -> Value {
    let Entry { codelet, class, flops, bytes, seconds, deviation, samples, never, formula } = entry;
    if let Some(Formula { gflops, gbytes_per_second, overhead_seconds }) = formula {
        return json!({
            "codelet": codelet, "class": class, "gflops": gflops,
            "gbytes_per_second": gbytes_per_second, "overhead_seconds": overhead_seconds,
        });
    }
    if *never {
        return json!({ "codelet": codelet, "class": class, "never": true });
    }
    json!({
        "codelet": codelet, "class": class, "flops": flops, "bytes": bytes, "seconds": seconds,
        "deviation": deviation, "samples": samples,
    })
}
