//! The name that resembles another most, for error messages.

/// The one of `names` that is nearest to `wanted` in edit distance (optimal string alignment, case ignored), if it is
/// near enough to be worth a suggestion: at most a third of the longer name, and at least one edit is allowed.
pub fn nearest_name<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let target: Vec<char> = wanted.to_lowercase().chars().collect();
    names
        .into_iter()
        .filter_map(|name| {
            let candidate: Vec<char> = name.to_lowercase().chars().collect();
            let allowed = (target.len().max(candidate.len()) / 3).max(1);
            let edits = edit_distance(&target, &candidate);
            // One edit turns any one-letter name into any other: that is no resemblance.
            (edits <= allowed && edits < target.len().max(candidate.len())).then_some((edits, name))
        })
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitution = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitution.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
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
