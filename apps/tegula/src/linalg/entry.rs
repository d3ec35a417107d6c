//! What an algorithm's file says of it, and what the list makes of that: a problem in each
//! precision, and what it takes.

use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use tegula_files::checkpoint::Body;
use tegula_kernels::scalar::{Precision, Scalar, c32, c64};
use tegula_runtime::flow::Flow;

use super::case::Case;
use super::inputs::Inputs;
use super::operand::Operand;
use super::options::Choice;
use super::sizes::{Size, Sizes};
use crate::demand::Grid;

/// An algorithm, as its file states it.
pub(super) trait Listed: 'static {
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
    /// Whether its tasks do not depend on what the matrices hold, so that they can be counted before.
    const IS_STEADY: bool = true;
    /// Pairs of sizes of which the first may not be larger than the second.
    const LIMITS: &'static [(Size, Size)] = &[];
    /// Its matrices.
    const OPERANDS: &'static [Operand];
    /// Whether it leaves a matrix that is no operand: the first of those found, or values in a column.
    const MAKES_RESULT: bool = false;

    /// Of an algorithm that may pause between steps: the operands that it then needs to go on. The others are
    /// as they were at first.
    const STATE: &'static [usize] = &[];

    /// Its operations in real precisions (LAPACK Working Note 41, appendix C).
    fn flops(sizes: &Sizes) -> f64;

    /// Registers what it has beside the operands.
    fn register<T: Scalar>(_flow: &mut Flow, _case: &mut Case<T>) {}

    /// Submits what has to run before it, and is not timed.
    fn prepare<T: Scalar>(_flow: &mut Flow, _case: &Case<T>) {}

    /// Submits it.
    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>);

    /// Submits these of its [steps](Entry::steps), after those before; with the last, all that follows.
    ///
    /// # Panics
    /// If it makes no pauses.
    fn submit_steps<T: Scalar>(_flow: &mut Flow, _case: &mut Case<T>, steps: Range<usize>) {
        panic!("{} has no steps {steps:?}", Self::NAME)
    }

    /// Fails if the result is none, of an algorithm whose tasks do not say so.
    ///
    /// # Errors
    /// Why it is none, and those of the flow.
    fn verify<T: Scalar>(_flow: &mut Flow, _case: &Case<T>) -> anyhow::Result<()> {
        Ok(())
    }

    /// The backward error of what the last [`submit`](Self::submit) left, in units of rounding.
    ///
    /// # Errors
    /// Those of the flow.
    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> anyhow::Result<f64>;

    /// What it registers beside the operands, as far as that is as large as they are.
    fn beside(_sizes: &Sizes) -> Vec<Grid> {
        Vec::new()
    }

    /// Bytes that a task works on whatever the tiles are.
    fn task_bytes(_sizes: &Sizes) -> u64 {
        0
    }

    /// Bytes that it keeps beside what it registers, as far as that is as large: no disk takes them.
    fn plain_bytes(_sizes: &Sizes) -> u64 {
        0
    }

    /// Tiles of the first operand that it keeps copies of, where all workers share one memory without
    /// limit.
    fn copied_tiles(_sizes: &Sizes) -> usize {
        0
    }
}

/// A problem in one precision.
pub(super) trait Problem {
    /// Submits the tasks that fill its matrices.
    fn fill(&mut self, flow: &mut Flow);

    /// Submits what has to run before the algorithm, and is not timed.
    fn prepare(&mut self, flow: &mut Flow);

    /// Submits the algorithm.
    fn submit(&mut self, flow: &mut Flow);

    /// Submits some of its steps, after those before.
    fn submit_steps(&mut self, flow: &mut Flow, steps: Range<usize>);

    /// Bytes of the tiles that it needs to go on after a step.
    fn state_bytes(&self) -> u64;

    /// Waits, then writes what it needs to go on after so many `steps`: its tiles, their digests, and the
    /// rest.
    ///
    /// # Errors
    /// Those of the flow and of `out`.
    fn save(&self, flow: &mut Flow, steps: usize, out: &mut dyn Write) -> Result<()>;

    /// Submits the tasks that fill its matrices as they were [saved](Self::save), and answers after how many
    /// steps that was.
    ///
    /// # Errors
    /// Those of the flow and of the file.
    fn restore(&mut self, flow: &mut Flow, saved: Body) -> Result<usize>;

    /// Fails if the result is none.
    ///
    /// # Errors
    /// That failure, and those of the flow.
    fn verify(&mut self, flow: &mut Flow) -> Result<()>;

    /// The backward error of the result, in units of rounding.
    ///
    /// # Errors
    /// Those of the flow and of files.
    fn check(&mut self, flow: &mut Flow) -> Result<f64>;

    /// Numbers that it found, by their names.
    fn values(&self) -> Vec<(&'static str, f64)>;

    /// Eigenvalues or singular values, all of them.
    fn spectrum(&self) -> Vec<f64>;

    /// Writes the result to `path`, of an algorithm that has one.
    ///
    /// # Errors
    /// Those of the flow and of the file.
    fn write(&mut self, flow: &mut Flow, path: &Path) -> Result<()>;
}

/// The algorithm `A` on one case.
struct Instance<A, T> {
    case: Case<T>,
    algorithm: std::marker::PhantomData<A>,
}

impl<A: Listed, T: Scalar> Instance<A, T> {
    fn boxed(flow: &mut Flow, sizes: Sizes, inputs: &Inputs) -> Box<dyn Problem> {
        let mut case = Case::new(flow, A::OPERANDS, sizes, inputs);
        A::register(flow, &mut case);
        Box::new(Self { case, algorithm: std::marker::PhantomData })
    }
}

impl<A: Listed, T: Scalar> Problem for Instance<A, T> {
    fn fill(&mut self, flow: &mut Flow) {
        self.case.fill(flow);
    }

    fn prepare(&mut self, flow: &mut Flow) {
        A::prepare(flow, &self.case);
    }

    fn submit(&mut self, flow: &mut Flow) {
        A::submit(flow, &mut self.case);
    }

    fn submit_steps(&mut self, flow: &mut Flow, steps: Range<usize>) {
        A::submit_steps(flow, &mut self.case, steps);
    }

    fn state_bytes(&self) -> u64 {
        self.case.state_bytes(A::STATE)
    }

    fn save(&self, flow: &mut Flow, steps: usize, out: &mut dyn Write) -> Result<()> {
        self.case.save(flow, A::STATE, steps, out)
    }

    fn restore(&mut self, flow: &mut Flow, saved: Body) -> Result<usize> {
        self.case.restore(flow, A::STATE, saved)
    }

    fn verify(&mut self, flow: &mut Flow) -> Result<()> {
        if let Some(failure) = self.case.failure.take() {
            return Err(failure);
        }
        if let Some(failure) = self.case.verdict.take() {
            return Err(failure.into());
        }
        A::verify(flow, &self.case)
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64> {
        A::check(flow, &self.case)
    }

    fn values(&self) -> Vec<(&'static str, f64)> {
        self.case.values.clone()
    }

    fn spectrum(&self) -> Vec<f64> {
        self.case.spectrum.clone()
    }

    fn write(&mut self, flow: &mut Flow, path: &Path) -> Result<()> {
        let result = A::OPERANDS.iter().enumerate().find(|(_, operand)| operand.is_result);
        match result {
            Some(operand) => self.case.write(flow, operand, path),
            None => self.case.write_found(flow, path),
        }
    }
}

/// An algorithm as the list shows it.
pub(super) struct Entry {
    /// The family.
    pub(super) family: &'static str,
    /// LAPACK's name, without the letter of the precision.
    pub(super) name: &'static str,
    /// What it computes.
    pub(super) formula: &'static str,
    /// The sizes that it has.
    pub(super) sizes: &'static [Size],
    /// Its operations in real precisions, in words.
    pub(super) flops_formula: &'static str,
    /// What its check computes.
    pub(super) check: &'static str,
    /// Whether it works on one triangle, which `--uplo` names.
    pub(super) has_uplo: bool,
    /// The variants that it has.
    pub(super) choices: &'static [Choice],
    /// The precisions that it has.
    pub(super) precisions: &'static [Precision],
    /// Whether its tasks do not depend on what the matrices hold.
    pub(super) is_steady: bool,
    /// Pairs of sizes of which the first may not be larger than the second.
    pub(super) limits: &'static [(Size, Size)],
    /// Its matrices.
    pub(super) operands: &'static [Operand],
    makes_result: bool,
    may_pause: bool,
    flops: fn(&Sizes) -> f64,
    copied_tiles: fn(&Sizes) -> usize,
    beside: fn(&Sizes) -> Vec<Grid>,
    /// Bytes that a task works on whatever the tiles are.
    pub(super) task_bytes: fn(&Sizes) -> u64,
    /// Bytes beside what it registers.
    pub(super) plain_bytes: fn(&Sizes) -> u64,
    /// Registers its matrices.
    pub(super) problem: fn(&mut Flow, Sizes, &Inputs) -> Box<dyn Problem>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Entry {
    /// The entry of `A`.
    pub(super) const fn of<A: Listed>() -> Self {
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
            is_steady: A::IS_STEADY,
            limits: A::LIMITS,
            operands: A::OPERANDS,
            makes_result: A::MAKES_RESULT,
            may_pause: !A::STATE.is_empty(),
            flops: A::flops,
            copied_tiles: A::copied_tiles,
            beside: A::beside,
            task_bytes: A::task_bytes,
            plain_bytes: A::plain_bytes,
            problem: |flow, sizes, inputs| match sizes.precision {
                Precision::Single => Instance::<A, f32>::boxed(flow, sizes, inputs),
                Precision::Double => Instance::<A, f64>::boxed(flow, sizes, inputs),
                Precision::ComplexSingle => Instance::<A, c32>::boxed(flow, sizes, inputs),
                Precision::ComplexDouble => Instance::<A, c64>::boxed(flow, sizes, inputs),
            },
        }
    }

    /// Its operations: complex ones count as four real ones, since most are products.
    pub(super) fn flops(&self, sizes: &Sizes) -> f64 {
        (self.flops)(sizes) * if sizes.precision.is_complex() { 4.0 } else { 1.0 }
    }

    /// Steps between which it may pause, one for each column or row of blocks that it factorises; none if it
    /// makes no pauses.
    pub(super) fn steps(&self, sizes: &Sizes) -> usize {
        if self.may_pause { sizes.of(Size::Least).div_ceil(sizes.nb) } else { 0 }
    }

    /// Whether it may pause between steps.
    pub(super) fn may_pause(&self) -> bool {
        self.may_pause
    }

    /// Whether it leaves a matrix that can be written.
    pub(super) fn has_result(&self) -> bool {
        self.makes_result || self.operands.iter().any(|operand| operand.is_result)
    }

    /// Bytes of the copies that it keeps where all workers share one memory without limit.
    pub(super) fn copy_bytes(&self, sizes: &Sizes) -> u64 {
        let tile = self.operands.first().map_or(0, |operand| operand.grid(sizes).tile(0, 0));
        (self.copied_tiles)(sizes) as u64 * tile
    }

    /// All that it keeps, in tiles.
    pub(super) fn grids(&self, sizes: &Sizes) -> Vec<Grid> {
        let operands = self.operands.iter().map(|operand| operand.grid(sizes));
        operands.chain((self.beside)(sizes)).collect()
    }

    /// Whether it is of many problems of one shape.
    pub(super) fn is_batch(&self) -> bool {
        self.operands.iter().any(Operand::is_batch)
    }

    /// Whether its matrices are in columns or rows of blocks.
    pub(super) fn is_cut_one_way(&self) -> bool {
        self.operands.iter().any(Operand::is_cut_one_way)
    }
}
