//! Tiles of covariances and of their derivatives.

use std::marker::PhantomData;

use bytemuck::Zeroable;
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::composite::{Recipe, Term, Time, composite_buffer};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_kernels::kernel::covariance::{
    CompositeCovariance, Correlation, Covariance, Derivative, Part, RadialTable, Row,
    SmallDerivative, SmallExpansion, Structure,
};
use tegula_kernels::kernel::covariance_product::{Product, ProductDiagonal, ProductTile};
use tegula_kernels::kernel::covariance_score::{Score, ScoreDiagonal, ScoreTile};
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::scalar::Real;
use tegula_kernels::special::Matern;

use super::{Comparison, raw};

impl Comparison<'_> {
    pub(super) fn covariances<T: Real>(&mut self, (m, n, _): (usize, usize, usize)) {
        for geometry in Geometry::ALL {
            let scale = if geometry == Geometry::GreatCircle { 1500.0 } else { 0.3 };
            let table = RadialTable::new(&Smooth(Matern::new(0.8)), 1.5, scale, 0.1);
            let table = bytemuck::bytes_of(&*table).to_vec();
            let points = random_points(geometry, m + n, 1.0, 11);
            let (p, q) = (raw(&points.block(0..m)), raw(&points.block(m..m + n)));
            let out = vec![0; m * n * size_of::<T>()];
            let between = Covariance::<T>::between(geometry, (m, n));
            self.compare::<T, T, _>(between, &[table.clone(), p.clone(), q, out], 64.0);
            let within = Covariance::<T>::within(geometry, (m, m), (0, 0));
            let out = vec![0; m * m * size_of::<T>()];
            // What is above the diagonal is left as it is, which is anything on a device.
            let is_below = |place: usize| place % m >= place / m;
            self.compare_part::<T, T, _>(within, &[table, p.clone(), p, out], 64.0, is_below);
        }
    }

    /// Of two variables, in space and time, and of both.
    pub(super) fn composites<T: Real>(
        &mut self,
        (m, n, _): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        for geometry in Geometry::ALL {
            for (has_time, has_variables) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let recipe = recipe(has_time, has_variables);
                let law = law_of(&recipe, geometry);
                let points = random_points(geometry, m + n, 1.0, 11);
                let points = mark(points, [has_time, has_variables]);
                let (p, q) = (raw(&points.block(0..m)), raw(&points.block(m..m + n)));
                // The largest tiles take long, and are made as the others are.
                if m * n < 1 << 14 {
                    let slopes = (law.clone(), recipe.structure(), recipe.derivatives());
                    self.slopes::<T>(slopes, geometry, ([&p, &q], [m, n]), random);
                }
                let tile = |rows, cols, part| {
                    let (terms, has_tables, precision) = (3, true, PhantomData::<T>);
                    CompositeCovariance { rows, cols, geometry, part, terms, has_tables, precision }
                };
                let out = vec![0; m * n * size_of::<T>()];
                let full = tile(m, n, Part::Full);
                self.compare::<T, T, _>(full, &[law.clone(), p.clone(), q, out], 64.0);
                let out = vec![0; m * m * size_of::<T>()];
                let is_below = |place: usize| place % m >= place / m;
                let square = tile(m, m, Part::Lower);
                self.compare_part::<T, T, _>(square, &[law, p.clone(), p, out], 64.0, is_below);
            }
        }
    }

    /// Of two derivatives one is any table, and one is by direction where there are directions; at
    /// the larger scale nearly all places are closer than the tables begin.
    pub(super) fn derivatives<T: Real>(
        &mut self,
        (m, n, _): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let geometries = Geometry::ALL.into_iter().zip([true, false].repeat(2));
        for ((geometry, is_relative), is_near) in
            geometries.flat_map(|case| [(case, false), (case, true)])
        {
            let scale = match (geometry == Geometry::GreatCircle, is_near) {
                (true, false) => 1500.0,
                (true, true) => 1e6,
                (false, false) => 0.3,
                (false, true) => 100.0,
            };
            let tables = bytemuck::cast_slice(&tables(geometry, scale, 0.0)).to_vec();
            let points = random_points(geometry, m + n, 1.0, 12);
            let (p, q) = (raw(&points.block(0..m)), raw(&points.block(m..m + n)));
            let slopes = (tables, Structure::Radial { is_relative }, 2);
            self.slopes::<T>(slopes, geometry, ([&p, &q], [m, n]), random);
        }
    }

    /// What tiles of derivatives add to the score and to the information.
    fn slopes<T: Real>(
        &mut self,
        (law, structure, derivatives): (Vec<u8>, Structure, usize),
        geometry: Geometry,
        ([p, q], [m, n]): ([&Vec<u8>; 2], [usize; 2]),
        random: &mut RandomInputs,
    ) {
        let (width, first, vectors) = (4, 1, 2);
        let (size, with_panel) = (16.0 * (m + n) as f64, geometry == Geometry::Plane);
        let mut panel = |rows: usize, cols: usize| raw(&random.numbers::<T>(rows * cols));
        let tile =
            ScoreTile { rows: m, cols: n, width, first, vectors, derivatives, geometry, structure };
        let made = (vectors + 1) * derivatives + 1;
        let (a, b_i, b_j) = (panel(m, n), panel(m, width), panel(n, width));
        let (y_i, y_j) = (panel(m, made), panel(n, made));
        let sides = [law.clone(), p.clone(), q.clone(), a, b_i.clone(), b_j, y_i, y_j];
        self.compare::<T, T, _>(Score::<T>::new(tile), &sides, size);
        let square = ScoreTile { cols: m, ..tile };
        let sides = [law.clone(), p.clone(), panel(m, m), b_i, panel(m, made)];
        self.compare::<T, T, _>(ScoreDiagonal::<T>::new(square), &sides, size);
        let (rows, cols) = (m, n);
        let tile = ProductTile { rows, cols, width, derivatives, with_panel, geometry, structure };
        let made = width * (derivatives + 1);
        let (x_i, x_j) = (panel(m, width), panel(n, width));
        let (y_i, y_j) = (panel(m, made), panel(n, made));
        let sides = [law.clone(), p.clone(), q.clone(), x_i.clone(), x_j, y_i.clone(), y_j];
        self.compare::<T, T, _>(Product::<T>::new(tile), &sides, size);
        let square = ProductTile { cols: m, ..tile };
        let sides = [law, p.clone(), x_i, y_i];
        self.compare::<T, T, _>(ProductDiagonal::<T>::new(square), &sides, size);
    }
}

/// Three terms: all of one variable, or each of a pair of its own; with no shapes, with two that
/// are relative, and with one that is not.
pub(super) fn recipe(has_time: u64, has_variables: u64) -> Recipe {
    let mut recipe = Recipe { has_time, has_variables, ..Recipe::zeroed() };
    let pairs = if has_variables == 1 { [[0, 0], [1, 1], [0, 1]] } else { [[0, 0]; 3] };
    let kinds = [(1.5, 0, 0), (0.75, 2, 1), (-0.25, 1, 0)];
    for ((to, pair), (weight, shapes, is_relative)) in recipe.terms.iter_mut().zip(pairs).zip(kinds)
    {
        *to = Term { weight, pair, shapes, is_relative };
    }
    (recipe.count, recipe.nugget) = (3, 0.125);
    recipe.time = Time { scale: 0.7, alpha: 0.6, interaction: 0.5, decay: 1.2 };
    recipe
}

/// The buffer of `recipe`: tables of its terms and of their shapes.
pub(super) fn law_of(recipe: &Recipe, geometry: Geometry) -> Vec<u8> {
    let tables = tables_of(geometry, 0.0);
    let [covariance, other, _] = tables;
    let shapes = [other, covariance, other];
    let buffer = composite_buffer(recipe, &[tables, shapes].concat());
    bytemuck::cast_slice(&buffer).to_vec()
}

/// Of a covariance with this nugget and of two derivatives, at a scale at which places of a square
/// of length 1, or of the earth, are near each other and far apart.
pub(super) fn tables_of(geometry: Geometry, nugget: f64) -> [RadialTable; 3] {
    tables(geometry, if geometry == Geometry::GreatCircle { 1500.0 } else { 0.3 }, nugget)
}

/// Of a covariance and of two derivatives: any table, and one by direction where there are
/// directions.
fn tables(geometry: Geometry, scale: f64, nugget: f64) -> [RadialTable; 3] {
    let table = |smoothness, variance, scale, nugget| {
        RadialTable::new(&Smooth(Matern::new(smoothness)), variance, scale, nugget)
    };
    let covariance = table(0.8, 1.5, scale, nugget);
    let mut directed = RadialTable::empty();
    directed.tabulate_derivative(&Rational, 1.3, &covariance);
    match geometry {
        Geometry::Plane => directed.set_axes([0, 1]),
        Geometry::Space => directed.set_axes([2, 2]),
        Geometry::Line | Geometry::GreatCircle => {}
    }
    [*covariance, *table(1.1, 0.7, 0.8 * scale, 0.0), *directed]
}

/// Marks places with a time and a variable, each if it is wanted.
pub(super) fn mark(mut points: Points, [has_time, has_variables]: [u64; 2]) -> Points {
    let numbers = |of: fn(usize) -> f64| (0..points.len()).map(of).collect::<Vec<f64>>();
    let (times, variables) = (numbers(|i| (i % 5) as f64 / 4.0), numbers(|i| (i % 2) as f64));
    for (mark, is_wanted) in [(times, has_time), (variables, has_variables)] {
        if is_wanted == 1 {
            points = points.marked(&mark);
        }
    }
    points
}

/// A Matern correlation.
struct Smooth(Matern);

impl Correlation for Smooth {
    fn value(&self, x: f64) -> f64 {
        self.0.value(x)
    }
    fn logarithm(&self, x: f64) -> f64 {
        self.0.scaled(x).ln() - x
    }
    fn near(&self) -> SmallExpansion {
        let near = self.0.near();
        SmallExpansion::Sum { a: near.a, b: near.b, power: near.power }
    }
}

/// A derivative of Cauchy's kind: its expansion is rational.
struct Rational;

impl Derivative for Rational {
    fn values(&self, x: &Row) -> Row {
        x.map(|x| {
            let z = x.powf(1.4);
            -0.5 * z.ln_1p() + (0.8 + 0.3 * (x * x).ln()) * z / (1.0 + z)
        })
    }
    fn near(&self) -> SmallDerivative {
        SmallDerivative::Rational { power: 0.7, logarithm: -0.5, ratio: [0.8, 0.3] }
    }
}
