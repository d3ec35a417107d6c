//! The likelihood and its score as sums over blocks of places.
//!
//! `l = sum_i ln N(z_i | those of its neighbours)`: A. V. Vecchia, "Estimation and model
//! identification for continuous spatial processes", J. R. Statist. Soc. B 50 (1988) 297-312. The
//! mean is profiled out by generalised least squares, as in the exact likelihood: `C^-1` stands for
//! the sparse inverse that the neighbours make. The score and the expected information are those of
//! J. Guinness, "Gaussian process learning via Fisher scoring of Vecchia's approximation",
//! Statistics and Computing 31 (2021) 25. Where places are grouped, the conditionals of a group are
//! worked out together.

use tegula_kernels::kernel::covariance::{Structure, TABLE_BYTES};
use tegula_kernels::kernel::vecchia::Terms;
use tegula_runtime::flow::{Flow, FlowError, Handle};

use super::latent::{self, Field, Latent, Noise};
use super::score::Slope;
use super::structure::{Blocks, Ordered};
use super::{Form, Ordering, Vecchia};
use crate::covariance::{Covariance, Law, Metric};
use crate::likelihood::{Criterion, Evaluation, LikelihoodError, Score};
use crate::observations::{Observations, Residuals};

/// The conditionals of one set of observations, with what their sums are worked out in: handles of
/// one flow.
#[derive(Debug)]
pub(crate) struct Conditionals {
    pub(super) options: Vecchia,
    pub(super) known: Known,
    pub(super) blocks: Blocks,
    /// The sums of each block.
    pub(super) sums: Vec<Handle>,
    pub(super) slope: Option<Slope>,
    /// Of the latent form, from the first evaluation on.
    pub(super) latent: Option<Latent>,
}

/// What is known of the observations, whatever the neighbours are.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) n: usize,
    pub(super) ordered: Ordered,
    /// By what distances of the places are measured now.
    metric: Option<Metric>,
    /// Places as that maps them, orthonormal columns of the mean, residuals of ordinary least
    /// squares.
    pub(super) records: Handle,
    /// The coefficients of those in each replicate.
    pub(super) offset: Vec<Vec<f64>>,
    /// The table of the last evaluation, or what its covariance is put together from.
    pub(super) table: Handle,
    table_bytes: usize,
}

impl Conditionals {
    /// Orders the places of `observations` and submits the searches for their neighbours.
    ///
    /// # Panics
    /// If there are 2^32 places or more.
    pub(crate) fn new(flow: &mut Flow, observations: &Observations, options: Vecchia) -> Self {
        let known = Known::new(flow, observations, (options.ordering, options.has_time));
        let blocks = known.ordered.search(flow, options);
        let sums = blocks.register(flow, Terms::length(known.columns()));
        Self { options, known, blocks, sums, slope: None, latent: None }
    }

    /// How the nugget is divided, where it is not the response form.
    pub(super) fn noise(&self, values: &[f64], nugget: f64) -> Option<Noise> {
        let is_latent = self.options.form == Form::Latent;
        is_latent.then(|| Noise::new(values, nugget)).flatten()
    }

    /// Evaluates the likelihood.
    pub(crate) fn evaluate(
        &mut self,
        flow: &mut Flow,
        (covariance, values, nugget): (&Covariance, &[f64], f64),
    ) -> Result<Evaluation, LikelihoodError> {
        if let Some(noise) = self.noise(values, nugget) {
            return self.evaluate_latent(flow, (covariance, values), noise);
        }
        let law = self.law(flow, covariance, (values, nugget))?;
        self.known.evaluate(flow, &law, (&self.blocks, &self.sums))
    }

    /// As [`Evaluate::score`](crate::likelihood::Evaluate::score), by derivatives.
    pub(super) fn evaluate_with_score(
        &mut self,
        flow: &mut Flow,
        model: (&Covariance, &[f64], f64),
        how: (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
        let evaluation = self.evaluate(flow, model)?;
        if !is_wanted(&evaluation) {
            return Ok((evaluation, None));
        }
        let score = self.score(flow, model, &evaluation, how)?;
        Ok((evaluation, Some(score)))
    }

    /// The evaluation of the latent form.
    fn evaluate_latent(
        &mut self,
        flow: &mut Flow,
        (covariance, values): (&Covariance, &[f64]),
        noise: Noise,
    ) -> Result<Evaluation, LikelihoodError> {
        let Self { known, blocks, latent, .. } = self;
        if latent.is_none() {
            let made = Latent::new(flow, known.field(blocks));
            *latent = Some(made.map_err(|error| known.failure(error))?);
        }
        let latent = latent.as_ref().expect("it is there");
        known.evaluate_latent(flow, (covariance, values), noise, (latent, blocks))
    }

    /// The law of a covariance, with lists of neighbours that are for it from now on.
    ///
    /// # Panics
    /// If it is put together from several, in the latent form.
    pub(super) fn law(
        &mut self,
        flow: &mut Flow,
        covariance: &Covariance,
        (values, nugget): (&[f64], f64),
    ) -> Result<Law, LikelihoodError> {
        let Self { known, blocks, options, .. } = self;
        let law = covariance.law(known.ordered.geometry, values, nugget)?;
        if law.recipe().is_some() {
            assert!(options.form != Form::Latent, "the latent form of {}", covariance.name);
            known.ordered.make_sets(flow, blocks);
        }
        Ok(law)
    }

    /// The evaluation by twice as many neighbours, which make most of the difference to the exact
    /// likelihood.
    pub(super) fn with_more_neighbours(
        &mut self,
        flow: &mut Flow,
        (covariance, values, nugget): (&Covariance, &[f64], f64),
    ) -> Result<Evaluation, LikelihoodError> {
        let law = self.law(flow, covariance, (values, nugget))?;
        let noise = self.noise(values, nugget);
        let Self { known, options, .. } = self;
        let more = Vecchia { neighbours: 2 * options.neighbours, ..*options };
        let mut blocks = known.ordered.search(flow, more);
        if law.recipe().is_some() {
            known.ordered.make_sets(flow, &mut blocks);
        }
        if let Some(noise) = noise {
            let latent =
                Latent::new(flow, known.field(&blocks)).map_err(|error| known.failure(error))?;
            let given = (covariance, values);
            let better = known.evaluate_latent(flow, given, noise, (&latent, &blocks));
            latent.unregister(flow);
            blocks.unregister(flow);
            return better;
        }
        let sums = blocks.register(flow, Terms::length(known.columns()));
        let better = known.evaluate(flow, &law, (&blocks, &sums));
        blocks.unregister(flow);
        sums.into_iter().for_each(|sums| flow.unregister(sums));
        better
    }
}

impl Known {
    /// What `observations` tell, put in order.
    ///
    /// # Panics
    /// If there are 2^32 places or more.
    pub(super) fn new(
        flow: &mut Flow,
        observations: &Observations,
        order: (Ordering, bool),
    ) -> Self {
        let ordered = Ordered::new(flow, &observations.points, order);
        let design = &observations.design;
        let Residuals { offset, rest } = observations.residuals();
        let residuals = rest.iter().map(Vec::as_slice);
        let columns: Vec<&[f64]> =
            (0..design.columns()).map(|j| design.q(j)).chain(residuals).collect();
        let records = ordered.records(flow, &observations.points, &columns);
        let (n, table) = (observations.len(), flow.register(TABLE_BYTES));
        Self { n, ordered, metric: None, records, offset, table, table_bytes: TABLE_BYTES }
    }

    /// What the latent form takes.
    pub(super) fn field<'a>(&'a self, blocks: &'a Blocks) -> Field<'a> {
        let Self { ordered, records, .. } = self;
        Field { ordered, blocks, records: *records, columns: self.columns() }
    }

    /// Puts other `columns` in place of those of the records, in the order of the tree.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn replace(
        &mut self,
        flow: &mut Flow,
        columns: &[Vec<f64>],
    ) -> Result<(), FlowError> {
        let stored = self.stored();
        let mut records = flow.read::<f64>(self.records)?.to_vec();
        for (place, record) in records.chunks_exact_mut(stored + columns.len()).enumerate() {
            let numbers = record[stored..].iter_mut().zip(columns);
            numbers.for_each(|(to, column)| *to = column[place]);
        }
        flow.overwrite(self.records, &records)
    }

    /// Registers records with other columns, as they were given.
    ///
    /// # Errors
    /// Those of the flow.
    fn with_columns(&self, flow: &mut Flow, columns: &[Vec<f64>]) -> Result<Handle, FlowError> {
        let (stored, width) = (self.stored(), self.columns());
        let known = flow.read::<f64>(self.records)?;
        let mut records = Vec::with_capacity(self.n * (stored + columns.len()));
        let places = known.chunks_exact(stored + width).zip(&self.ordered.given);
        for (record, &given) in places {
            records.extend(&record[..stored]);
            records.extend(columns.iter().map(|column| column[given as usize]));
        }
        Ok(flow.register_from(&records))
    }

    /// `ln |C|` and `X' C^-1 X` of other columns `X`.
    pub(super) fn gram(
        &mut self,
        flow: &mut Flow,
        law: &Law,
        blocks: &Blocks,
        columns: &[Vec<f64>],
    ) -> Result<Vec<f64>, FlowError> {
        self.set(flow, law)?;
        let (q, records) = (columns.len(), self.with_columns(flow, columns)?);
        let sums = blocks.register(flow, Terms::length(q));
        flow.phase("likelihood");
        for (block, &sums) in blocks.blocks.iter().zip(&sums) {
            blocks.submit_terms(flow, block, (q, structure(law)), [self.table, records, sums]);
        }
        let found = total(flow, &sums, Terms::length(q));
        flow.unregister(records);
        sums.into_iter().for_each(|sums| flow.unregister(sums));
        found
    }

    /// Coordinates and marks of a record.
    fn stored(&self) -> usize {
        self.ordered.geometry.stored() + self.ordered.marks
    }

    /// Numbers of a record beside its coordinates and marks.
    pub(super) fn columns(&self) -> usize {
        self.offset[0].len() + self.offset.len()
    }

    /// The failure of a flow, with the place that it names by its number in the order: among the
    /// places up to it, it and its neighbours make a matrix that is not positive definite.
    pub(super) fn failure(&self, error: FlowError) -> LikelihoodError {
        match LikelihoodError::from_flow(error, self.n) {
            LikelihoodError::NotPositiveDefinite { order, n } => {
                let order = self.ordered.ranks[order - 1] as usize + 1;
                LikelihoodError::NotPositiveDefinite { order, n }
            }
            error => error,
        }
    }

    /// Waits, then sets the covariance. Neighbours stay: they are near without its metric.
    pub(super) fn set(&mut self, flow: &mut Flow, law: &Law) -> Result<(), FlowError> {
        let bytes = law.bytes();
        if bytes.len() != self.table_bytes {
            flow.wait()?;
            flow.unregister(self.table);
            (self.table, self.table_bytes) = (flow.register(bytes.len()), bytes.len());
        }
        flow.overwrite(self.table, bytes)?;
        if self.metric != law.metric {
            self.ordered.place(flow, self.records, law.metric.as_ref())?;
            self.metric = law.metric;
        }
        Ok(())
    }

    /// The evaluation by `law` with the neighbours of `blocks`.
    fn evaluate(
        &mut self,
        flow: &mut Flow,
        law: &Law,
        (blocks, sums): (&Blocks, &[Handle]),
    ) -> Result<Evaluation, LikelihoodError> {
        let made = self.sum(flow, law, (blocks, sums)).map_err(|error| self.failure(error))?;
        Evaluation::new(self.n, made[0], &made[1..], &self.offset)
    }

    /// As [`evaluate`](Self::evaluate), of the latent form.
    fn evaluate_latent(
        &mut self,
        flow: &mut Flow,
        (covariance, values): (&Covariance, &[f64]),
        noise: Noise,
        (latent, blocks): (&Latent, &Blocks),
    ) -> Result<Evaluation, LikelihoodError> {
        let law = covariance.law(self.ordered.geometry, values, noise.own)?;
        self.set(flow, &law).map_err(|error| self.failure(error))?;
        let made = latent.evaluate(flow, self.field(blocks), (law.table(), noise.variance));
        let latent::Parts { logdet, gram } = made.map_err(|error| self.failure(error))?;
        Evaluation::new(self.n, logdet, &gram, &self.offset)
    }

    fn sum(
        &mut self,
        flow: &mut Flow,
        law: &Law,
        (blocks, sums): (&Blocks, &[Handle]),
    ) -> Result<Vec<f64>, FlowError> {
        self.set(flow, law)?;
        flow.phase("likelihood");
        for (block, &sums) in blocks.blocks.iter().zip(sums) {
            let handles = [self.table, self.records, sums];
            blocks.submit_terms(flow, block, (self.columns(), structure(law)), handles);
        }
        total(flow, sums, Terms::length(self.columns()))
    }
}

/// What the covariance of `law` is made from.
fn structure(law: &Law) -> Structure {
    match law.recipe() {
        // Nothing is asked of its derivatives.
        None => Structure::Radial { is_relative: false },
        Some(recipe) => recipe.structure(),
    }
}

/// The sums of all blocks, in their order.
pub(super) fn total(
    flow: &mut Flow,
    blocks: &[Handle],
    length: usize,
) -> Result<Vec<f64>, FlowError> {
    flow.wait()?;
    let mut total = vec![0.0; length];
    for &handle in blocks {
        total.iter_mut().zip(flow.read::<f64>(handle)?).for_each(|(total, sum)| *total += sum);
    }
    Ok(total)
}
