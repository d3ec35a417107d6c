//! One evaluation of the likelihood, as `exageostat` makes it.

use tegula_exageostat::covariance;
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Overlap, Phases};
use tegula_exageostat::observations::Observations;
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::Covariance;
use tegula_kernels::scalar::Real;
use tegula_plan::distribution::messages;
use tegula_runtime::flow::{Codelet, Cost, Flow, FlowError};

use super::{Measure, Setting, Sizes, Spread, Tasks, Workload, held, triangle};

/// On each node one more worker, which runs only [`CRITICAL`] tasks.
pub(crate) const CRITICAL_WORKER: &str = "critical-worker";
/// Tasks that others wait for, behind which no long one should stand.
pub(crate) const CRITICAL: &[&str] = &["potrf"];

pub(super) const EXAGEOSTAT: Workload = Workload {
    name: "exageostat",
    summary: "an evaluation of the likelihood: generation, Cholesky, determinant, solve, dot product",
    tasks: Tasks::Described {
        submit: |flow, setting| {
            let is_single = setting.sizes.is_single();
            if is_single { evaluate::<f32>(flow, setting) } else { evaluate::<f64>(flow, setting) }
        },
        most: |n| held(n * (n + 1) * (n + 2) / 6 + n * (n + 4), 3, 0),
        working_set: triangle,
        flops: None,
    },
    spread: Spread::GeneratedAndFactorised,
    messages: Some(messages::cholesky),
    measures: &[
        Measure { name: "overlap", without: "wait after each phase" },
        Measure { name: "local-solve", without: "updates of the solve tile by tile" },
        Measure { name: "priorities", without: "priorities in the factorisation alone" },
        Measure { name: "submission-order", without: "generate column by column" },
        Measure { name: CRITICAL_WORKER, without: "no worker for potrf alone beside the others" },
    ],
};

/// The task that generates a tile, and what it costs.
pub(crate) fn generation(sizes: &Sizes) -> (&'static str, Cost) {
    let tile = Covariance::<f64>::within(Geometry::Plane, (sizes.nb, sizes.nb), (sizes.nb, 0));
    (Covariance::<f64>::NAME, tile.cost())
}

fn evaluate<T: Real>(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let overlap = Overlap {
        asynchronous: setting.has("overlap"),
        local_solve: setting.has("local-solve"),
        priorities: setting.has("priorities"),
        submission_order: setting.has("submission-order"),
        memory_cache: true,
    };
    // Where the places are makes no difference.
    let zeros = vec![0.0; setting.sizes.tiles * setting.sizes.nb];
    let points = Points::new(Geometry::Plane, &[&zeros, &zeros]).expect("zeros are places");
    let design = Design::zero(zeros.len());
    let observations = Observations::new(points, zeros, design);
    let mut phases = Phases::<T>::new(flow, &observations, setting.sizes.nb, overlap);
    if let Some(owners) = &setting.earlier {
        phases.generate_by(owners.clone());
    }
    let matern = covariance::find("matern").expect("it is listed");
    let table = matern.table(&matern.defaults(), 0.0).expect("defaults are parameters");
    phases.run(flow, &table)
}
