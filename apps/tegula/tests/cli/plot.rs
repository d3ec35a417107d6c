//! `tegula exageostat plot` and `fit --report`: the page, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{folder, root, tegula_in};

/// A folder with `model.json`, fitted to the sample of 140 places, and `fit.html`.
fn fitted(flags: &str) -> PathBuf {
    let (folder, sample) = (folder(), root().join("data/samples/e_sub140.csv"));
    let fit = format!("exageostat fit {} --fix smoothness=0.5 {flags}", sample.display());
    tegula_in(&folder, &format!("{fit} -o model.json --report fit.html")).succeeded();
    folder
}

fn page(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a page")
}

#[test]
fn a_page_has_all_figures_and_refers_to_nothing_outside() {
    let folder = fitted("--estimate-nugget --mean x");
    let grid: String = (0..20)
        .flat_map(|i| (0..20).map(move |j| (f64::from(i) / 20.0, f64::from(j) / 20.0)))
        .map(|(x, y)| format!("{x},{y}\n"))
        .collect();
    fs::write(folder.join("grid.csv"), format!("x,y\n{grid}")).expect("a grid");
    tegula_in(&folder, "exageostat predict model.json --at grid.csv -o p.csv").succeeded();
    tegula_in(&folder, "exageostat plot model.json --predictions p.csv -o plot.html").succeeded();
    let text = page(&folder, "plot.html");
    // Data and residuals, which are points; mean and error, which are cells.
    assert_eq!(text.matches("class=\"tegula-map").count(), 4);
    assert!(text.contains("20 by 20 cells"), "a grid is drawn as one");
    // Variogram, variance and range, histogram, quantiles: the nugget ends at 0, without interval.
    assert_eq!(text.matches("class=\"tegula-chart").count(), 5);
    for words in ["<td>range</td>", "(Intercept)", "AIC", "Standardised residuals", "fixed"] {
        assert!(text.contains(words), "{words}");
    }
    let own = text.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http", "<script", "url(", "<link", "src="] {
        assert!(!own.contains(outside), "{outside}");
    }
    assert!(text.len() < 300_000 && !text.contains("NaN"), "{}", text.len());
    let report = page(&folder, "fit.html");
    assert_eq!(report.matches("class=\"tegula-chart").count(), 5);
}

#[test]
fn neighbours_leave_residuals_out_and_say_so() {
    let folder = fitted("--method vecchia:20");
    let text = page(&folder, "fit.html");
    assert!(text.contains("Vecchia, 20 neighbours") && text.contains("Left out: "));
    assert!(!text.contains("Quantiles of the residuals"));
    // How far the likelihood is from the exact one, without digits that it hides.
    assert!(text.contains("error of the approximation"), "{text}");
    assert!(text.contains("40 neighbours instead of 20 the log-likelihood is"), "{text}");
    tegula_in(&folder, "exageostat plot model.json -o plot.html").succeeded();
    assert!(page(&folder, "plot.html").contains("40 neighbours instead of 20"));
}

#[test]
fn both_pages_of_a_model_have_one_title_and_no_hints() {
    let folder = fitted("--mean x");
    tegula_in(&folder, "exageostat plot model.json -o plot.html").succeeded();
    for name in ["fit.html", "plot.html"] {
        let text = page(&folder, name);
        assert!(text.contains("<title>e_sub140.csv: z</title>"), "{name}");
        assert!(!text.contains("--coords"), "{name}");
    }
}

#[test]
fn places_without_a_prediction_stay_empty_on_both_maps() {
    let folder = fitted("");
    let table = "x,y,mean,variance\n0,0,1,0.5\n0.3,1,2,0.25\n1,0.2,NA,NA\n";
    fs::write(folder.join("p.csv"), table).expect("a table");
    tegula_in(&folder, "exageostat plot model.json --predictions p.csv -o plot.html").succeeded();
    let text = page(&folder, "plot.html");
    let (_, predicted) = text.split_once("<h2>Predictions</h2>").expect("a section");
    assert!(predicted.contains("At 2 places of p.csv. 1 place has none."));
    // A dot for each of two places, on both maps.
    assert_eq!(predicted.matches("h0").count(), 4, "{predicted}");
}

#[test]
fn what_is_not_there_is_refused() {
    let folder = fitted("");
    let plot = |more: &str| tegula_in(&folder, &format!("exageostat plot model.json {more}"));
    plot("-o page.png").failed(2, &["-o page.png", "HTML", "page.html"]);
    plot("-o page.html --data nothing.csv").failed(2, &["nothing.csv"]);
    fs::write(folder.join("p.csv"), "x,y,z\n1,2,3\n").expect("a table");
    plot("-o page.html --predictions p.csv").failed(2, &["p.csv", "no column mean", "predict"]);
    assert!(!folder.join("page.html").exists());
}
