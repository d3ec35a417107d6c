//! A Gaussian process with an exponential covariance about a linear trend: universal kriging of
//! few points (C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT
//! Press, 2006, section 2.7).

/// A value of the process that was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where.
    pub at: [f64; 2],
    /// The row of the trend there.
    pub trend: Vec<f64>,
    /// The value, with its noise.
    pub value: f64,
    /// The variance of its noise.
    pub noise: f64,
}

/// What is believed of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, that of the trend included, without noise.
    pub deviation: f64,
}

/// A process, with what was seen of it.
///
/// The covariance of two values is `variance exp(-d / range)`, `d` the sum of the distances along
/// both coordinates.
#[derive(Clone, Debug)]
pub struct Process {
    variance: f64,
    range: f64,
    places: Vec<[f64; 2]>,
    /// Of the covariance matrix of the values.
    factor: Factor,
    /// The trend's rows, solved by it, point by point.
    trend: Vec<Vec<f64>>,
    /// Of the trend's normal equations.
    normal: Factor,
    coefficients: Vec<f64>,
    /// What is left without the trend, solved by it.
    rest: Vec<f64>,
}

/// What is added to the diagonal of normal equations, relatively: columns of the trend may depend
/// on each other.
const RIDGE: f64 = 1e-10;

impl Process {
    /// The process of this `variance` and `range` of which `points` were seen.
    ///
    /// # Panics
    /// If there are no points, their rows differ in length, or their covariance is not positive
    /// definite, such as of the same place twice without noise.
    #[must_use]
    pub fn new(points: &[Point], variance: f64, range: f64) -> Self {
        let places: Vec<[f64; 2]> = points.iter().map(|point| point.at).collect();
        let factor = Factor::new(points.len(), |i, j| {
            let noise = if i == j { points[i].noise } else { 0.0 };
            variance * (-distance(places[i], places[j]) / range).exp() + noise
        });
        let columns = points[0].trend.len();
        let solved = |of: &dyn Fn(&Point) -> f64| factor.solve(points.iter().map(of).collect());
        let by_column: Vec<Vec<f64>> =
            (0..columns).map(|c| solved(&|point| point.trend[c])).collect();
        let normal = Factor::new(columns, |a, b| {
            let ridge = if a == b { 1.0 + RIDGE } else { 1.0 };
            ridge * dot(&by_column[a], &by_column[b])
        });
        let values = solved(&|point| point.value);
        let right = by_column.iter().map(|column| dot(column, &values)).collect();
        let coefficients = normal.solve_transposed(normal.solve(right));
        let of_point = |i: usize| by_column.iter().map(|column| column[i]).collect::<Vec<f64>>();
        let trend: Vec<Vec<f64>> = (0..points.len()).map(of_point).collect();
        let rest = values.iter().zip(&trend).map(|(y, row)| y - dot(row, &coefficients)).collect();
        Self { variance, range, places, factor, trend, normal, coefficients, rest }
    }

    /// What is believed of the value at a place with this row of the trend.
    ///
    /// # Panics
    /// If the row has another length than those of the points.
    #[must_use]
    pub fn belief(&self, at: [f64; 2], trend: &[f64]) -> Belief {
        let near = |&place: &[f64; 2]| self.variance * (-distance(place, at) / self.range).exp();
        let near = self.factor.solve(self.places.iter().map(near).collect());
        let mean = dot(trend, &self.coefficients) + dot(&near, &self.rest);
        let of_column = |(c, value): (usize, &f64)| {
            value - near.iter().zip(&self.trend).map(|(k, row)| k * row[c]).sum::<f64>()
        };
        let unknown = self.normal.solve(trend.iter().enumerate().map(of_column).collect());
        let variance = self.variance - dot(&near, &near) + dot(&unknown, &unknown);
        Belief { mean, deviation: variance.max(0.0).sqrt() }
    }

    /// The logarithm of the likelihood of the values, the trend at its best, without a constant.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        -self.factor.log_diagonal() - 0.5 * dot(&self.rest, &self.rest)
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).abs() + (a[1] - b[1]).abs()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Cholesky factor of a small matrix, its rows one after the other.
#[derive(Clone, Debug)]
struct Factor {
    n: usize,
    rows: Vec<f64>,
}

impl Factor {
    /// That of the matrix with these `entries`, of which the lower triangle is asked for.
    fn new(n: usize, entries: impl Fn(usize, usize) -> f64) -> Self {
        let mut factor = Self { n, rows: Vec::with_capacity(n * (n + 1) / 2) };
        for i in 0..n {
            let start = factor.rows.len();
            for j in 0..i {
                let value = entries(i, j) - dot(&factor.rows[start..], factor.row(j));
                factor.rows.push(value / factor.diagonal(j));
            }
            let square = dot(&factor.rows[start..], &factor.rows[start..]);
            let value = entries(i, i) - square;
            assert!(value > 0.0, "the matrix is not positive definite in row {i}");
            factor.rows.push(value.sqrt());
        }
        factor
    }

    /// A row up to the diagonal.
    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * (i + 1) / 2..][..=i]
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.row(i)[i]
    }

    fn log_diagonal(&self) -> f64 {
        (0..self.n).map(|i| self.diagonal(i).ln()).sum()
    }

    /// `x` of `L x = b`.
    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        for i in 0..self.n {
            let row = self.row(i);
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
        b
    }

    /// `x` of `L' x = b`.
    fn solve_transposed(&self, mut b: Vec<f64>) -> Vec<f64> {
        for i in (0..self.n).rev() {
            let row = self.row(i);
            b[i] /= row[i];
            let (before, at) = b.split_at_mut(i);
            before.iter_mut().zip(row).for_each(|(b, l)| *b -= l * at[0]);
        }
        b
    }
}
