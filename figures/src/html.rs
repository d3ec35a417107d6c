//! Pages: what stands around figures and tables, in a file that needs no other.

use crate::svg::escaped;

const STYLE: &str = "\
:root{color-scheme:light dark}\n\
body{font:15px/1.45 system-ui,'DejaVu Sans',sans-serif;max-width:1276px;margin:2em auto;\
padding:0 1em;color:#222;background:#fff}\n\
h1{font-size:24px;margin:0}h2{font-size:18px;margin:1.6em 0 .4em}\n\
p{margin:.3em 0}p.q{color:#666}\n\
.tables{display:flex;flex-wrap:wrap;gap:0 56px}\n\
table{border-collapse:collapse;margin:.4em 0}\n\
th,td{padding:3px 18px 3px 0;text-align:left;border-bottom:1px solid #ddd;vertical-align:top}\n\
th{font-weight:600}td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n\
figure{margin:1.4em 0 2em;overflow-x:auto}figcaption{margin:.3em 0;font-weight:600}\n\
svg{max-width:100%;height:auto;display:block}\n\
section{max-width:100%;overflow-x:auto}\n\
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:0 32px}\n\
.figures figure{margin:.6em 0 1.4em;min-width:0}.figures svg{width:100%;max-width:640px}\n\
@media (max-width:500px){th,td{font-size:13px;padding-right:9px}td.n,th.n{white-space:normal}\n\
th:last-child,td:last-child{padding-right:0}}\n\
@media (max-width:700px){figure svg{max-width:none}.figures svg{max-width:100%}}\n\
@media (prefers-color-scheme:dark){body{color:#ddd;background:#191a1c}\
p.q{color:#a3a5a8}th,td{border-color:#44474a}}\n";

/// A page with this title and body, as HTML that refers to nothing outside it.
#[must_use]
pub fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// A heading and a table whose first columns, so many, hold text; nothing if it has no rows.
#[must_use]
pub fn section(heading: &str, text: usize, rows: &[Vec<String>]) -> String {
    let Some((head, rows)) = rows.split_first().filter(|(_, rows)| !rows.is_empty()) else {
        return String::new();
    };
    let line = |tag: &str, cells: &[String]| -> String {
        let cell = |(column, cell): (usize, &String)| {
            let class = if column >= text { " class=\"n\"" } else { "" };
            format!("<{tag}{class}>{}</{tag}>", escaped(cell))
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let head = if head.is_empty() { String::new() } else { line("th", head) };
    let body: String = rows.iter().map(|row| line("td", row)).collect();
    format!("<section>\n<h2>{heading}</h2>\n<table>\n{head}{body}</table>\n</section>\n")
}

/// A figure below what it shows.
#[must_use]
pub fn figure(svg: &str, shows: &str) -> String {
    format!("<figure>\n<figcaption>{}</figcaption>\n{svg}</figure>\n", escaped(shows))
}

/// A figure below its title, with `words` about it below.
#[must_use]
pub fn captioned(title: &str, svg: &str, words: &str) -> String {
    let (title, words) = (escaped(title), escaped(words));
    format!(
        "<figure>\n<figcaption>{title}</figcaption>\n{svg}<p class=\"q\">{words}</p>\n</figure>\n"
    )
}

/// `text` as a sentence.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}
