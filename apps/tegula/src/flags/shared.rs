//! How tasks run of commands that share workers, and of what is simulated beside that.

use anyhow::Result;
use tegula_kernels::backend;
use tegula_runtime::exec::{ExecOptions, Pool};
use tegula_runtime::platform::allowed_cores;
use tegula_runtime::sched::{EvictionPolicy, POLICIES, Policy};

use super::choice::MachineChoice;
use super::{RunFlags, check_eviction};
use crate::error::refused;
use crate::ranks;

impl RunFlags {
    /// The machine of a command that shares it with others.
    ///
    /// # Errors
    /// If it asks for another one.
    pub(super) fn seated(&self, shared: MachineChoice) -> Result<MachineChoice> {
        let own = self.workers.is_some() || self.reserve.is_some() || self.ranks.is_some();
        if own || self.distribution.is_some() || !self.machine.is_default() {
            return Err(refused(
                "workers, devices, memory and ranks are those of compose: give them there",
            ));
        }
        Ok(shared)
    }

    /// Workers that several commands share, recorded if `trace`, and the machine that they are.
    ///
    /// # Errors
    /// If flags contradict each other, or ask for ranks.
    pub(crate) fn pool(&self, trace: bool) -> Result<(Pool, MachineChoice)> {
        if self.ranks.is_some() || self.distribution.is_some() || ranks::ranks() > 1 {
            return Err(refused("commands that share workers run on one rank"));
        }
        let cores = self.cores()?;
        if let Some(choice) = self.blas {
            backend::select(choice, cores.max(1))?;
        }
        let machine = self.machine.resolve(cores, &[])?;
        let policy =
            self.policy.map_or(machine.default_policy().policy(), |index| &POLICIES[index]);
        check_eviction(machine.eviction(policy), policy)?;
        let bind = machine.cores == allowed_cores().len();
        let (eviction, accelerators) = (machine.eviction(policy), machine.accelerators());
        let options = ExecOptions::on(machine.machine());
        let seed = self.seed;
        let options = ExecOptions { accelerators, policy, eviction, seed, bind, trace, ..options };
        Ok((Pool::new(options), machine))
    }

    /// The policy that was asked for, if one was.
    pub(crate) fn policy(&self) -> Option<&'static Policy> {
        self.policy.map(|index| &POLICIES[index])
    }

    /// The eviction policy that was asked for, or that suits `policy`.
    ///
    /// # Errors
    /// If that was asked for and does not go with `policy`.
    pub(crate) fn eviction(&self, policy: &Policy) -> Result<&'static EvictionPolicy> {
        let eviction = self.machine.eviction(policy);
        check_eviction(eviction, policy)?;
        Ok(eviction)
    }

    /// Refuses what describes this machine, where another one is simulated.
    ///
    /// # Errors
    /// Which flags are of no use then.
    pub(crate) fn refuse_for_simulation(&self) -> Result<()> {
        let own = self.workers.is_some() || self.reserve.is_some() || self.ranks.is_some();
        if own || self.distribution.is_some() || self.blas.is_some() || !self.machine.is_plain() {
            return Err(refused(
                "--workers, --devices, --memory, --ranks and --blas are of this machine: \
                 --platform describes the one that is simulated",
            ));
        }
        Ok(())
    }
}
