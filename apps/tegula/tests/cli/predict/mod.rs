//! `tegula exageostat predict`.

mod joint;
mod places;
mod raster;

use std::fs;
use std::path::PathBuf;

use crate::support::{folder_with, root, tegula_in};

/// A folder with `train.csv` and a model of it.
pub(super) fn fitted() -> PathBuf {
    let text = fs::read_to_string(root().join("data/samples/e_sub140.csv")).expect("a sample");
    let folder = folder_with("train.csv", &text);
    let fit = "exageostat fit train.csv --fix smoothness=0.5 -o model.json";
    tegula_in(&folder, fit).succeeded();
    folder
}
