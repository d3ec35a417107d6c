//! Trace files that come back as they were, broken ones that are refused, and traces of ranks that
//! become one.

use super::*;
use crate::random::SplitMix64;

/// A task of `codelet` on `worker` from `start` to `end`, after the task `after` if that is some.
fn task(
    task: u64,
    codelet: &'static str,
    worker: usize,
    time: (u64, u64),
    after: i64,
) -> TaskRecord {
    TaskRecord {
        task,
        codelet,
        phase: 0,
        job: 0,
        worker,
        priority: -7,
        iteration: task as u32 / 2,
        spot: (task % 2 == 1).then_some(spot(task as usize)),
        after: u64::try_from(after + 1).expect("-1 or an index"),
        start: time.0,
        end: time.1,
        outcome: Outcome::Done,
    }
}

fn spot(row: usize) -> Spot {
    Spot { row, column: 2, rows: 9, columns: 4 }
}

/// Two CPUs and a GPU, each with tasks, transfers and samples; ends at 100.
fn small() -> Trace {
    let site = Site {
        workers: ["CPU 0", "CPU 1", "GPU, \"0\""].map(str::to_owned).to_vec(),
        classes: ["cpu", "cpu", "cuda-0"].map(str::to_owned).to_vec(),
        memories: ["RAM", "GPU 0"].map(str::to_owned).to_vec(),
        capacities: vec![None, Some(u64::MAX)],
        ..Site::default()
    };
    let tasks = vec![
        task(0, "potrf", 0, (0, 10), -1),
        task(1, "trsm", 1, (12, 30), 0),
        task(2, "gemm", 2, (40, 60), 1),
        task(3, "gemm", 0, (30, 90), 1),
        task(4, "potrf", 0, (95, 100), 3),
    ];
    let transfer = |handle, bytes, src, dst, purpose, start, end| TransferRecord {
        handle,
        bytes,
        src,
        dst,
        purpose,
        start,
        end,
    };
    let transfers = vec![
        transfer(7, 800, 0, 1, Purpose::Fetch, 30, 40),
        transfer(8, 800, 0, 1, Purpose::Fetch, 31, 45),
        transfer(9, 100, 0, 1, Purpose::Prefetch, 45, 50),
        transfer(7, 800, 1, 0, Purpose::WriteBack, 90, 120),
    ];
    let sample = |time, gauge, value| Sample { time, gauge, value };
    let samples = vec![
        sample(0, Gauge::Ready, 1),
        sample(10, Gauge::Ready, 2),
        sample(30, Gauge::Memory(1), 1600),
        sample(120, Gauge::Memory(1), 0),
    ];
    let about = [("program", "cholesky, \"small\""), ("seed", "0"), ("eviction", "")];
    let about = about.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let records = Records { tasks, transfers, samples, ..Records::default() };
    Trace { about, ..Trace::new(records, site, &["a phase", "un\u{e9}, \"x\""]) }
}

/// Two contexts, between which a worker moves.
fn with_contexts() -> Trace {
    let moved = |worker, left, joined| WorkerMove { worker, left, joined };
    let resize =
        |time, trigger, moved| ResizeRecord { time, trigger, policy: "feft", decision: 70, moved };
    let job = |name: &str, context| JobRecord { name: name.to_owned(), context };
    let mut trace = small();
    trace.contexts = ContextRecords {
        names: ["all", "large", "small, \"too\""].map(str::to_owned).to_vec(),
        jobs: vec![job("all", 0), job("potrf", 1), job("getrf", 2)],
        resizes: vec![
            resize(0, "created", vec![moved(0, 0, 1), moved(1, 0, 1), moved(2, 0, 2)]),
            resize(50, "idle", vec![moved(1, 1, 2)]),
            resize(95, "end", vec![moved(0, 1, 0)]),
        ],
    };
    trace.records[3].job = 2;
    trace
}

#[test]
fn traces_know_which_context_had_which_workers() {
    let trace = with_contexts();
    assert_eq!(read(&written(&trace)).expect("it was just written"), trace);
    assert_eq!(trace.contexts.of_job(2), 2);
    let counts = trace.contexts.worker_counts(3);
    let expected =
        [(0, vec![0, 2, 1]), (50, vec![0, 1, 2]), (95, vec![1, 0, 2])].map(|count| count);
    assert_eq!(counts, expected);
    for (good, bad, says) in [
        ("\n1,1,1,2\n", "\n3,1,1,2\n", "field 1 names resize 3"),
        ("\n1,1,1,2\n", "\n1,1,1,3\n", "field 4 names context 3"),
        ("potrf,1\n", "potrf,3\n", "field 2 names context 3"),
    ] {
        let text = written(&trace);
        assert!(text.contains(good), "{good:?} in {text}");
        let error = read(&text.replacen(good, bad, 1)).expect_err(bad).to_string();
        assert!(error.contains(says), "{bad}: {error}");
    }
}

/// Both ends of a message of `bytes` bytes: when each was ready, began and ended.
fn message(
    datum: u32,
    bytes: u64,
    (from, to): (usize, usize),
    sent: [u64; 3],
    received: [u64; 3],
) -> MessageRecord {
    let passage = |[ready, start, end]: [u64; 3]| Some(Passage { ready, start, end });
    let (sent, received) = (passage(sent), passage(received));
    let (version, priority, after) = (2, -3, u64::from(datum).saturating_sub(3));
    MessageRecord { datum, version, bytes, from, to, priority, after, sent, received }
}

/// Two ranks of one worker each, with messages both ways and one to nobody's clock.
fn over_ranks() -> Trace {
    let site = Site {
        ranks: vec![0, 1],
        uncertainties: vec![0, 3],
        workers: ["rank 0 worker 0", "rank 1 worker 0"].map(str::to_owned).to_vec(),
        ..Site::cores(2)
    };
    let tasks = vec![
        task(0, "potrf", 0, (0, 20), -1),
        task(1, "trsm", 1, (30, 60), 0),
        task(2, "gemm", 0, (40, 100), 0),
    ];
    let one_end = MessageRecord { received: None, ..message(9, 7, (1, 0), [80; 3], [0; 3]) };
    let messages = vec![
        message(4, 1000, (0, 1), [20, 21, 25], [5, 24, 29]),
        message(4, 1000, (0, 1), [50, 50, 70], [50, 60, 70]),
        message(5, 3000, (1, 0), [60, 62, 90], [40, 70, 90]),
        one_end,
    ];
    let poll = |rank, start, end| PollRecord { rank, start, end };
    let polls = vec![poll(0, 20, 22), poll(1, 24, 24)];
    let records = Records { tasks, messages, polls, ..Records::default() };
    Trace::new(records, site, &["none"])
}

fn written(trace: &Trace) -> String {
    let mut file = Vec::new();
    trace.write(&mut file).expect("memory takes all");
    String::from_utf8(file).expect("the file is text")
}

fn read(text: &str) -> Result<Trace, ReadError> {
    Trace::read(text.as_bytes())
}

#[test]
fn files_come_back_as_they_were() {
    let mut failed = small();
    failed.records[1].outcome = Outcome::Failed;
    failed.records[2].outcome = Outcome::Skipped;
    failed.records[2].phase = 1;
    failed.records[3].priority = i32::MIN;
    let nothing = Trace::new(Records::default(), Site::default(), &[]);
    let idle = Trace::new(Records::default(), Site::cores(3), &["none"]);
    for trace in [small(), failed, nothing, idle, over_ranks()] {
        assert_eq!(read(&written(&trace)).expect("it was just written"), trace);
        let windows = written(&trace).replace('\n', "\r\n");
        assert_eq!(read(&windows).expect("other ends of lines are read"), trace);
    }
}

#[test]
fn files_of_the_first_version_are_read() {
    let text = without_jobs(&written(&Trace { about: Vec::new(), ..small() }));
    let old = without_ranks(&text).replacen(
        "tegula-trace,2\nsection,about,0\nkey,value\n",
        "tegula-trace,1\n",
        1,
    );
    assert!(old.starts_with("tegula-trace,1"));
    assert_eq!(read(&old).expect("it is as it was"), Trace { about: Vec::new(), ..placeless() });
}

/// A file without its empty section `section`.
fn cut(text: String, section: &str) -> String {
    let start = text.find(&format!("section,{section},0\n")).expect("it is empty");
    let end = start + text[start..].match_indices('\n').nth(1).expect("two lines").0 + 1;
    text[..start].to_owned() + &text[end..]
}

/// A file whose tasks lack the fields `gone`, names of their columns included.
fn without_fields(text: &str, gone: std::ops::Range<usize>) -> String {
    let (head, tasks) = text.split_once("section,tasks").expect("it has tasks");
    let (tasks, tail) = tasks.split_once("section,transfers").expect("transfers follow");
    let shorter = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() < gone.end {
            return format!("{line}\n");
        }
        format!("{}\n", [&fields[..gone.start], &fields[gone.end..]].concat().join(","))
    };
    let tasks: String = tasks.lines().map(shorter).collect();
    format!("{head}section,tasks{tasks}section,transfers{tail}")
}

/// A file without places as version 4 has it.
fn without_spots(text: &str) -> String {
    without_fields(&text.replacen("tegula-trace,5", "tegula-trace,4", 1), 11..15)
}

/// A file without contexts as version 3 has it.
fn without_jobs(text: &str) -> String {
    let text = ["contexts", "jobs", "resizes", "moves"].into_iter().fold(without_spots(text), cut);
    without_fields(&text.replacen("tegula-trace,4", "tegula-trace,3", 1), 3..4)
}

/// The small trace as files before the fifth version have it.
fn placeless() -> Trace {
    let mut trace = small();
    trace.records.iter_mut().for_each(|record| record.spot = None);
    trace
}

#[test]
fn files_of_the_fourth_version_are_read() {
    let old = without_spots(&written(&small()));
    assert!(old.contains("end_ns,outcome\n") && old.contains("section,jobs"), "{old}");
    assert_eq!(read(&old).expect("it is as it was"), placeless());
}

#[test]
fn files_of_the_third_version_are_read() {
    let old = without_jobs(&written(&small()));
    assert!(old.contains("codelet,phase,worker,") && !old.contains("section,jobs"), "{old}");
    assert_eq!(read(&old).expect("it is as it was"), placeless());
}

/// A file of one rank as version 2 has it.
fn without_ranks(text: &str) -> String {
    let tail = |line: &str| {
        let is_worker = ["CPU 0,cpu,0", "CPU 1,cpu,0", "name,class,rank"].contains(&line)
            || line.ends_with(",cuda-0,0");
        let end = line.rfind(',').filter(|_| is_worker).unwrap_or(line.len());
        format!("{}\n", &line[..end])
    };
    let text: String =
        text.replacen("tegula-trace,3", "tegula-trace,2", 1).lines().map(tail).collect();
    ["ranks", "messages", "polls"].into_iter().fold(text, cut)
}

#[test]
fn files_of_the_second_version_are_read() {
    let old = without_ranks(&without_jobs(&written(&small())));
    assert!(old.contains("name,class\nCPU 0,cpu\n") && !old.contains("section,polls"), "{old}");
    assert_eq!(read(&old).expect("it is as it was"), placeless());
}

#[test]
fn a_file_that_was_cut_off_is_refused_anywhere() {
    let text = written(&small());
    for end in 0..text.len() {
        if text.is_char_boundary(end) {
            let error = read(&text[..end]).expect_err("something is missing");
            let line =
                text[..end].lines().count().max(1) + usize::from(text[..end].ends_with('\n'));
            assert!(error.to_string().starts_with("line "), "{error}");
            assert!(matches!(error, ReadError::Content { line: at, .. } if at <= line), "{error}");
        }
    }
}

#[test]
fn broken_files_are_refused_at_their_line() {
    let text = written(&small());
    let cases = [
        ("tegula-trace,5", "tegula-trace,6", "line 1: the trace has version 6"),
        ("tegula-trace,5", "task,codelet", "line 1: this is no trace"),
        ("section,workers,3", "section,workers,2", "line 13: 'section,memories'"),
        ("section,workers,3", "section,workers,999999999", "line 9: 999999999 workers"),
        ("section,workers,3", "section,workers,-3", "line 9: field 3 is '-3', not a number"),
        ("name,class", "name,klass", "line 10: the columns should be name,class,rank"),
        ("CPU 1,cpu,0", "CPU 1,cpu", "line 12: field 3 is missing"),
        ("CPU 1,cpu,0", "CPU 1,cpu,0,x", "line 12: there is more than 3 fields"),
        ("CPU 1,cpu,0", "CPU 1,cpu,1", "line 12: field 3 names rank 1, and the file lists 1"),
        ("\"\"0\"\"\",", "\"\"0\"x\",", "line 13: field 1 has a stray quote"),
        ("0,0,0,0,0,-7,0,0,0,10,done", "0,3,0,0,0,-7,0,0,0,10,done", "field 2 names codelet 3"),
        ("0,0,0,0,0,-7,0,0,0,10,done", "0,0,2,0,0,-7,0,0,0,10,done", "field 3 names phase 2"),
        ("0,0,0,0,0,-7,0,0,0,10,done", "0,0,0,1,0,-7,0,0,0,10,done", "field 4 names job 1"),
        ("0,0,0,0,0,-7,0,0,0,10,done", "0,0,0,0,3,-7,0,0,0,10,done", "field 5 names worker 3"),
        ("0,0,0,0,0,-7,0,0,0,10,done", "0,0,0,0,0,-7,0,0,20,10,done", "field 10 is an end before"),
        (
            "0,0,0,0,0,-7,0,0,0,10,done",
            "0,0,0,0,0,-7,0,0,0,1O,done",
            "field 10 is '1O', not a number",
        ),
        (
            "0,0,0,0,0,-7,0,0,0,10,done",
            "0,0,0,0,0,-7,0,0,0,10,dine",
            "should be one of done, failed",
        ),
        ("0,0,0,0,0,-7,0,0,0,10,done", "0,0,0,0,0,-7,0,0,0,99999999999999999999,done", "field 10"),
        ("done,1,2,9,4", "done,9,2,9,4", "field 15 ends four numbers that are no place"),
        ("done,1,2,9,4", "done,1,2,9,", "field 15 ends four numbers that are no place"),
        ("done,1,2,9,4", "done,1,2,9", "field 15 is missing"),
        ("7,800,0,1,fetch", "7,800,0,2,fetch", "field 4 names memory 2, and the file lists 2"),
        ("memory,1,30", "memori,1,30", "should be one of memory, ready"),
        ("\nend\n", "\nfin\n", "'end' should stand here"),
    ];
    for (good, bad, says) in cases {
        assert!(text.contains(good), "{good}");
        let error = read(&text.replacen(good, bad, 1)).expect_err(bad).to_string();
        assert!(error.starts_with("line ") && error.contains(says), "{bad}: {error}");
    }
    let text = written(&over_ranks());
    let cases = [
        ("4,2,1000,0,1,-3,1,", "4,2,1000,0,70000,-3,1,", "names rank 70000"),
        (",20,21,25,", ",20,21,,", "field 10 ends three times"),
        (",20,21,25,", ",20,21,20,", "field 10 ends three times"),
        (",20,21,25,", ",20,21,99999999999999999,", "field 10 is a time beyond"),
        ("\n0,20,22\n", "\n0,22,20\n", "field 3 is an end before"),
        ("rank 1 worker 0,cpu,1", "rank 1 worker 0,cpu,2", "names rank 2, and the file lists 2"),
    ];
    for (good, bad, says) in cases {
        let error = read(&text.replacen(good, bad, 1)).expect_err(bad).to_string();
        assert!(error.starts_with("line ") && error.contains(says), "{bad}: {error}");
    }
    assert!(Trace::read([0xff_u8; 100_000].as_slice()).is_err(), "neither lines nor text");
    assert!(read("").expect_err("empty").to_string().contains("this is no trace"));
}

#[test]
fn changed_files_are_refused_or_can_be_written() {
    for text in [written(&small()), written(&with_contexts()), written(&over_ranks())] {
        change_at_random(&text);
    }
}

/// Asserts that whatever is changed in `text`, it is refused or can be written again.
fn change_at_random(text: &str) {
    let mut numbers = SplitMix64::new(7);
    let mut below = |limit: usize| (numbers.next_u64() % limit as u64) as usize;
    let mut kept = 0;
    for _ in 0..20_000 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..1 + below(2) {
            let place = below(bytes.len());
            bytes[place] = b"0123456789,\n\"-x"[below(15)];
        }
        let Ok(trace) = Trace::read(bytes.as_slice()) else { continue };
        kept += 1;
        if kept % 50 == 0 {
            assert_eq!(read(&written(&trace)).expect("it was just written"), trace);
        }
    }
    assert!(kept > 1000, "{kept}");
}

#[test]
fn traces_of_ranks_are_joined_on_one_clock() {
    let whole = over_ranks();
    // Rank 1 counts from 1000 on, and twice as fast.
    let part = |rank: usize| {
        let there = |time: u64| if rank == 0 { time } else { 1000 + 2 * time };
        let mut part = whole.clone();
        part.records.retain(|record| record.worker == rank);
        part.records.iter_mut().for_each(|record| record.worker = 0);
        // What it waited for came from rank 0, as datum 4.
        let waiting = part.records.iter_mut().filter(|record| record.task == 1);
        waiting.for_each(|record| record.after = AFTER_MESSAGE | 4);
        part.polls.retain(|poll| poll.rank == rank);
        part.messages.retain(|message| message.from == rank || message.to == rank);
        for message in &mut part.messages {
            message.sent = message.sent.filter(|_| message.from == rank);
            message.received = message.received.filter(|_| message.to == rank);
            message.after *= u64::from(message.from == rank);
        }
        part.messages.retain(|message| message.sent.or(message.received).is_some());
        part.map_times(there);
        let tasks = part.records;
        let Trace { messages, polls, .. } = part;
        let sample = |time, value| Sample { time: there(time), gauge: Gauge::Ready, value };
        let samples = vec![sample(40, 1 + rank as u64), sample(50 + rank as u64, 0)];
        let records = Records { tasks, messages, polls, samples, origin: 7, ..Records::default() };
        Trace::new(records, Site::cores(1), &["none"])
    };
    let clock = |rank: usize, time: u64| if rank == 0 { time - 7 } else { (time - 1007) / 2 };
    let joined = Trace::join(vec![part(0), part(1)], clock, vec![0, 3]);
    let ready: Vec<(u64, u64)> = joined.samples.iter().map(|s| (s.time, s.value)).collect();
    assert_eq!(ready, [(40, 1), (40, 3), (50, 2), (51, 0)]);
    assert_eq!(Trace { samples: Vec::new(), ..joined }, whole);
}

#[test]
fn messages_that_came_before_they_were_sent_are_found_out() {
    assert!(over_ranks().messages.iter().all(|message| message.advance() == 0));
    assert_eq!(message(0, 0, (0, 1), [5, 9, 9], [0, 7, 9]).advance(), 2);
}
