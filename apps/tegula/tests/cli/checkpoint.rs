//! Fits and embeddings that a signal stops, and others that go on with their checkpoints.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use serde_json::Value;

use crate::support::{Run, assert_close, command, folder, number, root, tegula_in};

const FIT: &str = "--covariance matern --fix smoothness=0.5 --workers 2 --json -";
/// A fit that takes more than ten evaluations.
const SLOW: &str =
    "--covariance matern --fix smoothness=0.5 --workers 2 --json - --optimizer bobyqa";
const MDS: &str = "--axes 3 --method lanczos --tile-size 64 --json -";

/// A folder with a small table to fit, and distances to embed.
fn folder_of_data() -> std::path::PathBuf {
    let folder = folder();
    fs::copy(root().join("data/samples/e_sub140.csv"), folder.join("data.csv")).expect("a copy");
    let rows: Vec<String> = (0..300).map(|i| format!("{},{}", i % 17, (i * i) % 23)).collect();
    let points = format!("x,y\n{}\n", rows.join("\n"));
    fs::write(folder.join("points.csv"), points).expect("a file");
    let labels: Vec<String> = (1..=300).map(|i| format!("{i},{}", i % 3)).collect();
    fs::write(folder.join("labels.csv"), labels.join("\n") + "\n").expect("a file");
    let distances = "diodon distances points.csv --metric manhattan --element f64 -o D.npy";
    tegula_in(&folder, distances).succeeded();
    folder
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
    assert!(sent.expect("a shell").success(), "the run is still there");
}

/// Starts a run that reads the pipe `name` once it notes signals, sends it `signal`, and only then
/// gives it the file `content`: the run meets the signal in its first pause.
pub(crate) fn signalled(folder: &Path, arguments: &str, files: [&str; 2], signal: &str) -> Run {
    let run = command(folder, arguments);
    // Whoever runs the tests may have the end of their terminal ignored.
    let started = through(&["env", "--default-signal=HUP"], &run);
    signalled_command(started, folder, files, signal)
}

/// `command`, started by `words`.
pub(crate) fn through(words: &[&str], command: &Command) -> Command {
    let mut started = Command::new(words[0]);
    started.args(&words[1..]).arg(command.get_program()).args(command.get_args());
    started.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    started.current_dir(command.get_current_dir().expect("a folder"));
    started
}

/// The same of a command.
fn signalled_command(
    mut started: Command,
    folder: &Path,
    [name, content]: [&str; 2],
    signal: &str,
) -> Run {
    let pipe = folder.join(name);
    if !pipe.exists() {
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, &pipe, FileType::Fifo, mode, 0).expect("a pipe can be made");
    }
    let mut child =
        started.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let flags = OFlags::NONBLOCK.bits() as i32;
    let mut end = loop {
        // Nobody can write as long as nobody reads.
        match OpenOptions::new().write(true).custom_flags(flags).open(&pipe) {
            Ok(end) => break end,
            Err(_) if child.try_wait().expect("a child").is_none() => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => panic!("{error}: {:?}", child.wait_with_output()),
        }
    };
    send(signal, &child);
    end.write_all(&fs::read(folder.join(content)).expect("the data")).expect("it reads");
    drop(end);
    Run::new(child.wait_with_output().expect("a child"))
}

/// Asserts that both JSON results are the same but for rounding.
#[track_caller]
fn assert_same(found: &Value, expected: &Value, pointers: &[&str], tolerance: f64) {
    for pointer in pointers {
        assert_close(number(found, pointer), number(expected, pointer), tolerance);
    }
}

const ESTIMATES: [&str; 6] = [
    "/loglik",
    "/evaluations",
    "/iterations",
    "/params/range",
    "/params/variance",
    "/mean/coefficients/0",
];

#[test]
fn a_fit_goes_on_to_the_same_end_after_each_signal() {
    let folder = folder_of_data();
    let whole = tegula_in(&folder, &format!("exageostat fit data.csv {FIT}")).succeeded().json();
    assert_eq!(whole["evaluations_taken_over"], 0);
    let mut resume = "";
    for (count, signal) in ["USR1", "TERM", "INT", "HUP"].into_iter().enumerate() {
        let arguments = format!("exageostat fit pipe.csv {FIT} --checkpoint c {resume}");
        let run = signalled(&folder, &arguments, ["pipe.csv", "data.csv"], signal);
        assert_eq!(run.code, 75, "{}{}", run.stdout, run.stderr);
        let evaluations =
            ["1 evaluation", "2 evaluations", "3 evaluations", "4 evaluations"][count];
        let answer = format!("SIG{signal} came: this run ends after its current step");
        assert!(run.stderr.contains(&answer), "{}", run.stderr);
        let says =
            format!("stopped by SIG{signal} after {evaluations}; go on with: tegula exageostat");
        assert!(run.stderr.contains(&says), "{}", run.stderr);
        assert!(run.stderr.trim_end().ends_with("--checkpoint c --resume c"), "{}", run.stderr);
        assert!(run.stdout.is_empty() && !run.stderr.contains("error"), "{}", run.stderr);
        resume = "--resume c";
    }
    let rest = tegula_in(&folder, &format!("exageostat fit data.csv {FIT} --resume c"));
    let rest = rest.succeeded().json();
    assert_same(&rest, &whole, &ESTIMATES, 1e-9);
    assert_eq!((&rest["evaluations_taken_over"], &rest["converged"]), (&4.into(), &true.into()));
}

#[test]
fn the_end_of_a_terminal_is_ignored_under_nohup() {
    let folder = folder_of_data();
    let fit = command(&folder, &format!("exageostat fit pipe.csv {FIT} --checkpoint c"));
    let shell = through(&["sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""], &fit);
    let run = signalled_command(shell, &folder, ["pipe.csv", "data.csv"], "HUP").succeeded();
    assert!(!run.stderr.contains("SIGHUP"), "{}", run.stderr);
}

#[test]
fn an_embedding_goes_on_to_the_same_end_after_a_signal() {
    let folder = folder_of_data();
    let values = ["/eigenvalues/0", "/eigenvalues/1", "/eigenvalues/2", "/trace", "/passes"];
    for method in ["lanczos", "randomized --passes 3", "nystrom"] {
        let mds = format!("--axes 3 --method {method} --tile-size 64 --json -");
        let whole = tegula_in(&folder, &format!("diodon mds D.npy {mds}")).succeeded().json();
        let arguments = format!("diodon mds D.npy {mds} --labels pipe --checkpoint c");
        let run = signalled(&folder, &arguments, ["pipe", "labels.csv"], "USR1");
        assert_eq!(run.code, 75, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("stopped by SIGUSR1 after 1 pass; go on"), "{}", run.stderr);
        let rest = tegula_in(&folder, &format!("diodon mds D.npy {mds} --resume c"));
        let rest = rest.succeeded().json();
        assert_same(&rest, &whole, &values, 1e-12);
        assert_eq!(rest["passes_taken_over"], 1, "{method}");
    }
}

#[test]
fn ranks_may_differ() {
    let folder = folder_of_data();
    let fit = |more: &str| {
        tegula_in(&folder, &format!("exageostat fit data.csv {SLOW} --tile-size 48 {more}"))
            .succeeded()
            .json()
    };
    let embed = |more: &str| {
        tegula_in(&folder, &format!("diodon mds D.npy {MDS} {more}")).succeeded().json()
    };
    let (fitted, embedded) = (fit(""), embed(""));
    for [first, second] in [["local:2", "local:1"], ["local:1", "local:2"]] {
        let every = format!("--ranks {first} --checkpoint c --checkpoint-every 0s");
        assert_eq!(fit(&format!("{every} --max-evaluations 9"))["converged"], false);
        let rest = fit(&format!("--ranks {second} --resume c"));
        assert_eq!(rest["evaluations_taken_over"], 9);
        assert_same(&rest, &fitted, &ESTIMATES[..1], 1e-9);
        assert_same(&rest, &fitted, &ESTIMATES[3..], 1e-4);
        let passes = number(&embed(&every), "/passes");
        let rest = embed(&format!("--ranks {second} --resume c"));
        // The last checkpoint is that of the last pause.
        assert_eq!(number(&rest, "/passes_taken_over"), passes - 1.0);
        assert_same(&rest, &embedded, &["/eigenvalues/0", "/eigenvalues/2", "/trace"], 1e-11);
    }
}

#[test]
fn a_checkpoint_that_is_cut_off_costs_what_came_after_the_one_before() {
    let folder = folder_of_data();
    let fit = |more: &str| tegula_in(&folder, &format!("exageostat fit data.csv {SLOW} {more}"));
    fit("--checkpoint c --checkpoint-every 0s --max-evaluations 9").succeeded();
    let whole = fs::read(folder.join("c")).expect("a checkpoint");
    let cut = |length: usize| fs::write(folder.join("c"), &whole[..length]).expect("it is cut");
    let says = "warning: the checkpoint c is damaged, cut short or gone";
    for ranks in ["", "--ranks local:2"] {
        cut(whole.len() / 2);
        let run = fit(&format!("--resume c --max-evaluations 10 {ranks}")).succeeded();
        assert_eq!(run.json()["evaluations_taken_over"], 8);
        let words: Vec<&str> = run.stderr.split_whitespace().collect();
        let words = words.join(" ");
        assert_eq!(words.matches(says).count(), 1, "{words}");
        assert!(words.contains("goes on from the one before it, c.previous"), "{words}");
    }
    // The damaged one does not take the place of the one before.
    let before = fs::read(folder.join("c.previous")).expect("the one before");
    fit("--checkpoint c --resume c --checkpoint-every 1h --max-evaluations 10").succeeded();
    assert_eq!(fs::read(folder.join("c.previous")).expect("it stays"), before);
    fs::remove_file(folder.join("c")).expect("it was there");
    assert_eq!(fit("--resume c").succeeded().json()["evaluations_taken_over"], 8);
    cut(7);
    fs::write(folder.join("c.previous"), &before[..50]).expect("it is cut");
    fit("--resume c").failed(2, &["the checkpoint c is damaged or cut short"]);
    fs::write(folder.join("c"), &whole).expect("it is mended");
    let run = fit("--resume c --max-evaluations 10").succeeded();
    assert_eq!(run.json()["evaluations_taken_over"], 9);
    assert!(!run.stderr.contains("damaged"), "{}", run.stderr);
}

/// A run that writes checkpoints to `c`, stopped by a signal after the first.
pub(crate) fn stopped_after_a_checkpoint(folder: &Path, arguments: &str) -> Run {
    let mut started = command(folder, arguments);
    let mut child =
        started.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    while !folder.join("c").exists() {
        assert!(child.try_wait().expect("a child").is_none(), "it is not done so soon");
        std::thread::sleep(Duration::from_millis(2));
    }
    send("USR1", &child);
    let run = Run::new(child.wait_with_output().expect("a child"));
    assert_eq!(run.code, 75, "{}", run.stderr);
    run
}

#[test]
fn ranks_stop_together() {
    let folder = folder();
    let data = root().join("data/samples/a_synth1600.csv");
    let every = "--mean zero --ranks local:2 --checkpoint c --checkpoint-every 0s";
    let arguments = format!("exageostat fit {} --covariance matern {every}", data.display());
    let run = stopped_after_a_checkpoint(&folder, &arguments);
    assert_eq!(run.stderr.matches("stopped by SIGUSR1 after").count(), 1, "{}", run.stderr);
}

/// A fit without a checkpoint, to which `signal` comes after its first evaluations.
fn interrupted(folder: &Path, arguments: &str, signal: &str) -> Run {
    let mut started = command(folder, &format!("{arguments} -v"));
    let mut child =
        started.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().expect("it is not done so soon").expect("text");
    while line().split_whitespace().next() != Some("2") {}
    send(signal, &child);
    let run = Run::new(child.wait_with_output().expect("a child"));
    assert!(!run.stderr.contains("error"), "{}", run.stderr);
    run
}

#[test]
fn a_fit_without_a_checkpoint_says_its_best_and_another_starts_from_there() {
    let folder = folder();
    let data = root().join("data/samples/a_synth1600.csv");
    let fit = format!("exageostat fit {} --mean zero --workers 1", data.display());
    for (more, signal, code) in [
        ("--estimate-nugget --fix smoothness=0.5 --start range=0.2", "INT", 130),
        ("--estimate-nugget --fix smoothness=0.5 --ranks local:2", "TERM", 143),
        ("--fix variance=1", "USR1", 138),
    ] {
        let run = interrupted(&folder, &format!("{fit} {more}"), signal);
        assert_eq!(run.code, code, "{}", run.stderr);
        assert_eq!(run.stderr.matches("stopped by").count(), 1, "{}", run.stderr);
        let said = run.stderr.split("log-likelihood ").nth(1).expect("the best");
        let (best, rest) = said.split_once(": --start ").expect("how to start");
        let (start, command) = rest.split_once("\ngo on from there with: tegula ").expect("both");
        assert!(command.trim_end().ends_with(&format!("--start {start}")), "{command}");
        assert_eq!(command.matches("--start").count(), 1, "{command}");
        let again = format!("{} --json - --quiet --max-evaluations 1", command.trim_end());
        let first = number(&tegula_in(&folder, &again).succeeded().json(), "/loglik");
        let best: f64 = best.parse().expect("a number");
        assert!((first - best).abs() < 1e-5, "{first} {best}");
    }
}

/// A run that may write no file of more than 1024 bytes.
pub(crate) fn with_full_disk(folder: &Path, arguments: &str) -> Run {
    let run = command(folder, arguments);
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh"]);
    limited.arg(run.get_program()).args(run.get_args()).current_dir(folder);
    limited.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    Run::new(limited.output().expect("a shell"))
}

#[test]
fn a_full_disk_costs_a_checkpoint_but_not_the_run() {
    let folder = folder_of_data();
    let embed =
        |more: &str| format!("diodon mds D.npy {MDS} --checkpoint m --checkpoint-every 0s {more}");
    let whole = tegula_in(&folder, &embed("")).succeeded().json();
    let before = fs::read(folder.join("m")).expect("a checkpoint");
    assert!(before.len() > 1024, "the disk is full for it");
    for ranks in ["", "--ranks local:2"] {
        let run = with_full_disk(&folder, &embed(ranks)).succeeded();
        assert!(run.stderr.contains("cannot write m"), "{}", run.stderr);
        assert!(run.stderr.contains("goes on without"), "{}", run.stderr);
        assert_same(&run.json(), &whole, &["/eigenvalues/0", "/trace"], 1e-11);
        assert_eq!(fs::read(folder.join("m")).expect("a checkpoint"), before, "the last one stays");
    }
    tegula_in(&folder, &format!("diodon mds D.npy {MDS} --resume m")).succeeded();
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let folder = folder_of_data();
    let fit = |data: &str, more: &str| {
        tegula_in(&folder, &format!("exageostat fit {data} {FIT} --max-evaluations 3 {more}"))
    };
    fit("data.csv", "--checkpoint c --checkpoint-every 0s").succeeded();
    let text = fs::read_to_string(folder.join("data.csv")).expect("the data");
    let (most, last) = text.trim_end().rsplit_once('\n').expect("many lines");
    fs::write(folder.join("other.csv"), format!("{most}\n{last}1\n")).expect("a file");
    fit("other.csv", "--resume c").failed(2, &["c is of another run", "the data", "start anew"]);
    fit("data.csv", "--resume c --precision s").failed(2, &["--precision: d there, s here"]);
    fit("data.csv", "--resume c --nugget 0.5").failed(2, &["the nugget: 0.0 there, 0.5 here"]);
    fit("data.csv", "--resume none").failed(2, &["none", "No such file"]);
    fit("data.csv", "--resume data.csv").failed(2, &["data.csv is no checkpoint"]);
    fit("data.csv", "--checkpoint-every 1m").failed(2, &["--checkpoint"]);
    fit("data.csv", "--checkpoint c --checkpoint-every soon").failed(2, &["soon", "30s"]);
    fit("data.csv", "--checkpoint no/c").failed(2, &["no/c", "no folder"]);
    fit("data.csv", "--checkpoint data.csv").failed(2, &["--checkpoint would overwrite data.csv"]);
    fit("data.csv", "--checkpoint -").failed(2, &["name a file"]);
    fit("data.csv", "--resume c -o c").failed(2, &["-o would overwrite c"]);
    tegula_in(&folder, "diodon mds D.npy --method lanczos --resume c")
        .failed(2, &["what is computed: a fit there, principal coordinates here"]);
    let bytes = fs::read(folder.join("c")).expect("the checkpoint");
    fs::write(folder.join("cut"), &bytes[..bytes.len() / 2]).expect("a file");
    fit("data.csv", "--resume cut").failed(2, &["cut is damaged or cut short", "start anew"]);

    tegula_in(&folder, &format!("diodon mds D.npy {MDS} --checkpoint m --checkpoint-every 0s"))
        .succeeded();
    let resume = |more: &str| tegula_in(&folder, &format!("diodon mds {MDS} --resume m {more}"));
    resume("D.npy").succeeded();
    resume("D.npy --seed 1").failed(2, &["--seed: 0 there, 1 here"]);
    resume("points.csv --metric euclidean").failed(2, &["the distances"]);
}

#[test]
fn a_method_without_pauses_says_so() {
    let folder = folder_of_data();
    let exact = "diodon mds D.npy --method exact --checkpoint c";
    let run = tegula_in(&folder, exact).succeeded();
    assert!(run.stdout.contains("makes no pauses"), "{}", run.stdout);
    assert!(!folder.join("c").exists());
    tegula_in(&folder, "diodon mds D.npy --measure --checkpoint c").failed(2, &["--measure"]);
}
