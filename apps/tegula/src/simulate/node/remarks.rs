//! What the reader of a simulation should know of it: times that the platform does not have, and
//! flags and memories that have no effect.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tegula_runtime::platform::{Basis, ClassId};
use tegula_runtime::sched::Build;

use super::{Case, Done};
use crate::flags::precision_name;

/// A kernel and a class of workers, and why its time there is not one that the platform has.
pub(super) type Guess<'a> = ((&'static str, &'a str), Basis);

/// Every such pair by which a task could have run.
pub(super) fn guessed<'a>(case: &'a Case<'_>, done: &Done) -> Vec<Guess<'a>> {
    let mut found = BTreeMap::new();
    for (kind, &(codelet, cost)) in done.contents.types.iter().zip(&done.contents.codelets) {
        for (number, class) in case.machine.classes.iter().enumerate() {
            let basis = case.models.basis(codelet, cost, ClassId(number));
            let is_used = kind.seconds[number].is_some();
            if let Some(basis) = basis.filter(|&basis| is_used && basis != Basis::Known) {
                let worst = found.entry((codelet, class.name.as_str())).or_insert(basis);
                *worst = basis.max(*worst);
            }
        }
    }
    found.into_iter().collect()
}

fn word(basis: Basis) -> &'static str {
    match basis {
        Basis::Known => "known",
        Basis::Extrapolated => "extrapolated",
        Basis::Guessed => "guessed",
    }
}

pub(super) fn guessed_json(guesses: &[Guess<'_>]) -> Value {
    let one = |&((codelet, class), basis): &Guess<'_>| json!({ "codelet": codelet, "class": class, "basis": word(basis) });
    guesses.iter().map(one).collect()
}

/// All remarks.
pub(super) fn remarks(case: &Case<'_>, done: &Done) -> Vec<String> {
    let mut remarks = Vec::new();
    if done.contents.tasks == 0 {
        remarks
            .push("there was nothing to run: this program has no task of these sizes".to_owned());
    }
    remarks.extend(of_guesses(&guessed(case, done)));
    remarks.extend(of_precision(case));
    remarks.extend(of_eviction(case));
    if done.contents.tasks > 0 {
        remarks.extend(of_idle_classes(case, done));
    }
    remarks
}

/// In one line, kernels whose times are alike in this taken together.
fn of_guesses(guesses: &[Guess<'_>]) -> Option<String> {
    let mut classes: BTreeMap<(&str, Basis), Vec<&str>> = BTreeMap::new();
    for &((codelet, class), basis) in guesses {
        classes.entry((codelet, basis)).or_default().push(class);
    }
    let mut codelets: BTreeMap<(Basis, Vec<&str>), Vec<&str>> = BTreeMap::new();
    for ((codelet, basis), classes) in classes {
        codelets.entry((basis, classes)).or_default().push(codelet);
    }
    let part = |((basis, classes), codelets): ((Basis, Vec<&str>), Vec<&str>)| {
        format!("{} on {} ({})", codelets.join(", "), classes.join(", "), word(basis))
    };
    let parts: Vec<String> = codelets.into_iter().map(part).collect();
    (!parts.is_empty())
        .then(|| format!("times that the platform does not have: {}", parts.join("; ")))
}

fn of_precision(case: &Case<'_>) -> Option<String> {
    let (asked, there) = (case.flags.precision, case.times_of?);
    (asked != there).then(|| {
        format!(
            "the times of {} are of {}, and stand for {} as they are",
            case.platform,
            precision_name(there),
            precision_name(asked)
        )
    })
}

fn of_eviction(case: &Case<'_>) -> Option<String> {
    let plans_nothing = matches!(case.policy.build, Build::Queue(_));
    (plans_nothing && case.eviction.name == "luf")
        .then(|| format!("{} plans nothing, so that eviction luf is as lru", case.policy.name))
}

/// Classes of workers that can run no task.
fn of_idle_classes(case: &Case<'_>, done: &Done) -> Option<String> {
    let is_idle = |&number: &usize| {
        let has_worker = case.machine.workers.iter().any(|worker| worker.class.0 == number);
        has_worker && done.contents.types.iter().all(|kind| kind.seconds[number].is_none())
    };
    let classes = &case.machine.classes;
    let idle: Vec<&str> =
        (0..classes.len()).filter(is_idle).map(|number| classes[number].name.as_str()).collect();
    (!idle.is_empty()).then(|| {
        format!(
            "{} can run no task: the memory there holds the data of none, or their kernels do not \
             run there",
            idle.join(", ")
        )
    })
}
