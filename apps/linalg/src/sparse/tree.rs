//! The column elimination tree: which column of `R` follows from which, and how many entries each
//! row of `R` has, without `A' A`.
//!
//! Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11
//! (1990); Gilbert, Ng, Peyton, "An efficient algorithm to compute row and column counts for sparse
//! Cholesky factorization", SIAM J. Matrix Anal. Appl. 15 (1994), for `A' A`, whose graph has a
//! clique for each row of `A`. In place of a clique stand the edges from its first column to the
//! others: elimination makes the rest of it.

/// No column.
pub(super) const NONE: u32 = u32::MAX;

/// Columns of a pattern with `m` rows: the rows of each.
pub(super) struct Pattern<'a> {
    pub(super) m: usize,
    pub(super) columns: Vec<&'a [u32]>,
}

impl Pattern<'_> {
    /// The column in which each row has its first entry.
    pub(super) fn first_columns(&self) -> Vec<u32> {
        let mut first = vec![NONE; self.m];
        for (j, rows) in self.columns.iter().enumerate().rev() {
            rows.iter().for_each(|&i| first[i as usize] = j as u32);
        }
        first
    }
}

/// The parent of each column, the first one after it whose row of `R` it changes, or [`NONE`].
pub(super) fn elimination_tree(pattern: &Pattern<'_>) -> Vec<u32> {
    let n = pattern.columns.len();
    let (mut parents, mut ancestors) = (vec![NONE; n], vec![NONE; n]);
    let mut latest = vec![NONE; pattern.m];
    for (j, rows) in pattern.columns.iter().enumerate() {
        for &i in *rows {
            let mut at = std::mem::replace(&mut latest[i as usize], j as u32);
            while at != NONE && (at as usize) < j {
                let next = std::mem::replace(&mut ancestors[at as usize], j as u32);
                if next == NONE {
                    parents[at as usize] = j as u32;
                }
                at = next;
            }
        }
    }
    parents
}

/// The nodes of a forest, each after its children; those of one parent in the order of `weight`,
/// then of their numbers.
pub(super) fn postorder(parents: &[u32], weight: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut children: Vec<u32> = (0..parents.len() as u32).collect();
    // What is put on the stack first comes last.
    children.sort_by_key(|&node| (parents[node as usize], std::cmp::Reverse((weight(node), node))));
    let first_of = |parent: u32| children.partition_point(|&node| parents[node as usize] < parent);
    let of = |parent: u32| {
        let first = first_of(parent);
        let end = children[first..].iter().take_while(|&&node| parents[node as usize] == parent);
        first..first + end.count()
    };
    let mut order = Vec::with_capacity(parents.len());
    let mut stack: Vec<(u32, bool)> =
        children[of(NONE)].iter().map(|&root| (root, false)).collect();
    while let Some((node, is_seen)) = stack.pop() {
        if is_seen {
            order.push(node);
            continue;
        }
        stack.push((node, true));
        stack.extend(children[of(node)].iter().map(|&child| (child, false)));
    }
    order
}

/// The number of entries of each row of `R`, of a pattern whose columns are in postorder.
pub(super) fn row_counts(pattern: &Pattern<'_>, parents: &[u32]) -> Vec<u32> {
    let n = pattern.columns.len();
    let firsts = first_descendants(parents);
    let is_leaf = |j: usize| firsts[j] as usize == j;
    let mut counts: Vec<i64> = (0..n).map(|j| i64::from(is_leaf(j))).collect();
    let first_columns = pattern.first_columns();
    let by_row = by_row(pattern);
    let mut sets = Sets((0..n as u32).collect());
    // Of each column the largest first descendant among those that it met, and the last of these.
    let mut met: Vec<Option<(u32, u32)>> = vec![None; n];
    for j in 0..n {
        if parents[j] != NONE {
            counts[parents[j] as usize] -= 1;
        }
        for &i in pattern.columns[j].iter().filter(|&&i| first_columns[i as usize] == j as u32) {
            for &k in by_row.of(i).iter().filter(|&&k| k as usize > j) {
                let met = &mut met[k as usize];
                if met.is_some_and(|(first, _)| firsts[j] <= first) {
                    continue;
                }
                counts[j] += 1;
                if let Some((_, last)) = *met {
                    counts[sets.find(last) as usize] -= 1;
                }
                *met = Some((firsts[j], j as u32));
            }
        }
        if parents[j] != NONE {
            sets.0[j] = parents[j];
        }
    }
    for j in 0..n {
        if parents[j] != NONE {
            counts[parents[j] as usize] += counts[j];
        }
    }
    counts.into_iter().map(|count| count as u32).collect()
}

/// The least number of a node in the subtree of each, of a forest in postorder.
fn first_descendants(parents: &[u32]) -> Vec<u32> {
    let mut firsts: Vec<u32> = (0..parents.len() as u32).collect();
    for j in 0..parents.len() {
        if parents[j] != NONE {
            let parent = parents[j] as usize;
            firsts[parent] = firsts[parent].min(firsts[j]);
        }
    }
    firsts
}

/// The columns of each row, ascending.
pub(super) struct ByRow {
    starts: Vec<usize>,
    columns: Vec<u32>,
}

impl ByRow {
    pub(super) fn of(&self, row: u32) -> &[u32] {
        &self.columns[self.starts[row as usize]..self.starts[row as usize + 1]]
    }
}

/// `pattern` by rows.
pub(super) fn by_row(pattern: &Pattern<'_>) -> ByRow {
    let mut starts = vec![0; pattern.m + 1];
    for &i in pattern.columns.iter().copied().flatten() {
        starts[i as usize + 1] += 1;
    }
    (0..pattern.m).for_each(|i| starts[i + 1] += starts[i]);
    let mut columns = vec![0; starts[pattern.m]];
    let mut next = starts.clone();
    for (j, rows) in pattern.columns.iter().enumerate() {
        for &i in *rows {
            columns[next[i as usize]] = j as u32;
            next[i as usize] += 1;
        }
    }
    ByRow { starts, columns }
}

/// Disjoint sets, each with a root, by halving of paths.
struct Sets(Vec<u32>);

impl Sets {
    fn find(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }
}
