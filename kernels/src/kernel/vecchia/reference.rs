//! The sums and the weights by their definitions, with dense matrices, place by place.

use crate::geometry::Geometry;
use crate::kernel::covariance::RadialTable;

use super::{Conditionals, NONE, Places, ScoreTerms, Terms, Weights};

/// A place with its neighbours, it last.
struct Set {
    geometry: Geometry,
    /// Records, the place's own last.
    records: Vec<Vec<f64>>,
}

impl Places {
    fn set(&self, records: &[f64], neighbours: &[u32], row: usize, own: &[f64]) -> Set {
        let width = self.width();
        let list = &neighbours[row * self.neighbours..][..self.neighbours];
        let given = list.iter().filter(|&&index| index != NONE);
        let mut set: Vec<Vec<f64>> =
            given.map(|&index| records[index as usize * width..][..width].to_vec()).collect();
        set.push(own.to_vec());
        Set { geometry: self.geometry, records: set }
    }
}

impl Set {
    fn matrix(&self, entry: impl Fn(f64) -> f64, more: f64) -> Vec<Vec<f64>> {
        let n = self.records.len();
        let at = |i: usize, j: usize| {
            let more = if i == j { more } else { 0.0 };
            entry(self.geometry.distance(&self.records[i], &self.records[j])) + more
        };
        (0..n).map(|i| (0..n).map(|j| at(i, j)).collect()).collect()
    }

    /// What a table of a derivative gives, times `w_i w_j / w' w` if it goes by direction.
    fn slopes(&self, table: &RadialTable, beside: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
        let mut made = self.matrix(|d| table.value(d) * beside(d), 0.0);
        let Some([p, q]) = table.axes() else { return made };
        for (one, row) in self.records.iter().zip(&mut made) {
            for (other, entry) in self.records.iter().zip(row) {
                let apart = |axis: usize| one[axis] - other[axis];
                let length = self.geometry.distance(one, other);
                *entry *= if length > 0.0 { apart(p) * apart(q) / length.powi(2) } else { 0.0 };
            }
        }
        made
    }

    /// `a`, and `v - a' c`; `more` is the noise of neighbours.
    fn weights(&self, table: &RadialTable, more: f64) -> (Vec<f64>, f64) {
        let n = self.records.len() - 1;
        let c = self.matrix(|d| table.value(d), more);
        let weights = solve(&c, &c[n][..n]);
        let explained: f64 = (0..n).map(|i| weights[i] * c[i][n]).sum();
        (weights, table.variance - explained)
    }

    fn weighted(&self, weights: &[f64], number: usize) -> f64 {
        weights.iter().zip(&self.records).map(|(a, record)| a * record[number]).sum()
    }
}

fn product(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| inner(row, x)).collect()
}

fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The solution of a system with the leading part of a matrix, by elimination.
fn solve(matrix: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut a: Vec<Vec<f64>> =
        (0..n).map(|i| matrix[i][..n].iter().copied().chain([b[i]]).collect()).collect();
    for k in 0..n {
        let row = a[k].clone();
        for (_, other) in a.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = other[k] / row[k];
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    (0..n).map(|i| a[i][n] / a[i][i]).collect()
}

impl Terms {
    /// Place by place.
    pub fn reference(
        &self,
        table: &RadialTable,
        records: &[f64],
        neighbours: &[u32],
        sums: &mut [f64],
    ) {
        let Places { rows, columns, geometry, .. } = self.0;
        let own = self.0.own(records);
        sums.fill(0.0);
        for row in 0..rows {
            let set = self.0.set(records, neighbours, row, own(row));
            let (weights, rest) = set.weights(table, table.nugget);
            let rest = rest + table.nugget;
            let left = |column: usize| {
                let number = geometry.stored() + column;
                (own(row)[number] - set.weighted(&weights, number)) / rest.sqrt()
            };
            sums[0] += rest.ln();
            for k in 0..columns {
                for j in 0..columns {
                    sums[1 + j + k * columns] += left(j) * left(k);
                }
            }
        }
    }
}

impl Conditionals {
    /// Place by place, without derivatives.
    pub fn reference(
        &self,
        table: &RadialTable,
        records: &[f64],
        neighbours: &[u32],
        out: &mut [f64],
    ) {
        let Places { rows, neighbours: m, .. } = self.places;
        let own = self.places.own(records);
        for (row, out) in (0..rows).zip(out.chunks_exact_mut(m + 1)) {
            let set = self.places.set(records, neighbours, row, own(row));
            let (weights, rest) = set.weights(table, table.nugget);
            out.fill(0.0);
            out[m - weights.len()..m].copy_from_slice(&weights);
            out[m] = rest + table.nugget;
        }
    }
}

impl Weights {
    /// Place by place.
    pub fn reference(
        &self,
        table: &RadialTable,
        records: &[f64],
        neighbours: &[u32],
        targets: &[f64],
        out: &mut [f64],
    ) {
        let Places { rows, columns, geometry, .. } = self.0;
        let stored = geometry.stored();
        for row in 0..rows {
            let set = self.0.set(records, neighbours, row, &targets[row * stored..][..stored]);
            let (weights, rest) = set.weights(table, table.nugget);
            let out = &mut out[row * (columns + 1)..][..=columns];
            (0..columns).for_each(|k| out[k] = set.weighted(&weights, stored + k));
            out[columns] = table.variance - rest;
        }
    }
}

impl ScoreTerms {
    /// Place by place, with traces and information by the inverses of whole matrices: as
    /// differences of what they are with the place and without it.
    pub fn reference(
        &self,
        tables: &[RadialTable],
        records: &[f64],
        neighbours: &[u32],
        mix: &[f64],
        sums: &mut [f64],
    ) {
        let &Self { places, derivatives, is_relative } = self;
        let Places { rows, columns, geometry, .. } = places;
        let (table, count) = (&tables[0], derivatives + 1);
        let own = places.own(records);
        sums.fill(0.0);
        for row in 0..rows {
            let set = places.set(records, neighbours, row, own(row));
            let n = set.records.len();
            let matrix = set.matrix(|d| table.value(d), table.nugget);
            let derivative = |k: usize| match tables.get(k + 1) {
                Some(table) if is_relative => set.slopes(table, |d| tables[0].value(d)),
                Some(table) => set.slopes(table, |_| 1.0),
                None => set.matrix(|_| 0.0, 1.0),
            };
            let all: Vec<Vec<Vec<f64>>> = (0..count).map(derivative).collect();
            let column = |c: usize| set.records.iter().map(|r| r[geometry.stored() + c]).collect();
            let values: Vec<Vec<f64>> = (0..columns).map(column).collect();
            // Of the first `n`: traces, -d/dk of x' C^-1 x for all pairs of columns, information.
            let part = |n: usize, sign: f64, sums: &mut [f64]| {
                let solved: Vec<Vec<f64>> =
                    values.iter().map(|x| solve(&matrix, &x[..n])).collect();
                let by_columns = |d: &[Vec<f64>]| -> Vec<Vec<f64>> {
                    (0..n)
                        .map(|j| {
                            let column: Vec<f64> = (0..n).map(|i| d[i][j]).collect();
                            solve(&matrix, &column)
                        })
                        .collect()
                };
                let ratios: Vec<Vec<Vec<f64>>> = all.iter().map(|d| by_columns(d)).collect();
                for k in 0..count {
                    sums[k] += sign * (0..n).map(|i| ratios[k][i][i]).sum::<f64>();
                    let cut: Vec<Vec<f64>> = all[k][..n].iter().map(|r| r[..n].to_vec()).collect();
                    for (place, &mix) in mix.iter().enumerate() {
                        let (a, b) = (&solved[place % columns], &solved[place / columns]);
                        sums[count + k] += sign * mix * inner(a, &product(&cut, b));
                    }
                    for j in 0..count {
                        let trace: f64 = (0..n)
                            .flat_map(|i| (0..n).map(move |t| (i, t)))
                            .map(|(i, t)| ratios[j][i][t] * ratios[k][t][i])
                            .sum();
                        sums[(2 + k) * count + j] += sign * 0.5 * trace;
                    }
                }
            };
            part(n, 1.0, sums);
            part(n - 1, -1.0, sums);
        }
    }
}
