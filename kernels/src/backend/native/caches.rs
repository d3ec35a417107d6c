//! Sizes of this processor's own caches, from the `cpuid` leaf of deterministic cache parameters
//! where there is one.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// Bytes of the caches of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// The first cache, for data.
    pub(super) first: usize,
    /// The second cache.
    pub(super) second: usize,
}

/// What is assumed of a processor that does not tell.
const USUAL: Sizes = Sizes { first: 32 << 10, second: 512 << 10 };

/// The sizes, asked for once.
pub(super) fn sizes() -> Sizes {
    static SIZES: OnceLock<Sizes> = OnceLock::new();
    // Intel's leaf and AMD's, of one format.
    *SIZES.get_or_init(|| [0x4, 0x8000_001d].into_iter().find_map(told).unwrap_or(USUAL))
}

/// Nothing: other processors tell the system alone.
#[cfg(not(target_arch = "x86_64"))]
fn told(_: u32) -> Option<Sizes> {
    None
}

/// What `leaf` tells, if it tells of both caches.
#[cfg(target_arch = "x86_64")]
fn told(leaf: u32) -> Option<Sizes> {
    if __cpuid_count(leaf & 0x8000_0000, 0).eax < leaf {
        return None;
    }
    let (mut first, mut second) = (None, None);
    for index in 0..16 {
        let answer = __cpuid_count(leaf, index);
        let (kind, level) = (answer.eax & 0x1f, answer.eax >> 5 & 0x7);
        let field = |from: u32, bits: u32| (answer.ebx >> from & ((1 << bits) - 1)) as usize + 1;
        let bytes = field(22, 10) * field(12, 10) * field(0, 12) * (answer.ecx as usize + 1);
        match (kind, level) {
            (0, _) => break,
            (1 | 3, 1) => first = Some(bytes),
            (1 | 3, 2) => second = Some(bytes),
            _ => {}
        }
    }
    Some(Sizes { first: first?, second: second? })
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn the_caches_of_a_core_have_plausible_sizes() {
        let sizes = sizes();
        assert!((8 << 10..1 << 20).contains(&sizes.first), "{sizes:?}");
        assert!((64 << 10..64 << 20).contains(&sizes.second), "{sizes:?}");
        assert!(sizes.first < sizes.second, "{sizes:?}");
    }
}
