//! Inside the runtime, modules are rooms that stand on each other: each knows only rooms below it,
//! and some know neither threads nor clocks.

use std::collections::BTreeSet;

use crate::{TextFile, assert_kept, has_word, rust_files};

/// What a room of `runtime/src` may know.
struct Room {
    name: &'static str,
    /// The rooms that it uses.
    knows: &'static [&'static str],
    /// Words that it must not use.
    must_not: &'static [&'static [&'static str]],
}

const THREADS: &[&str] = &["thread", "JoinHandle", "Condvar"];
const TIME: &[&str] = &["std::time", "Instant", "SystemTime", "Duration"];
const OUTSIDE: &[&str] = &["std::io", "std::fs", "std::env", "std::net", "std::process", "libc"];
const KERNELS: &[&str] = &["Buffers", "RawBuffer", "info.cpu"];

/// The rooms from the lowest up: each knows only rooms above its own line here.
const ROOMS: &[Room] = &[
    Room { name: "types", knows: &[], must_not: &[THREADS, TIME, OUTSIDE, KERNELS] },
    Room { name: "random", knows: &[], must_not: &[THREADS, TIME, OUTSIDE, KERNELS] },
    Room { name: "sync", knows: &[], must_not: &[TIME] },
    Room { name: "cuda", knows: &[], must_not: &[THREADS, TIME, KERNELS] },
    Room { name: "energy", knows: &["cuda"], must_not: &[KERNELS] },
    Room { name: "watch", knows: &["types"], must_not: &[KERNELS] },
    Room { name: "trace", knows: &["sync", "types"], must_not: &[] },
    Room { name: "platform", knows: &["trace", "types"], must_not: &[TIME] },
    Room {
        name: "memory",
        knows: &["platform", "sync", "trace", "types"],
        must_not: &[THREADS, TIME],
    },
    Room {
        name: "sched",
        knows: &["memory", "platform", "random", "types"],
        must_not: &[THREADS, TIME, OUTSIDE, KERNELS],
    },
    Room {
        name: "ranks",
        knows: &["trace", "types"],
        must_not: &[THREADS, TIME, OUTSIDE, KERNELS],
    },
    Room { name: "comm", knows: &["random", "ranks", "types"], must_not: &[KERNELS] },
    Room {
        name: "flow",
        knows: &["cuda", "memory", "ranks", "sched", "sync", "trace", "types"],
        must_not: &[THREADS, TIME, OUTSIDE],
    },
    Room {
        name: "dispatch",
        knows: &["flow", "memory", "platform", "sched", "trace", "types"],
        must_not: &[THREADS, TIME, OUTSIDE, KERNELS],
    },
    Room {
        name: "sim",
        knows: &[
            "dispatch", "flow", "memory", "platform", "random", "ranks", "sched", "trace", "types",
        ],
        must_not: &[THREADS, TIME, OUTSIDE, KERNELS],
    },
    Room {
        name: "exec",
        knows: &[
            "comm", "cuda", "dispatch", "flow", "memory", "platform", "ranks", "sched", "sync",
            "trace", "types",
        ],
        must_not: &[],
    },
];

/// What rooms do in spite of the table: room, text, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "flow",
        "std::thread::panicking()",
        "a flow that is dropped in a panic must not wait for its tasks",
    ),
    (
        "sim",
        "std::thread",
        "each rank of a simulated cluster runs the program on a thread of its own",
    ),
    ("sim", "Condvar", "those threads wait for each other, and none of them for a clock"),
];

/// The files of the runtime that belong to a room, each with the room's name.
fn files_in_rooms() -> Vec<(String, TextFile)> {
    let room = |path: &str| {
        let inside = path.strip_prefix("runtime/src/")?;
        let name = inside.split('/').next()?.trim_end_matches(".rs");
        (name != "lib").then(|| name.to_owned())
    };
    let files = rust_files().filter(|file| !file.is_test());
    files.filter_map(|file| room(&file.path).map(|name| (name, file))).collect()
}

fn rule(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

/// The code of `file` without what its room may do by exception.
fn code_under_rule(room: &str, file: &TextFile) -> String {
    let exceptions = EXCEPTIONS.iter().filter(|(name, ..)| *name == room);
    exceptions.fold(file.code(), |code, (_, text, _)| code.replace(text, ""))
}

/// The rooms that `code` names.
fn uses(code: &str) -> BTreeSet<String> {
    let paths = code.split("crate::").skip(1).flat_map(paths);
    paths.map(|path| path.split("::").next().unwrap_or_default().to_owned()).collect()
}

/// The paths at the start of `code`: one, or those of a list in braces.
fn paths(code: &str) -> Vec<String> {
    let Some(list) = code.strip_prefix('{') else {
        let end = code
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
            .unwrap_or(code.len());
        let path = &code[..end];
        if path.ends_with("::") && code[end..].starts_with('{') {
            return paths(&code[end..]).into_iter().map(|inner| format!("{path}{inner}")).collect();
        }
        return vec![path.trim_end_matches(':').to_owned()];
    };
    let (mut depth, mut start) = (1, 0);
    let mut found = Vec::new();
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (c == ',' && depth == 1) {
            found.extend(paths(list[start..at].trim()));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    found.retain(|path| !path.is_empty());
    found
}

#[test]
fn rooms_are_found() {
    let code = "use crate::{a, b::{C, d::E}}; crate::f::g(); use crate::h::I as J;";
    assert_eq!(uses(code), ["a", "b", "f", "h"].map(str::to_owned).into());
}

#[test]
fn every_room_has_a_rule() {
    let rooms: BTreeSet<String> = files_in_rooms().into_iter().map(|(room, _)| room).collect();
    let rules: BTreeSet<String> = ROOMS.iter().map(|room| room.name.to_owned()).collect();
    assert_eq!(rooms, rules, "modules of the runtime, and those that ROOMS lists");
}

#[test]
fn rooms_stand_on_those_below() {
    let place = |name: &str| ROOMS.iter().position(|room| room.name == name);
    let above = |room: &Room| {
        let known = room.knows.iter().filter(|known| place(known) >= place(room.name));
        known.map(|known| format!("{} -> {known}", room.name)).collect::<Vec<_>>()
    };
    let broken: Vec<String> = ROOMS.iter().flat_map(above).collect();
    assert_kept("a room of the runtime may know only rooms that ROOMS lists before it:", &broken);
}

#[test]
fn rooms_know_what_they_use_and_no_more() {
    let mut unused: BTreeSet<(String, String)> = BTreeSet::new();
    for room in ROOMS {
        unused.extend(room.knows.iter().map(|&known| (room.name.to_owned(), known.to_owned())));
    }
    let mut broken = Vec::new();
    for (name, file) in files_in_rooms() {
        let Some(rule) = rule(&name) else { continue };
        for used in uses(&file.code()) {
            if used != name && !rule.knows.contains(&used.as_str()) {
                broken.push(format!("{}: crate::{used}", file.path));
            }
            unused.remove(&(name.clone(), used));
        }
    }
    assert_kept("a room of the runtime may use only the rooms that ROOMS lists for it:", &broken);
    let unused: Vec<String> =
        unused.into_iter().map(|(room, known)| format!("{room} -> {known}")).collect();
    assert_kept("a room does not use these rooms that ROOMS lists for it:", &unused);
}

#[test]
fn rooms_keep_off_threads_and_clocks() {
    let mut broken = Vec::new();
    for (name, file) in files_in_rooms() {
        let code = code_under_rule(&name, &file);
        let words = rule(&name).map_or(&[][..], |rule| rule.must_not).concat();
        let found = words.into_iter().filter(|word| has_word(&code, word));
        broken.extend(found.map(|word| format!("{}: {word}", file.path)));
    }
    assert_kept("a room of the runtime must not use these words:", &broken);
}

#[test]
fn rooms_are_not_left_through_the_back() {
    let leaves = |file: &TextFile| {
        let inside = file.path.strip_prefix("runtime/src/").unwrap_or_default();
        let depth = inside.matches('/').count() + usize::from(!inside.ends_with("/mod.rs"));
        file.code().contains(&"super::".repeat(depth))
    };
    let files = files_in_rooms().into_iter().map(|(_, file)| file);
    let broken: Vec<String> = files.filter(leaves).map(|file| file.path).collect();
    assert_kept("other rooms are named from the root, as crate::ROOM:", &broken);
}

#[test]
fn exceptions_are_needed() {
    let files = files_in_rooms();
    let unused = |(room, text, _): &&(&str, &str, &str)| {
        !files.iter().any(|(name, file)| name == room && file.code().contains(text))
    };
    let unused: Vec<String> =
        EXCEPTIONS.iter().filter(unused).map(|(room, text, _)| format!("{room}: {text}")).collect();
    assert_kept("these exceptions are no longer needed:", &unused);
}
