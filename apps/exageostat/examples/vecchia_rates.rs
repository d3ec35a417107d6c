//! Prints how long Vecchia's approximation takes: `vecchia_rates N M WORKERS`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use tegula_exageostat::covariance::find;
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Criterion, Evaluate};
use tegula_exageostat::observations::Observations;
use tegula_exageostat::vecchia::{ORDERINGS, Vecchia, VecchiaLikelihood};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut next = |default| numbers.next().unwrap_or(Ok(default));
    let (n, neighbours, workers) = (next(90_000)?, next(30)?, next(2)?);
    println!("{n} random places in the unit square, {neighbours} neighbours, {workers} workers");
    let points = random_points(Geometry::Plane, n, 1.0, 1);
    let values = (0..n).map(|i| (9.0 * points.point(i)[0]).sin() + 0.1 * (i % 7) as f64).collect();
    let observations = Observations::new(points, values, Design::constant(n));
    for &(ordering, name, _) in ORDERINGS {
        let options = Vecchia::new(neighbours, ordering);
        let flow = Flow::new(Exec::with_workers(workers), FlowOptions::default());
        let start = Instant::now();
        let mut vecchia = VecchiaLikelihood::new(flow, &observations, options);
        let ordered = start.elapsed().as_secs_f64();
        vecchia.flow().wait()?;
        let found = start.elapsed().as_secs_f64();
        println!("{name}: ordered in {ordered:.3} s, neighbours in {:.3} s", found - ordered);
        for (name, values) in [
            ("matern", &[1.0, 0.1, 0.7][..]),
            ("matern", &[1.0, 0.1, 0.5]),
            ("exponential", &[1.0, 0.1]),
        ] {
            let covariance = find(name)?;
            let mut seconds = [f64::INFINITY; 2];
            for _ in 0..5 {
                let start = Instant::now();
                vecchia.evaluate(covariance, values, 0.1)?;
                seconds[0] = seconds[0].min(start.elapsed().as_secs_f64());
                if name == "matern" {
                    let start = Instant::now();
                    let how = (Criterion::Full, true);
                    vecchia.score(covariance, values, 0.1, how, &|_| true)?;
                    seconds[1] = seconds[1].min(start.elapsed().as_secs_f64());
                }
            }
            println!(
                "  {name} {values:?}: likelihood {:.4} s, with its score {:.4} s",
                seconds[0], seconds[1]
            );
        }
    }
    Ok(())
}
