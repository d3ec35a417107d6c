//! The column approximate minimum degree ordering (COLAMD): an order of the columns of a sparse
//! matrix in which its QR factors fill in little.
//!
//! Davis, Gilbert, Larimore, Ng, "A column approximate minimum degree ordering algorithm", ACM
//! Trans. Math. Softw. 30 (2004), 353-376, from the description there. `A' A` is never formed: the
//! rows of `A` are the cliques of its graph. A step eliminates the column with the smallest bound
//! of its degree; the rows in it become one, the pivot row. Columns that then look the same are
//! treated as one from there on (section 4.4), what has no other row left is eliminated at once
//! (4.3), and a row that lies within the pivot row is dropped (4.5). Degrees are bounded by sums of
//! what rows have outside the pivot row (4.2).
//!
//! It was chosen over a minimum degree ordering of `A' A`, since a single row with many entries
//! makes that matrix dense, and over nested dissection, which needs a graph partitioner.

use tegula_kernels::scalar::Scalar;
use tegula_kernels::sparse::SparseMatrix;

const NONE: u32 = u32::MAX;

/// Rows with more than this times the root of the number of columns are left out, and columns with
/// more than this times the root of the smaller size come last (section 4.6).
const DENSE: f64 = 10.0;

/// An order of the columns of `a`: the number of the column at each place.
pub(super) fn colamd<T: Scalar>(a: &SparseMatrix<T>) -> Vec<u32> {
    let mut graph = Graph::new(a);
    let mut order = Vec::with_capacity(a.n());
    while let Some(column) = graph.degrees.take_least() {
        graph.eliminate(column, &mut order);
    }
    order.extend(&graph.last);
    order
}

/// A limit for the entries of a line where the other size is `size`.
fn dense(size: usize) -> usize {
    ((DENSE * (size as f64).sqrt()) as usize).max(16)
}

/// Rows and columns that are left.
struct Graph {
    /// Columns of each row that is left; a pivot row has the number of a row that went into it.
    rows: Vec<Vec<u32>>,
    is_row: Vec<bool>,
    /// Columns of each row, counted with those that they stand for.
    row_degrees: Vec<u32>,
    /// Rows of each column that is left.
    columns: Vec<Vec<u32>>,
    is_column: Vec<bool>,
    /// How many columns each stands for, and which: chains that begin with itself.
    weights: Vec<u32>,
    next: Vec<u32>,
    tails: Vec<u32>,
    /// What a column was counted as when it was last looked at; its degree without the pivot row.
    scores: Vec<u32>,
    degrees: Degrees,
    /// For each row, the step at which it was met, and what it has outside the pivot row.
    outside: Vec<(u32, u32)>,
    is_in_pivot: Vec<bool>,
    step: u32,
    /// Columns that are not eliminated yet.
    left: u32,
    /// Columns at the end of the order: dense ones and empty ones.
    last: Vec<u32>,
    /// Columns that may look the same, by a sum over their rows.
    hashes: Vec<(u32, u32)>,
}

impl Graph {
    fn new<T: Scalar>(a: &SparseMatrix<T>) -> Self {
        let (m, n) = (a.m(), a.n());
        let (most_in_row, most_in_column) = (dense(n), dense(m.min(n)));
        let mut counts = vec![0_u32; m];
        let is_kept = |j: usize| (1..=most_in_column).contains(&a.rows_of(j).len());
        let kept: Vec<bool> = (0..n).map(is_kept).collect();
        for j in (0..n).filter(|&j| kept[j]) {
            a.rows_of(j).iter().for_each(|&i| counts[i as usize] += 1);
        }
        let is_row: Vec<bool> =
            counts.iter().map(|&count| count > 0 && count as usize <= most_in_row).collect();
        let mut rows = vec![Vec::new(); m];
        let mut columns = vec![Vec::new(); n];
        for j in (0..n).filter(|&j| kept[j]) {
            columns[j] = a.rows_of(j).iter().copied().filter(|&i| is_row[i as usize]).collect();
            columns[j].iter().for_each(|&i| rows[i as usize].push(j as u32));
        }
        let (mut last, mut free): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        (0..n)
            .filter(|&j| columns[j].is_empty())
            .for_each(|j| if kept[j] { free.push(j as u32) } else { last.push(j as u32) });
        last.sort_by_key(|&j| (a.rows_of(j as usize).is_empty(), a.rows_of(j as usize).len()));
        free.append(&mut last);
        let is_column: Vec<bool> = columns.iter().map(|rows| !rows.is_empty()).collect();
        let left = is_column.iter().filter(|&&is| is).count() as u32;
        let mut graph = Self {
            row_degrees: counts,
            rows,
            is_row,
            weights: vec![1; n],
            next: vec![NONE; n],
            tails: (0..n as u32).collect(),
            scores: vec![0; n],
            degrees: Degrees::new(n),
            outside: vec![(0, 0); m],
            is_in_pivot: vec![false; n],
            step: 0,
            left,
            last: free,
            columns,
            is_column,
            hashes: Vec::new(),
        };
        (0..n).filter(|&j| graph.is_column[j]).for_each(|j| {
            let rows = graph.columns[j].iter();
            let sum: u64 = rows.map(|&i| u64::from(graph.row_degrees[i as usize]) - 1).sum();
            graph.degrees.put(j as u32, sum.min(n as u64 - 1) as u32);
        });
        graph
    }

    /// Eliminates `column`, and with it those that have no row but the pivot row.
    fn eliminate(&mut self, column: u32, order: &mut Vec<u32>) {
        self.finish(column, order);
        let (pivot, mut members) = self.pivot_row(column);
        self.look_outside(&members);
        self.hashes.clear();
        members.retain(|&j| self.count_outside(j, order));
        self.merge_same();
        members.retain(|&j| self.is_column[j as usize]);
        let degree: u32 = members.iter().map(|&j| self.weights[j as usize]).sum();
        for &j in &members {
            let at = j as usize;
            self.is_in_pivot[at] = false;
            self.columns[at].push(pivot);
            let weight = self.weights[at];
            let bound = (self.scores[at].saturating_add(degree - weight)).min(self.left - weight);
            self.degrees.put(j, bound);
        }
        let row = pivot as usize;
        self.is_row[row] = !members.is_empty();
        (self.rows[row], self.row_degrees[row]) = (members, degree);
    }

    /// Puts `column` and those that it stands for into the order.
    fn finish(&mut self, column: u32, order: &mut Vec<u32>) {
        self.is_column[column as usize] = false;
        self.left -= self.weights[column as usize];
        let mut at = column;
        while at != NONE {
            order.push(at);
            at = self.next[at as usize];
        }
    }

    /// The columns in the rows of `column`, out of the lists of degrees, and the number of the row
    /// that they become; the rows go.
    fn pivot_row(&mut self, column: u32) -> (u32, Vec<u32>) {
        let rows = std::mem::take(&mut self.columns[column as usize]);
        let mut members = Vec::new();
        let mut pivot = NONE;
        for &i in rows.iter().filter(|&&i| self.is_row[i as usize]) {
            pivot = i;
            for j in std::mem::take(&mut self.rows[i as usize]) {
                let at = j as usize;
                if self.is_column[at] && !self.is_in_pivot[at] {
                    self.is_in_pivot[at] = true;
                    self.degrees.remove(j);
                    members.push(j);
                }
            }
        }
        rows.iter().for_each(|&i| self.is_row[i as usize] = false);
        // A column keeps a row until it is eliminated, since rows go into pivot rows alone, or
        // because one of these has all their columns.
        assert!(pivot != NONE, "column {column} has no row");
        (pivot, members)
    }

    /// How many columns each row that meets the pivot row has outside it; what has none goes.
    fn look_outside(&mut self, members: &[u32]) {
        self.step += 1;
        for &j in members {
            let weight = self.weights[j as usize];
            for &i in &self.columns[j as usize] {
                let i = i as usize;
                if !self.is_row[i] {
                    continue;
                }
                let (step, count) = &mut self.outside[i];
                if *step != self.step {
                    (*step, *count) = (self.step, self.row_degrees[i]);
                }
                *count -= weight;
                if *count == 0 {
                    self.is_row[i] = false;
                    self.rows[i] = Vec::new();
                }
            }
        }
    }

    /// Takes rows that went out of column `j` and adds up what the others have outside the pivot
    /// row; says whether any is left, and else eliminates it.
    fn count_outside(&mut self, j: u32, order: &mut Vec<u32>) -> bool {
        let at = j as usize;
        let mut rows = std::mem::take(&mut self.columns[at]);
        let (mut sum, mut hash) = (0_u64, 0_u64);
        rows.retain(|&i| {
            let is_there = self.is_row[i as usize];
            if is_there {
                sum += u64::from(self.outside[i as usize].1);
                hash += u64::from(i);
            }
            is_there
        });
        if rows.is_empty() {
            self.is_in_pivot[at] = false;
            self.finish(j, order);
            return false;
        }
        self.scores[at] = sum.min(u64::from(u32::MAX)) as u32;
        self.columns[at] = rows;
        self.hashes.push(((hash % u64::from(u32::MAX)) as u32, j));
        true
    }

    /// Has one column stand for all of the pivot row that have the same other rows.
    fn merge_same(&mut self) {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.sort_unstable();
        for group in hashes.chunk_by(|one, other| one.0 == other.0) {
            for (place, &(_, first)) in group.iter().enumerate() {
                for &(_, other) in &group[place + 1..] {
                    self.merge_if_same(first, other);
                }
            }
        }
        self.hashes = hashes;
    }

    fn merge_if_same(&mut self, first: u32, other: u32) {
        let (a, b) = (first as usize, other as usize);
        let is_there = self.is_column[a] && self.is_column[b];
        // Rows are in the order in which pivot rows were added: the same in both.
        if !is_there || self.scores[a] != self.scores[b] || self.columns[a] != self.columns[b] {
            return;
        }
        self.is_column[b] = false;
        self.is_in_pivot[b] = false;
        self.weights[a] += self.weights[b];
        self.next[self.tails[a] as usize] = other;
        self.tails[a] = self.tails[b];
        self.columns[b] = Vec::new();
    }
}

/// Columns by their degree: lists that are linked both ways.
struct Degrees {
    heads: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    of: Vec<u32>,
    least: usize,
}

impl Degrees {
    fn new(n: usize) -> Self {
        let none = vec![NONE; n];
        Self { heads: none.clone(), next: none.clone(), before: none.clone(), of: none, least: 0 }
    }

    fn put(&mut self, column: u32, degree: u32) {
        let (at, head) = (column as usize, self.heads[degree as usize]);
        (self.next[at], self.before[at], self.of[at]) = (head, NONE, degree);
        if head != NONE {
            self.before[head as usize] = column;
        }
        self.heads[degree as usize] = column;
        self.least = self.least.min(degree as usize);
    }

    fn remove(&mut self, column: u32) {
        let at = column as usize;
        let (next, before) = (self.next[at], self.before[at]);
        if next != NONE {
            self.before[next as usize] = before;
        }
        if before == NONE {
            self.heads[self.of[at] as usize] = next;
        } else {
            self.next[before as usize] = next;
        }
    }

    /// A column of the smallest degree.
    fn take_least(&mut self) -> Option<u32> {
        while *self.heads.get(self.least)? == NONE {
            self.least += 1;
        }
        let column = self.heads[self.least];
        self.remove(column);
        Some(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_is_eliminated_from_its_tips() {
        // Rows {i, n - 1}: the last column meets all others, which meet none of each other.
        let n = 40;
        let entries: Vec<(u32, u32, f64)> =
            (0..n - 1).flat_map(|i| [(i, i + 1, 1.0), (i, 0, 1.0)]).collect();
        let order = colamd(&SparseMatrix::from_entries(n as usize - 1, n as usize, &entries));
        assert!(order[n as usize - 2..].contains(&0), "{order:?}");
    }

    #[test]
    fn an_order_has_every_column_once() {
        let mut state = 1_u64;
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        for (m, n, count) in [(0, 5, 0), (30, 20, 60), (20, 30, 50), (200, 100, 900), (7, 7, 49)] {
            let draws = (0..count).map(|_| (draw(m.max(1)) as u32, draw(n) as u32, 1.0));
            let entries: Vec<_> = draws.collect();
            let mut order = colamd(&SparseMatrix::from_entries(m as usize, n as usize, &entries));
            order.sort_unstable();
            assert_eq!(order, (0..n as u32).collect::<Vec<_>>());
        }
    }
}
