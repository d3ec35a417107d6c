//! A program on matrices of one size in one precision.

use std::ops::Range;

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};

use super::case::Case;
use super::{AnyMatrix, Inputs, Layout, Operand, Routine, Sizes};
use crate::Pivots;

/// A program on matrices of one size in one precision, which are registered with a flow.
pub trait Instance {
    /// Its sizes.
    fn sizes(&self) -> &Sizes;

    /// Submits the tasks that fill its matrices, but for the operands that are filled otherwise.
    fn fill_but(&self, flow: &mut Flow, others: &[usize]);

    /// Takes the contents of its matrices for granted, on an engine that runs no kernel.
    fn touch(&self, flow: &mut Flow);

    /// Submits what has to run before the program, and is not timed.
    fn prepare(&mut self, flow: &mut Flow);

    /// Submits the program.
    fn submit(&mut self, flow: &mut Flow);

    /// Submits some of its [steps](super::Program::steps), after those before.
    fn submit_steps(&mut self, flow: &mut Flow, steps: Range<usize>);

    /// Needs what the program has made beside the operands no more.
    fn retire(&mut self, flow: &mut Flow);

    /// Fails if the result is none.
    ///
    /// # Errors
    /// Why it is none, and those of the flow.
    fn verify(&mut self, flow: &mut Flow) -> Result<(), Failure>;

    /// The backward error of the result, in units of rounding; a correct one is below
    /// [`THRESHOLD`](super::THRESHOLD).
    ///
    /// # Errors
    /// Those of the flow, and of matrices that were given.
    fn check(&mut self, flow: &mut Flow) -> Result<f64, Failure>;

    /// The operand `index`.
    fn operand(&self, index: usize) -> AnyMatrix<'_>;

    /// What of operand `index` is stored.
    fn layout(&self, index: usize) -> Layout;

    /// The first matrix that it made beside the operands.
    fn made(&self) -> Option<AnyMatrix<'_>>;

    /// Which rows a factorisation exchanges, of one that does.
    fn pivots(&self) -> Option<&Pivots>;

    /// Numbers that it found, by their names.
    fn values(&self) -> &[(&'static str, f64)];

    /// Eigenvalues or singular values, all of them.
    fn spectrum(&self) -> &[f64];
}

/// What a routine does with a case in one precision.
#[derive(Clone, Copy)]
pub(super) struct Calls<T: Scalar> {
    register: fn(&mut Flow, &mut Case<T>),
    prepare: fn(&mut Flow, &Case<T>),
    submit: fn(&mut Flow, &mut Case<T>),
    submit_steps: fn(&mut Flow, &mut Case<T>, Range<usize>),
    verify: fn(&mut Flow, &Case<T>) -> Result<(), Failure>,
    check: fn(&mut Flow, &Case<T>) -> Result<f64, Failure>,
}

impl<T: Scalar> Calls<T> {
    /// Those of `A`.
    pub(super) const fn of<A: Routine>() -> Self {
        Self {
            register: A::register,
            prepare: A::prepare,
            submit: A::submit,
            submit_steps: A::submit_steps,
            verify: A::verify,
            check: A::check,
        }
    }

    /// The routine on matrices that are registered with `flow`.
    pub(super) fn instance(
        self,
        flow: &mut Flow,
        operands: &[Operand],
        sizes: Sizes,
        inputs: &Inputs,
    ) -> Box<dyn Instance> {
        let mut case = Case::new(flow, operands, sizes, inputs);
        (self.register)(flow, &mut case);
        Box::new(Typed { case, calls: self })
    }
}

/// A routine on one case.
struct Typed<T: Scalar> {
    case: Case<T>,
    calls: Calls<T>,
}

impl<T: Scalar> Instance for Typed<T> {
    fn sizes(&self) -> &Sizes {
        &self.case.sizes
    }

    fn fill_but(&self, flow: &mut Flow, others: &[usize]) {
        self.case.fill_but(flow, others);
    }

    fn touch(&self, flow: &mut Flow) {
        self.case.touch(flow);
    }

    fn prepare(&mut self, flow: &mut Flow) {
        (self.calls.prepare)(flow, &self.case);
    }

    fn submit(&mut self, flow: &mut Flow) {
        (self.calls.submit)(flow, &mut self.case);
    }

    fn submit_steps(&mut self, flow: &mut Flow, steps: Range<usize>) {
        (self.calls.submit_steps)(flow, &mut self.case, steps);
    }

    fn retire(&mut self, flow: &mut Flow) {
        self.case.found.drain(..).for_each(|matrix| matrix.retire(flow));
        if let Some(factors) = self.case.tree.take() {
            factors.retire(flow);
        }
    }

    fn verify(&mut self, flow: &mut Flow) -> Result<(), Failure> {
        if let Some(failure) = self.case.failure.take() {
            return Err(failure);
        }
        if let Some(failure) = self.case.verdict.take() {
            return Err(failure.into());
        }
        (self.calls.verify)(flow, &self.case)
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, Failure> {
        (self.calls.check)(flow, &self.case)
    }

    fn operand(&self, index: usize) -> AnyMatrix<'_> {
        AnyMatrix::of(&self.case[index])
    }

    fn layout(&self, index: usize) -> Layout {
        self.case.layout(index)
    }

    fn made(&self) -> Option<AnyMatrix<'_>> {
        self.case.found.first().map(AnyMatrix::of)
    }

    fn pivots(&self) -> Option<&Pivots> {
        self.case.pivots.as_ref()
    }

    fn values(&self) -> &[(&'static str, f64)] {
        &self.case.values
    }

    fn spectrum(&self) -> &[f64] {
        &self.case.spectrum
    }
}
