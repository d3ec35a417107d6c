//! The blocks of code of a page in Markdown.

/// What stands between two fences.
#[derive(Debug)]
pub(crate) struct Block {
    /// Line of the opening fence, from 1.
    pub(crate) line: usize,
    /// The first word behind it: `sh`, `text`, `python`, `rust`.
    pub(crate) language: String,
    /// The other words.
    words: Vec<String>,
    pub(crate) text: String,
}

impl Block {
    /// Whether the block is `sh` that is only shown, since it takes what a test must not: a
    /// cluster, an installation.
    pub(crate) fn is_shown(&self) -> bool {
        self.words.iter().any(|word| word == "shown")
    }

    /// Whether the block is `text` whose lines are broken to fit the page.
    pub(crate) fn is_folded(&self) -> bool {
        self.words.iter().any(|word| word == "folded")
    }

    /// The value of the word `NAME=VALUE`.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    /// A word that means nothing.
    pub(crate) fn unknown_word(&self) -> Option<&str> {
        let is_known = |word: &&String| {
            ["shown", "folded"].contains(&word.as_str())
                || word.starts_with("needs=")
                || word.starts_with("from=")
        };
        self.words.iter().find(|word| !is_known(word)).map(String::as_str)
    }
}

/// The blocks of `page`, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut words = info.split_whitespace().map(str::to_owned);
        let language = words.next().unwrap_or_default();
        let inside =
            lines.by_ref().map(|(_, line)| line).take_while(|line| !line.starts_with("```"));
        let text = inside.fold(String::new(), |text, line| text + line + "\n");
        blocks.push(Block { line: at + 1, language, words: words.collect(), text });
    }
    blocks
}

#[test]
fn blocks_are_found() {
    let page = "a\n```sh needs=mpirun\nls\n```\n```text\nx\ny\n```\n```sh shown odd\n```\n";
    let found = blocks(page);
    assert_eq!(found.len(), 3);
    assert_eq!((found[0].line, &*found[0].language, &*found[0].text), (2, "sh", "ls\n"));
    assert_eq!(found[0].value("needs"), Some("mpirun"));
    assert_eq!((&*found[1].text, found[1].is_shown()), ("x\ny\n", false));
    assert_eq!((found[2].is_shown(), found[2].unknown_word()), (true, Some("odd")));
}
