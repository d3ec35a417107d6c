//! Rates of the dense kernels on one core: `rates [backend] [threads] [kernel] [tile size]...`.
//!
//! Several threads measure at the same time, each on tiles of its own, as workers would; the table
//! shows the rate of one thread, warm (tiles in the caches) and cold (tiles from memory).
#![allow(clippy::print_stdout)]

use tegula_kernels::backend::{Backend, Choice, environment};
use tegula_kernels::kernel::rate::{Temperature, rate};
use tegula_kernels::kernel::{KERNELS, Kernel};
use tegula_kernels::scalar::Precision;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prepared = environment::prepare(&[]);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |index: usize, default: &str| {
        arguments.get(index).cloned().unwrap_or_else(|| default.to_owned())
    };
    let threads: usize = word(1, "1").parse()?;
    let backend = Choice::named(&word(0, "native"))?.load(threads)?;
    let chosen = word(2, "all");
    let sizes: Vec<usize> =
        arguments.iter().skip(3).map(|size| size.parse()).collect::<Result<_, _>>()?;
    let sizes = if sizes.is_empty() { vec![264, 360, 504] } else { sizes };
    println!("{}: {}; {threads} threads", backend.name(), backend.description());
    if !prepared {
        println!("the environment that OpenBLAS is advised to have is not set");
    }
    println!("{:12} {:>5}  Gflop/s warm, cold; GB/s cold", "kernel", "n");
    for kernel in KERNELS.iter().filter(|kernel| chosen == "all" || kernel.name == chosen) {
        for precision in Precision::ALL.into_iter().rev() {
            sizes.iter().for_each(|&n| print_row(kernel, backend, precision, n, threads));
        }
    }
    Ok(())
}

fn print_row(
    kernel: &'static Kernel,
    backend: &'static dyn Backend,
    precision: Precision,
    n: usize,
    threads: usize,
) {
    let [warm, cold] = [Temperature::Warm, Temperature::Cold].map(|temperature| {
        let measure = move || rate(kernel, backend, precision, n, temperature);
        let running: Vec<_> = (0..threads).map(|_| std::thread::spawn(measure)).collect();
        let rates = running.into_iter().flat_map(|thread| thread.join().expect("no kernel panics"));
        let (gflops, gigabytes) =
            rates.fold((0.0, 0.0), |sum, rate| (sum.0 + rate.gflops(), sum.1 + rate.gigabytes()));
        (gflops / threads as f64, gigabytes / threads as f64)
    });
    let name = format!("{}{}", precision.letter(), kernel.name);
    println!("{name:12} {n:5} {:8.2} {:8.2} {:8.2}", warm.0, cold.0, cold.1);
}
