//! Programs of linear algebra, each described once: what the command line times and checks, what is
//! simulated and planned, what memory is asked for and what a checkpoint holds all derive from
//! [`PROGRAMS`].
//!
//! A program is a `Routine` in a file of `routines` and a line in the list. An [`Instance`] is a
//! program on matrices of one size in one precision, registered with a flow.

mod any;
mod case;
mod contents;
mod count;
mod factorised;
mod footprint;
mod freivalds;
mod instance;
mod layout;
mod memory;
mod operand;
mod options;
mod random;
mod routines;
mod sizes;

use std::fmt;
use std::ops::Range;

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::{Precision, Scalar, c32, c64};
use tegula_runtime::flow::{Decisions, Failure, Flow};
use tegula_tiles::{Storage, TileGrid};

use case::Case;

pub use any::AnyMatrix;
pub use contents::{InputMatrix, Inputs};
pub use count::{Counts, codelets_of};
pub use factorised::Factorised;
pub use footprint::Footprint;
pub use freivalds::THRESHOLD;
use instance::Calls;
pub use instance::Instance;
pub use layout::{Blocks, Layout};
pub use memory::{most_bytes, peak_bytes};
pub use operand::{Operand, Role};
pub use options::{Choice, Options, SIDES, TRANSPOSITIONS, TREES};
pub use random::Entries;
pub use routines::{PROGRAMS, cholesky_flops};
pub use sizes::{Size, Sizes};

/// A routine of linear algebra, as its file states it; a member of [`PROGRAMS`].
trait Routine: 'static {
    /// The family, by which the list is in order.
    const FAMILY: &'static str;
    /// LAPACK's name, without the letter of the precision.
    const NAME: &'static str;
    /// What it computes.
    const FORMULA: &'static str;
    /// The sizes that it has.
    const SIZES: &'static [Size];
    /// Its operations in real precisions, in words.
    const FLOPS: &'static str;
    /// What its check computes, without what it is divided by.
    const CHECK: &'static str;
    /// Whether it works on one triangle, which `--uplo` names.
    const HAS_UPLO: bool = false;
    /// The variants that it has.
    const CHOICES: &'static [Choice] = &[];
    /// The precisions that it has.
    const PRECISIONS: &'static [Precision] = &Precision::ALL;
    /// What it [decides](Flow::decide) by what the matrices hold, each with its meaning. Tasks can
    /// be counted before if it decides nothing.
    const DECISIONS: &'static [(char, &'static str)] = &[];
    /// What it factorises, if it does.
    const FACTORISED: Option<Factorised> = None;
    /// Pairs of sizes of which the first may not be larger than the second.
    const LIMITS: &'static [(Size, Size)] = &[];
    /// Its matrices.
    const OPERANDS: &'static [Operand];
    /// Whether it leaves a matrix that is no operand: the first of those found, or values in a
    /// column.
    const MAKES_RESULT: bool = false;

    /// Of an algorithm that may pause between steps: the operands that it then needs to go on. The
    /// others are as they were at first.
    const STATE: &'static [usize] = &[];

    /// Its operations in real precisions (LAPACK Working Note 41, appendix C).
    fn flops(sizes: &Sizes) -> f64;

    /// Registers what it has beside the operands.
    fn register<T: Scalar>(_flow: &mut Flow, _case: &mut Case<T>) {}

    /// Submits what has to run before it, and is not timed.
    fn prepare<T: Scalar>(_flow: &mut Flow, _case: &Case<T>) {}

    /// Submits it.
    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>);

    /// Submits these of its [steps](Program::steps), after those before; with the last, all that
    /// follows.
    ///
    /// # Panics
    /// If it makes no pauses.
    fn submit_steps<T: Scalar>(_flow: &mut Flow, _case: &mut Case<T>, _steps: Range<usize>) {
        panic!("a program without pauses has no steps")
    }

    /// Fails if the result is none, of an algorithm whose tasks do not say so.
    ///
    /// # Errors
    /// Why it is none, and those of the flow.
    fn verify<T: Scalar>(_flow: &mut Flow, _case: &Case<T>) -> Result<(), Failure> {
        Ok(())
    }

    /// The backward error of what the last [`submit`](Self::submit) left, in units of rounding.
    ///
    /// # Errors
    /// Those of the flow.
    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure>;

    /// Bytes that a task works on whatever the tiles are.
    fn task_bytes(_sizes: &Sizes) -> u64 {
        0
    }

    /// Bytes that it keeps beside what it registers, as far as that is as large: no disk takes
    /// them.
    fn plain_bytes(_sizes: &Sizes) -> u64 {
        0
    }
}

/// A routine of linear algebra with all that is known of it before it runs: its sizes, its
/// matrices, its operations, how it pauses, and how it is submitted in a precision that is a value
/// of [`Sizes`].
pub struct Program {
    /// The family.
    pub family: &'static str,
    /// LAPACK's name, without the letter of the precision.
    pub name: &'static str,
    /// What it computes.
    pub formula: &'static str,
    /// The sizes that it has.
    pub sizes: &'static [Size],
    /// Its operations in real precisions, in words.
    pub flops_formula: &'static str,
    /// What its check computes.
    pub check: &'static str,
    /// Whether it works on one triangle, which `--uplo` names.
    pub has_uplo: bool,
    /// The variants that it has.
    pub choices: &'static [Choice],
    /// The precisions that it has.
    pub precisions: &'static [Precision],
    /// What it [decides](Flow::decide) by what the matrices hold, each with its meaning.
    pub decisions: &'static [(char, &'static str)],
    /// What it factorises, if it does.
    pub factorised: Option<Factorised>,
    /// Pairs of sizes of which the first may not be larger than the second.
    pub limits: &'static [(Size, Size)],
    /// Its matrices.
    pub operands: &'static [Operand],
    makes_result: bool,
    /// Of a program that may pause between steps: the operands that it then needs to go on; none:
    /// it makes no pauses.
    pub state: &'static [usize],
    flops: fn(&Sizes) -> f64,
    /// Bytes that a task works on whatever the tiles are.
    pub task_bytes: fn(&Sizes) -> u64,
    /// Bytes beside what it registers.
    pub plain_bytes: fn(&Sizes) -> u64,
    single: Calls<f32>,
    double: Calls<f64>,
    complex_single: Calls<c32>,
    complex_double: Calls<c64>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Program {
    /// The program of `A`.
    const fn of<A: Routine>() -> Self {
        Self {
            family: A::FAMILY,
            name: A::NAME,
            formula: A::FORMULA,
            sizes: A::SIZES,
            flops_formula: A::FLOPS,
            check: A::CHECK,
            has_uplo: A::HAS_UPLO,
            choices: A::CHOICES,
            precisions: A::PRECISIONS,
            decisions: A::DECISIONS,
            factorised: A::FACTORISED,
            limits: A::LIMITS,
            operands: A::OPERANDS,
            makes_result: A::MAKES_RESULT,
            state: A::STATE,
            flops: A::flops,
            task_bytes: A::task_bytes,
            plain_bytes: A::plain_bytes,
            single: Calls::of::<A>(),
            double: Calls::of::<A>(),
            complex_single: Calls::of::<A>(),
            complex_double: Calls::of::<A>(),
        }
    }

    /// Its sizes on square matrices of `tiles x tiles` tiles of order `nb`, with one right-hand
    /// side, and as many problems of a batch as tiles hold.
    #[must_use]
    pub fn sizes_of_tiles(&self, tiles: usize, nb: usize, precision: Precision) -> Sizes {
        let n = tiles * nb;
        // Tiles hold the problems of a batch whole.
        let (m, n, count) = if self.is_batch() { (nb, nb, n) } else { (n, n, 0) };
        Sizes {
            m,
            n,
            k: n,
            nrhs: 1,
            count,
            nb,
            uplo: Uplo::Lower,
            precision,
            workers: 1,
            sharers: 1,
            seed: 0,
            options: Options::default(),
        }
    }

    /// Registers matrices of these sizes with `flow`; what they hold at first is random, or that of
    /// `inputs`.
    pub fn instance(&self, flow: &mut Flow, sizes: Sizes, inputs: &Inputs) -> Box<dyn Instance> {
        match sizes.precision {
            Precision::Single => self.single.instance(flow, self.operands, sizes, inputs),
            Precision::Double => self.double.instance(flow, self.operands, sizes, inputs),
            Precision::ComplexSingle => {
                self.complex_single.instance(flow, self.operands, sizes, inputs)
            }
            Precision::ComplexDouble => {
                self.complex_double.instance(flow, self.operands, sizes, inputs)
            }
        }
    }

    /// Its operations: complex ones count as four real ones, since most are products.
    pub fn flops(&self, sizes: &Sizes) -> f64 {
        (self.flops)(sizes) * if sizes.precision.is_complex() { 4.0 } else { 1.0 }
    }

    /// Steps between which it may pause, one for each column or row of blocks that it factorises;
    /// none if it makes no pauses.
    pub fn steps(&self, sizes: &Sizes) -> usize {
        if self.may_pause() { sizes.of(Size::Least).div_ceil(sizes.nb) } else { 0 }
    }

    /// The program of this name, if there is one.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        PROGRAMS.iter().find(|program| program.name == name)
    }

    /// Refuses a precision that it does not have.
    ///
    /// # Errors
    /// Which ones it has, in words.
    pub fn check_precision(&self, precision: Precision) -> Result<(), String> {
        if self.precisions.contains(&precision) {
            return Ok(());
        }
        let letters = self.precisions.iter().map(|precision| precision.letter());
        Err(format!("{} takes --precision {}", self.name, letters.collect::<Vec<_>>().join(" or ")))
    }

    /// Whether its tasks do not depend on what the matrices hold, so that they can be counted
    /// before.
    #[must_use]
    pub const fn is_steady(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Decisions of a run of it, as that wrote them.
    ///
    /// # Errors
    /// What it decides, in words, if it takes no such decisions.
    pub fn read_decisions(&self, text: &str) -> Result<Decisions, String> {
        let decisions: Decisions = text.parse()?;
        let is_known = |letter| self.decisions.iter().any(|&(known, _)| known == letter);
        if let Some(unknown) = decisions.letters().find(|&letter| !is_known(letter)) {
            let of = |(letter, meaning): &(char, &str)| format!("{letter}: {meaning}");
            let known: Vec<String> = self.decisions.iter().map(of).collect();
            return Err(match known.is_empty() {
                true => format!("{} decides nothing by its matrices", self.name),
                false => format!("{} decides no {unknown}, but {}", self.name, known.join("; ")),
            });
        }
        Ok(decisions)
    }

    /// Whether it may pause between steps.
    pub fn may_pause(&self) -> bool {
        !self.state.is_empty()
    }

    /// Whether it leaves a matrix that can be written.
    pub fn has_result(&self) -> bool {
        self.makes_result || self.operands.iter().any(|operand| operand.is_result)
    }

    /// Its operands, in tiles.
    pub fn grids(&self, sizes: &Sizes) -> Vec<TileGrid> {
        self.operands.iter().map(|operand| operand.grid(sizes)).collect()
    }

    /// Which tiles of its matrices there are: those of a triangle if all but right-hand sides are
    /// triangles.
    pub fn storage(&self) -> Storage {
        let mut large = self.operands.iter().filter(|operand| operand.is_large());
        let are_triangles = large.all(|operand| operand.storage() == Storage::Lower);
        if are_triangles { Storage::Lower } else { Storage::Full }
    }

    /// Whether it is of many problems of one shape.
    pub fn is_batch(&self) -> bool {
        self.operands.iter().any(Operand::is_batch)
    }

    /// Whether its matrices are in columns or rows of blocks.
    pub fn is_cut_one_way(&self) -> bool {
        self.operands.iter().any(Operand::is_cut_one_way)
    }
}

#[cfg(test)]
mod tests;
