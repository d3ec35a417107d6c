//! Descriptions that `platform calibrate` writes of machines with devices, played by stand-ins, and
//! what simulations on them say.

use serde_json::Value;

use crate::stand_ins::Devices;
use crate::support::{self, folder, number};

/// Equal devices share the times of the first, unequal ones have their own; what devices do not run
/// is said, and a simulation takes the file.
#[test]
fn devices_are_calibrated() {
    let Some(devices) = Devices::two() else { return };
    let place = folder();
    let command = "platform calibrate --tile-size 16,24 --samples 3 --precision d -o here.toml \
                   --json - --quiet";
    let found = devices.run_in(&place, command).succeeded().json();
    let classes = found["classes"].as_array().expect("a list");
    assert_eq!(classes.len(), 3, "cores and two devices: {classes:?}");
    for link in found["links"].as_array().expect("a list") {
        let rate = number(link, "/bytes_per_second");
        assert!(rate > 0.0 && rate != 20e9, "{link} was not measured");
    }
    let single = "platform calibrate --tile-size 16 --samples 1 --precision s -o single.toml -q";
    devices.run_in(&place, single).succeeded();
    let read = |name: &str| std::fs::read_to_string(place.join(name)).expect("it was written");
    let rounds = |line: &str| line.contains("gemm-tf32") && line.contains("Stand-in");
    assert!(read("single.toml").lines().any(rounds), "products in TF32 take a time of their own");
    let text = read("here.toml");
    for (kernel, is_never) in [("potrf", false), ("covariance", false), ("ungtr_hb2st", true)] {
        let of_device = |line: &&str| line.contains(kernel) && line.contains("Stand-in");
        let lines: Vec<&str> = text.lines().filter(of_device).collect();
        assert!(lines.len() >= 2, "{kernel}: {lines:?}");
        let never = lines.iter().all(|line| line.contains("never"));
        assert_eq!(never, is_never, "{kernel}: {lines:?}");
    }
    let simulate = "simulate cholesky --platform here.toml --tiles 8 --tile-size 24 --json - -q";
    let simulated = support::tegula_in(&place, simulate).succeeded().json();
    assert_eq!(simulated["transfers"]["per_device"].as_array().map(Vec::len), Some(2));
    let none = devices.run_in(&place, &format!("{command} --devices none")).succeeded().json();
    assert_eq!(none["classes"].as_array().map(Vec::len), Some(1), "{none}");
    for (asked, words) in [("7", "no accelerator 7"), ("emulated:1:1GiB", "as fast as flags say")] {
        devices.run(&format!("platform calibrate --devices {asked}")).failed(2, &[words]);
    }
}

/// With as much memory as the one of them that has the least.
#[test]
fn equal_devices_are_one_class_of_a_description() {
    let Some(devices) = Devices::two() else { return };
    let devices = devices.with("SLOWNESS", "1,1").with("MEMORY", "4000000000,3000000000");
    let place = folder();
    let calibrate = "platform calibrate --tile-size 16 --samples 1 --precision d -o here.toml \
                     --json - --quiet";
    let found = devices.run_in(&place, calibrate).succeeded().json();
    assert_eq!(found["classes"].as_array().map(Vec::len), Some(2), "{:#}", found["classes"]);
    let of_devices = found["memories"].as_array().expect("a list").iter();
    let rooms: Vec<f64> = of_devices
        .filter(|one| one["kind"] == "device")
        .map(|one| number(one, "/capacity"))
        .collect();
    assert!(rooms.len() == 2 && rooms[0] == rooms[1] && rooms[0] < 3e9, "{rooms:?}");
    let simulate = "simulate potrf --platform here.toml --tiles 4 --tile-size 16 --json - -q";
    support::tegula_in(&place, simulate).succeeded();
}

/// What each memory is brought, if simulated workers run what those of the real run did.
#[test]
fn devices_are_brought_what_simulations_say() {
    let Some(devices) = Devices::two() else { return };
    let place = folder();
    for command in [
        "platform calibrate --tile-size 24 --samples 1 --precision d -o here.toml -q",
        "linalg potrf -n 192 --output factor.npy -q",
        // L' L, which is positive definite.
        "linalg lauum --input factor.npy --output matrix.npy -q",
    ] {
        devices.run_in(&place, command).succeeded();
    }
    let brought = |run: support::Run| {
        let transfers = run.succeeded().json()["transfers"].clone();
        let of_devices = transfers["per_device"].as_array().expect("a list").iter();
        let mut all: Vec<Value> = of_devices.map(|one| one["bytes_in"].clone()).collect();
        all.push(transfers["bytes"].clone());
        all
    };
    for routine in ["potrf", "getrf-nopiv", "geqrf", "lauum"] {
        for policy in ["eager", "dmdas", "darts"] {
            let real = format!(
                "linalg {routine} --input matrix.npy --tile-size 24 --devices 0,1 --workers 1 \
                 --policy {policy} --trace run.csv --json - -q"
            );
            let real = brought(devices.run_in(&place, &real));
            assert!(real.iter().any(|bytes| bytes != 0), "{routine}: the devices were idle");
            let trace = std::fs::read_to_string(place.join("run.csv")).expect("it was written");
            std::fs::write(place.join("order.csv"), numbered_from_0(&trace))
                .expect("it is written");
            let simulate = format!(
                "simulate {routine} --platform here.toml --cores 1 --tiles 8 --tile-size 24 \
                 --order order.csv --json - -q"
            );
            let simulated = brought(support::tegula_in(&place, &simulate));
            assert_eq!(real, simulated, "{routine}, {policy}");
        }
    }
}

/// The table of a trace, of a program that first reads its matrix, without those tasks.
fn numbered_from_0(trace: &str) -> String {
    let mut lines = trace.lines();
    let names = lines.next().expect("the names of the columns");
    let rows: Vec<(u64, &str)> = lines
        .map(|line| {
            let (task, rest) = line.split_once(',').expect("a number of a task");
            (task.parse().expect("a number"), rest)
        })
        .collect();
    let first = rows.iter().map(|row| row.0).min().unwrap_or(0);
    let rows = rows.iter().map(|(task, rest)| format!("{},{rest}\n", task - first));
    format!("{names}\n{}", rows.collect::<String>())
}
