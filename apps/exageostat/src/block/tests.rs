//! Tests of blocks: their rules against other quadratures, and what is refused.

use std::f64::consts::PI;

use super::*;
use crate::covariance::find;

fn model(name: &str, values: &[f64]) -> Model {
    let covariance = find(name).expect("a covariance");
    Model::new(covariance, values.to_vec(), 0.0).expect("a model")
}

#[test]
fn weights_sum_to_one_and_integrate_polynomials_of_degree_seven() {
    let near = model("exponential", &[1.0, 100.0]);
    let block = Block::new(Geometry::Space, &[2.0, 3.0, 0.0], &near).expect("a block");
    assert_eq!(block.len(), 65);
    let moment = |f: &dyn Fn(&[f64; 3]) -> f64| -> f64 {
        block.nodes.iter().map(|(at, weight)| weight * f(at)).sum()
    };
    // The mean of x^6 over (-1, 1) is 1/7, of y^2 over (-3/2, 3/2) 3/4.
    assert!((moment(&|_| 1.0) - 1.0).abs() < 1e-14);
    assert!((moment(&|at| at[0].powi(6)) - 1.0 / 7.0).abs() < 1e-14);
    assert!((moment(&|at| at[0].powi(7) + at[1].powi(2)) - 0.75).abs() < 1e-14);
    let square = Block::new(Geometry::Plane, &[2.0], &near).expect("a block");
    assert_eq!(square, Block::new(Geometry::Plane, &[2.0, 2.0], &near).expect("a block"));
}

#[test]
fn what_is_no_block_is_refused() {
    let model = model("exponential", &[1.0, 1.0]);
    let new = |geometry, sides: &[f64]| Block::new(geometry, sides, &model).expect_err("no block");
    assert_eq!(new(Geometry::GreatCircle, &[1.0]), BlockError::Sphere);
    let sides = BlockError::Sides { expected: 3, found: 2 };
    assert_eq!(new(Geometry::Space, &[1.0, 1.0]), sides);
    assert_eq!(new(Geometry::Plane, &[-1.0]), BlockError::Side { value: -1.0 });
    // A cube of a hundred ranges takes millions of nodes.
    assert!(matches!(new(Geometry::Space, &[100.0]), BlockError::Large { .. }));
}

/// The integral of `f` from `a` to `b` by Gauss's rule of three nodes.
fn gauss(a: f64, b: f64, f: &dyn Fn(f64) -> f64) -> f64 {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let away = half * 0.6f64.sqrt();
    half * (5.0 * f(middle - away) + 8.0 * f(middle) + 5.0 * f(middle + away)) / 9.0
}

/// The integral of `f` from 0 to `end` by that rule, in steps that grow from 0 on.
fn graded(end: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEPS: i32 = 60;
    let at = |k: i32| end * (f64::from(k) / f64::from(STEPS)).powi(3);
    (0..STEPS).map(|k| gauss(at(k), at(k + 1), &f)).sum()
}

/// The integral of `c` over the rectangle from a place to its corner `(a, b)`, in polar
/// coordinates.
fn corner(c: &dyn Fn(f64) -> f64, (a, b): (f64, f64)) -> f64 {
    let (sign, a, b) = (a.signum() * b.signum(), a.abs(), b.abs());
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let part = |a: f64, b: f64| {
        let width = (b / a).atan() / 60.0;
        let ray = |angle: f64| graded(a / angle.cos(), |r| r * c(r));
        (0..60).map(|k| gauss(f64::from(k) * width, f64::from(k + 1) * width, &ray)).sum::<f64>()
    };
    sign * (part(a, b) + part(b, a))
}

/// The mean of `c` over the square of this `width` about 0, at `(x, y)`.
fn mean(c: &dyn Fn(f64) -> f64, width: f64, (x, y): (f64, f64)) -> f64 {
    let h = 0.5 * width;
    if x.abs().max(y.abs()) > h {
        // Outside it is smooth.
        let panels = |f: &dyn Fn(f64) -> f64| -> f64 {
            let at = |k: i32| width * (f64::from(k) / 40.0 - 0.5);
            (0..40).map(|k| gauss(at(k), at(k + 1), f)).sum()
        };
        return panels(&|u| panels(&|v| c((u - x).hypot(v - y)))) / (width * width);
    }
    let at = |u: f64, v: f64| corner(c, (u * h - x, v * h - y));
    (at(1.0, 1.0) - at(-1.0, 1.0) - at(1.0, -1.0) + at(-1.0, -1.0)) / (width * width)
}

/// The variance of the mean over such a square, by the density of the distance of two points of a
/// unit square (B. Ghosh, Bulletin of the Calcutta Mathematical Society 43 (1951) 17-24).
fn variance(c: &dyn Fn(f64) -> f64, width: f64) -> f64 {
    let density = |d: f64| {
        if d <= 1.0 {
            return 2.0 * d * (PI - 4.0 * d + d * d);
        }
        let root = (d * d - 1.0).sqrt();
        2.0 * d * (4.0 * root - (d * d + 2.0 - PI) - 4.0 * root.atan())
    };
    let root = std::f64::consts::SQRT_2;
    let beyond = graded(root - 1.0, |t| density(1.0 + t) * c(width * (1.0 + t)));
    graded(1.0, |d| density(d) * c(width * d)) + beyond
}

/// Mean, in units of its standard error, and variance of simple kriging.
fn kriged(
    c: &dyn Fn(f64) -> f64,
    places: &[(f64, f64)],
    (with, prior): (&[f64], f64),
) -> (f64, f64) {
    let n = places.len();
    let distance =
        |i: usize, j: usize| (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1);
    let factor = cholesky(n, |i, j| c(distance(i, j)), positive).expect("positive definite");
    let weights = backward(&factor, n, &forward(&factor, n, with));
    // Values of a wave.
    let values = places.iter().map(|(x, y)| (x - 2.0 * y).sin() + 0.5);
    let explained: f64 = weights.iter().zip(with).map(|(weight, c)| weight * c).sum();
    let mean: f64 = weights.iter().zip(values).map(|(weight, z)| weight * z).sum();
    (mean, prior - explained)
}

/// The krigings of blocks from a twenty-fifth of the range to ten ranges, with data inside, at the
/// border and outside.
#[test]
fn blocks_of_any_width_are_those_of_a_converged_quadrature() {
    let models = [
        model("exponential", &[1.5, 1.0]),
        model("matern", &[0.8, 1.0, 1.5]),
        model("matern", &[1.0, 1.0, 0.3]),
    ];
    for model in models {
        let law = model.covariance.law(Geometry::Plane, &model.values, 0.0).expect("a law");
        let c = model.covariance.function(&model.values);
        for width in [0.04, 0.3, 1.0, 3.0, 10.0] {
            // Data far within a range leave less of a smooth field than has three digits.
            let spread = f64::max(width, 0.3);
            let places: Vec<(f64, f64)> = [
                (0.0, 0.0),
                (0.31, 0.22),
                (-0.5, 0.1),
                (0.5, 0.5),
                (-0.2, -0.41),
                (0.3, -0.7),
                (1.2, 0.4),
                (-1.6, -1.1),
                (0.1, 2.9),
            ]
            .iter()
            .map(|(x, y)| (x * spread, y * spread))
            .collect();
            let block = Block::new(Geometry::Plane, &[width], &model).expect("a block");
            let with =
                |(x, y): &(f64, f64)| block.covariance_with(law.table(), [0.0; 3], &[*x, *y]);
            let found: Vec<f64> = places.iter().map(with).collect();
            let expected: Vec<f64> = places.iter().map(|&at| mean(&c, width, at)).collect();
            let priors = [block.covariance(law.table(), [0.0; 3], [0.0; 3]), variance(&c, width)];
            let (mean, left) = kriged(&c, &places, (&found, priors[0]));
            let (answer, least) = kriged(&c, &places, (&expected, priors[1]));
            let name = model.covariance.name;
            for (k, (one, other)) in found.iter().zip(&expected).enumerate() {
                let off = (one - other).abs() / (other + priors[1]);
                assert!(off < 1e-5, "{name} {width}: {one} {other} at place {k}");
            }
            assert!((priors[0] / priors[1] - 1.0).abs() < 1e-4, "{name} {width}: {priors:?}");
            assert!((left / least - 1.0).abs() < 1e-3, "{name} {width}: {left} {least}");
            let off = (mean - answer) / least.sqrt();
            assert!(off.abs() < 1e-3, "{name} {width}: {mean} {answer}");
        }
    }
}

/// On a line, `C = exp(-d)`, all is in closed form.
#[test]
fn intervals_have_the_means_of_closed_forms() {
    let model = model("exponential", &[1.0, 1.0]);
    let law = model.covariance.law(Geometry::Line, &model.values, 0.0).expect("a law");
    for width in [0.05f64, 1.0, 8.0] {
        let block = Block::new(Geometry::Line, &[width], &model).expect("a block");
        let h = 0.5 * width;
        for x in [0.0f64, 0.3, 0.5, 0.9, 4.0].map(|share| share * width) {
            let expected = if x <= h {
                (2.0 - (-(h - x)).exp() - (-(h + x)).exp()) / width
            } else {
                ((h - x).exp() - (-h - x).exp()) / width
            };
            let found = block.covariance_with(law.table(), [0.0; 3], &[x]);
            let off = (found - expected).abs();
            assert!(off < 1e-7 * expected + 1e-9, "{width} {x}: {found} {expected}");
        }
        let expected = 2.0 * ((-width).exp() - 1.0 + width) / (width * width);
        let found = block.covariance(law.table(), [0.0; 3], [0.0; 3]);
        assert!((found / expected - 1.0).abs() < 1e-6, "{width}: {found} {expected}");
        // Two that touch.
        let expected = ((-width).exp() - 1.0).powi(2) / (width * width);
        let found = block.covariance(law.table(), [width, 0.0, 0.0], [0.0; 3]);
        assert!((found / expected - 1.0).abs() < 1e-4, "{width}: {found} {expected}");
    }
}

/// A block in a plane with directions is a parallelogram there: the mean is that of many places.
#[test]
fn blocks_with_directions_are_means_of_places() {
    let model = model("exponential:anisotropic", &[1.0, 1.0, 30.0, 0.4]);
    let law = model.covariance.law(Geometry::Plane, &model.values, 0.0).expect("a law");
    let metric = law.metric.as_ref();
    let block = Block::new(Geometry::Plane, &[2.0, 1.0], &model).expect("a block").mapped(metric);
    let map = |x: f64, y: f64| metric.expect("directions").of([x, y, 0.0]);
    let steps = 400;
    for (x, y) in [(0.2, 0.1), (1.0, -0.5), (3.0, 2.0)] {
        let at = map(x, y);
        let mut sum = 0.0;
        for (i, j) in (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j))) {
            let share = |k: i32| (f64::from(k) + 0.5) / f64::from(steps) - 0.5;
            let node = map(2.0 * share(i), share(j));
            sum += law.table().value(Geometry::Plane.distance(&node, &at));
        }
        let expected = sum / f64::from(steps * steps);
        let found = block.covariance_with(law.table(), [0.0; 3], &at);
        assert!((found / expected - 1.0).abs() < 1e-4, "{x} {y}: {found} {expected}");
    }
}
