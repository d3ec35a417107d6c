//! `tegula batch advise`: in which order and to which nodes to submit jobs that share files.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_batch::advise::{Advice, Fate, Schedule, advise};
use tegula_batch::log::{Requests, clean, format_of, infer_files, is_requests, read_requests};
use tegula_files::WriteError;

use super::input::{ClusterFlags, fault, text};
use super::script::{Script, node_list};
use crate::error::refused;
use crate::flags::{OutputFlags, parse_rate, parse_span};
use crate::output::{
    Align, Form, Table, check_form, check_output, count, number, seconds, write_file,
};

/// Most jobs that the table shows.
const MOST: usize = 20;
/// Bytes of a gigabyte, as the sizes of files count them.
const GB: f64 = 1e9;

/// Flags of `advise`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula batch advise jobs.csv --cluster 4x20x128GB:0.1GB/s
  tegula batch advise jobs.csv --cluster 4x20x128GB:0.1GB/s --nodelist node[1-4] -o submit.sh
  tegula batch advise sacct.txt --cluster 4x20x128GB:0.1GB/s --same-file 800s")]
pub(crate) struct Advise {
    /// Table with the columns command and walltime, and file, file_gb, cores, duration where they
    /// are there; {file} in a command stands for the copy of its file. Or a log, as sacct prints it
    #[arg(value_name = "JOBS.csv")]
    jobs: PathBuf,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Of a log without files: suppose that jobs of one user with as many cores share a file if
    /// they were submitted within this time of the first of them
    #[arg(long, value_name = "TIME", default_value = "800s", value_parser = parse_span)]
    same_file: i64,
    /// What the file system gives to all nodes together, as 10GB [default: to each what its link
    /// takes]
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    file_system: Option<f64>,
    /// Names of the nodes, as many as the cluster has: node[1-4], or a,b,c
    #[arg(long, value_name = "NODES", value_parser = node_list)]
    nodelist: Option<std::vec::Vec<String>>,
    /// Folder on each node for copies of files, in which the shell of the node replaces variables
    #[arg(long, value_name = "FOLDER", default_value = "/tmp/tegula-batch-$(id -un)")]
    scratch: String,
    /// Command that copies a file, called with its name and that of the copy
    #[arg(long, value_name = "COMMAND", default_value = "cp")]
    copy: String,
    /// Where to write a script that submits the jobs (.sh), or the order as a table (.csv)
    #[arg(long, short, value_name = "OUT", help_heading = "Output")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

impl Advise {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let is_script = self.is_script()?;
        let (cluster, _) = self.cluster.cluster(None)?;
        let (mut requests, mut notes) = self.read(&cluster.share_gb())?;
        notes.extend(clean(&mut requests.workload, &cluster, false));
        if let Some(nodes) = self.nodelist.as_ref().filter(|n| n.len() != cluster.nodes as usize) {
            return Err(refused(format!(
                "--nodelist: {} for a cluster of {}: --cluster {}x... has as many",
                count(nodes.len(), "node"),
                count(cluster.nodes as usize, "node"),
                nodes.len()
            )));
        }
        let jobs = &requests.workload.jobs;
        let all = self.file_system.map_or(f64::INFINITY, |rate| rate / GB);
        let advice = advise(&cluster, all, &requests.workload);
        let with = jobs.iter().filter(|job| job.file.is_some()).count();
        console.field("cluster", &cluster);
        console.field("jobs", format_args!("{}, {with} of which read a file", jobs.len()));
        console.field("files", requests.workload.files.len());
        notes.iter().for_each(|note| console.note(note));
        console.line("");
        console.line(summary(&advice));
        console.line("");
        console.line(self.table(&requests, &advice.advised));
        if let Some(path) = &self.output_file {
            if is_script {
                let nodes = self.nodelist.as_deref().expect("it was checked");
                let (scratch, copy) = (&*self.scratch, &*self.copy);
                let script = Script { requests: &requests, nodes, scratch, copy };
                let text = script.text(&advice);
                write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))?;
                console.line(format_args!("\nbash {} submits them", path.display()));
            } else {
                let text = self.csv(&requests, &advice.advised);
                write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))?;
                console.line(format_args!("\nwritten to {}", path.display()));
            }
        }
        self.output.write(&self.json(&requests, &advice, &notes))?;
        console.finish()
    }

    /// Whether `-o` is a script; checks that it can be written.
    fn is_script(&self) -> Result<bool> {
        let Some(path) = &self.output_file else { return Ok(false) };
        if path.extension().is_none_or(|ending| ending != "sh") {
            check_form("-o", path, Form::Table)?;
            return Ok(false);
        }
        check_output(path).map_err(|reason| refused(format!("-o: {reason}")))?;
        if self.nodelist.is_none() {
            return Err(refused(
                "-o: a script names the node of each job: give them, as --nodelist node[1-4] (sinfo -N \
                 lists them)",
            ));
        }
        if self.scratch.contains(['"', '`', '\n', '\\']) {
            return Err(refused("--scratch: a path without quotes, backslashes and backquotes"));
        }
        Ok(true)
    }

    /// The jobs, with what is to be said of them.
    fn read(&self, share_gb: &f64) -> Result<(Requests, Vec<String>)> {
        let all = text(&self.jobs)?;
        if is_requests(&all) {
            let read = read_requests(&all).map_err(|error| fault(&self.jobs, &error))?;
            return self.sized(read).map(|requests| (requests, Vec::new()));
        }
        if self.output_file.as_ref().is_some_and(|path| path.extension().is_some_and(|e| e == "sh"))
        {
            return Err(refused(format!(
                "-o: {} has no column command, so that there is nothing to submit: write the order, as \
                 -o order.csv",
                self.jobs.display()
            )));
        }
        let format = format_of(&all);
        let read = format.read(&all).map_err(|error| fault(&self.jobs, &error))?;
        let (mut workload, mut notes) = (read.workload, read.notes);
        if workload.jobs.iter().all(|job| job.file.is_none()) {
            let files = infer_files(&mut workload, self.same_file, *share_gb);
            notes.push(format!(
                "the log names no files: {files} are supposed, of {share_gb} GB for each core; jobs of \
                 one user with as many cores that were submitted within {} s share one",
                self.same_file
            ));
        }
        Ok((Requests { commands: vec![String::new(); workload.jobs.len()], workload }, notes))
    }

    /// The jobs with the sizes that their files have on disk, where the table says none.
    fn sized(&self, mut requests: Requests) -> Result<Requests> {
        for job in requests.workload.jobs.iter_mut().filter(|job| job.file_gb == 0.0) {
            let Some(file) = job.file else { continue };
            let name = &requests.workload.files[file as usize];
            let size = std::fs::metadata(name).map_err(|error| {
                refused(format!(
                    "{}, job {}: cannot tell the size of '{name}' ({error}): say it in a column file_gb",
                    self.jobs.display(),
                    job.id
                ))
            })?;
            job.file_gb = size.len() as f64 / GB;
        }
        Ok(requests)
    }

    /// The name of a node of the cluster.
    fn node(&self, index: u32) -> String {
        let named = self.nodelist.as_ref().and_then(|nodes| nodes.get(index as usize));
        named.cloned().unwrap_or_else(|| (index + 1).to_string())
    }

    /// The first jobs to submit.
    fn table(&self, requests: &Requests, schedule: &Schedule) -> String {
        let mut table = Table::new(&[
            ("", Align::Right),
            ("job", Align::Right),
            ("node", Align::Left),
            ("cores", Align::Right),
            ("starts after", Align::Right),
            ("waits for file", Align::Right),
            ("file", Align::Left),
        ]);
        for (index, &place) in schedule.jobs.iter().take(MOST).enumerate() {
            let (job, fate) = (&requests.workload.jobs[place], &schedule.fates[place]);
            let file = job.file.map_or("", |file| &requests.workload.files[file as usize]);
            table.row(vec![
                (index + 1).to_string(),
                job.id.to_string(),
                self.node(fate.node),
                job.cores.to_string(),
                time(fate.start),
                time(fate.waiting),
                file.to_owned(),
            ]);
        }
        let more = schedule.jobs.len().saturating_sub(MOST);
        let rest = if more > 0 {
            format!("\n  and {more} more (-o OUT.csv, --json)")
        } else {
            String::new()
        };
        format!("{table}{rest}")
    }

    fn csv(&self, requests: &Requests, schedule: &Schedule) -> String {
        let mut text = "job,node,start,load,cores,file\n".to_owned();
        for &place in &schedule.jobs {
            let (job, fate) = (&requests.workload.jobs[place], &schedule.fates[place]);
            let file = job.file.map_or("", |file| &requests.workload.files[file as usize]);
            let file = match file.contains([',', '"', '\n']) {
                true => format!("\"{}\"", file.replace('"', "\"\"")),
                false => file.to_owned(),
            };
            let Fate { start, waiting, .. } = *fate;
            let node = self.node(fate.node);
            text += &format!("{},{node},{start},{waiting},{},{file}\n", job.id, job.cores);
        }
        text
    }

    fn json(&self, requests: &Requests, advice: &Advice, notes: &[String]) -> Value {
        let one = |schedule: &Schedule| {
            let job = |&place: &usize| {
                let (job, fate) = (&requests.workload.jobs[place], &schedule.fates[place]);
                json!({
                    "id": job.id,
                    "node": self.node(fate.node),
                    "start": fate.start,
                    "end": fate.end,
                    "waiting_for_file": fate.waiting,
                    "file": job.file.map(|file| &requests.workload.files[file as usize]),
                })
            };
            json!({
                "order": schedule.order,
                "policy": schedule.placement,
                "copies": schedule.copies,
                "waiting_for_files_seconds": schedule.waiting,
                "end_seconds": schedule.end,
                "jobs": schedule.jobs.iter().map(job).collect::<Vec<_>>(),
            })
        };
        json!({ "listed": one(&advice.listed), "advised": one(&advice.advised), "notes": notes })
    }
}

/// What there is to gain, in two lines.
fn summary(advice: &Advice) -> String {
    let one = |schedule: &Schedule| {
        let (waiting, end) = (time(schedule.waiting), time(schedule.end));
        let copies = if schedule.copies == 1 { "copy" } else { "copies" };
        let copies = format!("{} {copies}", schedule.copies);
        format!("{waiting} of waiting for files, {copies}, all done after {end}")
    };
    let Advice { listed, advised } = advice;
    let less = 100.0 * (1.0 - advised.waiting / listed.waiting);
    let how = if listed.waiting == 0.0 {
        "no job waits for a file: the order does not matter".to_owned()
    } else if advised.waiting >= listed.waiting {
        "no other order waits less".to_owned()
    } else {
        let Schedule { order, placement, .. } = advised;
        format!("{} ({} % less waiting; {order}, {placement})", one(advised), number(less, 3))
    };
    format!("as listed    {}\nas advised   {how}", one(listed))
}

/// A time, of which 0 is no special one.
fn time(value: f64) -> String {
    if value == 0.0 { "0 s".to_owned() } else { seconds(value) }
}
