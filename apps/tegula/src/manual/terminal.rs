//! A page of Markdown as plain text of at most 100 columns: paragraphs filled, code indented,
//! tables in columns, links by what they say.
//!
//! It reads what the pages in `docs/` are written in, not all of Markdown.

/// Columns of a line, but for code and words that are longer.
const COLUMNS: usize = 100;

/// Blanks between two columns of a table.
const GAP: usize = 2;

/// Narrowest that a column of a table is made.
const NARROWEST: usize = 12;

/// `page` for a terminal.
pub(super) fn rendered(page: &str) -> String {
    let mut text = String::new();
    let mut was_item = false;
    for block in blocks(page) {
        let is_item = matches!(block, Block::Text(1.., _));
        let lines = match block {
            Block::Heading(level, title) => heading(level, &title),
            Block::Code(lines) => lines.iter().map(|line| format!("    {line}")).collect(),
            Block::Table(rows) => table(&rows),
            Block::Text(indent, words) => paragraph(indent, &words),
        };
        // The items of a list stand close.
        let is_next = std::mem::replace(&mut was_item, is_item) && is_item;
        if !text.is_empty() && !is_next {
            text.push('\n');
        }
        for line in lines {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

/// A part of a page.
enum Block {
    /// Level and title.
    Heading(usize, String),
    /// Lines as they are.
    Code(Vec<String>),
    /// Rows of cells.
    Table(Vec<Vec<String>>),
    /// A paragraph or an item of a list: columns of its second line, and its text.
    Text(usize, String),
}

/// The parts of `page`.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().filter(|line| !line.starts_with("<!--")).peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let code = lines.by_ref().take_while(|line| !line.starts_with("```"));
            blocks.push(Block::Code(code.map(str::to_owned).collect()));
        } else if let Some(title) = line.trim_start_matches('#').strip_prefix(' ')
            && line.starts_with('#')
        {
            let level = line.len() - title.len() - 1;
            blocks.push(Block::Heading(level, plain(title)));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(line) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(cells(line));
            }
            // The second one is the rule below the header.
            rows.remove(1.min(rows.len() - 1));
            blocks.push(Block::Table(rows));
        } else if !line.trim().is_empty() {
            let indent = if line.starts_with("- ") { 2 } else { 0 };
            let mut words = line.to_owned();
            let goes_on = |line: &&str| {
                !line.trim().is_empty()
                    && !["- ", "|", "```", "#"].iter().any(|start| line.starts_with(start))
            };
            while let Some(line) = lines.next_if(goes_on) {
                words.push(' ');
                words.push_str(line.trim());
            }
            blocks.push(Block::Text(indent, plain(&words)));
        }
    }
    blocks
}

/// The cells of a row of a table; `\|` is a bar inside one.
fn cells(row: &str) -> Vec<String> {
    let inside = row.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{1}");
    inside.split('|').map(|cell| plain(cell.trim()).replace('\u{1}', "|")).collect()
}

/// `text` without marks of emphasis, and with links as what they say, and where to look.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(says, target)| {
            let (target, rest) = target.split_once(')')?;
            (!says.contains(']')).then_some((says, target, rest))
        });
        out.push_str(before);
        rest = if let Some((says, target, behind)) = link {
            out.push_str(says);
            if let Some(topic) = target.split('#').next().and_then(|page| page.strip_suffix(".md"))
                && !topic.contains('/')
            {
                out.push_str(&format!(" (tegula help {topic})"));
            } else if target.contains("://") {
                out.push_str(&format!(" ({target})"));
            }
            behind
        } else {
            out.push('[');
            after
        };
    }
    out.push_str(rest);
    out.replace("**", "")
}

fn heading(level: usize, title: &str) -> Vec<String> {
    let rule = if level == 1 { "=" } else { "-" };
    vec![title.to_owned(), rule.repeat(title.chars().count())]
}

fn paragraph(indent: usize, words: &str) -> Vec<String> {
    let mut lines = wrapped(words, COLUMNS - indent);
    for line in lines.iter_mut().skip(1) {
        line.insert_str(0, &" ".repeat(indent));
    }
    lines
}

/// `words` in lines of at most `columns`, but for words that are longer.
fn wrapped(words: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Rows in columns, the widest of which are wrapped until all fit.
fn table(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
    let width = |column| rows.iter().map(|row| cell(row, column).chars().count()).max();
    let mut widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    let room = COLUMNS.saturating_sub(GAP * count.saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max().expect("a table has columns");
        if *widest <= NARROWEST {
            break;
        }
        *widest -= 1;
    }
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let parts: Vec<Vec<String>> =
            widths.iter().enumerate().map(|(at, width)| wrapped(&cell(row, at), *width)).collect();
        for line in 0..parts.iter().map(Vec::len).max().unwrap_or(0) {
            let part = |at: usize| parts[at].get(line).map_or("", String::as_str);
            let padded = (0..count).map(|at| format!("{:1$}", part(at), widths[at] + GAP));
            lines.push(padded.collect::<String>());
        }
        if number == 0 {
            lines.push(widths.iter().map(|&width| "-".repeat(width) + &" ".repeat(GAP)).collect());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, plain, rendered};

    #[test]
    fn a_page_becomes_plain_text() {
        let page = "# A title\n\n<!-- hidden -->\nWords of [one page](memory.md#disks) and\n[a file](../x.rs).\n\n- an item\n  of two lines\n- another\n\n```sh\ntegula info   # as it is\n```\n\n| a | b |\n|---|---|\n| `x \\| y` | **2** |\n";
        let expected = "A title\n=======\n\nWords of one page (tegula help memory) and a file.\n\n- an item of two lines\n- another\n\n    tegula info   # as it is\n\na        b\n-------  -\n`x | y`  2\n";
        assert_eq!(rendered(page), expected);
    }

    #[test]
    fn lines_fit() {
        let long = "word ".repeat(60);
        let page = format!("{long}\n\n| {long} | {long} |\n|---|---|\n| a | {long} |\n");
        let text = rendered(&page);
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        assert_eq!(text.matches("word").count(), 60 * 4, "no word is lost");
    }

    #[test]
    fn brackets_that_are_no_links_stay() {
        assert_eq!(plain("x[0] and [text](http://a.b/c)"), "x[0] and text (http://a.b/c)");
    }
}
