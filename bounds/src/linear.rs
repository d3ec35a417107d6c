//! Linear programmes: the least cost of variables that are not negative, under linear constraints.
//!
//! They are solved by an interior-point method, which takes tens of sparse factorisations whatever
//! the size. Where several solutions are best it finds one in their middle, so that what is alike
//! is treated alike.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};

/// A variable of a programme.
#[derive(Clone, Copy, Debug)]
pub struct Variable(usize);

/// A sum of variables with their factors.
pub type Terms = Vec<(Variable, f64)>;

/// A programme.
#[derive(Debug, Default)]
pub struct Linear {
    costs: Vec<f64>,
    equal: Vec<(Terms, f64)>,
    at_most: Vec<(Terms, f64)>,
}

/// The value of each variable in the best solution.
#[derive(Debug)]
pub struct Values(Vec<f64>);

impl Values {
    /// That of one.
    #[must_use]
    pub fn of(&self, Variable(place): Variable) -> f64 {
        self.0[place].max(0.0)
    }
}

impl Linear {
    /// A new variable, each unit of which costs so much.
    pub fn variable(&mut self, cost: f64) -> Variable {
        self.costs.push(cost);
        Variable(self.costs.len() - 1)
    }

    /// The sum is `value`.
    pub fn equal(&mut self, terms: Terms, value: f64) {
        self.equal.push((terms, value));
    }

    /// The sum is `value` or less.
    pub fn at_most(&mut self, terms: Terms, value: f64) {
        self.at_most.push((terms, value));
    }

    /// The best solution.
    ///
    /// # Errors
    /// What the solver says, if there is none.
    pub fn solve(&self) -> Result<Values, String> {
        let variables = self.costs.len();
        let mut columns = vec![Vec::new(); variables];
        let rows = self.equal.iter().chain(&self.at_most);
        let mut right: Vec<f64> = rows.clone().map(|(_, value)| *value).collect();
        for (row, (terms, _)) in rows.enumerate() {
            terms.iter().for_each(|&(Variable(place), factor)| columns[place].push((row, factor)));
        }
        // No variable is negative.
        let signs = right.len();
        columns.iter_mut().enumerate().for_each(|(v, column)| column.push((signs + v, -1.0)));
        right.resize(signs + variables, 0.0);
        let matrix = compressed(right.len(), &columns);
        let cones = [ZeroConeT(self.equal.len()), NonnegativeConeT(right.len() - self.equal.len())];
        let none = CscMatrix::zeros((variables, variables));
        let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
        let solver = DefaultSolver::new(&none, &self.costs, &matrix, &right, &cones, settings);
        let mut solver = solver.map_err(|error| error.to_string())?;
        solver.solve();
        match solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => Ok(Values(solver.solution.x)),
            status => Err(format!("{status:?}")),
        }
    }
}

/// The matrix with these entries in its columns.
fn compressed(rows: usize, columns: &[Vec<(usize, f64)>]) -> CscMatrix<f64> {
    let starts = columns.iter().scan(0, |end, column| {
        *end += column.len();
        Some(*end)
    });
    let starts = std::iter::once(0).chain(starts).collect();
    let (places, factors) = columns.iter().flatten().copied().unzip();
    CscMatrix::new(rows, columns.len(), starts, places, factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_corner_is_found() {
        // The least of x + 2 y with x + y = 4 and x <= 3.
        let mut programme = Linear::default();
        let (x, y) = (programme.variable(1.0), programme.variable(2.0));
        programme.equal(vec![(x, 1.0), (y, 1.0)], 4.0);
        programme.at_most(vec![(x, 1.0)], 3.0);
        let values = programme.solve().expect("it has a solution");
        assert!((values.of(x) - 3.0).abs() < 1e-6 && (values.of(y) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_has_no_solution_is_said() {
        let mut programme = Linear::default();
        let x = programme.variable(1.0);
        programme.at_most(vec![(x, 1.0)], -1.0);
        assert!(programme.solve().unwrap_err().contains("Infeasible"));
    }
}
