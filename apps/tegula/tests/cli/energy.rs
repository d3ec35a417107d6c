//! Energy that runs tell, by counters that a test plays.

use std::fs::{create_dir_all, read_to_string, rename, write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, assert_close, command, folder, number, root};

/// A package and its memory, whose counters run.
struct Machine {
    folder: PathBuf,
    ends: Arc<AtomicBool>,
    clock: Option<JoinHandle<()>>,
}

const PACKAGE: &str = "zones/intel-rapl:0";
const MEMORY: &str = "zones/intel-rapl:0/intel-rapl:0:0";

fn microjoules(folder: &Path, zone: &str) -> u64 {
    let text = read_to_string(folder.join(zone).join("energy_uj")).expect("it is there");
    text.trim().parse().expect("a number")
}

/// Puts a number into a counter at once, as a reader of the system's own sees it.
fn count(folder: &Path, zone: &str, microjoules: u64) {
    let next = folder.join("next");
    write(&next, format!("{microjoules}\n")).expect("there is room");
    rename(&next, folder.join(zone).join("energy_uj")).expect("it is one folder");
}

impl Machine {
    fn new() -> Self {
        let folder = folder();
        for (zone, name) in [(PACKAGE, "package-0"), (MEMORY, "dram")] {
            create_dir_all(folder.join(zone)).expect("there is room");
            write(folder.join(zone).join("name"), name).expect("there is room");
            write(folder.join(zone).join("max_energy_range_uj"), "262143328850").expect("room");
            count(&folder, zone, 0);
        }
        let ends = Arc::new(AtomicBool::new(false));
        let clock = spawn({
            let (folder, ends) = (folder.clone(), Arc::clone(&ends));
            move || {
                for tick in 1.. {
                    count(&folder, PACKAGE, 2000 * tick);
                    count(&folder, MEMORY, 500 * tick);
                    sleep(Duration::from_millis(1));
                    if ends.load(Ordering::Relaxed) {
                        return;
                    }
                }
            }
        });
        Self { folder, ends, clock: Some(clock) }
    }

    fn run(&self, arguments: &str) -> Run {
        let mut command = command(&self.folder, arguments);
        command.env("TEGULA_POWERCAP", self.folder.join("zones"));
        Run::new(command.output().expect("the binary starts"))
    }

    /// What a run tells, of which the joules are told to be within those that went by.
    fn told(&self, arguments: &str) -> Value {
        let zones = [PACKAGE, MEMORY];
        let before = zones.map(|zone| microjoules(&self.folder, zone));
        let json = self.run(&format!("{arguments} --json -")).succeeded().json();
        let after = zones.map(|zone| microjoules(&self.folder, zone));
        let most: u64 = after.iter().sum::<u64>() - before.iter().sum::<u64>();
        let joules = number(&json, "/energy_joules");
        assert!(joules > 0.0 && joules <= 1e-6 * most as f64, "{joules} J of {most} uJ");
        let parts = ["package-0", "package-0 dram"];
        let sum = parts.map(|part| number(&json["energy_parts"], &format!("/{part}")));
        assert_close(sum[0] + sum[1], joules, 1e-9);
        json
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(clock) = self.clock.take() {
            let _ = clock.join();
        }
    }
}

#[test]
fn runs_and_their_traces_tell_the_energy() {
    let machine = Machine::new();
    let json = machine.told("linalg potrf -n 2000 --tile-size 100 --trace t.trace");
    let trace = machine.run("trace t.trace --json -").succeeded().json();
    assert_eq!(trace["energy_joules"], json["energy_joules"]);
    let said = machine.run("trace t.trace").succeeded().stdout;
    assert!(said.contains("\nenergy ") && said.contains("W in the mean"), "{said}");
    let said = machine.run("linalg potrf -n 600").succeeded().stdout;
    assert!(said.contains("with all that runs there (package-0 "), "{said}");
    let said = machine.run("info").succeeded().stdout;
    assert!(said.contains("counted of package-0, package-0 dram"), "{said}");
    // Ranks of one host count it once.
    let data = root().join("data/samples/a_synth1600.csv");
    let loglik = format!("exageostat loglik {} --mean zero --params 1,0.1,0.5", data.display());
    machine.told(&loglik);
    machine.told(&format!("{loglik} --ranks local:3 --workers 1"));
}

#[test]
fn a_fit_spares_the_energy_that_its_hosts_count() {
    let machine = Machine::new();
    let data = root().join("data/samples/a_synth1600.csv");
    let fit = format!(
        "exageostat fit {} --mean zero --tile-size 200 --optimizer bobyqa --ranks local:3 \
         --workers 1",
        data.display()
    );
    let json = machine.told(&format!("{fit} --nodes auto:left-right:energy"));
    let taken = json["nodes"].as_array().expect("numbers");
    assert_eq!((taken[0].as_u64(), taken.len() as f64), (Some(1), number(&json, "/evaluations")));
    let plain = machine.told(&fit);
    assert_close(number(&json, "/loglik"), number(&plain, "/loglik"), 1e-10);

    write(machine.folder.join("nothing"), "").expect("there is room");
    let mut run = command(&machine.folder, &format!("{fit} --nodes auto:product"));
    let run = run.env("TEGULA_POWERCAP", machine.folder.join("nothing"));
    let words = ["--nodes auto:product", "rank 0", "does not count its energy", "nothing"];
    Run::new(run.output().expect("it starts")).failed(2, &words);
}

#[test]
fn counters_that_cannot_be_read_are_named() {
    let folder = folder();
    create_dir_all(folder.join(PACKAGE)).expect("there is room");
    write(folder.join(PACKAGE).join("name"), "package-0").expect("there is room");
    let info = |arguments: &str| {
        let mut info = command(&folder, arguments);
        let info = info.env("TEGULA_POWERCAP", folder.join("zones"));
        Run::new(info.output().expect("it starts")).succeeded()
    };
    let said = info("info").stdout;
    assert!(said.contains("not counted: ") && said.contains("intel-rapl:0/energy_uj"), "{said}");
    // Nothing else is lost.
    let json = info("linalg potrf -n 200 --json -").json();
    assert_eq!(json["energy_joules"], Value::Null);
}
