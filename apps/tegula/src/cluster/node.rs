//! The machine of this rank: its workers, and how long they take for the tasks of a run.

use std::time::Duration;

use anyhow::Result;
use tegula_kernels::backend::Backend;
use tegula_kernels::kernel::covariance::Covariance;
use tegula_kernels::kernel::kernel;
use tegula_kernels::scalar::Precision;
use tegula_plan::platform::Platform;
use tegula_runtime::flow::Codelet;
use tegula_runtime::platform::{Basis, ClassId, Entry, Machine, Models, WorkerKind, WorkerModel};

use crate::platform::measure::{self, Pace};
use crate::platform::{LearntModels, processor};

/// Calls of a kernel that is timed.
const SAMPLES: usize = 3;

/// Time over which the pace of cores is taken.
const PACED: Duration = Duration::from_millis(100);

/// What a run asks of the ranks.
pub(crate) struct Needs {
    /// The machine of this rank.
    pub(crate) machine: Machine,
    /// The arithmetic.
    pub(crate) backend: &'static dyn Backend,
    /// Of the numbers.
    pub(crate) precision: Precision,
    /// Order of the tiles.
    pub(crate) nb: usize,
    /// Names of the codelets.
    pub(crate) codelets: Vec<&'static str>,
}

impl Needs {
    /// The machine of this rank, whose cores go on at this pace. Times are those that runs on it
    /// have learnt; what these do not know is timed now, on a core.
    ///
    /// # Errors
    /// If a covariance refuses its own defaults.
    pub(super) fn platform(&self, Pace { share, .. }: Pace) -> Result<Platform> {
        let learnt = LearntModels::open(&self.machine, self.backend, None).models;
        let measured = Models::new(&self.machine);
        for &codelet in &self.codelets {
            self.time(codelet, &learnt, &measured)?;
        }
        let models = Models::new(&self.machine);
        let mut best = 0.0_f64;
        for entry in self.known(&learnt).into_iter().chain(measured.entries()) {
            // Times are of a core that does nothing else.
            let is_core = entry.class == self.machine.classes[0].name;
            let seconds = if is_core { entry.seconds / share } else { entry.seconds };
            let entry = Entry { seconds, ..entry };
            best = best.max(1e-9 * entry.flops as f64 / seconds);
            self.enter(&models, &entry);
        }
        for (class, of) in self.machine.classes.iter().enumerate() {
            let guess = learnt.guess_of(ClassId(class));
            let is_core = of.kind != WorkerKind::Cuda;
            let gflops = best.max(f64::MIN_POSITIVE) * of.speed;
            let guess =
                guess.map(|guess| if is_core { WorkerModel { gflops, ..guess } } else { guess });
            models.guess(ClassId(class), guess);
        }
        let (name, source) = (self.name(), "measured as the run began".to_owned());
        let machine = self.machine.clone();
        let (precision, power, ram_bytes) = (None, None, None);
        Ok(Platform { name, source, precision, machine, models, power, ram_bytes })
    }

    /// How the cores of this rank go on while all of them multiply: the mean of their paces.
    pub(super) fn pace(&self) -> Pace {
        let cores = self.machine.workers.iter().filter(|worker| worker.class == ClassId(0));
        let cores = cores.count().max(1);
        let pace = || measure::pace(self.backend, self.nb, PACED);
        let (seconds, share) = std::thread::scope(|scope| {
            let paced: Vec<_> = (0..cores).map(|_| scope.spawn(pace)).collect();
            let paced = paced.into_iter().filter_map(|pace| pace.join().ok());
            paced.fold((0.0, 0.0), |sum, pace| (sum.0 + pace.seconds, sum.1 + pace.share))
        });
        Pace { seconds: seconds / cores as f64, share: share / cores as f64 }
    }

    /// Times `codelet` unless `learnt` knows it, as far as it can be timed.
    fn time(&self, codelet: &'static str, learnt: &Models, measured: &Models) -> Result<()> {
        if codelet == Covariance::<f64>::NAME {
            return Ok(measure::covariance(self.precision, self.nb, SAMPLES, measured)?);
        }
        let Some(kernel) = kernel(codelet) else { return Ok(()) };
        let cost = (kernel.double.cost)(self.nb);
        let is_known = learnt.basis(codelet, cost, ClassId(0)) == Some(Basis::Known);
        if self.precision != Precision::Double || !is_known {
            measure::kernel(kernel, self.backend, self.precision, self.nb, SAMPLES, measured);
        }
        Ok(())
    }

    /// What runs have learnt of the codelets, in double precision.
    fn known(&self, learnt: &Models) -> Vec<Entry> {
        if self.precision != Precision::Double {
            return Vec::new();
        }
        let mut entries = learnt.entries();
        entries.retain(|entry| self.codelets.contains(&entry.codelet.as_str()) && !entry.never);
        entries
    }

    /// Takes in what is known of a core, of what plays a device with it too. Plans are made for
    /// tiles in double precision, whatever these are.
    fn enter(&self, models: &Models, entry: &Entry) {
        let number = self.precision.bytes() as u64;
        let bytes = entry.bytes * size_of::<f64>() as u64 / number;
        let entry = Entry { bytes, samples: None, ..entry.clone() };
        models.enter(&entry);
        if entry.class == self.machine.classes[0].name {
            let played = self.machine.classes.iter().filter(|of| of.kind == WorkerKind::Emulated);
            for class in played {
                let seconds = entry.seconds / class.speed;
                models.enter(&Entry { class: class.name.clone(), seconds, ..entry.clone() });
            }
        }
    }

    /// What it is, so that ranks on machines that are alike bear the same name.
    fn name(&self) -> String {
        let counts = self.machine.classes.iter().enumerate().map(|(class, of)| {
            let class = ClassId(class);
            let workers = self.machine.workers.iter().filter(|worker| worker.class == class);
            format!("{} {}", workers.count(), of.name)
        });
        format!("{}: {}", processor(), counts.collect::<Vec<_>>().join(", "))
    }
}
