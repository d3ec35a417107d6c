//! Evaluations of one fit over ranks that have distributions of their own.

use std::sync::{Arc, Mutex, PoisonError};

use tegula_runtime::flow::Flow;
use tegula_runtime::ranks::Owners;

use crate::plan::Maps;

/// Who owns and who generates the tiles of each evaluation, and when it has ended.
pub(crate) struct Evaluations {
    /// The distributions of the first ones; those after them have the last.
    maps: Vec<Maps>,
    /// Ends in nanoseconds, over all ranks.
    ends: Mutex<Vec<u64>>,
}

impl Evaluations {
    /// Those of as many distributions, of which there is one at least.
    pub(crate) fn new(maps: Vec<Maps>) -> Self {
        Self { maps, ends: Mutex::default() }
    }

    fn maps_of(&self, number: usize) -> &Maps {
        &self.maps[number.min(self.maps.len() - 1)]
    }

    /// Gives `flow` the owners of evaluation `number`; answers who generates its tiles.
    pub(super) fn begin(&self, flow: &mut Flow, number: usize) -> Option<Arc<dyn Owners>> {
        self.end(flow, number);
        let maps = self.maps_of(number);
        flow.set_owners(maps.owners.clone());
        maps.earlier.clone().map(|earlier| Arc::new(earlier) as Arc<dyn Owners>)
    }

    /// The evaluation before `number` has ended on the rank of `flow`.
    pub(super) fn end(&self, flow: &Flow, number: usize) {
        let Some(before) = number.checked_sub(1) else { return };
        let end = flow.totals().map_or(0, |totals| totals.makespan);
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() <= before {
            ends.resize(before + 1, 0);
        }
        ends[before] = ends[before].max(end);
    }

    /// The distribution of each evaluation, and the seconds that it took.
    pub(crate) fn times(&self) -> Vec<(String, f64)> {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let times = starts.zip(ends.iter()).map(|(start, end)| 1e-9 * (end - start) as f64);
        times.enumerate().map(|(number, time)| (self.maps_of(number).name.clone(), time)).collect()
    }
}
