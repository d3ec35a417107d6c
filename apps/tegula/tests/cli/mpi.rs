//! The program under `mpirun`, with every MPI that is installed: the answers of one rank, as many
//! messages as ranks that are threads send, and an end for all when one dies.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{assert_close, command, folder_with, number, root, tegula};

/// Launchers, what they say of themselves, and what they need to start more ranks than there are
/// cores.
const LAUNCHERS: &[(&str, &str, &[&str])] = &[
    ("mpirun.openmpi", "(Open", &["--oversubscribe", "--bind-to", "none"]),
    ("mpirun.mpich", "HYDRA", &[]),
];

/// Time after which ranks that should have ended hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls `check` with every launcher that is installed.
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn under_each(test: &str, check: impl Fn(&(&str, &str, &[&str]))) {
    for launcher in LAUNCHERS {
        let output = Command::new(launcher.0).arg("--version").output();
        let is_there =
            output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(launcher.1));
        if is_there {
            check(launcher);
        } else {
            eprintln!("SKIPPED {test}: no {} here; scripts/setup installs it", launcher.0);
        }
    }
}

/// The program over so many ranks.
fn mpirun((name, _, flags): &(&str, &str, &[&str]), ranks: usize, arguments: &str) -> Command {
    let program = command(&root(), arguments);
    let mut command = Command::new(name);
    command.args(*flags).args(["-n", &ranks.to_string()]);
    command.arg(program.get_program()).args(program.get_args());
    command.current_dir(root()).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    // Open MPI's launcher refuses to be run by root, as tests in containers are, unless told twice.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

fn json(mut command: Command) -> Value {
    let output = command.output().expect("the launcher starts");
    let (out, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}{errors}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error} in {out}{errors}"))
}

#[test]
fn factorisations_send_what_threads_send() {
    under_each("factorisations_send_what_threads_send", |launcher| {
        for ranks in [2, 4] {
            for algorithm in ["potrf", "getrf", "geqrf"] {
                let run = format!("linalg {algorithm} -n 500 --workers 1 --check --json -");
                let over = json(mpirun(launcher, ranks, &run));
                let threads = tegula(&format!("{run} --ranks local:{ranks}")).succeeded().json();
                assert_eq!(over["ranks"], ranks, "{algorithm}");
                for key in ["messages", "bytes_sent"] {
                    assert_eq!(over[key], threads[key], "{algorithm} on {ranks}: {key}");
                }
                assert!(number(&over, "/messages") > 0.0);
            }
        }
    });
}

#[test]
fn likelihoods_and_embeddings_are_those_of_one_rank() {
    let loglik = "exageostat loglik data/samples/e_sub140.csv --covariance matern \
                  --params 1,0.1,0.5 --tile-size 20 --json -";
    let mds = "diodon mds data/samples/a_synth1600.csv --metric euclidean --axes 2 \
               --method lanczos --json -";
    let alone = [loglik, mds].map(|run| tegula(run).succeeded().json());
    under_each("likelihoods_and_embeddings_are_those_of_one_rank", |launcher| {
        let over = json(mpirun(launcher, 2, loglik));
        assert_close(number(&over, "/loglik"), number(&alone[0], "/loglik"), 1e-10);
        let over = json(mpirun(launcher, 3, mds));
        let first = "/eigenvalues/0";
        assert_close(number(&over, first), number(&alone[1], first), 1e-6);
    });
}

/// Over ranks of one worker and of two, a long run is planned though nobody has asked.
#[test]
fn long_runs_over_unequal_ranks_plan_themselves() {
    under_each("long_runs_over_unequal_ranks_plan_themselves", |launcher| {
        let over = |run: &str| {
            let mut command = mpirun(launcher, 1, &format!("{run} --workers 1"));
            let other = mpirun(launcher, 1, &format!("{run} --workers 2"));
            let words = other.get_args().skip(launcher.2.len());
            command.arg(":").args(words.map(ToOwned::to_owned).collect::<Vec<_>>());
            json(command)
        };
        let run = "linalg potrf --dry-run --json - -n";
        let planned = over(&format!("{run} 17000"));
        let compared = planned["distributions_compared"].as_object().expect("it was planned");
        assert!(compared.contains_key("block-cyclic") && compared.len() >= 4, "{planned}");
        for more in ["1000", "17000 --distribution 1d", "17000 --deterministic"] {
            let json = over(&format!("{run} {more}"));
            assert!(json["distributions_compared"].is_null(), "{more}: {json}");
        }
    });
}

/// One trace of processes, whose clocks were compared: on one machine no message comes before it
/// was sent.
#[test]
fn processes_leave_one_trace_on_one_clock() {
    under_each("processes_leave_one_trace_on_one_clock", |launcher| {
        let folder = folder_with("unused", "");
        let file = folder.join("run.trace");
        let run = format!(
            "linalg potrf -n 600 --tile-size 60 --workers 1 --json - --trace {}",
            file.display()
        );
        let result = json(mpirun(launcher, 3, &run));
        let trace = tegula(&format!("trace {} --json -", file.display())).succeeded().json();
        for key in ["messages", "bytes_sent", "ranks"] {
            assert_eq!(trace[key], result[key], "{}: {key}", launcher.0);
        }
        let tiles = 10;
        assert_eq!(trace["tasks"], tiles * (tiles + 1) * (tiles + 2) / 6);
        let off = number(&trace, "/clock_uncertainty_seconds");
        let early = number(&trace, "/messages_early_seconds");
        assert!(off > 0.0 && early <= off, "{}: {early} s early of {off} s", launcher.0);
        let words = tegula(&format!("trace {}", file.display())).succeeded().stdout;
        assert!(words.contains("those of ranks agree within"), "{words}");
    });
}

/// As on several hosts, where MPI connects two ranks when one first sends to the other: rank 0
/// waits for the others then, and must see to it that what it has sent leaves.
#[test]
fn ranks_without_shared_memory_meet() {
    under_each("ranks_without_shared_memory_meet", |launcher| {
        let mut command = mpirun(launcher, 4, "linalg potrf -n 100 --workers 1 --check --json -");
        // MPICH keeps its own transports: over TCP alone, UCX may never return from MPI_Finalize.
        command.env("OMPI_MCA_btl", "tcp,self");
        assert_eq!(json(command)["ranks"], 4, "{}", launcher.0);
    });
}

#[test]
fn ranks_of_a_host_share_its_cores() {
    let cores = number(&tegula("info --json -").succeeded().json(), "/workers");
    under_each("ranks_of_a_host_share_its_cores", |launcher| {
        let over = json(mpirun(launcher, 2, "linalg potrf -n 100 --json -"));
        assert_eq!(number(&over, "/workers"), (cores / 2.0).floor().max(1.0), "{}", launcher.0);
    });
}

#[test]
fn a_failure_is_told_once() {
    let folder = folder_with("A.csv", "1,0,0\n0,1,0\n0,0,-1\n");
    let run = format!("linalg potrf --input {} --tile-size 1", folder.join("A.csv").display());
    under_each("a_failure_is_told_once", |launcher| {
        let output = mpirun(launcher, 2, &run).output().expect("the launcher starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert_eq!(errors.matches("leading minor of order 3").count(), 1, "{errors}");
    });
}

#[test]
fn ranks_that_were_started_otherwise_are_noticed() {
    under_each("ranks_that_were_started_otherwise_are_noticed", |launcher| {
        let mut command = mpirun(launcher, 1, "linalg potrf -n 100 --ranks mpi");
        let other = crate::support::command(&root(), "linalg potrf -n 120 --ranks mpi");
        command.args([":", "-n", "1"]).arg(other.get_program()).args(other.get_args());
        let output = command.output().expect("the launcher starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(errors.contains("rank 1 was not started as rank 0"), "{errors}");
    });
}

#[test]
fn wrong_flags_are_told_once() {
    under_each("wrong_flags_are_told_once", |launcher| {
        let output = mpirun(launcher, 3, "linalg potrf --no-such-flag").output();
        let output = output.expect("the launcher starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert_eq!(errors.matches("unexpected argument").count(), 1, "{errors}");
    });
}

/// Kills one of the ranks under way.
fn kill_one(launcher: &Child) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let ranks = descendants(launcher.id());
        let is_rank = |pid: &&u32| {
            std::fs::read_to_string(format!("/proc/{pid}/comm"))
                .is_ok_and(|name| name.trim() == "tegula")
        };
        let mut ranks: Vec<u32> = ranks.iter().filter(is_rank).copied().collect();
        ranks.sort_unstable();
        if ranks.len() == 3 {
            // They have met by then: each works for a minute.
            std::thread::sleep(Duration::from_secs(3));
            let status = Command::new("kill").args(["-9", &ranks[1].to_string()]).status();
            assert!(status.is_ok_and(|status| status.success()));
            return;
        }
        assert!(Instant::now() < deadline, "three ranks did not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Processes below `parent`.
fn descendants(parent: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    children.flat_map(|pid: u32| [vec![pid], descendants(pid)].concat()).collect()
}

#[test]
fn all_end_when_one_is_killed() {
    let run = "linalg potrf -n 1500 --workers 1 --repeat 100000 --quiet";
    under_each("all_end_when_one_is_killed", |launcher| {
        let mut command = mpirun(launcher, 3, run);
        let mut child =
            command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("starts");
        kill_one(&child);
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = child.try_wait().expect("it is a child") {
                break status;
            }
            if Instant::now() > deadline {
                let _ = child.kill();
                panic!("{}: ranks hang after one was killed", launcher.0);
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        assert!(!status.success(), "{}: {status}", launcher.0);
        let mut errors = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut errors).expect("UTF-8");
        // Other launchers end all ranks before they can say anything.
        if launcher.0 == "mpirun.openmpi" {
            assert_eq!(errors.matches("is gone").count(), 1, "{errors}");
        }
    });
}
