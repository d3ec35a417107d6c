//! Subtrees that are so small that one task factorises all of their fronts, one after the other.
//!
//! The layer below which the tree is pruned depends on the matrix alone, not on the number of
//! workers, so that results do not either. Buttari, "Fine-grained multithreading for the
//! multifrontal QR factorization of sparse matrices", SIAM J. Sci. Comput. 35 (2013), section 4.

use std::ops::Range;

use super::analysis::Analysis;
use super::tree::NONE;

/// The part of all operations that a task may have, so that many workers find some.
const SHARE: f64 = 1.0 / 64.0;

/// Subtrees that are factorised in one task: neighbours with the same parent.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Their fronts.
    pub(super) fronts: Range<usize>,
    /// Operations of them.
    pub(super) flops: f64,
}

impl Group {
    /// The fronts whose parents are outside.
    pub(super) fn roots<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = usize> + 'a {
        let is_root = |&front: &usize| {
            let parent = analysis.fronts[front].parent;
            parent == NONE || !self.fronts.contains(&(parent as usize))
        };
        self.fronts.clone().filter(is_root)
    }
}

/// The groups, in the order of their fronts; fronts that are in none have larger subtrees. So many
/// operations are always `few` enough for one task.
pub(super) fn groups(analysis: &Analysis, few: f64) -> Vec<Group> {
    let work = analysis.subtree_flops();
    let limit = (analysis.flops() * SHARE).max(few);
    let mut groups: Vec<Group> = Vec::new();
    let mut parent_of_last = NONE;
    let mut first = 0;
    for (number, front) in analysis.fronts.iter().enumerate() {
        if work[number] > limit {
            first = number + 1;
            continue;
        }
        if front.parent != NONE && work[front.parent as usize] <= limit {
            continue;
        }
        // The fronts from `first` on are the subtree of this one.
        let joined = groups.last_mut().filter(|last| {
            let are_siblings = parent_of_last == front.parent && last.fronts.end == first;
            are_siblings && last.flops + work[number] <= limit
        });
        match joined {
            Some(group) => {
                group.fronts.end = number + 1;
                group.flops += work[number];
            }
            None => groups.push(Group { fronts: first..number + 1, flops: work[number] }),
        }
        (first, parent_of_last) = (number + 1, front.parent);
    }
    groups
}
