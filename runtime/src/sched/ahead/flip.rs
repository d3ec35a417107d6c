//! Turning packages around so that the ends that share most come to stand side by side (Gonthier
//! 2023, section 3.3.5). It costs no load within a package: an order and its reverse load equally
//! often under Belady's rule (theorem 3).

use super::tasks::Tasks;

/// Turns `first` and `second` so that the end of the one and the start of the other share most.
pub(super) fn flip(first: &mut [u32], second: &mut [u32], tasks: &Tasks) {
    let (starts, ends) = (resident(first.iter(), tasks), resident(first.iter().rev(), tasks));
    let (heads, tails) = (resident(second.iter(), tasks), resident(second.iter().rev(), tasks));
    let turns = [
        (false, false, shared(&ends, &heads, tasks)),
        (false, true, shared(&ends, &tails, tasks)),
        (true, false, shared(&starts, &heads, tasks)),
        (true, true, shared(&starts, &tails, tasks)),
    ];
    let most = turns.iter().map(|&(.., shared)| shared).max();
    let best = turns.iter().find(|&&(.., shared)| Some(shared) == most);
    let &(turn_first, turn_second, _) = best.expect("one of four");
    if turn_first {
        first.reverse();
    }
    if turn_second {
        second.reverse();
    }
}

/// The data, in growing order, of as many of the first tasks as fit together.
fn resident<'a>(order: impl Iterator<Item = &'a u32>, tasks: &Tasks) -> Vec<u32> {
    let (mut data, mut bytes) = (std::collections::BTreeSet::new(), 0);
    for &task in order {
        let inputs = &tasks.inputs[task as usize];
        let missing = inputs.iter().filter(|datum| !data.contains(*datum));
        bytes += missing.map(|&datum| tasks.bytes[datum as usize]).sum::<u64>();
        if bytes > tasks.capacity {
            break;
        }
        data.extend(inputs);
    }
    data.into_iter().collect()
}

fn shared(these: &[u32], those: &[u32], tasks: &Tasks) -> u64 {
    let common = these.iter().filter(|&datum| those.binary_search(datum).is_ok());
    common.map(|&datum| tasks.bytes[datum as usize]).sum()
}
