//! Design matrices of formulas against those of R; what predictors of means are uncertain by.

use tegula_exageostat::design::Design;
use tegula_exageostat::mean::{Formula, Kind, Linear, Values};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictions, Predictor};
use tegula_files::Table;
use tegula_kernels::geometry::{Geometry, Points};
use tegula_tests::{answer_table, answers, assert_close, likelihood, numbers};

use super::covariance;

/// What the variables of `formula` are in `table`.
fn values(formula: &Formula, table: &Table) -> Vec<Values> {
    let value = |variable: &tegula_exageostat::mean::Variable| {
        let of = variable.expression();
        let column = of.as_column().map(|name| table.find(name).expect("a column"));
        match (variable.kind(), column) {
            (Kind::Column(_), Some(column)) if table.is_text(column) => {
                Values::Classes(table.classes(column).expect("the file is as it was"))
            }
            _ => Values::Numbers(of.evaluate(table).expect("numbers")),
        }
    };
    formula.variables().iter().map(value).collect()
}

#[test]
fn design_matrices_are_those_of_r() {
    let table = answer_table("means.csv");
    let answers = answers("means.json");
    let matrices = answers["matrices"].as_array().expect("a list");
    assert!(matrices.len() >= 24);
    for answer in matrices {
        let text = answer["formula"].as_str().expect("text");
        let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let values = values(&formula, &table);
        let linear = Linear::learn(formula, &values).unwrap_or_else(|error| panic!("{error}"));
        let names: Vec<&str> =
            answer["names"].as_array().expect("a list").iter().filter_map(|x| x.as_str()).collect();
        assert_eq!(linear.names(), names, "{text}");
        let columns = linear.columns(&values, table.rows()).expect("known levels");
        for (name, (ours, theirs)) in
            names.iter().zip(columns.iter().zip(answer["columns"].as_array().expect("a list")))
        {
            let theirs = numbers(theirs);
            assert_eq!(ours.len(), theirs.len());
            // Values are of order 1 or exact, and the answers have 15 digits.
            let largest = theirs.iter().fold(1.0f64, |most, x| most.max(x.abs()));
            for (row, (x, y)) in ours.iter().zip(&theirs).enumerate() {
                let what = format!("{text}, {name}, row {row}: {x} against {y}");
                assert!((x - y).abs() <= 1e-12 * largest, "{what}");
            }
        }
        assert_eq!(columns.len(), names.len());
    }
}

/// The predictor is linear in the values: its weights are its predictions of unit vectors.
#[test]
fn the_lagrange_term_gives_the_variance_of_the_predictor() {
    let x = [0.0, 0.31, 0.62, 0.13, 0.55, 0.97, 0.84, 0.4];
    let y = [0.1, 0.82, 0.35, 0.5, 0.93, 0.6, 0.05, 0.2];
    let (n, variance, range, nugget) = (x.len(), 1.3, 0.4, 0.2);
    let points = Points::new(Geometry::Plane, &[&x, &y]).expect("in the plane");
    let at = Points::new(Geometry::Plane, &[&[0.45, 1.7], &[0.42, 1.2]]).expect("in the plane");
    let drift = [vec![1.0; 2], vec![0.45, 1.7]];
    let predicted = |place: usize| {
        let values = (0..n).map(|i| f64::from(u8::from(i == place))).collect();
        let names = ["(Intercept)", "x"].map(str::to_owned).to_vec();
        let design = Design::new(names, vec![vec![1.0; n], x.to_vec()], n).expect("independent");
        let observations = Observations::new(points.clone(), values, design);
        let model = Model::new(covariance("exponential"), vec![variance, range], nugget);
        let model = model.expect("parameters of an exponential covariance");
        let predictor = Predictor::new(likelihood(&observations, 3), model, observations);
        predictor.expect("a factor").predict(&at, &drift, &mut |_| {}).expect("memory")
    };
    let of_units: Vec<_> = (0..n).map(predicted).collect();
    let entry = |i: usize, j: usize| {
        let distance = (x[i] - x[j]).hypot(y[i] - y[j]);
        variance * (-distance / range).exp() + if i == j { nugget } else { 0.0 }
    };
    for place in 0..2 {
        let weight = |i: usize| of_units[i].mean[place];
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let spread: f64 = pairs.map(|(i, j)| weight(i) * entry(i, j) * weight(j)).sum();
        let Predictions { variance: kriging, lagrange, .. } = &of_units[0];
        let expected = variance - kriging[place] + 2.0 * lagrange[place];
        assert_close(spread, expected, 1e-10, "variance of the predictor");
    }
}
