//! What reading and multiplying take alone, and together.

use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use tegula_diodon::stream::Parts;
use tegula_kernels::scalar::Real;

use super::Mds;
use super::setup::Setup;
use crate::output::{Align, Console, Table, bytes, seconds};

/// Rounds, in each of which every part is measured once.
const ROUNDS: usize = 5;
const PARTS: [(Parts, &str); 3] =
    [(Parts::Reading, "reading"), (Parts::Multiplying, "multiplying"), (Parts::All, "both")];

impl Mds {
    /// Times passes over the distances with one part left out, and with both, and writes the
    /// medians.
    pub(super) fn measure<T: Real>(&self, setup: &Setup, console: &Console) -> Result<Value> {
        let distribution = self.distribution(&setup.run)?;
        let (mut flow, mut gram, _) = self.gram(setup, distribution, false)?;
        if gram.stream().held() == gram.stream().tiles() {
            bail!(
                "all {} tiles fit the memory, and nothing is read after the first pass: allow less --memory",
                gram.stream().tiles()
            );
        }
        let width = setup.request.width;
        let (x, y) = (gram.panel(&mut flow, width), gram.panel(&mut flow, width));
        for i in 0..x.mt() {
            let entries = x.tile_rows(i) * width;
            let numbers: Vec<f64> = (0..entries).map(|k| (k as f64).sin()).collect();
            flow.overwrite(x.tile(i, 0), &numbers)?;
        }
        // The first pass also takes sums, and fills the buffers.
        gram.multiply::<T>(&mut flow, &x, &y)?;
        let (tiles, before) = (gram.stream().tiles(), gram.stream().reading().bytes());
        let mut times = [const { Vec::new() }; PARTS.len()];
        for _ in 0..ROUNDS {
            for ((parts, _), times) in PARTS.iter().zip(&mut times) {
                gram.keep_to(*parts);
                let start = Instant::now();
                gram.multiply::<T>(&mut flow, &x, &y)?;
                times.push(start.elapsed().as_secs_f64());
            }
        }
        let read = (gram.stream().reading().bytes() - before) / (2 * ROUNDS as u64);
        let medians = times.map(median);
        [x, y].into_iter().for_each(|panel| panel.unregister(&mut flow));
        gram.close(&mut flow);
        let longer = medians[0].max(medians[1]);
        print(console, medians, read);
        let mut facts = self.facts(setup);
        let parts =
            PARTS.iter().zip(medians).map(|((_, name), time)| ((*name).to_owned(), json!(time)));
        facts.insert("seconds_per_pass".to_owned(), Value::Object(parts.collect()));
        facts.insert("ratio_to_the_longer".to_owned(), json!(medians[2] / longer));
        facts.insert("bytes_per_pass".to_owned(), json!(read));
        facts.insert("tiles".to_owned(), json!(tiles));
        Ok(Value::Object(facts))
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn print(console: &Console, medians: [f64; 3], read: u64) {
    let mut table = Table::new(&[("a pass", Align::Left), ("takes", Align::Right)]);
    for ((_, name), time) in PARTS.iter().zip(medians) {
        table.row(vec![(*name).to_owned(), seconds(time)]);
    }
    console.line(table);
    let [reading, multiplying, both] = medians;
    console.line(format_args!(
        "both take {:.2} times the longer of the two; {} are read in a pass",
        both / reading.max(multiplying),
        bytes(read as f64)
    ));
}
