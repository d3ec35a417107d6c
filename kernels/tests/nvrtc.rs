//! All device code compiled by NVIDIA's own compiler, for every generation of devices that it
//! knows: what can be said of the code without one.

use std::thread;

use tegula_kernels::cuda::device_code::{GENERATIONS, Target, compiled};
use tegula_kernels::scalar::{Scalar, c32, c64};

/// Compiles for all; how many of the generations the compiler knows.
fn compile_for_all<T: Scalar>() -> usize {
    let known = GENERATIONS.iter().filter(|&&generation| {
        let made = compiled::<T>(Target::Virtual(generation));
        match &made {
            Ok(text) => assert!(text.windows(6).any(|word| word == b".entry"), "PTX has entries"),
            Err(error) => assert!(error.to_string().contains("gpu-architecture"), "{error}"),
        }
        made.is_ok()
    });
    known.count()
}

#[test]
#[allow(clippy::print_stderr)]
fn all_device_code_compiles_for_every_generation() {
    let machine = compiled::<f64>(Target::Machine((9, 0)));
    if let Err(error) = &machine {
        assert!(error.to_string().ends_with("it is not there"), "{error}");
        return eprintln!("SKIPPED: device code is not compiled: {error}");
    }
    assert!(machine.is_ok_and(|machine| machine.starts_with(b"\x7fELF")));
    // Each takes a core for about a minute.
    let known = thread::scope(|scope| {
        let all = [
            compile_for_all::<f64>,
            compile_for_all::<f32>,
            compile_for_all::<c64>,
            compile_for_all::<c32>,
        ];
        let threads = all.map(|compile| scope.spawn(compile));
        threads.map(|thread| thread.join().expect("all code compiles"))
    });
    assert!(known.iter().all(|&count| count > 3 && count == known[0]), "{known:?}");
}
