//! Tasks in the order in which a maximum spanning tree takes them (Prim's algorithm on the graph of
//! tasks that share data; Gonthier 2023, section 3.2.2, algorithm 4, after Yoo et al.).
//!
//! Each task shares more with one of those before it than any other task that is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::tasks::{Packed, Sharing, Tasks};

/// The order, cut into `count` pieces.
pub(super) fn mst(tasks: &Tasks, count: usize) -> Packed {
    let all = tasks.inputs.len();
    let mut sharing = Sharing::new(tasks);
    let mut best = vec![0; all];
    let mut is_placed = vec![false; all];
    let mut order = Vec::with_capacity(all);
    let mut heap = BinaryHeap::new();
    for start in 0..all as u32 {
        heap.push((0, Reverse(start)));
        while let Some((_, Reverse(task))) = heap.pop() {
            if std::mem::replace(&mut is_placed[task as usize], true) {
                continue;
            }
            order.push(task);
            for (other, weight) in sharing.neighbours(task) {
                if !is_placed[other as usize] && weight > best[other as usize] {
                    best[other as usize] = weight;
                    heap.push((weight, Reverse(other)));
                }
            }
        }
    }
    tasks.cut(order, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// What a task shares with those before it at most is no less than what any task behind it
    /// shares with them.
    #[test]
    fn each_task_shares_most_with_those_before_it() {
        let mut random = SplitMix64::new(5);
        for _ in 0..20 {
            let mut draw = |below: u64| (random.next_u64() % below) as u32;
            let inputs = |_| {
                let mut data: Vec<u32> = (0..3).map(|_| draw(15)).collect();
                data.sort_unstable();
                data.dedup();
                data
            };
            let tasks = Tasks {
                inputs: (0..25).map(inputs).collect(),
                nanoseconds: vec![1; 25],
                bytes: (1..16).collect(),
                capacity: 100,
            };
            let shared = |a: u32, b: u32| -> u64 {
                let [a, b] = [a, b].map(|task| &tasks.inputs[task as usize]);
                let common = a.iter().filter(|datum| b.contains(datum));
                common.map(|&datum| tasks.bytes[datum as usize]).sum()
            };
            let order = mst(&tasks, 1).packages.concat();
            for place in 1..order.len() {
                let (before, behind) = order.split_at(place);
                let most = |task: u32| before.iter().map(|&other| shared(task, other)).max();
                let first = most(behind[0]);
                assert!(behind.iter().all(|&task| most(task) <= first), "{place}: {order:?}");
            }
        }
    }
}
