//! `tegula exageostat variogram` against gstat, and what is refused.

use serde_json::Value;

use crate::support::{assert_close, column, folder, folder_with, number, tegula, tegula_in};

const DATA: &str = "exageostat variogram data/samples/e_sub140.csv";

/// Runs `variogram` on the sample of 140 places, and asserts that its bins are these.
#[track_caller]
fn check(flags: &str, expected: &[(u32, f64, f64)]) {
    let result = tegula(&format!("{DATA} {flags} --json -")).succeeded().json();
    let bins = result["bins"].as_array().expect("bins");
    assert_eq!(bins.len(), expected.len(), "{flags}");
    for (bin, &(pairs, distance, semivariance)) in bins.iter().zip(expected) {
        assert_eq!(bin["pairs"], Value::from(pairs), "{flags}");
        assert_close(number(bin, "/distance"), distance, 1e-12);
        assert_close(number(bin, "/semivariance"), semivariance, 1e-12);
    }
}

/// The answers are those of gstat 2.1-0, printed with 15 digits:
///
/// ```r
/// d <- read.csv("data/samples/e_sub140.csv"); coordinates(d) <- ~x+y
/// variogram(z~1, d)
/// variogram(z~x+y, d, cutoff=0.5, width=0.1)
/// variogram(z~1, d, cressie=TRUE, cutoff=0.5, width=0.1)
/// variogram(z~1, d, alpha=30, tol.hor=22.5, cutoff=0.5, width=0.1)
/// variogram(z~1, d, cutoff=0.5, width=0.15)
/// ```
#[test]
fn bins_are_those_of_gstat() {
    check(
        "",
        &[
            (8, 0.0251655989783546, 0.422877393722663),
            (53, 0.0466970607233493, 0.282684810341888),
            (116, 0.0789896432024166, 0.643028526676514),
            (182, 0.109047842846696, 0.75308819547605),
            (221, 0.13840975275336, 0.716890018400648),
            (259, 0.16997660136216, 0.811713572837128),
            (315, 0.201253352603831, 0.845425402177247),
            (366, 0.23232635130688, 0.78832101218271),
            (308, 0.262234804942983, 0.716513257318021),
            (359, 0.293843925047207, 0.866101351747288),
            (424, 0.32450566863888, 0.877094495759706),
            (389, 0.354707179975535, 0.971572582227634),
            (409, 0.386114539769287, 0.85873591433907),
            (439, 0.41641707531031, 1.01304663941564),
            (418, 0.447774721591127, 0.956071567230302),
        ],
    );
    check(
        "--mean x+y --cutoff 0.5 --width 0.1",
        &[
            (215, 0.0721972613419355, 0.551823746206243),
            (767, 0.154301808963254, 0.7873857121494),
            (1093, 0.24975795116952, 0.79163497067782),
            (1319, 0.349968755621698, 0.882603149366465),
            (1374, 0.449397835518366, 0.956135827910886),
        ],
    );
    check(
        "--cressie --cutoff 0.5 --bins 5",
        &[
            (215, 0.0721972613419355, 0.571760670797638),
            (767, 0.154301808963254, 0.730174582152755),
            (1093, 0.24975795116952, 0.795665152113371),
            (1319, 0.349968755621698, 0.900588475560391),
            (1374, 0.449397835518366, 0.900172805018538),
        ],
    );
    check(
        "--direction 30 --cutoff 0.5 --width 0.1",
        &[
            (47, 0.0698707507903518, 0.365709135130184),
            (211, 0.153890892805849, 0.808187494982927),
            (252, 0.251603326807393, 0.61541305275434),
            (317, 0.350782042927346, 0.709606489312755),
            (325, 0.447578912394018, 0.81123081707613),
        ],
    );
    check(
        "--cutoff 0.5 --width 0.15",
        &[
            (551, 0.10500563978572, 0.672904902523213),
            (1524, 0.229002120583783, 0.803201073964798),
            (2014, 0.375748123341054, 0.922381163490337),
            (679, 0.474704998907761, 0.955246454856887),
        ],
    );
}

#[test]
fn bins_are_written_as_a_table_and_large_data_are_sampled() {
    let folder = folder();
    let data = crate::support::root().join("data/samples/a_synth1600.csv");
    let command = format!("exageostat variogram {} -o bins.csv --json b.json", data.display());
    tegula_in(&folder, &command).succeeded();
    let pairs = column(&folder.join("bins.csv"), "pairs");
    assert_eq!((pairs.len(), column(&folder.join("bins.csv"), "semivariance").len()), (15, 15));
    let sampled = tegula_in(&folder, &format!("{command} --sample 400 --seed 3")).succeeded();
    assert!(sampled.stdout.contains("400 of the 1600 observations"), "{}", sampled.stdout);
    let fewer = column(&folder.join("bins.csv"), "pairs");
    let [all, some] = [&pairs, &fewer].map(|pairs| pairs.iter().sum::<f64>());
    // A sixteenth of the pairs, a few per cent up or down.
    assert!((some / all - 1.0 / 16.0).abs() < 0.01, "{some} of {all}");
}

#[test]
fn what_makes_no_variogram_is_refused() {
    for (flags, words) in [
        ("--cutoff -1", ["--cutoff", "above 0"]),
        ("--width nan", ["--width", "above 0"]),
        ("--tolerance 0 --direction 3", ["--tolerance", "at most 90"]),
        ("--cutoff 1e-9", ["e_sub140.csv", "larger cutoff"]),
        ("--width 1e-12", ["--width", "million"]),
        ("--bins 3 --width 0.1", ["--bins", "--width"]),
    ] {
        tegula(&format!("{DATA} {flags}")).failed(2, &words);
    }
    let folder = folder_with("one.csv", "x,y,z\n1,1,2\n1,1,3\n");
    tegula_in(&folder, "exageostat variogram one.csv")
        .failed(2, &["one.csv", "all places are the same"]);
    let folder = folder_with("sphere.csv", "lon,lat,z\n1,1,2\n1,2,3\n3,3,3\n");
    tegula_in(&folder, "exageostat variogram sphere.csv --direction 0")
        .failed(2, &["--direction", "plane"]);
}

/// Transformed values have the variogram of the expression; those of which a fit finds more have
/// none.
#[test]
fn values_are_transformed_first() {
    let rows: String = (0..40)
        .map(|i| format!("{},{},{}\n", i % 7, i * i % 11, 1.5 + f64::from(i * 5 % 13)))
        .collect();
    let place = folder_with("data.csv", &format!("x,y,z\n{rows}"));
    let bins = |flags: &str| {
        let command = format!("exageostat variogram data.csv {flags} --json - -q");
        tegula_in(&place, &command).succeeded().json()["bins"].clone()
    };
    for (transform, expression) in [
        ("none", "z"),
        ("log", "log(z)"),
        ("sqrt", "sqrt(z)"),
        ("box-cox:0", "log(z)"),
        ("box-cox:-0.5", "(z^(-0.5)-1)/(-0.5)"),
    ] {
        let (got, expected) =
            (bins(&format!("--transform {transform}")), bins(&format!("--values {expression}")));
        let (got, expected) = (got.as_array().expect("bins"), expected.as_array().expect("bins"));
        assert!(!got.is_empty() && got.len() == expected.len(), "{transform}");
        for (got, expected) in got.iter().zip(expected) {
            assert_close(number(got, "/semivariance"), number(expected, "/semivariance"), 1e-12);
        }
    }
    for (transform, words) in [("box-cox", "box-cox:LAMBDA"), ("tukey-gh:0:0", "tukey-gh")] {
        let command = format!("exageostat variogram data.csv --transform {transform}");
        tegula_in(&place, &command).failed(2, &[words]);
    }
}
