//! A script that submits jobs to Slurm, each to its node.

use std::fmt::Write as _;

use tegula_batch::advise::Advice;
use tegula_batch::log::Requests;

/// Most nodes that a list names.
const MOST: u32 = 1 << 16;

/// What is submitted, and how.
pub(super) struct Script<'a> {
    pub(super) requests: &'a Requests,
    /// Names of the nodes.
    pub(super) nodes: &'a [String],
    /// Folder of copies on a node, in which the shell there replaces variables.
    pub(super) scratch: &'a str,
    /// Command that copies a file.
    pub(super) copy: &'a str,
}

/// What the script does on a node, and what it submits with.
const BODY: &str = r#"
# On a node: copies the file, unless a job before has, and runs the command.
if [ "${1:-}" = --run ]; then
    copies=$scratch/$2 file=$3 command=$4
    if [ -n "$file" ]; then
        mkdir -p "$copies"
        export FILE="$copies/$(printf %s "$file" | cksum | cut -d ' ' -f 1)-$(basename "$file")"
        begin=$(date +%s%N)
        exec 9>"$FILE.lock"
        flock 9
        if [ ! -e "$FILE" ]; then
            copy "$file" "$FILE.part"
            mv "$FILE.part" "$FILE"
        fi
        exec 9>&-
        echo "waited $((($(date +%s%N) - begin) / 1000000)) ms for $file" >&2
    fi
    exec bash -c "$command"
fi
if [ "${1:-}" = --clean ]; then
    rm -rf "${scratch:?}/${2:?}"
    exit
fi

# submit NODE CORES MINUTES FILE COMMAND; what stands in SBATCH_FLAGS goes to sbatch, too.
run=copies-$(date +%s)-$$
declare -A ids
submit() {
    local id
    id=$(sbatch --parsable --nodelist="$1" --nodes=1 --ntasks=1 --cpus-per-task="$2" --time="$3" \
        ${SBATCH_FLAGS:-} "$0" --run "$run" "$4" "$5")
    ids[$1]=${ids[$1]:-}:${id%%;*}
    echo "job ${id%%;*} to $1: $5"
}

"#;

/// What ends the script: copies are removed when the last job of a node has ended.
const END: &str = r#"
for node in "${!ids[@]}"; do
    sbatch --parsable --nodelist="$node" --nodes=1 --ntasks=1 --time=5 --dependency="afterany${ids[$node]}" \
        --job-name=clean --output=/dev/null ${SBATCH_FLAGS:-} "$0" --clean "$run" >/dev/null
done
"#;

impl Script<'_> {
    /// The script that submits what is advised.
    pub(super) fn text(&self, advice: &Advice) -> String {
        let Self { requests, nodes, scratch, copy } = *self;
        let schedule = &advice.advised;
        let mut text = "#!/usr/bin/env bash\n".to_owned();
        let jobs = requests.commands.len();
        let _ = writeln!(
            text,
            "# Submits {jobs} jobs to Slurm, each to the node that has its file, or will have it; made by\n\
             # tegula batch advise. Files are copied once to each node that needs them.\n\
             set -euo pipefail\n\
             # Where copies are, in words of the node.\n\
             [ $# = 0 ] || scratch=\"{scratch}\"\n\
             copy() {{ {copy} \"$@\"; }}"
        );
        text += BODY;
        for &place in &schedule.jobs {
            let (job, node) = (&requests.workload.jobs[place], schedule.fates[place].node);
            let file = job.file.map_or("", |file| &requests.workload.files[file as usize]);
            let command = requests.commands[place].replace("{file}", "\"$FILE\"");
            // Slurm counts limits in minutes; a copy is part of a job's time.
            let minutes = (job.walltime + 59) / 60;
            let _ = writeln!(
                text,
                "submit {} {} {minutes} {} {}",
                quoted(&nodes[node as usize]),
                job.cores,
                quoted(file),
                quoted(&command)
            );
        }
        text + END
    }
}

/// `word` as one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Parses names as `a,b` and `node[1-3,7]`, as Slurm writes them.
///
/// # Errors
/// With what is wrong.
pub(super) fn node_list(text: &str) -> Result<Vec<String>, String> {
    let wrong =
        |what: &str| format!("'{text}' is no list of nodes ({what}): write node[1-4] or a,b");
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if !(0..=1).contains(&depth) {
            return Err(wrong("brackets do not match"));
        }
    }
    if depth != 0 {
        return Err(wrong("brackets do not match"));
    }
    parts.push(&text[start..]);
    let mut names = Vec::new();
    for part in parts {
        let is_plain = |name: &str| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&c))
        };
        let Some((head, rest)) = part.split_once('[') else {
            if part.is_empty() || !is_plain(part) {
                return Err(wrong("a name is missing or holds other signs"));
            }
            names.push(part.to_owned());
            continue;
        };
        let (inside, tail) = rest.split_once(']').ok_or_else(|| wrong("brackets do not match"))?;
        if !is_plain(head) || !is_plain(tail) {
            return Err(wrong("a name holds other signs"));
        }
        for range in inside.split(',') {
            let (low, high) = range.split_once('-').unwrap_or((range, range));
            let number = |digits: &str| digits.parse::<u32>().ok().filter(|&number| number <= MOST);
            let ends = number(low).zip(number(high)).filter(|(low, high)| low <= high);
            let (first, last) =
                ends.ok_or_else(|| wrong("ranges are numbers, the lower one first"))?;
            let width = low.len();
            names.extend((first..=last).map(|number| format!("{head}{number:0width$}{tail}")));
        }
    }
    if names.len() > MOST as usize {
        return Err(wrong("too many"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_those_of_slurm() {
        let of = |text: &str| node_list(text).expect(text).join(" ");
        assert_eq!(of("a,b"), "a b");
        assert_eq!(of("node[1-3,7]"), "node1 node2 node3 node7");
        assert_eq!(of("r[08-10]n1,x"), "r08n1 r09n1 r10n1 x");
        for text in ["", "a,", "n[1-", "n[3-1]", "n[a]", "n]1[", "a b", "$(x)", "n[[1]]"] {
            assert!(node_list(text).is_err(), "{text}");
        }
    }
}
