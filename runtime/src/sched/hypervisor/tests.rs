//! The search for workers beside all possible ones, and what policies make of an outlook.

use proptest::prelude::*;

use super::*;
use crate::sched::contexts::Limits;

/// Every way to deal `workers` out to `contexts`, none kept back of necessity.
fn all_choices(workers: &[usize], contexts: usize) -> Vec<Vec<Vec<usize>>> {
    let mut choices = vec![vec![vec![0; workers.len()]; contexts]];
    for (class, &count) in workers.iter().enumerate() {
        for context in 0..contexts {
            let mut longer = Vec::new();
            for choice in &choices {
                let used: usize = choice.iter().map(|own| own[class]).sum();
                for more in 0..=count - used {
                    let mut next = choice.clone();
                    next[context][class] = more;
                    longer.push(next);
                }
            }
            choices = longer;
        }
    }
    choices
}

fn last(choice: &[Vec<usize>], seconds: impl Fn(usize, &[usize]) -> f64) -> f64 {
    choice.iter().enumerate().map(|(context, own)| seconds(context, own)).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn the_best_choice_is_found(
        cores in 1..6usize, devices in 0..3usize, others in 0..2usize,
        contexts in prop::collection::vec((0.1..100.0, 0.1..5.0, 0.0..20.0, 0.0..20.0), 1..4),
        bounds in prop::collection::vec((0..2usize, 0..5usize), 3),
    ) {
        let workers = [cores, devices, others];
        let limits: Vec<Vec<Limits>> = contexts
            .iter()
            .zip(&bounds)
            .map(|(_, &(least, more))| vec![Limits { least, most: least + more }; 3])
            .map(|mut limits| {
                // What a class has not cannot be asked for.
                for (limit, &count) in limits.iter_mut().zip(&workers) {
                    limit.least = limit.least.min(count);
                }
                limits
            })
            .collect();
        let seconds = |context: usize, own: &[usize]| {
            let (work, core, device, other): (f64, f64, f64, f64) = contexts[context];
            let rate =
                core * own[0] as f64 + device * own[1] as f64 + other * own[2] as f64;
            if rate > 0.0 { work / rate } else { f64::INFINITY }
        };
        let fits = |choice: &Vec<Vec<usize>>| {
            choice.iter().zip(&limits).all(|(own, limits)| {
                own.iter().zip(limits).all(|(&n, l)| (l.least..=l.most).contains(&n))
            })
        };
        let best = all_choices(&workers, contexts.len())
            .iter()
            .filter(|choice| fits(choice))
            .map(|choice| last(choice, seconds))
            .fold(f64::INFINITY, f64::min);
        match allocate(&workers, &limits, seconds) {
            None => prop_assert!(best.is_infinite(), "{best}"),
            Some((choice, time)) => {
                prop_assert!(fits(&choice), "{choice:?}");
                for class in 0..3 {
                    prop_assert!(choice.iter().map(|own| own[class]).sum::<usize>() <= workers[class]);
                }
                prop_assert_eq!(time, last(&choice, seconds));
                prop_assert!(time <= best * 1.0002, "{time} for {best}");
            }
        }
    }

    /// With one class, the area bound is the work divided by the workers; a class more never makes
    /// it longer, and no split of the tasks is shorter.
    #[test]
    fn no_split_of_the_tasks_is_shorter_than_the_area_bound(
        kinds in prop::collection::vec((1.0..100.0, 0.1..10.0, 0.1..10.0, 0.1..10.0), 1..5),
        workers in prop::collection::vec(1..5usize, 3),
        split in prop::collection::vec((0.0..1.0, 0.0..1.0), 5),
    ) {
        let types: Vec<TypeLeft> = kinds
            .iter()
            .map(|&(tasks, a, b, c)| TypeLeft { tasks, seconds: vec![a, b, c] })
            .collect();
        let work: f64 = kinds.iter().map(|&(tasks, a, ..)| tasks * a).sum();
        let alone = area_seconds(&types, &[workers[0], 0, 0]);
        prop_assert!((alone - work / workers[0] as f64).abs() < 1e-9 * alone);
        let two = area_seconds(&types, &[workers[0], workers[1], 0]);
        let three = area_seconds(&types, &workers);
        prop_assert!(two <= alone * (1.0 + 1e-9) && three <= two * (1.0 + 1e-6));
        // Some split of the tasks over the classes.
        let mut busy = [0.0; 3];
        for (kind, &(first, second)) in types.iter().zip(&split) {
            let (second, third) = ((1.0 - first) * second, (1.0 - first) * (1.0 - second));
            for (class, part) in [first, second, third].into_iter().enumerate() {
                busy[class] += part * kind.tasks * kind.seconds[class];
            }
        }
        let longest = (0..3).map(|class| busy[class] / workers[class] as f64).fold(0.0, f64::max);
        prop_assert!(three <= longest * (1.0 + 1e-9), "{three} for {longest}");
    }
}

/// A context of so much work at these speeds, on these workers.
fn context(number: u16, flops: f64, speed: &[f64], workers: &[usize]) -> ContextOutlook {
    ContextOutlook {
        context: ContextId(number),
        workers: workers.to_vec(),
        limits: vec![Limits::NONE; workers.len()],
        flops,
        speed: speed.to_vec(),
        measured: speed.iter().map(|&speed| Some(speed)).collect(),
        types: vec![TypeLeft {
            tasks: flops,
            seconds: speed.iter().map(|&speed| 1.0 / speed).collect(),
        }],
        ready: 10,
        parents: Vec::new(),
        observed: 0.0,
        ideal: None,
    }
}

fn outlook(contexts: Vec<ContextOutlook>, workers: &[usize]) -> Outlook {
    Outlook { trigger: Trigger::Request, workers: workers.to_vec(), contexts, idle: None }
}

fn choose(name: &str, outlook: &Outlook) -> Choice {
    let policy = resizing(name).expect("a listed policy");
    (policy.build)().choose(outlook).expect("a choice")
}

/// The thesis's case: a large factorisation that devices are good at, and a small one that they are
/// not.
fn large_and_small() -> Outlook {
    let large = context(1, 20e12, &[11e9, 280e9], &[7, 3]);
    let small = context(2, 2.6e12, &[11e9, 20e9], &[2, 0]);
    outlook(vec![large, small], &[9, 3])
}

#[test]
fn by_the_work_that_is_left_devices_go_where_they_help() {
    for name in ["feft", "teft"] {
        let Choice { workers, seconds: (now, then) } = choose(name, &large_and_small());
        assert_eq!(workers[0][1], 3, "{name}: {workers:?}");
        assert!(workers[1][0] >= 8, "{name}: {workers:?}");
        assert!(then < 0.5 * now, "{name}: {now} to {then}");
    }
}

/// It gives the small one devices that it makes little of, for it is slow.
#[test]
fn by_speeds_alone_devices_go_astray() {
    let Choice { workers, .. } = choose("ispeed", &large_and_small());
    assert!(workers[0][1] < 3 && workers[1][1] > 0, "{workers:?}");
}

#[test]
fn an_idle_worker_goes_where_most_tasks_wait() {
    let mut contexts: Vec<ContextOutlook> =
        (1..4).map(|number| context(number, 1e9, &[1e9], &[2])).collect();
    contexts[1].ready = 50;
    let mut outlook = outlook(contexts, &[6]);
    outlook.idle = Some((0, 0));
    assert_eq!(choose("idle", &outlook).workers, [[1], [3], [2]]);
    outlook.contexts[0].limits = vec![Limits { least: 2, most: 9 }];
    let policy = resizing("idle").expect("a listed policy");
    assert_eq!((policy.build)().choose(&outlook), None, "it may not give any");
}

#[test]
fn limits_are_kept_though_others_wait() {
    let mut outlook = large_and_small();
    outlook.contexts[1].limits = vec![Limits { least: 2, most: 4 }, Limits { least: 1, most: 1 }];
    for name in ["feft", "teft", "ispeed"] {
        let Choice { workers, .. } = choose(name, &outlook);
        assert!((2..=4).contains(&workers[1][0]) && workers[1][1] == 1, "{name}: {workers:?}");
    }
}
