//! CUDA devices, played by the stand-ins for NVIDIA's libraries: the answers are those of the cores
//! alone, and a device that fails ends the run with one message, or is done without.

use std::process::{Child, Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tegula_linalg::program::PROGRAMS;
use tegula_stand_ins::{Folder, missing};

use crate::support::{self, Run, assert_close, folder, folder_with, number, root};

/// Longer than any of these runs takes.
const MOST_TIME: Duration = Duration::from_secs(120);

/// Devices and what they are asked for.
#[derive(Default)]
pub(crate) struct Devices {
    libraries: Option<Folder>,
    settings: Vec<(&'static str, String)>,
}

impl Devices {
    /// Two devices of which one is slower; none, and a reason, where device code cannot be played.
    #[allow(clippy::print_stderr)]
    pub(crate) fn two() -> Option<Self> {
        if let Some(reason) = missing() {
            eprintln!("SKIPPED: no stand-ins for CUDA devices: {reason}");
            return None;
        }
        let two = Self { libraries: Some(Folder::new()), settings: Vec::new() };
        Some(two.with("DEVICES", "2").with("SLOWNESS", "1,2"))
    }

    /// The same with one more setting of the stand-ins.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.settings.push((name, value.to_string()));
        self
    }

    fn command(&self, place: &std::path::Path, arguments: &str) -> Command {
        let mut command = support::command(place, arguments);
        // Nothing is known of the devices: "dmdas" expects them to be faster than cores, and they
        // get work, however slowly they are played.
        command.env("XDG_CACHE_HOME", folder());
        if let Some(libraries) = &self.libraries {
            libraries.lend(&mut command);
        }
        for (name, value) in &self.settings {
            command.env(format!("TEGULA_STAND_IN_{name}"), value);
        }
        command
    }

    /// The binary with `arguments` in the folder `place`.
    pub(crate) fn run_in(&self, place: &std::path::Path, arguments: &str) -> Run {
        let mut command = self.command(place, arguments);
        let piped = || std::process::Stdio::piped();
        let child = command.stdout(piped()).stderr(piped()).spawn().expect("the binary starts");
        Run::new(ended(child, arguments))
    }

    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_in(&root(), arguments)
    }
}

/// What a run leaves, which must not hang; what it prints fits the pipes.
fn ended(mut child: Child, arguments: &str) -> Output {
    let start = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if start.elapsed() > MOST_TIME {
            child.kill().expect("it can be ended");
            panic!("it hangs: {arguments}");
        }
        sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

/// Asserts that a run passed its check.
#[track_caller]
fn assert_passed(run: Run, what: &str) -> Value {
    let result = run.succeeded().json();
    assert_eq!(result.pointer("/check/passed"), Some(&Value::Bool(true)), "{what}: {result:#}");
    result
}

#[test]
fn every_algorithm_passes_its_check_on_devices() {
    for seed in ["", "1", "2", "3"] {
        let Some(devices) = Devices::two() else { return };
        let devices = devices.with("SEED", seed);
        for algorithm in ["potrf", "potrs", "getrf-nopiv", "gemm", "trsm"] {
            let mut moved = 0.0;
            for policy in ["eager", "dmdas", "darts", "tessera"] {
                let command = format!(
                    "linalg {algorithm} -n 500 --tile-size 50 --devices 0,1 --workers 1 \
                     --policy {policy} --check --json - --quiet"
                );
                let result = assert_passed(devices.run(&command), &command);
                assert_eq!(result["tasks"].as_array().map(Vec::len), Some(3), "{result:#}");
                moved += number(&result, "/transfers/bytes");
            }
            assert!(moved > 0.0, "{algorithm} left the devices idle");
        }
    }
}

#[test]
fn every_program_passes_its_check_beside_devices() {
    let Some(devices) = Devices::two() else { return };
    let devices = devices.with("SEED", 9);
    for program in PROGRAMS {
        let command = format!(
            "linalg {} -n 120 --tile-size 30 --devices 0,1 --workers 1 --policy eager --check \
             --json - --quiet",
            program.name
        );
        assert_passed(devices.run(&command), &command);
    }
}

#[test]
fn devices_count_their_energy() {
    let Some(devices) = Devices::two() else { return };
    let json = devices.run("linalg potrf -n 500 --tile-size 50 --devices 0,1 --json -").succeeded();
    let json = json.json();
    // One draws 100 W, the other 200; each is read for itself.
    let parts = ["device 0", "device 1"];
    let [first, second] = parts.map(|part| number(&json["energy_parts"], &format!("/{part}")));
    assert!(first > 0.0 && (1.9..2.1).contains(&(second / first)), "{first} and {second} J");
    assert!(number(&json, "/energy_joules") >= first + second - 1e-6);
}

#[test]
fn every_precision_passes_its_check_on_devices() {
    let Some(devices) = Devices::two() else { return };
    for precision in ["s", "d", "c", "z"] {
        for algorithm in ["potrf", "gemm", "trsm"] {
            let command = format!(
                "linalg {algorithm} -n 300 --tile-size 50 --devices 0,1 --workers 1 \
                 --precision {precision} --policy eager --check --json - --quiet"
            );
            assert_passed(devices.run(&command), &command);
        }
    }
}

/// Of each device 256 MiB and a sixteenth are left to libraries.
#[test]
fn a_matrix_that_devices_do_not_hold_comes_and_goes() {
    let Some(devices) = Devices::two() else { return };
    let devices = devices.with("MEMORY", "287000000,288000000").with("SEED", 4);
    let scratch = format!("--memory 1500KiB --scratch {}", folder().display());
    for algorithm in ["potrf", "getrf-nopiv", "gemm"] {
        for more in ["", &scratch] {
            let command = format!(
                "linalg {algorithm} -n 800 --tile-size 64 --devices 0,1 --workers 1 \
                 --policy eager {more} --check --json - --quiet"
            );
            let result = assert_passed(devices.run(&command), &command);
            let to_disk = number(&result, "/bytes_to_disk");
            assert_eq!(to_disk > 0.0, !more.is_empty(), "{command}");
        }
    }
}

#[test]
fn likelihoods_and_fits_on_devices_are_those_of_cores() {
    let sample = "data/samples/e_sub140.csv --json - --quiet --tile-size 40";
    let loglik = format!("exageostat loglik {sample} --params 1,0.1,0.5");
    let fit = format!("exageostat fit {sample} --fix smoothness=0.5 --max-evaluations 12");
    let (alone, beside) = ("--devices 0 --workers 0", "--devices 0,1 --workers 1 --policy dmdas");
    let ranks = "--ranks local:2 --devices 0 --workers 1 --policy dmdas";
    let runs =
        [(&loglik, alone), (&loglik, beside), (&loglik, ranks), (&fit, alone), (&fit, beside)];
    for (command, flags) in runs {
        let expected = support::tegula(&format!("{command} --devices none")).succeeded().json();
        for seed in ["", "5", "6"] {
            let Some(devices) = Devices::two() else { return };
            let devices = devices.with("SEED", seed);
            let result = devices.run(&format!("{command} {flags}")).succeeded().json();
            assert!(number(&result, "/transfers/bytes") > 0.0, "{command} {flags}");
            assert_close(number(&result, "/loglik"), number(&expected, "/loglik"), 1e-10);
        }
    }
}

/// Likelihoods given neighbours, and of covariances that are put together.
#[test]
fn neighbours_and_composites_on_devices_are_those_of_cores() {
    let Some(devices) = Devices::two() else { return };
    let (place, sample) = (folder(), root().join("data/samples/e_sub140.csv"));
    for (draw, name) in [
        ("bivariate-matern-parsimonious --params 1,4,0.2,0.5,0.8,0.7", "two.csv"),
        ("gneiting-matern --params 1,0.2,0.6,1,0.5,0.5,1 --times 4", "moving.csv"),
    ] {
        let command = format!("exageostat sample --n 60 --seed 3 --covariance {draw} -o {name}");
        support::tegula_in(&place, &command).succeeded();
    }
    // Neighbours are looked for on cores.
    let near = format!("{} --method vecchia:10 --tile-size 20", sample.display());
    let grouped = near.replace("vecchia:10", "vecchia:10:grouped");
    let (alone, beside) = ("--devices 0 --workers 0", "--devices 0 --workers 1 --policy dmdas");
    let two = "two.csv --values value1,value2 --covariance bivariate-matern-parsimonious \
               --params 1,4,0.2,0.5,0.8,0.7 --tile-size 40";
    let moving = "moving.csv --time t --covariance gneiting-matern \
                  --params 1,0.2,0.6,1,0.5,0.5,1 --tile-size 40";
    // Its tiles are made on cores, since it has no tables.
    let uneven = format!(
        "{} --covariance nonstationary-matern --params 0.02,2,1.5,-0.8,0.3,0.6,0.3,0.1 \
         --tile-size 40",
        sample.display()
    );
    for (command, flags, pointers) in [
        (
            format!("loglik {near} --params 1,0.1,0.5 --gradient"),
            beside,
            &["/loglik", "/gradient/range", "/gradient/smoothness"][..],
        ),
        (
            format!("fit {near} --fix smoothness=0.5"),
            beside,
            &["/loglik", "/params/range", "/std_errors/range"],
        ),
        (
            format!("loglik {grouped} --params 1,0.1,0.5 --gradient"),
            beside,
            &["/loglik", "/gradient/range"],
        ),
        (
            format!("loglik {two} --method vecchia:12 --gradient"),
            beside,
            &["/loglik", "/gradient/range", "/gradient/correlation"],
        ),
        (
            format!("loglik {moving} --method vecchia:12:grouped --gradient"),
            beside,
            &["/loglik", "/gradient/range", "/gradient/time_decay"],
        ),
        (
            format!("loglik {two} --gradient"),
            alone,
            &["/loglik", "/gradient/range", "/gradient/smoothness1", "/gradient/correlation"],
        ),
        (
            format!("loglik {moving} --gradient"),
            alone,
            &["/loglik", "/gradient/range", "/gradient/time_scale", "/gradient/interaction"],
        ),
        (format!("loglik {uneven} --gradient"), beside, &["/loglik", "/gradient/wave"]),
    ] {
        let run = |flags: &str| {
            let command = format!("exageostat {command} {flags} --json - --quiet");
            devices.run_in(&place, &command).succeeded().json()
        };
        let (cores, got) = (run("--devices none"), run(flags));
        assert!(number(&got, "/transfers/bytes") > 0.0, "{command} left the device idle");
        for pointer in pointers {
            assert_close(number(&got, pointer), number(&cores, pointer), 1e-8);
        }
    }
}

/// Devices make products in TF32 where the accuracy allows: what that changes is within it, and is
/// what the error is estimated at.
#[test]
fn small_tiles_are_multiplied_in_tf32_on_devices() {
    let Some(devices) = Devices::two() else { return };
    let place = folder();
    let draw =
        "exageostat sample --n 400 --seed 3 --covariance exponential --params 1,0.05 -o e.csv";
    support::tegula_in(&place, draw).succeeded();
    let loglik = "exageostat loglik e.csv --covariance exponential --params 1,0.05 --tile-size 40 \
                  --json - --quiet";
    let exact = number(&support::tegula_in(&place, loglik).succeeded().json(), "/loglik");
    for accuracy in ["1e-2", "1e-1"] {
        let command = format!("{loglik} --method mixed:{accuracy}");
        let run = |flags: &str| {
            let result = devices.run_in(&place, &format!("{command} {flags}")).succeeded().json();
            let estimate = number(&result, "/method/error_estimate").abs();
            (number(&result, "/loglik") - exact, estimate)
        };
        let (of_cores, _) = run("--devices none");
        let (of_device, estimate) = run("--devices 0 --workers 0");
        assert!(of_device.abs() > 3.0 * of_cores.abs(), "{of_device} and {of_cores}: TF32 rounds");
        assert!(of_device.abs() < 4.0 * estimate, "{accuracy}: {of_device}, not {estimate}");
    }
    let trace = "linalg potrf-mixed -n 400 --tile-size 40 --accuracy 1e-2 --check --devices 0,1 \
                 --workers 1 --policy eager --trace t.csv --json - --quiet";
    let result = assert_passed(devices.run_in(&place, trace), trace);
    assert_eq!(number(&result, "/values/tiles in TF32 on devices"), 45.0);
    let trace = std::fs::read_to_string(place.join("t.csv")).expect("it was written");
    assert!(trace.contains("gemm-tf32"), "no product may round");
}

#[test]
fn gradients_on_devices_are_those_of_cores() {
    let Some(devices) = Devices::two() else { return };
    let sample = "data/samples/e_sub140.csv --gradient --json - --quiet --tile-size 40";
    // Of the second all places are farther apart than its tables reach.
    for covariance in [
        "matern --params 1,0.1,0.5",
        "cauchy --params 1,1e-4,1,1",
        "matern:anisotropic --params 1,0.1,0.5,30,0.5",
        "matern:xy --params 1,0.1,0.2,0.5",
        "spherical --params 1,0.3",
    ] {
        let command = format!("exageostat loglik {sample} --covariance {covariance}");
        let gradient = |run: Run| {
            let result = run.succeeded().json();
            let gradient = result.pointer("/gradient").unwrap_or_else(|| panic!("{result}"));
            let numbers = gradient.as_object().expect("a number for each parameter").values();
            numbers.map(|x| x.as_f64().expect("a number")).collect::<Vec<f64>>()
        };
        let expected = gradient(support::tegula(&format!("{command} --devices none")));
        let got = gradient(devices.run(&format!("{command} --devices 0 --workers 0")));
        assert_eq!(got.len(), expected.len(), "{covariance}");
        got.iter().zip(&expected).for_each(|(&got, &expected)| assert_close(got, expected, 1e-8));
    }
}

#[test]
fn tiles_are_those_of_devices_where_these_run_all() {
    let Some(devices) = Devices::two() else { return };
    let tiles = |arguments: &str| {
        let result = devices.run(&format!("{arguments} --dry-run --json - -q")).succeeded().json();
        number(&result, "/tile_size")
    };
    for (program, on_devices) in
        [("potrf", 1024.0), ("gemm", 1024.0), ("geqrf", 128.0), ("getrf", 128.0)]
    {
        let command = format!("linalg {program} -n 4000 --workers 2");
        assert_eq!(tiles(&format!("{command} --devices 0")), on_devices, "{program}");
        assert!(tiles(&format!("{command} --devices none")) < on_devices.max(400.0), "{program}");
    }
    // Some of its kernels are for cores alone.
    let heevd = "linalg heevd -n 4000 --workers 2 --devices";
    assert_eq!(tiles(&format!("{heevd} 0")), tiles(&format!("{heevd} none")));
    let tile = tiles("linalg potrf -n 4000 --workers 2 --devices 0:8MiB");
    assert!(tile < 1024.0, "tiles of {tile} on a device with little memory");
}

#[test]
fn predictions_on_devices_are_those_of_cores() {
    let Some(devices) = Devices::two() else { return };
    let (sample, place) = (root().join("data/samples/e_sub140.csv"), folder());
    let sample = sample.display();
    let fit = format!("exageostat fit {sample} --fix range=0.1,smoothness=0.5 -o model.json");
    devices.run_in(&place, &fit).succeeded();
    let predict = format!("exageostat predict model.json --at {sample} --tile-size 40");
    devices.run_in(&place, &format!("{predict} --devices none -o cores.csv")).succeeded();
    let flags = "--devices 0,1 --workers 1 --policy eager -o devices.csv";
    devices.run_in(&place, &format!("{predict} {flags}")).succeeded();
    let read = |name: &str| std::fs::read_to_string(place.join(name)).expect("it was written");
    let numbers = |text: &str| -> Vec<f64> {
        text.split([',', '\n']).filter_map(|word| word.parse().ok()).collect()
    };
    let (cores, got) = (numbers(&read("cores.csv")), numbers(&read("devices.csv")));
    assert!(cores.len() > 280 && cores.len() == got.len(), "{} numbers", cores.len());
    for (x, y) in got.iter().zip(&cores) {
        assert!((x - y).abs() <= 1e-9 * (1.0 + y.abs()), "{x}, not {y}");
    }
}

#[test]
fn axes_on_devices_are_those_of_cores() {
    let Some(devices) = Devices::two() else { return };
    let devices = devices.with("SEED", 8);
    let number_of = |i: usize, j: usize| ((i * 37 + j * 101) % 89) as f64 / 89.0 + (i + j) as f64;
    let row = |i: usize| (0..5).map(|j| number_of(i, j).sin().to_string()).collect::<Vec<_>>();
    let rows: Vec<String> = (0..120).map(|i| format!("p{i},{}", row(i).join(","))).collect();
    let place = folder_with("points.csv", &format!("id,a,b,c,d,e\n{}\n", rows.join("\n")));
    let distances = "diodon distances points.csv --metric euclidean --element f64 -o D.h5";
    support::tegula_in(&place, distances).succeeded();
    for program in [
        "mds D.h5 --axes 3 --method exact",
        "mds D.h5 --axes 3 --method randomized",
        "pca points.csv --axes 3 --method exact",
    ] {
        let run = |flags: &str, name: &str| {
            let command = format!("diodon {program} --tile-size 30 {flags} -o {name} --json -");
            devices.run_in(&place, &command).succeeded().json()
        };
        let cores = run("--devices none", "cores");
        let got = run("--devices 0,1 --workers 1 --policy eager", "devices");
        for axis in 0..3 {
            let name = format!("/eigenvalues/{axis}");
            assert_close(number(&got, &name), number(&cores, &name), 1e-9);
        }
        for folder in ["cores", "devices"] {
            std::fs::remove_dir_all(place.join(folder)).expect("it was written");
        }
    }
}

/// The K-th call of a kind is refused, or a device is lost with it.
#[test]
fn what_fails_on_a_device_is_one_message_or_done_without() {
    let mut messages = 0;
    for kind in ["allocate", "copy", "launch", "run", "call"] {
        for at in [1, 3, 7, 20, 50, 120, 300] {
            let Some(devices) = Devices::two() else { return };
            let devices = devices.with("FAIL", format!("{kind}:{at}:1")).with("SEED", at);
            let command = "linalg potrf -n 600 --tile-size 50 --devices 0,1 --workers 1 \
                           --policy eager --check --json - --quiet";
            let run = devices.run(command);
            if run.code == 0 {
                assert_passed(run, &format!("{kind}:{at}"));
                continue;
            }
            messages += 1;
            // Before the run begins, devices that were asked for are refused.
            let starts = run.stderr.starts_with("error: --devices");
            assert_eq!(run.code, if starts { 2 } else { 1 }, "{kind}:{at}: {}", run.stderr);
            let is_one = run.stderr.starts_with("error: ") && run.stderr.lines().count() == 1;
            assert!(is_one, "{kind}:{at}: {}", run.stderr);
            assert_ne!(kind, "allocate", "what it lacks is done without: {at}: {}", run.stderr);
        }
    }
    assert!(messages > 10, "only {messages} failures were met");
}

#[test]
fn a_device_that_cannot_be_opened_is_refused_by_name_and_else_done_without() {
    let Some(devices) = Devices::two() else { return };
    let devices = devices.with("FAIL", "pin:2:1");
    let command = "linalg potrf -n 300 --check --json - --quiet";
    devices
        .run(&format!("{command} --devices 0,1"))
        .failed(2, &["device 1 cannot be opened", "out of memory"]);
    let result = assert_passed(devices.run(command), command);
    assert_eq!(result["devices"].as_array().map(Vec::len), Some(1), "{result:#}");
}
