//! Where the threads of the ranks wait: the last of them that comes has time pass.
//!
//! So time passes only while no program is at work, and whatever the system does with the threads,
//! each finds the same state whenever it goes on.

use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::ClusterOptions;
use super::member::Member;
use super::world::{Until, World};

pub(super) struct Stage {
    pub(super) options: ClusterOptions,
    members: Vec<OnceLock<Mutex<Member>>>,
    scene: Mutex<Scene>,
    bells: Vec<Condvar>,
}

struct Scene {
    world: World,
    /// What each rank waits for, if it does.
    waits: Vec<Option<Until>>,
    /// Ranks whose programs are at work.
    active: usize,
    /// A rank that has panicked.
    gone: Option<usize>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stage {
    pub(super) fn new(options: ClusterOptions) -> Self {
        let ranks = options.nodes.len();
        let scene = Scene {
            world: World::new(&options),
            waits: vec![None; ranks],
            active: ranks,
            gone: None,
        };
        Self {
            options,
            members: (0..ranks).map(|_| OnceLock::new()).collect(),
            scene: Mutex::new(scene),
            bells: (0..ranks).map(|_| Condvar::new()).collect(),
        }
    }

    /// `member` begins.
    pub(super) fn enter(&self, rank: usize, member: Member) {
        let was_set = self.members[rank].set(Mutex::new(member));
        debug_assert!(was_set.is_ok(), "rank {rank} begins twice");
    }

    /// What rank `rank` has, which has begun; nobody else looks while its program is at work.
    pub(super) fn member(&self, rank: usize) -> MutexGuard<'_, Member> {
        lock(self.members[rank].get().expect("all ranks begin before they meet"))
    }

    /// Waits until `until` is so for `rank`.
    ///
    /// # Panics
    /// If nothing is left to happen, or another rank has panicked.
    pub(super) fn wait(&self, rank: usize, until: Until) {
        if until.holds(&mut self.member(rank)) {
            return;
        }
        let mut scene = lock(&self.scene);
        scene.waits[rank] = Some(until);
        self.leave(&mut scene, rank);
        while scene.waits[rank].is_some() {
            if let Some(gone) = scene.gone {
                drop(scene);
                panic!("rank {gone} of the simulated cluster has panicked");
            }
            scene = self.bells[rank].wait(scene).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The program of `rank` is at work no more: it waits, or it has ended.
    fn leave(&self, scene: &mut Scene, rank: usize) {
        scene.active -= 1;
        scene.world.touch(rank);
        if scene.active > 0 || scene.waits.iter().all(Option::is_none) {
            return;
        }
        let mut members: Vec<_> = (0..self.members.len()).map(|rank| self.member(rank)).collect();
        for woken in scene.world.run(&mut members, &scene.waits) {
            scene.waits[woken] = None;
            scene.active += 1;
            self.bells[woken].notify_one();
        }
    }

    /// The program of `rank` has ended, well or by a panic.
    pub(super) fn end(&self, rank: usize) {
        let mut scene = lock(&self.scene);
        if std::thread::panicking() {
            scene.gone.get_or_insert(rank);
            self.bells.iter().for_each(Condvar::notify_all);
        } else {
            self.leave(&mut scene, rank);
        }
    }
}
