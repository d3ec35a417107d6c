//! Prints how many distances of each metric one core computes in a second: points of 10 and 100
//! coordinates, sequences of 400 letters.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use tegula_diodon::distance::{
    DistanceSource, METRICS, MetricChoice, MetricInput, Points, Sequences,
};
use tegula_files::source::{Block, Source};
use tegula_kernels::kernel::random::RandomInputs;

/// Points or sequences; the block that is read is square.
const N: usize = 1024;
/// Letters of a sequence.
const LETTERS: usize = 400;
/// Seconds of measuring.
const SECONDS: f64 = 1.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("metric           of                     million/s");
    let mut random = RandomInputs::new(1);
    for metric in METRICS {
        match (metric.takes(), metric.name) {
            (MetricInput::Points, "haversine") => {
                print(metric.name, "2 coordinates", &points(metric.name, 2, &mut random)?)?
            }
            (MetricInput::Points, name) => {
                for dimensions in [10, 100] {
                    let of = format!("{dimensions} coordinates");
                    print(name, &of, &points(name, dimensions, &mut random)?)?;
                }
            }
            (MetricInput::Sequences, "kmer") => {
                for name in ["kmer:4", "kmer:6", "kmer:8", "kmer:10"] {
                    print(name, "400 letters", &sequences(name, LETTERS, &mut random)?)?;
                }
            }
            (MetricInput::Sequences, "smith-waterman") => {
                for length in [200, LETTERS, 1500] {
                    let of = format!("{length} letters");
                    print(metric.name, &of, &sequences(metric.name, length, &mut random)?)?;
                }
            }
            (MetricInput::Sequences, name) => {
                print(name, "400 letters", &sequences(name, LETTERS, &mut random)?)?
            }
        }
    }
    Ok(())
}

fn points(
    name: &str,
    dimensions: usize,
    random: &mut RandomInputs,
) -> Result<DistanceSource, Box<dyn std::error::Error>> {
    let choice: MetricChoice = name.parse()?;
    let coordinates = (0..N * dimensions).map(|_| 40.0 * (1.0 + random.number::<f64>())).collect();
    let names = |count: usize| (0..count).map(|index| index.to_string()).collect();
    let points = Points::new(names(N), names(dimensions), coordinates)?;
    Ok(DistanceSource::points("points", choice, points)?)
}

/// Sequences that are near each other, as reads of one gene are: a tenth of the letters is drawn
/// anew.
fn sequences(
    name: &str,
    length: usize,
    random: &mut RandomInputs,
) -> Result<DistanceSource, Box<dyn std::error::Error>> {
    let choice: MetricChoice = name.parse()?;
    let letter = |random: &mut RandomInputs| {
        char::from(b"ACGT"[(2.0 + 2.0 * random.number::<f64>()) as usize % 4])
    };
    let first: Vec<char> = (0..length).map(|_| letter(random)).collect();
    let texts: Vec<(String, String)> = (0..N)
        .map(|index| {
            let text = first
                .iter()
                .map(|&x| if random.number::<f64>() > 0.8 { letter(random) } else { x });
            (index.to_string(), text.collect())
        })
        .collect();
    let sequences =
        Sequences::new(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())))?;
    Ok(DistanceSource::sequences("sequences", choice, &sequences)?)
}

/// Reads a block beside the diagonal, again and again.
fn print(name: &str, of: &str, source: &DistanceSource) -> Result<(), Box<dyn std::error::Error>> {
    let mut reader = source.reader()?;
    // Slow ones take part of the rows.
    let rows = if name == "smith-waterman" { N / 16 } else { N / 2 };
    let block = Block { rows: 0..rows, columns: N / 2..N };
    let mut entries = vec![0; block.entries() * source.element().bytes()];
    reader.read(&block, &mut entries)?;
    let (start, mut rounds, mut best) = (Instant::now(), 0, f64::INFINITY);
    while start.elapsed().as_secs_f64() < SECONDS || rounds < 3 {
        let begin = Instant::now();
        reader.read(&block, &mut entries)?;
        best = best.min(begin.elapsed().as_secs_f64());
        rounds += 1;
    }
    println!("{name:<16} {of:<20} {:11.3}", block.entries() as f64 / best / 1e6);
    Ok(())
}
