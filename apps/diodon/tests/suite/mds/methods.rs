//! Each method finds what the eigendecomposition of the whole matrix finds.

use tegula_diodon::mds::{METHODS, Method};
use tegula_kernels::element::Element;

use super::support::{How, bent, deviation, eigen, embed, gram, points, sine, stored};

const AXES: usize = 6;

#[test]
fn lanczos_and_exact_agree_with_the_whole_matrix() {
    for (n, distances) in [(7, bent(7, 1)), (64, points(64, 9, 2)), (300, bent(300, 3))] {
        let (values, vectors) = eigen(&gram(&distances, &vec![1.0; n]));
        let source = stored(&distances, Element::F64);
        for method in [Method::Lanczos, Method::Exact] {
            let found = embed::<f64>(&source, &How::new(method, AXES, n)).expect("distances");
            let wanted = values.iter().take(AXES).filter(|&&x| x > 1e-10 * values[0]).count();
            assert_eq!(found.leading.values.len(), wanted, "{method:?}, n = {n}");
            let off = deviation(&found.leading.values, &values);
            assert!(off < 1e-12, "{method:?}, n = {n}: eigenvalues off by {off:e}");
            for axis in 0..wanted {
                let sine = sine(&found.leading, &vectors, axis);
                assert!(sine < 1e-6, "{method:?}, n = {n}, axis {axis}: {sine:e}");
            }
            assert_ne!(found.leading.has_converged, Some(false));
        }
    }
}

#[test]
fn more_passes_are_more_accurate() {
    let n = 400;
    let distances = bent(n, 6);
    let (values, _) = eigen(&gram(&distances, &vec![1.0; n]));
    let source = stored(&distances, Element::F64);
    let errors: Vec<f64> = [2, 4, 8]
        .into_iter()
        .map(|passes| {
            let mut how = How::new(Method::Randomized, AXES, n);
            how.request.passes = Some(passes);
            let found = embed::<f64>(&source, &how).expect("distances");
            assert_eq!(found.passes, passes);
            deviation(&found.leading.values, &values)
        })
        .collect();
    assert!(errors[1] < 0.3 * errors[0] && errors[2] < 0.3 * errors[1], "{errors:?}");
}

#[test]
fn a_rank_below_the_number_of_axes_gives_as_many_axes_as_there_are() {
    let n = 90;
    let source = stored(&points(n, 3, 8), Element::F64);
    for listed in METHODS {
        let how = How::new(listed.method, AXES, n);
        let found = embed::<f64>(&source, &how).expect("distances");
        assert_eq!(found.leading.values.len(), 3, "{}", listed.name);
        assert!(found.leading.negative.is_empty(), "{}", listed.name);
        let sum: f64 = found.leading.values.iter().sum();
        assert!((sum / found.sums.trace - 1.0).abs() < 1e-11, "{}", listed.name);
    }
}

#[test]
fn a_point_or_two_are_embedded() {
    for listed in METHODS {
        let one = embed::<f64>(&stored(&[0.0], Element::F64), &How::new(listed.method, 3, 1));
        assert!(one.expect("a point").leading.values.is_empty(), "{}", listed.name);
        let two = stored(&[0.0, 2.0, 2.0, 0.0], Element::F64);
        let two = embed::<f64>(&two, &How::new(listed.method, 3, 2)).expect("two points");
        assert!(deviation(&two.leading.values, &[2.0]) < 1e-14, "{}", listed.name);
    }
}

#[test]
fn single_precision_products_cost_what_single_precision_costs() {
    let n = 300;
    let distances = bent(n, 9);
    let (values, _) = eigen(&gram(&distances, &vec![1.0; n]));
    let mut how = How::new(Method::Lanczos, AXES, n);
    how.request.tolerance = 1e-5;
    let found = embed::<f32>(&stored(&distances, Element::F64), &how).expect("distances");
    assert_ne!(found.leading.has_converged, Some(false));
    let off = deviation(&found.leading.values, &values);
    assert!(off < 1e-6, "{off:e}");
}

#[test]
fn each_kind_of_numbers_is_embedded_as_it_is_stored() {
    let n = 80;
    let whole: Vec<f64> = points(n, 5, 10).iter().map(|x| (x * 20.0).round()).collect();
    let (values, _) = eigen(&gram(&whole, &vec![1.0; n]));
    for element in
        [Element::U8, Element::I16, Element::U16, Element::I32, Element::F16, Element::F32]
    {
        let how = How::new(Method::Exact, AXES, n);
        let found = embed::<f64>(&stored(&whole, element), &how).expect("distances");
        let off = deviation(&found.leading.values, &values);
        assert!(off < 1e-12, "{}: {off:e}", element.name());
    }
}

#[test]
fn a_matrix_without_positive_eigenvalues_has_no_axis() {
    let n = 100;
    let mut distances: Vec<f64> =
        (0..n * n).map(|at| f64::from(u8::from(at / n != at % n))).collect();
    distances[7] = 50.0;
    distances[7 * n] = 50.0;
    for seed in 0..8 {
        for method in [Method::Randomized, Method::Nystrom] {
            let mut how = How::new(method, 1, n);
            how.request.width = 1;
            how.request.seed = seed;
            let found = embed::<f64>(&stored(&distances, Element::F64), &how).expect("distances");
            assert!(found.leading.values.len() <= 1);
        }
    }
    for listed in METHODS {
        let how = How::new(listed.method, 2, n);
        let found = embed::<f64>(&stored(&vec![0.0; n * n], Element::F64), &how);
        assert!(found.expect("one point").leading.values.is_empty(), "{}", listed.name);
    }
}
