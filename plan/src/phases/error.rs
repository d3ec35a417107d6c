//! Why there is no plan.

use super::Phase;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// There are tasks that nobody can run.
    #[error(
        "no node that takes part in the {} phase can run '{kernel}': give its time in the file of a platform, or let other nodes take part",
        name(*phase)
    )]
    Nobody {
        /// Their kernel.
        kernel: &'static str,
        /// Their phase.
        phase: Phase,
    },
    /// The linear programme was not solved.
    #[error(
        "the load balance over {steps} steps was not found ({status}): times of tasks may lie too far apart"
    )]
    Unsolved {
        /// Steps of the programme.
        steps: usize,
        /// What the solver says.
        status: String,
    },
}

fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::First => "first",
        Phase::Second => "second",
    }
}
