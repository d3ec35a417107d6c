//! The share of sites at which two aligned sequences differ.

use super::aligned::{Aligned, SiteRule, Sites};
use crate::distance::metric::{Metric, Of};

/// Observed differences.
pub(in crate::distance) const P_DISTANCE: Metric = Metric {
    name: "p-distance",
    summary: "share of the sites of aligned sequences that differ; gaps and N are left out in each pair",
    formula: "different / compared",
    citation: "Nei and Kumar (2000), Molecular Evolution and Phylogenetics, eq. 3.1; \
         ape::dist.dna(model = \"raw\", pairwise.deletion = TRUE)",
    // Each pair leaves out other sites.
    has_triangle_inequality: false,
    of: Of::Sequences(Aligned::<PDistance>::prepare),
};

#[derive(Debug)]
struct PDistance;

impl SiteRule for PDistance {
    const UNDEFINED: &'static str =
        "not defined: there is no site at which both have one of A, C, G, T";

    #[inline(always)]
    fn distance(sites: Sites) -> f64 {
        f64::from(sites.transitions + sites.transversions) / f64::from(sites.compared)
    }
}
