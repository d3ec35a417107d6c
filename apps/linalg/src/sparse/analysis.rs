//! What is known of a sparse QR factorisation before any number is looked at: the order of columns
//! and rows, the fronts and the tree that they form, operations and memory.
//!
//! A front is a dense matrix: the rows of `A` that begin in one of its pivots (the columns that are
//! eliminated in it), and the rows that the factorisations of its children leave, one below the
//! other. Its QR factorisation makes the rows of `R` that belong to its pivots, and the rows below
//! those go to its parent. Rows are ordered by the column in which they begin, so that below a
//! staircase all is zero (Davis, "Algorithm 915, SuiteSparseQR: multifrontal multithreaded
//! rank-revealing sparse QR factorization", ACM Trans. Math. Softw. 38, 2011, section 2; Amestoy,
//! Duff, Puglisi, "Multifrontal QR factorization in a multiprocessor environment", Numer. Linear
//! Algebra Appl. 3, 1996).

use std::ops::Range;

use tegula_kernels::scalar::Scalar;
use tegula_kernels::sparse::SparseMatrix;

use super::ordering::Ordering;
use super::supernodes::{Node, supernodes};
use super::tree::{NONE, Pattern, by_row, elimination_tree, postorder, row_counts};

/// A front of the factorisation.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// The first of its pivots, in the new order of columns.
    pub(super) first: usize,
    /// How many there are.
    pub(super) pivots: usize,
    /// Rows and columns.
    pub(super) m: usize,
    pub(super) n: usize,
    /// The front that takes the rows which are left, or [`NONE`].
    pub(super) parent: u32,
    /// Rows of `A` that begin in it, in the new order of rows.
    pub(super) own_rows: Range<usize>,
    /// Where its columns that are no pivots stand in the lists of these.
    others: usize,
    /// Where its columns stand in the list of heights.
    columns: usize,
    /// Operations of its factorisation.
    pub(super) flops: f64,
}

impl Front {
    /// Rows of `R` that it makes.
    pub(super) fn r_rows(&self) -> usize {
        self.pivots.min(self.m)
    }

    /// Rows that it leaves to its parent.
    pub(super) fn left_rows(&self) -> usize {
        self.m.min(self.n) - self.r_rows()
    }

    /// Entries of its first `j` columns in `R`, column by column.
    pub(super) fn r_entries(&self, j: usize) -> usize {
        trapezoid(self.r_rows(), j)
    }

    /// Entries of the first `j` columns that it leaves, column by column.
    pub(super) fn left_entries(&self, j: usize) -> usize {
        trapezoid(self.left_rows(), j)
    }
}

/// Entries on and above the diagonal of `rows x columns`.
fn trapezoid(rows: usize, columns: usize) -> usize {
    let square = rows.min(columns);
    square * (square + 1) / 2 + rows * (columns - square)
}

/// What is known before the numbers: see the module.
#[derive(Clone, Debug)]
pub struct Analysis {
    m: usize,
    n: usize,
    nnz: usize,
    ordering: Ordering,
    /// The column of the matrix at each place.
    pub(super) columns: Vec<u32>,
    /// The row of the matrix at each place; rows without entries are left out.
    pub(super) rows: Vec<u32>,
    /// The place of each row in its front.
    row_places: Vec<u32>,
    /// Where the entries of each row begin, and the column of its front that each is in.
    pub(super) row_starts: Vec<usize>,
    entry_columns: Vec<u32>,
    /// In postorder.
    pub(super) fronts: Vec<Front>,
    children: Vec<u32>,
    child_starts: Vec<usize>,
    /// Columns that are no pivots, front after front, ascending.
    others: Vec<u32>,
    /// The column of the parent that each is.
    to_parent: Vec<u32>,
    /// The row of the parent to which each row that is left goes, at the place of the column with
    /// its number.
    row_to_parent: Vec<u32>,
    /// Rows of its front that are not yet zero in a column and those before it.
    heights: Vec<u32>,
}

impl Analysis {
    /// Orders the columns of `a` and finds the fronts of its factorisation.
    ///
    /// Rows and columns without entries, rows and columns with many, and more columns than rows are
    /// all allowed: `R` then has rows of zeros.
    #[must_use]
    pub fn new<T: Scalar>(a: &SparseMatrix<T>, ordering: Ordering) -> Self {
        let mut columns = ordering.order(a);
        let pattern = |columns: &[u32]| Pattern {
            m: a.m(),
            columns: columns.iter().map(|&j| a.rows_of(j as usize)).collect(),
        };
        let parents = elimination_tree(&pattern(&columns));
        let order = postorder(&parents, |_| 0);
        let parents = renamed(&parents, &order);
        columns = order.iter().map(|&place| columns[place as usize]).collect();
        let counts = row_counts(&pattern(&columns), &parents);
        let nodes = supernodes(&parents, &counts);
        columns = nodes
            .iter()
            .flat_map(|node| node.columns.iter().map(|&place| columns[place as usize]))
            .collect();
        let mut analysis = Self {
            m: a.m(),
            n: a.n(),
            nnz: a.nnz(),
            ordering,
            rows: Vec::new(),
            row_places: Vec::new(),
            row_starts: vec![0],
            entry_columns: Vec::new(),
            fronts: Vec::with_capacity(nodes.len()),
            children: Vec::new(),
            child_starts: Vec::new(),
            others: Vec::new(),
            to_parent: Vec::new(),
            row_to_parent: Vec::new(),
            heights: Vec::new(),
            columns,
        };
        analysis.link(&nodes);
        let pattern = pattern(&analysis.columns);
        analysis.build(&nodes, &pattern);
        analysis
    }

    /// Lists the children of each front.
    fn link(&mut self, nodes: &[Node]) {
        let mut starts = vec![0; nodes.len() + 1];
        let of = |node: &Node| (node.parent != NONE).then_some(node.parent as usize);
        nodes.iter().filter_map(of).for_each(|parent| starts[parent + 1] += 1);
        (0..nodes.len()).for_each(|at| starts[at + 1] += starts[at]);
        self.children = vec![0; starts[nodes.len()]];
        let mut next = starts.clone();
        for (at, parent) in nodes.iter().enumerate().filter_map(|(at, node)| Some((at, of(node)?)))
        {
            self.children[next[parent]] = at as u32;
            next[parent] += 1;
        }
        self.child_starts = starts;
    }

    /// Finds columns and rows of every front.
    fn build(&mut self, nodes: &[Node], pattern: &Pattern<'_>) {
        let by_row = by_row(pattern);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); self.n];
        for (i, &first) in pattern.first_columns().iter().enumerate() {
            if first != NONE {
                rows[first as usize].push(i as u32);
            }
        }
        let (mut first, mut seen) = (0, vec![NONE; self.n]);
        // Where each column of the front that is being made stands in it.
        let mut places = vec![0_u32; self.n];
        for (number, node) in nodes.iter().enumerate() {
            let pivots = first..first + node.columns.len();
            let own: Vec<u32> = pivots.clone().flat_map(|j| rows[j].iter().copied()).collect();
            let mut others = Vec::new();
            let mut meet = |j: u32| {
                if j as usize >= pivots.end && seen[j as usize] != number as u32 {
                    seen[j as usize] = number as u32;
                    others.push(j);
                }
            };
            own.iter().flat_map(|&i| by_row.of(i)).copied().for_each(&mut meet);
            for &child in self.children_of(number) {
                self.others_of(child as usize).iter().copied().for_each(&mut meet);
            }
            others.sort_unstable();
            let all = (pivots.start as u32..pivots.end as u32).chain(others.iter().copied());
            all.enumerate().for_each(|(place, j)| places[j as usize] = place as u32);
            let front = Front {
                first,
                pivots: pivots.len(),
                m: 0,
                n: pivots.len() + others.len(),
                parent: node.parent,
                own_rows: self.rows.len()..self.rows.len() + own.len(),
                others: self.others.len(),
                columns: self.heights.len(),
                flops: 0.0,
            };
            self.others.extend(others);
            for &i in &own {
                self.entry_columns.extend(by_row.of(i).iter().map(|&j| places[j as usize]));
                self.row_starts.push(self.entry_columns.len());
            }
            self.rows.extend(own);
            self.to_parent.resize(self.others.len(), 0);
            self.row_to_parent.resize(self.others.len(), 0);
            self.fronts.push(front);
            self.stack(number, &places);
            first = pivots.end;
        }
    }

    /// Gives the rows of front `number`, its own and those of its children, their places in it.
    fn stack(&mut self, number: usize, places: &[u32]) {
        let children = self.child_starts[number]..self.child_starts[number + 1];
        let children: Vec<u32> = self.children[children].to_vec();
        let front = self.fronts[number].clone();
        for child in children.iter().map(|&child| &self.fronts[child as usize]) {
            for at in child.others..child.others + child.n - child.pivots {
                self.to_parent[at] = places[self.others[at] as usize];
            }
        }
        // How many rows begin in each column, then where the next of them goes.
        let mut next = vec![0_u32; front.n + 1];
        for row in front.own_rows.clone() {
            next[self.entry_columns[self.row_starts[row]] as usize + 1] += 1;
        }
        let left_of = |child: &u32| {
            let child = &self.fronts[*child as usize];
            child.others..child.others + child.left_rows()
        };
        let lefts: Vec<Range<usize>> = children.iter().map(left_of).collect();
        for at in lefts.iter().cloned().flatten() {
            next[self.to_parent[at] as usize + 1] += 1;
        }
        (0..front.n).for_each(|j| next[j + 1] += next[j]);
        let m = next[front.n] as usize;
        let height = |j: usize| (next[j + 1] as usize).max((j + 1).min(m)) as u32;
        self.heights.extend((0..front.n).map(height));
        let mut take = |column: u32| {
            let place = next[column as usize];
            next[column as usize] += 1;
            place
        };
        for row in front.own_rows.clone() {
            self.row_places.push(take(self.entry_columns[self.row_starts[row]]));
        }
        for at in lefts.into_iter().flatten() {
            self.row_to_parent[at] = take(self.to_parent[at]);
        }
        let flops = factor_flops(m, &self.heights[front.columns..]);
        let front = &mut self.fronts[number];
        (front.m, front.flops) = (m, flops);
    }

    /// Number of rows of the matrix.
    #[must_use]
    pub fn m(&self) -> usize {
        self.m
    }

    /// Number of columns of the matrix.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of entries of the matrix.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.nnz
    }

    /// How the columns were ordered.
    #[must_use]
    pub fn ordering(&self) -> Ordering {
        self.ordering
    }

    /// The column of the matrix that became column `k` of `R`, for each `k`.
    #[must_use]
    pub fn column_order(&self) -> &[u32] {
        &self.columns
    }

    /// At least as many tasks as there are with tiles of `nb` columns.
    #[must_use]
    pub fn most_tasks(&self, nb: usize) -> u64 {
        let of = |number: usize| {
            let (tiles, children) =
                (self.fronts[number].n.div_ceil(nb) as u64, self.children_of(number).len() as u64);
            tiles * (tiles + 1) / 2 + (children + 2) * tiles
        };
        (0..self.fronts.len()).map(of).sum()
    }

    /// Number of fronts.
    #[must_use]
    pub fn fronts(&self) -> usize {
        self.fronts.len()
    }

    /// Rows and columns of the largest front, by its entries.
    #[must_use]
    pub fn largest_front(&self) -> (usize, usize) {
        let sizes = self.fronts.iter().map(|front| (front.m, front.n));
        sizes.max_by_key(|(m, n)| m * n).unwrap_or((0, 0))
    }

    /// Entries of `R`, with zeros that fronts take in.
    #[must_use]
    pub fn nnz_r(&self) -> u64 {
        self.fronts.iter().map(|front| front.r_entries(front.n) as u64).sum()
    }

    /// Operations of the factorisation: additions and multiplications of Householder's reflectors
    /// as long as the staircase has them, applied one by one.
    #[must_use]
    pub fn flops(&self) -> f64 {
        self.fronts.iter().map(|front| front.flops).sum()
    }

    /// Operations of the subtree of each front: those of its own factorisation and of all below.
    #[must_use]
    pub fn subtree_flops(&self) -> Vec<f64> {
        let mut sums: Vec<f64> = self.fronts.iter().map(|front| front.flops).collect();
        for (number, front) in self.fronts.iter().enumerate() {
            if front.parent != NONE {
                sums[front.parent as usize] += sums[number];
            }
        }
        sums
    }

    /// The most numbers that the fronts, and what they leave, hold at a time when one front is
    /// factorised after the other, in their order; without `R`.
    #[must_use]
    pub fn peak_entries(&self) -> u64 {
        let (mut stack, mut peak) = (0_u64, 0);
        for (number, front) in self.fronts.iter().enumerate() {
            peak = peak.max(stack + (front.m * front.n) as u64);
            let below = self.children_of(number).iter().map(|&child| &self.fronts[child as usize]);
            stack -= below.map(left_entries).sum::<u64>();
            stack += left_entries(front);
        }
        peak
    }

    pub(super) fn children_of(&self, number: usize) -> &[u32] {
        &self.children[self.child_starts[number]..self.child_starts[number + 1]]
    }

    fn range_of_others(&self, number: usize) -> Range<usize> {
        let front = &self.fronts[number];
        front.others..front.others + front.n - front.pivots
    }

    /// The columns of a front that are no pivots.
    pub(super) fn others_of(&self, number: usize) -> &[u32] {
        &self.others[self.range_of_others(number)]
    }

    /// The column of its parent that each of these is.
    pub(super) fn columns_in_parent(&self, number: usize) -> &[u32] {
        &self.to_parent[self.range_of_others(number)]
    }

    /// The row of its parent that each row which it leaves becomes.
    pub(super) fn rows_in_parent(&self, number: usize) -> &[u32] {
        let front = &self.fronts[number];
        &self.row_to_parent[front.others..front.others + front.left_rows()]
    }

    /// For each column of a front, the rows that may not be zero in it or before it.
    pub(super) fn heights_of(&self, number: usize) -> &[u32] {
        let front = &self.fronts[number];
        &self.heights[front.columns..front.columns + front.n]
    }

    /// The row of its front in which row `row` of `A`, in the new order, stands.
    pub(super) fn place_of(&self, row: usize) -> usize {
        self.row_places[row] as usize
    }

    /// The columns of its front in which row `row` of `A`, in the new order, has entries.
    pub(super) fn columns_of(&self, row: usize) -> &[u32] {
        &self.entry_columns[self.row_starts[row]..self.row_starts[row + 1]]
    }
}

fn left_entries(front: &Front) -> u64 {
    front.left_entries(front.n - front.pivots) as u64
}

/// Operations of a factorisation of `m` rows below a staircase.
fn factor_flops(m: usize, heights: &[u32]) -> f64 {
    let n = heights.len();
    let of = |j: usize| {
        let length = (heights[j] as usize).saturating_sub(j) as f64;
        length * (3.0 + 4.0 * (n - j - 1) as f64)
    };
    (0..n.min(m)).map(of).sum()
}

/// A forest whose nodes are named by their places in `order`.
fn renamed(parents: &[u32], order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &node)| places[node as usize] = place as u32);
    let of = |&node: &u32| match parents[node as usize] {
        NONE => NONE,
        parent => places[parent as usize],
    };
    order.iter().map(of).collect()
}
