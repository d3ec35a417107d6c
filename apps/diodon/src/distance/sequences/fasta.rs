//! Reading FASTA files (Pearson and Lipman 1988, PNAS 85:2444): a line `>name description`, then
//! the letters on any number of lines.
//!
//! It is short enough to be our own: what crates for it add, speed beyond that of a disk and
//! records that borrow, is of no use before distances, and their messages know neither sequence nor
//! position.

use std::io::BufRead;
use std::path::Path;

use tegula_files::text::{Text, TextFault, read_line};

use super::{DistanceError, Sequences};

/// Reads the file at `path`, in `memory_bytes` at most.
///
/// # Errors
/// If it cannot be read, is no FASTA file, or is too large.
pub(super) fn read(path: &Path, memory_bytes: u64) -> Result<Sequences, DistanceError> {
    let failed = |cause| DistanceError::Read { path: path.to_owned(), cause };
    let mut text = Text::open(path).map_err(failed)?;
    text.skip_mark().map_err(failed)?;
    // A line and the letters of all lines are held at the same time.
    let mut sequences = parse(path, &mut text, memory_bytes / 2)?;
    sequences.bytes_read = text.bytes_taken();
    Ok(sequences)
}

/// Reads the text of the file at `path`, of which `most` bytes may be kept.
fn parse(path: &Path, mut text: impl BufRead, most: u64) -> Result<Sequences, DistanceError> {
    let failed = |cause| DistanceError::Read { path: path.to_owned(), cause };
    let too_large = |line| failed(TextFault::memory("what the sequences hold", (line, most)));
    let mut sequences = Sequences::default();
    let (mut line, mut number) = (Vec::new(), 0);
    // The line on which the last sequence begins.
    let mut header = 0;
    loop {
        line.clear();
        let read = read_line(&mut text, &mut line, (number + 1, most));
        let count = read.map_err(|cause| match TextFault::of(&cause) {
            Some(TextFault::LongLine { .. }) => too_large(number + 1),
            _ => failed(cause),
        })?;
        let is_over = count == 0;
        if is_over || line.first() == Some(&b'>') {
            require_letters(&sequences).map_err(|reason| at(path, header, reason))?;
        }
        if is_over {
            break;
        }
        number += 1;
        let added = if let Some(title) = line.strip_prefix(b">") {
            header = number;
            begin(&mut sequences, title)
        } else if header == 0 {
            if line.trim_ascii().is_empty() { Ok(()) } else { Err(no_fasta(&line)) }
        } else {
            sequences.extend(&line)
        };
        added.map_err(|reason| at(path, number, reason))?;
        if sequences.bytes() > most {
            return Err(too_large(number));
        }
    }
    if header == 0 {
        return Err(at(
            path,
            number.max(1),
            "the file is empty: there is no sequence in it".to_owned(),
        ));
    }
    Ok(sequences)
}

fn at(path: &Path, line: u64, reason: String) -> DistanceError {
    DistanceError::Fasta { path: path.to_owned(), line, reason }
}

/// Begins the sequence whose first line says `title`.
fn begin(sequences: &mut Sequences, title: &[u8]) -> Result<(), String> {
    let title = String::from_utf8_lossy(title);
    let name = title.split_whitespace().next().ok_or("there is no name behind the '>'")?;
    sequences.begin(name);
    Ok(())
}

/// The last sequence, if there is one, must have letters.
fn require_letters(sequences: &Sequences) -> Result<(), String> {
    match sequences.iter().next_back() {
        Some((name, [])) => Err(format!("sequence {name} has no letters; is the file cut short?")),
        _ => Ok(()),
    }
}

/// What is said of a file whose first line is `line`.
fn no_fasta(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let shown: String = text.trim().chars().take(20).flat_map(char::escape_default).collect();
    let hint = if line.starts_with(b"@") { "; a FASTQ file has to be converted first" } else { "" };
    format!("a FASTA file begins with '>' and a name, not with '{shown}'{hint}")
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{Sequences, parse, read};

    fn parsed(text: &str) -> Result<Sequences, String> {
        parse(Path::new("a.fasta"), text.as_bytes(), 1 << 20).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_of_a_sequence_are_joined_and_names_end_at_a_blank() {
        let text = "\n>one first\r\nACG\r\n T\r\n\r\n>two|x\tsecond\nac\ngt\n\n> three\nN";
        let sequences = parsed(text).expect("FASTA");
        assert_eq!(sequences.names(), ["one", "two|x", "three"]);
        assert_eq!(sequences.letters(0), [1, 2, 4, 8]);
        assert_eq!(sequences.letters(0), sequences.letters(1));
        assert_eq!(sequences.letters(2), [15]);
    }

    #[test]
    fn what_is_no_fasta_is_refused_with_its_line() {
        for (text, says) in [
            ("", "a.fasta, line 1: the file is empty"),
            ("\n\n", "a.fasta, line 2: the file is empty"),
            ("ACGT\n", "line 1: a FASTA file begins with '>' and a name, not with 'ACGT'"),
            ("@read\nACGT\n", "FASTQ"),
            (">a\nAC\n>\nGT\n", "line 3: there is no name"),
            (">a\n>b\nGT\n", "line 1: sequence a has no letters"),
            (">a\nAC\n>b\n", "line 3: sequence b has no letters"),
            (">a\nACGT\nACG*\n", "line 3: sequence a has '*' at position 8"),
        ] {
            let error = parsed(text).expect_err(text);
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn compressed_files_are_read_whatever_their_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reads.fa");
        let mut bytes = Vec::new();
        for text in [">a\nACGT\n>b\nAC", "GA\n"] {
            let mut member = GzEncoder::new(&mut bytes, Compression::default());
            member.write_all(text.as_bytes()).expect("memory");
            member.finish().expect("memory");
        }
        std::fs::write(&path, &bytes).expect("a file");
        let sequences = read(&path, 1 << 20).expect("FASTA");
        assert_eq!(sequences.letters(1), [1, 2, 4, 1]);
        std::fs::write(&path, &bytes[..bytes.len() - 9]).expect("a file");
        let error = read(&path, 1 << 20).expect_err("cut short").to_string();
        assert!(error.starts_with("cannot read") && error.contains("reads.fa"), "{error}");
    }
}
