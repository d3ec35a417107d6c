//! What tasks of this process need and cannot carry, by number: the arguments of a task are plain
//! numbers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values that tasks name by numbers, kept for good.
pub(super) struct Registry<T>(Mutex<Vec<Arc<T>>>);

impl<T> Registry<T> {
    /// None yet.
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The number of `value`, which is kept from now on.
    pub(super) fn number_of(&self, value: &Arc<T>) -> u32 {
        let mut kept = self.lock();
        let known = kept.iter().position(|known| Arc::ptr_eq(known, value));
        known.unwrap_or_else(|| {
            kept.push(Arc::clone(value));
            kept.len() - 1
        }) as u32
    }

    /// The value with this number.
    pub(super) fn get(&self, number: u32) -> Arc<T> {
        Arc::clone(&self.lock()[number as usize])
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
