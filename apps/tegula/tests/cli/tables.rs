//! Tables that are no text as data and as places: GeoTIFF, NetCDF, and Parquet if it is built in.

use std::fs;
use std::path::{Path, PathBuf};

use tegula_files::raster::{Axis, Direction, Nodes, Raster, RasterFormat, RasterWriter};

use crate::support::{column, folder, number, tegula_in};

/// Values at 7 x 6 nodes, x fastest; NaN at one.
fn values() -> Vec<f64> {
    let value = |node: usize| {
        let (x, y) = ((node % 7) as f64, (node / 7) as f64);
        if node == 9 { f64::NAN } else { (0.9 * x).sin() + (0.7 * y).cos() + 0.1 * x }
    };
    (0..42).map(value).collect()
}

/// A folder with the same data as text, GeoTIFF and NetCDF.
fn data() -> PathBuf {
    let folder = folder();
    let mut text = "x,y,z,w\n".to_owned();
    for (node, z) in values().into_iter().enumerate().filter(|(_, z)| z.is_finite()) {
        let (x, y) = (0.25 * (node % 7) as f64, 3.0 + 0.5 * (node / 7) as f64);
        text += &format!("{x},{y},{z},{node}\n");
    }
    fs::write(folder.join("data.csv"), text).expect("written");
    let axis = |name: &str, from, to, step, count| Axis {
        name: name.to_owned(),
        nodes: Nodes { from, to, step, count },
        direction: Direction::Straight,
    };
    let axes = vec![axis("x", 0.0, 1.5, 0.25, 7), axis("y", 3.0, 5.5, 0.5, 6)];
    let raster = Raster { axes, columns: vec!["z".to_owned(), "w".to_owned()] };
    for (name, format) in [("data.tif", RasterFormat::GeoTiff), ("data.nc", RasterFormat::NetCdf)] {
        let mut bytes = Vec::new();
        let mut writer = RasterWriter::new(&mut bytes, format, &raster).expect("begun");
        let z = values();
        let w = (0..42).map(|node| if node == 9 { f64::NAN } else { node as f64 }).collect();
        writer.write(&[z, w]).expect("written");
        writer.finish();
        fs::write(folder.join(name), bytes).expect("written");
    }
    folder
}

const FIT: &str = "--covariance exponential --mean 1+w --values z/2";

/// The likelihood and the parameters of a fit to the file of this name, which writes a model.
fn fitted(folder: &Path, name: &str) -> [serde_json::Value; 3] {
    let fit = format!("exageostat fit {name} {FIT} -o model-{name}.json --json -");
    let json = tegula_in(folder, &fit).succeeded().json();
    assert!(number(&json, "/loglik").is_finite());
    ["loglik", "params", "coefficients"].map(|key| json[key].clone())
}

#[test]
fn a_fit_is_the_same_from_each_kind_of_file() {
    let folder = data();
    let expected = fitted(&folder, "data.csv");
    for name in ["data.tif", "data.nc"] {
        assert_eq!(fitted(&folder, name), expected, "{name}");
    }
    #[cfg(feature = "parquet")]
    {
        let predict = "exageostat predict model-data.csv.json --at data.csv -o data.parquet";
        tegula_in(&folder, predict).succeeded();
        assert_eq!(fitted(&folder, "data.parquet"), expected);
    }
}

#[test]
fn pixels_are_data_and_places_of_all_commands() {
    let folder = data();
    fitted(&folder, "data.csv");
    let told = tegula_in(&folder, &format!("exageostat fit data.tif {FIT} -o m.json")).succeeded();
    let words =
        "data.tif: 41 rows, GeoTIFF, 7 x 6 pixels, float64 (1 pixel without a value left out)";
    assert!(told.stdout.contains(words), "{}", told.stdout);
    let predict = "exageostat predict m.json --at";
    tegula_in(&folder, &format!("{predict} data.csv -o csv.csv")).succeeded();
    for name in ["data.tif", "data.nc"] {
        let told = tegula_in(&folder, &format!("{predict} {name} -o out.csv")).succeeded().stdout;
        assert!(told.contains("without a value left out"), "{told}");
        for name in ["x", "w", "mean", "variance"] {
            let expected = column(&folder.join("csv.csv"), name);
            assert_eq!(column(&folder.join("out.csv"), name), expected, "{name}");
        }
    }
    for arguments in [
        "loglik data.nc --values z --covariance exponential --params 1,1",
        "variogram data.tif --values z -o v.csv",
        "assess m.json",
        "plot m.json -o page.html",
        "sample --at data.tif --covariance exponential --params 1,1 -o drawn.csv",
    ] {
        tegula_in(&folder, &format!("exageostat {arguments}")).succeeded();
    }
    assert_eq!(column(&folder.join("drawn.csv"), "w"), column(&folder.join("csv.csv"), "w"));
    let bytes = fs::read(folder.join("data.tif")).expect("there");
    let (last, rest) = bytes.split_last().expect("bytes");
    fs::write(folder.join("data.tif"), [rest, &[last ^ 1]].concat()).expect("written");
    tegula_in(&folder, &format!("{predict} data.nc -o out.csv"))
        .failed(2, &["data.tif is not the data that m.json was fitted to"]);
}

#[test]
fn a_gap_in_a_band_is_a_missing_value() {
    let folder = data();
    let bytes = fs::read(folder.join("data.tif")).expect("there");
    let start = bytes.len() - 8 * 2;
    let gap = [&bytes[..start], &f64::NAN.to_le_bytes(), &bytes[start + 8..]].concat();
    fs::write(folder.join("gap.tif"), gap).expect("written");
    let fit = format!("exageostat fit gap.tif {FIT} -o m.json");
    tegula_in(&folder, &fit)
        .failed(2, &["gap.tif, pixel 42", "missing value (1 of the 41 rows", "--drop-missing"]);
    let told = tegula_in(&folder, &format!("{fit} --drop-missing")).succeeded().stdout;
    assert!(told.contains("1 row with missing values"), "{told}");
}

#[test]
fn rasters_that_are_not_read_are_refused() {
    let folder = data();
    for (from, length) in [("data.tif", 700), ("data.nc", 500)] {
        let bytes = fs::read(folder.join(from)).expect("there");
        fs::write(folder.join("short"), &bytes[..length]).expect("written");
        let words = ["cannot read short: it is damaged or was cut short", "fetch or make it again"];
        tegula_in(&folder, "exageostat fit short -o m.json").failed(2, &words);
    }
    fs::write(folder.join("h.nc"), b"\x89HDF\r\n\x1a\n").expect("written");
    tegula_in(&folder, "exageostat fit h.nc -o m.json").failed(2, &["h.nc", "nccopy -k cdf5"]);
    tegula_in(&folder, "exageostat fit data.tif -o m.json --values q")
        .failed(2, &["data.tif has no column 'q'", "'z', 'w'"]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_program_without_parquet_says_how_to_build_it() {
    let folder = data();
    fitted(&folder, "data.csv");
    fs::write(folder.join("a.parquet"), b"PAR1\x15\0").expect("written");
    let words = "cargo build --release --features parquet";
    tegula_in(&folder, "exageostat fit a.parquet -o m.json").failed(2, &["a.parquet", words]);
    let predict = "exageostat predict model-data.csv.json --at data.csv -o out.parquet";
    tegula_in(&folder, predict).failed(2, &["-o out.parquet", words, "out.csv"]);
}

/// Texts are classes, gaps are missing, and parts are row groups.
#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_what_a_table_holds() {
    let folder = data();
    let text = fs::read_to_string(folder.join("data.csv")).expect("there");
    let soil = |(row, line): (usize, &str)| {
        let soil = if row == 0 { "soil" } else { ["clay", "sand", "peat"][row % 3] };
        format!("{line},{soil}\n")
    };
    let text: String = text.lines().enumerate().map(soil).collect();
    fs::write(folder.join("soil.csv"), text).expect("written");
    let fit = "--covariance exponential --mean 1+factor(soil) --values z";
    let model = |name: &str| {
        let run = format!("exageostat fit {name} {fit} -o {name}.json --json -");
        let json = tegula_in(&folder, &run).succeeded().json();
        ["loglik", "params", "coefficients"].map(|key| json[key].clone())
    };
    let expected = model("soil.csv");
    let predict = "exageostat predict soil.csv.json --at";
    tegula_in(&folder, &format!("{predict} soil.csv -o out.csv")).succeeded();
    tegula_in(&folder, &format!("{predict} soil.csv -o out.parquet")).succeeded();
    assert_eq!(model("out.parquet"), expected);
    tegula_in(&folder, &format!("{predict} out.parquet -o again.csv")).succeeded();
    let (again, out) = (folder.join("again.csv"), folder.join("out.csv"));
    assert_eq!(column(&again, "mean"), column(&out, "mean"));
    assert_eq!(column(&again, "predicted_variance"), column(&out, "variance"));
    let grid = "exageostat predict soil.csv.json --grid 0:1:0.5,3:4:0.5 -o grid.parquet";
    tegula_in(&folder, grid).failed(2, &["--grid gives the coordinates"]);
    let bytes = fs::read(folder.join("out.parquet")).expect("there");
    fs::write(folder.join("short.parquet"), &bytes[..bytes.len() / 2]).expect("written");
    tegula_in(&folder, "exageostat fit short.parquet -o m.json")
        .failed(2, &["short.parquet", "damaged or was cut short"]);
}
