//! A page in a browser without a window: what it says of itself after it was drawn and handled.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Names under which browsers of this family are installed.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// Long after which a browser is taken for stuck.
const PATIENCE: Duration = Duration::from_secs(240);

/// Counts errors, and makes frames by the clock, since a browser without a window makes none while
/// its time is virtual; stands before all other scripts.
const WATCH: &str = "<script>window.faults = [];\
    window.requestAnimationFrame = (draw) => setTimeout(draw, 16);\
    addEventListener('error', (event) => faults.push(event.message));\
    addEventListener('unhandledrejection', (event) => faults.push(String(event.reason)));\
    addEventListener('securitypolicyviolation', (event) => faults.push(event.violatedDirective));\
    console.error = console.warn = (...all) => faults.push(all.join(' '));</script>";

/// A browser that starts, if there is one.
fn browser() -> Option<&'static str> {
    let starts = |name: &&str| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    NAMES.into_iter().find(starts)
}

/// Opens `page`, runs `probe` in it and returns what it noted with `note(name, value)`, with
/// `faults` and `title`; or nothing, with the reason printed, if there is no browser.
#[allow(clippy::print_stderr)]
pub(super) fn probed(page: &Path, hash: &str, probe: &str) -> Option<BTreeMap<String, String>> {
    let Some(browser) = browser() else {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a page");
        eprintln!("SKIPPED {test}: no chromium here; scripts/setup installs it");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let html = fs::read_to_string(page).unwrap();
    let script = include_str!("probe.js").replace("/* probe */", probe);
    let html = html.replacen("<head>", &format!("<head>{WATCH}"), 1);
    let at = html.rfind("</body>").expect("a page has a body");
    let html = format!("{}<script>{script}</script>{}", &html[..at], &html[at..]);
    let probed = folder.path().join("page.html");
    fs::write(&probed, html).unwrap();
    let dump = folder.path().join("dom.html");
    run(browser, folder.path(), &format!("file://{}{hash}", probed.display()), &dump);
    let dom = fs::read_to_string(&dump).unwrap();
    Some(notes(&dom))
}

fn run(browser: &str, folder: &Path, address: &str, dump: &Path) {
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-extensions", "--disable-background-networking"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(["--window-size=1400,1200", "--virtual-time-budget=20000", "--dump-dom", address])
        .stdout(File::create(dump).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser has started before");
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the browser was stuck with {address}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What the probe left in attributes of the root: `data-note-NAME="VALUE"`.
fn notes(dom: &str) -> BTreeMap<String, String> {
    let parts = dom.split("data-note-").skip(1);
    let note = |part: &str| {
        let (name, rest) = part.split_once("=\"")?;
        let value = rest.split('"').next()?;
        let plain = value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
        Some((name.to_owned(), plain.replace("&amp;", "&")))
    };
    parts.filter_map(note).collect()
}
