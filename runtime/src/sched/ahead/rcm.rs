//! The reverse Cuthill-McKee order of tasks (Gonthier 2023, section 3.2.1, algorithm 3).
//!
//! The bandwidth of an order is how far apart two tasks stand at most that share data. From a task
//! that shares least with others, the neighbours of each task follow in turn, those that share
//! least first; the order is then reversed.

use std::collections::VecDeque;

use super::tasks::{Packed, Sharing, Tasks};

/// The order, cut into `count` pieces.
pub(super) fn rcm(tasks: &Tasks, count: usize) -> Packed {
    let mut sharing = Sharing::new(tasks);
    let degrees = sharing.degrees();
    let mut starts: Vec<u32> = (0..degrees.len() as u32).collect();
    starts.sort_by_key(|&task| degrees[task as usize]);
    let mut is_placed = vec![false; degrees.len()];
    let mut order = Vec::with_capacity(degrees.len());
    // Of what is not connected with the rest, the task of the least degree is the next start.
    for start in starts {
        let mut front = VecDeque::new();
        if !std::mem::replace(&mut is_placed[start as usize], true) {
            front.push_back(start);
        }
        while let Some(task) = front.pop_front() {
            order.push(task);
            let others = sharing.neighbours(task).map(|(other, _)| other);
            let mut next: Vec<u32> = others.filter(|&other| !is_placed[other as usize]).collect();
            next.sort_unstable_by_key(|&other| (degrees[other as usize], other));
            next.iter().for_each(|&other| is_placed[other as usize] = true);
            front.extend(next);
        }
    }
    order.reverse();
    tasks.cut(order, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks in a chain, submitted in an order that scatters them, stand in the order of the chain;
    /// then those of another chain.
    #[test]
    fn a_chain_is_found() {
        let chain = |task: u32| {
            let (chain, place) = (task % 2, task / 2 * 5 % 11);
            vec![12 * chain + place, 12 * chain + place + 1]
        };
        let tasks = Tasks {
            inputs: (0..22).map(chain).collect(),
            nanoseconds: vec![1; 22],
            bytes: vec![8; 24],
            capacity: 100,
        };
        let order = rcm(&tasks, 1).packages.concat();
        let share = |pair: &&[u32]| {
            let [first, second] = [pair[0], pair[1]].map(|task| &tasks.inputs[task as usize]);
            first.iter().any(|datum| second.contains(datum))
        };
        assert_eq!(order.windows(2).filter(share).count(), 20, "{order:?}");
    }
}
