//! Machines as files: those that come with the program, what is refused, and writing them again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tegula_kernels::kernel::kernel;
use tegula_kernels::scalar::Precision;
use tegula_plan::platform::{
    Fingerprint, Learnt, LearntFile, Node, PLATFORMS, Platform, PlatformError, read_learnt,
    write_learnt,
};
use tegula_runtime::flow::Cost;
use tegula_runtime::platform::{ClassId, Durations, Entry, Machine, MemoryId, Models};
use tegula_runtime::trace::{Computed, Totals};

/// A machine with a core, an accelerator and a disk.
const SMALL: &str = r#"
name = "small"
source = "made up"
precision = "d"
memory = [
    { name = "RAM", kind = "ram", capacity = "1GiB", installed = "2GiB" },
    { name = "GPU", kind = "device", capacity = 1000 },
    { name = "disk", kind = "disk" },
]
class = [
    { name = "cpu", kind = "cpu", gflops = 2 },
    { name = "gpu", kind = "cuda" },
]

[[link]]
name = "bus"
bytes_per_second = 1e9

[[route]]
from = "RAM"
to = "GPU"
links = ["bus"]
latency_seconds = 1e-6

[[route]]
from = "GPU"
to = "RAM"
links = ["bus"]
latency_seconds = 1e-6

[[route]]
from = "RAM"
to = "disk"
links = ["bus"]
latency_seconds = 0

[[route]]
from = "disk"
to = "RAM"
links = ["bus"]
latency_seconds = 0

[[worker]]
class = "cpu"
memory = "RAM"
count = 2

[[worker]]
class = "gpu"
memory = "GPU"

[[kernel]]
codelet = "gemm"
class = "gpu"
flops = 1000
seconds = 2e-6
samples = 12
deviation = 1e-7

[[kernel]]
codelet = "potrf"
class = "gpu"
never = true

[[kernel]]
codelet = "trsm"
class = "gpu"
gflops = 4
gbytes_per_second = 2
overhead_seconds = 1e-6
"#;

fn small() -> Platform {
    Platform::parse(SMALL, "small.toml").expect("the file is right")
}

fn find(name: &str) -> Platform {
    Platform::find(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts that two platforms say the same.
fn assert_same(a: &Platform, b: &Platform) {
    assert_eq!((&a.name, &a.source, a.precision), (&b.name, &b.source, b.precision));
    assert_eq!((&a.machine, &a.power), (&b.machine, &b.power));
    assert_eq!(a.ram_bytes, b.ram_bytes);
    for class in (0..a.machine.classes.len()).map(ClassId) {
        assert_eq!(a.models.guess_of(class), b.models.guess_of(class));
    }
    let (a, b) = (a.models.entries(), b.models.entries());
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        let close = |x: f64, y: f64| (x - y).abs() <= 2e-9 * x.abs();
        assert!(close(a.seconds, b.seconds) && close(a.deviation, b.deviation), "{a:?} and {b:?}");
        let times = |entry: &Entry| Entry { seconds: 0.0, deviation: 0.0, ..entry.clone() };
        assert_eq!(times(a), times(b));
    }
}

#[test]
fn every_file_is_listed_under_its_name_and_can_be_written_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("platforms");
    let files = fs::read_dir(folder).expect("the folder of platforms");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"));
    let files: BTreeSet<String> = names.collect();
    let listed = PLATFORMS.iter().map(|listed| format!("{}.toml", listed.name)).collect();
    assert_eq!(files, listed);
    for listed in PLATFORMS {
        let platform = find(listed.name);
        platform.machine.check();
        assert_eq!(platform.name, listed.name);
        assert!(platform.source.len() > 40, "{} names no source", listed.name);
        let again = Platform::parse(&platform.to_toml(), "again").expect("what was written");
        assert_same(&platform, &again);
        let node = Node::find(listed.name).unwrap_or_else(|error| panic!("{error}"));
        let again = Node::parse(&node.to_toml(), "again").expect("what was written");
        assert_same(&node.platform, &again.platform);
        assert_eq!(node.network, again.network);
    }
}

#[test]
fn what_is_written_is_read_again() {
    let platform = small();
    let again = Platform::parse(&platform.to_toml(), "again").expect("what was written");
    assert_same(&platform, &again);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.toml");
    platform.write(&path).expect("the file can be written");
    assert_same(&platform, &Platform::find(path.to_str().expect("UTF-8")).expect("the file"));
}

#[test]
fn a_file_gives_workers_memories_and_times() {
    let Platform { precision, machine, models, .. } = small();
    assert_eq!(precision, Some(Precision::Double));
    machine.check();
    let names: Vec<&str> = machine.workers.iter().map(|worker| worker.name.as_str()).collect();
    assert_eq!(names, ["CPU 0", "CPU 1", "GPU 0"]);
    let pipelines: Vec<usize> = machine.workers.iter().map(|worker| worker.pipeline).collect();
    assert_eq!(pipelines, [1, 1, 5]);
    assert_eq!(machine.memories[0].capacity, Some(1 << 30));
    assert_eq!(machine.transfer_nanoseconds(MemoryId(1), MemoryId(0), 1000), 2000);
    let cost = Cost { flops: 1000.0, bytes: 0.0 };
    assert_eq!(models.nanoseconds("gemm", cost, ClassId(1)), Some(2000));
    assert_eq!(models.nanoseconds("gemm", cost, ClassId(0)), Some(500));
    assert_eq!(models.nanoseconds("potrf", cost, ClassId(1)), None);
    let both = Cost { flops: 1000.0, bytes: 300.0 };
    assert_eq!(models.nanoseconds("trsm", both, ClassId(1)), Some(1000 + 250 + 150));
}

/// Power of the small machine.
const POWER: &str = r#"
power = [
    { watts = 50 },
    { class = "cpu", watts = 10 },
    { class = "cpu", codelet = "gemm", watts = 12.5 },
]
precision = "d""#;

#[test]
fn energies_are_powers_by_times() {
    let text = SMALL.replacen("precision = \"d\"", POWER, 1);
    let platform = Platform::parse(&text, "small.toml").expect("the file is right");
    let power = platform.power.as_ref().expect("its lines");
    assert_eq!((power.watts("gemm", "cpu"), power.watts("potrf", "cpu")), (12.5, 10.0));
    assert_eq!(power.watts("gemm", "gpu"), 0.0);
    let of = |codelet, class, nanoseconds| Computed { codelet, class, nanoseconds };
    let computed =
        vec![of("gemm", 0, 2_000_000_000), of("potrf", 0, 1_000_000_000), of("gemm", 1, 7)];
    let totals = Totals { computed, ..Totals::default() };
    let joules = power.joules(&platform.machine, &totals, 3.0);
    assert!((joules - (150.0 + 25.0 + 10.0)).abs() < 1e-12, "{joules}");
    assert_same(&platform, &Platform::parse(&platform.to_toml(), "again").expect("as written"));
    let cases = [
        ("watts = 50", "watts = -1", "watts is -1.0; give a number from 0.0"),
        ("    { watts = 50 },\n", "", "power: give the watts of the idle node, too"),
        ("class = \"cpu\", watts", "class = \"cup\", watts", "did you mean 'cpu'"),
        ("class = \"cpu\", codelet", "codelet", "codelet 'gemm': say on which class"),
        ("class = \"cpu\", watts", "watts", "watts: they stood before"),
    ];
    for (old, new, words) in cases {
        let message = refused(&text.replacen(old, new, 1));
        assert!(message.contains(words), "{words} in {message}");
    }
}

#[test]
fn times_stand_under_the_flops_of_our_kernels() {
    let cases = [
        ("mirage", "potrf", 960, 1, 5366.74),
        ("mirage", "trsm", 320, 0, 1868.713),
        ("mirage", "syrk", 640, 3, 442.947),
        ("mirage", "gemm", 960, 0, 87780.2),
        ("mirage-lu", "getrf_nopiv", 960, 2, 58659.63),
        ("mirage-lu", "trsm", 960, 0, (51185.32 + 45455.01) / 2.0),
        ("mirage-lu", "gemm", 320, 1, 191.193),
        ("chifflet", "potrf", 960, 0, 14490.0),
        ("chifflet", "getrf_nopiv", 960, 0, 28980.0),
        ("chifflet", "trsm", 960, 1, 4780.0),
        ("chifflet", "syrk", 960, 0, 39700.0),
        ("chifflot", "gemm", 960, 1, 475.0),
    ];
    for (name, codelet, n, class, microseconds) in cases {
        let cost = (kernel(codelet).expect("a listed kernel").single.cost)(n);
        let platform = find(name);
        let known = platform.models.entries();
        let is_exact =
            known.iter().any(|e| e.codelet == codelet && e.flops as f64 == cost.flops.round());
        assert!(is_exact, "{name} has no {codelet} of {} flops", cost.flops);
        let time = platform.models.nanoseconds(codelet, cost, ClassId(class));
        assert_eq!(time, Some(f64::round(1e3 * microseconds) as u64), "{name} {codelet} {n}");
    }
}

#[test]
fn one_core_of_mirage_takes_as_long_as_in_its_own_simulator() {
    // Cholesky of 20 x 20 tiles of 960 on one core, as StarPU simulates it on SimGrid: 117459.9652
    // milliseconds, of which one microsecond for each of the 1540 tasks is not that of kernels.
    let models = find("mirage").models;
    let counts = [("potrf", 20), ("trsm", 190), ("syrk", 190), ("gemm", 1140)];
    let total = counts.iter().map(|&(codelet, count)| {
        let cost = (kernel(codelet).expect("a listed kernel").single.cost)(960);
        count * models.nanoseconds(codelet, cost, ClassId(0)).expect("a time")
    });
    let (total, expected): (u64, u64) = (total.sum(), 117_459_965_200 - 1540 * 1000);
    assert!(total.abs_diff(expected) < 1000, "{total} and {expected} nanoseconds");
}

#[test]
fn transfers_of_mirage_share_the_host_link() {
    let machine = find("mirage").machine;
    assert_eq!((machine.workers.len(), machine.memories.len()), (12, 4));
    let host = machine.links.iter().position(|link| link.name == "host").expect("the host link");
    let mut routes = machine.routes.iter().flatten();
    assert!(routes.all(|route| route.links.contains(&host) && route.links.len() == 2));
    // 3686400 bytes at 6030.997 MB/s, and 9.836 microseconds.
    let time = machine.transfer_nanoseconds(MemoryId(0), MemoryId(1), 3_686_400);
    assert!(time.abs_diff(621_079) < 10, "{time}");
}

/// The message for `text`.
fn refused(text: &str) -> String {
    match Platform::parse(text, "small.toml") {
        Err(error @ PlatformError::Invalid { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A network on which nothing moves.
const NETWORK: &str = r#"network = { site = "here", bytes_per_second = 0, latency_seconds = 0 }"#;

#[test]
fn what_is_wrong_is_named_with_its_line_and_field() {
    let cases = [
        ("count = 2", "cuont = 2", 46, "unknown field `cuont`"),
        ("count = 2", "count = 2000000000", 43, "count is 2000000000; give a whole number from 1"),
        ("count = 2", "pipeline = 0", 43, "pipeline is 0; give a whole number from 1 to 1000"),
        ("gflops = 2", "gflops = 1e-30", 11, "gflops is 1e-30; give a number from 1e-6"),
        ("precision = \"d\"", NETWORK, 4, "bytes_per_second is 0.0; give a number from 1.0"),
        ("precision = \"d\"", "precision = \"q\"", 4, "precision: unknown variant"),
        ("= 1e9", "= \"fast\"", 17, "bytes_per_second: invalid type"),
        ("= 1e9", "= -1", 15, "bytes_per_second is -1.0; give a number from 1.0 to 1e18"),
        ("kind = \"disk\"", "kind = \"disk\", installed = 5", 8, "installed: is for the memory"),
        ("\"2GiB\"", "0", 6, "installed is 0; give bytes"),
        ("\"1GiB\"", "\"1GB\"", 6, "capacity: '1GB' is no number of bytes"),
        ("\"gpu\"\nmemory", "\"gup\"\nmemory", 48, "did you mean 'gpu'"),
        ("links = [\"bus\"]", "links = [\"busses\"]", 19, "links: there is no 'busses'"),
        ("seconds = 2e-6", "", 52, "needs flops and seconds"),
        ("never = true", "never = true\nflops = 1", 60, "never: what cannot run"),
        ("gflops = 4", "gflops = 4\nseconds = 1", 65, "gflops: give a formula or the time"),
        ("gflops = 4", "", 65, "a formula needs gflops"),
        ("overhead_seconds = 1e-6", "overhead_seconds = -1", 65, "overhead_seconds is -1.0; give"),
        ("\"gpu\"\nmemory", "\"cpu\"\nmemory", 48, "memory: all workers of a class"),
        ("to = \"RAM\"", "to = \"disk\"", 7, "GPU: give a route from it to RAM"),
        ("from = \"GPU\"", "from = \"disk\"", 37, "route from disk to RAM: give one route"),
        ("kind = \"disk\"", "kind = \"disk\", capacity = 5", 8, "capacity: what fits nowhere else"),
        ("kind = \"disk\"", "kind = \"ram\"", 8, "kind: the first memory, and no other"),
    ];
    for (old, new, line, words) in cases {
        let message = refused(&SMALL.replacen(old, new, 1));
        assert!(message.contains(words), "{words} in {message}");
        let place = message.strip_prefix("small.toml, line ").expect("a place");
        let found: usize = place.split(':').next().and_then(|l| l.parse().ok()).expect("a line");
        assert_eq!(found, line, "{message}");
    }
}

#[test]
fn unknown_names_are_answered_with_those_that_there_are() {
    let error = Platform::find("mirgae").expect_err("no such platform").to_string();
    assert!(error.contains("did you mean 'mirage'") && error.contains("gemini-v100-4"), "{error}");
    let error = Platform::find("missing.toml").expect_err("no such file").to_string();
    assert!(error.contains("cannot read the platform missing.toml"), "{error}");
}

fn fingerprint() -> Fingerprint {
    let [processor, blas, version] = ["A \"fast\" one", "native", "0.1.0"].map(str::to_owned);
    Fingerprint { processor, cores: 4, blas, version }
}

#[test]
fn what_was_learnt_is_used_where_it_was_learnt() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(fingerprint().file_name());
    let read = |here: &Fingerprint| read_learnt(&path, here).expect("a file that can be read");
    assert_eq!(read(&fingerprint()), Learnt::Nothing);
    let models = Models::new(&Machine::cores(1));
    (1..=12).for_each(|time| {
        models.record("gemm", Cost { flops: 1e6, bytes: 96.0 }, ClassId(0), 1000 * time);
    });
    models.enter(&Entry::never("gemm", "gpu"));
    write_learnt(&path, &fingerprint(), &models.entries()).expect("the file can be written");
    let Learnt::Entries(entries) = read(&fingerprint()) else { panic!("not its own") };
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].samples, entries[0].bytes), (Some(12), 96));
    let file = LearntFile::read(&path).expect("a file that can be read").expect("learnt times");
    assert_eq!((file.place, file.entries), (fingerprint(), entries));
    let error = Platform::read(&path).expect_err("no machine").to_string();
    assert!(error.contains("line 1: these are times that runs have learnt"), "{error}");
    let other = folder.path().join("small.toml");
    fs::write(&other, SMALL).expect("a file");
    assert_eq!(LearntFile::read(&other).expect("a file that can be read"), None);
    let newer = Fingerprint { version: "0.2.0".to_owned(), ..fingerprint() };
    assert_eq!(newer.file_name(), fingerprint().file_name());
    let Learnt::Foreign(why) = read(&newer) else { panic!("used by another version") };
    assert!(why.contains("version 0.1.0, not 0.2.0"), "{why}");
    let larger = Fingerprint { cores: 8, ..fingerprint() };
    assert_ne!(larger.file_name(), fingerprint().file_name());
    assert!(matches!(read(&larger), Learnt::Foreign(why) if why.contains("cores 4, not 8")));
}
