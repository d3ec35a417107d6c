//! Replicates: several fields at the same places, through every command that takes them.

use std::path::{Path, PathBuf};

use crate::support::{assert_close, column, folder, number, tegula_in};

const MODEL: &str = "--covariance exponential --params 2,0.15 --nugget 0.1";

/// A folder with `fields.csv`: x, y and three fields of one covariance, z1, z2 and z3.
fn fields() -> PathBuf {
    let folder = folder();
    let run = |arguments: &str| tegula_in(&folder, arguments).succeeded();
    run(&format!("exageostat sample --n 90 --seed 1 {MODEL} -o first.csv"));
    for (seed, from, to) in [(2, "first.csv", "second.csv"), (3, "second.csv", "third.csv")] {
        run(&format!("exageostat sample --at {from} --coords x,y --seed {seed} {MODEL} -o {to}"));
    }
    let third = folder.join("third.csv");
    let text = std::fs::read_to_string(&third).expect("a table");
    let (_, rows) = text.split_once('\n').expect("a header");
    std::fs::write(folder.join("fields.csv"), format!("x,y,z1,z2,z3\n{rows}")).expect("written");
    folder
}

fn loglik(folder: &Path, more: &str) -> f64 {
    let words = format!("exageostat loglik fields.csv --mean constant {MODEL} {more} --json - -q");
    number(&tegula_in(folder, &words).succeeded().json(), "/loglik")
}

#[test]
fn fields_are_fitted_together_and_each_predicted() {
    let folder = fields();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    for method in ["", "--method vecchia:20:grouped", "--method tlr:1e-8"] {
        let sum: f64 = ["z1", "z2", "z3"]
            .iter()
            .map(|field| loglik(&folder, &format!("--values {field} {method}")))
            .sum();
        let all = loglik(&folder, &format!("--values z1,z2,z3 --replicates {method}"));
        assert_close(all, sum, 1e-9);
    }
    let fit = "fit fields.csv --values z1,z2,z3 --replicates --mean ~x --covariance exponential \
               --estimate-nugget -o model.json --json -";
    let fitted = run(fit).json();
    let names: Vec<&str> = fitted["coefficients"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    let expected =
        ["z1: (Intercept)", "z1: x", "z2: (Intercept)", "z2: x", "z3: (Intercept)", "z3: x"];
    assert_eq!(names, expected);
    let again = run("loglik model.json --gradient --json - -q").json();
    assert_close(number(&again, "/loglik"), number(&fitted, "/loglik"), 1e-9);
    assert_eq!(number(&again, "/replicates"), 3.0);
    for parameter in ["variance", "range", "nugget"] {
        let slope = number(&again, &format!("/gradient/{parameter}"));
        let error = number(&fitted, &format!("/std_errors/{parameter}"));
        assert!((slope * error).abs() < 0.02, "{parameter}: {slope}, {error}");
    }
    let made = run("predict model.json --at fields.csv -o back.csv --json -").json();
    assert_eq!(
        made["columns"].to_string(),
        r#"["mean_z1","mean_z2","mean_z3","variance","variance_obs"]"#
    );
    for field in ["z1", "z2", "z3"] {
        let observed = column(&folder.join("fields.csv"), field);
        let predicted = column(&folder.join("back.csv"), &format!("mean_{field}"));
        let pairs = observed.iter().zip(&predicted);
        let error = pairs.map(|(z, m)| (z - m).powi(2)).sum::<f64>() / 90.0;
        // Noise of variance 0.1 is taken off.
        assert!(error < 0.1, "{field}: {error}");
    }
    let assessed = run("assess model.json --cross-validate 5 --json -").json();
    // Six coefficients, three parameters.
    let (loglik, n) = (number(&fitted, "/loglik"), 270.0_f64);
    assert_close(number(&assessed, "/bic"), 9.0 * n.ln() - 2.0 * loglik, 1e-9);
    run("assess model.json --fisher");
}

#[test]
fn what_is_not_for_replicates_says_so() {
    let folder = fields();
    let all = "--values z1,z2,z3 --replicates";
    for (arguments, words) in [
        ("fit fields.csv --values z1 --replicates".to_owned(), "list all"),
        ("fit fields.csv --values z1,z2,z1 --replicates".to_owned(), "lists z1 twice"),
        (format!("fit fields.csv {all} --transform log"), "log(z1),log(z2)"),
        (format!("fit fields.csv {all} --transform tukey-gh"), "is for one field"),
        (format!("variogram fields.csv {all}"), "3 replicates"),
        (format!("fit fields.csv {all} --covariance bivariate-matern-parsimonious"), "1 variable"),
        (format!("fit fields.csv {all} --noise 0.1,0.1,0.1"), "3 variances for 1 variable"),
    ] {
        tegula_in(&folder, &format!("exageostat {arguments}")).failed(2, &[words]);
    }
    let fit =
        format!("exageostat fit fields.csv {all} --covariance exponential --noise 0.1 -o m.json");
    tegula_in(&folder, &fit).succeeded();
    for (arguments, words) in [
        ("predict m.json --at fields.csv --simulate 2", "one field"),
        ("assess m.json -o out.csv", "one field"),
    ] {
        tegula_in(&folder, &format!("exageostat {arguments}")).failed(2, &[words]);
    }
}
