//! Grids as GeoTIFF and NetCDF.

use std::fs;
use std::path::Path;

use super::fitted;
use crate::support::{column, folder, root, tegula_in};

/// The last `count` numbers of the file at `path`.
fn last_numbers(path: &Path, count: usize, number: fn([u8; 8]) -> f64) -> Vec<f64> {
    let bytes = fs::read(path).expect("written");
    let each = bytes[bytes.len() - 8 * count..].chunks_exact(8);
    each.map(|word| number(word.try_into().expect("8 bytes"))).collect()
}

/// A table holds numbers so that they are read back to the last bit.
#[test]
fn rasters_hold_what_a_table_holds() {
    let folder = fitted();
    let grid = "exageostat predict model.json --grid 0:1:0.25,0.5:1:0.25 --simulate 2 --seed 4 -o";
    let run = |name: &str| tegula_in(&folder, &format!("{grid} {name}")).succeeded();
    run("grid.csv");
    let names = ["mean", "variance", "sim1", "sim2"];
    let columns = names.map(|name| column(&folder.join("grid.csv"), name));
    let told = run("map.nc").stdout;
    assert!(told.contains("mean, variance, sim1, sim2 written to map.nc"), "{told}");
    let records = last_numbers(&folder.join("map.nc"), 3 * (1 + 4 * 5), f64::from_be_bytes);
    for (row, record) in records.chunks_exact(1 + 4 * 5).enumerate() {
        assert_eq!(record[0], 0.5 + 0.25 * row as f64);
        for (found, expected) in record[1..].chunks_exact(5).zip(&columns) {
            assert_eq!(found, &expected[5 * row..][..5]);
        }
    }
    run("map.TIF");
    let pixels = last_numbers(&folder.join("map.TIF"), 15 * 4, f64::from_le_bytes);
    for (node, pixel) in pixels.chunks_exact(4).enumerate() {
        assert_eq!(pixel, columns.each_ref().map(|column| column[node]));
    }
}

#[test]
fn what_is_no_raster_is_refused_before_any_work() {
    let folder = fitted();
    fs::write(folder.join("at.csv"), "x,y\n.5,.5\n").expect("written");
    let at = "exageostat predict model.json --at at.csv -o map.tif";
    tegula_in(&folder, at)
        .failed(2, &["-o map.tif: GeoTIFF is written of a grid", "--grid", "map.csv"]);
    let other = "exageostat predict model.json --grid 0:1:1,0:1:1 -o map.nc4";
    tegula_in(&folder, other).failed(2, &["NetCDF-4 is not written", "map.csv"]);
    let many = "exageostat predict model.json --grid 0:1:1,0:1:1 --simulate 65534 -o map.tif";
    tegula_in(&folder, many).failed(2, &["-o map.tif", "65535 bands at most, not 65536"]);
}

/// On the sphere rows run along the longitude, which must come first.
#[test]
fn maps_of_degrees_have_north_up() {
    let folder = folder();
    let sample = root().join("data/samples/texas-wind.csv");
    let flags = "--values air_temperature_c --covariance exponential --coords latitude,longitude \
                 --fix variance=8,range=400 --nugget 1 -o model.json";
    tegula_in(&folder, &format!("exageostat fit {} {flags}", sample.display())).succeeded();
    let predict = "exageostat predict model.json --grid 30:31:1,-100:-98:1 -o";
    tegula_in(&folder, &format!("{predict} map.tif")).failed(2, &["give the longitude first"]);
    tegula_in(&folder, &format!("{predict} map.nc")).succeeded();
    let predict = "exageostat predict model.json --coords longitude,latitude \
                   --grid -100:-98:1,30:31:1 -o";
    tegula_in(&folder, &format!("{predict} map.tif")).succeeded();
    let pixels = last_numbers(&folder.join("map.tif"), 6 * 3, f64::from_le_bytes);
    let records = last_numbers(&folder.join("map.nc"), 3 * (1 + 3 * 2), f64::from_be_bytes);
    for (east, record) in records.chunks_exact(7).enumerate() {
        assert_eq!(record[0], -100.0 + east as f64);
        for (band, row) in record[1..].chunks_exact(2).enumerate() {
            for (north, value) in row.iter().enumerate() {
                let other = pixels[3 * (3 * north + east) + band];
                // The order of places may group them otherwise.
                assert!((value - other).abs() < 1e-9, "{value} against {other}");
            }
        }
    }
}
