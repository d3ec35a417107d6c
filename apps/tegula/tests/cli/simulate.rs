//! `tegula simulate`: makespans that are known, and those of StarPU on SimGrid.

use crate::support::{assert_close, number, tegula};

/// Milliseconds that a Cholesky factorisation of so many tiles of order 960 takes on mirage.
fn cholesky(tiles: usize, flags: &str) -> f64 {
    let command = format!(
        "simulate cholesky --platform mirage --tiles {tiles} --precision s {flags} --json - --quiet"
    );
    1e3 * number(&tegula(&command).succeeded().json(), "/makespan_seconds")
}

/// On one worker the makespan is the sum of the tasks' times, as in SimGrid.
#[test]
fn one_core_takes_the_sum_of_all_tasks() {
    for policy in ["eager", "prio", "lws", "dmdas", "darts", "mhfp", "tessera"] {
        let flags = format!("--cores 1 --devices 0 --policy {policy}");
        // 20 potrf, 190 trsm, 190 syrk, 1140 gemm, in microseconds.
        let sum = 20.0 * 18849.690 + 190.0 * (45646.760 + 43890.100) + 1140.0 * 87780.200;
        assert_close(cholesky(20, &flags), 1e-3 * sum, 1e-9);
    }
}

/// Cores, tiles, and StarPU's makespan in milliseconds under `prio` without costs of the runtime
/// but one microsecond a task; ties are broken differently.
const LISTS: &[(usize, usize, f64)] = &[
    (4, 3, 260.6692),
    (4, 5, 632.4023),
    (4, 10, 3873.7607),
    (4, 20, 29562.0394),
    (12, 3, 260.6692),
    (12, 5, 527.5271),
    (12, 10, 1631.8223),
    (12, 20, 10203.6343),
];

#[test]
fn priority_lists_on_cores_end_as_in_simgrid() {
    for &(cores, tiles, expected) in LISTS {
        let flags = format!("--cores {cores} --devices 0 --policy prio");
        assert_close(cholesky(tiles, &flags), expected, 5e-3);
    }
}

/// One accelerator and no core: the transfers of the first and the last tile are not hidden.
#[test]
fn one_accelerator_adds_what_transfers_cannot_hide() {
    for (tiles, expected) in [(1, 5.9950), (2, 21.3455), (3, 44.0235), (5, 134.5870)] {
        let ours = cholesky(tiles, "--cores 0 --devices 1 --policy dmdas");
        assert_close(ours, expected, 5e-2);
    }
}

#[test]
fn results_repeat_to_the_last_digit_and_noise_does_by_its_seed() {
    let flags = "--policy tessera --noise 0.1 --seed";
    let [first, again, other] = [1, 1, 2].map(|seed| cholesky(8, &format!("{flags} {seed}")));
    assert_eq!(first, again);
    assert!(first != other);
}

#[test]
fn every_program_runs_under_every_policy_in_small_memories() {
    let help = tegula("simulate --help").succeeded().stdout;
    let programs = [
        "cholesky",
        "lu",
        "gemm",
        "gemm-2d",
        "gemm-2d-shuffled",
        "gemm-2d-random",
        "gemm-2d-sparse",
        "gemm-3d",
        "cholesky-set",
    ];
    for program in programs {
        assert!(help.contains(program), "{program} in {help}");
        for policy in tegula_runtime::sched::POLICIES {
            let platform = if program == "lu" { "mirage-lu" } else { "mirage" };
            let command = format!(
                "simulate {program} --platform {platform} --tiles 6 --precision s --cores 0 \
                 --device-memory 60MiB --policy {} --json - --quiet",
                policy.name
            );
            let result = tegula(&command).succeeded().json();
            let makespan = number(&result, "/makespan_seconds");
            assert!(makespan >= number(&result, "/abe_seconds") * (1.0 - 1e-9), "{command}");
            assert!(makespan >= number(&result, "/cpb_seconds") * (1.0 - 1e-9), "{command}");
        }
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    for (flags, words) in [
        ("cholesky --platform mirag --tiles 3", &["mirage"][..]),
        ("cholesky --platform mirage --tiles 0", &["--tiles"]),
        ("cholesky --platform mirage --tiles 3 --cores 0 --devices 0", &["no worker"]),
        ("cholesky --platform mirage --tiles 3 --noise=-1", &["--noise"]),
        ("cholesky --platform mirage --tiles 3 --device-memory lots", &["lots", "8GiB"]),
        ("cholesky --platform mirage --tiles 3 --cores 0 --device-memory 1MiB", &["memory"]),
    ] {
        tegula(&format!("simulate {flags}")).failed(2, words);
    }
}
