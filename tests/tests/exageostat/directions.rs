//! Covariances that depend on direction: against the same data turned and stretched, differences,
//! gstat, and a field drawn with one.

use tegula_exageostat::assess::{At, leave_one_out, misspecification};
use tegula_exageostat::block::Block;
use tegula_exageostat::covariance::{Covariance, DIRECTIONAL, Scale, find};
use tegula_exageostat::design::Design;
use tegula_exageostat::fit::{Fit, FitError, FitOptions, NuggetChoice, fit};
use tegula_exageostat::likelihood::{Criterion, Evaluate, Likelihood, Overlap};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_exageostat::sample::{Random, sample};
use tegula_exageostat::vecchia::{FORMS, LocalPredictor, Ordering, Vecchia, VecchiaLikelihood};
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_plan::distribution::distribution;
use tegula_tests::{assert_close, flow, likelihood, over_ranks};

use super::covariance;
use super::scores::{CRITERIA, difference, loglik, observations};

/// The points with coordinates turned back by `angle` degrees, those after the first divided by
/// what the `shares` say.
fn turned(points: &Points, angle: f64, shares: [f64; 2]) -> Points {
    let (sin, cos) = angle.to_radians().sin_cos();
    let at = |i: usize| {
        let [x, y, z] = points.point(i);
        [cos * x + sin * y, (cos * y - sin * x) / shares[0], z / shares[1]]
    };
    let stored = points.geometry().stored();
    let runs: Vec<Vec<f64>> =
        (0..stored).map(|k| (0..points.len()).map(|i| at(i)[k]).collect()).collect();
    let runs: Vec<&[f64]> = runs.iter().map(Vec::as_slice).collect();
    Points::new(points.geometry(), &runs).expect("places")
}

/// A covariance with directions, and the one without on data that are turned and stretched.
struct Pair {
    with: (&'static Covariance, Vec<f64>),
    without: (&'static Covariance, Vec<f64>),
    geometry: Geometry,
    angle: f64,
    shares: [f64; 2],
}

/// Pairs of each form of a covariance with the shapes after the range.
fn pairs(name: &str, shapes: &[f64]) -> Vec<Pair> {
    let of = |form: &str, own: &[f64], last: &[f64], geometry, angle, shares| Pair {
        with: (
            find(&format!("{name}:{form}")).expect("listed"),
            [&[1.3], own, shapes, last].concat(),
        ),
        without: (covariance(name), [&[1.3, own[0]], shapes].concat()),
        geometry,
        angle,
        shares,
    };
    vec![
        of("anisotropic", &[0.4], &[33.0, 0.35], Geometry::Plane, 33.0, [0.35, 1.0]),
        of("xy", &[0.4, 0.1], &[], Geometry::Plane, 0.0, [0.25, 1.0]),
        of("xyz", &[0.4, 0.5, 0.2], &[], Geometry::Space, 0.0, [1.25, 0.5]),
    ]
}

fn all_pairs() -> Vec<Pair> {
    let named = [("matern", &[0.8][..]), ("spherical", &[]), ("cauchy", &[0.8, 1.2])];
    named.iter().flat_map(|(name, shapes)| pairs(name, shapes)).collect()
}

impl Pair {
    fn observations(&self) -> [Observations; 2] {
        let given = observations(random_points(self.geometry, 100, 1.0, 3), 2);
        let points = turned(&given.points, self.angle, self.shares);
        let moved = Observations::new(points, given.values.clone(), given.design.clone());
        [given, moved]
    }
}

#[test]
fn likelihoods_are_those_of_data_turned_and_stretched() {
    for pair in all_pairs() {
        let [given, moved] = pair.observations();
        let mut dense = likelihood(&given, 40);
        // With all before as neighbours; the order is another where coordinates are.
        let mut others: Vec<VecchiaLikelihood> = FORMS
            .iter()
            .map(|&(form, ..)| {
                let options = Vecchia::new(99, Ordering::Random).with_form(form);
                VecchiaLikelihood::new(flow(2), &given, options)
            })
            .collect();
        let (plain, values) = &pair.without;
        let expected = likelihood(&moved, 30).evaluate(plain, values, 0.2).expect("positive");
        let (with, values) = &pair.with;
        let all = others.iter_mut().map(|one| one as &mut dyn Evaluate);
        for evaluate in [&mut dense as &mut dyn Evaluate].into_iter().chain(all) {
            // Another covariance between leaves nothing behind.
            let before = evaluate.evaluate(with, values, 0.2).expect("positive definite");
            evaluate.evaluate(covariance("exponential"), &[1.0, 0.2], 0.1).expect("positive");
            let after = evaluate.evaluate(with, values, 0.2).expect("positive definite");
            assert_close(before.loglik(), after.loglik(), 1e-13, with.name);
            assert_close(after.loglik(), expected.loglik(), 1e-12, with.name);
        }
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for pair in all_pairs() {
        let given = &pair.observations()[0];
        let vecchia = |form| {
            let options = Vecchia::new(7, Ordering::Maximin).with_form(form);
            Box::new(VecchiaLikelihood::new(flow(2), given, options)) as Box<dyn Evaluate>
        };
        let mut all: Vec<Box<dyn Evaluate>> = vec![Box::new(likelihood(given, 40))];
        all.extend(FORMS.iter().map(|&(form, ..)| vecchia(form)));
        for evaluate in &mut all {
            CRITERIA
                .iter()
                .for_each(|&criterion| check_gradient(&mut **evaluate, &pair, criterion));
        }
    }
}

fn check_gradient(evaluate: &mut dyn Evaluate, pair: &Pair, criterion: Criterion) {
    let (with, values) = &pair.with;
    let score = evaluate.score(with, values, 0.2, (criterion, false), &|_| true);
    let found = score.expect("positive definite").1.expect("it is wanted").gradient;
    for (k, parameter) in with.parameters.iter().enumerate() {
        let expected = difference(2e-3, |change| {
            let mut values = values.clone();
            values[k] = parameter.scale.value(parameter.scale.coordinate(values[k]) + change);
            let evaluation = evaluate.evaluate(with, &values, 0.2).expect("positive definite");
            loglik(&evaluation, criterion)
        });
        // As of covariances without directions.
        let tolerance = if with.is_compact { 1e-3 } else { 1e-8 };
        assert!(
            (found[k] - expected).abs() < tolerance * (1.0 + expected.abs()),
            "{} {criterion:?}, {}: {}, not {expected}",
            with.name,
            parameter.name,
            found[k]
        );
    }
}

/// Every one of the list, of which a power changes with a range that is a distance.
#[test]
fn derivatives_of_all_are_those_of_differences() {
    let points =
        [random_points(Geometry::Plane, 40, 1.0, 5), random_points(Geometry::Space, 40, 1.0, 5)];
    for with in DIRECTIONAL.iter().filter(|one| !one.is_compact) {
        let geometry = with.geometry().expect("it has directions");
        let given = observations(points[usize::from(geometry == Geometry::Space)].clone(), 1);
        let mut values = with.defaults();
        (1..=with.ranges()).for_each(|k| values[k] = 0.2 + 0.1 * k as f64);
        if let Some(angle) = with.angle() {
            (values[angle], values[angle + 1]) = (130.0, 0.4);
        }
        let (without, shares) = ([0.0; 3], [1.0; 2]);
        let pair = Pair {
            with: (with, values),
            without: (with, without.to_vec()),
            geometry,
            angle: 0.0,
            shares,
        };
        check_gradient(&mut likelihood(&given, 16), &pair, Criterion::Full);
    }
}

#[test]
fn expected_information_is_that_of_data_turned_and_stretched() {
    for pair in pairs("matern", &[0.8]) {
        let [given, moved] = pair.observations();
        let count = pair.with.1.len() + 1;
        let dense = |observations, (of, values): &(&'static Covariance, Vec<f64>)| {
            let mut likelihood = likelihood(observations, 40);
            let found = likelihood.information(of, values, 0.2, Criterion::Full);
            found.expect("positive definite").1
        };
        let (found, plain) = (dense(&given, &pair.with), dense(&moved, &pair.without));
        // The smoothness, which has no direction; the sum over ranges is the range's.
        let shape = pair.with.0.ranges() + 1;
        assert_close(found[shape * (count + 1)], plain[2 * 4 + 2], 1e-8, "smoothness");
        let ranges = || 1..=pair.with.0.ranges();
        let sum: f64 =
            ranges().flat_map(|j| ranges().map(move |k| j + k * count)).map(|at| found[at]).sum();
        assert_close(sum, plain[4 + 1], 1e-8, pair.with.0.name);
        // By all neighbours, of which Vecchia's is made otherwise.
        let options = Vecchia::new(99, Ordering::Maximin);
        let mut vecchia = VecchiaLikelihood::new(flow(2), &given, options);
        let (with, values) = &pair.with;
        let other = vecchia.information(with, values, 0.2, Criterion::Full).expect("positive").1;
        for (one, other) in found.iter().zip(&other) {
            assert!((one - other).abs() < 1e-7 * (1.0 + one.abs()), "{one}, {other}");
        }
    }
}

/// Predictions of all kinds at places that are turned and stretched as the data are; blocks only
/// along coordinates.
#[test]
fn predictions_are_those_of_data_turned_and_stretched() {
    for pair in pairs("matern", &[0.8]) {
        let [given, moved] = pair.observations();
        let at = random_points(pair.geometry, 9, 1.0, 8);
        let there = turned(&at, pair.angle, pair.shares);
        let drift = |_: &Points| {
            let slope = (0..9).map(|i| 3.0 + at.point(i)[0]).collect();
            vec![vec![1.0; 9], slope]
        };
        let model = |(of, values): &(&'static Covariance, Vec<f64>)| {
            Model::new(of, values.clone(), 0.2).expect("parameters")
        };
        let [with, without] = [model(&pair.with), model(&pair.without)];
        let exact = |model: &Model, of: &Observations| -> Box<dyn Predict> {
            let made = Predictor::new(likelihood(of, 40), model.clone(), of.clone());
            Box::new(made.expect("positive definite"))
        };
        let local = |model: &Model, of: &Observations| -> Box<dyn Predict> {
            let made = LocalPredictor::exact(likelihood(of, 40), model.clone(), of.clone(), 100);
            Box::new(made.expect("positive definite"))
        };
        let vecchia = |model: &Model, of: &Observations| -> Box<dyn Predict> {
            let likelihood =
                VecchiaLikelihood::new(flow(2), of, Vecchia::new(100, Ordering::Random));
            Box::new(LocalPredictor::new(likelihood, model.clone(), of.clone()).expect("positive"))
        };
        type Maker<'a> = &'a dyn Fn(&Model, &Observations) -> Box<dyn Predict>;
        for (make, what) in
            [(&exact as Maker<'_>, "exact"), (&local, "local"), (&vecchia, "vecchia")]
        {
            let (mut found, mut expected) = (make(&with, &given), make(&without, &moved));
            let what = format!("{} {what}", with.covariance.name);
            for sides in [None, Some([0.1, 0.2, 0.15])].into_iter().take(if pair.angle == 0.0 {
                2
            } else {
                1
            }) {
                if let Some(sides) = sides {
                    let count = pair.geometry.dimensions();
                    let shares = [1.0, pair.shares[0], pair.shares[1]];
                    let other: Vec<f64> =
                        sides.iter().zip(shares).map(|(s, share)| s / share).collect();
                    let block = |sides: &[f64], model: &Model| {
                        Block::new(pair.geometry, &sides[..count], model).expect("sides")
                    };
                    found.set_block(block(&sides, &with));
                    expected.set_block(block(&other, &without));
                }
                let one = found.predict(&at, &drift(&at), &mut |_| {}).expect("memory");
                let other = expected.predict(&there, &drift(&there), &mut |_| {}).expect("memory");
                let [a, b] = [
                    found.joint(&at, &drift(&at)).expect("memory"),
                    expected.joint(&there, &drift(&there)).expect("memory"),
                ];
                let all = |one: &[f64], other: &[f64], kind: &str| {
                    for (one, other) in one.iter().zip(other) {
                        assert!((one - other).abs() < 1e-9, "{what}, {kind}: {one}, not {other}");
                    }
                };
                all(&one.mean, &other.mean, "mean");
                all(&one.variance, &other.variance, "variance");
                all(&a.mean, &b.mean, "joint mean");
                all(&a.covariance, &b.covariance, "covariance");
            }
        }
    }
}

#[test]
fn what_is_left_out_and_what_it_costs_are_those_of_data_turned_and_stretched() {
    for pair in pairs("matern", &[0.8]) {
        let [given, moved] = pair.observations();
        let at = random_points(pair.geometry, 12, 1.0, 8);
        let there = turned(&at, pair.angle, pair.shares);
        let drift = vec![vec![1.0; 12], (0..12).map(|i| at.point(i)[0]).collect()];
        let found = |(of, values): &(&'static Covariance, Vec<f64>),
                     data: &Observations,
                     points| {
            let model = Model::new(of, values.clone(), 0.2).expect("parameters");
            let mut truth = model.clone();
            (1..=of.ranges()).for_each(|k| truth.values[k] *= 1.5);
            let left = leave_one_out(likelihood(data, 40), &model).expect("positive definite").0;
            let places = At { points, drift: &drift, design: &data.design };
            let cost = misspecification(
                (&model, &truth),
                places,
                &mut || likelihood(data, 40),
                &mut |_| {},
            );
            let cost = cost.expect("positive definite").0;
            let mut all: Vec<f64> =
                left.iter().flat_map(|one| [one.residual, one.variance]).collect();
            all.extend([cost.mloe, cost.mmom, cost.rmom]);
            all
        };
        let (one, other) = (found(&pair.with, &given, &at), found(&pair.without, &moved, &there));
        for (one, other) in one.iter().zip(&other) {
            assert!((one - other).abs() < 1e-9 * (1.0 + other.abs()), "{one}, not {other}");
        }
    }
}

#[test]
fn draws_are_those_at_places_turned_and_stretched() {
    for pair in pairs("matern", &[0.8]) {
        let [given, moved] = pair.observations().map(|observations| observations.points);
        let normal = Random::new(4).normals(100);
        let draw = |(of, values): &(&'static Covariance, Vec<f64>), points: &Points| {
            let model = Model::new(of, values.clone(), 0.2).expect("parameters");
            sample::<f64>(&mut flow(2), &model, points, &normal, 40).expect("positive definite")
        };
        for (one, other) in draw(&pair.with, &given).iter().zip(draw(&pair.without, &moved)) {
            assert!((one - other).abs() < 1e-11, "{one}, not {other}");
        }
    }
}

/// A field of 400 values on a grid of places that are moved a little.
fn field(name: &str, values: &[f64], nugget: f64, seed: u64) -> Observations {
    let (of, mut random) = (find(name).expect("listed"), Random::new(seed));
    let mut axis = |step: fn(usize) -> usize| -> Vec<f64> {
        (0..400).map(|i| (step(i) as f64 + 0.8 * random.uniform()) / 20.0).collect()
    };
    let (x, y) = (axis(|i| i % 20), axis(|i| i / 20));
    let points = Points::new(Geometry::Plane, &[&x, &y]).expect("in the plane");
    let model = Model::new(of, values.to_vec(), nugget).expect("parameters");
    let normal = random.normals(400);
    let drawn = sample::<f64>(&mut flow(2), &model, &points, &normal, 100).expect("positive");
    Observations::new(points, drawn, Design::constant(400))
}

/// A fit by 15 neighbours in groups, which is quick.
fn fitted(observations: &Observations, name: &str, options: &FitOptions) -> Result<Fit, FitError> {
    let vecchia = Vecchia::new(15, Ordering::Maximin);
    let mut likelihood = VecchiaLikelihood::new(flow(2), observations, vecchia);
    fit(&mut likelihood, observations, find(name).expect("listed"), options, |_| {})
}

#[test]
fn a_fit_finds_directions_wherever_the_search_starts() {
    // Near the end of the half turn, where a search with bounds would be stuck.
    let truth = [1.0, 0.3, 176.0, 0.3];
    let observations = field("exponential:anisotropic", &truth, 0.0, 11);
    let free = FitOptions { profile_intervals: true, ..FitOptions::all_free(4) };
    let found = fitted(&observations, "exponential:anisotropic", &free).expect("a fit");
    assert!(found.converged && found.bounds_hit.is_empty(), "{:?}", found.bounds_hit);
    for (index, truth) in truth.iter().enumerate() {
        let (low, high) = found.uncertainty.intervals[index].expect("an interval");
        let profile = found.profile_intervals[index].clone().expect("an interval");
        for (low, high) in [(low, high), (profile.low, profile.high)] {
            let turned = [*truth, truth - 180.0];
            let those = if index == 2 { &turned[..] } else { &turned[..1] };
            assert!(those.iter().any(|x| (low..high).contains(x)), "{index}: {low} to {high}");
        }
        assert!((low - profile.low).abs() < 0.4 * (high - low), "{index}: {low}, {profile:?}");
    }
    let error = found.uncertainty.std_errors[2].expect("an error");
    assert!((1.0..15.0).contains(&error), "{error} degrees");
    for angle in [60.0, 100.0, -20.0] {
        let mut options = FitOptions::all_free(4);
        options.start[2] = Some(angle);
        let other = fitted(&observations, "exponential:anisotropic", &options).expect("a fit");
        assert!((other.loglik - found.loglik).abs() < 1e-3, "from {angle}: {}", other.loglik);
        assert!((0.0..180.0).contains(&other.model.values[2]), "{:?}", other.model.values);
    }
    let spread = FitOptions { starts: 3, ..FitOptions::all_free(4) };
    let spread = fitted(&observations, "exponential:anisotropic", &spread).expect("a fit");
    assert!((spread.loglik - found.loglik).abs() < 1e-3 && spread.agreeing_starts() >= 2);
    // Along coordinates the axes of the ellipse are nearly the same.
    let axes = fitted(&observations, "exponential:xy", &FitOptions::all_free(3)).expect("a fit");
    let [range, ratio] = [found.model.values[1], found.model.values[3]];
    assert!((axes.model.values[1] / range).ln().abs() < 0.2, "{:?}", axes.model.values);
    assert!((axes.model.values[2] / (range * ratio)).ln().abs() < 0.2, "{:?}", axes.model.values);
}

#[test]
fn a_fit_without_directions_says_that_the_angle_is_any() {
    let observations = field("exponential", &[1.0, 0.2], 0.0, 3);
    let mut options = FitOptions::all_free(4);
    options.fixed[3] = Some(1.0);
    let found = fitted(&observations, "exponential:anisotropic", &options).expect("a fit");
    let plain = fitted(&observations, "exponential", &FitOptions::all_free(2)).expect("a fit");
    assert!((found.loglik - plain.loglik).abs() < 1e-6, "{} {}", found.loglik, plain.loglik);
    assert_eq!(found.uncertainty.std_errors[2], None, "of an angle that is any");
    assert!(found.uncertainty.std_errors[1].is_some());
    assert!(
        found.remarks.iter().any(|remark| remark.contains("at ratio 1")),
        "{:?}",
        found.remarks
    );
}

#[test]
fn angles_keep_to_bounds_that_pass_the_half_turn() {
    let observations = field("exponential:anisotropic", &[1.0, 0.3, 176.0, 0.3], 0.1, 11);
    let mut options = FitOptions { nugget: NuggetChoice::Fixed(0.1), ..FitOptions::all_free(4) };
    options.bounds[2] = Some((150.0, 210.0));
    options.start[2] = Some(20.0);
    let found = fitted(&observations, "exponential:anisotropic", &options).expect("a fit");
    assert!(found.bounds_hit.is_empty(), "{:?}", found.bounds_hit);
    options.bounds[2] = Some((40.0, 60.0));
    let refused = fitted(&observations, "exponential:anisotropic", &options).expect_err("20");
    assert!(matches!(refused, FitError::Outside { .. }), "{refused}");
    options.start[2] = None;
    let held = fitted(&observations, "exponential:anisotropic", &options).expect("a fit");
    assert!(held.bounds_hit.iter().any(|hit| hit.parameter == "angle"), "{:?}", held.bounds_hit);
    assert!(held.loglik < found.loglik);
}

#[test]
fn other_geometries_are_refused() {
    let sphere = observations(random_points(Geometry::GreatCircle, 20, 1.0, 3), 0);
    let found = likelihood(&sphere, 20).evaluate(
        find("matern:anisotropic").expect("listed"),
        &[1.0, 0.1, 0.5, 30.0, 0.5],
        0.0,
    );
    let error = found.expect_err("no directions on the sphere").to_string();
    assert!(error.contains("the plane") && error.contains("sphere"), "{error}");
    let space = observations(random_points(Geometry::Space, 20, 1.0, 3), 0);
    let options = FitOptions::all_free(3);
    let error = fitted(&space, "exponential:xy", &options).expect_err("three coordinates");
    assert!(error.to_string().contains("two coordinates"), "{error}");
}

/// Places are mapped on every rank.
#[test]
fn workers_and_ranks_change_nothing() {
    let pair = &pairs("matern", &[0.8])[0];
    let given = &pair.observations()[0];
    let (with, values) = &pair.with;
    let score = |evaluate: &mut dyn Evaluate| {
        let found = evaluate.score(with, values, 0.2, (Criterion::Full, false), &|_| true);
        let (evaluation, score) = found.expect("positive definite");
        [&[evaluation.loglik()], &score.expect("it is wanted").gradient[..]].concat()
    };
    let vecchia =
        |flow| score(&mut VecchiaLikelihood::new(flow, given, Vecchia::new(9, Ordering::Maximin)));
    let dense = |flow| score(&mut Likelihood::<f64>::new(flow, given, 30, Overlap::default()));
    let owners = distribution("row-cyclic", 3).expect("a distribution");
    let expected = [vecchia(flow(1)), dense(flow(1))];
    let found = over_ranks(3, &owners, vecchia).into_iter();
    let rest = over_ranks(3, &owners, dense).into_iter();
    for (found, expected) in found.zip([&expected[0]; 3]).chain(rest.zip([&expected[1]; 3])) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-10 * (1.0 + expected.abs()), "{found}");
        }
    }
}

#[test]
fn angles_are_searched_in_radians() {
    let angle = Scale::Angle;
    assert!((angle.value(angle.coordinate(35.0)) - 35.0).abs() < 1e-13);
    assert!((angle.slope(35.0) - 57.295_779_513_082_32).abs() < 1e-12);
}

/// `krige(z ~ 1, d, t, vgm(1.3, "Exp", 0.4, nugget = 0.2, anis = c(57, 0.35)))` of R's gstat 2.1-0
/// with `i = 0:11`, `x = ((7 * i) %% 12) / 12`, `y = ((5 * i) %% 11) / 11`,
/// `z = sin(3 * i) + 0.2 * i`; then with `z ~ x` and `"Sph"` of range 0.8; then in space, with
/// `w = ((4 * i) %% 13) / 13`, `"Exp"` of range 0.5 and `anis = c(0, 0, 0, 0.8, 0.4)`, whose first
/// range is along y. Its angles are clockwise from y, its variances those of values with noise.
#[test]
fn krigings_are_those_of_gstat() {
    let of = |times: usize, by: usize| -> Vec<f64> {
        (0..12).map(|i| (times * i % by) as f64 / by as f64).collect()
    };
    let (x, y, w) = (of(7, 12), of(5, 11), of(4, 13));
    let z: Vec<f64> = (0..12).map(|i| (3.0 * f64::from(i)).sin() + 0.2 * f64::from(i)).collect();
    let at = [[0.2, 0.55, 0.9], [0.4, 0.15, 0.75], [0.3, 0.6, 0.1]];
    let slope = Design::new(
        ["(Intercept)", "x"].map(str::to_owned).to_vec(),
        vec![vec![1.0; 12], x.clone()],
        12,
    );
    let slope = slope.expect("independent columns");
    let one = vec![1.0; 3];
    for (name, values, design, drift, means, variances) in [
        (
            "exponential:anisotropic",
            &[1.3, 0.4, 33.0, 0.35][..],
            Design::constant(12),
            vec![one.clone()],
            [1.144_180_844_957_587, 2.119_926_518_633_272, 0.840_514_886_563_772],
            [1.279_391_688_825_40, 1.009_883_391_713_86, 1.180_989_243_174_68],
        ),
        (
            "spherical:anisotropic",
            &[1.3, 0.8, 33.0, 0.35],
            slope,
            vec![one.clone(), at[0].to_vec()],
            [1.282_776_017_104_54, 2.357_272_120_821_10, 1.184_837_591_792_45],
            [1.496_416_371_463_248, 0.969_681_886_566_176, 1.381_592_077_527_295],
        ),
        (
            "exponential:xyz",
            &[1.3, 0.4, 0.5, 0.2],
            Design::constant(12),
            vec![one.clone()],
            [1.394_930_048_214_916, 1.765_565_305_691_898, 0.941_397_049_470_687],
            [1.102_821_444_057_64, 1.172_365_870_378_14, 1.059_019_288_302_19],
        ),
    ] {
        let covariance = covariance(name);
        let geometry = covariance.geometry().expect("it has directions");
        let count = geometry.dimensions();
        let points = Points::new(geometry, &[&x[..], &y, &w][..count]).expect("places");
        let targets: Vec<&[f64]> = at[..count].iter().map(|axis| &axis[..]).collect();
        let targets = Points::new(geometry, &targets).expect("places");
        let data = Observations::new(points, z.clone(), design);
        let model = Model::new(covariance, values.to_vec(), 0.2).expect("parameters");
        let mut predictor = Predictor::new(likelihood(&data, 5), model, data).expect("positive");
        let found = predictor.predict(&targets, &drift, &mut |_| {}).expect("memory");
        for k in 0..3 {
            assert!((found.mean[k] - means[k]).abs() < 1e-12, "{name}: {}", found.mean[k]);
            let variance = found.variance[k] + 0.2;
            assert!((variance - variances[k]).abs() < 1e-12, "{name}: {variance}");
        }
    }
}
