//! Programs for the checker: handles with sizes, and tasks in program order.

use crate::random::SplitMix64;

/// One task: the handles that it uses, each with whether it reads and whether it writes.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) handles: Vec<(usize, bool, bool)>,
    pub(super) priority: i32,
    /// Expected nanoseconds by class; none: cannot run there.
    pub(super) durations: Vec<Option<u64>>,
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Size of each handle.
    pub(super) handles: Vec<u64>,
    pub(super) steps: Vec<Step>,
}

impl Program {
    /// Tasks without dependencies that read data of size 1 and take 1000 ns each.
    pub(super) fn reads(handles: usize, inputs: impl IntoIterator<Item = Vec<usize>>) -> Self {
        let step = |inputs: Vec<usize>| Step {
            handles: inputs.into_iter().map(|handle| (handle, true, false)).collect(),
            priority: 0,
            durations: vec![Some(1000)],
        };
        Self { handles: vec![1; handles], steps: inputs.into_iter().map(step).collect() }
    }

    /// The product of a column of `n` strips with a row of `n` strips, row by row: task (i, j)
    /// reads strip i of the one and strip j of the other (section 3.4).
    pub(super) fn product(n: usize) -> Self {
        let tasks = (0..n).flat_map(|i| (0..n).map(move |j| vec![i, n + j]));
        Self::reads(2 * n, tasks)
    }

    /// A program drawn at random: tasks that read, write or update a few handles, on a machine with
    /// two classes; unless they run `anywhere`, some cannot run on one of them.
    pub(super) fn random(
        tasks: usize,
        handles: usize,
        anywhere: bool,
        random: &mut SplitMix64,
    ) -> Self {
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut steps = Vec::new();
        for _ in 0..tasks {
            let mut used: Vec<(usize, bool, bool)> = Vec::new();
            for _ in 0..=below(3) {
                let handle = below(handles);
                let mode = [(true, false), (true, false), (true, true), (false, true)][below(4)];
                if !used.iter().any(|&(known, ..)| known == handle) {
                    used.push((handle, mode.0, mode.1));
                }
            }
            let time = 100 + below(1000) as u64;
            let durations = match below(6) + 2 * usize::from(anywhere) {
                0 => vec![Some(10 * time), None],
                1 => vec![None, Some(time)],
                _ => vec![Some(10 * time), Some(time)],
            };
            steps.push(Step { handles: used, priority: below(4) as i32, durations });
        }
        let handles = (0..handles).map(|_| 1 + below(3) as u64).collect();
        Self { handles, steps }
    }

    /// For each task those that wait for it, and how many it waits for: readers wait for the last
    /// writer, writers for it and for the readers since.
    pub(super) fn graph(&self) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut users = vec![(None::<usize>, Vec::<usize>::new()); self.handles.len()];
        let mut followers = vec![Vec::new(); self.steps.len()];
        let mut waits = vec![0; self.steps.len()];
        for (number, step) in self.steps.iter().enumerate() {
            let mut before = Vec::new();
            for &(handle, _, writes) in &step.handles {
                let (writer, readers) = &mut users[handle];
                before.extend(*writer);
                if writes {
                    before.append(readers);
                    *writer = Some(number);
                } else {
                    readers.push(number);
                }
            }
            before.sort_unstable();
            before.dedup();
            waits[number] = before.len();
            before.iter().for_each(|&task| followers[task].push(number));
        }
        (followers, waits)
    }
}
