//! The name that resembles another most, for error messages.

/// The one of `names` that is nearest to `wanted` in edit distance (optimal string alignment, case
/// ignored), if it is near enough to be worth a suggestion: at most a third of the longer name, and
/// at least one edit is allowed.
pub fn nearest_name<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let target = wanted.to_lowercase();
    names
        .into_iter()
        .filter_map(|name| {
            let candidate = name.to_lowercase();
            let length = target.chars().count().max(candidate.chars().count());
            let edits = strsim::osa_distance(&target, &candidate);
            // One edit turns any one-letter name into any other: that is no resemblance.
            (edits <= (length / 3).max(1) && edits < length).then_some((edits, name))
        })
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_is_near_and_nothing_else() {
        let names = ["x", "y", "zinc", "lead", "dist.m"];
        assert_eq!(nearest_name("zink", names), Some("zinc"));
        assert_eq!(nearest_name("izNC", names), Some("zinc"));
        assert_eq!(nearest_name("distm", names), Some("dist.m"));
        assert_eq!(nearest_name("cadmium", names), None);
        assert_eq!(nearest_name("q", names), None);
        assert_eq!(nearest_name("", names), None);
    }
}
