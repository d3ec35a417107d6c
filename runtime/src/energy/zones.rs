//! The zones of Linux's power capping: of each processor a package, and within it what it is made
//! of (Documentation/power/powercap in the kernel's sources).

use std::fs::{read_dir, read_to_string};
use std::io;
use std::path::{Path, PathBuf};

/// How the folder of a processor's zone begins, a number behind it. Others, such as
/// `intel-rapl-mmio:0`, count the same again.
const PACKAGES: &str = "intel-rapl:";

/// A counter of microjoules.
#[derive(Debug)]
pub(super) struct Zone {
    name: String,
    file: PathBuf,
    /// After so many it begins anew; 0, if that is not known.
    range: u64,
    last: u64,
    counted: u64,
}

/// The packages in the folder `zones` and their memories: a package counts its cores, and not its
/// memory. None where there is no such folder.
///
/// # Errors
/// The first counter that cannot be read.
pub(super) fn find(zones: &Path) -> Result<Vec<Zone>, (PathBuf, io::Error)> {
    let mut found = Vec::new();
    for package in folders(zones) {
        let Some(name) = name(&package).filter(|name| name.starts_with("package")) else {
            continue;
        };
        found.push(Zone::open(name.clone(), &package)?);
        for part in folders(&package) {
            if self::name(&part).as_deref() == Some("dram") {
                found.push(Zone::open(format!("{name} dram"), &part)?);
            }
        }
    }
    Ok(found)
}

/// The folders of zones in `folder`, in order.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = read_dir(folder).into_iter().flatten().flatten();
    let zones = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PACKAGES));
    let mut zones: Vec<PathBuf> = zones.map(|entry| entry.path()).collect();
    zones.sort();
    zones
}

/// What the zone in `folder` calls itself.
fn name(folder: &Path) -> Option<String> {
    Some(read_to_string(folder.join("name")).ok()?.trim().to_owned())
}

/// The number in `file`.
fn number(file: &Path) -> io::Result<u64> {
    let text = read_to_string(file)?;
    text.trim().parse().map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "no number"))
}

impl Zone {
    fn open(name: String, folder: &Path) -> Result<Self, (PathBuf, io::Error)> {
        let file = folder.join("energy_uj");
        let range = number(&folder.join("max_energy_range_uj")).unwrap_or(0);
        match number(&file) {
            Ok(last) => Ok(Self { name, file, range, last, counted: 0 }),
            Err(error) => Err((file, error)),
        }
    }

    /// Takes in what it has counted since it was last read.
    pub(super) fn read(&mut self) {
        // A file that cannot be read any more counts nothing.
        let Ok(now) = number(&self.file) else { return };
        let more = now
            .checked_sub(self.last)
            .unwrap_or_else(|| self.range.saturating_sub(self.last).saturating_add(now));
        self.counted = self.counted.saturating_add(more);
        self.last = now;
    }

    /// Its name, and the joules that it has counted.
    pub(super) fn part(&self) -> (String, f64) {
        (self.name.clone(), 1e-6 * self.counted as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, remove_dir_all, remove_file, write};

    use super::*;

    /// Zones as Linux shows them, each with microjoules.
    fn machine(test: &str, zones: &[(&str, &str, u64)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tegula-{test}-{}", std::process::id()));
        for (place, name, microjoules) in zones {
            let zone = folder.join(place);
            create_dir_all(&zone).expect("there is room");
            write(zone.join("name"), format!("{name}\n")).expect("it is written");
            write(zone.join("energy_uj"), format!("{microjoules}\n")).expect("it is written");
            write(zone.join("max_energy_range_uj"), "1000000\n").expect("it is written");
        }
        folder
    }

    #[test]
    fn packages_and_their_memories_count_and_nothing_twice() {
        let folder = machine(
            "zones",
            &[
                ("intel-rapl:0", "package-0", 100),
                ("intel-rapl:0/intel-rapl:0:0", "core", 50),
                ("intel-rapl:0/intel-rapl:0:1", "dram", 999_000),
                ("intel-rapl:1", "package-1", 300),
                ("intel-rapl:2", "psys", 500),
                ("intel-rapl-mmio:0", "package-0", 100),
                ("dtpm", "none", 1),
            ],
        );
        let mut zones = find(&folder).expect("they can be read");
        let set = |place: &str, microjoules: u64| {
            write(folder.join(place).join("energy_uj"), microjoules.to_string()).expect("written");
        };
        set("intel-rapl:0", 500_100);
        // It has begun anew.
        set("intel-rapl:0/intel-rapl:0:1", 4_000);
        zones.iter_mut().for_each(Zone::read);
        set("intel-rapl:0", 600_100);
        remove_file(folder.join("intel-rapl:1/energy_uj")).expect("it is there");
        zones.iter_mut().for_each(Zone::read);
        let parts: Vec<(String, f64)> = zones.iter().map(Zone::part).collect();
        let expected = [("package-0", 0.6), ("package-0 dram", 0.005), ("package-1", 0.0)];
        assert_eq!(parts.len(), expected.len(), "{parts:?}");
        for ((name, joules), (expected_name, expected)) in parts.iter().zip(expected) {
            assert_eq!(name, expected_name);
            assert!((joules - expected).abs() < 1e-9, "{name}: {joules} beside {expected}");
        }
        remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn what_cannot_be_read_is_named_and_a_machine_without_zones_has_none() {
        let folder = machine("no-zones", &[("intel-rapl:0", "package-0", 1)]);
        write(folder.join("intel-rapl:0/energy_uj"), "much\n").expect("it is written");
        let (file, error) = find(&folder).expect_err("it is no number");
        assert_eq!(
            (file, error.to_string()),
            (folder.join("intel-rapl:0/energy_uj"), "no number".to_owned())
        );
        assert!(find(&folder.join("nowhere")).expect("there is none").is_empty());
        remove_dir_all(&folder).expect("it is ours");
    }
}
