//! How long FEFT and TEFT take to choose workers, by the number of contexts and of workers: the
//! median of some choices.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use tegula_runtime::sched::ContextId;
use tegula_runtime::sched::contexts::Limits;
use tegula_runtime::sched::hypervisor::{ContextOutlook, Outlook, Trigger, TypeLeft, resizing};

fn context(number: u16, workers: &[usize]) -> ContextOutlook {
    let scale = 1.0 + f64::from(number % 5);
    let seconds = |core: f64, device: f64| vec![core * scale, device];
    let kinds = [(50.0, 3e-2, 9e-3), (700.0, 8e-2, 1e-2), (700.0, 7e-2, 3e-3), (9e3, 0.15, 6e-3)];
    let kind = |&(tasks, core, device): &(f64, f64, f64)| TypeLeft {
        tasks: tasks * scale,
        seconds: seconds(core, device),
    };
    ContextOutlook {
        context: ContextId(number),
        workers: workers.to_vec(),
        limits: vec![Limits::NONE; 2],
        flops: 1e12 * scale,
        speed: vec![10e9 / scale, 250e9],
        measured: vec![None; 2],
        types: kinds.iter().map(kind).collect(),
        ready: 100,
        parents: Vec::new(),
        observed: 0.0,
        ideal: None,
    }
}

fn main() {
    println!("| workers | contexts | feft, ms | teft, ms |\n|---|---|---|---|");
    for (workers, contexts) in [([9, 3], 2), ([9, 3], 10), ([120, 8], 10), ([960, 40], 10)] {
        let all = (1..=contexts).map(|number| context(number, &[1, 0])).collect();
        let outlook = Outlook {
            trigger: Trigger::Request,
            workers: workers.to_vec(),
            contexts: all,
            idle: None,
        };
        let medians = ["feft", "teft"].map(|name| {
            let mut policy = (resizing(name).expect("a listed policy").build)();
            let mut times: Vec<f64> = (0..15)
                .map(|_| {
                    let start = Instant::now();
                    assert!(policy.choose(&outlook).is_some(), "there is a choice");
                    1e3 * start.elapsed().as_secs_f64()
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        let [cores, devices] = workers;
        println!(
            "| {cores} cores, {devices} devices | {contexts} | {:.3} | {:.3} |",
            medians[0], medians[1]
        );
    }
}
