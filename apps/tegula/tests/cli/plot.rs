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

/// How many maps and charts a page has.
fn figures(text: &str) -> [usize; 2] {
    ["class=\"tegula-map", "class=\"tegula-chart"].map(|class| text.matches(class).count())
}

#[test]
fn variables_have_figures_of_their_own() {
    let (folder, two) = (folder(), "--covariance bivariate-matern-parsimonious");
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    run(&format!("sample --n 120 --seed 3 {two} --params 1,4,0.2,0.5,0.8,0.7 -o two.csv"));
    let fix = "--fix smoothness1=0.5,smoothness2=0.8";
    run(&format!("fit two.csv --values value1,value2 {two} {fix} -o model.json --report fit.html"));
    let text = page(&folder, "fit.html");
    assert!(text.contains("<title>two.csv: value1,value2</title>"));
    for title in [
        "Data: value1",
        "Data: value2",
        "Variogram of value1",
        "Variogram of value2",
        "Cross-variogram of value1 and value2",
        "Where they are: value2",
    ] {
        assert!(text.contains(title), "{title}");
    }
    assert!(text.contains("of 120 rows that have both") && !text.contains("NaN"));
    let [maps, charts] = figures(&text);
    assert_eq!(maps, 4);

    run("predict model.json --grid 0:1:0.1,0:1:0.1 -o p.csv");
    run("plot model.json --predictions p.csv -o plot.html");
    let text = page(&folder, "plot.html");
    assert!(text.contains("Prediction: value1") && text.contains("Standard error: value2"));
    assert_eq!(figures(&text), [maps + 4, charts]);
    fs::write(folder.join("p.csv"), "x,y,mean,variance\n1,2,3,1\n").expect("a table");
    tegula_in(&folder, "exageostat plot model.json --predictions p.csv -o again.html")
        .failed(2, &["p.csv", "no column mean_value1", "predict"]);
}

#[test]
fn time_has_figures_of_its_own() {
    let (folder, moving) = (folder(), "--covariance gneiting-matern");
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    run("sample --n 30 --seed 1 --covariance exponential --params 1,0.1 -o places.csv");
    let places = fs::read_to_string(folder.join("places.csv")).expect("places");
    let mut text = "x,y,hour\n".to_owned();
    for row in places.lines().skip(1) {
        let place = row.rsplit_once(',').expect("three columns").0;
        (0..6).for_each(|hour| text += &format!("{place},{hour}\n"));
    }
    fs::write(folder.join("at.csv"), text).expect("written");
    let time = "--coords x,y --time hour";
    let params = "--params 1,0.3,0.5,1,0.8,0.5,0.2";
    run(&format!("sample --at at.csv {time} {moving} {params} --seed 2 -o data.csv"));
    let fix = "--fix smoothness=0.5,time_power=0.8,interaction=0.5";
    run(&format!("fit data.csv {time} {moving} {fix} -o model.json --report fit.html"));
    let text = page(&folder, "fit.html");
    for words in [
        "the mean over hour at each place",
        "Data in time",
        "at each of 6 times",
        "Variogram in space, at one time",
        "Variogram in time, at one place",
        "difference of hour",
    ] {
        assert!(text.contains(words), "{words}");
    }
    assert!(!text.contains("NaN"));
}

#[test]
fn replicates_share_a_variogram_and_have_maps() {
    let folder = folder();
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    let draw = "sample --covariance exponential --params 2,0.2";
    run(&format!("{draw} --n 60 --seed 1 -o z1.csv"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a table");
    let mut rows: Vec<String> = read("z1.csv").lines().map(str::to_owned).collect();
    rows[0] = "x,y,z1".to_owned();
    for seed in 2..=6 {
        run(&format!("{draw} --at z1.csv --coords x,y --seed {seed} -o next.csv"));
        for (number, (row, line)) in rows.iter_mut().zip(read("next.csv").lines()).enumerate() {
            let value = line.rsplit(',').next().expect("a value").to_owned();
            *row += &if number == 0 { format!(",z{seed}") } else { format!(",{value}") };
        }
    }
    fs::write(folder.join("all.csv"), rows.join("\n")).expect("written");
    let values = "--values z1,z2,z3,z4,z5,z6 --replicates";
    run(&format!("fit all.csv {values} --covariance exponential -o m.json --report fit.html"));
    let text = page(&folder, "fit.html");
    assert!(text.contains("The first 4 of 6 replicates are shown."));
    assert!(text.contains("The mean of 6 replicates."));
    assert!(text.contains("Data: z4") && !text.contains("Data: z5") && !text.contains("NaN"));
    assert_eq!(figures(&text)[0], 8);
}
