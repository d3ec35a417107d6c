//! Draws from a field.

use tegula_exageostat::model::Model;
use tegula_exageostat::sample::{Random, sample as draw, scattered_places};
use tegula_kernels::geometry::Geometry;
use tegula_tests::flow;

use super::covariance;

#[test]
fn draws_have_the_covariance_asked_for() {
    // 2000 draws at 12 places: each entry of the sample covariance has standard error
    // sqrt((C_ii C_jj + C_ij^2) / 2000); five of them bound all 78 entries but once in 10^4.
    let (points, _) = scattered_places(Geometry::Plane, 12, &mut Random::new(3)).expect("places");
    let model = Model::new(covariance("matern"), vec![2.0, 0.3, 1.2], 0.1).expect("parameters");
    let draws: Vec<Vec<f64>> = (0..2000)
        .map(|seed| {
            draw::<f64>(&mut flow(1), &model, &points, &Random::new(seed).normals(12), 5)
                .expect("definite")
        })
        .collect();
    let function = model.covariance.function(&model.values);
    let theory = |i: usize, j: usize| {
        if i == j { 2.1 } else { function(points.distance(i, j)) }
    };
    for i in 0..12 {
        for j in 0..=i {
            let mean = draws.iter().map(|z| z[i] * z[j]).sum::<f64>() / draws.len() as f64;
            let error = ((theory(i, i) * theory(j, j) + theory(i, j).powi(2)) / 2000.0).sqrt();
            assert!(
                (mean - theory(i, j)).abs() < 5.0 * error,
                "({i}, {j}): {mean} {}",
                theory(i, j)
            );
        }
    }
}

#[test]
fn a_draw_is_the_same_for_any_number_of_workers() {
    let (points, _) = scattered_places(Geometry::Plane, 300, &mut Random::new(1)).expect("places");
    let model = Model::new(covariance("exponential"), vec![1.0, 0.2], 0.0).expect("parameters");
    let e = Random::new(9).normals(300);
    let one = draw::<f64>(&mut flow(1), &model, &points, &e, 64).expect("definite");
    let three = draw::<f64>(&mut flow(3), &model, &points, &e, 64).expect("definite");
    assert_eq!(one, three);
}
