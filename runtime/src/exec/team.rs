//! The cores of a parallel task: a team, on which the task runs threads of its own, or of a library
//! that knows nothing of this one.

use std::cell::RefCell;
use std::thread::scope;

use crate::platform::{allowed_cores, bind_to_cores};

thread_local! {
    /// The team of the task that runs on this thread.
    static CURRENT: RefCell<Option<Team>> = const { RefCell::new(None) };
}

/// Cores that one task has to itself: their workers rest until it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// For each member the core that it is bound to, if workers are bound; that of the thread on
    /// which the task runs comes first.
    cores: Vec<Option<usize>>,
}

impl Team {
    /// Of these cores.
    pub(crate) fn new(cores: Vec<Option<usize>>) -> Self {
        Self { cores }
    }

    /// That of the task that runs on this thread: the thread alone, unless its context is a team.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.with_borrow(|team| team.clone()).unwrap_or_else(|| Self::new(vec![None]))
    }

    /// Does `work` as the task of this team.
    pub(crate) fn work<T>(self, work: impl FnOnce() -> T) -> T {
        let _reset = Reset(CURRENT.replace(Some(self)));
        work()
    }

    /// How many cores it has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.cores.len()
    }

    /// Calls `work` with the number of each member, on a thread for each; that of this thread is 0.
    /// Each is bound to its core, if workers are. Returns what they return, in order.
    ///
    /// # Panics
    /// If one of them panics, or the system starts no thread.
    pub fn run<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let work = &work;
        scope(|scope| {
            let member = |number: usize| {
                let core = self.cores[number];
                scope.spawn(move || {
                    core.iter().for_each(|&core| {
                        bind_to_cores(&[core]);
                    });
                    work(number)
                })
            };
            let others: Vec<_> = (1..self.size()).map(member).collect();
            let first = work(0);
            let join = |other: std::thread::ScopedJoinHandle<'_, T>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            std::iter::once(first).chain(others.into_iter().map(join)).collect()
        })
    }

    /// Does `work` while this thread, and those that it starts, may use all cores of the team: for
    /// a library with threads of its own, which must be told that they are [`size`](Self::size).
    pub fn spread<T>(&self, work: impl FnOnce() -> T) -> T {
        let cores: Vec<usize> = self.cores.iter().copied().flatten().collect();
        let _back = (self.size() > 1 && cores.len() == self.size()).then(|| {
            let before = allowed_cores();
            bind_to_cores(&cores);
            Back(before)
        });
        work()
    }
}

/// The team before, which comes back however a task ends.
struct Reset(Option<Team>);

impl Drop for Reset {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Cores to which a thread is bound again.
struct Back(Vec<usize>);

impl Drop for Back {
    fn drop(&mut self) {
        bind_to_cores(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_without_a_team_has_its_thread() {
        assert_eq!(Team::current().size(), 1);
        assert_eq!(Team::current().run(|member| member), [0]);
    }

    #[test]
    fn members_run_bound_to_their_cores_and_the_thread_gets_its_own_back() {
        let before = allowed_cores();
        let cores: Vec<Option<usize>> = before.iter().copied().map(Some).collect();
        let team = Team::new(cores.clone());
        let found = team.clone().work(|| {
            let team = Team::current();
            assert_eq!(team, Team::new(cores.clone()));
            assert_eq!(team.spread(allowed_cores), before);
            team.run(|member| (member, allowed_cores()))
        });
        for (number, (member, cores)) in found.into_iter().enumerate() {
            assert_eq!(number, member);
            assert!(member == 0 || cores == [before[member]], "{member}: {cores:?}");
        }
        assert_eq!(allowed_cores(), before);
        assert_eq!(Team::current().size(), 1);
    }

    #[test]
    fn a_panic_of_a_member_is_one_of_the_task() {
        let team = Team::new(vec![None; 3]);
        let panicked = std::panic::catch_unwind(|| team.run(|member| assert_ne!(member, 2)));
        assert!(panicked.is_err());
    }
}
