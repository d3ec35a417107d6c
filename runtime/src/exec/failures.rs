//! Failures of a run: which tasks failed, and which of them the waiter hears of.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::flow::{Failure, FirstFailure, FlowError, Space};

/// Why a task did not do its work.
pub(super) enum Cause {
    /// The kernel said so.
    Failed(Failure),
    /// The kernel panicked with this payload.
    Panicked(Box<dyn Any + Send>),
}

/// Records that are kept where there are other ranks.
const MOST: usize = 1024;

struct Record {
    codelet: &'static str,
    cause: Result<Arc<dyn std::error::Error + Send + Sync>, Box<dyn Any + Send>>,
}

/// Failures that were raised and not yet forgotten.
///
/// A task is named by its *mark*: 1 + its program index. The smallest mark wins, whatever the
/// order in time, so that the answer is the same on every run.
#[derive(Default)]
pub(super) struct Failures {
    /// Smallest mark that a task raised or met since the last [`take`](Self::take); 0 for none.
    first: AtomicU64,
    records: Mutex<BTreeMap<u64, Record>>,
}

impl Failures {
    /// Notes that the task with `mark` failed.
    pub(super) fn raise(&self, mark: u64, codelet: &'static str, cause: Cause) {
        let cause = match cause {
            Cause::Failed(failure) => Ok(Arc::from(failure)),
            Cause::Panicked(payload) => Err(payload),
        };
        self.lock().insert(mark, Record { codelet, cause });
        self.meet(mark);
    }

    /// Notes that a task was skipped because of the failure `mark`.
    pub(super) fn meet(&self, mark: u64) {
        let smaller = |old: u64| (old == 0 || mark < old).then_some(mark);
        let _ = self.first.fetch_update(Ordering::Relaxed, Ordering::Relaxed, smaller);
    }

    /// The failure with the smallest mark since the last call. Records that no handle of `space` is
    /// marked with are forgotten; those that handles of `others` may be marked with only when they
    /// are many.
    ///
    /// # Panics
    /// With the payload of that task, if it panicked.
    pub(super) fn take(&self, space: &Space, others: bool) -> Option<FlowError> {
        let mark = self.first.swap(0, Ordering::Relaxed);
        if mark == 0 {
            return None;
        }
        let used: BTreeSet<u64> = space.handles.iter().map(|handle| handle.poison()).collect();
        let mut records = self.lock();
        // Of what failed on another rank, only the mark has come.
        let record = records.remove(&mark)?;
        let (source, payload) = match record.cause {
            Ok(source) => (source, None),
            Err(payload) => (panicked(), Some(payload)),
        };
        let kept = Record { codelet: record.codelet, cause: Ok(source.clone()) };
        records.insert(mark, kept);
        if others {
            while records.len() > MOST {
                records.pop_first();
            }
        } else {
            records.retain(|mark, _| used.contains(mark));
        }
        drop(records);
        if let Some(payload) = payload {
            resume_unwind(payload);
        }
        Some(FlowError::Task { codelet: record.codelet, task: mark - 1, source })
    }

    /// The smallest mark met since [`take`](Self::take), with its failure if that is known here.
    pub(super) fn first(&self) -> Option<FirstFailure> {
        let mark = self.first.load(Ordering::Relaxed);
        (mark != 0).then(|| (mark, self.find(mark)))
    }

    /// Notes the failure of another rank.
    pub(super) fn learn(&self, mark: u64, error: &FlowError) {
        if let FlowError::Task { codelet, source, .. } = error {
            let record = Record { codelet, cause: Ok(source.clone()) };
            self.lock().entry(mark).or_insert(record);
        }
    }

    /// The failure `mark`, as long as a handle is marked with it.
    pub(super) fn find(&self, mark: u64) -> Option<FlowError> {
        let records = self.lock();
        let Record { codelet, cause } = records.get(&mark)?;
        let source = cause.as_ref().map_or_else(|_| panicked(), Arc::clone);
        Some(FlowError::Task { codelet, task: mark - 1, source })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn panicked() -> Arc<dyn std::error::Error + Send + Sync> {
    Arc::from(Failure::from("the kernel panicked"))
}
