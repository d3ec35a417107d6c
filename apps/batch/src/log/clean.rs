//! What is done to a log before it can be simulated: jobs are made to fit nodes, files are
//! inferred or named by a table beside it, a part is marked to be evaluated.

use std::collections::HashMap;

use super::LogError;
use super::cells::{LONGEST, MOST, Rows};
use crate::cluster::Cluster;
use crate::job::{Job, Kind, Workload};

/// So many jobs, with the verb for one or several.
pub(super) fn jobs(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("1 job {one}") } else { format!("{count} jobs {several}") }
}

/// Makes the jobs fit `cluster`: one that asks for more cores than a node has gets several nodes if
/// it `may_be_wide`, or else all of a node for as much longer that its work is the same; a file
/// that is larger than a node's memory gets that size. Returns what was done, in sentences.
pub fn clean(workload: &mut Workload, cluster: &Cluster, may_be_wide: bool) -> Vec<String> {
    let (mut spread, mut wide, mut large) = (0, 0, 0);
    for job in &mut workload.jobs {
        let all = job.all_cores();
        let needed = all.div_ceil(cluster.cores.into());
        if may_be_wide && job.cores > cluster.cores && needed <= cluster.nodes.into() {
            spread += 1;
            job.nodes = needed as u32;
            job.cores = all.div_ceil(needed) as u32;
        } else if job.cores > cluster.cores
            || job.nodes > 1 && !may_be_wide
            || job.nodes > cluster.nodes
        {
            job.cores = u32::try_from(all).unwrap_or(u32::MAX);
            job.nodes = 1;
            if job.cores <= cluster.cores {
                continue;
            }
            wide += 1;
            let longer = |seconds: i64| {
                let work = i128::from(seconds) * i128::from(job.cores);
                let seconds = (work + i128::from(cluster.cores) - 1) / i128::from(cluster.cores);
                seconds.min(LONGEST.into()) as i64
            };
            (job.walltime, job.duration) = (longer(job.walltime), longer(job.duration));
            job.cores = cluster.cores;
        }
        if job.file_gb > cluster.memory_gb {
            large += 1;
            job.file_gb = cluster.memory_gb;
        }
    }
    let mut notes = Vec::new();
    if spread > 0 {
        let jobs = jobs(spread, "asks for", "ask for");
        notes
            .push(format!("{jobs} more than the {} cores of a node: several nodes", cluster.cores));
    }
    if wide > 0 {
        notes.push(format!(
            "{} more than the {} cores of a node: one node instead, for as much longer that the \
             work is the same",
            jobs(wide, "asks for", "ask for"),
            cluster.cores
        ));
    }
    if large > 0 {
        let most = cluster.memory_gb;
        let jobs = jobs(large, "has", "have");
        notes.push(format!("{jobs} a file of more than the {most} GB of a node: cut"));
    }
    notes
}

/// Gives files to the jobs: those of one user with as many cores that are submitted within
/// `seconds` of the first of them share one, of `gb_per_core` gigabytes for each core. Files that
/// jobs had are forgotten. Returns how many files there are.
pub fn infer_files(workload: &mut Workload, seconds: i64, gb_per_core: f64) -> usize {
    let mut latest: HashMap<(u32, u32), (i64, u32)> = HashMap::new();
    workload.files.clear();
    for job in &mut workload.jobs {
        let found = latest.get(&(job.user, job.cores)).copied();
        let file = match found {
            Some((first, file)) if job.submit - first <= seconds => file,
            _ => {
                let file = workload.files.len() as u32;
                workload.files.push((file + 1).to_string());
                latest.insert((job.user, job.cores), (job.submit, file));
                file
            }
        };
        (job.file, job.file_gb) = (Some(file), f64::from(job.cores) * gb_per_core);
    }
    workload.files.len()
}

/// Gives to the jobs the files that a table names, with the columns `id, file, file_gb`. Returns
/// how many jobs got one.
///
/// # Errors
/// With the line: no such job, no name, another size of the same file.
pub fn name_files(workload: &mut Workload, text: &str) -> Result<usize, LogError> {
    let mut rows = Rows::new(text, b',')?;
    rows.require(&["id", "file", "file_gb"])?;
    let places: HashMap<u64, usize> =
        workload.jobs.iter().enumerate().map(|(place, job)| (job.id, place)).collect();
    let mut files: HashMap<String, (u32, f64)> = HashMap::new();
    workload.files.clear();
    workload.jobs.iter_mut().for_each(|job: &mut Job| (job.file, job.file_gb) = (None, 0.0));
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let id = row.within("id", (0, MOST))? as u64;
        let place = *places.get(&id).ok_or_else(|| row.wrong("id", "a job of the log that ran"))?;
        let (name, size) = (row.text("file"), row.amount("file_gb", 0.0)?);
        if name.is_empty() {
            return Err(row.wrong("file", "the name of a file"));
        }
        let next = files.len() as u32;
        let &mut (file, known) = files.entry(name.to_owned()).or_insert((next, size));
        if file == next {
            workload.files.push(name.to_owned());
        }
        if known != size {
            return Err(row.wrong("file_gb", &format!("the {known} that '{name}' has before")));
        }
        let job = &mut workload.jobs[place];
        count += usize::from(job.file.is_none());
        (job.file, job.file_gb) = (Some(file), size);
    }
    Ok(count)
}

/// Marks the jobs that are submitted from `from` to `to` seconds after the first one as those that
/// are evaluated; those before and after only keep the cluster busy. Returns how many there are.
pub fn evaluate(workload: &mut Workload, (from, to): (i64, i64)) -> usize {
    let begin = workload.begin();
    let mut count = 0;
    for job in workload.jobs.iter_mut().filter(|job| job.kind >= Kind::Before) {
        let time = job.submit - begin;
        job.kind = match () {
            () if time < from => Kind::Before,
            () if time < to => Kind::Evaluated,
            () => Kind::After,
        };
        count += usize::from(job.kind == Kind::Evaluated);
    }
    count
}
