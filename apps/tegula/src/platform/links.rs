//! What runs learn of the ways between memories: how long transfers took stands among the times of
//! kernels, by the name of the way.

use std::path::Path;

use tegula_runtime::platform::{Entry, Machine, MemoryId, MemoryKind, Models};
use tegula_runtime::trace::Totals;

/// Name of transfers among the kernels.
pub(super) const TRANSFER: &str = "transfer";

/// Most samples of old that a mean is given the weight of, so that it can follow what changes.
const MEMORY: u64 = 10_000;

/// Adds the transfers of `totals` to what `models` know.
pub(super) fn note(models: &Models, totals: &Totals, machine: &Machine, scratch: Option<&Path>) {
    let entries = models.entries();
    for (src, dst, name) in ways(machine, scratch) {
        let pair = src.0 * machine.memories.len() + dst.0;
        let count = totals.transfers[pair];
        if count == 0 {
            continue;
        }
        let bytes = totals.bytes[pair] / count;
        let seconds = 1e-9 * totals.moving[pair] as f64 / count as f64;
        let old = entries.iter().find(|old| is_of(old, &name) && old.bytes == bytes);
        let (before, mean) =
            old.map_or((0, 0.0), |old| (old.samples.unwrap_or(0).min(MEMORY), old.seconds));
        let samples = before + count;
        models.enter(&Entry {
            bytes,
            seconds: (before as f64 * mean + count as f64 * seconds) / samples as f64,
            samples: Some(samples),
            never: false,
            ..Entry::never(TRANSFER, &name)
        });
    }
}

/// Gives the links of `machine` the rates that `models` know.
pub(super) fn teach(models: &Models, machine: &mut Machine, scratch: Option<&Path>) {
    let entries = models.entries();
    for (src, dst, name) in ways(machine, scratch).collect::<Vec<_>>() {
        let known = entries.iter().filter(|entry| is_of(entry, &name));
        let (bytes, seconds) = known.fold((0.0, 0.0), |(bytes, seconds), entry| {
            let count = entry.samples.unwrap_or(0) as f64;
            (bytes + count * entry.bytes as f64, seconds + count * entry.seconds)
        });
        let Some(route) = machine.route(src, dst).filter(|_| bytes > 0.0 && seconds > 0.0) else {
            continue;
        };
        for link in route.links.clone() {
            machine.links[link].bytes_per_second = bytes / seconds;
        }
    }
}

fn is_of(entry: &Entry, way: &str) -> bool {
    entry.codelet == TRANSFER && entry.class == way
}

/// The ways of `machine` that are as fast as they are, and not as flags say: their names hold what
/// their rates depend on.
fn ways<'a>(
    machine: &'a Machine,
    scratch: Option<&'a Path>,
) -> impl Iterator<Item = (MemoryId, MemoryId, String)> + 'a {
    let name = move |memory: MemoryId| {
        let of = &machine.memories[memory.0];
        match scratch.filter(|_| of.kind == MemoryKind::Disk) {
            Some(folder) => format!("{} {}", of.name, folder.display()),
            None => of.name.clone(),
        }
    };
    let memories = machine.memories.len();
    let pairs = (0..memories * memories)
        .map(move |pair| (MemoryId(pair / memories), MemoryId(pair % memories)));
    let real = pairs.filter(move |&(src, dst)| src != dst && !machine.is_emulated(src, dst));
    real.map(move |(src, dst)| (src, dst, format!("{} to {}", name(src), name(dst))))
}

#[cfg(test)]
mod tests {
    use tegula_runtime::platform::WorkerKind;

    use super::*;

    #[test]
    fn rates_follow_the_transfers_that_were_met() {
        let mut machine = Machine::cores(1);
        machine.limit_ram(1 << 20, 9e8, 9e8);
        machine.add_accelerator(WorkerKind::Emulated, None, 1e9, 1.0);
        let models = Models::new(&machine);
        // Ten transfers of 1000 bytes to disk in 1 us each, and some to a device that is played.
        let mut totals = Totals { bytes: vec![0; 9], transfers: vec![0; 9], ..Totals::default() };
        totals.moving = vec![0; 9];
        for pair in [1, 2] {
            (totals.bytes[pair], totals.transfers[pair]) = (10_000, 10);
            totals.moving[pair] = 10_000;
        }
        let folder = Some(Path::new("scratch"));
        note(&models, &totals, &machine, folder);
        totals.moving[1] = 30_000;
        note(&models, &totals, &machine, folder);
        teach(&models, &mut machine, folder);
        let rates = |machine: &Machine| -> Vec<f64> {
            machine.links.iter().map(|link| link.bytes_per_second.round()).collect()
        };
        assert_eq!(rates(&machine), [5e8, 9e8, 1e9, 1e9], "1000 bytes in 2 us");
        let before = machine.clone();
        teach(&models, &mut machine, Some(Path::new("elsewhere")));
        assert_eq!(machine, before, "another folder is another disk");
        totals.moving[1] = 2_000;
        (0..40).for_each(|_| note(&models, &totals, &machine, folder));
        teach(&models, &mut machine, folder);
        assert!(machine.links[0].bytes_per_second > 3e9, "{:?}", machine.links[0]);
    }
}
