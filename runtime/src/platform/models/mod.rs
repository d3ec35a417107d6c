//! How long tasks take, learnt from those that ran: per kernel, class of workers and size.
//!
//! [`Models`] answers for a kernel, a class of workers and a size, with the first that there is:
//!
//! 1. the mean of at least ten tasks of that size, or a number that a file gives;
//! 2. a formula that a file gives for that kernel on that class: overhead + flops / rate + bytes /
//!    rate;
//! 3. a power law of the size through the other sizes of that kernel on that class (least squares
//!    in logarithms; one size alone gives its rate). Tiles of the same precision count alone if
//!    there are any;
//! 4. the guess for the class, if it has one. [`Models::basis`] says which of these it was.
//!
//! A class that cannot run a kernel has no time for it. A question costs some tens of nanoseconds
//! (`examples/lookup_cost.rs`).

mod curve;
mod moments;
mod table;
#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{ClassId, Durations, Machine, WorkerModel};
use crate::types::Cost;
use table::{Size, Table};

/// Samples from which on the mean of a size is believed, as in StarPU.
pub const TRUSTED: u64 = 10;

/// What is known of one kernel of one size on one class of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name of the codelet.
    pub codelet: String,
    /// Name of the class.
    pub class: String,
    /// Floating-point operations, to the whole number.
    pub flops: u64,
    /// Bytes read and written; 0: any.
    pub bytes: u64,
    /// Mean time, in seconds.
    pub seconds: f64,
    /// Standard deviation of the time, in seconds; 0 where it is not known.
    pub deviation: f64,
    /// How many tasks that is the mean of; none: a number from elsewhere, which is believed.
    pub samples: Option<u64>,
    /// The class cannot run this codelet; sizes and times then say nothing.
    pub never: bool,
    /// A time for all sizes; sizes and times then say nothing.
    pub formula: Option<Formula>,
}

/// The time of a kernel on a class of workers as a function of its size: `overhead_seconds + flops
/// / gflops + bytes / gbytes_per_second`, in nanoseconds but for the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formula {
    /// 10^9 operations per second.
    pub gflops: f64,
    /// 10^9 bytes read and written per second; infinite: they take no time.
    pub gbytes_per_second: f64,
    /// Time that each task takes besides, in seconds.
    pub overhead_seconds: f64,
}

impl Formula {
    /// Time of a task of this size.
    fn nanoseconds(&self, size: Size) -> f64 {
        let work = size.flops as f64 / self.gflops + size.bytes as f64 / self.gbytes_per_second;
        1e9 * self.overhead_seconds + work
    }
}

impl Entry {
    /// That `class` cannot run `codelet`.
    #[must_use]
    pub fn never(codelet: &str, class: &str) -> Self {
        Self {
            codelet: codelet.to_owned(),
            class: class.to_owned(),
            flops: 0,
            bytes: 0,
            seconds: 0.0,
            deviation: 0.0,
            samples: None,
            never: true,
            formula: None,
        }
    }

    /// That `codelet` takes as long on `class` as `formula` says.
    #[must_use]
    pub fn of_formula(codelet: &str, class: &str, formula: Formula) -> Self {
        Self { never: false, formula: Some(formula), ..Self::never(codelet, class) }
    }

    /// By what entries are put in order.
    fn place(&self) -> (&str, &str, u64, u64) {
        (&self.codelet, &self.class, self.flops, self.bytes)
    }
}

/// What an expected time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Enough tasks of that size, or a number or formula from elsewhere.
    Known,
    /// Other sizes of the kernel on that class, or too few tasks of this one.
    Extrapolated,
    /// The guess for all kernels on that class.
    Guessed,
}

/// Models of kernels on the classes of a machine.
///
/// The time of a task is, the first that there is: the mean of at least [`TRUSTED`] tasks of its
/// kernel, class and size, or a number from elsewhere; what a formula for that kernel on that class
/// says; what a power law through its other sizes there says; what the guess for the class says. A
/// kernel that a class cannot run has no time there, nor has one of which nothing is known on a
/// class without a guess.
///
/// ```
/// use tegula_runtime::flow::Cost;
/// use tegula_runtime::platform::{ClassId, Durations, Machine, Models};
///
/// let models = Models::new(&Machine::cores(2));
/// let (small, large) = (Cost { flops: 1e6, bytes: 0.0 }, Cost { flops: 8e6, bytes: 0.0 });
/// assert_eq!(models.nanoseconds("gemm", small, ClassId(0)), None);
/// for _ in 0..10 {
///     models.record("gemm", small, ClassId(0), 50_000);
/// }
/// assert_eq!(models.nanoseconds("gemm", small, ClassId(0)), Some(50_000));
/// assert_eq!(models.nanoseconds("gemm", large, ClassId(0)), Some(400_000));
/// ```
#[derive(Debug)]
pub struct Models {
    table: Mutex<Table>,
}

impl Models {
    /// Models that know nothing yet, for the classes of `machine`.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        let classes = machine.classes.iter().map(|class| class.name.clone()).collect();
        Self { table: Mutex::new(Table::new(classes)) }
    }

    /// The same, with a guess for each class.
    #[must_use]
    pub fn guessing(machine: &Machine, guess: WorkerModel) -> Self {
        let models = Self::new(machine);
        for class in 0..machine.classes.len() {
            models.guess(ClassId(class), Some(guess));
        }
        models
    }

    /// Sets the guess for kernels on `class` of which nothing is known.
    pub fn guess(&self, class: ClassId, guess: Option<WorkerModel>) {
        self.lock().guess(class, guess);
    }

    /// The guess for kernels on `class` of which nothing is known.
    #[must_use]
    pub fn guess_of(&self, class: ClassId) -> Option<WorkerModel> {
        self.lock().guesses[class.0]
    }

    /// What the time of such a task comes from; none if it has no time.
    #[must_use]
    pub fn basis(&self, codelet: &'static str, cost: Cost, class: ClassId) -> Option<Basis> {
        self.lock().basis(codelet, Size::from(cost), class)
    }

    /// Takes in what is known from elsewhere, in place of what was known of that size. Entries of
    /// classes that the machine lacks are kept, and are in the way of nobody.
    pub fn enter(&self, entry: &Entry) {
        self.lock().enter(entry);
    }

    /// Everything that is known, in the order of codelets, classes and sizes.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().entries()
    }

    /// A panic elsewhere leaves no model half changed that would matter.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Durations for Models {
    fn nanoseconds(&self, codelet: &'static str, cost: Cost, class: ClassId) -> Option<u64> {
        self.lock().answer(codelet, Size::from(cost), class)
    }

    fn record(&self, codelet: &'static str, cost: Cost, class: ClassId, nanoseconds: u64) {
        self.lock().record(codelet, Size::from(cost), class, nanoseconds);
    }
}
