//! Distances against the haversine formula and exact cases, and what is refused.

use std::f64::consts::PI;

use tegula_kernels::geometry::{EARTH_RADIUS_KM, Geometry, GeometryError, Points};
use tegula_kernels::kernel::covariance::rate::random_points;

const EPS: f64 = f64::EPSILON;

fn haversine(a: (f64, f64), b: (f64, f64)) -> f64 {
    let half = |x: f64, y: f64| (0.5 * (y - x).to_radians()).sin().powi(2);
    let cosines = a.0.to_radians().cos() * b.0.to_radians().cos();
    let h = half(a.0, b.0) + cosines * half(a.1, b.1);
    2.0 * EARTH_RADIUS_KM * h.min(1.0).sqrt().asin()
}

fn sphere(places: &[(f64, f64)]) -> Points {
    let (latitudes, longitudes): (Vec<f64>, Vec<f64>) = places.iter().copied().unzip();
    Points::new(Geometry::GreatCircle, &[&latitudes, &longitudes]).unwrap()
}

/// Rounding of angles and unit vectors moves a point by a few eps R; haversine loses half of the
/// digits towards the antipode, as its sine is flat there.
fn tolerance(d: f64) -> f64 {
    let left = (PI - d / EARTH_RADIUS_KM).max(EPS.sqrt());
    EARTH_RADIUS_KM * EPS * (8.0 + 4.0 / left)
}

#[test]
fn great_circle_agrees_with_haversine() {
    let places: Vec<(f64, f64)> = (0..400)
        .map(|i| {
            let t = f64::from(i);
            (90.0 * (1.7 * t).sin(), 179.9 * (2.3 * t + 1.0).sin())
        })
        .collect();
    let points = sphere(&places);
    for i in 0..places.len() {
        for j in 0..places.len() {
            let (found, expected) = (points.distance(i, j), haversine(places[i], places[j]));
            let bound = tolerance(expected);
            assert!((found - expected).abs() <= bound, "{i} {j}: {found} and {expected}");
        }
    }
}

#[test]
fn near_points_and_antipodes_are_resolved() {
    let metre = 1e-3 / EARTH_RADIUS_KM * 180.0 / PI;
    for (latitude, longitude) in [(0.0, 0.0), (51.3, -0.7), (-89.0, 120.0)] {
        let points = sphere(&[
            (latitude, longitude),
            (latitude + metre, longitude),
            (-latitude, longitude - 180.0),
            (-latitude - metre, longitude + 180.0),
        ]);
        let bound = 8.0 * EPS * EARTH_RADIUS_KM;
        assert!((points.distance(0, 1) - 1e-3).abs() <= bound);
        assert!((points.distance(0, 2) - PI * EARTH_RADIUS_KM).abs() <= bound);
        assert!((points.distance(0, 3) - PI * EARTH_RADIUS_KM + 1e-3).abs() <= bound);
    }
}

#[test]
fn one_place_named_twice_is_one_place() {
    let points = sphere(&[(12.5, 180.0), (12.5, -180.0), (12.5, 540.0), (90.0, 3.0), (90.0, 77.0)]);
    assert_eq!(points.distance(0, 1), 0.0);
    assert_eq!(points.distance(0, 2), 0.0);
    assert_eq!(points.distance(3, 4), 0.0);
}

#[test]
fn euclidean_distances_survive_squares_that_do_not() {
    let space = Geometry::Space;
    let large = space.distance(&[3e200, 0.0, 0.0], &[0.0, 4e200, 0.0]);
    assert!((large / 5e200 - 1.0).abs() <= 4.0 * EPS);
    let small = Geometry::Plane.distance(&[3e-200, 0.0], &[0.0, 4e-200]);
    assert!((small / 5e-200 - 1.0).abs() <= 4.0 * EPS);
    assert_eq!(Geometry::Line.distance(&[1.0], &[-2.0]), 3.0);
    assert_eq!(space.distance(&[2.0, 3.0, 6.0], &[0.0; 3]), 7.0);
}

#[test]
fn blocks_keep_the_layout() {
    for geometry in Geometry::ALL {
        let points = random_points(geometry, 11, 1.0, 3);
        let block = points.block(4..9);
        assert_eq!(block.len(), geometry.stored() * 5);
        for k in 0..geometry.stored() {
            for i in 0..5 {
                assert_eq!(block[5 * k + i], points.point(4 + i)[k]);
            }
        }
        assert!(points.block(2..2).is_empty());
    }
}

#[test]
fn what_is_no_position_is_refused() {
    let plane = |x: &[f64], y: &[f64]| Points::new(Geometry::Plane, &[x, y]);
    assert!(plane(&[], &[]).unwrap().is_empty());
    assert_eq!(
        plane(&[0.0, 1.0], &[0.0]),
        Err(GeometryError::Length { axis: 1, expected: 2, found: 1 })
    );
    assert!(matches!(
        plane(&[0.0, f64::NAN], &[0.0, 1.0]),
        Err(GeometryError::Value { point: 1, axis: 0, .. })
    ));
    assert_eq!(
        Points::new(Geometry::GreatCircle, &[&[0.0, -90.5], &[0.0, 0.0]]),
        Err(GeometryError::Value { point: 1, axis: 0, value: -90.5 })
    );
    assert!(matches!(
        Points::new(Geometry::Space, &[&[0.0]]),
        Err(GeometryError::Coordinates { expected: 3, found: 1, .. })
    ));
}
