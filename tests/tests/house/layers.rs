//! Crates form layers: a dependency points down, also one of tests.

use std::process::Command;

use serde_json::Value;

use crate::{assert_kept, root};

/// Crates from the lowest layer up; those in one row do not know each other.
const LAYERS: &[&[&str]] = &[
    &["tegula-runtime", "tegula-figures", "tegula-stand-ins"],
    &["tegula-bounds"],
    &["tegula-traces"],
    &["tegula-kernels"],
    &["tegula-tiles", "tegula-files"],
    &["tegula-plan"],
    &["tegula-linalg"],
    &["tegula-exageostat", "tegula-diodon", "tegula-batch"],
    &["tegula", "tegula-capi"],
    &["tegula-python", "tegula-r"],
    &["tegula-tests"],
];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// The workspace's packages as cargo sees them.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("a list of packages").clone()
}

fn name(value: &Value) -> &str {
    value["name"].as_str().expect("a name")
}

#[test]
fn dependencies_point_down() {
    let mut broken = Vec::new();
    let packages = packages();
    for package in &packages {
        let above = layer(name(package));
        for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
            let below = layer(name(dependency));
            if !dependency["path"].is_null() && below >= above {
                broken.push(format!("{} -> {}", name(package), name(dependency)));
            }
        }
    }
    assert_kept("a crate may know only the crates below it:", &broken);
}

#[test]
fn every_crate_has_a_layer() {
    let mut found: Vec<String> =
        packages().iter().map(|package| name(package).to_owned()).collect();
    let mut listed: Vec<&str> = LAYERS.concat();
    found.sort();
    listed.sort_unstable();
    assert_eq!(found, listed, "crates of the workspace, and those that LAYERS lists");
}
