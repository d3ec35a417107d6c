//! Kimura's distance with two parameters: substitutions per site, of which transitions and
//! transversions have rates of their own.

use super::aligned::{Aligned, SiteRule, Sites};
use crate::distance::metric::{Metric, Of};

/// Substitutions that are estimated from the differences.
pub(in crate::distance) const K80: Metric = Metric {
    name: "k80",
    summary: "Kimura's substitutions per site of aligned sequences; gaps and N are left out in each pair",
    formula: "-1/2 ln((1 - 2P - Q) sqrt(1 - 2Q)), P: share of transitions, Q: of transversions",
    citation: "Kimura (1980), Journal of Molecular Evolution 16:111, eq. 10; \
         ape::dist.dna(model = \"K80\", pairwise.deletion = TRUE)",
    has_triangle_inequality: false,
    of: Of::Sequences(Aligned::<Kimura>::prepare),
};

#[derive(Debug)]
struct Kimura;

impl SiteRule for Kimura {
    const UNDEFINED: &'static str = "not defined: they have no site in common, or differ at so many that the number of \
         substitutions cannot be told (K80 is saturated); leave one out, or take p-distance";

    #[inline(always)]
    fn distance(sites: Sites) -> f64 {
        let compared = f64::from(sites.compared);
        let (p, q) =
            (f64::from(sites.transitions) / compared, f64::from(sites.transversions) / compared);
        // The logarithm of 1 is 0, of which half is taken off 0 so that no sign is left.
        0.0 - 0.5 * ((1.0 - 2.0 * p - q) * (1.0 - 2.0 * q).sqrt()).ln()
    }
}
