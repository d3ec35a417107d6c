//! `tegula exageostat sample`: draws that can be repeated and read back.

use std::fs;

use crate::support::{assert_close, column, folder, folder_with, tegula, tegula_in};

const SAMPLE: &str =
    "exageostat sample --n 300 --params variance=1,range=0.1,smoothness=0.5 --tile-size 64";

#[test]
fn a_seed_gives_the_same_field_whatever_the_workers() {
    let folder = folder();
    let draw = |name: &str, more: &str| {
        tegula_in(&folder, &format!("{SAMPLE} {more} -o {name}")).succeeded();
        (column(&folder.join(name), "x"), column(&folder.join(name), "value"))
    };
    let one = draw("a.csv", "--seed 5 --workers 1");
    for (name, more) in [
        ("b.csv", "--workers 3"),
        ("c.csv", "--policy random"),
        ("d.csv", "--deterministic --workers 2"),
    ] {
        let other = draw(name, &format!("--seed 5 {more}"));
        assert_eq!(one.0, other.0, "the places do not depend on {more}");
        // A row of the product sums at most 300 terms below 4 in size, in any order.
        let close =
            one.1.iter().zip(&other.1).all(|(a, b)| (a - b).abs() < 300.0 * 4.0 * f64::EPSILON);
        assert!(close, "the values do not depend on {more}");
    }
    let again = fs::read(folder.join("a.csv")).expect("the field is there");
    tegula_in(&folder, &format!("{SAMPLE} --seed 5 --workers 1 -o again.csv")).succeeded();
    assert_eq!(again, fs::read(folder.join("again.csv")).expect("the field is there"));
    assert_ne!(one.1, draw("e.csv", "--seed 6").1);
}

#[test]
fn a_field_can_be_fitted_as_it_is_written() {
    for (more, coordinates) in [
        ("--dimensions 1", "x (euclidean"),
        ("--dimensions 2", "x, y (euclidean"),
        ("--dimensions 3", "x, y, z (euclidean"),
        ("--distance great-circle", "longitude, latitude (great-circle"),
    ] {
        let folder = folder();
        tegula_in(&folder, &format!("{SAMPLE} {more} -o field.csv")).succeeded();
        let flags = "--params 1,0.1,0.5";
        let run = tegula_in(&folder, &format!("exageostat loglik field.csv {flags}")).succeeded();
        assert!(run.stdout.contains(coordinates), "{coordinates} in {}", run.stdout);
        assert!(run.stdout.contains("values       value: 300"), "{}", run.stdout);
    }
}

#[test]
fn a_table_of_places_gets_one_more_column() {
    let folder = folder_with("places.csv", "name;x;y\na;0,5;1\nb;2;3,25\n");
    let flags = "--at places.csv --covariance exponential --params 1,2";
    let run = tegula_in(&folder, &format!("exageostat sample {flags}")).succeeded();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "name;x;y;value");
    assert!(lines[1].starts_with("a;0,5;1;") && lines.len() == 3, "{}", run.stdout);
}

#[test]
fn contradictions_are_refused() {
    tegula("exageostat sample --params 1,0.1,0.5").failed(2, &["--n"]);
    tegula("exageostat sample --n 5 --at x.csv --params 1,0.1,0.5").failed(2, &["--at", "--n"]);
    tegula("exageostat sample --n 5 --dimensions 3 --distance great-circle --params 1,0.1,0.5")
        .failed(2, &["--dimensions 2"]);
    tegula("exageostat sample --n 0 --params 1,0.1,0.5").failed(2, &["--n"]);
    tegula("exageostat sample --n 5 --params 1,0.1,0.5 -o no/such/folder.csv")
        .failed(2, &["no/such", "there is no folder"]);
}

#[test]
fn draws_and_predictions_can_be_traced() {
    let folder = folder();
    tegula_in(&folder, &format!("{SAMPLE} -o field.csv --trace draw.csv")).succeeded();
    let draw = fs::read_to_string(folder.join("draw.csv")).expect("the trace is there");
    for phase in ["generation", "factorization", "product"] {
        assert!(draw.contains(phase), "{phase} in {draw}");
    }
    let fit = "exageostat fit field.csv --fix smoothness=0.5 --max-evaluations 3 -o model.json";
    tegula_in(&folder, fit).succeeded();
    let predict = "exageostat predict model.json --at field.csv -o out.csv --trace predict.svg";
    tegula_in(&folder, predict).succeeded();
    let picture = fs::read_to_string(folder.join("predict.svg")).expect("the trace is there");
    assert!(picture.contains("projection"), "the phases are named");
    tegula_in(&folder, &format!("{SAMPLE} -o field.csv --trace draw.txt"))
        .failed(2, &["draw.txt", ".svg"]);
}

#[test]
fn a_model_is_drawn_with_its_mean_at_its_data_and_elsewhere() {
    let (folder, sample) = (folder(), crate::support::root().join("data/samples/e_sub140.csv"));
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let fit = "--covariance exponential --estimate-nugget --values exp(z) --transform log --mean";
    run(&format!("fit {} {fit} x+poly(y,2) -o model.json", sample.display()));
    // The same without its mean: equal seeds draw the same field.
    let text = fs::read_to_string(folder.join("model.json")).expect("the model is there");
    let mut model: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let coefficients: Vec<f64> = model["mean"]["coefficients"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|b| b.as_f64().expect("a number"))
        .collect();
    assert_eq!(coefficients.len(), 4);
    model["mean"]["coefficients"] = vec![0.0; 4].into();
    fs::write(folder.join("zero.json"), model.to_string()).expect("written");
    fs::write(folder.join("places.csv"), "x,y,name\n0.1,0.2,a\n0.7,0.4,b\n,0.3,c\n0.3,0.9,d\n")
        .expect("written");
    for (at, rows) in [("", 140), ("--at places.csv --drop-missing", 4)] {
        for (model, out) in [("model.json", "with.csv"), ("zero.json", "without.csv")] {
            run(&format!("sample {model} {at} --seed 7 -o {out}"));
        }
        // The mean is linear in x, and quadratic in y: what the model says of its data.
        run(&format!("sample model.json {at} --seed 8 -o other.csv"));
        let of = |name: &str, column_name: &str| column(&folder.join(name), column_name);
        let (with, without) = (of("with.csv", "value"), of("without.csv", "value"));
        assert_eq!(with.len(), rows);
        assert_ne!(with[0], of("other.csv", "value")[0]);
        let (x, y) = (of("with.csv", "x"), of("with.csv", "y"));
        // Orthogonal polynomials of the places of the data, by their recurrence.
        let places = column(&sample, "y");
        let basis = polynomials(&places);
        for row in 0..rows {
            if !at.is_empty() && row == 2 {
                assert!(with[row].is_nan());
                continue;
            }
            let [first, second] = basis(y[row]);
            let b = &coefficients;
            let mean = b[0] + b[1] * x[row] + b[2] * first + b[3] * second;
            let found = with[row].ln() - without[row].ln();
            assert!((found - mean).abs() < 1e-10, "row {row}: {found} against {mean}");
        }
    }
}

/// `poly(x, 2)` of R: orthonormal over `x`, the first a multiple of `x - mean(x)`.
fn polynomials(x: &[f64]) -> impl Fn(f64) -> [f64; 2] {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
    let alpha = x.iter().map(|x| x * (x - mean).powi(2)).sum::<f64>() / squares;
    let second = move |x: f64| (x - alpha) * (x - mean) - squares / n;
    let length = x.iter().map(|&x| second(x).powi(2)).sum::<f64>().sqrt();
    move |x| [(x - mean) / squares.sqrt(), second(x) / length]
}

#[test]
fn a_model_says_what_flags_would() {
    let (folder, sample) = (folder(), crate::support::root().join("data/samples/e_sub140.csv"));
    let fit = format!("exageostat fit {} --covariance exponential --mean x", sample.display());
    tegula_in(&folder, &format!("{fit} -o model.json")).succeeded();
    let run = |more: &str| tegula_in(&folder, &format!("exageostat sample model.json {more}"));
    for flag in ["--params 1,1", "-n 4", "--nugget 1", "--covariance matern"] {
        run(flag).failed(2, &["cannot be used with"]);
    }
    run("--coords x,y").failed(2, &["--coords names columns of --at"]);
    let text = fs::read_to_string(folder.join("model.json")).expect("the model is there");
    fs::write(folder.join("model.json"), text.replace("\"coefficients\"", "\"others\""))
        .expect("written");
    run("").failed(2, &["model.json", "coefficients", "fit again"]);
}

#[test]
fn fields_of_exageostat_can_be_drawn_again() {
    let folder = folder();
    let flags = "--n 16 --params 1,0.1,0.5 --generator exageostat";
    tegula_in(&folder, &format!("exageostat sample {flags} -o field.csv")).succeeded();
    // The examples of ExaGeoStatCPP's manual.
    let first = |name: &str| column(&folder.join("field.csv"), name)[..2].to_vec();
    assert_eq!(first("x"), [0.19304188601510644, 0.3305561913481346]);
    assert_eq!(first("y"), [0.10388342107270924, 0.13579003585870145]);
    for (value, golden) in first("value").into_iter().zip([-1.2723361403601876, -2.590699695867696])
    {
        assert!((value - golden).abs() < 1e-13, "{value} for {golden}");
    }

    for (more, said) in [
        ("--seed 4096", "--seed 4096 is above 4095"),
        ("--dimensions 3", "draws places in the plane"),
        ("--distance great-circle", "draws places in the plane"),
    ] {
        tegula_in(&folder, &format!("exageostat sample {flags} {more}")).failed(2, &[said]);
    }
}

/// Variables are drawn place by place there, so that the first two numbers are of the first place,
/// whose factor is `[1, 0; 2 r, 2 sqrt(1 - r^2)]` with the correlation `r`.
#[test]
fn variables_of_exageostat_are_drawn_place_by_place() {
    let folder = folder();
    let two = "--covariance bivariate-matern-parsimonious --params 1,4,0.1,0.5,0.5,0.6";
    let run = format!("exageostat sample -n 16 --generator exageostat {two} -o two.csv");
    tegula_in(&folder, &run).succeeded();
    let of = |name: &str| column(&folder.join("two.csv"), name);
    // The first numbers of LAPACK's dlarnv with the seed 0; smoothnesses are the same, so that the
    // correlation is that of the parameters.
    let (first, second) = (-1.2723361403601876, -2.351503744940465);
    assert_close(of("value1")[0], first, 1e-12);
    assert_close(of("value2")[0], 2.0 * (0.6 * first + 0.8 * second), 1e-12);
    assert_close(of("x")[0], 0.19304188601510644, 1e-14);
    let times = "--covariance gneiting-matern --params 1,0.1,0.5,1,0.5,0.5,0 --times 3";
    tegula_in(&folder, &format!("exageostat sample -n 16 --generator exageostat {times}"))
        .failed(2, &["--times: ExaGeoStat draws other places at each time", "--at"]);
}
