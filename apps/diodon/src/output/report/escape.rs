//! Texts of others in a page: as content of elements, and as JSON inside of a script.

use std::io::{self, Write};

use serde::Serialize;

/// `text` with the characters that mean something in HTML written out; control characters cannot be
/// shown.
pub(super) fn escaped(text: &str) -> String {
    let shown = text.replace(char::is_control, "\u{fffd}");
    html_escape::encode_quoted_attribute(&shown).into_owned()
}

/// Writes `value` as JSON that cannot end the script around it: no `<` stands in it.
pub(super) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(WithoutMarkup(out), value).map_err(io::Error::from)
}

/// Hands bytes of JSON on, with each `<` as `\u003c`; outside of strings JSON has none.
struct WithoutMarkup<'a>(&'a mut dyn Write);

impl Write for WithoutMarkup<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pieces = bytes.split(|&byte| byte == b'<');
        self.0.write_all(pieces.next().unwrap_or_default())?;
        for piece in pieces {
            self.0.write_all(b"\\u003c")?;
            self.0.write_all(piece)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(
            escaped("<a href='x'>\"&\u{7}"),
            "&lt;a href=&#x27;x&#x27;&gt;&quot;&amp;\u{fffd}"
        );
    }

    #[test]
    fn json_cannot_end_a_script() {
        let ids = ["</script>", "<!--", "plain \"quoted\" \\ \n", "<<"];
        let mut out = Vec::new();
        write_json(&mut out, &ids).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains('<'), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), ids);
    }
}
