//! Every covariance of the list: its table and tiles against its direct value, at random
//! parameters, and what is refused.

use tegula_exageostat::covariance::measure::measure;
use tegula_exageostat::covariance::{COVARIANCES, Covariance, CovarianceError, Parameter, find};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::{largest_relative_error, random_points};
use tegula_kernels::kernel::covariance::{RadialTable, Vectors};
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::scalar::Precision;

const EPS: f64 = f64::EPSILON;

/// Relative accuracy of a table where the covariance does not fall steeply.
const TABLE_ACCURACY: f64 = 1e-13;

/// Parameters within the search intervals, uniform in the logarithm.
fn random_values(covariance: &Covariance, random: &mut RandomInputs) -> Vec<f64> {
    let one = |&Parameter { search: (low, high), .. }: &Parameter| {
        low * (high / low).powf(0.5 * (random.number::<f64>() + 1.0))
    };
    covariance.parameters.iter().map(one).collect()
}

/// A relative rounding of the distance changes the value by `|d ln c / d ln x|` times as much,
/// about `|ln c|` where that is large; towards the end of a compact support rounding is relative to
/// the variance.
fn tolerance(covariance: &Covariance, variance: f64, exact: f64) -> f64 {
    let steepness = if exact > 0.0 { 2.0 + 2.0 * (exact / variance).ln().abs() } else { 0.0 };
    let compact = if covariance.is_compact { 4.0 * EPS * variance } else { 0.0 };
    exact * (TABLE_ACCURACY + 4.0 * EPS * steepness) + compact + 2.0 * f64::MIN_POSITIVE
}

fn check_table(covariance: &Covariance, values: &[f64], table: &RadialTable) {
    let direct = covariance.function(values);
    let mut d = 1e-300;
    while d < 1e300 {
        let exact = direct(d);
        let exact = if exact < f64::MIN_POSITIVE { 0.0 } else { exact };
        let found = table.value(d);
        let bound = tolerance(covariance, values[0], exact);
        let name = covariance.name;
        assert!((found - exact).abs() <= bound, "{name} {values:?} at {d:e}: {found:e}, {exact:e}");
        // Finer where the values matter.
        let matters = exact < 0.9999 * values[0] && exact > 1e-20 * values[0];
        d *= if matters { 1.007 } else { 1.9 };
    }
    assert_eq!(table.value(0.0), values[0]);
    assert_eq!(direct(0.0), values[0]);
}

#[test]
fn tables_follow_the_formula_at_any_distance() {
    let mut random = RandomInputs::new(21);
    for covariance in COVARIANCES {
        for _ in 0..25 {
            let values = random_values(covariance, &mut random);
            check_table(covariance, &values, &covariance.table(&values, 0.0).unwrap());
        }
    }
}

#[test]
fn tiles_follow_the_formula() {
    let mut random = RandomInputs::new(22);
    for covariance in COVARIANCES {
        for geometry in [Geometry::Line, Geometry::Plane, Geometry::Space] {
            let values = random_values(covariance, &mut random);
            let table = covariance.table(&values, 0.0).unwrap();
            let direct = covariance.function(&values);
            let points = random_points(geometry, 61, 1.0, random.bits());
            let mut out = vec![0.0_f64; 61 * 61];
            let kernel =
                tegula_kernels::kernel::covariance::Covariance::between(geometry, (61, 61));
            for vectors in Vectors::available() {
                kernel.compute(vectors, &table, points.held(), points.held(), &mut out);
                for (index, &found) in out.iter().enumerate() {
                    let exact = direct(points.distance(index % 61, index / 61));
                    let bound = tolerance(covariance, values[0], exact);
                    let name = covariance.name;
                    assert!((found - exact).abs() <= bound, "{name} {values:?}: {found}, {exact}");
                }
            }
        }
    }
}

#[test]
fn single_precision_is_the_rounded_value() {
    for covariance in COVARIANCES.iter().filter(|c| !c.is_compact) {
        let values = covariance.defaults();
        let table = covariance.table(&values, 0.0).unwrap();
        let points = random_points(Geometry::Plane, 50, 1.0, 4);
        for vectors in Vectors::available() {
            let direct = covariance.function(&values);
            let error = largest_relative_error::<f32>(vectors, &table, &points, &points, direct);
            assert!(error <= 0.51 * f64::from(f32::EPSILON), "{}: {error:e}", covariance.name);
        }
    }
}

#[test]
fn names_are_found_and_unique() {
    for covariance in COVARIANCES {
        assert!(std::ptr::eq(find(covariance.name).unwrap(), covariance));
        assert_eq!(covariance.check(&covariance.defaults()), Ok(()));
        let names: Vec<_> = covariance.parameters.iter().map(|p| p.name).collect();
        assert_eq!(names[..2], ["variance", "range"]);
        assert!(names.iter().all(|name| covariance.formula.contains(name)), "{names:?}");
    }
    let message = find("cubic").unwrap_err().to_string();
    assert!(COVARIANCES.iter().all(|c| message.contains(c.name)), "{message}");
}

#[test]
fn parameters_out_of_bounds_are_refused() {
    for covariance in COVARIANCES {
        let name = covariance.name;
        assert!(matches!(covariance.check(&[1.0]), Err(CovarianceError::Count { found: 1, .. })));
        for (index, parameter) in covariance.parameters.iter().enumerate() {
            for value in [parameter.above, -1.0, f64::NAN, f64::INFINITY] {
                let mut values = covariance.defaults();
                values[index] = value;
                let error = covariance.table(&values, 0.0).unwrap_err();
                assert!(error.to_string().contains(parameter.name), "{name}: {error}");
            }
        }
        let nugget = covariance.table(&covariance.defaults(), -1.0);
        assert_eq!(nugget.unwrap_err(), CovarianceError::Nugget { value: -1.0 });
    }
}

#[test]
fn the_sphere_calls_for_caution() {
    let caution = |name: &str, values: &[f64]| {
        let covariance = find(name).unwrap();
        assert_eq!(covariance.caution(Geometry::Plane, values), None);
        covariance.caution(Geometry::GreatCircle, values)
    };
    assert_eq!(caution("matern", &[1.0, 1.0, 0.5]), None);
    assert!(caution("matern", &[1.0, 1.0, 0.6]).unwrap().contains("smoothness up to 0.5"));
    assert_eq!(caution("powered-exponential", &[1.0, 1.0, 1.0]), None);
    assert!(caution("powered-exponential", &[1.0, 1.0, 1.1]).is_some());
    assert!(caution("gaussian", &[1.0, 1.0]).is_some());
    assert_eq!(caution("exponential", &[1.0, 1.0]), None);
    assert_eq!(caution("spherical", &[1.0, 1.0]), None);
}

#[test]
fn one_covariance_in_two_forms_is_one() {
    let mut random = RandomInputs::new(23);
    for _ in 0..200 {
        let d = (random.number::<f64>() * 6.0).exp();
        let value = |name: &str, values: &[f64]| find(name).unwrap().function(values)(d);
        let close = |a: f64, b: f64| (a - b).abs() <= 8.0 * EPS * (1.0 + d) * a;
        let exponential = value("exponential", &[2.0, 1.5]);
        assert!(close(value("matern", &[2.0, 1.5, 0.5]), exponential));
        assert!(close(value("powered-exponential", &[2.0, 1.5, 1.0]), exponential));
        let gaussian = value("gaussian", &[2.0, 1.5]);
        let powered = value("powered-exponential", &[2.0, 2.25, 2.0]);
        assert!((powered - gaussian).abs() <= 8.0 * EPS * (1.0 + d * d) * gaussian);
    }
}

#[test]
fn measuring_finds_the_accuracy() {
    let matern = find("matern").unwrap();
    let values = [1.0, 0.1, 0.7];
    for vectors in Vectors::available() {
        let found = measure(matern, &values, Geometry::Plane, Precision::Double, vectors).unwrap();
        assert!(found.entries_per_second > 0.0 && found.table_seconds > 0.0);
        assert!(found.relative_error > 0.0 && found.relative_error <= TABLE_ACCURACY);
    }
}
