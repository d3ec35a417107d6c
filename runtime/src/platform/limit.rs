//! The same machine with less: smaller memories, slower links, fewer workers.

use super::machine::{Machine, MemoryKind, Worker};
use crate::types::MemoryId;

impl Machine {
    /// Limits the memory of each accelerator to at most `bytes` bytes.
    pub fn limit_devices(&mut self, bytes: u64) {
        let devices = self.memories.iter_mut().filter(|memory| memory.kind == MemoryKind::Device);
        devices.for_each(|memory| {
            memory.capacity = Some(memory.capacity.map_or(bytes, |there| there.min(bytes)));
        });
    }

    /// Limits every link to at most `bytes_per_second`, also those that several routes share.
    pub fn limit_links(&mut self, bytes_per_second: f64) {
        for link in &mut self.links {
            link.bytes_per_second = link.bytes_per_second.min(bytes_per_second);
        }
    }

    /// Drops the workers of the class called `name`, and memories of accelerators that are left
    /// without a worker; the classes keep their numbers. Says whether there was such a class.
    pub fn drop_class(&mut self, name: &str) -> bool {
        let Some(class) = self.classes.iter().position(|class| class.name == name) else {
            return false;
        };
        self.retain_workers(|_, worker| worker.class.0 != class);
        true
    }

    /// Keeps the first `count` accelerators, in the order of their memories, and drops the others
    /// with their workers; links and classes stay.
    pub fn keep_devices(&mut self, count: usize) {
        self.retain_workers(|machine, worker| {
            let is_device = |memory: usize| machine.memories[memory].kind == MemoryKind::Device;
            let before = (0..worker.memory.0).filter(|&memory| is_device(memory)).count();
            !is_device(worker.memory.0) || before < count
        });
    }

    /// Keeps the first `count` workers that compute in the RAM, or in that of a further socket.
    pub fn keep_cores(&mut self, count: usize) {
        let mut left = count;
        let memories = &self.memories;
        self.workers.retain(|worker| {
            let kind = memories[worker.memory.0].kind;
            let is_core = matches!(kind, MemoryKind::Ram | MemoryKind::Socket);
            let stays = !is_core || left > 0;
            left -= usize::from(is_core && stays);
            stays
        });
    }

    /// Keeps the workers that `stays` says, and the memories that they or the RAM need.
    fn retain_workers(&mut self, stays: impl Fn(&Self, &Worker) -> bool) {
        let workers = std::mem::take(&mut self.workers);
        self.workers = workers.into_iter().filter(|worker| stays(self, worker)).collect();
        let is_used = |&memory: &usize| {
            self.memories[memory].kind != MemoryKind::Device
                || self.workers.iter().any(|worker| worker.memory.0 == memory)
        };
        let kept: Vec<usize> = (0..self.memories.len()).filter(is_used).collect();
        let old = self.memories.len();
        let pairs = kept.iter().flat_map(|&src| kept.iter().map(move |&dst| src * old + dst));
        self.routes = pairs.map(|pair| self.routes[pair].clone()).collect();
        self.memories = kept.iter().map(|&memory| self.memories[memory].clone()).collect();
        for worker in &mut self.workers {
            let place = kept.iter().position(|&memory| memory == worker.memory.0);
            worker.memory = MemoryId(place.expect("the memory of a worker that stays"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::WorkerKind;

    fn machine() -> Machine {
        let mut machine = Machine::cores(2);
        for gigabytes in [4, 2, 8] {
            machine.add_accelerator(WorkerKind::Cuda, Some(gigabytes << 30), 6e9, 10.0);
        }
        machine
    }

    #[test]
    fn memories_and_links_shrink_but_never_grow() {
        let mut machine = machine();
        machine.limit_devices(3 << 30);
        let capacities: Vec<_> = machine.memories.iter().map(|memory| memory.capacity).collect();
        assert_eq!(capacities, [None, Some(3 << 30), Some(2 << 30), Some(3 << 30)]);
        machine.limit_links(6e8);
        machine.limit_links(1e12);
        assert!(machine.links.iter().all(|link| link.bytes_per_second == 6e8));
    }

    #[test]
    fn a_disk_reads_and_writes_at_rates_of_their_own() {
        let mut machine = machine();
        machine.limit_ram(1 << 30, 1e8, 4e9);
        machine.check();
        let (ram, disk) = (MemoryId::RAM, machine.lowest());
        assert_eq!(machine.transfer_nanoseconds(ram, disk, 100_000_000), 1_000_100_000);
        assert_eq!(machine.transfer_nanoseconds(disk, ram, 100_000_000), 25_100_000);
    }

    #[test]
    fn dropped_workers_take_their_memories_along() {
        let mut machine = machine();
        assert!(machine.drop_class("gpu-0") && !machine.drop_class("gpu-9"));
        assert!(machine.drop_class("cpu"));
        machine.check();
        let names: Vec<&str> = machine.memories.iter().map(|memory| memory.name.as_str()).collect();
        assert_eq!(names, ["RAM", "GPU 1", "GPU 2"]);
        assert_eq!(machine.workers[1].name, "GPU 2");
        assert_eq!(machine.workers[1].memory, MemoryId(2));
        let way = machine.way(MemoryId::RAM, MemoryId(2));
        assert_eq!(machine.links[way.links[0]].name, "RAM to GPU 2");
    }

    #[test]
    fn so_many_devices_and_cores_stay() {
        let mut machine = machine();
        machine.keep_devices(1);
        machine.keep_cores(1);
        machine.check();
        let names: Vec<&str> = machine.workers.iter().map(|worker| worker.name.as_str()).collect();
        assert_eq!(names, ["CPU 0", "GPU 0"]);
        assert_eq!(machine.memories.len(), 2);
    }
}
