//! What is written about the project is true: maps name every module, lists every member, and
//! what a page points to exists.

use tegula_diodon::distance::METRICS;
use tegula_diodon::mds::METHODS;
use tegula_exageostat::covariance::{COMPOSITES, COVARIANCES};
use tegula_files::matrix::FORMATS;
use tegula_kernels::backend::BACKENDS;
use tegula_kernels::kernel::KERNELS;
use tegula_plan::distribution::DISTRIBUTIONS;
use tegula_plan::phases::PLACEMENTS;
use tegula_plan::platform::PLATFORMS;
use tegula_runtime::sched::{EVICTIONS, POLICIES};
use tegula_traces::plot::PANELS;

use crate::{TextFile, assert_kept, root, text_files};

/// Folders of the crates.
const CRATES: [&str; 18] = [
    "runtime",
    "figures",
    "bounds",
    "traces",
    "kernels",
    "tiles",
    "files",
    "plan",
    "apps/linalg",
    "apps/exageostat",
    "apps/diodon",
    "apps/batch",
    "apps/tegula",
    "apps/capi",
    "apps/python",
    "apps/r",
    "tests",
    "tests/stand-ins",
];

fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Pages in Markdown.
fn pages() -> impl Iterator<Item = TextFile> {
    text_files().into_iter().filter(|file| file.path.ends_with(".md"))
}

#[test]
fn every_crate_has_a_page_with_a_map_of_its_modules() {
    let mut broken = Vec::new();
    for folder in CRATES {
        let page = page(&format!("{folder}/README.md"));
        let source = root().join(folder).join("src");
        let entries =
            std::fs::read_dir(&source).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        for entry in entries {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            let module = name.trim_end_matches(".rs");
            let is_root = ["lib", "main", "tests"].contains(&module);
            if !is_root
                && !page.contains(&format!("`{module}`"))
                && !page.contains(&format!("`{name}`"))
            {
                broken.push(format!("{folder}/README.md: `{module}`"));
            }
        }
    }
    assert_kept("a crate's page names each of its modules:", &broken);
}

#[test]
fn the_page_of_these_tests_names_each() {
    let page = page("tests/README.md");
    let names = ["tests/tests", "tests/tests/linalg"].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(root().join(folder)).expect("a folder of tests");
        let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("UTF-8");
        entries.map(move |entry| format!("{folder}/{}", name(entry.expect("an entry"))))
    });
    let missing: Vec<String> = names.filter(|name| !page.contains(name)).collect();
    assert_kept("tests/README.md names each file of tests/tests:", &missing);
}

/// A member of a list: the page that has its row, its name, and what else the row says.
fn members() -> Vec<(&'static str, &'static str, &'static str)> {
    let (runtime, kernels) = ("runtime/README.md", "kernels/README.md");
    let traces = "traces/README.md";
    let mut members = Vec::new();
    members.extend(POLICIES.iter().map(|policy| (runtime, policy.name, policy.summary)));
    members.extend(EVICTIONS.iter().map(|policy| (runtime, policy.name, policy.summary)));
    members.extend(PANELS.iter().map(|panel| (traces, panel.name, panel.summary)));
    members.extend(KERNELS.iter().map(|kernel| (kernels, kernel.name, "")));
    members.extend(BACKENDS.iter().map(|backend| (kernels, backend.name, "")));
    members.extend(PLATFORMS.iter().map(|listed| ("plan/README.md", listed.name, "")));
    members.extend(DISTRIBUTIONS.iter().map(|entry| ("plan/README.md", entry.name, "")));
    members.extend(PLACEMENTS.iter().map(|entry| ("plan/README.md", entry.name, "")));
    members.extend(FORMATS.iter().map(|format| ("files/README.md", format.name, format.summary)));
    let page = "apps/diodon/README.md";
    members.extend(METHODS.iter().map(|method| (page, method.name, method.summary)));
    members.extend(METRICS.iter().map(|metric| (page, metric.name, "")));
    let page = "apps/batch/README.md";
    let schedulers = tegula_batch::policy::POLICIES;
    members.extend(schedulers.iter().map(|policy| (page, policy.name, policy.summary)));
    let page = "apps/exageostat/README.md";
    members.extend(COVARIANCES.iter().chain(COMPOSITES).map(|one| (page, one.name, one.formula)));
    members
}

#[test]
fn every_member_of_a_list_is_documented() {
    let has_row = |&&(path, name, says): &&(&str, &str, &str)| {
        let start = format!("| `{name}` |");
        page(path).lines().any(|line| line.starts_with(&start) && line.contains(says))
    };
    let members = members();
    assert!(members.len() > 20, "{members:?}");
    let missing = members.iter().filter(|member| !has_row(member));
    let missing: Vec<String> =
        missing.map(|(path, name, says)| format!("{path}: | `{name}` | {says}")).collect();
    assert_kept("a page has a row for each member of the list that it documents:", &missing);
}

/// Paths that a page names and that are not ours: page, path, whose.
const FOREIGN: [(&str, &str, &str); 2] = [
    ("data/README.md", "data/texas-wind.csv", "the source archive of Verde"),
    ("data/README.md", "data/90_10", "the repository of exageostatR"),
];

/// Whether `word` names a file or folder of the project.
fn is_path(word: &str) -> bool {
    let rooms = [
        "runtime/", "bounds/", "traces/", "kernels/", "tiles/", "files/", "plan/", "data/",
        "apps/", "tests/", "scripts/", ".ci/",
    ];
    let is_pattern = word.contains(|c: char| "*<>{}$()".contains(c)) || word.contains("NAME");
    rooms.iter().any(|room| word.starts_with(room)) && !is_pattern
}

/// The paths that a page names: in backquotes, in examples, and in links.
fn paths(file: &TextFile) -> Vec<String> {
    let quoted = file.text.split('`').skip(1).step_by(2);
    let examples = file.text.split("```").skip(1).step_by(2);
    let words = quoted.chain(examples).flat_map(str::split_whitespace);
    let words =
        words.map(|word| word.trim_start_matches("./").trim_end_matches([',', '.', ':', ';', ')']));
    words.filter(|word| is_path(word)).map(str::to_owned).collect()
}

/// The files that a page links to, as written.
fn links(file: &TextFile) -> Vec<String> {
    let targets =
        file.text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
    let inside = |target: &&str| !target.is_empty() && !target.contains("://");
    targets.filter(inside).map(str::to_owned).collect()
}

#[test]
fn what_pages_name_exists() {
    let mut broken = Vec::new();
    for file in pages() {
        let folder = root().join(&file.path);
        let folder = folder.parent().expect("a file stands in a folder");
        // A crate's page may name its own files, or any from the root.
        let exists = |path: &String| root().join(path).exists() || folder.join(path).exists();
        let is_foreign = |path: &String| {
            FOREIGN.iter().any(|(page, other, _)| file.path == *page && path == other)
        };
        broken.extend(
            paths(&file)
                .into_iter()
                .filter(|path| !exists(path) && !is_foreign(path))
                .map(|path| format!("{}: {path}", file.path)),
        );
        let missing = links(&file).into_iter().filter(|target| !folder.join(target).exists());
        broken.extend(missing.map(|target| format!("{}: link to {target}", file.path)));
    }
    assert_kept("pages name files that do not exist:", &broken);
}

/// The numbers that stand in a text, as written.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect()
}

#[test]
fn the_short_page_of_measurements_quotes_the_long_tables() {
    let folder = "scripts/bench";
    let short = page(&format!("{folder}/RESULTS.md"));
    let mut broken = Vec::new();
    for section in short.split("\n## ").skip(1) {
        let (heading, text) = section.split_once('\n').expect("a heading is a line");
        let file = |text: &str| TextFile { path: folder.to_owned(), text: text.to_owned() };
        let long: String =
            links(&file(text)).iter().map(|link| page(&format!("{folder}/{link}"))).collect();
        if long.is_empty() {
            broken.push(format!("{heading}: no link to a file of results"));
        }
        let there = numbers(&long);
        let missing = numbers(text).into_iter().filter(|number| !there.contains(number));
        broken.extend(missing.map(|number| format!("{heading}: {number}")));
    }
    assert_kept("RESULTS.md says what the files that it links to say:", &broken);
}

#[test]
fn the_first_page_leads_to_the_others() {
    let page = page("README.md");
    let mut broken: Vec<String> =
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "scripts/test"].map(str::to_owned).to_vec();
    broken.retain(|path| !page.contains(path.as_str()));
    assert_kept("README.md names where to go on:", &broken);
}
