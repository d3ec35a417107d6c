//! A list of columns or expressions, separated by commas.

/// The items of `text`, which commas separate, without the blanks around them. Commas in backquotes
/// or parentheses separate nothing. An empty item stays, so that the caller can refuse it.
pub fn split_list(text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    items
}
