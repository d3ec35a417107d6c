//! The platforms that come with the program.

/// A platform that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct PlatformEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is, and what its times are of.
    pub summary: &'static str,
    /// Its description, in TOML.
    pub text: &'static str,
}

/// The platforms that come with the program, from `plan/platforms`.
pub static PLATFORMS: &[PlatformEntry] = &[
    PlatformEntry {
        name: "mirage",
        summary: "9 cores and 3 Tesla M2070; measured times of Cholesky",
        text: include_str!("../../platforms/mirage.toml"),
    },
    PlatformEntry {
        name: "mirage-lu",
        summary: "the same; measured times of LU",
        text: include_str!("../../platforms/mirage-lu.toml"),
    },
    PlatformEntry {
        name: "mirage-d",
        summary: "the same in double precision, for compositions; assumed times",
        text: include_str!("../../platforms/mirage-d.toml"),
    },
    PlatformEntry {
        name: "riri-d",
        summary: "40 cores on 4 sockets, each with memory of its own; assumed times",
        text: include_str!("../../platforms/riri-d.toml"),
    },
    PlatformEntry {
        name: "ares-d",
        summary: "64 cores on 4 sockets, likewise",
        text: include_str!("../../platforms/ares-d.toml"),
    },
    PlatformEntry {
        name: "gemini-v100-1",
        summary: "one of the 8 Tesla V100 of gemini-1; assumed times",
        text: include_str!("../../platforms/gemini-v100-1.toml"),
    },
    PlatformEntry {
        name: "gemini-v100-2",
        summary: "two of them, under one switch; assumed times",
        text: include_str!("../../platforms/gemini-v100-2.toml"),
    },
    PlatformEntry {
        name: "gemini-v100-4",
        summary: "the four of one NUMA node; assumed times",
        text: include_str!("../../platforms/gemini-v100-4.toml"),
    },
    PlatformEntry {
        name: "gemini-v100-8",
        summary: "all eight, on two NUMA nodes; assumed times",
        text: include_str!("../../platforms/gemini-v100-8.toml"),
    },
    PlatformEntry {
        name: "neowise",
        summary: "48 cores, Grid'5000; assumed times",
        text: include_str!("../../platforms/neowise.toml"),
    },
    PlatformEntry {
        name: "chetemi",
        summary: "18 cores, Grid'5000; times derived from those of chifflet",
        text: include_str!("../../platforms/chetemi.toml"),
    },
    PlatformEntry {
        name: "chifflet",
        summary: "24 cores and 2 GTX 1080, Grid'5000; printed and derived times",
        text: include_str!("../../platforms/chifflet.toml"),
    },
    PlatformEntry {
        name: "chifflot",
        summary: "20 cores and 2 Tesla P100, Grid'5000; printed and derived times",
        text: include_str!("../../platforms/chifflot.toml"),
    },
    PlatformEntry {
        name: "chifflot-v100",
        summary: "the same with 2 Tesla V100; derived times",
        text: include_str!("../../platforms/chifflot-v100.toml"),
    },
    PlatformEntry {
        name: "chiclet",
        summary: "30 cores, Grid'5000; derived times",
        text: include_str!("../../platforms/chiclet.toml"),
    },
    PlatformEntry {
        name: "troll",
        summary: "30 cores, Grid'5000, of no known network; derived times",
        text: include_str!("../../platforms/troll.toml"),
    },
    PlatformEntry {
        name: "hype",
        summary: "14 cores and the 4 devices of 2 Tesla K80, PCAD; derived times",
        text: include_str!("../../platforms/hype.toml"),
    },
    PlatformEntry {
        name: "tupi",
        summary: "4 cores and 2 GTX 1080, PCAD; derived times",
        text: include_str!("../../platforms/tupi.toml"),
    },
    PlatformEntry {
        name: "b715",
        summary: "22 cores, SDumont; derived times",
        text: include_str!("../../platforms/b715.toml"),
    },
    PlatformEntry {
        name: "b715-gpu",
        summary: "20 cores and 2 Tesla K40, SDumont; derived times",
        text: include_str!("../../platforms/b715-gpu.toml"),
    },
    PlatformEntry {
        name: "b715-gpu-1",
        summary: "the same with one of them, and 21 cores; derived times",
        text: include_str!("../../platforms/b715-gpu-1.toml"),
    },
];
