//! What cannot be used is refused with file, line, column and remedy; exit 2, or 1 if a
//! computation failed.

use crate::support::{Run, folder_with, tegula, tegula_in, tegula_with};

/// Runs `loglik` on a file `data.csv` with this text.
fn loglik(text: &str, more: &str) -> Run {
    let folder = folder_with("data.csv", text);
    tegula_in(&folder, &format!("exageostat loglik data.csv --params 1,0.1,0.5 {more}"))
}

/// Runs `fit` on a file `data.csv` with this text.
fn fit(text: &str, more: &str) -> Run {
    tegula_in(&folder_with("data.csv", text), &format!("exageostat fit data.csv {more}"))
}

#[test]
fn files_that_are_no_table() {
    tegula("exageostat fit no-such.csv").failed(2, &["no-such.csv"]);
    tegula("exageostat fit data").failed(2, &["data is a folder"]);
    loglik("", "").failed(2, &["data.csv is empty"]);
    loglik("x,y,z\n", "").failed(2, &["data.csv has a header", "no row"]);
    loglik("x,y,z\n1,2,3\n1,2\n", "").failed(2, &["data.csv, line 3", "2 cells"]);
}

#[test]
fn cells_that_are_no_numbers() {
    loglik("x,y,z\n0,0,1\n1,1,foo\n", "")
        .failed(2, &["data.csv, line 3, column 'z'", "'foo' is not a number"]);
    loglik("x,y,z\n0,0,1\n1,inf,2\n", "")
        .failed(2, &["data.csv, line 3, column 'y'", "not finite"]);
    let missing = "x,y,z\n0,0,1\n1,1,\n2,0.5,3\n";
    loglik(missing, "").failed(2, &["data.csv, line 3, column 'z'", "missing", "--drop-missing"]);
    let run = loglik(missing, "--drop-missing").succeeded();
    assert!(run.stdout.contains("1 row with missing values"), "{}", run.stdout);
    loglik("x,y,z\n0,0,\n1,1,\n", "--drop-missing").failed(2, &["no row has values in all of"]);
    loglik("x,y,z\n0,0,-1\n1,1,2\n", "--values log(z)").failed(2, &["data.csv, line 2", "log(-1)"]);
}

#[test]
fn files_as_spreadsheets_write_them() {
    loglik("x,y,z\n\"0,134364\",\"0,8\",\"1,5\"\n\"0,2\",\"0,3\",\"2,5\"\n", "")
        .failed(2, &["line 2", "decimal commas", "semicolon"]);
    loglik("sep=;\nx;y;z\n0,1;0,2;1,5\n0,3;0,1;2\n", "").failed(2, &["line 1", "sep=;", "remove"]);
    loglik("\u{feff}x;y;z\r\n0,1;0,2;1,5\r\n0,3;0,1;2\r\n", "").succeeded();
}

#[test]
fn columns_that_are_not_clear() {
    let several = "x,y,zinc,lead\n0,0,1,2\n1,1,2,3\n";
    loglik(several, "")
        .failed(2, &["which column holds the values", "zinc, lead", "--values zinc"]);
    loglik(several, "--values zink").failed(2, &["no column 'zink'", "zinc"]);
    loglik(several, "--values log(lead)").succeeded();
    loglik("a,b,c\n0,0,1\n1,1,2\n", "")
        .failed(2, &["which columns are the coordinates", "--coords"]);
    loglik("a,b,c\n0,0,1\n1,1,2\n", "--coords a,b").succeeded();
    loglik("x,y,lon,lat,z\n0,0,1,1,1\n1,1,2,3,4\n", "")
        .failed(2, &["--coords lon,lat or --coords x,y"]);
    loglik("x,y,z,depth\n0,0,1,2\n1,1,2,3\n", "--values depth").failed(2, &["--coords x,y,z"]);
    loglik("0,0,1\n1,1,2\n", "").succeeded();
    loglik("0,0,1,4\n1,1,2,5\n", "").failed(2, &["--coords"]);
    loglik("name,x,y\na,0,0\nb,1,1\n", "").failed(2, &["no numeric column is left"]);
    loglik("id,x,y\n1,0,0\n2,1,1\n", "").failed(2, &["but 'id'", "--values id"]);
    loglik("id,x,y\n1,0,0\n2,1,1\n", "--values id").succeeded();
    loglik("id,x,y,a,b\n1,0,0,2,3\n2,1,1,3,4\n", "").failed(2, &["id, a, b could", "--values a,"]);
    loglik("x,y,z\n0,0,1\n1,1,2\n", "--coords x,y,z,x")
        .failed(2, &["1, 2 or 3 coordinates, not 4"]);
    loglik("x,y,z\n0,0,1\n1,1,2\n", "--mean q+y").failed(2, &["no column 'q'", "^"]);
    loglik("x,y,z\n0,0,1\n1,1,2\n", "--mean x+").failed(2, &["missing at the end", "^"]);
}

#[test]
fn numbers_beyond_the_arithmetic() {
    let text = "x,y,z\n0,0,1e300\n1,1,-1e300\n";
    loglik(text, "").failed(1, &["log-likelihood is -inf", "units"]);
    let text = "x,y,z\n0,0,1\n1e300,1,2\n";
    loglik(text, "").failed(2, &["data.csv, line 3, column 'x'", "too large for a coordinate"]);
}

#[test]
fn places_on_the_sphere() {
    let text = "lon,lat,z\n0,0,1\n1,91,2\n";
    loglik(text, "").failed(2, &["data.csv, line 3, column 'lat'", "91", "--distance euclidean"]);
    loglik(text, "--distance euclidean").succeeded();
    let run = loglik("lon,lat,z\n0,0,1\n1,80,2\n", "").succeeded();
    assert!(run.stdout.contains("great-circle distance in km"), "{}", run.stdout);
    let smooth = "exageostat loglik data/samples/texas-wind.csv --values air_temperature_c --params 1,50,1.5";
    let run = tegula(&format!("{smooth} --nugget 1 --quiet")).succeeded();
    assert!(run.stderr.contains("smoothness up to 0.5"), "{}", run.stderr);
}

#[test]
fn two_observations_at_one_place() {
    let text = "x,y,z\n0,0,1\n1,1,1\n1,1,3\n4,5,2\n5,5,1\n5,5,1\n5,5,3\n3,1,2\n";
    for run in [fit(text, ""), loglik(text, "")] {
        run.failed(2, &["data.csv: 2 places", "lines 3, 4; lines 6, 7, 8", "nugget"]);
    }
    fit(text, "").failed(2, &["--estimate-nugget", "--nugget"]);
    let run = fit(text, "--estimate-nugget").succeeded();
    assert!(run.stdout.contains("accounts for their differences"), "{}", run.stdout);
    loglik(text, "--nugget 0.1").succeeded();
}

#[test]
fn observations_that_allow_no_fit() {
    fit("x,y,z\n0,0,1\n1,1,2\n", "").failed(2, &["data.csv", "2 observations are too few", "3"]);
    fit("x,y,z\n0,0,1\n1,1,1\n2,3,1\n4,5,1\n", "").failed(2, &["data.csv", "all 4 values equal 1"]);
}

#[test]
fn numbers_that_are_none() {
    let cases = [
        ("--workers -2", "'-2' for '--workers <N>': give a whole number, 0 or more"),
        ("--seed 1.5", "'1.5' for '--seed <N>': give a whole number, 0 or more"),
        ("--workers 99999999999999999999999", "this number is too large"),
        ("--coords x,x", "--coords: x stands there twice"),
    ];
    for (flag, words) in cases {
        fit("x,y,z\n0,0,1\n1,1,2\n", flag).failed(2, &[words]);
    }
    let folder = folder_with("run.toml", "workers = -2\n");
    let run = tegula_in(&folder, "linalg potrf -n 8 --config run.toml");
    run.failed(2, &["give a whole number", "--workers=-2 comes from run.toml, line 1"]);
}

#[test]
fn more_places_than_any_memory_has_room_for() {
    let run = tegula("exageostat sample --n 4000000000 --covariance exponential --params 1,0.1");
    run.failed(2, &["the matrix of 4000000000 places takes", "--scratch"]);
}

#[test]
fn parameters_that_are_none() {
    let run = |more: &str| tegula(&format!("exageostat loglik data/samples/e_sub140.csv {more}"));
    run("--params variance=1,rang=2,smoothness=.5").failed(2, &["'rang'", "did you mean range?"]);
    run("--params variance=1,range=2")
        .failed(2, &["leaves out smoothness", "variance,range,smoothness"]);
    run("--params variance=1,range=2,range=3").failed(2, &["range is given twice"]);
    run("--params variance=1,2,3").failed(2, &["name=value"]);
    run("--params 1,2").failed(2, &["2 numbers given", "variance,range,smoothness"]);
    run("--params 1,x,0.5").failed(2, &["'x' for range is not a number"]);
    run("--params 1,-2,0.5").failed(2, &["range of matern is -2", "above 0"]);
    run("--params 1,0.1,0.5 --nugget -1").failed(2, &["--nugget", "0 or more"]);
    run("--params variance=1,range=2,smoothness=1,nugget=1").failed(2, &["--nugget VALUE"]);
    run("--covariance matrn --params 1,2").failed(2, &["matrn", "matern"]);
    run("--params 1,0.1,0.5 --policy fast").failed(2, &["fast", "lws"]);
    run("--params 1,0.1,0.5 --workers 0 --devices none").failed(2, &["--workers 0", "--devices"]);
    run("--params 1,0.1,0.5 --method cholesky").failed(2, &["exact", "vecchia:M"]);
    run("--params 1,0.1,0.5 --method vecchia:0").failed(2, &["neighbours from 1"]);
    run("--params 1,0.1,0.5 --method vecchia:5:best").failed(2, &["maximin"]);
    run("--params 1,0.1,0.5 --method vecchia --precision s").failed(2, &["64 bits"]);
    run("--params 1,0.1,0.5 --method tlr:2").failed(2, &["'2' is no accuracy", "to 1e-1"]);
    run("--params 1,0.1,0.5 --method tlr --precision s").failed(2, &["tlr", "64 bits"]);
    run("--params 1,0.1,0.5 --method tlr --gradient").failed(2, &["--gradient", "vecchia:M"]);
    run("--params 1,0.9,1.9 --method tlr:0.1").failed(1, &["1e-1 is too coarse", "tlr:1e-3"]);
    run("--params 1,0.1,0.5 --method mixed:2").failed(2, &["'2' is no accuracy", "to 1e-1"]);
    run("--params 1,0.1,0.5 --method mixed --precision s").failed(2, &["mixed", "64 bits"]);
    run("--params 1,0.1,0.5 --method mixed --gradient").failed(2, &["--gradient", "vecchia:M"]);
    run("--params 1,0.1,0.5 --method dst").failed(2, &["dst:RANGE", "as dst:0.2"]);
    run("--params 1,0.1,0.5 --method dst:-1").failed(2, &["'-1' is no distance above 0"]);
    run("--params 1,0.1,0.5 --method dst:0.2 --gradient").failed(2, &["--gradient", "taper"]);
    let texas =
        "exageostat loglik data/samples/texas-wind.csv --values air_temperature_c --mean zero";
    let far = "--covariance exponential --params 1,100 --nugget 1 --method dst:20100";
    tegula(&format!("{texas} {far}")).failed(2, &["dst:20100", "half a turn", "20015 km"]);
    run("--params 1,0.1,0.5 --trace t.txt").failed(2, &["t.txt", ".json", ".csv", ".svg"]);
    run("").failed(2, &["--params"]);
}

#[test]
fn estimation_that_contradicts_itself() {
    let run = |more: &str| tegula(&format!("exageostat fit data/samples/e_sub140.csv {more}"));
    run("--fix smoothnes=0.5").failed(2, &["smoothnes", "did you mean smoothness?"]);
    run("--fix smoothness=0.5 --bounds smoothness=0.1:1").failed(2, &["both --fix and --bounds"]);
    run("--fix nugget=0.5").failed(2, &["--nugget VALUE"]);
    run("--fix range=-1").failed(2, &["range of matern is -1"]);
    run("--bounds range=1:0.1").failed(2, &["range=1:0.1 is empty"]);
    run("--bounds range=1").failed(2, &["range=low:high"]);
    run("--bounds range=0:1").failed(2, &["range", "bounds"]);
    run("--bounds nugget=0.1:1").failed(2, &["--estimate-nugget"]);
    run("--nugget 1 --estimate-nugget").failed(2, &["--nugget", "--estimate-nugget"]);
    run("--tolerance 2").failed(2, &["between 0 and 1"]);
    run("-o no/such/model.json").failed(2, &["no/such"]);
    run("--json - -o -").failed(2, &["standard output"]);
    run("--optimizer newton").failed(2, &["average-information", "bobyqa"]);
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_a_failed_computation() {
    let run = tegula_with(
        "exageostat loglik data/samples/e_sub140.csv --covariance gaussian --params 1,1",
        &[],
    );
    run.failed(1, &["not positive definite", "of 140", "nugget"]);
}

#[test]
fn numbers_that_leave_the_range_of_numbers() {
    loglik("x,y,z\n0,0,1\n1,1,2\n", "--nugget 1e308").succeeded();
    let run = tegula("exageostat loglik data/samples/e_sub140.csv --params 1e308,1,0.5");
    run.failed(2, &["variance of matern is 1e308", "at most 1e80"]);
    for smoothness in [0.01, 0.5, 2.7, 10.3] {
        let params = format!("1e80,0.001,{smoothness}");
        let sample = "exageostat loglik data/samples/e_sub140.csv --params";
        tegula(&format!("{sample} {params}")).succeeded();
    }
    fit("x,y,z\n0,0,1e200\n1,1,2e200\n2,5,1e200\n3,3,-1e200\n", "--fix smoothness=0.5")
        .failed(2, &["squares of the values", "change their unit"]);
    fit("x,y,z\n0,0,1\n1e200,1,2\n2,5,1\n", "").failed(2, &["line 3", "too large"]);
}

#[test]
fn outputs_that_would_cost_an_input() {
    let table = "x,y,z\n0,0,1\n1,1,2\n2,0.5,3\n0.3,2,1\n1.5,1.7,2\n";
    let folder = folder_with("data.csv", table);
    let run = |arguments: &str| tegula_in(&folder, arguments);
    let fit = "exageostat fit data.csv --fix smoothness=0.5 --max-evaluations 2";
    run(&format!("{fit} -o data.csv")).failed(2, &["-o would overwrite", "data.csv", "DATA.csv"]);
    run(&format!("{fit} --json ./data.csv")).failed(2, &["--json would overwrite"]);
    run(&format!("{fit} -o m.json --trace m.json")).failed(2, &["-o and --trace"]);
    run(&format!("{fit} -o m.json --json m.json")).failed(2, &["-o and --json would both write"]);
    run("exageostat loglik data.csv --params 1,0.1,0.5 --trace data.csv")
        .failed(2, &["--trace would overwrite", "DATA.csv"]);
    run("linalg potrf -n 9 --json ./x.json --trace x.json")
        .failed(2, &["--trace and --json would both"]);
    run(&format!("{fit} -o m.json")).succeeded();
    let predict = "exageostat predict m.json --at data.csv";
    run(&format!("{predict} -o m.json")).failed(2, &["-o would overwrite", "MODEL.json"]);
    run(&format!("{predict} -o data.csv")).failed(2, &["-o would overwrite", "--at"]);
    std::fs::write(folder.join("places.csv"), "x,y\n1,2\n").expect("a file can be written");
    let predict = "exageostat predict m.json --at places.csv";
    run(&format!("{predict} -o places.csv")).failed(2, &["-o would overwrite", "--at"]);
    run(&format!("{predict} -o data.csv")).failed(2, &["-o would overwrite", "the training data"]);
    let left = std::fs::read_to_string(folder.join("data.csv")).expect("the data are there");
    assert_eq!(left, table);
    run("exageostat predict m.json --at places.csv -o out.csv").succeeded();
    run(&format!("{fit} -o /proc/model.json")).failed(2, &["cannot write /proc/model.json"]);
    run(&format!("{fit} -o /dev/full")).failed(1, &["/dev/full"]);
}

#[test]
fn a_model_without_a_file_of_data_asks_for_one() {
    let folder = folder_with("data.csv", "x,y,z\n0,0,1\n1,1,2\n2,0.5,3\n0.3,2,1\n");
    let fit = "exageostat fit data.csv --fix smoothness=0.5 --max-evaluations 2 -o m.json";
    tegula_in(&folder, fit).succeeded();
    let model = std::fs::read_to_string(folder.join("m.json")).expect("the model is there");
    let mut model: serde_json::Value = serde_json::from_str(&model).expect("JSON");
    model["data"]["file"] = "/dev/stdin".into();
    std::fs::write(folder.join("m.json"), model.to_string()).expect("a file can be written");
    let predict = "exageostat predict m.json --at data.csv -o out.csv";
    tegula_in(&folder, predict).failed(2, &["fitted to standard input", "--train"]);
    tegula_in(&folder, &format!("{predict} --train data.csv")).succeeded();
}

#[test]
fn values_that_the_mean_explains() {
    fit("x,y,z\n0,0,1\n1,1,3\n2,0.5,5\n0.5,2,2\n", "--mean x")
        .failed(2, &["the mean explains every value"]);
}

#[test]
fn names_of_files_that_promise_another_form() {
    let folder = folder_with("data.csv", "x,y,z\n0,0,1\n1,1,2\n2,0.5,3\n0.3,2,1\n");
    let run = |arguments: &str| tegula_in(&folder, &format!("exageostat {arguments}"));
    let fit = "fit data.csv --fix smoothness=0.5 --max-evaluations 2";
    run(&format!("{fit} -o m.nc")).failed(2, &["-o m.nc: NetCDF", "name it m.json"]);
    run(&format!("{fit} -o m.csv")).failed(2, &["-o m.csv: CSV is not written", "m.json"]);
    run(&format!("{fit} --json r.parquet")).failed(2, &["--json r.parquet", "r.json"]);
    run(&format!("{fit} -o m.json")).succeeded();
    for name in ["p.tif", "p.h5", "p.csv.gz", "p.geojson", "p.json"] {
        for command in ["predict m.json --at data.csv", "sample -n 5 --params 1,0.1,0.5"] {
            run(&format!("{command} -o {name}")).failed(2, &[name, "name it p.csv"]);
        }
    }
    let left = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(left, 2, "nothing was written");
}
