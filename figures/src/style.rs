//! How figures look: rules of style for light and dark pages, kept to the figure that they belong
//! to.

/// A rule: what it is for, and what it says.
pub type Rule = (&'static str, &'static str);

/// Rules of every figure.
const LIGHT: &[Rule] = &[
    ("text", "font:12px system-ui,'DejaVu Sans',sans-serif;fill:#222"),
    (".bg", "fill:#fff"),
    // Text: head, quiet, at the end, in the middle, name in a task, dark and white on colours.
    (".h", "font-size:17px;font-weight:600"),
    (".q", "fill:#666"),
    (".e", "text-anchor:end"),
    (".m", "text-anchor:middle"),
    (".n", "font-size:11px;pointer-events:none"),
    (".d", "fill:#222"),
    (".w", "fill:#fff"),
    // Lines of a grid, those at times, which lie above areas, ground of a row, idle share, a limit.
    (".g", "stroke:#ddd"),
    (".time", "stroke:#777;stroke-opacity:.3"),
    (".r", "fill:#f3f3f3"),
    (".i", "fill:#bbb"),
    (".limit", "stroke:#c00;stroke-width:1.5;stroke-dasharray:6 3"),
    (".limit-text", "fill:#c00;stroke:#fff;stroke-width:3;paint-order:stroke"),
];

/// What differs on a dark page.
const DARK: &[Rule] = &[
    ("text", "fill:#ddd"),
    (".bg", "fill:#191a1c"),
    (".q", "fill:#a3a5a8"),
    (".d", "fill:#111"),
    (".g", "stroke:#44474a"),
    (".r", "fill:#27292c"),
    (".i", "fill:#6b6e72"),
    (".limit", "stroke:#ff6b6b"),
    (".limit-text", "fill:#ff6b6b;stroke:#191a1c"),
];

/// The style of the figure whose class is `name`, with its own rules after those of all: `own` on
/// any page, `dark` on dark ones.
#[must_use]
pub fn style(name: &str, own: &[(String, String)], dark: &[Rule]) -> String {
    made_style(name, own, &rules(dark))
}

/// As [`style`], with rules for dark pages that were made as well.
#[must_use]
pub fn made_style(name: &str, own: &[(String, String)], dark: &[(String, String)]) -> String {
    let rule = |selector: &str, says: &str| format!(".{name} {selector}{{{says}}}\n");
    let fixed =
        |rules: &[Rule]| -> String { rules.iter().map(|(s, says)| rule(s, says)).collect() };
    let made = |rules: &[(String, String)]| -> String {
        rules.iter().map(|(selector, says)| rule(selector, says)).collect()
    };
    let (light, always) = (fixed(LIGHT), fixed(DARK));
    let (own, own_dark) = (made(own), made(dark));
    format!("{light}{own}@media (prefers-color-scheme:dark){{\n{always}{own_dark}}}\n")
}

/// Rules that give each class `c0`, `c1`, ... its colour.
#[must_use]
pub fn fills<'a>(colours: impl IntoIterator<Item = &'a str>) -> Vec<(String, String)> {
    let rule = |(i, colour): (usize, &str)| (format!(".c{i}"), format!("fill:{colour}"));
    colours.into_iter().enumerate().map(rule).collect()
}

/// Rules written out.
#[must_use]
pub fn rules(rules: &[Rule]) -> Vec<(String, String)> {
    rules.iter().map(|&(selector, says)| (selector.to_owned(), says.to_owned())).collect()
}
