//! How fast a machine reads files, for programs that do.

use tegula_runtime::platform::{Cap, Entry, Formula, Machine, MemoryId, Models};

/// The codelet of tasks that read.
pub const READ: &str = "read";

/// From now on, at most `readers` tasks read at a time on `machine`, on its cores alone, and
/// `bytes_per_second` in all if they are so many.
///
/// # Panics
/// If the rate is not above 0, or there are no readers.
pub fn set_reading(models: &Models, machine: &mut Machine, bytes_per_second: f64, readers: usize) {
    assert!(bytes_per_second > 0.0, "a rate of {bytes_per_second} bytes a second");
    assert!(readers > 0, "nobody reads");
    for (number, class) in machine.classes.iter().enumerate() {
        let mut workers = machine.workers.iter().filter(|worker| worker.class.0 == number);
        let gbytes_per_second = 1e-9 * bytes_per_second / readers as f64;
        let formula = Formula { gflops: f64::INFINITY, gbytes_per_second, overhead_seconds: 0.0 };
        let is_core = workers.any(|worker| worker.memory == MemoryId::RAM);
        models.enter(&Entry {
            codelet: READ.to_owned(),
            class: class.name.clone(),
            flops: 0,
            bytes: 0,
            seconds: 0.0,
            deviation: 0.0,
            samples: None,
            never: !is_core,
            formula: is_core.then_some(formula),
        });
    }
    machine.caps.push(Cap { codelets: vec![READ.to_owned()], most: readers });
}
