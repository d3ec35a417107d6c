//! Runs the examples in `docs/examples`, each in a folder of its own, which stays to be looked at.

use std::fs;
use std::time::Instant;

use crate::root;
use crate::run::{bash, folder, is_there};

/// What the line `# needs: WHAT, WHAT` of an example names.
fn needs(script: &str) -> Vec<&str> {
    let line = script.lines().find_map(|line| line.strip_prefix("# needs: "));
    line.map_or_else(Vec::new, |line| line.split(", ").collect())
}

#[test]
fn examples_run() {
    let entries = fs::read_dir(root().join("docs/examples")).expect("the folder of examples");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter(|name| name.ends_with(".sh"))
        .collect();
    names.sort_unstable();
    assert!(names.len() >= 5, "only these examples were found: {names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let script = format!("docs/examples/{name}");
        let text = fs::read_to_string(root().join(&script)).expect("a script is text");
        let folder = folder(&format!("examples-{}", name.trim_end_matches(".sh")));
        if let Some(missing) = needs(&text).into_iter().find(|needed| !is_there(&folder, needed)) {
            eprintln!("SKIPPED: {script}: no {missing} (scripts/setup tests)");
            continue;
        }
        let start = Instant::now();
        let (is_well, printed) = bash(&folder, &script);
        if !is_well {
            wrong.push(format!("{script} fails:\n{printed}"));
        }
        eprintln!("{script}: {:.1} s", start.elapsed().as_secs_f64());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
