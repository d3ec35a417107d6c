//! The mean of a field as a linear model, with its columns made orthonormal.
//!
//! Generalised least squares works on `Q` of the factorisation `F = Q R` of the columns: the
//! likelihood and the predictions are the same, and large coordinates or columns of very
//! different scale do no harm. Source: Golub, Van Loan, "Matrix computations", 4th edition,
//! section 5.2.8 (modified Gram-Schmidt, here done twice).

use thiserror::Error;

use crate::mean::Formula;

/// A column that the others already explain, relative to its length.
const DEPENDENT: f64 = 1e-12;

/// The columns of a mean, `F = Q R` with orthonormal `Q`.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    rows: usize,
    names: Vec<String>,
    /// `rows x p`, column by column.
    q: Vec<Vec<f64>>,
    /// `p x p` upper triangular, by columns.
    r: Vec<Vec<f64>>,
}

/// A column adds nothing to those before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the column \"{name}\" of the mean is a combination of the columns before it; leave it out"
)]
pub struct DependentColumn {
    /// Name of the column.
    pub name: String,
}

/// A column that adds nothing to those before it, which R calls aliased: it has no coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Aliased {
    /// Name of the column.
    pub name: String,
    /// Its place among all columns, those left out included.
    pub place: usize,
    /// What it is in the columns before it that were kept.
    pub shares: Vec<f64>,
}

/// What rounding may make of a combination of columns, relative to its parts.
const ROUNDING: f64 = 1e-8;

impl Aliased {
    /// Whether at another place, where the kept columns are `kept`, it is what it was in the data,
    /// a combination of them. Where it is not, the data say nothing of the mean.
    #[must_use]
    pub fn is_combination(&self, value: f64, kept: &[f64]) -> bool {
        let parts = || self.shares.iter().zip(kept).map(|(share, x)| share * x);
        let scale = parts().fold(value.abs(), |most, part| most.max(part.abs()));
        (value - parts().sum::<f64>()).abs() <= ROUNDING * scale
    }
}

impl Design {
    /// A mean of zero for `rows` observations.
    #[must_use]
    pub fn zero(rows: usize) -> Self {
        Self { rows, names: Vec::new(), q: Vec::new(), r: Vec::new() }
    }

    /// A constant mean for `rows` observations.
    #[must_use]
    pub fn constant(rows: usize) -> Self {
        let names = vec![Formula::INTERCEPT.to_owned()];
        Self::new(names, vec![vec![1.0; rows]], rows).unwrap_or_else(|_| Self::zero(rows))
    }

    /// A mean made of `columns`, each of length `rows`, with their `names`.
    ///
    /// # Errors
    /// If a column depends on those before it, as a constant beside an intercept does.
    ///
    /// # Panics
    /// If names and columns differ in number, or a column in length.
    pub fn new(
        names: Vec<String>,
        columns: Vec<Vec<f64>>,
        rows: usize,
    ) -> Result<Self, DependentColumn> {
        let (design, left_out) = Self::reduced(names, columns, rows);
        match left_out.into_iter().next() {
            Some(Aliased { name, .. }) => Err(DependentColumn { name }),
            None => Ok(design),
        }
    }

    /// A mean made of those of `columns` that do not depend on the ones before them, and the
    /// others.
    ///
    /// # Panics
    /// As [`Design::new`].
    #[must_use]
    pub fn reduced(
        names: Vec<String>,
        columns: Vec<Vec<f64>>,
        rows: usize,
    ) -> (Self, Vec<Aliased>) {
        assert_eq!(names.len(), columns.len(), "names and columns");
        let mut design = Self::zero(rows);
        let mut left_out = Vec::new();
        for (place, (name, mut column)) in names.into_iter().zip(columns).enumerate() {
            assert_eq!(column.len(), rows, "length of the column {name}");
            let length = norm(&column);
            let mut r = vec![0.0; design.q.len()];
            for _ in 0..2 {
                for (q, r) in design.q.iter().zip(&mut r) {
                    let along: f64 = q.iter().zip(&column).map(|(q, x)| q * x).sum();
                    *r += along;
                    column.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
                }
            }
            let rest = norm(&column);
            if rest <= DEPENDENT * length || !rest.is_finite() {
                let shares = design.coefficients(&r);
                left_out.push(Aliased { name, place, shares });
                continue;
            }
            column.iter_mut().for_each(|x| *x /= rest);
            r.push(rest);
            design.names.push(name);
            design.q.push(column);
            design.r.push(r);
        }
        (design, left_out)
    }

    /// Number of observations.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.q.len()
    }

    /// Names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Column `j` of `Q`.
    #[must_use]
    pub fn q(&self, j: usize) -> &[f64] {
        &self.q[j]
    }

    /// Coefficients of the columns from those of `Q`: `R^-1 c`.
    #[must_use]
    pub fn coefficients(&self, c: &[f64]) -> Vec<f64> {
        let mut b = c.to_vec();
        for j in (0..b.len()).rev() {
            b[j] /= self.r[j][j];
            for i in 0..j {
                b[i] -= self.r[j][i] * b[j];
            }
        }
        b
    }

    /// The mean with the coefficients `b` of the columns, `F b = Q (R b)`, at each observation.
    ///
    /// # Panics
    /// If these are not as many as the columns.
    #[must_use]
    pub fn mean(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.q.len(), "coefficients and columns");
        let mut mean = vec![0.0; self.rows];
        for (i, q) in self.q.iter().enumerate() {
            let along: f64 = (i..b.len()).map(|j| self.r[j][i] * b[j]).sum();
            mean.iter_mut().zip(q).for_each(|(m, q)| *m += along * q);
        }
        mean
    }

    /// The row of `Q` that belongs to a row `f` of columns elsewhere: `R^-T f`.
    #[must_use]
    pub fn transform(&self, f: &[f64]) -> Vec<f64> {
        let mut q = f.to_vec();
        for j in 0..q.len() {
            for i in 0..j {
                q[j] -= self.r[j][i] * q[i];
            }
            q[j] /= self.r[j][j];
        }
        q
    }

    /// The coefficients of the columns of `Q` by ordinary least squares, and what is left of
    /// `values`: of two passes, the second takes away what rounding left in the first.
    #[must_use]
    pub fn project(&self, values: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut coefficients, mut rest) = (vec![0.0; self.q.len()], values.to_vec());
        for _ in 0..2 {
            for (q, coefficient) in self.q.iter().zip(&mut coefficients) {
                let along: f64 = q.iter().zip(&rest).map(|(q, x)| q * x).sum();
                *coefficient += along;
                rest.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
            }
        }
        (coefficients, rest)
    }

    /// What is left of `values` after ordinary least squares.
    #[must_use]
    pub fn residuals(&self, values: &[f64]) -> Vec<f64> {
        self.project(values).1
    }

    /// The rows with the given indices. `Q` is then no longer orthonormal, but `F = Q R` holds.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let rows = |column: &Vec<f64>| indices.iter().map(|&i| column[i]).collect();
        Self {
            rows: indices.len(),
            names: self.names.clone(),
            q: self.q.iter().map(rows).collect(),
            r: self.r.clone(),
        }
    }
}

/// The Euclidean norm, without overflow.
pub(crate) fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * x.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_survive_columns_of_very_different_scale() {
        let n = 50;
        let x: Vec<f64> = (0..n).map(|i| 3.3e5 + i as f64).collect();
        let values: Vec<f64> = x.iter().map(|x| 2.0 - 1e-3 * x).collect();
        let names = ["(Intercept)", "x"].map(str::to_owned).to_vec();
        let design = Design::new(names, vec![vec![1.0; n], x.clone()], n).expect("independent");
        let c: Vec<f64> =
            (0..2).map(|j| design.q(j).iter().zip(&values).map(|(q, z)| q * z).sum()).collect();
        let b = design.coefficients(&c);
        // The intercept's condition number is about |x| / spread = 2e4.
        assert!((b[0] - 2.0).abs() < 1e-8 && (b[1] + 1e-3).abs() < 1e-13, "{b:?}");
        assert!(design.residuals(&values).iter().all(|r| r.abs() < 1e-11));
        let mean = design.mean(&[2.0, -1e-3]);
        assert!(mean.iter().zip(&values).all(|(m, z)| (m - z).abs() < 1e-10));
        let row = design.transform(&[1.0, x[7]]);
        assert!((row[0] - design.q(0)[7]).abs() < 1e-13 && (row[1] - design.q(1)[7]).abs() < 1e-11);
    }

    #[test]
    fn a_dependent_column_is_named() {
        let names = ["(Intercept)", "a", "b"].map(str::to_owned).to_vec();
        let columns = vec![vec![1.0; 4], vec![1.0, 2.0, 3.0, 4.0], vec![3.0, 5.0, 7.0, 9.0]];
        let dependent = DependentColumn { name: "b".to_owned() };
        assert_eq!(Design::new(names.clone(), columns.clone(), 4), Err(dependent));
        let (design, aliased) = Design::reduced(names, columns, 4);
        assert_eq!((design.columns(), aliased.len(), aliased[0].place), (2, 1, 2));
        assert!(aliased[0].is_combination(21.0, &[1.0, 10.0]));
        assert!(!aliased[0].is_combination(21.5, &[1.0, 10.0]));
    }
}
