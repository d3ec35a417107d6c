//! Prints how long evaluations in 64 and 32 bits, or with a taper, take on a field drawn from the
//! model, what their factors hold, and how far the log-likelihood is from the exact one and is said
//! to be: `mixed_rates [PLACES [WORKERS [exact | mixed:EPS | dst:RANGE ...]]]`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use tegula_exageostat::covariance::find;
use tegula_exageostat::design::Design;
use tegula_exageostat::dst::{Dst, DstLikelihood};
use tegula_exageostat::likelihood::{Criterion, Evaluate, Likelihood, Overlap};
use tegula_exageostat::mixed::{Mixed, MixedLikelihood};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::sample::{Random, sample};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: usize| {
        arguments.get(place).map_or(Ok(usual), |argument| argument.parse())
    };
    let (n, workers) = (number(0, 8000)?, number(1, 2)?);
    let model = Model { covariance: find("matern")?, values: vec![1.0, 0.1, 0.5], nugget: 0.0 };
    let flow = || Flow::new(Exec::new(ExecOptions::new(workers)), FlowOptions::default());
    let (points, nb) =
        (random_points(Geometry::Plane, n, 1.0, 7), tegula_linalg::tile_size(n, workers));
    let noise = Random::new(1).normals(n);
    let values = sample::<f64>(&mut flow(), &model, &points, &noise, nb)?;
    let observations = Observations::new(points, values, Design::zero(n));
    let mut exact = None;
    for method in arguments.iter().skip(2) {
        let mut likelihood: Box<dyn Evaluate> = match method.split_once(':') {
            Some(("mixed", accuracy)) => {
                let mixed = Mixed { accuracy: accuracy.parse()?, nb };
                Box::new(MixedLikelihood::new(flow(), &observations, mixed))
            }
            Some(("dst", range)) => {
                let dst = Dst::new(range.parse()?, n);
                Box::new(DstLikelihood::new(flow(), &observations, dst))
            }
            _ => Box::new(Likelihood::<f64>::new(flow(), &observations, nb, Overlap::default())),
        };
        // The second evaluation finds memory that the first has asked for.
        let mut loglik = 0.0;
        let mut seconds = 0.0;
        for _ in 0..2 {
            let start = Instant::now();
            let found = likelihood.evaluate(model.covariance, &model.values, model.nugget)?;
            (loglik, seconds) = (found.loglik(), start.elapsed().as_secs_f64());
        }
        let remark = likelihood.remark().unwrap_or_default();
        println!("{method}, {n} places: {seconds:.3} s, log-likelihood {loglik:.6}; {remark}");
        let known = (Criterion::Full, loglik);
        let Model { covariance, values, nugget } = &model;
        let estimate = likelihood.error_estimate(covariance, values, *nugget, known)?;
        match (estimate, exact) {
            (Some(estimate), Some(exact)) => {
                println!("  error {:.3e}, estimated {estimate:.3e}", exact - loglik);
            }
            (Some(estimate), None) => println!("  error estimated {estimate:.3e}"),
            (None, _) => exact = Some(loglik),
        }
    }
    Ok(())
}
