//! CUDA devices of this machine, opened for a run.

use std::sync::Arc;

use anyhow::Result;
use tegula_kernels::cuda::{check, keep_code_in};
use tegula_runtime::exec::accelerator::Accelerator;
use tegula_runtime::exec::accelerator::cuda::{Cuda, Found, NoCuda, SLOTS, devices};
use tegula_runtime::platform::{Machine, WorkerKind};

use super::machine::Asked;
use crate::error::refused;
use crate::machine::devices_on_host;
use crate::output::bytes;
use crate::platform::cache_folder;
use crate::ranks;

/// Rate of a device's bus as long as nobody has measured it: that of PCI Express 4 with 16 lanes.
const RATE: f64 = 20e9;
/// Rate between two devices as long as nobody has measured it.
const PEER_RATE: f64 = 20e9;
/// The highest rate of a device over this is its speed beside a core, as long as nobody has
/// measured either: twice what is guessed of a core, since tiles reach about half of the highest
/// rate.
const CORE_RATE: f64 = 20e9;

/// Devices that a run uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct CudaDevices(Vec<Arc<Cuda>>);

/// The devices that kernels can run on, or why there are none.
pub(crate) fn usable() -> Result<Vec<Found>, String> {
    let found = devices().map_err(|reason| reason.to_string())?;
    check().map_err(|error| format!("no CUDA: {error}"))?;
    cache_folder().into_iter().for_each(keep_code_in);
    Ok(found)
}

impl CudaDevices {
    /// All that are there for this rank and can be opened, which may be none.
    pub(super) fn all() -> Self {
        let found = usable().unwrap_or_default();
        let mine = ranks::allocation().devices(found.len(), devices_on_host());
        let mine = mine.into_iter().map(|place| found[place].number);
        Self(mine.filter_map(|number| Cuda::open(number).ok().map(Arc::new)).collect())
    }

    /// Those that were asked for.
    ///
    /// # Errors
    /// If one is not there, is named twice or cannot be opened.
    pub(super) fn asked(asked: &[Asked]) -> Result<Self> {
        let count = usable().map_or(0, |found| found.len());
        for (place, (number, _)) in asked.iter().enumerate() {
            if *number >= count {
                return Err(refused(format!(
                    "--devices: there is no accelerator {number} in this machine; 'tegula info' \
                     lists what there is"
                )));
            }
            if asked[..place].iter().any(|(other, _)| other == number) {
                return Err(refused(format!("--devices names accelerator {number} twice")));
            }
        }
        let open = |&(number, most): &Asked| {
            let device = Cuda::open(number)?;
            Ok(Arc::new(most.into_iter().fold(device, Cuda::limited)))
        };
        let devices: Result<_, NoCuda> = asked.iter().map(open).collect();
        devices.map(Self).map_err(|error| refused(format!("--devices: {error}")))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each by itself.
    pub(crate) fn each(&self) -> impl Iterator<Item = Self> {
        self.0.iter().map(|device| Self(vec![device.clone()]))
    }

    /// Each with each other, in both orders, by their places.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = ([usize; 2], Self)> {
        let places = (0..self.len()).flat_map(|i| (0..self.len()).map(move |j| [i, j]));
        let pair = |[i, j]: [usize; 2]| Self(vec![self.0[i].clone(), self.0[j].clone()]);
        places.filter(|[i, j]| i != j).map(move |places| (places, pair(places)))
    }

    /// Adds them to `machine`, each beside the others.
    pub(crate) fn join(&self, machine: &mut Machine) {
        let first = machine.memories.len();
        for device in &self.0 {
            let memory = Some(device.free_bytes());
            let speed = (device.double_rate() / CORE_RATE).max(1.0);
            machine.add_accelerator(WorkerKind::Cuda, memory, RATE, speed);
            // Times are known by the name of the class, and are those of every equal device.
            machine.classes.last_mut().expect("it was just added").name = device.model().to_owned();
            let worker = machine.workers.last_mut().expect("it was just added");
            (worker.slots, worker.pipeline) = (SLOTS, SLOTS + 1);
        }
        for one in first..machine.memories.len() {
            for other in first..one {
                machine.connect(one, other, PEER_RATE);
            }
        }
    }

    /// As the engine takes them.
    pub(crate) fn accelerators(&self) -> Vec<Arc<dyn Accelerator>> {
        self.0.iter().map(|device| device.clone() as Arc<dyn Accelerator>).collect()
    }

    /// Each in a few words.
    pub(super) fn describe(&self) -> String {
        let describe = |device: &Arc<Cuda>| {
            format!(", {} with {}", device.name(), bytes(device.free_bytes() as f64))
        };
        self.0.iter().map(describe).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_refused() {
        let error =
            CudaDevices::asked(&[(0, None), (1000, None)]).expect_err("there are not as many");
        let text = error.to_string();
        assert!(text.contains("there is no accelerator"), "{text}");
    }

    #[test]
    fn all_devices_are_those_that_kernels_can_run_on() {
        let all = CudaDevices::all();
        assert!(all.0.len() <= usable().map_or(0, |found| found.len()));
        let mut machine = Machine::cores(1);
        all.join(&mut machine);
        machine.check();
        assert_eq!(machine.workers.len(), 1 + all.accelerators().len());
    }
}
