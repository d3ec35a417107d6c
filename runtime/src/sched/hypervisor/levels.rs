//! Contexts with parents: workers are shared out level by level (Hugo 2014, section 4.4).
//!
//! A parent stands for all that is below it: their operations add up, its speed on a group of
//! workers is that at which they would all be done on it. Its share of the workers is divided among
//! its children, each group of siblings with an end of its own. What goes wrong in one place is
//! mended there: from where it was seen, the levels are gone up until one runs as fast as its
//! workers promised, and the policy is asked below that alone.

use super::{Choice, ContextOutlook, Outlook, Resizing, Trigger};
use crate::sched::contexts::Limits;
use crate::types::ContextId;

/// What `policy` chooses for `outlook`, level by level; `speed_gap` is by which part a level may be
/// off its speed and count as consistent.
pub(super) fn choose(
    policy: &mut dyn Resizing,
    outlook: &Outlook,
    speed_gap: f64,
) -> Option<Choice> {
    if outlook.contexts.iter().all(|own| own.parents.is_empty()) {
        return policy.choose(outlook);
    }
    let above = level_in_need(outlook, speed_gap);
    let is_below = |&place: &usize| outlook.contexts[place].parents.starts_with(above);
    let below: Vec<usize> = (0..outlook.contexts.len()).filter(is_below).collect();
    let workers = match above.is_empty() {
        true => outlook.workers.clone(),
        false => sum(below.iter().map(|&place| &outlook.contexts[place].workers)),
    };
    let mut choice = Choice {
        workers: outlook.contexts.iter().map(|own| own.workers.clone()).collect(),
        seconds: (0.0, 0.0),
    };
    divide(policy, outlook, (&below, above.len()), workers, &mut choice)?;
    Some(choice)
}

/// The parents of the siblings among which workers are to be shared out anew: none of a trigger
/// that is of no one place.
fn level_in_need(outlook: &Outlook, speed_gap: f64) -> &[ContextId] {
    let place = match outlook.trigger {
        Trigger::Idle(_) => outlook.idle.map(|(_, place)| place),
        Trigger::Speed(context) => outlook.contexts.iter().position(|own| own.context == context),
        _ => None,
    };
    let Some(place) = place else { return &[] };
    let mut above = &outlook.contexts[place].parents[..];
    while !above.is_empty() && !is_consistent(outlook, above, speed_gap) {
        above = &above[..above.len() - 1];
    }
    above
}

/// Whether what is below `above` runs as fast as its workers promised.
fn is_consistent(outlook: &Outlook, above: &[ContextId], speed_gap: f64) -> bool {
    let below = outlook.contexts.iter().filter(|own| own.parents.starts_with(above));
    let (observed, ideal) = below.fold((0.0, 0.0), |(observed, ideal), own| {
        (observed + own.observed, ideal + own.ideal.unwrap_or(own.observed))
    });
    (observed - ideal).abs() <= speed_gap * ideal
}

/// Shares `workers` out among the contexts at the places `below`, which have the same `depth`
/// parents.
fn divide(
    policy: &mut dyn Resizing,
    outlook: &Outlook,
    (below, depth): (&[usize], usize),
    workers: Vec<usize>,
    into: &mut Choice,
) -> Option<()> {
    let key = |place: usize| {
        let own = &outlook.contexts[place];
        own.parents.get(depth).copied().unwrap_or(own.context)
    };
    let mut siblings: Vec<Vec<usize>> = Vec::new();
    for &place in below {
        match siblings.iter_mut().find(|of| key(of[0]) == key(place)) {
            Some(of) => of.push(place),
            None => siblings.push(vec![place]),
        }
    }
    let shares = if siblings.len() == 1 {
        vec![workers]
    } else {
        let contexts = siblings.iter().map(|of| whole(outlook, of, key(of[0]))).collect();
        let idle = outlook.idle.and_then(|(group, place)| {
            let sibling = siblings.iter().position(|of| of.contains(&place))?;
            Some((group, sibling))
        });
        let chosen =
            policy.choose(&Outlook { trigger: outlook.trigger, workers, contexts, idle })?;
        let (now, then) = into.seconds;
        into.seconds = (now.max(chosen.seconds.0), then.max(chosen.seconds.1));
        chosen.workers
    };
    for (of, share) in siblings.iter().zip(shares) {
        match of[..] {
            [place] if outlook.contexts[place].parents.len() <= depth => {
                into.workers[place] = share
            }
            _ => divide(policy, outlook, (of, depth + 1), share, into)?,
        }
    }
    Some(())
}

/// The contexts at `places` as one, `context`.
fn whole(outlook: &Outlook, places: &[usize], context: ContextId) -> ContextOutlook {
    let all: Vec<&ContextOutlook> = places.iter().map(|&place| &outlook.contexts[place]).collect();
    if let [only] = all[..] {
        return only.clone();
    }
    let groups = 0..outlook.workers.len();
    let flops: f64 = all.iter().map(|own| own.flops).sum();
    // All of it on one worker of a group, part after part; who cannot run there leaves it to
    // others.
    let speed = |of: &dyn Fn(&ContextOutlook) -> f64| {
        let runs = all.iter().filter(|own| of(own) > 0.0);
        let (work, time) = runs.fold((0.0, 0.0), |(work, time), own| {
            let own_work = own.flops.max(1.0);
            (work + own_work, time + own_work / of(own))
        });
        if time > 0.0 { work / time } else { 0.0 }
    };
    let measured = |group: usize| {
        let is_known = all.iter().all(|own| own.measured[group].is_some());
        is_known.then(|| speed(&|own| own.measured[group].unwrap_or(0.0)))
    };
    let limit = |group: usize| {
        let of = |own: &&ContextOutlook| own.limits.get(group).copied().unwrap_or(Limits::NONE);
        let least = all.iter().map(|own| of(own).least).sum();
        let most = all.iter().fold(0usize, |most, own| most.saturating_add(of(own).most));
        Limits { least, most }
    };
    ContextOutlook {
        context,
        parents: Vec::new(),
        workers: sum(all.iter().map(|own| &own.workers)),
        limits: groups.clone().map(limit).collect(),
        flops,
        speed: groups.clone().map(|group| speed(&|own| own.speed[group])).collect(),
        measured: groups.map(measured).collect(),
        types: all.iter().flat_map(|own| own.types.iter().cloned()).collect(),
        ready: all.iter().map(|own| own.ready).sum(),
        observed: all.iter().map(|own| own.observed).sum(),
        ideal: all.iter().map(|own| own.ideal).sum(),
    }
}

/// The sum, group by group.
fn sum<'a>(each: impl Iterator<Item = &'a Vec<usize>>) -> Vec<usize> {
    each.fold(Vec::new(), |mut all, own| {
        all.resize(own.len().max(all.len()), 0);
        all.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::hypervisor::resizing;
    use crate::types::WorkerId;

    fn context(number: u16, parents: &[u16], flops: f64, workers: usize) -> ContextOutlook {
        ContextOutlook {
            context: ContextId(number),
            parents: parents.iter().copied().map(ContextId).collect(),
            workers: vec![workers],
            limits: vec![Limits::NONE],
            flops,
            speed: vec![1.0],
            measured: vec![None],
            types: Vec::new(),
            ready: 10,
            observed: workers as f64,
            ideal: Some(workers as f64),
        }
    }

    fn outlook(trigger: Trigger, contexts: Vec<ContextOutlook>) -> Outlook {
        let workers = sum(contexts.iter().map(|own| &own.workers));
        Outlook { trigger, workers, contexts, idle: None }
    }

    fn chosen(outlook: &Outlook) -> Vec<usize> {
        let mut policy = (resizing("feft").expect("a listed policy").build)();
        let choice = choose(&mut *policy, outlook, 0.3).expect("there is a choice");
        choice.workers.into_iter().map(|own| own[0]).collect()
    }

    /// Two parents, of 60 and 20 operations; the children of the first have 50 and 10.
    fn tree(trigger: Trigger) -> Outlook {
        let contexts = vec![
            context(3, &[1], 50.0, 2),
            context(4, &[1], 10.0, 2),
            context(5, &[2], 10.0, 2),
            context(6, &[2], 10.0, 2),
        ];
        outlook(trigger, contexts)
    }

    #[test]
    fn shares_are_divided_level_by_level() {
        // Six workers to the first parent, of which five to the larger child, and two to the other.
        assert_eq!(chosen(&tree(Trigger::Window)), [5, 1, 1, 1]);
        let flat =
            outlook(Trigger::Window, vec![context(1, &[], 30.0, 2), context(2, &[], 10.0, 2)]);
        assert_eq!(chosen(&flat), [3, 1]);
    }

    #[test]
    fn what_is_wrong_in_one_place_is_mended_there() {
        let mut seen = tree(Trigger::Speed(ContextId(3)));
        // Together the children of context 1 are as fast as they are to be.
        (seen.contexts[0].observed, seen.contexts[1].observed) = (1.0, 3.0);
        assert_eq!(chosen(&seen), [3, 1, 2, 2]);
        // They are not.
        seen.contexts[1].observed = 1.0;
        assert_eq!(chosen(&seen), [5, 1, 1, 1]);
        let mut idle = tree(Trigger::Idle(WorkerId(0)));
        idle.idle = Some((0, 2));
        (idle.contexts[2].workers, idle.contexts[3].workers) = (vec![3], vec![1]);
        assert_eq!(chosen(&idle), [2, 2, 2, 2]);
    }

    /// One whose child has ended is a leaf, though what was below that child goes on.
    #[test]
    fn a_context_may_stand_beside_a_child_of_its_child() {
        let contexts = vec![context(1, &[], 30.0, 2), context(3, &[1, 2], 10.0, 2)];
        assert_eq!(chosen(&outlook(Trigger::Window, contexts)), [3, 1]);
    }

    #[test]
    fn a_parent_beside_leaves_counts_as_what_is_below_it() {
        let contexts = vec![
            context(2, &[1, 7], 20.0, 1),
            context(3, &[1, 8], 20.0, 1),
            context(4, &[], 40.0, 6),
        ];
        assert_eq!(chosen(&outlook(Trigger::Window, contexts)), [2, 2, 4]);
    }
}
