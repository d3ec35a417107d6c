//! A cluster: equal nodes, each with a link of its own to the file system.

use std::fmt;

/// Equal nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// How many.
    pub nodes: u32,
    /// Cores of each.
    pub cores: u32,
    /// Memory of each, in gigabytes.
    pub memory_gb: f64,
    /// Rate of the link of each to the file system, in gigabytes per second.
    pub bandwidth: f64,
    /// Rate of the file system itself, if all links together are faster.
    pub shared: Option<f64>,
}

/// Most nodes, and most cores of a node, that a description may have.
const MOST: u32 = 1 << 20;

impl Default for Cluster {
    /// The 486 nodes of the experiments of M. Gonthier's thesis, chapter 6.
    fn default() -> Self {
        Self { nodes: 486, cores: 20, memory_gb: 128.0, bandwidth: 0.1, shared: None }
    }
}

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, cores, memory_gb, bandwidth, shared } = self;
        write!(f, "{nodes}x{cores}x{memory_gb}GB:{bandwidth}GB/s")?;
        shared.map_or(Ok(()), |shared| write!(f, ":{shared}GB/s"))
    }
}

impl Cluster {
    /// All cores.
    #[must_use]
    pub fn all_cores(&self) -> u64 {
        u64::from(self.nodes) * u64::from(self.cores)
    }

    /// Gigabytes of a core's share of the memory.
    #[must_use]
    pub fn share_gb(&self) -> f64 {
        self.memory_gb / f64::from(self.cores)
    }

    /// Reads `NODESxCORESxMEMORYGB:RATEGB/s[:RATEGB/s]`, as [`Cluster`] is written.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is not NODESxCORESxMEMORY:RATE[:RATE of the file system], such as 486x20x128GB:0.1GB/s"
            )
        };
        let number = |text: Option<&str>, unit: &str| -> Option<f64> {
            let text = text?.trim();
            text.strip_suffix(unit).unwrap_or(text).trim().parse().ok()
        };
        let mut parts = text.split(':');
        let mut sizes = parts.next().unwrap_or("").split('x');
        let whole = |text: Option<&str>| text?.trim().parse::<u32>().ok();
        let (nodes, cores) = (whole(sizes.next()), whole(sizes.next()));
        let memory = number(sizes.next(), "GB");
        let bandwidth = number(parts.next(), "GB/s");
        let shared = match parts.next() {
            None => None,
            Some(text) => Some(number(Some(text), "GB/s").ok_or_else(wrong)?),
        };
        let is_whole = sizes.next().is_none() && parts.next().is_none();
        if !is_whole {
            return Err(wrong());
        }
        let (Some(nodes), Some(cores), Some(memory_gb), Some(bandwidth)) =
            (nodes, cores, memory, bandwidth)
        else {
            return Err(wrong());
        };
        Self { nodes, cores, memory_gb, bandwidth, shared }.checked()
    }

    /// Reads the object of a `cluster.json`: `nodes, cores_per_node, memory_gb,
    /// bandwidth_gb_per_s`, and `file_system_gb_per_s` and `begin` if they are there.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn from_json(text: &str) -> Result<(Self, Option<i64>), String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let number = |name: &str| -> Result<f64, String> {
            value[name].as_f64().ok_or_else(|| format!("no number \"{name}\""))
        };
        let whole = |name: &str| -> Result<u32, String> {
            let found = number(name)?;
            if found.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&found) {
                return Err(format!("\"{name}\" is {found}, not a whole number"));
            }
            Ok(found as u32)
        };
        let cluster = Self {
            nodes: whole("nodes")?,
            cores: whole("cores_per_node")?,
            memory_gb: number("memory_gb")?,
            bandwidth: number("bandwidth_gb_per_s")?,
            shared: match value["file_system_gb_per_s"].is_null() {
                true => None,
                false => Some(number("file_system_gb_per_s")?),
            },
        };
        Ok((cluster.checked()?, value["begin"].as_i64()))
    }

    /// It as the object of a `cluster.json`, with when the clock begins.
    #[must_use]
    pub fn to_json(&self, begin: i64) -> serde_json::Value {
        serde_json::json!({
            "nodes": self.nodes,
            "cores_per_node": self.cores,
            "memory_gb": self.memory_gb,
            "bandwidth_gb_per_s": self.bandwidth,
            "file_system_gb_per_s": self.shared,
            "begin": begin,
        })
    }

    fn checked(self) -> Result<Self, String> {
        let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
        if self.nodes == 0 || self.cores == 0 || self.nodes > MOST || self.cores > 1 << 15 {
            return Err(format!(
                "{} nodes of {} cores: at least 1 of each, at most {MOST} nodes of \
                 32768 cores",
                self.nodes, self.cores
            ));
        }
        let rates = [Some(self.memory_gb), Some(self.bandwidth), self.shared];
        if !rates.into_iter().flatten().all(is_rate) {
            return Err("memory and rates are above 0".to_owned());
        }
        Ok(self)
    }
}
