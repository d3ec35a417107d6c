//! The page: what stands in it, and what a browser makes of it.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use tegula_diodon::Ordination;
use tegula_diodon::output::{Labels, LabelsOfItems, Report, write_report};

use super::browser::probed;
use super::sample::{HOSTILE, class, hostile, ordination, table, truncated};

/// Labels of the items from a file that has `label` of each.
fn labelled(ordination: &Ordination, label: impl Fn(usize) -> String) -> LabelsOfItems {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    let rows = ordination.ids.iter().enumerate();
    let text: String = rows.map(|(item, id)| format!("{id},{}\n", label(item))).collect();
    fs::write(&path, format!("id,group\n{text}")).unwrap();
    Labels::read(&path).unwrap().of_items(&ordination.ids).unwrap()
}

fn page(ordination: &Ordination, labels: Option<&LabelsOfItems>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let summary = json!({"n": ordination.items(), "phases": {"read": 1.5}, "note": "<b>&"});
    let report = Report { ordination, labels, summary: &summary, title: "a <b> & c.h5" };
    let path = folder.path().join("report.html");
    write_report(&path, &report).unwrap();
    let html = fs::read_to_string(&path).unwrap();
    (folder, html)
}

/// The text of the element with the data `id`.
fn data<'a>(html: &'a str, id: &str) -> &'a str {
    let start = format!("<script type=\"text/plain\" id=\"{id}\">");
    let rest = html.split(&start).nth(1).unwrap_or_else(|| panic!("no {id}"));
    rest.split("</script>").next().unwrap()
}

#[test]
fn the_data_are_in_the_page() {
    let ordination = ordination(40, 3, true);
    let (_folder, html) = page(&ordination, None);
    assert_eq!(serde_json::from_str::<Vec<String>>(data(&html, "ids")).unwrap(), ordination.ids);
    let meta: Value = serde_json::from_str(data(&html, "meta")).unwrap();
    assert_eq!(meta["eigenvalues"], json!(ordination.eigenvalues));
    assert_eq!(meta["wholes"][1]["sum"], json!(ordination.sum_positive()));
    let scale = meta["scale"].as_f64().unwrap();
    for axis in 0..3 {
        let read = singles(data(&html, &format!("axis{axis}")));
        assert_eq!(read.len(), 40);
        for (read, &exact) in read.iter().zip(ordination.axis(axis)) {
            assert!(
                (f64::from(*read) * scale - exact).abs() <= 6e-8 * exact.abs(),
                "{read} {exact}"
            );
        }
    }
    assert!(html.contains("a &lt;b&gt; &amp; c.h5") && html.contains("&lt;b&gt;&amp;</td>"));
}

/// Numbers of single precision from base 64, by the definition of it.
fn singles(text: &str) -> Vec<f32> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters = text.trim_end_matches('=').bytes();
    let bits: Vec<bool> = letters
        .flat_map(|letter| (0..6).rev().map(move |bit| value(letter) >> bit & 1 == 1))
        .collect();
    let byte = |bits: &[bool]| bits.iter().fold(0u8, |byte, &bit| byte << 1 | u8::from(bit));
    let bytes: Vec<u8> = bits.chunks_exact(8).map(byte).collect();
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

#[test]
fn denominators_are_named_or_said_to_be_missing() {
    let whole = ordination(10, 2, true);
    let (_folder, html) = page(&whole, None);
    for name in ["the trace", "the sum of positive eigenvalues", "the sum of absolute values"] {
        assert!(html.contains(&format!("share of {name}</th>")), "{name}");
    }
    assert!(html.contains("The lowest is \u{2212}") && !html.contains("an estimate"));
    assert!(!html.contains("not available: needs the whole spectrum"));
    assert!(html.contains("3 eigenvalues are negative"));
    let (_folder, html) = page(&truncated(whole), None);
    assert!(html.contains("share of the trace</th>"));
    assert_eq!(html.matches("not available: needs the whole spectrum.</p>").count(), 2);
    assert!(html.contains("This method yields no residuals") && !html.contains("residual</th>"));
    assert!(html.contains("3 negative eigenvalues were met, and there may be more"));
    assert!(html.contains("The lowest is about") && html.contains("(an estimate)"));
    assert!(html.contains("Eigenvalues are estimates"));
    // Sums that are the same are one column.
    let (_folder, html) = page(&ordination(10, 2, false), None);
    assert_eq!(html.matches(">share of ").count(), 1);
    assert!(html.contains("the distances are Euclidean"));
}

#[test]
fn tables_show_their_variables() {
    for is_count in [true, false] {
        let table = table(30, 4, is_count);
        let (_folder, html) = page(&table, None);
        let meta: Value = serde_json::from_str(data(&html, "meta")).unwrap();
        assert_eq!(meta["groups"][0]["arrows"], !is_count);
        assert_eq!(meta["groups"].as_array().map(Vec::len), Some(if is_count { 1 } else { 2 }));
        let ids: Vec<String> = serde_json::from_str(data(&html, "group0ids")).unwrap();
        assert_eq!((ids.len(), ids[0].starts_with("v<")), (5, true));
        let unit = meta["groups"][0]["unit"].as_f64().unwrap();
        let variables = table.variables.as_ref().unwrap();
        let place = variables.ids.iter().position(|id| *id == ids[0]).unwrap();
        let x = singles(data(&html, "group0axis2"))[0];
        assert!((f64::from(x) * unit - variables.coordinates[10 + place]).abs() < 1e-6);
        // One share, of the inertia; nothing about signs of what is a square.
        assert_eq!(html.matches(">share of ").count(), 1);
        assert!(html.contains("share of the inertia</th>") && !html.contains("is negative"));
        let title = if is_count { "Columns" } else { "Variables" };
        let lead = if is_count { "30 rows and 5 columns" } else { "30 items and 5 variables" };
        for words in [title, "contrib.", "cos&sup2;", "v&lt;3&gt;", lead] {
            assert!(html.contains(words), "{words}");
        }
        assert_eq!(html.contains("Correlations"), !is_count);
    }
}

#[test]
fn the_page_refers_to_nothing_outside_it() {
    let (_folder, html) = page(&ordination(5, 2, false), None);
    for outside in
        ["http://", "https://", "src=\"", "@import", "url(", "<link", "fetch(", "import("]
    {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn coordinates_beyond_single_precision_are_scaled() {
    for factor in [1e-200, 1e200] {
        let mut ordination = ordination(6, 2, false);
        ordination.coordinates.iter_mut().for_each(|x| *x *= factor);
        let (_folder, html) = page(&ordination, None);
        let read = singles(data(&html, "axis0"));
        assert!(read.iter().all(|x| x.is_finite() && x.abs() > 1e-6), "{factor}: {read:?}");
    }
}

/// What the browser noted, if there is one; nothing must have gone wrong.
fn seen(
    ordination: &Ordination,
    labels: Option<&LabelsOfItems>,
    hash: &str,
    probe: &str,
) -> Option<BTreeMap<String, String>> {
    let (folder, _) = page(ordination, labels);
    let notes = probed(&folder.path().join("report.html"), hash, probe)?;
    assert_eq!(notes.get("faults").map(String::as_str), Some(""), "{notes:?}");
    assert_eq!(notes["status"], "drawn");
    assert_eq!(notes["title"], "a <b> & c.h5");
    Some(notes)
}

/// Notes what is drawn in all canvases.
const INK: &str =
    "for (const id of ['scatter', 'scree', 'cumulated', 'histogram']) note(id, ink(id));";

#[track_caller]
fn number(notes: &BTreeMap<String, String>, name: &str) -> usize {
    notes
        .get(name)
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("{name}: {notes:?}"))
}

#[track_caller]
fn assert_drawn(notes: &BTreeMap<String, String>, names: &[&str]) {
    for name in names {
        assert!(number(notes, name) > 20, "{name} is blank: {notes:?}");
    }
}

#[test]
fn pages_of_every_size_are_drawn() {
    for (n, k) in [(5, 3), (1500, 8), (1, 2), (7, 1)] {
        for hash in ["", "#theme=dark"] {
            let Some(notes) = seen(&ordination(n, k, n == 1500), None, hash, INK) else { return };
            assert_eq!(number(&notes, "points"), n);
            assert_drawn(&notes, &["scatter", "scree", "cumulated", "histogram"]);
        }
    }
    for (n, k) in [(4, 0), (0, 0)] {
        let Some(notes) = seen(&ordination(n, k, false), None, "", INK) else { return };
        assert_eq!(number(&notes, "points"), 0);
    }
}

#[test]
fn variables_are_drawn_among_the_items() {
    let probe = "\
        note('all', ink('scatter')); await choose('lines', '0'); note('none', ink('scatter'));\
        await choose('lines', '5'); await choose('z', '2'); note('deep', ink('scatter')); await choose('z', '-1');\
        await choose('y', '-1'); note('spread', ink('scatter')); await choose('y', '1');\
        for (let x = 60; x < 1000 && !get('tip').textContent.includes('one of'); x += 5) for (let y = 20; y < 600 && !get('tip').textContent.includes('one of'); y += 5) pointer('pointermove', x, y);\
        note('tip', get('tip').textContent); note('caption', get('caption').textContent);";
    for is_count in [true, false] {
        let Some(notes) = seen(&table(8, 4, is_count), None, "", probe) else { return };
        assert_drawn(&notes, &["deep", "spread"]);
        assert!(number(&notes, "all") > number(&notes, "none"), "{notes:?}");
        let kind = if is_count { "one of the columns" } else { "one of the " };
        assert!(notes["tip"].contains(kind), "{notes:?}");
        let what = if is_count { "Diamonds: 5 columns" } else { "Arrows: 5 variables" };
        assert!(notes["caption"].contains(what), "{notes:?}");
    }
}

#[test]
fn every_column_of_labels_can_be_chosen() {
    let ordination = ordination(60, 3, false);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    let row =
        |(item, id): (usize, &String)| format!("{id},g{},{},h{}\n", item % 3, item * 7, item % 2);
    let rows: String = ordination.ids.iter().enumerate().map(row).collect();
    fs::write(&path, format!("id,group,height,half\n{rows}")).unwrap();
    let labels = Labels::read(&path).unwrap().of_items(&ordination.ids).unwrap();
    let probe = "\
        const switches = () => document.querySelectorAll('#legend [data-code]').length;\
        note('first', switches()); await choose('colour', 'class3'); note('third', switches());\
        await choose('colour', 'number2'); note('ends', get('legend').querySelector('.ends').textContent);\
        get('search').value = 'item0042'; get('search').dispatchEvent(new Event('input')); await wait();\
        await key('Enter', 'search'); note('pinned', get('details').textContent);";
    let Some(notes) = seen(&ordination, Some(&labels), "", probe) else { return };
    assert_eq!((number(&notes, "first"), number(&notes, "third")), (3, 2));
    assert_eq!(notes["ends"], "0413");
    assert!(notes["pinned"].contains("group: g0height: 294half: h0"), "{notes:?}");
}

#[test]
fn many_items_are_a_density() {
    let large = truncated(ordination(200_000, 3, false));
    let labels = labelled(&large, |item| format!("group {}", class(item)));
    let probe = format!(
        "{INK} note('draw', get('draw').value); await choose('draw', 'points'); note('dots', ink('scatter'));\
         await choose('z', '2'); note('deep', ink('scatter')); note('all', points());"
    );
    let Some(notes) = seen(&large, Some(&labels), "", &probe) else { return };
    assert_eq!((number(&notes, "points"), notes["draw"].as_str()), (200_000, "density"));
    assert_drawn(&notes, &["scatter", "scree", "cumulated", "histogram", "dots", "deep"]);
    assert_eq!(number(&notes, "all"), 200_000);
}

#[test]
fn markup_in_ids_is_text() {
    let probe = "get('search').value = 'script'; get('search').dispatchEvent(new Event('input'));\
         await wait(); await wait(); note('found', get('found').querySelectorAll('[role=option]').length);\
         await key('Enter', 'search'); note('shown', get('details').querySelector('h3').textContent);\
         note('images', document.images.length);";
    let Some(notes) = seen(&hostile(), None, "", probe) else { return };
    assert_eq!(number(&notes, "points"), HOSTILE.len());
    assert_eq!((number(&notes, "found"), number(&notes, "images")), (1, 0));
    assert_eq!(notes["shown"], HOSTILE[0]);
}

#[test]
fn classes_are_switched_and_axes_chosen() {
    let ordination = ordination(700, 4, false);
    let labels = labelled(&ordination, |item| format!("group {}", class(item)));
    let probe = "\
        const switches = () => [...document.querySelectorAll('#legend [data-code]')];\
        note('classes', switches().length); switches()[0].click(); await wait(); note('without', points());\
        switches()[0].dispatchEvent(new MouseEvent('click', { shiftKey: true })); await wait(); note('alone', points());\
        document.querySelector('#legend .all button').click(); await wait(); note('all', points());\
        await choose('draw', 'density'); note('density', ink('scatter')); await choose('draw', 'points');\
        await choose('z', '2'); note('deep', ink('scatter')); await key('ArrowLeft'); note('turned', points());\
        await choose('z', '-1'); await choose('x', '3'); note('other', ink('scatter'));\
        for (const colour of ['quality', 'qualityall', 'axis1', 'none', 'class']) await choose('colour', colour);\
        note('hash', location.hash);";
    let Some(notes) = seen(&ordination, Some(&labels), "", probe) else { return };
    assert_eq!(number(&notes, "classes"), 4);
    assert_eq!((number(&notes, "without"), number(&notes, "alone")), (400, 300));
    assert_eq!((number(&notes, "all"), number(&notes, "turned")), (700, 700));
    assert_drawn(&notes, &["density", "deep", "other"]);
    assert!(notes["hash"].contains("x=4&y=2&z=0&colour=class"), "{}", notes["hash"]);
}

#[test]
fn numbers_have_a_scale_of_colours() {
    let ordination = ordination(300, 3, false);
    let labels = labelled(&ordination, |item| format!("{}", item as f64 * 0.37));
    let probe = "note('colour', get('colour').value); note('ramp', document.querySelectorAll('#legend .ramp').length);\
         note('ends', get('legend').querySelector('.ends').textContent);";
    let Some(notes) = seen(&ordination, Some(&labels), "", probe) else { return };
    assert_eq!((notes["colour"].as_str(), number(&notes, "ramp")), ("number", 1));
    assert_eq!(notes["ends"], "0110.6");
}

#[test]
fn hands_move_zoom_and_point() {
    let ordination = ordination(300, 3, false);
    let probe = "\
        for (let x = 80; x < 900 && get('tip').hidden; x += 6) for (let y = 20; y < 600 && get('tip').hidden; y += 6) pointer('pointermove', x, y);\
        note('tip', get('tip').textContent); pointer('pointerleave', 0, 0); note('hidden', get('tip').hidden);\
        for (let i = 0; i < 9; i++) await key('+'); note('near', points()); await key('0'); note('again', points());\
        pointer('pointerdown', 300, 300); pointer('pointermove', 2000, 300); pointer('pointerup', 2000, 300);\
        await wait(); note('away', points()); get('reset').click(); await wait(); note('back', points());\
        get('search').value = 'item0042'; get('search').dispatchEvent(new Event('input')); await wait();\
        await key('Enter', 'search'); note('pinned', get('details').textContent);";
    let Some(notes) = seen(&ordination, None, "", probe) else { return };
    assert!(notes["tip"].starts_with("item0") && notes["tip"].contains("axis 2:"), "{notes:?}");
    assert_eq!(notes["hidden"], "true");
    assert!(number(&notes, "near") < 100 && number(&notes, "away") == 0, "{notes:?}");
    assert_eq!((number(&notes, "again"), number(&notes, "back")), (300, 300));
    assert!(notes["pinned"].starts_with("item0042"), "{notes:?}");
}
