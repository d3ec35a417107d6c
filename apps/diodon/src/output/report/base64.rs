//! Bytes as letters that may stand anywhere in a page: base 64 of RFC 4648, with padding.

use std::io::{self, Write};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Bytes that are encoded at a time: a multiple of three, so that only the last piece is padded.
const PIECE: usize = 3 << 12;

/// Writes the bytes that `values` become in base 64.
pub(super) fn write<const N: usize>(
    out: &mut dyn Write,
    values: impl Iterator<Item = [u8; N]>,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(PIECE + N);
    let mut letters = Vec::with_capacity(PIECE / 3 * 4 + 4);
    for value in values {
        bytes.extend_from_slice(&value);
        if bytes.len() >= PIECE {
            encode(&bytes[..PIECE], &mut letters);
            bytes.drain(..PIECE);
            out.write_all(&letters)?;
            letters.clear();
        }
    }
    encode(&bytes, &mut letters);
    out.write_all(&letters)
}

fn encode(bytes: &[u8], letters: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(*group.get(place).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            letters.push(if place <= group.len() { letter } else { b'=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        write(&mut out, bytes.iter().map(|&byte| [byte])).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn examples_of_the_standard() {
        let cases = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let texts = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(cases.map(|case| encoded(case.as_bytes())), texts.map(str::to_owned));
        assert_eq!(encoded(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn only_the_end_is_padded() {
        let text = encoded(&vec![0; 2 * PIECE + 1]);
        assert_eq!(text.len(), 2 * PIECE / 3 * 4 + 4);
        assert_eq!(text.find('='), Some(text.len() - 2));
    }
}
