//! The critical path of a graph: the time that its longest chain takes on workers without number.

/// A dependency between two tasks, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The task that ends first.
    pub from: usize,
    /// The one that waits for it; it comes later in the program.
    pub to: usize,
}

/// The longest chain of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CriticalPath {
    /// Sum of the durations on it, in seconds.
    pub seconds: f64,
    /// Its tasks, in order.
    pub tasks: Vec<usize>,
}

/// The longest chain of tasks of these `seconds`, in program order, under these dependencies.
///
/// With the duration of each task on its fastest worker this is a bound below any schedule.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 4.2.2, equations 4.1 and 4.2, on
/// the graph instead of an execution.
///
/// # Panics
/// If an edge does not lead to a later task that exists.
#[must_use]
pub fn critical_path(seconds: &[f64], edges: &[Edge]) -> CriticalPath {
    let mut edges = edges.to_vec();
    edges.sort_unstable_by_key(|edge| (edge.to, edge.from));
    // For each task the end of the longest chain before it, and that chain's last task.
    let mut before: Vec<(f64, Option<usize>)> = vec![(0.0, None); seconds.len()];
    for Edge { from, to } in edges {
        assert!(from < to && to < seconds.len(), "edge from task {from} to task {to}");
        let end = before[from].0 + seconds[from];
        if before[to].1.is_none() || end > before[to].0 {
            before[to] = (end, Some(from));
        }
    }
    let end = |task: &usize| before[*task].0 + seconds[*task];
    let last = (0..seconds.len()).max_by(|a, b| end(a).total_cmp(&end(b)).then(b.cmp(a)));
    let mut tasks: Vec<usize> = std::iter::successors(last, |&task| before[task].1).collect();
    tasks.reverse();
    CriticalPath { seconds: last.as_ref().map_or(0.0, end), tasks }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(pairs: &[(usize, usize)]) -> Vec<Edge> {
        pairs.iter().map(|&(from, to)| Edge { from, to }).collect()
    }

    #[test]
    fn the_longest_chain_wins() {
        // A diamond: 0 -> 1 -> 3 and 0 -> 2 -> 3, with the long task in the middle of the second.
        let path = critical_path(&[1.0, 2.0, 5.0, 1.0], &edges(&[(0, 1), (2, 3), (0, 2), (1, 3)]));
        assert_eq!(path, CriticalPath { seconds: 7.0, tasks: vec![0, 2, 3] });
    }

    #[test]
    fn without_edges_the_longest_task_is_the_path() {
        let path = critical_path(&[1.0, 4.0, 4.0], &[]);
        assert_eq!(path, CriticalPath { seconds: 4.0, tasks: vec![1] });
        assert_eq!(critical_path(&[], &[]), CriticalPath::default());
    }

    #[test]
    #[should_panic(expected = "edge from task 1 to task 0")]
    fn edges_lead_forward() {
        let _ = critical_path(&[1.0, 1.0], &edges(&[(1, 0)]));
    }
}
