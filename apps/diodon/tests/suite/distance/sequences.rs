//! Distances between sequences.

use std::collections::HashMap;

use proptest::prelude::*;
use tegula_diodon::distance::{METRICS, MetricInput};
use tegula_files::source::Block;
use tegula_kernels::element::Element;

use super::{check, condensed, of_sequences, read, try_sequences, whole};

/// Letters of DNA, some for several bases, some gaps.
const LETTERS: &[u8] = b"ACGTACGTacgtUuNnRY.-";

fn bases(text: &str) -> Vec<u8> {
    text.to_ascii_uppercase().replace('U', "T").into_bytes()
}

fn is_base(letter: u8) -> bool {
    b"ACGT".contains(&letter)
}

/// Counts of the words of `k` letters.
fn words(text: &str, k: usize) -> HashMap<Vec<u8>, usize> {
    let letters: Vec<u8> = bases(text).into_iter().filter(|x| !b"-.".contains(x)).collect();
    let mut words = HashMap::new();
    for word in letters.windows(k).filter(|word| word.iter().all(|&x| is_base(x))) {
        *words.entry(word.to_vec()).or_default() += 1;
    }
    words
}

fn kmer(x: &str, y: &str, k: usize) -> f64 {
    let (x, y) = (words(x, k), words(y, k));
    let shared: usize = x.iter().map(|(word, &count)| count.min(*y.get(word).unwrap_or(&0))).sum();
    1.0 - shared as f64 / x.values().sum::<usize>().min(y.values().sum()) as f64
}

/// Sites compared, transitions, transversions.
fn sites(x: &str, y: &str) -> [f64; 3] {
    let mut counts = [0.0; 3];
    for (a, b) in bases(x).into_iter().zip(bases(y)).filter(|&(a, b)| is_base(a) && is_base(b)) {
        let is_purine = |x: u8| x == b'A' || x == b'G';
        counts[0] += 1.0;
        if a != b {
            counts[if is_purine(a) == is_purine(b) { 1 } else { 2 }] += 1.0;
        }
    }
    counts
}

fn smith_waterman(x: &str, y: &str) -> f64 {
    let letters = |text| -> Vec<u8> {
        bases(text).into_iter().filter(|letter| !b"-.".contains(letter)).collect()
    };
    let (x, y) = (letters(x), letters(y));
    let mut above = vec![0.0_f64; y.len() + 1];
    let mut best = 0.0_f64;
    for &a in &x {
        let mut row = vec![0.0; y.len() + 1];
        for (j, &b) in y.iter().enumerate() {
            let matched = above[j] + if a == b && is_base(a) { 1.0 } else { -1.0 };
            row[j + 1] = matched.max(above[j + 1] - 1.0).max(row[j] - 1.0).max(0.0);
            best = best.max(row[j + 1]);
        }
        above = row;
    }
    (x.len().min(y.len()) as f64 - best) / 2.0
}

/// A letter.
fn letter() -> impl Strategy<Value = char> {
    prop::sample::select(LETTERS).prop_map(char::from)
}

/// A sequence of some length.
fn text(length: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = String> {
    prop::collection::vec(letter(), length).prop_map(String::from_iter)
}

/// Sequences of any length up to `most`.
fn sequences(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(0..=most), 2..40)
}

/// The share that rounding may take of a distance: quotients and differences of whole numbers.
const TOLERANCE: f64 = 1e-12;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn words_are_counted_as_edgar_does(tails in sequences(80), k in 1usize..=9) {
        let texts: Vec<String> = tails.iter().map(|tail| format!("ACGGTACCA{tail}")).collect();
        let source = of_sequences(&format!("kmer:{k}"), &texts);
        check(&source, TOLERANCE, |i, j| kmer(&texts[i], &texts[j], k));
    }

    #[test]
    fn words_that_are_there_very_often_are_counted(
        tails in sequences(20),
        runs in prop::collection::vec(0usize..400, 2..8),
        k in 1usize..=6,
    ) {
        let text = |(tail, run): (&String, &usize)| format!("ACGGTACCA{tail}{}", "A".repeat(*run));
        let texts: Vec<String> = tails.iter().zip(&runs).map(text).collect();
        let source = of_sequences(&format!("kmer:{k}"), &texts);
        check(&source, TOLERANCE, |i, j| kmer(&texts[i], &texts[j], k));
    }

    #[test]
    fn sites_are_compared_one_by_one(
        rows in (1usize..200).prop_flat_map(|length| {
            prop::collection::vec(text(length), 2..40)
        })
    ) {
        // The first letter can be compared everywhere.
        let texts: Vec<String> = rows.iter().map(|row| format!("A{row}")).collect();
        let source = of_sequences("p-distance", &texts);
        check(&source, TOLERANCE, |i, j| {
            let [compared, transitions, transversions] = sites(&texts[i], &texts[j]);
            (transitions + transversions) / compared
        });
    }

    #[test]
    fn substitutions_are_those_of_kimura(
        first in "[ACGT]{300}",
        changes in prop::collection::vec(prop::collection::vec((0usize..300, letter()), 0..60), 2..30),
    ) {
        let text = |changes: &Vec<(usize, char)>| {
            let mut text = first.clone();
            for &(at, letter) in changes {
                text.replace_range(at..=at, letter.encode_utf8(&mut [0; 4]));
            }
            text
        };
        let texts: Vec<String> = changes.iter().map(text).collect();
        let source = of_sequences("k80", &texts);
        check(&source, TOLERANCE, |i, j| {
            let [compared, transitions, transversions] = sites(&texts[i], &texts[j]);
            let (p, q) = (transitions / compared, transversions / compared);
            -0.5 * (1.0 - 2.0 * p - q).ln() - 0.25 * (1.0 - 2.0 * q).ln() + 0.0
        });
    }

    #[test]
    fn alignments_are_those_of_the_recurrence(texts in sequences(70)) {
        let source = of_sequences("smith-waterman", &texts);
        check(&source, 0.0, |i, j| smith_waterman(&texts[i], &texts[j]));
    }
}

#[test]
fn words_are_counted_beyond_what_sixteen_bits_hold() {
    let text = |a: usize, c: usize| "A".repeat(a) + &"C".repeat(c);
    let texts = [text(70_000, 10), text(69_000, 500), text(3, 80_000), text(5, 5)];
    let source = of_sequences("kmer:1", &texts);
    // The first two share 69000 A and 10 C, of 69500.
    assert_eq!(whole(&source)[1], 490.0 / 69_500.0);
    check(&source, TOLERANCE, |i, j| kmer(&texts[i], &texts[j], 1));
}

#[test]
fn long_sequences_are_aligned_in_wider_lanes() {
    let text = |step: usize, length: usize| -> String {
        (0..length).map(|i| char::from(b"ACGT"[(i * i / step + i / 7) % 4])).collect()
    };
    // Scores of 252, 253, 254 and more stand on both sides of what a byte holds.
    let texts: Vec<String> =
        [1, 100, 251, 252, 253, 254, 255, 256, 300, 700].map(|length| text(5, length)).to_vec();
    let texts: Vec<String> = texts.into_iter().chain([text(3, 400), text(11, 260)]).collect();
    let source = of_sequences("smith-waterman", &texts);
    check(&source, 0.0, |i, j| smith_waterman(&texts[i], &texts[j]));
    assert_eq!(condensed(&whole(&source), texts.len())[..9], [0.0; 9], "one is a part of the next");
}

#[test]
fn sequences_without_letters_score_nothing() {
    let found = whole(&of_sequences("smith-waterman", &["", "A", "-", "N", "CA"]));
    assert_eq!(condensed(&found, 5), [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]);
}

#[test]
fn numbers_are_those_of_parasail_and_ape() {
    // parasail 2.6 (sw_striped_16, match 1, mismatch -1, gap open 1, gap extension 1).
    let reads = [
        "GGATCACAGTCTACACTGCTCACTCCAACCCCGGCCCCTG",
        "AGTCCGAGGAGAGGGTGCTTCAGAGTATGTATACC",
        "ACTGGGTAGGATACGGCGGAGGGCACGTCAATACGGTTCAATGCCCTACT",
        "GGATCACGGTCTACACTGCTACTCCAACCCTCGCCTG",
    ];
    let source = of_sequences("smith-waterman", &reads).with_element(Element::F16);
    assert_eq!(condensed(&whole(&source), 4), [15.0, 15.5, 4.0, 13.5, 14.0, 13.0]);
    // ape 5.7, dist.dna(pairwise.deletion = TRUE).
    let aligned = [
        "acgtacgtacgtacgtacgtacgtacgtacgt",
        "acgtgcgtacgtatgtacgtacgaacgtacgt",
        "acgtacgcaagtacntacg-ccgtrcgttcgt",
        "acatacgtacgtccgtgcgtacgtacgtncgt",
    ];
    let facts = [
        (
            "k80",
            [
                0.10108414868209151,
                0.15257140333359528,
                0.10461817685650014,
                0.29212177347577956,
                0.22926996800106586,
                0.2541732797086037,
            ],
        ),
        (
            "p-distance",
            [
                0.09375,
                0.13793103448275862,
                0.0967741935483871,
                0.2413793103448276,
                0.1935483870967742,
                0.21428571428571427,
            ],
        ),
    ];
    for (name, expected) in facts {
        let found = condensed(&whole(&of_sequences(name, &aligned)), 4);
        for (x, y) in found.iter().zip(expected) {
            // The logarithm is of numbers near 1.
            assert!((x - y).abs() <= 8.0 * f64::EPSILON, "{name}: {found:?}");
        }
    }
}

#[test]
fn sequences_that_have_no_distance_are_refused_by_name() {
    for (name, texts, says) in [
        (
            "kmer:6",
            ["ACGTAC", "ACGTA"],
            "sequence 1 has no word of 6 letters of A, C, G, T: it has 5",
        ),
        ("kmer:3", ["ACNGT", "ACGTA"], "sequence 0 has no word of 3"),
        ("p-distance", ["ACGT", "ACGTA"], "sequence 1 has 5 letters, the first one, 0, has 4"),
        ("k80", ["ACGT", "ACG"], "have to be aligned"),
        ("smith-waterman", ["ACGT", "ACEG"], "sequence 1 has 'E' at position 3"),
        ("jaccard", ["ACGT", "ACGT"], "jaccard is a distance between points"),
    ] {
        let error = try_sequences(name, &texts).expect_err(says);
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn pairs_that_have_no_distance_are_named_when_they_are_read() {
    let block = Block { rows: 0..1, columns: 1..3 };
    for (name, texts) in [
        ("p-distance", ["ANNN", "ACGT", "NACG"]),
        ("k80", ["AAAA", "AAAA", "CCCC"]),
        ("k80", ["AAAA", "AAAA", "GGAA"]),
        ("k80", ["ANNN", "ACGT", "NACG"]),
    ] {
        let error = read(&of_sequences(name, &texts), &block).expect_err("undefined").to_string();
        assert!(error.contains("the distance of 0 and 2 is not defined"), "{error}");
    }
}

#[test]
fn every_metric_of_sequences_gives_no_distance_to_a_copy() {
    let text = "ACGGTACCAGTTACGACTTACGGCATTTACG";
    for metric in METRICS.iter().filter(|metric| metric.takes() == MetricInput::Sequences) {
        let found = whole(&of_sequences(metric.name, &[text, text]));
        assert!(found.iter().all(|x| x.to_bits() == 0), "{}: {found:?}", metric.name);
    }
}
