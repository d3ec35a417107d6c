//! Prints how long an evaluation by tiles of low rank takes, what its factor holds, and how far the
//! log-likelihood is from the exact one: `tlr_rates [PLACES [WORKERS [ACCURACY [TILE [exact]]]]]`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use tegula_exageostat::covariance::find;
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Evaluate, Evaluation, Likelihood, Overlap};
use tegula_exageostat::observations::Observations;
use tegula_exageostat::tlr::{Tlr, TlrLikelihood, tile_size};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_linalg::Ranks;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};

/// Evaluates twice, and says how long the second evaluation took.
fn timed(likelihood: &mut dyn Evaluate) -> Result<(Evaluation, f64), Box<dyn std::error::Error>> {
    let matern = find("matern")?;
    let mut evaluate = || {
        let start = Instant::now();
        let evaluation = likelihood.evaluate(matern, &[1.0, 0.1, 0.5], 0.0)?;
        Ok((evaluation, start.elapsed().as_secs_f64()))
    };
    let first: Result<_, Box<dyn std::error::Error>> = evaluate();
    first?;
    evaluate()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = |place: usize| std::env::args().nth(place);
    let number =
        |place: usize, usual: usize| argument(place).map_or(Ok(usual), |argument| argument.parse());
    let n = number(1, 10_000)?;
    let workers = number(2, 2)?;
    let accuracy = argument(3).map_or(Ok(1e-6), |argument| argument.parse())?;
    let nb = number(4, tile_size(n))?;
    let points = random_points(Geometry::Plane, n, 1.0, 7);
    let wave = |i: usize| (points.point(i)[0] * 20.0).sin() + (points.point(i)[1] * 30.0).cos();
    let values: Vec<f64> = (0..n).map(wave).collect();
    let observations = Observations::new(points.clone(), values, Design::zero(n));
    let flow = || Flow::new(Exec::new(ExecOptions::new(workers)), FlowOptions::default());

    let mut tlr = TlrLikelihood::new(flow(), &observations, Tlr { accuracy, nb });
    let (found, seconds) = timed(&mut tlr)?;
    let Ranks { mean, largest, dense, tiles, bytes, dense_bytes } =
        tlr.ranks().ok_or("there was an evaluation")?;
    println!(
        "{n} places, {workers} workers, accuracy {accuracy:e}, tiles of {nb}: {seconds:.3} s, \
         ranks {mean:.1} in the mean and {largest} at most, {dense} of {tiles} tiles dense, \
         {:.1} MB instead of {:.1} MB, log-likelihood {:.6}",
        bytes as f64 * 1e-6,
        dense_bytes as f64 * 1e-6,
        found.loglik()
    );
    if argument(5).is_some() {
        let nb = tegula_linalg::tile_size(n, workers);
        let mut exact = Likelihood::<f64>::new(flow(), &observations, nb, Overlap::default());
        let (exact, seconds) = timed(&mut exact)?;
        let error = found.loglik() - exact.loglik();
        println!("exact: {seconds:.3} s, log-likelihood {:.6}, error {error:.3e}", exact.loglik());
    }
    Ok(())
}
