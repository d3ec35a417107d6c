//! `tegula batch`: logs drawn, converted, simulated and compared.

use std::path::{Path, PathBuf};

use crate::support::{assert_close, column, folder, folder_with, number, tegula_in};

const CLUSTER: &str = "--cluster 10x20x128GB:0.1GB/s";
/// A log of four jobs on one core, of which three share a file of 6.4 GB: a load of 64 s.
const LOG: &str = "\
id,submit,walltime,duration,cores,user,file,file_gb
1,0,1000,100,1,a,x,6.4
2,10,1000,100,1,a,x,6.4
3,200,1000,100,1,b,x,6.4
4,200,1000,100,1,b,,
";

/// A folder with the runs of all schedulers on a drawn log.
fn runs(flags: &str) -> PathBuf {
    let folder = folder();
    let drawn = "batch generate --jobs 900 --load 1.2 --seed 1 -o log.csv";
    tegula_in(&folder, &format!("{drawn} {CLUSTER}")).succeeded();
    let run = format!("batch simulate log.csv {CLUSTER} --policy all -o runs {flags}");
    tegula_in(&folder, &run).succeeded();
    folder
}

fn simulate(text: &str, flags: &str) -> crate::support::Run {
    tegula_in(&folder_with("log.csv", text), &format!("batch simulate log.csv {flags}"))
}

#[test]
fn a_run_by_hand() {
    let folder = folder_with("log.csv", LOG);
    let run = tegula_in(&folder, "batch simulate log.csv -o out --json - --quiet").succeeded();
    let json = run.json();
    // Jobs 1 and 2 end at 164; the third comes later and loads again.
    assert_close(number(&json, "/runs/0/waiting_for_files_seconds"), 64.0 + 54.0 + 64.0, 0.0);
    assert_close(number(&json, "/runs/0/transfer_seconds"), 128.0, 0.0);
    assert_close(number(&json, "/runs/0/flow/max"), 164.0, 0.0);
    let jobs = folder.join("out/jobs.csv");
    assert_eq!(column(&jobs, "end"), [164.0, 164.0, 364.0, 300.0]);
    assert_eq!(column(&jobs, "transfer"), [64.0, 0.0, 64.0, 0.0]);
    assert_eq!(column(&jobs, "session"), [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(column(&folder.join("out/usage.csv"), "running").last(), Some(&0.0));
}

#[test]
fn jobs_may_have_several_nodes_and_write_over_a_shared_file_system() {
    let log = "id,submit,walltime,duration,cores,user,file,file_gb,output_gb\n\
               1,0,1000,100,40,a,x,10,0\n2,0,1000,100,1,b,y,10,5\n";
    let run = |flags: &str| simulate(log, &format!("{flags} -o out --json - --quiet"));
    let flow = |flags: &str| number(&run(flags).succeeded().json(), "/runs/0/flow/max");
    let cluster = |rate: &str| format!("--cluster 3x20x128GB:0.1GB/s{rate}");
    // One node for twice as long, or two nodes that load at once.
    assert_close(flow(&cluster("")), 300.0, 0.0);
    assert_close(flow(&format!("{} --multi-node", cluster(""))), 250.0, 0.0);
    // Three loads of 100 s at a third of the rate, then 50 s to write alone.
    assert_close(flow(&format!("{} --multi-node", cluster(":0.1GB/s"))), 450.0, 0.0);
    run(&format!("{} --rules published", cluster(""))).failed(2, &["--rules published", "outputs"]);
    run(&cluster(":0GB/s")).failed(2, &["above 0"]);
    let drawn = "batch generate --jobs 300 --load 2 --wide 0.3 --outputs 0.5 -o log.csv";
    let folder = folder();
    tegula_in(&folder, &format!("{drawn} --cluster 4x20x128GB:0.1GB/s")).succeeded();
    let again = "batch convert log.csv --multi-node --cluster 4x20x128GB:0.1GB/s -o again.csv";
    tegula_in(&folder, again).succeeded();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    assert_eq!(read("log.csv"), read("again.csv"));
}

#[test]
fn schedulers_are_compared_with_the_first_come_first_served() {
    let folder = runs("");
    let compared = "batch compare runs -o report.html --json c.json";
    let table = tegula_in(&folder, compared).succeeded().stdout;
    let text = std::fs::read_to_string(folder.join("c.json")).expect("a file");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rows = json["runs"].as_array().expect("a list");
    assert_eq!(rows.len(), 6, "{table}");
    let named = |name: &str| rows.iter().find(|row| row["name"] == name).expect("a run");
    assert_eq!(number(named("fcfs"), "/waiting_reduction"), 0.0);
    let (lea, eft) = (named("lea"), named("eft"));
    assert!(number(lea, "/waiting_reduction") > number(eft, "/waiting_reduction"), "{table}");
    let waited = number(lea, "/waiting_for_files_seconds");
    let base = number(named("fcfs"), "/waiting_for_files_seconds");
    assert_close(number(lea, "/waiting_reduction"), 1.0 - waited / base, 1e-12);
    let page = std::fs::read_to_string(folder.join("report.html")).expect("a page");
    assert!(page.contains("gradual") && page.matches("<svg").count() == 5, "{}", page.len());
    // One that backfills is compared with the first come, first served that does, too.
    let run = "batch simulate log.csv --cluster 10x20x128GB:0.1GB/s --backfill --policy fcfs,lem";
    tegula_in(&folder, &format!("{run} -o runs")).succeeded();
    let run = tegula_in(&folder, "batch compare runs --json - --quiet").succeeded().json();
    let bases: Vec<&str> =
        run["runs"].as_array().expect("a list").iter().filter_map(|r| r["base"].as_str()).collect();
    assert_eq!(bases.iter().filter(|base| **base == "fcfs-bf").count(), 2, "{bases:?}");
}

#[test]
fn logs_of_other_formats_become_ours() {
    let sacct = "JobIDRaw|User|Submit|TimelimitRaw|ElapsedRaw|AllocCPUS\n\
                 7|a|2024-05-01T00:00:00|60|600|4\n7.batch|a|2024-05-01T00:00:00||600|4\n\
                 8|a|2024-05-01T00:10:00|60|600|4\n9|b|2024-05-01T00:10:00|60|0|4\n\
                 10|a|2024-05-01T00:20:00|UNLIMITED|60|40\n";
    let folder = folder_with("jobs.txt", sacct);
    let run = "batch convert jobs.txt --same-file 800s -o log.csv --json -";
    let json = tegula_in(&folder, run).succeeded().json();
    assert_eq!((json["format"].as_str(), json["jobs"].as_u64()), (Some("sacct"), Some(3)));
    let notes = json["notes"].to_string();
    for words in ["1 job that never ran", "no time limit", "2 files are supposed", "20 cores"] {
        assert!(notes.contains(words), "{words} in {notes}");
    }
    let log = folder.join("log.csv");
    assert_eq!(column(&log, "id"), [7.0, 8.0, 10.0]);
    assert_eq!(column(&log, "duration"), [600.0, 600.0, 120.0]);
    assert_eq!(column(&log, "file"), [1.0, 1.0, 2.0]);
    assert_eq!(column(&log, "file_gb"), [25.6, 25.6, 128.0]);
    let swf = "; Version: 2\n1 0 5 100 2 -1 -1 2 200 -1 1 3 1 -1 1 -1 -1 -1\n\
               2 9 5 -1 2 -1 -1 2 200 -1 0 3 1 -1 1 -1 -1 -1\n";
    let folder = folder_with("trace.swf", swf);
    std::fs::write(folder.join("files.csv"), "id,file,file_gb\n1,/data/a.h5,3.5\n").expect("ours");
    tegula_in(&folder, "batch convert trace.swf --files files.csv -o log.csv").succeeded();
    assert_eq!(column(&folder.join("log.csv"), "walltime"), [200.0]);
    assert_eq!(column(&folder.join("log.csv"), "file_gb"), [3.5]);
    let program = "{ id: 1 subtime: 0 delay: 50 walltime: 90 cores: 2 user: a data: 4 \
                   data_size: 12.8 workload: 1 start_time_from_history: 0 \
                   start_node_from_history: 0 }\n";
    let json = simulate(program, "--json - --quiet").succeeded().json();
    assert_close(number(&json, "/runs/0/transfer_seconds"), 128.0, 0.0);
}

#[test]
fn what_is_no_log_is_refused_with_the_line() {
    simulate("", "").failed(2, &["log.csv is empty"]);
    simulate("id,submit\n1,2\n", "").failed(2, &["line 1", "no column walltime, duration, cores"]);
    let head = "id,submit,walltime,duration,cores\n";
    simulate(head, "").failed(2, &["no job that ran"]);
    for (cells, words) in [
        ("1,0,9,nan,1", "duration is 'nan'"),
        ("1,0,0,1,1", "walltime is '0'"),
        ("1,0,9,1,0", "cores is '0'"),
        ("1,,9,1,1", "submit is ''"),
    ] {
        simulate(&format!("{head}0,0,9,1,1\n{cells}\n"), "").failed(2, &["line 3", words]);
    }
    simulate(&format!("{head}1,0,9,1,1\n1,0,9,1,1\n"), "").failed(2, &["line 3", "id is '1'"]);
    // Sound, and strange: a mark, ends of lines of Windows, a job before time 0, one for two nodes.
    let strange = format!("\u{feff}{}1,-5,9,3,1\r\n2,0,9,1,40\r\n", head.replace('\n', "\r\n"));
    let run = simulate(&strange, "").succeeded();
    assert!(run.stdout.contains("1 job asks for more than the 20 cores"), "{}", run.stdout);
    let folder = folder_with("log.csv", LOG);
    std::fs::write(folder.join("files.csv"), "id,file,file_gb\n9,a,1\n").expect("ours to write");
    tegula_in(&folder, "batch convert log.csv --files files.csv -o other.csv")
        .failed(2, &["files.csv, line 2", "id is '9'"]);
    tegula_in(&folder, "batch convert log.csv -o log.csv").failed(2, &["log.csv"]);
}

#[test]
fn what_cannot_be_run_is_refused() {
    simulate(LOG, "--cluster 3x20").failed(2, &["--cluster", "486x20x128GB:0.1GB/s"]);
    simulate(LOG, "--cluster no.json").failed(2, &["no.json"]);
    simulate(LOG, "--policy lru").failed(2, &["lru", "gradual"]);
    simulate(LOG, "--evaluate 2d..1d").failed(2, &["ends before it begins"]);
    simulate(LOG, "--evaluate 1d..2d").failed(2, &["no job is submitted in that time"]);
    simulate(LOG, "--weight 0").failed(2, &["'0' is not a number above 0"]);
    let folder = folder();
    tegula_in(&folder, "batch generate --jobs 10 --load 1 -o log.csv")
        .failed(2, &["10 jobs offer", "draw more jobs"]);
    tegula_in(&folder, "batch compare .").failed(2, &["no summary.json"]);
    let folder = runs("--evaluate 2d..3d");
    tegula_in(&folder, "batch compare runs --base lru").failed(2, &["no run is lru", "gradual"]);
    tegula_in(&folder, "batch compare runs runs").failed(2, &["two runs are"]);
    let run = "batch simulate log.csv --cluster 10x20x128GB:0.1GB/s --policy fcfs -o other";
    tegula_in(&folder, run).succeeded();
    tegula_in(&folder, "batch compare runs/lem other").failed(2, &["different logs"]);
    cut(&folder.join("other/jobs.csv"));
    tegula_in(&folder, "batch compare other").failed(2, &["other/jobs.csv"]);
}

/// Cuts a file in the middle of its last line.
fn cut(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a text");
    std::fs::write(path, &text[..text.len() - 9]).expect("ours to write");
}

#[test]
fn jobs_that_the_published_rules_never_start_are_told() {
    // Only seconds that are multiples of 30 count, and nothing happens in one.
    let log = "id,submit,walltime,duration,cores\n1,0,9,1,1\n2,7,9,1,1\n";
    let run = simulate(log, "--rules published").succeeded();
    assert!(run.stderr.contains("evaluated jobs never start under fcfs"), "{}", run.stderr);
    let run = simulate(log, "--rules published --interval 0s").succeeded();
    assert!(!run.stderr.contains("never start"), "{}", run.stderr);
}

/// Eight jobs of two files, in an order that has each of two nodes load both in turn.
const JOBS: &str = "\
command,file,cores,walltime,file_gb,duration
one {file},x.h5,1,1000,10,100
two {file},y.h5,1,1000,10,100
three {file},y.h5,1,1000,10,100
four {file},x.h5,1,1000,10,100
five {file},x.h5,1,1000,10,100
six {file},y.h5,1,1000,10,100
seven 'it''s' {file},y.h5,1,1000,10,100
eight {file},x.h5,1,1000,10,100
";
const TWO_NODES: &str = "--cluster 2x1x64GB:0.1GB/s";

#[test]
fn jobs_of_a_file_are_sent_to_one_node() {
    let folder = folder_with("jobs.csv", &JOBS.replace("''", "'"));
    let advise = format!("batch advise jobs.csv {TWO_NODES} --nodelist node[1-2]");
    let run = tegula_in(&folder, &format!("{advise} -o submit.sh --json advice.json")).succeeded();
    assert!(run.stdout.contains("50.0 % less waiting"), "{}", run.stdout);
    let text = std::fs::read_to_string(folder.join("advice.json")).expect("a result");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_close(number(&json, "/listed/waiting_for_files_seconds"), 400.0, 0.0);
    assert_close(number(&json, "/advised/waiting_for_files_seconds"), 200.0, 0.0);
    let script = std::fs::read_to_string(folder.join("submit.sh")).expect("a script");
    let submits: Vec<&str> = script.lines().filter(|line| line.starts_with("submit '")).collect();
    assert_eq!(submits.len(), 8);
    let node_of = |file: &str| -> std::collections::HashSet<&str> {
        let own = submits.iter().filter(|line| line.contains(file));
        own.filter_map(|line| line.split_whitespace().nth(1)).collect()
    };
    assert_eq!((node_of("x.h5").len(), node_of("y.h5").len()), (1, 1));
    assert!(
        submits.iter().any(|line| line.contains(r#"'seven '\''it'\''s'\'' "$FILE"'"#)),
        "{script}"
    );
    // What a shell makes of it, with an sbatch that only says what it was given.
    let sbatch = "#!/bin/sh\necho \"$@\" >> log\necho 7\n";
    std::fs::write(folder.join("sbatch"), sbatch).expect("written");
    let run = "chmod +x sbatch; PATH=$PWD:$PATH bash submit.sh";
    let run = std::process::Command::new("bash").args(["-c", run]).current_dir(&folder).output();
    let run = run.expect("bash runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let log = std::fs::read_to_string(folder.join("log")).expect("a log");
    assert_eq!(log.lines().filter(|line| line.contains("--run")).count(), 8);
    assert_eq!(log.lines().filter(|line| line.contains("--dependency=afterany:7")).count(), 2);
    // And of a job: its file is copied once, and the command runs on the copy.
    std::fs::write(folder.join("x.h5"), "data").expect("written");
    let own = "sed -i 's#|| scratch=.*#|| scratch=\"$PWD/scratch\"#' submit.sh; \
               for i in 1 2; do bash submit.sh --run r x.h5 'cat \"$FILE\"'; done; \
               ls scratch/r | wc -l; bash submit.sh --clean r; test ! -e scratch/r";
    let run = std::process::Command::new("bash").args(["-ec", own]).current_dir(&folder).output();
    let run = run.expect("bash runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "datadata2");
    assert!(String::from_utf8_lossy(&run.stderr).contains("ms for x.h5"));
}

#[test]
fn logs_are_advised_on_and_what_cannot_be_is_refused() {
    let folder = folder_with("jobs.csv", JOBS);
    let sacct = "JobIDRaw|User|Submit|TimelimitRaw|ElapsedRaw|AllocCPUS\n\
                 1|a|2024-05-01T00:00:00|60|600|1\n2|a|2024-05-01T00:01:00|60|600|1\n\
                 3|b|2024-05-01T00:02:00|60|600|1\n";
    std::fs::write(folder.join("sacct.txt"), sacct).expect("written");
    let run = tegula_in(&folder, &format!("batch advise sacct.txt {TWO_NODES}")).succeeded();
    let told = format!("{} {}", run.stdout, run.stderr);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("names no files: 2 are supposed"), "{told}");
    let advise = |more: &str| tegula_in(&folder, &format!("batch advise {more}"));
    advise(&format!("sacct.txt {TWO_NODES} -o s.sh --nodelist a,b"))
        .failed(2, &["no column command", "order.csv"]);
    advise(&format!("jobs.csv {TWO_NODES} -o s.sh")).failed(2, &["--nodelist node[1-4]", "sinfo"]);
    advise(&format!("jobs.csv {TWO_NODES} --nodelist a -o s.sh"))
        .failed(2, &["--nodelist", "1 node", "2 nodes"]);
    advise(&format!("jobs.csv {TWO_NODES} --nodelist n[2-1]"))
        .failed(2, &["--nodelist", "lower one first"]);
    advise(&format!("jobs.csv {TWO_NODES} -o order.csv")).succeeded();
    let order = std::fs::read_to_string(folder.join("order.csv")).expect("a table");
    assert_eq!(order.lines().count(), 9);
    std::fs::write(folder.join("none.csv"), "command,walltime,file\nx,60,nothing.h5\n")
        .expect("written");
    advise(&format!("none.csv {TWO_NODES}")).failed(2, &["job 1", "nothing.h5", "file_gb"]);
}
